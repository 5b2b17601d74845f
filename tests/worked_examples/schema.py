"""What may be in a worked example, and what is wrong with a bad one.

An example has an id, a kind, a variant, an input and an expectation. Keys of the input that are
parameters (rules.md 11) set the rules, and so do `options` and `overrides`; the other rules are
those of `standard`. Cards are numbers 0..51 as in simgin.text.notation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simgin.rules import variants
from simgin.rules.parameters import Value, parameters
from simgin.rules.variants import Variant, VariantError
from simgin.text import notation
from simgin.text.messages import did_you_mean, shown

Answer = dict[str, Any]  # of a subject, in the form of the expectation
NO_RULES = ("hand", "options", "overrides")  # input keys that are no parameter in any kind


class ExampleError(ValueError):
    """An example that cannot be read; the message is a sentence that begins with its id."""


class NotSupported(Exception):
    """An example that the rules allow but that cannot be set up; the message says why."""


class Impossible(Exception):
    """What an example does is not allowed; the message says what it is."""


@dataclass(frozen=True)
class Example:
    """One worked example as it stands in the file."""

    id: str
    kind: str
    variant: str
    given: dict[str, Any]
    expect: dict[str, Any]

    def error(self, sentence: str) -> ExampleError:
        """What is wrong with this example."""
        return ExampleError(f"{self.id}: {sentence}")


# Reading the input


def need(example: Example, key: str) -> Any:
    """The input's value of a key; an ExampleError if it has none."""
    if key not in example.given:
        raise example.error(f"input has no {key}, which kind {example.kind} needs.")
    return example.given[key]


def number(example: Example, key: str, value: Any, low: int = 0, high: int = 10**6) -> int:
    """A whole number low..high; an ExampleError for anything else."""
    if type(value) is not int or not low <= value <= high:
        raise example.error(f"{key} must be a whole number {low}..{high}, not {shown(value)}.")
    return value


def word(example: Example, key: str, *words: str) -> str:
    """The input's value of a key, which must be one of the words."""
    value = need(example, key)
    if value not in words:
        raise example.error(
            f"input.{key} must be {', '.join(words[:-1])} or {words[-1]}, not {shown(value)}."
        )
    return str(value)


def cards(example: Example, key: str, value: Any, sizes: tuple[int, ...] = ()) -> list[int]:
    """Card numbers from a text like `5S 6S`; `sizes` are the lengths allowed, () for any."""
    if not isinstance(value, str):
        raise example.error(
            f"{key} must be cards separated by blanks, like 5S 6S 7S, not {shown(value)}."
        )
    try:
        found = notation.parse_cards(value)
    except notation.CardError as error:
        raise example.error(f"{key}: {error}") from None
    if sizes and len(found) not in sizes:
        raise example.error(
            f"{key} must have {' or '.join(map(str, sizes))} cards, not {len(found)}."
        )
    return found


def hand(example: Example, key: str, *sizes: int) -> list[int]:
    """The input's cards of a key."""
    return cards(example, f"input.{key}", need(example, key), sizes)


def card(example: Example, key: str) -> int:
    """One card that need not be given: -1 where it is absent or null."""
    value = example.given.get(key)
    return -1 if value is None else cards(example, f"input.{key}", value, (1,))[0]


def texts(example: Example, key: str, likes: str) -> list[str]:
    """The input's list of texts of a key."""
    value = need(example, key)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise example.error(f"input.{key} must be a list of texts like {likes}.")
    return value


def melds(example: Example, key: str, value: Any) -> list[list[int]]:
    """The cards of melds from a list of texts."""
    if not isinstance(value, list):
        raise example.error(
            f"{key} must be a list of melds, each a text like 5S 6S 7S, not {shown(value)}."
        )
    return [cards(example, key, meld) for meld in value]


def base(example: Example) -> str:
    """The text of the variant that an example names, in a kind whose rules are that variant's."""
    try:
        return variants.find(example.variant).text
    except VariantError as error:
        raise example.error(f"kind {example.kind} needs a variant: {error}") from None


def settings(example: Example, own: tuple[str, ...], base: str = "standard") -> dict[str, Value]:
    """The parameters that an example sets.

    What is neither a parameter nor a key of its kind (`own`) is refused, never ignored.
    """
    given = {
        key: value for key, value in example.given.items() if key not in own and key not in NO_RULES
    }
    for key in ("options", "overrides"):
        more = example.given.get(key, {})
        if not isinstance(more, dict):
            raise example.error(f"input.{key} must be an object of parameters, not {shown(more)}.")
        given |= {name: value for name, value in more.items() if name not in own}
    for name, value in given.items():
        if name not in parameters():
            near = did_you_mean(name, [*parameters(), *own])
            raise example.error(
                f"input has {shown(name)}, which is neither a parameter nor a key of kind "
                f"{example.kind}{near}"
            )
        if fault := parameters()[name].fault(value) or parameters()[name].dash(
            {**variants.find(base).row, name: value}
        ):
            raise example.error(f"input: {fault}")
    return given


def row(example: Example, *own: str, base: str = "standard") -> dict[str, Value]:
    """The rules of an example: those of `base` with its settings."""
    return {**variants.find(base).row, **settings(example, own, base)}


def variant(example: Example, *own: str, base: str = "standard", **fixed: Value) -> Variant:
    """The variant of an example: `base`, its settings, and what its kind fixes; must be valid."""
    given = settings(example, own, base)
    for name, value in fixed.items():
        if given.get(name, value) != value:
            raise example.error(
                f"input.{name} cannot be set: kind {example.kind} has {shown(value)} there."
            )
    rules = {**variants.find(base).row, **given, **fixed}
    if sentences := variants.validate(rules):
        raise example.error(f"input: {' '.join(sentences)}")
    return Variant(f"{base}, as {example.id} has it", rules, "", "")


def option(example: Example, key: str, default: int | None = None) -> int:
    """A number among the options that is no parameter, like stock_left."""
    value = example.given.get("options", {}).get(key, example.given.get(key, default))
    if value is None:
        raise example.error(f"input.options has no {key}, which these rules need.")
    return number(example, f"input.options.{key}", value, 0, 52)


# Reading an expectation: each key in a form in which equal things are equal


def plain(example: Example, key: str, value: Any) -> Any:
    """Numbers, words and null, apart from yes and no, which Python takes for 1 and 0."""
    if not isinstance(value, bool | int | str | None):
        raise example.error(
            f"expect.{key} must be a number, a word, true, false or null, not {shown(str(value))}."
        )
    return type(value) is bool, value


def as_text(example: Example, key: str, value: Any) -> Any:
    """A number or word as text, with single blanks; null stays null."""
    return value if value is None else " ".join(str(plain(example, key, value)[1]).split())


def as_melds(example: Example, key: str, value: Any) -> Any:
    """Melds whose order does not count."""
    return tuple(sorted(tuple(sorted(meld)) for meld in melds(example, f"expect.{key}", value)))


def as_families(example: Example, key: str, value: Any) -> tuple[Any, ...]:
    """Meldings whose order does not count."""
    if not isinstance(value, list):
        raise example.error(
            f"expect.{key} must be a list of meldings, each a list of melds, not {shown(value)}."
        )
    return tuple(sorted(as_melds(example, key, melding) for melding in value))


def as_list(example: Example, key: str, value: Any) -> Any:
    """A list whose order does not count."""
    if not isinstance(value, list):
        raise example.error(f"expect.{key} must be a list, not {shown(str(value))}.")
    return sorted(map(repr, value))


def as_rows(example: Example, key: str, value: Any) -> Any:
    """A list whose order counts: a number, null or two numbers for each column."""
    if not isinstance(value, list):
        raise example.error(f"expect.{key} must be a list, not {shown(str(value))}.")
    return repr(value)


def as_scores(example: Example, key: str, value: Any) -> Any:
    """Two scores, by seat or by name."""
    if not isinstance(value, dict | list) or len(value) != 2:
        raise example.error(
            f"expect.{key} must be two scores, like [100, 29], not {shown(str(value))}."
        )
    return as_mapping(example, key, value) if isinstance(value, dict) else repr(value)


def as_mapping(example: Example, key: str, value: Any) -> Any:
    """An object whose order does not count."""
    if not isinstance(value, dict):
        raise example.error(f"expect.{key} must be an object, not {shown(str(value))}.")
    return sorted((name, repr(amount)) for name, amount in value.items())
