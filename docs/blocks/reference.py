"""Paths and tables of the committed reference results."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from simgin.stats import table

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results" / "reference"


@cache
def bench() -> tuple[dict[str, Any], ...]:
    """Return the rows of the reference bench."""
    return tuple(json.loads((REFERENCE / "bench.json").read_text())["rows"])


@cache
def tidy_rows(result: str) -> pd.DataFrame:
    """Return the tidy rows of a reference result."""
    return table.read_table(REFERENCE / result / "table.csv")


def csv(result: str, name: str) -> pd.DataFrame:
    """Return another table of a reference result; a league has a row for each strategy."""
    rows = pd.read_csv(REFERENCE / result / f"{name}.csv")
    return _wide(rows) if name == "league" else rows


def _wide(rows: pd.DataFrame) -> pd.DataFrame:
    """Return tidy rows with a column for each metric, its error and its limits."""
    keys = ["variant", "strategy", "place", "n"]
    ends = {"value": "", "se": "_se", "low": "_low", "high": "_high"}
    table = rows.set_index([*keys, "metric"])[list(ends)].unstack("metric")
    table.columns = [f"{metric}{ends[end]}" for end, metric in table.columns]
    in_order = pd.MultiIndex.from_frame(rows[keys].drop_duplicates())
    return table.loc[in_order].reset_index()


def summary_section(result: str, title: str) -> str:
    """Return a section of a result's summary, by its title."""
    text = (REFERENCE / result / "summary.md").read_text()
    return text.split(f"## {title}\n", 1)[1].partition("\n## ")[0].strip()
