"""Reading of the committed results in results/reference."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from simgin.stats import table

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DOCS_DIRECTORY = PROJECT_ROOT / "docs"
REFERENCE_DIRECTORY = PROJECT_ROOT / "results" / "reference"


@cache
def read_benchmark_rows() -> tuple[dict[str, Any], ...]:
    """Return the rows of the reference benchmark."""
    return tuple(json.loads((REFERENCE_DIRECTORY / "bench.json").read_text())["rows"])


@cache
def read_tidy_rows(result: str) -> pd.DataFrame:
    """Return the table of a reference result, with one row per metric."""
    return table.read_table(REFERENCE_DIRECTORY / result / "table.csv")


def read_result_csv(result: str, table_name: str) -> pd.DataFrame:
    """Return a CSV table of a reference result as a DataFrame."""
    rows = pd.read_csv(REFERENCE_DIRECTORY / result / f"{table_name}.csv")
    return _pivot_metrics_to_columns(rows) if table_name == "league" else rows


def _pivot_metrics_to_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Pivot a table so that each metric has columns for its value, error and bounds."""
    keys = ["variant", "strategy", "place", "n"]
    suffixes = {"value": "", "se": "_se", "low": "_low", "high": "_high"}
    pivoted_rows = rows.set_index([*keys, "metric"])[list(suffixes)].unstack("metric")
    pivoted_rows.columns = [f"{metric}{suffixes[end]}" for end, metric in pivoted_rows.columns]
    order = pd.MultiIndex.from_frame(rows[keys].drop_duplicates())
    return pivoted_rows.loc[order].reset_index()


def read_summary_section(result: str, title: str) -> str:
    """Return the section with the given title from the summary of a reference result."""
    text = (REFERENCE_DIRECTORY / result / "summary.md").read_text()
    return text.split(f"## {title}\n", 1)[1].partition("\n## ")[0].strip()
