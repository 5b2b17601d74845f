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
from simgin.report.table import markdown_table
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
    it never happened; the others show it only where it did. ending: the kind of ending that it
    counts, if it is one that somebody wins by. side: whose wins of that kind; empty: of either.
    """

    metric: str
    key: str  # column name in summary.csv
    players: tuple[int, ...] = BOTH
    always: tuple[int, ...] = BOTH
    ending: str = ""
    side: str = ""  # "A" or "B"

    @property
    def title(self) -> str:
        """The heading: `deals won %`, `A won by gin %`."""
        if self.side:
            won = metrics.BY_NAME[f"won_{self.ending}"]
            return f"{self.side} {won.title}"
        return metrics.BY_NAME[self.metric].title

    @property
    def factor(self) -> int:
        """What values are multiplied by before they are printed."""
        return metrics.BY_NAME[self.metric].factor


def _ending(kind: str, *, always: tuple[int, ...] = ()) -> tuple[Column, ...]:
    """How many deals end in a way that somebody wins by: in all, by A and by B."""
    return (
        Column(kind, f"{kind}_pct", BOTH, always, kind),
        Column(f"won_{kind}", f"a_won_{kind}_pct", TWO, always, kind, "A"),
        Column(f"lost_{kind}", f"b_won_{kind}_pct", TWO, always, kind, "B"),
    )


SUMMARY_COLUMNS = (
    Column("deal_win", "deals_won_pct"),
    Column("margin", "points_per_deal", TWO),
    Column("score", "score_per_deal", ONE),
    Column("match_win", "matches_won_pct"),
    Column("goal_met", "goal_met_pct", ONE),
    Column("settlement", "settlement", TWO),
    *_ending("gin", always=BOTH),
    *_ending("big_gin"),
    *_ending("shot"),
    *_ending("knock", always=TWO),
    *_ending("undercut", always=TWO),
    Column("even", "even_pct", always=()),
    Column("void", "void_pct", always=TWO),
    *_ending("refused"),
    Column("joker", "joker_pct", always=()),
    Column("limit", "limit_pct", always=()),
    Column("stalled", "stalled_pct", always=()),
    Column("turns", "turns"),
)


def played(*matchups: pd.DataFrame) -> str:
    """`200,000 deals`, or `2,000 matches (20,412 to 20,980 deals)` over several matchups."""
    deals = _range([_count(rows, metrics.DEAL) for rows in matchups])
    if not any(_has_matches(rows) for rows in matchups):
        return f"{deals} deals"
    matches = _range([_count(rows, metrics.MATCH) for rows in matchups])
    return f"{matches} matches ({deals} deals)"


def texts(frame: pd.DataFrame) -> list[dict[str, str]]:
    """One dictionary per matchup of a tidy frame: heading -> text, identity and size first."""
    columns = shown_columns(frame)
    names = roles(frame)
    rows = []
    for (variant, *players), matchup in table.matchups(frame):
        row = {"variant": variant}
        row |= zip(names, players, strict=False)
        row["played"] = played(matchup)
        for column in columns:
            row[column.title] = _cell(matchup, column)
        rows.append(row)
    return rows


def roles(frame: pd.DataFrame) -> tuple[str, ...]:
    """Headings of the players: A and B, or `strategy` where every matchup is for one player."""
    two_players = frame["opponent"] != ""
    return ("A", "B") if two_players.any() else ("strategy",)


def shown_columns(frame: pd.DataFrame) -> tuple[Column, ...]:
    """The columns of a table about a tidy frame.

    Endings are A's and B's where two players meet, and either's where each plays itself or alone.
    """
    apart = has_sides(frame)
    shown = []
    for column in known_columns(frame):
        if not column.ending or bool(column.side) == apart:
            shown.append(column)
    return tuple(shown)


def has_sides(frame: pd.DataFrame) -> bool:
    """Whether two different players meet in a tidy frame, and it says who won in which way."""
    b = frame["opponent"]
    met_another = (b != "") & (b != frame["strategy"])
    says_how = frame["metric"] == "lost_gin"
    return bool((met_another & says_how).any())


def known_columns(frame: pd.DataFrame) -> tuple[Column, ...]:
    """The columns with something to say about a tidy frame: those of summary.csv."""
    matchups = [rows for _, rows in table.matchups(frame)]
    players = len(roles(frame))
    known = []
    for column in SUMMARY_COLUMNS:
        if players in column.players and _is_known(column, matchups, players):
            known.append(column)
    return tuple(known)


def _is_known(column: Column, matchups: Sequence[pd.DataFrame], players: int) -> bool:
    metric = column.metric
    if all(metric not in rows.index for rows in matchups):
        return False  # no matches were played
    if metric in ("match_win", "goal_met") and players == 1:
        return _goal_decides(matchups) == (metric == "goal_met")
    if metric == "settlement":
        return any(_settles(rows) for rows in matchups)
    if players in column.always:
        return True
    counted = column.ending or metric
    return any(_value(rows, counted) > 0 for rows in matchups)


def _value(rows: pd.DataFrame, metric: str) -> float:
    value, _, _ = table.cell(rows, metric)
    return value


def _goal_decides(matchups: Sequence[pd.DataFrame]) -> bool:
    """Whether meeting a goal wins every match of one player; both columns would then be equal."""
    return not any(map(math.isnan, [_value(rows, "goal_met") for rows in matchups]))


def _settles(rows: pd.DataFrame) -> bool:
    """Whether matches pay anything but the points of their deals: bonuses, or columns."""
    settlement = _value(rows, "settlement")
    if math.isnan(settlement):
        return False
    points = _value(rows, "margin") * _value(rows, "deals_per_match")
    return not math.isclose(settlement, points, rel_tol=ADDED_UP, abs_tol=ADDED_UP)


def markdown(frame: pd.DataFrame) -> str:
    """The summary as a Markdown table, followed by how to read it."""
    rows = texts(frame)
    lines = markdown_table(list(rows[0]), [list(row.values()) for row in rows])
    lines += ["", reading(frame), ""]
    return "\n".join(lines)


def reading(frame: pd.DataFrame) -> str:
    """How to read the summary, in a few sentences."""
    if len(roles(frame)) == 1:
        sentences = [_reading_solo(frame)]
    else:
        sentences = ["Wins are A's; points are A's minus B's."]
        if not has_sides(frame):
            sentences.append("Endings are by either player.")
        if "settlement" in {column.metric for column in shown_columns(frame)}:
            sentences.append("The settlement is what A receives for a match, bonuses included.")
    sentences.append(f"± and brackets are 95 % intervals; {DASH} means too few deals to estimate.")
    return " ".join(sentences)


def _reading_solo(frame: pd.DataFrame) -> str:
    is_positive = frame["value"] > 0
    happened = set(frame.loc[is_positive, "metric"])
    if "joker" not in happened:
        return "The score is the penalty of a deal: lower is better."
    penalty = ", or the penalty in variants that count penalties" if "limit" in happened else ""
    return f"The score is the player's points minus the joker's{penalty}."


def csv(frame: pd.DataFrame) -> str:
    """The summary for a spreadsheet: value, low and high per estimate; undefined are empty."""
    import pandas as pd

    columns = known_columns(frame)
    present = set(frame["unit"])
    units = [unit for unit in UNITS if unit in present]
    rows = []
    for (variant, a, b), matchup in table.matchups(frame):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        for unit in units:
            row[UNITS[unit]] = _count(matchup, unit)
        for column in columns:
            row |= _spread(matchup, column)
        rows.append(row)
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")


def _has_matches(rows: pd.DataFrame) -> bool:
    return metrics.MATCH in set(rows["unit"])


def _count(rows: pd.DataFrame, unit: str) -> int:
    of_unit = rows["unit"] == unit
    return int(rows.loc[of_unit, "n"].iloc[0])


def _range(counts: list[int]) -> str:
    low = min(counts)
    high = max(counts)
    if low == high:
        return f"{low:,}"
    return f"{low:,} to {high:,}"


def _cell(rows: pd.DataFrame, column: Column) -> str:
    value, low, high = table.cell(rows, column.metric)
    return estimate(value, low, high, column.factor)


def _spread(rows: pd.DataFrame, column: Column) -> dict[str, str]:
    key = column.key
    value, low, high = (column.factor * x for x in table.cell(rows, column.metric))
    if math.isnan(value):
        return {key: "", f"{key}_low": "", f"{key}_high": ""}
    half = (high - low) / 2
    return {
        key: number(value, half),
        f"{key}_low": number(low, half),
        f"{key}_high": number(high, half),
    }
