"""Tidy rows: one estimate per row, with the same ten columns in all CSV and JSON output."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from simgin.core import batch_columns
from simgin.stats import metrics
from simgin.stats.estimate import estimate_metric
from simgin.text.files import read_text

if TYPE_CHECKING:
    import pandas as pd

    Frame: TypeAlias = pd.DataFrame
    TidyRows = Frame | list[dict[str, Any]]
else:
    Frame = Any  # for annotations: pandas loads slowly

Rows = list[dict[str, Any]]  # dictionaries of TABLE_COLUMNS
ByMetric = dict[str, dict[str, Any]]  # rows of one side of a matchup by metric
TEXT_COLUMNS = ("variant", "strategy", "opponent", "unit", "metric")
NUMBER_COLUMNS = ("value", "se", "low", "high")
TABLE_COLUMNS = (*TEXT_COLUMNS, *NUMBER_COLUMNS, "n")
# Names in frames of columns that become one of the ten
VALUE_ALIASES = {"difference": "value", "share": "value"}
GAIN_COLUMN = "gain"  # the estimate in rows of a search, which have other columns too
COLUMN_SUFFIXES = {"": "value", "_se": "se", "_low": "low", "_high": "high"}
PLAYER_ALIASES = {"first": "strategy", "second": "opponent"}
SIGNIFICANT_DIGITS = 10  # significant; hides differences in the last bits between platforms


def make_frame(rows: Any, columns: Sequence[str] | None = None) -> Frame:
    """Return a DataFrame of rows or of columns by name; import pandas only when it is needed."""
    import pandas as pd

    return pd.DataFrame(rows, columns=None if columns is None else list(columns))


def concat_frames(parts: Sequence[Frame], columns: Sequence[str] | None = None) -> Frame:
    """Return several frames as one; without any, an empty frame with the columns."""
    import pandas as pd

    if not parts:
        return make_frame([], columns)
    frame = pd.concat(parts, ignore_index=True)
    return frame if columns is None else frame[list(columns)]


def estimate_rows(
    variant: str, a: str, b: str, unit: str, totals: np.ndarray, multiplier: float | None = None
) -> Rows:
    """Return the rows of one matchup from the perspective of `a`, then of `b`.

    There is only one perspective if both are the same strategy or `b` is empty.

    Args:
        variant: Name of the variant.
        a: Name of strategy A.
        b: Name of strategy B; empty in a solitaire game.
        unit: "deal" or "match". A run of matches has rows per deal before those per match.
        totals: Sum of the batch rows, (batch_columns.N_COLUMNS,) int64.
        multiplier: Half-width of intervals in standard errors for a run with a stopping rule
            (`simgin.runs.stopping`).

    Returns:
        Dictionaries of TABLE_COLUMNS.
    """
    levels = [metrics.DEAL] if unit == metrics.DEAL else [metrics.DEAL, metrics.MATCH]
    sides = [(a, b, False)]
    if b not in (a, ""):
        sides.append((b, a, True))
    rows = []
    for strategy, opponent, as_b in sides:
        for level in levels:
            played = int(
                totals[batch_columns.COL_SUM + batch_columns.FACT_INDEX[metrics.UNIT_FACTS[level]]]
            )
            for metric in metrics.select_metrics(level, 2 if b else 1):
                estimate = estimate_metric(totals, metric, as_b, multiplier)
                # Adding 0.0 converts -0.0 to 0.0.
                numbers = (
                    estimate.value + 0.0,
                    estimate.se,
                    estimate.low + 0.0,
                    estimate.high + 0.0,
                )
                texts = (variant, strategy, opponent, level, metric.name)
                rows.append(dict(zip(TABLE_COLUMNS, (*texts, *numbers, played), strict=True)))
    return rows


def to_table_schema(frame: Frame) -> Frame:
    """Return a frame of estimates as tidy rows: TABLE_COLUMNS, then its other columns.

    A difference or proportion becomes the value. If a row contains several estimates (NAME,
    NAME_low, NAME_high, and NAME_se or se), each gets its own row with NAME as the metric, or as
    the `kind` if there is a metric. `kind` marks rows that are not plain metrics of a matchup.
    Missing columns are empty. A frame without estimates is returned unchanged.
    """
    if "parameter" in frame:  # the history of a search, whose values are not estimates
        return frame
    if not {"value", *VALUE_ALIASES} & set(frame):
        wide = _wide_estimates(frame)
        if not wide:
            return frame
        if GAIN_COLUMN in wide:
            wide = [GAIN_COLUMN]
        own = {f"{name}{end}" for name in wide for end in COLUMN_SUFFIXES}
        frame = _to_long(frame, wide).drop(columns=own, errors="ignore")
    if "difference" in frame and "kind" not in frame:
        frame = frame.assign(kind="difference")
    renamed = frame.rename(
        columns=PLAYER_ALIASES if "value" in frame else {**VALUE_ALIASES, **PLAYER_ALIASES}
    )
    missing: dict[str, Any] = dict.fromkeys(TEXT_COLUMNS, "") | dict.fromkeys(
        (*NUMBER_COLUMNS, "n"), np.nan
    )
    if "metric" in renamed:
        units = {name: metric.unit for name, metric in metrics.METRICS_BY_NAME.items()}
        missing["unit"] = renamed["metric"].map(units).fillna("")
    added = {name: value for name, value in missing.items() if name not in renamed}
    others = [name for name in renamed if name not in TABLE_COLUMNS]
    return renamed.assign(**added)[[*TABLE_COLUMNS, *others]]


def _wide_estimates(frame: Frame) -> list[str]:
    """Return the names of the estimates in one row: NAME of NAME, NAME_low and NAME_high."""
    return [str(name) for name in frame if {f"{name}_low", f"{name}_high"} <= set(frame)]


def _to_long(frame: Frame, names: Sequence[str]) -> Frame:
    """Return the estimates of each row as separate rows, with all columns of the row."""
    import pandas as pd

    named = "kind" if "metric" in frame else "metric"
    parts = []
    for name in names:
        numbers = {
            to: frame[f"{name}{end}"]
            for end, to in COLUMN_SUFFIXES.items()
            if f"{name}{end}" in frame
        }
        parts.append(frame.assign(**{named: name}, **numbers))
    return pd.concat(parts).sort_index(kind="stable", ignore_index=True)


def format_csv(frame: Frame) -> str:
    """Return a frame as CSV (`to_table_schema`).

    Numbers have 10 significant digits, undefined values are empty, and lines end with a single
    newline character on every system.
    """
    return to_table_schema(frame).to_csv(
        index=False, float_format=f"%.{SIGNIFICANT_DIGITS}g", lineterminator="\n"
    )


def read_table(path: str | Path) -> Frame:
    """Read the tidy rows of a table.csv.

    An empty opponent (solitaire game) stays empty; an undefined estimate is NaN.
    """
    import pandas as pd

    text = read_text(Path(path))
    return pd.read_csv(
        io.StringIO(text),
        dtype=dict.fromkeys(TEXT_COLUMNS, str),
        keep_default_na=False,
        na_values={name: [""] for name in NUMBER_COLUMNS},
    )


def to_records(frame: Frame) -> list[dict[str, Any]]:
    """Return the rows (`to_table_schema`) as dictionaries for JSON.

    Undefined values are None, and numbers are rounded as in the CSV. Columns that the schema
    renames also keep their original names.
    """
    rows = to_table_schema(frame)
    wide = _wide_estimates(frame)
    whole = _to_long(frame, wide) if len(rows) > len(frame) else frame
    own = {str(name): whole[name].to_numpy() for name in whole if name not in rows}
    return [to_json_row(row) for row in rows.assign(**own).to_dict(orient="records")]


def to_json_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return one row as a dictionary for JSON."""
    return {str(name): _to_json_value(cell) for name, cell in row.items()}


def _to_json_value(cell: Any) -> Any:
    if not isinstance(cell, float):
        return cell
    return None if np.isnan(cell) else float(f"{cell:.{SIGNIFICANT_DIGITS}g}")


def to_rows(tidy: TidyRows) -> Rows:
    """Return tidy rows as dictionaries; the screen output of a match needs no pandas."""
    if isinstance(tidy, list):
        return tidy
    return [{str(name): value for name, value in row.items()} for row in tidy.to_dict("records")]


def find_interval(rows: ByMetric, metric: str) -> tuple[float, float, float]:
    """Return the value and confidence bounds of a metric in the rows of a matchup.

    All three are NaN if the metric is undefined or missing.
    """
    if metric not in rows:
        return np.nan, np.nan, np.nan
    row = rows[metric]
    return float(row["value"]), float(row["low"]), float(row["high"])


def iterate_matchups(tidy: TidyRows) -> Iterator[tuple[tuple[str, str, str], ByMetric]]:
    """Yield (variant, A, B) and the rows of A by metric for each matchup, in order.

    Args:
        tidy: Tidy rows of one run. The opponent is empty in a solitaire game.

    Raises:
        ValueError: If the rows come from several runs.
    """
    sides: dict[tuple[str, str, str], Rows] = {}
    for row in to_rows(tidy):
        sides.setdefault((row["variant"], row["strategy"], row["opponent"]), []).append(row)
    seen: set[tuple[str, frozenset[str]]] = set()
    for (variant, a, b), rows in sides.items():
        matchup = (variant, frozenset((a, b)))
        if matchup not in seen:
            seen.add(matchup)
            yield (variant, a, b), index_by_metric(rows)


def index_by_metric(rows: Rows) -> ByMetric:
    """Return the rows of one side of a matchup by metric.

    Raises:
        ValueError: If a metric occurs in several rows.
    """
    metric, count = Counter(row["metric"] for row in rows).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"{metric} of one matchup stands in {count} rows, of several runs; take one run."
        )
    return {row["metric"]: row for row in rows}
