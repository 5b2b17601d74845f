"""Tasks and blocks: a matchup and how much of it to play; and the part that is played in one go.

Threads and clusters alike are handed blocks and hand them back as `Done`. Every block is checked
before it is committed to the ledger: a row that breaks one of six invariants did not come from the
engine as it was written, but from bad memory, a worker of another version, or a fault of ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.runs.ledger import pack, unpack


@dataclass(frozen=True)
class Task:
    """A matchup, and how many deals or matches of it are to be played."""

    matchup: Matchup
    n: int

    @property
    def units(self) -> int:
        """The same in units."""
        return self.matchup.units(self.n)


@dataclass(frozen=True)
class Block:
    """Batches `first`, `first` + 1, ... of a cell: `units` units of its matchup.

    recorded: its deals are kept, too.
    """

    cell: int
    matchup: Matchup
    first: int
    units: int
    recorded: bool = False

    @property
    def first_unit(self) -> int:
        """Number of the first unit."""
        return self.first * self.matchup.batch

    @property
    def sizes(self) -> list[int]:
        """Units of every batch: all are whole but possibly the last."""
        whole, rest = divmod(self.units, self.matchup.batch)
        return [self.matchup.batch] * whole + [rest] * (rest > 0)


@dataclass(frozen=True)
class Done:
    """A block as a worker hands it back, checked and packed, or the error.

    blob: its batch rows. deals: of every batch the recorded deals.
    """

    block: Block
    worker: str
    seconds: float
    blob: bytes = b""
    deals: tuple[bytes, ...] = ()
    error: BaseException | None = None

    def rows(self) -> np.ndarray:
        """The batch rows, int64 (batches, sums.COLUMNS)."""
        return unpack(self.blob, sums.COLUMNS)


def play_block(block: Block, worker: str = "here") -> Done:
    """Play a block. Whatever goes wrong is in the answer: it belongs to whoever asked."""
    started = time.perf_counter()
    try:
        deals: tuple[bytes, ...] = ()
        if block.recorded:
            rows, deals = _recorded(block)
        else:
            rows = kernel.play(block.matchup, block.first_unit, block.units)
        _check(block, rows, worker)
        blob = pack(rows)
    except BaseException as error:
        return Done(block, worker, time.perf_counter() - started, error=error)
    return Done(block, worker, time.perf_counter() - started, blob, deals)


def _recorded(block: Block) -> tuple[np.ndarray, tuple[bytes, ...]]:
    """Batch by batch, so that no more than one batch of deals is in memory as numbers."""
    rows, deals = [], []
    for i, units in enumerate(block.sizes):
        first_unit = block.first_unit + i * block.matchup.batch
        row, records = kernel.play_recorded(block.matchup, first_unit, units)
        rows.append(row)
        deals.append(pack(records.view(np.int64).reshape(len(records), -1)))
    return np.concatenate(rows), tuple(deals)


def _check(block: Block, rows: np.ndarray, worker: str) -> None:
    """Raise IdentityError, with who played what, if a batch row cannot be right."""
    try:
        check(block.matchup, block.sizes, rows)
    except IdentityError as error:
        raise IdentityError(
            f"{block.matchup.title} ({block.matchup.variant.text}), units from "
            f"{block.first_unit} on, played by {worker}: {error} Nothing of this block "
            "was kept. Run `simgin doctor`; if it happens again, please report it."
        ) from None


ROUNDING = 1e-9  # relative; of comparisons whose products do not fit an int64
# Facts that may be negative; in games for one player penalties may be, too
SIGNED = ("a_margin", "a_match_margin", "a_settlement", "winner_score", "loser_score")
PENALTIES = tuple(name for name in sums.FACTS if "points" in name)
_ENDS = np.cumsum([sums.TURNS_BINS, sums.COUNT_BINS, sums.PAIR_BINS])  # of the histograms


class IdentityError(ValueError):
    """A batch row that cannot be right."""


def check(matchup: Matchup, units: Sequence[int], rows: np.ndarray) -> None:
    """Raise IdentityError with a sentence unless every row is sound.

    rows: int64 (batches, sums.COLUMNS). units: of every batch.
    """
    if rows.shape != (len(units), sums.COLUMNS):
        raise IdentityError(
            f"a block of {len(units)} batches came back as an array of shape {rows.shape}."
        )
    for what, left, right in _equalities(matchup, np.asarray(units), rows):
        for i in np.flatnonzero(left != right):
            raise IdentityError(
                f"{what}: {left[i]} and {right[i]} in a batch of {units[int(i)]} units."
            )
    for i in np.flatnonzero(_out_of_bounds(matchup, rows)):
        raise IdentityError(f"a square is out of bounds in a batch of {units[int(i)]} units.")


def _equalities(
    matchup: Matchup, units: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Pairs of vectors over the batches that must be equal, and what they are."""
    total, square, cross = _facts(rows)
    results = sums.FACT["deals" if matchup.unit == "deal" else "matches"]
    halves = 2 if matchup.mirrored else 1
    yield "units asked for and played", units, rows[:, sums.UNITS]
    yield f"{matchup.unit} results of all units", units * halves, total[:, results]
    turns, counts, pairs, _ = np.split(rows[:, sums.TURNS_HISTOGRAM :], _ENDS, axis=1)
    yield "deals and their turns", total[:, sums.FACT["deals"]], turns.sum(axis=1)
    yield "showdowns and their counts", total[:, sums.FACT["showdowns"]], counts.sum(axis=1)
    yield "units and their scores", units, pairs.sum(axis=1)
    # A number and its square are both even or both odd, and so are their sums.
    odd = ((total ^ square) & 1).sum(axis=1)
    yield "squares and their roots, by parity", odd, np.zeros_like(odd)
    # Every unit has as many results, so products with them are sums.
    for i in np.flatnonzero(np.array(sums.DENOMINATOR) == results):
        yield f"{sums.FACTS[i]} and its products", halves * total[:, i], cross[:, i]


def _out_of_bounds(matchup: Matchup, rows: np.ndarray) -> np.ndarray:
    """For every batch whether a square is smaller than its sum allows, or larger."""
    total, square, _ = (part.astype(float) for part in _facts(rows))
    least = total**2 / (rows[:, [sums.UNITS]] * (1 + ROUNDING))
    most = total**2 * (1 + ROUNDING)
    signed = SIGNED if matchup.b else (*SIGNED, *PENALTIES)
    most[:, [sums.FACT[name] for name in signed]] = np.inf
    beyond: np.ndarray = np.any((square < least) | (square > most), axis=1)
    return beyond


def _facts(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sums of all facts, of their squares, and of their products with a denominator."""
    total, square, cross = np.split(rows[:, sums.SUM : sums.SUM + 3 * sums.N_FACTS], 3, axis=1)
    return total, square, cross
