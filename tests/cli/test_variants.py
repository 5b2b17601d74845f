"""Tests of `simgin variants`, and of variant files in other commands."""

import json
import re
import shlex
from pathlib import Path

import pytest

from simgin.rules import variants
from simgin.runs import directory, experiment_file
from simgin.runs.plan import plan_experiment
from support.command_line import run_simgin
from support.command_runs import JSON_OUTPUT_KEYS
from support.variant_files import CLUB_VARIANT_TOML, DEN_VARIANT_TOML, write_variant_file

pytestmark = pytest.mark.usefixtures("wide_terminal")


def run_and_parse_json_rows(*arguments, exit_code=0):
    return json.loads(run_simgin("variants", *arguments, "--json", exit_code=exit_code).stdout)[
        "rows"
    ]


def test_manifest_and_tables_record_a_variant_from_a_file():
    write_variant_file(CLUB_VARIANT_TOML, "of ours/mine.toml")
    arguments = ("match", "gold", "-v", "of ours/mine.toml", "--deals", 40)
    output = run_simgin(*arguments).stdout
    repeat = output.splitlines()[-1].removeprefix("Command: simgin ")
    assert repeat == "match gold simple -v 'of ours/mine.toml#club' --deals 40 --seed 1"
    assert run_simgin(*shlex.split(repeat)).stdout == output
    run_simgin(*arguments, "-o", "out")
    assert Path("out/table.csv").read_text().count("\nof ours/mine.toml#club,gold,simple,") > 20
    manifest = directory.read_manifest("out")
    row = variants.find_variant("of ours/mine.toml").params
    assert manifest["variants"] == {"of ours/mine.toml#club": row}
    assert manifest["matchups"][0]["variant"] == "of ours/mine.toml#club"
    assert "mine.toml#club: seed 1" in run_simgin("show", "gold", "-v", "of ours/mine.toml").stdout
    hand = run_simgin("hand", "5S 6S 7S 9H 9D 9C KS QD 2C AH", "-v", "of ours/mine.toml").stdout
    assert "-v 'of ours/mine.toml#club'" in hand


def test_experiment_accepts_a_variant_file_and_reports_its_errors():
    write_variant_file(CLUB_VARIANT_TOML)
    variants_line = 'variants = ["mine.toml", "mine.toml#club", "standard+mine.toml"]\n'
    write_variant_file(f'question = "?"\n{variants_line}round_robin = ["gold", "simple"]', "e.toml")
    matchup_keys = plan_experiment("e.toml").matchup_keys
    assert [key.variant for key in matchup_keys] == ["mine.toml#club", "standard+mine.toml#club"]
    write_variant_file(CLUB_VARIANT_TOML.replace("30", "3.5"))
    with pytest.raises(experiment_file.ExperimentError) as error:
        plan_experiment("e.toml")
    expected = "e.toml: variants #1: mine.toml: variants, club, changes: gin_bonus must be"
    assert error.value.messages[0].startswith(expected)


def test_variants_lists_every_variant(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    output = run_simgin("variants").stdout
    assert all(f"\n{name} " in output for name in variants.variant_names())
    assert all(len(line) <= 80 for line in output.splitlines())
    found = json.loads(run_simgin("variants", "--json").stdout)
    assert list(found) == JSON_OUTPUT_KEYS and [row["name"] for row in found["rows"]] == list(
        variants.variant_names()
    )
    shown = {row["parameter"]: row["value"] for row in run_and_parse_json_rows("eaai")}
    assert shown == variants.find_variant("eaai").params


def test_variant_shows_its_differences_and_allowed_values():
    output = run_simgin("variants", "oklahoma+knock_limit=5").stdout
    assert "Differences from standard" in output and "(section" not in output
    assert re.search(r"\nknock_limit +\(5\) ", output)  # the upcard sets the limit in this variant
    shown = " ".join(output.split())
    for name, parameter in variants.load_rule_parameters().items():
        assert f"\n{name} " in output and f"[{parameter.list_allowed_values()}]" in shown, name
        if parameter.value_type in ("choice", "bool"):
            for word in parameter.list_allowed_values().split(", "):
                assert parameter.to_text(parameter.parse(word)) == word
    assert variants.load_rule_parameters()["knock_limit"].list_allowed_values() == "0..99"
    assert variants.load_rule_parameters()["max_draws"].list_allowed_values().endswith(", none")


def test_variants_of_a_file_are_listed_and_shown():
    write_variant_file(CLUB_VARIANT_TOML + DEN_VARIANT_TOML)
    assert [row["name"] for row in run_and_parse_json_rows("mine.toml")] == [
        "mine.toml#club",
        "mine.toml#den",
    ]
    message = run_simgin("variants", "mine.toml").stdout
    assert "Club rules. Oklahoma with a bigger bonus." in message and "mine.toml#den " in message
    assert "mine.toml#club: Club rules" in run_simgin("variants", "mine.toml#club").stdout
    write_variant_file(CLUB_VARIANT_TOML.replace("30", "3.5") + DEN_VARIANT_TOML + 'die = "deal"')
    message = run_simgin("variants", "mine.toml", exit_code=2).stderr.splitlines()
    assert [line.split(" must ")[0] for line in message] == [
        "simgin: error: mine.toml: variants, club, changes: gin_bonus",
        "simgin: error: mine.toml#den: die = deal requires goal = deals, not games. Set goal=deals "
        "or die=off.",
    ]


def test_diff_shows_the_differing_parameters():
    write_variant_file(CLUB_VARIANT_TOML)
    found = run_and_parse_json_rows("diff", "oklahoma", "mine.toml")
    assert [(row["parameter"], row["text_a"], row["text_b"]) for row in found] == [
        ("big_gin", "no", "yes"),
        ("rainbow", "no", "yes"),
        ("gin_bonus", "25", "30"),
        ("start_points", "0/0", "0/10"),
    ]
    assert [row["a"] for row in found] == [False, False, 25, [0, 0]]
    assert all(row["meaning"] for row in found)
    output = run_simgin("variants", "diff", "oklahoma", "mine.toml").stdout
    assert "oklahoma (A) and mine.toml#club (B)" in output
    assert re.search(r"gin_bonus +25 +30 +\w", output)
    assert output.splitlines()[-1] == "Command: simgin variants diff oklahoma 'mine.toml#club'"
    same_rules = run_simgin("variants", "diff", "oklahoma+rainbow", "rainbow+oklahoma").stdout
    no_effect = run_simgin("variants", "diff", "oklahoma", "oklahoma+knock_limit=5").stdout
    assert "have the same rules." in same_rules
    assert "None of these rules has an effect" in no_effect


def test_check_reports_every_variant_of_a_file():
    write_variant_file(CLUB_VARIANT_TOML)
    output = run_simgin("variants", "check", "mine.toml").stdout
    assert output.startswith("mine.toml#club: ok\n")
    assert "Command: simgin variants check mine.toml" in output
    write_variant_file(
        CLUB_VARIANT_TOML.replace("30", "3.5")
        + DEN_VARIANT_TOML
        + CLUB_VARIANT_TOML.replace(".club", ".'a+b'")
    )
    found = run_and_parse_json_rows("check", "mine.toml", exit_code=1)
    assert [(row["variant"], row["ok"], len(row["sentences"])) for row in found] == [
        ("mine.toml#club", False, 1),
        ("mine.toml#den", True, 0),
        ("mine.toml#a+b", False, 1),
    ]
    output = run_simgin("variants", "check", "mine.toml", exit_code=1).stdout
    assert "mine.toml#den: ok" in output
    assert "    mine.toml: variants, club, changes: gin_bonus must be" in output
