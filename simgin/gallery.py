"""The pictures of a review, each with what is to be seen in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simgin import brief, pictures, plots, portrait, summary
from simgin.page import Picture
from simgin.review import Review
from simgin.traits import Game

if TYPE_CHECKING:
    import pandas as pd

Drawn = Callable[..., Any]

# Of all variants together: name, title, what is drawn of what, and the traits that put it in words.
_TOGETHER: tuple[tuple[str, str, Callable[[Review], pd.DataFrame], Drawn, tuple[str, ...]], ...] = (
    ("endings", "How deals end", portrait.endings, plots.endings, ("gin", "knock", "undercut", "void")),
    ("turns", "How long deals last", portrait.turns, plots.turns, ("turns",)),
    ("points", "What deals are worth", portrait.points, plots.points, ("points",)),
    ("deadwood", "How hands improve", portrait.deadwood, plots.deadwood, ()),
    ("knock", "With how much to knock", portrait.knock, plots.knock, ("best_k", "patience")),
    ("swings", "How matches swing", portrait.swings, plots.swings, ("drama", "lead_changes", "catch_up")),
    ("ladder", "Who beats the next", portrait.ladder, plots.ladder, ("elo_spread",)),
    ("convergence", "How an estimate settled", portrait.convergence, plots.convergence, ()),
)
_TOGETHER_ALONE = (
    ("strength", "By strength of player", portrait.strength, plots.strength, ("win", "match_win")),
    ("odds", "The odds, draw by draw", portrait.draws, plots.odds, ("gin", "joker", "limit")),
    ("endings", "How deals end", portrait.endings, plots.endings, ("gin", "joker", "knock", "limit")),
    ("turns", "How long deals last", portrait.turns, plots.turns, ("turns",)),
)
# Of every variant by itself.
_ALONE: tuple[tuple[str, str, Callable[[Review, Game], pd.DataFrame], Drawn], ...] = (
    ("scores", "The chance to win the match, by score", portrait.scores, plots.scores),
    ("knock_matrix", "Knock limits against each other", portrait.knock_matrix, plots.knock_matrix),
)


def of(review: Review) -> Iterator[Picture]:
    """Every picture, what changes first; those of a single variant are switched with it."""
    seed = review.asked.seed
    if review.others:
        figure = plots.differences(portrait.differences(review), seed=seed)
        yield Picture("differences", f"What changes against {review.asked.base}", " ".join(brief.sentences(review)), figure)
    for name, title, frame, draw, keys in _TOGETHER_ALONE if review.asked.alone else _TOGETHER:
        if len(rows := frame(review)):
            yield Picture(name, title, brief.told(review, keys), draw(rows, seed=seed))
    for game in review.games:
        yield from _of_game(review, game)


def _of_game(review: Review, game: Game) -> Iterator[Picture]:
    seed, variant = review.asked.seed, game.variant
    if game.alone:
        if len(rows := portrait.totals(review, game)):
            yield Picture(
                f"totals-{pictures.word(variant)}", f"What matches add up to: {variant}", "", plots.totals(rows, seed=seed), variant
            )
        return
    standings, cross = portrait.league(review, game)
    words, figure = pictures.league(standings, cross, "match"), plots.league(standings, cross, unit="match", seed=seed)
    yield Picture(f"league-{pictures.word(variant)}", f"Who beats whom: {variant}", words, figure, variant)
    for name, title, frame, draw in _ALONE:
        if len(rows := frame(review, game)):
            figure = draw(rows, seed=seed)
            yield Picture(f"{name}-{pictures.word(variant)}", f"{title}: {variant}", extremes(rows), figure, variant)


def extremes(frame: pd.DataFrame) -> str:
    """The least and the largest value of a picture of many cells."""
    cells = frame.sort_values("value", kind="stable").to_dict("records")
    return f"From {_cell(cells[0])} to {_cell(cells[-1])}."


def _cell(cell: Mapping[Hashable, Any]) -> str:
    place = ", ".join(f"{name} {cell[name]:g}" for name in ("a", "b", "k", "j") if name in cell)
    return f"{summary.estimate(cell['value'], cell['low'], cell['high'])} ({place})"
