"""Summary tables of matchups with 95 % confidence intervals, for reports and the terminal.

Deals won, points per deal and matches won are shown next to each other because their signs can
differ (docs/explanation/statistics.md#traps).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simgin.core.sums import WON_KINDS
from simgin.report.numbers import DASH, estimate, number
from simgin.report.table import Column, Table, listed
from simgin.stats import metrics, table
from simgin.stats.metrics import BY_NAME, ONE, SHOWN, TWO, WINS
from simgin.text.amounts import UNITS, span

if TYPE_CHECKING:
    import pandas as pd

    from simgin.stats.table import ByMetric, Tidy

# Relative tolerance below which a settlement equals the sum of its deals' points
ADDED_UP = 1e-6
MOST_ROWS = 18  # with the text, they fill two screens of 24 lines
READING = f"± and brackets are 95 % intervals; {DASH} means too few deals to estimate."


# Columns


def roles(tidy: Tidy) -> tuple[str, ...]:
    """Return the headings of the players: A and B, or `strategy` in solitaire variants."""
    return ("A", "B") if any(row["opponent"] for row in table.rows_of(tidy)) else ("strategy",)


def has_sides(tidy: Tidy) -> bool:
    """Return True if two different players meet and the rows state how each of them won."""
    return any(
        row["opponent"] not in ("", row["strategy"]) and row["metric"] == "lost_gin"
        for row in table.rows_of(tidy)
    )


def shown(tidy: Tidy) -> list[Column]:
    """Return the columns of the metrics that are informative for tidy rows.

    Deal endings are given for A and B separately if two different players meet, and otherwise for
    either player.
    """
    found = []
    sides = has_sides(tidy)
    for name in _known(tidy):
        if name in WON_KINDS and sides:
            found += [_column(f"won_{name}", "A "), _column(f"lost_{name}", "B ")]
        else:
            found.append(_column(name))
    return found


def _column(name: str, side: str = "") -> Column:
    """Return the column of a metric; a win of B (`side`) is a loss of A."""
    won = BY_NAME[name.replace("lost_", "won_")] if side else BY_NAME[name]
    return Column(name, f"{side}{won.title}", factor=won.factor)


def _known(tidy: Tidy) -> list[str]:
    matchups = [rows for _, rows in table.matchups(tidy)]
    players = len(roles(tidy))
    return [name for name in SHOWN if _says(name, matchups, players)]


def _says(name: str, matchups: Sequence[ByMetric], players: int) -> bool:
    if all(name not in rows for rows in matchups):
        return False  # no matches were played
    if name in ("match_win", "goal_met") and players == 1:
        # If every win is by reaching the goal, both columns would be equal
        return all(_value(rows, "goal_met") >= 0 for rows in matchups) == (name == "goal_met")
    if name == "settlement":
        return any(_settles(rows) for rows in matchups)
    if players in SHOWN[name] or (SHOWN[name] in (ONE, TWO) and name in WINS):
        return players in SHOWN[name]
    return any(_value(rows, name) > 0 for rows in matchups)


def _value(rows: ByMetric, metric: str) -> float:
    return table.cell(rows, metric)[0]


def _settles(rows: ByMetric) -> bool:
    """Return True if matches pay more than the points of their deals, such as bonuses."""
    settlement = _value(rows, "settlement")
    points = _value(rows, "margin") * _value(rows, "deals_per_match")
    is_sum = math.isclose(settlement, points, rel_tol=ADDED_UP, abs_tol=ADDED_UP)
    return not (math.isnan(settlement) or is_sum)


# DataFrame with one row per matchup


def wide(tidy: Tidy) -> pd.DataFrame:
    """Return a DataFrame with one row per matchup and bounds for every metric.

    Columns: variant, strategy, opponent, played (the sample size), and for every metric its value
    and the 95 % confidence bounds NAME_low and NAME_high.
    """
    rows = []
    for (variant, a, b), matchup in table.matchups(tidy):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        row["played"] = played(matchup)
        for name in matchup:
            row |= _limits(matchup, name)
        rows.append(row)
    return table.frame_of(rows)


def _limits(matchup: ByMetric, name: str) -> dict[str, float]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), table.cell(matchup, name), strict=True))


def played(*matchups: ByMetric) -> str:
    """Return the sample size: `200,000 deals` or `2,000 matches (20,412 to 20,980 deals)`.

    Several matchups give a range.
    """
    deals = span([_count(rows, metrics.DEAL) for rows in matchups])
    if not any(_count(rows, metrics.MATCH) for rows in matchups):
        return f"{deals} deals"
    matches = span([_count(rows, metrics.MATCH) for rows in matchups])
    return f"{matches} matches ({deals} deals)"


def _count(rows: ByMetric, unit: str) -> int:
    return max([int(row["n"]) for row in rows.values() if row["unit"] == unit], default=0)


def results(tidy: Tidy) -> Table:
    """Return the summary: one row per matchup of tidy rows."""
    players = [*zip(("strategy", "opponent"), roles(tidy), strict=False)]
    names = [Column(*pair) for pair in (("variant", "variant"), *players, ("played", "played"))]
    return Table("Results", wide(tidy), [*names, *shown(tidy)], f"{reading(tidy)} {READING}")


def reading(tidy: Tidy) -> str:
    """Return a note on whose wins, points and endings the summary counts."""
    if len(roles(tidy)) == 1:
        return _reading_solo(tidy)
    sentences = ["Wins are A's; points are A's minus B's."]
    if not has_sides(tidy):
        sentences.append("Endings are by either player.")
    if "settlement" in _known(tidy):
        sentences.append("The settlement is what A receives for a match, bonuses included.")
    return " ".join(sentences)


def _reading_solo(tidy: Tidy) -> str:
    happened = _happened(tidy)
    if "joker" not in happened:
        return "The score is the penalty of a deal: lower is better."
    penalty = ", or the penalty in variants that count penalties" if "limit" in happened else ""
    return f"The score is the player's points minus the joker's{penalty}."


def _happened(tidy: Tidy) -> set[str]:
    """Return the metrics whose value is above 0 for either player."""
    return {row["metric"] for row in table.rows_of(tidy) if row["value"] > 0}


def csv(tidy: Tidy) -> str:
    """Return the summary as CSV with 95 % bounds for every metric; undefined ones are empty."""
    sides = ("", "won_", "lost_") if len(roles(tidy)) == 2 else ("",)
    names = [f"{s}{n}" for n in _known(tidy) for s in (sides if n in WON_KINDS else ("",))]
    present = [unit for unit in UNITS if unit in {row["unit"] for row in table.rows_of(tidy)}]
    rows = []
    for (variant, a, b), matchup in table.matchups(tidy):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        row |= {UNITS[unit]: _count(matchup, unit) for unit in present}
        for name in names:
            row |= _spread(matchup, name)
        rows.append(row)
    return table.frame_of(rows).to_csv(index=False, lineterminator="\n")


def _spread(matchup: ByMetric, name: str) -> dict[str, str]:
    metric = BY_NAME[name]
    value, low, high = (metric.factor * x for x in table.cell(matchup, name))
    half = (high - low) / 2
    texts = ["" if math.isnan(value) else number(x, half) for x in (value, low, high)]
    return dict(zip((metric.key, f"{metric.key}_low", f"{metric.key}_high"), texts, strict=True))


# Terminal


def on_screen(tidy: Tidy, seed: int) -> Table:
    """Return the main metrics: one column per player, or one row for each of several matchups."""
    (names, matchup), *others = table.matchups(tidy)
    if others:
        return _several(tidy, seed)
    variant, *players = names
    size = f"{played(matchup)}, seed {seed}"
    if has_sides(tidy):
        return _by_player(tidy, f"{' against '.join(players)}, {variant}, {size}")
    a = players[0]
    who = " against ".join(filter(None, players))
    metrics = [column.name for column in shown(tidy)]
    return _listed(f"{who}, {variant}, {size}", {a: matchup}, metrics)


def _several(tidy: Tidy, seed: int) -> Table:
    """Return a table with one row per matchup; names common to all matchups are in the title."""
    told = wide(tidy)
    names = dict(zip(("variant", "strategy", "opponent"), ("variant", *roles(tidy)), strict=False))
    common = {name: told[name].iloc[0] for name in names if told[name].nunique() == 1}
    size = f"{played(*(rows for _, rows in table.matchups(tidy)))} each, seed {seed}"
    title = "; ".join([*(f"{names[name]}: {text}" for name, text in common.items()), size])
    columns = [Column(name, names[name]) for name in names if name not in common]
    columns += [column for column in shown(tidy) if column.name in WINS]
    left = len(told) - MOST_ROWS
    more = f"... and {left} more\n" if left > 0 else ""
    return Table(title, told[:MOST_ROWS], columns, f"{more}{reading(tidy)} {READING}")


def _by_player(tidy: Tidy, title: str) -> Table:
    """Return a table with both players of a matchup next to each other."""
    won = _happened(tidy)
    ways = [f"won_{kind}" for kind in WON_KINDS if f"won_{kind}" in won]
    sides: dict[str, list[dict[str, Any]]] = {}
    for row in table.rows_of(tidy):
        sides.setdefault(row["strategy"], []).append(row)
    players = {name: table.by_metric(rows) for name, rows in sides.items()}
    return _listed(title, players, [*(name for name in WINS if name in _known(tidy)), *ways])


def _listed(title: str, players: dict[str, ByMetric], names: Sequence[str]) -> Table:
    """Return a table with one column per player and one row per metric."""
    known = [BY_NAME[name] for name in names]
    rows = [
        (one.title, *(estimate(*table.cell(p, one.name), one.factor) for p in players.values()))
        for one in known
    ]
    return listed(title, ("metric", *players), rows, READING)


def details(tidy: Tidy) -> Table:
    """Return every metric of the first matchup, for player A, with its meaning."""
    (variant, *names), rows = next(iter(table.matchups(tidy)))
    players = " against ".join(name for name in names if name)
    known = [row for row in rows.values() if not math.isnan(row["value"])]
    never = [row for row in known if BY_NAME[row["metric"]].share and row["value"] == 0]
    undefined = [name for name, row in rows.items() if math.isnan(row["value"])]
    notes = []
    if never:
        most = max(row["high"] for row in never)
        limit = number(most, most)
        seen = ", ".join(row["metric"] for row in never)
        notes.append(f"Never seen: {seen} (each rate below {limit}, 95 %).")
    if undefined:
        notes.append(f"Too few deals to estimate: {', '.join(undefined)}.")
    told = [row | {"meaning": BY_NAME[row["metric"]].meaning} for row in known if row not in never]
    columns = [Column("metric", "metric"), Column("value", "value"), Column("meaning", "meaning")]
    title = f"{players}, {variant}, {played(rows)}: all metrics with 95 % intervals"
    return Table(title, table.frame_of(told), columns, "\n".join(notes))
