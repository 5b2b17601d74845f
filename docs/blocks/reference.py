"""Access to the results in results/reference, which are committed."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from simgin.stats import table

ROOT = Path(__file__).resolve().parents[2]
REFERENCE_DIRECTORY = ROOT / "results" / "reference"


@cache
def read_benchmark_rows() -> tuple[dict[str, Any], ...]:
    """Return the rows of the reference benchmark."""
    return tuple(json.loads((REFERENCE_DIRECTORY / "bench.json").read_text())["rows"])


@cache
def read_tidy_rows(result: str) -> pd.DataFrame:
    """Return the tidy rows of a reference result."""
    return table.read_table(REFERENCE_DIRECTORY / result / "table.csv")


def read_result_csv(result: str, name: str) -> pd.DataFrame:
    """Return a table of a reference result; the table `league` has one row per strategy."""
    rows = pd.read_csv(REFERENCE_DIRECTORY / result / f"{name}.csv")
    return _unstack_metrics(rows) if name == "league" else rows


def _unstack_metrics(rows: pd.DataFrame) -> pd.DataFrame:
    """Pivot tidy rows so that each metric has columns for its value, its error and its bounds."""
    keys = ["variant", "strategy", "place", "n"]
    suffixes = {"value": "", "se": "_se", "low": "_low", "high": "_high"}
    table = rows.set_index([*keys, "metric"])[list(suffixes)].unstack("metric")
    table.columns = [f"{metric}{suffixes[end]}" for end, metric in table.columns]
    order = pd.MultiIndex.from_frame(rows[keys].drop_duplicates())
    return table.loc[order].reset_index()


def read_summary_section(result: str, title: str) -> str:
    """Return the section of a summary that has a given title."""
    text = (REFERENCE_DIRECTORY / result / "summary.md").read_text()
    return text.split(f"## {title}\n", 1)[1].partition("\n## ")[0].strip()
