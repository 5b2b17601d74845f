"""Tidy rows: one estimate a row, the same in table.csv and in every --json."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import sums
from simgin.stats import metrics, ratios

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

COLUMNS = ("variant", "strategy", "opponent", "unit", "metric", "value", "se", "low", "high", "n")
DIGITS = 10  # significant, so that the last bits of a platform's arithmetic do not reach the file


def tidy(
    variant: str, a: str, b: str, unit: str, totals: np.ndarray, multiplier: float | None = None
) -> pd.DataFrame:
    """The tidy rows of one matchup: seen by `a`, then seen by `b` unless that is the same strategy, or empty (one player).

    `totals` is the exact sum of its batch rows (`simgin.runs.runner.total`), int64 of length `sums.COLUMNS`. `unit` is what was
    played, "deal" or "match"; a run of matches has rows per deal too, before those per match. A run made under a
    rule of stopping gives the rule's `multiplier` of its units (`simgin.runs.stopping`), so that its intervals hold at every look.
    """
    import pandas as pd

    units = (metrics.DEAL,) if unit == metrics.DEAL else (metrics.DEAL, metrics.MATCH)
    sides = [(a, b, False)] if b in (a, "") else [(a, b, False), (b, a, True)]
    frames = [
        _one_side(
            totals, metrics.of_unit(level, 2 if b else 1), level, mirrored, multiplier
        ).assign(variant=variant, strategy=own, opponent=other)
        for own, other, mirrored in sides
        for level in units
    ]
    return pd.concat(frames, ignore_index=True)[list(COLUMNS)]


def _one_side(
    totals: np.ndarray,
    rows: Sequence[metrics.Metric],
    unit: str,
    mirrored: bool,
    multiplier: float | None,
) -> pd.DataFrame:
    """The columns unit to n of some metrics of one unit, seen by A or (mirrored) by B."""
    import pandas as pd

    estimates = ratios.ratios(
        int(totals[sums.UNITS]),
        ratios.Totals.of(
            totals,
            [sums.FACT[metric.other if mirrored else metric.own] for metric in rows],
            _signs(rows, mirrored),
        ),
        scale=np.array([metric.scale for metric in rows]),
        share=np.array([metric.share for metric in rows]),
        always=np.array([metric.always for metric in rows]),
        multiplier=multiplier,
    )
    played = int(totals[sums.SUM + sums.FACT["deals" if unit == metrics.DEAL else "matches"]])
    columns = {
        "unit": unit,
        "metric": [metric.name for metric in rows],
        "value": estimates.value + 0.0,  # no minus zero in the file
        "se": estimates.se,
        "low": estimates.low + 0.0,
        "high": estimates.high + 0.0,
        "n": np.int64(played),
    }
    return pd.DataFrame(columns)


def _signs(rows: Sequence[metrics.Metric], mirrored: bool) -> np.ndarray:
    return np.array([-1 if mirrored and metric.zero_sum else 1 for metric in rows], dtype=object)


def csv(frame: pd.DataFrame) -> str:
    """The frame as CSV text: 10 significant digits, undefined cells empty, one newline character a line on every system."""
    return frame.to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")


def read(path: str | Path) -> pd.DataFrame:
    """The tidy rows of a table.csv. An empty opponent stays empty (a game for one player), an undefined estimate is NaN."""
    import pandas as pd

    texts = dict.fromkeys(COLUMNS[:5], str)
    estimates = {name: [""] for name in COLUMNS[5:9]}
    return pd.read_csv(
        io.StringIO(Path(path).read_text(encoding="utf-8")),
        dtype=texts,
        keep_default_na=False,
        na_values=estimates,
    )


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dictionaries for JSON, numbers as in the CSV, undefined cells None."""
    return [
        {str(name): _plain(cell) for name, cell in row.items()}
        for row in frame.to_dict(orient="records")
    ]


def _plain(cell: Any) -> Any:
    if isinstance(cell, float):
        return None if np.isnan(cell) else float(f"{cell:.{DIGITS}g}")
    return cell


def cell(rows: pd.DataFrame, metric: str) -> tuple[float, float, float]:
    """Value, low and high of a metric in the rows of one matchup; three NaN where it is undefined or the game has none."""
    if metric not in rows.index:
        return np.nan, np.nan, np.nan
    value, low, high = rows.loc[metric, ["value", "low", "high"]].to_numpy(dtype=float)
    return float(value), float(low), float(high)


def matchups(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame]]:
    """Each matchup of a tidy frame in its order: (variant, A, B) and the rows seen by A, indexed by metric; B is empty for one player."""
    seen: set[tuple[str, frozenset[str]]] = set()
    for key, rows in frame.groupby(["variant", "strategy", "opponent"], sort=False):
        variant, a, b = (str(part) for part in key)
        if (variant, frozenset((a, b))) not in seen:
            seen.add((variant, frozenset((a, b))))
            yield (variant, a, b), rows.set_index("metric")
