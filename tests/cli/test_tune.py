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

pytestmark = pytest.mark.usefixtures("empty_directory")

SHORT = ("--generations", "4", "--matches", "1000", "--confirm", "1000", "--parameters", "p")


@pytest.fixture
def planted(empty_directory):
    return write_planted(empty_directory, 4.0).name


def outcome(result):
    """What came of a search, without the plan, whose time depends on the machine."""
    return result.stdout.partition("That takes")[2].partition(".")[2]


def test_the_tuned_numbers_can_be_played(planted):
    result = call("tune", planted, *SHORT, "-o", "tuned.toml", "--run", "kept")
    screen = result.stdout
    assert "Tuning gained" in screen and "Written: " in screen
    unbroken = ("Repeat: ", "Play: ")
    assert all(len(line) <= 80 or line.startswith(unbroken) for line in screen.splitlines())
    tuned = loader.find(f"{planted}@tuned.toml")
    assert abs(tuned.discard.params["p"].default - BEST) < 4
    call("match", f"{planted}@tuned.toml", planted, "--deals", "100")
    kept = {str(path.relative_to("kept")) for path in Path("kept").rglob("*.*")}
    assert {
        "tuned.toml",
        "search.csv",
        "confirmation.csv",
        "candidates.csv",
        "parameters.csv",
    } < kept
    assert {"plots/search.png", "plots/search.svg", "report.html", "summary.md"} < kept
    again = call("tune", planted, *SHORT, "-o", "tuned.toml", "--run", "kept")
    assert outcome(again) == outcome(result)
    for words in (["report", "kept"], ["compare", "kept", "kept"]):
        refused = call(*words, code=2)
        assert "holds a search, not a run; `simgin tune" in refused.stderr


def test_an_interrupted_search_goes_on(planted, monkeypatch):
    add_step = ledger.Ledger.add_step

    def interrupted(self, name, n, arrays):
        add_step(self, name, n, arrays)
        if name == "generation 2":
            raise KeyboardInterrupt

    whole = call("tune", planted, *SHORT, "--run", "whole")
    with monkeypatch.context() as patched:
        patched.setattr(ledger.Ledger, "add_step", interrupted)
        stopped = call("tune", planted, *SHORT, "--run", "kept", code=130)
    assert "finished generations are kept in kept" in stopped.stderr
    resume = shlex.split(stopped.stderr.splitlines()[-1].partition("Continue with: ")[2])
    resumed = call(*resume[1:])
    assert outcome(resumed) == outcome(whole).replace("whole", "kept")
    for name in ("tuned.toml", "candidates.csv", "search.csv", "plots/search.png"):
        one, other = (Path(place, name).read_bytes() for place in ("whole", "kept"))
        assert one == other.replace(b"kept", b"whole")


def test_json_has_the_confirmation(planted):
    result = call("tune", planted, *SHORT, "--json")
    answer = json.loads(result.stdout)
    rows = answer["rows"]
    assert [row["opponent"] for row in rows] == ["simple", planted]
    assert rows[0]["gain_low"] > 0 and rows[0]["metric"] == "match_win"
    plan = json.loads(call("tune", planted, *SHORT, "--dry-run", "--json").stdout)
    (row,) = plan["rows"]
    assert row["generations"] == 4 and row["seconds"] > 0 and plan["stopped"] == "dry run"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["stubborn"], "no parameter that is a number"),
        (["champion"], "in its weights"),
        (["gold", "-v", "solitaire-gin"], "is for one player"),
        (["gold", "--parameters", "n"], "no number 'n'; it has k"),
        (["gold", "--against", "nobody"], "there is no strategy 'nobody'"),
        (["gold", "--matches", "10"], "10 matches are too few"),
        (["gold", "--objective", "elo"], "'elo' is not one of"),
        (["gold", "-o", "tuned"], "try tuned.toml"),
        (["gold", "-o", "nowhere/tuned.toml"], "there is no folder nowhere"),
        (["gold", "--generations", "0"], "0 is not in the range"),
    ],
)
def test_what_cannot_be_tuned_gets_a_sentence(words, told):
    assert told in call("tune", *words, code=2).stderr


def test_a_file_of_somebody_else_is_left_alone(empty_directory):
    (empty_directory / "mine.toml").write_text("[knock]\nk = 3\n")
    refused = call("tune", "gold", "-o", "mine.toml", code=2)
    assert "no search wrote it" in refused.stderr


def test_another_search_is_not_mixed_in(planted):
    call("tune", planted, *SHORT, "--run", "kept")
    refused = call("tune", planted, *SHORT, "--objective", "points", "--run", "kept", code=2)
    assert "holds another run" in refused.stderr and "for points" in refused.stderr


def test_without_the_library_there_is_a_sentence(planted, monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    refused = call("tune", planted, *SHORT, code=2)
    assert "pip install 'simgin[tune]'" in refused.stderr
