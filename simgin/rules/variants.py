"""Variants: named sets of rules, and texts that compose them, like `oklahoma+rainbow+gin_bonus=20`.

A text is `name{+name}{+parameter=value}`. Each part contributes its differences from `standard` in
the order written, and the later one wins (rules.md 10.17). The named variants are in variants.toml;
a variant of a user's own file is named `path/to/file.toml#name`, or `file.toml` if the file has
only one.
"""

import copy
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from simgin.rules.parameters import Goal, Parameter, Value, goal_of, parameters, variants_file
from simgin.rules.validation import unknown_parameter, validate, warn
from simgin.text.messages import did_you_mean, first_mistakes, shown, value_text

if TYPE_CHECKING:
    from simgin.rules.user_files import UserVariant

__all__ = ["Parameter", "Variant", "VariantError", "difference", "find", "names"]
__all__ += ["Value", "parameters", "validate", "value_text", "variants_in_file"]


class VariantError(ValueError):
    """A text that is not a variant: a sentence for every mistake, each on a line of the message."""

    def __init__(self, sentences: list[str]):
        self.sentences = first_mistakes(sentences)
        super().__init__("\n".join(self.sentences))

    # Exceptions are pickled by their arguments, and the message is not the argument of this one.
    def __reduce__(self) -> tuple[Any, ...]:
        """What makes it anew."""
        return VariantError, (self.sentences,)


@dataclass(frozen=True)
class Variant:
    """The rules of a game."""

    text: str  # canonical
    row: dict[str, Value] = field(hash=False)  # a value for every parameter, in their order
    title: str
    about: str
    source: str = ""
    # The parameters that its author set, in a text or a file, and not a built-in name
    typed: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"Variant({self.text!r})"

    @property
    def goal(self) -> Goal:
        """What wins a match."""
        return goal_of(self.row)


def names() -> tuple[str, ...]:
    """The names of all built-in variants: two players first, customary extras last."""
    return tuple(variants_file()["variants"])


def find(text: "str | Variant") -> Variant:
    """The variant that a text like `oklahoma+gin_bonus=20` names; a variant is itself.

    Values are yes or no, numbers, words, 40/60 for two numbers, 30:4/60:3 for a table, - for a
    dash. The canonical text has the names as written (each once, at its last place), then the
    settings that differ from them, in the order of the parameters.

    Raises VariantError with everything that is wrong. Warns of settings without effect.
    """
    if isinstance(text, Variant):
        return text
    text = str(text)
    try:
        parts, sentences = _read(text, _part_of_file)
        return _variant_of(parts, sentences)
    except VariantError:
        fault = _path_with_plus(text)
        if fault:
            raise VariantError([fault]) from None
        raise


def variants_in_file(path: str) -> dict[str, "Variant | VariantError"]:
    """The variants of a user's file by their texts, or what is wrong with them.

    Raises VariantError if the file cannot be read.
    """
    from simgin.rules import user_files
    from simgin.text import toml

    try:
        entries = user_files.read(path)
    except toml.TomlError as error:
        raise VariantError(error.sentences) from None
    found: dict[str, Variant | VariantError] = {}
    for name, entry in entries.items():
        part = _user_part(f"{path}#{name}", entry)
        faults = list(part.faults)
        try:
            found[part.text] = _variant_of([part], faults)
        except VariantError as error:
            found[part.text] = error
    return found


def difference(a: Variant, b: Variant) -> list[tuple[str, Value, Value]]:
    """(parameter, value in a, value in b) wherever they differ, in the order of parameters."""
    return [(name, a.row[name], b.row[name]) for name in parameters() if a.row[name] != b.row[name]]


# Texts


@dataclass(frozen=True)
class _Part:
    """A part of a text: a named variant, or a setting of one parameter."""

    text: str  # canonical
    changes: dict[str, Value] = field(default_factory=dict)
    titles: tuple[str, str, str] | None = None  # title, about and source of a named variant
    faults: tuple[str, ...] = ()
    known: bool = True  # whether the name is known, so that `changes` can be judged
    typed: tuple[str, ...] = ()  # the parameters set in it by the author of the text or file


def _read(text: str, read_file: Callable[[str], _Part]) -> tuple[list[_Part], list[str]]:
    """The parts of a text, and what is wrong with them; `read_file` reads those of users' files."""
    pieces = [piece.strip() for piece in text.split("+")]
    parts = [read_file(piece) if _names_file(piece) else _part(piece, text) for piece in pieces]
    sentences = [fault for part in parts for fault in part.faults]
    if "=" in pieces[0] and not _names_file(pieces[0]):
        sentences.append(
            f"a variant begins with a name, and {shown(pieces[0])} is a setting: "
            "put standard+ before it."
        )
    return parts, sentences


def _part(piece: str, text: str) -> _Part:
    """A part of a text that is not in a user's file, with its faults."""
    name, equals, value = map(str.strip, piece.partition("="))
    parameter = parameters().get(name)
    if piece in names():
        return _built_in_part(piece)
    if equals and parameter:
        setting = parameter.read(value)
        fault = parameter.fault(setting)
        return _Part(piece, {name: setting}, faults=(fault,) if fault else (), typed=(name,))
    if equals:
        fault = unknown_parameter(name)
    elif not piece:
        fault = (
            f"{shown(text)} has an empty part: join names and settings with plus signs, "
            "like oklahoma+gin_bonus=20."
        )
    elif parameter:
        fault = f"{piece} is a parameter and needs a value, like {parameter.proposal()}."
    else:
        near = did_you_mean(piece, names())
        remedy = " `simgin variants` lists them." if near == "." else ""
        fault = f"there is no variant {shown(piece)}{near}{remedy}"
    return _Part(piece, faults=(fault,), known=False)


@cache
def _built_in_part(name: str) -> _Part:
    tables = variants_file()
    entry = tables["variants"][name]
    changes = tables["bases"].get(entry.get("base"), {}) | entry.get("changes", {})
    for key, value in changes.items():
        if isinstance(value, str):
            changes[key] = parameters()[key].read(value)
    return _Part(name, changes, (entry["title"], entry["about"], entry["source"]))


def _variant_of(parts: list[_Part], sentences: list[str]) -> Variant:
    """The variant that parts make; VariantError with the sentences and what is wrong besides."""
    merged = _merge(parts)
    if sentences and not all(part.known for part in parts):
        raise VariantError(list(dict.fromkeys(sentences)))
    params = _compose(merged)
    # A fault of a file is among the sentences already, with its place.
    said = tuple(sentences)
    for fault in validate(params):
        if not any(sentence.endswith(fault) for sentence in said):
            sentences.append(fault)
    if sentences:
        raise VariantError(list(dict.fromkeys(sentences)))
    typed = {name for part in parts for name in part.typed if params[name] is not None}
    variant = replace(_variant(merged, params), typed=tuple(filter(typed.__contains__, params)))
    idle = [name for name in variant.typed if not parameters()[name].acts(params)]
    # A setting without which the rules are refused has that effect.
    idle = [name for name in idle if not validate(_without(name, parts))]
    warn(variant.text, [parameters()[name].idle(params) for name in idle])
    return variant


def warn_of_match_rules(variant: Variant) -> None:
    """Warn of the settings of a variant that have no effect on single deals."""
    known = [parameters()[name] for name in variant.typed]
    names = [one.name for one in known if one.matches_only and one.acts(variant.row)]
    warn(
        variant.text, [f"{name} has no effect on single deals. It needs matches." for name in names]
    )


def _without(name: str, parts: list[_Part]) -> dict[str, Value]:
    """The value of every parameter that parts make without their typed setting of one."""
    kept = []
    for part in parts:
        others = {key: value for key, value in part.changes.items() if key != name}
        kept.append(replace(part, changes=others) if name in part.typed else part)
    return _compose(_merge(kept))


def _variant(parts: list[_Part], params: dict[str, Value]) -> Variant:
    """The variant of sound parts with its canonical text."""
    named = [part for part in parts if part.titles is not None]
    unchanged = _compose(named)
    settings = []
    for name, parameter in parameters().items():
        if params[name] != unchanged[name]:
            settings.append((name, parameter.write(params[name])))
    titles, abouts, sources = zip(*[part.titles for part in named if part.titles], strict=True)
    texts = [part.text for part in named] + [f"{name}={value}" for name, value in settings]
    title, about = " + ".join(titles), " ".join(abouts)
    if settings:
        changed = ", ".join(f"{name} = {value}" for name, value in settings)
        title += f", {changed}"
        about += f" Changed: {changed}."
    known_sources = dict.fromkeys(filter(None, sources))
    return Variant("+".join(texts), params, title, about, ", ".join(known_sources))


def _merge(parts: list[_Part]) -> list[_Part]:
    """The parts with each name once, at its last place, and pairs replaced that have a name."""
    for merge in variants_file()["merges"]:
        pair = merge["names"]
        texts = [part.text for part in parts]
        if not set(pair) <= set(texts):
            continue
        last = max(_last(texts, name) for name in pair)
        parts = [*parts[:last], _built_in_part(merge["means"]), *parts[last + 1 :]]
        parts = [part for part in parts if part.text not in pair]
    texts = [part.text for part in parts]
    return [
        part for i, part in enumerate(parts) if part.titles is None or i == _last(texts, part.text)
    ]


def _last(texts: list[str], text: str) -> int:
    return len(texts) - 1 - texts[::-1].index(text)


def _compose(parts: list[_Part]) -> dict[str, Value]:
    """The value of every parameter that parts make, in lists of its own."""
    params = {name: parameter.default for name, parameter in parameters().items()}
    for part in parts:
        params.update(part.changes)
    lists = {name: value for name, value in params.items() if isinstance(value, list)}
    return params | copy.deepcopy(lists)


# Users' files


def _names_file(piece: str) -> bool:
    """Whether a part of a text names a variant of a user's file."""
    name = piece.partition("=")[0]
    if name.strip() in parameters():
        return False
    if ".toml" in piece.lower() or "#" in piece:
        return True
    return "/" in name or os.sep in name


def _part_of_file(piece: str) -> _Part:
    """A variant of a user's file. Pydantic is imported for it, and only then."""
    from simgin.rules import user_files
    from simgin.text import toml

    try:
        text, entry = user_files.find(piece)
        return _user_part(text, entry)
    except toml.TomlError as error:
        return _Part(piece, faults=tuple(error.sentences), known=False)


def _user_part(text: str, entry: "UserVariant") -> _Part:
    """A user's variant: its differences from `standard`, those of its base included."""
    parts, base_faults = _read(entry.base, _no_base)
    params = _compose(_merge(parts)) | entry.changes
    known = parameters()
    changes = {name: value for name, value in params.items() if value != known[name].default}
    place = text.replace("#", ": variants, ", 1)
    faults = [*entry.faults, *(f"{place}, base: {fault}" for fault in base_faults)]
    return _Part(
        text=text,
        changes=changes,
        titles=(entry.title, entry.about, entry.source),
        faults=tuple(faults),
        known=all(part.known for part in parts),
        typed=(*entry.changes, *(name for part in parts for name in part.typed)),
    )


def _no_base(piece: str) -> _Part:
    """A user's variant as the base of another, which is refused, so that none is its own base."""
    fault = (
        f"a base is made of simgin's own variants and settings, not of {shown(piece)}: "
        "list the changes that it makes instead."
    )
    return _Part(piece, faults=(fault,), known=False)


def _path_with_plus(text: str) -> str:
    """A sentence if a text that cannot be read is the path of a file with a plus sign in it."""
    path = text.strip().partition("#")[0]
    if "+" not in path or not os.path.isfile(path):
        return ""
    from simgin.rules import user_files

    return user_files.path_fault(path)
