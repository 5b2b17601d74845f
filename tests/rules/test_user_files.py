"""Tests of users' variant files: contents, composition, errors and new files."""

import json
import re
import shlex
import tomllib

import pytest

from simgin.rules import user_files
from simgin.rules.parameters import load_rule_parameters
from simgin.rules.variants import find_variant
from support.command_line import run_simgin
from support.variant_files import (
    CLUB_VARIANT_TOML,
    DEN_VARIANT_TOML,
    get_variant_errors,
    write_variant_file,
)

pytestmark = pytest.mark.usefixtures("wide_terminal")


def test_values_can_be_toml_types_or_strings():
    write_variant_file(CLUB_VARIANT_TOML + DEN_VARIANT_TOML)
    club, den = find_variant("mine.toml#club"), find_variant("mine.toml#den")
    assert (
        club.params
        == find_variant("oklahoma+rainbow+gin_bonus=30+big_gin=yes+start_points=0/10").params
    )
    settings = "goal=games+game_table=30:4/120:1+points_target=121+shutout=-+layoff=no"
    assert den.params == find_variant(f"standard+{settings}").params
    description = (club.title, club.about, club.source)
    assert description == ("Club rules", "Oklahoma with a bigger bonus.", "Thursdays")
    assert den.source == ""


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("mine.toml", "mine.toml#club"),
        (" mine.toml#club ", "mine.toml#club"),
        ("./mine.toml", "./mine.toml#club"),
        ("mine.toml+gin_bonus=20+rush", "mine.toml#club+rush+gin_bonus=20"),
        ("oklahoma+mine.toml", "oklahoma+mine.toml#club"),
    ],
)
def test_variant_of_a_file_has_a_canonical_spec(spec, canonical):
    write_variant_file(CLUB_VARIANT_TOML)
    variant = find_variant(spec)
    assert variant.spec == canonical
    assert find_variant(canonical) == variant


def test_variant_of_a_file_adds_only_its_differences_from_standard():
    content = '[variants.back]\ntitle = "B"\nabout = "B."\nbase = "basic"\nchanges.knock_limit = 10'
    write_variant_file(CLUB_VARIANT_TOML + content)
    assert find_variant("basic+mine.toml#club").params["knock_limit"] == 9  # club does not set it
    assert find_variant("mine.toml#back").params["knock_limit"] == 10
    # Ten is the value of standard, so there is no difference
    assert find_variant("basic+mine.toml#back").params["knock_limit"] == 9


@pytest.mark.parametrize("path", ["ours/käse $x$.toml", "a.toml.toml", "|`'\"\\*.toml", ".toml"])
def test_path_can_contain_special_characters(path):
    write_variant_file(CLUB_VARIANT_TOML, path)
    assert find_variant(f"{path}+rush").spec == f"{path}#club+rush"
    for character in "\0\n":
        assert "has unprintable characters" in get_variant_errors(f"mi{character}ne.toml#x")[0]


# Errors


def test_invalid_variant_does_not_affect_others_in_its_file():
    write_variant_file(CLUB_VARIANT_TOML + DEN_VARIANT_TOML.replace("games", "gamse"))
    assert find_variant("mine.toml#club").params["gin_bonus"] == 30
    assert "Did you mean 'games'?" in get_variant_errors("mine.toml#den")[0]
    write_variant_file(
        CLUB_VARIANT_TOML + DEN_VARIANT_TOML.replace("games", "gamse") + "[sundries]"
    )
    errors = get_variant_errors("mine.toml#club")
    assert len(errors) == 2
    assert "sundries" in errors[0] and "'gamse'" in errors[1]


# `simgin variants new` writes a valid file equal to its base variant, and overwrites nothing


def test_commented_lines_of_a_new_file_are_valid():
    content = user_files.format_variant_file("new.toml", find_variant("tedesco"))
    lines = re.findall(r"^# (\w+ = .*)$", content, re.MULTILINE)
    assert [line.split(" = ")[0] for line in lines] == ["source", *load_rule_parameters()]
    write_variant_file(
        content.replace("# source", "source") + "\n" + "\n".join(lines[1:]), "new.toml"
    )
    assert find_variant("new.toml").params == find_variant("tedesco").params


def test_new_file_keeps_any_title():
    title = '"Ünder" \\ "over"\x01\x7f\t\U0001f0a1'
    quoted = json.dumps(title, ensure_ascii=False).replace("\x7f", "\\u007f")
    write_variant_file(CLUB_VARIANT_TOML.replace('"Club rules"', quoted))
    assert find_variant("mine.toml").title == title
    content = user_files.format_variant_file("new.toml", find_variant("mine.toml"))
    assert tomllib.loads(content)["variants"]["new"]["about"] == f"{title}, with changes."


def test_new_file_can_be_checked_and_played():
    output = run_simgin("variants", "new", "our games.toml", "--from", "oklahoma+rainbow").stdout
    assert find_variant("our games.toml").spec == "our games.toml#our-games"
    steps = [shlex.split(line) for line in output.splitlines() if line.startswith("  simgin ")]
    assert [step[1] for step in steps] == ["variants", "variants", "match"]
    for step in steps:
        run_simgin(*step[1:], *(("--deals", 20, "--workers", 1) if step[1] == "match" else ()))
    assert json.loads(run_simgin("variants", "new", "b.toml", "--json").stdout)["files"] == [
        "b.toml"
    ]


def test_new_file_names_its_variant():
    names = {"oklahoma.toml": "my-oklahoma", "Käse & Co.toml": "kaese-co", "ж.toml": "mine"}
    for file, name in names.items():
        run_simgin("variants", "new", file)
        assert find_variant(file).spec == f"{file}#{name}"
