"""Named sets of rules (variants), and specs that combine them.

An example of a spec is `oklahoma+gin_bonus=20`.

A spec has the form `name{+name}{+parameter=value}`. Each part changes some rules of `standard`.
Later parts override earlier parts (rules.md 10.17). The built-in variants are defined in
variants.toml. A variant in a user's file is named `path/to/file.toml#name`. If the file contains
only one variant, `file.toml` is sufficient.
"""

import copy
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from simgin.renamed import RenamedAttributes
from simgin.rules import validation
from simgin.rules.parameters import (
    MatchGoal,
    Parameter,
    ParamValue,
    find_match_goal,
    load_rule_parameters,
    load_variants_file,
)
from simgin.rules.validation import validate_params
from simgin.text.messages import (
    SimginError,
    format_setting,
    format_value,
    suggest_spelling,
    truncate_errors,
)

if TYPE_CHECKING:
    from simgin.rules.user_files import UserVariant

__all__ = [
    "Parameter",
    "Variant",
    "VariantError",
    "find_built_in_equal",
    "find_variant",
    "rule_differences",
    "variant_names",
]
__all__ += [
    "ParamValue",
    "format_setting",
    "load_rule_parameters",
    "validate_params",
    "variants_in_file",
]


class VariantError(SimginError):
    """Exception for an invalid variant spec.

    Attributes:
        messages: One message per error. The exception message contains one of these messages per
            line.
    """

    def __init__(self, messages: list[str]):
        self.messages = truncate_errors(messages)
        super().__init__("\n".join(self.messages))

    # By default, pickle recreates an exception from its message, but this constructor expects a
    # list.
    def __reduce__(self) -> tuple[Any, ...]:
        """Return the constructor and its argument, so that pickle can restore the error."""
        return VariantError, (self.messages,)


@dataclass(frozen=True)
class Variant(RenamedAttributes):
    """Set of rules, described by a variant name or by changes to a named variant.

    Attributes:
        spec: Canonical spec.
        params: Value of every parameter, in the order of `load_rule_parameters`.
        title: Display name.
        about: Description.
        source: Source of the rules, or "" if it is unknown.
        author_settings: Parameters that were set in the spec or in a user's file rather than by a
            built-in variant.
    """

    spec: str
    params: dict[str, ParamValue] = field(hash=False)
    title: str
    about: str
    source: str = ""
    author_settings: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"Variant({self.spec!r}): {self.title}. {self.about}"

    @property
    def is_solo(self) -> bool:
        """True for a solitaire game."""
        return self.params["players"] == 1

    @property
    def goal(self) -> MatchGoal:
        """Goal of a match under the rules of the variant."""
        return find_match_goal(self.params)


def variant_names() -> tuple[str, ...]:
    """Return the names of all built-in variants.

    Two-player variants come first.
    """
    return tuple(load_variants_file()["variants"])


def suggest_values(parameter_name: str) -> list[str]:
    """Return typical values of a parameter for suggestions in messages.

    For a choice parameter, the result contains all choices. For other parameters, the result
    contains the values in built-in variants.
    """
    parameter = load_rule_parameters()[parameter_name]
    if parameter.value_type in ("bool", "choice"):
        return parameter.list_allowed_values().split(", ")
    built_in_values = [
        _make_built_in_part(variant).changes.get(parameter_name) for variant in variant_names()
    ]
    values = [value for value in (parameter.default, *built_in_values) if value is not None]
    return list(dict.fromkeys([*map(parameter.to_text, values), *["none"] * parameter.is_optional]))


def find_variant(spec: "str | Variant") -> Variant:
    """Return the variant that a spec describes.

    A value is yes or no, an integer, a word, two numbers (`40/60`), a table (`30:4/60:3`), or `-`
    for a parameter without effect. The canonical spec contains each name once, at the position of
    its last occurrence. Settings that differ from the named variants follow the names in parameter
    order. Settings without effect cause a RulesWarning.

    Args:
        spec: Spec such as `oklahoma+gin_bonus=20`. A Variant is returned unchanged.

    Raises:
        VariantError: If the spec is not valid. The message lists all errors.

    Example:
        >>> find_variant("oklahoma+gin_bonus=20").params["gin_bonus"]
        20
    """
    if isinstance(spec, Variant):
        return spec
    spec = str(spec)
    try:
        parts, messages = _parse_parts(spec, _parse_file_reference)
        return _combine_parts(parts, messages)
    except VariantError:
        plus_error = _describe_plus_in_path(spec)
        if plus_error:
            raise VariantError([plus_error]) from None
        raise


def variants_in_file(path: str) -> dict[str, "Variant | VariantError"]:
    """Return the variants that a user's file defines, by canonical spec.

    For an invalid variant, the value is the VariantError.

    Raises:
        VariantError: If the file cannot be read.
    """
    from simgin.rules import user_files
    from simgin.text import toml

    try:
        user_variants = user_files.read_variants(path)
    except toml.TomlError as error:
        raise VariantError(error.messages) from None
    variants_by_spec: dict[str, Variant | VariantError] = {}
    for name, user_variant in user_variants.items():
        part = _make_user_part(f"{path}#{name}", user_variant)
        errors = list(part.errors)
        try:
            variants_by_spec[part.spec] = _combine_parts([part], errors)
        except VariantError as error:
            variants_by_spec[part.spec] = error
    return variants_by_spec


def rule_differences(a: Variant, b: Variant) -> list[tuple[str, ParamValue, ParamValue]]:
    """Return the parameters in which two variants differ, with the values in both variants."""
    return [
        (name, a.params[name], b.params[name])
        for name in load_rule_parameters()
        if a.params[name] != b.params[name]
    ]


@lru_cache(maxsize=64)
def find_built_in_equal(variant: Variant) -> Variant | None:
    """Return the built-in variant whose rules equal those of a given variant, or None.

    Parameters without effect are not compared.

    Example:
        >>> find_built_in_equal(find_variant("oklahoma+spade_multiplier=2"))
        Variant('oklahoma-spades')
    """
    if variant.spec in variant_names():
        return None
    effective_params = _select_effective_params(variant)
    built_in_variants = map(find_variant, variant_names())
    return next(
        (
            candidate
            for candidate in built_in_variants
            if _select_effective_params(candidate) == effective_params
        ),
        None,
    )


def _select_effective_params(variant: Variant) -> dict[str, ParamValue]:
    """Return the names and values of the parameters that have an effect in a variant."""
    definitions = load_rule_parameters()
    params = variant.params
    return {name: value for name, value in params.items() if definitions[name].has_effect(params)}


# Specs


@dataclass(frozen=True)
class _SpecPart:
    """Component of a spec: either a named variant or a setting of one parameter."""

    spec: str  # canonical spec
    changes: dict[str, ParamValue] = field(default_factory=dict)
    descriptions: tuple[str, str, str] | None = (
        None  # title, description and source of a named variant
    )
    errors: tuple[str, ...] = ()
    is_known: bool = True  # False if the name is unknown; `changes` is then incomplete
    author_settings: tuple[str, ...] = ()  # parameters set by the author of the spec or file


def _parse_parts(
    spec: str, parse_reference: Callable[[str], _SpecPart]
) -> tuple[list[_SpecPart], list[str]]:
    """Split a variant spec into components, and parse each component.

    Args:
        spec: Variant spec.
        parse_reference: Function that parses a reference to a user's file.

    Returns:
        The parts and the error messages.
    """
    part_texts = [part_text.strip() for part_text in spec.split("+")]
    parts = [
        parse_reference(text) if _is_file_reference(text) else _parse_part(text, spec)
        for text in part_texts
    ]
    messages = [message for part in parts for message in part.errors]
    if "=" in part_texts[0] and parts[0].is_known and not _is_file_reference(part_texts[0]):
        messages.append(
            f"a variant must begin with a name, but {format_value(part_texts[0])} is a setting. "
            "Put standard+ before it."
        )
    return parts, messages


def _parse_part(text: str, spec: str) -> _SpecPart:
    """Parse one component of a variant spec that does not refer to a user's file."""
    name, separator, value_text = map(str.strip, text.partition("="))
    parameter = load_rule_parameters().get(name)
    if text in variant_names():
        return _make_built_in_part(text)
    if separator and parameter:
        value = parameter.parse(value_text)
        errors = tuple(filter(None, [parameter.make_error_message(value)]))
        return _SpecPart(text, {name: value}, errors=errors, author_settings=(name,))
    if separator and name.partition(":")[0] in variant_names():
        message = (
            f"{format_value(text)} contains a colon. Join names and settings with plus signs, as "
            f"in {text.replace(':', '+', 1)}."
        )
    elif separator:
        message = validation.make_unknown_parameter_error(name)
    elif not text:
        message = (
            f"{format_value(spec)} has an empty part. Join names and settings with plus signs, "
            "as in oklahoma+gin_bonus=20."
        )
    elif parameter:
        message = f"{text} needs a value. Set it, for example to {parameter.suggest_setting()}."
    else:
        suggestion = suggest_spelling(text, variant_names())
        fix = " To list all variants, run `simgin variants`." if suggestion == "." else ""
        message = f"{format_value(text)} is not a known variant{suggestion}{fix}"
    return _SpecPart(text, errors=(message,), is_known=False)


@cache
def _make_built_in_part(name: str) -> _SpecPart:
    """Return a built-in variant as a component of a spec."""
    tables = load_variants_file()
    table = tables["variants"][name]
    changes = tables["bases"].get(table.get("base"), {}) | table.get("changes", {})
    for parameter_name, value in changes.items():
        if isinstance(value, str):
            changes[parameter_name] = load_rule_parameters()[parameter_name].parse(value)
    return _SpecPart(name, changes, (table["title"], table["about"], table["source"]))


def _combine_parts(parts: list[_SpecPart], messages: list[str]) -> Variant:
    """Combine the components of a variant spec into a variant.

    Raises:
        VariantError: If the parts have errors (`messages`) or their combination is not playable.
    """
    merged_parts = _merge_parts(parts)
    if messages and not all(part.is_known for part in parts):
        raise VariantError(list(dict.fromkeys(messages)))
    params = _combine_params(merged_parts)
    # Skip the errors in a file that are already reported with their locations.
    reported_messages = tuple(messages)
    for message in validate_params(params):
        if not any(sentence.endswith(message) for sentence in reported_messages):
            messages.append(message)
    if messages:
        raise VariantError(list(dict.fromkeys(messages)))
    settings = {name for part in parts for name in part.author_settings if params[name] is not None}
    variant = replace(
        _make_variant(merged_parts, params),
        author_settings=tuple(filter(settings.__contains__, params)),
    )
    reasons = []
    for name in variant.author_settings:
        parameter = load_rule_parameters()[name]
        # A setting has an effect if the rules would not be valid without it.
        if not (
            parameter.has_effect(params) or validate_params(_combine_without_setting(name, parts))
        ):
            reasons.append(parameter.explain_no_effect(params))
    validation.warn_about_ineffective_settings(variant.spec, reasons)
    return variant


def warn_about_match_settings(variant: Variant) -> None:
    """Warn about settings of a variant that have no effect on single deals."""
    reasons = []
    for name in variant.author_settings:
        parameter = load_rule_parameters()[name]
        if parameter.is_match_only and parameter.has_effect(variant.params):
            reasons.append(f"{name} has no effect on single deals. It requires matches.")
    validation.warn_about_ineffective_settings(variant.spec, reasons)


def _combine_without_setting(parameter_name: str, parts: list[_SpecPart]) -> dict[str, ParamValue]:
    """Return the values of all parameters without the user's setting of one parameter."""
    remaining_parts = []
    for part in parts:
        changes = {name: value for name, value in part.changes.items() if name != parameter_name}
        remaining_parts.append(
            replace(part, changes=changes) if parameter_name in part.author_settings else part
        )
    return _combine_params(_merge_parts(remaining_parts))


def _make_variant(parts: list[_SpecPart], params: dict[str, ParamValue]) -> Variant:
    """Return the variant that valid components describe, with its canonical spec."""
    named_parts = [part for part in parts if part.descriptions is not None]
    base_params = _combine_params(named_parts)
    settings = [
        (name, parameter.to_text(params[name]))
        for name, parameter in load_rule_parameters().items()
        if params[name] != base_params[name]
    ]
    titles, descriptions, sources = zip(
        *filter(None, (part.descriptions for part in parts)), strict=True
    )
    specs = [part.spec for part in named_parts] + [f"{name}={value}" for name, value in settings]
    title, about = " + ".join(titles), " ".join(descriptions)
    if settings:
        changes_text = ", ".join(f"{name} = {value}" for name, value in settings)
        title += f", {changes_text}"
        about = f"Rules of {' + '.join(titles)} before the change: {about}"
    known_sources = dict.fromkeys(filter(None, sources))
    return Variant("+".join(specs), params, title, about, ", ".join(known_sources))


def _merge_parts(parts: list[_SpecPart]) -> list[_SpecPart]:
    """Replace pairs of components by equivalent built-in variants, and remove duplicates.

    If a part occurs several times, only its last occurrence remains.
    """
    for rule in load_variants_file()["merges"]:
        merged_specs = rule["names"]
        specs = [part.spec for part in parts]
        if not set(merged_specs) <= set(specs):
            continue
        end_index = max(_find_last_index(specs, name) for name in merged_specs)
        parts = [*parts[:end_index], _make_built_in_part(rule["means"]), *parts[end_index + 1 :]]
        parts = [part for part in parts if part.spec not in merged_specs]
    specs = [part.spec for part in parts]
    return [
        part
        for index, part in enumerate(parts)
        if part.descriptions is None or index == _find_last_index(specs, part.spec)
    ]


def _find_last_index(specs: list[str], spec: str) -> int:
    return len(specs) - 1 - specs[::-1].index(spec)


def _combine_params(parts: list[_SpecPart]) -> dict[str, ParamValue]:
    """Return the values of all parameters after combining the given components.

    Lists are copied.
    """
    params = {name: parameter.default for name, parameter in load_rule_parameters().items()}
    for part in parts:
        params.update(part.changes)
    list_values = {name: value for name, value in params.items() if isinstance(value, list)}
    return params | copy.deepcopy(list_values)


# Users' files


def _is_file_reference(part_text: str) -> bool:
    """Return True if a component of a spec refers to a variant in a user's file."""
    name = part_text.partition("=")[0]
    if name.strip() in load_rule_parameters():
        return False
    if ".toml" in part_text.lower() or "#" in part_text:
        return True
    return "/" in name or os.sep in name


def _parse_file_reference(reference: str) -> _SpecPart:
    """Parse a reference to a variant in a user's file."""
    from simgin.rules import user_files
    from simgin.text import toml

    try:
        canonical_reference, user_variant = user_files.find_user_variant(reference)
        return _make_user_part(canonical_reference, user_variant)
    except toml.TomlError as error:
        return _SpecPart(reference, errors=tuple(error.messages), is_known=False)


def _make_user_part(spec: str, user_variant: "UserVariant") -> _SpecPart:
    """Return a user's variant as a component that contains all differences from `standard`."""
    parts, base_errors = _parse_parts(user_variant.base, _reject_user_base)
    params = _combine_params(_merge_parts(parts)) | user_variant.changes
    parameters = load_rule_parameters()
    changes = {name: value for name, value in params.items() if value != parameters[name].default}
    location = spec.replace("#", ": variants, ", 1)
    errors = [*user_variant.errors, *(f"{location}, base: {message}" for message in base_errors)]
    return _SpecPart(
        spec=spec,
        changes=changes,
        descriptions=(user_variant.title, user_variant.about, user_variant.source),
        errors=tuple(errors),
        is_known=all(part.is_known for part in parts),
        author_settings=(*user_variant.changes, *chain(*(part.author_settings for part in parts))),
    )


def _reject_user_base(part_text: str) -> _SpecPart:
    """Return an invalid component for a base that refers to a user's file.

    Such a base is not allowed, because a variant could then refer to itself.
    """
    message = (
        f"{format_value(part_text)} cannot be a base, because it is not a built-in variant. "
        "List its changes instead."
    )
    return _SpecPart(part_text, errors=(message,), is_known=False)


def _describe_plus_in_path(spec: str) -> str:
    """Return an error message if an invalid spec is a path with a plus sign, otherwise ""."""
    path = spec.strip().partition("#")[0]
    if "+" not in path or not os.path.isfile(path):
        return ""
    from simgin.rules import user_files

    return user_files.find_path_error(path)
