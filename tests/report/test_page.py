"""Tests of HTML reports: valid HTML, no external resources, escaped names."""

import base64
import functools
import hashlib
import io
import re

import pytest
from rich.console import Console

from simgin.cli import output
from simgin.report import html_report
from simgin.report.report import Caveat, Plot, Report
from support.html_checks import find_elements, find_html_errors, get_text, parse_html
from support.sample_reports import HOSTILE_TEXT, make_figure, make_report, make_text_table

pytestmark = pytest.mark.usefixtures("drawn_plots")


@functools.cache
def render_sample_report():
    """Return the HTML report that several tests share, which is rendered only once."""
    return html_report.render_html(make_report())


EMPTY_PARTS = {
    name: [] for name in ("rules", "verdict", "tables", "plots", "detail_tables", "facts")
}
CAVEAT_PART = {
    "caveat": Caveat(f"Warning: {HOSTILE_TEXT} was not trained.", f"simgin x '{HOSTILE_TEXT}'"),
    "plots": [],
}
PLOTS_PART = {"plots": [Plot(name, "One", "Words.", make_figure()) for name in ("a", "b")]}


@pytest.mark.parametrize(
    "parts",
    [{}, EMPTY_PARTS | {"files": {}}, PLOTS_PART, CAVEAT_PART],
    ids=["whole", "empty", "alike", "warning"],
)
def test_report_is_valid_and_reproducible_html(parts):
    page = html_report.render_html(make_report(**parts))
    assert find_html_errors(page) == [] and page == html_report.render_html(make_report(**parts))


def test_names_are_escaped_everywhere():
    page = html_report.render_html(make_report(HOSTILE_TEXT, (HOSTILE_TEXT, "standard")))
    assert find_html_errors(page) == []
    root, _ = parse_html(page)
    assert "<script>alert" not in page and len(find_elements(root, "script")) == 1
    for tag in ("title", "h1", "li", "b", "h2", "th", "desc", "dt", "code"):
        assert any(HOSTILE_TEXT in get_text(node) for node in find_elements(root, tag)), tag


def test_security_policy_allows_only_the_reports_script():
    page = render_sample_report()
    root, _ = parse_html(page)
    (script,) = find_elements(root, "script")
    digest = base64.b64encode(hashlib.sha256(get_text(script).encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page


def test_parts_of_the_report_are_ordered_by_importance():
    root, _ = parse_html(render_sample_report())
    titles = ["At a glance", "Results", "Who wins: gold", "League: standard?"]
    titles += ["League: oklahoma+gin_bonus=20?", "Small", "Methods"]
    assert [get_text(node) for node in find_elements(root, "h2")] == titles
    (details,) = find_elements(root, "details")
    assert [get_text(node) for node in find_elements(details, "h2")] == ["Small"]
    first_item, second_item = (node for node in find_elements(root, "li"))
    assert get_text(first_item) == "gold wins."
    assert [get_text(node) for node in find_elements(second_item, "b")] == ["standard"]
    command, citation = find_elements(root, "pre")
    assert get_text(command) == "simgin match 'gold'" and get_text(citation).startswith(
        "@software{simgin"
    )


def test_caveat_follows_the_question():
    """Check the HTML report, the Markdown summary and the terminal output."""
    report = make_report(**CAVEAT_PART)
    root, _ = parse_html(html_report.render_html(report))
    (header,) = find_elements(root, "header")
    first, second, *_ = (*find_elements(header, "h1"), *find_elements(header, "p"))
    assert "Who wins" in get_text(first) and get_text(second) == report.caveat.sentence
    assert [get_text(node) for node in find_elements(header, "pre")] == [report.caveat.command]
    question, warning, *_ = report.to_markdown().split("\n\n")
    assert question.startswith("# ") and report.caveat.command in warning
    console = Console(file=io.StringIO(), width=300)
    for part in output.render_report(report, False, "simgin report x"):
        console.print(part)
    lines = console.file.getvalue().splitlines()
    assert lines[1].rstrip() == report.caveat.sentence
    assert f"Advice:  {report.caveat.command}" in lines
    assert not any("Advice" in str(part) for part in output.render_report(make_report(), False, ""))


def test_every_link_leads_to_a_written_file():
    files = html_report.render_report_files(make_report())
    root, _ = parse_html(str(files[html_report.HTML_FILE_NAME]))
    links = {node.attrib["href"] for node in find_elements(root, "a")} - {"#main"}
    plot_files = {f"plots/{name}" for name in ("league-0.csv", "league-1.csv", "wins.png")}
    assert links >= {"table.csv", *plot_files} and links <= set(files)
    assert not links & {"plots/wins.csv"}, "a picture without a frame has no figures"


@pytest.mark.parametrize("files", [{}, {"table.csv": "a"}])
def test_report_with_links_states_where_they_work(files):
    page = html_report.render_html(Report("Which?", ["None."], files=files))
    assert ("If you send only this report, the links do not work." in page) == bool(files)


def test_scorecard_cells_have_value_verdict_and_interval():
    root, _ = parse_html(render_sample_report())
    scorecard = find_elements(root, "table")[0]
    cells = find_elements(scorecard, "td")
    assert [node.attrib["class"] for node in cells[:4]] == ["base", "little", "base", "much"]
    parts = [
        [get_text(node) for node in find_elements(cells[1], tag)] for tag in ("b", "i", "small")
    ]
    assert parts == [["84 %"], ["▲ a little more"], ["79 to 87"]]
    assert not find_elements(scorecard, "input") and "sorted" not in scorecard.attrib["class"]


def test_inline_plots_use_the_text_colours_of_the_report():
    root, _ = parse_html(render_sample_report())
    svg = find_elements(root, "svg")[0]
    styles = " ".join(node.get("style", "") for node in svg.iter())
    for name in ("ink", "faint", "grid", "paper"):
        assert f"var(--{name})" in styles
    assert not re.search("#222222|#666666|#dddddd", styles, re.I)
    is_white = lambda node: "#ffffff" in (node.get("style", "")).lower()  # noqa: E731
    white_texts = [get_text(node) for node in svg.iter() if is_white(node)]
    assert white_texts == ["on data"], "white text stands on data, whatever the paper is"
    assert "#0072b2" in styles.lower()
    assert "deals won, %" in [get_text(node) for node in find_elements(svg, "text")], (
        "text stays text"
    )


def test_numeric_columns_are_marked():
    numbers = ("1", "4,000 matches (40,756 deals)", "-0.3 ± 0.2", "0.088 (0.063 to 0.122)")
    cells = [(*numbers, "3,530, 3,668 (p < .0001)", "gold", "5 of gold")]
    cells.append(("2", "9 deals", "", "–", "1, 2", "1", "gold"))
    table = make_text_table("Kinds", tuple("abcdefg"), cells)
    report = make_report(tables=[table], detail_tables=[], plots=[])
    root, _ = parse_html(html_report.render_html(report))
    columns = [node for node in find_elements(root, "th") if node.attrib["scope"] == "col"]
    assert [node.attrib["class"] for node in columns] == ["number"] * 5 + ["text"] * 2


@pytest.mark.parametrize(("n_rows", "scrolls"), [(40, False), (60, True)])
def test_only_long_tables_scroll(n_rows, scrolls):
    table = make_text_table("Every decision", ("turn", "action"), [("1", "knock")] * n_rows)
    report = make_report(tables=[table], detail_tables=[], plots=[])
    root, _ = parse_html(html_report.render_html(report))
    (box,) = [node for node in find_elements(root, "div") if "scroll" in node.get("class", "")]
    assert ("high" in box.attrib["class"]) == scrolls
    assert render_sample_report().count("max-height: 85vh") == 1
