"""Parameters of the rules (rules.md 11): their possible values, and when they have an effect.

The parameters and the goals of a match (rules.md 7) are defined in variants.toml, which is read on
first use. A value is a bool, an int, a word, a list of numbers, or None. None means that the
parameter has no effect, or is the value "none" if the parameter is optional.
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
Params = Mapping[str, Value]  # a value for every parameter
Conditions = Mapping[str, list[Any]]  # parameter -> the values that meet the condition

MAX_TABLE_ROWS = 8
MAX_GAMES = 100  # won games that one row of a game table can award

_TRUTH: dict[str, Value] = dict.fromkeys(("yes", "true", "on", "1"), True)
_TRUTH |= dict.fromkeys(("no", "false", "off", "0"), False)
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class Parameter:
    """Definition of one parameter of the rules."""

    name: str
    section: str  # deal, meld, score, match, stake
    kind: str  # bool, choice, int, pair, table
    default: Value  # value in `standard`
    meaning: str  # as in the rule book
    status: str = "core"  # core, option, descriptive
    choices: tuple[str | int, ...] = ()  # for kind choice; yes and no are bools
    low: int = 0  # for kinds int, pair and table
    high: int = 0
    optional: bool = False  # True if `none` is a value
    example: Value = None  # suggested value if there is no default
    plain: str = ""  # meaning for readers without the rule book
    words: Mapping[str, str] = field(default_factory=dict)  # a player's phrase for each value
    acts_with: Conditions = field(default_factory=dict)  # needed for an effect, all of them
    idle_with: Conditions = field(default_factory=dict)  # remove the effect if all hold
    matches_only: bool = False  # no effect on single deals

    @property
    def description(self) -> str:
        """Meaning of the parameter, for readers without the rule book."""
        return self.plain or self.meaning

    def read(self, text: str) -> Value:
        """Return the value that a string denotes.

        A string that is not a valid value is returned unchanged; `error_message` explains it.
        """
        word = text.strip()
        if word == DASH:
            return None
        if word == "none" and "none" not in self.choices:
            return None
        if self.kind == "choice":
            return self._choice(word)
        return _READERS[self.kind](word)

    def fault(self, value: object) -> str:
        """Return an error message for an impossible value; empty for a valid value or None."""
        if value is None or self._allows(value):
            return ""
        near = did_you_mean(value if isinstance(value, str) else "", self._spellings())
        return f"{self.name} must be {self.span()}, not {shown(value)}{near}"

    def span(self) -> str:
        """Return a description of the values that the parameter accepts."""
        limits = f"{self.low}..{self.high}"
        if self.kind == "bool":
            return "yes or no"
        if self.kind == "choice":
            return f"one of {', '.join(self._spellings())}"
        if self.kind == "int":
            or_none = " or none" if self.optional else ""
            return f"a whole number {limits}{or_none}"
        if self.kind == "pair":
            return f"two whole numbers {limits}, like 40/60"
        return (
            f"up to {MAX_TABLE_ROWS} rows points:games, with rising points {limits} "
            f"and games 1..{MAX_GAMES}, like 30:4/60:3/90:2/120:1"
        )

    def said(self, value: Value) -> str:
        """Return a player's phrase for a value, such as `undercut +25`; empty if there is none."""
        text = self.write(value)
        return self.words.get(text, self.words.get("*", "")).replace("{value}", text)

    def values(self) -> str:
        """Return the accepted values in short form, such as `yes, no` or `0..100, none`."""
        if self.kind == "bool":
            return "yes, no"
        if self.kind == "choice":
            return ", ".join(self._spellings())
        limits = f"{self.low}..{self.high}"
        if self.kind == "pair":
            return f"{limits}/{limits}"
        if self.kind == "table":
            return f"points:games/points:games/..., {limits}:1..{MAX_GAMES}"
        return f"{limits}, none" if self.optional else limits

    def write(self, value: Value) -> str:
        """Return the canonical string of a value, which `parse` converts back to the value."""
        if value is None and self.optional:
            return "none"
        return value_text(value)

    def acts(self, params: Params) -> bool:
        """Return True if the parameter has an effect under the given rules.

        Raises:
            KeyError: `params` lacks a value that decides it.
        """
        if self.status == "descriptive" or not _met(self.acts_with, params):
            return False
        return not self.idle_with or not _met(self.idle_with, params)

    def idle(self, params: Params) -> str:
        """Explain why the parameter has no effect, and what it needs to have one.

        Returns:
            Two sentences; empty if the parameter has an effect.
        """
        if self.acts(params):
            return ""
        if self.status == "descriptive":
            return f"{self.name} never has an effect. It only describes the game."
        unmet = {name for name, values in self.acts_with.items() if params[name] not in values}
        causes = [name for name in self.acts_with if name in unmet] or [*self.idle_with]
        because = _settings({name: [params[name]] for name in causes})
        needed = f"another value of {_or(causes)}"
        if unmet:
            needed = _settings({name: self.acts_with[name] for name in causes})
        return f"{self.name} has no effect with {because}. It needs {needed}."

    def dash(self, params: Params) -> str:
        """Return an error message if the parameter has an effect but no value, else empty."""
        if params[self.name] is not None or self.optional or not self.acts(params):
            return ""
        causes = [*self.acts_with]
        causes += [name for name, values in self.idle_with.items() if params[name] not in values]
        remedy = f"give it one, like {self.proposal()}."
        if not causes:
            return f"{self.name} always needs a value: {remedy}"
        because = _settings({name: [params[name]] for name in causes})
        return f"{self.name} needs a value with {because}: {remedy}"

    def proposal(self) -> str:
        """Return a setting to suggest: the default, or the example if there is no default."""
        value = self.example if self.default is None else self.default
        return f"{self.name}={value_text(value)}"

    def _spellings(self) -> list[str]:
        return [value_text(choice) for choice in self.choices]

    def _choice(self, word: str) -> Value:
        """Return the choice that a word denotes, or the word itself if it denotes none."""
        known: dict[str, Value] = dict(zip(self._spellings(), self.choices, strict=True))
        if any(isinstance(choice, bool) for choice in self.choices):
            return (_TRUTH | known).get(word.lower(), word)
        return known.get(word, word)

    def _allows(self, value: object) -> bool:
        if self.kind == "bool":
            return type(value) is bool
        if self.kind == "choice":
            return any(type(value) is type(one) and value == one for one in self.choices)
        if self.kind == "int":
            return self._is_number(value)
        if not isinstance(value, list | tuple):
            return False
        if self.kind == "pair":
            return len(value) == 2 and all(map(self._is_number, value))
        return self._is_table(value)

    def _is_number(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def _is_table(self, rows: list[Any] | tuple[Any, ...]) -> bool:
        if not 1 <= len(rows) <= MAX_TABLE_ROWS:
            return False
        if not all(isinstance(row, list | tuple) and len(row) == 2 for row in rows):
            return False
        points, games = zip(*rows, strict=True)
        if not all(map(self._is_number, points)):
            return False
        if not all(type(count) is int and 1 <= count <= MAX_GAMES for count in games):
            return False
        return all(low < high for low, high in pairwise(points))


@cache
def variants_file() -> dict[str, Any]:
    """Return the tables of variants.toml."""
    path = Path(__file__).with_name("variants.toml")
    with path.open("rb") as file:
        return tomllib.load(file)


@cache
def parameters() -> dict[str, Parameter]:
    """Return all parameters by name, in the order of rules.md 11."""
    found = {}
    for section, tables in variants_file()["parameters"].items():
        for name, table in tables.items():
            found[name] = _parameter(name, section, table)
    return found


def _parameter(name: str, section: str, table: dict[str, Any]) -> Parameter:
    choices = tuple(table.get("choices", ()))
    default = table["default"]
    if default == DASH or (default == "none" and "none" not in choices):
        default = None
    return Parameter(name, section, **{**table, "choices": choices, "default": default})


def _met(conditions: Conditions, params: Params) -> bool:
    return all(params[name] in values for name, values in conditions.items())


def _settings(conditions: Conditions) -> str:
    """Format conditions, as in `players = 2 and goal = points, columns or race`."""
    words = [f"{name} = {_or([*map(value_text, some)])}" for name, some in conditions.items()]
    return " and ".join(words)


def _or(words: list[str]) -> str:
    """Join words as alternatives, as in `points, columns or race`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def number(params: Params, name: str) -> int:
    """Return the value of an integer parameter."""
    value = params[name]
    assert isinstance(value, int), (
        f"{name} is {value!r} where a number has effect: the parameters were not validated"
    )
    return value


# Parsing of values. A string in another format is returned unchanged.


def _integer(word: str) -> Value:
    return int(word) if _INTEGER.fullmatch(word) else word


def _integers(text: str, separator: str) -> list[Value]:
    return [_integer(part.strip()) for part in text.split(separator)]


_READERS: dict[str, Callable[[str], Value]] = {
    "bool": lambda word: _TRUTH.get(word.lower(), word),
    "int": _integer,
    "pair": lambda word: _integers(word, "/") if "/" in word else word,
    "table": lambda word: [_integers(row, ":") for row in word.split("/")] if ":" in word else word,
}


# Goals


@dataclass(frozen=True)
class Side:
    """Goal of one side: the format of its score, and the target parameter of each count."""

    standing: str
    targets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Goal:
    """Goal of a match, for code that is not compiled; variants.toml documents the fields."""

    name: str
    won_by: str
    side: Side
    other: Side | None = None
    solo: bool = False
    one_deal: bool = False
    total: bool = False
    score: str = ""
    board: str = "race"
    unit: str = ""

    def side_at(self, params: Mapping[str, Any], seat: int) -> Side:
        """Return the goal of the side at a seat."""
        if self.other is None or seat == params["race_points_seat"]:
            return self.side
        return self.other

    @property
    def counts_deals(self) -> bool:
        """True if won deals decide the match, so that a deal can count more than once."""
        return any("deals" in side.targets for side in (self.side, self.other) if side)


@cache
def goals() -> dict[str, Goal]:
    """Return all match goals by name, the value of the parameter `goal`."""
    found = {}
    for name, table in variants_file()["goals"].items():
        sides = {key: Side(**table[key]) for key in ("side", "other") if key in table}
        found[name] = Goal(name, **{**table, **sides})
    return found


def goal_of(params: Mapping[str, Any]) -> Goal:
    """Return the match goal of a variant's parameters."""
    return goals()[params["goal"]]
