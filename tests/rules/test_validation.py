"""Tests that invalid variants are rejected (rules.md 10.17)."""

import pytest

from simgin.rules.variants import find_variant, validate_params
from support.worked_examples import STANDARD_PARAMS


def test_parameters_of_wrong_types_are_rejected():
    row = {
        **STANDARD_PARAMS,
        "knock_limit": True,
        "layoff": 1,
        "goal": 3,
        "start_points": [0],
        "wings": 2,
    }
    del row["die"]
    assert validate_params(row) == [
        "'wings' is not a rule parameter. See `simgin variants standard` for all of them.",
        "knock_limit must be a whole number from 0 to 99, not True.",
        "layoff must be yes or no, not 1.",
        "goal must be one of single, points, columns, games, race, twofold, deals, total, not 3.",
        "start_points must be two whole numbers from 0 to 100000, such as 40/60, not '0'.",
        "die is missing. Set it, for example to off as in standard.",
    ]


SOLO_VARIANT = "solitaire-gin-knock"
ALLOWED_VARIANTS = [
    *("shot+tedesco", "dice+rainbow", "shot+race", "shot+dice", "pro+game_table=30:4/120:1"),
    *("solitary-gin+max_draws=42", "solitary-gin+first_turn=discard_first+max_draws=41"),
    *("race+start_points=0/121", "twofold+start_points=121/0", "hollywood+start_points=100/100"),
    *("twofold+deals_target=2", "dice+deals_target=3+die_cap=2", "solitaire-gin+big_gin=yes"),
    "solitaire-gin-scored+knock_limit=10+undercut_bonus=25+undercut_on_tie=no",
    "standard+first_turn=free+take_discard=no",
]


@pytest.mark.parametrize("spec", ALLOWED_VARIANTS)
def test_valid_combination_is_accepted(spec):
    assert find_variant(spec).spec == spec
