"""`simgin tune`: its 80-column screen, its files and JSON, what it refuses, and going on."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from simgin.runs import ledger
from simgin.strategy import loader
from support.command_line import call
from support.planted import BEST, write_planted

SHORT = ("--generations", "4", "--matches", "1000", "--confirm", "1000", "--parameters", "p")
FILE = "planted.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all tests here, so that the strategy is compiled once."""
    folder = tmp_path_factory.mktemp("planted")
    write_planted(folder, 4.0)
    return folder


@pytest.fixture(scope="module")
def first(folder):
    """What a search says that writes its numbers and a directory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        return call("tune", FILE, *SHORT, "-o", "tuned.toml", "--run", "kept").stdout


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)


def outcome(screen):
    """What came of a search, without the plan, whose time depends on the machine."""
    return screen.partition("That takes")[2].partition(".")[2]


def test_the_tuned_numbers_can_be_played(first):
    assert "Tuning gained" in first and "Written: " in first
    unbroken = ("Repeat: ", "Play: ")
    assert all(len(line) <= 80 or line.startswith(unbroken) for line in first.splitlines())
    tuned = loader.find(f"{FILE}@tuned.toml")
    assert abs(tuned.discard.params["p"].default - BEST) < 4
    call("match", f"{FILE}@tuned.toml", FILE, "--deals", "100")
    kept = {str(path.relative_to("kept")) for path in Path("kept").rglob("*.*")}
    tables = {f"{name}.csv" for name in ("search", "confirmation", "candidates", "parameters")}
    assert tables | {"tuned.toml", "report.html", "summary.md"} < kept
    assert {"plots/search.png", "plots/search.svg"} < kept
    again = call("tune", FILE, *SHORT, "-o", "tuned.toml", "--run", "kept").stdout
    assert outcome(again) == outcome(first)
    for words in (["report", "kept"], ["compare", "kept", "kept"]):
        refused = call(*words, code=2)
        assert "holds a search, not a run; `simgin tune" in refused.stderr
    refused = call("tune", FILE, *SHORT, "--objective", "points", "--run", "kept", code=2)
    assert "holds another run" in refused.stderr and "for points" in refused.stderr


def test_an_interrupted_search_goes_on(first, monkeypatch):
    add_step = ledger.Ledger.add_step

    def interrupted(self, name, n, arrays):
        add_step(self, name, n, arrays)
        if name == "generation 2":
            raise KeyboardInterrupt

    words = ("tune", FILE, *SHORT, "-o", "again.toml", "--run", "stopped")
    with monkeypatch.context() as patched:
        patched.setattr(ledger.Ledger, "add_step", interrupted)
        stopped = call(*words, code=130)
    assert "finished generations are kept in stopped" in stopped.stderr
    resume = shlex.split(stopped.stderr.splitlines()[-1].partition("Continue with: ")[2])
    call(*resume[1:])
    for name in ("candidates.csv", "search.csv"):
        assert Path("stopped", name).read_bytes() == Path("kept", name).read_bytes()
    one, other = (Path(place, "plots/search.svg").read_text() for place in ("kept", "stopped"))
    assert one == other


def test_json_has_the_confirmation():
    rows = json.loads(call("tune", FILE, *SHORT, "--json").stdout)["rows"]
    assert [row["opponent"] for row in rows] == ["simple", FILE]
    assert rows[0]["gain_low"] > 0 and rows[0]["metric"] == "match_win"
    plan = json.loads(call("tune", FILE, *SHORT, "--dry-run", "--json").stdout)
    (row,) = plan["rows"]
    assert row["generations"] == 4 and row["seconds"] > 0 and plan["stopped"] == "dry run"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["stubborn"], "no parameter that is a number"),
        (["gold", "-v", "solitaire-gin"], "is for one player"),
        (["gold", "--against", "nobody"], "there is no strategy 'nobody'"),
        (["gold", "--matches", "10"], "10 matches are too few"),
        (["gold", "--objective", "elo"], "'elo' is not one of"),
        (["gold", "-o", "mine.toml"], "no search wrote it"),
        (["gold", "-o", "tuned"], "try tuned.toml"),
        (["gold", "-o", "nowhere/tuned.toml"], "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_tuned_gets_a_sentence(words, told):
    Path("mine.toml").write_text("[knock]\nk = 3\n")
    assert told in call("tune", *words, code=2).stderr


def test_without_the_library_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    refused = call("tune", FILE, *SHORT, code=2)
    assert "pip install 'simgin[tune]'" in refused.stderr
