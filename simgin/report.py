"""What a finished run leaves for people and programs, as file contents: tables, summaries and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simgin import plots, sheets, summary, table
from simgin.findings import Findings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


MOST_ROWS = 60  # matchups in one picture; a larger league has its heat maps


def files(found: Findings) -> dict[str, bytes | str]:
    """Every file but ledger and manifest, by its path in the run directory, for `simgin.results.save`."""
    frame = found.table
    return {
        "table.csv": table.csv(frame),
        **{f"{name}.csv": table.csv(part) for name, part in _parts(found).items() if len(part)},
        "summary.csv": summary.csv(frame),
        "summary.md": _summary(found),
        **{f"plots/{name}.png": plots.png(figure) for name, figure in _figures(found)},
    }


def _parts(found: Findings) -> dict[str, pd.DataFrame]:
    """The tables beside the tidy one, by name; one that has no rows is not written."""
    return {
        "differences": found.differences,
        "league": found.standings,
        "cross": found.cross,
        "pairing": found.pairing,
        "adjusted": found.adjusted,
    }


def _figures(found: Findings) -> Iterator[tuple[str, Figure]]:
    """Every picture with its name."""
    seed = found.plan.seed
    if len(found.played) <= MOST_ROWS:
        yield "win_and_points", plots.win_and_points(found.table, seed=seed)
        yield "endings", plots.endings(found.table, seed=seed)
    for variant, rows in found.standings.groupby("variant", sort=False):
        cross = found.cross[found.cross["variant"] == variant]
        yield f"league-{_file_name(str(variant))}", plots.league(rows, cross, unit=found.plan.unit, seed=seed)


def _file_name(variant: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", variant)


def _summary(found: Findings) -> str:
    """The question, the table for people, and what else was found, as Markdown."""
    asked = found.plan
    heading = [f"# {asked.question}\n"] if asked.question else []
    expected = [f"Hypothesis: {asked.hypothesis}\n"] if asked.hypothesis else []
    ended = [f"{line}\n" for line in found.ended]
    return "\n".join([*heading, *expected, summary.markdown(found.table), *ended, *(sheet.markdown() for sheet in sheets.of(found))])
