"""Read and check the contents of worked examples.

Keys of the input that are parameters (rules.md 11) set the rules, as do `options` and `overrides`;
the others are those of `standard`. Cards are numbers 0..51 as in simgin.text.notation.
"""

from dataclasses import dataclass
from typing import Any

from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from simgin.rules.variants import Variant
from simgin.text import notation
from simgin.text.messages import format_value, suggest_spelling

NON_RULE_KEYS = ("hand", "options", "overrides")  # input keys that are never parameters


class ExampleError(ValueError):
    """Raised for an example that cannot be read."""


class NotSupportedError(Exception):
    """Raised for a valid example that the engine cannot play."""


class ImpossibleActionError(Exception):
    """Raised if an example contains an illegal action."""


@dataclass(frozen=True)
class Example:
    """Worked example. Its methods raise ExampleError if the input is invalid."""

    id: str
    kind: str
    variant: str
    input: dict[str, Any]
    expect: dict[str, Any]

    def make_error(self, message):
        """Return an ExampleError that begins with the id of the example."""
        return ExampleError(f"{self.id}: {message}")

    def read_int(self, key, low=0, high=10**6):
        """Return the integer of an input key, from `low` to `high`."""
        return self.check_int(f"input.{key}", self.input[key], low, high)

    def check_int(self, key, value, low=0, high=10**6):
        """Return a value. Raise ExampleError unless it is an integer within the bounds."""
        if type(value) is not int or not low <= value <= high:
            raise self.make_error(
                f"{key} must be a whole number {low}..{high}, not {format_value(value)}."
            )
        return value

    def read_choice(self, key, *words):
        """Return an input value, which must be one of some words."""
        value = self.input[key]
        if value not in words:
            *others, last = map(str, words)
            listed = f"{', '.join(others)} or {last}"
            raise self.make_error(f"input.{key} must be {listed}, not {format_value(value)}.")
        return value

    def read_hand(self, key, *sizes):
        """Return the cards of an input key, whose number must be one of the sizes."""
        found = notation.parse_cards(self.input[key])
        if sizes and len(found) not in sizes:
            wanted = " or ".join(map(str, sizes))
            raise self.make_error(f"input.{key} must have {wanted} cards, not {len(found)}.")
        return found

    def read_card(self, key):
        """Return an optional card of the input, or -1 if it is absent or null."""
        return -1 if self.input.get(key) is None else self.read_hand(key, 1)[0]

    def read_option(self, key, default=None):
        """Return an integer option that is not a rule parameter, such as stock_left."""
        value = self.input.get("options", {}).get(key, self.input.get(key, default))
        return self.check_int(f"input.options.{key}", value, 0, 52)

    # The rules

    def get_base_spec(self):
        """Return the spec of the example's variant."""
        return variants.find_variant(self.variant).spec

    def require_solo(self, variant, requirement):
        """Raise ExampleError unless the variant is for one player."""
        if not variant.is_solo:
            needs = f"{requirement} needs a variant for one player"
            raise self.make_error(f"{needs}, and {self.variant} is for two.")

    def read_settings(self, extra_keys, base="standard"):
        """Return the rule parameters of the input. Raise ExampleError for unknown keys."""
        non_rule_keys = (*extra_keys, *NON_RULE_KEYS)
        given = {key: value for key, value in self.input.items() if key not in non_rule_keys}
        for key in ("options", "overrides"):
            more = self.input.get(key, {}).items()
            given |= {name: value for name, value in more if name not in extra_keys}
        for name, value in given.items():
            if name not in load_rule_parameters():
                near = suggest_spelling(name, [*load_rule_parameters(), *extra_keys])
                unknown = f"{format_value(name)}, which is neither a parameter nor a key of kind"
                raise self.make_error(f"input has {unknown} {self.kind}{near}")
            params = {**variants.find_variant(base).params, name: value}
            if problem := load_rule_parameters()[name].make_error_message(
                value
            ) or load_rule_parameters()[name].make_missing_value_error(params):
                raise self.make_error(f"input: {problem}")
        return given

    def read_params(self, *extra_keys, base="standard"):
        """Return the rule parameters of `base` with the settings of the input."""
        return {**variants.find_variant(base).params, **self.read_settings(extra_keys, base)}

    def read_variant(self, *extra_keys, base="standard", **fixed):
        """Return `base` with the parameters of the input and the fixed parameters of this kind."""
        given = self.read_settings(extra_keys, base)
        for name, value in fixed.items():
            if given.get(name, value) != value:
                raise self.make_error(
                    f"input.{name} cannot be set: kind {self.kind} has {format_value(value)} there."
                )
        params = {**variants.find_variant(base).params, **given, **fixed}
        if messages := variants.validate_params(params):
            raise self.make_error(f"input: {' '.join(messages)}")
        return Variant(f"{base}, as {self.id} has it", params, "", "")


# Values of expectations in a form that can be compared


def normalize_value(value):
    """Return a single value with a mark that distinguishes booleans from 0 and 1."""
    if isinstance(value, dict | list):
        raise TypeError(f"{value!r} is not a single value")
    return type(value) is bool, value


def normalize_text(value):
    """Return a value as a string with single spaces, or None."""
    return value if value is None else " ".join(str(value).split())


def parse_melds(value):
    """Return the card numbers of melds that are given as strings."""
    return [notation.parse_cards(meld) for meld in value]


def normalize_melds(value):
    """Return a list of melds as sorted lists of cards."""
    return sorted(map(sorted, parse_melds(value)))


def normalize_meldings(value):
    """Return a list of meldings as a sorted list of sorted melds."""
    return sorted(map(normalize_melds, value))


def normalize_unordered_list(value):
    """Return a list in which the order does not matter as a sorted list of strings."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return sorted(map(repr, value))


def normalize_list(value):
    """Return a list in which the order matters as a string."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return repr(value)


def normalize_scores(value):
    """Return the scores of both players, which are given by seat or by name."""
    return normalize_mapping(value) if isinstance(value, dict) else normalize_list(value)


def normalize_mapping(value):
    """Return a mapping as a sorted list of (name, value) pairs."""
    return sorted((name, repr(amount)) for name, amount in value.items())
