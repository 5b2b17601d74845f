"""Users' variants: tables of a TOML file, read with every mistake reported at once.

[variants.club]
title = "Club rules"
about = "Oklahoma with a bigger bonus for gin."
source = "Thursdays at the club"    # may be left out
base = "oklahoma+rainbow"           # what the changes start from; default: standard

[variants.club.changes]
gin_bonus = 30
big_gin = true
start_points = [0, 10]              # or as on the command line: "0/10"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from simgin.rules.parameters import Value, parameters, variants_file
from simgin.rules.validation import unknown_parameter
from simgin.text import toml
from simgin.text.messages import did_you_mean, shown
from simgin.text.toml import TomlError

NAME = re.compile(r"[a-z0-9-]+", re.ASCII)
SUFFIX = ".toml"
_REFERENCE = re.compile(r"([^+=#]*\.toml)(?:#(.*))?", re.DOTALL)

Text = Annotated[str, Field(min_length=1)]


class _Entry(toml.Table):
    title: Text
    about: Text
    source: str = ""
    base: Text = "standard"
    changes: Annotated[dict[str, Any], Field(default_factory=dict)]


class _File(toml.Table):
    variants: Annotated[dict[str, Any], Field(min_length=1)]


@dataclass(frozen=True)
class UserVariant:
    """A variant as its file has it. `faults` is what is wrong with it; `base` and `changes` are then what could be read."""

    title: str = ""
    about: str = ""
    source: str = ""
    base: str = "standard"  # a text, yet unread
    changes: dict[str, Value] = field(default_factory=dict)  # of known parameters
    faults: tuple[str, ...] = ()


def find(reference: str) -> tuple[str, UserVariant]:
    """A variant by `path/to/mine.toml#name`, or `mine.toml` if the file has only one: its canonical text, with the path as written.

    FormError with every mistake of the file's form, or a sentence about the reference.
    """
    written = _REFERENCE.fullmatch(reference)
    path, name = written.groups() if written else (_path_of(reference), "")
    found = read(path)
    chosen = name if name is not None else next(iter(found))
    if name is None and len(found) > 1:
        raise TomlError(
            [
                f"{path} has several variants; say which: {_listed(f'{path}#{one}' for one in found)}."
            ]
        )
    if chosen not in found:
        near = did_you_mean(chosen, found)
        raise TomlError([f"{path} has no variant {shown(chosen)}; it has {_listed(found)}{near}"])
    return f"{path}#{chosen}", found[chosen]


def read(path: str) -> Mapping[str, UserVariant]:
    """The variants of a file by name, sound or not. FormError if it is none: with one sentence, or one for every mistake in it."""
    if sentence := path_fault(path):
        raise TomlError([sentence])
    raw = toml.read_tables(
        Path(path), "name a file of variants, or make one with `simgin variants new`"
    )
    tables = raw.get("variants")
    found = (
        {name: _entry(path, name, table) for name, table in tables.items()}
        if isinstance(tables, dict)
        else {}
    )
    try:
        _File.model_validate(raw)
    except ValidationError as error:
        own = [fault for entry in found.values() for fault in entry.faults]
        raise TomlError(
            toml.describe_mistakes(path, error, lambda _: _File.model_fields) + own
        ) from None
    return found


def path_fault(path: str) -> str:
    """A sentence if a path cannot be part of a variant's text, else nothing."""
    if not path.isprintable():
        return f"{shown(path)} is no path of a file of variants: it has characters that cannot be printed."
    if path != path.strip():
        return f"{shown(path)} begins or ends with a blank, which a variant's text cannot carry: rename the file."
    if not path.endswith(SUFFIX):
        return f"{shown(path)} is no file of variants: such a file is named like mine.toml, and a variant in it like mine.toml#club."
    if any(sign in path for sign in "+=#"):
        return f"{shown(path)} has a sign in its path that a variant's text cannot carry (+ = or #): rename the file or its folder."
    return ""


def _path_of(reference: str) -> str:
    """The path in a reference that is not well formed."""
    return (
        reference
        if reference.endswith(SUFFIX) or "#" not in reference
        else reference.rpartition("#")[0]
    )


def _listed(names: Iterable[str], most: int = 8) -> str:
    first = list(islice(names, most + 1))
    return ", ".join(first[:most]) + (" and more" if len(first) > most else "")


def _entry(path: str, name: str, raw: Any) -> UserVariant:
    faults = _name_faults(path, name)
    try:
        _Entry.model_validate(raw)
    except ValidationError as error:
        faults += toml.describe_mistakes(
            path, error, lambda _: _Entry.model_fields, inside=("variants", name)
        )
    table = raw if isinstance(raw, dict) else {}
    words = {
        key: table[key]
        for key in ("title", "about", "source", "base")
        if isinstance(table.get(key), str)
    }
    changes = table.get("changes", {})
    settings = (
        [_Setting(key, value) for key, value in changes.items()]
        if isinstance(changes, dict)
        else []
    )
    faults += [
        f"{path}: variants, {name}, changes: {setting.fault}"
        for setting in settings
        if setting.fault
    ]
    return UserVariant(
        **words,
        changes={one.name: one.value for one in settings if one.name in parameters()},
        faults=tuple(faults),
    )


def _name_faults(path: str, name: str) -> list[str]:
    if name in variants_file()["variants"]:
        return [
            f"{path}: variants, {name}: simgin has a variant of this name; call yours something else, like my-{name}."
        ]
    if NAME.fullmatch(name):
        return []
    return [
        f"{path}: variants, {shown(name)}: a name is made of a-z, 0-9 and -; write it so, like [variants.my-game]."
    ]


class _Setting:
    """One line of a table of changes: a parameter, and its value in the types of TOML or as on the command line."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        parameter = parameters().get(name)
        self.value = parameter.read(value) if parameter and isinstance(value, str) else value
        self.fault = parameter.fault(self.value) if parameter else unknown_parameter(name)
