"""Tests of the Analyse page in Chromium: positions entered by clicks and by keys."""

from pathlib import Path

import pytest

from support.browser import open_page
from support.command_line import run_simgin

pytest.importorskip("playwright")
pytestmark = pytest.mark.slow
HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS"
PILE = "QD TS 9D* QH"
HAND_FIELD_TEXT, PILE_FIELD_TEXT = (cards.replace("T", "10") for cards in (HAND, PILE))
BEST_ACTION = "discard K\u2660"
LOGS_DIRECTORY = Path(__file__).parents[1] / "data/game_logs"
DROP_FILE_JS = """
([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  window.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
}
"""
FAST_STRATEGIES_QUERY = "opponent=simple&strategy=simple&worlds=400"


@pytest.fixture(params=[(1280, 900), (390, 844)], ids=["wide", "phone"])
def page(request, chromium, address):
    """Open an empty analysis board."""
    with open_page(chromium, address, f"/analyse?{FAST_STRATEGIES_QUERY}", request.param) as page:
        page.wait_for_selector("#deck button")
        yield page


def wait_for_costs(page):
    """Wait for the end of the analysis, and return the displayed costs of the actions."""
    page.wait_for_selector('#board[data-state="over"]', timeout=120_000)
    return page.text_content(".costs")


def test_position_is_entered_with_clicks(page):
    for card in HAND.split():
        page.click(f'#deck [data-card="{card}"]')
    assert BEST_ACTION in wait_for_costs(page)
    for word in PILE.split():
        page.check(f"input[value={'known' if word.endswith('*') else 'pile'}]")
        page.click(f'#deck [data-card="{word[:2]}"]')
    assert page.input_value("#pile") == PILE_FIELD_TEXT and page.input_value("#known") == "9D"
    costs = wait_for_costs(page)
    command = page.text_content("#command")
    assert f"--pile '{PILE_FIELD_TEXT}'" in command
    page.reload()
    assert wait_for_costs(page) == costs
    assert page.text_content("#command") == command
    page.click('#deck [data-card="QH"]')
    page.wait_for_selector("#pile-error")


@pytest.mark.parametrize(
    "pasted_text",
    [
        HAND.replace(" ", ""),
        f"[{HAND.replace(' ', ';')}]",
        HAND.translate(str.maketrans("SHDC", "\u2660\u2665\u2666\u2663")).replace(" ", "\ufe0e "),
    ],
    ids=["no spaces", "list", "suit symbols"],
)
def test_pasted_hand_appears_on_the_board(page, pasted_text):
    page.fill("#hand", pasted_text)
    page.keyboard.press("Tab")
    assert page.input_value("#hand") == HAND_FIELD_TEXT
    assert page.input_value("#to_move") == "discard"
    assert page.locator('#deck [data-at="hand"]').count() == 11
    assert BEST_ACTION in wait_for_costs(page)


def test_position_is_entered_with_the_keyboard(page):
    page.focus('#deck [data-card="AS"]')
    row, column = 0, 0
    for word in (*HAND.split(), *PILE.split()):
        to_row, to_column = "SHDC".index(word[1]), "A23456789TJQK".index(word[0])
        for _ in range((to_row - row) % 4):
            page.keyboard.press("ArrowDown")
        for _ in range((to_column - column) % 13):
            page.keyboard.press("ArrowRight")
        row, column = to_row, to_column
        in_hand = len(page.input_value("#hand").split()) < 11
        target = "known" if word.endswith("*") else "hand" if in_hand else "pile"
        page.keyboard.press({"hand": "h", "pile": "p", "known": "o"}[target])
        assert page.is_checked(f"input[value={target}]")
        page.keyboard.press("Enter")
    assert (
        page.input_value("#hand") == HAND_FIELD_TEXT
        and page.input_value("#pile") == PILE_FIELD_TEXT
    )
    assert BEST_ACTION in wait_for_costs(page)
    page.keyboard.press("Delete")
    assert page.input_value("#pile") == "QD 10S 9D*"


def test_letter_selects_a_group_and_moves_no_card(page):
    for card in HAND.split()[:10]:
        page.click(f'#deck [data-card="{card}"]')
    page.keyboard.press("h")
    assert page.is_checked("input[value=hand]")
    page.keyboard.press("p")
    assert page.is_checked("input[value=pile]") and not page.input_value("#pile")
    assert len(page.input_value("#hand").split()) == 10
    page.fill("#pile", "")
    page.keyboard.press("h")
    assert page.is_checked("input[value=pile]") and page.input_value("#pile") == "h"


def test_command_appears_when_the_position_is_complete(page):
    for card in HAND.split():
        assert not page.is_visible("#command")
        page.click(f'#deck [data-card="{card}"]')
    wait_for_costs(page)
    assert page.is_visible("#command")
    page.click("#clear")
    page.wait_for_selector("#command", state="hidden")


def test_variant_determines_the_fields(page):
    assert not page.query_selector("#stake")
    page.select_option("#variant", "dice")
    page.wait_for_selector("#stake")
    page.select_option("#die", "offer")
    page.check("[name=blind]")
    assert "leave the die" in wait_for_costs(page)
    assert "simgin analyze blind --offer --variant dice" in page.text_content("#command")
    page.reload()
    assert "leave the die" in wait_for_costs(page)
    page.uncheck("[name=blind]")
    for card in HAND.split()[:10]:
        page.click(f'#deck [data-card="{card}"]')
    assert page.is_checked("input[value=pile]")
    page.click('#deck [data-card="QD"]')
    for name, value in (("stake", "2"), ("owner", "opponent"), ("die", "4")):
        page.select_option(f"#{name}", value)
    assert "refuse 4" in wait_for_costs(page)
    page.select_option("#variant", "solitaire-gin")
    page.wait_for_selector("#opponent", state="detached")
    assert not page.is_visible("#target-known") and "stake" not in page.url
    page.select_option("#variant", "race")
    page.wait_for_selector("text=a position cannot be analysed in race")


@pytest.mark.parametrize("name", ["deal.json", "openspiel-bots.txt", "rlcard-novices.txt"])
def test_dropped_file_lists_its_decisions(chromium, address, name, monkeypatch):
    monkeypatch.setattr("simgin.web.analyse_page.MAX_WORLDS_FOR_DEAL_FILE", 100)
    shown = run_simgin("show", "simple", "simple", "--seed", "3", "--json").stdout
    text = shown if name == "deal.json" else (LOGS_DIRECTORY / name).read_text()
    with open_page(chromium, address, "/analyse") as page:
        page.evaluate(DROP_FILE_JS, [name, text])
        page.wait_for_selector("#decisions a", timeout=120_000)
        page.locator("#file-status", has_text="costliest first").wait_for(timeout=120_000)
        page.click("#decisions a >> nth=0")
        page.wait_for_selector(".costs", timeout=120_000)
