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
        matches = np.arange(len(self.result))
        first = np.searchsorted(self.match, matches)
        return np.asarray(first)

    @cached_property
    def steps(self) -> np.ndarray:
        """The number of steps of every match, as many as states."""
        bounds = np.append(self.first, len(self.match))
        steps = np.diff(bounds)
        return np.asarray(steps)

    @cached_property
    def decided(self) -> np.ndarray:
        """Whether a match was won by a side."""
        return np.asarray(self.result != 0.5)

    @cached_property
    def new_deal(self) -> np.ndarray:
        """Whether a state is the first of its deal."""
        other_deal = np.diff(self.deal) != 0
        other_match = np.diff(self.match) != 0
        changed = other_deal | other_match
        return np.concatenate([[True], changed])

    @cached_property
    def last(self) -> np.ndarray:
        """Whether the step from a state ended its match."""
        other_match = np.diff(self.match) != 0
        return np.append(other_match, True)

    def after(self, v: np.ndarray) -> np.ndarray:
        """V after the step from each state; the last step of a match leads to its result."""
        result = self.result[self.match]
        next_v = np.append(v[1:], np.nan)
        after = np.where(self.last, result, next_v)
        return np.asarray(after)

    def winners(self, v: np.ndarray) -> np.ndarray:
        """V of the side that won in the end; of a match without a winner one half."""
        result = self.result[self.match]
        a_won = result == 1
        b_won = result == 0
        winners = np.select([a_won, b_won], [v, 1 - v], 0.5)
        return np.asarray(winners)

    def mean(self, x: np.ndarray) -> np.ndarray:
        """The mean of x over the states of each match."""
        total = self.sum(x)
        return np.asarray(total / self.steps)

    def sum(self, x: np.ndarray) -> np.ndarray:
        """The sum of x over the states of each match."""
        total = np.add.reduceat(x, self.first)
        return np.asarray(total)

    def count(self, flags: np.ndarray) -> np.ndarray:
        """How many states of each match have a flag: int64 (matches)."""
        flagged = np.add.reduceat(flags, self.first, dtype=np.int64)
        return np.asarray(flagged)

    def max(self, x: np.ndarray) -> np.ndarray:
        """The largest x among the states of each match."""
        largest = np.maximum.reduceat(x, self.first)
        return np.asarray(largest)

    def min(self, x: np.ndarray) -> np.ndarray:
        """The smallest x among the states of each match."""
        smallest = np.minimum.reduceat(x, self.first)
        return np.asarray(smallest)

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
    deficit = _deficit(course, v)
    mean = course.mean(deficit)
    return course.each_decided(mean)


def drama_max(course: Trajectories, v: np.ndarray) -> Parts:
    """As `drama`, the largest in the match."""
    deficit = _deficit(course, v)
    largest = course.max(deficit)
    return course.each_decided(largest)


def drama_browne(course: Trajectories, v: np.ndarray) -> Parts:
    """Browne's form: the mean root of the deficit over the states at which the winner trails.

    0 if he never does.
    """
    deficit = _deficit(course, v)
    trailing = course.count(deficit > 0)
    roots = np.sqrt(deficit)
    total = course.sum(roots)
    mean = total / np.maximum(trailing, 1)
    return course.each_decided(mean)


def _deficit(course: Trajectories, v: np.ndarray) -> np.ndarray:
    """How far the eventual winner lies behind; 0 where he leads."""
    winners = course.winners(v)
    deficit = np.maximum(0, 1 - 2 * winners)
    return np.asarray(deficit)


def lead_changes(course: Trajectories, v: np.ndarray) -> Parts:
    """How often the leader changes, the result included, over the number of steps.

    Who leads keeps the lead while V is one half.
    """
    last = course.last
    leader = _leader(course, v)
    winner = np.sign(course.result - 0.5)
    next_leader = leader[1:]
    changed = np.zeros(len(v), np.int64)
    changed[:-1] = leader[:-1] * next_leader < 0
    changed[last] = leader[last] * winner < 0
    total = course.sum(changed)
    return total, course.steps


def _leader(course: Trajectories, v: np.ndarray) -> np.ndarray:
    """1 where A leads, -1 where B does, 0 while nobody has led yet in the match."""
    side = np.sign(v - 0.5)
    states = np.arange(len(v))
    leads = np.where(side != 0, states, -1)
    latest = np.maximum.accumulate(leads)
    first = course.first[course.match]
    has_led = latest >= first
    leader = np.where(has_led, side[latest], 0)
    return np.asarray(leader)


def decisiveness_moves(course: Trajectories, v: np.ndarray) -> Parts:
    """Share of the match until its winner's V is above the decisiveness threshold for good."""
    limit = threshold(course, v)
    below = course.winners(v) <= limit
    first = course.first[course.match]
    step = np.arange(len(v)) - first + 1
    last_below = course.max(step * below)
    share = last_below / course.steps
    return course.each_decided(share)


def _best_of_losers(course: Trajectories, v: np.ndarray) -> np.ndarray:
    """The highest V of the side that did not win, for every decided match."""
    losers = 1 - course.winners(v)
    best = course.max(losers)
    return np.asarray(best[course.decided])


def threshold(course: Trajectories, v: np.ndarray) -> float:
    """What the highest V of the loser stays below in 95 % of the matches."""
    best = _best_of_losers(course, v)
    if len(best) == 0:
        return np.nan
    return float(np.quantile(best, DECIDED))


def stability(course: Trajectories, v: np.ndarray) -> Parts:
    """The variance of V over the states of a match."""
    mean_square = course.mean(v**2)
    squared_mean = course.mean(v) ** 2
    variance = mean_square - squared_mean
    # Rounding may take the variance of a constant below 0
    return course.each(np.maximum(variance, 0))


def uncertainty(course: Trajectories, v: np.ndarray) -> Parts:
    """Mean over the states of 1 - 2 |V - 1/2|: 1 while all is open, 0 once it is decided."""
    distance = np.abs(v - 0.5)
    openness = 1 - 2 * distance
    return course.each(course.mean(openness))


def killer_move(course: Trajectories, v: np.ndarray) -> Parts:
    """The largest change of V by one step of the match."""
    change = course.after(v) - v
    size = np.abs(change)
    return course.each(course.max(size))


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
    opponent = np.where(mover < 0, -1, 1 - mover)
    by_opponent = next_mover == opponent
    answered = ~course.last & by_opponent
    enough = sign * change >= GAIN
    gained = enough & answered
    reply = np.where(gained, next_change, 0)
    net = sign * (change + reply)
    kept = gained & (net > 0)
    return course.count(kept), course.count(gained)


def certainty_point(course: Trajectories, v: np.ndarray) -> Parts:
    """Deals until a side has a V of 0.9 or more between deals; all if the last one decides."""
    never = np.iinfo(np.int64).max
    distance = np.abs(v - 0.5)
    is_certain = distance >= CERTAIN - 0.5
    certain = course.new_deal & is_certain
    deal = np.where(certain, course.deal, never)
    first = course.min(deal)
    deals = course.deal[course.last] + 1
    return course.each(np.minimum(first, deals))


def catch_up(course: Trajectories, v: np.ndarray) -> Parts:
    """Matches won from 30 % of the target behind, when the other side first had half of it."""
    a, b = course.points.T
    states = len(v)
    higher = np.maximum(a, b)
    is_half = 2 * higher >= course.target
    counts = course.new_deal & is_half
    counts &= course.target > 0
    place = np.where(counts, np.arange(states), states)
    at = course.min(place)
    lead = (a - b)[np.minimum(at, states - 1)]
    is_far = np.abs(lead) >= BEHIND * course.target
    far = (at < states) & is_far
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
    known = value.compute(variant, a, b, seed=seed, seat=0, workers=workers)
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
    records = played.records
    deal = played.column("deal")
    chosen = records["half"] == known.seat
    new_number = np.cumsum(chosen) - 1
    rows = played.rows[chosen[deal]].copy()
    rows["deal"] = new_number[rows["deal"]]
    return Turns(played.matchup, records[chosen], rows)


def by_deal(known: Value, records: np.ndarray) -> Trajectories:
    """Trajectories from deal to deal, from the records of whole matches."""
    return _trajectories(
        known,
        records,
        step="deal",
        v=known.along(records),
        deal=np.arange(len(records)),
        mover=np.full(len(records), -1),
    )


def by_turn(inside: InDealValue, played: Turns) -> Trajectories:
    """Trajectories from turn to turn, of whole matches played turn by turn."""
    deal = played.column("deal")
    turn = played.column("turn")
    starts, along = inside.along(played)
    deals = len(played.records)
    turns_of = np.bincount(deal, minlength=deals)
    # A deal without a turn is a step all the same
    steps = np.maximum(turns_of, 1)
    states = steps.sum()
    first = np.cumsum(steps) - steps
    after = first[deal] + turn
    went_on = ~played.last
    v = np.empty((len(along), states))
    v[:, first] = starts
    v[:, after[went_on]] = along[:, went_on]
    mover = np.full(states, -1)
    mover[after - 1] = played.column("side")
    return _trajectories(
        inside.value,
        played.records,
        step="turn",
        v=v,
        deal=np.repeat(np.arange(deals), steps),
        mover=mover,
    )


def _trajectories(
    known: Value, records: np.ndarray, step: str, v: np.ndarray, deal: np.ndarray, mover: np.ndarray
) -> Trajectories:
    """Trajectories whose states lie in the recorded deals `deal`."""
    matchup = known.matchup
    matches = calibration.read_matches(records)
    variant = matchup.variant
    last = matches.last
    score_a = records["score_a"][deal]
    score_b = records["score_b"][deal]
    margin = records["points_a"] - records["points_b"]
    target = 0
    if matchup.b is not None and variant.goal.score == "points":
        target = number(variant.row, "points_target")
    return Trajectories(
        players=(variant.text, matchup.a.text, matchup.opponent),
        step=step,
        v=v,
        match=matches.match[deal],
        deal=records["deal"][deal],
        mover=mover,
        result=matches.result[last],
        unit=matches.unit[last],
        points=np.stack([score_a, score_b], axis=1),
        margin=margin[deal],
        target=target,
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

    estimates = {}
    for name, metric in METRICS.items():
        estimates[name] = _estimate(course, metric, is_share=name in SHARES)
    estimates["decisiveness_threshold"] = _threshold(course)
    estimates["snowball"] = _snowball(course)
    rows = []
    for name, estimate in estimates.items():
        rows.append((name, *estimate))
    frame = pd.DataFrame(rows, columns=list(DRAMA_COLUMNS))
    is_known = frame["value"].notna()
    known = frame[is_known].reset_index(drop=True)
    known["step"] = course.step
    return _with_players(course, known)


def _undefined(n: int) -> _Row:
    return _Row(value=np.nan, se=np.nan, low=np.nan, high=np.nan, n=n)


def _estimate(course: Trajectories, metric: Metric, *, is_share: bool) -> _Row:
    numerator, denominator = metric(course, course.v[0])
    chosen = denominator > 0
    ratio = observations.ratio(numerator[chosen], denominator[chosen], course.unit[chosen])
    if ratio.n < ENOUGH_UNITS:
        return _undefined(ratio.n)
    left_out = []
    for v in course.v[1:]:
        numerator, denominator = metric(course, v)
        total = max(denominator.sum(), 1)
        left_out.append(numerator.sum() / total)
    value = ratio.value
    se = _with_jackknife(ratio.se, left_out)
    n = int(chosen.sum())
    if is_share:
        return _Row(value, se, *share_limits(value, se, n), n)
    limits = observations.limits(value, se, ratio.n)
    return _Row(value, se, *limits, n)


def _with_jackknife(se: float, left_out: list[float]) -> float:
    """The error of a sample of matches with that of V, which is independent of it."""
    if not left_out:
        return se
    v_error = jackknife(np.array(left_out))
    return float(np.hypot(se, v_error))


def _threshold(course: Trajectories) -> _Row:
    """The decisiveness threshold with limits by order statistics, widened by the error of V.

    Its standard error is their distance over 3.92.
    """
    best = _best_of_losers(course, course.v[0])
    n = len(best)
    unit = course.unit[course.decided]
    if len(np.unique(unit)) < ENOUGH_UNITS:
        return _undefined(n)
    at = float(np.quantile(best, DECIDED))
    ranks = observations.mean(best < at, unit)
    low, high = observations.quantile_limits(best, DECIDED, ranks.se)
    v_margin = Z95 * _threshold_error(course)
    below = float(np.hypot(low - at, v_margin))
    above = float(np.hypot(high - at, v_margin))
    return _Row(value=at, se=(below + above) / (2 * Z95), low=at - below, high=at + above, n=n)


def _threshold_error(course: Trajectories) -> float:
    """The error that the decisiveness threshold has from that of V."""
    left_out = []
    for v in course.v[1:]:
        left_out.append(threshold(course, v))
    if not left_out:
        return 0.0
    return float(jackknife(np.array(left_out)))


def _snowball(course: Trajectories) -> _Row:
    """The correlation of the points of consecutive deals of a match.

    Its error is that of the delta method over units.
    """
    match = course.match
    deals = np.flatnonzero(course.new_deal)
    before = deals[:-1]
    after = deals[1:]
    same_match = match[before] == match[after]
    before = before[same_match]
    after = after[same_match]
    x = course.margin[before]
    y = course.margin[after]
    n = len(x)
    unit = course.unit[match[before]]
    if len(np.unique(unit)) < ENOUGH_UNITS:
        return _undefined(n)
    if not (x.std() and y.std()):
        return _undefined(n)
    x = _standardized(x)
    y = _standardized(y)
    product = x * y
    r = float(product.mean())
    squares = x**2 + y**2
    influence = observations.mean(product - r * squares / 2, unit)
    se = influence.se
    limits = observations.limits(r, se, influence.n)
    return _Row(r, se, *limits, n)


def _standardized(x: np.ndarray) -> np.ndarray:
    """Numbers in standard deviations from their mean."""
    deviation = x - x.mean()
    return np.asarray(deviation / x.std())


def sample(course: Trajectories) -> pd.DataFrame:
    """V over the first 20 matches, and how it spread in all: the frame of `simgin.plots.swings`.

    Columns variant, strategy, opponent, match, share (0..1 of the match), value (V of A), q10, q50,
    q90 (over all matches at that share), n (matches), step.
    """
    import pandas as pd

    share = np.linspace(0, 1, GRID + 1)
    v = _along_grid(course, share)
    matches = min(SAMPLE, len(v))
    columns = {
        "match": np.repeat(np.arange(matches), len(share)),
        "share": np.tile(share, matches),
        "value": v[:matches].reshape(-1),
    }
    quantiles = np.quantile(v, (0.1, 0.5, 0.9), axis=0)
    names = ("q10", "q50", "q90")
    for name, quantile in zip(names, quantiles, strict=True):
        columns[name] = np.tile(quantile, matches)
    frame = pd.DataFrame(columns)
    frame["n"] = len(v)
    frame["step"] = course.step
    return _with_players(course, frame)


def _along_grid(course: Trajectories, share: np.ndarray) -> np.ndarray:
    """V of every match at shares of its length: float64 (matches, shares)."""
    steps = course.steps[:, None]
    first = course.first[:, None]
    result = course.result[:, None]
    step = (share * steps).astype(np.int64)
    at = np.minimum(step, steps - 1)
    v = course.v[0][first + at]
    along = np.where(share == 1, result, v)
    return np.asarray(along)


def _with_players(course: Trajectories, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with who played what in front."""
    for i, name in enumerate(("variant", "strategy", "opponent")):
        frame.insert(i, name, course.players[i])
    return frame
