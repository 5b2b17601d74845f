"""Reader for TOML files, whose error messages contain the file name and the key."""

import contextlib
import errno
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from simgin.text.files import read_text
from simgin.text.messages import (
    SimginError,
    format_value,
    spell_booleans_as_toml,
    suggest_spelling,
    truncate_errors,
)

MAX_TOML_BYTES = 1 << 20  # maximum size of a file, in bytes
# Maximum number of dots per line. tomllib needs quadratic time for dotted keys.
MAX_DOTS_PER_LINE = 300
KeyPath = tuple[str | int, ...]  # path of a key in a file, such as ("matchups", 0, "a")

# Pydantic loads the plug-ins of all installed packages when it creates the first model. If a
# plug-in is broken, its errors are ignored.
with contextlib.suppress(Exception):
    create_model("First")

_EXPECTED_TYPES = {
    "string_type": "a string in quotes",
    "int_type": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a [list]",
}


class TomlError(SimginError):
    """Exception for an invalid TOML file.

    Attributes:
        messages: Error messages, one for each problem in the file.
    """

    def __init__(self, messages: list[str]) -> None:
        self.messages = truncate_errors(messages)
        super().__init__("\n".join(self.messages))


class StrictTable(BaseModel):
    """Base class for TOML tables that reject unknown keys and do not convert values."""

    model_config = ConfigDict(extra="forbid", strict=True)


def read_toml_file(path: Path, hint: str) -> dict[str, Any]:
    """Return the contents of a TOML file as nested tables.

    Args:
        path: Path of the file.
        hint: Second sentence of the error message, without a full stop, such as "Specify a file".

    Raises:
        TomlError: If the file cannot be read or parsed.
    """
    try:
        text = read_text(path, MAX_TOML_BYTES)
        if max(line.count(".") for line in text.split("\n")) > MAX_DOTS_PER_LINE:
            raise OSError(errno.E2BIG, f"a line has more than {MAX_DOTS_PER_LINE} dots")
        return tomllib.loads(text)
    except OSError as error:
        sentence = f"{path} cannot be read ({error.strerror}). {hint}."
    except UnicodeDecodeError:
        sentence = f"{path} is not UTF-8 text. Save it as UTF-8."
    except tomllib.TOMLDecodeError as error:
        sentence = f"{path} is not valid TOML ({error}). Correct the file."
    except RecursionError:
        sentence = f"{path} cannot be read (its lists or tables are nested too deeply). {hint}."
    except ValueError as error:  # int() and paths with a NUL character raise ValueError.
        has_long_number = "digits" in str(error)
        reason = "the file contains a number that is too long" if has_long_number else error
        sentence = f"{path} cannot be read ({reason}). {hint}."
    raise TomlError([sentence])


def describe_validation_errors(
    path: object,
    error: ValidationError,
    list_valid_keys: Callable[[KeyPath], Iterable[str]],
    key_prefix: KeyPath = (),
) -> list[str]:
    """Return an error message for each pydantic error in a file.

    Args:
        path: Path of the file, used in the error messages.
        error: Exception that pydantic raised.
        list_valid_keys: Function that returns the valid keys of the table with an unknown key.
        key_prefix: Key path of the validated part of the file.
    """
    sentences = []
    for details in error.errors(include_url=False):
        location = details["loc"]
        sentences.append(
            _format_error(path, (*key_prefix, *location), details, list_valid_keys(location))
        )
    return sentences


def _format_error(path: object, key_path: KeyPath, details: Any, known_keys: Iterable[str]) -> str:
    """Return the error message for one validation error."""
    key = _format_key_path(key_path)
    match details["type"]:
        case "extra_forbidden":
            suggestion = _suggest_key(str(key_path[-1]), list(known_keys))
            return f"{path}: {key} is not a valid key. {suggestion}"
        case "missing":
            return f"{path}: {key} is missing. Add it."
        case "value_error":
            message = spell_booleans_as_toml(str(details["ctx"]["error"]), details["input"])
            return f"{path}: {key}: " + " ".join(message.splitlines())
        case "too_short":
            min_length = details["ctx"]["min_length"]
            return f"{path}: {key} must have at least {min_length} value{'s' * (min_length > 1)}."
        case "string_too_short":
            return f"{path}: {key} must not be empty."
        case "string_too_long":
            max_length = details["ctx"]["max_length"]
            return f"{path}: {key} must have at most {max_length:,} characters."
        case "greater_than":
            return f"{path}: {key} must be greater than {details['ctx']['gt']:g}."
        case kind:
            expected = _EXPECTED_TYPES.get(kind, "a table of keys and values")
            message = f"{path}: {key} must be {expected}, not {format_value(details['input'])}."
            return spell_booleans_as_toml(message, details["input"])


def _format_key_path(key_path: KeyPath) -> str:
    """Format a key path for an error message, such as `matchups #1, a` for ("matchups", 0, "a")."""
    path_text = ""
    for key in key_path:
        path_text += f" #{key + 1}" if isinstance(key, int) else f", {_format_key(key)}"
    return path_text.removeprefix(", ")


def _format_key(key: str) -> str:
    """Format a key for an error message, in quotation marks if it is long or not printable."""
    return key if key.isprintable() and 0 < len(key) <= 60 else format_value(key)


def _suggest_key(key: str, known_keys: list[str]) -> str:
    """Return a suggestion for a misspelt key, or a list of all valid keys."""
    suggestion = suggest_spelling(key, known_keys)
    if suggestion != ".":
        return suggestion.removeprefix(". ").replace("'", "")
    return f"Valid keys: {', '.join(known_keys)}."
