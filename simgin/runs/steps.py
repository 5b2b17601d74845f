"""Steps: what a run plays beside its cells, whole or not at all, with results of its own kind.

A cell counts fixed facts of its deals and is kept batch by batch. A step computes arrays from deals
of its own; the ledger keeps them under the step's name and size once they are complete. A run that
is begun again plays only the steps that the ledger lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.play.parallel import SHARES, share

if TYPE_CHECKING:
    from simgin.play.matchup import Matchup
    from simgin.play.parallel import Progress
    from simgin.runs.ledger import Ledger

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Step:
    """One step before it is played.

    name: what the ledger knows it by. matchup, n: who plays, and how many deals or matches; another
    n is another result. cost: the time of a unit, in units of the same matchup played in a cell.
    play: plays it with so many workers (None: the usable processors).
    """

    name: str
    matchup: Matchup
    n: int
    cost: float
    play: Callable[[int | None, Progress | None], Arrays]

    @property
    def work(self) -> float:
        """Units to play, each counted by its cost."""
        return self.cost * self.matchup.units(self.n)


def missing(steps: Sequence[Step], ledger: Ledger) -> list[Step]:
    """The steps that a ledger does not have in their size."""
    return [step for step in steps if not ledger.has_step(step.name, step.n)]


def play(
    steps: Sequence[Step],
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Play the steps that the ledger lacks, one after the other, and keep each once it is done."""
    left = missing(steps, ledger)
    if progress is not None and left:
        progress(0, SHARES * len(left))
    for i, step in enumerate(left):
        ledger.add_step(step.name, step.n, step.play(workers, share(progress, i, len(left))))
        if progress is not None:
            progress(SHARES * (i + 1), SHARES * len(left))
