"""Tests of the results pages: list, reports, files and comparisons of runs."""

import json
import re
import shutil
from pathlib import Path

import pytest

from simgin.report.html_report import compute_report_script_digest
from simgin.runs.ledger import open_ledger
from simgin.web.jobs import FINISHED
from support.web_site import check_page, wait_for_job


@pytest.fixture
def run_directory(site, match_directory):
    """Return the run directory of a match in the results of the site."""
    return Path(shutil.copytree(match_directory, site.results_directory / "first"))


def test_results_page_links_finished_and_interrupted_runs(browser, run_directory, site):
    (site.results_directory / "half").mkdir()
    with open_ledger(site.results_directory / "half" / "ledger.sqlite", {"seed": 1}) as ledger:
        ledger.write_command("simgin match gold simple -o results/half")
    page = check_page(browser.get("/results"))
    assert "Does gold beat simple?" in page and 'href="/results/first"' in page
    assert "2,000 deals" in page and "2,000 deals" in check_page(browser.get("/"))
    assert "interrupted" in page and "/compare-runs?base=first" in page
    page = check_page(browser.get("/results/half"))
    assert "started in a terminal" in page and "simgin match gold simple -o results/half" in page


def test_run_with_a_corrupt_manifest_is_listed_and_explained(browser, run_directory, site):
    manifest = run_directory / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"seed": ', '"seed": 9'))
    (site.results_directory / "other").mkdir()
    (site.results_directory / "other" / "manifest.json").write_text("{}")
    page = check_page(browser.get("/results"))
    assert 'href="/results/first"' in page and '<span class="state corrupt">' in page
    assert "/results/other" not in page and "/compare-runs" not in page
    page = check_page(browser.get("/results/first"))
    assert "manifest.json is corrupt (the checksum does not match)" in page
    assert browser.get("/results/first/files/table.csv").status_code == 404


@pytest.mark.parametrize(
    ("command", "sizes", "second_player", "rules", "text"),
    [
        ("review", [5000, 20000], "gold", {}, "5,000 to 20,000 matches per pair of players"),
        ("review", [5000, 5000], "", {}, "5,000 matches per player"),
        ("match", [2000, 2000], "gold", {}, "2,000 matches per matchup"),
        ("match", [2000], "gold", {}, "2,000 matches"),
        (
            "odds",
            [400, 400],
            "",
            {"goal": "total", "deals_in_match": 5},
            "2,000 deals per strategy",
        ),
        ("odds", [400, 400], "", {"goal": "points", "deals_in_match": 5}, "400 deals per strategy"),
    ],
)
def test_size_of_a_run_has_its_unit(browser, site, command, sizes, second_player, rules, text):
    manifest = {
        "simgin": "0.1.0",
        "command": f"simgin {command} x",
        "unit": "match",
        "matchups": [{"variant": "v", "a": "gold", "b": second_player, "n": n} for n in sizes],
        "variants": {"v": rules},
    }
    (site.results_directory / "run").mkdir(parents=True)
    (site.results_directory / "run" / "manifest.json").write_text(json.dumps(manifest))
    assert f'<span class="details">{text}</span>' in check_page(browser.get("/results"))


def test_report_is_sent_unchanged_and_may_run_only_its_script(browser, run_directory):
    page = check_page(browser.get("/results/first"))
    assert 'src="/results/first/files/report.html"' in page
    answer = browser.get("/results/first/files/report.html")
    assert answer.content == (run_directory / "report.html").read_bytes()
    policy = answer.headers["content-security-policy"]
    assert (
        compute_report_script_digest() in policy and compute_report_script_digest() in answer.text
    )
    assert "script-src 'unsafe" not in policy and "connect-src" not in policy


def test_links_of_a_report_work(browser, run_directory):
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
def test_only_files_that_the_manifest_lists_are_sent(browser, run_directory, path):
    (run_directory.parent.parent / "secret").write_text("secret")
    answer = browser.get(f"/results/{path}")
    assert answer.status_code in (303, 400, 404) and "secret\n" not in answer.text


def test_links_to_other_directories_are_not_followed(browser, run_directory, site):
    secret = site.results_directory.parent / "secret.csv"
    secret.write_text("secret")
    (run_directory / "table.csv").unlink()
    (run_directory / "table.csv").symlink_to(secret)
    (site.results_directory / "link").symlink_to(run_directory)
    assert browser.get("/results/first/files/table.csv").status_code == 404
    assert browser.get("/results/link").status_code == 400


def test_comparison_requires_two_runs(browser, run_directory):
    assert "requires two finished runs" in check_page(browser.get("/compare-runs?base=first"))


def test_two_runs_are_compared(browser, run_directory, site):
    shutil.copytree(run_directory, site.results_directory / "second")
    for address in ("", "?run=second", "?base=second", "?base=first"):
        page = check_page(browser.get(f"/compare-runs{address}"))
        assert len(set(re.findall('value="([a-z]+)" selected', page))) == 2
        label = r">\d{4}-\d\d-\d\d \d\d:\d\d, Does gold beat simple\?, 2,000 deals, second<"
        assert re.search(label, page)
    query = "run=first&base=second"
    answer = browser.get(f"/compare-runs/check?{query}").json()
    (note,) = answer["notes"]
    assert note.count("Does gold beat simple?") == 2 and note.endswith("second.")
    words = [*answer["command"].split()[:-2], Path(answer["command"]).name]
    assert words == [
        "simgin",
        "compare",
        str(run_directory),
        f"{run_directory.parent}/second",
        "compare-first-second",
    ]
    check_page(browser.get(f"/compare-runs?{query}"))
    job = site.jobs.find_job(browser.post(f"/compare-runs?{query}").json()["job"])
    wait_for_job(job, FINISHED)
    assert check_page(browser.get(f"/results/{job.run}"))
    for wrong in ("run=first&base=first", "run=../first&base=second", "run=x"):
        assert browser.post(f"/compare-runs?{wrong}").status_code == 400
