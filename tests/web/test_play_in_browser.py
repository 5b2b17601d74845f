"""Tests of the Play page in Chromium: whole games with clicks and keys, wide and narrow."""

import random
import re
from contextlib import contextmanager
from urllib.parse import quote

import pytest

from simgin.analysis import coach
from simgin.strategy.cast import PLAYER_TYPE_TABLES
from support.browser import open_page

pytest.importorskip("playwright")
pytestmark = pytest.mark.slow
GAME_QUERY = "variant=standard&opponent=simple&length=match&seat=0&seed=4&coach=off"
BEGINNER_SPEC = PLAYER_TYPE_TABLES["two_player"][0]["strategy"]
# Sum of the layout shifts while a deal is played; its end replaces the table
RECORD_LAYOUT_SHIFTS_JS = """
() => {
  let wasEnded = false;
  window.shifts = 0;
  new PerformanceObserver((list) => {
    const isEnded = document.querySelector("#game.ended") !== null;
    if (!isEnded && !wasEnded) for (const one of list.getEntries()) window.shifts += one.value;
    wasEnded = isEnded;
  }).observe({ type: "layout-shift" });
}
"""


@pytest.fixture(autouse=True)
def use_few_worlds(monkeypatch):
    monkeypatch.setattr(coach, "MAX_COACH_WORLDS", 100)


@contextmanager
def open_table(chromium, address, query=GAME_QUERY, **options):
    """Open the card table of a game, and check that its layout does not shift."""
    with open_page(chromium, address, f"/play?{query}", **options) as page:
        page.wait_for_selector("#game[data-version]", timeout=120_000)
        page.evaluate(RECORD_LAYOUT_SHIFTS_JS)
        yield page
        assert page.evaluate("window.shifts ?? 0") < 0.1


@pytest.fixture(params=[(1280, 900), (390, 844)], ids=["wide", "phone"])
def page(request, chromium, address):
    """Open the card table of a new game."""
    with open_table(chromium, address, size=request.param) as page:
        yield page


def take_random_action(page, rng, with_keys):
    """Take a random action with a click or a key, and wait for the new state."""
    version = page.get_attribute("#game", "data-version")
    ending = page.query_selector("#choices button.primary")
    cards = page.query_selector_all("#hand button")
    if with_keys and cards and not ending:
        for _ in range(rng.randrange(len(cards))):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    elif with_keys and page.query_selector("#stock:not(:disabled)"):
        page.keyboard.press("s")
    elif ending:
        ending.click()
    elif cards:
        rng.choice(cards).click()
        has_ring = "document.activeElement.matches('#game :focus-visible')"
        assert not page.evaluate(has_ring)  # which could be mistaken for advice
    else:
        rng.choice(page.query_selector_all("#choices button, .stack button:enabled")).click()
    page.wait_for_selector(f'#game:not([data-version="{version}"])', timeout=60_000)


@pytest.mark.parametrize("with_keys", [False, True], ids=["clicks", "keys"])
def test_match_is_played_to_its_end(page, with_keys):
    rng = random.Random(1)
    text, actions = "", 0
    while not re.search("wins? the match", text):
        take_random_action(page, rng, with_keys)
        actions += 1
        width = page.viewport_size["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if actions in (5, 40):
            shown = page.inner_html("#hand"), page.text_content("#own-score")
            page.reload()
            page.wait_for_selector("#game[data-version]")
            page.evaluate(RECORD_LAYOUT_SHIFTS_JS)
            assert (page.inner_html("#hand"), page.text_content("#own-score")) == shown
        text = page.text_content("#events")
        assert actions < 600
    assert actions > 20
    page.click("#choices button.primary")
    page.wait_for_url("**seed=5**")
    page.wait_for_selector("#game[data-version]")


QUERIES_OF_SPECIAL_GAMES = {
    "dice": "variant=dice&opponent=simple&length=deal&seed=5",
    "columns": "variant=hollywood&opponent=beginner&length=match&seed=5",
    "solitaire": "variant=solitaire-gin-knock&length=deal&seed=5",
    "second seat": "variant=oklahoma&opponent=simple&length=deal&seed=5&seat=1",
}


@pytest.mark.parametrize("query", QUERIES_OF_SPECIAL_GAMES.values(), ids=QUERIES_OF_SPECIAL_GAMES)
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["wide", "phone"])
def test_deal_of_an_unusual_variant_is_played(chromium, address, query, size):
    query = query.replace("beginner", quote(BEGINNER_SPEC))
    rng = random.Random(3)
    with open_table(chromium, address, f"{query}&coach=off", size=size) as page:
        while not page.query_selector("#game.ended"):
            take_random_action(page, rng, with_keys=True)
        n_hands = len(page.query_selector_all(".final"))
        is_declined = "declined" in page.text_content("#events")
        assert n_hands == (0 if is_declined else 1 if "solitaire" in query else 2)
        assert page.is_visible("#game h2 >> nth=0") == (not is_declined)  # discard pile
        assert "gold+" not in page.inner_text("#game")


def test_another_tab_and_a_new_browser_show_the_same_game(chromium, address):
    rng = random.Random(4)
    with open_table(chromium, address) as first, open_table(chromium, address) as second:
        take_random_action(first, rng, False)
        second.click("#choices button >> nth=0")
        second.locator("#advice", has_text="another tab").wait_for()
        assert first.inner_html("#hand") == second.inner_html("#hand")
        take_random_action(second, rng, False)
        hand, version = second.inner_html("#hand"), second.get_attribute("#game", "data-version")
    with open_table(chromium, address, size=(390, 844)) as page:
        assert page.inner_html("#hand") == hand
        page.keyboard.press("u")
        page.wait_for_selector(f'#game:not([data-version="{version}"])')
        assert "undone: 1" in page.text_content("#dealer")
        page.goto("/play")
        page.click(".runs a >> nth=0")
        page.wait_for_selector("#game[data-version]")
        assert "undone: 1" in page.text_content("#dealer")


def test_form_describes_the_chosen_opponent(chromium, address):
    with open_page(chromium, address, "/play", (390, 844)) as page:
        assert "trained weights" in page.text_content("#opponent-about")
        page.select_option("#opponent", "gin-only")
        assert "ends the deal only with gin" in page.text_content("#opponent-about")
        page.select_option("#variant", "solitary-gin")
        assert not page.is_visible("#opponent") and not page.is_visible("#seat")
        page.click("#setup button")
        page.wait_for_selector("#game[data-version]", timeout=120_000)
        assert "opponent" not in page.text_content(".game-title")


def test_coach_comments_and_lists_the_costliest_decisions(page):
    rng = random.Random(2)
    page.select_option("#coach-mode", "always")
    assert "coach=always" in page.url
    while not page.query_selector("#hand button"):
        take_random_action(page, rng, True)
    page.keyboard.press("e")
    page.wait_for_selector(".costs", timeout=120_000)
    take_random_action(page, rng, False)
    page.wait_for_selector(".verdict-line", timeout=120_000)
    first_sentence = page.text_content("#coach-line").rstrip(".")
    assert page.text_content(".verdict-line").startswith(first_sentence)
    while not page.query_selector("#game.ended"):
        take_random_action(page, rng, False)
    page.focus("#choices button.primary")
    if page.query_selector(".costliest .waiting"):
        page.keyboard.press("Enter")
        assert page.query_selector("#game.ended")
    page.wait_for_selector(".costliest li:not(.waiting)", timeout=300_000)
    page.wait_for_selector(".costliest .waiting", state="detached", timeout=300_000)
    assert 1 <= len(page.query_selector_all(".costliest li")) <= 3
