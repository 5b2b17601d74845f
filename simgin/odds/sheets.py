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
    every = EVERY_OF_FEW if last <= FEW_DRAWS else EVERY
    lines = []
    for t in range(every, last + 1, every):
        left = deck - t
        if left not in going_on and t != last:
            continue
        at_draw = _where(ended, "draws", t)
        cells = [_cell(_where(at_draw, "kind", kind), "share") for kind in kinds]
        if left in going_on:
            cells += [_written(going_on[left], "value"), f"{going_on[left].n:,}"]
        else:
            cells += [numbers.DASH, ""]
        lines.append((str(t), str(left), *cells))
    headings = ("draws", "left", *[WAYS[kind] for kind in kinds], "if not, won %", "deals")
    return Sheet(f"Odds by draws made and cards left, {odds.strongest[variant]}", headings, lines)


def _going_on(odds: Odds, variant: str) -> dict[int, Any]:
    """The strongest player's chance to win if the deal goes on, by the cards left."""
    win = _where(odds.of_strongest("left", variant), "metric", "win")
    return {int(row["left"]): row for _, row in win.iterrows()}


def _luck_sheet(odds: Odds) -> Sheet:
    """What is luck and what is skill, a row for every variant."""
    rows = [_luck_row(odds, variant, gap) for variant, gap in odds.by_variant("gap")]
    headings = ("variant", "gin on draw", "joker %", "gap %", "deals needed")
    return Sheet("Luck and skill", headings, rows, LUCK_NOTE)


def _luck_row(odds: Odds, variant: str, gap: pd.DataFrame) -> tuple[str, ...]:
    win = _where(gap, "metric", "win").iloc[0]
    score = _where(gap, "metric", "score").iloc[0]
    gin = odds.of_strongest("gin", variant)
    draw = numbers.DASH
    if len(gin):
        draw = "{q50:.0f} ({q10:.0f} to {q90:.0f})".format(**gin.set_index("statistic")["value"])
    share = _cell(_where(odds.of_strongest("joker", variant), "metric", "win"), "value")
    needed = _size(score.own_packs, score.own_packs_low, score.own_packs_high)
    return variant, draw, share, _written(win, "value"), needed


def _kinds_seen_often(ended: pd.DataFrame) -> list[str]:
    """The kinds of ending that a screen shows."""
    most = ended.groupby("kind", sort=False)["share"].max()
    return [str(kind) for kind, share in most.items() if kind in WAYS and share >= SEEN_OFTEN]


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
        cells = [
            _cell(_where(own, "metric", metric), "value", 1 if metric == "score" else 100)
            for metric in titles
        ]
        lines.append((str(name), *cells))
    deals = rows["n"].max()
    title = f"{variant.title} ({variant.text}), {deals:,} deals per strategy"
    return Sheet(title, ("strategy", *titles.values()), lines)


def _titles_shown(titles: dict[str, str], rows: pd.DataFrame) -> dict[str, str]:
    """The headings of the metrics that occur in the rows."""
    metrics = set(rows["metric"])
    return {metric: title for metric, title in titles.items() if metric in metrics}


def _seats_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    titles = {"win": "deal won %", "nobody": "nobody's %", "match": "match won %"}
    titles = _titles_shown(titles, rows)
    lines = []
    for (strategy, seat), own in rows.groupby(["strategy", "seat"], sort=False):
        cells = [_cell(_where(own, "metric", metric), "value") for metric in titles]
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
    own = _where(_where(rows, "strategy", strategy), "dealer", 0)
    few = seats.grid(own, int(rows["a"].max()) + 1)
    scores = sorted(set(few["a"]))
    lines = []
    for a in scores:
        at_a = _where(few, "a", a)
        lines.append((str(a), *[_cell(_where(at_a, "b", b), "value") for b in scores]))
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
    shown = played[played["turn"].isin(TURNS)]
    lines = []
    for count, own in shown.groupby("count"):
        lines.append((str(count), *[_cell(_where(own, "turn", turn), "value") for turn in TURNS]))
    headings = [f"after {turn}" for turn in TURNS]
    return Sheet(
        f"Deals won by turn and deadwood, {strategy} against itself ({variant}), %",
        ("deadwood", *headings),
        lines,
        "Rows: own deadwood from this number up; columns: own turns. Every turn is in counts.csv.",
    )


def _where(rows: pd.DataFrame, column: str, value: object) -> pd.DataFrame:
    """The rows that have this value in a column."""
    return rows[rows[column] == value]


def _cell(rows: pd.DataFrame, name: str, factor: int = 100) -> str:
    if not len(rows):
        return numbers.DASH
    return _written(rows.iloc[0], name, factor)


def _written(row: Any, name: str, factor: int = 100) -> str:
    """A value with its limits, in per cent unless the factor says otherwise."""
    return numbers.estimate(float(getattr(row, name)), float(row.low), float(row.high), factor)


def _size(deals: float, low: float, high: float) -> str:
    """A number of deals with its limits; the upper one is infinite if the gap may be nothing."""
    if np.isinf(high):
        return f"over {low:,.0f}"
    return numbers.estimate(deals, low, high)
