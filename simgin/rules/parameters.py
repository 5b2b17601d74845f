"""The parameters of a game (rules.md 11): what each may be, how it is written, and where it has an effect.

They are data in variants.toml, read at the first use. A value is a yes or no (bool), an int, a word, a list of numbers,
or None, the dash: without effect in its row (or the word none, where that is a value and not in the list of choices).
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from simgin.text.messages import DASH, did_you_mean, shown, value_text

Value = bool | int | str | list[Any] | None
Params = Mapping[str, Value]
Conditions = Mapping[str, list[Any]]  # parameter -> the values that meet the condition

MAX_TABLE_ROWS = 8
MAX_GAMES = 100  # most won games that one row of a game table may give

_YES = ("yes", "true", "on", "1")
_NO = ("no", "false", "off", "0")
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class Parameter:
    """One number or word that a game is made of."""

    name: str
    section: str  # deal, meld, score, match, stake
    kind: str  # bool, choice, int, pair, table
    default: Value  # its value in `standard`
    meaning: str
    status: str = "core"  # core, option, descriptive
    choices: tuple[str | int, ...] = ()  # kind choice
    low: int = 0  # kinds int, pair, table
    high: int = 0
    optional: bool = False  # none is a value, not a dash
    example: Value = None  # what to propose in place of a dash
    plain: str = ""  # the meaning for those who have not read the rule book, where it refers to one
    acts_with: Conditions = field(default_factory=dict)  # all needed for an effect; empty: always
    idle_with: Conditions = field(default_factory=dict)  # together they leave it without effect

    @property
    def words(self) -> str:
        """What the parameter means, for people."""
        return self.plain or self.meaning

    def read(self, text: str) -> Value:
        """The value that a text means; a text that means none is handed back as it is, for `fault` to find."""
        word = text.strip()
        if word == DASH or (word == "none" and "none" not in self.choices):
            return None
        if self.kind == "choice":
            return next((choice for choice in self.choices if str(choice) == word), word)
        return _READERS[self.kind](word)

    def fault(self, value: object) -> str:
        """A sentence that says what a value should be, or nothing. A dash is none of its business (see `dash`)."""
        if value is None or self._sound(value):
            return ""
        near = did_you_mean(value if isinstance(value, str) else "", map(str, self.choices))
        return f"{self.name} must be {self.span()}, not {shown(value)}{near}"

    def span(self) -> str:
        """What the parameter may be, in words."""
        none = " or none" if self.optional else ""
        limits = f"{self.low}..{self.high}"
        return {
            "bool": "yes or no",
            "choice": "one of " + ", ".join(map(str, self.choices)),
            "int": f"a whole number {limits}{none}",
            "pair": f"two whole numbers {limits}, like 40/60",
            "table": f"at most {MAX_TABLE_ROWS} rows up-to:games, the first rising within {limits}, "
            f"the second 1..{MAX_GAMES}, like 30:4/60:3/90:2/120:1",
        }[self.kind]

    def write(self, value: Value) -> str:
        """The canonical text of one of its values: `read` gives it back."""
        return "none" if value is None and self.optional else value_text(value)

    def acts(self, row: Params) -> bool:
        """Whether the parameter has an effect in a row (which must have a value for what this hangs on)."""
        return _met(self.acts_with, row) and not (self.idle_with and _met(self.idle_with, row))

    def dash(self, row: Params) -> str:
        """A sentence if the row has a dash where the parameter has an effect, else nothing."""
        if row[self.name] is not None or self.optional or not self.acts(row):
            return ""
        causes = list(self.acts_with)
        causes += [name for name, values in self.idle_with.items() if row[name] not in values]
        if not causes:
            return f"{self.name} always needs a value: give it one, like {self.proposal()}."
        because = " and ".join(f"{name} = {value_text(row[name])}" for name in causes)
        verb = "makes" if len(causes) == 1 else "make"
        return f"{self.name} is a dash here, but {because} {verb} it count: give it a value, like {self.proposal()}."

    def proposal(self) -> str:
        """A setting that a message may propose: the default, or the example where the default is a dash."""
        return f"{self.name}={value_text(self.example if self.default is None else self.default)}"

    def _sound(self, value: object) -> bool:
        if self.kind == "bool":
            return type(value) is bool
        if self.kind == "choice":
            return any(type(value) is type(choice) and value == choice for choice in self.choices)
        if self.kind == "int":
            return self._number(value)
        if self.kind == "pair":
            return (
                isinstance(value, list | tuple)
                and len(value) == 2
                and all(map(self._number, value))
            )
        return self._table(value)

    def _number(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def _table(self, value: object) -> bool:
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_TABLE_ROWS:
            return False
        if not all(
            isinstance(row, list | tuple) and len(row) == 2 and self._number(row[0])
            for row in value
        ):
            return False
        rising = all(row[0] < after[0] for row, after in pairwise(value))
        return rising and all(type(row[1]) is int and 1 <= row[1] <= MAX_GAMES for row in value)


@cache
def variants_file() -> dict[str, Any]:
    """The tables of variants.toml as they stand in the file."""
    with Path(__file__).with_name("variants.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def parameters() -> dict[str, Parameter]:
    """Every parameter by name, in the order of rules.md 11."""
    return {
        name: _parameter(name, section, table)
        for section, tables in variants_file()["parameters"].items()
        for name, table in tables.items()
    }


def _parameter(name: str, section: str, table: dict[str, Any]) -> Parameter:
    choices = tuple(table.get("choices", ()))
    default = table["default"]
    if default == DASH or (default == "none" and "none" not in choices):
        default = None
    return Parameter(name, section, **{**table, "choices": choices, "default": default})


def _met(conditions: Conditions, row: Params) -> bool:
    return all(row[name] in values for name, values in conditions.items())


def _truth(word: str) -> Value:
    return True if word.lower() in _YES else False if word.lower() in _NO else word


def _integer(word: str) -> Value:
    return int(word) if _INTEGER.fullmatch(word) else word


def _pair(word: str) -> Value:
    return [_integer(part.strip()) for part in word.split("/")] if "/" in word else word


def _table(word: str) -> Value:
    return (
        [[_integer(part.strip()) for part in row.split(":")] for row in word.split("/")]
        if ":" in word
        else word
    )


_READERS: dict[str, Callable[[str], Value]] = {
    "bool": _truth,
    "int": _integer,
    "pair": _pair,
    "table": _table,
}
