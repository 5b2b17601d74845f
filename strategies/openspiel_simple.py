"""OpenSpiel-simple: takes what melds or allows a knock, discards high, knocks immediately.

The discard is the highest unmatched card of all eleven. The melding is that of the eleven cards, so
the strategy sometimes overlooks a better discard. Of equally good meldings, the original uses the
one that its program finds first, and it never lays off; here any best melding counts, and the
engine lays off.

Source: SimpleGinRummyBot in google-deepmind/open_spiel, 2019.
"""

from simgin_strategies.knock import at
from simgin_strategies.take import knock_or_meld

from simgin.strategy import Strategy, discard
from simgin.toolkit import highest_card, lowest_bit, unmatched_cards


@discard
def loose_rank(view, rules, params):
    """Discard the unmatched card of highest rank, king first (OpenSpiel's simple bot).

    If all cards are matched, make a discard that keeps the melds.
    """
    options = unmatched_cards(view.hand, rules) & view.legal
    if options:
        return highest_card(options)
    return lowest_bit(view.best)


OPENSPIEL_SIMPLE = Strategy(
    "openspiel-simple", take=knock_or_meld, discard=loose_rank, knock=at, ending="same"
)
