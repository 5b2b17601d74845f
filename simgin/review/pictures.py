"""The pictures of a review, each with what is to be seen in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simgin import plots
from simgin.findings.pictures import describe_league, file_word
from simgin.report import numbers
from simgin.report.report import Picture
from simgin.review import frames, sentences
from simgin.review.review import Review
from simgin.review.rule_metrics import Game

if TYPE_CHECKING:
    import pandas as pd

Drawn = Callable[..., Any]

Said = Callable[[Review, "pd.DataFrame"], str]  # what a frame shows, in words


def _metrics(*keys: str) -> Said:
    return lambda review, _: sentences.told(review, keys)


def _medians(_: Review, rows: pd.DataFrame) -> str:
    """Where the median hand starts and ends."""
    parts = [
        f"{part['variant'].iloc[0]}, {part['side'].iloc[0]}: the median falls from {part['q50'].iloc[0]:g} to {part['q50'].iloc[-1]:g}"
        f" in {part['turn'].iloc[-1]} turns"
        for _, part in rows.groupby(["variant", "side"], sort=False)
    ]
    return "; ".join(parts) + "."


def _steps(_: Review, rows: pd.DataFrame) -> str:
    """What everybody takes from the next."""
    parts = [
        f"{row['variant']}: {row['strategy']} wins {share} % against {row['opponent']}"
        for row in rows.to_dict("records")
        for share in [numbers.estimate(row["value"], row["low"], row["high"], 100)]
    ]
    return "; ".join(parts) + "."


def _settled(_: Review, rows: pd.DataFrame) -> str:
    """Where an estimate began and ended, with the limits that hold at every look."""
    ends = rows.iloc[[0, -1]].to_dict("records")
    told = [
        f"{numbers.estimate(row['value'], row['low'], row['high'], 100)} % after {row['n']:,} matches"
        for row in ends
    ]
    return f"{ends[0]['strategy']} against {ends[0]['opponent']} won {told[0]}, {told[1]}."


# Of all variants together: name, title, what is drawn of what, and what puts it in words.
_TOGETHER: tuple[tuple[str, str, Callable[[Review], pd.DataFrame], Drawn, Said], ...] = (
    (
        "endings",
        "Deal outcomes",
        frames.endings,
        plots.endings,
        _metrics("gin", "knock", "undercut", "void"),
    ),
    ("turns", "Deal length", frames.turns, plots.turns, _metrics("turns", "turns_sd")),
    (
        "points",
        "Points per deal",
        frames.points,
        plots.points,
        _metrics("points", "points_sd"),
    ),
    ("deadwood", "Deadwood by turn", frames.deadwood, plots.deadwood, _medians),
    ("knock", "Knock threshold", frames.knock, plots.knock, _metrics("best_k", "patience")),
    (
        "swings",
        "Win probability during a match",
        frames.swings,
        plots.swings,
        _metrics("drama", "lead_changes", "catch_up"),
    ),
    ("ladder", "Skill ladder", frames.ladder, plots.ladder, _steps),
    ("convergence", "Convergence of the estimate", frames.convergence, plots.convergence, _settled),
)
_TOGETHER_ALONE: tuple[tuple[str, str, Callable[[Review], pd.DataFrame], Drawn, Said], ...] = (
    (
        "strength",
        "Solitaire odds by strategy",
        frames.strength,
        plots.strength,
        _metrics("win", "match_win", "win_gap"),
    ),
    (
        "odds",
        "Probability of gin by draw",
        frames.draws,
        plots.odds,
        _metrics("gin", "joker", "limit"),
    ),
    (
        "endings",
        "Deal outcomes",
        frames.endings,
        plots.endings,
        _metrics("gin", "joker", "knock", "limit"),
    ),
    ("turns", "Deal length", frames.turns, plots.turns, _metrics("turns")),
)
# Of every variant by itself.
_ALONE: tuple[tuple[str, str, Callable[[Review, Game], pd.DataFrame], Drawn], ...] = (
    ("scores", "Win probability by score", frames.scores, plots.scores),
    (
        "knock_matrix",
        "Knock thresholds against each other",
        frames.knock_matrix,
        plots.knock_matrix,
    ),
)


def of(review: Review) -> Iterator[Picture]:
    """Every picture, what changes first; those of a single variant are switched with it."""
    seed = review.asked.seed
    if review.others and len(rows := frames.differences(review)):
        figure = plots.differences(rows, seed=seed)
        yield Picture(
            "differences",
            f"Difference from {review.asked.base}",
            " ".join(sentences.sentences(review)),
            figure,
        )
    for name, title, frame, draw, said in _TOGETHER_ALONE if review.asked.alone else _TOGETHER:
        if len(rows := frame(review)):
            yield Picture(name, title, said(review, rows), draw(rows, seed=seed))
    for game in review.games:
        yield from _of_game(review, game)


def _of_game(review: Review, game: Game) -> Iterator[Picture]:
    seed, variant = review.asked.seed, game.variant
    if game.alone:
        if len(rows := frames.totals(review, game)):
            title = f"What matches add up to: {variant}"
            yield Picture(
                f"totals-{file_word(variant)}",
                title,
                _half_way(rows),
                plots.totals(rows, seed=seed),
                variant,
            )
        return
    standings, cross = frames.league(review, game)
    words, figure = (
        describe_league(standings, cross, "match"),
        plots.league(standings, cross, unit="match", seed=seed),
    )
    yield Picture(
        f"league-{file_word(variant)}", f"Head to head: {variant}", words, figure, variant
    )
    for name, title, frame, draw in _ALONE:
        if len(rows := frame(review, game)):
            figure = draw(rows, seed=seed)
            yield Picture(
                f"{name}-{file_word(variant)}",
                f"{title}: {variant}",
                extremes(rows),
                figure,
                variant,
            )


def _half_way(rows: pd.DataFrame) -> str:
    """The median total."""
    reached = rows["share"].cumsum() >= 0.5
    return f"Half of the matches add up to {rows['total'][reached].iloc[0]:g} or less."


def extremes(frame: pd.DataFrame) -> str:
    """The least and the largest value of a picture of many cells."""
    cells = frame.sort_values("value", kind="stable").to_dict("records")
    return f"From {_cell(cells[0])} to {_cell(cells[-1])}."


def _cell(cell: Mapping[Hashable, Any]) -> str:
    place = ", ".join(f"{name} {cell[name]:g}" for name in ("a", "b", "k", "j") if name in cell)
    return f"{numbers.estimate(cell['value'], cell['low'], cell['high'])} ({place})"
