"""A file of variants to start from: one variant, with every rule in a comment."""

import json
import textwrap
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from simgin.rules.parameters import Parameter, Value, parameters
from simgin.rules.variants import Variant, difference, find, names
from simgin.text.files import plain_name

WIDTH = 100


def variant_name(path: str) -> str:
    """A name for the first variant of a file, made from the file's own."""
    plain = plain_name(Path(path)) or "mine"
    return f"my-{plain}" if plain in names() else plain


def variant_file(path: str, start: Variant) -> str:
    """A file of variants with one in it, which is the game `start` until somebody takes the # away from a line."""
    name = variant_name(path)
    own = ".toml" in start.text  # of a file, which a base may not be
    settings = difference(find("standard"), start) if own else []
    live = [f"{key} = {_value(parameters()[key], value)}" for key, _, value in settings]
    return "\n".join([*_head(path, name, start, own), *live, *_comments(start), ""])


def _value(parameter: Parameter, value: Value) -> str:
    """A value of a parameter as TOML has it."""
    return json.dumps(parameter.write(None) if value is None else value)


def _text(words: str) -> str:
    """Words as a TOML text. JSON's escapes are TOML's, but that JSON lets one control character through."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")


def _head(path: str, name: str, start: Variant, own: bool) -> Iterator[str]:
    yield f"# Variants of your own, for simgin. This one is played as {path}#{name}"
    yield "#"
    yield "# A second one is another [variants.NAME] with its table of changes; names are made of a-z, 0-9 and -."
    yield ""
    yield f"[variants.{name}]"
    yield f"title = {_text(name.replace('-', ' ').capitalize())}"
    yield f"about = {_text(start.title + ', with changes.')}"
    yield '# source = "where the game comes from"'
    if not own:
        yield f"base = {_text(start.text)}  # what the changes start from: names of `simgin variants` and settings, joined by +"
    yield ""
    yield f"[variants.{name}.changes]"
    yield "# Below is every rule with the value that it has now. Take the # away from a line and change the value."


def _comments(start: Variant) -> Iterator[str]:
    for section, group in groupby(parameters().values(), key=lambda parameter: parameter.section):
        yield f"\n# --- {section} ---"
        for parameter in group:
            yield ""
            yield textwrap.fill(
                _said(parameter, start), WIDTH, initial_indent="#   ", subsequent_indent="#   "
            )
            yield f"# {parameter.name} = {_value(parameter, start.row[parameter.name])}"


def _said(parameter: Parameter, start: Variant) -> str:
    idle = "" if parameter.acts(start.row) else " No effect in the game as it stands."
    return f"{parameter.words} ({parameter.span()}).{idle}"
