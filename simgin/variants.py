"""Variants: named rows of parameters, and texts that compose them, like `oklahoma+rainbow+gin_bonus=20`.

A text is `name{+name}{+parameter=value}`. Each part contributes its differences from `standard` in the order written,
and the later one wins (RULES.md 10.17). The named rows are in variants.toml, which is read at the first use.
"""

import copy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from simgin.parameters import Parameter, Value, book, did_you_mean, parameters, shown, value_text
from simgin.refusals import unknown_parameter, validate

__all__ = ["Parameter", "Variant", "VariantError", "difference", "find", "names"]
__all__ += ["Value", "parameters", "validate", "value_text"]


class VariantError(ValueError):
    """A text that is no game. `sentences` has everything that is wrong with it; the message has one sentence a line."""

    def __init__(self, sentences: list[str]):
        super().__init__("\n".join(sentences))
        self.sentences = sentences

    def __reduce__(self) -> tuple[Any, ...]:  # pickled as its sentences, since its argument is not its message
        return VariantError, (self.sentences,)


@dataclass(frozen=True)
class Variant:
    """A game: its canonical text and a value for every parameter (`row`, in the order of the table; None is a dash)."""

    text: str
    row: dict[str, Value] = field(hash=False)
    title: str
    about: str
    source: str = ""


def names() -> tuple[str, ...]:
    """The names of all variants that have one, two-player games first, customary extras last."""
    return tuple(book()["variants"])


def find(text: str) -> Variant:
    """The variant that a text like `oklahoma+gin_bonus=20` names; VariantError with everything that is wrong with it.

    Values: yes or no; numbers; words; 40/60 for two numbers; 30:4/60:3 for a table; - for a dash. The canonical text
    has the names as written (each once), then what differs from them, in the order of the table of parameters.
    """
    parts = [part.strip() for part in str(text).split("+")]
    sentences = [sentence for part in parts if (sentence := _fault(part, text))]
    if "=" in parts[0]:
        sentences.append(f"a variant begins with a name, and {shown(parts[0])} is a setting: put standard+ before it.")
    if sentences:
        raise VariantError(_with_refusals(sentences, parts))
    return _variant(_merged(parts))


def difference(a: Variant, b: Variant) -> list[tuple[str, Value, Value]]:
    """(parameter, value in a, value in b) wherever two variants differ, in the order of the table."""
    return [(name, a.row[name], b.row[name]) for name in parameters() if a.row[name] != b.row[name]]


def __getattr__(name: str) -> Any:
    """PARAMETERS, the table of parameters, read only when it is asked for."""
    if name == "PARAMETERS":
        return parameters()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _variant(parts: list[str]) -> Variant:
    """The variant made of readable parts; VariantError if it is refused."""
    row = _composed(parts)
    if sentences := validate(row):
        raise VariantError(sentences)
    named = [part for part in parts if "=" not in part]
    plain = _composed(named)
    settings = [(name, parameters()[name].write(row[name])) for name in parameters() if row[name] != plain[name]]
    entries = [book()["variants"][name] for name in named]
    changed = ", ".join(f"{name} = {value}" for name, value in settings)
    return Variant(
        text="+".join([*named, *(f"{name}={value}" for name, value in settings)]),
        row=row,
        title=" + ".join(entry["title"] for entry in entries) + (f", {changed}" if changed else ""),
        about=" ".join(entry["about"] for entry in entries) + (f" Changed: {changed}." if changed else ""),
        source=", ".join(dict.fromkeys(entry["source"] for entry in entries)),
    )


def _fault(part: str, text: str) -> str:
    """A sentence if a part of a text is neither a name nor a setting of a parameter."""
    name, equals, value = (piece.strip() for piece in part.partition("="))
    parameter = parameters().get(name)
    if equals:
        return parameter.fault(parameter.read(value)) if parameter else unknown_parameter(name)
    if part in names():
        return ""
    if not part:
        return f"{shown(text)} has an empty part: join names and settings by plus signs, like oklahoma+gin_bonus=20."
    if parameter:
        return f"{part} is a parameter and needs a value, like {parameter.proposal()}."
    near = did_you_mean(part, names())
    remedy = " `simgin variants` lists them." if near == "." else ""
    return f"there is no variant {shown(part)}{near}{remedy}"


def _with_refusals(sentences: list[str], parts: list[str]) -> list[str]:
    """Sentences about single parts, and, if every part is known, what is wrong with the row that they make."""
    settings = [part.partition("=")[0].strip() for part in parts if "=" in part]
    if all(part in names() for part in parts if "=" not in part) and all(name in parameters() for name in settings):
        sentences = sentences + validate(_composed(_merged(parts)))
    return list(dict.fromkeys(sentences))


def _merged(parts: list[str]) -> list[str]:
    """The parts with every name once, where it stands last, and pairs that mean another row under that row's name."""
    for merge in book()["merges"]:
        if set(merge["names"]) <= set(parts):
            last = max(_last(parts, name) for name in merge["names"])
            parts = [merge["means"] if i == last else part for i, part in enumerate(parts)]
            parts = [part for part in parts if part not in merge["names"]]
    return [part for i, part in enumerate(parts) if "=" in part or i == _last(parts, part)]


def _last(parts: list[str], part: str) -> int:
    return len(parts) - 1 - parts[::-1].index(part)


def _composed(parts: list[str]) -> dict[str, Value]:
    """The row that known names and settings make, with values of its own."""
    row = {name: parameter.default for name, parameter in parameters().items()}
    for part in parts:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        row.update({name: parameters()[name].read(value)} if equals else _differences(part))
    return copy.deepcopy(row)


@cache
def _differences(name: str) -> dict[str, Value]:
    """What a named row changes in `standard`."""
    entry = book()["variants"][name]
    changes = {**(book()["bases"][entry["base"]] if "base" in entry else {}), **entry.get("changes", {})}
    return {key: parameters()[key].read(value) if isinstance(value, str) else value for key, value in changes.items()}
