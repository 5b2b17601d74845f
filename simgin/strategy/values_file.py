"""Files of parameter values: what `simgin tune` writes, and what `name@FILE.toml` reads.

    [knock]
    k = 7

A table for every slot, and in it the parameters of the policy in that slot.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from simgin.core.answers import SLOTS
from simgin.strategy.text_form import StrategyError
from simgin.text.messages import did_you_mean, quoted, shown

Values = Mapping[str, Mapping[str, str]]  # by slot and parameter, as texts


def read_values(path: Path) -> Values:
    """The values in a file; StrategyError, with a sentence, for a file of another form."""
    # Here, as what it is written with takes a while to load and few strategies have a file.
    from simgin.text.toml import TomlError, read_tables

    try:
        tables = read_tables(path, "name a file of parameter values")
    except TomlError as error:
        raise StrategyError(str(error)) from None
    values = {}
    for slot, table in tables.items():
        if slot not in SLOTS:
            near = did_you_mean(slot, SLOTS)
            listed = ", ".join(SLOTS)
            raise StrategyError(
                f"{path}: there is no slot {quoted(slot)}{near} The slots are {listed}."
            )
        if not isinstance(table, dict):
            raise StrategyError(
                f"{path}: {slot} is {shown(table)}; write a table of parameters below [{slot}]."
            )
        values[slot] = {name: str(value) for name, value in table.items()}
    return values


def values_text(values: Values) -> str:
    """The tables of a file of values."""
    tables = []
    for slot, of_slot in values.items():
        lines = [f"[{slot}]"]
        for name, value in of_slot.items():
            lines.append(f"{name} = {_written(value)}")
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


def _written(text: str) -> str:
    """A value in TOML: a number as it is, a word in quotes."""
    try:
        float(text)
    except ValueError:
        return json.dumps(text)
    return text
