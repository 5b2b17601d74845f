"""The book of odds: every frame of `simgin.odds.solo` and `simgin.odds.seats` for the games asked about, as tables, pictures and for a screen."""

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

EVERY = 5, 3  # draws between the rows on a screen, in the joker games and where the draws are few
FEW_DRAWS = 20
TURNS = 0, 2, 4, 6  # own turns after which a screen tells the chance by deadwood
WAYS = {"gin": "gone gin %", "knock": "knocked %", "joker": "met joker %"}
# Kinds of ending below this share are in the tables that are written, not on the screen
SEEN_OFTEN = 0.01


@dataclass(frozen=True)
class Book:
    """Frames by name; `refused`: sentences on what cannot be had; `strongest`: the player whom the odds by draws are about, by game."""

    seed: int
    frames: dict[str, pd.DataFrame]
    strongest: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def records(self) -> list[dict[str, Any]]:
        """Every row of every frame for JSON, with the name of its table; what is undefined or without bound is None."""
        finite = {
            name: frame.replace([np.inf, -np.inf], np.nan) for name, frame in self.frames.items()
        }
        return [
            {"table": name, **row} for name, frame in finite.items() for row in table.records(frame)
        ]

    def files(self) -> dict[str, bytes | str]:
        """Every table as CSV and every picture as SVG and PNG, by its name."""
        from simgin import plots

        written: dict[str, bytes | str] = {
            f"{name}.csv": table.csv(frame) for name, frame in self.frames.items()
        }
        for name, figure in self._figures():
            written |= {f"{name}.svg": plots.svg(figure, name), f"{name}.png": plots.png(figure)}
        return written

    def sheets(self) -> Iterator[Sheet]:
        """What a terminal is told, game by game."""
        for variant, rows in self._by_variant("strength"):
            yield _strength(find(variant), rows)
            yield from (sheet for sheet in [self._course(variant)] if sheet.rows)
        if "gap" in self.frames:
            yield self._luck()
        for variant, rows in self._by_variant("seats"):
            yield _seats(find(variant), rows)
        for variant, rows in self._by_variant("scores"):
            yield _scores(find(variant), rows)
        for variant, rows in self._by_variant("counts"):
            yield _counts(variant, rows)

    def _by_variant(self, name: str) -> Iterator[tuple[str, pd.DataFrame]]:
        if name in self.frames:
            yield from (
                (str(variant), rows)
                for variant, rows in self.frames[name].groupby("variant", sort=False)
            )

    def _of(self, name: str, variant: str) -> pd.DataFrame:
        """The rows of a frame about the strongest player of a game; none where the frame has none of any."""
        frame = self.frames.get(name, self.frames["strength"].head(0))
        return frame[(frame["variant"] == variant) & (frame["strategy"] == self.strongest[variant])]

    def _figures(self) -> Iterator[tuple[str, Figure]]:
        from simgin import plots

        drawn: dict[str, Callable[..., Figure]] = {
            "odds": plots.odds,
            "strength": plots.strength,
            "totals": plots.totals,
            "threshold": plots.knock,
            "counts": plots.counts,
        }
        pictured = {
            **self.frames,
            **(
                {"odds": self._pinned(), "strength": self._ranked()}
                if "odds" in self.frames
                else {}
            ),
        }
        for name, draw in drawn.items():
            if name in pictured:
                yield name, draw(pictured[name], seed=self.seed)
        if "scores" in self.frames:
            for (variant, strategy), rows in self.frames["scores"].groupby(
                ["variant", "strategy"], sort=False
            ):
                yield (
                    f"scores-{_file_name(f'{variant}-{strategy}')}",
                    plots.scores(rows, seed=self.seed),
                )

    def _pinned(self) -> pd.DataFrame:
        """What the picture of the odds shows: gin of every player, and of the strongest what else ends deals before the last draw."""
        frame = self.frames["odds"]
        strongest = frame["strategy"] == frame["variant"].map(self.strongest)
        often = (
            frame.groupby(["variant", "strategy", "kind"])["share"].transform("max") >= SEEN_OFTEN
        )
        return frame[
            (frame["kind"] == "gin") | (strongest & often & frame["kind"].isin(list(WAYS)))
        ].reset_index(drop=True)

    def _ranked(self) -> pd.DataFrame:
        """What the picture of strength shows: going gin is told draw by draw."""
        frame = self.frames["strength"]
        return frame[frame["metric"] != "gin"].reset_index(drop=True)

    def _course(self, variant: str) -> Sheet:
        """The odds of the strongest player by draws made and by cards left."""
        ended, left = self._of("odds", variant), self._of("left", variant)
        last = int(ended["draws"].max())
        kinds = [
            str(kind)
            for kind, rows in ended.groupby("kind", sort=False)
            if kind in WAYS and rows["share"].max() >= SEEN_OFTEN
        ]
        going = {int(one["left"]): one for _, one in left[left["metric"] == "win"].iterrows()}
        deck, every = max(going), EVERY[last <= FEW_DRAWS]
        rows = [
            (
                str(t),
                str(deck - t),
                *(
                    _cell(ended[(ended["draws"] == t) & (ended["kind"] == kind)], "share")
                    for kind in kinds
                ),
            )
            + (
                (_written(going[deck - t], "value"), f"{going[deck - t].n:,}")
                if deck - t in going
                else (numbers.DASH, "")
            )
            for t in range(every, last + 1, every)
            if deck - t in going or t == last
        ]
        headings = ("draws", "left", *(WAYS[kind] for kind in kinds), "if not, won %", "deals")
        return Sheet(f"{self.strongest[variant]}, by draws made and cards left", headings, rows)

    def _luck(self) -> Sheet:
        """What is luck and what is skill, a row for every game."""
        rows = [tuple(self._lucky(variant, gap)) for variant, gap in self._by_variant("gap")]
        headings = ("game", "gin on draw", "joker %", "gap %", "deals to tell")
        note = (
            "Gin on draw: of the strongest player, the middle one and the tenths at either end. Joker: how much of the variance of winning "
            "its place decides. Gap: deals won, the strongest less the weakest. Deals to tell: what each of the two must play, on packs of "
            "their own, for their scores to show who is stronger (5 % test, found in four tries of five)."
        )
        return Sheet("Luck and skill", headings, [row for row in rows if row], note)

    def _lucky(self, variant: str, gap: pd.DataFrame) -> Iterator[str]:
        win, score = (gap[gap["metric"] == metric].iloc[0] for metric in ("win", "score"))
        gin, joker = self._of("gin", variant), self._of("joker", variant)
        yield variant
        yield (
            "{q50:.0f} ({q10:.0f} to {q90:.0f})".format(**gin.set_index("statistic")["value"])
            if len(gin)
            else numbers.DASH
        )
        yield _cell(joker[joker["metric"] == "win"], "value")
        yield _written(win, "value")
        yield _size(score.own_packs, score.own_packs_low, score.own_packs_high)


def of(
    alone: Sequence[Sequence[Deals]],
    tables: Sequence[Table],
    seed: int,
    *,
    thresholds: Sequence[pd.DataFrame] = (),
    counts: Sequence[pd.DataFrame] = (),
) -> Book:
    """The book of games alone (for each its players, weak to strong) and of tables of two. Frames without rows are left out.

    thresholds: `odds.by_threshold` of games with a knock. counts: the chance to win a deal by one's own deadwood after so many turns,
    with columns turn, count (lower edge of a bin), value, low, high, n.
    """
    every = [one for players in alone for one in players]
    made: dict[str, list[pd.DataFrame]] = {
        "strength": [solo.by_strength(every)] if every else [],
        "odds": [solo.by_draws(one) for one in every],
        "left": [solo.by_cards_left(one) for one in every],
        "gin": [solo.gin_draws(one) for one in every],
        "totals": [solo.totals(one) for one in every],
        "gap": [solo.gap(players[0], players[-1]) for players in alone if len(players) > 1],
        "joker": [solo.jokers_share(one) for one in every],
        "threshold": list(thresholds),
        "counts": list(counts),
        "seats": [seats.by_seat(one) for one in tables],
        "scores": [seats.by_score(one) for one in tables],
    }
    strongest = {players[-1].variant: players[-1].strategy for players in alone}
    refused = [
        *(one.refused for one in tables if one.refused),
        *filter(None, map(solo.refusal, every)),
    ]
    return Book(seed, dict(_filled(made)), strongest, refused)


def _filled(made: dict[str, list[pd.DataFrame]]) -> Iterator[tuple[str, pd.DataFrame]]:
    import pandas as pd

    for name, frames in made.items():
        if parts := [frame for frame in frames if len(frame)]:
            yield name, pd.concat(parts, ignore_index=True)


def _strength(variant: Variant, rows: pd.DataFrame) -> Sheet:
    """Who wins how often, a row a player."""
    goal = "goal met %" if variant.goal.total else "match won %"
    score = "penalty" if variant.row["deal_scoring"] == "penalty" else "score"
    columns = {"win": "deal won %", "score": score, "match": goal}
    shown = {metric: title for metric, title in columns.items() if metric in set(rows["metric"])}
    lines = [
        (
            str(name),
            *(
                _cell(of_one[of_one["metric"] == metric], "value", 1 if metric == "score" else 100)
                for metric in shown
            ),
        )
        for name, of_one in rows.groupby("strategy", sort=False)
    ]
    return Sheet(
        f"{variant.title} ({variant.text}), {rows['n'].max():,} deals a player",
        ("player", *shown.values()),
        lines,
    )


def _seats(variant: Variant, rows: pd.DataFrame) -> Sheet:
    titles = {"win": "deal won %", "nobody": "nobody's %", "match": "match won %"}
    shown = {metric: title for metric, title in titles.items() if metric in set(rows["metric"])}
    lines = [
        (
            str(strategy),
            str(seat),
            *(_cell(of_one[of_one["metric"] == metric], "value") for metric in shown),
        )
        for (strategy, seat), of_one in rows.groupby(["strategy", "seat"], sort=False)
    ]
    title = f"{variant.title} ({variant.text}) by seat, {rows['n'].max():,} deals of each player against itself"
    return Sheet(
        title,
        ("player", "seat", *shown.values()),
        lines,
        "The match: for who sits there in the first deal, or at either seat if the rules tell them apart.",
    )


def _scores(variant: Variant, rows: pd.DataFrame) -> Sheet:
    """V at a few scores of the first player, the one with the points of the row to deal."""
    strategy = str(rows["strategy"].iloc[0])
    seen = seats.grid(
        rows[(rows["strategy"] == strategy) & (rows["dealer"] == 0)], int(rows["a"].max()) + 1
    )
    scores = sorted(set(seen["a"]))
    lines = [
        (str(a), *(_cell(seen[(seen["a"] == a) & (seen["b"] == b)], "value") for b in scores))
        for a in scores
    ]
    note = "Down: own points; across: the other's. The one with the points of the row deals. Every score is in scores.csv."
    return Sheet(
        f"{strategy} against itself ({variant.text}): match won % by the score",
        ("", *map(str, scores)),
        lines,
        note,
    )


def _counts(variant: str, rows: pd.DataFrame) -> Sheet:
    """The chance to win the deal by the deadwood that one holds after some turns, of the first player."""
    strategy = str(rows["strategy"].iloc[0])
    seen = rows[(rows["strategy"] == strategy) & rows["turn"].isin(TURNS)]
    lines = [
        (str(count), *(_cell(of_one[of_one["turn"] == turn], "value") for turn in TURNS))
        for count, of_one in seen.groupby("count")
    ]
    headings = ("deadwood", *(f"after {turn}" for turn in TURNS))
    note = "Down: own deadwood from so much up; across: own turns. Every turn is in counts.csv."
    return Sheet(
        f"{strategy} against itself ({variant}): deal won % by turn and deadwood",
        headings,
        lines,
        note,
    )


def _cell(rows: pd.DataFrame, name: str, factor: int = 100) -> str:
    return _written(rows.iloc[0], name, factor) if len(rows) else numbers.DASH


def _written(row: Any, name: str, factor: int = 100) -> str:
    """A value with its limits, in per cent unless told otherwise."""
    return numbers.estimate(float(getattr(row, name)), float(row.low), float(row.high), factor)


def _size(deals: float, low: float, high: float) -> str:
    """A number of deals with its limits; the upper one is infinite where the difference may be nothing."""
    return f"over {low:,.0f}" if np.isinf(high) else numbers.estimate(deals, low, high)


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text)
