"""From a row of words and numbers to the coded Rules record that the engine plays by."""

from functools import lru_cache

import numpy as np

from simgin.core import rules as record
from simgin.rules.parameters import Value, parameters
from simgin.rules.variants import Variant


def code_value(name: str, value: Value) -> int:
    """A parameter's value as the number that the record holds: a word by its place among the choices, a dash as -1."""
    parameter = parameters()[name]
    if value is None:
        return -1
    if parameter.kind == "choice" and isinstance(parameter.choices[0], str):
        return parameter.choices.index(value)
    return int(value)  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def _record(
    items: tuple[tuple[str, int], ...], start: tuple[int, int], table: tuple[tuple[int, int], ...]
) -> np.record:
    return record.build(dict(items), start, table)


def build_rules(variant: Variant) -> np.record:
    """A Rules record of its own for a variant."""
    return build_rules_from(variant.row)


def build_rules_from(row: dict[str, Value]) -> np.record:
    """A Rules record of its own for a complete row, which need not make a game: worked examples set single parameters."""
    items = tuple((name, code_value(name, row[name])) for name in record.PARAMETERS)
    start = row["start_points"] or (0, 0)
    games = tuple(map(tuple, row["game_table"] or ()))  # type: ignore[arg-type]
    kept = _record(items, (int(start[0]), int(start[1])), games)  # type: ignore[index]
    own = np.zeros(1, record.RULES)
    own[0] = kept
    first: np.record = own[0]
    return first
