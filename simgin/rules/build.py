"""Conversion of a variant's parameters to the Rules record that the engine reads."""

from functools import lru_cache
from typing import Any

import numpy as np

from simgin.core.rules import PARAMETERS, build
from simgin.rules.parameters import Params, Value, parameters
from simgin.rules.variants import Variant

DASH = -1  # code of a parameter without effect


def build_rules(variant: Variant) -> np.record:
    """Return a new Rules record for a variant."""
    return _rules_of(variant).copy()


@lru_cache(maxsize=64)
def _rules_of(variant: Variant) -> np.record:
    return build_rules_from(variant.row)


def build_rules_from(params: Params) -> np.record:
    """Return a new Rules record for the value of every parameter.

    The parameters are not validated, so that tests can set single parameters.
    """
    a, b = _list(params["start_points"]) or (0, 0)
    games = tuple((points, count) for points, count in _list(params["game_table"]))
    codes = {name: _code(name, params[name]) for name in PARAMETERS}
    return build(codes, (int(a), int(b)), games)


def _code(name: str, value: Value) -> int:
    """Return the integer that the engine uses for a parameter value.

    A word is encoded as its index among the choices, None as NO_EFFECT_CODE.
    """
    parameter = parameters()[name]
    if value is None:
        return DASH
    if any(isinstance(choice, str) for choice in parameter.choices):
        return parameter.choices.index(value)
    assert isinstance(value, int)
    return int(value)


def _list(value: Value) -> list[Any]:
    """Return a list value, or an empty list for None."""
    return value if isinstance(value, list) else []
