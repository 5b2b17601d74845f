"""Tests of the HTML page of a drill in Chromium, with keyboard and touch."""

import itertools
import json
import re

import pytest

from simgin.analysis import drill
from support.browser import TEXT_COLOURS_SCRIPT, find_unreadable_texts
from support.command_line import run_simgin

pytestmark = pytest.mark.slow

MIN_BUTTON_SIZE_PX = 44  # px


@pytest.fixture(scope="module")
def drill_page(tmp_path_factory):
    """Write the HTML page of the drill, and return its path and the options by position."""
    page = tmp_path_factory.mktemp("drill") / "drill.html"
    contents = json.loads(drill.INCLUDED_DRILL_FILE.read_text())
    run_simgin("drill", "-o", page)
    options_by_position = [
        {option["text"]: option for option in exercise["options"]}
        for exercise in contents["exercises"]
    ]
    return page, options_by_position


@pytest.fixture
def open_page(chromium, drill_page):
    """Return a function that opens the page, and check that nothing is logged or requested."""
    messages, contexts = [], []

    def open_at_width(width=390, scheme="light", **options):
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            reduced_motion="reduce",
            **options,
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
    assert [message for message in messages if not message.startswith("file:")] == []


def convert_button_label(text):
    """Convert the label of a button to the form that `simgin analyze` prints."""
    converted = text.replace("\N{VARIATION SELECTOR-15}", "").translate(
        str.maketrans("♠♥♦♣", "SHDC")
    )
    return re.sub(r"10(?=[SHDC])", "T", converted)


def choose_option_by_key(tab, index):
    tab.keyboard.press("123456789abcdefghijk"[index])


def choose_option_by_arrow_keys(tab, index):
    for _ in range(index + 1):
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")


def choose_option_by_touch(tab, index):
    tab.locator(".options button:visible").nth(index).tap()


def assert_visible_together(tab):
    """Check that hand, verdict, explanation and all costs are on the screen together."""
    height = tab.viewport_size["height"]
    section = tab.locator("section.position:visible")
    for part in (".row:first-of-type", "#heading", ".lesson", ".why", ".prices"):
        box = section.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= height, part
    hand = section.locator(".row").first.bounding_box()
    verdict = section.locator("#heading").bounding_box()
    below = hand["y"] + hand["height"] - 1  # px, the sizes are rounded
    assert verdict["x"] > hand["x"] + hand["width"] or verdict["y"] >= below


@pytest.mark.parametrize(
    "choose_option", [choose_option_by_key, choose_option_by_arrow_keys, choose_option_by_touch]
)
def test_summary_counts_the_chosen_options(open_page, drill_page, choose_option):
    tab = open_page(has_touch=True)
    _, options_by_position = drill_page
    n_correct, points_lost, n_missed = 0, 0.0, 0
    for number, options in enumerate(options_by_position):
        assert tab.locator("section.position:visible").count() == 1
        assert tab.evaluate("document.activeElement.tagName") == "H2"
        assert not tab.locator(".prices:visible, .lesson:visible").count()
        buttons = tab.locator(".options button:visible")
        labels = [convert_button_label(text[1:]) for text in buttons.all_text_contents()]
        assert sorted(labels) == sorted(options)
        choice = number % len(labels)
        option = options[labels[choice]]
        is_correct = option["right"]
        choose_option(tab, choice)
        assert tab.locator(".prices:visible li").count() == len(options)
        message = tab.locator("#said").text_content()
        n_correct += is_correct
        n_missed += not is_correct
        points_lost += 0 if is_correct else option["cost"]
        assert message.startswith("Correct." if is_correct else "Your choice costs ")
        assert convert_button_label(message).endswith(option["why"])
        assert tab.evaluate("document.activeElement.id") == "next"
        tab.locator(
            "#next"
        ).tap() if choose_option is choose_option_by_touch else tab.keyboard.press("Enter")
    assert tab.locator("#result").is_visible()
    summary = tab.locator("#sum").text_content()
    match = re.fullmatch(r"(\d+) of (\d+) correct, ([\d.]+) points lost\.", summary)
    assert [int(match[1]), int(match[2])] == [n_correct, len(options_by_position)]
    assert float(match[3]) == pytest.approx(points_lost, abs=0.06)
    rows = [row.split("\t") for row in tab.locator("#themes tr").all_inner_texts()]
    assert sum(int(row[1].split()[0]) for row in rows) == n_correct
    assert sum(int(row[1].split()[2]) for row in rows) == len(options_by_position)
    for _, correct, _, rate in rows:
        options, n_asked = int(correct.split()[0]), int(correct.split()[2])
        assert rate == f"{int(100 * options / n_asked + 0.5)} % of {n_asked}"
    assert 0 < n_missed < len(options_by_position)
    tab.locator("#missed").click()
    assert tab.locator("h2:visible").first.text_content() == f"Position 1 of {n_missed}"


@pytest.mark.parametrize(
    ("width", "scheme"), list(itertools.product((390, 1280), ("light", "dark")))
)
def test_page_fits_the_screen_with_readable_text_and_large_buttons(
    open_page, drill_page, width, scheme
):
    tab = open_page(width, scheme)
    for _ in drill_page[1]:
        for key in ("1", "Enter"):
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
            assert find_unreadable_texts(tab.evaluate(TEXT_COLOURS_SCRIPT)) == []
            for button in tab.locator("button:visible").all():
                box = button.bounding_box()
                assert box["width"] >= MIN_BUTTON_SIZE_PX and box["height"] >= MIN_BUTTON_SIZE_PX
            tab.keyboard.press(key)
            if key == "1":
                assert_visible_together(tab)
    assert tab.locator("#result").is_visible()
    assert find_unreadable_texts(tab.evaluate(TEXT_COLOURS_SCRIPT)) == []


def test_missed_positions_come_first_after_a_reload(open_page, drill_page):
    tab = open_page()
    _, options_by_position = drill_page
    for options in options_by_position[:2]:  # one wrong answer, and one correct answer
        is_correct = [
            options[convert_button_label(text[1:])]["right"] for text in read_button_labels(tab)
        ]
        tab.locator(".options button:visible").nth(
            is_correct.index(options is options_by_position[1])
        ).click()
        tab.locator("#next").click()
    tab.reload()
    assert tab.locator("#score").text_content() == "Positions that you missed come first (1)."
    assert sorted(convert_button_label(text[1:]) for text in read_button_labels(tab)) == sorted(
        options_by_position[0]
    )
    assert (
        tab.locator("h2:visible").first.text_content()
        == f"Position 1 of {len(options_by_position) - 1}"
    )


def read_button_labels(tab):
    return tab.locator(".options button:visible").all_text_contents()


def test_costs_are_visible_without_scripts(open_page, drill_page):
    tab = open_page(java_script_enabled=False)
    assert tab.locator(".prices:visible").count() == len(drill_page[1])
    assert tab.locator("button:visible").count() == 0
