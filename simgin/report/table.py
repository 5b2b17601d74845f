"""A table: a frame and how its columns are shown. One function makes text of a frame.

The same table is printed on a terminal, written as Markdown, shown on a page and saved as csv.
"""

from __future__ import annotations

import math
import numbers as kinds
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from simgin.report.numbers import DASH, estimate

if TYPE_CHECKING:
    import pandas as pd
    from rich import table as rich_table
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

# What stands in a column of numbers
NUMBER = re.compile(rf"\s*([-+<]?\s*[\d.,]*\d|{DASH}|$)")
INTERVAL = re.compile(r"(?<=\d) (\(-?[\d.]+ to [^)]*\))")
GAP = 3  # characters between two columns
WIDEST = 1000  # characters: wide enough to measure the width that a table needs
# Tones of a cell, which are its colours on a page, and how they are printed on a terminal
TONES = {
    "": "",
    "base": "",
    "same": "dim",
    "little": "bold",
    "much": "bold reverse",
    "depends": "italic",
    "unclear": "dim",
}
TRUTH = {"True": "yes", "False": "no"}
# Of a verdict, what says enough on a narrow terminal: `▲ a little` of `▲ a little longer`
GIST = re.compile(r"([▲▼] (?:a little|much|more|less)|too close|depends)\b.*")


@dataclass(frozen=True)
class Cell:
    """A figure with its verdict: `83`, `▲ a little more`, `79 to 87`.

    word: says what the figure means, its arrow included. light: beside it in light type. tone: one
    of TONES.
    """

    text: str
    word: str = ""
    light: str = ""
    tone: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.word}".strip()

    @property
    def short(self) -> str:
        """The cell with the gist of its word: `83 ▲ a little`."""
        return GIST.sub(r"\1", str(self))

    @property
    def markdown(self) -> str:
        """The cell with what stands beside it in brackets."""
        return f"{self} ({self.light})" if self.light else str(self)


@dataclass(frozen=True)
class Column:
    """How a column of a frame is shown.

    An estimate with its interval where the frame has NAME_low and NAME_high (low and high for the
    column `value`); counts with thousands; text and cells as they are; nothing known as a dash.

    digits: decimals of a number without an interval; None: four significant digits. factor: what
    numbers are multiplied by (100 for per cent). better: "more" or "less", where one is.
    """

    name: str
    title: str
    unit: str = ""
    digits: int | None = None
    factor: float = 1
    better: str = ""

    @property
    def heading(self) -> str:
        """The title with its unit."""
        return f"{self.title} {self.unit}".rstrip()

    def texts(self, frame: pd.DataFrame) -> list[str | Cell]:
        """The column of a frame, row by row."""
        prefix = "" if self.name == "value" else f"{self.name}_"
        if f"{prefix}low" not in frame or frame[self.name].dtype == object:
            return [self.text(value) for value in frame[self.name]]
        limits = (frame[name] for name in (self.name, f"{prefix}low", f"{prefix}high"))
        rows = zip(*limits, strict=True)
        return [estimate(value, low, high, self.factor) for value, low, high in rows]

    def text(self, value: Any) -> str | Cell:
        """A value without an interval."""
        if isinstance(value, str | Cell):
            return value
        if value is None or math.isnan(value):
            return DASH
        if str(value) in TRUTH:
            return TRUTH[str(value)]
        value = value * self.factor
        if isinstance(value, kinds.Integral):
            return f"{value:,}"
        if self.digits is None:
            return f"{value:.4g}"
        return f"{round(value, self.digits) + 0.0:,.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    """A title, a frame, the columns that are shown of it, and a note on reading them.

    The first column names the rows.
    """

    title: str
    frame: pd.DataFrame
    columns: Sequence[Column]
    note: str = ""

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the columns."""
        return tuple(column.heading for column in self.columns)

    @cached_property
    def rows(self) -> list[tuple[str | Cell, ...]]:
        """The text of every row."""
        return list(zip(*(column.texts(self.frame) for column in self.columns), strict=True))

    @property
    def has_cells(self) -> bool:
        """Whether it is a scorecard, of cells with verdicts."""
        return any(isinstance(cell, Cell) for row in self.rows for cell in row)

    def markdown(self) -> str:
        """The table as a Markdown section."""
        texts = [[c.markdown if isinstance(c, Cell) else c for c in row] for row in self.rows]
        lines = [f"## {self.title}", "", *markdown_table(self.headings, texts), ""]
        return "\n".join([*lines, self.note, ""] if self.note else lines)

    def csv(self) -> str:
        """The numbers of the frame, with their limits; no cells."""
        shown = self.frame.map(lambda value: isinstance(value, Cell)).any()
        return self.frame.loc[:, ~shown].to_csv(index=False, lineterminator="\n")

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        yield Text(f"\n{self.title}" + "\n" * (not self.has_cells), style="bold")
        table = _table(self.headings, self.rows)
        if not _fits(table, console, options) and not self.has_cells:
            table = _table(self.headings, [tuple(map(_broken, row)) for row in self.rows])
        if _fits(table, console, options):
            yield table
        elif self.has_cells:
            yield _table(self.headings, self.rows, short=True)
        elif len(self.rows) == 1:
            name, *cells = self.rows[0]
            yield _table(("", name), list(zip(self.headings[1:], cells, strict=True)))
        else:
            texts = [tuple(map(_broken, row)) for row in self.rows]
            yield from _pieces(self.headings, texts, options.max_width)
        if self.note and not self.has_cells:
            yield Text(self.note)


def described(frame: pd.DataFrame, columns: Sequence[Column]) -> str:
    """What a picture of a frame shows, in words: for every number its ends, least and greatest.

    The columns before the first number name the rows.
    """
    import pandas as pd

    if frame.empty:
        return "Nothing to show."
    is_number = [pd.api.types.is_numeric_dtype(frame[column.name]) for column in columns]
    first = is_number.index(True) if any(is_number) else len(columns)
    keys = [columns[k].texts(frame) for k in range(max(1, first))]
    names = [" ".join(map(str, parts)) for parts in zip(*keys, strict=True)]
    sentences = []
    for column in columns[max(1, first) :]:
        known = frame[column.name].notna().to_numpy().nonzero()[0]
        if not len(known):
            continue
        texts = column.texts(frame)
        values = frame[column.name].to_numpy()[known]
        places = {"from": known[0], "to": known[-1]} if len(known) > 1 else {"": known[0]}
        if len(known) > 2:
            places |= {"least": known[values.argmin()], "greatest": known[values.argmax()]}
        parts = [f"{word} {texts[i]} ({names[i]})".strip() for word, i in places.items()]
        sentences.append(f"{column.heading}: {', '.join(parts)}.")
    return " ".join(sentences)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    rule = ["---"] * len(headings)
    return [_markdown_row(cells) for cells in (headings, rule, *rows)]


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", r"\|") for cell in cells]  # a path may contain a bar
    return "| " + " | ".join(escaped) + " |"


# Tables that are too wide for a terminal


def _fits(table: rich_table.Table, console: Console, options: ConsoleOptions) -> bool:
    needed = console.measure(table, options=options.update(width=WIDEST)).maximum
    return needed <= options.max_width


def _broken(cell: str | Cell) -> str:
    """A cell with a lopsided interval below its value."""
    return INTERVAL.sub(r"\n\1", str(cell))


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


def _table(
    headings: Sequence[str | Cell], rows: Sequence[Sequence[str | Cell]], *, short: bool = False
) -> rich_table.Table:
    """short: cells without the words that their arrows say."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in headings:
        table.add_column(str(heading), overflow="fold")
    for row in rows:
        table.add_row(*(_printed(cell, short) for cell in row))
    return table


def _printed(cell: str | Cell, short: bool) -> str | Text:
    from rich.text import Text

    if isinstance(cell, str):
        return cell
    return Text(cell.short if short else str(cell), style=TONES[cell.tone])
