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
FILTERED_FROM = 8  # rows; longer tables get a filter
SCROLLED_FROM = 60  # rows; of a shorter table, such as all decisions of a deal, nothing is hidden
LONG = 24  # characters; columns with longer text get more room
SENTENCE = 40  # characters; longer texts that begin with a number are no numbers
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
        **report.files,
        SUMMARY: _without_html(report.markdown()),
        **drawings(report.pictures, plots),
        PAGE: html(report, plots),
    }


def _without_html(markdown: str) -> str:
    """A text of Markdown in which nothing opens a tag, and nothing steers what prints it."""
    return printable(re.sub("<(?=[a-zA-Z/!?])", "&lt;", markdown))


def drawings(pictures: Sequence[Picture], plots: str = PLOTS) -> dict[str, bytes | str]:
    """Every picture as a PNG and an SVG file, and its frame as csv, by their paths."""
    contents: dict[str, bytes | str] = {}
    for picture in pictures:
        contents[f"{plots}{picture.name}.png"] = figures.png(picture.figure)
        contents[f"{plots}{picture.name}.svg"] = picture.svg
        if picture.csv:
            contents[f"{plots}{picture.name}.csv"] = picture.csv
    return contents


def html(report: Report, plots: str = PLOTS) -> str:
    """The page as HTML, whose links lead to the files beside it. Equal reports give equal text."""
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
    """CSS classes of every column: "number", "text" or "long text"."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    return [_kind([str(cell) for cell in column if str(cell)]) for column in columns]


def _kind(texts: Sequence[str]) -> str:
    longest = max(map(len, texts), default=0)
    if longest <= SENTENCE and all(map(NUMBER.match, texts)):
        return "number"
    return "long text" if longest > LONG else "text"


# The template


@functools.cache
def template(path: Path) -> Template:
    """A template of a page; it may include those beside it, and the style sheet of all pages."""
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
    """The hash of the script for the content security policy, so that no other script may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _breakable(text: str) -> Markup:
    """A name with line breaks allowed before + and after , : / where the line is too short."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(map(escape, re.split(r"(?<=[,:/])(?=[^\s\d])|(?=\+)", text)))


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
    root.insert(1, _labelled("desc", picture.name, picture.words))
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
