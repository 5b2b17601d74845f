"""Users' variant files: what they may hold, how they compose, every mistake at once, new ones."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from simgin.rules import user_files, variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import difference, find
from support.command_line import call
from support.variant_files import CLUB, DEN, sentences, write

pytestmark = pytest.mark.usefixtures("wide_terminal")


def test_values_may_be_toml_types_or_texts():
    write(CLUB + DEN)
    club, den = find("mine.toml#club"), find("mine.toml#den")
    assert club.row == find("oklahoma+rainbow+gin_bonus=30+big_gin=yes+start_points=0/10").row
    settings = "goal=games+game_table=30:4/120:1+points_target=121+shutout=-+layoff=no"
    assert den.row == find(f"standard+{settings}").row
    told = (club.title, club.about, club.source)
    assert told == ("Club rules", "Oklahoma with a bigger bonus.", "Thursdays")
    assert den.source == ""


@pytest.mark.parametrize("name", variants.names())
def test_a_copy_of_a_shipped_variant_is_the_same_variant(name):
    standard, row = find("standard"), find(name).row
    lines = ["[variants.x]", 'title = "X"', 'about = "X."', "[variants.x.changes]"]
    for key, _, value in difference(standard, find(name)):
        lines.append(f"{key} = {json.dumps(parameters()[key].write(value))}")
    write("\n".join(lines))
    assert find("mine.toml").row == row


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("mine.toml", "mine.toml#club"),
        (" mine.toml#club ", "mine.toml#club"),
        ("./mine.toml", "./mine.toml#club"),
        ("mine.toml+gin_bonus=20+rush", "mine.toml#club+rush+gin_bonus=20"),
        ("oklahoma+mine.toml", "oklahoma+mine.toml#club"),
    ],
)
def test_variants_of_a_file_compose_and_round_trip(text, canonical):
    write(CLUB)
    found = find(text)
    assert found.text == canonical
    assert find(canonical) == found


def test_a_variant_of_a_file_adds_only_its_differences_from_standard():
    back = '[variants.back]\ntitle = "B"\nabout = "B."\nbase = "basic"\nchanges.knock_limit = 10'
    write(CLUB + back)
    assert find("basic+mine.toml#club").row["knock_limit"] == 9  # club says nothing of it
    assert find("mine.toml#back").row["knock_limit"] == 10
    # Ten is what standard has: no difference
    assert find("basic+mine.toml#back").row["knock_limit"] == 9


@pytest.mark.parametrize("path", ["ours/käse $x$.toml", "a.toml.toml", "|`'\"\\*.toml", ".toml"])
def test_a_path_may_contain_almost_any_character(path):
    write(CLUB, path)
    assert find(f"{path}+rush").text == f"{path}#club+rush"


# What is wrong with it

MANY = "9" * 9999
TWICE = "is not valid TOML: Cannot declare ('variants', 'club') twice (at line 12, "
NESTED = "cannot be read: its lists or tables are nested too deep; name a file of variants,"
NUMBER = "gin_bonus must be a whole number 0..1000, not "


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("", ": variants is missing; add it."),
        ("[variants]", ": variants is too short; give at least 1."),
        ("[variants]\nx = 3", ": variants, x is 3; write a table of keys and values."),
        (CLUB + "[more]", ": unknown key more; the keys here are variants."),
        (CLUB + CLUB, f" {TWICE}"),
        ("x = " + "[" * 9999, f" {NESTED}"),
        ("x = " + MANY, " cannot be read: Exceeds the limit"),
        (CLUB.replace("club", "Club"), ": variants, 'Club': names consist of a-z, 0-9 and -"),
        (CLUB.replace("club", "shot"), ": variants, shot: simgin has a variant of this name"),
        (CLUB.replace("title", "titel"), ": unknown key variants, club, titel; did you mean"),
        (CLUB.replace('"Club rules"', "7"), ": variants, club, title is 7; write a text in"),
    ],
)
def test_a_mistake_in_the_form_is_reported_in_a_sentence(file, sentence):
    write(file)
    found = sentences("mine.toml")
    assert any(said.startswith(f"mine.toml{sentence}") for said in found), found
    assert all(said[-1] in ".?" for said in found)
    assert len(found) == 1 + ("titel" in sentence)  # whose title is missing, too


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("oklahoma", "oklohoma", "base: there is no variant 'oklohoma'; did you mean 'oklahoma'?"),
        ("oklahoma+", "gin_bonus=3+", "base: a variant begins with a name"),
        ("gin_b", "gin_n", "changes: there is no parameter 'gin_nonus'; did you mean 'gin_bonus'?"),
        ("30", "30.0", f"changes: {NUMBER}30.0."),
        ("30", "{ a = 1 }", f"changes: {NUMBER}{{'a': 1}}."),
        ("30", '"lots"', f"changes: {NUMBER}'lots'."),
        ("true", f"0x{MANY}", "changes: big_gin must be yes or no, not a number of thousands of"),
    ],
)
def test_a_mistake_in_a_variant_is_reported_in_a_sentence(old, new, sentence):
    write(CLUB.replace(old, new))
    (said,) = sentences("mine.toml")
    assert said.startswith(f"mine.toml: variants, club, {sentence}") and said[-1] in ".?"


def test_every_mistake_is_reported_at_once():
    write(
        """
        [variants.club]
        about = 5
        basis = "x"
        base = "oklohoma+other.toml+goal=x"
        [variants.club.changes]
        knok_limit = 3
        gin_bonus = 3.5
        start_points = [0, 100]
        """
    )
    found = sentences("mine.toml+layoff=maybe+golf")
    expected = ["title is missing", "about is 5", "unknown key variants, club, basis; did you mean"]
    expected += ["'knok_limit'", "not 3.5", "'oklohoma'", "not of 'other.toml'"]
    expected += ["base: goal must be", "layoff must be", "'golf'"]
    for words in expected:
        assert sum(words in said for said in found) == 1, (words, found)
    assert len(found) == len(expected)  # with an unknown base nothing can be said of the row


def test_a_broken_variant_does_not_affect_the_others_of_its_file():
    write(CLUB + DEN.replace("games", "gamse"))
    assert find("mine.toml#club").row["gin_bonus"] == 30
    assert "did you mean 'games'?" in sentences("mine.toml#den")[0]
    write(CLUB + DEN.replace("games", "gamse") + "[sundries]")
    several = sentences("mine.toml#club")
    assert [said.split(";")[0].split()[-1] for said in several] == ["sundries", "'gamse'"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("none.toml", "none.toml cannot be read (No such file or directory); name a file of"),
        ("folder.toml#x", "folder.toml cannot be read (Is a directory)"),
        ("mine.toml#dan", "mine.toml has no variant 'dan'; it has club, den; did you mean 'den'?"),
        ("mine.toml", "mine.toml has several variants; name one of them: mine.toml#club, mine"),
        ("mine.tml#club", "'mine.tml' is not a file of variants: its name must end in .toml"),
        ("c++/mine.toml", "the path 'c++/mine.toml' has a +, = or #, which mean something else"),
        ("mi\nne.toml", "the path 'mi\\nne.toml' has characters that cannot be printed: rename"),
        ("mi\0ne.toml#x", "the path 'mi\\x00ne.toml' has characters"),
        (f"{'x' * 999}.toml", f"{'x' * 999}.toml cannot be read (File name too long)"),
    ],
)
def test_a_bad_name_of_a_file_is_refused(text, sentence):
    for path in ("mine.toml", "c++/mine.toml"):
        write(CLUB + DEN, path)
    Path("folder.toml").mkdir()
    (said,) = sentences(text)
    assert said.startswith(sentence)


# `simgin variants new`: a file that is its base variant, passes check and overwrites nothing


@pytest.mark.parametrize(
    "start",
    [*variants.names(), "oklahoma+rainbow+gin_bonus=20", "mine.toml", "mine.toml#club+basic"],
)
def test_a_new_file_is_its_base_variant(start):
    write(CLUB)
    game = find(start)
    write(user_files.variant_file("new.toml", game), "new.toml")
    assert find("new.toml").row == game.row


def test_every_commented_line_of_a_new_file_is_valid():
    text = user_files.variant_file("new.toml", find("tedesco"))
    lines = re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE)
    assert [line.split(" = ")[0] for line in lines] == ["source", *parameters()]
    write(text.replace("# source", "source") + "\n" + "\n".join(lines[1:]), "new.toml")
    assert find("new.toml").row == find("tedesco").row


def test_any_title_survives_a_new_file():
    title = '"Ünder" \\ "over"\x01\x7f\t\U0001f0a1'
    quoted = json.dumps(title, ensure_ascii=False).replace("\x7f", "\\u007f")
    write(CLUB.replace('"Club rules"', quoted))
    assert find("mine.toml").title == title
    text = user_files.variant_file("new.toml", find("mine.toml"))
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
