"""Variants: named rows of parameters, and texts that compose them, like `oklahoma+rainbow+gin_bonus=20`.

A text is `name{+name}{+parameter=value}`. Each part contributes its differences from `standard` in the order written,
and the later one wins (rules.md 10.17). The named rows are in variants.toml, which is read at the first use; a row of
a user's own file is named `path/to/file.toml#name`, or `file.toml` if the file has only one.
"""

import copy
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from simgin.rules.goals import Goal, goal_of
from simgin.rules.parameters import Parameter, Value, parameters, variants_file
from simgin.rules.validation import unknown_parameter, validate
from simgin.text.messages import did_you_mean, shown, value_text

if TYPE_CHECKING:
    from simgin.rules.user_files import UserVariant

__all__ = [
    "Parameter",
    "Variant",
    "VariantError",
    "difference",
    "find",
    "names",
    "variants_in_file",
]
__all__ += ["Value", "parameters", "validate", "value_text"]


class VariantError(ValueError):
    """A text that is no game. `sentences` has everything that is wrong with it; the message has one sentence a line."""

    def __init__(self, sentences: list[str]):
        super().__init__("\n".join(sentences))
        self.sentences = sentences

    def __reduce__(
        self,
    ) -> tuple[Any, ...]:  # pickled as its sentences, since its argument is not its message
        return VariantError, (self.sentences,)


@dataclass(frozen=True)
class Variant:
    """A game: its canonical text and a value for every parameter (`row`, in the order of the table; None is a dash)."""

    text: str
    row: dict[str, Value] = field(hash=False)
    title: str
    about: str
    source: str = ""

    @property
    def goal(self) -> Goal:
        """What wins a match."""
        return goal_of(self.row)


def names() -> tuple[str, ...]:
    """The names of all variants that have one, two-player games first, customary extras last."""
    return tuple(variants_file()["variants"])


def find(text: str) -> Variant:
    """The variant that a text like `oklahoma+gin_bonus=20` names; VariantError with everything that is wrong with it.

    Values: yes or no; numbers; words; 40/60 for two numbers; 30:4/60:3 for a table; - for a dash. The canonical text
    has the names as written (each once), then what differs from them, in the order of the table of parameters; a
    variant of a user's file is `path#name`, with the path as written.
    """
    text = str(text)
    try:
        return _sound(*_read(text, _homemade))
    except VariantError:
        if fault := _with_plus(text):
            raise VariantError([fault]) from None
        raise


def variants_in_file(path: str) -> dict[str, "Variant | VariantError"]:
    """The variants of a user's file by their texts, or what is wrong with them; VariantError if it is no such file."""
    from simgin.rules import user_files
    from simgin.text import toml

    try:
        entries = user_files.read(path)
    except toml.TomlError as error:
        raise VariantError(error.sentences) from None
    found: dict[str, Variant | VariantError] = {}
    for name, entry in entries.items():
        part = _own(f"{path}#{name}", entry)
        try:
            found[part.text] = _sound([part], list(part.faults))
        except VariantError as error:
            found[part.text] = error
    return found


def difference(a: Variant, b: Variant) -> list[tuple[str, Value, Value]]:
    """(parameter, value in a, value in b) wherever two variants differ, in the order of the table."""
    return [(name, a.row[name], b.row[name]) for name in parameters() if a.row[name] != b.row[name]]


def __getattr__(name: str) -> Any:
    """PARAMETERS, the table of parameters, read only when it is asked for."""
    if name == "PARAMETERS":
        return parameters()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class _Part:
    """What a part of a text stands for: a row that has a name, or a setting of one parameter, or (not known) nothing."""

    text: str  # canonical
    changes: dict[str, Value] = field(default_factory=dict)
    titles: tuple[str, str, str] | None = None  # title, about and source of a row that has a name
    faults: tuple[str, ...] = ()
    known: bool = True


def _read(text: str, file: Callable[[str], _Part]) -> tuple[list[_Part], list[str]]:
    """The parts of a text as they are written, and what is wrong with them; `file` reads one that means a row of a user's file."""
    pieces = [piece.strip() for piece in text.split("+")]
    parts = [file(piece) if _means_a_file(piece) else _part(piece, text) for piece in pieces]
    sentences = [fault for part in parts for fault in part.faults]
    if "=" in pieces[0] and not _means_a_file(pieces[0]):
        sentences.append(
            f"a variant begins with a name, and {shown(pieces[0])} is a setting: put standard+ before it."
        )
    return parts, sentences


def _sound(parts: list[_Part], sentences: list[str]) -> Variant:
    """The variant that parts make if nothing is wrong with them; else VariantError with that, and with what is wrong with their row."""
    if not sentences:
        return _variant(_merged(parts))
    if all(
        part.known for part in parts
    ):  # what is wrong with a value has been said, where it is in a file with its place
        sentences += [
            more
            for more in validate(_composed(_merged(parts)))
            if not any(said.endswith(more) for said in sentences)
        ]
    raise VariantError(list(dict.fromkeys(sentences)))


def _variant(parts: list[_Part]) -> Variant:
    """The variant made of sound parts; VariantError if it is refused."""
    row = _composed(parts)
    if sentences := validate(row):
        raise VariantError(sentences)
    named = [part for part in parts if part.titles is not None]
    plain = _composed(named)
    settings = [
        (name, parameters()[name].write(row[name]))
        for name in parameters()
        if row[name] != plain[name]
    ]
    titles, abouts, sources = zip(
        *(part.titles for part in named if part.titles is not None), strict=True
    )
    changed = ", ".join(f"{name} = {value}" for name, value in settings)
    return Variant(
        text="+".join(
            [*(part.text for part in named), *(f"{name}={value}" for name, value in settings)]
        ),
        row=row,
        title=" + ".join(titles) + (f", {changed}" if changed else ""),
        about=" ".join(abouts) + (f" Changed: {changed}." if changed else ""),
        source=", ".join(dict.fromkeys(filter(None, sources))),
    )


def _part(part: str, text: str) -> _Part:
    """What a part of a text stands for, with its faults."""
    name, equals, value = (piece.strip() for piece in part.partition("="))
    parameter = parameters().get(name)
    if part in names():
        return _shipped(part)
    if equals and parameter:
        read = parameter.read(value)
        fault = parameter.fault(read)
        return _Part(part, {name: read}, faults=(fault,) if fault else ())
    if equals:
        fault = unknown_parameter(name)
    elif not part:
        fault = f"{shown(text)} has an empty part: join names and settings by plus signs, like oklahoma+gin_bonus=20."
    elif parameter:
        fault = f"{part} is a parameter and needs a value, like {parameter.proposal()}."
    else:
        near = did_you_mean(part, names())
        remedy = " `simgin variants` lists them." if near == "." else ""
        fault = f"there is no variant {shown(part)}{near}{remedy}"
    return _Part(part, faults=(fault,), known=False)


@cache
def _shipped(name: str) -> _Part:
    entry = variants_file()["variants"][name]
    changes = {
        **(variants_file()["bases"][entry["base"]] if "base" in entry else {}),
        **entry.get("changes", {}),
    }
    read = {
        key: parameters()[key].read(value) if isinstance(value, str) else value
        for key, value in changes.items()
    }
    return _Part(name, read, (entry["title"], entry["about"], entry["source"]))


# Users' files


def _means_a_file(part: str) -> bool:
    name = part.partition("=")[0]
    return name.strip() not in parameters() and (
        ".toml" in part or "#" in part or "/" in name or os.sep in name
    )


def _homemade(part: str) -> _Part:
    """A row of a user's file. Pydantic is imported for it, and only then."""
    from simgin.rules import user_files
    from simgin.text import toml

    try:
        return _own(*user_files.find(part))
    except toml.TomlError as error:
        return _Part(part, faults=tuple(error.sentences), known=False)


def _own(text: str, entry: "UserVariant") -> _Part:
    """A row of a user's file: as every row, it adds its differences from `standard`, which those of its base are part of."""
    parts, faults = _read(entry.base, _no_base)
    row = {**_composed(_merged(parts)), **entry.changes}
    changes = {name: value for name, value in row.items() if value != parameters()[name].default}
    place = text.replace("#", ": variants, ", 1)
    faults = [*entry.faults, *(f"{place}, base: {fault}" for fault in faults)]
    return _Part(
        text,
        changes,
        (entry.title, entry.about, entry.source),
        tuple(faults),
        all(part.known for part in parts),
    )


def _no_base(part: str) -> _Part:
    """What a row of a file is in the base of another, so that none can be its own base."""
    fault = f"a base is made of simgin's own variants and settings, not of {shown(part)}: write what that changes instead."
    return _Part(part, faults=(fault,), known=False)


def _with_plus(text: str) -> str:
    """A sentence if a text that cannot be read is, as a whole, a file whose path has a plus sign."""
    path = text.strip().partition("#")[0]
    if "+" not in path or not os.path.isfile(path):
        return ""
    from simgin.rules import user_files

    return user_files.path_fault(path)


def _merged(parts: list[_Part]) -> list[_Part]:
    """The parts with every name once, where it stands last, and pairs that mean another row as that row."""
    for merge in variants_file()["merges"]:
        texts = [part.text for part in parts]
        if set(merge["names"]) <= set(texts):
            last = max(_last(texts, name) for name in merge["names"])
            parts = [
                _shipped(merge["means"]) if i == last else part for i, part in enumerate(parts)
            ]
            parts = [part for part in parts if part.text not in merge["names"]]
    texts = [part.text for part in parts]
    return [
        part for i, part in enumerate(parts) if part.titles is None or i == _last(texts, part.text)
    ]


def _last(texts: list[str], text: str) -> int:
    return len(texts) - 1 - texts[::-1].index(text)


def _composed(parts: list[_Part]) -> dict[str, Value]:
    """The row that parts make, with values of its own."""
    row = {name: parameter.default for name, parameter in parameters().items()}
    for part in parts:
        row.update(part.changes)
    return copy.deepcopy(row)
