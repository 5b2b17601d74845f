"""Helpers for messages: formatting, spelling suggestions and the base class of exceptions."""

import difflib
import re
import reprlib
import sys
from collections.abc import Iterable, Sequence

NO_VALUE = "-"
MAX_ERROR_LENGTH = 300  # maximum length of another library's error message, in characters
MAX_VALUE_LENGTH = 40  # maximum length of a policy's return value in a message
MAX_ERRORS = 20  # maximum number of errors reported per file
# Terminal control characters, bidirectional control characters and lone surrogates
_CONTROL_CHARACTER_PATTERN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_get_class_name = type.__dict__["__name__"].__get__  # Bypass a metaclass that overrides __name__.


class SimginError(ValueError):
    """Base class of exceptions for invalid input. The messages suggest a fix."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython prints instead of a traceback."""
        return [f"{type(self).__name__}: {escape_control_chars(str(self))}"]


def escape_control_chars(text: str) -> str:
    r"""Replace control characters in untrusted text with escape sequences such as \x1b."""
    return _CONTROL_CHARACTER_PATTERN.sub(lambda match: ascii(match[0])[1:-1], text)


def escape_to_one_line(text: str) -> str:
    r"""Replace control characters, line breaks and tabs in untrusted text with escape sequences."""
    return escape_control_chars(text).translate({ord("\n"): r"\n", ord("\t"): r"\t"})


def print_status(message: str) -> None:
    """Print a status message on stderr.

    The function uses `print` instead of `click.echo`, because rich redirects `print` to the lines
    above a progress bar.
    """
    print(f"simgin: {escape_control_chars(message)}", file=sys.stderr, flush=True)


def format_setting(value: object) -> str:
    """Format the value of a setting, such as yes, 10, 40/60 or 30:4/60:3, or "-" for None."""
    if value is None:
        return NO_VALUE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "/".join(map(_format_list_element, value))
    return str(value)


def _format_list_element(element: object) -> str:
    """Format an element of a list, or join the elements of a nested list with colons."""
    if isinstance(element, list | tuple):
        return ":".join(map(str, element))
    return str(element)


def format_value(value: object) -> str:
    """Format a value for an error message, truncating long values."""
    try:
        if isinstance(value, list | tuple):
            value = format_setting(list(value))
        return reprlib.repr(value)
    except ValueError:  # Python cannot print very long integers.
        return "a number with thousands of digits"


def spell_booleans_as_toml(message: str, value: object) -> str:
    """Return a message about an invalid value, with the TOML spelling of True and False."""
    return message.replace(str(value), str(value).lower()) if isinstance(value, bool) else message


def describe_return_value(value: object) -> str:
    """Describe the return value of a user's function, with its type unless it is an int.

    The `repr` of the value can raise an exception.
    """
    if value is None:
        return "nothing"
    type_name = _get_class_name(type(value))
    try:
        text = escape_to_one_line(repr(value))[:MAX_VALUE_LENGTH]
    except BaseException:
        return f"a {type_name}"
    return text if type(value) is int else f"{text}, a {type_name}"


def quote_text(text: str, max_length: int = 120) -> str:
    """Return a string in quotation marks, truncated to at most `max_length` characters."""
    if len(text) > max_length:
        text = text[:max_length] + "..."
    return repr(text)


def capitalize_first(text: str) -> str:
    """Return a string with its first letter capitalised and all other letters unchanged."""
    return text[:1].upper() + text[1:]


def conjugate(verb: str, subject: str) -> str:
    """Return the form of a verb that fits a subject, such as `win` for `you`."""
    if subject.lower() != "you":
        return verb
    return "have" if verb == "has" else verb.removesuffix("s")


def shorten_middle(text: str, max_length: int) -> str:
    """Remove the middle of a string that is longer than about `max_length` characters."""
    if len(text) <= max_length:
        return text
    return f"{text[: 2 * max_length // 3]} ... {text[-(max_length // 3) :]}"


def truncate_errors(messages: Sequence[str]) -> list[str]:
    """Return the first error messages, followed by the number of remaining messages."""
    n_omitted = len(messages) - MAX_ERRORS
    if n_omitted <= 1:
        return list(messages)
    return [*messages[:MAX_ERRORS], f"The file has {n_omitted:,} more errors."]


def join_words(words: Sequence[str], conjunction: str = "and") -> str:
    """Join words into a list, such as `a, b and c`."""
    *first_parts, last_word = words
    return f"{', '.join(first_parts)} {conjunction} {last_word}" if first_parts else last_word


def suggest_spelling(word: str, valid_words: Iterable[str]) -> str:
    """Return the end of an error message: a spelling suggestion, or only a full stop."""
    word = word[:60].lower()
    similar_words = difflib.get_close_matches(word, list(valid_words))
    if not similar_words:
        return "."
    longer_words = [name for name in similar_words if word in name]
    return f". Did you mean {join_words([*map(repr, longer_words or similar_words[:1])], 'or')}?"


def format_error_message(error: BaseException) -> str:
    """Return another library's error message in one line, or "" if there is none."""
    try:
        words = str(error).split()
    except BaseException:
        return ""
    return " ".join(words)[:MAX_ERROR_LENGTH]


def describe_error(error: BaseException) -> str:
    """Return the class and message of another library's exception, without a final full stop."""
    return f"{_get_class_name(type(error))}: {format_error_message(error)}".rstrip(".: ")


def ensure_printable_error(error: BaseException) -> BaseException:
    """Return an exception, or a printable replacement if its attributes raise errors.

    If inspecting the exception raises an error, return a RuntimeError with the name of the
    exception's class.
    """
    error_type = type(error)
    try:
        _ = error.__class__, error.__traceback__, error_type.__name__ + error_type.__module__
    except BaseException:
        return RuntimeError(
            f"{_get_class_name(error_type)} (inspecting the exception raises an error)"
        )
    return error
