"""Files to begin with: a variant with every rule in a comment, a strategy in the contract's form. Neither replaces another file."""

import json
import os
import re
import secrets
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from simgin.rules.parameters import Parameter, Value, parameters
from simgin.rules.variants import Variant, difference, find, names

WIDTH = 100
_NAME = re.compile(r"[a-z0-9-]+")

STRATEGY = '''\
"""What the idea is, and where it comes from: the first sentence stands in the lists."""

from simgin.strategy import Strategy, discard, knock, param, take
from simgin.toolkit import best_discard, count_after, take_if

# view: what your seat may know; rules: the game; params: this policy's numbers, in the order in which they are declared.
# Cards are 0..51 (13 * suit + rank), sets of cards are 52-bit masks, and view.legal has the legal answers as bits.


@take(gain=param(1, 0, 30, "points of deadwood that a card must save"))
def thrifty(view, rules, params):
    """Takes the card on offer if that lowers the deadwood by enough."""
    saved = view.count - count_after(view.hand, view.taken_offer, rules)
    return take_if(saved >= params[0], view.legal)


@discard
def low(view, rules, params):
    """Throws the card that leaves least deadwood; of several the dearest."""
    return best_discard(view.hand, view.legal, rules)


@knock(turn=param(6, 0, 500, "own turns in which any legal knock is good"), k=param(2, 0, 10, "later, the most deadwood to knock with"))
def patient(view, rules, params):
    """Ends the deal early with whatever is legal, later only with little deadwood."""
    return view.own_turn <= params[0] or view.ending_count <= params[1]


# A slot left out (take, discard or knock) gets the default: what the strategy `gold` does.
STRATEGY = Strategy("NAME", take=thrifty, discard=low, knock=patient)
'''


class ScaffoldError(ValueError):
    """A file that cannot be begun; the message is a sentence with the remedy."""


def write(path: Path, text: str) -> None:
    """Write a new file, beside its place and then moved into it. ScaffoldError, having written nothing, if something is there."""
    if os.path.lexists(path):
        raise ScaffoldError(f"{path} is there already and stays as it is; name another file.")
    building = path.with_name(f".{path.name}.new.{secrets.token_hex(4)}")
    try:
        building.write_text(text, encoding="utf-8")
        building.rename(path)
    except OSError as error:
        with suppress(OSError):
            building.unlink()
        raise ScaffoldError(
            f"{path} cannot be written: {error.strerror}; name a file in a folder that can be written."
        ) from None


def strategy_file(file: Path, name: str | None = None) -> str:
    """A strategy called `name` (default: as the file), playable as it stands. ScaffoldError for what can be no name."""
    if file.suffix != ".py":
        raise ScaffoldError(
            f"a strategy file ends in .py: say {file.with_name(file.name + '.py')}."
        )
    name = name or _plain(file)
    if not _NAME.fullmatch(name):
        raise ScaffoldError(
            f"a strategy's name is made of a-z, 0-9 and -, and {name!r} is not; give one after the file."
        )
    return STRATEGY.replace("NAME", name)


def _plain(file: Path) -> str:
    """The file's own name, as a strategy or a variant can have it; it may come to nothing."""
    return re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")


def variant_name(path: str) -> str:
    """A name for the first variant of a file, made from the file's own."""
    plain = _plain(Path(path)) or "mine"
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
