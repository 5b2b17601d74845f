"""`simgin variants`: lists, differences, checks, and variant files wherever a variant is named."""

import json
import re
import shlex
from pathlib import Path

import pytest

from simgin.rules.variants import find, parameters
from simgin.runs import directory, experiment, experiment_file
from support.command_line import call
from support.variant_files import CLUB, DEN, write

pytestmark = pytest.mark.usefixtures("wide_terminal")


# Wherever a variant is named


def test_manifest_and_tables_keep_the_text_and_the_row():
    write(CLUB, "of ours/mine.toml")
    output = call("match", "gold", "-v", "of ours/mine.toml", "--deals", 40, "--workers", 1).stdout
    repeat = output.splitlines()[-1].removeprefix("Repeat:  simgin ")
    assert repeat == "match gold simple -v 'of ours/mine.toml#club' --deals 40 --seed 1"
    assert call(*shlex.split(repeat)).stdout == output
    call("match", "gold", "-v", "of ours/mine.toml", "--deals", 40, "-o", "out")
    assert Path("out/table.csv").read_text().count("\nof ours/mine.toml#club,gold,simple,") > 20
    manifest = directory.read_manifest("out")
    assert manifest["variants"] == {"of ours/mine.toml#club": find("of ours/mine.toml").row}
    assert manifest["matchups"][0]["variant"] == "of ours/mine.toml#club"


def test_show_and_hand_accept_a_file():
    write(CLUB)
    assert "mine.toml#club: seed 1" in call("show", "gold", "-v", "mine.toml").stdout
    assert (
        "-v 'mine.toml#club'"
        in call("hand", "5S 6S 7S 9H 9D 9C KS QD 2C AH", "-v", "mine.toml").stdout
    )


def test_experiments_accept_a_file_and_report_its_mistakes():
    write(CLUB)
    write(
        'question = "?"\n'
        'variants = ["mine.toml", "mine.toml#club", "standard+mine.toml"]\n'
        'round_robin = ["gold", "simple"]',
        "e.toml",
    )
    assert [cell.variant for cell in experiment.read("e.toml").cells] == [
        "mine.toml#club",
        "standard+mine.toml#club",
    ]
    write(CLUB.replace("30", "3.5"))
    with pytest.raises(experiment_file.ExperimentError) as error:
        experiment.read("e.toml")
    assert error.value.sentences[0].startswith(
        "e.toml: variants #1: mine.toml: variants, club, changes: gin_bonus must be"
    )


def test_variants_lists_a_file_and_shows_its_variants():
    write(CLUB + DEN)
    assert [
        row["name"] for row in json.loads(call("variants", "mine.toml", "--json").stdout)["rows"]
    ] == ["mine.toml#club", "mine.toml#den"]
    said = call("variants", "mine.toml").stdout
    assert "Club rules. Oklahoma with a bigger bonus." in said and "mine.toml#den " in said
    assert "mine.toml#club: Club rules" in call("variants", "mine.toml#club").stdout
    write(CLUB.replace("30", "3.5") + DEN + 'die = "deal"')
    said = call("variants", "mine.toml", code=2).stderr.splitlines()
    assert [line.split(" must ")[0] for line in said] == [
        "simgin: mine.toml: variants, club, changes: gin_bonus",
        "simgin: mine.toml#den: die = deal needs goal = deals, not games: set goal=deals "
        "or die=off.",
    ]


def test_diff_shows_the_differing_parameters():
    write(CLUB)
    rows = json.loads(call("variants", "diff", "oklahoma", "mine.toml", "--json").stdout)["rows"]
    assert [(row["parameter"], row["text_a"], row["text_b"]) for row in rows] == [
        ("big_gin", "no", "yes"),
        ("rainbow", "no", "yes"),
        ("gin_bonus", "25", "30"),
        ("start_points", "0/0", "0/10"),
    ]
    assert [row["a"] for row in rows] == [False, False, 25, [0, 0]] and all(
        row["meaning"] for row in rows
    )
    output = call("variants", "diff", "oklahoma", "mine.toml").stdout
    assert "oklahoma (A) and mine.toml#club (B)" in output and re.search(
        r"gin_bonus +25 +30 +\w", output
    )
    assert output.splitlines()[-1] == "Repeat:  simgin variants diff oklahoma 'mine.toml#club'"


def test_diff_recognises_the_same_variant():
    assert (
        "oklahoma+rainbow and rainbow+oklahoma have the same rules."
        in call("variants", "diff", "oklahoma+rainbow", "rainbow+oklahoma").stdout
    )
    assert (
        "They play the same: none of these rules has an effect."
        in call("variants", "diff", "oklahoma", "oklahoma+knock_limit=5").stdout
    )
    assert (
        "They play the same"
        in call("variants", "diff", "standard", "standard+discard_view=open").stdout
    )
    different = call("variants", "diff", "standard", "oklahoma").stdout
    assert "play the same" not in different and "the same rules" not in different
    assert (
        "'oklohoma'; did you mean 'oklahoma'?"
        in call("variants", "diff", "standard", "oklohoma", code=2).stderr
    )


def test_check_reports_every_variant_of_a_file():
    write(CLUB)
    output = call("variants", "check", "mine.toml").stdout
    assert (
        output.startswith("mine.toml#club: ok\n")
        and "Repeat:  simgin variants check mine.toml" in output
    )
    write(CLUB.replace("30", "3.5") + DEN + CLUB.replace(".club", ".'a+b'"))
    rows = json.loads(call("variants", "check", "mine.toml", "--json", code=1).stdout)["rows"]
    assert [(row["variant"], row["ok"]) for row in rows] == [
        ("mine.toml#club", False),
        ("mine.toml#den", True),
        ("mine.toml#a+b", False),
    ]
    assert [len(row["sentences"]) for row in rows] == [1, 0, 1]
    output = call("variants", "check", "mine.toml", code=1).stdout
    assert (
        "mine.toml#den: ok" in output
        and "    mine.toml: variants, club, changes: gin_bonus must be" in output
    )


@pytest.mark.parametrize("file", ["none.toml", ".", "mine.txt", "c+.toml", "broken.toml"])
def test_check_refuses_other_files(file):
    write("[variants", "broken.toml")
    result = call("variants", "check", file, code=2)
    assert (
        result.stdout == ""
        and result.stderr.startswith("simgin: ")
        and result.stderr.rstrip()[-1] == "."
    )


def test_help_lists_every_subcommand():
    output = call("variants", "--help").stdout
    for name in ("diff", "check", "new"):
        assert f"simgin variants {name} " in output
        assert f"Usage: simgin variants {name} " in call("variants", name, "--help").stdout
    assert (
        "did you mean `simgin variants check`?"
        in call("variants", "chek", "mine.toml", code=2).stderr
    )


def test_a_variant_lists_the_legal_words_of_every_rule():
    """Each of the words that are shown is accepted, and a choice shows all of its words."""
    shown = " ".join(call("variants", "standard").stdout.split())
    for parameter in parameters().values():
        assert f"[{parameter.values()}]" in shown, parameter.name
        if parameter.kind in ("choice", "bool"):
            for word in parameter.values().split(", "):
                assert parameter.write(parameter.read(word)) == word
    assert parameters()["knock_limit"].values() == "0..99"
    assert parameters()["max_draws"].values().endswith(", none")
