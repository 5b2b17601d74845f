"""A table: a frame and how its columns are shown. One function makes text of a frame.

The same table is printed on a terminal, written as Markdown and shown on a page; `stats.table.csv`
saves its frame.
"""

from __future__ import annotations

import math
import numbers as kinds
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simgin.report.numbers import DASH, estimate
from simgin.report.wrapping import fold, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from rich import table as rich_table
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

    Frame = pd.DataFrame | Mapping[str, Sequence[Any]]

# What stands in a column of numbers
NUMBER = re.compile(rf"\s*(?:(?:[-+<]\s*)?[\d.,]*\d|{DASH}|$)")
INTERVAL = re.compile(r"(?<=\d) (\(-?[\d.]+ to [^()]*\))")
GAP, TIGHT = 3, 2  # characters between two columns, and where a table fits only so
NAMES = 14  # characters that a column of names keeps beside numbers, or a third of the terminal
MOST_SHOWN = 60  # rows on a terminal
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
        """The cell with the gist of its word and a dash in its range: `83 ▲ a little`."""
        return GIST.sub(r"\1", str(self)).replace(" to ", DASH)

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
    numbers are multiplied by (100 for per cent).
    """

    name: str
    title: str
    digits: int | None = None
    factor: float = 1

    def texts(self, frame: Frame) -> list[str | Cell]:
        """The column of a frame, row by row."""
        prefix = "" if self.name == "value" else f"{self.name}_"
        if f"{prefix}low" not in frame or any(isinstance(x, str | Cell) for x in frame[self.name]):
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

    The first column names the rows. Of texts alone the frame may be a mapping (see `listed`), so
    that a list need not wait for pandas.
    """

    title: str
    frame: Frame
    columns: Sequence[Column]
    note: str = ""

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the columns."""
        return tuple(column.title for column in self.columns)

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

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        title = wrapped(self.title, options.max_width)
        yield Text(f"\n{title}" + "\n" * (not self.has_cells), style="bold")
        if self.has_cells:
            yield _scorecard(self.headings, self.rows, options.max_width)
        elif self.rows:
            rows = [tuple(map(str, row)) for row in self.rows[:MOST_SHOWN]]
            yield from _printed(self.headings, rows, options.max_width)
        if len(self.rows) > MOST_SHOWN:
            yield Text(f"... and {len(self.rows) - MOST_SHOWN} more rows, in summary.md.")
        if self.note and not self.has_cells:
            yield Text(wrapped(self.note, options.max_width))


def listed(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
) -> Table:
    """A table of texts, given row by row."""
    columns = list(zip(*rows, strict=True)) or [()] * len(headings)
    frame = dict(zip(headings, columns, strict=True))
    return Table(title, frame, [Column(heading, heading) for heading in headings], note)


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
        sentences.append(f"{column.title}: {', '.join(parts)}.")
    return " ".join(sentences)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    rule = ["---"] * len(headings)
    lines = []
    for cells in (headings, rule, *rows):
        escaped = [cell.replace("|", r"\|") for cell in cells]  # a path may contain a bar
        lines.append("| " + " | ".join(escaped) + " |")
    return lines


# On a terminal

Texts = Sequence[Sequence[str]]


def _scorecard(
    headings: Sequence[str], rows: Sequence[Sequence[str | Cell]], room: int
) -> RenderableType:
    """Where there is no room for it, cells lose the words that their arrows say."""
    from rich.text import Text

    whole = [[str(cell) for cell in row] for row in rows]
    is_short = sum(_widths([headings, *whole])) > room + GAP
    cells = []
    for row in rows:
        printed = [c if isinstance(c, str) else c.short if is_short else str(c) for c in row]
        tones = ["" if isinstance(c, str) else TONES[c.tone] for c in row]
        cells.append([Text(*pair) for pair in zip(printed, tones, strict=True)])
    return _table(headings, cells)


def _printed(headings: Sequence[str], rows: Texts, room: int) -> Iterator[RenderableType]:
    """A table; where it is too wide, with folded names, in several pieces, or turned."""
    from rich.text import Text

    whole = sum(_widths([headings, *rows])) - GAP
    if whole - (GAP - TIGHT) * (len(headings) - 1) <= room:
        yield _table(headings, rows, is_tight=whole > room)
        return
    room += GAP
    rows = [[INTERVAL.sub(r"\n\1", cell) for cell in row] for row in rows]
    heads = [
        "\n".join(fold(head, max(NAMES, width - GAP)))
        for head, width in zip(headings, _widths(rows), strict=True)
    ]
    columns = list(zip(heads, *rows, strict=True))
    names = [i for i, cells in enumerate(columns) if not all(map(NUMBER.match, cells[1:]))] or [0]
    if len(rows) == 1:
        yield _table(("", rows[0][0]), list(zip(headings[1:], rows[0][1:], strict=True)))
        return
    same = [i for i in names if len({*columns[i][1:]}) == 1]
    same = same[len(same) == len(names) :]
    if same:
        yield Text("; ".join(": ".join(columns[i][:2]) for i in same) + "\n")
    names = [i for i in names if i not in same]
    widths = [_widths([[cell] for cell in cells])[0] for cells in columns]
    least = min(sum(widths[i] for i in names), max(NAMES * len(names), room // 3))
    pieces: list[list[int]] = [[]]
    for i in range(len(columns)):
        if i in names or i in same:
            continue
        if pieces[-1] and sum(widths[k] for k in (*pieces[-1], i)) + least > room:
            pieces.append([])
        pieces[-1].append(i)
    for number, piece in enumerate(pieces):
        yield from [""] * bool(number)
        left = room - sum(widths[i] for i in piece)
        told = {i: columns[i] for i in piece} | _folded({i: columns[i] for i in names}, left)
        top, *lines = zip(*(told[i] for i in sorted(told)), strict=True)
        yield _table(top, lines)


def _folded(names: Mapping[int, tuple[str, ...]], room: int) -> dict[int, tuple[str, ...]]:
    """Columns of names that share a room: the widest are folded until they fit."""
    widths = {i: _widths([[cell] for cell in cells])[0] for i, cells in names.items()}
    while sum(widths.values()) > room and max(widths.values()) > GAP + 1:
        widths[max(widths, key=widths.__getitem__)] -= 1
    return {
        i: tuple("\n".join(fold(cell, widths[i] - GAP)) for cell in cells)
        for i, cells in names.items()
    }


def _widths(rows: Texts) -> list[int]:
    """The widths of columns, each with the gap behind it."""
    return [
        max(len(line) for cell in cells for line in cell.split("\n")) + GAP
        for cells in zip(*rows, strict=True)
    ]


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str | Text]], is_tight: bool = False
) -> rich_table.Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=is_tight)
    for heading, cells in zip(headings, zip(*rows, strict=True), strict=True):
        is_number = all(isinstance(c, str) and NUMBER.match(c) for c in cells)
        table.add_column(heading, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
