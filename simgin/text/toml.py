"""TOML files that people write, against the form that they should have: every mistake a sentence that names the file and the key."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from simgin.text.messages import did_you_mean, shown

Location = tuple[str | int, ...]  # where in a file: ("matchups", 0, "a")


class FormError(ValueError):
    """A file that cannot be used; one sentence for every mistake in `sentences`, a line each in the message."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = sentences


class Form(BaseModel):
    """A table of known keys whose values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


def read_tables(path: Path, wanted: str) -> dict[str, Any]:
    """The tables of a TOML file; FormError with one sentence if it has none. `wanted` is the remedy, like "name an experiment file"."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        sentence = f"{path} cannot be read ({error.strerror}); {wanted}."
    except UnicodeDecodeError:
        sentence = f"{path} is not text in UTF-8; save it as such."
    except tomllib.TOMLDecodeError as error:
        sentence = f"{path} is not valid TOML: {error}."
    except RecursionError:
        sentence = f"{path} cannot be read: its lists or tables are nested too deep; {wanted}."
    except (
        ValueError
    ) as error:  # a number of thousands of digits, which int() refuses; a path with a NUL
        sentence = f"{path} cannot be read: {str(error).partition(':')[0]}; {wanted}."
    raise FormError([sentence])


def describe_mistakes(
    path: object,
    error: ValidationError,
    known: Callable[[Location], Iterable[str]],
    inside: Location = (),
) -> list[str]:
    """A sentence for every mistake that pydantic found in a file, or in the part of it that lies at `inside`.

    `known` gives the keys that there may be where an unknown one stands.
    """
    return [
        _sentence(path, (*inside, *one["loc"]), one, known(one["loc"]))
        for one in error.errors(include_url=False)
    ]


def _sentence(path: object, location: Location, mistake: Any, known: Iterable[str]) -> str:
    key = _key(location)
    match mistake["type"]:
        case "extra_forbidden":
            return f"{path}: unknown key {key}{_nearest(str(location[-1]), list(known))}"
        case "missing":
            return f"{path}: {key} is missing; add it."
        case "value_error":
            return f"{path}: {key}: " + " ".join(str(mistake["ctx"]["error"]).splitlines())
        case "too_short" | "string_too_short":
            least = mistake["ctx"]["min_length"]
            return f"{path}: {key} is too short; give at least {least}."
        case _:
            return f"{path}: {key} is {shown(mistake['input'])}; {_wanted(mistake['type'])}."


def _key(location: Location) -> str:
    """Where in a file, entries counted from one: ("matchups", 0, "a") is "matchups #1, a"."""
    parts = "".join(
        f" #{part + 1}" if isinstance(part, int) else f", {_plain(part)}" for part in location
    )
    return parts.removeprefix(", ")


def _plain(key: str) -> str:
    """A key as it is written, in quotation marks where it would not be seen for what it is, or is long."""
    return key if key.isprintable() and 0 < len(key) <= 60 else shown(key)


def _wanted(kind: str) -> str:
    wanted = {
        "string_type": "write a text in quotes",
        "int_type": "write a whole number",
        "list_type": "write a [list]",
    }
    return wanted.get(kind, "write a table of keys and values")


def _nearest(key: str, known: list[str]) -> str:
    near = did_you_mean(key, known)
    return near.replace("'", "") if near != "." else f"; known here are {', '.join(known)}."
