"""Every page in the system's Chromium: axe-core finds no violation, and keys reach each control.

axe-core comes from npm, for this test only.
"""

import random
import shutil
import subprocess

import pytest

from support.browser import open_page
from support.command_line import call

pytest.importorskip("playwright")
pytestmark = pytest.mark.slow
AXE = "axe-core@4.14.1"
GAME = "variant=standard&opponent=simple&length=deal&seat=0&seed=4"
BOARD = "hand=7H+7D+7C+8C+9C+TC+4H+TD+AC+4C+KS&pile=QD+TS+9D*+QH&strategy=simple&opponent=simple"
# Page: address, and an element that is visible when the page is complete
PAGES = {
    "home": ("/", ".runs"),
    "new game": ("/play", ".setup"),
    "table": (f"/play?{GAME}&coach=off", "#game[data-version]"),
    "analysis": (f"/analyse?{BOARD}&worlds=400", '#board[data-state="over"]'),
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
CHECK = "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)"
CONTROLS = """
() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, iframe')]
  .filter((one) => one.type !== 'hidden' && !one.disabled && one.tabIndex >= 0
    && one.checkVisibility({visibilityProperty: true}))
  .map((one, place) => { one.dataset.place = place; return one.outerHTML.slice(0, 120); })
"""
# Number of the focused control, and whether its focus is visible
FOCUS = """
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
def axe(tmp_path_factory):
    """Return the script of axe-core."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--silent", "--no-audit", "--ignore-scripts", AXE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        pytest.skip(f"npm cannot install {AXE}: {done.stderr[-300:]}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the directory of a match."""
    path = tmp_path_factory.mktemp("saved") / "demo"
    call("match", "gold", "simple", "--deals", "2k", "-o", path)
    return path


@pytest.fixture
def demo(site, saved):
    """Add two finished runs to the results of the site, because a comparison needs two runs."""
    for name in ("demo", "demo-2"):
        shutil.copytree(saved, site.results / name)


@pytest.fixture(params=[("light", 1280), ("dark", 390)], ids=["light-wide", "dark-phone"])
def page(request, chromium, address):
    """Open the home page in a browser that can run the script of axe-core."""
    colours, width = request.param
    options = {"color_scheme": colours, "bypass_csp": True}
    with open_page(chromium, address, size=(width, 844), **options) as page:
        yield page


def violations(page, axe):
    """Return the rules that a page violates, with the elements."""
    page.evaluate(axe)
    return [
        (rule["id"], [(node["html"][:150], node["any"][:1]) for node in rule["nodes"]][:3])
        for rule in page.evaluate(CHECK)
    ]


def unreachable_controls(page):
    """Return the controls that Tab does not reach, and those whose focus is not visible."""
    controls = page.evaluate(CONTROLS)
    assert len(controls) > 2
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    reached, unseen = set(), set()
    for _ in range(len(controls) + 20):
        page.keyboard.press("Tab")
        place, is_visible = page.evaluate(FOCUS)
        if place:
            reached.add(int(place))
        if place and not is_visible:
            unseen.add(controls[int(place)])
    # Arrow keys reach the other cards of the deck and the other choices of a radio group
    missing = [
        one
        for place, one in enumerate(controls)
        if place not in reached and 'type="radio"' not in one
    ]
    return missing, unseen


def problems_of(page, axe):
    """Return everything that is wrong with the open page."""
    missing, unseen = unreachable_controls(page)
    found = {"axe": violations(page, axe), "not reached": missing, "focus not visible": unseen}
    return {name: what for name, what in found.items() if what}


def test_the_pages_are_accessible(page, axe, demo):
    problems = {}
    for name, (path, complete) in PAGES.items():
        page.goto(path)
        page.wait_for_selector(complete, timeout=120_000)
        problems[name] = problems_of(page, axe)
    assert not {name: found for name, found in problems.items() if found}


def test_the_end_of_a_deal_is_accessible(page, axe):
    page.goto(f"/play?{GAME}&coach=off")
    page.wait_for_selector("#game[data-version]", timeout=120_000)
    rng = random.Random(1)
    while not page.query_selector("#game.ended"):
        version = page.get_attribute("#game", "data-version")
        buttons = page.query_selector_all("#choices button.primary")
        buttons = buttons or page.query_selector_all("#hand button, #choices button")
        rng.choice(buttons).click()
        page.wait_for_selector(f'#game:not([data-version="{version}"])', timeout=60_000)
    assert not problems_of(page, axe)


@pytest.mark.parametrize(
    ("words", "complete"),
    [
        ("match gold simple --deals 40M", "#job-chart svg"),
        ("review straight --against standard --players simple,gold --matches 400k", "#job-table b"),
    ],
)
def test_the_progress_of_a_job_is_accessible(page, axe, site, words, complete):
    job = site.jobs.start(words.split(), "A job")
    page.goto(f"/jobs/{job.name}")
    page.wait_for_selector(complete, timeout=300_000)
    assert not problems_of(page, axe)
