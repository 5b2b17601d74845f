"""Frames of a review: one tidy frame for each picture, with its title and the plot that draws it.

Every row has its limits and its n. All frames have variant, strategy and opponent; their other
columns are those that the plot draws (docs/reference/plots.md). A new picture is a function here
and the plot that it names.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin import plots
from simgin.core import sums
from simgin.review import players
from simgin.review.players import REFERENCE
from simgin.review.review import Review
from simgin.review.variant_matches import VariantMatches
from simgin.stats import metrics, quantity, ratings
from simgin.stats.quantity import Quantity
from simgin.stats.round_robin.results import RoundRobin

if TYPE_CHECKING:
    import pandas as pd

ITSELF = "itself"  # the opponent of a field that its means stand for
WIDTHS = (2, 5, 10, 20, 50)  # of bins of points
MOST_BINS = 16
MEASURES = {"points": "margin", "share": "match_win"}  # of knock limits, and their metrics
FAR = 0.98  # share of the deals that the bins of points reach over; the last bin holds the rest

Draw = Callable[..., Any]


@dataclass(frozen=True)
class ReviewPicture:
    """A picture of all variants together, or, with `by_variant`, of each by itself.

    title: on the page. frame: makes what is drawn, of a review and, by variant, a variant's text.
    keys: the rule metrics that describe it to those who cannot see it; none: its rows do.
    """

    title: str
    frame: Callable[..., Any]
    draw: Draw
    keys: tuple[str, ...] = ()
    by_variant: bool = False

    @property
    def name(self) -> str:
        """What its files are called."""
        return self.draw.__name__


PICTURES: list[ReviewPicture] = []


def _picture(
    title: str, draw: Draw, *keys: str, by_variant: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a frame that a review draws, in the order of the page."""

    def listed(frame: Callable[..., Any]) -> Callable[..., Any]:
        PICTURES.append(ReviewPicture(title, frame, draw, keys, by_variant))
        return frame

    return listed


# One player


@_picture("Solitaire odds by strategy", plots.strength, "win", "match_win", "win_gap")
def strength(review: Review) -> pd.DataFrame:
    """What every player alone achieves: deals won, or the penalty of a deal, and matches won."""
    rows = []
    for variant, matches in review.matches.items():
        if not matches.alone:
            continue
        shown = {"win": "win"}
        if matches.params["deal_scoring"] == "penalty":
            shown = {"penalty": "score"}
        if not matches.goal.one_deal:
            shown["match_win"] = "match_win"
        for metric, player in itertools.product(shown, players.solo_field(variant)):
            own = quantity.ratio(matches.cells[player, ""], metrics.BY_NAME[shown[metric]])
            rows.append({**_players(variant, player, ""), "metric": metric, **_numbers(own)})
    return _frame(rows)


@_picture("Probability of gin by draw", plots.odds, "gin", "joker", "limit")
def odds(review: Review) -> pd.DataFrame:
    """How many deals of the best player are over after so many draws, and how."""
    return _from_passes(review, "odds")


@_picture("Match totals", plots.totals, by_variant=True)
def totals(review: Review, variant: str) -> pd.DataFrame:
    """What the deals of a match add up to, where a match is a number of deals."""
    return _from_pass(review, variant, "totals")


# Both


@_picture("Deal outcomes", plots.endings, "gin", "knock", "undercut", "void", "joker", "limit")
def endings(review: Review) -> pd.DataFrame:
    """How deals end: means of the field, as rows of a tidy frame (`simgin.stats.table`)."""
    rows = []
    for matches, kind in itertools.product(review.matches.values(), sums.KINDS):
        share = _mean_share(matches, kind)
        told = {"unit": metrics.DEAL, "metric": kind, "se": share.se}
        rows.append({**_field(matches), **told, **_numbers(share)})
    return _frame(rows)


def _mean_share(matches: VariantMatches, kind: str) -> Quantity:
    """The share of deals that end in one way: a mean of the field."""
    metric = metrics.BY_NAME[kind]
    shares = [quantity.ratio(matches.cells[pair], metric) for pair in _own_cells(matches)]
    return quantity.mean(shares)


@_picture("Deal length", plots.turns, "turns", "turns_sd")
def turns(review: Review) -> pd.DataFrame:
    """Share of deals that last more than `turns` turns, as a mean of the field."""
    rows = []
    for matches in review.matches.values():
        names = _field(matches)
        for t, share in enumerate(_survival(matches)):
            rows.append({**names, "turns": t, **_numbers(share, "share")})
    return _frame(rows)


def _survival(matches: VariantMatches) -> list[Quantity]:
    """The share of longer deals after 0, 1, 2, ... turns, up to the first that none outlasts."""
    survival = matches.survival(_own_cells(matches))
    last = max((t for t, share in enumerate(survival) if share.value > 0), default=0)
    return survival[: last + 2]


# Two players


@_picture("Points per deal", plots.points, "points", "points_sd")
def points(review: Review) -> pd.DataFrame:
    """Share of decided deals by the points scored, of gold-early against itself.

    In bins of one `width` for all variants.
    """
    counted = _counted_outcomes(review)
    if not counted:
        return _frame([])
    width = _width(max(map(_reach, counted.values())))
    rows = []
    for variant, outcomes in counted.items():
        names = _players(variant, REFERENCE, REFERENCE)
        for i, share in enumerate(_binned(outcomes, width)):
            place = {"points": i * width, "width": width}
            rows.append({**names, **place, **_numbers(share, "share")})
    return _frame(rows)


def _counted_outcomes(review: Review) -> dict[str, pd.DataFrame]:
    """The outcomes of decided deals by variant, where there are any."""
    every = {name: _from_pass(review, name, "outcomes") for name in review.request.variants}
    return {variant: outcomes for variant, outcomes in every.items() if len(outcomes)}


def _reach(outcomes: pd.DataFrame) -> float:
    """The points that the bins have to reach, from some ten thousand deals as they came."""
    points = outcomes["points"].to_numpy()
    often = _groups(outcomes).sum(axis=0)
    # Rounded up, so that the rarest outcome is still there
    deals = np.repeat(points, -(-often * 10_000 // often.sum()))
    return float(np.quantile(deals, FAR))


def _width(reach: float) -> int:
    return next((width for width in WIDTHS if reach <= width * MOST_BINS), WIDTHS[-1])


def _binned(outcomes: pd.DataFrame, width: int) -> list[Quantity]:
    bins = np.minimum(outcomes["points"].to_numpy() // width, MOST_BINS - 1)
    counts = np.stack([np.bincount(bins, group, MOST_BINS) for group in _groups(outcomes)])
    return quantity.shares(counts, counts.sum(axis=1))


def _groups(outcomes: pd.DataFrame) -> np.ndarray:
    """Deals in each group of outcomes: int64 (groups, outcomes)."""
    return np.asarray(outcomes.drop(columns="points").to_numpy().T)


@_picture("Knock threshold", plots.knock, "best_k", "patience")
def knock(review: Review) -> pd.DataFrame:
    """What each knock limit scores against all the others.

    By `measure`: per deal ("points") and of matches ("share").
    """
    rows = []
    for variant, matches in review.matches.items():
        if matches.alone or len(matches.knock_limits) < 2:
            continue
        names = _players(variant, "gold by knock limit", "the others")
        for measure, metric in MEASURES.items():
            matrix = matches.knock_matrix(metric)
            for k in matrix.limits:
                rows.append({**names, "k": k, "measure": measure, **_numbers(matrix.mean(k))})
    return _frame(rows)


# Two players, each variant by itself


def _draw_league(tables: tuple[pd.DataFrame, pd.DataFrame], *, seed: int) -> Any:
    standings, cross = tables
    return plots.league(standings, cross, unit="match", seed=seed)


_draw_league.__name__ = plots.league.__name__


@_picture("Head to head", _draw_league, by_variant=True)
def league(review: Review, variant: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ratings of all players of a variant, and their cross-table."""
    matches = review.matches[variant]
    pairings = matches.league(matches.players)
    rated = ratings.ratings(RoundRobin(pairings, review.request.seed))
    return rated.assign(variant=variant), ratings.cross_table(pairings).assign(variant=variant)


@_picture("Win probability by score", plots.scores, by_variant=True)
def scores(review: Review, variant: str) -> pd.DataFrame:
    """V, the probability to win the match, by points of both and who deals.

    Of gold-early against itself; empty where V does not go by points alone.
    """
    return _from_pass(review, variant, "scores").assign(**_players(variant, REFERENCE, REFERENCE))


# With a base


def differences(review: Review) -> pd.DataFrame:
    """Every change against the base, as it is shown: shares in per cent."""
    request = review.request
    strategy = ", ".join(request.field)
    frame = review.differences.assign(strategy=strategy, opponent="" if request.alone else ITSELF)
    shown = frame["metric"].map(review.metric)
    frame["title"] = shown.map(lambda metric: metric.heading)
    frame["notable"] = shown.map(lambda metric: metric.notable)
    for name in ("difference", "se", "low", "high", "notable"):
        frame[name] *= shown.map(lambda metric: metric.factor)
    return frame[frame["se"] > 0].reset_index(drop=True)


# Parts of frames


def _own_cells(matches: VariantMatches) -> list[tuple[str, str]]:
    """The cells that stand for a variant: the field against itself, or the best player alone."""
    if matches.alone:
        return [(players.best_solo(matches.variant), "")]
    return [(name, name) for name in matches.field]


def _field(matches: VariantMatches) -> dict[str, Any]:
    variant = matches.variant
    if matches.alone:
        return _players(variant, players.best_solo(variant), "")
    return _players(variant, ", ".join(matches.field), ITSELF)


def _players(variant: str, a: str, b: str) -> dict[str, Any]:
    return {"variant": variant, "strategy": a, "opponent": b}


def _numbers(own: Quantity, name: str = "value") -> dict[str, Any]:
    low, high = own.limits
    return {name: own.value, "low": low, "high": high, "n": own.n}


def _from_pass(review: Review, variant: str, name: str) -> pd.DataFrame:
    """A frame that a pass over a variant made; empty where it made none."""
    frames = review.extras[variant].frames
    return frames[name] if name in frames else _frame([])


def _from_passes(review: Review, name: str) -> pd.DataFrame:
    """The same of all variants."""
    return _together([_from_pass(review, variant, name) for variant in review.request.variants])


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows)


def _together(parts: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    filled = [part for part in parts if len(part)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame()
