"""Tests that `simgin report` reproduces the files of a run from ledger and manifest."""

import html
import json
import re
import shutil
import sqlite3
from functools import cache, partial
from pathlib import Path

import pytest

from simgin.runs import directory, ledger
from support.command_line import call
from support.command_runs import OWN
from support.hostile import read_tree
from support.html_checks import find_errors

RUNS = {
    "panel": """
        question = "Does <b>waiting</b> & hoping pay?"
        hypothesis = "It does."
        variants = ["standard", "standard+undercut_bonus=10"]
        deals = "12k"
        [panel]
        strategies = ["mine.py", "gold"]
        against = "simple"
    """,
    "league": 'question = "Who leads?"\nvariants = ["eaai"]\nmatches = 1200\n'
    'round_robin = ["gold", "simple", "stubborn"]\n',
    "fields": 'question = "Everywhere?"\nmatches = 600\nchanges = ["knock=early", "knock=at"]\n'
    '[[fields]]\nstrategy = "gold"\n[[fields]]\nstrategy = "gin-only"\nagainst = "simple"\n',
    "alone": 'question = "Alone?"\nvariants = ["solitary-gin", "solitaire-gin"]\nuntil = "2%"\n'
    'solo = ["gold", "simple"]\n',
}


@pytest.fixture(autouse=True)
def write_own_strategy(empty_directory, few_mixes):
    Path("mine.py").write_text(OWN)


@pytest.fixture(scope="module")
def run_directories(tmp_path_factory):
    """Run an experiment ("match" or of RUNS) once and copy its directory to `out`."""

    @cache
    def run(name):
        place = tmp_path_factory.mktemp(name)
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(place)
            patched.setenv("COLUMNS", "80")
            if name == "match":
                return place, call("match", "gold", "--deals", 300, "-o", "out").stdout
            Path("mine.py").write_text(OWN)
            Path(f"{name}.toml").write_text(RUNS[name])
            return place, call("run", f"{name}.toml", "-o", "out", "--workers", 2).stdout

    def copy_run(name="match"):
        place, printed = run(name)
        shutil.copytree(place / "out", "out")
        return printed

    return copy_run


def remove_report(place):
    """Remove everything that a report writes."""
    shutil.rmtree(place / "plots", ignore_errors=True)
    for path in place.iterdir():
        if path.name not in (directory.MANIFEST_FILE, ledger.LEDGER_FILE, directory.DEALS_FILE):
            path.unlink()


def read_verdict(files):
    """Return the verdict of the HTML report."""
    page = files["report.html"].decode()
    return page.partition('<ul class="verdict">')[2].partition("</ul>")[0]


@pytest.mark.parametrize("name", RUNS)
def test_the_same_files_are_written_without_the_strategies(run_directories, name):
    printed = run_directories(name)
    before = read_tree("out")
    remove_report(Path("out"))
    Path("mine.py").unlink()
    output = call("report", "out").stdout
    said = html.unescape(re.search("<li>(.*?)</li>", read_verdict(before)).group(1))
    assert " ".join(said.split()) in " ".join(printed.split())
    assert ("standard" in read_verdict(before)) == (
        name == "panel"
    )  # otherwise there is one variant
    assert read_tree("out") == before
    assert "plots/endings.svg" in before
    assert "report.html" in output and output.rstrip().endswith("Command: simgin report out")
    assert find_errors(before["report.html"].decode()) == []


def change_ledger(place, statement):
    with sqlite3.connect(place / "ledger.sqlite") as connection:
        connection.execute(statement)


def forget_the_manifest(place):
    (place / "manifest.json").unlink()


def forget_the_command(place):
    forget_the_manifest(place)
    change_ledger(place, "DELETE FROM run WHERE key = 'command'")


def age_the_manifest(place):
    manifest = json.loads((place / "manifest.json").read_text()) | {"form": 1}
    (place / "manifest.json").write_text(json.dumps(manifest))


CORRUPTIONS = {
    "out does not contain a simgin run": shutil.rmtree,
    "the run in out is not finished. Continue the run with: simgin match gold simple -v "
    "standard --deals 300 --seed 1 -o out": forget_the_manifest,
    "is not finished. Repeat the command of the run.": forget_the_command,
    "another version of simgin (format 1, not": age_the_manifest,
    "was written by another version of simgin": partial(
        change_ledger, statement="UPDATE run SET value = '0' WHERE key = 'form'"
    ),
    "out does not contain ledger.sqlite": lambda place: (place / "ledger.sqlite").unlink(),
}


@pytest.mark.parametrize("sentence", CORRUPTIONS)
def test_a_directory_without_a_finished_run_of_this_version_is_rejected_and_unchanged(
    run_directories, sentence
):
    run_directories()
    CORRUPTIONS[sentence](Path("out"))
    before = read_tree("out")
    assert sentence in call("report", "out", code=2).stderr
    assert read_tree("out") == before


def test_recorded_deals_are_kept_and_json_is_one_object():
    call("match", "gold", "--deals", 300, "-o", "out", "--record")
    before = read_tree("out")
    told = json.loads(call("report", "out", "--json").stdout)
    assert read_tree("out") == before
    assert told["command"] == "simgin report out"
    assert "out/report.html" in told["files"]
    assert told["stopped"] == "complete"
    assert {row["strategy"] for row in told["rows"]} == {"gold", "simple"}


def test_a_run_killed_while_writing_its_files_is_completed(run_directories):
    run_directories()
    before = read_tree("out")
    manifest = directory.read_manifest("out")
    unfinished = {**manifest, "stopped": "while its files were being written"}
    Path("out/manifest.json").write_bytes(directory.encode_manifest(unfinished))
    Path("out/report.html").unlink()
    call("report", "out")
    assert read_tree("out") == before
