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
    """The share of deals that ended in some outcomes."""
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


def test_the_joker_in_the_hand_loses_ten_times_in_53():
    """Under `lose` the deal is lost at once with chance 10/53; else it goes as under `redeal`."""
    want = 43 / 53 * share("solitaire-gin", "gin")
    assert abs(share("solitaire-gin+joker_in_hand=lose", "gin", seed=2) - want) < 4 * error(
        want, DEALS, DEALS
    )
    game = parse_matchup(GREEDY, None, "solitaire-gin+joker_in_hand=lose", 3, "deal")
    totals = batches.total(runner.run_matchup(game, DEALS))
    at_once = int(totals[sums.TURNS_HISTOGRAM]) / DEALS  # a gin dealt is one in 115,733
    drawn_first = 43 / 53 / 43
    assert abs(at_once - 10 / 53 - drawn_first) < 4 * error(11 / 53, DEALS) + 1e-5


def test_redealing_equals_inserting_the_joker_after_the_deal():
    """Equal to the last sum: the joker is uniform over the rest either way."""
    games = [f"solitaire-gin-knock+joker={joker}" for joker in ("before_deal", "after_deal")]
    rows = [
        runner.run_matchup(parse_matchup(GREEDY, None, game, 1, "deal"), 5_000) for game in games
    ]
    assert np.array_equal(*rows) and rows[0].any()


def test_the_joker_is_uniform_over_its_places():
    """Chi-square of the cards above the joker over its 43 places: 5 % of one in a thousand."""
    own_rules = build_rules(variants.find("solitaire-gin"))
    places = np.array([joker_place(1, unit, 0, own_rules) for unit in range(43_000)])
    counts = np.bincount(places - 10, minlength=43)
    assert len(counts) == 43 and places.min() == 10
    assert ((counts - 1000) ** 2 / 1000).sum() < chi2.isf(5e-5, 42)


def sums_of(variant, strategy, unit, n):
    totals = batches.total(runner.run_matchup(parse_matchup(strategy, None, variant, 1, unit), n))
    return {name: int(totals[sums.SUM + i]) for name, i in sums.FACT.items()}


@pytest.mark.slow
def test_a_player_who_looks_one_draw_ahead_is_within_the_orientation_values():
    """Within the ranges of rules.md 15.3, or four standard errors of their ends."""
    deals = 20_000
    for aim in ("deadwood", "gin"):
        found = sums_of(
            "solitaire-gin", f"gold+discard=ahead:aim={aim}+knock=at:k=0", "deal", deals
        )
        spread = 4 * error(0.5, deals, 20_000)
        assert 0.50 - spread < found["gin"] / deals < 0.57 + spread
    matches = 4_000
    found = sums_of("solitary-gin", "gold+discard=ahead+knock=at:k=0", "match", matches)
    played = found["deals"]
    assert 0.25 - 4 * error(0.3, played) < found["gin"] / played < 0.37 + 4 * error(0.3, played)
    assert (
        2.5 - 4 * 17.5 / math.sqrt(played) < found["a_points"] / played < 8.7
    )  # standard deviation of a deal's score about 17.5
    assert 0.39 < found["goal_met"] / matches < 0.68 + 4 * error(0.68, matches, 4_000)
