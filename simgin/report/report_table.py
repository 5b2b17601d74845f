"""Tables of reports, which combine a DataFrame with the formats of its columns.

A table is printed on the terminal, written as Markdown and shown in HTML reports. The DataFrame is
saved by `stats.table.csv`.
"""

from __future__ import annotations

import math
import numbers as kinds
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simgin.report.numbers import EN_DASH, format_estimate
from simgin.report.wrapping import fold_text, wrap_text
from simgin.text.messages import capitalize_first

if TYPE_CHECKING:
    import pandas as pd
    from rich import table as rich_table
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

    Frame = pd.DataFrame | Mapping[str, Sequence[Any]]

# number in a column; other cells contain text
NUMBER_PATTERN = re.compile(rf"\s*(?:(?:[-+<]\s*)?[\d.,]*\d|{EN_DASH}|$)")
INTERVAL_PATTERN = re.compile(r"(?<=\d) (\(-?[\d.]+ to [^()]*\))")
LATEX_MINUS_PATTERN = re.compile(r"(?<=[\s(])-(?=\d)")  # minus sign of a number
LATEX_SYMBOLS = str.maketrans({"▲": r"$\uparrow$", "▼": r"$\downarrow$"})
COLUMN_GAP, MIN_COLUMN_GAP = (
    3,
    2,
)  # number of characters between columns, and its minimum in wide tables
# minimum width of a column of names, unless the terminal is narrow
MIN_NAME_WIDTH = 14
MAX_TERMINAL_TABLE_ROWS = 60  # default maximum number of rows that are printed on a terminal
# tones of cells, which are CSS classes in HTML, and their styles on a terminal
TONE_STYLES = {
    "": "",
    "base": "",
    "same": "dim",
    "little": "bold",
    "much": "bold reverse",
    "depends": "italic",
    "unclear": "dim",
}
BOOLEAN_TEXTS = {"True": "yes", "False": "no"}
# pattern that shortens a verdict for narrow terminals, for example `▲ a little longer` to `▲ a
# little`
SHORT_VERDICT_PATTERN = re.compile(
    r"([▲▼] (?:a little|much)|at most a little|same to much|effect varies)\b.*"
)

MISSING_INTERVALS_NOTE = (
    "To see the 95 % confidence intervals (±), widen the terminal or open the report."
)


@dataclass(frozen=True)
class ScoreCell:
    """Scorecard cell with a value, a verdict and a detail, such as `83`, `▲ more` and `79 to 87`.

    Attributes:
        text: Formatted value.
        verdict: Verdict, including its arrow.
        detail: Secondary text in light type, such as the interval.
        tone: Key of TONE_STYLES.
        change: Difference from the baseline, without its interval.
    """

    text: str
    verdict: str = ""
    detail: str = ""
    tone: str = ""
    change: str = ""

    def __str__(self) -> str:
        change = f" ({self.change})" if self.change else ""
        return f"{self.text}{change} {self.verdict}".strip()

    def add_interval(self) -> ScoreCell:
        """Return the cell with the interval of its change, such as `83 (+4 ± 2.0) ▲ more`."""
        interval = self.detail.partition("; range")[0].replace(" percentage points", "")
        return replace(self, change=interval.replace("each estimate", "each"))

    def shorten(self) -> str:
        """Return the cell with a short verdict and dashes in ranges, such as `83 ▲ a little`."""
        text = self.text.replace(" to ", EN_DASH)
        verdict = self.verdict.replace(" against some", "\nv some")
        return SHORT_VERDICT_PATTERN.sub(r"\1", str(replace(self, text=text, verdict=verdict)))

    def abbreviate(self) -> str:
        """Return the shortest form of the cell, without the difference, such as `≤ a little`."""
        return replace(self, change="").shorten().replace("at most", "≤")

    @property
    def markdown(self) -> str:
        """Cell in Markdown, with the secondary text in parentheses."""
        separator = ", " if len(self.verdict) > 1 else " "  # an arrow follows without a comma
        text = f"{self.text}{separator}{self.verdict}".strip()
        return f"{text} ({self.detail})" if self.detail else text


@dataclass(frozen=True)
class Column:
    """Column of a report table, with the format of its values.

    If the DataFrame has columns with the bounds NAME_low and NAME_high (`low` and `high` for the
    column `value`), the values are shown as estimates with confidence intervals. Counts are shown
    with thousands separators. Strings and cells are shown unchanged, and missing values are shown
    as a dash.

    Attributes:
        name: Name of the column in the DataFrame.
        heading: Heading of the column.
        digits: Number of decimals for values without an interval, or None for four significant
            digits.
        factor: Factor for the values, which is 100 for percentages.
    """

    name: str
    heading: str
    digits: int | None = None
    factor: float = 1

    def format_rows(self, frame: Frame) -> list[str | ScoreCell]:
        """Return the formatted values of the column, one per row of a DataFrame."""
        prefix = "" if self.name == "value" else f"{self.name}_"
        if f"{prefix}low" not in frame or any(
            isinstance(x, str | ScoreCell) for x in frame[self.name]
        ):
            return [self.format_value(value) for value in frame[self.name]]
        estimate_columns = (frame[name] for name in (self.name, f"{prefix}low", f"{prefix}high"))
        rows = zip(*estimate_columns, strict=True)
        return [format_estimate(value, low, high, self.factor) for value, low, high in rows]

    def format_value(self, value: Any) -> str | ScoreCell:
        """Format a single value without an interval."""
        if isinstance(value, str | ScoreCell):
            return value
        if value is None or math.isnan(value):
            return EN_DASH
        if str(value) in BOOLEAN_TEXTS:
            return BOOLEAN_TEXTS[str(value)]
        value = value * self.factor
        if isinstance(value, kinds.Integral):
            return f"{value:,}"
        if self.digits is None:
            return f"{value:.4g}"
        return f"{round(float(value), self.digits) + 0.0:,.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    """Table of a report, with a title, a DataFrame, columns and a note.

    The first column contains the names of the rows. To avoid importing pandas, `frame` can be a
    mapping from column names to strings (see `make_table_from_rows`). A terminal shows up to
    `max_rows` rows, and the note of a scorecard only if `is_note_short` is True.
    """

    title: str
    frame: Frame
    columns: Sequence[Column]
    note: str = ""
    max_rows: int = MAX_TERMINAL_TABLE_ROWS
    is_note_short: bool = False

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings of the columns."""
        return tuple(column.heading for column in self.columns)

    @cached_property
    def rows(self) -> list[tuple[str | ScoreCell, ...]]:
        """Formatted cells of every row."""
        return list(zip(*(column.format_rows(self.frame) for column in self.columns), strict=True))

    @property
    def is_scorecard(self) -> bool:
        """True if the table has cells with verdicts."""
        return any(isinstance(cell, ScoreCell) for row in self.rows for cell in row)

    def to_markdown(self) -> str:
        """Return the table as a Markdown section."""
        markdown_rows = [
            [cell.markdown if isinstance(cell, ScoreCell) else cell for cell in row]
            for row in self.rows
        ]
        lines = [f"## {self.title}", "", *format_markdown_table(self.headings, markdown_rows), ""]
        return "\n".join([*lines, self.note, ""] if self.note else lines)

    def export(self, file_format: str) -> str:
        """Return the table as text in Markdown, LaTeX or CSV format."""
        import pandas as pd

        rows = [
            [str(cell.add_interval() if isinstance(cell, ScoreCell) else cell) for cell in row]
            for row in self.rows
        ]
        if file_format == "markdown":
            return "\n".join([*format_markdown_table(self.headings, rows), ""])
        text_frame = pd.DataFrame(rows, columns=pd.Index(self.headings))
        if file_format == "csv":
            return text_frame.to_csv(index=False)
        is_number = [all(map(NUMBER_PATTERN.match, cells)) for cells in zip(*rows, strict=True)]
        alignment = "".join("r" if is_right else "l" for is_right in is_number)
        latex = text_frame.to_latex(index=False, escape=True, column_format=alignment or None)
        return LATEX_MINUS_PATTERN.sub("$-$", latex).translate(LATEX_SYMBOLS)

    def to_json(self) -> dict[str, Any]:
        """Return the headings and the cells, as dictionaries, for the web interface."""
        rows = [
            [cell if isinstance(cell, ScoreCell) else ScoreCell(cell) for cell in row]
            for row in self.rows
        ]
        return {"headings": self.headings, "rows": [[*map(asdict, row)] for row in rows]}

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        title = wrap_text(self.title, options.max_width)
        yield Text(title if self.is_scorecard else f"\n{title}\n", style="bold")
        if self.is_scorecard:
            yield from _fit_scorecard_to_width(self.headings, self.rows, options.max_width)
        elif self.rows:
            rows = [tuple(map(str, row)) for row in self.rows[: self.max_rows]]
            yield from _fit_table_to_width(self.headings, rows, options.max_width)
        if (n_omitted := len(self.rows) - self.max_rows) > 0:
            yield Text(f"... and {n_omitted} more rows.")
        if self.note and (self.is_note_short or not self.is_scorecard):
            yield Text(wrap_text(self.note, options.max_width))


def make_table_from_rows(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
) -> Table:
    """Return a table of strings with the given headings and rows."""
    columns = list(zip(*rows, strict=True)) or [()] * len(headings)
    frame = dict(zip(headings, columns, strict=True))
    return Table(title, frame, [Column(heading, heading) for heading in headings], note)


def describe_frame(frame: pd.DataFrame, columns: Sequence[Column]) -> str:
    """Return alternative text for a plot, which describes the plotted DataFrame.

    The text contains the smallest, largest, first and last value of every numeric column. The
    columns before the first numeric column are the names of the rows.
    """
    import pandas as pd

    if frame.empty:
        return "The plot has no data."
    is_number = [pd.api.types.is_numeric_dtype(frame[column.name]) for column in columns]
    first_number_index = is_number.index(True) if any(is_number) else len(columns)
    name_columns = [columns[k].format_rows(frame) for k in range(max(1, first_number_index))]
    names = [" ".join(map(str, parts)) for parts in zip(*name_columns, strict=True)]
    sentences = []
    for column in columns[max(1, first_number_index) :]:
        defined_indices = frame[column.name].notna().to_numpy().nonzero()[0]
        if not len(defined_indices):
            continue
        texts = column.format_rows(frame)
        values = frame[column.name].to_numpy()[defined_indices]
        labels = [f"{texts[i]} ({names[i]})" for i in defined_indices]
        title = capitalize_first(column.heading)
        if len(labels) <= 2:
            sentences.append(f"{title}: {' and '.join(labels)}.")
            continue
        min_label, max_label = labels[values.argmin()], labels[values.argmax()]
        sentences.append(f"{title} ranges from {min_label} to {max_label}.")
        sentences.append(f"The first value is {labels[0]}, and the last value is {labels[-1]}.")
    return " ".join(sentences)


def format_markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    separator_row = ["---"] * len(headings)
    lines = []
    for cells in (headings, separator_row, *rows):
        # A path can contain a vertical bar.
        escaped_cells = [cell.replace("|", r"\|") for cell in cells]
        lines.append("| " + " | ".join(escaped_cells) + " |")
    return lines


# Terminal output

TextRows = Sequence[Sequence[str]]


def _fit_scorecard_to_width(
    headings: Sequence[str], rows: Sequence[Sequence[str | ScoreCell]], max_width: int
) -> Iterator[RenderableType]:
    """Yield a scorecard in the widest format that fits on the terminal.

    The formats are cells with intervals, with intervals and short verdicts, without intervals,
    with short verdicts, and without differences.
    """
    from rich.text import Text

    text_rows: list[list[str]] = []
    cell_formats: tuple[Callable[[ScoreCell], str], ...] = (
        lambda cell: str(cell.add_interval()),
        lambda cell: cell.add_interval().shorten(),
        str,
        ScoreCell.shorten,
        ScoreCell.abbreviate,
    )
    for format_cell in cell_formats:
        text_rows = [
            [cell if isinstance(cell, str) else format_cell(cell) for cell in row] for row in rows
        ]
        if sum(_compute_column_widths([headings, *text_rows])) <= max_width + COLUMN_GAP:
            break
    tones = [
        ["" if isinstance(cell, str) else TONE_STYLES[cell.tone] for cell in row] for row in rows
    ]
    cells = [list(map(Text, *pair)) for pair in zip(text_rows, tones, strict=True)]
    yield _build_table(headings, cells)
    details = [cell.detail for row in rows for cell in row if isinstance(cell, ScoreCell)]
    if "±" in "".join(details) and "±" not in str(text_rows):
        yield Text(wrap_text(MISSING_INTERVALS_NOTE, max_width))


def _fit_table_to_width(
    headings: Sequence[str], rows: TextRows, max_width: int
) -> Iterator[RenderableType]:
    """Yield a table, split into several narrower tables if it is too wide for the terminal.

    If a table is too wide, the gaps between columns are reduced first. If this is not sufficient,
    names are wrapped and finally the table is split. A table with one row is transposed.
    """
    from rich.text import Text

    total_width = sum(_compute_column_widths([headings, *rows])) - COLUMN_GAP
    if total_width - (COLUMN_GAP - MIN_COLUMN_GAP) * (len(headings) - 1) <= max_width:
        yield _build_table(headings, rows, is_tight=total_width > max_width)
        return
    max_width += COLUMN_GAP
    rows = [[INTERVAL_PATTERN.sub(r"\n\1", cell) for cell in row] for row in rows]
    wrapped_headings = [
        fold_text(heading, max(MIN_NAME_WIDTH, width - COLUMN_GAP))
        for heading, width in zip(headings, _compute_column_widths(rows), strict=True)
    ]
    columns = list(zip(wrapped_headings, *rows, strict=True))
    name_columns = [
        i for i, cells in enumerate(columns) if not all(map(NUMBER_PATTERN.match, cells[1:]))
    ] or [0]
    if len(rows) == 1:
        yield _build_table(("", rows[0][0]), list(zip(headings[1:], rows[0][1:], strict=True)))
        return
    constant_columns = [i for i in name_columns if len({*columns[i][1:]}) == 1]
    constant_columns = constant_columns[len(constant_columns) == len(name_columns) :]
    if constant_columns:
        yield Text("; ".join(": ".join(columns[i][:2]) for i in constant_columns) + "\n")
    name_columns = [i for i in name_columns if i not in constant_columns]
    widths = [_compute_column_widths([[cell] for cell in cells])[0] for cells in columns]
    min_names_width = min(
        sum(widths[i] for i in name_columns),
        max(MIN_NAME_WIDTH * len(name_columns), max_width // 3),
    )
    column_groups: list[list[int]] = [[]]
    for i in range(len(columns)):
        if i in name_columns or i in constant_columns:
            continue
        width = sum(widths[k] for k in (*column_groups[-1], i)) + min_names_width
        if column_groups[-1] and width > max_width:
            column_groups.append([])
        column_groups[-1].append(i)
    for group_index, column_indices in enumerate(column_groups):
        yield from [""] * bool(group_index)
        available_width = max_width - sum(widths[i] for i in column_indices)
        displayed_columns = {i: columns[i] for i in column_indices} | _wrap_name_columns(
            {i: columns[i] for i in name_columns}, available_width
        )
        cells = [displayed_columns[i] for i in sorted(displayed_columns)]
        header_row, *body_rows = zip(*cells, strict=True)
        yield _build_table(header_row, body_rows)


def _wrap_name_columns(
    name_columns: Mapping[int, tuple[str, ...]], width: int
) -> dict[int, tuple[str, ...]]:
    """Wrap the widest name columns until all columns fit on the terminal."""
    widths = {
        i: _compute_column_widths([[cell] for cell in cells])[0]
        for i, cells in name_columns.items()
    }
    while sum(widths.values()) > width and max(widths.values()) > COLUMN_GAP + 1:
        widths[max(widths, key=widths.__getitem__)] -= 1
    return {
        i: tuple(fold_text(cell, widths[i] - COLUMN_GAP) for cell in cells)
        for i, cells in name_columns.items()
    }


def _compute_column_widths(rows: TextRows) -> list[int]:
    """Return the width of each column in characters, including the gap to the next column."""
    return [
        max(len(line) for cell in cells for line in cell.split("\n")) + COLUMN_GAP
        for cells in zip(*rows, strict=True)
    ]


def _build_table(
    headings: Sequence[str], rows: Sequence[Sequence[str | Text]], is_tight: bool = False
) -> rich_table.Table:
    """Return a rich table with right-aligned columns of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=is_tight)
    for heading, cells in zip(headings, zip(*rows, strict=True), strict=True):
        is_number = all(isinstance(cell, str) and NUMBER_PATTERN.match(cell) for cell in cells)
        table.add_column(heading, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
