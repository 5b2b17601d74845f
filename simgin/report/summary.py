"""Results for people: one row a matchup, every estimate with its error, as CSV and Markdown (simgin.report.screen prints it).

Deals won, points per deal and matches won stand together, because they can differ in sign (METRICS section 9, trap 1).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simgin.stats import metrics, table

if TYPE_CHECKING:
    import pandas as pd

DASH = "–"  # noqa: RUF001  what is printed where too little was played
# Significant digits of the error that are printed; the value gets as many decimals
ERROR_DIGITS = 2
# An interval whose two arms differ by more than this share of its width is printed as an interval
LOPSIDED = 0.05


TWO, ONE, BOTH = (2,), (1,), (1, 2)
# Relative: settlements nearer than this to the points of the deals are those points
ADDED_UP = 1e-6


@dataclass(frozen=True)
class Column:
    """One column of the summary: a metric, what people call it, whether it is printed in per cent, and where it is shown."""

    metric: str
    title: str
    key: str  # its name in summary.csv
    percent: bool
    players: tuple[int, ...] = BOTH  # the games that can have it
    always: tuple[int, ...] = BOTH  # those that show it always; others only where it was ever seen

    @property
    def factor(self) -> int:
        """What values are multiplied by before they are printed."""
        return 100 if self.percent else 1


COLUMNS = (
    Column("deal_win", "deals won %", "deals_won_pct", True),
    Column("margin", "points/deal", "points_per_deal", False, TWO),
    Column("score", "score/deal", "score_per_deal", False, ONE),
    Column("match_win", "matches won %", "matches_won_pct", True),
    Column("goal_met", "goal met %", "goal_met_pct", True, ONE),
    Column("settlement", "settlement", "settlement", False, TWO),
    Column("gin", "gin %", "gin_pct", True),
    Column("big_gin", "big gin %", "big_gin_pct", True, always=()),
    Column("shot", "shot %", "shot_pct", True, always=()),
    Column("knock", "knock %", "knock_pct", True, always=TWO),
    Column("undercut", "undercut %", "undercut_pct", True, always=TWO),
    Column("even", "even %", "even_pct", True, always=()),
    Column("void", "void %", "void_pct", True, always=TWO),
    Column("refused", "refused %", "refused_pct", True, always=()),
    Column("joker", "joker %", "joker_pct", True, always=()),
    Column("limit", "limit %", "limit_pct", True, always=()),
    Column("stalled", "stalled %", "stalled_pct", True, always=()),
    Column("turns", "turns", "turns", False),
)


def number(value: float, error: float) -> str:
    """`value` with as many decimals as the first two digits of `error` take; nothing at all is `0`."""
    if value == 0:
        return "0"
    decimals = _decimals(error)
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # the sum turns minus zero into zero


def estimate(value: float, low: float, high: float, factor: int = 1) -> str:
    """`50.12 ± 0.14`, or `0.0012 (0.0003 to 0.0044)` where the interval is lopsided, or a dash where undefined."""
    if math.isnan(value + low + high):
        return DASH
    value, low, high = factor * value, factor * low, factor * high
    half = (high - low) / 2
    if abs((high - value) - (value - low)) > LOPSIDED * 2 * half:
        return f"{number(value, half)} ({number(low, half)} to {number(high, half)})"
    return f"{number(value, half)} ± {number(half, half)}"


def played(*matchups: pd.DataFrame) -> str:
    """`200,000 deals`, or `2,000 matches (20,412 to 20,980 deals)`, from the rows of one matchup or the range over several."""
    deals = _range([_played(rows, metrics.DEAL) for rows in matchups]) + " deals"
    if any(metrics.MATCH in set(rows["unit"]) for rows in matchups):
        return f"{_range([_played(rows, metrics.MATCH) for rows in matchups])} matches ({deals})"
    return deals


def texts(frame: pd.DataFrame) -> list[dict[str, str]]:
    """One dictionary of column title -> text for every matchup of a tidy frame; what was played stands before the columns."""
    columns, roles = shown(frame), players(frame)
    return [
        {"variant": key[0], **dict(zip(roles, key[1:], strict=False)), "played": played(rows)}
        | {column.title: _cell(rows, column) for column in columns}
        for key, rows in table.matchups(frame)
    ]


def players(frame: pd.DataFrame) -> tuple[str, ...]:
    """What people call who plays: A and B, or the strategy where every game is for one."""
    return ("A", "B") if (frame["opponent"] != "").any() else ("strategy",)


def shown(frame: pd.DataFrame) -> tuple[Column, ...]:
    """The columns that say something about this frame."""
    games, n = [rows for _, rows in table.matchups(frame)], len(players(frame))
    return tuple(
        column for column in COLUMNS if n in column.players and _says_something(column, games, n)
    )


def _says_something(column: Column, games: Sequence[pd.DataFrame], n: int) -> bool:
    if all(column.metric not in rows.index for rows in games):
        return False  # no matches were played
    if column.metric in ("match_win", "goal_met") and n == 1:
        return _goals_alone(games) == (column.metric == "goal_met")
    if column.metric == "settlement":
        return any(_settles(rows) for rows in games)
    return n in column.always or any(table.cell(rows, column.metric)[0] > 0 for rows in games)


def _goals_alone(games: Sequence[pd.DataFrame]) -> bool:
    """Whether every match is won by meeting a goal: then the two columns would be the same."""
    return not any(math.isnan(table.cell(rows, "goal_met")[0]) for rows in games)


def _settles(rows: pd.DataFrame) -> bool:
    """Whether matches are paid by anything but the points of their deals added up: by bonuses, or in columns."""
    paid, margin, deals = (
        table.cell(rows, metric)[0] for metric in ("settlement", "margin", "deals_per_match")
    )
    return not math.isnan(paid) and not math.isclose(
        paid, margin * deals, rel_tol=ADDED_UP, abs_tol=ADDED_UP
    )


def markdown(frame: pd.DataFrame) -> str:
    """The summary as a Markdown table, with a line that says how to read it."""
    rows = texts(frame)
    lines = [
        line(list(rows[0])),
        line(["---"] * len(rows[0])),
        *(line(list(row.values())) for row in rows),
    ]
    return "\n".join([*lines, "", reading(frame), ""])


def reading(frame: pd.DataFrame) -> str:
    """How the summary is to be read, in a few sentences."""
    sentences = ["Everything is seen by A: won is won by A, points per deal are A's minus B's."]
    if len(players(frame)) == 1:
        sentences = [_reading_alone(frame)]
    elif any(column.metric == "settlement" for column in shown(frame)):
        sentences.append("The settlement is what A receives for a match, bonuses included.")
    return " ".join(
        [
            *sentences,
            f"± and brackets are 95 % intervals; {DASH} means too little was played to say.",
        ]
    )


def _reading_alone(frame: pd.DataFrame) -> str:
    joker, limit = (
        (frame.loc[frame["metric"] == kind, "value"] > 0).any() for kind in ("joker", "limit")
    )
    if joker:
        return f"The score is the player's points minus the joker's{', or the penalty where penalties are counted' if limit else ''}."
    return "The score is the penalty of a deal: low is good."


def csv(frame: pd.DataFrame) -> str:
    """The summary for a spreadsheet: every estimate in three columns, value, low and high; undefined cells empty."""
    import pandas as pd

    columns = shown(frame)
    units = [unit for unit in (metrics.DEAL, metrics.MATCH) if unit in set(frame["unit"])]
    rows: list[dict[str, object]] = []
    for (variant, a, b), seen in table.matchups(frame):
        rows.append({"variant": variant, "strategy": a, "opponent": b})
        rows[-1] |= {_PLAYED[unit]: _played(seen, unit) for unit in units}
        for column in columns:
            rows[-1] |= _spread(seen, column)
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")


def fold(name: str, width: int) -> list[str]:
    """The lines of a name, folded before + and after a space, else before : # /, and inside a part only where it must be."""
    lines = [""]
    for part in _parts(name, width):
        if lines[-1] and len((lines[-1] + part).rstrip()) > width:
            lines.append("")
        lines[-1] += part
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines]


def _parts(name: str, width: int) -> Iterator[str]:
    for part in re.findall(r"\+?[^+ ]+ ?|.", name):
        yield from [part] if len(part.rstrip()) <= width else re.findall(r"[:#/]?[^:#/]+|.", part)


_PLAYED = {metrics.DEAL: "deals", metrics.MATCH: "matches"}


def _played(rows: pd.DataFrame, unit: str) -> int:
    return int(rows.loc[rows["unit"] == unit, "n"].iloc[0])


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _decimals(error: float) -> int:
    if error <= 0:
        return 2
    return max(0, min(12, ERROR_DIGITS - 1 - math.floor(math.log10(error))))


def _cell(rows: pd.DataFrame, column: Column) -> str:
    return estimate(*table.cell(rows, column.metric), column.factor)


def _spread(rows: pd.DataFrame, column: Column) -> dict[str, str]:
    value, low, high = (column.factor * x for x in table.cell(rows, column.metric))
    names = (column.key, f"{column.key}_low", f"{column.key}_high")
    if math.isnan(value):
        return dict.fromkeys(names, "")
    return {
        name: number(x, (high - low) / 2) for name, x in zip(names, (value, low, high), strict=True)
    }


def line(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return (
        "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
    )  # a path may have a bar
