"""The pictures of a run, each with what it shows in words.

A new picture is a function of `simgin.plots` and one more `Picture` here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simgin import plots
from simgin.core.sums import KINDS
from simgin.report import numbers, summary
from simgin.report.report import Picture
from simgin.stats import table
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

MOST_ROWS = 60  # matchups in one picture; a larger league has its heat maps
MOST_DESCRIBED = 12  # matchups of a picture that are put in words one by one
# The metrics of the picture of wins and points
WINS = ("deal_win", "margin", "score", "match_win", "goal_met", "settlement")


def run_pictures(found: Findings) -> Iterator[Picture]:
    """Every picture of a run, in the order of its page."""
    frame, seed, unit = found.table, found.record.seed, found.record.unit
    if len(found.cells) <= MOST_ROWS:
        figure = plots.win_and_points(frame, seed=seed)
        yield Picture("win_and_points", "Wins and points", describe_wins(frame), figure)
        figure = plots.endings(frame, seed=seed)
        yield Picture("endings", "Deal outcomes", describe_endings(frame), figure)
    for name, rows in found.standings.groupby("variant", sort=False):
        variant = str(name)
        cross = found.cross[found.cross["variant"] == variant]
        figure = plots.league(rows, cross, unit=unit, seed=seed)
        words = describe_league(rows, cross, unit)
        title = f"Head to head: {variant}"
        yield Picture(f"league-{file_word(variant)}", title, words, figure, variant)


def describe_wins(frame: pd.DataFrame) -> str:
    """The columns of every matchup that say who wins, as in the summary."""
    titles = [column.title for column in summary.shown_columns(frame) if column.metric in WINS]
    parts = []
    for row in summary.texts(frame):
        figures = ", ".join(f"{title} {row[title]}" for title in titles)
        players = [row[role] for role in ("A", "B", "strategy") if row.get(role)]
        parts.append(f"{_who(row['variant'], players)}: {figures}")
    return f"Dots with 95 % intervals, one row per matchup. {_first(parts)}"


def describe_endings(frame: pd.DataFrame) -> str:
    """The deal outcomes of every matchup in per cent of all deals, the commonest first."""
    parts = []
    for (variant, a, b), rows in table.matchups(frame):
        shares = [(table.cell(rows, kind)[0], kind) for kind in KINDS]
        seen = sorted((pair for pair in shares if pair[0] > 0), reverse=True)
        outcomes = [f"{kind.replace('_', ' ')} {_percent(share)} %" for share, kind in seen]
        players = [name for name in (a, b) if name]
        parts.append(f"{_who(variant, players)}: {', '.join(outcomes) or 'too few deals'}")
    return f"One stacked bar per matchup, shares of all deals. {_first(parts)}"


def describe_league(standings: pd.DataFrame, cross: pd.DataFrame, unit: str) -> str:
    """The order of a league, and its most one-sided pairing."""
    places = enumerate(standings["strategy"], start=1)
    order = ", ".join(f"{place} {name}" for place, name in places)
    heat_map = (
        f"Heat map of {UNITS[unit]} won by the row against the column, best rating first: {order}."
    )
    if cross["share"].isna().all():
        return heat_map
    most = cross.sort_values("share", kind="stable").iloc[-1]
    share = numbers.estimate(most["share"], most["low"], most["high"], 100)
    winner, loser = most["strategy"], most["opponent"]
    return f"{heat_map} Most one-sided: {winner} wins {share} % against {loser}."


def file_word(variant: str) -> str:
    """A variant as part of a file name and of an id."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", variant)


def _percent(share: float) -> str:
    """Whole per cent."""
    return f"{100 * share:.0f}" if share >= 0.005 else "under 1"


def _who(variant: str, players: Sequence[str]) -> str:
    return f"{variant}, {' against '.join(players)}"


def _first(parts: Sequence[str]) -> str:
    more = len(parts) - MOST_DESCRIBED
    rest = f"; and {more} more, all in the table of results." if more > 0 else "."
    return "; ".join(parts[:MOST_DESCRIBED]) + rest
