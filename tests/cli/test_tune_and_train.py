"""Tests of `simgin tune` and `simgin train`: screens, files, JSON output, errors and resuming."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from simgin.runs import ledger
from simgin.strategy import loader
from support.command_line import run_simgin
from support.planted_strategy import BEST_PARAMETER_VALUE, write_planted_strategy
from support.weighted_strategy import write_weighted_strategy

STRATEGY_FILE = "planted.py"
TUNE_COMMAND = (
    f"tune {STRATEGY_FILE} --generations 4 --matches 1000 --confirm 1000 --parameters p".split()
)
TRAIN_COMMAND = "train weighed.py -v eaai --rounds 2 --deals 600 --confirm 1000".split()


@pytest.fixture(scope="module")
def strategies_directory(tmp_path_factory):
    """Create one directory for all tests of this file, so that strategies are compiled once."""
    folder = tmp_path_factory.mktemp("searches")
    write_planted_strategy(folder, 4.0)
    write_weighted_strategy(folder)
    return folder


@pytest.fixture(scope="module")
def tune_screen(strategies_directory):
    """Return the screen of a tuning run that writes parameters and a run directory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(strategies_directory)
        return run_simgin(*TUNE_COMMAND, "-o", "tuned.toml", "--run", "tuned").stdout


@pytest.fixture(scope="module")
def train_screen(strategies_directory):
    """Return the screen of a training run that writes weights and a run directory."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(strategies_directory)
        return run_simgin(*TRAIN_COMMAND, "-o", "weighed.npy", "--run", "trained").stdout


@pytest.fixture(autouse=True)
def working_directory(strategies_directory, monkeypatch):
    monkeypatch.chdir(strategies_directory)


def extract_reproducible_part(screen):
    """Return the part of a screen that is independent of the machine and the output files."""
    text = screen.partition("\nOutput:  ")[0].partition("\nCommand: ")[0]
    return text.partition("Estimated time:")[2].partition(".")[2] or text


def run_until_interrupted(step_name, *arguments):
    """Interrupt a command after a step; return stderr and the arguments to resume it."""
    add_step_result = ledger.Ledger.add_step_result

    def stop_at_step(self, name, n, arrays):
        add_step_result(self, name, n, arrays)
        if name == step_name:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ledger.Ledger, "add_step_result", stop_at_step)
        message = run_simgin(*arguments, exit_code=130).stderr
    return message, shlex.split(message.splitlines()[-1].partition("Continue with: ")[2])[1:]


def assert_fits_80_columns(screen):
    """Check that no line except a command has more than 80 characters."""
    unbroken = ("Command: ", "Next: ")
    assert all(len(line) <= 80 or line.startswith(unbroken) for line in screen.splitlines())


def test_tuned_parameters_can_be_played(tune_screen):
    assert "Tuning gained" in tune_screen and "Output:  " in tune_screen
    assert_fits_80_columns(tune_screen)
    strategy = loader.find_strategy(f"{STRATEGY_FILE}@tuned.toml")
    assert abs(strategy.discard.params["p"].default - BEST_PARAMETER_VALUE) < 4
    run_simgin("match", f"{STRATEGY_FILE}@tuned.toml", STRATEGY_FILE, "--deals", "100")
    written = {str(path.relative_to("tuned")) for path in Path("tuned").rglob("*.*")}
    tables = {f"{name}.csv" for name in ("search", "confirmation", "candidates", "parameters")}
    assert tables | {"tuned.toml", "report.html", "summary.md"} < written
    assert {"plots/search.png", "plots/search.svg"} < written
    assert extract_reproducible_part(
        run_simgin(*TUNE_COMMAND, "-o", "tuned.toml", "--run", "tuned").stdout
    ) == extract_reproducible_part(tune_screen)
    for arguments in (["report", "tuned"], ["compare", "tuned", "tuned"]):
        result = run_simgin(*arguments, exit_code=2)
        assert (
            "contains a search, not a run. To write its files again, run `simgin tune"
            in result.stderr
        )
    result = run_simgin(*TUNE_COMMAND, "--objective", "points", "--run", "tuned", exit_code=2)
    assert "contains another run" in result.stderr and "for points" in result.stderr


def test_suggested_match_does_not_give_a_parameter_twice(strategies_directory):
    command = ["tune", f"{STRATEGY_FILE}:p=5", *TUNE_COMMAND[2:], "-o", "from-5.toml"]
    suggestion = run_simgin(*command).stdout.splitlines()[-1].partition("Next:    ")[2]
    player, default = shlex.split(suggestion)[2:4]
    assert default == f"{STRATEGY_FILE}:p=5" and player.startswith(f"{STRATEGY_FILE}:p=1")
    assert loader.find_strategy(player).spec == player


def test_trained_weights_can_be_played(train_screen):
    assert "Training gained" in train_screen and "breaks a meld" in train_screen
    assert_fits_80_columns(train_screen)
    play = shlex.split(train_screen.splitlines()[-1].partition("Next:    ")[2])
    assert play[:4] == ["simgin", "match", "weighed.py", "simple"]
    played = run_simgin("match", "weighed.py", "simple", "-v", "eaai", "--deals", "100")
    assert "initial weights" not in played.stderr
    written = {path.name for path in Path("trained").iterdir()}
    assert {
        "trained.npy",
        "parameters.csv",
        "rounds.csv",
        "confirmation.csv",
        "report.html",
    } < written
    assert Path("trained/trained.npy").read_bytes() == Path("weighed.npy").read_bytes()
    error = run_simgin("report", "trained", exit_code=2).stderr
    assert "contains a search, not a run. To write its files again, run `simgin train" in error


def test_training_does_not_start_from_existing_weights(train_screen):
    result = run_simgin(*TRAIN_COMMAND, "-o", "other.npy").stdout
    assert extract_reproducible_part(result) == extract_reproducible_part(train_screen)
    assert Path("other.npy").exists()
    assert re.search(
        r"Next:    move other\.npy to \S+/weighed\.npy\. weighed\.py reads this file\.", result
    )


def test_interrupted_search_is_resumed(tune_screen):
    message, resume = run_until_interrupted(
        "generation 2", *TUNE_COMMAND, "-o", "again.toml", "--run", "stopped"
    )
    assert "Finished generations are saved in stopped" in message
    run_simgin(*resume)
    for name in ("candidates.csv", "search.csv", "plots/search.svg"):
        assert Path("stopped", name).read_bytes() == Path("tuned", name).read_bytes()


def test_json_rows_contain_the_confirmation_matches(tune_screen, train_screen):
    rows = json.loads(run_simgin(*TUNE_COMMAND, "--run", "tuned", "--json").stdout)["rows"]
    assert [row["opponent"] for row in rows] == ["simple", STRATEGY_FILE]
    assert rows[0]["low"] > 0 and rows[0]["metric"] == "match_win"
    plan = json.loads(run_simgin(*TUNE_COMMAND, "--dry-run", "--json").stdout)
    (row,) = plan["rows"]
    assert row["generations"] == 4 and row["seconds"] > 0 and plan["stopped"] == "dry run"
    rows = json.loads(run_simgin(*TRAIN_COMMAND, "--run", "trained", "--json").stdout)["rows"]
    assert [row["opponent"] for row in rows] == ["simple", "weighed.py"]
    for row in rows:
        assert row["low"] < row["value"] < row["high"]
        assert row["trained"] - row["start"] == pytest.approx(row["value"])


def test_missing_library_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    assert "pip install 'simgin[tune]'" in run_simgin(*TUNE_COMMAND, exit_code=2).stderr
