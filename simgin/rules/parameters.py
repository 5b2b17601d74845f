"""Rule parameters (rules.md 11), their valid values, and conditions for them to have an effect.

The parameters and the goals of a match (rules.md 7) are defined in variants.toml, which is read on
first use. A value is a bool, an int, a str, a list of numbers, or None. None means that the
parameter has no effect, or represents the value "none" of an optional parameter.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from simgin.text import messages
from simgin.text.messages import format_setting

ParamValue = bool | int | str | list[Any] | None
Params = Mapping[str, ParamValue]  # a value for every parameter
EffectConditions = Mapping[str, list[Any]]  # accepted values of each parameter

MAX_GAME_TABLE_ROWS = 8
MAX_GAMES_PER_ROW = 100  # maximum number of games that one row of a game table awards

_BOOL_WORDS: dict[str, ParamValue] = dict.fromkeys(("yes", "true", "on", "1"), True)
_BOOL_WORDS |= dict.fromkeys(("no", "false", "off", "0"), False)
_INTEGER_PATTERN = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class Parameter:
    """Definition of one rule parameter: type, range and default."""

    name: str
    section: str  # one of deal, meld, score, match and stake
    value_type: str  # one of bool, choice, int, pair and table
    default: ParamValue  # value in `standard`
    meaning: str  # description of the parameter in the rule book
    status: str = "core"  # one of core, option and descriptive
    choices: tuple[str | int, ...] = ()  # valid words if value_type is choice; yes and no are bools
    min_value: int = 0  # minimum value if value_type is int, pair or table
    max_value: int = 0
    unit: str = ""  # unit of the numbers
    is_optional: bool = False  # True if `none` is a valid value
    example: ParamValue = None  # suggested value if there is no default
    phrases: Mapping[str, str] = field(default_factory=dict)  # phrase that players use, by value
    # Conditions that must all hold for the parameter to have an effect
    effective_if: EffectConditions = field(default_factory=dict)
    # Conditions that make the parameter ineffective if all of them hold
    ineffective_if: EffectConditions = field(default_factory=dict)
    is_match_only: bool = False  # True if the parameter has no effect on single deals

    def parse(self, text: str) -> ParamValue:
        """Convert a string to a value of the parameter.

        An invalid string is returned unchanged, so that `make_error_message` can explain the error.
        """
        word = text.strip()
        if word == messages.NO_VALUE:
            return None
        if word == "none" and "none" not in self.choices:
            return None
        if self.value_type == "choice":
            return self._parse_choice(word)
        return _PARSERS[self.value_type](word)

    def make_error_message(self, value: object) -> str:
        """Return an error message for an invalid value of the parameter.

        The message is empty for a valid value and for None.
        """
        if value is None or self._is_valid(value):
            return ""
        suggestion = messages.suggest_spelling(
            value if isinstance(value, str) else "", self._list_choice_names()
        )
        shown_value = messages.format_value(value)
        return f"{self.name} must be {self.describe_range()}, not {shown_value}{suggestion}"

    def describe_range(self) -> str:
        """Describe the values that the parameter accepts, as in `a whole number from 0 to 100`."""
        range_text = f"{self.min_value} to {self.max_value}"
        if self.value_type == "bool":
            return "yes or no"
        if self.value_type == "choice":
            return f"one of {', '.join(self._list_choice_names())}"
        if self.value_type == "int":
            none_suffix = " or none" if self.is_optional else ""
            return f"a whole number from {range_text}{none_suffix}"
        if self.value_type == "pair":
            return f"two whole numbers from {range_text}, such as 40/60"
        return (
            f"up to {MAX_GAME_TABLE_ROWS} rows points:games, with increasing points from "
            f"{range_text} and 1 to {MAX_GAMES_PER_ROW} games, such as 30:4/60:3/90:2/120:1"
        )

    def format_for_players(self, value: ParamValue) -> str:
        """Return the phrase that describes a value in reports, such as `undercut +25`.

        If the value has no phrase, the result is empty.
        """
        text = self.to_text(value)
        return self.phrases.get(text, self.phrases.get("*", "")).replace("{value}", text)

    def list_allowed_values(self) -> str:
        """Return a short list of the accepted values, such as `yes, no` or `0..100, none`."""
        if self.value_type == "bool":
            return "yes, no"
        if self.value_type == "choice":
            return ", ".join(self._list_choice_names())
        range_text = f"{self.min_value}..{self.max_value}"
        if self.value_type == "pair":
            return f"{range_text}/{range_text}"
        if self.value_type == "table":
            return f"points:games/points:games/..., {range_text}:1..{MAX_GAMES_PER_ROW}"
        return f"{range_text}, none" if self.is_optional else range_text

    def to_text(self, value: ParamValue) -> str:
        """Format a value of the parameter as a canonical string.

        `parse` converts the string back to the value.
        """
        if value is None and self.is_optional:
            return "none"
        return format_setting(value)

    def has_effect(self, params: Params) -> bool:
        """Return True if the parameter has an effect under the given rules.

        Raises:
            KeyError: If a value that the conditions need is missing from `params`.
        """
        if self.status == "descriptive" or not are_conditions_met(self.effective_if, params):
            return False
        return not self.ineffective_if or not are_conditions_met(self.ineffective_if, params)

    def explain_no_effect(self, params: Params) -> str:
        """Explain why the parameter has no effect, and which settings would make it effective.

        Returns:
            Two sentences, or an empty string if the parameter has an effect.
        """
        if self.has_effect(params):
            return ""
        if self.status == "descriptive":
            return f"{self.name} never has an effect. It only describes the game."
        unmet = {name for name, values in self.effective_if.items() if params[name] not in values}
        names = [name for name in self.effective_if if name in unmet] or [*self.ineffective_if]
        condition_text = _format_conditions({name: [params[name]] for name in names})
        requirement = f"another value of {messages.join_words(names, 'or')}"
        if unmet:
            requirement = _format_conditions({name: self.effective_if[name] for name in names})
        return f"{self.name} has no effect with {condition_text}. It requires {requirement}."

    def make_missing_value_error(self, params: Params) -> str:
        """Return an error message if the parameter has an effect but no value.

        If the parameter has a value or no effect, the message is empty.
        """
        if params[self.name] is not None or self.is_optional or not self.has_effect(params):
            return ""
        names = [*self.effective_if]
        names += [
            name for name, values in self.ineffective_if.items() if params[name] not in values
        ]
        fix = f"Set it, for example to {self.suggest_setting()}."
        if not names:
            return f"{self.name} always needs a value. {fix}"
        condition_text = _format_conditions({name: [params[name]] for name in names})
        return f"{self.name} needs a value with {condition_text}. {fix}"

    def suggest_setting(self) -> str:
        """Return an example setting of the parameter for an error message.

        The example is the default value if there is one.
        """
        value = self.example if self.default is None else self.default
        return f"{self.name}={format_setting(value)}"

    def _list_choice_names(self) -> list[str]:
        return [format_setting(choice) for choice in self.choices]

    def _parse_choice(self, word: str) -> ParamValue:
        """Return the choice that a word denotes, or the word itself if it is not a choice."""
        choice_by_name: dict[str, ParamValue] = dict(
            zip(self._list_choice_names(), self.choices, strict=True)
        )
        if any(isinstance(choice, bool) for choice in self.choices):
            return (_BOOL_WORDS | choice_by_name).get(word.lower(), word)
        return choice_by_name.get(word, word)

    def _is_valid(self, value: object) -> bool:
        """Return True if a value has the type of the parameter and is within its range."""
        if self.value_type == "bool":
            return type(value) is bool
        if self.value_type == "choice":
            return any(type(value) is type(choice) and value == choice for choice in self.choices)
        if self.value_type == "int":
            return self._is_in_range(value)
        if not isinstance(value, list | tuple):
            return False
        if self.value_type == "pair":
            return len(value) == 2 and all(map(self._is_in_range, value))
        return self._is_valid_table(value)

    def _is_in_range(self, value: object) -> bool:
        return type(value) is int and self.min_value <= value <= self.max_value

    def _is_valid_table(self, rows: list[Any] | tuple[Any, ...]) -> bool:
        """Return True if the rows contain ascending points and valid numbers of games."""
        if not 1 <= len(rows) <= MAX_GAME_TABLE_ROWS:
            return False
        if not all(isinstance(row, list | tuple) and len(row) == 2 for row in rows):
            return False
        points, games = zip(*rows, strict=True)
        if not all(map(self._is_in_range, points)):
            return False
        if not all(type(count) is int and 1 <= count <= MAX_GAMES_PER_ROW for count in games):
            return False
        return all(previous < following for previous, following in pairwise(points))


@cache
def load_variants_file() -> dict[str, Any]:
    """Return the tables in variants.toml."""
    path = Path(__file__).with_name("variants.toml")
    with path.open("rb") as file:
        return tomllib.load(file)


@cache
def load_rule_parameters() -> dict[str, Parameter]:
    """Return all parameters by name, in the order of section 11 of rules.md."""
    parameters_by_name = {}
    for section, tables in load_variants_file()["parameters"].items():
        for name, table in tables.items():
            parameters_by_name[name] = _make_parameter(name, section, table)
    return parameters_by_name


def _make_parameter(name: str, section: str, table: dict[str, Any]) -> Parameter:
    """Return the parameter that a table of variants.toml describes."""
    choices = tuple(table.get("choices", ()))
    default = table["default"]
    if default == messages.NO_VALUE or (default == "none" and "none" not in choices):
        default = None
    return Parameter(name, section, **{**table, "choices": choices, "default": default})


def are_conditions_met(conditions: EffectConditions, params: Params) -> bool:
    """Return True if each parameter in the conditions has one of its accepted values."""
    return all(params[name] in values for name, values in conditions.items())


def _format_conditions(conditions: EffectConditions) -> str:
    """Format conditions, as in `players = 2 and goal = points, columns or race`."""
    condition_texts = [
        f"{name} = {messages.join_words([*map(format_setting, values)], 'or')}"
        for name, values in conditions.items()
    ]
    return " and ".join(condition_texts)


def get_int_param(params: Params, name: str) -> int:
    """Return the value of a parameter, checking that it is an integer."""
    value = params[name]
    assert isinstance(value, int), (
        f"{name} must be an integer, not {value!r}. Validate the parameters first."
    )
    return value


# Parsers of parameter values; a string in an invalid format is returned unchanged


def _parse_integer(text: str) -> ParamValue:
    return int(text) if _INTEGER_PATTERN.fullmatch(text) else text


def _parse_integers(text: str, separator: str) -> list[ParamValue]:
    return [_parse_integer(part.strip()) for part in text.split(separator)]


_PARSERS: dict[str, Callable[[str], ParamValue]] = {
    "bool": lambda word: _BOOL_WORDS.get(word.lower(), word),
    "int": _parse_integer,
    "pair": lambda word: _parse_integers(word, "/") if "/" in word else word,
    "table": lambda word: (
        [_parse_integers(row, ":") for row in word.split("/")] if ":" in word else word
    ),
}


# Goals


@dataclass(frozen=True)
class SideGoal:
    """Goal of one side in a match.

    Attributes:
        score_format: Format of the score.
        targets: Parameters that set the targets, by what the side counts (such as `deals`).
    """

    score_format: str
    targets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class MatchGoal:
    """Goal of a match, such as a number of points or won deals, as defined in variants.toml.

    variants.toml documents the fields. Compiled code does not use this class.
    """

    name: str
    win_condition: str
    side_goal: SideGoal
    other_side_goal: SideGoal | None = None
    is_solo: bool = False
    is_one_deal: bool = False
    low_total_wins: bool = False
    score_unit: str = ""
    board_type: str = "race"
    payment_unit: str = ""

    def get_side_goal(self, params: Mapping[str, Any], seat: int) -> SideGoal:
        """Return the goal of the side at a seat."""
        if self.other_side_goal is None or seat == params["race_points_seat"]:
            return self.side_goal
        return self.other_side_goal

    @property
    def counts_deals(self) -> bool:
        """True if the number of deals won decides the match.

        A deal can count as several won deals.
        """
        return any(
            "deals" in side.targets for side in (self.side_goal, self.other_side_goal) if side
        )


@cache
def load_match_goals() -> dict[str, MatchGoal]:
    """Return all match goals by name.

    The names are the values of the parameter `goal`.
    """
    goals_by_name = {}
    for name, table in load_variants_file()["goals"].items():
        sides = {
            key: SideGoal(**table[key]) for key in ("side_goal", "other_side_goal") if key in table
        }
        goals_by_name[name] = MatchGoal(name, **{**table, **sides})
    return goals_by_name


def find_match_goal(params: Mapping[str, Any]) -> MatchGoal:
    """Return the match goal that the parameters of a variant specify."""
    return load_match_goals()[params["goal"]]
