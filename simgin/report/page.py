"""The files of a report, and its page: one self-contained HTML file.

The page has the sentences, plots, tables and methods of a report; page.html.j2 beside this file
is its template. Everything given here is text: names may hold any character, and none of it
becomes markup.
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
from simgin.report.report import Picture, Report
from simgin.report.sheet import NUMBER, Sheet
from simgin.report.wrapping import keep_units
from simgin.text.messages import printable

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

PAGE, SUMMARY = "report.html", "summary.md"
PLOTS = "plots/"  # folder of the plots
TEMPLATE = Path(__file__).with_name("page.html.j2")
FILTERED_FROM = 8  # rows; longer tables get a filter
SCROLLED_FROM = 60  # rows; of a shorter table, such as all decisions of a deal, nothing is hidden
LONG = 24  # characters; columns with longer text get more room
VARIANT = "variant"  # heading of the column that names the variant of a row
COLOURS = {
    figures.INK: "var(--ink)",
    figures.FAINT: "var(--faint)",
    figures.GRID: "var(--grid)",
    figures.PAPER: "var(--paper)",
}


def files(report: Report, plots: str = PLOTS) -> dict[str, bytes | str]:
    """Every file of a report by its path in the directory: tables, summary, plots, page.

    plots: the folder of the plots, with its slash; empty for the directory itself.
    """
    return {
        **report.tables,
        SUMMARY: _without_html(report.summary),
        **drawings(report.pictures, plots),
        PAGE: html(report),
    }


def _without_html(markdown: str) -> str:
    """A text of Markdown in which nothing opens a tag, and nothing steers what prints it."""
    return printable(re.sub("<(?=[a-zA-Z/!?])", "&lt;", markdown))


def drawings(pictures: Sequence[Picture], plots: str = PLOTS) -> dict[str, bytes | str]:
    """Every picture as a PNG and an SVG file, by its path in a run directory."""
    contents: dict[str, bytes | str] = {}
    for picture in pictures:
        contents[f"{plots}{picture.name}.png"] = figures.png(picture.figure)
        contents[f"{plots}{picture.name}.svg"] = picture.svg
    return contents


def html(report: Report) -> str:
    """The page as HTML. Equal reports give equal text."""
    tables = [_Table(f"table-{i}", sheet) for i, sheet in enumerate(report.sheets, start=1)]
    return _template().render(
        report=report,
        drawn=[(picture, _drawing(picture)) for picture in report.pictures],
        tables=tables,
        variants=_variants(report.pictures, tables),
        FILTERED_FROM=FILTERED_FROM,
        SCROLLED_FROM=SCROLLED_FROM,
    )


# Tables


@dataclass(frozen=True)
class _Table:
    """A sheet in the form that the template needs."""

    name: str  # its id on the page
    sheet: Sheet

    @property
    def rows(self) -> list[tuple[str | None, tuple[str, ...]]]:
        """Every row with its variant, or None in a table without variants."""
        headings = self.sheet.headings
        if VARIANT not in headings:
            return [(None, row) for row in self.sheet.rows]
        column = headings.index(VARIANT)
        return [(row[column], row) for row in self.sheet.rows]

    @property
    def kinds(self) -> list[str]:
        """CSS classes of every column: "number", "text" or "long text"."""
        columns = list(zip(*self.sheet.rows, strict=True))
        if not columns:
            columns = [()] * len(self.sheet.headings)
        return [_kind(column) for column in columns]


def _kind(column: Sequence[str]) -> str:
    texts = [cell for cell in column if cell]
    if all(NUMBER.match(text) for text in texts):
        return "number"
    return "long text" if max(map(len, texts)) > LONG else "text"


def _variants(pictures: Sequence[Picture], tables: Sequence[_Table]) -> list[str]:
    """The variants that the page can be restricted to, in order of appearance; none if only one."""
    names: list[str | None] = [picture.variant for picture in pictures]
    for table in tables:
        names += [variant for variant, _ in table.rows]
    distinct = list(dict.fromkeys(name for name in names if name))
    return distinct if len(distinct) > 1 else []


# The template


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    environment.filters["digest"] = _digest
    environment.filters["keep_units"] = keep_units
    return environment.get_template(TEMPLATE.name)


def _digest(script: str) -> str:
    """The hash of the script for the content security policy, so that no other script may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _breakable(text: str) -> Markup:
    """A name with line breaks allowed before + and after , : / where the line is too short."""
    from markupsafe import Markup, escape

    parts = re.split(r"(?<=[,:/])(?=[^\s\d])|(?=\+)", text)
    return Markup("<wbr>").join(map(escape, parts))


# Plots


def _drawing(picture: Picture) -> Markup:
    """The figure as an SVG element with title and description, in the colours of the page."""
    from markupsafe import Markup

    root = ElementTree.fromstring(picture.svg)
    for element in list(root.iter()):
        _adopt(element)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.insert(0, _labelled("title", picture.name, picture.title))
    root.insert(1, _labelled("desc", picture.name, picture.alt))
    # On paper a tall figure is shrunk; keep it at the left margin
    root.set("preserveAspectRatio", "xMinYMin meet")
    root.set("role", "img")
    root.set("aria-labelledby", f"{picture.name}-title {picture.name}-desc")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _labelled(tag: str, name: str, text: str) -> ElementTree.Element:
    element = ElementTree.Element(tag, id=f"{name}-{tag}")
    element.text = text
    return element


def _adopt(element: ElementTree.Element) -> None:
    """Make an element of an SVG file part of the page.

    Drops namespaces and style sheets, which would apply to the whole page, and replaces the four
    exchangeable colours by the page's.
    """
    element.tag = _local(element.tag)
    colours = dict(COLOURS)
    if element.tag == "text":
        del colours[figures.PAPER]  # white text stands on data, not on paper
    pattern = re.compile("|".join(colours), re.IGNORECASE)

    def page_colour(match: re.Match[str]) -> str:
        return colours[match[0].lower()]

    attributes = {}
    for key, value in element.attrib.items():
        attributes[_local(key)] = pattern.sub(page_colour, value)
    element.attrib = attributes
    for child in list(element):
        if _local(child.tag) in ("style", "metadata"):
            element.remove(child)


def _local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]
