"""RLCard's novice: draws by lot from stock or pile, throws for least deadwood, ends at once, gin before a knock.

Every choice among equals is by lot there, even which card to knock with: any that leaves a legal count. The source's comment says
something else than its code, that the dearest card outside the best melds goes; that is `reading=dearest`. Here the first upcard, which
RLCard does not have, is taken by lot like any other; a card taken is not thrown at once where the rules forbid it.

Source: W. Hale, GinRummyNoviceRuleAgent in datamllab/rlcard, 2020.
"""

from simgin_strategies.knock import at
from simgin_strategies.take import random as by_lot

from simgin.strategy import Strategy, choice, discard, helper
from simgin.toolkit import best_discards, deadwood, dearest, lowest, pick, value


@helper
def _knocks(hand, legal, limit, rules):
    """The discards after which the hand may be laid down."""
    cards = 0
    while legal:
        card = legal & -legal
        legal ^= card
        if deadwood(hand & ~card, rules) <= limit:
            cards |= card
    return cards


@helper
def _loose(hand, legal, rules):
    """The discards that a best melding of all eleven cards leaves over; every discard if it melds them all."""
    whole = deadwood(hand, rules)
    cards, rest = 0, legal
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if deadwood(hand & ~(1 << card), rules) == whole - value(card, rules):
            cards |= 1 << card
    return cards if cards else legal


@discard(noise=True, reading=choice("least", "dearest", about="without a knock: least deadwood (the code), or the dearest loose card"))
def novice(view, rules, params):
    """A card that gives gin, else any that allows a knock, else one that leaves least deadwood; ties by lot."""
    least, cards = best_discards(view.hand, view.legal, rules)
    if 0 < least <= view.limit:
        cards = _knocks(view.hand, view.legal, view.limit, rules)
    elif least > 0 and params[0] == 1:
        cards = dearest(_loose(view.hand, view.legal, rules), rules)[0]
    return pick(cards, view.noise)


RLCARD_NOVICE = Strategy("rlcard-novice", take=by_lot, discard=novice, knock=at, ending="same")
