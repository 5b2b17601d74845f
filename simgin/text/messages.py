"""Formatting of values, spelling suggestions and foreign exceptions for messages."""

import difflib
import re
import reprlib
import sys
from collections.abc import Iterable, Sequence

DASH = "-"
MOST_CHARACTERS = 300  # of the message of a foreign exception
MOST_OF_VALUE = 40  # characters of the return value of a policy
MOST_MISTAKES = 20  # errors reported per file
# Terminal control characters, bidirectional control characters and lone surrogates
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_name_of = type.__dict__["__name__"].__get__  # bypasses a metaclass that overrides __name__


def printable(text: str) -> str:
    r"""Return untrusted text with control characters escaped as \x1b, for a terminal or a file."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def one_line(text: str) -> str:
    r"""Return untrusted text on one line, with line breaks and tabs escaped as \n and \t."""
    return printable(text).translate({ord("\n"): r"\n", ord("\t"): r"\t"})


def tell(sentence: str) -> None:
    """Print a status message to stderr.

    It uses `print` because rich redirects it to the lines above a progress bar, unlike
    `click.echo`.
    """
    print(f"simgin: {printable(sentence)}", file=sys.stderr, flush=True)


def value_text(value: object) -> str:
    """Return a setting as text, such as yes, 10, points, 40/60 or 30:4/60:3, and - for None."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "/".join(map(_item_text, value))
    return str(value)


def _item_text(item: object) -> str:
    """Return an entry of a list as text; nested entries are joined with colons."""
    if isinstance(item, list | tuple):
        return ":".join(map(str, item))
    return str(item)


def shown(value: object) -> str:
    """Return a value for a message: a number, a quoted string or a list, truncated if long."""
    try:
        if isinstance(value, list | tuple):
            value = value_text(list(value))
        return reprlib.repr(value)
    except ValueError:  # an integer in hexadecimal TOML can have more digits than Python prints
        return "a number of thousands of digits"


def value_of_any_class(value: object) -> str:
    """Return a description of what a user's function returned, with the type of a non-integer.

    The value may be of a class whose `repr` raises an exception.
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
    """Return a string in quotation marks, truncated to `max_length` characters."""
    if len(text) > longest:
        text = text[:longest] + "..."
    return repr(text)


def shortened(text: str, most: int) -> str:
    """Return a string of about `max_length` characters, without its middle if it is longer."""
    if len(text) <= most:
        return text
    return f"{text[: 2 * most // 3]} ... {text[-(most // 3) :]}"


def first_mistakes(sentences: Sequence[str]) -> list[str]:
    """Return the first error messages; if there are many, a last line counts the rest."""
    left = len(sentences) - MOST_MISTAKES
    if left <= 1:
        return list(sentences)
    return [*sentences[:MOST_MISTAKES], f"There are {left:,} more mistakes."]


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return the end of an error about an unknown word.

    That is a suggestion such as `; did you mean 'oklahoma'?`, or a full stop.
    """
    near = difflib.get_close_matches(word[:60].lower(), list(words), n=1)
    if not near:
        return "."
    return f"; did you mean {near[0]!r}?"


def error_text(error: BaseException) -> str:
    """Return the message of a foreign exception on one line; empty if it has none."""
    try:
        words = str(error).split()
    except BaseException:
        return ""
    return " ".join(words)[:MOST_CHARACTERS]


def described(error: BaseException) -> str:
    """Return the class and the message of a foreign exception, without a full stop."""
    return f"{_name_of(type(error))}: {error_text(error)}".rstrip(".: ")


def sound(error: BaseException) -> BaseException:
    """Return an exception whose attributes can be read safely.

    A user's exception class may itself raise when it is inspected; a RuntimeError with its name
    replaces such an exception.
    """
    kind = type(error)
    try:
        _ = error.__class__, error.__traceback__, kind.__name__ + kind.__module__
    except BaseException:
        return RuntimeError(f"{_name_of(kind)}, whose class raises errors of its own")
    return error
