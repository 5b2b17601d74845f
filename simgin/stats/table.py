"""Tidy rows: one estimate per row, with the same ten columns in all outputs."""

from __future__ import annotations

import io
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from simgin.core.batch_columns import STATISTIC_INDEX, SUMS_START
from simgin.stats import metrics
from simgin.stats.estimate import Estimate, estimate_metric
from simgin.text.files import read_text

if TYPE_CHECKING:
    import pandas as pd

    from simgin.stats.paired_estimate import PairedEstimate

    Frame: TypeAlias = pd.DataFrame
    TidyRows = Frame | list[dict[str, Any]]
else:
    Frame = Any  # placeholder type, because pandas loads slowly

RowDicts = list[dict[str, Any]]  # dictionaries with the keys in TABLE_COLUMNS
RowsByMetric = dict[str, dict[str, Any]]  # rows of one side of a matchup, by metric
TEXT_COLUMNS = ("variant", "strategy", "opponent", "unit", "metric")
NUMBER_COLUMNS = ("value", "se", "low", "high")
TABLE_COLUMNS = (*TEXT_COLUMNS, *NUMBER_COLUMNS, "n")
COLUMN_SUFFIXES = {"": "value", "_se": "se", "_low": "low", "_high": "high"}
# Number of significant digits. Further digits can differ between platforms.
SIGNIFICANT_DIGITS = 10


def make_frame(rows: Any, columns: Sequence[str] | None = None) -> Frame:
    """Return a DataFrame built from rows or from named columns.

    The function imports pandas when it is first called.
    """
    import pandas as pd

    return pd.DataFrame(rows, columns=None if columns is None else list(columns))


def concat_frames(frames: Sequence[Frame], columns: Sequence[str] | None = None) -> Frame:
    """Concatenate DataFrames, or return an empty DataFrame if there are none."""
    import pandas as pd

    if not frames:
        return make_frame([], columns)
    frame = pd.concat(frames, ignore_index=True)
    return frame if columns is None else frame[list(columns)]


@cache
def read_schema() -> dict[str, Any]:
    """Read rows.toml, which defines the columns of all outputs."""
    return tomllib.loads(Path(__file__).with_name("rows.toml").read_text(encoding="utf-8"))


def list_output_columns(output: str) -> tuple[str, ...]:
    """Return the columns of an output.

    If the output has estimates, its columns begin with TABLE_COLUMNS.
    """
    output_schema = read_schema()["outputs"][output]
    common_columns = () if output_schema.get("plain") else TABLE_COLUMNS
    return (*common_columns, *output_schema.get("columns", ()))


def build_output_frame(output: str, rows: Any) -> Frame:
    """Convert the rows of an output to a DataFrame with the columns of the output.

    If a column of TABLE_COLUMNS is missing from the rows, it is added and left empty. If a row has
    no unit, the unit of its metric is used. Other columns are included only if they occur in the
    rows or if there are no rows.

    Args:
        output: Name of an output in rows.toml.
        rows: Dictionaries from column to value, or a DataFrame.

    Raises:
        ValueError: If rows.toml does not list a column for the output.
    """
    columns = list_output_columns(output)
    frame = make_frame(rows)
    if undeclared_columns := ", ".join(name for name in map(str, frame) if name not in columns):
        raise ValueError(
            f"{output} has unknown columns: {undeclared_columns}. Add these columns to rows.toml."
        )
    if frame.empty:
        return make_frame([], columns)
    if columns[: len(TABLE_COLUMNS)] == TABLE_COLUMNS:
        defaults: dict[str, Any] = dict.fromkeys(TEXT_COLUMNS, "")
        defaults |= dict.fromkeys((*NUMBER_COLUMNS, "n"), np.nan)
        if "metric" in frame:
            units = {name: metric.unit for name, metric in metrics.METRICS_BY_NAME.items()}
            defaults["unit"] = frame["metric"].map(units).fillna("")
        frame = frame.assign(
            **{column: value for column, value in defaults.items() if column not in frame}
        )
    return frame.reindex(columns=[name for name in columns if name in frame])


def stack_estimates(frame: Frame, names: Sequence[str]) -> Frame:
    """Convert a DataFrame with one column per estimate to a DataFrame with one row per estimate.

    The name of the column becomes the metric.

    Args:
        frame: DataFrame with the columns NAME, NAME_low, NAME_high, and optionally NAME_se.
        names: Names of the columns with estimates.
    """
    import pandas as pd

    names_with_suffix = [f"{name}{suffix}" for name in names for suffix in COLUMN_SUFFIXES]
    other_columns = frame.drop(columns=names_with_suffix, errors="ignore")
    frames = []
    for name in names:
        new_names = {
            f"{name}{suffix}": estimate_column
            for suffix, estimate_column in COLUMN_SUFFIXES.items()
        }
        estimate_columns = {
            estimate_column: frame[column]
            for column, estimate_column in new_names.items()
            if column in frame
        }
        frames.append(other_columns.assign(metric=name, **estimate_columns))
    return pd.concat(frames).sort_index(kind="stable", ignore_index=True)


def make_estimate_columns(estimate: Estimate | PairedEstimate, n: float) -> dict[str, Any]:
    """Return the columns value, se, low, high and n of an estimate."""
    numbers = (estimate.value, estimate.se, *estimate.interval, n)
    return dict(zip((*NUMBER_COLUMNS, "n"), numbers, strict=True))


def compute_estimate_rows(
    variant: str, a: str, b: str, unit: str, totals: np.ndarray, critical_value: float | None = None
) -> RowDicts:
    """Return all rows of one matchup, first from the perspective of A and then of B.

    If both strategies are the same or `b` is empty, only the perspective of A is returned.

    Args:
        variant: Name of the variant.
        a: Name of strategy A.
        b: Name of strategy B, or "" in a solitaire game.
        unit: "deal" or "match". For matches, per-deal rows come before per-match rows.
        totals: Sum of the batch rows, (batch_columns.N_COLUMNS,) int64.
        critical_value: Half-width of intervals in standard errors for a run with a stopping rule
            (see `simgin.runs.stopping`).

    Returns:
        Dictionaries with the keys in TABLE_COLUMNS.
    """
    units = [metrics.DEAL] if unit == metrics.DEAL else [metrics.DEAL, metrics.MATCH]
    sides = [(a, b, False)]
    if b not in (a, ""):
        sides.append((b, a, True))
    rows = []
    for strategy, opponent, as_b in sides:
        for row_unit in units:
            n_played = int(
                totals[SUMS_START + STATISTIC_INDEX[metrics.UNIT_COUNT_STATISTICS[row_unit]]]
            )
            for metric in metrics.select_metrics(row_unit, 2 if b else 1):
                estimate = estimate_metric(totals, metric, as_b, critical_value)
                # Adding 0.0 replaces -0.0 with 0.0.
                low, high = estimate.low + 0.0, estimate.high + 0.0
                numbers = (estimate.value + 0.0, estimate.se, low, high)
                labels = (variant, strategy, opponent, row_unit, metric.name)
                rows.append(dict(zip(TABLE_COLUMNS, (*labels, *numbers, n_played), strict=True)))
    return rows


def format_csv(frame: Frame) -> str:
    """Format a DataFrame as CSV.

    Numbers have 10 significant digits, and undefined values are empty. Lines end with a newline
    character on every operating system.
    """
    return frame.to_csv(index=False, float_format=f"%.{SIGNIFICANT_DIGITS}g", lineterminator="\n")


def read_table(path: str | Path) -> Frame:
    """Read the tidy rows from a table.csv file.

    The opponent is an empty string in solitaire games. Undefined estimates are NaN.
    """
    import pandas as pd

    csv_text = read_text(Path(path))
    return pd.read_csv(
        io.StringIO(csv_text),
        dtype=dict.fromkeys(TEXT_COLUMNS, str),
        keep_default_na=False,
        na_values={name: [""] for name in NUMBER_COLUMNS},
    )


def to_records(frame: Frame) -> list[dict[str, Any]]:
    """Convert the rows of a DataFrame to dictionaries for JSON.

    Undefined values become None, and numbers are rounded as in the CSV output.
    """
    return [to_json_row(row) for row in to_row_dicts(frame)]


def to_json_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Convert one row to a dictionary for JSON, as in `to_records`."""
    return {str(name): _to_json_value(cell) for name, cell in row.items()}


def _to_json_value(cell: Any) -> Any:
    """Round a number to 10 significant digits, and convert NaN to None."""
    if not isinstance(cell, float):
        return cell
    return None if np.isnan(cell) else float(f"{cell:.{SIGNIFICANT_DIGITS}g}")


def to_row_dicts(rows: TidyRows) -> RowDicts:
    """Convert tidy rows to a list of dictionaries.

    A list is returned unchanged, so that `simgin match` need not import pandas.
    """
    if isinstance(rows, list):
        return rows
    # DataFrame.to_dict takes five times as long, because it reads each value separately.
    names = list(map(str, rows))
    columns = [_list_values(column) for _, column in rows.items()]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _list_values(column: pd.Series[Any]) -> list[Any]:
    """Return the values of a column as Python objects."""
    if column.dtype.kind != "O":
        return column.to_numpy().tolist()
    values = column.to_numpy(object).tolist()
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def find_interval(rows: RowsByMetric, metric: str) -> tuple[float, float, float]:
    """Return the value and the confidence bounds of a metric from the rows of a matchup.

    If the metric is undefined or missing, all three numbers are NaN.
    """
    if metric not in rows:
        return np.nan, np.nan, np.nan
    row = rows[metric]
    return float(row["value"]), float(row["low"]), float(row["high"])


def iterate_matchups(tidy_rows: TidyRows) -> Iterator[tuple[tuple[str, str, str], RowsByMetric]]:
    """Yield the key (variant, A, B) of each matchup together with A's rows by metric.

    Args:
        tidy_rows: Tidy rows of one run. In a solitaire game, the opponent is an empty string.

    Raises:
        ValueError: If the rows come from several runs.
    """
    sides: dict[tuple[str, str, str], RowDicts] = {}
    for row in to_row_dicts(tidy_rows):
        sides.setdefault((row["variant"], row["strategy"], row["opponent"]), []).append(row)
    yielded_matchups: set[tuple[str, frozenset[str]]] = set()
    for (variant, a, b), rows in sides.items():
        matchup = (variant, frozenset((a, b)))
        if matchup not in yielded_matchups:
            yielded_matchups.add(matchup)
            yield (variant, a, b), index_by_metric(rows)


def index_by_metric(rows: RowDicts) -> RowsByMetric:
    """Return the rows of one player in a matchup as a dictionary by metric.

    Raises:
        ValueError: If a metric occurs in several rows.
    """
    metric, n_rows = Counter(row["metric"] for row in rows).most_common(1)[0]
    if n_rows > 1:
        raise ValueError(
            f"the same matchup has {n_rows} rows for {metric}. Use the rows of a single run."
        )
    return {row["metric"]: row for row in rows}
