"""Value of a deal result beyond its points: won deals or games with a die, and the match.

As backgammon players read match equity from one table, the probability of winning the match after
a deal is that of two equal players: `EQUITY_PLAYER` against itself, under the rules of the variant.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from simgin.analysis.kernels import fill_deals, fill_game
from simgin.core.sums import KINDS
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules.parameters import number
from simgin.rules.variants import Variant
from simgin.value.outcomes import Outcomes, count_outcomes
from simgin.value.states import next_dealers, won_deals
from simgin.value.value import Value, ValueRefused, at_any_score

PLAYER = "gold-early"
DEALS = 200_000  # for a standard error of V below 0.3 %
NOBODY = -1
GIN = tuple(KINDS.index(kind) for kind in ("gin", "big_gin", "shot"))
UNDERCUT, REFUSED = KINDS.index("undercut"), KINDS.index("refused")


def net_points(variant: Variant, records: np.ndarray) -> np.ndarray:
    """Compute the gain of side A in each deal: the difference of points, or minus the penalty."""
    points = np.asarray(records["points_a"] - records["points_b"], np.float64)
    return -points if variant.row["deal_scoring"] == "penalty" else points


@dataclass(frozen=True)
class PointsEquity:
    """Probability of winning a match to a number of points."""

    value: Value

    def write(self, found: np.ndarray, records: np.ndarray) -> None:
        """Write the probability of winning the match, in %."""
        own, other = _points_after(records)
        dealers = _dealers_after(self.value.matchup.variant, records)
        found["match"] = 100 * self.value.win(own, other, dealers)


@dataclass(frozen=True)
class DealsEquity:
    """Won deals with a die for each deal, and the probability of winning the match.

    Offers before the cards are seen are optimal for both players; there are no offers during play.

    Attributes:
        variant: Variant of the deals.
        table: float64 (goal + 1, goal + 1, 2), probability that A wins, by won deals of A and B
            and dealer.
    """

    variant: Variant
    table: np.ndarray

    def write(self, found: np.ndarray, records: np.ndarray) -> None:
        """Write net won deals and the probability of winning the match, in %."""
        goal = len(self.table) - 1
        won = _counted(self.variant, records)
        by_a = won * (records["winner"] == 0)
        by_b = won * (records["winner"] == 1)
        own = records["deals_a"] + by_a
        other = records["deals_b"] + by_b
        dealers = _dealers_after(self.variant, records)
        chance = self.table[np.minimum(goal, own), np.minimum(goal, other), dealers]
        found["deals"] = by_a - by_b
        found["match"] = 100 * chance


@dataclass(frozen=True)
class GameEquity:
    """Net won games with a die for each game of several deals.

    Offers before the cards are seen are optimal for both players; there are no offers during play.

    Attributes:
        variant: Variant of the deals.
        table: float64 (goal, goal, 2, cap + 1, 3), value of the rest of the game for A, by points
            of A and B, dealer, stake and owner + 1.
        games_by_points: int64 (goal,), number of games that a game counts, by the loser's points.
    """

    variant: Variant
    table: np.ndarray
    games: np.ndarray

    def write(self, found: np.ndarray, records: np.ndarray) -> None:
        """Write net won games."""
        last = len(self.table) - 1
        own, other = _points_after(records)
        stake = records["stake"]
        dealers = _dealers_after(self.variant, records)
        owners = records["owner"] + 1
        place = (np.minimum(last, own), np.minimum(last, other), dealers, stake, owners)
        counted = stake * self.games[np.minimum(own, other)]
        is_refused = records["kind"] == REFUSED
        is_won = np.maximum(own, other) > last
        sign = 1 - 2 * records["winner"]
        worth = np.where(is_won, sign * counted, self.table[place])
        found["games"] = np.where(is_refused, sign * records["pays"], worth)


# Each class has a method `write_values(outcomes, records)`, which writes the fields match, deals or
# games of `outcomes` (OUTCOME, see simgin.analysis.analysis) for side A of `records` (DEAL).
Equity = PointsEquity | DealsEquity | GameEquity


def _points_after(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of A and B after each deal."""
    own = records["score_a"] + records["points_a"]
    other = records["score_b"] + records["points_b"]
    return own, other


def _dealers_after(variant: Variant, records: np.ndarray) -> np.ndarray:
    """Return the dealer of the deal after each deal."""
    return np.asarray(next_dealers(variant.row)[records["dealer"], records["winner"]])


def _counted(variant: Variant, records: np.ndarray) -> np.ndarray:
    """Return the number of won deals that each deal counts for its winner (rules.md 7 and 8)."""
    kind = records["kind"]
    is_gin = np.isin(kind, GIN)
    factor = np.ones(kind.shape, np.int64)
    factor[is_gin] = number(variant.row, "deal_count_gin")
    factor[kind == UNDERCUT] = number(variant.row, "deal_count_undercut")
    return np.where(kind == REFUSED, records["pays"], factor * records["stake"])


@cache
def find_equity(variant: Variant, workers: int | None = None) -> Equity | None:
    """Return the value of deal results; None if only points count or V is unknown."""
    row = variant.row
    if row["die"] == "deal":
        return _of_deals(variant, workers)
    if row["die"] == "game":
        return _of_a_game(variant, workers)
    if variant.goal.score != "points" or row["shot"] or row["players"] == 1:
        return None
    try:
        matchup = _equals(variant)
        return PointsEquity(at_any_score(matchup, count_outcomes(matchup, DEALS, workers)))
    except ValueRefused:
        return None


def _equals(variant: Variant) -> Matchup:
    """Return the matchup of two equal players who do not offer the die."""
    return parse_matchup(PLAYER, PLAYER, variant.text, 1, "deal")


def _of_deals(variant: Variant, workers: int | None) -> DealsEquity:
    row = variant.row
    outcomes = _outcomes(variant, workers)
    share = _shares(outcomes, won_deals(row, outcomes))
    goal = number(row, "deals_target")
    cap, pays_new = _die(variant)
    table = np.zeros((goal + 1, goal + 1, 2))
    table[goal] = 1.0
    fill_deals(table, share, next_dealers(row), cap, pays_new)
    return DealsEquity(variant, table)


def _of_a_game(variant: Variant, workers: int | None) -> GameEquity:
    row = variant.row
    outcomes = _outcomes(variant, workers)
    share = _shares(outcomes, outcomes.column("points"))
    goal = number(row, "points_target")
    up_to, counts = np.array(row["game_table"]).T
    games = counts[np.searchsorted(up_to, np.arange(goal))]
    cap, pays_new = _die(variant)
    table = np.zeros((goal, goal, 2, cap + 1, 3))
    fill_game(table, share, games, next_dealers(row), cap, pays_new)
    return GameEquity(variant, table, games)


def _die(variant: Variant) -> tuple[int, bool]:
    """Return the highest number of the die, and True if a refusal pays the number offered."""
    return number(variant.row, "die_cap"), variant.row["die_refusal_pays"] == "new"


def _outcomes(variant: Variant, workers: int | None) -> Outcomes:
    """Return the outcomes of deals between equal players who do not offer the die."""
    return count_outcomes(_equals(variant), DEALS, workers).from_both_sides()


def _shares(outcomes: Outcomes, gains: np.ndarray) -> np.ndarray:
    """Return the probabilities of winner and gain by dealer.

    Returns:
        float64 (2, 3, n): by dealer, winner (2 for a drawn deal) and gain.
    """
    share = np.zeros((2, 3, int(gains.max()) + 1))
    dealer = outcomes.column("dealer")
    winner = outcomes.column("winner")
    np.add.at(share, (dealer, winner, np.where(winner == NOBODY, 0, gains)), outcomes.shares[0])
    return share
