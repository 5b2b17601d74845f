"""Output files of a report, including the self-contained HTML report.

An HTML report contains the sentences, plots, tables and methods of a report. Its template is
page.html.j2. All strings are escaped, so that names can contain any character.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import itertools
import re
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from simgin.report import figures
from simgin.report.card_rows import cards_to_html
from simgin.report.report import Plot, Report
from simgin.report.report_table import NUMBER_PATTERN, ScoreCell, Table
from simgin.report.wrapping import insert_no_break_spaces
from simgin.text.messages import escape_control_chars
from simgin.version import format_bibtex

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

HTML_FILE_NAME, SUMMARY_FILE_NAME = "report.html", "summary.md"
PLOTS_FOLDER = "plots/"  # default folder for the plots
PAGE_TEMPLATE, PAGE_STYLE_TEMPLATE, PAGE_SCRIPT_TEMPLATE, RESULT_TEMPLATE = (
    Path(__file__).with_name(name)
    for name in ("page.html.j2", "page.css.j2", "page.js.j2", "result.html.j2")
)
_RESULT_ID_COUNTER = itertools.count(1)  # counter for ids, which must be unique in a notebook
MIN_ROWS_FOR_FILTER = 8  # minimum number of rows of a table with a filter
# minimum number of rows of a scrollable table, which exceeds the number of decisions in any deal
MIN_ROWS_FOR_SCROLLING = 60
MIN_LONG_TEXT_LENGTH = 24  # minimum length of text in a wide column, in characters
# Maximum length of a number, in characters. Longer strings are text that begins with a number.
MAX_NUMBER_LENGTH = 40
CSS_VARIABLE_BY_COLOUR = {
    figures.TEXT_COLOUR: "var(--ink)",
    figures.MUTED_COLOUR: "var(--faint)",
    figures.GRID_COLOUR: "var(--grid)",
    figures.BACKGROUND_COLOUR: "var(--paper)",
}
CSS_COLOUR_PATTERN = re.compile("|".join(CSS_VARIABLE_BY_COLOUR), re.IGNORECASE)


def render_report_files(report: Report, plots_folder: str = PLOTS_FOLDER) -> dict[str, bytes | str]:
    """Return the contents of all files of a report, keyed by path in the output directory.

    Args:
        report: Report to write.
        plots_folder: Folder for the plots, ending with a slash, or an empty string for the output
            directory.
    """
    return {
        **report.files,
        SUMMARY_FILE_NAME: _escape_markdown(report.to_markdown()),
        **render_plot_files(report.plots, plots_folder),
        HTML_FILE_NAME: render_html(report, plots_folder),
    }


def _escape_markdown(markdown: str) -> str:
    """Escape HTML tags and control characters in Markdown."""
    return escape_control_chars(re.sub("<(?=[a-zA-Z/!?])", "&lt;", markdown))


def render_plot_files(plots: Sequence[Plot], folder: str = PLOTS_FOLDER) -> dict[str, bytes | str]:
    """Return the PNG, SVG and CSV files of the plots in a report, keyed by path."""
    contents: dict[str, bytes | str] = {}
    for plot in plots:
        contents[f"{folder}{plot.name}.png"] = figures.png(plot.figure)
        contents[f"{folder}{plot.name}.svg"] = plot.svg
        if plot.csv:
            contents[f"{folder}{plot.name}.csv"] = plot.csv
    return contents


def render_html(report: Report, plots_folder: str = PLOTS_FOLDER) -> str:
    """Return the HTML report, with links to the other files in the directory.

    Equal reports produce equal HTML.
    """
    tables = [table for table in report.tables if table.rows]
    all_tables = [*tables, *(table for table in report.detail_tables if table.rows)]
    sections = [
        (f"table-{i}", table, _choose_column_classes(table))
        for i, table in enumerate(all_tables, start=1)
    ]
    return load_template(PAGE_TEMPLATE).render(
        report=report,
        verdict=[report.split_rule_name(line) for line in report.verdict],
        drawn=[(plot, _inline_svg(plot)) for plot in report.plots],
        tables=sections[: len(tables)],
        folded=sections[len(tables) :],
        plots=plots_folder,
        bibtex=format_bibtex(),
        FILTERED_FROM=MIN_ROWS_FOR_FILTER,
        SCROLLED_FROM=MIN_ROWS_FOR_SCROLLING,
    )


def render_result(report: Report, plots: Iterable[Plot]) -> str:
    """Return the verdict, the main table and the plots of a report as one HTML element."""
    prefix = f"simgin-{next(_RESULT_ID_COUNTER)}"
    table = report.main_table
    tables = [] if table is None else [(f"{prefix}-table", table, _choose_column_classes(table))]
    return load_template(RESULT_TEMPLATE).render(
        report=report,
        verdict=[report.split_rule_name(line) for line in report.verdict],
        tables=tables,
        drawn=[_inline_svg(replace(plot, name=f"{prefix}-{plot.name}")) for plot in plots],
        SCROLLED_FROM=MIN_ROWS_FOR_SCROLLING,
    )


def _choose_column_classes(table: Table) -> list[str]:
    """Return the CSS classes of each column: "number", "text" or "long text"."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    return [_choose_column_class([str(cell) for cell in column if str(cell)]) for column in columns]


def _choose_column_class(cells: Sequence[str]) -> str:
    """Return the CSS class of a column that contains `cells`."""
    max_length = max(map(len, cells), default=0)
    if max_length <= MAX_NUMBER_LENGTH and all(map(NUMBER_PATTERN.match, cells)):
        return "number"
    return "long text" if max_length > MIN_LONG_TEXT_LENGTH else "text"


# Template


@functools.cache
def load_template(path: Path) -> Template:
    """Return a Jinja template that can include other templates and the common style sheet."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([path.parent, PAGE_TEMPLATE.parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "breakable": _allow_line_breaks,
        "cards": cards_to_html,
        "digest": _compute_script_digest,
        "keep_units": insert_no_break_spaces,
        "link": urllib.parse.quote,
    }
    environment.tests["scored"] = lambda cell: isinstance(cell, ScoreCell)
    return environment.get_template(path.name)


def _compute_script_digest(script: str) -> str:
    """Return the hash of a script as a content security policy requires it.

    The policy blocks all scripts whose hashes it does not list.
    """
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def compute_report_script_digest() -> str:
    """Return the hash of the HTML report's script for a content security policy."""
    script = load_template(PAGE_SCRIPT_TEMPLATE).render() + "\n"
    return f"sha256-{_compute_script_digest(script)}"


def _allow_line_breaks(text: str) -> Markup:
    """Convert a name to HTML in which lines can break after "+", ",", ":" and "/"."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(map(escape, re.split(r"(?<=[,:/])(?=[^\s\d])|(?=\+)", text)))


# Plots


def _inline_svg(plot: Plot) -> Markup:
    """Return a plot as an SVG element with a title, a description and CSS variables as colours."""
    from markupsafe import Markup

    root = ElementTree.fromstring(plot.svg)
    colours = {} if figures.is_colour_scheme_changed() else CSS_VARIABLE_BY_COLOUR
    for element in list(root.iter()):
        _adapt_svg_element(element, colours)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.insert(0, _make_text_element("title", plot.name, plot.title))
    root.insert(1, _make_text_element("desc", plot.name, plot.alt))
    # A tall figure shrinks in print but must stay at the left margin.
    root.set("preserveAspectRatio", "xMinYMin meet")
    root.set("role", "img")
    root.set("aria-labelledby", f"{plot.name}-title {plot.name}-desc")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _make_text_element(tag: str, id_prefix: str, text: str) -> ElementTree.Element:
    """Return an SVG element that contains text, such as a title."""
    element = ElementTree.Element(tag, id=f"{id_prefix}-{tag}")
    element.text = text
    return element


def _adapt_svg_element(element: ElementTree.Element, colours: Mapping[str, str]) -> None:
    """Remove namespaces and style sheets from an SVG element, and replace its colours.

    Namespaces are removed. Style sheets are also removed, because they would apply to the whole
    document. Unless the user's style has other colours, CSS variables replace the four colours of
    the light scheme.
    """
    element.tag = _strip_namespace(element.tag)

    def replace_colour(match: re.Match[str]) -> str:
        colour = match[0].lower()
        # Text on coloured data keeps its colour in both colour schemes.
        is_text_on_data = element.tag == "text" and colour == figures.BACKGROUND_COLOUR
        return match[0] if is_text_on_data else colours.get(colour, match[0])

    element.attrib = {
        _strip_namespace(key): CSS_COLOUR_PATTERN.sub(replace_colour, value)
        if "#" in value
        else value
        for key, value in element.attrib.items()
    }
    for child in list(element):
        if _strip_namespace(child.tag) in ("style", "metadata"):
            element.remove(child)


def _strip_namespace(name: str) -> str:
    """Return the name of an XML element without its namespace."""
    return name.rpartition("}")[2]
