"""Shell commands that users can copy and paste, each on a single line."""

import shlex
from collections.abc import Iterable


def join_command(words: Iterable[str]) -> str:
    r"""Join words into a command line that bash, zsh and ksh can execute.

    >>> join_command(["simgin", "report", "my run", "a\nb"])
    "simgin report 'my run' $'a\\x0ab'"
    """
    return " ".join(map(quote_word, words))


def quote_word(word: str) -> str:
    r"""Quote a word for a shell, with unprintable bytes escaped as \xNN."""
    return shlex.quote(word) if word.isprintable() else f"$'{''.join(map(_escape_char, word))}'"


def _escape_char(character: str) -> str:
    """Escape a character for a string in $'...' quotes."""
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
