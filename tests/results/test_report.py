"""Tests that `simgin report` reproduces the files of a run from ledger and manifest."""

import html
import json
import re
import shlex
import shutil
import sqlite3
from functools import cache, partial
from pathlib import Path

import pytest

from simgin.runs import directory, ledger
from support.command_line import run_simgin
from support.command_runs import STRATEGY_SOURCE
from support.hostile import read_directory
from support.html_checks import find_html_errors
from support.slow_cases import mark_slow_except

EXPERIMENT_TOML_BY_NAME = {
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
def write_own_strategy(empty_directory, few_mix_samples):
    """Write the strategy file of the experiments."""
    Path("mine.py").write_text(STRATEGY_SOURCE)


@pytest.fixture(scope="module")
def copy_run_directory(tmp_path_factory):
    """Return a function that runs an experiment once and copies its directory to `out`."""

    @cache
    def run_experiment(name):
        directory_path = tmp_path_factory.mktemp(name)
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.chdir(directory_path)
            monkeypatch.setenv("COLUMNS", "80")
            if name == "match":
                return directory_path, run_simgin(
                    "match", "gold", "--deals", 300, "-o", "out"
                ).stdout
            Path("mine.py").write_text(STRATEGY_SOURCE)
            Path(f"{name}.toml").write_text(EXPERIMENT_TOML_BY_NAME[name])
            return directory_path, run_simgin(
                "run", f"{name}.toml", "-o", "out", "--workers", 2
            ).stdout

    def copy_run(name="match"):
        directory_path, output = run_experiment(name)
        shutil.copytree(directory_path / "out", "out")
        return output

    return copy_run


def remove_report(run_path):
    """Remove every file that `simgin report` writes."""
    shutil.rmtree(run_path / "plots", ignore_errors=True)
    for path in run_path.iterdir():
        if path.name not in (directory.MANIFEST_FILE, ledger.LEDGER_FILE, directory.DEALS_FILE):
            path.unlink()


def read_verdict(files):
    """Return the verdict of an HTML report."""
    page = files["report.html"].decode()
    return page.partition('<ul class="verdict">')[2].partition("</ul>")[0]


# tests/cli/test_panels.py tests the report of a league.
@pytest.mark.parametrize(
    "name", mark_slow_except(["panel", "fields", "alone"], EXPERIMENT_TOML_BY_NAME)
)
def test_report_is_reproduced_without_the_strategies(copy_run_directory, name):
    run_output = copy_run_directory(name)
    before = read_directory("out")
    remove_report(Path("out"))
    Path("mine.py").unlink()
    output = run_simgin("report", "out").stdout
    first_sentence = html.unescape(re.search("<li>(.*?)</li>", read_verdict(before)).group(1))
    assert " ".join(first_sentence.split()) in " ".join(run_output.split())
    assert ("standard" in read_verdict(before)) == (
        name == "panel"
    )  # otherwise there is one variant
    assert read_directory("out") == before
    assert "plots/endings.svg" in before
    assert "report.html" in output and output.rstrip().endswith("Command: simgin report out")
    assert find_html_errors(before["report.html"].decode()) == []


def change_ledger(run_path, statement):
    with sqlite3.connect(run_path / "ledger.sqlite") as connection:
        connection.execute(statement)


def remove_manifest(run_path):
    (run_path / "manifest.json").unlink()


def remove_command(run_path):
    remove_manifest(run_path)
    change_ledger(run_path, "DELETE FROM run WHERE key = 'command'")


def write_old_manifest(run_path):
    manifest = json.loads((run_path / "manifest.json").read_text()) | {"form": 1}
    (run_path / "manifest.json").write_text(json.dumps(manifest))


CORRUPTION_BY_ERROR = {
    "out does not contain a simgin run": shutil.rmtree,
    "the run in out is not finished. Continue the run with: simgin match gold simple -v "
    "standard --deals 300 --seed 1 -o out": remove_manifest,
    "is not finished. Repeat the command of the run.": remove_command,
    "another version of simgin (format 1, not": write_old_manifest,
    "was written by another version of simgin": partial(
        change_ledger, statement="UPDATE run SET value = '0' WHERE key = 'form'"
    ),
    "out does not contain ledger.sqlite": lambda place: (place / "ledger.sqlite").unlink(),
}


@pytest.mark.parametrize("message", CORRUPTION_BY_ERROR)
def test_invalid_run_directory_is_rejected_and_unchanged(copy_run_directory, message):
    copy_run_directory()
    CORRUPTION_BY_ERROR[message](Path("out"))
    before = read_directory("out")
    assert message in run_simgin("report", "out", exit_code=2).stderr
    assert read_directory("out") == before


def test_unfinished_run_is_continued_in_the_directory_of_the_copy(copy_run_directory):
    copy_run_directory()
    Path("my copy").mkdir()
    shutil.copy("out/ledger.sqlite", "my copy")  # only file of an unfinished run
    error = run_simgin("report", "my copy", exit_code=2).stderr
    command = shlex.split(error.strip().partition("Continue the run with: ")[2])
    assert command[-2:] == ["-o", "my copy"]
    run_simgin(*command[1:])
    assert Path("my copy/manifest.json").exists()


def test_report_keeps_recorded_deals():
    run_simgin("match", "gold", "--deals", 300, "-o", "out", "--record")
    before = read_directory("out")
    output = json.loads(run_simgin("report", "out", "--json").stdout)
    assert read_directory("out") == before
    assert output["command"] == "simgin report out"
    assert "out/report.html" in output["files"]
    assert output["stopped"] == "complete"
    assert {row["strategy"] for row in output["rows"]} == {"gold", "simple"}


def test_repeated_run_keeps_its_recorded_deals_until_its_size_changes():
    pytest.importorskip("pyarrow", reason="simgin[parquet] is not installed")
    command = ("match", "gold", "-o", "out", "--deals")
    run_simgin(*command, 300, "--record")
    recorded = Path("out/deals.parquet").read_bytes()
    message = "deals.parquet was removed because it does not contain all deals of this run. To "
    assert message not in run_simgin(*command, 300).stderr
    assert Path("out/deals.parquet").read_bytes() == recorded
    assert directory.DEALS_FILE in directory.read_manifest("out")["files"]
    assert message in run_simgin(*command, 400).stderr
    assert not Path("out/deals.parquet").exists()
    assert directory.DEALS_FILE not in directory.read_manifest("out")["files"]


def test_run_killed_while_writing_its_files_is_completed(copy_run_directory):
    copy_run_directory()
    before = read_directory("out")
    manifest = directory.read_manifest("out")
    unfinished = {**manifest, "stopped": "while its files were being written"}
    Path("out/manifest.json").write_bytes(directory.encode_manifest(unfinished))
    Path("out/report.html").unlink()
    run_simgin("report", "out")
    assert read_directory("out") == before


def test_run_with_a_strategy_file_is_continued_where_it_started(tmp_path, monkeypatch):
    Path(tmp_path, "zwei wörter").mkdir()
    Path(tmp_path, "zwei wörter", "mine.py").write_text(STRATEGY_SOURCE)
    Path(tmp_path, "start").mkdir()
    monkeypatch.chdir(tmp_path / "start")
    run_simgin("match", "../zwei wörter/mine.py", "simple", "--deals", 300, "-o", "../whole")
    Path(tmp_path, "out").mkdir()
    shutil.copy("../whole/ledger.sqlite", "../out")  # only file of an unfinished run
    monkeypatch.chdir(tmp_path)
    error = run_simgin("report", "out", exit_code=2).stderr
    command = shlex.split(error.partition("in which you started it, with: ")[2])
    for path in ("zwei wörter/mine.py", str(tmp_path / "zwei wörter/mine.py")):
        command_elsewhere = [*command[1:2], path, *command[3:]]
        error = run_simgin(*command_elsewhere, exit_code=2).stderr
        paths_text = "under other paths: '../zwei wörter/mine.py'. Repeat the command in"
        assert f"a run with the same strategy files {paths_text}" in error
    monkeypatch.chdir(tmp_path / "start")
    run_simgin(*command[1:])
    assert Path(tmp_path, "out/manifest.json").exists()
