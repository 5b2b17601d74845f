"""Public API for strategy authors: policy decorators, parameters and the Strategy class."""

from simgin.core.answers import BIG_GIN, KNOCK, PASS, SHOT, SLOTS, STOCK, TAKE
from simgin.core.answers import PHASE_BLIND as BLIND  # view.phase
from simgin.core.answers import PHASE_LAST as LAST
from simgin.core.answers import PHASE_STOP as STOP
from simgin.core.answers import PHASE_TURN as TURN
from simgin.core.answers import PHASE_UPCARD as UPCARD
from simgin.strategy.author import (
    Param,
    Policy,
    Strategy,
    answer,
    choice,
    discard,
    flag,
    helper,
    knock,
    offer,
    param,
    show,
    take,
)

__all__ = [
    "BIG_GIN", "BLIND", "KNOCK", "LAST", "PASS", "SHOT", "SLOTS", "STOCK", "STOP", "TAKE", "TURN",
    "UPCARD", "Param", "Policy", "Strategy", "answer", "choice", "discard", "flag", "helper",
    "knock", "offer", "param", "show", "take",
]  # fmt: skip
