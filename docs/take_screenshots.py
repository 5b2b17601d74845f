"""Take the screenshots in docs/how-to/web.md: python docs/take_screenshots.py [ADDRESS].

The script needs simgin[browser] and the system's Chromium. It plays a deal with a fixed seed,
analyses a position, reviews a rule, compares two strategies, and writes PNG files to docs/images/.
Without an address, it starts `simgin web` first.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT_ROOT / "tests"))

from support.browser import start_browser  # noqa: E402

IMAGES_DIRECTORY = PROJECT_ROOT / "docs" / "images"
GAME_PATH = "/play?variant=standard&opponent=champion&length=match&seat=0&seed=51&coach=request"
BOARD_PATH = (
    "/analyse?variant=standard&hand=7H+7D+7C+8C+9C+TC+4H+TD+AC+4C+KS&pile=QD+TS+9D*+QH&known=9D"
)
REVIEW_PATH = "/review?r1=standard%2Bundercut_bonus%3D10&precision=quick"
COMPARISON_PATH = "/compare?s1=gold-early&s2=simple&stop=until&until=0.2%25"
DESKTOP_VIEWPORT_SIZE, PHONE_VIEWPORT_SIZE = (
    {"width": 1280, "height": 900},
    {"width": 390, "height": 844},
)
BOTTOM_MARGIN_PIXELS = 16  # pixels below the content of a page
TURNS_BEFORE_SCREENSHOT = 3  # turns before the screenshot in the middle of the deal
BROWSER_TIMEOUT_MS = 600_000  # timeout of the browser, in milliseconds


def take_screenshots(address: str) -> None:
    """Take all screenshots from a running server.

    Args:
        address: Address that `simgin web` printed.
    """
    IMAGES_DIRECTORY.mkdir(exist_ok=True)
    with start_browser() as browser:
        capture_game(browser, address, "web-play-phone", PHONE_VIEWPORT_SIZE, "dark")
        capture_game(browser, address, "web-play", DESKTOP_VIEWPORT_SIZE, "light", play_to_end=True)
        capture_board(browser, address, "web-analyse")
        capture_job(
            browser, address, COMPARISON_PATH, "web-compare", "#job-chart text:text-is('200k')"
        )
        capture_job(
            browser, address, REVIEW_PATH, "web-review", "#job-table b:text-matches('[0-9]')"
        )
        capture_page(browser, address, "/results", "web-results", PHONE_VIEWPORT_SIZE)
        capture_page(browser, address, "/", "web-home", DESKTOP_VIEWPORT_SIZE)


@contextlib.contextmanager
def start_server() -> Iterator[str]:
    """Start `simgin web`, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"SIMGIN_DATA_DIR": folder, "PYTHONUNBUFFERED": "1"}
        words = ["-m", "simgin", "web", "--no-open"]
        with subprocess.Popen(
            [sys.executable, *words], env=environment, cwd=folder, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            try:
                address = re.search(r"http://\S+", server.stdout.readline())
                assert address, "the server did not start"
                yield address[0]
            finally:
                server.terminate()


def capture_game(
    browser, address, image_name, viewport_size, color_scheme, *, play_to_end=False
) -> None:  # type: ignore[no-untyped-def]
    """Play a deal with simple choices, and take screenshots during and after the deal."""
    page = browser.new_page(viewport=viewport_size, color_scheme=color_scheme)
    page.goto(address)
    site = address.partition("/?")[0]
    page.goto(f"{site}{GAME_PATH}")
    page.wait_for_selector("#game[data-version]", timeout=BROWSER_TIMEOUT_MS)
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#restart")
    page.wait_for_selector('#game[data-version$=".0"] #undo:disabled', timeout=BROWSER_TIMEOUT_MS)
    turns = 0
    while not page.query_selector("#game.ended"):
        if turns == TURNS_BEFORE_SCREENSHOT and page.query_selector("#hand button"):
            page.click("#hint")
            page.wait_for_selector(".costs", timeout=BROWSER_TIMEOUT_MS)
            page.evaluate("scrollTo(0, 0)")
            save_image(page, image_name)
            if not play_to_end:
                break
            turns += 1
        turns += play_one_action(page)
    if play_to_end:
        page.wait_for_selector(".costliest li:not(.waiting)", timeout=BROWSER_TIMEOUT_MS)
        page.wait_for_selector(".costliest .waiting", state="detached", timeout=BROWSER_TIMEOUT_MS)
        save_image(page, "web-result")
    page.close()


def capture_board(browser, address, image_name) -> None:  # type: ignore[no-untyped-def]
    """Analyse a position, and take a screenshot when the analysis has finished."""
    page = browser.new_page(viewport=DESKTOP_VIEWPORT_SIZE, color_scheme="light")
    page.goto(address)
    page.goto(f"{address.partition('/?')[0]}{BOARD_PATH}")
    page.wait_for_selector('#board[data-state="over"]', timeout=BROWSER_TIMEOUT_MS)
    save_image(page, image_name)
    page.close()


def capture_job(browser, address, path, image_name, progress_selector) -> None:  # type: ignore[no-untyped-def]
    """Take screenshots of a form and of the progress of the job that it starts."""
    page = capture_page(browser, address, path, image_name, DESKTOP_VIEWPORT_SIZE)
    page.click("button[type=submit]")
    page.wait_for_selector(progress_selector, timeout=BROWSER_TIMEOUT_MS)
    save_image(page, f"{image_name}-job")
    page.wait_for_selector("#report", timeout=BROWSER_TIMEOUT_MS)


def capture_page(browser, address, path, image_name, viewport_size):  # type: ignore[no-untyped-def]
    """Open a page, take a screenshot, and return the page."""
    page = browser.new_page(viewport=viewport_size, color_scheme="light")
    page.goto(address)
    page.goto(f"{address.partition('/?')[0]}{path}", wait_until="networkidle")
    save_image(page, image_name)
    return page


def save_image(page, image_name) -> None:  # type: ignore[no-untyped-def]
    """Take a screenshot of a page, without the empty space below its content."""
    size = page.viewport_size
    bottom = page.locator("main").evaluate(
        "main => main.lastElementChild.getBoundingClientRect().bottom"
    )
    clip = {
        "x": 0,
        "y": 0,
        "width": size["width"],
        "height": min(size["height"], bottom + BOTTOM_MARGIN_PIXELS),
    }
    page.screenshot(path=IMAGES_DIRECTORY / f"{image_name}.png", clip=clip)


def play_one_action(page) -> int:  # type: ignore[no-untyped-def]
    """Take a simple action in the game, and return 1 if the action is a discard, else 0."""
    version = page.get_attribute("#game", "data-version")
    ending = page.query_selector("#choices button.primary")
    cards = page.query_selector_all("#hand button.unmatched")
    if ending:
        ending.click()
    elif cards:
        cards[-1].click()
    elif page.query_selector("#stock:enabled"):
        page.click("#stock")
    else:
        page.click("#choices button:last-child")
    page.wait_for_selector(f'#game:not([data-version="{version}"])', timeout=BROWSER_TIMEOUT_MS)
    return int(bool(cards) and not ending)


if __name__ == "__main__":
    if sys.argv[1:]:
        take_screenshots(sys.argv[1])
    else:
        with start_server() as started:
            take_screenshots(started)
