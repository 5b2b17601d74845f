"""The pictures of odds, each with what there is to see in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from simgin import plots
from simgin.odds.odds import Odds
from simgin.odds.odds_sentences import gin_by_draw, winners
from simgin.odds.sheets import SEEN_OFTEN, WAYS
from simgin.report import figures
from simgin.report.report import Picture

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Frame, which also names the files -> its picture and title
PICTURES: dict[str, tuple[Callable[..., Figure], str]] = {
    "odds": (plots.odds, "Probability of gin by draw"),
    "strength": (plots.strength, "Results by strategy"),
    "totals": (plots.totals, "Match totals"),
    "threshold": (plots.knock, "Knock threshold"),
    "counts": (plots.counts, "Deals won by turn and deadwood"),
}
# Frames by the column of those who have a colour: of one player or two
COLOURED = {"strength": "strategy", "seats": "strategy", "threshold": "variant"}


def odds_pictures(odds: Odds) -> Iterator[Picture]:
    """Every picture that the frames allow, those of all variants first."""
    names = _coloured(odds)
    for name, (draw, title) in PICTURES.items():
        if name in odds.frames:
            figure = figures.drawn(draw, _drawn(odds, name), seed=odds.seed, among=names)
            yield Picture(name, title, _in_words(odds, name), figure)
    for variant, rows in odds.by_variant("scores"):
        for strategy, own in rows.groupby("strategy", sort=False):
            name = _file_name(f"{variant}-{strategy}")
            title = f"Win probability by score: {variant}, {strategy} against itself"
            figure = plots.scores(own, seed=odds.seed)
            yield Picture(f"scores-{name}", title, _corners(own), figure, variant)


def _coloured(odds: Odds) -> list[str]:
    """Who has a colour of this page: every player, and then variants by knock threshold."""
    names: list[str] = []
    for frame, column in COLOURED.items():
        if frame in odds.frames:
            names += figures.unique(odds.frames[frame][column])
    return list(dict.fromkeys(names))


def _drawn(odds: Odds, name: str) -> pd.DataFrame:
    """The rows of a frame that its picture shows."""
    if name == "odds":
        return _drawn_odds(odds)
    frame = odds.frames[name]
    if name != "strength" or "odds" not in odds.frames:
        return frame
    # Gin has a picture of its own.
    return frame[frame["metric"] != "gin"].reset_index(drop=True)


def _drawn_odds(odds: Odds) -> pd.DataFrame:
    """Gin, and what else often ends deals of the strongest player before the last draw."""
    frame = odds.frames["odds"]
    is_strongest = frame["strategy"] == frame["variant"].map(odds.strongest)
    by_kind = frame[is_strongest].groupby(["variant", "kind"])
    largest = by_kind["share"].transform("max").reindex(frame.index)
    is_drawn = (frame["kind"] == "gin") | frame["kind"].isin(list(WAYS)) & (largest >= SEEN_OFTEN)
    return frame[is_drawn].reset_index(drop=True)


def _in_words(odds: Odds, name: str) -> str:
    """What a picture shows, for whoever cannot see it."""
    if name == "odds":
        return " ".join(gin_by_draw(odds))
    if name == "strength":
        return " ".join(winners(odds))
    return f"The figures are in {name}.csv."


def _corners(rows: pd.DataFrame) -> str:
    """Win probability at the start of a match and a deal before its end."""
    last = rows["a"].max()
    parts = []
    for a, b in ((0, 0), (last, 0), (0, last)):
        at_score = rows[(rows["a"] == a) & (rows["b"] == b) & (rows["dealer"] == 0)]
        share = float(at_score["value"].iloc[0])
        parts.append(f"{share:.0%} at {a} to {b}")
    listed = ", ".join(parts)
    return f"The dealer's win probability is {listed}."


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", text)
