"""`simgin match`: what it prints, its JSON contract and its files."""

import json
import shlex
from pathlib import Path

import pytest

import simgin
from simgin.core import rng
from simgin.runs import directory
from simgin.stats import table
from support.command_line import call
from support.command_runs import FEW, KEYS

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_match_prints_words_one_table_and_a_command_that_repeats_it():
    output = call("match", "gold", *FEW).stdout
    words, table_line = output.index("gold and simple"), output.index("deals won %")
    assert words < output.index("gold against simple, standard, 200 deals, seed 1") < table_line
    assert len(output.splitlines()) <= 24
    repeat = output.splitlines()[-1].removeprefix("Repeat:  simgin ")
    assert repeat == "match gold simple -v standard --deals 200 --seed 1"
    assert call(*shlex.split(repeat)).stdout == output
    assert call("match", "gold", *FEW, "--seed", 0).stdout.endswith("--deals 200 --seed 0\n")


def test_a_strategy_against_itself_is_not_mirrored():
    output = call("match", "gold", "gold", "--seed", 7, *FEW, "--details").stdout
    assert output.startswith("gold plays itself; the nondealer wins ")
    assert "Not mirrored: gold against itself, 200 deals. Seed 7." in output


def test_matches_that_one_side_always_wins_are_reported():
    """Nobody is undercut by a player who waits for gin, so `stubborn` never scores."""
    words = ("match", "stubborn", "gin-only", "-v", "eaai", "--matches", 1000, "--details")
    assert "of the variance of points; luck share" in " ".join(call(*words).stdout.split())


def test_identical_play_is_said_instead_of_a_table_of_zeros():
    output = call("match", "gold-at:k=10", "gold", *FEW).stdout
    said = "gold-at:k=10 and gold play identically: every deal ended alike"
    assert output.startswith(said) and "deals won" not in output


def test_the_json_output_is_one_object_with_the_agreed_keys():
    result = call("match", "gold", "-v", "eaai", *FEW, "--json")
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert list(found) == KEYS
    assert (found["simgin"], found["stream"]) == (simgin.__version__, rng.STREAM)
    assert (found["seed"], found["stopped"], found["files"]) == (1, "complete", [])
    assert found["command"] == "simgin match gold simple -v eaai --deals 200 --seed 1"
    assert [tuple(row) for row in found["rows"]] == [table.TABLE_COLUMNS] * len(found["rows"])
    undefined = [row for row in found["rows"] if row["metric"] == "points_shot"]
    assert undefined and all(row["value"] is None and row["se"] is None for row in undefined)
    assert found["rows"] == table.records(simgin.match("gold", variant="eaai", deals=200))


def test_written_files_are_named_and_exist(empty_directory):
    result = call("match", "gold", *FEW, "-o", "out dir", "--json")
    found = json.loads(result.stdout)
    names = {Path(path).name for path in found["files"] if Path(path).is_file()}
    assert len(names) == len(found["files"])
    assert {"manifest.json", "table.csv", "summary.csv", "summary.md"} <= names
    assert found["command"].endswith("-o 'out dir'")
    assert directory.read_manifest("out dir")["command"] == found["command"]
    assert table.csv(simgin.match("gold", deals=200)) == Path("out dir/table.csv").read_text()
    assert [path.name for path in empty_directory.iterdir()] == ["out dir"]


def test_single_deals_that_depend_on_the_score_carry_a_note():
    for variant, standing in (("shot", "the score"), ("dice", "the die and the score")):
        told = call("match", "gold", "-v", variant, *FEW).stderr
        assert f"deals of {variant} depend on {standing}" in told and "--matches" in told
        assert "depend" not in call("match", "gold", "-v", variant, "--matches", 10).stderr
