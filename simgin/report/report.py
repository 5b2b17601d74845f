"""Reports that present results on a terminal, in Markdown and in HTML.

The class of a result computes DataFrames, selects their columns and writes the verdict. A `Table`
contains a DataFrame and its columns. A `Plot` contains a figure from `simgin.plots`. The module
`simgin.report.html_report` creates the output files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from simgin.renamed import RenamedAttributes
from simgin.report.card_rows import CardRow
from simgin.report.report_table import Table
from simgin.report.wrapping import Sentences
from simgin.stats import table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from rich.console import RenderableType

Item = TypeVar("Item")

MAX_VERDICT_LINES = 20  # Maximum number of lines. Longer verdicts appear only in the HTML report.


class LazySequence(Sequence[Item]):
    """Sequence that computes each item when it is first accessed."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items: list[Item] = []
        self._remaining = iter(items)

    def __getitem__(self, index: Any) -> Any:
        is_item = isinstance(index, int) and index >= 0
        n_needed = max(0, index + 1 - len(self._items)) if is_item else None
        self._items += islice(self._remaining, n_needed)
        return self._items[index]

    def __len__(self) -> int:
        return len(self[:])


@dataclass(frozen=True)
class Plot:
    """Plot in a report: a matplotlib figure with its data and its texts.

    Attributes:
        name: Base name of the output files, which is unique within a report.
        title: Title in the HTML report.
        alt: Alternative text.
        figure: Matplotlib figure.
        frame: DataFrame that is saved as a CSV file (see `simgin.stats.table.build_output_frame`).
        cards: Cards that are shown above the figure in the HTML report.
        note: Note that is shown with the cards.
    """

    name: str
    title: str
    alt: str
    figure: Figure
    frame: pd.DataFrame | None = None
    cards: Sequence[CardRow] = ()
    note: str = ""

    @cached_property
    def svg(self) -> str:
        """Figure as SVG, drawn once for the SVG file and the HTML report."""
        from simgin.report import figures  # Few commands draw plots.

        return figures.svg(self.figure, self.name)

    @property
    def csv(self) -> str:
        """Plotted data as CSV, or "" if there are no data."""
        return "" if self.frame is None else table.format_csv(self.frame)


@dataclass(frozen=True)
class Caveat:
    """Reason why a result can be wrong, with a command that computes a better result."""

    sentence: str
    command: str


@dataclass(frozen=True)
class Report(RenamedAttributes):
    """Report about a result, with its contents in reading order.

    Attributes:
        question: Heading of the report.
        verdict: Sentences that summarise the result.
        rules: Pairs of a rule name, which can start a line of the verdict, and the description of
            the rule.
        tables: Tables of the report. The terminal shows only the first table.
        plots: Plots in the HTML report.
        detail_tables: Detailed tables, which are collapsed in the HTML report.
        facts: Pairs of a label and a text that describe the computation.
        command: Command that reproduces the result.
        files: Contents of additional output files, by path.
        caveat: Caveat that is shown next to the question.
        notes: Notes that are shown below the question.
    """

    question: str
    verdict: Sequence[str]
    rules: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    detail_tables: Sequence[Table] = ()
    facts: Sequence[tuple[str, str]] = ()
    command: str = ""
    files: Mapping[str, bytes | str] = field(default_factory=dict)
    caveat: Caveat | None = None
    notes: Sequence[str] = ()

    @property
    def main_table(self) -> Table | None:
        """Main table of the report, or None if there is no table."""
        return next(iter([*self.tables, *self.detail_tables]), None)

    def to_text(self) -> str:
        """Return the verdict and the main table as plain text."""
        from simgin.report.terminal import render_text

        lines = [self.caveat.sentence] if self.caveat else []
        renderables = [Sentences([*lines, *self.verdict], MAX_VERDICT_LINES), self.main_table]
        return render_text(renderable for renderable in renderables if renderable is not None)

    def to_renderables(self, *, show_details: bool = False) -> Iterator[RenderableType]:
        """Yield the objects that a terminal prints, with all tables and rows if `show_details`."""
        from rich.text import Text

        yield Text(self.question, style="bold")
        yield from map(Text, self.notes)
        if self.caveat:
            yield Sentences([self.caveat.sentence])
        yield Sentences(self.verdict, sys.maxsize if show_details else MAX_VERDICT_LINES)
        if not show_details:
            yield from self.tables[:1]
            for report_table in self.tables[1:]:
                if report_table.is_scorecard:
                    yield Text(f'The report also contains the table "{report_table.title}".')
            return
        for report_table in (*self.tables, *self.detail_tables):
            yield replace(report_table, max_rows=len(report_table.rows))

    def to_markdown(self) -> str:
        """Return the question, the rules, the verdict and all tables as Markdown."""
        rule_lines = [f"* {name}: {sentence}" for name, sentence in self.rules]
        verdict_lines = [f"* {line}" for line in self.verdict]
        caveat_text = self.caveat and f"**{self.caveat.sentence}** `{self.caveat.command}`"
        paragraphs = [f"# {self.question}", *self.notes]
        sections = (caveat_text, "\n".join(rule_lines), "\n".join(verdict_lines))
        paragraphs += [section for section in sections if section]
        tables = [t.to_markdown() for t in (*self.tables, *self.detail_tables) if t.rows]
        return "\n\n".join([*paragraphs, "\n".join(tables)])

    def split_rule_name(self, line: str) -> tuple[str, str]:
        """Split a line of the verdict into the rule name at its start and the remaining text."""
        name, separator, remaining_text = line.partition(": ")
        return (name, remaining_text) if separator and name in dict(self.rules) else ("", line)
