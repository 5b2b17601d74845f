"""The chance to win the match after a deal: one table of V for whoever plays.

As backgammon players read match equity from one table, the chance after a deal is that of two
equal players from there on: `PLAYER` against itself, under the variant's own rules.
"""

from __future__ import annotations

import numpy as np

from simgin.play.matchup import parse_matchup
from simgin.rules.variants import Variant
from simgin.value.outcomes import count_outcomes
from simgin.value.states import next_dealers
from simgin.value.value import Value, ValueRefused, at_any_score

PLAYER = "gold-early"
DEALS = 200_000  # the standard error of V is then below 0.3 %


def net_points(variant: Variant, records: np.ndarray) -> np.ndarray:
    """What side A gained in each deal: points less the opponent's, or less the penalty."""
    points = np.asarray(records["points_a"] - records["points_b"], np.float64)
    return -points if variant.row["deal_scoring"] == "penalty" else points


def counts_wins(variant: Variant) -> bool:
    """Whether deals are won or lost, and nothing else counts."""
    return bool(variant.row["deal_scoring"] == "winloss")


def match_value(variant: Variant, workers: int | None = None) -> Value | None:
    """V of equal players; None unless two play to points, in deals alike at every score."""
    if variant.goal.score != "points" or variant.row["shot"] or variant.row["players"] == 1:
        return None
    matchup = parse_matchup(PLAYER, PLAYER, variant.text, 1, "deal")
    try:
        return at_any_score(matchup, count_outcomes(matchup, DEALS, workers))
    except ValueRefused:
        return None


def chance_after(value: Value, records: np.ndarray) -> np.ndarray:
    """The chance that side A wins the match after each deal played: float64, the records' shape."""
    params = value.matchup.variant.row
    dealers = next_dealers(params)[records["dealer"], records["winner"]]
    own = records["score_a"] + records["points_a"]
    other = records["score_b"] + records["points_b"]
    return np.asarray(value.win(own, other, dealers))
