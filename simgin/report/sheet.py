"""A sheet: a small table of text, printed on a terminal and written as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from simgin.report.numbers import DASH

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

# What stands in a column of numbers
NUMBER = re.compile(rf"\s*([-+<]?\s*[\d.,]*\d|{DASH}|$)")
GAP = 3  # characters between two columns
WIDEST = 1000  # characters: wide enough to measure the width that a table needs


@dataclass(frozen=True)
class Sheet:
    """A title, column headings, rows of text, and a note on reading them; prints itself in rich."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""

    def markdown(self) -> str:
        """The sheet as a Markdown section."""
        lines = [f"## {self.title}", ""]
        lines += markdown_table(self.headings, self.rows)
        lines.append("")
        if self.note:
            lines += [self.note, ""]
        return "\n".join(lines)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        yield Text(f"\n{self.title}\n", style="bold")
        table = _table(self.headings, self.rows)
        needed = console.measure(table, options=options.update(width=WIDEST)).maximum
        if needed <= options.max_width:
            yield table
        elif len(self.rows) == 1:
            yield _transposed(self.headings, self.rows[0])
        else:
            yield from _pieces(self.headings, self.rows, options.max_width)
        if self.note:
            yield Text(self.note)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    rule = ["---"] * len(headings)
    return [_markdown_row(cells) for cells in (headings, rule, *rows)]


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", r"\|") for cell in cells]  # a path may contain a bar
    return "| " + " | ".join(escaped) + " |"


def _transposed(headings: Sequence[str], row: Sequence[str]) -> Table:
    """The only row of a table that is too wide, one heading per line."""
    name, *cells = row
    return _table(("", name), list(zip(headings[1:], cells, strict=True)))


def _pieces(
    headings: Sequence[str], rows: Sequence[Sequence[str]], room: int
) -> Iterator[RenderableType]:
    """A table that is too wide as several below each other, or else as a list."""
    columns = list(zip(*rows, strict=True))
    widths = [_width(column) + GAP for column in zip(headings, *rows, strict=True)]
    names = [*takewhile(lambda i: not all(map(NUMBER.match, columns[i])), range(len(columns)))]
    differing = [i for i in names if len({*columns[i]}) > 1] or names[:1]
    pieces = [list(names)]
    for i in range(len(names), len(columns)):
        if sum(widths[k] for k in (*pieces[-1], i)) - GAP > room:
            pieces.append(list(differing))
        pieces[-1].append(i)
    if any(sum(widths[i] for i in piece) - GAP > room for piece in pieces):
        yield from _listed(headings, rows)
        return
    for number, piece in enumerate(pieces):
        if number:
            yield ""
        yield _table([headings[i] for i in piece], [[row[i] for i in piece] for row in rows])


def _width(cells: Sequence[str]) -> int:
    return max(len(line) for cell in cells for line in cell.split("\n"))


def _listed(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[RenderableType]:
    """A table that is too wide as a list: the name of each row, and its cells on the next line."""
    from rich.text import Text

    for name, *cells in rows:
        facts = []
        for heading, cell in zip(headings[1:], cells, strict=True):
            if cell:
                facts.append(f"{heading} {cell}")
        yield Text(name)
        yield Text("  " + ", ".join(facts))


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
