"""Contents of worked examples and their errors.

Keys of the input that are parameters (rules.md 11) set the rules, as do `options` and `overrides`;
the others are those of `standard`. Cards are numbers 0..51 as in simgin.text.notation.
"""

from dataclasses import dataclass
from typing import Any

from simgin.rules import variants
from simgin.rules.parameters import rule_parameters
from simgin.rules.variants import Variant
from simgin.text import notation
from simgin.text.messages import did_you_mean, format_value

NO_RULES = ("hand", "options", "overrides")  # input keys that are never parameters


class ExampleError(ValueError):
    """Raised for an example that cannot be read; the message begins with its id."""


class NotSupported(Exception):
    """Raised for a legal example that cannot be set up; the message states why."""


class Impossible(Exception):
    """Raised for an illegal action in an example; the message states the action."""


@dataclass(frozen=True)
class Example:
    """One worked example of a file. Methods raise ExampleError for invalid input."""

    id: str
    kind: str
    variant: str
    given: dict[str, Any]
    expect: dict[str, Any]

    def error(self, sentence):
        return ExampleError(f"{self.id}: {sentence}")

    def whole(self, key, low=0, high=10**6):
        """Return the required integer of an input key, which is from `low` to `high`."""
        return self.number(f"input.{key}", self.given[key], low, high)

    def number(self, key, value, low=0, high=10**6):
        if type(value) is not int or not low <= value <= high:
            raise self.error(
                f"{key} must be a whole number {low}..{high}, not {format_value(value)}."
            )
        return value

    def word(self, key, *words):
        value = self.given[key]
        if value not in words:
            *others, last = map(str, words)
            listed = f"{', '.join(others)} or {last}"
            raise self.error(f"input.{key} must be {listed}, not {format_value(value)}.")
        return value

    def hand(self, key, *sizes):
        found = notation.parse_cards(self.given[key])
        if sizes and len(found) not in sizes:
            wanted = " or ".join(map(str, sizes))
            raise self.error(f"input.{key} must have {wanted} cards, not {len(found)}.")
        return found

    def card(self, key):
        """Return an optional card of the input, or -1 if it is absent or null."""
        return -1 if self.given.get(key) is None else self.hand(key, 1)[0]

    def option(self, key, default=None):
        """Return an option that is not a rule parameter, like stock_left."""
        value = self.given.get("options", {}).get(key, self.given.get(key, default))
        return self.number(f"input.options.{key}", value, 0, 52)

    # The rules

    def base(self):
        """Return the variant spec of a kind whose rules are those of a variant."""
        return variants.find_variant(self.variant).spec

    def of_one_player(self, variant, what):
        if not variant.is_solo:
            needs = f"{what} needs a variant for one player"
            raise self.error(f"{needs}, and {self.variant} is for two.")

    def settings(self, own, base="standard"):
        """Return the parameters set; reject keys that are neither parameters nor in `own`."""
        unruly = (*own, *NO_RULES)
        given = {key: value for key, value in self.given.items() if key not in unruly}
        for key in ("options", "overrides"):
            more = self.given.get(key, {}).items()
            given |= {name: value for name, value in more if name not in own}
        for name, value in given.items():
            if name not in rule_parameters():
                near = did_you_mean(name, [*rule_parameters(), *own])
                unknown = f"{format_value(name)}, which is neither a parameter nor a key of kind"
                raise self.error(f"input has {unknown} {self.kind}{near}")
            row = {**variants.find_variant(base).params, name: value}
            if fault := rule_parameters()[name].error_message(value) or rule_parameters()[
                name
            ].missing_value_error(row):
                raise self.error(f"input: {fault}")
        return given

    def row(self, *own, base="standard"):
        """Return the rules: those of `base` with the settings."""
        return {**variants.find_variant(base).params, **self.settings(own, base)}

    def rules(self, *own, base="standard", **fixed):
        """Return a valid variant: `base`, the settings, and the parameters fixed by the kind."""
        given = self.settings(own, base)
        for name, value in fixed.items():
            if given.get(name, value) != value:
                raise self.error(
                    f"input.{name} cannot be set: kind {self.kind} has {format_value(value)} there."
                )
        row = {**variants.find_variant(base).params, **given, **fixed}
        if sentences := variants.validate(row):
            raise self.error(f"input: {' '.join(sentences)}")
        return Variant(f"{base}, as {self.id} has it", row, "", "")


# Readers of expectations, which return comparable values


def plain(value):
    """Return a value and whether it is a bool, because Python treats yes and no as 1 and 0."""
    if isinstance(value, dict | list):
        raise TypeError(f"{value!r} is not a single value")
    return type(value) is bool, value


def as_text(value):
    """Return a number or word as a string with single blanks; null stays null."""
    return value if value is None else " ".join(str(value).split())


def melds(value):
    return [notation.parse_cards(meld) for meld in value]


def as_melds(value):
    return sorted(map(sorted, melds(value)))


def as_families(value):
    return sorted(map(as_melds, value))


def as_list(value):
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return sorted(map(repr, value))


def as_rows(value):
    """Return a list whose order matters: a number, null or two numbers for each column."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return repr(value)


def as_scores(value):
    """Return two scores, by seat or by name."""
    return as_mapping(value) if isinstance(value, dict) else as_rows(value)


def as_mapping(value):
    return sorted((name, repr(amount)) for name, amount in value.items())
