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

from simgin.rules.parameters import Parameter, Value, parameters, variants_file
from simgin.rules.validation import unknown_parameter
from simgin.text import toml
from simgin.text.files import has_ending, plain_name
from simgin.text.messages import did_you_mean, shown
from simgin.text.toml import TomlError

if TYPE_CHECKING:
    from simgin.rules.variants import Variant

SUFFIX = ".toml"
MOST_LISTED = 8  # names listed in a message
WIDTH = 100  # columns of a comment
_NAME = re.compile(r"[a-z0-9-]+", re.ASCII)
_REFERENCE = re.compile(r"([^+=#]*\.toml)(?:#(.*))?", re.DOTALL | re.IGNORECASE)
TEMPLATE = Path(__file__).with_name("variant.toml.j2")
ABOUT_BASE = "# What the changes start from: variants and settings, joined by +"
_PLACE = re.compile(r"\{\{ (\w+) \}\}")
_TEXTS = ("title", "about", "source", "base")

MOST_CHARACTERS = 10_000  # characters of a string
Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]


class _Entry(toml.Table):
    title: Text
    about: Text
    source: Annotated[str, Field(max_length=MOST_CHARACTERS)] = ""
    base: Text = "standard"
    changes: Annotated[dict[str, Any], Field(default_factory=dict)]


class _File(toml.Table):
    variants: Annotated[dict[str, Any], Field(min_length=1)]


@dataclass(frozen=True)
class UserVariant:
    """Variant as read from a file; if the file has errors, its readable parts."""

    title: str = ""
    about: str = ""
    source: str = ""
    base: str = "standard"  # variant spec, not parsed yet
    changes: dict[str, Value] = field(default_factory=dict)  # of known parameters only
    faults: tuple[str, ...] = ()


def find(reference: str) -> tuple[str, UserVariant]:
    """Find the variant that a reference to a user's file names.

    Args:
        reference: `path/to/mine.toml#name`, or `mine.toml` if the file has only one variant.

    Returns:
        (canonical reference, variant). The path is unchanged.

    Raises:
        TomlError: The file cannot be read or has format errors, or the reference is not valid.
    """
    match = _REFERENCE.fullmatch(reference)
    path, name = match.groups() if match else (_path_of(reference), "")
    variants = read(path)
    if name is None and len(variants) > 1:
        known = _listed(f"{path}#{known}" for known in variants)
        raise TomlError([f"{path} has several variants; name one of them: {known}."])
    chosen = next(iter(variants)) if name is None else name
    if chosen not in variants:
        known = _listed(variants)
        near = did_you_mean(chosen, variants)
        raise TomlError([f"{path} has no variant {shown(chosen)}; it has {known}{near}"])
    return f"{path}#{chosen}", variants[chosen]


def read(path: str) -> Mapping[str, UserVariant]:
    """Read the variants of a file, with the errors found in each.

    Raises:
        TomlError: The file cannot be read, or its format is wrong.
    """
    sentence = path_fault(path)
    if sentence:
        raise TomlError([sentence])
    remedy = "name a file of variants, or make one with `simgin variants new`"
    raw = toml.read_tables(Path(path), remedy)
    tables = raw.get("variants")
    named = tables.items() if isinstance(tables, dict) else ()
    variants = {name: _user_variant(path, name, table) for name, table in named}
    try:
        _File.model_validate(raw)
    except ValidationError as error:
        sentences = toml.describe_mistakes(path, error, lambda _: _File.model_fields)
        for variant in variants.values():
            sentences += variant.faults
        raise TomlError(sentences) from None
    return variants


def path_fault(path: str) -> str:
    """Return an error message if a path cannot be part of a variant spec, else empty."""
    if not path.isprintable():
        return f"the path {shown(path)} has characters that cannot be printed: rename the file."
    if path != path.strip():
        return f"the path {shown(path)} begins or ends with a blank: rename the file."
    if not has_ending(path, SUFFIX):
        return (
            f"{shown(path)} is not a file of variants: its name must end in .toml, as in "
            "mine.toml; a variant in it is mine.toml#club."
        )
    if any(sign in path for sign in "+=#"):
        return (
            f"the path {shown(path)} has a +, = or #, which mean something else in a variant: "
            "rename the file or its folder."
        )
    return ""


def _path_of(reference: str) -> str:
    """Return the path in a reference that is not well formed."""
    if has_ending(reference, SUFFIX) or "#" not in reference:
        return reference
    return reference.rpartition("#")[0]


def _listed(names: Iterable[str]) -> str:
    first = list(islice(names, MOST_LISTED + 1))
    return ", ".join(first[:MOST_LISTED]) + " and more" * (len(first) > MOST_LISTED)


def _user_variant(path: str, name: str, raw: Any) -> UserVariant:
    """Convert a table of the file to a variant, with the errors found in it."""
    faults = _name_faults(path, name)
    try:
        _Entry.model_validate(raw)
    except ValidationError as error:
        inside = ("variants", name)
        faults += toml.describe_mistakes(path, error, lambda _: _Entry.model_fields, inside)
    table = raw if isinstance(raw, dict) else {}
    texts = {key: table[key] for key in _TEXTS if isinstance(table.get(key), str)}
    changes: dict[str, Value] = {}
    settings = table.get("changes")
    for key, raw_value in settings.items() if isinstance(settings, dict) else ():
        value, fault = _setting(key, raw_value)
        if fault:
            faults.append(f"{path}: variants, {name}, changes: {fault}")
        if key in parameters():
            changes[key] = value
    return UserVariant(**texts, changes=changes, faults=tuple(faults))


def _name_faults(path: str, name: str) -> list[str]:
    if name in variants_file()["variants"]:
        return [
            f"{path}: variants, {name}: simgin has a variant of this name; "
            f"call yours something else, like my-{name}."
        ]
    if _NAME.fullmatch(name):
        return []
    return [
        f"{path}: variants, {shown(name)}: names consist of a-z, 0-9 and -, "
        "as in [variants.my-game]."
    ]


def _setting(name: str, raw: Any) -> tuple[Value, str]:
    """Return (value, error message) of a line of changes, given as TOML or command-line text."""
    parameter = parameters().get(name)
    if parameter is None:
        return raw, unknown_parameter(name)
    value = parameter.read(raw) if isinstance(raw, str) else raw
    return value, parameter.fault(value)


# A template file with one variant and every rule in a comment


def variant_name(path: str) -> str:
    """Suggest a name for the first variant of a file, based on the file name."""
    name = plain_name(Path(path)) or "mine"
    return f"my-{name}" if name in variants_file()["variants"] else name


def variant_file(path: str, start: Variant) -> str:
    """Return a new file with one variant, whose rules are those of `start` until it is edited."""
    name = variant_name(path)
    texts = {"path": path, "name": name, "title": _text(name.replace("-", " ").capitalize())}
    texts |= {"about": _text(f"{start.title}, with changes."), "base": ""}
    changed = []
    if ".toml" in start.text.lower():  # A user's variant cannot be a base.
        for rule, parameter in parameters().items():
            if start.row[rule] != parameter.default:
                changed.append(f"{rule} = {_value(parameter, start.row[rule])}")
    else:
        texts["base"] = f"{ABOUT_BASE}\nbase = {_text(start.text)}\n"
    head = _PLACE.sub(lambda place: texts[place[1]], TEMPLATE.read_text(encoding="utf-8"))
    return head + "\n".join([*changed, *_comments(start), ""])


def _comments(start: Variant) -> Iterator[str]:
    for section, group in groupby(parameters().values(), key=lambda parameter: parameter.section):
        yield f"\n# --- {section} ---"
        for parameter in group:
            idle = "" if parameter.acts(start.row) else " No effect as the rules stand."
            about = f"{parameter.description} ({parameter.span()}).{idle}"
            yield ""
            yield textwrap.fill(about, WIDTH, initial_indent="#   ", subsequent_indent="#   ")
            yield f"# {parameter.name} = {_value(parameter, start.row[parameter.name])}"


def _value(parameter: Parameter, value: Value) -> str:
    """Format a parameter value as TOML."""
    return json.dumps(parameter.write(None) if value is None else value)


def _text(words: str) -> str:
    """Format a string as TOML: as JSON, plus the one control character that JSON leaves bare."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")
