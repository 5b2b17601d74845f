"""The page Analyse in the system's Chromium: a position entered by clicks and by keys."""

import socket
import threading

import pytest
import uvicorn

from simgin.web.app import create_app
from support.web_site import TOKEN

pytest.importorskip("playwright")
pytestmark = pytest.mark.slow
HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS"
PILE = "QD TS 9D* QH"
FAST = "opponent=simple&strategy=simple&worlds=400"


@pytest.fixture
def address(site):
    """Serve a site on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        app = create_app(site, TOKEN, port)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{port}"
        server.should_exit = True
        thread.join()


@pytest.fixture(params=[(1280, 900), (390, 844)], ids=["wide", "phone"])
def page(request, chromium, address):
    """Open an empty board, and check that the page causes no error and no overflow."""
    width, height = request.param
    page = chromium.new_page(viewport={"width": width, "height": height})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda one: errors.append(one.text) if "Policy" in one.text else None)
    page.goto(f"{address}/?token={TOKEN}")
    page.goto(f"{address}/analyse?{FAST}")
    page.wait_for_selector("#deck button")
    yield page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not errors
    page.close()


def wait_until_decided(page):
    """Wait for the end of the analysis, and return the actions and their costs."""
    page.wait_for_selector('#board[data-state="over"]', timeout=300_000)
    return page.text_content(".costs")


def test_a_position_is_entered_by_clicks_and_decided(page):
    for card in HAND.split():
        page.click(f'#deck [data-card="{card}"]')
    assert "discard KS" in wait_until_decided(page)
    for word in PILE.split():
        page.check(f"input[value={'known' if word.endswith('*') else 'pile'}]")
        page.click(f'#deck [data-card="{word[:2]}"]')
    assert page.input_value("#pile") == PILE and page.input_value("#known") == "9D"
    costs = wait_until_decided(page)
    command = page.text_content("#command")
    assert f"--pile '{PILE}'" in command
    page.reload()
    assert wait_until_decided(page) == costs
    assert page.text_content("#command") == command
    page.click('#deck [data-card="QH"]')
    page.wait_for_selector("#pile-error")


def test_a_position_is_entered_with_the_keyboard(page):
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
        page.keyboard.press("o" if word.endswith("*") else "h" if in_hand else "p")
    assert page.input_value("#hand") == HAND and page.input_value("#pile") == PILE
    assert "discard KS" in wait_until_decided(page)
    page.keyboard.press("Delete")
    assert page.input_value("#pile") == "QD TS 9D*"
