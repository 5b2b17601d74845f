"""What changes of strategies and of rules do: significant differences, and effects by field."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simgin.findings.wording import MOST, counted, size
from simgin.stats.equivalence import in_words
from simgin.stats.metrics import BY_NAME

if TYPE_CHECKING:
    import pandas as pd

SURE = 0.05  # level of tests
COMPARED = ["variant", "base_variant", "strategy", "base_strategy", "opponent"]
# What there is more or fewer of, by the metrics that are compared
COUNTED = {
    "deal_win": "of the deals won",
    "match_win": "of the matches won",
    "win": "of the deals won",
    "margin": "points a deal",
    "score": "points a deal",
    "turns": "turns a deal",
    "gin": "of the deals ended by gin",
    "undercut": "of the deals ended by an undercut",
    "void": "of the deals void",
}


def effects(frame: pd.DataFrame) -> Iterator[str]:
    """Which changes gain or lose points in every field, and for which the field decides."""
    points = frame[frame["metric"] == "margin"]
    for variant, rows in points.groupby("variant", sort=False):
        by_verdict: dict[str, list[str]] = {}
        for change, group in rows.groupby("change", sort=False):
            by_verdict.setdefault(_verdict(group), []).append(str(change))
        for verdict, changes in by_verdict.items():
            yield f"{variant}: {verdict} {counted(changes)}."


def _verdict(rows: pd.DataFrame) -> str:
    """What a change does over all fields, up to its name."""
    signs = [
        math.copysign(1, row["difference"]) if is_significant(row) else 0
        for _, row in rows.iterrows()
    ]
    if min(signs) > 0:
        return "points are gained in every field by"
    if max(signs) < 0:
        return "points are lost in every field by"
    if min(signs) < 0 < max(signs):
        return "points are gained in some fields and lost in others by"
    if max(signs) > 0:
        return "points are gained in some fields, and lost for certain in none, by"
    if min(signs) < 0:
        return "points are lost in some fields, and gained for certain in none, by"
    return "no significant difference is made in any field by"


def differences(frame: pd.DataFrame) -> list[str]:
    """What differs significantly, comparison by comparison, the clearest difference first.

    The comparisons without a significant difference are counted.
    """
    clear: list[tuple[float, str]] = []
    comparisons = 0
    for names, rows in frame.groupby(COMPARED, sort=False):
        comparisons += 1
        significant = [row for _, row in rows.iterrows() if is_significant(row)]
        if not significant:
            continue
        largest = max(abs(row["difference"]) / row["se"] for row in significant)
        parts = "; ".join(map(_difference, significant))
        clear.append((largest, f"{_instead(*map(str, names))}: {parts}."))
    clear.sort(key=lambda line: -line[0])
    sentences = [line for _, line in clear[:MOST]]
    more = len(clear) - MOST
    if more > 0:
        show = "comparison shows" if more == 1 else "comparisons show"
        sentences.append(f"{more} more {show} a difference: see the table of differences.")
    silent = comparisons - len(clear)
    if silent:
        which = f"{silent} of {comparisons} comparisons" if clear else _all(comparisons)
        sentences.append(
            f"No significant difference in {which} (5 % level, after Holm's adjustment)."
        )
    return sentences


def _all(comparisons: int) -> str:
    if comparisons == 1:
        return "the only comparison"
    return f"any of {comparisons} comparisons"


def is_significant(row: Any) -> bool:
    """Whether a row of differences is more than chance.

    By Holm's p, or by the limits of a run that looked at its results.
    """
    if not row["se"] > 0:
        return False
    if math.isnan(row["p"]):
        return bool(row["low"] > 0 or row["high"] < 0)
    return bool(row["p_holm"] < SURE)


def _instead(
    variant: str, base_variant: str, strategy: str, base_strategy: str, opponent: str
) -> str:
    """What is compared with what, and under which conditions."""
    against = [f"against {opponent}"] if opponent else []
    if variant != base_variant:
        return f"{variant} instead of {base_variant} ({' '.join([strategy, *against])})"
    rest = ", ".join([variant, *against])
    if strategy == base_strategy:  # the same in two runs
        return f"{strategy} ({rest}), minus the second run"
    return f"{strategy} instead of {base_strategy} ({rest})"


def _difference(row: Any) -> str:
    """`19.9 ± 1.7 percentage points more of the matches won`."""
    metric = BY_NAME[row["metric"]]
    amount = size((row["difference"], row["low"], row["high"]), metric.factor)
    if metric.share:
        amount = f"{amount} percentage points"
    more = "more" if row["difference"] > 0 else "fewer"
    return f"{amount} {more} {COUNTED[metric.name]}"


def equivalences(frame: pd.DataFrame) -> Iterator[str]:
    """What is the same within a margin, and what is not (`equivalence.with_verdicts`)."""
    for _, row in frame[frame["verdict"].notna()].iterrows():
        names = [row[name] for name in ("variant", "strategy")]
        base = [row[name] for name in ("base_variant", "base_strategy")]
        pairs = zip(names, base, strict=True)
        what = " ".join(f"{a} and {b}" if a != b else a for a, b in pairs)
        against = f" v {row['opponent']}" if row["opponent"] else ""
        title = BY_NAME[row["metric"]].title
        told = in_words(row["verdict"], row["margin"], row["metric"])
        yield f"{what}{against}, {title}: {told}."
