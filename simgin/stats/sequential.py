"""Sequential statistics: confidence sequences, and the sequential test of pairs.

A plain 95 % interval holds at one sample size that was fixed beforehand. What is here holds at
every size, so a run may stop when it likes what it sees. `simgin.runs.stopping` applies it to
metrics (docs/explanation/statistics.md#looking-more-than-once).
"""

import sys
from collections.abc import Sequence
from math import ceil, lgamma, log, log1p, sqrt

ALPHA = 0.05
# Units before the first look: with an estimated variance the normal mixture is asymptotic
LOOK_FROM = 200
PAIRS_FROM = 100  # pairs before the first look of a sequential test
EMPTY = 1e-3  # what an empty category counts: its chance is then small, not nil
CATEGORIES = (0.0, 0.25, 0.5, 0.75, 1.0)  # pair scores, the bins of sums.PAIR_HISTOGRAM


def multiplier(units: float, planned: float, alpha: float = ALPHA) -> float:
    """Half-width of the normal-mixture confidence sequence in standard errors, after `units` units.

    units: more than 0. planned: the number of units at which the sequence is tightest, 1.55 times
    the plain interval; it must be fixed before data are seen. From Robbins, and Howard, Ramdas,
    McAuliffe, Sekhon, Annals of Statistics 2021:
    |mean - m| <= sqrt((V + r) log((V + r) / (r a^2))) / n with V = n s^2;
    here in units of s / sqrt(n), for a = alpha and
    r = planned s^2 / (2 log(1 / a) + log(1 + 2 log(1 / a))).
    """
    wide = 2 * log(1 / alpha)
    tightest = wide + log(1 + wide)
    ratio = units / planned * tightest  # V / r
    return sqrt((1 + 1 / ratio) * log((1 + ratio) / alpha**2))


def planned_units(half_width: float, sd: float) -> int:
    """The units at which a mean is known to within half_width (more than 0): at least 200.

    sd: the standard deviation per unit.
    """
    return max(LOOK_FROM, ceil((multiplier(1, 1) * sd / half_width) ** 2))


def beta_binomial(successes: float, failures: float) -> tuple[float, float]:
    """The confidence sequence for the chance of independent yes-or-no results.

    It holds those p that the mixture over Beta(1/2, 1/2) does not refute, at every number of
    results (Robbins): log B(1/2 + s, 1/2 + f) - log B(1/2, 1/2) - s log p - f log(1 - p) <
    log(1 / ALPHA).
    The two halves of a mirrored pair are not independent: for them take `multiplier`.
    """
    return _lower_end(successes, failures), 1 - _lower_end(failures, successes)


def _lower_end(successes: float, failures: float) -> float:
    """The lower end, which lies between nothing and the observed share."""
    from scipy.optimize import brentq

    if not successes:
        return 0.0
    mixture = _log_beta(0.5 + successes, 0.5 + failures) - _log_beta(0.5, 0.5) + log(ALPHA)

    def surprise(p: float) -> float:
        by_successes = mixture - successes * log(p)
        if not failures:
            return by_successes
        return by_successes - failures * log1p(-p)

    root = brentq(surprise, sys.float_info.min, successes / (successes + failures), xtol=1e-15)
    return float(root)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def share_of_elo(elo: float) -> float:
    """The expected share 0..1 of a side that is `elo` points better: 1 / (1 + 10^(-elo / 400))."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def bounds() -> tuple[float, float]:
    """Wald's bounds: H0 is accepted at or below the first, H1 at or above the second.

    They are -2.944 and 2.944: ALPHA is the chance of either error, at most.
    """
    high = log((1 - ALPHA) / ALPHA)
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
        n * (log(1 + tilt0 * (score - m0)) - log(1 + tilt1 * (score - m1)))
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
