"""Open pages in an installed Chromium browser, and check their layout and contrast."""

import os
import re
import shutil
from contextlib import contextmanager

BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DISABLED_FEATURES = ("gpu", "quic", "background-networking", "component-update", "sync")
BROWSER_OPTIONS = ("--no-first-run", *(f"--disable-{name}" for name in DISABLED_FEATURES))
MIN_CONTRAST = 4.5  # minimum contrast of text (WCAG AA)


@contextmanager
def start_browser():
    """Start an installed Chromium browser."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSER_NAMES)), None)
    assert found, f"Chromium was not found (looked for {', '.join(BROWSER_NAMES)}). Install it."
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=found, args=[*root, *BROWSER_OPTIONS])
        yield browser
        browser.close()


@contextmanager
def open_page(browser, address, path="/", size=(1280, 900), **options):
    """Open a page, and check when it closes that no error occurred and nothing overflows.

    Args:
        browser: Running browser.
        address: Address that contains the token.
        path: Path and query of the page.
        size: Width and height of the window.
        **options: Further options of the window, such as `color_scheme`.
    """
    options["viewport"] = dict(zip(("width", "height"), size, strict=True))
    page = browser.new_page(base_url=address.partition("/?")[0], **options)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda one: errors.append(one.text) if is_script_error(one) else None)
    page.goto(address)
    assert "token" not in page.url
    page.goto(path)
    yield page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not errors
    page.close()


def is_script_error(message):
    """Return True for an error in the browser console, except a failed request."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


# Colour of each text, and background colours from the nearest element outwards
TEXT_COLOURS_SCRIPT = """
() => [...document.querySelectorAll('body *')]
  .filter((element) => !element.closest('svg, script, .unseen') && element.checkVisibility()
    && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((element) => {
    const behind = [];
    for (let up = element; up; up = up.parentElement) {
      behind.push(getComputedStyle(up).backgroundColor);
    }
    const name = element.tagName + ' ' + element.textContent.trim().slice(0, 30);
    return [name, getComputedStyle(element).color, behind];
  })
"""


def find_unreadable_texts(texts):
    """Return the texts whose contrast is too low, from the output of TEXT_COLOURS_SCRIPT."""
    assert len(texts) > 10
    found = []
    for what, ink, behind in texts:
        paper = next((one for one in map(parse_colour, behind) if one[3] > 0), None)
        assert paper is not None and paper[3] == 1, what
        light, dark = sorted(
            (compute_luminance(parse_colour(ink)), compute_luminance(paper)), reverse=True
        )
        if (light + 0.05) / (dark + 0.05) < MIN_CONTRAST:
            found.append((what, ink, paper))
    return found


def parse_colour(colour):
    """Return red, green, blue (0 to 255) and the opacity of a CSS colour."""
    numbers = [float(word) for word in re.findall(r"[\d.]+", colour)]
    return (*numbers, 1.0) if len(numbers) == 3 else tuple(numbers)


def compute_luminance(colour):
    """Return the relative luminance of a colour (WCAG 2)."""
    linear = [
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4
        for one in (part / 255 for part in colour[:3])
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
