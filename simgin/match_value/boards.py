"""Match states for each match goal, and tables of match values.

A board is made from the rules, the seat of strategy A and the outcomes of deals. The probabilities
of the outcomes determine a table (docs/explanation/value.md#how-v-is-computed). The counts of a
side, which are points, won deals or both, form a track. On a track, which is a chain of positions,
a side moves only forward. A table over both tracks can therefore be filled from the end of the
match. Each entry is the mean, over the outcomes of a deal, of entries that are already filled.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numba import float64, int64, types, void

from simgin.core import jit
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.match_value import kernels
from simgin.match_value.outcomes import Outcomes, ScoreOutcomes
from simgin.rules.parameters import Params, find_match_goal, get_int_param


@dataclass(frozen=True)
class ScoreTrack:
    """Numbered sequence of the scores that one side can have before it reaches its goal.

    Attributes:
        score_fields: Counts of the side ("score", "deals" or "games"), which are record fields
            without the suffix of the side.
        targets: Target of each count.
    """

    score_fields: tuple[str, ...]
    targets: tuple[int, ...]

    @property
    def length(self) -> int:
        """Number of positions before the goal, which equals the position of the goal."""
        return int(np.prod(self._shape)) - 1

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple([target + 1 for target in self.targets])

    def find_positions(self, scores: np.ndarray) -> np.ndarray:
        """Return the positions of scores on the track.

        Args:
            scores: Scores, (..., n_fields). A score above its target is reduced to the target.

        Returns:
            Positions, (...) int64.
        """
        columns = np.moveaxis(np.minimum(scores, self.targets), -1, 0)
        return np.asarray(np.ravel_multi_index(tuple(columns), self._shape))

    def list_scores(self) -> np.ndarray:
        """Return the score at every position before the goal, (length, n_fields) int64."""
        return np.stack(np.unravel_index(np.arange(self.length), self._shape), axis=-1)

    def find_next_positions(self, gains: np.ndarray) -> np.ndarray:
        """Return the next position for each combination of a position and a gain.

        Args:
            gains: Non-negative gains, (n_outcomes, n_fields).

        Returns:
            Positions, (length, n_outcomes) int64.
        """
        return self.find_positions(self.list_scores()[:, None, :] + gains)


@cache
def compile_table_filler() -> Any:
    """Compile the function that fills a table of match values in place.

    The shape of the table is (length of A + 1, length of B + 1, 2 dealers), float64. The last row
    and the last column contain the values of finished matches. Every other entry is
    `reward[dealer]` plus the mean of the entries after one deal. If a deal can
    leave both scores unchanged, the entries for the two dealers are the solution of two linear
    equations.
    """
    int_matrix_type = types.Array(int64, 2, "C")
    float_matrix_type = types.Array(float64, 2, "C")
    float_vector_type = types.Array(float64, 1, "C")
    table_type = types.Array(float64, 3, "C")
    signature = void(
        table_type,
        *((int_matrix_type, int_matrix_type)),
        *((float_matrix_type, float_matrix_type)),
        int_matrix_type,
        float_vector_type,
        float_vector_type,
    )
    return jit.compile_function(kernels.fill_value_table, signature)


ValueTable = np.ndarray  # values of all states, float64
Probabilities = np.ndarray  # probability of each outcome given the dealer, (n_outcomes,) float64
SideScores = np.ndarray  # scores of one side, (..., n_fields) int64
BothScores = tuple[SideScores, SideScores]  # scores of A and of B
MatchStates = tuple[
    SideScores, SideScores, np.ndarray
]  # scores of A, scores of B, and sides that deal
TableIndex = tuple[np.ndarray, ...]  # index of states in a table
ScoreFields = tuple[tuple[str, ...], tuple[str, ...]]  # score fields of A, and score fields of B

# values of a match that A wins, of a match that B wins, and of a draw
MatchEndValues = tuple[float, float, float]

DRAW_VALUE = 0.5  # value of a drawn match


class Board:
    """Layout of a table of match values for the undecided states of a match.

    The score of a side consists of the values of its score fields. The last axis of a table is the
    side that deals (0 for A, 1 for B).

    Attributes:
        score_fields: Score fields of A and of B, which are record fields without the suffix of the
            side. The field `left` is the number of remaining deals.
        n_states: Approximate number of states.
        start_scores: Scores at the start of a match.
    """

    score_fields: ScoreFields
    n_states: int
    start_scores: BothScores

    def compute_win_probabilities(self, probabilities: Probabilities) -> ValueTable:
        """Compute the probability that A wins the match for every state.

        Args:
            probabilities: Probability of each outcome given the dealer, (n_outcomes,) float64.
        """
        return self._fill_table(probabilities, (1, 0, DRAW_VALUE))

    def compute_mean_power(self, probabilities: Probabilities, z: float) -> ValueTable:
        """Compute E[z**N] for every state, where N is the number of remaining deals.

        Args:
            probabilities: Probability of each outcome given the dealer, (n_outcomes,) float64.
            z: Base of the power.

        Returns:
            Table of means. If an entry is below 1, the mean is not finite.
        """
        return self._fill_table(z * probabilities, (1, 1, 1))

    def find_table_index(
        self, scores_a: SideScores, scores_b: SideScores, dealer: np.ndarray
    ) -> TableIndex:
        """Return the indices of states in a table of match values.

        Args:
            scores_a: Scores of A, (..., n_fields) int64.
            scores_b: Scores of B, (..., n_fields) int64.
            dealer: Sides that deal, (...) int64.
        """
        raise NotImplementedError

    def list_states(self) -> MatchStates:
        """Return all undecided states of a match."""
        raise NotImplementedError

    def _fill_table(self, probabilities: Probabilities, end_values: MatchEndValues) -> ValueTable:
        """Return the table of match values for the given values of finished matches."""
        raise NotImplementedError


def make_board(params: Params, seat: int, outcomes: Outcomes) -> Board:
    """Return the board for the parameters of a variant, with strategy A at `seat`."""
    board_type = find_match_goal(params).board_type
    if board_type == "total":
        return TotalBoard(params, outcomes)
    if board_type == "games":
        return GamesBoard(params, seat, outcomes)
    return RaceBoard(params, seat, outcomes)


class _DealTransitions:
    """Possible changes of the match state after a deal."""

    def __init__(
        self, params: Params, outcomes: Outcomes, tracks: tuple[ScoreTrack, ScoreTrack]
    ) -> None:
        self._dealer = outcomes.column("dealer")
        self._winner = outcomes.column("winner")
        self._is_solo = params["players"] == 1
        self._next_dealers = make_next_dealer_table(params)
        self._gains_by_field = {
            "score": outcomes.column("points"),
            "deals": count_won_deals(params, outcomes),
        }
        self._next_positions = []
        self._gain_indices = []
        for side, track in enumerate(tracks):
            gains, gain_index = self._find_distinct_gains(side, track)
            self._next_positions.append(np.ascontiguousarray(track.find_next_positions(gains)))
            self._gain_indices.append(gain_index)

    def _find_distinct_gains(self, side: int, track: ScoreTrack) -> tuple[np.ndarray, np.ndarray]:
        """Return a side's distinct gains, and the gain index of each deal that the side wins.

        Outcomes with equal gains are combined into one transition.
        """
        is_won = self._winner == side
        columns = [self._gains_by_field[name][is_won] for name in track.score_fields]
        gains = np.stack(columns, axis=1)
        distinct_gains, gain_index = np.unique(gains, axis=0, return_inverse=True)
        return distinct_gains, gain_index.reshape(-1)

    def compute_transitions(self, probabilities: Probabilities) -> list[np.ndarray]:
        """Return the next positions after a deal, with their probabilities.

        Args:
            probabilities: Probability of each outcome given the dealer, (n_outcomes,) float64.

        Returns:
            List of six arrays: The first two arrays contain the next positions of A and of B after
            each gain, (length, n_gains) int64. The next two arrays contain the probabilities of
            these gains, (2 dealers, n_gains) float64. The fifth array contains the next dealer for
            each dealer if A wins, if B wins and if neither side wins, (2, 3) int64. The last array
            contains, for each dealer, the probability that neither side wins.
        """
        tables = [self._compute_gain_probabilities(side, probabilities) for side in (0, 1)]
        no_winner = np.bincount(self._dealer, probabilities * (self._winner < 0), minlength=2)
        if self._is_solo:  # Records of solitaire games also contain a dealer.
            tables = [np.tile(table.sum(axis=0), (2, 1)) for table in tables]
            no_winner = np.full(2, no_winner.sum())
        return [*self._next_positions, *tables, self._next_dealers, no_winner]

    def _compute_gain_probabilities(self, side: int, probabilities: Probabilities) -> np.ndarray:
        """Return the probability that a side gains each amount in a deal, for each dealer."""
        is_won = self._winner == side
        dealer = self._dealer[is_won]
        gain_index = self._gain_indices[side]
        gain_probabilities = np.zeros((2, self._next_positions[side].shape[1]))
        np.add.at(gain_probabilities, (dealer, gain_index), probabilities[is_won])
        return gain_probabilities


def count_won_deals(params: Params, outcomes: Outcomes) -> np.ndarray:
    """Return the number of won deals that each outcome counts as (rules.md 7 and 8.5)."""
    if not find_match_goal(params).counts_deals:
        return np.ones(len(outcomes.rows), np.int64)
    gin_count = get_int_param(params, "deal_count_gin")
    undercut_count = get_int_param(params, "deal_count_undercut")
    ending = np.array(DEAL_RESULTS)[outcomes.column("kind")]
    won_deals = np.where(np.isin(ending, ("gin", "big_gin", "shot")), gin_count, 1)
    won_deals = np.where(ending == "undercut", undercut_count, won_deals)
    # If the die is refused, its number before the offer counts.
    return np.asarray(won_deals * outcomes.column("stake"))


def make_next_dealer_table(params: Params) -> np.ndarray:
    """Return the next dealer for each dealer and winner (0, 1 or -1 for none), (2, 3) int64."""
    winners = (0, 1, -1)
    next_dealers = [
        [_find_next_dealer(params, dealer, winner) for winner in winners] for dealer in (0, 1)
    ]
    return np.array(next_dealers, np.int64)


def _find_next_dealer(params: Params, dealer: int, winner: int) -> int:
    """Return the side that deals next (rules.md 4.1).

    In solitaire games, the dealer does not change.
    """
    if params["players"] == 1:
        return dealer
    other_side = 1 - dealer
    if winner < 0:
        return other_side if params["void_dealer"] == "other" else dealer
    next_dealers = {"winner": winner, "loser": 1 - winner, "alternate": other_side}
    return next_dealers[str(params["next_dealer"])]


def _make_track(params: Params, seat: int) -> ScoreTrack:
    """Return the score track of the side at a seat."""
    goal = find_match_goal(params)
    if goal.is_one_deal:
        return ScoreTrack(("deals",), (1,))
    targets = goal.get_side_goal(params, seat).targets
    return ScoreTrack(
        tuple(targets), tuple([get_int_param(params, name) for name in targets.values()])
    )


def get_starting_points(params: Params) -> tuple[int, int]:
    """Return the points of both seats at the start of a match."""
    points: Any = params["start_points"] or (0, 0)
    points_0, points_1 = points
    return points_0, points_1


def get_starting_scores(params: Params, seat: int, score_fields: ScoreFields) -> BothScores:
    """Return the scores of A and B at the start of a match, including `start_points`."""
    points = get_starting_points(params)
    fields_a, fields_b = score_fields
    start_a = [points[seat] if name == "score" else 0 for name in fields_a]
    start_b = [points[1 - seat] if name == "score" else 0 for name in fields_b]
    return np.array(start_a), np.array(start_b)


class RaceBoard(Board):
    """Board for match goals with one target per side: single, points, deals, race and twofold."""

    def __init__(self, params: Params, seat: int, outcomes: Outcomes) -> None:
        self._params = params
        self._outcomes = outcomes
        self._track_a, self._track_b = _make_track(params, seat), _make_track(params, 1 - seat)
        self._is_one_deal = find_match_goal(params).is_one_deal
        # number of possible scores of A and of B
        self._shape = self._track_a.length + 1, self._track_b.length + 1
        self.n_states = 2 * self._shape[0] * self._shape[1]
        self.score_fields = self._track_a.score_fields, self._track_b.score_fields
        self.start_scores = get_starting_scores(params, seat, self.score_fields)

    @cached_property
    def _deal_transitions(self) -> _DealTransitions:
        # The property is computed on first access, after the size has been checked.
        return _DealTransitions(self._params, self._outcomes, (self._track_a, self._track_b))

    def find_table_index(
        self, scores_a: SideScores, scores_b: SideScores, dealer: np.ndarray
    ) -> TableIndex:
        return (
            self._track_a.find_positions(scores_a),
            self._track_b.find_positions(scores_b),
            dealer,
        )

    def list_states(self) -> MatchStates:
        positions_a, positions_b, dealer = np.indices(
            (self._track_a.length, self._track_b.length, 2)
        ).reshape(3, -1)
        return (
            self._track_a.list_scores()[positions_a],
            self._track_b.list_scores()[positions_b],
            dealer,
        )

    def _fill_table(self, probabilities: Probabilities, end_values: MatchEndValues) -> ValueTable:
        """Return the table of match values for the given values of finished matches.

        `end_values` contains the values of a match that A wins, of a match that B wins, and of a
        single deal without a winner.
        """
        a_win_value, b_win_value, no_winner_value = end_values
        *transitions, no_winner_probability = self._deal_transitions.compute_transitions(
            probabilities
        )
        reward = np.zeros(2)
        if self._is_one_deal:
            reward = no_winner_value * no_winner_probability
            no_winner_probability = np.zeros(2)
        table = np.full((*self._shape, 2), float(b_win_value))
        table[-1] = a_win_value
        compile_table_filler()(table, *transitions, no_winner_probability, reward)
        return table


class GamesBoard(Board):
    """Board for matches in which the loser's points determine the games won (Gin Pro).

    The board has a table of points for every combination of won games.
    """

    def __init__(self, params: Params, seat: int, outcomes: Outcomes) -> None:
        self._params = params
        self._outcomes = outcomes
        self._tracks = _make_track(params, seat), _make_track(params, 1 - seat)
        self._target_points = self._tracks[0].length
        self._target_games = get_int_param(params, "games_target")
        band_limits, games_by_band = np.array(params["game_table"]).T
        band_index = np.searchsorted(band_limits, np.arange(self._target_points))
        # number of games won, by points of the loser
        self._games_by_loser_points = games_by_band[band_index]
        self.score_fields = ("games", "score"), ("games", "score")
        self.n_states = 2 * (self._target_games * (self._target_points + 1)) ** 2
        self.start_scores = get_starting_scores(params, seat, self.score_fields)

    @cached_property
    def _deal_transitions(self) -> _DealTransitions:
        return _DealTransitions(self._params, self._outcomes, self._tracks)

    def find_table_index(
        self, scores_a: SideScores, scores_b: SideScores, dealer: np.ndarray
    ) -> TableIndex:
        games_a, points_a = self._limit_to_targets(scores_a)
        games_b, points_b = self._limit_to_targets(scores_b)
        return games_a, games_b, points_a, points_b, dealer

    def _limit_to_targets(self, scores: SideScores) -> tuple[np.ndarray, np.ndarray]:
        """Return the won games and the points of a side, limited to their targets."""
        games = np.minimum(scores[..., 0], self._target_games)
        return games, np.minimum(scores[..., 1], self._target_points)

    def list_states(self) -> MatchStates:
        state_indices = np.indices((*[self._target_games] * 2, *[self._target_points] * 2, 2))
        games_a, games_b, points_a, points_b, dealer = state_indices.reshape(5, -1)
        a = np.stack([games_a, points_a], axis=1)
        return a, np.stack([games_b, points_b], axis=1), dealer

    def _fill_table(self, probabilities: Probabilities, end_values: MatchEndValues) -> ValueTable:
        """Return the table of match values by games and points of A and B and by dealer.

        `end_values` contains the values of a match that A wins and of a match that B wins.
        """
        a_win_value, b_win_value, _ = end_values
        transitions = self._deal_transitions.compute_transitions(probabilities)
        n_games = self._target_games + 1
        n_points = self._target_points + 1
        table = np.full((n_games, n_games, n_points, n_points, 2), float(b_win_value))
        table[self._target_games] = a_win_value
        reversed_games = range(self._target_games - 1, -1, -1)
        for a in reversed_games:
            for b in reversed_games:
                self._set_values_after_game(table, a, b)
                compile_table_filler()(table[a, b], *transitions, np.zeros(2))
        return table

    def _set_values_after_game(self, table: ValueTable, games_a: int, games_b: int) -> None:
        """Set the values of states in which the next game ends, given the games won so far."""
        max_games = self._target_games
        games_after_a_wins = np.minimum(games_a + self._games_by_loser_points, max_games)
        games_after_b_wins = np.minimum(games_b + self._games_by_loser_points, max_games)
        new_game_values = table[:, :, 0, 0]
        values_by_points = table[games_a, games_b]
        values_by_points[-1, :-1] = new_game_values[games_after_a_wins, games_b]
        values_by_points[:-1, -1] = new_game_values[games_a, games_after_b_wins]


class TotalBoard(Board):
    """Board for matches with a fixed number of deals and a maximum total penalty (Solitary Gin).

    A state consists of the number of remaining deals and the total penalty.
    """

    def __init__(self, params: Params, outcomes: Outcomes) -> None:
        self._points = outcomes.column("points")
        self._n_deals = get_int_param(params, "deals_in_match")
        self._max_winning_total = get_int_param(params, "total_goal")
        self._min_total = self._n_deals * min(int(self._points.min()), 0)
        self._max_total = self._n_deals * max(int(self._points.max()), 0)
        self._n_totals = self._max_total - self._min_total + 1
        self.n_states = (self._n_deals + 1) * self._n_totals * 2
        self.score_fields = ("left", "score"), ()
        self.start_scores = np.array([self._n_deals, 0]), np.array([], np.int64)

    def compute_win_probabilities(self, probabilities: Probabilities) -> ValueTable:
        """Compute the win probability for each number of remaining deals, total penalty and dealer.

        A total outside the reachable range has the value of the nearest reachable total.
        """
        totals = np.arange(self._min_total, self._max_total + 1)
        normalised_probabilities = probabilities / probabilities.sum()
        next_index = self._find_total_index(totals[:, None] + self._points)
        table = np.empty((self._n_deals + 1, self._n_totals))
        table[0] = totals <= self._max_winning_total
        for deals_left in range(self._n_deals):
            table[deals_left + 1] = table[deals_left][next_index] @ normalised_probabilities
        return np.repeat(table[:, :, None], 2, axis=2)

    def _find_total_index(self, totals: np.ndarray) -> np.ndarray:
        """Convert total penalties to offsets from the lowest possible total."""
        return np.asarray(np.clip(totals, self._min_total, self._max_total) - self._min_total)

    def compute_mean_power(self, probabilities: Probabilities, z: float) -> ValueTable:
        deals_left = np.arange(self._n_deals + 1.0)
        return np.broadcast_to((z**deals_left)[:, None, None], (len(deals_left), self._n_totals, 2))

    def find_table_index(
        self, scores_a: SideScores, scores_b: SideScores, dealer: np.ndarray
    ) -> TableIndex:
        return scores_a[..., 0], self._find_total_index(scores_a[..., 1]), dealer

    def list_states(self) -> MatchStates:
        deals_left, total_index = np.indices((self._n_deals, self._n_totals)).reshape(2, -1)
        scores_a = np.stack([deals_left + 1, total_index + self._min_total], axis=1)
        n_states = len(deals_left)
        return scores_a, np.empty((n_states, 0), np.int64), np.zeros(n_states, np.int64)


class PerScoreBoard(Board):
    """Board for matches to a target score in which deal outcomes depend on the score."""

    def __init__(self, params: Params, seat: int, outcomes: ScoreOutcomes) -> None:
        self._target = get_int_param(params, "points_target")
        self._next_dealers = make_next_dealer_table(params)
        self.score_fields = ("score",), ("score",)
        self.n_states = 2 * (self._target + 1) ** 2
        self.start_scores = get_starting_scores(params, seat, self.score_fields)
        start_outcomes = outcomes.start_outcomes
        self._dealer = start_outcomes.column("dealer")
        self._winner = start_outcomes.column("winner")
        self._points = start_outcomes.column("points")
        # score changes, ordered by the sum of both scores, and the index of the first change of
        # each sum
        score_sum = outcomes.column("score_a") + outcomes.column("score_b")
        order_by_sum = np.argsort(score_sum, kind="stable")
        self._changes = outcomes.changes[order_by_sum]
        self._level_starts = np.searchsorted(score_sum[order_by_sum], np.arange(2 * self._target))

    def find_table_index(
        self, scores_a: SideScores, scores_b: SideScores, dealer: np.ndarray
    ) -> TableIndex:
        points_a = np.minimum(scores_a[..., 0], self._target)
        return points_a, np.minimum(scores_b[..., 0], self._target), dealer

    def list_states(self) -> MatchStates:
        points_a, points_b, dealer = np.indices((self._target, self._target, 2)).reshape(3, -1)
        return points_a[:, None], points_b[:, None], dealer

    def _fill_table(self, probabilities: Probabilities, end_values: MatchEndValues) -> ValueTable:
        """Return the table of match values for the given values of finished matches.

        `end_values` contains the values of a match that A wins and of a match that B wins.

        A deal never leads to a different score with the same sum. All entries with the same sum are
        therefore filled together, with the highest sum first.
        """
        a_win_value, b_win_value, _ = end_values
        max_score = self._target - 1
        n_points = self._target + 1
        table = np.full((n_points, n_points, 2), float(b_win_value))
        table[-1] = a_win_value
        for score_sum in range(2 * max_score, -1, -1):
            min_score = max(0, score_sum - max_score)
            a = np.arange(min_score, min(score_sum, max_score) + 1)
            b = score_sum - a
            mean_values, unchanged_probability = self._compute_mean_next_values(
                table, a, b, probabilities
            )
            mean_arrays = (mean_values, unchanged_probability)
            self._add_score_changes(table, min_score, score_sum, probabilities, *mean_arrays)
            # A deal can leave the score unchanged, so the entries for both dealers are solved
            # together.
            changed_probability = np.eye(2) - unchanged_probability
            table[a, b] = np.linalg.solve(changed_probability, mean_values[..., None])[..., 0]
        return table

    def _compute_mean_next_values(
        self,
        table: ValueTable,
        scores_a: np.ndarray,
        scores_b: np.ndarray,
        probabilities: Probabilities,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return mean match values after a deal, with outcome probabilities at the starting score.

        Returns:
            Mean of the next values, and probability that the score does not change, for each next
            dealer. Both are indexed by score and dealer.
        """
        dealer = self._dealer
        outcome_columns = (dealer, self._winner, self._points)
        next_values, is_unchanged, next_dealers = self._find_next_values(
            table, scores_a[:, None], scores_b[:, None], *outcome_columns
        )
        sides = np.arange(2)
        is_dealer = dealer == sides[:, None]
        is_next_dealer = next_dealers[:, None] == sides
        weights = probabilities[: len(dealer)] * is_dealer
        unchanged_probability = np.einsum("do,so,oe->sde", weights, is_unchanged, is_next_dealer)
        return next_values @ weights.T, unchanged_probability

    def _add_score_changes(
        self,
        table: ValueTable,
        first_score: int,
        score_sum: int,
        probabilities: Probabilities,
        mean_values: np.ndarray,
        unchanged_probability: np.ndarray,
    ) -> None:
        """Correct mean values for deal outcomes that differ from those at the starting score.

        At the first of these scores, A has `first_score` points.
        """
        changes = self._changes[self._level_starts[score_sum] : self._level_starts[score_sum + 1]]
        a, b, group, sign, dealer, winner, points = changes.T
        next_values, is_unchanged, next_dealers = self._find_next_values(
            table, a, b, dealer, winner, points
        )
        weights = sign * probabilities[len(self._dealer) :][group]
        score_index = a - first_score
        np.add.at(mean_values, (score_index, dealer), weights * next_values)
        indices = (score_index, dealer, next_dealers)
        np.add.at(unchanged_probability, indices, weights * is_unchanged)

    def _find_next_values(
        self,
        table: ValueTable,
        scores_a: np.ndarray,
        scores_b: np.ndarray,
        dealer: np.ndarray,
        winner: np.ndarray,
        points: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the match values after deal outcomes at the given scores.

        Returns:
            Next values (0 if the score is unchanged), a mask of unchanged scores, and the next
            dealers.
        """
        gain_a = points * (winner == 0)
        gain_b = points * (winner == 1)
        next_points_a = np.minimum(scores_a + gain_a, self._target)
        next_points_b = np.minimum(scores_b + gain_b, self._target)
        next_dealer = self._next_dealers[dealer, winner]
        is_unchanged = np.broadcast_to((winner < 0) | (points == 0), next_points_a.shape)
        next_values = table[next_points_a, next_points_b, next_dealer]
        return np.where(is_unchanged, 0, next_values), is_unchanged, next_dealer
