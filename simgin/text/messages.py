"""Values and near misses as error messages show them."""

import difflib
import reprlib
from collections.abc import Iterable, Sequence

DASH = "-"
MOST_CHARACTERS = 300  # of what somebody else's error says
MOST_MISTAKES = 20  # of a file, each told in a sentence


def value_text(value: object) -> str:
    """A value as text: yes, 10, points, 40/60, 30:4/60:3, or - for None."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "/".join(map(_item_text, value))
    return str(value)


def _item_text(item: object) -> str:
    if isinstance(item, list | tuple):
        return ":".join(map(str, item))
    return str(item)


def shown(value: object) -> str:
    """A value as a message shows it: plain numbers, quoted texts and lists, cut where long."""
    try:
        if isinstance(value, list | tuple):
            value = value_text(list(value))
        return reprlib.repr(value)
    except ValueError:  # TOML can write, in hexadecimal, what Python refuses to print
        return "a number of thousands of digits"


def quoted(text: str, longest: int = 120) -> str:
    """A text in quotation marks, cut where it is long."""
    if len(text) > longest:
        text = text[:longest] + "..."
    return repr(text)


def first_mistakes(sentences: Sequence[str]) -> list[str]:
    """The sentences about the first mistakes, and one that counts the others if they are many."""
    left = len(sentences) - MOST_MISTAKES
    if left <= 1:
        return list(sentences)
    return [*sentences[:MOST_MISTAKES], f"There are {left:,} more mistakes."]


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: `; did you mean 'oklahoma'?` or a full stop."""
    near = difflib.get_close_matches(word[:60].lower(), list(words), n=1)
    if not near:
        return "."
    return f"; did you mean {near[0]!r}?"


def error_text(error: BaseException) -> str:
    """What somebody else's error says, on one line; nothing where it cannot say it."""
    try:
        words = str(error).split()
    except Exception:
        return ""
    return " ".join(words)[:MOST_CHARACTERS]
