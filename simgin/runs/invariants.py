"""Invariants of batch rows, checked on every block before it is committed to the ledger.

Wholes are the sums of their parts, one side's points are the other's losses, and sums of squares
keep their bounds. A row that breaks one of these did not come from the engine as it was written:
bad memory, a worker of another version, or a fault of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums

if TYPE_CHECKING:
    from simgin.play.matchup import Matchup

SIGNED = (
    "a_margin",
    "a_match_margin",
    "a_settlement",
    "winner_score",
    "loser_score",
)  # facts that may be negative
PENALTIES = tuple(
    name for name in sums.FACTS if "points" in name
)  # may be negative in games for one player
ROUNDING = 1e-9  # relative; of the one comparison whose products do not fit an int64


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
    for what, small, large in _bounds(matchup, rows):
        broken = (small > large).nonzero()[0]
        if len(broken):
            raise IdentityError(
                f"{what} is beyond its bound in a batch of {units[int(broken[0])]} units."
            )


def _equalities(
    matchup: Matchup, units: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Pairs of vectors over the batches that must be equal, and what they are."""
    fact = {name: rows[:, sums.SUM + i] for name, i in sums.FACT.items()}
    halves = 2 if matchup.mirrored else 1
    yield "units asked for and played", units, rows[:, sums.UNITS]
    yield (
        f"{matchup.unit} results of all units",
        units * halves,
        fact["deals" if matchup.unit == "deal" else "matches"],
    )
    yield "deals and their kinds", fact["deals"], _added(fact[kind] for kind in sums.KINDS)
    yield (
        "deals and their turns",
        fact["deals"],
        rows[:, sums.TURNS_HISTOGRAM : sums.COUNT_HISTOGRAM].sum(axis=1),
    )
    yield (
        "showdowns and their kinds",
        fact["showdowns"],
        fact["knock"] + fact["undercut"] + fact["even"],
    )
    yield (
        "showdowns and their counts",
        fact["showdowns"],
        rows[:, sums.COUNT_HISTOGRAM : sums.PAIR_HISTOGRAM].sum(axis=1),
    )
    yield (
        "decided deals and both sides' wins",
        fact["decided"],
        fact["a_deal_win"] + fact["b_deal_win"],
    )
    for side in "ab"[: len(matchup.players)]:
        yield (
            f"{side.upper()}'s wins and their kinds",
            fact[f"{side}_deal_win"],
            _added(fact[f"{side}_won_{kind}"] for kind in sums.WON_KINDS),
        )
    yield (
        "A's margin and the two sides' points",
        fact["a_margin"],
        fact["a_points"] - fact["b_points"],
    )
    yield (
        "matches and both sides' shares of them",
        2 * fact["matches"],
        fact["a_match_win"] + fact["b_match_win"],
    )
    pairs = rows[:, sums.PAIR_HISTOGRAM : sums.PAIR_HISTOGRAM + sums.PAIR_BINS]
    won = (
        fact["a_match_win"]
        if matchup.unit == "match"
        else fact["deals"] + fact["a_deal_win"] - fact["b_deal_win"]
    )
    yield "units and their scores", units, pairs.sum(axis=1)
    yield "wins and the scores of units", won * (2 // halves), pairs @ np.arange(sums.PAIR_BINS)
    yield "squares and their roots, by parity", *_parities(rows)
    results = sums.FACT[
        "deals" if matchup.unit == "deal" else "matches"
    ]  # every unit has as many, so products with them are sums
    for i in np.flatnonzero(np.array(sums.DENOMINATOR) == results):
        yield (
            f"{sums.FACTS[i]} and its products",
            halves * rows[:, sums.SUM + i],
            rows[:, sums.CROSS + i],
        )


def _added(columns: Iterable[np.ndarray]) -> np.ndarray:
    return np.asarray(sum(columns, np.int64(0)))


def _parities(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number and its square are both even or both odd, and so are their sums."""
    odd = (rows[:, sums.SUM : sums.SQUARE] ^ rows[:, sums.SQUARE : sums.CROSS]) & 1
    return odd.sum(axis=1), np.zeros(len(rows), np.int64)


def _bounds(matchup: Matchup, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Pairs of arrays of which the first may not be the greater, and what they are."""
    total, square, cross = (
        rows[:, start : start + sums.N_FACTS] for start in (sums.SUM, sums.SQUARE, sums.CROSS)
    )
    units = rows[:, [sums.UNITS]]
    yield "a sum", np.abs(total), square  # of whole numbers
    yield (
        "the square of a sum",
        total.astype(float) ** 2,
        units * square.astype(float) * (1 + ROUNDING),
    )
    over = square[:, list(sums.DENOMINATOR)]
    yield (
        "a product with a denominator",
        cross.astype(float) ** 2,
        square.astype(float) * over * (1 + ROUNDING),
    )
    margin, single = (
        ("a_margin", sums.DEAL_SQUARE)
        if matchup.unit == "deal"
        else ("a_match_margin", sums.MATCH_SQUARE)
    )
    halves = 2 if matchup.mirrored else 1
    yield "the margin of pairs", square[:, sums.FACT[margin]], halves * rows[:, single]
    signed = [sums.FACT[name] for name in (SIGNED if matchup.b else (*SIGNED, *PENALTIES))]
    counts, squares = np.delete(total, signed, axis=1), np.delete(square, signed, axis=1)
    yield "a count below nothing", -counts, np.zeros_like(counts)
    yield "a square of counts", squares.astype(float), counts.astype(float) ** 2
