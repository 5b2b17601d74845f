"""Values, near misses and other people's errors as messages show them."""

import difflib
import re
import reprlib
import sys
from collections.abc import Iterable, Sequence

DASH = "-"
MOST_CHARACTERS = 300  # of what somebody else's error says
MOST_OF_VALUE = 40  # characters of what a policy returned
MOST_MISTAKES = 20  # of a file, each told in a sentence
# Characters that steer a terminal, or turn the text around them, and halves of characters
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_name_of = type.__dict__["__name__"].__get__  # whatever a class itself makes of its name


def printable(text: str) -> str:
    """A text of anybody's for a terminal or a file: what would steer it stands there as \\x1b."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return a printable text whose line breaks and tabs are written as \\n and \\t."""
    return printable(text).translate({ord("\n"): r"\n", ord("\t"): r"\t"})


def tell(sentence: str) -> None:
    """Print a remark on stderr, which is not part of a result.

    print, because rich moves what it prints above a progress bar; click's echo writes past it.
    """
    print(f"simgin: {printable(sentence)}", file=sys.stderr, flush=True)


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


def value_of_any_class(value: object) -> str:
    """Return what a user's function gave, with the type of what is no whole number.

    A class can raise errors where it is printed.
    """
    if value is None:
        return "nothing"
    kind = _name_of(type(value))
    try:
        text = one_line(repr(value))[:MOST_OF_VALUE]
    except BaseException:
        return f"a {kind}"
    return text if type(value) is int else f"{text}, a {kind}"


def quoted(text: str, longest: int = 120) -> str:
    """A text in quotation marks, cut where it is long."""
    if len(text) > longest:
        text = text[:longest] + "..."
    return repr(text)


def shortened(text: str, most: int) -> str:
    """Cut the middle of a text that is longer than `most` characters."""
    if len(text) <= most:
        return text
    return f"{text[: 2 * most // 3]} ... {text[-(most // 3) :]}"


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
    except BaseException:
        return ""
    return " ".join(words)[:MOST_CHARACTERS]


def described(error: BaseException) -> str:
    """The kind of somebody else's error and what it says, without a full stop."""
    return f"{_name_of(type(error))}: {error_text(error)}".rstrip(".: ")


def sound(error: BaseException) -> BaseException:
    """An error of anybody's class; where asking it anything raises, one that gives its name."""
    kind = type(error)
    try:
        _ = error.__class__, error.__traceback__, kind.__name__ + kind.__module__
    except BaseException:
        return RuntimeError(f"{_name_of(kind)}, whose class raises errors of its own")
    return error
