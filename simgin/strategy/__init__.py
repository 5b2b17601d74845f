"""Public API for strategy authors: policy decorators, parameters and the class Strategy."""

from simgin import renamed
from simgin.core.codes import (
    ACTION_PASS,
    ACTION_STOCK,
    ACTION_TAKE,
    ENDING_BIG_GIN,
    ENDING_KNOCK,
    ENDING_SHOT,
    PHASE_BLIND,
    PHASE_LAST,
    PHASE_STOP,
    PHASE_TURN,
    PHASE_UPCARD,
    SLOTS,
)
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
    "ACTION_PASS",
    "ACTION_STOCK",
    "ACTION_TAKE",
    "ENDING_BIG_GIN",
    "ENDING_KNOCK",
    "ENDING_SHOT",
    "PHASE_BLIND",
    "PHASE_LAST",
    "PHASE_STOP",
    "PHASE_TURN",
    "PHASE_UPCARD",
    "SLOTS",
    "Param",
    "Policy",
    "Strategy",
    "answer",
    "choice",
    "discard",
    "flag",
    "helper",
    "knock",
    "offer",
    "param",
    "show",
    "take",
]  # fmt: skip

__getattr__ = renamed.make_getattr(__name__)
