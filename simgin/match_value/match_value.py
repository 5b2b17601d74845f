"""Match values, which are match win probabilities by score and dealer.

    value = compute_value("standard", "gold", "simple")  # a million deals, counted once and cached
    value.win_probability(40, 60, dealer=0)  # A has 40 points, B 60, and A deals.
    value.standard_error(40, 60, dealer=0)

A drawn match counts as half a win. If a matchup is not supported, the error message suggests a
command that estimates the probability by simulation (docs/explanation/value.md).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simgin.core.batch_columns import DEAL_RESULTS
from simgin.match_value import boards
from simgin.match_value.boards import Board, PerScoreBoard
from simgin.match_value.outcomes import (
    Outcomes,
    ScoreOutcomes,
    compute_jackknife_se,
    count_outcomes,
    count_outcomes_by_score,
)
from simgin.play.kernel import play_with_records
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import ProgressCallback
from simgin.renamed import RenamedAttributes
from simgin.rules.parameters import Params, get_int_param
from simgin.rules.variants import Variant
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, make_frame
from simgin.text import shell
from simgin.text.amounts import parse_count
from simgin.text.messages import SimginError

DEFAULT_MATCH_VALUE_DEALS = 1_000_000
MAX_STATES = 2**24
N_SCORE_TEST_UNITS = 2_000
# Maximum proportion of matches that `max_deals` can end. Match values ignore `max_deals`, which
# causes an error of at most half this proportion.
MAX_TRUNCATED_MATCH_RATE = 1e-4
CHERNOFF_BASES = (1.5, 1.25, 1.1, 1.05, 1.02, 1.01, 1.005, 1.002, 1.001)


class ValueUnavailableError(SimginError):
    """Error raised if the match value of a matchup cannot be computed."""


@dataclass(frozen=True)
class MatchValue(RenamedAttributes):
    """Probabilities that strategy A wins a match against B, by match state.

    A state consists of the score of A, the score of B and the side that deals (0 for A, 1 for B). A
    score is one number, or two numbers along the last axis. `board.score_fields` lists the meanings
    of these numbers. All methods accept arrays. Standard errors are jackknife estimates over groups
    of outcome counts.

    Attributes:
        matchup: Matchup of single deals.
        outcomes: Outcome counts.
        board: Board with the states of the match.
        seat: Seat of A, which is relevant only if the rules distinguish the seats.
    """

    matchup: Matchup
    outcomes: Outcomes | ScoreOutcomes
    board: Board
    seat: int = 0

    def win_probability(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> Any:
        """Return the probability that A wins the match from the given state.

        If the arguments are arrays of scores and dealers, the result is an array.
        """
        return self.probabilities[self._find_table_index(a, b, dealer)]

    def standard_error(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> Any:
        """Return the standard error of the win probability in a given state.

        The first call computes twenty tables.
        """
        standard_errors, _ = self._jackknife
        return standard_errors[self._find_table_index(a, b, dealer)]

    def bound_longer_matches(self, deals: int) -> float:
        """Return an upper bound on the proportion of matches with more than `deals` deals.

        The Chernoff bound E z**N / z**deals is valid for every initial state.
        """
        params = self.matchup.variant.params
        goal = self.matchup.variant.goal
        if goal.is_one_deal or goal.low_total_wins:
            return float(
                (get_int_param(params, "deals_in_match") if goal.low_total_wins else 1) > deals
            )
        probability = self.outcomes.probabilities[0]
        bounds = []
        for z in CHERNOFF_BASES:
            table = self.board.compute_mean_power(probability, z)
            if table.min() >= 1:
                bounds.append(float(table.max()) / z**deals)
        return min(bounds, default=1.0)

    def table(self) -> Frame:
        """Return all undecided states with their scores, dealers, values and standard errors."""
        a, b, dealer = self.board.list_states()
        fields_a, fields_b = self.board.score_fields
        index = self.board.find_table_index(a, b, dealer)
        standard_errors, _ = self._jackknife
        columns = {f"{name}_a": scores for name, scores in zip(fields_a, a.T, strict=True)}
        for name, scores in zip(fields_b, b.T, strict=True):
            columns[f"{name}_b"] = scores
        columns["dealer"] = dealer
        columns["value"] = self.probabilities[index]
        columns["se"] = standard_errors[index]
        return make_frame(columns)

    def at_start(self) -> Estimate:
        """Return the probability that A wins a new match."""
        _, leave_one_out = self._jackknife
        se = float(compute_jackknife_se(leave_one_out))
        return Estimate(self._compute_start_probability(self.probabilities), se)

    @property
    def is_seat_symmetric(self) -> bool:
        """True if the rules treat both seats equally, so that both have the same match values."""
        return _has_symmetric_seats(self.matchup.variant)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """Probability that A wins the match from each state, in the order of the board's table."""
        return self.board.compute_win_probabilities(self.outcomes.probabilities[0])

    @cached_property
    def _jackknife(self) -> tuple[np.ndarray, np.ndarray]:
        """Standard errors of all states, and leave-one-out match values at the start.

        Only one table at a time is kept in memory.
        """
        difference_sum = np.zeros_like(self.probabilities)
        squared_sum = np.zeros_like(self.probabilities)
        start_values = []
        for table in self.jackknife_tables():
            start_values.append(self._compute_start_probability(table))
            difference = table - self.probabilities
            difference_sum += difference
            squared_sum += difference**2
        n_groups = len(start_values)
        variance = np.maximum(squared_sum / n_groups - (difference_sum / n_groups) ** 2, 0)
        return np.sqrt((n_groups - 1) * variance), np.array(start_values)

    def jackknife_tables(self) -> Iterator[boards.ValueTable]:
        """Yield leave-one-out tables of match values, one for each omitted group of deals."""
        _, *leave_one_out = self.outcomes.probabilities
        for probability in leave_one_out:
            yield self.board.compute_win_probabilities(probability)

    def _compute_start_probability(self, table: boards.ValueTable) -> float:
        """Return the match value at the start, averaged over the possible first dealers."""
        first_dealer = self.matchup.variant.params["first_dealer"]
        dealers = (0, 1) if first_dealer in ("lot", None) else (int(first_dealer != self.seat),)
        start_indices = [
            self.board.find_table_index(*self.board.start_scores, np.asarray(side))
            for side in dealers
        ]
        return float(np.mean([table[start] for start in start_indices]))

    def _find_table_index(
        self, scores_a: ArrayLike, scores_b: ArrayLike, dealer: ArrayLike
    ) -> boards.TableIndex:
        fields_a, fields_b = self.board.score_fields
        scores = (_as_score_array(scores_a, fields_a), _as_score_array(scores_b, fields_b))
        return self.board.find_table_index(*scores, np.asarray(dealer))


def _as_score_array(scores: ArrayLike, score_fields: tuple[str, ...]) -> boards.SideScores:
    """Convert scores to an array whose last axis has one element per score field.

    A single number is converted to an array whose last axis has length one.
    """
    if len(score_fields) == 1:
        return np.asarray(scores)[..., None]
    return np.asarray(scores, np.int64)


def compute_value(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    deals: int | str = DEFAULT_MATCH_VALUE_DEALS,
    seed: int = 1,
    seat: int | None = None,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> MatchValue:
    """Compute match values from single deals, which are played or loaded from the cache.

    If play depends on the score, outcomes are counted separately for each score.

    Args:
        variant: Variant spec.
        a: Spec of strategy A.
        b: Spec of strategy B, or `simple` by default.
        deals: Number of single deals.
        seed: Seed of the shuffles.
        seat: Seat of A, 0 or 1 (required if the rules distinguish the seats).
        workers: Number of threads. By default, one thread per core is used.
        on_progress: Progress callback.

    Raises:
        ValueUnavailableError: If the match value cannot be computed.
    """
    matchup = parse_matchup(a, b, variant, seed, "deal")
    goal = matchup.variant.goal
    if not goal.board_type:
        raise make_value_unavailable_error(
            matchup,
            f"the match value cannot be computed for goal = {goal.name}, because the match "
            "has too many states.",
        )
    if seat is None and matchup.b is not None and not _has_symmetric_seats(matchup.variant):
        raise ValueUnavailableError(
            f"In {matchup.variant.spec}, the match value depends on the seat of {matchup.a.spec}. "
            "Set `seat` to 0 or 1."
        )
    if goal.is_one_deal or not depends_on_score(matchup):
        outcomes = count_outcomes(matchup, parse_count(deals), workers, on_progress)
        return make_value_from_outcomes(matchup, outcomes, seat or 0)
    if matchup.b is None or goal.score_unit != "points":
        raise make_value_unavailable_error(
            matchup,
            f"the match value of {matchup.title} ({matchup.variant.spec}) cannot be computed, "
            "because the strategies use the score. Strategies that use the score are supported "
            "only in two-player variants with goal = points.",
        )
    score_outcomes = count_outcomes_by_score(matchup, parse_count(deals), workers, on_progress)
    return solve_value(matchup, score_outcomes, PerScoreBoard, seat or 0)


def _has_symmetric_seats(variant: Variant) -> bool:
    """Return True if both seats have the same goal, starting score and chance to deal first."""
    is_dealer_random = variant.params["first_dealer"] in ("lot", None)
    has_common_goal = variant.goal.other_side_goal is None
    a, b = boards.get_starting_points(variant.params)
    return has_common_goal and is_dealer_random and a == b


def make_value_from_outcomes(matchup: Matchup, outcomes: Outcomes, seat: int = 0) -> MatchValue:
    """Compute match values from deal outcomes that do not depend on the score.

    In self-play, every deal is counted for both sides. If the rules treat the seats equally, V(a,
    b, A deals) + V(b, a, B deals) = 1.

    Raises:
        ValueUnavailableError: If the match value cannot be computed.
    """
    _check_outcomes(matchup, outcomes)
    return solve_value(matchup, outcomes, boards.make_board, seat)


def solve_value(
    matchup: Matchup,
    counts: Outcomes | ScoreOutcomes,
    make_board: Callable[[Params, int, Any], Board],
    seat: int,
) -> MatchValue:
    """Compute the match values of all states on a board.

    Args:
        matchup: Matchup of single deals.
        counts: Outcome counts.
        make_board: Function that makes the board.
        seat: Seat of A.

    Raises:
        ValueUnavailableError: If the board is too large or if `max_deals` could end matches early.
    """
    is_self_play = matchup.b is not None and not matchup.is_mirrored
    outcomes = counts.with_mirrored_deals() if is_self_play else counts
    value = MatchValue(matchup, outcomes, make_board(matchup.variant.params, seat, outcomes), seat)
    if value.board.n_states > MAX_STATES:
        raise make_value_unavailable_error(
            matchup,
            f"the match has {value.board.n_states:,} states, but simgin can compute match values "
            f"for at most {MAX_STATES:,} states.",
        )
    max_deals = get_int_param(matchup.variant.params, "max_deals")
    truncated_rate = value.bound_longer_matches(max_deals)
    if truncated_rate > MAX_TRUNCATED_MATCH_RATE:
        reason = (
            f"max_deals = {max_deals} could end up to {100 * min(truncated_rate, 1):.2g} % of "
            "matches early. Increase it."
        )
        raise make_value_unavailable_error(matchup, reason)
    return value


# Unsupported matchups


def make_value_unavailable_error(matchup: Matchup, reason: str) -> ValueUnavailableError:
    """Return an error that suggests a command to estimate the match win probability."""
    names = [player.spec for player in matchup.players]
    arguments = ["simgin", "match", *names, "-v", matchup.variant.spec, "--matches", "100k"]
    command = shell.join_command(arguments)
    return ValueUnavailableError(
        f"{reason} To estimate the match value by simulation, run `{command}`."
    )


def _check_outcomes(matchup: Matchup, outcomes: Outcomes) -> None:
    """Raise ValueUnavailableError if match values cannot be computed from the outcomes."""
    params = matchup.variant.params
    die_continues = params["die"] == "game"
    is_refused = outcomes.column("kind") == DEAL_RESULTS.index("refused")
    is_offered = is_refused | (outcomes.column("stake") > 1)
    if die_continues and is_offered.any():
        raise make_value_unavailable_error(
            matchup, "the match value cannot be computed for die = game if a player offers the die."
        )
    if params["die_refusal_pays"] == "new" and is_refused.any():
        reason = (
            "the match value cannot be computed for die_refusal_pays = new, because outcomes do "
            "not record the offer."
        )
        raise make_value_unavailable_error(matchup, reason)
    needs_winners = not matchup.variant.goal.low_total_wins
    is_won = outcomes.column("winner") >= 0
    if needs_winners and not is_won.any():
        reason = (
            f"the match value does not exist, because neither side won any of {outcomes.n_deals:,} "
            f"deals of {matchup.title}."
        )
        raise make_value_unavailable_error(matchup, reason)


def depends_on_score(matchup: Matchup) -> bool:
    """Return True if another starting score changes the result of a simulated unit.

    The test plays 2,000 units with the same shuffles from each starting score. It detects shots and
    policies that use points. Policies that use only won deals or games are not detected, because
    every match starts without won deals and games.
    """
    params = matchup.variant.params
    if matchup.variant.goal.low_total_wins:
        return False  # Matches to a total start at 0 (rules.md, section 7).
    max_score = (
        99 if params["points_target"] is None else get_int_param(params, "points_target") - 1
    )
    start_scores = [
        (max_score, 0),
        (0, max_score),
        (max_score, max_score),
        (max_score // 2, max_score // 3),
        (max_score // 4, max_score * 2 // 3),
    ]
    zero_start_records = _play_deals_from_score(matchup, (0, 0))
    return any(
        not np.array_equal(_play_deals_from_score(matchup, start_score), zero_start_records)
        for start_score in start_scores
    )


def _play_deals_from_score(matchup: Matchup, starting_points: tuple[int, int]) -> np.ndarray:
    """Play single deals from a score, and return their records without the score fields."""
    params = {**matchup.variant.params, "start_points": list(starting_points)}
    variant = dataclasses.replace(matchup.variant, params=params)
    matchup = dataclasses.replace(matchup, variant=variant)
    _, records = play_with_records(matchup, 0, N_SCORE_TEST_UNITS)
    score_fields = ("score_a", "score_b", "outcome")
    columns = [records[name] for name in records.dtype.names or () if name not in score_fields]
    return np.stack(columns, axis=1)
