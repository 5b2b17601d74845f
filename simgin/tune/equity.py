"""What a deal is worth under the rules of a variant, in about the points of deals.

Where points win the match, the change of the probability of winning it counts; where won deals do,
the deals; elsewhere, and where the seats have unlike chances, the points.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache

import numpy as np
from simgin_strategies._champion import MATCH
from simgin_strategies._champion_worlds import DEAL

from simgin.play.rollout import Branches
from simgin.rules.parameters import number
from simgin.rules.variants import Variant
from simgin.value import value

DEALS, SEED = 2_000_000, 20261122  # for the probability of winning by both scores

Equity = Callable[[Branches], np.ndarray]


def equity_of(variant: Variant) -> Equity:
    """What branches are worth to A: float64 of the shape of their records."""
    goal = variant.row["goal"]
    if goal == "points":
        with suppress(value.ValueRefused):  # where no such value can be had, the points count
            return by_score(variant)
    return by_deals if goal == "deals" else by_points


def by_score(variant: Variant) -> Equity:
    """MATCH times the probability of winning the match after each branch."""
    target = number(variant.row, "points_target")
    won = match_values(variant.text, target)

    def equity(branches: Branches) -> np.ndarray:
        own = branches.standings[:, :1] + branches.records["points_a"]
        other = branches.standings[:, 1:2] + branches.records["points_b"]
        worth: np.ndarray = MATCH * won[np.minimum(own, target), np.minimum(other, target)]
        return worth

    return equity


@cache
def match_values(variant: str, target: int) -> np.ndarray:
    """The probability of winning by both scores, 0..target, for gold against itself."""
    values = np.full((target + 1, target + 1), np.nan)
    values[:target, :target] = chances_by_score(variant, target).astype(np.float32)
    values[target, :target] = 1
    values[:target, target] = 0
    return values


def chances_by_score(variant: str, target: int) -> np.ndarray:
    """The probability that gold wins from gold, by own points and the opponent's below the target.

    Averaged over who deals, so the table and its transpose add up to one.
    """
    v = value.compute(variant, "gold", "gold", deals=DEALS, seed=SEED)
    own, other = np.indices((target, target))
    chances: np.ndarray = (v.win(own, other, dealer=0) + v.win(own, other, dealer=1)) / 2
    return chances


def by_deals(branches: Branches) -> np.ndarray:
    """DEAL for every deal that the die counts."""
    winner = branches.records["winner"]
    won = (winner == 0).astype(float) - (winner == 1)
    worth: np.ndarray = DEAL * won * branches.records["stake"]
    return worth


def by_points(branches: Branches) -> np.ndarray:
    """Points won, less points lost."""
    won: np.ndarray = branches.records["points_a"] - branches.records["points_b"]
    return won.astype(float)
