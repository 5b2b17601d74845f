"""Stubborn: plays like Simple, but never ends a deal, not even with gin.

The strategy scores only by undercuts.

Other authors use the name for a strategy that waits for gin, which is `gin-only` here.

Source: StubbornSimple of cudy789/gin-rummy-SIGRA.
"""

from simgin_strategies.knock import never
from simgin_strategies.simple import simple
from simgin_strategies.take import meld_any

from simgin.strategy import Strategy

STUBBORN = Strategy("stubborn", take=meld_any, discard=simple, knock=never, ending="same")
