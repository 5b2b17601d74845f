"""`simgin report` writes the run's files again, byte for byte, from ledger and manifest alone."""

import html
import json
import re
import shutil
import sqlite3
from functools import cache
from pathlib import Path

import pytest

from simgin.findings import record
from simgin.runs import directory, ledger
from support import strict_html as wellformed
from support.command_line import call

OWN = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return view.own_turn > 3
MINE = Strategy('mine', knock=mine)
"""
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
    "until": 'question = "How well?"\nvariants = ["eaai"]\nuntil = "2%"\n[panel]\n'
    'strategies = ["gold", "stubborn"]\nagainst = "simple"\n',
    "alone": 'question = "Alone?"\nvariants = ["solitary-gin", "solitaire-gin"]\nmatches = 500\n'
    'solo = ["gold", "simple"]\n',
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("mine.py").write_text(OWN)
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Makes a run once, "match" or of RUNS, and copies its directory to `out`: what it printed."""

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

    def copied(name="match"):
        place, printed = run(name)
        shutil.copytree(place / "out", "out")
        return printed

    return copied


def tree(place):
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(Path(place).rglob("*"))
        if path.is_file()
    }


def emptied(place):
    """Remove everything that a report writes."""
    shutil.rmtree(place / "plots")
    for path in place.iterdir():
        if path.name not in (directory.MANIFEST, ledger.FILE, directory.DEALS):
            path.unlink()


@pytest.mark.parametrize("name", RUNS)
def test_the_same_files_are_written_without_the_strategies(made, name):
    made(name)
    before = tree("out")
    emptied(Path("out"))
    Path("mine.py").unlink()
    output = call("report", "out").stdout
    assert tree("out") == before
    assert "report.html" in output and output.rstrip().endswith("Repeat:  simgin report out")
    assert wellformed.faults(before["report.html"].decode()) == []


def findings_on(page):
    """The sentences of a page."""
    section = page.partition('<h2 id="findings">')[2].partition("</section>")[0]
    return re.findall("<li>(.*?)</li>", section)


@pytest.mark.parametrize("name", ["fields", "panel"])
def test_the_only_variant_is_not_named_in_sentences_and_one_of_several_is(made, name):
    shown = made(name)
    said = findings_on(Path("out/report.html").read_text())
    named = [sentence for sentence in said if "standard" in sentence]
    assert len(named) >= 2 if name == "panel" else said and not named
    first = html.unescape(said[0])
    assert " ".join(first.split()) in " ".join(shown.split())


def test_a_repeated_run_writes_the_same_page():
    pages = []
    for workers in (1, 2):
        call("match", "gold", "--deals", 3000, "-o", "out", "--workers", workers)
        pages.append(Path("out/report.html").read_bytes())
        shutil.rmtree("out")
    assert pages[0] == pages[1]


def test_recorded_deals_are_kept_and_json_is_one_object():
    call("match", "gold", "--deals", 300, "-o", "out", "--record")
    before = tree("out")
    told = json.loads(call("report", "out", "--json").stdout)
    assert tree("out") == before
    assert told["command"] == "simgin report out"
    assert "out/report.html" in told["files"]
    assert told["stopped"] == "complete"
    assert {row["strategy"] for row in told["rows"]} == {"gold", "simple"}


def test_the_report_can_be_written_from_inside_the_directory(made, monkeypatch):
    made()
    before = tree("out")
    monkeypatch.chdir("out")
    call("report", ".")
    assert tree(".") == before


def test_a_directory_without_a_run_is_refused():
    Path("empty").mkdir()
    for place in ("nowhere", "empty"):
        assert f"{place} is not a run that simgin wrote" in call("report", place, code=2).stderr


def test_an_unfinished_run_is_refused_with_the_command_that_continues_it(made):
    made()
    Path("out/manifest.json").unlink()
    message = call("report", "out", code=2).stderr
    assert (
        "the run in out is not finished; continue with: simgin match gold simple -v "
        "standard --deals 300 --seed 1 -o out" in message
    )


def test_an_older_ledger_names_the_command_that_adds_what_is_missing(made):
    made()
    Path("out/manifest.json").unlink()
    with sqlite3.connect("out/ledger.sqlite") as connection:
        connection.execute("DELETE FROM run WHERE key = 'command'")
    assert "continue with the command that began it." in call("report", "out", code=2).stderr


def test_the_manifest_of_another_version_is_refused(made):
    made()
    manifest = json.loads(Path("out/manifest.json").read_text()) | {"form": 1}
    Path("out/manifest.json").write_text(json.dumps(manifest))
    before = tree("out")
    message = call("report", "out", code=2).stderr
    assert "another version of simgin (form 1, not" in message
    assert tree("out") == before


def test_a_missing_or_foreign_ledger_is_refused(made):
    made()
    with sqlite3.connect("out/ledger.sqlite") as connection:
        connection.execute("UPDATE run SET value = '0' WHERE key = 'form'")
    assert "was written by another version of simgin" in call("report", "out", code=2).stderr
    Path("out/ledger.sqlite").unlink()
    assert "out has no ledger.sqlite" in call("report", "out", code=2).stderr


def test_the_record_of_a_run_is_the_same_from_manifest_and_plan(made):
    """The cells of a run just played and the cells read from its manifest."""
    from simgin.runs import plan
    from simgin.runs.stopping import End

    Path("panel.toml").write_text(RUNS["panel"])
    run_plan = plan.plan_file("panel.toml")
    now = record.record_plan(run_plan, [End(6000) for _ in run_plan.tasks])
    made("panel")
    then = record.read_record(Path("out"), directory.read_manifest("out"))
    assert now.cells == then.cells
    assert [now.params(cell) for cell in now.cells] == [then.params(cell) for cell in then.cells]
    assert list(now.ends) == list(then.ends)
    assert [list(pair) for pair in now.contrasts] == then.contrasts
    assert list(now.effects) == list(then.effects)
    assert (now.question, now.hypothesis, now.stop) == (then.question, then.hypothesis, then.stop)
    assert [task.matchup.cell for task in run_plan.tasks] == list(now.cells)


def test_a_run_killed_while_writing_its_files_is_completed(made):
    made()
    before = tree("out")
    manifest = directory.read_manifest("out")
    unfinished = {**manifest, "stopped": "while its files were being written"}
    Path("out/manifest.json").write_bytes(directory.sealed(unfinished))
    Path("out/report.html").unlink()
    call("report", "out")
    assert tree("out") == before
