"""Users' variants: tables of a TOML file, read with every error reported at the same time.

[variants.club]
title = "Club rules"
about = "Oklahoma with a bigger bonus for gin."
source = "Thursdays at the club"    # optional
base = "oklahoma+rainbow"           # variant spec that the changes start from; default: standard

[variants.club.changes]
gin_bonus = 30
big_gin = true
start_points = [0, 10]              # or as on the command line: "0/10"
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError

from simgin.rules.parameters import Parameter, ParamValue, load_variants_file, rule_parameters
from simgin.rules.validation import unknown_parameter_error
from simgin.text import toml
from simgin.text.files import has_suffix, slugify
from simgin.text.messages import did_you_mean, format_value
from simgin.text.toml import TomlError

if TYPE_CHECKING:
    from simgin.rules.variants import Variant

SUFFIX = ".toml"
MAX_LISTED_NAMES = 8  # names listed in a message
COMMENT_WIDTH = 100  # columns of a comment
_NAME_PATTERN = re.compile(r"[a-z0-9-]+", re.ASCII)
_REFERENCE_PATTERN = re.compile(r"([^+=#]*\.toml)(?:#(.*))?", re.DOTALL | re.IGNORECASE)
VARIANT_TEMPLATE = Path(__file__).with_name("variant.toml.j2")
BASE_COMMENT = "# What the changes start from: variants and settings, joined by +"
_PLACEHOLDER_PATTERN = re.compile(r"\{\{ (\w+) \}\}")
_TEXT_KEYS = ("title", "about", "source", "base")

MAX_VARIANT_TEXT = 10_000  # characters of a string
Text = Annotated[str, Field(min_length=1, max_length=MAX_VARIANT_TEXT)]


class _VariantTable(toml.StrictTable):
    title: Text
    about: Text
    source: Annotated[str, Field(max_length=MAX_VARIANT_TEXT)] = ""
    base: Text = "standard"
    changes: Annotated[dict[str, Any], Field(default_factory=dict)]


class _VariantsFile(toml.StrictTable):
    variants: Annotated[dict[str, Any], Field(min_length=1)]


@dataclass(frozen=True)
class UserVariant:
    """Variant as read from a file; if the file has errors, its readable parts."""

    title: str = ""
    about: str = ""
    source: str = ""
    base: str = "standard"  # variant spec, not parsed yet
    changes: dict[str, ParamValue] = field(default_factory=dict)  # of known parameters only
    errors: tuple[str, ...] = ()


def find_user_variant(reference: str) -> tuple[str, UserVariant]:
    """Find the variant that a reference to a user's file names.

    Args:
        reference: `path/to/mine.toml#name`, or `mine.toml` if the file has only one variant.

    Returns:
        (canonical reference, variant). The path is unchanged.

    Raises:
        TomlError: The file cannot be read or has format errors, or the reference is not valid.
    """
    match = _REFERENCE_PATTERN.fullmatch(reference)
    path, name = match.groups() if match else (_path_part(reference), "")
    variants = read_variants(path)
    if name is None and len(variants) > 1:
        known = _join_names(f"{path}#{known}" for known in variants)
        raise TomlError([f"{path} has several variants; name one of them: {known}."])
    chosen = next(iter(variants)) if name is None else name
    if chosen not in variants:
        known = _join_names(variants)
        suggestion = did_you_mean(chosen, variants)
        raise TomlError(
            [f"{path} has no variant {format_value(chosen)}; it has {known}{suggestion}"]
        )
    return f"{path}#{chosen}", variants[chosen]


def read_variants(path: str) -> Mapping[str, UserVariant]:
    """Read the variants of a file, with the errors found in each.

    Raises:
        TomlError: The file cannot be read, or its format is wrong.
    """
    error_text = path_error(path)
    if error_text:
        raise TomlError([error_text])
    fix = "Name a variant file, or create one with `simgin variants new`"
    raw = toml.read_tables(Path(path), fix)
    tables = raw.get("variants")
    named = tables.items() if isinstance(tables, dict) else ()
    variants = {name: _parse_variant(path, name, table) for name, table in named}
    try:
        _VariantsFile.model_validate(raw)
    except ValidationError as error:
        messages = toml.describe_validation_errors(
            path, error, lambda _: _VariantsFile.model_fields
        )
        for variant in variants.values():
            messages += variant.errors
        raise TomlError(messages) from None
    return variants


def path_error(path: str) -> str:
    """Return an error message if a path cannot be part of a variant spec, else empty."""
    if not path.isprintable():
        return (
            f"the path {format_value(path)} has characters that cannot be printed: rename the file."
        )
    if path != path.strip():
        return f"the path {format_value(path)} begins or ends with a blank: rename the file."
    if not has_suffix(path, SUFFIX):
        return (
            f"{format_value(path)} is not a file of variants: its name must end in .toml, as in "
            "mine.toml; a variant in it is mine.toml#club."
        )
    if any(sign in path for sign in "+=#"):
        return (
            f"the path {format_value(path)} has a +, = or #, which mean something else in a "
            "variant: rename the file or its folder."
        )
    return ""


def _path_part(reference: str) -> str:
    """Return the path in a reference that is not well formed."""
    if has_suffix(reference, SUFFIX) or "#" not in reference:
        return reference
    return reference.rpartition("#")[0]


def _join_names(names: Iterable[str]) -> str:
    first = list(islice(names, MAX_LISTED_NAMES + 1))
    return ", ".join(first[:MAX_LISTED_NAMES]) + " and more" * (len(first) > MAX_LISTED_NAMES)


def _parse_variant(path: str, name: str, raw: Any) -> UserVariant:
    """Convert a table of the file to a variant, with the errors found in it."""
    errors = _name_errors(path, name)
    try:
        _VariantTable.model_validate(raw)
    except ValidationError as error:
        inside = ("variants", name)
        errors += toml.describe_validation_errors(
            path, error, lambda _: _VariantTable.model_fields, inside
        )
    table = raw if isinstance(raw, dict) else {}
    texts = {key: table[key] for key in _TEXT_KEYS if isinstance(table.get(key), str)}
    changes: dict[str, ParamValue] = {}
    settings = table.get("changes")
    for key, raw_value in settings.items() if isinstance(settings, dict) else ():
        value, error_text = _parse_setting(key, raw_value)
        if error_text:
            errors.append(f"{path}: variants, {name}, changes: {error_text}")
        if key in rule_parameters():
            changes[key] = value
    return UserVariant(**texts, changes=changes, errors=tuple(errors))


def _name_errors(path: str, name: str) -> list[str]:
    if name in load_variants_file()["variants"]:
        return [
            f"{path}: variants, {name}: simgin has a variant of this name; "
            f"call yours something else, like my-{name}."
        ]
    if _NAME_PATTERN.fullmatch(name):
        return []
    return [
        f"{path}: variants, {format_value(name)}: names consist of a-z, 0-9 and -, "
        "as in [variants.my-game]."
    ]


def _parse_setting(name: str, raw: Any) -> tuple[ParamValue, str]:
    """Return (value, error message) of a line of changes, given as TOML or command-line text."""
    parameter = rule_parameters().get(name)
    if parameter is None:
        return raw, unknown_parameter_error(name)
    value = parameter.parse(raw) if isinstance(raw, str) else raw
    return value, parameter.error_message(value)


# A template file with one variant and every rule in a comment


def suggest_variant_name(path: str) -> str:
    """Suggest a name for the first variant of a file, based on the file name."""
    name = slugify(Path(path)) or "mine"
    return f"my-{name}" if name in load_variants_file()["variants"] else name


def format_variant_file(path: str, start: Variant) -> str:
    """Return a new file with one variant, whose rules are those of `start` until it is edited."""
    name = suggest_variant_name(path)
    texts = {
        "path": path,
        "name": name,
        "title": _to_toml_string(name.replace("-", " ").capitalize()),
    }
    texts |= {"about": _to_toml_string(f"{start.title}, with changes."), "base": ""}
    changed = []
    if ".toml" in start.spec.lower():  # A user's variant cannot be a base.
        for rule, parameter in rule_parameters().items():
            if start.params[rule] != parameter.default:
                changed.append(f"{rule} = {_to_toml_value(parameter, start.params[rule])}")
    else:
        texts["base"] = f"{BASE_COMMENT}\nbase = {_to_toml_string(start.spec)}\n"
    head = _PLACEHOLDER_PATTERN.sub(
        lambda place: texts[place[1]], VARIANT_TEMPLATE.read_text(encoding="utf-8")
    )
    return head + "\n".join([*changed, *_rule_comments(start), ""])


def _rule_comments(start: Variant) -> Iterator[str]:
    for section, group in groupby(
        rule_parameters().values(), key=lambda parameter: parameter.section
    ):
        yield f"\n# --- {section} ---"
        for parameter in group:
            idle = "" if parameter.has_effect(start.params) else " No effect as the rules stand."
            about = f"{parameter.meaning} ({parameter.describe_range()}).{idle}"
            yield ""
            yield textwrap.fill(
                about, COMMENT_WIDTH, initial_indent="#   ", subsequent_indent="#   "
            )
            yield f"# {parameter.name} = {_to_toml_value(parameter, start.params[parameter.name])}"


def _to_toml_value(parameter: Parameter, value: ParamValue) -> str:
    """Format a parameter value as TOML."""
    return json.dumps(parameter.to_text(None) if value is None else value)


def _to_toml_string(words: str) -> str:
    """Format a string as TOML: as JSON, plus the one control character that JSON leaves bare."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")
