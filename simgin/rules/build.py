"""The Rules record that the engine plays by, from the parameters of a variant."""

from functools import lru_cache
from typing import Any

import numpy as np

from simgin.core.rules import PARAMETERS, build
from simgin.rules.parameters import Params, Value, parameters
from simgin.rules.variants import Variant

DASH = -1  # the code of a value that has no effect


def build_rules(variant: Variant) -> np.record:
    """A new Rules record for a variant."""
    return _rules_of(variant).copy()


@lru_cache(maxsize=64)
def _rules_of(variant: Variant) -> np.record:
    return build_rules_from(variant.row)


def build_rules_from(params: Params) -> np.record:
    """A new Rules record for a value of every parameter, playable or not.

    The tests set single parameters.
    """
    a, b = _list(params["start_points"]) or (0, 0)
    games = tuple((points, count) for points, count in _list(params["game_table"]))
    codes = {name: _code(name, params[name]) for name in PARAMETERS}
    return build(codes, (int(a), int(b)), games)


def _code(name: str, value: Value) -> int:
    """The number of a value: of a word its place among the choices, of a dash -1."""
    parameter = parameters()[name]
    if value is None:
        return DASH
    if any(isinstance(choice, str) for choice in parameter.choices):
        return parameter.choices.index(value)
    assert isinstance(value, int)
    return int(value)


def _list(value: Value) -> list[Any]:
    """A list of numbers; empty for a dash."""
    return value if isinstance(value, list) else []
