"""RLCard-novice: draws at random, keeps the least deadwood, and ends the deal when it can.

Gin has priority over a knock. Ties are broken at random, including ties between discards that allow
a knock. A comment in the source contradicts the code: it states that the highest card outside the
best melds is discarded. `reading=dearest` follows the comment. RLCard does not offer the first
upcard. Here, the upcard is taken at random, like any other card on offer. If the rules forbid it, a
card taken is not discarded immediately.

Source: Hale, GinRummyNoviceRuleAgent in datamllab/rlcard, 2020.
"""

from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_at_random

from simgin.strategy import Strategy, choice, discard
from simgin.toolkit import discards_leaving, highest_value_cards, pick_random, unmatched_cards


@discard(
    name="novice",
    noise=True,
    reading=choice(
        "least",
        "dearest",
        about="discard without a knock: least deadwood (code), or highest unmatched card (comment)",
    ),
)
def discard_like_rlcard_novice(view, rules, params):
    """Discard to make gin, otherwise to knock or to minimise deadwood; break ties at random."""
    least, cards = view.least, view.best
    if 0 < least <= view.limit:
        cards = discards_leaving(view.hand, view.legal, view.limit, rules)
    elif least > 0 and params[0] == 1:
        options = unmatched_cards(view.hand, rules) & view.legal
        cards = highest_value_cards(options if options else view.legal, rules)[0]
    return pick_random(cards, view.noise)


RLCARD_NOVICE = Strategy(
    "rlcard-novice",
    take=take_at_random,
    discard=discard_like_rlcard_novice,
    knock=knock_with_limit,
    ending="same",
)
