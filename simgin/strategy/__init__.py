"""What the author of a strategy imports: decorators that make policies, and the Strategy record."""

from simgin.strategy.author import (
    BIG_GIN,
    BLIND,
    KNOCK,
    LAST,
    PASS,
    SHOT,
    SLOTS,
    STOCK,
    STOP,
    TAKE,
    TURN,
    UPCARD,
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
