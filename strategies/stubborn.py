"""Stubborn: Simple that never ends a deal, not even with gin; it scores by undercuts only.

Other authors also use the word for a strategy that waits for gin; here that is `gin-only`.

Source: StubbornSimple of cudy789/gin-rummy-SIGRA.
"""

from simgin_strategies.knock import never
from simgin_strategies.simple import simple
from simgin_strategies.take import meld_any

from simgin.strategy import Strategy

STUBBORN = Strategy("stubborn", take=meld_any, discard=simple, knock=never, ending="same")
