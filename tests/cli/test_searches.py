"""`simgin tune` and `simgin train`: screens, files, JSON, what they refuse, and going on."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from simgin.runs import ledger
from simgin.strategy import loader
from support.command_line import call
from support.planted import BEST, write_planted
from support.weighed import write_weighed

FILE = "planted.py"
TUNE = f"tune {FILE} --generations 4 --matches 1000 --confirm 1000 --parameters p".split()
TRAIN = "train weighed.py -v eaai --rounds 2 --deals 600 --confirm 1000".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all tests here, so that the strategies are compiled once."""
    folder = tmp_path_factory.mktemp("searches")
    write_planted(folder, 4.0)
    write_weighed(folder)
    return folder


@pytest.fixture(scope="module")
def tuned(folder):
    """What a search says that writes its numbers and a directory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        return call(*TUNE, "-o", "tuned.toml", "--run", "tuned").stdout


@pytest.fixture(scope="module")
def trained(folder):
    """What a training says that writes a table of weights and a directory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        return call(*TRAIN, "-o", "weighed.npy", "--run", "trained").stdout


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)


def outcome(screen):
    """What came of a search, without its time, which depends on the machine, and the commands."""
    found = screen.partition("\nWritten: ")[0].partition("\nRepeat: ")[0]
    return found.partition("That takes")[2].partition(".")[2] or found


def interrupted(step, *words):
    """What a search says that is interrupted behind a step, and the words that continue it."""
    add_step = ledger.Ledger.add_pass

    def stopping(self, name, n, arrays):
        add_step(self, name, n, arrays)
        if name == step:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ledger.Ledger, "add_pass", stopping)
        said = call(*words, code=130).stderr
    return said, shlex.split(said.splitlines()[-1].partition("Continue with: ")[2])[1:]


def assert_narrow(screen):
    unbroken = ("Repeat: ", "Play: ")
    assert all(len(line) <= 80 or line.startswith(unbroken) for line in screen.splitlines())


def test_the_tuned_numbers_can_be_played(tuned):
    assert "Tuning gained" in tuned and "Written: " in tuned
    assert_narrow(tuned)
    found = loader.find_strategy(f"{FILE}@tuned.toml")
    assert abs(found.discard.params["p"].default - BEST) < 4
    call("match", f"{FILE}@tuned.toml", FILE, "--deals", "100")
    kept = {str(path.relative_to("tuned")) for path in Path("tuned").rglob("*.*")}
    tables = {f"{name}.csv" for name in ("search", "confirmation", "candidates", "parameters")}
    assert tables | {"tuned.toml", "report.html", "summary.md"} < kept
    assert {"plots/search.png", "plots/search.svg"} < kept
    assert outcome(call(*TUNE, "-o", "tuned.toml", "--run", "tuned").stdout) == outcome(tuned)
    for words in (["report", "tuned"], ["compare", "tuned", "tuned"]):
        refused = call(*words, code=2)
        assert "holds a search, not a run; `simgin tune" in refused.stderr
    refused = call(*TUNE, "--objective", "points", "--run", "tuned", code=2)
    assert "holds another run" in refused.stderr and "for points" in refused.stderr


def test_the_weights_can_be_played(trained):
    assert "Training gained" in trained and "breaks a meld" in trained
    assert_narrow(trained)
    play = shlex.split(trained.splitlines()[-1].partition("Play:    ")[2])
    assert play[:4] == ["simgin", "match", "weighed.py", "simple"]
    played = call("match", "weighed.py", "simple", "-v", "eaai", "--deals", "100")
    assert "weights of its start" not in played.stderr
    kept = {path.name for path in Path("trained").iterdir()}
    assert {"trained.npy", "parameters.csv", "rounds.csv", "confirmation.csv", "report.html"} < kept
    assert Path("trained/trained.npy").read_bytes() == Path("weighed.npy").read_bytes()
    assert "holds a search, not a run; `simgin train" in call("report", "trained", code=2).stderr


def test_a_training_does_not_look_at_the_weights_that_were_learned_before(trained):
    """The same command writes the same bytes over them; elsewhere they are told to be moved."""
    result = call(*TRAIN, "-o", "other.npy").stdout
    assert outcome(result) == outcome(trained)
    assert Path("other.npy").exists() and "weighed.npy; move other.npy there." in result


def test_an_interrupted_search_goes_on(tuned):
    said, resume = interrupted("generation 2", *TUNE, "-o", "again.toml", "--run", "stopped")
    assert "finished generations are kept in stopped" in said
    call(*resume)
    for name in ("candidates.csv", "search.csv", "plots/search.svg"):
        assert Path("stopped", name).read_bytes() == Path("tuned", name).read_bytes()


def test_json_has_the_confirmation():
    rows = json.loads(call(*TUNE, "--json").stdout)["rows"]
    assert [row["opponent"] for row in rows] == ["simple", FILE]
    assert rows[0]["low"] > 0 and rows[0]["metric"] == "match_win"
    plan = json.loads(call(*TUNE, "--dry-run", "--json").stdout)
    (row,) = plan["rows"]
    assert row["generations"] == 4 and row["seconds"] > 0 and plan["stopped"] == "dry run"
    rows = json.loads(call(*TRAIN, "--json").stdout)["rows"]
    assert [row["opponent"] for row in rows] == ["simple", "weighed.py"]
    for row in rows:
        assert row["low"] < row["value"] < row["high"]
        assert row["trained"] - row["start"] == pytest.approx(row["value"])


def test_without_the_library_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    assert "pip install 'simgin[tune]'" in call(*TUNE, code=2).stderr
