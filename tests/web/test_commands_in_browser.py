"""Tests of reviews and comparisons in Chromium, also after the server was killed."""

import json
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from simgin.web.jobs import FAILED
from support.web_site import serve_site, wait_for_job

pytest.importorskip("playwright")
pytestmark = pytest.mark.slow
REVIEW_QUERY = "r1=standard%2Bundercut_bonus%3D10&precision=quick&adapt=no"
RUN_NAME = "review-standard-undercut-bonus=10-against-standard"
MILLISECONDS_PER_MINUTE = 60_000  # milliseconds
# Replaces the events of the server by one state of a job
SEND_STATE_JS = """
window.EventSource = class {
  set onmessage(listener) { setTimeout(() => listener({ data: JSON.stringify(%s) })); }
};
"""


@contextmanager
def open_checked_page(chromium, address, path, width=1280):
    """Open a page, and check that it causes neither errors nor horizontal overflow."""
    page = chromium.new_page(viewport={"width": width, "height": 900})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    page.goto(f"{address.partition('?')[0]}{path.lstrip('/')}")
    yield page
    assert not errors
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def wait_for_state(page, state):
    """Wait until the page shows that the job has the given state."""
    page.locator("#job-state", has_text=state).wait_for(timeout=10 * MILLISECONDS_PER_MINUTE)


def wait_for_interim_scorecard(page):
    """Wait until the page of a review shows an interim scorecard."""
    page.locator("#job-table b", has_text=re.compile(r"\d")).first.wait_for(
        timeout=10 * MILLISECONDS_PER_MINUTE
    )


@pytest.fixture
def working_directory(empty_directory, monkeypatch):
    """Return the directory of the test, which also contains the data of the user."""
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(empty_directory / "data"))
    return empty_directory


def test_review_resumes_after_cancelling_and_a_killed_server(working_directory, chromium):
    with serve_site(working_directory) as (server, address):
        with open_checked_page(chromium, address, f"/review?{REVIEW_QUERY}") as page:
            page.locator("#time", has_text="Expected").wait_for()
            command = page.inner_text("#command")
            page.click("button[type=submit]")
            wait_for_interim_scorecard(page)
            page.reload()
            wait_for_interim_scorecard(page)
            page.click("#job-cancel")
            wait_for_state(page, "cancelled")
            page.click("#job-resume")
            wait_for_interim_scorecard(page)
        server.kill()
    with (
        serve_site(working_directory) as (_, address),
        open_checked_page(chromium, address, "/results", 390) as page,
    ):
        page.click("button[data-resume]")
        page.wait_for_url("**/jobs/*")
        page.locator("#report").or_(page.locator(".state.failed")).wait_for(
            timeout=10 * MILLISECONDS_PER_MINUTE
        )
        assert page.frame_locator("#report").locator("h1").inner_text()
    typed = working_directory / "typed"
    typed.mkdir()
    subprocess.run([sys.executable, "-m", *command.split()], cwd=typed, check=True)
    report = f"results/{RUN_NAME}/report.html"
    assert (working_directory / report).read_bytes() == (typed / report).read_bytes()


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ({"seconds_left": 15}, "pilot matches, 15 s left"),
        ({"seconds_left": 0}, "pilot matches"),
        ({"seconds_left": 75, "can_end_early": True}, "pilot matches, at most 1 min 15 s left"),
    ],
)
def test_remaining_time_names_the_phase_of_the_job(site, address, chromium, values, note):
    job = site.jobs.enqueue_run(["odds", "unknown-variant"], "Odds", "odds")
    progress = {"title": "pilot matches", **values}
    state = {"state": "running", "percent": 50, "history": [], "note": [], "error": ""}
    with open_checked_page(chromium, address, "/") as page:
        page.add_init_script(SEND_STATE_JS % json.dumps(state | {"progress": progress}))
        page.goto(f"{address.partition('?')[0]}jobs/{job.name}")
        page.locator("#job-note", has_text="pilot").wait_for()
        assert page.inner_text("#job-note") == note
        assert page.inner_text("#job-left") == ""


def test_parameter_changes_the_command_and_the_address(working_directory, chromium):
    with (
        serve_site(working_directory) as (_, address),
        open_checked_page(chromium, address, "/review", 390) as page,
    ):
        page.fill("#r1-gin_bonus", "30")
        page.locator("#command", has_text="standard+gin_bonus=30+undercut_bonus=10").wait_for()
        assert "gin_bonus%3D30" in page.url
        page.reload()
        page.locator(".changed #r1-gin_bonus").wait_for()
        assert page.input_value("#r1-gin_bonus") == "30"
        page.fill("#r1-gin_bonus", "-3")
        page.locator("#r1-gin_bonus-error", has_text="must be a whole number").wait_for()
        page.locator("[data-copies=command]").wait_for(state="hidden")
        page.click("button[type=submit]")
        page.locator("#form-error", has_text="Correct the marked fields").wait_for()
        marked = page.eval_on_selector_all("[aria-invalid]", "(fields) => fields.map(({id}) => id)")
        assert marked == ["r1-gin_bonus"] == [page.evaluate("document.activeElement.id")]
        assert not page.locator(".changed #r1-gin_bonus").count()
        assert page.inner_text("#r1-gin_bonus-note") == "points, 0 to 1000"
        page.fill("#r1-gin_bonus", "25")
        page.click("#add")
        page.locator("#r2-error", has_text="rules of the baseline").wait_for()
        page.select_option("#r2-head", "oklahoma")
        page.locator("#command", has_text="oklahoma").wait_for()
        page.select_option("#base-head", "eaai")  # rule set 1 follows the base
        page.locator(
            "#command", has_text="eaai+undercut_bonus=10 oklahoma --against eaai"
        ).wait_for()


def test_changed_rules_remain_when_the_variant_changes(site, address, chromium):
    with open_checked_page(chromium, address, "/review") as page:
        page.locator("#command", has_text="standard+undercut_bonus=10 ").wait_for()
        page.select_option("#r1-head", "oklahoma")  # the example is replaced
        page.locator("#command", has_text="review oklahoma --against").wait_for()
        page.fill("#r1-gin_bonus", "30")
        page.locator("#command", has_text="oklahoma+gin_bonus=30").wait_for()
        page.select_option("#r1-head", "tedesco")
        page.locator("#command", has_text="review tedesco+gin_bonus=30 ").wait_for()


def test_results_show_complete_titles_on_a_phone(site, address, chromium):
    title = "standard+" + "+".join(f"undercut_bonus={number}" for number in range(20))
    job = site.jobs.enqueue(["match", "gold", "nobody"], title, "mine", "/compare?s2=nobody")
    wait_for_job(job, FAILED)
    with open_checked_page(chromium, address, "/results", 390) as page:
        heights = "(link) => [link.parentElement.clientHeight, link.getBoundingClientRect().height]"
        cell_height, title_height = page.locator(".title").evaluate(heights)
        assert 100 < title_height <= cell_height
        page.click("text=Change the settings")
        page.locator("#s2-error", has_text="'nobody' is not").wait_for()


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/odds?variant=nosuch", "variant"),
        ("/analyse?variant=nosuch", "variant"),
        ("/analyse?to_move=nosuch", "to_move"),
        ("/compare?s1=solo-dp", "s1"),
        ("/compare?s1=champion&variant=gin-solitaire", "s1"),
    ],
)
def test_error_in_the_address_remains_after_the_check(site, address, chromium, path, field):
    with open_checked_page(chromium, address, path, 390) as page:
        page.wait_for_load_state("networkidle")
        assert page.locator(f"#{field}-error").inner_text().startswith("'")
        assert path.partition("?")[2].partition("&")[0] in page.url


def test_page_offers_strategies_for_the_number_of_players(working_directory, chromium):
    with (
        serve_site(working_directory) as (_, address),
        open_checked_page(chromium, address, "/compare", 390) as page,
    ):
        page.locator("#command", has_text="match champion marjj-early").wait_for()
        assert page.locator(".about").first.inner_text().endswith(".")
        assert page.get_attribute("#s1-head optgroup:enabled", "label") == "For two players"
        page.select_option("#variant", "gin-solitaire")
        page.locator("#command", has_text="match solo-").wait_for()
        assert page.get_attribute("#s1-head optgroup:enabled", "label") == "For one player"
        assert not page.is_visible("#s2-head") and not page.is_visible("#add")
        page.select_option("#variant", "standard")
        page.locator("#command", has_text="match champion marjj-early").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_chart_with_a_single_point_shows_its_interval(site, address, chromium, width):
    job = site.jobs.enqueue_run(["match", "gold", "nobody"], "gold v nobody", "match")
    point = {"matchup": 0, "matchups": 1, "players": ["gold", "simple"], "n": 1500, "max": 3000}
    point |= {"unit": "matches", "is_percentage": True, "target": None}
    point |= {"value": 48.0, "low": 46.0, "high": 50.5}
    state = {"state": "running", "percent": 50, "history": [point], "note": [], "error": ""}
    with open_checked_page(chromium, address, "/", width) as page:
        page.add_init_script(SEND_STATE_JS % json.dumps(state | {"progress": {"title": "gold"}}))
        page.goto(f"{address.partition('?')[0]}jobs/{job.name}")
        interval, dot = (page.locator(f"#job-chart {one}") for one in (".interval", ".dot"))
        box, centre = interval.bounding_box(), float(dot.get_attribute("cy"))
        top, bottom = sorted(float(interval.get_attribute(name)) for name in ("y1", "y2"))
        assert box["height"] > 50 and top + 20 < centre < bottom - 20


def test_comparison_shows_a_chart_and_stops_at_the_target_precision(working_directory, chromium):
    path = "/compare?s1=gold&s2=simple&stop=until&until=0.5%25"
    with (
        serve_site(working_directory) as (_, address),
        open_checked_page(chromium, address, path) as page,
    ):
        page.locator("#time", has_text="Expected").wait_for()
        page.click("button[type=submit]")
        page.locator("#job-chart .band").wait_for(timeout=10 * MILLISECONDS_PER_MINUTE)
        page.reload()
        page.locator("#report").wait_for(timeout=10 * MILLISECONDS_PER_MINUTE)
        shown = page.frame_locator("#report").locator(".verdict").inner_text()
        half_width = float(re.search(r"wins\s[\d.]+\s±\s([\d.]+)\s%", shown)[1])
        assert 0.3 < half_width <= 0.5
