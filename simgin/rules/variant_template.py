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
    name = plain_name(Path(path)) or "mine"
    return f"my-{name}" if name in names() else name


def variant_file(path: str, start: Variant) -> str:
    """The text of a file with one variant, which has the rules of `start` until it is edited."""
    name = variant_name(path)
    from_file = ".toml" in start.text  # a variant of a file cannot be the base of another
    lines = [*_head(path, name, start, not from_file)]
    if from_file:
        for key, _, value in difference(find("standard"), start):
            text = _value(parameters()[key], value)
            lines.append(f"{key} = {text}")
    lines += _comments(start)
    lines.append("")
    return "\n".join(lines)


def _head(path: str, name: str, start: Variant, with_base: bool) -> Iterator[str]:
    yield f"# Variants of your own for simgin. Play this one as {path}#{name}"
    yield "#"
    yield "# To add a variant, write another [variants.NAME] with its table of changes."
    yield "# Names consist of a-z, 0-9 and -."
    yield ""
    yield f"[variants.{name}]"
    title = name.replace("-", " ").capitalize()
    yield f"title = {_text(title)}"
    about = start.title + ", with changes."
    yield f"about = {_text(about)}"
    yield '# source = "where the rules come from"'
    if with_base:
        yield "# What the changes start from: variants and settings, joined by +"
        yield f"base = {_text(start.text)}"
    yield ""
    yield f"[variants.{name}.changes]"
    yield "# Every rule with its present value. To change one, remove the # and edit the value."


def _comments(start: Variant) -> Iterator[str]:
    for section, group in groupby(parameters().values(), key=lambda parameter: parameter.section):
        yield f"\n# --- {section} ---"
        for parameter in group:
            about = _about(parameter, start)
            yield ""
            yield textwrap.fill(about, WIDTH, initial_indent="#   ", subsequent_indent="#   ")
            value = _value(parameter, start.row[parameter.name])
            yield f"# {parameter.name} = {value}"


def _about(parameter: Parameter, start: Variant) -> str:
    idle = "" if parameter.acts(start.row) else " No effect as the rules stand."
    return f"{parameter.description} ({parameter.span()}).{idle}"


def _value(parameter: Parameter, value: Value) -> str:
    """A value of a parameter in TOML."""
    if value is None:
        value = parameter.write(None)
    return json.dumps(value)


def _text(words: str) -> str:
    """A text in TOML: as in JSON, but for one control character that JSON does not escape."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")
