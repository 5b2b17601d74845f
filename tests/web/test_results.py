"""Tests of the results pages: the list, reports, other files, and comparisons of runs."""

import re
import shutil
from pathlib import Path

import pytest

from simgin.report.html_report import compute_report_script_digest
from simgin.runs.ledger import open_ledger
from simgin.web.jobs import DONE
from support.command_line import call
from support.web_site import page_of, wait_for


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the directory of a match."""
    path = tmp_path_factory.mktemp("results") / "first"
    call("match", "gold", "simple", "--deals", "2k", "-o", path)
    return path


@pytest.fixture
def run(site, saved):
    """Copy the match into the results of the site."""
    return Path(shutil.copytree(saved, site.results / "first"))


def test_the_list_links_the_runs(browser, run, site):
    (site.results / "half").mkdir()
    with open_ledger(site.results / "half" / "ledger.sqlite", {"seed": 1}) as ledger:
        ledger.write_command("simgin match gold simple -o results/half")
    page = page_of(browser.get("/results"))
    assert "Does gold beat simple?" in page and 'href="/results/first"' in page
    assert "2,000 deals" in page and "2,000 deals" in page_of(browser.get("/"))
    assert "interrupted" in page and "/compare-runs?base=first" in page
    page = page_of(browser.get("/results/half"))
    assert "started in a terminal" in page and "simgin match gold simple -o results/half" in page


def test_the_report_is_the_file_of_the_command(browser, run):
    page = page_of(browser.get("/results/first"))
    assert 'src="/results/first/files/report.html"' in page
    answer = browser.get("/results/first/files/report.html")
    assert answer.content == (run / "report.html").read_bytes()
    policy = answer.headers["content-security-policy"]
    assert (
        compute_report_script_digest() in policy and compute_report_script_digest() in answer.text
    )
    assert "script-src 'unsafe" not in policy and "connect-src" not in policy


def test_the_links_of_a_report_work(browser, run):
    report = browser.get("/results/first/files/report.html").text
    names = [name for name in re.findall(r'href="([^"#]+)"', report) if ":" not in name]
    assert len(names) >= 4
    for name in names:
        assert browser.get(f"/results/first/files/{name}").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "first/files/ledger.sqlite",
        "first/files/../../data/x",
        "first/files/%2e%2e/%2e%2e/secret",
        "first/files//etc/passwd",
        "../secret",
        "%2e%2e",
        "nothing",
        "first/files/",
    ],
)
def test_only_files_that_the_manifest_lists_are_sent(browser, run, path):
    (run.parent.parent / "secret").write_text("secret")
    answer = browser.get(f"/results/{path}")
    assert answer.status_code in (303, 400, 404) and "secret\n" not in answer.text


def test_links_to_other_directories_are_not_followed(browser, run, site):
    secret = site.results.parent / "secret.csv"
    secret.write_text("secret")
    (run / "table.csv").unlink()
    (run / "table.csv").symlink_to(secret)
    (site.results / "link").symlink_to(run)
    assert browser.get("/results/first/files/table.csv").status_code == 404
    assert browser.get("/results/link").status_code == 400


def test_a_comparison_requires_two_runs(browser, run):
    assert "requires two finished runs" in page_of(browser.get("/compare-runs?base=first"))


def test_two_runs_are_compared(browser, run, site):
    shutil.copytree(run, site.results / "second")
    for address in ("", "?run=second", "?base=second", "?base=first"):
        page = page_of(browser.get(f"/compare-runs{address}"))
        assert len(set(re.findall('value="([a-z]+)" selected', page))) == 2
        assert re.search(r">\d{4}-\d\d-\d\d \d\d:\d\d, Does gold beat simple\?, 2,000 deals<", page)
    query = "run=first&base=second"
    answer = browser.get(f"/compare-runs/check?{query}").json()
    words = [*answer["command"].split()[:-2], Path(answer["command"]).name]
    assert words == ["simgin", "compare", str(run), f"{run.parent}/second", "compare-first-second"]
    page_of(browser.get(f"/compare-runs?{query}"))
    job = site.jobs.find(browser.post(f"/compare-runs?{query}").json()["job"])
    wait_for(job, DONE)
    assert page_of(browser.get(f"/results/{job.run}"))
    for wrong in ("run=first&base=first", "run=../first&base=second", "run=x"):
        assert browser.post(f"/compare-runs?{wrong}").status_code == 400
