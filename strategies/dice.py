"""Dice-player: plays like gold, and uses the die to maximise its match win probability.

The strategy plays its cards like gold. Points do not count in Gin Dice, so waiting for gin loses
deals. See docs/reference/strategies/stakes.md for the cross-table.

Source: Developed for simgin, to play Gin Dice (Andrzej Lewicki, pagat.com).
"""

from simgin_strategies.discard import low
from simgin_strategies.knock import at
from simgin_strategies.stake import by_value, by_value_answer
from simgin_strategies.take import lower

from simgin.strategy import Strategy

DICE_PLAYER = Strategy(
    "dice-player", take=lower, discard=low, knock=at, offer=by_value, answer=by_value_answer
)
