"""Which games the engine plays: what of a row of parameters is still missing. Imports nothing heavy."""

from collections.abc import Mapping

from simgin.parameters import Value, parameters

# What the engine does not play yet: parameter -> the values that it does. Everything else of a valid row is played.
PLAYED: dict[str, tuple[Value, ...]] = {
    "players": (2,),
    "goal": ("points", "single"),
    "die": ("off",),
    "game_bonus": (0,),
    "box_bonus": (0,),
    "shutout": ("none",),
}


def missing(row: Mapping[str, Value]) -> list[str]:
    """The settings of a complete row, like `goal = deals`, that this version does not play; those without effect do not count."""
    asked = {name: parameters()[name] for name, values in PLAYED.items() if row[name] not in values}
    return [f"{name} = {parameter.write(row[name])}" for name, parameter in asked.items() if parameter.acts(row)]


def not_played(name: str, row: Mapping[str, Value]) -> str:
    """The sentence that says why this version does not play the game called `name`; nothing if it does."""
    settings = missing(row)
    if not settings:
        return ""
    listed = " and ".join([", ".join(settings[:-1]), settings[-1]] if settings[1:] else settings)
    return f"{name} is not played by this version of simgin yet: {listed} {'are' if settings[1:] else 'is'} missing."
