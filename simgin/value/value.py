"""Match values: the probability that a side wins the match, by score and dealer.

    value = compute_value("standard", "gold", "simple")  # a million deals, counted once and cached
    value.win_probability(40, 60, dealer=0)  # A has 40 points, B 60, and A deals.
    value.se(40, 60, dealer=0)

A drawn match counts as half a win. The error message of unsupported matchups has the command that
estimates the probability by play instead (docs/explanation/value.md).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simgin.core.sums import KINDS
from simgin.play.kernel import play_recorded
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import Progress
from simgin.rules.parameters import Params, number
from simgin.rules.variants import Variant
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, frame_of
from simgin.text import shell
from simgin.text.amounts import parse_count
from simgin.value import states
from simgin.value.outcomes import Outcomes, ScoreOutcomes, count_by_score, count_outcomes, jackknife
from simgin.value.states import Board, ScoreBoard

DEALS = 1_000_000
MOST_STATES = 2**24
PROBE_UNITS = 2_000
# Match values ignore max_deals. It may end this proportion of matches, which shifts values by half
# as much.
BROKEN_OFF = 1e-4
RATES = (1.5, 1.25, 1.1, 1.05, 1.02, 1.01, 1.005, 1.002, 1.001)


class ValueRefused(ValueError):
    """Error for matchups without a computable match value."""


@dataclass(frozen=True)
class Value:
    """Match values of A against B, with A at `seat`.

    A state consists of the score of A, the score of B and the side that deals (0 A, 1 B). A score
    is a number, or two numbers along the last axis if a side counts two things; `board.fields`
    names them. The methods accept arrays. Standard errors are jackknife errors over the groups of
    outcome counts.

    Attributes:
        matchup: Matchup of single deals.
        outcomes: Outcome counts.
        board: States of the match.
        seat: Seat of A, which matters if the rules distinguish the seats.
    """

    matchup: Matchup
    outcomes: Outcomes | ScoreOutcomes
    board: Board
    seat: int = 0

    def win(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> Any:
        """Return the probability 0..1 that A wins the match from a state."""
        return self.chances[self._index(a, b, dealer)]

    def se(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> Any:
        """Return the standard error of `win_probability`; the first call solves twenty tables."""
        errors, _ = self._leaving_out
        return errors[self._index(a, b, dealer)]

    def longer_than(self, deals: int) -> float:
        """Return an upper bound for the proportion of matches longer than `deals`, from any state.

        The bound is Chernoff's, E z**N / z**deals.
        """
        params = self.matchup.variant.row
        goal = self.matchup.variant.goal
        if goal.one_deal or goal.total:
            return float((number(params, "deals_in_match") if goal.total else 1) > deals)
        share = self.outcomes.shares[0]
        bounds = []
        for z in RATES:
            table = self.board.growth(share, z)
            if table.min() >= 1:
                bounds.append(float(table.max()) / z**deals)
        return min(bounds, default=1.0)

    def table(self) -> Frame:
        """Return every undecided state, with its scores, dealer, value and standard error."""
        a, b, dealer = self.board.states()
        fields_a, fields_b = self.board.fields
        place = self.board.index(a, b, dealer)
        errors, _ = self._leaving_out
        columns = {f"{name}_a": standing for name, standing in zip(fields_a, a.T, strict=True)}
        for name, standing in zip(fields_b, b.T, strict=True):
            columns[f"{name}_b"] = standing
        columns["dealer"] = dealer
        columns["value"] = self.chances[place]
        columns["se"] = errors[place]
        return frame_of(columns)

    def start(self) -> Estimate:
        """Return the probability that A, at its seat, wins a match from the beginning."""
        _, left_out = self._leaving_out
        return Estimate(self._at_start(self.chances), float(jackknife(left_out)))

    @property
    def seats_alike(self) -> bool:
        """True if the rules treat both seats alike, so that the value is the same at either."""
        return _treats_seats_alike(self.matchup.variant)

    @cached_property
    def chances(self) -> np.ndarray:
        """Match values of all states, the dealer on the last axis; see `board.index`."""
        return self.board.solve(self.outcomes.shares[0])

    @cached_property
    def _leaving_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Standard errors of all states, and the values at the start without each group.

        Only one table is in memory at a time.
        """
        total = np.zeros_like(self.chances)
        squares = np.zeros_like(self.chances)
        starts = []
        for table in self.tables_leaving_out():
            starts.append(self._at_start(table))
            difference = table - self.chances
            total += difference
            squares += difference**2
        n = len(starts)
        variance = squares / n - (total / n) ** 2
        variance = np.maximum(variance, 0)
        return np.sqrt((n - 1) * variance), np.array(starts)

    def tables_leaving_out(self) -> Iterator[states.Table]:
        """Yield the tables of match values with each group of outcomes left out."""
        _, *left_out = self.outcomes.shares
        for share in left_out:
            yield self.board.solve(share)

    def _at_start(self, table: states.Table) -> float:
        """Return the value at the start of a match, averaged over the possible first dealers."""
        first = self.matchup.variant.row["first_dealer"]
        dealers = (0, 1) if first in ("lot", None) else (int(first != self.seat),)
        starts = [self.board.index(*self.board.start, np.asarray(side)) for side in dealers]
        return float(np.mean([table[start] for start in starts]))

    def _index(self, a: ArrayLike, b: ArrayLike, dealer: ArrayLike) -> states.Place:
        fields_a, fields_b = self.board.fields
        return self.board.index(_standing(a, fields_a), _standing(b, fields_b), np.asarray(dealer))


def _standing(given: ArrayLike, fields: tuple[str, ...]) -> states.Standing:
    """Return a score as an array; a score of one number needs no axis of its own."""
    if len(fields) == 1:
        return np.asarray(given)[..., None]
    return np.asarray(given, np.int64)


def compute(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    deals: int | str = DEALS,
    seed: int = 1,
    seat: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Value:
    """Compute match values from simulated or cached single deals.

    Outcomes are counted separately for each score if the score changes how deals are played.

    Args:
        variant: Variant spec.
        a: Spec of strategy A.
        b: Spec of strategy B; by default `simple`.
        deals: Number of single deals.
        seed: Seed of the shuffles.
        seat: Seat of A, 0 or 1. It is required if the rules distinguish the seats.
        workers: Number of threads; by default one per CPU.
        progress: Callback for the progress.

    Raises:
        ValueRefused: The match value is not computable.
    """
    matchup = parse_matchup(a, b, variant, seed, "deal")
    goal = matchup.variant.goal
    if not goal.board:
        raise refusal(
            matchup,
            f"V is not computed for goal = {goal.name}: the scores of several games at once are "
            "too many states.",
        )
    if seat is None and matchup.b is not None and not _treats_seats_alike(matchup.variant):
        raise ValueRefused(
            f"{matchup.variant.text} treats its two seats unlike, so {matchup.a.text} has a value "
            "at each: name A's seat, 0 or 1."
        )
    if goal.one_deal or not depends_on_score(matchup):
        outcomes = count_outcomes(matchup, parse_count(deals), workers, progress)
        return at_any_score(matchup, outcomes, seat or 0)
    if matchup.b is None or goal.score != "points":
        raise refusal(
            matchup,
            f"In {matchup.title} ({matchup.variant.text}) the score changes how a deal is played, "
            "and V by score is computed for two players and goal = points only.",
        )
    counted = count_by_score(matchup, parse_count(deals), workers, progress)
    return on_board(matchup, counted, ScoreBoard, seat or 0)


def _treats_seats_alike(variant: Variant) -> bool:
    """Return True if both seats have the same goal, starting points and chance to deal."""
    is_lot = variant.row["first_dealer"] in ("lot", None)
    one_goal = variant.goal.other is None
    a, b = states.starting_points(variant.row)
    return one_goal and is_lot and a == b


def at_any_score(matchup: Matchup, counted: Outcomes, seat: int = 0) -> Value:
    """Compute match values from outcomes that do not depend on the score.

    In self-play, deals are counted for both sides. Then V(a, b, A deals) + V(b, a, B deals) = 1 if
    the rules treat the seats alike.

    Raises:
        ValueRefused: The match value is not computable.
    """
    _refuse_outcomes(matchup, counted)
    return on_board(matchup, counted, states.make_board, seat)


def on_board(
    matchup: Matchup,
    counted: Outcomes | ScoreOutcomes,
    board: Callable[[Params, int, Any], Board],
    seat: int,
) -> Value:
    """Compute match values on a board.

    Args:
        matchup: Matchup of single deals.
        counted: Outcome counts.
        board: Constructor of the board.
        seat: Seat of A.

    Raises:
        ValueRefused: The board is too large, or max_deals could end matches early.
    """
    is_self_play = matchup.b is not None and not matchup.mirrored
    outcomes = counted.from_both_sides() if is_self_play else counted
    value = Value(matchup, outcomes, board(matchup.variant.row, seat, outcomes), seat)
    if value.board.size > MOST_STATES:
        raise refusal(
            matchup, f"V would have {value.board.size:,} states, more than {MOST_STATES:,}."
        )
    most = number(matchup.variant.row, "max_deals")
    share = value.longer_than(most)
    if share > BROKEN_OFF:
        broken = f"Up to {min(share, 1):.2g} of the matches may be broken off"
        raise refusal(matchup, f"{broken} by max_deals = {most}: raise it.")
    return value


# Unsupported matchups


def refusal(matchup: Matchup, reason: str) -> ValueRefused:
    """Return an error with the command that estimates the probability by play."""
    names = [player.text for player in matchup.players]
    words = ["simgin", "match", *names, "-v", matchup.variant.text, "--matches", "100k"]
    return ValueRefused(f"{reason} Estimate it by play: {shell.join(words)}.")


def _refuse_outcomes(matchup: Matchup, counted: Outcomes) -> None:
    """Raise ValueRefused for outcomes that match values do not support."""
    params = matchup.variant.row
    goes_on = params["die"] == "game"
    is_refused = counted.column("kind") == KINDS.index("refused")
    is_offered = is_refused | (counted.column("stake") > 1)
    if goes_on and is_offered.any():
        raise refusal(
            matchup,
            "V is not computed for a die that passes from deal to deal (die = game) once it is "
            "offered.",
        )
    if params["die_refusal_pays"] == "new" and is_refused.any():
        reason = "V is not computed for die_refusal_pays = new: outcomes do not hold"
        raise refusal(matchup, f"{reason} what was offered.")
    needs_winners = not matchup.variant.goal.total
    is_won = counted.column("winner") >= 0
    if needs_winners and not is_won.any():
        reason = f"V does not exist: in {counted.deals:,} deals of {matchup.title} nobody won."
        raise refusal(matchup, reason)


def depends_on_score(matchup: Matchup) -> bool:
    """Return True if 2,000 units are played differently from other starting points.

    The shuffles are the same. This detects shots and policies that read points. It does not detect
    policies that read only won deals or games, because every match begins with none.
    """
    params = matchup.variant.row
    if matchup.variant.goal.total:
        return False  # Its matches begin at 0 (rules.md 7).
    last = 99 if params["points_target"] is None else number(params, "points_target") - 1
    starts = [
        (last, 0),
        (0, last),
        (last, last),
        (last // 2, last // 3),
        (last // 4, last * 2 // 3),
    ]
    usual = _play_from(matchup, (0, 0))
    return any(not np.array_equal(_play_from(matchup, start), usual) for start in starts)


def _play_from(matchup: Matchup, start: tuple[int, int]) -> np.ndarray:
    """Return records of single deals from the given points, without the fields of the score."""
    params = {**matchup.variant.row, "start_points": list(start)}
    begun = dataclasses.replace(matchup, variant=dataclasses.replace(matchup.variant, row=params))
    _, records = play_recorded(begun, 0, PROBE_UNITS)
    scores = ("score_a", "score_b", "outcome")
    columns = [records[name] for name in records.dtype.names or () if name not in scores]
    return np.stack(columns, axis=1)
