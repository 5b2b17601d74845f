"""Tests of the HTML page of a drill in Chromium, with every position answered by key and touch."""

import itertools
import json
import re

import pytest

from simgin.analysis import drill
from support.browser import CONTRASTS, unreadable_texts
from support.command_line import call

pytestmark = pytest.mark.slow

MIN_BUTTON_SIZE = 44  # px


@pytest.fixture(scope="module")
def drill_page(tmp_path_factory):
    """Write the HTML page of the drill, and return its path and the costs of each position."""
    page = tmp_path_factory.mktemp("drill") / "drill.html"
    contents = json.loads(drill.INCLUDED_DRILL.read_text())
    call("drill", "-o", page)
    prices = [
        {option["text"]: option for option in one["options"]} for one in contents["exercises"]
    ]
    return page, prices


@pytest.fixture
def open_page(chromium, drill_page):
    """Return a function that opens the page; check that the page logs and requests nothing."""
    messages, contexts = [], []

    def open_at_width(width=390, scheme="light", **more):
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            reduced_motion="reduce",
            **more,
        )
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: messages.append(message.text))
        tab.on("pageerror", lambda error: messages.append(str(error)))
        tab.on("request", lambda request: messages.append(request.url))
        tab.goto(drill_page[0].as_uri())
        return tab

    yield open_at_width
    for context in contexts:
        context.close()
    assert [one for one in messages if not one.startswith("file:")] == []


def plain_text(text):
    """Return the label of a button as `simgin analyze` prints it."""
    plain = text.replace("\N{VARIATION SELECTOR-15}", "").translate(str.maketrans("♠♥♦♣", "SHDC"))
    return re.sub(r"10(?=[SHDC])", "T", plain)


def answer_by_key(tab, number):
    tab.keyboard.press("123456789abcdefghijk"[number])


def answer_by_arrow(tab, number):
    for _ in range(number + 1):
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")


def answer_by_touch(tab, number):
    tab.locator(".options button:visible").nth(number).tap()


def assert_visible_together(tab):
    """Check that hand, verdict, explanation and all costs are on the screen at the same time."""
    height = tab.viewport_size["height"]
    section = tab.locator("section.position:visible")
    for part in (".row:first-of-type", "#heading", ".lesson", ".why", ".prices"):
        box = section.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= height, part
    hand = section.locator(".row").first.bounding_box()
    told = section.locator("#heading").bounding_box()
    below = hand["y"] + hand["height"] - 1  # px, the sizes are rounded
    assert told["x"] > hand["x"] + hand["width"] or told["y"] >= below


@pytest.mark.parametrize("choose", [answer_by_key, answer_by_arrow, answer_by_touch])
def test_every_position_is_answered_and_counted(open_page, drill_page, choose):
    tab = open_page(has_touch=True)
    _, prices = drill_page
    right, lost, missed = 0, 0.0, 0
    for number, known in enumerate(prices):
        assert tab.locator("section.position:visible").count() == 1
        assert tab.evaluate("document.activeElement.tagName") == "H2"
        assert not tab.locator(".prices:visible, .lesson:visible").count()
        buttons = tab.locator(".options button:visible")
        says = [plain_text(text[1:]) for text in buttons.all_text_contents()]
        assert sorted(says) == sorted(known)
        wanted = number % len(says)
        price = known[says[wanted]]
        is_right = price["right"]
        choose(tab, wanted)
        assert tab.locator(".prices:visible li").count() == len(known)
        message = tab.locator("#said").text_content()
        right += is_right
        missed += not is_right
        lost += 0 if is_right else price["cost"]
        assert message.startswith("Correct." if is_right else "Your choice costs ")
        assert plain_text(message).endswith(price["why"])
        assert tab.evaluate("document.activeElement.id") == "next"
        tab.locator("#next").tap() if choose is answer_by_touch else tab.keyboard.press("Enter")
    assert tab.locator("#result").is_visible()
    summary = tab.locator("#sum").text_content()
    counted = re.fullmatch(r"(\d+) of (\d+) correct, ([\d.]+) points lost\.", summary)
    assert [int(counted[1]), int(counted[2])] == [right, len(prices)]
    assert float(counted[3]) == pytest.approx(lost, abs=0.06)
    rows = [row.split("\t") for row in tab.locator("#themes tr").all_inner_texts()]
    assert sum(int(row[1].split()[0]) for row in rows) == right
    assert sum(int(row[1].split()[2]) for row in rows) == len(prices)
    for _, correct, _, rate in rows:
        known, asked = int(correct.split()[0]), int(correct.split()[2])
        assert rate == f"{int(100 * known / asked + 0.5)} % of {asked}"
    assert 0 < missed < len(prices)
    tab.locator("#missed").click()
    assert tab.locator("h2:visible").first.text_content() == f"Position 1 of {missed}"


@pytest.mark.parametrize(
    ("width", "scheme"), list(itertools.product((390, 1280), ("light", "dark")))
)
def test_the_page_fits_is_readable_and_wide_enough_for_thumbs(open_page, drill_page, width, scheme):
    tab = open_page(width, scheme)
    for _ in drill_page[1]:
        for key in ("1", "Enter"):
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            assert unreadable_texts(tab.evaluate(CONTRASTS)) == []
            for button in tab.locator("button:visible").all():
                box = button.bounding_box()
                assert box["width"] >= MIN_BUTTON_SIZE and box["height"] >= MIN_BUTTON_SIZE
            tab.keyboard.press(key)
            if key == "1":
                assert_visible_together(tab)
    assert tab.locator("#result").is_visible()
    assert unreadable_texts(tab.evaluate(CONTRASTS)) == []


def test_missed_positions_come_back_when_the_page_is_opened_again(open_page, drill_page):
    tab = open_page()
    _, prices = drill_page
    for known in prices[:2]:  # one wrong answer, and one correct answer
        rights = [known[plain_text(text[1:])]["right"] for text in labels(tab)]
        tab.locator(".options button:visible").nth(rights.index(known is prices[1])).click()
        tab.locator("#next").click()
    tab.reload()
    assert tab.locator("#score").text_content() == "Positions that you missed come first (1)."
    assert sorted(plain_text(text[1:]) for text in labels(tab)) == sorted(prices[0])
    assert tab.locator("h2:visible").first.text_content() == f"Position 1 of {len(prices) - 1}"


def labels(tab):
    return tab.locator(".options button:visible").all_text_contents()


def test_without_scripts_the_prices_are_there_to_read(open_page, drill_page):
    tab = open_page(java_script_enabled=False)
    assert tab.locator(".prices:visible").count() == len(drill_page[1])
    assert tab.locator("button:visible").count() == 0
