"""Accessibility tests in Chromium: axe-core finds no violation, and keys reach all controls.

axe-core comes from npm, for this test only.
"""

import random
import shutil
import subprocess

import pytest

from support.browser import open_page

pytest.importorskip("playwright")
pytestmark = pytest.mark.slow
AXE_PACKAGE = "axe-core@4.14.1"
GAME_QUERY = "variant=standard&opponent=simple&length=deal&seat=0&seed=4"
POSITION_QUERY = (
    "hand=7H+7D+7C+8C+9C+TC+4H+TD+AC+4C+KS&pile=QD+TS+9D*+QH&strategy=simple&opponent=simple"
)
# Page: address, and an element that is visible when the page is complete
PATH_AND_SELECTOR_BY_PAGE = {
    "home": ("/", ".runs"),
    "new game": ("/play", ".setup"),
    "table": (f"/play?{GAME_QUERY}&coach=off", "#game[data-version]"),
    "analysis": (f"/analyse?{POSITION_QUERY}&worlds=400", '#board[data-state="over"]'),
    "review": ("/review", ".parameters input"),
    "compare": ("/compare", ".parameters summary"),
    "odds": ("/odds", "#command-form"),
    "charts": ("/charts", "#command-form"),
    "results": ("/results", ".results"),
    "run": ("/results/demo", "#report"),
    "report": ("/results/demo/files/report.html", "h1"),
    "compare runs": ("/compare-runs", "#command-form"),
    "invalid form": ("/review?base=nothing&seconds=x&r1=standard", ".error"),
    "error": ("/nothing", "h1"),
}
LIST_VIOLATIONS_JS = (
    "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)"
)
LIST_CONTROLS_JS = """
() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, iframe')]
  .filter((one) => one.type !== 'hidden' && !one.disabled && one.tabIndex >= 0
    && one.checkVisibility({visibilityProperty: true}))
  .map((one, place) => { one.dataset.place = place; return one.outerHTML.slice(0, 120); })
"""
# Number of the focused control, and whether its focus is visible
DESCRIBE_FOCUS_JS = """
() => {
  const one = document.activeElement, style = getComputedStyle(one);
  const edge = one.querySelector('.card-edge');
  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  const marked = edge && parseFloat(getComputedStyle(edge).strokeWidth) >= 2.5;
  const isVisible = ring || marked || style.boxShadow !== 'none' || one.tagName === 'IFRAME';
  return [one.dataset.place ?? '', Boolean(isVisible)];
}
"""


@pytest.fixture(scope="module")
def axe_script(tmp_path_factory):
    """Return the script of axe-core, the accessibility checker, after its installation by npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--silent", "--no-audit", "--ignore-scripts", AXE_PACKAGE]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if process.returncode != 0:
        pytest.skip(f"npm cannot install {AXE_PACKAGE}: {process.stderr[-300:]}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture
def two_runs(site, match_directory):
    """Add two finished runs to the results of the site."""
    for name in ("demo", "demo-2"):
        shutil.copytree(match_directory, site.results_directory / name)


@pytest.fixture(params=[("light", 1280), ("dark", 390)], ids=["light-wide", "dark-phone"])
def page(request, chromium, address):
    """Open the home page in a browser that can run the script of axe-core."""
    colours, width = request.param
    options = {"color_scheme": colours, "bypass_csp": True}
    with open_page(chromium, address, size=(width, 844), **options) as page:
        yield page


def list_violations(page, axe_script):
    """Return the accessibility rules that a page violates, with the affected elements."""
    page.evaluate(axe_script)
    return [
        (rule["id"], [(node["html"][:150], node["any"][:1]) for node in rule["nodes"]][:3])
        for rule in page.evaluate(LIST_VIOLATIONS_JS)
    ]


def list_unreachable_controls(page):
    """Return the controls that Tab does not reach, and those without a visible focus."""
    controls = page.evaluate(LIST_CONTROLS_JS)
    assert len(controls) > 2
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    reached, without_visible_focus = set(), set()
    for _ in range(len(controls) + 20):
        page.keyboard.press("Tab")
        index, is_visible = page.evaluate(DESCRIBE_FOCUS_JS)
        if index:
            reached.add(int(index))
        if index and not is_visible:
            without_visible_focus.add(controls[int(index)])
    # Arrow keys reach the other cards of the deck and the other choices of a radio group
    missing = [
        control
        for index, control in enumerate(controls)
        if index not in reached and 'type="radio"' not in control
    ]
    return missing, without_visible_focus


def list_accessibility_problems(page, axe_script):
    """Return the accessibility problems of the open page, grouped by type."""
    missing, without_visible_focus = list_unreachable_controls(page)
    problems = {
        "axe": list_violations(page, axe_script),
        "not reached": missing,
        "focus not visible": without_visible_focus,
    }
    return {name: elements for name, elements in problems.items() if elements}


def test_pages_are_accessible(page, axe_script, two_runs):
    problems = {}
    for name, (path, selector) in PATH_AND_SELECTOR_BY_PAGE.items():
        page.goto(path)
        page.wait_for_selector(selector, timeout=120_000)
        problems[name] = list_accessibility_problems(page, axe_script)
    assert not {name: page_problems for name, page_problems in problems.items() if page_problems}


def test_page_is_accessible_at_the_end_of_a_deal(page, axe_script):
    page.goto(f"/play?{GAME_QUERY}&coach=off")
    page.wait_for_selector("#game[data-version]", timeout=120_000)
    rng = random.Random(1)
    while not page.query_selector("#game.ended"):
        version = page.get_attribute("#game", "data-version")
        buttons = page.query_selector_all("#choices button.primary")
        buttons = buttons or page.query_selector_all("#hand button, #choices button")
        rng.choice(buttons).click()
        page.wait_for_selector(f'#game:not([data-version="{version}"])', timeout=60_000)
    assert not list_accessibility_problems(page, axe_script)


@pytest.mark.parametrize(
    ("command", "selector"),
    [
        ("match gold simple --deals 40M", "#job-chart svg"),
        ("review straight --against standard --players simple,gold --matches 400k", "#job-table b"),
    ],
)
def test_page_of_a_running_job_is_accessible(page, axe_script, site, command, selector):
    job = site.jobs.enqueue(command.split(), "A job")
    page.goto(f"/jobs/{job.name}")
    page.wait_for_selector(selector, timeout=300_000)
    assert not list_accessibility_problems(page, axe_script)
