"""Equity of deal results, in won deals, won games or won matches instead of points.

The probability of winning the match after a deal assumes two equal players, as match equity tables
in backgammon do. `EQUITY_STRATEGY` plays against itself under the rules of the variant.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from simgin.analysis.kernels import fill_game_table, fill_won_deals_table
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.match_value.boards import count_won_deals, make_next_dealer_table
from simgin.match_value.match_value import (
    MatchValue,
    ValueUnavailableError,
    make_value_from_outcomes,
)
from simgin.match_value.outcomes import Outcomes, count_outcomes
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules.parameters import get_int_param
from simgin.rules.variants import Variant

EQUITY_STRATEGY = "gold-early"
N_EQUITY_DEALS = 200_000  # number of deals that keeps the standard error of V below 0.3 %
NO_WINNER = -1
GIN_OR_SHOT_RESULT_INDICES = tuple(DEAL_RESULTS.index(kind) for kind in ("gin", "big_gin", "shot"))
UNDERCUT_RESULT_INDEX, REFUSED_RESULT_INDEX = (
    DEAL_RESULTS.index("undercut"),
    DEAL_RESULTS.index("refused"),
)


def compute_net_points(variant: Variant, records: np.ndarray) -> np.ndarray:
    """Compute A's gain in each deal: the net points, or minus the penalty."""
    points = np.asarray(records["points_a"] - records["points_b"], np.float64)
    return -points if variant.params["deal_scoring"] == "penalty" else points


@dataclass(frozen=True)
class PointsEquity:
    """Equity in a match to a target score in points: the probability of winning the match."""

    match_value: MatchValue

    def write_values(self, outcomes: np.ndarray, records: np.ndarray) -> None:
        """Write the probability of winning the match after each deal, in %."""
        points_a, points_b = _compute_scores_after_deals(records)
        dealers = _find_next_dealers(self.match_value.matchup.variant, records)
        outcomes["match"] = 100 * self.match_value.win_probability(points_a, points_b, dealers)


@dataclass(frozen=True)
class DealsEquity:
    """Equity in games with a die: net number of deals won, and probability of winning the match.

    Both players make optimal offers before they see their cards, and no offers during play.

    Attributes:
        variant: Variant of the deals.
        table: Probability that A wins, float64 (goal + 1, goal + 1, 2), indexed by A's won deals,
            B's won deals and the dealer.
    """

    variant: Variant
    table: np.ndarray

    def write_values(self, outcomes: np.ndarray, records: np.ndarray) -> None:
        """Write the net number of deals won, and the probability of winning the match, in %."""
        goal = len(self.table) - 1
        n_won = _count_won_deals(self.variant, records)
        by_a = n_won * (records["winner"] == 0)
        by_b = n_won * (records["winner"] == 1)
        deals_a = records["deals_a"] + by_a
        deals_b = records["deals_b"] + by_b
        dealers = _find_next_dealers(self.variant, records)
        win_probability = self.table[np.minimum(goal, deals_a), np.minimum(goal, deals_b), dealers]
        outcomes["deals"] = by_a - by_b
        outcomes["match"] = 100 * win_probability


@dataclass(frozen=True)
class GameEquity:
    """Equity in games of several deals with a die: net number of games won.

    Both players make optimal offers before they see their cards, and no offers during play.

    Attributes:
        variant: Variant of the deals.
        table: Value of the remaining game for A, float64 (goal, goal, 2, cap + 1, 3), indexed by
            A's points, B's points, the dealer, the stake and owner + 1.
        games_by_points: Number of games that a won game counts as, int64 (goal,), indexed by the
            loser's points.
    """

    variant: Variant
    table: np.ndarray
    games_by_points: np.ndarray

    def write_values(self, outcomes: np.ndarray, records: np.ndarray) -> None:
        """Write the expected net number of games won after each deal."""
        last = len(self.table) - 1
        points_a, points_b = _compute_scores_after_deals(records)
        stake = records["stake"]
        dealers = _find_next_dealers(self.variant, records)
        owners = records["owner"] + 1
        entry = (np.minimum(last, points_a), np.minimum(last, points_b), dealers, stake, owners)
        games_won = stake * self.games_by_points[np.minimum(points_a, points_b)]
        is_refused = records["kind"] == REFUSED_RESULT_INDEX
        is_won = np.maximum(points_a, points_b) > last
        sign = 1 - 2 * records["winner"]
        values = np.where(is_won, sign * games_won, self.table[entry])
        outcomes["games"] = np.where(is_refused, sign * records["pays"], values)


# Each class has a method `write_values(outcomes, records)`, which writes the fields match, deals or
# games of `outcomes` (OUTCOME_DTYPE, see simgin.analysis.analysis) for side A of `records` (DEAL).
Equity = PointsEquity | DealsEquity | GameEquity


def _compute_scores_after_deals(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of A and B after each deal."""
    points_a = records["score_a"] + records["points_a"]
    points_b = records["score_b"] + records["points_b"]
    return points_a, points_b


def _find_next_dealers(variant: Variant, records: np.ndarray) -> np.ndarray:
    """Return, for each deal, the player who deals next."""
    return np.asarray(make_next_dealer_table(variant.params)[records["dealer"], records["winner"]])


def _count_won_deals(variant: Variant, records: np.ndarray) -> np.ndarray:
    """Return the number of won deals that each deal counts as (rules.md, sections 7 and 8)."""
    ending = records["kind"]
    is_gin = np.isin(ending, GIN_OR_SHOT_RESULT_INDICES)
    deals = np.ones(ending.shape, np.int64)
    deals[is_gin] = get_int_param(variant.params, "deal_count_gin")
    deals[ending == UNDERCUT_RESULT_INDEX] = get_int_param(variant.params, "deal_count_undercut")
    return np.where(ending == REFUSED_RESULT_INDEX, records["pays"], deals * records["stake"])


def is_score_relevant(variant: Variant) -> bool:
    """Return True if a score before a deal affects the deal or the equity of its result."""
    params = variant.params
    return params["die"] != "off" or bool(params["shot"]) or variant.goal.score_unit == "points"


@cache
def compute_equity(variant: Variant, workers: int | None = None) -> Equity | None:
    """Compute the equity of deal results in a variant, or return None if it is not available."""
    params = variant.params
    if params["die"] == "deal":
        return _compute_equity_by_deals_won(variant, workers)
    if params["die"] == "game":
        return _compute_game_equity(variant, workers)
    if variant.goal.score_unit != "points" or params["shot"] or params["players"] == 1:
        return None
    try:
        matchup = _make_equal_matchup(variant)
        outcomes = count_outcomes(matchup, N_EQUITY_DEALS, workers)
        return PointsEquity(make_value_from_outcomes(matchup, outcomes))
    except ValueUnavailableError:
        return None


def _make_equal_matchup(variant: Variant) -> Matchup:
    """Return a matchup of two equal players who never offer the die."""
    return parse_matchup(EQUITY_STRATEGY, EQUITY_STRATEGY, variant.spec, 1, "deal")


def _compute_equity_by_deals_won(variant: Variant, workers: int | None) -> DealsEquity:
    """Compute the equity in matches with a die to a given number of won deals."""
    params = variant.params
    outcomes = _count_outcomes(variant, workers)
    probabilities = _compute_outcome_probabilities(outcomes, count_won_deals(params, outcomes))
    goal = get_int_param(params, "deals_target")
    die_cap, refusal_pays_offer = _read_die_rules(variant)
    table = np.zeros((goal + 1, goal + 1, 2))
    table[goal] = 1.0
    fill_won_deals_table(
        table, probabilities, make_next_dealer_table(params), die_cap, refusal_pays_offer
    )
    return DealsEquity(variant, table)


def _compute_game_equity(variant: Variant, workers: int | None) -> GameEquity:
    """Compute the equity in games with a die that can count as several games."""
    params = variant.params
    outcomes = _count_outcomes(variant, workers)
    probabilities = _compute_outcome_probabilities(outcomes, outcomes.column("points"))
    goal = get_int_param(params, "points_target")
    max_points, games_by_band = np.array(params["game_table"]).T
    games_by_points = games_by_band[np.searchsorted(max_points, np.arange(goal))]
    die_cap, refusal_pays_offer = _read_die_rules(variant)
    table = np.zeros((goal, goal, 2, die_cap + 1, 3))
    fill_game_table(
        table,
        probabilities,
        games_by_points,
        make_next_dealer_table(params),
        die_cap,
        refusal_pays_offer,
    )
    return GameEquity(variant, table, games_by_points)


def _read_die_rules(variant: Variant) -> tuple[int, bool]:
    """Return the highest number on the die, and True if a refusal costs the offered number."""
    return get_int_param(variant.params, "die_cap"), variant.params["die_refusal_pays"] == "new"


def _count_outcomes(variant: Variant, workers: int | None) -> Outcomes:
    """Count the outcomes of deals between two equal players who never offer the die."""
    return count_outcomes(
        _make_equal_matchup(variant), N_EQUITY_DEALS, workers
    ).with_mirrored_deals()


def _compute_outcome_probabilities(outcomes: Outcomes, gains: np.ndarray) -> np.ndarray:
    """Return the probability of each combination of winner and gain, for each dealer.

    Returns:
        float64 (2, 3, n), indexed by dealer, winner (2 for a drawn deal) and gain.
    """
    probabilities = np.zeros((2, 3, int(gains.max()) + 1))
    dealer = outcomes.column("dealer")
    winner = outcomes.column("winner")
    indices = (dealer, winner, np.where(winner == NO_WINNER, 0, gains))
    np.add.at(probabilities, indices, outcomes.probabilities[0])
    return probabilities
