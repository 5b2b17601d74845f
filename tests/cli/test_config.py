"""Tests of the configuration file, which sets defaults of command-line options."""

import json
from pathlib import Path

import platformdirs
import pytest

from simgin.cli import config
from support.command_line import run_simgin

FEW_DEALS_OPTIONS = ("--deals", "200")


@pytest.fixture(autouse=True)
def config_file(empty_directory, monkeypatch):
    """Return the path of the configuration file, which is in the test's directory."""
    path = empty_directory / "settings" / "config.toml"
    monkeypatch.setenv("SIMGIN_CONFIG", str(path))
    return path


def test_settings_are_shown_changed_and_removed(config_file):
    output = run_simgin("config").stdout
    assert str(config_file) in output and all(key in output for key in config.CONFIG_KEYS)
    assert not config_file.exists()
    run_simgin("config", "variant", "oklahoma")
    run_simgin("config", "workers", "2")
    run_simgin("config", "seconds_per_turn", "10")
    run_simgin("config", "results", 'my "results"')
    assert config.read_config() == {
        "variant": "oklahoma",
        "seconds_per_turn": 10.0,
        "workers": 2,
        "results": 'my "results"',
    }
    assert " oklahoma " in run_simgin("config", "variant").stdout
    run_simgin("config", "variant", "--unset")
    assert "variant" not in config.read_config()
    rows = json.loads(run_simgin("config", "--json").stdout)["rows"]
    assert {row["key"]: row["value"] for row in rows}["workers"] == 2


def test_config_file_is_in_the_config_directory_of_the_user(monkeypatch):
    monkeypatch.delenv("SIMGIN_CONFIG")
    assert config.find_config_path() == platformdirs.user_config_path("simgin") / "config.toml"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("vriant", "eaai"), "'vriant' is not a valid setting. Did you mean 'variant'?"),
        (("colour",), "is not a valid setting. Use one of variant, opponent, seconds_per_turn"),
        (("workers", "0"), "workers: '0' is not a valid number of workers. Use 1 to 1024."),
        (("workers", "two"), "workers: 'two' is not a valid number of workers."),
        (("seconds_per_turn", "-1"), "seconds_per_turn: '-1' is not a valid duration."),
        (("variant", "oklahomaa"), "'oklahomaa' is not a known variant. Did you mean 'oklahoma'?"),
        (("opponent", "goldd"), "'goldd'"),
        (("results", ""), "results: '' is not a valid name."),
        (("--unset",), "--unset requires a KEY without a VALUE."),
        (("variant", "eaai", "--unset"), "--unset requires a KEY without a VALUE."),
    ],
)
def test_invalid_setting_is_rejected(arguments, message, config_file):
    arguments = ["--", *arguments] if "-1" in arguments else arguments
    assert message in run_simgin("config", *arguments, exit_code=2).stderr
    assert not config_file.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("vriant = 'eaai'", "config.toml: 'vriant' is not a valid setting. Did you mean"),
        ("variant = 3", "config.toml: variant: 3 is not a valid name. Use a string in quotes."),
        ("workers = true", "config.toml: workers: true is not a valid number of workers."),
        ("workers", "config.toml is not valid TOML"),
    ],
)
def test_errors_in_the_config_file_are_reported_by_every_command(content, message, config_file):
    config_file.parent.mkdir()
    config_file.write_text(content)
    assert message in run_simgin("cite", exit_code=2).stderr
    assert message in run_simgin("config").stderr
    assert run_simgin("--help").stdout


@pytest.mark.parametrize("arguments", [("variant", "oklahoma"), ("variant", "--unset")])
def test_config_file_that_is_not_toml_is_not_overwritten(arguments, config_file):
    config_file.parent.mkdir()
    config_file.write_text("variant = 'eaai'\nworkers 2\n")
    error = run_simgin("config", *arguments, exit_code=2).stderr
    assert "config.toml is not valid TOML" in error and "line 2" in error
    assert "Correct the file. To restore all defaults, delete the file." in error
    assert config_file.read_text() == "variant = 'eaai'\nworkers 2\n"


def test_invalid_settings_can_be_removed_or_replaced(config_file):
    config_file.parent.mkdir()
    config_file.write_text("vriant = 'eaai'\nworkers = true\nopponent = 'gold'\nsince = 2020-01-01")
    warnings = run_simgin("config").stderr
    assert "run: simgin config vriant --unset" in warnings and "config workers --unset" in warnings
    run_simgin("config", "vriant", "--unset")
    run_simgin("config", "since", "--unset")
    assert "vriant" not in run_simgin("config", "workers", "2").stderr
    assert config.read_config() == {"workers": 2, "opponent": "gold"}


def test_recorded_command_contains_the_configured_defaults(empty_directory):
    run_simgin("config", "variant", "oklahoma")
    run_simgin("config", "opponent", "gold-early")
    run_simgin("config", "workers", "1")
    printed = run_simgin("match", "gold", *FEW_DEALS_OPTIONS, "-o", "out").stdout
    command = printed.partition("Command: ")[2]
    assert "simgin match gold gold-early -v oklahoma --deals 200" in command
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert manifest["command"] in printed and manifest["workers"] == 1
    options = ("-v", "standard", "--workers", "2")
    printed = run_simgin("match", "gold", "simple", *FEW_DEALS_OPTIONS, *options).stdout
    assert "simgin match gold simple -v standard --deals 200" in printed
    assert "[default: oklahoma]" in run_simgin("match", "--help").stdout
    # the recorded command gives the same result without the file
    for key in ("variant", "opponent", "workers"):
        run_simgin("config", key, "--unset")
    run_simgin(*command.split()[1:-2], "-o", "again")
    assert Path("out/table.csv").read_bytes() == Path("again/table.csv").read_bytes()


def test_configured_opponent_is_ignored_in_solitaire_variants():
    run_simgin("config", "opponent", "gold-early")
    printed = run_simgin("match", "solo-greedy", *FEW_DEALS_OPTIONS, "-v", "solitaire-gin").stdout
    assert "Command: simgin match solo-greedy -v solitaire-gin --deals 200" in printed
    assert "solo-greedy" in run_simgin("show", "solo-greedy", "-v", "solitaire-gin").stdout
    assert "gold-early" in run_simgin("show", "gold").stdout


EXPERIMENT_TOML = """
question = "Who wins?"
deals = 200
[[matchups]]
a = "gold"
"""
REVIEW_TOML = "against = 'standard'\nrule_sets = ['eaai']\nplayers = ['simple', 'gold']\n"


def test_configured_results_directory_and_turn_seconds_are_used(empty_directory):
    run_simgin("config", "results", "mine")
    run_simgin("config", "seconds_per_turn", "20")
    Path("who.toml").write_text(EXPERIMENT_TOML)
    printed = run_simgin("run", "who.toml").stdout
    assert "Command: simgin run who.toml -o mine/who" in printed
    assert Path("mine/who/table.csv").exists() and not Path("results").exists()
    size_options = ("--matches", "1k", "--players", "simple,gold")
    printed = run_simgin("review", "eaai", "--against", "standard", *size_options).stdout
    assert "--seconds-per-turn 20" in printed
    assert "-o mine/review-eaai-against-standard" in printed
    Path("club.toml").write_text(REVIEW_TOML)
    printed = run_simgin("review", "--file", "club.toml", "--matches", "1k", "-o", "club").stdout
    assert "--seconds-per-turn" not in printed
    run_simgin("odds", "solitaire-gin", "--deals", "1k", "--strategy", "solo-greedy")
    assert Path("mine/odds-solitaire-gin").is_dir()
