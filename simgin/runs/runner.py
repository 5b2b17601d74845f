"""Runs: hands the blocks that the ledger lacks to a team, checks what comes back and commits it, until every cell has its size or its stop.

The size of blocks, their order and who plays them show nowhere in the result: it is formed from the ledger's batch rows, each a pure
function of its matchup and its number.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from simgin.core import sums
from simgin.runs import invariants
from simgin.runs.block import Block, Done
from simgin.runs.experiment import Cell
from simgin.runs.ledger import opened
from simgin.runs.schedule import Work, left
from simgin.runs.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simgin.play.matchup import Matchup
    from simgin.play.parallel import Progress
    from simgin.runs.ledger import Ledger
    from simgin.runs.stopping import Rule


PATIENCE_SECONDS = 2.0  # how long an interruption waits for the blocks that are being played
COMPLETE = "complete"


class Team(Protocol):
    """Whoever plays blocks: `simgin.runs.threads`, `simgin.runs.cluster`."""

    @property
    def workers(self) -> int:
        """How many blocks are played at the same time."""

    @property
    def room(self) -> int:
        """How many blocks should be out at a time."""

    def prepare(self, matchups: Iterable[Matchup]) -> None:
        """Whatever must be done, and can go wrong, before the first block."""

    def put(self, block: Block) -> None:
        """Have a block played."""

    def get(self, timeout: float | None = None) -> Done | None:
        """The next block that was played, in any order; None if none was within `timeout` seconds."""

    def cancel(self, beyond: Block | None = None) -> int:
        """Forget the blocks that nobody has begun, or of those the ones beyond a block; how many."""

    def close(self) -> None:
        """Nothing more will be put."""


@dataclass(frozen=True)
class Played:
    """A cell as far as it counts: its first `units` units, all in the ledger, and how it came to end there."""

    cell: Cell
    units: int
    stopped: str = COMPLETE
    # Half-width of its intervals in standard errors where a rule looked at results
    multiplier: float | None = None

    @property
    def n(self) -> int:
        """Deals or matches that count, both halves of pairs."""
        return self.units * (2 if self.cell.matchup.mirrored else 1)


class _Prefix:
    """The batches of a cell that are finished without a gap, watched by its stopping rule in the order of the units."""

    def __init__(self, rule: Rule) -> None:
        self._rule, self._total, self._next = rule, np.zeros(sums.COLUMNS, np.int64), 0
        self._waiting: dict[int, np.ndarray] = {}
        self.stop: tuple[int, str] | None = None  # units at the stop, and what was decided

    def add(self, first: int, rows: np.ndarray) -> None:
        """Rows of batches from number `first` on; the rule looks at every batch end that can be reached now."""
        self._waiting |= {first + i: row for i, row in enumerate(rows)}
        while self.stop is None and self._next in self._waiting:
            self._total += self._waiting.pop(self._next)
            self._next += 1
            if told := self._rule.look(self._total):
                self.stop = int(self._total[sums.UNITS]), told

    def played(self, cell: Cell) -> Played:
        """The cell up to its stop, or to its end where the rule never stopped it."""
        units, told = self.stop or (cell.matchup.units(cell.n), f"{self._rule.text}: not reached")
        return Played(cell, units, told, self._rule.multiplier(units))


def run(
    cells: Sequence[Cell],
    ledger: Ledger,
    team: Team,
    progress: Progress | None = None,
    *,
    rules: Sequence[Rule] = (),
    seconds: float | None = None,
    recorded: bool = False,
) -> list[Played]:
    """Play what the ledger lacks of every cell: `n` deals or matches, or fewer if `rules` (one a cell) or `seconds` end it sooner.

    An error in a block stops the run and is raised once the blocks out have come back; of several always the one with the smallest unit.
    KeyboardInterrupt leaves once the blocks being played are done, or after two seconds. What came back sound is committed either way.
    """
    work = Work(cells, ledger, team.workers, recorded=recorded, seconds=seconds)
    watched = (
        [
            _watched(ledger, i, cell, rule)
            for i, (cell, rule) in enumerate(zip(cells, rules, strict=True))
        ]
        if rules
        else []
    )
    try:
        _Session(work, ledger, team, watched).play(progress)
    finally:
        team.close()
    if watched:
        return [prefix.played(cell) for cell, prefix in zip(cells, watched, strict=True)]
    if seconds is not None:
        return [_in_time(ledger, i, cell, seconds) for i, cell in enumerate(cells)]
    return [Played(cell, cell.matchup.units(cell.n)) for cell in cells]


def run_matchup(matchup: Matchup, n: int, workers: int | None = None) -> np.ndarray:
    """The batch rows of `n` deals or matches, int64 (batches, sums.COLUMNS) in unit order, played by threads and kept nowhere else."""
    cell, team = Cell(matchup, n), Threads(workers)
    team.prepare([matchup])
    with opened(None, {}) as ledger:
        (played,) = run([cell], ledger, team)
        return ledger.rows(0, played.units, matchup.batch)


def total(rows: np.ndarray) -> np.ndarray:
    """The exact sum of batch rows, column by column: int64 of length sums.COLUMNS."""
    return np.asarray(rows.sum(axis=0, dtype=np.int64))


def _watched(ledger: Ledger, i: int, cell: Cell, rule: Rule) -> _Prefix:
    """The prefix of a cell with what an earlier run left in the ledger."""
    prefix = _Prefix(rule)
    for batch, row in ledger.each(i, cell.matchup.units(cell.n), cell.matchup.batch):
        prefix.add(batch, row[None])
    return prefix


def _in_time(ledger: Ledger, i: int, cell: Cell, seconds: float) -> Played:
    """A cell as far as it came: all of it, or the whole batches that are finished without a gap."""
    finished = ledger.finished(i)
    if not left(cell, finished):
        return Played(cell, cell.matchup.units(cell.n))
    done = {batch for batch, units in finished if units == cell.matchup.batch}
    return Played(
        cell,
        cell.matchup.batch * next(n for n in range(len(done) + 1) if n not in done),
        f"after {seconds:g} s",
    )


class _Session:
    """The blocks that are out, and what becomes of them."""

    def __init__(self, work: Work, ledger: Ledger, team: Team, watched: Sequence[_Prefix]) -> None:
        self._work, self._ledger, self._team, self._watched = work, ledger, team, watched
        self._out = 0
        self._failed: list[Done] = []
        self._close_decided()

    def play(self, progress: Progress | None) -> None:
        """Keep the team busy until nothing is left, committing what comes back."""
        try:
            self._hand_out()
            while self._out:
                self._take_back(self._team.get())
                self._hand_out()
                if progress is not None:
                    progress(self._work.finished, self._work.units)
        except KeyboardInterrupt:
            self._leave()
            raise
        if self._failed:
            error = min(self._failed, key=lambda done: (done.block.cell, done.block.first)).error
            assert error is not None
            raise error

    def _hand_out(self) -> None:
        while self._out < self._team.room and (block := self._work.take()) is not None:
            self._team.put(block)
            self._out += 1

    def _take_back(self, done: Done | None) -> None:
        if done is None:
            return
        self._out -= 1
        if done.error is not None:
            self._failed.append(done)
            self._work.stop()
            self._out -= self._team.cancel(
                beyond=done.block
            )  # those before it may hold an error with a smaller unit
            return
        self._commit(done)
        self._work.timed(done.block, done.seconds)
        if self._watched:
            self._watched[done.block.cell].add(done.block.first, done.rows)
            self._close_decided()

    def _commit(self, done: Done) -> None:
        block = done.block
        try:
            invariants.check(block.matchup, block.sizes, done.rows)
        except invariants.IdentityError as error:
            raise invariants.IdentityError(
                f"{block.matchup.title} ({block.matchup.variant.text}), units from {block.first_unit} on, played by {done.worker}: {error} "
                "Nothing of this block was kept. Run `simgin doctor`; if it repeats, please report it."
            ) from None
        self._ledger.add(block.cell, block.first, block.sizes, done.rows, done.worker, done.deals)

    def _close_decided(self) -> None:
        for i, prefix in enumerate(self._watched):
            if prefix.stop is not None:
                self._work.close(i)

    def _leave(self) -> None:
        """Commit what is nearly done, and leave the rest."""
        self._out -= self._team.cancel()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._out > 0 and (left := deadline - time.monotonic()) > 0:
            done = self._team.get(left)
            self._out -= 1
            if done is not None and done.error is None:
                self._commit(done)
