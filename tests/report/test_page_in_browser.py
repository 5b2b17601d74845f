"""Tests of HTML reports in the system's Chromium.

Reports contact no network, and they sort, filter, fold and print.
"""

import itertools
import re

import pytest

from simgin.report import html_report
from support.browser import TEXT_COLOURS_SCRIPT, find_unreadable_texts
from support.command_line import run_simgin
from support.sample_plots import draw_plots_of_reports
from support.sample_reports import HOSTILE_TEXT, make_report

pytestmark = pytest.mark.slow

SCREEN_WIDTHS, COLOUR_SCHEMES = (390, 1280), ("light", "dark")
EXPERIMENT_TOML_BY_NAME = {
    "panel": 'question = "Five ways?"\nvariants = ["standard", "standard+undercut_bonus=10"]\n'
    "matches = 1000\n"
    '[panel]\nstrategies = ["simple", "gold", "gin-only", "gold-early", "stubborn"]\n'
    'against = "simple"\n',
    "league": 'question = "Who leads?"\nvariants = ["standard", "oklahoma"]\ndeals = "12k"\n'
    'round_robin = ["gold", "simple", "gin-only"]\n',
    "alone": 'question = "Alone?"\nvariants = ["solitaire-gin", "gin-solitaire"]\ndeals = "8k"\n'
    'solo = ["gold", "simple"]\n',
}


@pytest.fixture(scope="session")
def report_paths(tmp_path_factory):
    """Write real reports and a report with hostile names, and return their paths by name."""
    directory = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as monkeypatch:
        draw_plots_of_reports(monkeypatch)
        return write_reports(directory)


def write_reports(directory):
    """Write reports of experiments, a match and reviews, and return their paths by name."""
    for name, content in EXPERIMENT_TOML_BY_NAME.items():
        (directory / f"{name}.toml").write_text(content)
        run_simgin("run", directory / f"{name}.toml", "-o", directory / name)
    run_simgin("match", "gold", "--deals", "4k", "-o", directory / "match")
    size_options = ("--matches", "1k", "-o")
    run_simgin(
        "review",
        "straight",
        "tedesco",
        "--against",
        "standard",
        *size_options,
        directory / "review",
    )
    run_simgin("review", "solitary-gin", "gin-solitaire", *size_options, directory / "review-alone")
    (directory / "hostile").mkdir()
    content = html_report.render_html(
        make_report(HOSTILE_TEXT, (HOSTILE_TEXT, "a & b", "standard"))
    )
    (directory / "hostile" / "report.html").write_text(content)
    return {path.name: path / "report.html" for path in directory.iterdir() if path.is_dir()}


@pytest.fixture
def open_report(chromium, report_paths):
    """Yield a function that opens a report, and fail on any error message or network request."""
    messages, urls, contexts = [], [], []

    def open_tab(name, width=1280, scheme="light", **options):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, **options
        )
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: messages.append(message.text))
        tab.on("pageerror", lambda error: messages.append(str(error)))
        tab.on("dialog", lambda dialog: messages.append(f"dialog {dialog.message}"))
        tab.on("request", lambda request: urls.append(request.url))
        tab.goto(report_paths[name].as_uri())
        if options.get("java_script_enabled", True):
            tab.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
        return tab

    yield open_tab
    for context in contexts:
        context.close()
    assert messages + [url for url in urls if not url.startswith(("file:", "data:"))] == []


REPORT_NAMES = ("panel", "league", "alone", "match", "review", "review-alone", "hostile")


@pytest.mark.parametrize("name", REPORT_NAMES)
@pytest.mark.parametrize(
    ("width", "scheme"), list(itertools.product(SCREEN_WIDTHS, COLOUR_SCHEMES))
)
def test_report_fits_the_screen_with_readable_text(open_report, tmp_path, name, width, scheme):
    tab = open_report(name, width, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    boxes = tab.evaluate(
        "[...document.querySelectorAll('svg')].map((one) => one.getBoundingClientRect().toJSON())"
    )
    assert boxes and all(box["left"] >= 0 and box["right"] <= width for box in boxes)
    assert all(box["width"] > 200 and box["height"] > 60 for box in boxes)
    assert find_unreadable_texts(tab.evaluate(TEXT_COLOURS_SCRIPT)) == []
    screenshot = tmp_path / f"{name}-{width}-{scheme}.png"
    tab.screenshot(path=screenshot, full_page=True)
    assert screenshot.stat().st_size > 10_000


IS_ASCENDING_JS = """
(texts) => texts.every((one, i) =>
  i === 0 || texts[i - 1].localeCompare(one, 'en', { numeric: true }) <= 0)
"""


def parse_number(text):
    match = re.match(r"[-+]?[\d,]*\.?\d+", text.strip())
    return float(match[0].replace(",", "")) if match else None


@pytest.mark.parametrize("name", REPORT_NAMES)
def test_every_column_can_be_sorted_both_ways(open_report, name):
    tab = open_report(name)
    for table in tab.locator("table.sorted").all():
        for column, heading in enumerate(table.locator("thead th").all()):
            is_numeric = "number" in heading.get_attribute("class").split()
            for direction in (
                ("descending", "ascending") if is_numeric else ("ascending", "descending")
            ):
                heading.locator("button").press("Enter")
                assert heading.get_attribute("aria-sort") == direction
                assert table.locator("thead th[aria-sort]").count() == 1
                cells = table.locator(f"tbody tr > *:nth-child({column + 1})").all_text_contents()
                if is_numeric:
                    values = [parse_number(cell) for cell in cells]
                    defined = [value for value in values if value is not None]
                    assert values == defined + [None] * (len(values) - len(defined)), "dashes last"
                    assert defined == sorted(defined, reverse=direction == "descending")
                else:
                    texts = [cell.strip() for cell in cells if cell.strip()]
                    assert tab.evaluate(
                        IS_ASCENDING_JS, texts if direction == "ascending" else texts[::-1]
                    )


def test_filter_shows_and_counts_matching_rows(open_report):
    tab = open_report("panel")
    field, table = tab.locator("input[type=search]").first, tab.locator("table.sorted").first
    status = tab.locator("[aria-live]").first
    n_rows = table.locator("tbody tr").count()
    assert status.text_content() == f"{n_rows} rows"
    field.fill("  GIN-only undercut ")
    visible_rows = [row.text_content() for row in table.locator("tbody tr:visible").all()]
    assert (
        len(visible_rows) == 1
        and "gin-only" in visible_rows[0]
        and "undercut_bonus" in visible_rows[0]
    )
    assert status.text_content() == f"1 of {n_rows} rows"
    table.locator("thead button").first.click()
    assert table.locator("tbody tr:visible").count() == 1
    field.fill("")
    assert table.locator("tbody tr:visible").count() == n_rows


@pytest.mark.parametrize("name", REPORT_NAMES)
def test_content_is_visible_without_scripts(open_report, name):
    tab = open_report(name, java_script_enabled=False)
    for part in tab.locator("section tr, figure, svg, h2, .verdict li, pre").all():
        assert part.is_visible()
    assert tab.locator("select:visible, input:visible, button:visible").count() == 0


@pytest.mark.parametrize("name", REPORT_NAMES)
def test_printed_report_has_no_controls_or_broken_plots(open_report, tmp_path, name):
    tab = open_report(name, 794, "dark")
    tab.emulate_media(media="print")
    assert tab.locator("input:visible, button[data-copies]:visible, details:visible").count() == 0
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(34, 34, 34)"
    styles = tab.evaluate(
        "[...document.querySelectorAll('figure')].map((one) => getComputedStyle(one).breakInside)"
    )
    assert set(styles) == {"avoid"}
    assert tab.evaluate("document.documentElement.scrollWidth") <= 794
    pdf = tmp_path / "page.pdf"
    tab.pdf(path=pdf, format="A4")
    assert pdf.read_bytes().startswith(b"%PDF")


def test_every_control_is_reachable_by_keyboard(open_report):
    tab = open_report("panel", 390)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(60):
        tab.keyboard.press("Tab")
        reached.add(
            tab.evaluate(
                "((one) => one.id || `${one.tagName}.${one.className}`)(document.activeElement)"
            )
        )
    assert {"table-1-filter", "DIV.scroll", "BUTTON.", "SUMMARY.", "A."} <= reached


def test_injected_content_is_blocked(open_report, report_paths, tmp_path):
    """Check that the security policy of the report blocks injected code.

    The browser reports only this violation.
    """
    image = '<img alt="" src="http://localhost:9/x.png">'
    script = '<script>document.title = "caught"</script>'
    hostile_report = tmp_path / "report.html"
    hostile_report.write_text(
        report_paths["match"].read_text().replace("</main>", f"{image}{script}</main>")
    )
    tab = open_report("match").context.new_page()
    urls = []
    tab.on("requestfinished", lambda request: urls.append(request.url))
    tab.goto(hostile_report.as_uri())
    assert tab.title() != "caught"
    assert not [url for url in urls if url.startswith("http")]
