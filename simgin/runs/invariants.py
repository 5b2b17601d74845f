"""Invariants of batch rows, checked on every block before it is committed to the ledger.

A row that breaks one of these did not come from the engine as it was written: bad memory, a worker
of another version, or a fault of ours. There are six, chosen because together they notice most
damage to any column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums

if TYPE_CHECKING:
    from simgin.play.matchup import Matchup

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
