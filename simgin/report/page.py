"""The page: one HTML file that needs nothing else, with verdicts, pictures, tables and how they were made.

Looks are in page.html.j2 beside this file. Everything given here is text: names may hold any character, and none of it becomes markup.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from simgin.report import figures
from simgin.report.numbers import DASH
from simgin.report.report import Picture, Report
from simgin.report.sheet import Sheet
from simgin.report.wrapping import keep_units

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

PAGE, SUMMARY = "report.html", "summary.md"
TEMPLATE = Path(__file__).with_name("page.html.j2")
FILTERED_FROM = 8  # rows from which on a table can be filtered
LONG = 24  # characters from which on a text has room of its own
VARIANT = "variant"  # the heading by which a table knows the variant of a row
INKS = {
    figures.INK: "var(--ink)",
    figures.FAINT: "var(--faint)",
    figures.GRID: "var(--grid)",
    figures.PAPER: "var(--paper)",
}
_NUMBER = re.compile(rf"\s*([-+<]?\s*[\d.,]*\d|{DASH})")


def drawings(pictures: Sequence[Picture]) -> dict[str, bytes | str]:
    """Every picture as a PNG and an SVG file, by its path in a run directory."""
    return {
        f"plots/{one.name}.{form}": content
        for one in pictures
        for form, content in (
            ("png", figures.png(one.figure)),
            ("svg", figures.svg(one.figure, one.name)),
        )
    }


def files(report: Report) -> dict[str, bytes | str]:
    """Every file of a report by its path in the directory: tables, summary, pictures, page."""
    return {
        **report.tables,
        SUMMARY: report.summary,
        **drawings(report.pictures),
        PAGE: html(report),
    }


def html(report: Report) -> str:
    """The page as HTML text. Equal reports give equal text."""
    drawn = [(picture, _drawing(picture)) for picture in report.pictures]
    tables = [_Table(i, sheet) for i, sheet in enumerate(report.sheets, start=1)]
    return _template().render(
        report=report,
        drawn=drawn,
        tables=tables,
        variants=_variants(report),
        FILTERED_FROM=FILTERED_FROM,
    )


@dataclass(frozen=True)
class _Table:
    """A sheet as the template takes it."""

    number: int
    sheet: Sheet

    @property
    def name(self) -> str:
        return f"table-{self.number}"

    @property
    def place(self) -> int | None:
        """The column that says the variant of a row."""
        return self.sheet.headings.index(VARIANT) if VARIANT in self.sheet.headings else None

    @property
    def rows(self) -> list[tuple[str | None, tuple[str, ...]]]:
        """Every row with its variant, if it has one."""
        return [(None if self.place is None else row[self.place], row) for row in self.sheet.rows]

    @property
    def kinds(self) -> list[str]:
        """Of every column whether it is of numbers: a class for the style sheet and the script."""
        columns = list(zip(*self.sheet.rows, strict=True)) or [()] * len(self.sheet.headings)
        return [_kind(column) for column in columns]


def _kind(column: Sequence[str]) -> str:
    """Numbers, with or without an error; or text, with room of its own where it is long."""
    if all(_NUMBER.match(cell) or not cell for cell in column):
        return "number"
    return "long text" if max(map(len, column)) > LONG else "text"


def _variants(report: Report) -> list[str]:
    """The variants that can be switched to, in the order in which they are met."""
    of_tables = (
        variant for i, sheet in enumerate(report.sheets) for variant, _ in _Table(i, sheet).rows
    )
    found = dict.fromkeys(
        filter(None, [*(picture.variant for picture in report.pictures), *of_tables])
    )
    return list(found) if len(found) > 1 else []


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    world = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    world.filters["breakable"] = _breakable
    world.filters["digest"] = _digest
    world.filters["keep_units"] = keep_units
    return world.get_template(TEMPLATE.name)


def _digest(script: str) -> str:
    """The script as the content security policy names it, so that no other may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _breakable(text: str) -> Markup:
    """A text that may be broken before + and after , : / where a line is too short for a name."""
    from markupsafe import Markup, escape

    parts = re.split(r"(?<=[,:/])(?=[^\s\d])|(?=\+)", text)
    return Markup("<wbr>").join(escape(part) for part in parts)


def _drawing(picture: Picture) -> Markup:
    """The picture as an SVG element with title and description, in the page's inks, as wide as its place."""
    from markupsafe import Markup

    root = ElementTree.fromstring(figures.svg(picture.figure, picture.name))
    for element in list(root.iter()):
        _settle(element)
    for size in ("width", "height", "version"):
        root.attrib.pop(size, None)
    for place, (tag, text) in enumerate((("title", picture.title), ("desc", picture.alt))):
        said = ElementTree.Element(tag, id=f"{picture.name}-{tag}")
        said.text = text
        root.insert(place, said)
    root.set(
        "preserveAspectRatio", "xMinYMin meet"
    )  # a tall one is made smaller for paper, and stays at its margin
    root.set("role", "img")
    root.set("aria-labelledby", f"{picture.name}-title {picture.name}-desc")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _settle(element: ElementTree.Element) -> None:
    """Make an element of an SVG file one of the page: without name spaces, foreign inks, and style sheets, which would be the page's."""
    element.tag = _local(element.tag)
    inks = {
        ink: name for ink, name in INKS.items() if element.tag != "text" or ink != figures.PAPER
    }  # white text stands on data, not on paper
    pattern = re.compile("|".join(inks), re.IGNORECASE)
    element.attrib = {
        _local(key): pattern.sub(lambda ink: inks[ink[0].lower()], value)
        for key, value in element.attrib.items()
    }
    for child in list(element):
        if _local(child.tag) in ("style", "metadata"):
            element.remove(child)


def _local(name: str) -> str:
    """A name without its name space."""
    return name.rpartition("}")[2]
