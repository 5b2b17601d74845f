"""Stopping rules: until an interval is narrow enough, or until a test has decided.

They look at the results after every batch. A rule fixes beforehand how wide every interval of the
run must be to hold at whatever moment it stops (`multiplier`): a plain interval
after optional stopping is never printed
(docs/explanation/statistics.md#looking-more-than-once).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.play.matchup import Matchup
from simgin.stats import estimate, metrics
from simgin.stats.estimate import estimate_metric

# Standard deviations of the mean of a mirrored pair, and of a single deal or match, that plans
# reckon with: rounded up from those of gold and simple under the shipped variants. A wrong one
# costs some width (a factor 4 in units: 1.67 for 1.55), never validity.
SHARE_SD = {True: 0.35, False: 0.5}
NOMINAL_SD = {
    "deal_win": {True: 0.3, False: 0.5},
    "margin": {True: 12.0, False: 24.0},
    "score": {True: 24.0, False: 24.0},
    "match_margin": {True: 60.0, False: 65.0},
}


PAIRS_FROM = 100  # pairs before the first look of a sequential test
EMPTY = 1e-3  # what an empty category counts: its chance is then small, not nil
CATEGORIES = (0.0, 0.25, 0.5, 0.75, 1.0)  # pair scores, the bins of sums.PAIR_HISTOGRAM

COMPLETE = "complete"
# What is known to within a half-width, as sentences call it
SUBJECTS = {
    "deal_win": "the share of deals won",
    "win": "the share of deals won",
    "match_win": "the share of matches won",
    "goal_met": "the share of matches with the goal met",
    "margin": "the mean of points per deal",
    "score": "the mean score of a deal",
    "match_margin": "the mean margin of a match",
}


@dataclass(frozen=True)
class End:
    """How far a cell was played: its first `units` units, and why it ended there."""

    units: int
    stopped: str = COMPLETE
    # Half-width of its intervals in standard errors where a rule looked at results
    multiplier: float | None = None


@dataclass(frozen=True)
class Until:
    """Stop when the 95 % confidence sequence of a metric is narrow enough."""

    metric: str  # seen by strategy A
    half_width: float
    planned: int  # units at which the sequence is tightest

    @property
    def text(self) -> str:
        """The rule in words."""
        known = f"{SUBJECTS[self.metric]} is known to within {self._in_words(self.half_width)}"
        return f"until {known} (confidence sequence: 95 % at every look)"

    def _in_words(self, width: float) -> str:
        """A half-width with its unit."""
        metric = metrics.BY_NAME[self.metric]
        return f"{metric.factor * width:.6g} {'percentage ' * metric.share}points"

    def multiplier(self, units: int) -> float:
        """Half-width of every interval of the run in standard errors."""
        return estimate.sequence_width(units, self.planned)

    def look(self, totals: np.ndarray) -> str | None:
        """The decision in a sentence, or None to go on.

        totals: exact sum of the rows so far, int64 of length sums.COLUMNS.
        """
        units = int(totals[sums.UNITS])
        metric = metrics.BY_NAME[self.metric]
        if units < estimate.LOOK_FROM:
            return None
        found = estimate_metric(totals, metric, multiplier=self.multiplier(units))
        reached = (found.high - found.low) / 2
        if not reached <= self.half_width:  # NaN too
            return None
        known = self._in_words(reached)
        asked = self._in_words(self.half_width)
        return f"{SUBJECTS[self.metric]} is known to within {known}; {asked} were asked for."


@dataclass(frozen=True)
class Sprt:
    """Stop when the sequential test of pairs prefers one of two strengths of A.

    Strengths are in Elo of A's share of pairs.
    """

    elo0: float
    elo1: float

    @property
    def text(self) -> str:
        """The rule in words."""
        return (
            f"sequential test of pairs: Elo {self.elo0:g} (H0) against {self.elo1:g} (H1), "
            f"alpha {estimate.ALPHA:g}, beta {estimate.ALPHA:g}"
        )

    @property
    def planned(self) -> int:
        """Pairs that the test takes in its slowest case, where the truth lies midway.

        The lower bound times the upper one over the drift squared.
        """
        low, high = bounds()
        apart = share_of_elo(self.elo1) - share_of_elo(self.elo0)
        pairs = math.ceil(-low * high * (SHARE_SD[True] / apart) ** 2)
        return max(estimate.LOOK_FROM, pairs)

    def multiplier(self, units: int) -> float:
        """Half-width of every interval of the run in standard errors."""
        return estimate.sequence_width(units, self.planned)

    def llr(self, totals: np.ndarray) -> float:
        """Log likelihood ratio of H1 against H0.

        totals: exact sum of batch rows, of which the pairs count.
        """
        first = sums.PAIR_HISTOGRAM
        counts = totals[first : first + sums.PAIR_BINS]
        return multinomial_llr(counts.tolist(), share_of_elo(self.elo0), share_of_elo(self.elo1))

    @property
    def _stronger(self) -> str:
        """What it says that H1 is accepted: no strength of up to elo0 is likely."""
        if self.elo0 < 0:
            return f"A is not worse by {-self.elo0:g} Elo; it may be better"
        return f"A is better by more than {self.elo0:g} Elo" if self.elo0 else "A is better"

    @property
    def _not_as_strong(self) -> str:
        """What it says that H0 is accepted: no strength of elo1 or more is likely."""
        if self.elo1 > 0:
            return f"A is not better by {self.elo1:g} Elo; it may be worse"
        return f"A is worse by more than {-self.elo1:g} Elo" if self.elo1 else "A is worse"

    def look(self, totals: np.ndarray) -> str | None:
        """What the accepted hypothesis says, or None to go on. totals: as for `Until.look`."""
        pairs = int(totals[sums.UNITS])
        if pairs < PAIRS_FROM:
            return None
        low, high = bounds()
        llr = self.llr(totals)
        if low < llr < high:
            return None
        verdict = self._not_as_strong if llr <= low else self._stronger
        return (
            f"{verdict} (log likelihood ratio {llr:.2f} after {pairs:,} "
            "pairs; the estimate is biased)."
        )


Rule = Until | Sprt


class StoppingError(ValueError):
    """A rule that does not fit what is played; the message is a sentence with the remedy."""


def until(half_width: str | float, matchup: Matchup) -> Until:
    """The rule for a half-width as `simgin.text.amounts` reads it.

    `0.1%` of the share of deals (matches) won, or 0.05 points a deal (match).
    """
    percent = isinstance(half_width, str)
    metric = _metric(matchup, percent=percent)
    width = float(str(half_width).removesuffix("%")) / (100 if percent else 1)
    deviation = NOMINAL_SD.get(metric, SHARE_SD)[matchup.mirrored]
    return Until(metric, width, estimate.planned_units(width, deviation))


def sprt(elo0: float, elo1: float, matchup: Matchup) -> Sprt:
    """The test between two Elo differences. StoppingError where nothing is played in pairs."""
    if not matchup.mirrored:
        raise StoppingError(
            f"{matchup.title} plays no pairs, so there is nothing to test: name two different "
            "strategies of a game for two."
        )
    return Sprt(elo0, elo1)


def _metric(matchup: Matchup, *, percent: bool) -> str:
    """What a half-width in per cent is of, or one in points."""
    if matchup.unit == metrics.DEAL:
        share, points = metrics.headline(metrics.DEAL, len(matchup.players))
        return share if percent else points
    if not percent:
        return "match_margin"
    return "goal_met" if matchup.variant.goal.total else "match_win"


# The sequential test of pairs


def share_of_elo(elo: float) -> float:
    """The expected share 0..1 of a side that is `elo` points better: 1 / (1 + 10^(-elo / 400))."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def bounds() -> tuple[float, float]:
    """Wald's bounds: H0 is accepted at or below the first, H1 at or above the second.

    They are -2.944 and 2.944: ALPHA is the chance of either error, at most.
    """
    high = math.log((1 - estimate.ALPHA) / estimate.ALPHA)
    return -high, high


def multinomial_llr(counts: Sequence[int], m0: float, m1: float) -> float:
    """Log likelihood ratio of mean share m1 against m0, both within 0..1.

    counts: pairs by score 0, 1/4, 1/2, 3/4, 1. Each hypothesis is the likeliest distribution with
    its mean (the generalised test, multinomial form).
    """
    filled = [max(float(count), EMPTY) for count in counts]
    tilt0 = _tilt(filled, m0)
    tilt1 = _tilt(filled, m1)
    return sum(
        n * (math.log(1 + tilt0 * (score - m0)) - math.log(1 + tilt1 * (score - m1)))
        for n, score in zip(filled, CATEGORIES, strict=True)
    )


def _tilt(counts: list[float], mean: float) -> float:
    """Lagrange's factor L of the likeliest distribution with this mean.

    p_j = n_j / N / (1 + L (a_j - mean)).
    """
    from scipy.optimize import brentq

    whole = sum(counts)
    terms = [(n, score - mean) for n, score in zip(counts, CATEGORIES, strict=True)]
    # No chance is more than 1.
    lows = [(n / whole - 1) / d for n, d in terms if d > 0]
    highs = [(n / whole - 1) / d for n, d in terms if d < 0]

    def balance(tilt: float) -> float:
        return sum(n * d / (1 + tilt * d) for n, d in terms)

    return float(brentq(balance, max(lows), min(highs)))
