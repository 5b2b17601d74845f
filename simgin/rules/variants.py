"""Variants: named sets of rules, and specs that combine them, like `oklahoma+gin_bonus=20`.

A spec is `name{+name}{+parameter=value}`. Each part contributes its differences from `standard`, in
the order written, and later parts override earlier ones (rules.md 10.17). The built-in variants are
defined in variants.toml. A variant of a user's file is named `path/to/file.toml#name`, or
`file.toml` if the file has only one.
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
    """Error for a spec that is not a valid variant.

    Attributes:
        messages: Error messages, one per mistake and per line of the exception's message.
    """

    def __init__(self, sentences: list[str]):
        self.sentences = first_mistakes(sentences)
        super().__init__("\n".join(self.sentences))

    # Exceptions are pickled with their arguments, and the argument of this one is not its message.
    def __reduce__(self) -> tuple[Any, ...]:
        """Return the constructor and its argument, for pickle."""
        return VariantError, (self.sentences,)


@dataclass(frozen=True)
class Variant:
    """Rules of a game.

    Attributes:
        text: Canonical spec.
        params: Value of every parameter, in the order of `rule_parameters`.
        title: Title for people.
        about: Description.
        source: Origin of the rules; empty if unknown.
        author_settings: Parameters set in the spec or by the author of the file rather than by a
            built-in variant.
    """

    text: str
    row: dict[str, Value] = field(hash=False)
    title: str
    about: str
    source: str = ""
    typed: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"Variant({self.text!r})"

    @property
    def goal(self) -> Goal:
        """Goal of a match."""
        return goal_of(self.row)


def names() -> tuple[str, ...]:
    """Return the names of all built-in variants: two-player variants first, extras last."""
    return tuple(variants_file()["variants"])


def find(text: "str | Variant") -> Variant:
    """Return the variant that a spec names.

    Values are yes or no, integers, words, `40/60` for two numbers, `30:4/60:3` for a table, and `-`
    for a parameter without effect. The canonical spec has the names as written (each once, at its
    last position), followed by the settings that differ from them, in the order of the parameters.
    Settings without effect cause a RulesWarning.

    Args:
        text: Spec such as `oklahoma+gin_bonus=20`. A Variant is returned unchanged.

    Raises:
        VariantError: The spec is not valid. The message lists every mistake.

    Example:
        >>> find_variant("oklahoma+gin_bonus=20").params["gin_bonus"]
        20
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
    """Return the variants of a user's file by canonical spec.

    A variant that is not valid is mapped to its VariantError.

    Raises:
        VariantError: The file cannot be read.
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
    """Return (parameter, value in a, value in b) for each difference, in parameter order."""
    return [(name, a.row[name], b.row[name]) for name in parameters() if a.row[name] != b.row[name]]


# Specs


@dataclass(frozen=True)
class _Part:
    """Part of a spec: a named variant, or a setting of one parameter."""

    text: str  # canonical spec
    changes: dict[str, Value] = field(default_factory=dict)
    titles: tuple[str, str, str] | None = None  # (title, about, source) of a named variant
    faults: tuple[str, ...] = ()
    known: bool = True  # False for an unknown name, so that `changes` is incomplete
    typed: tuple[str, ...] = ()  # parameters set by the author of the spec or file


def _read(text: str, read_file: Callable[[str], _Part]) -> tuple[list[_Part], list[str]]:
    """Parse the parts of a spec.

    Args:
        text: Variant spec.
        read_file: Function that parses a part which refers to a user's file.

    Returns:
        (parts, error messages).
    """
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
    """Parse a part of a spec that does not refer to a user's file, with its errors."""
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
    """Combine parts into a variant.

    Raises:
        VariantError: The parts have errors (`sentences`), or their combination is not playable.
    """
    merged = _merge(parts)
    if sentences and not all(part.known for part in parts):
        raise VariantError(list(dict.fromkeys(sentences)))
    params = _compose(merged)
    # An error in a file has been reported already, with its location.
    said = tuple(sentences)
    for fault in validate(params):
        if not any(sentence.endswith(fault) for sentence in said):
            sentences.append(fault)
    if sentences:
        raise VariantError(list(dict.fromkeys(sentences)))
    typed = {name for part in parts for name in part.typed if params[name] is not None}
    variant = replace(_variant(merged, params), typed=tuple(filter(typed.__contains__, params)))
    idle = [name for name in variant.typed if not parameters()[name].acts(params)]
    # A setting without which the rules would not be valid has an effect.
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
    """Return the parameters that parts make without the author's setting of one parameter."""
    kept = []
    for part in parts:
        others = {key: value for key, value in part.changes.items() if key != name}
        kept.append(replace(part, changes=others) if name in part.typed else part)
    return _compose(_merge(kept))


def _variant(parts: list[_Part], params: dict[str, Value]) -> Variant:
    """Return the variant of valid parts, with its canonical spec."""
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
    """Return the parts with each name once, at its last position, and known pairs combined."""
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
    """Return the value of every parameter that parts make, with new lists."""
    params = {name: parameter.default for name, parameter in parameters().items()}
    for part in parts:
        params.update(part.changes)
    lists = {name: value for name, value in params.items() if isinstance(value, list)}
    return params | copy.deepcopy(lists)


# Users' files


def _names_file(piece: str) -> bool:
    """Return True if a part of a spec refers to a variant of a user's file."""
    name = piece.partition("=")[0]
    if name.strip() in parameters():
        return False
    if ".toml" in piece.lower() or "#" in piece:
        return True
    return "/" in name or os.sep in name


def _part_of_file(piece: str) -> _Part:
    """Parse a reference to a user's file; pydantic is imported only for this."""
    from simgin.rules import user_files
    from simgin.text import toml

    try:
        text, entry = user_files.find(piece)
        return _user_part(text, entry)
    except toml.TomlError as error:
        return _Part(piece, faults=tuple(error.sentences), known=False)


def _user_part(text: str, entry: "UserVariant") -> _Part:
    """Return a user's variant as its differences from `standard`, with those of its base."""
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
    """Return an error for a user's variant as a base, so that no variant is its own base."""
    fault = (
        f"a base is made of simgin's own variants and settings, not of {shown(piece)}: "
        "list the changes that it makes instead."
    )
    return _Part(piece, faults=(fault,), known=False)


def _path_with_plus(text: str) -> str:
    """Return an error message if an invalid spec is the path of a file with a plus sign."""
    path = text.strip().partition("#")[0]
    if "+" not in path or not os.path.isfile(path):
        return ""
    from simgin.rules import user_files

    return user_files.path_fault(path)
