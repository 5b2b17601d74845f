"""The drama of matches: how the chance to win went while they were played (docs/reference/metrics.md#drama, after Browne, Ludii, and Elias and others).

    course = trajectories("standard", "gold", "gold", matches=2_000, seed=1)
    measured(course)                     # drama, lead changes, decisiveness, ..., each with its error
    of("standard", "gold", "gold")       # both at once

Matches are played turn by turn, with V after every turn (`simgin.value.in_deal`). Where V within a deal is refused it is followed from deal to
deal, a coarser form with fewer and larger steps: the column `step` of every frame says which, and the two are not to be compared.
Errors are clustered by unit (a pair of matches on the same packs, or a match) and hold the error of V itself, by the jackknife over the
groups of its outcomes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simgin.stats import observations
from simgin.stats.estimate import ENOUGH_UNITS, Z95, share_limits
from simgin.text.amounts import parse_count
from simgin.value import calibration, in_deal, turns, value
from simgin.value.in_deal import Within
from simgin.value.outcomes import jackknife
from simgin.value.states import number
from simgin.value.turns import Turns
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

MATCHES, DEALS = 2_000, 20_000  # so many matches, or as many as take so many deals if that is less
SAMPLE = 20  # matches that are drawn one by one
GRID = 50  # steps of a match drawn
# Of the matches: the share of losers whose best chance lay below the decisiveness threshold
DECIDED = 0.95
GAIN = 0.1  # of V, what permanence is about
CERTAIN = 0.9
BEHIND = 0.3  # of the points to play to: 30 of 100


@dataclass(frozen=True)
class Trajectories:
    """V over matches, a state for every moment between two steps, the states of a match one after the other.

    who: variant, strategy, opponent. step: "turn" or "deal". v: float64 (1 + groups, states), V for A before each step: of all groups of
    outcomes, then with each left out. By state, int64: match, from 0 without gaps; deal, those played before the one in progress; mover,
    the side that makes the step from here, -1 if it is no side's; points (states, 2), those of both sides before the deal in progress;
    margin, what that deal brings A less what it brings B. By match: result, what it was worth to A, 1, 0 or one half; unit, what errors are
    clustered over. target: points to play to, or 0.
    """

    who: tuple[str, str, str]
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
        return np.asarray(np.where(self.last, self.result[self.match], np.append(v[1:], np.nan)))

    def winners(self, v: np.ndarray) -> np.ndarray:
        """V of the side that won in the end; of a match without a winner one half."""
        result = self.result[self.match]
        return np.asarray(np.select([result == 1, result == 0], [v, 1 - v], 0.5))

    def mean(self, x: np.ndarray) -> np.ndarray:
        """The mean of x over the states of each match."""
        return np.asarray(np.add.reduceat(x, self.first) / self.steps)


# A metric gives for every match a numerator and a denominator; it is the ratio of their sums.
Parts = tuple[np.ndarray, np.ndarray]


def drama(one: Trajectories, v: np.ndarray) -> Parts:
    """Mean over the states of a match of leader's V minus eventual winner's V: how far behind the winner lay."""
    return one.mean(_behind(one, v)) * one.decided, one.decided


def drama_max(one: Trajectories, v: np.ndarray) -> Parts:
    """As `drama`, the largest in the match."""
    return np.maximum.reduceat(_behind(one, v), one.first) * one.decided, one.decided


def drama_browne(one: Trajectories, v: np.ndarray) -> Parts:
    """Browne's form: the mean over the states at which the winner trails of the square root of how far; 0 if he never does."""
    behind = _behind(one, v)
    trailing = np.add.reduceat(behind > 0, one.first, dtype=np.int64)
    return np.add.reduceat(np.sqrt(behind), one.first) / np.maximum(
        trailing, 1
    ) * one.decided, one.decided


def _behind(one: Trajectories, v: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(0, 1 - 2 * one.winners(v)))


def lead_changes(one: Trajectories, v: np.ndarray) -> Parts:
    """How often the leader changes, the result included, over the number of steps. Who leads keeps the lead while V is one half."""
    leader = _leader(one, v)
    changed = np.zeros(len(v), np.int64)
    changed[:-1] = leader[:-1] * leader[1:] < 0
    changed[one.last] = leader[one.last] * np.sign(one.result - 0.5) < 0
    return np.add.reduceat(changed, one.first), one.steps


def _leader(one: Trajectories, v: np.ndarray) -> np.ndarray:
    """1 where A leads, -1 where B does, 0 while nobody has led yet in the match."""
    side = np.sign(v - 0.5)
    at = np.maximum.accumulate(np.where(side != 0, np.arange(len(v)), -1))
    return np.asarray(np.where(at >= one.first[one.match], side[at], 0))


def decisiveness_moves(one: Trajectories, v: np.ndarray) -> Parts:
    """The share of the match until its winner's V is above the decisiveness threshold for good."""
    below = one.winners(v) <= threshold(one, v)
    at = np.arange(len(v)) - one.first[one.match] + 1
    return np.maximum.reduceat(at * below, one.first) / one.steps * one.decided, one.decided


def _best_of_losers(one: Trajectories, v: np.ndarray) -> np.ndarray:
    """The highest V of the side that did not win, for every decided match."""
    return np.asarray(np.maximum.reduceat(1 - one.winners(v), one.first)[one.decided])


def threshold(one: Trajectories, v: np.ndarray) -> float:
    """What the highest V of the loser stays below in 95 % of the matches."""
    best = _best_of_losers(one, v)
    return float(np.quantile(best, DECIDED)) if len(best) else np.nan


def stability(one: Trajectories, v: np.ndarray) -> Parts:
    """The variance of V over the states of a match."""
    return np.maximum(one.mean(v**2) - one.mean(v) ** 2, 0), np.ones(len(one.result))


def uncertainty(one: Trajectories, v: np.ndarray) -> Parts:
    """Mean over the states of a match of 1 - 2 |V - 1/2|: 1 while all is open, 0 once it is decided."""
    return one.mean(1 - 2 * np.abs(v - 0.5)), np.ones(len(one.result))


def killer_move(one: Trajectories, v: np.ndarray) -> Parts:
    """The largest change of V by one step of the match."""
    return np.maximum.reduceat(np.abs(one.after(v) - v), one.first), np.ones(len(one.result))


def permanence(one: Trajectories, v: np.ndarray) -> Parts:
    """Of the gains of 0.1 or more for who moved, those that the opponent's next step did not undo, that is, bring V back or beyond.

    Gains that ended the match and those that no step of the opponent followed are left out. A step from deal to deal is a gain for
    whom it favours.
    """
    change = one.after(v) - v
    sign = np.select([one.mover == 0, one.mover == 1], [1, -1], np.sign(change))
    later = np.append(change[1:], np.nan)
    answered = ~one.last & (
        np.append(one.mover[1:], -1) == np.where(one.mover < 0, -1, 1 - one.mover)
    )
    gained = (sign * change >= GAIN) & answered
    kept = gained & (sign * (change + np.where(gained, later, 0)) > 0)
    return np.add.reduceat(kept, one.first, dtype=np.int64), np.add.reduceat(
        gained, one.first, dtype=np.int64
    )


def certainty_point(one: Trajectories, v: np.ndarray) -> Parts:
    """Deals until a side first has a V of 0.9 or more between deals; all of them if only the last deal decides."""
    certain = one.new_deal & (np.abs(v - 0.5) >= CERTAIN - 0.5)
    deals = one.deal[one.last] + 1
    first = np.minimum.reduceat(np.where(certain, one.deal, np.iinfo(np.int64).max), one.first)
    return np.minimum(first, deals), np.ones(len(deals))


def catch_up(one: Trajectories, v: np.ndarray) -> Parts:
    """Of the matches in which a side was behind by 30 % of the points to play to when the first had half of them: those that it won."""
    a, b = one.points.T
    half = one.new_deal & (2 * np.maximum(a, b) >= one.target) & (one.target > 0)
    at = np.minimum.reduceat(np.where(half, np.arange(len(v)), len(v)), one.first)
    found = at < len(v)
    lead = (a - b)[np.minimum(at, len(v) - 1)]
    far = found & (np.abs(lead) >= BEHIND * one.target)
    return np.where(lead > 0, 1 - one.result, one.result) * far, far


METRICS: dict[str, Callable[[Trajectories, np.ndarray], Parts]] = {
    one.__name__: one
    for one in (
        *(drama, drama_max, drama_browne, lead_changes, decisiveness_moves, stability, uncertainty),
        *(killer_move, permanence, certainty_point, catch_up),
    )
}
SHARES = ("permanence", "catch_up")


# Tables of them


def of(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    matches: int | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """`measured` of so many matches; two players take `simple` for B if none is named."""
    return measured(trajectories(variant, a, b, matches=matches, seed=seed, workers=workers))


def swings(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    matches: int | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """`drawn` of so many matches."""
    return drawn(trajectories(variant, a, b, matches=matches, seed=seed, workers=workers))


def trajectories(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    matches: int | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> Trajectories:
    """So many matches by seed + 1, and V along them by seed: after every turn, or between deals where V within a deal is refused.

    matches: None for 2,000, or as many as take about 20,000 deals if that is less. ValueRefused where there is no V at all.
    """
    known = value.of(variant, a, b, seed=seed, workers=workers)
    one = dataclasses.replace(known.matchup, seed=seed + 1, unit="match")
    n = min(MATCHES, round(DEALS / known.deals())) if matches is None else parse_count(matches)
    try:
        inside = in_deal.of(known, workers=workers)
    except ValueRefused:
        return by_deal(known, calibration.play(known, n, seed + 1, workers).records)
    return by_turn(inside, _with_a_at(known, turns.play(one, one.units(n), workers)))


def _with_a_at(known: Value, played: Turns) -> Turns:
    """The matches in which A sits at the seat that the value is for."""
    if known.seats_alike:
        return played
    chosen = played.records["half"] == known.seat
    rows = played.rows[chosen[played.column("deal")]].copy()
    rows["deal"] = (np.cumsum(chosen) - 1)[rows["deal"]]
    return Turns(played.matchup, played.records[chosen], rows)


def by_deal(known: Value, records: np.ndarray) -> Trajectories:
    """Trajectories from deal to deal, from the records of whole matches."""
    return _course(
        known,
        records,
        "deal",
        known.along(records),
        np.arange(len(records)),
        np.full(len(records), -1),
    )


def by_turn(inside: Within, played: Turns) -> Trajectories:
    """Trajectories from turn to turn, of whole matches played turn by turn."""
    records, deal, (starts, v) = played.records, played.column("deal"), inside.along(played)
    steps = np.maximum(
        np.bincount(deal, minlength=len(records)), 1
    )  # a deal without a turn is a step all the same
    first = np.cumsum(steps) - steps
    course, mover = np.empty((len(v), steps.sum())), np.full(steps.sum(), -1)
    course[:, first] = starts
    mover[first[deal] + played.column("turn") - 1] = played.column("side")
    course[:, (first[deal] + played.column("turn"))[~played.last]] = v[:, ~played.last]
    return _course(
        inside.value, records, "turn", course, np.repeat(np.arange(len(records)), steps), mover
    )


def _course(
    known: Value, records: np.ndarray, step: str, v: np.ndarray, deal: np.ndarray, mover: np.ndarray
) -> Trajectories:
    """Trajectories whose states lie in the recorded deals `deal`."""
    one, walks = known.matchup, calibration.walks(records)
    columns = {
        name: records[name][deal] for name in ("deal", "score_a", "score_b", "points_a", "points_b")
    }
    return Trajectories(
        who=(one.variant.text, one.a.text, one.opponent),
        step=step,
        v=v,
        match=walks.match[deal],
        deal=columns["deal"],
        mover=mover,
        result=walks.result[walks.last],
        unit=walks.unit[walks.last],
        points=np.stack([columns["score_a"], columns["score_b"]], axis=1),
        margin=columns["points_a"] - columns["points_b"],
        target=number(one.variant.row, "points_target")
        if one.b is not None and one.variant.goal.score == "points"
        else 0,
    )


def measured(one: Trajectories) -> pd.DataFrame:
    """Every metric of some matches: variant, strategy, opponent, metric, value, se, low, high, n (matches, or deals), step.

    What rests on fewer than 30 units has no row.
    """
    import pandas as pd

    found = [(name, *_estimate(one, metric, name in SHARES)) for name, metric in METRICS.items()]
    found += [("decisiveness_threshold", *_threshold(one)), ("snowball", *_snowball(one))]
    frame = pd.DataFrame(found, columns=["metric", "value", "se", "low", "high", "n"])
    return _framed(one, frame[frame["value"].notna()].reset_index(drop=True)).assign(step=one.step)


def _estimate(
    one: Trajectories, metric: Callable[[Trajectories, np.ndarray], Parts], share: bool
) -> tuple[float, float, float, float, int]:
    """Value, standard error, 95 % limits and matches of a metric."""
    numerator, denominator = metric(one, one.v[0])
    chosen = denominator > 0
    found = observations.ratio(numerator[chosen], denominator[chosen], one.unit[chosen])
    if found.n < ENOUGH_UNITS:
        return np.nan, np.nan, np.nan, np.nan, found.n
    left_out = [metric(one, v) for v in one.v[1:]]
    se = _with_jackknife(found.se, [x.sum() / max(d.sum(), 1) for x, d in left_out])
    n = int(chosen.sum())
    return (
        found.value,
        se,
        *(
            share_limits(found.value, se, n)
            if share
            else observations.limits(found.value, se, found.n)
        ),
        n,
    )


def _with_jackknife(se: float, left_out: list[float]) -> float:
    """The error of a sample of matches with that of V, which is independent of it."""
    return float(np.hypot(se, jackknife(np.array(left_out)))) if left_out else se


def _threshold(one: Trajectories) -> tuple[float, float, float, float, int]:
    """The decisiveness threshold with limits by order statistics, widened by the error of V; its error is their distance over 3.92."""
    best, unit = _best_of_losers(one, one.v[0]), one.unit[one.decided]
    if len(np.unique(unit)) < ENOUGH_UNITS:
        return np.nan, np.nan, np.nan, np.nan, len(best)
    found = float(np.quantile(best, DECIDED))
    ranks = observations.mean(best < found, unit).se
    low, high = observations.quantile_limits(best, DECIDED, ranks)
    own = (
        float(jackknife(np.array([threshold(one, v) for v in one.v[1:]])))
        if len(one.v) > 1
        else 0.0
    )
    below, above = (float(np.hypot(limit - found, Z95 * own)) for limit in (low, high))
    return found, (below + above) / (2 * Z95), found - below, found + above, len(best)


def _snowball(one: Trajectories) -> tuple[float, float, float, float, int]:
    """The correlation of the points of consecutive deals of a match, with the error of the delta method over units."""
    deals = np.flatnonzero(one.new_deal)
    pairs = one.match[deals[:-1]] == one.match[deals[1:]]
    x, y, unit = (
        one.margin[deals[:-1]][pairs],
        one.margin[deals[1:]][pairs],
        one.unit[one.match[deals[:-1]][pairs]],
    )
    if len(np.unique(unit)) < ENOUGH_UNITS or not (x.std() and y.std()):
        return np.nan, np.nan, np.nan, np.nan, len(x)
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    r = float((x * y).mean())
    influence = observations.mean(x * y - r * (x**2 + y**2) / 2, unit)
    return r, influence.se, *observations.limits(r, influence.se, influence.n), len(x)


def drawn(one: Trajectories) -> pd.DataFrame:
    """V over the first 20 matches, and how it spread in all: the frame of `plots.swings`.

    Columns variant, strategy, opponent, match, share (0..1 of the match), value (V of A), q10, q50, q90 (over all matches at that share), n
    (matches), step.
    """
    import pandas as pd

    share = np.linspace(0, 1, GRID + 1)
    at = one.first[:, None] + np.minimum(
        (share * one.steps[:, None]).astype(np.int64), one.steps[:, None] - 1
    )
    course = np.where(share == 1, one.result[:, None], one.v[0][at])
    low, middle, high = np.quantile(course, (0.1, 0.5, 0.9), axis=0)
    sample = min(SAMPLE, len(course))
    columns = {
        "match": np.repeat(np.arange(sample), GRID + 1),
        "share": np.tile(share, sample),
        "value": course[:sample].reshape(-1),
    }
    columns |= {
        name: np.tile(x, sample) for name, x in (("q10", low), ("q50", middle), ("q90", high))
    }
    return _framed(one, pd.DataFrame(columns)).assign(n=len(course), step=one.step)


def _framed(one: Trajectories, frame: pd.DataFrame) -> pd.DataFrame:
    for i, (name, text) in enumerate(
        zip(("variant", "strategy", "opponent"), one.who, strict=True)
    ):
        frame.insert(i, name, text)
    return frame
