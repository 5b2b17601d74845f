"""Dice-player: plays like gold, and uses the die to maximise its match win probability.

The strategy plays its cards like gold. Points do not count in Gin Dice, so waiting for gin loses
deals. See docs/reference/strategies/stakes.md for the cross-table.

Source: Developed for simgin, to play Gin Dice (Andrzej Lewicki, pagat.com).
"""

from simgin_strategies.discard import discard_for_least_deadwood
from simgin_strategies.knock import knock_with_limit
from simgin_strategies.stake import accept_by_match_value, offer_by_match_value
from simgin_strategies.take import take_to_lower_deadwood

from simgin.strategy import Strategy

DICE_PLAYER = Strategy(
    "dice-player",
    take=take_to_lower_deadwood,
    discard=discard_for_least_deadwood,
    knock=knock_with_limit,
    offer=offer_by_match_value,
    answer=accept_by_match_value,
)
