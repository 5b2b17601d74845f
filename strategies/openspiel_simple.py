"""OpenSpiel-simple: takes cards for melds or a knock, discards high cards, and knocks immediately.

The strategy discards the highest card that the best melding of the eleven cards leaves over, and
therefore sometimes overlooks a better discard. The original uses the first best melding that its
program finds and never lays off. Here, any best melding is used, and the engine lays off.

Source: SimpleGinRummyBot in google-deepmind/open_spiel, 2019.
"""

from simgin_strategies.knock import at
from simgin_strategies.take import knock_or_meld

from simgin.strategy import Strategy, discard
from simgin.toolkit import highest_card, lowest_bit, unmatched_cards


@discard
def loose_rank(view, rules, params):
    """Discard the unmatched card with the highest rank, king first (OpenSpiel's simple bot).

    If all cards are matched, the discard keeps the melds.
    """
    options = unmatched_cards(view.hand, rules) & view.legal
    if options:
        return highest_card(options)
    return lowest_bit(view.best)


OPENSPIEL_SIMPLE = Strategy(
    "openspiel-simple", take=knock_or_meld, discard=loose_rank, knock=at, ending="same"
)
