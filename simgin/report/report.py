"""A report: what every command hands over, and the only thing that a page and a screen know.

`simgin.report.page` makes its files. A subject makes frames, names their columns and says its
verdict; a table takes a frame and columns, a picture a function in `simgin.plots`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from simgin.report import figures
from simgin.report.cards import CardRow
from simgin.report.table import Column, Table, described
from simgin.report.wrapping import Words
from simgin.stats import table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from rich.console import RenderableType

VERDICT_LINES = 10  # on a terminal: with the question and a scorecard they fill 24 lines


@dataclass(frozen=True)
class Picture:
    """A figure of matplotlib, the question that it answers, and the frame that it shows.

    alt: what there is to see, in words; made from the frame where there is none. cards: on the
    page they lie above the figure, with a note.
    """

    name: str  # of its files; unique in a report
    title: str
    alt: str
    figure: Figure
    frame: pd.DataFrame | None = None
    columns: Sequence[Column] = ()
    cards: Sequence[CardRow] = ()
    note: str = ""

    @cached_property
    def svg(self) -> str:
        """The figure as an SVG file: it is drawn once for its own file and for the page."""
        return figures.svg(self.figure, self.name)

    @property
    def words(self) -> str:
        """The alternative text."""
        if self.alt or self.frame is None:
            return self.alt
        return described(self.frame, self.columns)

    @property
    def csv(self) -> str:
        """The frame as csv; empty without one."""
        return "" if self.frame is None else table.csv(self.frame)


@dataclass(frozen=True)
class Caution:
    """Why an answer may be wrong, in a sentence, and the command whose answer is better."""

    sentence: str
    command: str


@dataclass(frozen=True)
class Report:
    """Everything that is said about one subject, in the order in which it is read.

    rules: names that the verdict may begin a line with, and a sentence on each. tables: the first
    is the one that a screen shows. folded: what only those who ask for it see. facts: how it was
    made, a label and a text. command: repeats it. files: csv texts by name. caution: is shown next
    to the question.
    """

    question: str
    verdict: Sequence[str]
    rules: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    folded: Sequence[Table] = ()
    facts: Sequence[tuple[str, str]] = ()
    command: str = ""
    files: Mapping[str, bytes | str] = field(default_factory=dict)
    caution: Caution | None = None

    def screen(self, *, details: bool = False) -> Iterator[RenderableType]:
        """What a terminal of 24 lines shows; with details, every table."""
        from rich.text import Text

        yield Text(self.question, style="bold")
        if self.caution:
            yield Words([self.caution.sentence])
        yield Words(self.verdict, VERDICT_LINES)
        yield from self.tables if details else self.tables[:1]
        if details:
            yield from self.folded

    def markdown(self) -> str:
        """Question, rules, verdict and every table."""
        rules = [f"* {name}: {sentence}" for name, sentence in self.rules]
        verdict = [f"* {line}" for line in self.verdict]
        caution = self.caution and f"**{self.caution.sentence}** `{self.caution.command}`"
        parts = [f"# {self.question}"]
        parts += [part for part in (caution, "\n".join(rules), "\n".join(verdict)) if part]
        tables = [one.markdown() for one in (*self.tables, *self.folded) if one.rows]
        return "\n\n".join([*parts, "\n".join(tables)])

    def named(self, line: str) -> tuple[str, str]:
        """A line of the verdict: the rules that it begins with, if any, and the rest."""
        name, colon, rest = line.partition(": ")
        return (name, rest) if colon and name in dict(self.rules) else ("", line)
