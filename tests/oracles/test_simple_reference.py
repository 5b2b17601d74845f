"""Simple against Simple under the EAAI rules, and knock thresholds, against published figures.

They are of docs/reference/published-results.md#simple-against-simple. Seeds are chosen before
looking. A figure may be three combined standard errors off, by chance 1 of 370; so one alarm in ten
choices of the seed is expected. The chi-square tests fail by chance once in 10,000 (ALARM).
"""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from simgin.core import sums
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import runner
from simgin.strategy import loader

ALARM = 1e-4
LIMIT = 3  # combined standard errors
SEED = 20_210_118

# docs/reference/published-results.md#simple-against-simple: counts of the knocker's deadwood 0..10
# and of turns a deal 1, 2, 3 ...
KNOCKERS = "53194 119077 112267 101124 115120 129352 219389 322567 423596 458629 498203"
TURNS = (
    "20869 17951 51290 46762 95845 91791 143594 138164 183128 171192 199570 179651 189650 164095 "
    "159680 132626 121149 96586 83793 65001 52881 39793 31376 22874 17159 12027 8990 6203 5507 "
    "3920 2254 985 356 83 13 2 1"
)

# name: (numerator, denominator, reference, its standard error including the printed rounding)
FIGURES = {
    "gin": ("gin", "deals", 0.020851, 0.000025),
    "dead": ("void", "deals", 0.001669, 0.000007),
    "turns per deal": ("turns", "deals", 12.5255, 0.0009),
    "share of takes, one side": ("a_takes", "a_draws", 0.16419, 0.00007),
    "share of takes, other side": ("b_takes", "b_draws", 0.16419, 0.00007),
    "first player takes the upcard": ("upcard_first", "deals", 0.1697, 0.000072),
    "second player takes it": ("upcard_second", "deals", 0.1517, 0.0000695),
    "nobody takes it": ("upcard_none", "deals", 0.6786, 0.000087),
    "knocker's count": ("knock_count", "showdowns", 7.132, 0.0018),
    # with the engine's own lay-offs and melding
    # (docs/reference/published-results.md#the-eaai-challenge)
    "undercut": ("undercut", "deals", 0.0439, 0.00012),
    "points per scored deal": ("points_scored", "decided", 16.24, 0.0078),
}


def eaai(a, b, unit="match", seed=SEED):
    return Matchup(variants.find("eaai"), loader.find(a), loader.find(b), seed, unit)


def fact(total, name):
    return int(total[sums.SUM + sums.FACT[name]])


@pytest.fixture(scope="module")
def simple():
    """The sums over 100,000 matches, a million deals."""
    return runner.run_matchup(eaai("simple", "simple"), 100_000).sum(axis=0)


def share(total, above, below):
    """A ratio of two facts and its standard error, from sums over independent units."""
    top, bottom = sums.FACT[above], sums.FACT[below]
    assert sums.DENOMINATOR[top] == bottom
    ratio = total[sums.SUM + top] / total[sums.SUM + bottom]
    squares = (
        total[sums.SQUARE + top]
        - 2 * ratio * total[sums.CROSS + top]
        + ratio**2 * total[sums.SQUARE + bottom]
    )
    return ratio, math.sqrt(max(squares, 0)) / total[sums.SUM + bottom]


def near(found, error, reference, reference_error):
    assert abs(found - reference) <= LIMIT * math.hypot(error, reference_error)


@pytest.mark.parametrize("figure", FIGURES)
def test_simple_against_itself_agrees_with_the_published_figures(simple, figure):
    above, below, reference, reference_error = FIGURES[figure]
    near(*share(simple, above, below), reference, reference_error)
    assert fact(simple, "stalled") == 0


def test_the_number_of_deals_a_match_agrees_with_the_published_figure(simple):
    """With the engine's showdown a deal is worth slightly less."""
    assert fact(simple, "deals") / fact(simple, "matches") == pytest.approx(10.233, abs=0.05)


def same_distribution(counts, reference):
    """Compare two samples over the same bins, those with few counts pooled at the end."""
    counts, reference = np.array(counts, float), np.array(reference.split(), float)
    reference = np.pad(reference, (0, len(counts) - len(reference)))
    few = int(np.argmax(np.cumsum(reference[::-1]) >= 200))
    keep = len(reference) - few
    table = np.array(
        [[*sample[: keep - 1], sample[keep - 1 :].sum()] for sample in (counts, reference)]
    )
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    statistic = ((table - expected) ** 2 / expected).sum()
    assert chi2.sf(statistic, table.shape[1] - 1) > ALARM, statistic


def test_the_distribution_of_turns_agrees_with_the_published_counts(simple):
    same_distribution(simple[sums.TURNS_HISTOGRAM + 1 : sums.COUNT_HISTOGRAM], TURNS)


def test_the_distribution_of_the_knockers_count_agrees_with_the_published_counts(simple):
    """Gin is no showdown: its count of 0 is beside the histogram."""
    counts = simple[sums.COUNT_HISTOGRAM : sums.PAIR_HISTOGRAM]
    assert counts[0] == 0 and counts[11:].sum() == 0
    same_distribution([fact(simple, "gin"), *counts[1:11]], KNOCKERS)


# Knock thresholds with the engine's lay-offs: docs/reference/published-results.md#knock-thresholds


THRESHOLDS = {"at:k=0": 67.9, "at:k=4": 56.0, "at:k=2": 61.3, "never": 62.7}
THRESHOLD_ERROR = math.hypot(0.11, 0.03)  # percentage points; the second is the rounding


@pytest.mark.parametrize("matches", [20_000, pytest.param(400_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("knock", THRESHOLDS)
def test_knock_thresholds_agree_with_the_published_figures(knock, matches):
    total = runner.run_matchup(eaai(f"simple+knock={knock}", "simple"), matches).sum(axis=0)
    won, error = share(total, "a_match_win", "matches")
    near(50 * won, 50 * error, THRESHOLDS[knock], THRESHOLD_ERROR)  # a match won counts two
