"""The odds of some variants: frames by name, and the tables and pictures made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds import seats, solo
from simgin.odds.sample import Deals
from simgin.odds.seats import Table
from simgin.report import numbers
from simgin.report.sheet import Sheet
from simgin.rules.variants import Variant, find
from simgin.stats import table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

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


@dataclass(frozen=True)
class Odds:
    """Frames by name.

    strongest: the player whom the odds by draws are about, by variant. refused: sentences on what
    cannot be had.
    """

    seed: int
    frames: dict[str, pd.DataFrame]
    strongest: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def records(self) -> list[dict[str, Any]]:
        """Every row of every frame for JSON, with the name of its table.

        What is undefined or without bound is None.
        """
        records = []
        for name, frame in self.frames.items():
            infinities = [np.inf, -np.inf]
            finite = frame.replace(infinities, np.nan)
            for row in table.records(finite):
                record = {"table": name, **row}
                records.append(record)
        return records

    def files(self) -> dict[str, bytes | str]:
        """Every table as CSV and every picture as SVG and PNG, by its name."""
        from simgin import plots

        files: dict[str, bytes | str] = {}
        for name, frame in self.frames.items():
            files[f"{name}.csv"] = table.csv(frame)
        for name, figure in self._figures():
            svg = plots.svg(figure, name)
            png = plots.png(figure)
            files[f"{name}.svg"] = svg
            files[f"{name}.png"] = png
        return files

    def sheets(self) -> Iterator[Sheet]:
        """The tables for a terminal, variant by variant."""
        for variant, rows in self._by_variant("strength"):
            yield _strength_sheet(find(variant), rows)
            course = self._course_sheet(variant)
            if course.rows:
                yield course
        if "gap" in self.frames:
            yield self._luck_sheet()
        for variant, rows in self._by_variant("seats"):
            yield _seats_sheet(find(variant), rows)
        for variant, rows in self._by_variant("scores"):
            yield _scores_sheet(find(variant), rows)
        for variant, rows in self._by_variant("counts"):
            yield _counts_sheet(variant, rows)

    def _by_variant(self, name: str) -> Iterator[tuple[str, pd.DataFrame]]:
        frame = self.frames.get(name)
        if frame is None:
            return
        by_variant = frame.groupby("variant", sort=False)
        for variant, rows in by_variant:
            yield str(variant), rows

    def _of_strongest(self, name: str, variant: str) -> pd.DataFrame:
        """The rows of a frame about the strongest player of a variant; none if it has no frame."""
        frame = self.frames.get(name)
        if frame is None:
            strength = self.frames["strength"]
            return strength.head(0)
        strongest = self.strongest[variant]
        is_strongest = frame["strategy"] == strongest
        is_of_variant = frame["variant"] == variant
        return frame[is_of_variant & is_strongest]

    def _figures(self) -> Iterator[tuple[str, Figure]]:
        from simgin import plots

        draws: dict[str, Callable[..., Figure]] = {
            "odds": plots.odds,
            "strength": plots.strength,
            "totals": plots.totals,
            "threshold": plots.knock,
            "counts": plots.counts,
        }
        frames = dict(self.frames)
        if "odds" in frames:
            frames["odds"] = self._drawn_odds()
            frames["strength"] = self._drawn_strength()
        for name, draw in draws.items():
            if name in frames:
                yield name, draw(frames[name], seed=self.seed)
        if "scores" in frames:
            players = frames["scores"].groupby(["variant", "strategy"], sort=False)
            for (variant, strategy), rows in players:
                name = _file_name(f"{variant}-{strategy}")
                yield f"scores-{name}", plots.scores(rows, seed=self.seed)

    def _drawn_odds(self) -> pd.DataFrame:
        """Gin of every player, and of the strongest what else ends deals before the last draw."""
        frame = self.frames["odds"]
        strongest = frame["variant"].map(self.strongest)
        is_strongest = frame["strategy"] == strongest
        by_kind = frame.groupby(["variant", "strategy", "kind"])
        largest = by_kind["share"].transform("max")
        is_often = largest >= SEEN_OFTEN
        kind = frame["kind"]
        is_way = kind.isin(list(WAYS))
        is_gin = kind == "gin"
        is_other = is_strongest & is_often & is_way
        rows = frame[is_gin | is_other]
        return rows.reset_index(drop=True)

    def _drawn_strength(self) -> pd.DataFrame:
        """All metrics but gin, which has a picture of its own."""
        frame = self.frames["strength"]
        is_other = frame["metric"] != "gin"
        rows = frame[is_other]
        return rows.reset_index(drop=True)

    def _course_sheet(self, variant: str) -> Sheet:
        """The odds of the strongest player by draws made and by cards left."""
        ended = self._of_strongest("odds", variant)
        going_on = self._going_on(variant)
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
        title = f"Odds by draws made and cards left, {self.strongest[variant]}"
        return Sheet(title, headings, lines)

    def _going_on(self, variant: str) -> dict[int, Any]:
        """The strongest player's chance to win if the deal goes on, by the cards left."""
        left = self._of_strongest("left", variant)
        win = _where(left, "metric", "win")
        going_on = {}
        for _, row in win.iterrows():
            cards = int(row["left"])
            going_on[cards] = row
        return going_on

    def _luck_sheet(self) -> Sheet:
        """What is luck and what is skill, a row for every variant."""
        rows = []
        for variant, gap in self._by_variant("gap"):
            row = self._luck_row(variant, gap)
            rows.append(row)
        headings = (
            "variant",
            "gin on draw",
            "joker %",
            "gap %",
            "deals needed",
        )
        return Sheet("Luck and skill", headings, rows, LUCK_NOTE)

    def _luck_row(self, variant: str, gap: pd.DataFrame) -> tuple[str, ...]:
        win = _where(gap, "metric", "win").iloc[0]
        score = _where(gap, "metric", "score").iloc[0]
        gin = self._of_strongest("gin", variant)
        draw = numbers.DASH
        if len(gin):
            by_statistic = gin.set_index("statistic")
            quantiles = by_statistic["value"]
            draw = "{q50:.0f} ({q10:.0f} to {q90:.0f})".format(**quantiles)
        joker = self._of_strongest("joker", variant)
        joker_win = _where(joker, "metric", "win")
        share = _cell(joker_win, "value")
        difference = _written(win, "value")
        needed = _size(
            score.own_packs,
            score.own_packs_low,
            score.own_packs_high,
        )
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


def build_odds(
    samples: Sequence[Sequence[Deals]],
    tables: Sequence[Table],
    seed: int,
    *,
    thresholds: Sequence[pd.DataFrame] = (),
    counts: Sequence[pd.DataFrame] = (),
) -> Odds:
    """The odds of solitaire variants (for each its players, weak to strong) and of two players.

    thresholds: `solo.by_threshold` of variants with a knock. counts: `simgin.value.turns.counts`.
    Frames without rows are left out.
    """
    every = list(chain.from_iterable(samples))
    parts: dict[str, list[pd.DataFrame]] = {
        "strength": [],
        "odds": [solo.by_draws(deals) for deals in every],
        "left": [solo.by_cards_left(deals) for deals in every],
        "gin": [solo.gin_draws(deals) for deals in every],
        "totals": [solo.totals(deals) for deals in every],
        "gap": _gaps(samples),
        "joker": [solo.jokers_share(deals) for deals in every],
        "threshold": list(thresholds),
        "counts": list(counts),
        "seats": [seats.by_seat(table) for table in tables],
        "scores": [seats.by_score(table) for table in tables],
    }
    if every:
        strength = solo.by_strength(every)
        parts["strength"].append(strength)
    strongest = {}
    for players in samples:
        best = players[-1]
        strongest[best.variant] = best.strategy
    reasons = [table.refused for table in tables]
    reasons += [solo.refusal(deals) for deals in every]
    refused = [sentence for sentence in reasons if sentence]
    frames = dict(_filled(parts))
    return Odds(seed, frames, strongest, refused)


def _gaps(samples: Sequence[Sequence[Deals]]) -> list[pd.DataFrame]:
    """The gap between the weakest and the strongest player of every variant that has two."""
    gaps = []
    for players in samples:
        if len(players) > 1:
            gap = solo.gap(players[0], players[-1])
            gaps.append(gap)
    return gaps


def _filled(parts: dict[str, list[pd.DataFrame]]) -> Iterator[tuple[str, pd.DataFrame]]:
    import pandas as pd

    for name, frames in parts.items():
        filled = [frame for frame in frames if len(frame)]
        if filled:
            whole = pd.concat(filled, ignore_index=True)
            yield name, whole


def _strength_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    """Who wins how often, a row a player."""
    titles = {
        "win": "deal won %",
        "score": "score",
        "match": "match won %",
    }
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
    titles = {
        "win": "deal won %",
        "nobody": "nobody's %",
        "match": "match won %",
    }
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


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text)
