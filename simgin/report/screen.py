"""Words on a terminal of any width: no number is ever cut from its error or unit."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simgin.report import wrapping

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

MOST_LINES = 10  # of words above the table of a run
INTERVALS = "± and brackets are 95 % intervals."


@dataclass(frozen=True)
class Words:
    """Sentences for rich, each on lines of its own; the last ones only if there is room."""

    sentences: Sequence[str]
    most_lines: int = MOST_LINES

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        room = self.most_lines
        for place, sentence in enumerate(self.sentences):
            lines = wrapped(sentence, options.max_width)
            room -= lines.count("\n") + 1
            if place and room < 0:
                left = len(self.sentences) - place
                yield Text(f"... and {left} more {'findings' if left > 1 else 'finding'}.")
                return
            yield Text(lines)


def wrapped(text: str, width: int) -> str:
    """Lines of at most `width` characters, no number apart from its error or unit if it fits."""
    lines = [
        textwrap.fill(wrapping.keep_units(line), width, break_on_hyphens=False)
        for line in text.split("\n")
    ]
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")
