"""The tables of odds, as they are printed: variant by variant, then luck and skill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds import seats
from simgin.odds.odds import Odds
from simgin.report import numbers
from simgin.report.sheet import Sheet
from simgin.rules.variants import Variant, find

if TYPE_CHECKING:
    import pandas as pd

# Draws between the rows on a screen, and where there are few draws
EVERY = 5
EVERY_OF_FEW = 3
FEW_DRAWS = 20
TURNS = (0, 2, 4, 6)  # own turns after which a screen shows the chance by deadwood
WAYS = {"gin": "gone gin %", "knock": "knocked %", "joker": "met joker %"}
# Kinds of ending below this share are in the tables that are written, not on the screen
SEEN_OFTEN = 0.01

LUCK_NOTE = (
    "Gin on draw: of the strongest player, the median and the middle 80 %. Joker: how much of the "
    "variance of winning its place decides. Gap: deals won, the strongest less the weakest. Deals "
    "needed: what each of the two must play, on packs of their own, for their scores to show who "
    "is stronger (5 % test, 80 % power)."
)


def odds_sheets(odds: Odds) -> Iterator[Sheet]:
    """The tables for a terminal, variant by variant."""
    for variant, rows in odds.by_variant("strength"):
        yield _strength_sheet(find(variant), rows)
        course = _course_sheet(odds, variant)
        if course.rows:
            yield course
    if "gap" in odds.frames:
        yield _luck_sheet(odds)
    for variant, rows in odds.by_variant("seats"):
        yield _seats_sheet(find(variant), rows)
    for variant, rows in odds.by_variant("scores"):
        yield _scores_sheet(find(variant), rows)
    for variant, rows in odds.by_variant("counts"):
        yield _counts_sheet(variant, rows)


def _course_sheet(odds: Odds, variant: str) -> Sheet:
    """The odds of the strongest player by draws made and by cards left."""
    ended = odds.of_strongest("odds", variant)
    going_on = _going_on(odds, variant)
    kinds = _kinds_seen_often(ended)
    deck = max(going_on)
    last = int(ended["draws"].max())
    every = _every(last)
    lines = []
    for t in range(every, last + 1, every):
        left = deck - t
        if left not in going_on and t != last:
            continue
        at_draw = _where(ended, "draws", t)
        cells = []
        for kind in kinds:
            of_kind = _where(at_draw, "kind", kind)
            cells.append(_cell(of_kind, "share"))
        if left in going_on:
            row = going_on[left]
            cells.append(_written(row, "value"))
            cells.append(f"{row.n:,}")
        else:
            cells += [numbers.DASH, ""]
        lines.append((str(t), str(left), *cells))
    ways = [WAYS[kind] for kind in kinds]
    headings = ("draws", "left", *ways, "if not, won %", "deals")
    title = f"Odds by draws made and cards left, {odds.strongest[variant]}"
    return Sheet(title, headings, lines)


def _going_on(odds: Odds, variant: str) -> dict[int, Any]:
    """The strongest player's chance to win if the deal goes on, by the cards left."""
    left = odds.of_strongest("left", variant)
    win = _where(left, "metric", "win")
    going_on = {}
    for _, row in win.iterrows():
        cards = int(row["left"])
        going_on[cards] = row
    return going_on


def _luck_sheet(odds: Odds) -> Sheet:
    """What is luck and what is skill, a row for every variant."""
    rows = []
    for variant, gap in odds.by_variant("gap"):
        row = _luck_row(odds, variant, gap)
        rows.append(row)
    headings = ("variant", "gin on draw", "joker %", "gap %", "deals needed")
    return Sheet("Luck and skill", headings, rows, LUCK_NOTE)


def _luck_row(odds: Odds, variant: str, gap: pd.DataFrame) -> tuple[str, ...]:
    win = _where(gap, "metric", "win").iloc[0]
    score = _where(gap, "metric", "score").iloc[0]
    gin = odds.of_strongest("gin", variant)
    draw = numbers.DASH
    if len(gin):
        by_statistic = gin.set_index("statistic")
        quantiles = by_statistic["value"]
        draw = "{q50:.0f} ({q10:.0f} to {q90:.0f})".format(**quantiles)
    joker = odds.of_strongest("joker", variant)
    joker_win = _where(joker, "metric", "win")
    share = _cell(joker_win, "value")
    difference = _written(win, "value")
    needed = _size(score.own_packs, score.own_packs_low, score.own_packs_high)
    return variant, draw, share, difference, needed


def _kinds_seen_often(ended: pd.DataFrame) -> list[str]:
    """The kinds of ending that a screen shows."""
    kinds = []
    for kind, rows in ended.groupby("kind", sort=False):
        largest = rows["share"].max()
        if kind in WAYS and largest >= SEEN_OFTEN:
            kinds.append(str(kind))
    return kinds


def _every(last: int) -> int:
    """Draws between two rows of a screen."""
    if last <= FEW_DRAWS:
        return EVERY_OF_FEW
    return EVERY


def _strength_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    """Who wins how often, a row a player."""
    titles = {"win": "deal won %", "score": "score", "match": "match won %"}
    if variant.row["deal_scoring"] == "penalty":
        titles["score"] = "penalty"
    if variant.goal.total:
        titles["match"] = "goal met %"
    titles = _titles_shown(titles, rows)
    lines = []
    for name, own in rows.groupby("strategy", sort=False):
        cells = []
        for metric in titles:
            factor = 100
            if metric == "score":
                factor = 1
            of_metric = _where(own, "metric", metric)
            cells.append(_cell(of_metric, "value", factor))
        lines.append((str(name), *cells))
    deals = rows["n"].max()
    title = f"{variant.title} ({variant.text}), {deals:,} deals per strategy"
    headings = ("strategy", *titles.values())
    return Sheet(title, headings, lines)


def _titles_shown(titles: dict[str, str], rows: pd.DataFrame) -> dict[str, str]:
    """The headings of the metrics that occur in the rows."""
    metrics = set(rows["metric"])
    shown = {}
    for metric, title in titles.items():
        if metric in metrics:
            shown[metric] = title
    return shown


def _seats_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    titles = {"win": "deal won %", "nobody": "nobody's %", "match": "match won %"}
    titles = _titles_shown(titles, rows)
    lines = []
    by_seat = rows.groupby(["strategy", "seat"], sort=False)
    for (strategy, seat), own in by_seat:
        cells = []
        for metric in titles:
            of_metric = _where(own, "metric", metric)
            cells.append(_cell(of_metric, "value"))
        lines.append((str(strategy), str(seat), *cells))
    most = rows["n"].max()
    deals = f"{most:,} deals of each strategy against itself"
    return Sheet(
        f"{variant.title} ({variant.text}) by seat, {deals}",
        ("strategy", "seat", *titles.values()),
        lines,
        "Match: for the seat in the first deal, or for either seat if the rules treat them "
        "differently.",
    )


def _scores_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    """V at a few scores of the first strategy, the side with the points of the row to deal."""
    strategy = str(rows["strategy"].iloc[0])
    played = _where(rows, "strategy", strategy)
    own = _where(played, "dealer", 0)
    target = int(rows["a"].max()) + 1
    few = seats.grid(own, target)
    scores = sorted(set(few["a"]))
    lines = []
    for a in scores:
        at_a = _where(few, "a", a)
        cells = []
        for b in scores:
            at_score = _where(at_a, "b", b)
            cells.append(_cell(at_score, "value"))
        lines.append((str(a), *cells))
    return Sheet(
        f"Win probability by score, {strategy} against itself ({variant.text}), %",
        ("", *map(str, scores)),
        lines,
        "Rows: own points; columns: the opponent's. The side of the row deals. Every score is in "
        "scores.csv.",
    )


def _counts_sheet(variant: str, rows: pd.DataFrame) -> Sheet:
    """The chance to win the deal by deadwood after some turns, of the first strategy."""
    strategy = str(rows["strategy"].iloc[0])
    played = _where(rows, "strategy", strategy)
    is_shown = played["turn"].isin(TURNS)
    shown = played[is_shown]
    lines = []
    for count, own in shown.groupby("count"):
        cells = []
        for turn in TURNS:
            at_turn = _where(own, "turn", turn)
            cells.append(_cell(at_turn, "value"))
        lines.append((str(count), *cells))
    headings = [f"after {turn}" for turn in TURNS]
    return Sheet(
        f"Deals won by turn and deadwood, {strategy} against itself ({variant}), %",
        ("deadwood", *headings),
        lines,
        "Rows: own deadwood from this number up; columns: own turns. Every turn is in counts.csv.",
    )


def _where(rows: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    """The rows that have this value in a column."""
    is_equal = rows[column] == value
    return rows[is_equal]


def _cell(rows: pd.DataFrame, name: str, factor: int = 100) -> str:
    if not len(rows):
        return numbers.DASH
    first = rows.iloc[0]
    return _written(first, name, factor)


def _written(row: Any, name: str, factor: int = 100) -> str:
    """A value with its limits, in per cent unless the factor says otherwise."""
    middle = float(getattr(row, name))
    low = float(row.low)
    high = float(row.high)
    return numbers.estimate(middle, low, high, factor)


def _size(deals: float, low: float, high: float) -> str:
    """A number of deals with its limits; the upper one is infinite if the gap may be nothing."""
    if np.isinf(high):
        return f"over {low:,.0f}"
    return numbers.estimate(deals, low, high)
