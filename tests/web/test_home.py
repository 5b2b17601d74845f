"""Tests of the home page, the error pages and the static files."""

import re
from pathlib import Path

import pytest

from simgin.web import app
from support.command_line import run_simgin
from support.web_site import check_page


def test_home_page_lists_the_latest_results(browser, site):
    assert "There are no results yet." in check_page(browser.get("/"))
    run_simgin("hand", "5S 6S 7S 9H 9D 9C KS QD 2C AH")
    (site.results_directory / "not a run").mkdir(parents=True)
    (site.results_directory / "half").mkdir()
    (site.results_directory / "half" / "ledger.sqlite").write_bytes(b"")
    page = check_page(browser.get("/"))
    assert "half" in page and "interrupted" in page and "not a run" not in page


def test_unknown_address_has_an_error_page(browser):
    assert "This page does not exist" in check_page(browser.get("/nothing"), 404)
    assert check_page(browser.get("/jobs/nothing"), 400)


@pytest.mark.parametrize("name", sorted(app.read_static_files()))
def test_static_files_are_sent_with_their_type(browser, name):
    answer = browser.get(f"/static/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(app.MEDIA_TYPES[Path(name).suffix])


def test_static_files_used_by_the_home_page_exist(browser):
    page = check_page(browser.get("/"))
    names = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(names) >= 3
    assert all(browser.get(name).status_code == 200 for name in names)
