"""A sheet: a small table of text, for the screen and for Markdown alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simgin.report import summary

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

WIDEST = 1000  # characters: the width at which a table shows how much room it needs


@dataclass(frozen=True)
class Sheet:
    """A title, headings, rows of text, and how to read them. Prints itself with rich."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""

    def markdown(self) -> str:
        """The same in Markdown."""
        lines = [
            summary.line(self.headings),
            summary.line(["---"] * len(self.headings)),
            *map(summary.line, self.rows),
        ]
        return "\n".join(
            [f"## {self.title}", "", *lines, "", *([self.note, ""] if self.note else [])]
        )

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        yield Text(f"\n{self.title}\n", style="bold")
        grid = _grid(self.headings, self.rows)
        if console.measure(grid, options=options.update(width=WIDEST)).maximum <= options.max_width:
            yield grid
        elif len(self.rows) == 1:  # too wide: stood on its side
            (name, *cells) = self.rows[0]
            yield _grid(("", name), list(zip(self.headings[1:], cells, strict=True)))
        else:  # a name, and what is said of it below
            for name, *cells in self.rows:
                yield Text(name)
                yield Text(
                    "  "
                    + ", ".join(
                        f"{heading} {cell}"
                        for heading, cell in zip(self.headings[1:], cells, strict=True)
                        if cell
                    )
                )
        if self.note:
            yield Text(self.note)


def _grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        grid.add_column(heading, overflow="fold")
    for row in rows:
        grid.add_row(*row)
    return grid
