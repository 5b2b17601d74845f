"""Line wrapping that splits long names and keeps numbers together with their units."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

MAX_SENTENCE_LINES = 10  # maximum number of text lines above the table of a run


def wrap_name(name: str, width: int) -> list[str]:
    """Split a name into lines of at most `width` characters.

    Lines break before "+" and after spaces or, if necessary, before ":", "#" or "/". A part that is
    longer than a line and has no possible break is split at any character.
    """
    lines = [""]
    for part in _split_name(name, width):
        if lines[-1] and not _fits_on_line(lines[-1] + part, width):
            lines.append("")
        lines[-1] += part
        while not _fits_on_line(lines[-1], width):
            current_line = lines.pop()
            lines.append(current_line[:width])
            lines.append(current_line[width:])
    return [line.rstrip() for line in lines]


def fold_text(text: str, width: int) -> str:
    """Wrap a string into lines of at most `width` characters."""
    lines = []
    for paragraph in text.split("\n"):
        lines += wrap_name(paragraph, width)
    return "\n".join(lines)


def insert_no_break_spaces(text: str) -> str:
    """Insert no-break spaces between numbers and their errors or units.

    The space between "seed" and its number is also replaced.
    """
    return re.sub(r" (?=%)|(?<=\d) (?=±)|(?<=±) |(?<=seed) ", "\N{NO-BREAK SPACE}", text)


def _fits_on_line(line: str, width: int) -> bool:
    """Return True if a line, without trailing spaces, has at most `width` characters."""
    return len(line.rstrip()) <= width


def _split_name(name: str, width: int) -> Iterator[str]:
    """Split a name into parts between which a line can break."""
    for part in re.findall(r"\+?[^+ ]+ ?|.", name):
        if _fits_on_line(part, width):
            yield part
        else:
            yield from re.findall(r"[:#/]?[^:#/]+|.", part)


# Sentences on a terminal


@dataclass(frozen=True)
class Sentences:
    """Rich renderable that prints each sentence on a separate line.

    Args:
        sentences: Sentences in order of importance.
        max_lines: Maximum number of lines to print on the terminal. If sentences are omitted, the
            last line states their number. The first sentence is always printed.
    """

    sentences: Sequence[str]
    max_lines: int = MAX_SENTENCE_LINES

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        lines_left = self.max_lines
        for index, sentence in enumerate(self.sentences):
            lines = wrap_text(sentence, options.max_width)
            lines_left -= lines.count("\n") + 1
            if index and lines_left < 0:
                n_omitted = len(self.sentences) - index
                noun = "sentences" if n_omitted > 1 else "sentence"
                yield Text(f"... and {n_omitted} more {noun} (--details).")
                return
            yield Text(lines)


def wrap_text(text: str, width: int) -> str:
    """Wrap text at `width` characters, keeping numbers and their units on the same line."""
    lines = [
        textwrap.fill(insert_no_break_spaces(line), width, break_on_hyphens=False)
        for line in text.split("\n")
    ]
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")
