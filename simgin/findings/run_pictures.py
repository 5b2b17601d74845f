"""The pictures of a run, each with the question that it answers and the frame that it shows.

A new picture is a function of `simgin.plots` and one more `Picture` here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simgin import plots
from simgin.findings.run_tables import LEAGUE, WHO
from simgin.report import summary
from simgin.report.report import Picture
from simgin.report.table import Column
from simgin.stats.metrics import WINS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

MOST_ROWS = 60  # matchups in one picture; a larger league has its heat maps
CROSS = (*WHO[1:], Column("share", "won", "%", factor=100))
EFFECTS = (Column("change", "change"), Column("field", "field"), Column("difference", "points"))


def run_pictures(findings: Findings) -> Iterator[Picture]:
    """Every picture of a run, in the order of its page."""
    seed, unit = findings.record.seed, findings.record.unit
    leagues = findings.standings.groupby("variant", sort=False)
    for name, rows in leagues:
        under = f" under {name}" * (len(leagues) > 1)
        cross = findings.cross[findings.cross["variant"] == name]
        if rows["elo"].notna().all():
            drawn = plots.ratings(rows, unit=unit, seed=seed)
            question = f"Who is stronger than whom{under}?"
            yield Picture(f"ratings-{file_word(name)}", question, "", drawn, "", rows, LEAGUE)
        drawn = plots.league(rows, cross, unit=unit, seed=seed)
        question = f"Who wins against whom{under}?"
        yield Picture(f"league-{file_word(name)}", question, "", drawn, "", cross, CROSS)
    points = findings.effects[findings.effects["metric"] == "margin"]
    for name, rows in points.groupby("variant", sort=False):
        if rows["low"].notna().any():  # else too few batches were played to draw anything
            drawn = plots.effects(rows, seed=seed)
            question = f"What does each change gain under {name}?"
            told = rows.rename(columns={"low": "difference_low", "high": "difference_high"})
            yield Picture(f"effects-{file_word(name)}", question, "", drawn, "", told, EFFECTS)
    if len(findings.cells) <= MOST_ROWS:
        yield from _matchup_pictures(findings.table, seed)


def _matchup_pictures(frame: pd.DataFrame, seed: int) -> Iterator[Picture]:
    told, columns = summary.wide(frame), summary.shown(frame)
    for name, question, drawn, is_shown in (
        ("win_and_points", "Who wins?", plots.win_and_points(frame, seed=seed), True),
        ("endings", "How do deals end?", plots.endings(frame, seed=seed), False),
    ):
        shown = [c for c in columns if (c.name in WINS) == is_shown and c.name != "turns"]
        cells = [f"{c.name}{end}" for c in shown for end in ("", "_low", "_high")]
        part = told[[*(column.name for column in WHO), *cells]]
        yield Picture(name, question, "", drawn, "", part, (*WHO, *shown))


def file_word(variant: object) -> str:
    """A variant as part of a file name and of an id."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", str(variant))
