"""Every goal of a match has a record, and it agrees with the parameters and the engine."""

import pytest

from simgin.core import rules as core_rules
from simgin.rules import variants
from simgin.rules.goals import GOALS
from simgin.rules.parameters import parameters


def test_every_goal_has_a_record_in_the_order_of_the_engines_codes():
    assert tuple(GOALS) == parameters()["goal"].choices
    codes = [getattr(core_rules, f"GOAL_{name.upper()}") for name in GOALS]
    assert codes == list(range(len(GOALS)))


@pytest.mark.parametrize("goal", GOALS.values(), ids=lambda goal: goal.name)
def test_a_goal_counts_what_its_parameters_say(goal):
    """A side plays for a target exactly if that parameter acts with the goal."""
    sides = [goal.side] if goal.other is None else [goal.side, goal.other]
    targets = {name for side in sides for name in side.targets.values()}
    for name in ("points_target", "deals_target"):
        assert (name in targets) == (goal.name in parameters()[name].acts_with["goal"])
    assert goal.counts_deals == (goal.name in parameters()["deal_count_gin"].acts_with["goal"])


@pytest.mark.parametrize("name", variants.names())
def test_what_wins_a_match_can_be_said_of_every_variant(name):
    variant = variants.find(name)
    assert "None" not in variant.goal.won_by.format(**variant.row)
