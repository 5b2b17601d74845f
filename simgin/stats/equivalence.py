"""Equivalence: whether two are the same within a margin, by two one-sided tests.

Not to find a difference is no proof that there is none. Two are called the same within a margin
only where the whole 95 % interval of their difference lies inside it, which is two one-sided tests
of 2.5 % each (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987): a true
difference as large as the margin, or larger, is called so in one run of forty at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.stats.batches import PAIRS, SCORES
from simgin.stats.estimate import Estimate, quantile
from simgin.stats.metrics import BY_NAME, headline
from simgin.stats.ratios import estimate_metric

if TYPE_CHECKING:
    import pandas as pd

# A difference lies inside the margin, outside it, is there but may be either, or may be none
SAME, BEYOND, APART, OPEN = "same", "beyond", "apart", "open"
SHARES = ("deal_win", "match_win", "win", "goal_met")  # what a margin in per cent is of
POINTS = ("margin", "score")  # a deal: what any other margin is of


def verdict(low: float, high: float, margin: float) -> str:
    """What 95 % limits of a difference say about a margin; undefined ones leave it OPEN."""
    if -margin < low and high < margin:
        return SAME
    if low > margin or high < -margin:
        return BEYOND
    return APART if low > 0 or high < 0 else OPEN


def with_verdicts(frame: pd.DataFrame, margin: str | float) -> pd.DataFrame:
    """A frame of differences (low, high, metric) with the columns `margin` and `verdict`.

    margin: as of `simgin.text.amounts.parse_half_width`, "1%" of the deals or matches won or points
    a deal. Rows of other metrics have neither. Who differs in nothing at all (se 0) is the
    same.
    """
    width = size(margin)
    chosen = frame["metric"].isin(SHARES if isinstance(margin, str) else POINTS)
    alike = frame["se"] == 0
    limits = zip(frame["low"].mask(alike, 0), frame["high"].mask(alike, 0), chosen, strict=True)
    found: list[Any] = [verdict(low, high, width) if own else None for low, high, own in limits]
    margins: list[Any] = [width if own else None for own in chosen]
    return frame.assign(margin=margins, verdict=found)


def size(margin: str | float) -> float:
    """A margin or a difference as a number: a share from 0 to 1, or points."""
    return float(str(margin).removesuffix("%")) / (100 if isinstance(margin, str) else 1)


def of_pairs(
    total: np.ndarray, unit: str, margin: str | float, multiplier: float | None = None
) -> tuple[str, str]:
    """The metric and the verdict on two players who met in mirrored pairs.

    total: sum of the batch rows. A share is A's of the pairs less one half, what nobody won counted
    half; points are the margin a deal. multiplier: of a stopping rule.
    """
    counts = total[PAIRS]
    n = int(counts.sum())
    metric = headline(unit, 2)[0] if isinstance(margin, str) else "margin"
    found = estimate_metric(total, BY_NAME[metric])
    if isinstance(margin, str):
        mean = float(counts @ SCORES) / n
        variance = float(counts @ (SCORES - mean) ** 2) / (n - 1)
        found = Estimate(mean - 1 / 2, math.sqrt(variance / n), n)
    half = found.se * (quantile(n) if multiplier is None else multiplier)
    return metric, verdict(found.value - half, found.value + half, size(margin))


def in_words(verdict: str, margin: float, metric: str) -> str:
    """A verdict, as it is said of two players or rule sets."""
    known = BY_NAME[metric]
    near = f"{known.factor * margin:g} {'percentage points' if known.share else 'points a deal'}"
    words = {
        SAME: f"the same within {near}",
        BEYOND: f"further apart than {near}",
        APART: f"not the same; too little was played to say whether by more than {near}",
        OPEN: f"too close to call: too little was played to say that they are within {near}",
    }
    return words[verdict]


def sentences(frame: pd.DataFrame) -> Iterator[str]:
    """What is the same within a margin, and what is not, of the rows of `with_verdicts`."""
    for _, row in frame[frame["verdict"].notna()].iterrows():
        pairs = [(row[name], row[f"base_{name}"]) for name in ("variant", "strategy")]
        what = " ".join(f"{a} and {b}" if a != b else a for a, b in pairs)
        against = f" v {row['opponent']}" if row["opponent"] else ""
        told = in_words(row["verdict"], row["margin"], row["metric"])
        yield f"{what}{against}, {BY_NAME[row['metric']].title}: {told}."
