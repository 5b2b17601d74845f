"""The drama of matches: how the win probability went while they were played.

    course = follow("standard", "gold", "gold", matches=2_000, seed=1)
    measure(course)  # drama, lead changes, decisiveness, ..., each with its error
    sample(course)  # some matches, as `simgin.plots.swings` draws them

Matches are played turn by turn, with V after every turn (`simgin.value.in_deal`). Where V within a
deal is refused it is followed from deal to deal, a coarser form with fewer and larger steps: the
column `step` of every frame says which, and the two are not to be compared. Errors are clustered by
unit (a pair of matches on the same packs, or a match) and hold the error of V itself, by the
jackknife over the groups of its outcomes. docs/reference/metrics.md#drama defines the metrics.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simgin.stats import observations
from simgin.stats.estimate import ENOUGH_UNITS, Z95, share_limits
from simgin.text.amounts import parse_count
from simgin.value import calibration, in_deal, turns, value
from simgin.value.in_deal import InDealValue
from simgin.value.outcomes import jackknife
from simgin.value.states import number
from simgin.value.turns import Turns
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.parallel import Progress

MATCHES, DEALS = 2_000, 20_000  # so many matches, or as many as take so many deals if that is less
SAMPLE = 20  # matches that are drawn one by one
GRID = 50  # steps of a match drawn
DECIDED = 0.95  # share of the matches whose losers stay below the decisiveness threshold
GAIN = 0.1  # of V: what permanence is about
CERTAIN = 0.9
BEHIND = 0.3  # of the points to play to: 30 of 100

DRAMA_COLUMNS = ("metric", "value", "se", "low", "high", "n")


@dataclass(frozen=True)
class Trajectories:
    """V over matches: a state for every moment between two steps, match after match.

    players: variant, strategy, opponent. step: "turn" or "deal". target: points to play to, or 0.

    v: float64 (1 + groups, states), V for A before each step, from all groups of outcomes, then
    with each left out. By state, int64: match, from 0 without gaps; deal, those played before the
    one in progress; mover, the side that makes the step from here, -1 if it is no side's; points
    (states, 2), those of both sides before the deal in progress; margin, what that deal brings A
    less what it brings B. By match: result, what it was worth to A, 1, 0 or one half; unit, what
    errors are clustered over.
    """

    players: tuple[str, str, str]
    step: str
    v: np.ndarray
    match: np.ndarray
    deal: np.ndarray
    mover: np.ndarray
    result: np.ndarray
    unit: np.ndarray
    points: np.ndarray
    margin: np.ndarray
    target: int = 0

    @cached_property
    def first(self) -> np.ndarray:
        """The first state of every match."""
        return np.asarray(np.searchsorted(self.match, np.arange(len(self.result))))

    @cached_property
    def steps(self) -> np.ndarray:
        """The number of steps of every match, as many as states."""
        return np.asarray(np.diff(np.append(self.first, len(self.match))))

    @cached_property
    def decided(self) -> np.ndarray:
        """Whether a match was won by a side."""
        return np.asarray(self.result != 0.5)

    @cached_property
    def new_deal(self) -> np.ndarray:
        """Whether a state is the first of its deal."""
        changed = (np.diff(self.deal) != 0) | (np.diff(self.match) != 0)
        return np.concatenate([[True], changed])

    @cached_property
    def last(self) -> np.ndarray:
        """Whether the step from a state ended its match."""
        return np.append(np.diff(self.match) != 0, True)

    def after(self, v: np.ndarray) -> np.ndarray:
        """V after the step from each state; the last step of a match leads to its result."""
        next_v = np.append(v[1:], np.nan)
        return np.asarray(np.where(self.last, self.result[self.match], next_v))

    def winners(self, v: np.ndarray) -> np.ndarray:
        """V of the side that won in the end; of a match without a winner one half."""
        result = self.result[self.match]
        return np.asarray(np.select([result == 1, result == 0], [v, 1 - v], 0.5))

    def mean(self, x: np.ndarray) -> np.ndarray:
        """The mean of x over the states of each match."""
        return np.asarray(self.sum(x) / self.steps)

    def sum(self, x: np.ndarray) -> np.ndarray:
        """The sum of x over the states of each match."""
        return np.asarray(np.add.reduceat(x, self.first))

    def count(self, flags: np.ndarray) -> np.ndarray:
        """How many states of each match have a flag: int64 (matches)."""
        return np.asarray(np.add.reduceat(flags, self.first, dtype=np.int64))

    def max(self, x: np.ndarray) -> np.ndarray:
        """The largest x among the states of each match."""
        return np.asarray(np.maximum.reduceat(x, self.first))

    def min(self, x: np.ndarray) -> np.ndarray:
        """The smallest x among the states of each match."""
        return np.asarray(np.minimum.reduceat(x, self.first))

    @cached_property
    def _ones(self) -> np.ndarray:
        return np.ones(len(self.result))

    def each(self, x: np.ndarray) -> Parts:
        """A metric that every match has a value of."""
        return x, self._ones

    def each_decided(self, x: np.ndarray) -> Parts:
        """A metric that every decided match has a value of."""
        return x * self.decided, self.decided


# A metric gives for every match a numerator and a denominator; it is the ratio of their sums.
Parts = tuple[np.ndarray, np.ndarray]


def drama(course: Trajectories, v: np.ndarray) -> Parts:
    """Mean over the states of a match of leader's V less eventual winner's V."""
    return course.each_decided(course.mean(_deficit(course, v)))


def drama_max(course: Trajectories, v: np.ndarray) -> Parts:
    """As `drama`, the largest in the match."""
    return course.each_decided(course.max(_deficit(course, v)))


def drama_browne(course: Trajectories, v: np.ndarray) -> Parts:
    """Browne's form: the mean root of the deficit over the states at which the winner trails.

    0 if he never does.
    """
    deficit = _deficit(course, v)
    trailing = np.maximum(course.count(deficit > 0), 1)
    return course.each_decided(course.sum(np.sqrt(deficit)) / trailing)


def _deficit(course: Trajectories, v: np.ndarray) -> np.ndarray:
    """How far the eventual winner lies behind; 0 where he leads."""
    return np.asarray(np.maximum(0, 1 - 2 * course.winners(v)))


def lead_changes(course: Trajectories, v: np.ndarray) -> Parts:
    """How often the leader changes, the result included, over the number of steps.

    Who leads keeps the lead while V is one half.
    """
    leader = _leader(course, v)
    changed = np.zeros(len(v), np.int64)
    changed[:-1] = leader[:-1] * leader[1:] < 0
    changed[course.last] = leader[course.last] * np.sign(course.result - 0.5) < 0
    return course.sum(changed), course.steps


def _leader(course: Trajectories, v: np.ndarray) -> np.ndarray:
    """1 where A leads, -1 where B does, 0 while nobody has led yet in the match."""
    side = np.sign(v - 0.5)
    at = np.maximum.accumulate(np.where(side != 0, np.arange(len(v)), -1))
    return np.asarray(np.where(at >= course.first[course.match], side[at], 0))


def decisiveness_moves(course: Trajectories, v: np.ndarray) -> Parts:
    """Share of the match until its winner's V is above the decisiveness threshold for good."""
    below = course.winners(v) <= threshold(course, v)
    step = np.arange(len(v)) - course.first[course.match] + 1
    return course.each_decided(course.max(step * below) / course.steps)


def _best_of_losers(course: Trajectories, v: np.ndarray) -> np.ndarray:
    """The highest V of the side that did not win, for every decided match."""
    return np.asarray(course.max(1 - course.winners(v))[course.decided])


def threshold(course: Trajectories, v: np.ndarray) -> float:
    """What the highest V of the loser stays below in 95 % of the matches."""
    best = _best_of_losers(course, v)
    return float(np.quantile(best, DECIDED)) if len(best) else np.nan


def stability(course: Trajectories, v: np.ndarray) -> Parts:
    """The variance of V over the states of a match."""
    return course.each(np.maximum(course.mean(v**2) - course.mean(v) ** 2, 0))


def uncertainty(course: Trajectories, v: np.ndarray) -> Parts:
    """Mean over the states of 1 - 2 |V - 1/2|: 1 while all is open, 0 once it is decided."""
    return course.each(course.mean(1 - 2 * np.abs(v - 0.5)))


def killer_move(course: Trajectories, v: np.ndarray) -> Parts:
    """The largest change of V by one step of the match."""
    return course.each(course.max(np.abs(course.after(v) - v)))


def permanence(course: Trajectories, v: np.ndarray) -> Parts:
    """Of the gains of 0.1 or more for who moved, those that the opponent's next step did not undo.

    To undo is to bring V back or beyond. Gains that ended the match and those that no step of the
    opponent followed are left out. A step from deal to deal is a gain for whom it favours.
    """
    change = course.after(v) - v
    mover = course.mover
    sign = np.select([mover == 0, mover == 1], [1, -1], np.sign(change))
    next_change = np.append(change[1:], np.nan)
    next_mover = np.append(mover[1:], -1)
    answered = ~course.last & (next_mover == np.where(mover < 0, -1, 1 - mover))
    gained = (sign * change >= GAIN) & answered
    kept = gained & (sign * (change + np.where(gained, next_change, 0)) > 0)
    return course.count(kept), course.count(gained)


def certainty_point(course: Trajectories, v: np.ndarray) -> Parts:
    """Deals until a side has a V of 0.9 or more between deals; all if the last one decides."""
    certain = course.new_deal & (np.abs(v - 0.5) >= CERTAIN - 0.5)
    deals = course.deal[course.last] + 1
    first = course.min(np.where(certain, course.deal, np.iinfo(np.int64).max))
    return course.each(np.minimum(first, deals))


def catch_up(course: Trajectories, v: np.ndarray) -> Parts:
    """Matches won from 30 % of the target behind, when the other side first had half of it."""
    a, b = course.points.T
    is_half = (2 * np.maximum(a, b) >= course.target) & (course.target > 0)
    at = course.min(np.where(course.new_deal & is_half, np.arange(len(v)), len(v)))
    lead = (a - b)[np.minimum(at, len(v) - 1)]
    far = (at < len(v)) & (np.abs(lead) >= BEHIND * course.target)
    came_back = np.where(lead > 0, 1 - course.result, course.result)
    return came_back * far, far


Metric = Callable[[Trajectories, np.ndarray], Parts]

METRICS: dict[str, Metric] = {
    "drama": drama,
    "drama_max": drama_max,
    "drama_browne": drama_browne,
    "lead_changes": lead_changes,
    "decisiveness_moves": decisiveness_moves,
    "stability": stability,
    "uncertainty": uncertainty,
    "killer_move": killer_move,
    "permanence": permanence,
    "certainty_point": certainty_point,
    "catch_up": catch_up,
}
SHARES = ("permanence", "catch_up")


# Matches


def measure_pair(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    matches: int | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """`measure` of so many matches of A against B (`simple` if none is named)."""
    return measure(follow(variant, a, b, matches=matches, seed=seed, workers=workers))


def follow(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    matches: int | str | None = None,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Trajectories:
    """So many matches by seed + 1, and V along them by seed.

    After every turn, or between deals where V within a deal is refused. matches: None for 2,000, or
    as many as take about 20,000 deals if that is less. Raises ValueRefused where there is no V.
    """
    known = value.compute(variant, a, b, seed=seed, workers=workers)
    n = min(MATCHES, round(DEALS / known.deals())) if matches is None else parse_count(matches)
    try:
        inside = in_deal.compute(known, workers=workers)
    except ValueRefused:
        played = calibration.play_matches(known, n, seed + 1, workers, progress)
        return by_deal(known, played.records)
    matchup = dataclasses.replace(known.matchup, seed=seed + 1, unit="match")
    followed = turns.play(matchup, matchup.units(n), workers, progress)
    return by_turn(inside, _with_a_at_its_seat(known, followed))


def _with_a_at_its_seat(known: Value, played: Turns) -> Turns:
    """The matches in which A sits at the seat that the value is for."""
    if known.seats_alike:
        return played
    chosen = played.records["half"] == known.seat
    rows = played.rows[chosen[played.column("deal")]].copy()
    rows["deal"] = (np.cumsum(chosen) - 1)[rows["deal"]]
    return Turns(played.matchup, played.records[chosen], rows)


def by_deal(known: Value, records: np.ndarray) -> Trajectories:
    """Trajectories from deal to deal, from the records of whole matches."""
    deals = np.arange(len(records))
    nobody = np.full(len(records), -1)
    return _trajectories(known, records, "deal", known.along(records), deals, nobody)


def by_turn(inside: InDealValue, played: Turns) -> Trajectories:
    """Trajectories from turn to turn, of whole matches played turn by turn."""
    deal = played.column("deal")
    turn = played.column("turn")
    starts, along = inside.along(played)
    deals = len(played.records)
    # A deal without a turn is a step all the same
    steps = np.maximum(np.bincount(deal, minlength=deals), 1)
    first = np.cumsum(steps) - steps
    v = np.empty((len(along), steps.sum()))
    mover = np.full(steps.sum(), -1)
    v[:, first] = starts
    mover[first[deal] + turn - 1] = played.column("side")
    v[:, (first[deal] + turn)[~played.last]] = along[:, ~played.last]
    deal_of = np.repeat(np.arange(deals), steps)
    return _trajectories(inside.value, played.records, "turn", v, deal_of, mover)


def _trajectories(
    known: Value, records: np.ndarray, step: str, v: np.ndarray, deal: np.ndarray, mover: np.ndarray
) -> Trajectories:
    """Trajectories whose states lie in the recorded deals `deal`."""
    matchup = known.matchup
    matches = calibration.read_matches(records)
    params = matchup.variant.row
    is_to_points = matchup.b is not None and matchup.variant.goal.score == "points"
    return Trajectories(
        players=(matchup.variant.text, matchup.a.text, matchup.opponent),
        step=step,
        v=v,
        match=matches.match[deal],
        deal=records["deal"][deal],
        mover=mover,
        result=matches.result[matches.last],
        unit=matches.unit[matches.last],
        points=np.stack([records["score_a"][deal], records["score_b"][deal]], axis=1),
        margin=records["points_a"][deal] - records["points_b"][deal],
        target=number(params, "points_target") if is_to_points else 0,
    )


# Frames


class _Row(NamedTuple):
    """A metric with its standard error, 95 % limits and what it rests on."""

    value: float
    se: float
    low: float
    high: float
    n: int


def measure(course: Trajectories) -> pd.DataFrame:
    """Every metric of some matches: variant, strategy, opponent, DRAMA_COLUMNS, step.

    n counts matches or deals. What rests on fewer than 30 units has no row.
    """
    import pandas as pd

    rows = []
    for name, metric in METRICS.items():
        rows.append((name, *_estimate(course, metric, is_share=name in SHARES)))
    rows.append(("decisiveness_threshold", *_threshold(course)))
    rows.append(("snowball", *_snowball(course)))
    frame = pd.DataFrame(rows, columns=list(DRAMA_COLUMNS))
    known = frame[frame["value"].notna()].reset_index(drop=True)
    return _with_players(course, known).assign(step=course.step)


def _undefined(n: int) -> _Row:
    return _Row(np.nan, np.nan, np.nan, np.nan, n)


def _estimate(course: Trajectories, metric: Metric, *, is_share: bool) -> _Row:
    numerator, denominator = metric(course, course.v[0])
    chosen = denominator > 0
    ratio = observations.ratio(numerator[chosen], denominator[chosen], course.unit[chosen])
    if ratio.n < ENOUGH_UNITS:
        return _undefined(ratio.n)
    left_out = []
    for v in course.v[1:]:
        numerator, denominator = metric(course, v)
        left_out.append(numerator.sum() / max(denominator.sum(), 1))
    se = _with_jackknife(ratio.se, left_out)
    n = int(chosen.sum())
    if is_share:
        return _Row(ratio.value, se, *share_limits(ratio.value, se, n), n)
    return _Row(ratio.value, se, *observations.limits(ratio.value, se, ratio.n), n)


def _with_jackknife(se: float, left_out: list[float]) -> float:
    """The error of a sample of matches with that of V, which is independent of it."""
    return float(np.hypot(se, jackknife(np.array(left_out)))) if left_out else se


def _threshold(course: Trajectories) -> _Row:
    """The decisiveness threshold with limits by order statistics, widened by the error of V.

    Its standard error is their distance over 3.92.
    """
    best = _best_of_losers(course, course.v[0])
    unit = course.unit[course.decided]
    if len(np.unique(unit)) < ENOUGH_UNITS:
        return _undefined(len(best))
    at = float(np.quantile(best, DECIDED))
    ranks = observations.mean(best < at, unit).se
    low, high = observations.quantile_limits(best, DECIDED, ranks)
    left_out = [threshold(course, v) for v in course.v[1:]]
    own_error = float(jackknife(np.array(left_out))) if left_out else 0.0
    below, above = (float(np.hypot(limit - at, Z95 * own_error)) for limit in (low, high))
    return _Row(at, (below + above) / (2 * Z95), at - below, at + above, len(best))


def _snowball(course: Trajectories) -> _Row:
    """The correlation of the points of consecutive deals of a match.

    Its error is that of the delta method over units.
    """
    deals = np.flatnonzero(course.new_deal)
    before = deals[:-1]
    after = deals[1:]
    same_match = course.match[before] == course.match[after]
    x = course.margin[before][same_match]
    y = course.margin[after][same_match]
    unit = course.unit[course.match[before][same_match]]
    if len(np.unique(unit)) < ENOUGH_UNITS or not (x.std() and y.std()):
        return _undefined(len(x))
    x = (x - x.mean()) / x.std()
    y = (y - y.mean()) / y.std()
    r = float((x * y).mean())
    influence = observations.mean(x * y - r * (x**2 + y**2) / 2, unit)
    limits = observations.limits(r, influence.se, influence.n)
    return _Row(r, influence.se, *limits, len(x))


def sample(course: Trajectories) -> pd.DataFrame:
    """V over the first 20 matches, and how it spread in all: the frame of `simgin.plots.swings`.

    Columns variant, strategy, opponent, match, share (0..1 of the match), value (V of A), q10, q50,
    q90 (over all matches at that share), n (matches), step.
    """
    import pandas as pd

    share = np.linspace(0, 1, GRID + 1)
    last = course.steps[:, None] - 1
    at = np.minimum((share * course.steps[:, None]).astype(np.int64), last)
    v = course.v[0][course.first[:, None] + at]
    v = np.where(share == 1, course.result[:, None], v)
    matches = min(SAMPLE, len(v))
    columns = {
        "match": np.repeat(np.arange(matches), GRID + 1),
        "share": np.tile(share, matches),
        "value": v[:matches].reshape(-1),
    }
    quantiles = np.quantile(v, (0.1, 0.5, 0.9), axis=0)
    for name, quantile in zip(("q10", "q50", "q90"), quantiles, strict=True):
        columns[name] = np.tile(quantile, matches)
    frame = _with_players(course, pd.DataFrame(columns))
    return frame.assign(n=len(v), step=course.step)


def _with_players(course: Trajectories, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with who played what in front."""
    for i, name in enumerate(("variant", "strategy", "opponent")):
        frame.insert(i, name, course.players[i])
    return frame
