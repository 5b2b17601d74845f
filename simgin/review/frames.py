"""What a review shows in pictures: a tidy frame a picture, every row with its limits and its n (METRICS 8).

All frames have variant, strategy and opponent; their other columns are those that the function of `simgin.plots` of the same name draws.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums
from simgin.odds import solo
from simgin.review import knocking, skill, solo_metrics
from simgin.review.review import Review
from simgin.review.rule_metrics import FULL, NAMED_PAIR, Game
from simgin.rules.goals import goal_of
from simgin.stats import metrics, quantity, ratings, sequential
from simgin.stats.estimate import Z95
from simgin.stats.quantity import Quantity
from simgin.value import outcomes
from simgin.value import turns as turn_by_turn
from simgin.value.value import ValueRefused

if TYPE_CHECKING:
    import pandas as pd

ITSELF = "itself"  # the opponent of a field that is told by its means
WIDTHS = (2, 5, 10, 20, 50)  # of bins of points
MOST_BINS = 16
FAR = 0.98  # share of the deals that the bins of points reach over; the last bin holds the rest


def endings(review: Review) -> pd.DataFrame:
    """How deals end: the means of the field as rows of a tidy frame (`simgin.stats.table.TABLE_COLUMNS`)."""
    return _frame(
        [
            {
                **_who(game),
                "unit": metrics.DEAL,
                "metric": kind,
                "value": own.value,
                "se": own.se,
                **_limits(own),
            }
            for game in review.games
            for kind in sums.KINDS
            for own in [_ending(game, kind)]
        ]
    )


def _ending(game: Game, kind: str) -> Quantity:
    return quantity.mean(
        [quantity.ratio(game.cells[pair], metrics.BY_NAME[kind]) for pair in _told(game)]
    )


def _told(game: Game) -> list[tuple[str, str]]:
    """The cells that a game is told by: those of the field against itself, or that of the best player alone."""
    best = [(name, "") for name in [solo_metrics.best(game.variant)]] if game.alone else []
    return best or [(name, name) for name in game.field]


def strength(review: Review) -> pd.DataFrame:
    """What every player of a game for one makes of it: deals won, or the penalty of a deal, and matches won."""
    rows = []
    for game in review.games:
        wanted = {"penalty": "score"} if game.row["deal_scoring"] == "penalty" else {"win": "win"}
        wanted |= {"match_win": "match_win"} if not goal_of(game.row).one_deal else {}
        for metric, name in itertools.product(wanted, solo_metrics.field(game.variant)):
            own = quantity.ratio(game.cells[name, ""], metrics.BY_NAME[wanted[metric]])
            rows.append(
                {
                    **_pair(game.variant, name, ""),
                    "metric": metric,
                    "value": own.value,
                    **_limits(own),
                }
            )
    return _frame(rows)


def draws(review: Review) -> pd.DataFrame:
    """How many deals of the best player are over after so many draws, and how."""
    return _together([solo.by_draws(review.deals(game.variant)) for game in review.games])


def totals(review: Review, game: Game) -> pd.DataFrame:
    """What the deals of a match add up to, where a match is a number of deals."""
    return solo.totals(review.deals(game.variant))


def turns(review: Review) -> pd.DataFrame:
    """Share of deals that last more than `turns` turns, as a mean of the field."""
    return _frame([{**_who(game), **row} for game in review.games for row in _survival(game)])


def points(review: Review) -> pd.DataFrame:
    """Share of decided deals by the points scored, in bins of one `width` for all variants: gold-early against itself."""
    counted = {
        game.variant: outcomes.count_outcomes(
            review.matchup(game.variant, FULL, FULL), review.singles, review.workers
        )
        for game in review.games
    }
    width = _width([float(np.quantile(*_scored(one))) for one in counted.values()])
    return _frame(
        [
            {**_pair(variant, FULL, FULL), **row}
            for variant, one in counted.items()
            for row in _binned(one, width)
        ]
    )


def deadwood(review: Review) -> pd.DataFrame:
    """What gold-early holds after its own turns, as nondealer and as dealer."""
    return _together([turn_by_turn.deadwood(review.turns(game.variant)) for game in review.games])


def swings(review: Review) -> pd.DataFrame:
    """The chance to win in the course of sample matches and of all; nothing unless the review is deep."""
    return (
        _together([review.course(game.variant)[1] for game in review.games])
        if review.asked.deep
        else _frame([])
    )


def knock(review: Review) -> pd.DataFrame:
    """What each knock limit makes of all the others, per deal ("points") and of matches ("share")."""
    return _frame(
        [
            {
                **_pair(game.variant, "gold by knock limit", "the others"),
                "k": k,
                "measure": measure,
                "value": own.value,
                **_limits(own),
            }
            for game in review.games
            if len(knocking.limits(game.row)) > 1
            for measure, metric in (("points", "margin"), ("share", "match_win"))
            for k in knocking.limits(game.row)
            for own in [game.matrix(metric).mean(k)]
        ]
    )


def knock_matrix(_review: Review, game: Game) -> pd.DataFrame:
    """Points per deal of every knock limit k against every other j; empty where only gin ends a deal."""
    matrix = game.matrix()
    return _frame(
        [
            {
                **_pair(game.variant, f"gold-at:k={k}", f"gold-at:k={j}"),
                "k": k,
                "j": j,
                "value": own.value,
                **_limits(own),
            }
            for k, j in itertools.permutations(matrix.limits, 2)
            for own in [matrix.cell(k, j)]
        ]
    )


def scores(review: Review, game: Game) -> pd.DataFrame:
    """V, the chance to win the match, by points of both and who deals: gold-early against itself; empty where there is no such table."""
    try:
        of = review.value(game.variant)
    except ValueRefused:
        return _frame([])
    if of.board.fields != (("score",), ("score",)):
        return _frame([])
    table = of.table()
    half = Z95 * table["se"]
    limits = {"low": (table["value"] - half).clip(0, 1), "high": (table["value"] + half).clip(0, 1)}
    columns = table[["score_a", "score_b", "dealer", "value"]].rename(
        columns={"score_a": "a", "score_b": "b"}
    )
    return columns.assign(**limits, n=review.singles, **_pair(game.variant, FULL, FULL))


def league(review: Review, game: Game) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ratings of all players of a variant, and their cross-table."""
    met = game.league(game.players)
    rated = ratings.ratings(met, review.asked.seed)
    return rated.assign(variant=game.variant), ratings.cross_table(met).assign(variant=game.variant)


def differences(review: Review) -> pd.DataFrame:
    """Every change against the base, as it is shown: shares in per cent."""
    frame = review.differences.assign(
        strategy=", ".join(review.asked.field), opponent="" if review.asked.alone else ITSELF
    )
    factor = frame["metric"].map({trait.key: trait.factor for trait in review.asked.traits})
    shown = frame["se"] > 0
    return frame.assign(
        **{name: frame[name] * factor for name in ("difference", "se", "low", "high")}
    )[shown].reset_index(drop=True)


def ladder(review: Review) -> pd.DataFrame:
    """What everybody takes from the next below him, by rating, of every variant."""
    parts = []
    for game in review.games:
        met = game.league(game.players)
        order = list(
            ratings.ratings(met, review.asked.seed, samples=2)["strategy"]
        )  # by rating alone: errors are not asked for
        parts.append(skill.ladder(met, order).assign(variant=game.variant))
    return _together(parts)


def convergence(review: Review) -> pd.DataFrame:
    """The running share of matches that gold-early takes from gold, with its confidence sequence, of the first variant."""
    game = review.games[0]
    pair, matches = game.pairing(*NAMED_PAIR)
    metric, as_b = metrics.BY_NAME["match_win"], pair[0] != NAMED_PAIR[0]
    final = quantity.ratio(matches, metric, as_b)
    if not final.se > 0:
        return _frame([])  # two who play alike: there is nothing to settle
    total = int(matches[:, sums.UNITS].sum())
    rows = []
    for part in (matches[:i] for i in range(2, len(matches) + 1)):
        units, own = int(part[:, sums.UNITS].sum()), quantity.ratio(part, metric, as_b)
        half = sequential.multiplier(units, total) * final.se * np.sqrt(total / units)
        rows.append(
            {
                "units": units,
                "value": own.value,
                "low": own.value - half,
                "high": own.value + half,
                "n": own.n,
            }
        )
    low, high = final.limits
    return _frame(
        [
            {**_pair(game.variant, *NAMED_PAIR), **row, "final_low": low, "final_high": high}
            for row in rows
        ]
    )


def _survival(game: Game) -> list[dict[str, float]]:
    means = game.lasting(_told(game))
    last = max((t for t, own in enumerate(means) if own.value > 0), default=0)
    return [
        {"turns": t, "share": own.value, **_limits(own)} for t, own in enumerate(means[: last + 2])
    ]


def _scored(counted: outcomes.Outcomes) -> tuple[np.ndarray, float]:
    """The points of decided deals, each as often as it came (at most some ten thousand of them), and the quantile to reach to."""
    decided = counted.column("winner") >= 0
    often = counted.counts.sum(axis=0)[decided]
    return np.repeat(counted.column("points")[decided], -(-often * 10_000 // often.sum())), FAR


def _width(reach: Sequence[float]) -> int:
    return next((width for width in WIDTHS if max(reach) <= width * MOST_BINS), WIDTHS[-1])


def _binned(counted: outcomes.Outcomes, width: int) -> list[dict[str, float]]:
    decided = counted.column("winner") >= 0
    place = np.minimum(counted.column("points")[decided] // width, MOST_BINS - 1)
    counts = np.stack(
        [np.bincount(place, group, MOST_BINS) for group in counted.counts[:, decided]]
    )
    found = quantity.shares(counts, counts.sum(axis=1))
    return [
        {"points": i * width, "width": width, "share": own.value, **_limits(own)}
        for i, own in enumerate(found)
    ]


def _who(game: Game) -> dict[str, str]:
    a, b = _told(game)[0] if game.alone else (", ".join(game.field), ITSELF)
    return _pair(game.variant, a, b)


def _pair(variant: str, a: str, b: str) -> dict[str, str]:
    return {"variant": variant, "strategy": a, "opponent": b}


def _limits(own: Quantity) -> dict[str, float]:
    low, high = own.limits
    return {"low": low, "high": high, "n": own.n}


def _frame(rows: list[dict[str, object]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows)


def _together(parts: list[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(parts, ignore_index=True)
