"""Output files of a report, including the HTML report: one self-contained file.

The HTML report contains the sentences, plots, tables and methods of a report; its template is
page.html.j2. All strings are escaped, so names can contain any character.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from simgin.report import figures
from simgin.report.report import Picture, Report
from simgin.report.table import NUMBER, Cell, Table
from simgin.report.wrapping import keep_units
from simgin.text.messages import printable
from simgin.version import bibtex

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

PAGE, SUMMARY = "report.html", "summary.md"
PLOTS = "plots/"  # folder of the plots
TEMPLATE, STYLE = (Path(__file__).with_name(name) for name in ("page.html.j2", "page.css.j2"))
FILTERED_FROM = 8  # rows from which a table has a filter
SCROLLED_FROM = 60  # rows from which a table scrolls; all decisions of a deal stay visible
LONG = 24  # characters; columns with longer text are wider
SENTENCE = 40  # characters; longer text is not a number, even if it begins with one
COLOURS = {
    figures.INK: "var(--ink)",
    figures.FAINT: "var(--faint)",
    figures.GRID: "var(--grid)",
    figures.PAPER: "var(--paper)",
}


def files(report: Report, plots: str = PLOTS) -> dict[str, bytes | str]:
    """Return every file of a report by its path in the output directory.

    Args:
        report: The report.
        plots: Folder of the plots, with a trailing slash; empty for the output directory itself.
    """
    return {
        **report.files,
        SUMMARY: _without_html(report.markdown()),
        **drawings(report.pictures, plots),
        PAGE: html(report, plots),
    }


def _without_html(markdown: str) -> str:
    """Return Markdown in which no tag can start, with control characters escaped."""
    return printable(re.sub("<(?=[a-zA-Z/!?])", "&lt;", markdown))


def drawings(pictures: Sequence[Picture], plots: str = PLOTS) -> dict[str, bytes | str]:
    """Return the PNG and SVG file of every plot, and its data as CSV, by path."""
    contents: dict[str, bytes | str] = {}
    for picture in pictures:
        contents[f"{plots}{picture.name}.png"] = figures.png(picture.figure)
        contents[f"{plots}{picture.name}.svg"] = picture.svg
        if picture.csv:
            contents[f"{plots}{picture.name}.csv"] = picture.csv
    return contents


def html(report: Report, plots: str = PLOTS) -> str:
    """Return the HTML report, with links to the files next to it.

    Equal reports give equal HTML.
    """
    tables = [table for table in report.tables if table.rows]
    every = [*tables, *(table for table in report.folded if table.rows)]
    shown = [(f"table-{i}", table, _kinds(table)) for i, table in enumerate(every, start=1)]
    return template(TEMPLATE).render(
        report=report,
        verdict=[report.named(line) for line in report.verdict],
        drawn=[(picture, _drawing(picture)) for picture in report.pictures],
        tables=shown[: len(tables)],
        folded=shown[len(tables) :],
        plots=plots,
        bibtex=bibtex(),
        FILTERED_FROM=FILTERED_FROM,
        SCROLLED_FROM=SCROLLED_FROM,
    )


def _kinds(table: Table) -> list[str]:
    """Return the CSS classes of each column: "number", "text" or "long text"."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    return [_kind([str(cell) for cell in column if str(cell)]) for column in columns]


def _kind(texts: Sequence[str]) -> str:
    longest = max(map(len, texts), default=0)
    if longest <= SENTENCE and all(map(NUMBER.match, texts)):
        return "number"
    return "long text" if longest > LONG else "text"


# Template


@functools.cache
def template(path: Path) -> Template:
    """Return a Jinja template, which can include those next to it and the common style sheet."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([path.parent, TEMPLATE.parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "breakable": _breakable,
        "digest": _digest,
        "keep_units": keep_units,
        "link": urllib.parse.quote,
    }
    environment.tests["scored"] = lambda cell: isinstance(cell, Cell)
    return environment.get_template(path.name)


def _digest(script: str) -> str:
    """Return the hash of a script for the content security policy.

    The policy blocks every script without a listed hash.
    """
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _breakable(text: str) -> Markup:
    """Return a name as HTML that can break before "+" and after ",", ":" or "/"."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(map(escape, re.split(r"(?<=[,:/])(?=[^\s\d])|(?=\+)", text)))


# Plots


def _drawing(picture: Picture) -> Markup:
    """Return a plot as an SVG element with title and description, in CSS colours."""
    from markupsafe import Markup

    root = ElementTree.fromstring(picture.svg)
    for element in list(root.iter()):
        _adopt(element)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.insert(0, _labelled("title", picture.name, picture.title))
    root.insert(1, _labelled("desc", picture.name, picture.words))
    # A tall figure shrinks in print; keep it at the left margin
    root.set("preserveAspectRatio", "xMinYMin meet")
    root.set("role", "img")
    root.set("aria-labelledby", f"{picture.name}-title {picture.name}-desc")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _labelled(tag: str, name: str, text: str) -> ElementTree.Element:
    element = ElementTree.Element(tag, id=f"{name}-{tag}")
    element.text = text
    return element


def _adopt(element: ElementTree.Element) -> None:
    """Prepare an element of an SVG file for the HTML report.

    Drops namespaces and style sheets, which would apply to the whole document, and replaces the
    four colours of the light scheme with CSS variables.
    """
    element.tag = _local(element.tag)
    colours = dict(COLOURS)
    if element.tag == "text":
        del colours[figures.PAPER]  # white text is on data, not on the background
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
    """Return a name without its namespace."""
    return name.rpartition("}")[2]
