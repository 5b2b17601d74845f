"""A greedy one-player strategy against figures of other programs and exact chances.

Reference: 200,000 deals of ten cards with stock draws only. Every test allows four standard errors
of both sides and the rounding of the figure: a false alarm in one of 15,000 tests.
"""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from simgin.core import sums
from simgin.core.solo import joker_place
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs import runner
from simgin.stats import batches

GREEDY = "gold+knock=at:k=0"
REFERENCE_DEALS = 200_000
DEALS = 60_000


def share(variant, *kinds, strategy=GREEDY, n=DEALS, seed=1):
    totals = batches.total(
        runner.run_matchup(parse_matchup(strategy, None, variant, seed, "deal"), n)
    )
    return sum(int(totals[sums.SUM + sums.FACT[kind]]) for kind in kinds) / n


def error(p, *sizes):
    return math.sqrt(sum(p * (1 - p) / n for n in sizes))


BY_TURN = {5: 0.0056, 8: 0.027, 10: 0.059, 12: 0.108, 15: 0.214, 18: 0.355, 20: 0.457}
BY_TURN |= {25: 0.701, 30: 0.875, 42: 0.995}


@pytest.mark.parametrize(("draws", "reference"), BY_TURN.items())
def test_the_chance_of_gin_by_turn_agrees_with_the_reference(draws, reference):
    game = f"solitary-gin+ace_runs=low+pip_values=face+ace_value=1+max_draws={draws}"
    rounding = 0.00005 if reference < 0.01 else 0.0005
    error_of_both = error(reference, DEALS, REFERENCE_DEALS)
    assert abs(share(game, "gin") - reference) < 4 * error_of_both + rounding


# With the joker uniform over 43 places a player who needs T turns gets there with chance
# (43 - mean of T cut at 43) / 43. The reference gives means cut at 42, and the chance to be there
# by turn 42.
@pytest.mark.parametrize(
    ("game", "strategy", "kinds", "mean", "by_42"),
    [
        ("solitaire-gin", GREEDY, ("gin",), 21.56, 0.995),
        ("solitaire-gin-knock", "gold", ("gin", "knock", "undercut", "even"), 11.43, 1.0),
    ],
)
def test_the_chance_to_be_ready_before_the_joker_agrees_with_the_reference(
    game, strategy, kinds, mean, by_42
):
    want = (42 - mean + by_42) / 43
    spread = 10 / 43 / math.sqrt(REFERENCE_DEALS)  # the mean turn's standard deviation is below 10
    found = share(game, *kinds, strategy=strategy)
    assert abs(found - want) < 4 * math.hypot(error(want, DEALS), spread) + 0.005 / 43


@pytest.mark.parametrize(("text", "first"), [("", 10), ("+joker_in_hand=lose", 0)])
def test_the_joker_is_uniform_over_its_places(text, first):
    """Chi-square over the 43 places after the hand, or all 53: 5 % of one in a thousand."""
    own_rules, n = build_rules(variants.find(f"solitaire-gin{text}")), 53 - first
    places = np.array([joker_place(1, unit, 0, own_rules) for unit in range(1000 * n)])
    counts = np.bincount(places - first, minlength=n)
    assert len(counts) == n and places.min() == first
    assert ((counts - 1000) ** 2 / 1000).sum() < chi2.isf(5e-5, n - 1)
