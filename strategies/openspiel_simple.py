"""OpenSpiel-simple: takes cards for melds or a knock, discards high cards, and knocks immediately.

The strategy discards the highest card that is unmatched in the best arrangement of melds of its
eleven cards. It therefore sometimes overlooks a better discard. If several arrangements are equally
good, the original uses the first one that it finds. The original never lays off. Here, any best
arrangement is used, and the engine lays off.

Source: SimpleGinRummyBot in google-deepmind/open_spiel, 2019.
"""

from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_to_knock_or_meld

from simgin.strategy import Strategy, discard
from simgin.toolkit import highest_card, lowest_bit, unmatched_cards


@discard(name="loose-rank")
def discard_highest_unmatched_rank(view, rules, params):
    """Discard the unmatched card with the highest rank, king first (OpenSpiel's simple bot).

    If all cards are matched, discard a card that leaves the least deadwood.
    """
    options = unmatched_cards(view.hand, rules) & view.legal
    if options:
        return highest_card(options)
    return lowest_bit(view.best)


OPENSPIEL_SIMPLE = Strategy(
    "openspiel-simple",
    take=take_to_knock_or_meld,
    discard=discard_highest_unmatched_rank,
    knock=knock_with_limit,
    ending="same",
)
