"""Variants in users' TOML files. All errors in a file are reported together.

[variants.club]
title = "Club rules"
about = "Oklahoma with a bigger bonus for gin."
source = "Thursdays at the club"    # optional
base = "oklahoma+rainbow"           # variant spec to which the changes apply; default: standard

[variants.club.changes]
gin_bonus = 30
big_gin = true
start_points = [0, 10]              # or "0/10", as on the command line
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

from simgin.rules.parameters import Parameter, ParamValue, load_rule_parameters, load_variants_file
from simgin.rules.validation import make_unknown_parameter_error
from simgin.text import toml
from simgin.text.files import has_suffix, slugify
from simgin.text.messages import format_value, suggest_spelling
from simgin.text.toml import TomlError

if TYPE_CHECKING:
    from simgin.rules.variants import Variant

VARIANT_FILE_SUFFIX = ".toml"
MAX_LISTED_NAMES = 8  # maximum number of names in a message
COMMENT_WIDTH = 100  # maximum width of a comment, in columns
_NAME_PATTERN = re.compile(r"[a-z0-9-]+", re.ASCII)
_REFERENCE_PATTERN = re.compile(r"([^+=#]*\.toml)(?:#(.*))?", re.DOTALL | re.IGNORECASE)
VARIANT_TEMPLATE_FILE = Path(__file__).with_name("variant.toml.j2")
BASE_COMMENT = "# Rules to which the changes apply: variants and settings, joined by +"
_PLACEHOLDER_PATTERN = re.compile(r"\{\{ (\w+) \}\}")
_TEXT_KEYS = ("title", "about", "source", "base")

MAX_VARIANT_TEXT_LENGTH = 10_000  # maximum length of a string, in characters
BoundedText = Annotated[str, Field(min_length=1, max_length=MAX_VARIANT_TEXT_LENGTH)]


class _VariantTable(toml.StrictTable):
    title: BoundedText
    about: BoundedText
    source: Annotated[str, Field(max_length=MAX_VARIANT_TEXT_LENGTH)] = ""
    base: BoundedText = "standard"
    changes: Annotated[dict[str, Any], Field(default_factory=dict)]


class _VariantsFile(toml.StrictTable):
    variants: Annotated[dict[str, Any], Field(min_length=1)]


@dataclass(frozen=True)
class UserVariant:
    """Variant that a user defined in a file.

    If the file has errors, the variant contains only the valid parts.
    """

    title: str = ""
    about: str = ""
    source: str = ""
    base: str = "standard"  # unparsed variant spec
    changes: dict[str, ParamValue] = field(default_factory=dict)  # settings of known parameters
    errors: tuple[str, ...] = ()


def find_user_variant(reference: str) -> tuple[str, UserVariant]:
    """Return the user-defined variant for a reference such as `mine.toml#name`.

    Args:
        reference: `path/to/mine.toml#name`, or `mine.toml` if the file has only one variant.

    Returns:
        The canonical reference, in which the path is unchanged, and the variant.

    Raises:
        TomlError: If the file cannot be read or has format errors, or if the reference is not
            valid.
    """
    match = _REFERENCE_PATTERN.fullmatch(reference)
    path, name = match.groups() if match else (_extract_path(reference), "")
    variants = read_variants(path)
    if name is None and len(variants) > 1:
        variant_names_text = _join_names(f"{path}#{variant_name}" for variant_name in variants)
        raise TomlError(
            [f"{path} contains several variants. Choose one of them: {variant_names_text}."]
        )
    chosen_name = next(iter(variants)) if name is None else name
    if chosen_name not in variants:
        listed_names = f"{_join_names(variants)}{suggest_spelling(chosen_name, variants)}"
        sentence = f"{path} has no variant {format_value(chosen_name)}."
        raise TomlError([f"{sentence} Variants in the file: {listed_names}"])
    return f"{path}#{chosen_name}", variants[chosen_name]


def read_variants(path: str) -> Mapping[str, UserVariant]:
    """Read all variants in a file, and collect the errors of each variant.

    Raises:
        TomlError: If the file cannot be read or has an invalid format.
    """
    error_text = find_path_error(path)
    if error_text:
        raise TomlError([error_text])
    fix = "Specify a variant file, or create one with `simgin variants new`"
    raw_tables = toml.read_toml_file(Path(path), fix)
    tables = raw_tables.get("variants")
    variant_tables = tables.items() if isinstance(tables, dict) else ()
    variants = {name: _parse_variant(path, name, table) for name, table in variant_tables}
    try:
        _VariantsFile.model_validate(raw_tables)
    except ValidationError as error:
        known_keys = _VariantsFile.model_fields
        messages = toml.describe_validation_errors(path, error, lambda _: known_keys)
        for variant in variants.values():
            messages += variant.errors
        raise TomlError(messages) from None
    return variants


def find_path_error(path: str) -> str:
    """Return an error message if a path cannot be part of a variant spec, otherwise ""."""
    if not path.isprintable():
        return f"the path {format_value(path)} has unprintable characters. Rename the file."
    if path != path.strip():
        return f"the path {format_value(path)} begins or ends with a space. Rename the file."
    if not has_suffix(path, VARIANT_FILE_SUFFIX):
        return (
            f"{format_value(path)} is not the name of a variant file. Use a name that ends in "
            ".toml, such as mine.toml, or mine.toml#club for one of its variants."
        )
    if any(character in path for character in "+=#"):
        return (
            f"the path {format_value(path)} contains +, = or #, which have a special meaning in "
            "variant specs. Rename the file or its folder."
        )
    return ""


def _extract_path(reference: str) -> str:
    """Return the path in an invalid reference to a user's file."""
    if has_suffix(reference, VARIANT_FILE_SUFFIX) or "#" not in reference:
        return reference
    return reference.rpartition("#")[0]


def _join_names(names: Iterable[str]) -> str:
    """Join up to MAX_LISTED_NAMES names for a message."""
    first_names = list(islice(names, MAX_LISTED_NAMES + 1))
    suffix = " and more" if len(first_names) > MAX_LISTED_NAMES else ""
    return ", ".join(first_names[:MAX_LISTED_NAMES]) + suffix


def _parse_variant(path: str, name: str, raw_table: Any) -> UserVariant:
    """Parse the table of one variant, and store all error messages in the variant."""
    errors = _find_name_errors(path, name)
    try:
        _VariantTable.model_validate(raw_table)
    except ValidationError as error:
        location, known_keys = ("variants", name), _VariantTable.model_fields
        errors += toml.describe_validation_errors(path, error, lambda _: known_keys, location)
    table = raw_table if isinstance(raw_table, dict) else {}
    texts = {key: table[key] for key in _TEXT_KEYS if isinstance(table.get(key), str)}
    changes: dict[str, ParamValue] = {}
    settings = table.get("changes")
    for key, raw_value in settings.items() if isinstance(settings, dict) else ():
        value, error_text = _parse_setting(key, raw_value)
        if error_text:
            errors.append(f"{path}: variants, {name}, changes: {error_text}")
        if key in load_rule_parameters():
            changes[key] = value
    return UserVariant(**texts, changes=changes, errors=tuple(errors))


def _find_name_errors(path: str, name: str) -> list[str]:
    """Return the errors in the name of a user's variant."""
    if name in load_variants_file()["variants"]:
        return [
            f"{path}: variants, {name}: {name!r} is a built-in variant. "
            f"Choose another name, such as my-{name}."
        ]
    if _NAME_PATTERN.fullmatch(name):
        return []
    return [
        f"{path}: variants: {format_value(name)} is not a valid name. "
        "Use only a-z, 0-9 and -, as in [variants.my-game]."
    ]


def _parse_setting(name: str, raw_value: Any) -> tuple[ParamValue, str]:
    """Parse one setting of a variant, and return the value and an error message, or "".

    A setting is a TOML value, or a string in the command-line format.
    """
    parameter = load_rule_parameters().get(name)
    if parameter is None:
        return raw_value, make_unknown_parameter_error(name)
    value = parameter.parse(raw_value) if isinstance(raw_value, str) else raw_value
    return value, parameter.make_error_message(value)


# Template of a variant file, with a comment for every rule


def suggest_variant_name(path: str) -> str:
    """Suggest a name for the first variant in a file, derived from the file name."""
    name = slugify(Path(path).stem) or "mine"
    return f"my-{name}" if name in load_variants_file()["variants"] else name


def format_variant_file(path: str, variant: Variant) -> str:
    """Return the text of a new variant file.

    The file contains one variant with the same rules as `variant`.
    """
    name = suggest_variant_name(path)
    title = _to_toml_string(name.replace("-", " ").capitalize())
    about = _to_toml_string(f"{variant.title}, with changes.")
    placeholder_values = {"path": path, "name": name, "title": title, "about": about, "base": ""}
    changed_settings = []
    if ".toml" in variant.spec.lower():  # A user's variant is not a valid base.
        for rule_name, parameter in load_rule_parameters().items():
            if variant.params[rule_name] != parameter.default:
                changed_settings.append(
                    f"{rule_name} = {_to_toml_value(parameter, variant.params[rule_name])}"
                )
    else:
        placeholder_values["base"] = f"{BASE_COMMENT}\nbase = {_to_toml_string(variant.spec)}\n"
    template = VARIANT_TEMPLATE_FILE.read_text(encoding="utf-8")
    head = _PLACEHOLDER_PATTERN.sub(lambda match: placeholder_values[match[1]], template)
    return head + "\n".join([*changed_settings, *_format_rule_comments(variant), ""])


def _format_rule_comments(variant: Variant) -> Iterator[str]:
    """Yield a comment on each rule parameter, with its current value."""
    for section, parameters in groupby(load_rule_parameters().values(), lambda rule: rule.section):
        yield f"\n# --- {section} ---"
        for parameter in parameters:
            comment_text = f"{parameter.meaning} ({parameter.describe_range()})."
            if not parameter.has_effect(variant.params):
                comment_text += " It has no effect under these rules."
            yield ""
            yield textwrap.indent(textwrap.fill(comment_text, COMMENT_WIDTH - 4), "#   ")
            value = variant.params[parameter.name]
            yield f"# {parameter.name} = {_to_toml_value(parameter, value)}"


def _to_toml_value(parameter: Parameter, value: ParamValue) -> str:
    return json.dumps(parameter.to_text(None) if value is None else value)


def _to_toml_string(text: str) -> str:
    """Format a string as JSON for a TOML file, and escape the DEL character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
