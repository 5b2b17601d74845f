"""Tidy rows: one estimate a row, the same in table.csv and in every --json."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import sums
from simgin.stats import metrics
from simgin.stats.ratios import estimate_metric
from simgin.text.files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

TEXTS = ("variant", "strategy", "opponent", "unit", "metric")
NUMBERS = ("value", "se", "low", "high")
TABLE_COLUMNS = (*TEXTS, *NUMBERS, "n")
DIGITS = 10  # significant, so that the last bits of a platform's arithmetic do not reach the file


def tidy(
    variant: str, a: str, b: str, unit: str, totals: np.ndarray, multiplier: float | None = None
) -> pd.DataFrame:
    """The tidy rows of one matchup, as of `estimates`."""
    import pandas as pd

    rows = estimates(variant, a, b, unit, totals, multiplier)
    return pd.DataFrame(rows, columns=list(TABLE_COLUMNS))


def estimates(
    variant: str, a: str, b: str, unit: str, totals: np.ndarray, multiplier: float | None = None
) -> list[dict[str, Any]]:
    """The rows of one matchup, seen by `a` and then by `b`: a dictionary of TABLE_COLUMNS each.

    By `a` only where both are the same strategy, or `b` is empty (one player). totals: exact sum of
    its batch rows, int64 of length `sums.COLUMNS`. unit: what was played, "deal" or "match"; a run
    of matches has rows per deal too, before those per match. multiplier: of a stopping rule
    (`simgin.runs.stopping`), so that intervals hold at every look.
    """
    levels = [metrics.DEAL] if unit == metrics.DEAL else [metrics.DEAL, metrics.MATCH]
    sides = [(a, b, False)]
    if b not in (a, ""):
        sides.append((b, a, True))
    rows = []
    for strategy, opponent, as_b in sides:
        for level in levels:
            played = int(totals[sums.SUM + sums.FACT[metrics.COUNTS[level]]])
            for metric in metrics.unit_metrics(level, 2 if b else 1):
                found = estimate_metric(totals, metric, as_b, multiplier)
                # Adding 0.0 leaves no minus zero in the file.
                numbers = (found.value + 0.0, found.se, found.low + 0.0, found.high + 0.0)
                texts = (variant, strategy, opponent, level, metric.name)
                rows.append(dict(zip(TABLE_COLUMNS, (*texts, *numbers, played), strict=True)))
    return rows


def csv(frame: pd.DataFrame) -> str:
    """The frame as CSV text: 10 significant digits, undefined cells empty.

    A line ends with one newline character on every system.
    """
    return frame.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")


def read(path: str | Path) -> pd.DataFrame:
    """The tidy rows of a table.csv.

    An empty opponent (one player) stays empty; an undefined estimate is NaN.
    """
    import pandas as pd

    text = read_text(Path(path))
    return pd.read_csv(
        io.StringIO(text),
        dtype=dict.fromkeys(TEXTS, str),
        keep_default_na=False,
        na_values={name: [""] for name in NUMBERS},
    )


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dictionaries for JSON, numbers as in the CSV, undefined cells None."""
    return [for_json(row) for row in frame.to_dict(orient="records")]


def for_json(row: Mapping[Any, Any]) -> dict[str, Any]:
    """One such row."""
    return {str(name): _plain(cell) for name, cell in row.items()}


def _plain(cell: Any) -> Any:
    if not isinstance(cell, float):
        return cell
    return None if np.isnan(cell) else float(f"{cell:.{DIGITS}g}")


def cell(rows: pd.DataFrame, metric: str) -> tuple[float, float, float]:
    """Value, low and high of a metric in the rows of one matchup.

    Three NaN where it is undefined, or the matchup does not have it. Raises ValueError for rows of
    several runs.
    """
    if metric not in rows.index:
        return np.nan, np.nan, np.nan
    numbers = rows.loc[metric, ["value", "low", "high"]].to_numpy(dtype=float)
    if numbers.ndim > 1:
        raise ValueError(
            f"{metric} of one matchup stands in {len(numbers)} rows, of several runs; take one run."
        )
    value, low, high = numbers
    return float(value), float(low), float(high)


def matchups(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame]]:
    """Each matchup of a tidy frame: (variant, A, B), and the rows seen by A, indexed by metric.

    In the frame's order; B is empty for one player.
    """
    names = ["variant", "strategy", "opponent"]
    seen: set[tuple[str, frozenset[str]]] = set()
    for key, rows in frame.groupby(names, sort=False):
        variant, a, b = map(str, key)
        matchup = (variant, frozenset((a, b)))
        if matchup not in seen:
            seen.add(matchup)
            yield (variant, a, b), rows.set_index("metric")
