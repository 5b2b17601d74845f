"""Tests of HTML reports in the system's Chromium.

Reports contact no network, and they sort, filter, fold and print.
"""

import itertools
import re

import pytest

from simgin.report import html_report
from support.browser import CONTRASTS, unreadable_texts
from support.command_line import call
from support.sample_plots import draw_plots_of_reports
from support.sample_reports import HOSTILE, make_report

pytestmark = pytest.mark.slow

SIZES, SCHEMES = (390, 1280), ("light", "dark")
RUNS = {
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
def pages(tmp_path_factory):
    """Return real reports by name, and one with hostile names."""
    place = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patched:
        draw_plots_of_reports(patched)
        return write_pages(place)


def write_pages(place):
    for name, text in RUNS.items():
        (place / f"{name}.toml").write_text(text)
        call("run", place / f"{name}.toml", "-o", place / name)
    call("match", "gold", "--deals", "4k", "-o", place / "match")
    small = ("--matches", "1k", "-o")
    call("review", "straight", "tedesco", "--against", "standard", *small, place / "review")
    call("review", "solitary-gin", "gin-solitaire", *small, place / "review-alone")
    (place / "hostile").mkdir()
    text = html_report.render_html(make_report(HOSTILE, (HOSTILE, "a & b", "standard")))
    (place / "hostile" / "report.html").write_text(text)
    return {path.name: path / "report.html" for path in place.iterdir() if path.is_dir()}


@pytest.fixture
def open_report(chromium, pages):
    """Open a report; check at the end that console and network log are empty."""
    told, asked, contexts = [], [], []

    def open_run(name, width=1280, scheme="light", **more):
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, **more
        )
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: told.append(message.text))
        tab.on("pageerror", lambda error: told.append(str(error)))
        tab.on("dialog", lambda dialog: told.append(f"dialog {dialog.message}"))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(pages[name].as_uri())
        if more.get("java_script_enabled", True):
            tab.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
        return tab

    yield open_run
    for context in contexts:
        context.close()
    assert told + [url for url in asked if not url.startswith(("file:", "data:"))] == []


REPORT_NAMES = ("panel", "league", "alone", "match", "review", "review-alone", "hostile")


@pytest.mark.parametrize("name", REPORT_NAMES)
@pytest.mark.parametrize(("width", "scheme"), list(itertools.product(SIZES, SCHEMES)))
def test_the_page_fits_is_readable_and_shows_every_plot(open_report, tmp_path, name, width, scheme):
    tab = open_report(name, width, scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    boxes = tab.evaluate(
        "[...document.querySelectorAll('svg')].map((one) => one.getBoundingClientRect().toJSON())"
    )
    assert boxes and all(box["left"] >= 0 and box["right"] <= width for box in boxes)
    assert all(box["width"] > 200 and box["height"] > 60 for box in boxes)
    assert unreadable_texts(tab.evaluate(CONTRASTS)) == []
    shot = tmp_path / f"{name}-{width}-{scheme}.png"
    tab.screenshot(path=shot, full_page=True)
    assert shot.stat().st_size > 10_000


ASCENDING = """
(texts) => texts.every((one, i) =>
  i === 0 || texts[i - 1].localeCompare(one, 'en', { numeric: true }) <= 0)
"""


def number(text):
    found = re.match(r"[-+]?[\d,]*\.?\d+", text.strip())
    return float(found[0].replace(",", "")) if found else None


@pytest.mark.parametrize("name", REPORT_NAMES)
def test_every_column_of_every_table_sorts_both_ways(open_report, name):
    tab = open_report(name)
    for table in tab.locator("table.sorted").all():
        for column, heading in enumerate(table.locator("thead th").all()):
            kind = "number" in heading.get_attribute("class").split()
            for way in ("descending", "ascending") if kind else ("ascending", "descending"):
                heading.locator("button").press("Enter")
                assert heading.get_attribute("aria-sort") == way
                assert table.locator("thead th[aria-sort]").count() == 1
                cells = table.locator(f"tbody tr > *:nth-child({column + 1})").all_text_contents()
                if kind:
                    values = [number(cell) for cell in cells]
                    known = [value for value in values if value is not None]
                    assert values == known + [None] * (len(values) - len(known)), "dashes last"
                    assert known == sorted(known, reverse=way == "descending")
                else:
                    texts = [cell.strip() for cell in cells if cell.strip()]
                    assert tab.evaluate(ASCENDING, texts if way == "ascending" else texts[::-1])


def test_a_filter_keeps_matching_rows_and_counts_them(open_report):
    tab = open_report("panel")
    field, table = tab.locator("input[type=search]").first, tab.locator("table.sorted").first
    said = tab.locator("[aria-live]").first
    every = table.locator("tbody tr").count()
    assert said.text_content() == f"{every} rows"
    field.fill("  GIN-only undercut ")
    left = [row.text_content() for row in table.locator("tbody tr:visible").all()]
    assert len(left) == 1 and "gin-only" in left[0] and "undercut_bonus" in left[0]
    assert said.text_content() == f"1 of {every} rows"
    table.locator("thead button").first.click()
    assert table.locator("tbody tr:visible").count() == 1
    field.fill("")
    assert table.locator("tbody tr:visible").count() == every


@pytest.mark.parametrize("name", REPORT_NAMES)
def test_without_scripts_everything_but_controls_is_visible(open_report, name):
    tab = open_report(name, java_script_enabled=False)
    for part in tab.locator("section tr, figure, svg, h2, .verdict li, pre").all():
        assert part.is_visible()
    assert tab.locator("select:visible, input:visible, button:visible").count() == 0


@pytest.mark.parametrize("name", REPORT_NAMES)
def test_the_printed_page_has_no_controls_and_whole_plots(open_report, tmp_path, name):
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
    paper = tmp_path / "page.pdf"
    tab.pdf(path=paper, format="A4")
    assert paper.read_bytes().startswith(b"%PDF")


def test_the_keyboard_reaches_every_control(open_report):
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


def test_content_from_outside_is_blocked(open_report, pages, tmp_path):
    """The security policy of the report blocks injected code.

    The browser reports only this violation.
    """
    picture = '<img alt="" src="http://localhost:9/x.png">'
    script = '<script>document.title = "caught"</script>'
    evil = tmp_path / "report.html"
    evil.write_text(pages["match"].read_text().replace("</main>", f"{picture}{script}</main>"))
    other = open_report("match").context.new_page()
    asked = []
    other.on("requestfinished", lambda request: asked.append(request.url))
    other.goto(evil.as_uri())
    assert other.title() != "caught"
    assert not [url for url in asked if url.startswith("http")]
