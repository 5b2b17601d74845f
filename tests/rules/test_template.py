"""`simgin variants new`: a file that is its base variant, passes check and overwrites nothing."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from simgin.rules import variant_template, variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import find
from support.command_line import call
from support.variant_files import CLUB, write

pytestmark = pytest.mark.usefixtures("wide_terminal")


@pytest.mark.parametrize(
    "start",
    [*variants.names(), "oklahoma+rainbow+gin_bonus=20", "mine.toml", "mine.toml#club+basic"],
)
def test_a_new_file_is_its_base_variant(start):
    write(CLUB)
    game = find(start)
    write(variant_template.variant_file("new.toml", game), "new.toml")
    assert find("new.toml").row == game.row


def test_every_commented_line_of_a_new_file_is_valid():
    text = variant_template.variant_file("new.toml", find("tedesco"))
    lines = re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE)
    assert [line.split(" = ")[0] for line in lines] == ["source", *parameters()]
    write(text.replace("# source", "source") + "\n" + "\n".join(lines[1:]), "new.toml")
    assert find("new.toml").row == find("tedesco").row


def test_any_title_survives_a_new_file():
    title = '"Ünder" \\ "over"\x01\x7f\t\U0001f0a1'
    quoted = json.dumps(title, ensure_ascii=False).replace("\x7f", "\\u007f")
    write(CLUB.replace('"Club rules"', quoted))
    assert find("mine.toml").title == title
    text = variant_template.variant_file("new.toml", find("mine.toml"))
    assert tomllib.loads(text)["variants"]["new"]["about"] == f"{title}, with changes."


def test_a_new_file_passes_check_and_plays_at_once():
    output = call("variants", "new", "our games.toml", "--from", "oklahoma+rainbow").stdout
    assert find("our games.toml").text == "our games.toml#our-games"
    steps = [shlex.split(line) for line in output.splitlines() if line.startswith("  simgin ")]
    assert [step[1] for step in steps] == ["variants", "variants", "match"]
    for step in steps:
        call(*step[1:], *(("--deals", 20, "--workers", 1) if step[1] == "match" else ()))
    assert json.loads(call("variants", "new", "b.toml", "--json").stdout)["files"] == ["b.toml"]


def test_a_new_file_names_its_variant():
    names = {"oklahoma.toml": "my-oklahoma", "Käse & Co.toml": "k-se-co", "ж.toml": "mine"}
    for file, name in names.items():
        call("variants", "new", file)
        assert find(file).text == f"{file}#{name}"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("there.toml", "there.toml already exists and was not changed; name another file."),
        ("folder.toml", "folder.toml already exists"),
        ("nowhere/mine.toml", "cannot be written: No such file or directory; name a file in a"),
        ("mine.txt", "'mine.txt' is not a file of variants"),
        (" a.toml", "the path ' a.toml' begins or ends with a blank"),
    ],
)
def test_new_overwrites_no_file_and_a_bad_base_writes_nothing(wide_terminal, file, words):
    write("mine", "there.toml")
    Path("folder.toml").mkdir()
    before = sorted(wide_terminal.rglob("*"))
    assert words in call("variants", "new", file, code=2).stderr
    told = call("variants", "new", "new.toml", "--from", "oklohoma", code=2).stderr
    assert "did you mean 'oklahoma'?" in told
    assert sorted(wide_terminal.rglob("*")) == before and Path("there.toml").read_text() == "mine"
