"""What a finished run leaves for people and programs, as file contents: tables, summaries and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simgin import plots, sheets, summary, table
from simgin.findings import Findings

if TYPE_CHECKING:
    import pandas as pd


def files(found: Findings) -> dict[str, bytes | str]:
    """Every file but ledger and manifest, by its path in the run directory, for `simgin.results.save`."""
    frame, asked = found.table, found.plan
    return {
        "table.csv": table.csv(frame),
        **{f"{name}.csv": table.csv(part) for name, part in _parts(found).items() if len(part)},
        "summary.csv": summary.csv(frame),
        "summary.md": _summary(found),
        "plots/win_and_points.png": plots.png(plots.win_and_points(frame, seed=asked.seed)),
        "plots/endings.png": plots.png(plots.endings(frame, seed=asked.seed)),
    }


def _parts(found: Findings) -> dict[str, pd.DataFrame]:
    """The tables beside the tidy one, by name; one that has no rows is not written."""
    return {"differences": found.differences, "ratings": found.ratings, "pairing": found.pairing, "adjusted": found.adjusted}


def _summary(found: Findings) -> str:
    """The question, the table for people, and what else was found, as Markdown."""
    asked = found.plan
    heading = [f"# {asked.question}\n"] if asked.question else []
    expected = [f"Hypothesis: {asked.hypothesis}\n"] if asked.hypothesis else []
    ended = [f"{line}\n" for line in found.ended]
    return "\n".join([*heading, *expected, summary.markdown(found.table), *ended, *(sheet.markdown() for sheet in sheets.of(found))])
