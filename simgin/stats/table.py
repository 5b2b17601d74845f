"""Tidy rows: one estimate a row, with the same first ten columns in every csv and every --json."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from simgin.core import sums
from simgin.stats import metrics
from simgin.stats.estimate import estimate_metric
from simgin.text.files import read_text

if TYPE_CHECKING:
    import pandas as pd

    Frame: TypeAlias = pd.DataFrame
    Tidy = Frame | list[dict[str, Any]]
else:
    Frame = Any  # for annotations: pandas loads slowly

Rows = list[dict[str, Any]]  # a dictionary of TABLE_COLUMNS each
ByMetric = dict[str, dict[str, Any]]  # one side of a matchup
TEXTS = ("variant", "strategy", "opponent", "unit", "metric")
NUMBERS = ("value", "se", "low", "high")
TABLE_COLUMNS = (*TEXTS, *NUMBERS, "n")
# What frames call what the ten columns have
VALUES = {"difference": "value", "share": "value"}
GAIN = "gain"  # of a search: the estimate of its row, whatever else stands there
ENDS = {"": "value", "_se": "se", "_low": "low", "_high": "high"}
PLAYERS = {"first": "strategy", "second": "opponent"}
DIGITS = 10  # significant, so that the last bits of a platform's arithmetic do not reach the file


def frame_of(rows: Any, columns: Sequence[str] | None = None) -> Frame:
    """A frame of some rows, or of columns by name. pandas, which loads slowly, is loaded here."""
    import pandas as pd

    return pd.DataFrame(rows, columns=None if columns is None else list(columns))


def joined(parts: Sequence[Frame], columns: Sequence[str] | None = None) -> Frame:
    """One frame of several; of none an empty one with the columns."""
    import pandas as pd

    if not parts:
        return frame_of([], columns)
    frame = pd.concat(parts, ignore_index=True)
    return frame if columns is None else frame[list(columns)]


def estimates(
    variant: str, a: str, b: str, unit: str, totals: np.ndarray, multiplier: float | None = None
) -> Rows:
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


def in_schema(frame: Frame) -> Frame:
    """A frame of estimates as tidy rows: TABLE_COLUMNS, then what else it has.

    A difference or a share is the value. Where several estimates stand in a row (NAME, NAME_low,
    NAME_high, and NAME_se or se), each gets a row of its own with NAME as its metric, or as its
    kind if there is a metric. What a frame does not have is empty; `kind` tells what is no plain
    figure of a matchup. A frame without estimates is returned as it is.
    """
    if "parameter" in frame:  # the course of a search, whose values are no estimates
        return frame
    if not {"value", *VALUES} & set(frame):
        wide = _side_by_side(frame)
        if not wide:
            return frame
        if GAIN in wide:
            wide = [GAIN]
        own = {f"{name}{end}" for name in wide for end in ENDS}
        frame = _one_a_row(frame, wide).drop(columns=own, errors="ignore")
    if "difference" in frame and "kind" not in frame:
        frame = frame.assign(kind="difference")
    renamed = frame.rename(columns=PLAYERS if "value" in frame else {**VALUES, **PLAYERS})
    missing: dict[str, Any] = dict.fromkeys(TEXTS, "") | dict.fromkeys((*NUMBERS, "n"), np.nan)
    if "metric" in renamed:
        units = {name: metric.unit for name, metric in metrics.BY_NAME.items()}
        missing["unit"] = renamed["metric"].map(units).fillna("")
    added = {name: value for name, value in missing.items() if name not in renamed}
    others = [name for name in renamed if name not in TABLE_COLUMNS]
    return renamed.assign(**added)[[*TABLE_COLUMNS, *others]]


def _side_by_side(frame: Frame) -> list[str]:
    """The estimates that stand in one row: NAME of NAME, NAME_low and NAME_high."""
    return [str(name) for name in frame if {f"{name}_low", f"{name}_high"} <= set(frame)]


def _one_a_row(frame: Frame, names: Sequence[str]) -> Frame:
    """The estimates of a row below each other, row by row, with all columns of the row."""
    import pandas as pd

    named = "kind" if "metric" in frame else "metric"
    parts = []
    for name in names:
        numbers = {to: frame[f"{name}{end}"] for end, to in ENDS.items() if f"{name}{end}" in frame}
        parts.append(frame.assign(**{named: name}, **numbers))
    return pd.concat(parts).sort_index(kind="stable", ignore_index=True)


def csv(frame: Frame) -> str:
    """The frame as CSV text (`in_schema`): 10 significant digits, undefined cells empty.

    A line ends with one newline character on every system.
    """
    return in_schema(frame).to_csv(index=False, float_format=f"%.{DIGITS}g", lineterminator="\n")


def read(path: str | Path) -> Frame:
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


def records(frame: Frame) -> list[dict[str, Any]]:
    """The rows (`in_schema`) as dictionaries for JSON, numbers as in the CSV, undefined cells None.

    What a frame calls otherwise stands under its own name, too.
    """
    rows = in_schema(frame)
    wide = _side_by_side(frame)
    whole = _one_a_row(frame, wide) if len(rows) > len(frame) else frame
    own = {str(name): whole[name].to_numpy() for name in whole if name not in rows}
    return [for_json(row) for row in rows.assign(**own).to_dict(orient="records")]


def for_json(row: Mapping[Any, Any]) -> dict[str, Any]:
    """One such row."""
    return {str(name): _plain(cell) for name, cell in row.items()}


def _plain(cell: Any) -> Any:
    if not isinstance(cell, float):
        return cell
    return None if np.isnan(cell) else float(f"{cell:.{DIGITS}g}")


def rows_of(tidy: Tidy) -> Rows:
    """Tidy rows as dictionaries, which the screen of a match is made of without pandas."""
    if isinstance(tidy, list):
        return tidy
    return [{str(name): value for name, value in row.items()} for row in tidy.to_dict("records")]


def cell(rows: ByMetric, metric: str) -> tuple[float, float, float]:
    """Value, low and high of a metric in the rows of one matchup.

    Three NaN where it is undefined, or the matchup does not have it.
    """
    if metric not in rows:
        return np.nan, np.nan, np.nan
    row = rows[metric]
    return float(row["value"]), float(row["low"]), float(row["high"])


def matchups(tidy: Tidy) -> Iterator[tuple[tuple[str, str, str], ByMetric]]:
    """Each matchup of tidy rows: (variant, A, B), and the rows seen by A, by metric.

    In the order of the rows; B is empty for one player. Raises ValueError for rows of several runs.
    """
    sides: dict[tuple[str, str, str], Rows] = {}
    for row in rows_of(tidy):
        sides.setdefault((row["variant"], row["strategy"], row["opponent"]), []).append(row)
    seen: set[tuple[str, frozenset[str]]] = set()
    for (variant, a, b), rows in sides.items():
        matchup = (variant, frozenset((a, b)))
        if matchup not in seen:
            seen.add(matchup)
            yield (variant, a, b), by_metric(rows)


def by_metric(rows: Rows) -> ByMetric:
    """The rows of one side of a matchup by metric."""
    metric, count = Counter(row["metric"] for row in rows).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"{metric} of one matchup stands in {count} rows, of several runs; take one run."
        )
    return {row["metric"]: row for row in rows}
