"""OpenSpiel's simple bot: takes what allows a knock or melds, throws the highest loose card of all eleven, knocks at once.

Its melding is that of the eleven cards, so now and then a better discard is overlooked. Of two equally good meldings it uses the one that
its program finds first, and it never lays off; here any best melding counts, and lay-offs are the engine's.

Source: SimpleGinRummyBot in google-deepmind/open_spiel, 2019.
"""

from simgin_strategies.knock import at
from simgin_strategies.take import knock_or_meld

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discards, deadwood, lowest, value


@discard
def loose_rank(view, rules, params):
    """The loose card of highest rank, king first, in the best melding of all eleven cards; if none is loose, one that keeps the melds."""
    whole = deadwood(view.hand, rules)
    best = -1
    rest = view.legal
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if deadwood(view.hand & ~(1 << card), rules) == whole - value(card, rules) and (best < 0 or card % 13 > best % 13):
            best = card
    return best if best >= 0 else lowest(best_discards(view.hand, view.legal, rules)[1])


OPENSPIEL_SIMPLE = Strategy("openspiel-simple", take=knock_or_meld, discard=loose_rank, knock=at, ending="same")
