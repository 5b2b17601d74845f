"""Conversion of the parameters of a variant to the Rules record that the engine reads."""

from functools import lru_cache
from typing import Any

import numpy as np

from simgin.core.rules_record import RULE_PARAMETERS, build_rules_record
from simgin.rules.parameters import Params, ParamValue, load_rule_parameters
from simgin.rules.variants import Variant

NO_EFFECT_CODE = -1  # code of a parameter that has no effect


def build_rules(variant: Variant) -> np.record:
    """Return a new Rules record for a variant."""
    return _build_cached_rules(variant).copy()


@lru_cache(maxsize=64)
def _build_cached_rules(variant: Variant) -> np.record:
    return build_rules_from_params(variant.params)


def build_rules_from_params(params: Params) -> np.record:
    """Return a new Rules record for a complete set of parameter values.

    The function does not validate the parameters, so that tests can change a single parameter.
    """
    points_a, points_b = _as_list(params["start_points"]) or (0, 0)
    game_table = tuple((points, n_games) for points, n_games in _as_list(params["game_table"]))
    parameter_codes = {name: _encode_value(name, params[name]) for name in RULE_PARAMETERS}
    return build_rules_record(parameter_codes, (int(points_a), int(points_b)), game_table)


def _encode_value(parameter_name: str, value: ParamValue) -> int:
    """Return the integer that the engine uses for a parameter value.

    A word is encoded as its index in the list of choices, and None as NO_EFFECT_CODE.
    """
    parameter = load_rule_parameters()[parameter_name]
    if value is None:
        return NO_EFFECT_CODE
    if any(isinstance(choice, str) for choice in parameter.choices):
        return parameter.choices.index(value)
    assert isinstance(value, int)
    return int(value)


def _as_list(value: ParamValue) -> list[Any]:
    """Return a list value, or an empty list if the value is None."""
    return value if isinstance(value, list) else []
