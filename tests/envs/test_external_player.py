"""Tests that invalid actions of external policies are reported."""

import numpy as np
import pytest

from simgin.core.codes import PHASE_TURN
from simgin.core.state import SLOT_TAKE
from simgin.core.view import create_view
from simgin.envs import encoding
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import python_tier


class FailingRepr:
    def __repr__(self):
        raise SystemExit


@pytest.mark.parametrize(
    ("returned_value", "expected"),
    [
        (99, "99, but the legal actions are 52, 53."),
        (-1, "-1, but the legal actions are 52, 53."),
        (10**30, "1000000000000000000000000000000, but the legal actions are 52, 53."),
        pytest.param(10**5000, "a int, but the legal actions are 52, 53.", id="huge"),
        (True, "1, but the legal actions are 52, 53."),
        (2.5, "2.5, a float, but an action must be an integer."),
        (52.0, "52.0, a float, but an action must be an integer."),
        (float("nan"), "nan, a float, but an action must be an integer."),
        (None, "nothing, but an action must be an integer."),
        ("52", "'52', a str, but an action must be an integer."),
        ([52], "[52], a list, but an action must be an integer."),
        (np.zeros(2), "array([0., 0.]), a ndarray, but an action must be an integer."),
        (FailingRepr(), "a FailingRepr, but an action must be an integer."),
    ],
)
def test_invalid_action_of_an_external_policy_is_reported(returned_value, expected):
    view, rules = create_view(), build_rules(variants.find_variant("standard"))
    view.legal, view.phase = (1 << 0) | (1 << 1), PHASE_TURN
    with pytest.raises(python_tier.InvalidActionError) as error:
        encoding.choose_external_action(lambda observation: returned_value, SLOT_TAKE, view, rules)
    assert str(error.value) == f"returned {expected}"
    for action in (52, np.int64(52), np.array(52)):
        assert (
            encoding.choose_external_action(lambda observation, a=action: a, SLOT_TAKE, view, rules)
            == 1
        )
