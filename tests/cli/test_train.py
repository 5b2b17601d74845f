"""`simgin train`: its 80-column screen, its files and JSON, what it refuses, and going on."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from simgin.runs import ledger
from support.command_line import call
from support.weighed import write_weighed

SHORT = ("-v", "eaai", "--rounds", "2", "--deals", "600", "--confirm", "1000")

ALWAYS = """
from simgin.strategy import knock


@knock
def always(view, rules, params):
    return True
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all tests here, so that the strategy is compiled once."""
    folder = tmp_path_factory.mktemp("weighed")
    write_weighed(folder)
    return folder


@pytest.fixture
def weighed(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return "weighed.py"


@pytest.fixture(scope="module")
def first(folder):
    """What a training says that writes a table of weights and a directory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        return call("train", "weighed.py", *SHORT, "-o", "weighed.npy", "--run", "kept").stdout


def outcome(result):
    """What came of a training, without the commands."""
    return result.partition("\nWritten: ")[0].partition("\nRepeat: ")[0]


def test_the_weights_can_be_played(first, weighed):
    assert "Training gained" in first and "breaks a meld" in first
    unbroken = ("Repeat: ", "Play: ")
    assert all(len(line) <= 80 or line.startswith(unbroken) for line in first.splitlines())
    play = shlex.split(first.splitlines()[-1].partition("Play:    ")[2])
    assert play[:4] == ["simgin", "match", weighed, "simple"]
    played = call("match", weighed, "simple", "-v", "eaai", "--deals", "100")
    assert "weights of its start" not in played.stderr
    kept = {path.name for path in Path("kept").iterdir()}
    assert {"trained.npy", "parameters.csv", "rounds.csv", "confirmation.csv", "report.html"} < kept
    assert Path("kept/trained.npy").read_bytes() == Path("weighed.npy").read_bytes()
    refused = call("report", "kept", code=2)
    assert "holds a search, not a run; `simgin train" in refused.stderr


def test_a_training_does_not_look_at_the_weights_that_were_learned_before(first, weighed):
    """The same command writes the same bytes over them; elsewhere they are told to be moved."""
    result = call("train", weighed, *SHORT, "-o", "other.npy").stdout
    assert outcome(result) == outcome(first)
    assert Path("other.npy").exists() and "weighed.npy; move other.npy there." in result


def test_an_interrupted_training_goes_on(first, weighed, monkeypatch):
    add_step = ledger.Ledger.add_step

    def interrupted(self, name, n, arrays):
        add_step(self, name, n, arrays)
        if name == "round 1":
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ledger.Ledger, "add_step", interrupted)
        stopped = call("train", weighed, *SHORT, "--run", "stopped", code=130)
    assert "finished rounds are kept in stopped" in stopped.stderr
    resume = shlex.split(stopped.stderr.splitlines()[-1].partition("Continue with: ")[2])
    resumed = call(*resume[1:]).stdout
    assert outcome(resumed) == outcome(first) and "Keep:    give -o " in resumed


def test_json_has_the_confirmation(weighed):
    answer = json.loads(call("train", weighed, *SHORT, "--json").stdout)
    assert [row["opponent"] for row in answer["rows"]] == ["simple", weighed]
    for row in answer["rows"]:
        assert row["gain_low"] < row["gain"] < row["gain_high"]
        assert row["trained"] - row["start"] == pytest.approx(row["gain"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["gold"], "does not say what it weighs; give it describe"),
        (["weighed.py", "-v", "solitaire-gin"], "is for one player"),
        (["weighed.py", "--confirm", "10"], "10 matches are too few"),
        (["weighed.py", "-o", "mine"], "try mine.npy"),
        (["weighed.py", "-o", "nowhere/mine.npy"], "there is no folder nowhere"),
        (["weighed.py", "-o", "mine.npy"], "no training wrote it"),
    ],
)
@pytest.mark.usefixtures("weighed")
def test_what_cannot_be_trained_gets_a_sentence(words, told):
    np.save("mine.npy", np.zeros(8))
    assert told in call("train", *words, code=2).stderr


def test_tune_points_to_train(weighed):
    """The knock's parameter could be tuned; without it, there are weights only."""
    text = f"{weighed}+knock=patient.py#always"
    Path("patient.py").write_text(ALWAYS)
    assert "`simgin train` learns those" in call("tune", text, code=2).stderr
