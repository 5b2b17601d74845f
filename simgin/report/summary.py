"""The summary table: one row per matchup, estimates with 95 % intervals; CSV and Markdown.

Deals won, points per deal and matches won stand side by side, because they can differ in sign
(docs/explanation/statistics.md#traps). simgin.report.screen prints the same table on a terminal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simgin.report.numbers import DASH, estimate, number
from simgin.report.sheet import markdown_table
from simgin.stats import metrics, table
from simgin.stats.metrics import BOTH, ONE, TWO
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

# Relative: a settlement nearer than this to the points of its deals is those points
ADDED_UP = 1e-6


@dataclass(frozen=True)
class Column:
    """One column of the summary: a metric, its key, and the matchups that show it.

    players: the numbers of players for which the metric exists. always: those that show it even if
    it never happened; the others show it only where it did.
    """

    metric: str
    key: str  # column name in summary.csv
    players: tuple[int, ...] = BOTH
    always: tuple[int, ...] = BOTH

    @property
    def title(self) -> str:
        """The heading."""
        return metrics.BY_NAME[self.metric].title

    @property
    def factor(self) -> int:
        """What values are multiplied by before they are printed."""
        return metrics.BY_NAME[self.metric].factor


SUMMARY_COLUMNS = (
    Column("deal_win", "deals_won_pct"),
    Column("margin", "points_per_deal", TWO),
    Column("score", "score_per_deal", ONE),
    Column("match_win", "matches_won_pct"),
    Column("goal_met", "goal_met_pct", ONE),
    Column("settlement", "settlement", TWO),
    Column("gin", "gin_pct"),
    Column("big_gin", "big_gin_pct", always=()),
    Column("shot", "shot_pct", always=()),
    Column("knock", "knock_pct", always=TWO),
    Column("undercut", "undercut_pct", always=TWO),
    Column("even", "even_pct", always=()),
    Column("void", "void_pct", always=TWO),
    Column("refused", "refused_pct", always=()),
    Column("joker", "joker_pct", always=()),
    Column("limit", "limit_pct", always=()),
    Column("stalled", "stalled_pct", always=()),
    Column("turns", "turns"),
)


def played(*matchups: pd.DataFrame) -> str:
    """`200,000 deals`, or `2,000 matches (20,412 to 20,980 deals)` over several matchups."""
    deals = _range([_count(rows, metrics.DEAL) for rows in matchups]) + " deals"
    if any(metrics.MATCH in set(rows["unit"]) for rows in matchups):
        matches = _range([_count(rows, metrics.MATCH) for rows in matchups])
        return f"{matches} matches ({deals})"
    return deals


def texts(frame: pd.DataFrame) -> list[dict[str, str]]:
    """One dictionary per matchup of a tidy frame: heading -> text, identity and size first."""
    columns, names = shown_columns(frame), roles(frame)
    rows = []
    for (variant, *players), matchup in table.matchups(frame):
        row = {"variant": variant, **dict(zip(names, players, strict=False))}
        row["played"] = played(matchup)
        for column in columns:
            row[column.title] = _cell(matchup, column)
        rows.append(row)
    return rows


def roles(frame: pd.DataFrame) -> tuple[str, ...]:
    """Headings of the players: A and B, or `strategy` where every matchup is for one player."""
    return ("A", "B") if (frame["opponent"] != "").any() else ("strategy",)


def shown_columns(frame: pd.DataFrame) -> tuple[Column, ...]:
    """The columns with something to say about a tidy frame."""
    matchups = [rows for _, rows in table.matchups(frame)]
    n = len(roles(frame))
    possible = (column for column in SUMMARY_COLUMNS if n in column.players)
    return tuple(column for column in possible if _is_shown(column, matchups, n))


def _is_shown(column: Column, matchups: Sequence[pd.DataFrame], players: int) -> bool:
    if all(column.metric not in rows.index for rows in matchups):
        return False  # no matches were played
    if column.metric in ("match_win", "goal_met") and players == 1:
        return _goal_decides(matchups) == (column.metric == "goal_met")
    if column.metric == "settlement":
        return any(_settles(rows) for rows in matchups)
    if players in column.always:
        return True
    return any(table.cell(rows, column.metric)[0] > 0 for rows in matchups)


def _goal_decides(matchups: Sequence[pd.DataFrame]) -> bool:
    """Whether meeting a goal wins every match of one player; both columns would then be equal."""
    return not any(math.isnan(table.cell(rows, "goal_met")[0]) for rows in matchups)


def _settles(rows: pd.DataFrame) -> bool:
    """Whether matches pay anything but the points of their deals: bonuses, or columns."""
    settlement, margin, deals = (
        table.cell(rows, metric)[0] for metric in ("settlement", "margin", "deals_per_match")
    )
    if math.isnan(settlement):
        return False
    return not math.isclose(settlement, margin * deals, rel_tol=ADDED_UP, abs_tol=ADDED_UP)


def markdown(frame: pd.DataFrame) -> str:
    """The summary as a Markdown table, followed by how to read it."""
    rows = texts(frame)
    cells = [list(row.values()) for row in rows]
    return "\n".join([*markdown_table(list(rows[0]), cells), "", reading(frame), ""])


def reading(frame: pd.DataFrame) -> str:
    """How to read the summary, in a few sentences."""
    if len(roles(frame)) == 1:
        sentences = [_reading_solo(frame)]
    else:
        sentences = ["Wins are A's; points are A's minus B's."]
        if any(column.metric == "settlement" for column in shown_columns(frame)):
            sentences.append("The settlement is what A receives for a match, bonuses included.")
    intervals = f"± and brackets are 95 % intervals; {DASH} means too few deals to estimate."
    return " ".join([*sentences, intervals])


def _reading_solo(frame: pd.DataFrame) -> str:
    happened = set(frame.loc[frame["value"] > 0, "metric"])
    if "joker" not in happened:
        return "The score is the penalty of a deal: lower is better."
    penalty = ", or the penalty in variants that count penalties" if "limit" in happened else ""
    return f"The score is the player's points minus the joker's{penalty}."


def csv(frame: pd.DataFrame) -> str:
    """The summary for a spreadsheet: value, low and high per estimate; undefined are empty."""
    import pandas as pd

    columns = shown_columns(frame)
    units = [unit for unit in UNITS if unit in set(frame["unit"])]
    rows: list[dict[str, object]] = []
    for (variant, a, b), matchup in table.matchups(frame):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        for unit in units:
            row[UNITS[unit]] = _count(matchup, unit)
        for column in columns:
            row |= _spread(matchup, column)
        rows.append(row)
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")


def _count(rows: pd.DataFrame, unit: str) -> int:
    return int(rows.loc[rows["unit"] == unit, "n"].iloc[0])


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _cell(rows: pd.DataFrame, column: Column) -> str:
    return estimate(*table.cell(rows, column.metric), column.factor)


def _spread(rows: pd.DataFrame, column: Column) -> dict[str, str]:
    value, low, high = (column.factor * x for x in table.cell(rows, column.metric))
    names = (column.key, f"{column.key}_low", f"{column.key}_high")
    if math.isnan(value):
        return dict.fromkeys(names, "")
    half = (high - low) / 2
    numbers = [number(x, half) for x in (value, low, high)]
    return dict(zip(names, numbers, strict=True))
