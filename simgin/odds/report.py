"""The odds of some variants: frames by name, and the tables and pictures made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
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
            finite = frame.replace([np.inf, -np.inf], np.nan)
            records += [{"table": name, **row} for row in table.records(finite)]
        return records

    def files(self) -> dict[str, bytes | str]:
        """Every table as CSV and every picture as SVG and PNG, by its name."""
        from simgin import plots

        files: dict[str, bytes | str] = {}
        for name, frame in self.frames.items():
            files[f"{name}.csv"] = table.csv(frame)
        for name, figure in self._figures():
            files[f"{name}.svg"] = plots.svg(figure, name)
            files[f"{name}.png"] = plots.png(figure)
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
        if name in self.frames:
            for variant, rows in self.frames[name].groupby("variant", sort=False):
                yield str(variant), rows

    def _of_strongest(self, name: str, variant: str) -> pd.DataFrame:
        """The rows of a frame about the strongest player of a variant; none if it has no frame."""
        frame = self.frames.get(name, self.frames["strength"].head(0))
        is_strongest = frame["strategy"] == self.strongest[variant]
        return frame[(frame["variant"] == variant) & is_strongest]

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
            frames |= {"odds": self._drawn_odds(), "strength": self._drawn_strength()}
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
        is_strongest = frame["strategy"] == frame["variant"].map(self.strongest)
        by_kind = frame.groupby(["variant", "strategy", "kind"])["share"]
        is_often = by_kind.transform("max") >= SEEN_OFTEN
        is_way = frame["kind"].isin(list(WAYS))
        shown = (frame["kind"] == "gin") | (is_strongest & is_often & is_way)
        return frame[shown].reset_index(drop=True)

    def _drawn_strength(self) -> pd.DataFrame:
        """All metrics but gin, which has a picture of its own."""
        frame = self.frames["strength"]
        return frame[frame["metric"] != "gin"].reset_index(drop=True)

    def _course_sheet(self, variant: str) -> Sheet:
        """The odds of the strongest player by draws made and by cards left."""
        ended = self._of_strongest("odds", variant)
        left = self._of_strongest("left", variant)
        kinds = []
        for kind, rows in ended.groupby("kind", sort=False):
            if kind in WAYS and rows["share"].max() >= SEEN_OFTEN:
                kinds.append(str(kind))
        going_on = {}
        for _, row in left[left["metric"] == "win"].iterrows():
            going_on[int(row["left"])] = row
        deck = max(going_on)
        last = int(ended["draws"].max())
        lines = []
        for t in range(_every(last), last + 1, _every(last)):
            if deck - t not in going_on and t != last:
                continue
            at_draw = ended[ended["draws"] == t]
            cells = [_cell(at_draw[at_draw["kind"] == kind], "share") for kind in kinds]
            if deck - t in going_on:
                row = going_on[deck - t]
                cells += [_written(row, "value"), f"{row.n:,}"]
            else:
                cells += [numbers.DASH, ""]
            lines.append((str(t), str(deck - t), *cells))
        headings = ("draws", "left", *(WAYS[kind] for kind in kinds), "if not, won %", "deals")
        title = f"Odds by draws made and cards left, {self.strongest[variant]}"
        return Sheet(title, headings, lines)

    def _luck_sheet(self) -> Sheet:
        """What is luck and what is skill, a row for every variant."""
        rows = [self._luck_row(variant, gap) for variant, gap in self._by_variant("gap")]
        headings = ("variant", "gin on draw", "joker %", "gap %", "deals needed")
        return Sheet("Luck and skill", headings, rows, LUCK_NOTE)

    def _luck_row(self, variant: str, gap: pd.DataFrame) -> tuple[str, ...]:
        win, score = (gap[gap["metric"] == metric].iloc[0] for metric in ("win", "score"))
        gin, joker = (self._of_strongest(name, variant) for name in ("gin", "joker"))
        draw = numbers.DASH
        if len(gin):
            quantiles = gin.set_index("statistic")["value"]
            draw = "{q50:.0f} ({q10:.0f} to {q90:.0f})".format(**quantiles)
        share = _cell(joker[joker["metric"] == "win"], "value")
        needed = _size(score.own_packs, score.own_packs_low, score.own_packs_high)
        return variant, draw, share, _written(win, "value"), needed


def _every(last: int) -> int:
    """Draws between two rows of a screen."""
    return EVERY_OF_FEW if last <= FEW_DRAWS else EVERY


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
    every = [deals for players in samples for deals in players]
    parts: dict[str, list[pd.DataFrame]] = {
        "strength": [solo.by_strength(every)] if every else [],
        "odds": [solo.by_draws(deals) for deals in every],
        "left": [solo.by_cards_left(deals) for deals in every],
        "gin": [solo.gin_draws(deals) for deals in every],
        "totals": [solo.totals(deals) for deals in every],
        "gap": [solo.gap(players[0], players[-1]) for players in samples if len(players) > 1],
        "joker": [solo.jokers_share(deals) for deals in every],
        "threshold": list(thresholds),
        "counts": list(counts),
        "seats": [seats.by_seat(table) for table in tables],
        "scores": [seats.by_score(table) for table in tables],
    }
    strongest = {players[-1].variant: players[-1].strategy for players in samples}
    reasons = [table.refused for table in tables] + [solo.refusal(deals) for deals in every]
    refused = [sentence for sentence in reasons if sentence]
    return Odds(seed, dict(_filled(parts)), strongest, refused)


def _filled(parts: dict[str, list[pd.DataFrame]]) -> Iterator[tuple[str, pd.DataFrame]]:
    import pandas as pd

    for name, frames in parts.items():
        filled = [frame for frame in frames if len(frame)]
        if filled:
            yield name, pd.concat(filled, ignore_index=True)


def _strength_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    """Who wins how often, a row a player."""
    titles = {
        "win": "deal won %",
        "score": "penalty" if variant.row["deal_scoring"] == "penalty" else "score",
        "match": "goal met %" if variant.goal.total else "match won %",
    }
    shown = [metric for metric in titles if metric in set(rows["metric"])]
    lines = []
    for name, own in rows.groupby("strategy", sort=False):
        cells = []
        for metric in shown:
            factor = 1 if metric == "score" else 100
            cells.append(_cell(own[own["metric"] == metric], "value", factor))
        lines.append((str(name), *cells))
    title = f"{variant.title} ({variant.text}), {rows['n'].max():,} deals per strategy"
    return Sheet(title, ("strategy", *(titles[metric] for metric in shown)), lines)


def _seats_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    titles = {"win": "deal won %", "nobody": "nobody's %", "match": "match won %"}
    shown = [metric for metric in titles if metric in set(rows["metric"])]
    lines = []
    for (strategy, seat), own in rows.groupby(["strategy", "seat"], sort=False):
        cells = [_cell(own[own["metric"] == metric], "value") for metric in shown]
        lines.append((str(strategy), str(seat), *cells))
    deals = f"{rows['n'].max():,} deals of each strategy against itself"
    return Sheet(
        f"{variant.title} ({variant.text}) by seat, {deals}",
        ("strategy", "seat", *(titles[metric] for metric in shown)),
        lines,
        "Match: for the seat in the first deal, or for either seat if the rules treat them "
        "differently.",
    )


def _scores_sheet(variant: Variant, rows: pd.DataFrame) -> Sheet:
    """V at a few scores of the first strategy, the side with the points of the row to deal."""
    strategy = str(rows["strategy"].iloc[0])
    own = rows[(rows["strategy"] == strategy) & (rows["dealer"] == 0)]
    few = seats.grid(own, int(rows["a"].max()) + 1)
    scores = sorted(set(few["a"]))
    lines = []
    for a in scores:
        at_a = few[few["a"] == a]
        lines.append((str(a), *(_cell(at_a[at_a["b"] == b], "value") for b in scores)))
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
    shown = rows[(rows["strategy"] == strategy) & rows["turn"].isin(TURNS)]
    lines = []
    for count, own in shown.groupby("count"):
        cells = [_cell(own[own["turn"] == turn], "value") for turn in TURNS]
        lines.append((str(count), *cells))
    return Sheet(
        f"Deals won by turn and deadwood, {strategy} against itself ({variant}), %",
        ("deadwood", *(f"after {turn}" for turn in TURNS)),
        lines,
        "Rows: own deadwood from this number up; columns: own turns. Every turn is in counts.csv.",
    )


def _cell(rows: pd.DataFrame, name: str, factor: int = 100) -> str:
    return _written(rows.iloc[0], name, factor) if len(rows) else numbers.DASH


def _written(row: Any, name: str, factor: int = 100) -> str:
    """A value with its limits, in per cent unless the factor says otherwise."""
    return numbers.estimate(float(getattr(row, name)), float(row.low), float(row.high), factor)


def _size(deals: float, low: float, high: float) -> str:
    """A number of deals with its limits; the upper one is infinite if the gap may be nothing."""
    return f"over {low:,.0f}" if np.isinf(high) else numbers.estimate(deals, low, high)


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text)
