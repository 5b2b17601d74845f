"""A report: what is said about a run, a review or a table of odds, before it is written anywhere.

`simgin.report.page` makes its files. A picture takes a function in `simgin.plots` and a line where
the pictures of its subject are listed; a table takes a `Sheet`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from simgin.report import figures
from simgin.report.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure of matplotlib and its place on the page."""

    name: str  # of its files; unique in a report
    title: str
    alt: str  # what there is to see, with its figures, in words
    figure: Figure
    variant: str = ""  # shown with that variant only; empty: always

    @cached_property
    def svg(self) -> str:
        """The figure as an SVG file: it is drawn once for its own file and for the page."""
        return figures.svg(self.figure, self.name)


@dataclass(frozen=True)
class Report:
    """Everything that is said about one subject, in the order in which it is read."""

    title: str
    lead: str
    sentences: Sequence[str]
    pictures: Sequence[Picture]
    sheets: Sequence[Sheet]
    facts: Sequence[tuple[str, str]]  # how it was made: a label and a text
    command: str  # repeats it
    summary: str = ""  # Markdown
    tables: Mapping[str, str] = field(default_factory=dict)  # CSV texts by file name
