"""Tests that no command overwrites the results of another command or request."""

from pathlib import Path

import pytest

from simgin.runs import directory, ledger
from support.hostile import run_cli, run_cli_harmlessly
from support.weighted_strategy import write_weighted_strategy

EXPERIMENT_TOML = 'question = "?"\ndeals = 2000\nvariants = ["eaai"]\nmatchups = [{ a = "gold" }]\n'
FILE_WRITING_COMMANDS = {
    "match": "match gold -v eaai --deals 2000 --seed 1 -o out",
    "run": "run e.toml --json -o out",
    "review": "review eaai --matches 1000 --json --seed 1 -o out",
    "odds": "odds gin-solitaire --strategy solo-greedy --deals 2000 --seed 1 -o out",
    "analyze": "analyze gold simple -v eaai --unit 3 --half 0 --turn 1 --seed 1 -o out",
    "tune": "tune gold-early -v eaai --generations 1 --confirm 1000 --json --run out",
    "train": "train weighed.py -v eaai --rounds 1 --confirm 1000 --json --run out",
}
CHANGED_ARGUMENTS = {"odds": ("gin-solitaire", "solitary-gin"), "analyze": ("--turn 1", "--turn 2")}
OLD_MANIFEST = {"simgin": "0.1.0", "form": 0}


def write_results(command, path="out"):
    """Write a run directory, without a ledger, as if `command` had created it."""
    directory.write_run_directory(
        path, {**OLD_MANIFEST, "command": f"simgin {command}"}, {"table.csv": "mine"}
    )


@pytest.fixture
def working_directory(empty_directory, few_decks, monkeypatch):
    Path("e.toml").write_text(EXPERIMENT_TOML)
    write_weighted_strategy(empty_directory)
    times = "simgin.cli.plan_table.measure_unit_seconds"
    monkeypatch.setattr(times, lambda matchup: 1e-6)
    return empty_directory


@pytest.mark.parametrize("command", FILE_WRITING_COMMANDS)
def test_results_of_another_command_are_not_overwritten(working_directory, command):
    for other_command in FILE_WRITING_COMMANDS.keys() - {command}:
        write_results(FILE_WRITING_COMMANDS[other_command])
        output = run_cli_harmlessly(*FILE_WRITING_COMMANDS[command].split(), exit_codes=(2,)).stderr
        last_line = output.splitlines()[-1]  # a busy machine prints the notice about compiling
        assert last_line.startswith(
            f"simgin: error: out contains the results of 'simgin {other_command} "
        ), output


@pytest.mark.parametrize("command", CHANGED_ARGUMENTS)
def test_results_of_another_request_are_not_overwritten(working_directory, command):
    command_line = FILE_WRITING_COMMANDS[command]
    write_results(command_line.replace(*CHANGED_ARGUMENTS[command]))
    assert (
        "contains the results of"
        in run_cli_harmlessly(*command_line.split(), exit_codes=(2,)).stderr
    )
    (working_directory / "out" / "manifest.json").unlink()
    (working_directory / "out" / "table.csv").rename("out/ledger.sqlite")
    assert (
        "out contains a run. Move it away"
        in run_cli_harmlessly(*command_line.split(), exit_codes=(2,)).stderr
    )


def test_larger_run_of_the_same_request_replaces_the_results(working_directory):
    command_line = "odds gin-solitaire --strategy solo-greedy --seed 1"
    output = "results/odds-gin-solitaire"
    for deals, output_option in ((2000, f"-o {output}"), (3000, f"-o {output}"), (2000, "")):
        run_cli(*command_line.split(), "--deals", deals, *output_option.split(), exit_codes=(0,))
        manifest = directory.read_manifest(output)
        assert f"--deals {deals}" in manifest["command"] and manifest["matchups"][0]["n"] == deals
    # Each variant has a default directory, which contains the last request
    before = directory.read_manifest(output)
    run_cli("odds", "solitary-gin", "--strategy", "solo-greedy", "--deals", "2000", exit_codes=(0,))
    assert directory.read_manifest("results/odds-solitary-gin") != before
    assert directory.read_manifest(output) == before
    write_results("run odds.toml", output)
    assert (
        "contains the results of"
        in run_cli_harmlessly(*command_line.split(), exit_codes=(2,)).stderr
    )


@pytest.mark.parametrize("command", ["match", "run", "tune", "train", "report", "compare"])
def test_directory_in_use_by_another_process_is_rejected(working_directory, command):
    command_line = {**FILE_WRITING_COMMANDS, "report": "report out", "compare": "compare out out"}[
        command
    ]
    with ledger.open_ledger(directory.create_run_directory("out"), {}):
        output = run_cli_harmlessly(*command_line.split(), exit_codes=(2,)).stderr
    assert "in use by another process. Wait until that process ends" in output


def test_results_of_an_unparsable_command_are_not_overwritten(working_directory):
    for command in ("match 'gold", "", "x" * 5000):
        write_results(command)
        output = run_cli_harmlessly(
            *FILE_WRITING_COMMANDS["analyze"].split(), exit_codes=(2,)
        ).stderr
        assert "contains the results of" in output and len(output) < 400
