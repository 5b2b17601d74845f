"""From a row of words and numbers to the coded Rules record that the engine plays by."""

from functools import lru_cache

import numpy as np

from simgin.core import rules as record
from simgin.variants import Value, Variant, VariantError, parameters

# What the engine does not play yet: parameter -> the values that it does. Everything else of a valid row is played.
PLAYED: dict[str, tuple[Value, ...]] = {
    "players": (2,),
    "melding": ("auto",),
    "goal": ("points", "single"),
    "die": ("off",),
    "game_bonus": (0,),
    "box_bonus": (0,),
    "shutout": ("none",),
}


def not_played(row: dict[str, Value]) -> list[str]:
    """A sentence for every parameter of a row whose value this version does not play yet."""
    return [
        f"{name} = {row[name]} is not played by this version of simgin; it plays {name} = {' or '.join(map(str, played))}."
        for name, played in PLAYED.items()
        if row[name] not in played
    ]


def coded(name: str, value: Value) -> int:
    """A parameter's value as the number that the record holds: a word by its place among the choices, a dash as -1."""
    parameter = parameters()[name]
    if value is None:
        return -1
    if parameter.kind == "choice" and isinstance(parameter.choices[0], str):
        return parameter.choices.index(value)  # type: ignore[arg-type]
    return int(value)  # type: ignore[arg-type, call-overload]


@lru_cache(maxsize=64)
def _record(items: tuple[tuple[str, int], ...], start: tuple[int, int]) -> np.record:
    return record.build(dict(items), start)


def build(variant: Variant) -> np.record:
    """A Rules record of its own for a variant; VariantError if this version does not play it."""
    if sentences := not_played(variant.row):
        raise VariantError([f"{variant.text}: {sentence}" for sentence in sentences])
    return of_row(variant.row)


def of_row(row: dict[str, Value]) -> np.record:
    """A Rules record of its own for a complete row, whatever it asks for beyond two-player deals."""
    items = tuple((name, coded(name, row[name])) for name in record.PARAMETERS)
    start = row["start_points"] or (0, 0)
    kept = _record(items, (int(start[0]), int(start[1])))  # type: ignore[index, arg-type]
    own = np.zeros(1, record.RULES)
    own[0] = kept
    return own[0]
