"""The summary of matchups: a row each, estimates with 95 % intervals; what a screen shows of it.

Deals won, points per deal and matches won stand side by side, because they can differ in sign
(docs/explanation/statistics.md#traps).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.core.sums import WON_KINDS
from simgin.report.numbers import DASH, estimate, number
from simgin.report.table import Column, Table
from simgin.stats import metrics, table
from simgin.stats.metrics import BY_NAME, ONE, SHOWN, TWO, WINS
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

# Relative: a settlement nearer than this to the points of its deals is those points
ADDED_UP = 1e-6
MOST_ROWS = 18  # of a screen: with the words they fill two of 24 lines
READING = f"± and brackets are 95 % intervals; {DASH} means too few deals to estimate."


# What is shown


def roles(frame: pd.DataFrame) -> tuple[str, ...]:
    """Headings of the players: A and B, or `strategy` where every matchup is for one player."""
    return ("A", "B") if (frame["opponent"] != "").any() else ("strategy",)


def has_sides(frame: pd.DataFrame) -> bool:
    """Whether two different players meet in a tidy frame, and it says who won in which way."""
    met_another = (frame["opponent"] != "") & (frame["opponent"] != frame["strategy"])
    return bool((met_another & (frame["metric"] == "lost_gin")).any())


def shown(frame: pd.DataFrame) -> list[Column]:
    """The metrics with something to say about a tidy frame.

    Endings are A's and B's where two players meet, and either's where each plays itself or alone.
    """
    found = []
    for name in _known(frame):
        if name in WON_KINDS and has_sides(frame):
            found += [_column(f"won_{name}", "A "), _column(f"lost_{name}", "B ")]
        else:
            found.append(_column(name))
    return found


def _column(name: str, side: str = "") -> Column:
    """A metric; that B wins so is what A loses to."""
    won = BY_NAME[name.replace("lost_", "won_")] if side else BY_NAME[name]
    return Column(name, f"{side}{won.title}", factor=won.factor, better=won.better)


def _known(frame: pd.DataFrame) -> list[str]:
    matchups = [rows for _, rows in table.matchups(frame)]
    return [name for name in SHOWN if _says(name, matchups, len(roles(frame)))]


def _says(name: str, matchups: Sequence[pd.DataFrame], players: int) -> bool:
    if all(name not in rows.index for rows in matchups):
        return False  # no matches were played
    if name in ("match_win", "goal_met") and players == 1:
        # Meeting the goal may win every match; both columns would then be equal
        return all(_value(rows, "goal_met") >= 0 for rows in matchups) == (name == "goal_met")
    if name == "settlement":
        return any(_settles(rows) for rows in matchups)
    if players in SHOWN[name] or (SHOWN[name] in (ONE, TWO) and name in WINS):
        return players in SHOWN[name]
    return any(_value(rows, name) > 0 for rows in matchups)


def _value(rows: pd.DataFrame, metric: str) -> float:
    return table.cell(rows, metric)[0]


def _settles(rows: pd.DataFrame) -> bool:
    """Whether matches pay anything but the points of their deals: bonuses, or columns."""
    settlement = _value(rows, "settlement")
    points = _value(rows, "margin") * _value(rows, "deals_per_match")
    is_sum = math.isclose(settlement, points, rel_tol=ADDED_UP, abs_tol=ADDED_UP)
    return not (math.isnan(settlement) or is_sum)


# The frame, a row a matchup


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a matchup: variant, strategy, opponent, what was played, every metric with limits."""
    import pandas as pd

    rows = []
    for (variant, a, b), matchup in table.matchups(frame):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        row["played"] = played(matchup)
        for name in matchup.index:
            row |= _limits(matchup, str(name))
        rows.append(row)
    return pd.DataFrame(rows)


def _limits(matchup: pd.DataFrame, name: str) -> dict[str, float]:
    limits = table.cell(matchup, name)
    return dict(zip((name, f"{name}_low", f"{name}_high"), limits, strict=True))


def played(*matchups: pd.DataFrame) -> str:
    """`200,000 deals`, or `2,000 matches (20,412 to 20,980 deals)` over several matchups."""
    deals = _range([_count(rows, metrics.DEAL) for rows in matchups])
    if not any(_count(rows, metrics.MATCH) for rows in matchups):
        return f"{deals} deals"
    matches = _range([_count(rows, metrics.MATCH) for rows in matchups])
    return f"{matches} matches ({deals} deals)"


def _count(rows: pd.DataFrame, unit: str) -> int:
    return int(rows.loc[rows["unit"] == unit, "n"].max() if unit in set(rows["unit"]) else 0)


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def results(frame: pd.DataFrame, title: str = "Results") -> Table:
    """The summary: one row per matchup of a tidy frame."""
    players = [*zip(("strategy", "opponent"), roles(frame), strict=False)]
    names = [Column(*pair) for pair in (("variant", "variant"), *players, ("played", "played"))]
    return Table(title, wide(frame), [*names, *shown(frame)], f"{reading(frame)} {READING}")


def reading(frame: pd.DataFrame) -> str:
    """What the figures of the summary count."""
    if len(roles(frame)) == 1:
        return _reading_solo(frame)
    sentences = ["Wins are A's; points are A's minus B's."]
    if not has_sides(frame):
        sentences.append("Endings are by either player.")
    if "settlement" in _known(frame):
        sentences.append("The settlement is what A receives for a match, bonuses included.")
    return " ".join(sentences)


def _reading_solo(frame: pd.DataFrame) -> str:
    happened = set(frame.loc[frame["value"] > 0, "metric"])
    if "joker" not in happened:
        return "The score is the penalty of a deal: lower is better."
    penalty = ", or the penalty in variants that count penalties" if "limit" in happened else ""
    return f"The score is the player's points minus the joker's{penalty}."


def csv(frame: pd.DataFrame) -> str:
    """The summary for a spreadsheet: value, low and high per estimate; undefined are empty."""
    import pandas as pd

    sides = ("", "won_", "lost_") if len(roles(frame)) == 2 else ("",)
    names = [f"{s}{n}" for n in _known(frame) for s in (sides if n in WON_KINDS else ("",))]
    present = [unit for unit in UNITS if unit in set(frame["unit"])]
    rows = []
    for (variant, a, b), matchup in table.matchups(frame):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        row |= {UNITS[unit]: _count(matchup, unit) for unit in present}
        for name in names:
            row |= _spread(matchup, name)
        rows.append(row)
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")


def _spread(matchup: pd.DataFrame, name: str) -> dict[str, str]:
    metric = BY_NAME[name]
    value, low, high = (metric.factor * x for x in table.cell(matchup, name))
    half = (high - low) / 2
    texts = ["" if math.isnan(value) else number(x, half) for x in (value, low, high)]
    return dict(zip((metric.key, f"{metric.key}_low", f"{metric.key}_high"), texts, strict=True))


# A screen


def on_screen(frame: pd.DataFrame, seed: int) -> Table:
    """The main figures: a column a player, or a row a matchup if there are more."""
    matchups = [rows for _, rows in table.matchups(frame)]
    told = wide(frame)
    names = dict(zip(("variant", "strategy", "opponent"), ("variant", *roles(frame)), strict=False))
    common = {name: told[name].iloc[0] for name in names if told[name].nunique() == 1}
    size = f"{played(*matchups)}{' each' * (len(matchups) > 1)}, seed {seed}"
    if len(matchups) == 1:
        variant, *players = common.values()
        who = " against ".join(players)
        title = f"{who}, {variant}, {size}"
        if has_sides(frame):
            return _by_player(frame, title)
        return _listed(title, {players[0]: (frame, [column.name for column in shown(frame)])})
    title = "; ".join([*(f"{names[name]}: {text}" for name, text in common.items()), size])
    columns = [Column(name, names[name]) for name in names if name not in common]
    columns += [column for column in shown(frame) if column.name in WINS]
    left = len(told) - MOST_ROWS
    more = f"... and {left} more\n" if left > 0 else ""
    return Table(title, told[:MOST_ROWS], columns, f"{more}{reading(frame)} {READING}")


def _by_player(frame: pd.DataFrame, title: str) -> Table:
    """Both players of a matchup side by side."""
    won = set(frame.loc[frame["value"] > 0, "metric"])
    ways = [f"won_{kind}" for kind in WON_KINDS if f"won_{kind}" in won]
    names = [*(name for name in WINS if name in _known(frame)), *ways]
    return _listed(
        title, {str(a): (rows, names) for a, rows in frame.groupby("strategy", sort=False)}
    )


def _listed(title: str, players: dict[str, tuple[pd.DataFrame, list[str]]]) -> Table:
    """A column a player, a row a metric."""
    import pandas as pd

    columns: dict[str, list[str]] = {}
    for player, (rows, names) in players.items():
        seen = rows.set_index("metric")
        columns["metric"] = [BY_NAME[name].title for name in names]
        columns[player] = [
            estimate(*table.cell(seen, name), BY_NAME[name].factor) for name in names
        ]
    headings = [Column("metric", "metric"), *(Column(player, player) for player in players)]
    return Table(title, pd.DataFrame(columns), headings, READING)


def details(frame: pd.DataFrame) -> Table:
    """Every metric of the first matchup of a frame, from A's side, with its meaning."""
    (variant, *names), rows = next(iter(table.matchups(frame)))
    players = " against ".join(name for name in names if name)
    known = rows[rows["value"].notna()].reset_index()
    is_share = np.array([BY_NAME[name].share for name in known["metric"]], dtype=bool)
    never = is_share & (known["value"] == 0)
    undefined = rows.index[rows["value"].isna()]
    notes = []
    if never.any():
        most = known.loc[never, "high"].max()
        limit = number(most, most)
        seen = ", ".join(known.loc[never, "metric"])
        notes.append(f"Never seen: {seen} (each rate below {limit}, 95 %).")
    if len(undefined):
        notes.append(f"Too few deals to estimate: {', '.join(undefined)}.")
    listed = known[~never].assign(meaning=lambda f: f["metric"].map(lambda n: BY_NAME[n].meaning))
    columns = [Column("metric", "metric"), Column("value", "value"), Column("meaning", "meaning")]
    title = f"{players}, {variant}, {played(rows)}: all metrics with 95 % intervals"
    return Table(title, listed, columns, "\n".join(notes))
