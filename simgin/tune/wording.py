"""How the sentences of a search and of a training differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from simgin.strategy import Strategy
from simgin.tune.confirmation import Confirmation
from simgin.tune.request import TuneRequest


@dataclass(frozen=True)
class Wording:
    """The words for what was done, and for the strategy before and after it."""

    doing: str
    done: str
    before: str
    unseen: str  # packs
    advice: str  # where nothing was gained


TUNING = Wording(
    "Tuning", "tuned", "default", "packs that the search never saw", "Keep the defaults."
)
TRAINING = Wording(
    "Training", "trained", "start", "packs that the training never saw", "Keep the start."
)


class Found(Protocol):
    """What came of a search or of a training."""

    @property
    def request(self) -> TuneRequest:
        """Who was to become better, against whom."""

    @property
    def strategy(self) -> Strategy:
        """What it became."""

    @property
    def confirmation(self) -> Confirmation:
        """What was gained."""

    @property
    def wording(self) -> Wording:
        """The words for it."""
