"""Stubborn: plays like Simple, but never ends a deal, not even with gin.

The strategy scores only by undercuts.

Other authors use the name for a strategy that waits for gin, which is `gin-only` here.

Source: StubbornSimple of cudy789/gin-rummy-SIGRA.
"""

from simgin_strategies.knock import knock_never
from simgin_strategies.simple import discard_without_repetition
from simgin_strategies.take import take_for_any_meld

from simgin.strategy import Strategy

STUBBORN = Strategy(
    "stubborn",
    take=take_for_any_meld,
    discard=discard_without_repetition,
    knock=knock_never,
    ending="same",
)
