"""Users' variant files: what they may hold, how variants compose, and every mistake at once."""

import json
from pathlib import Path

import pytest

from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import difference, find
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
        (b"\xff\xfe", " is not UTF-8 text; save it as UTF-8."),
        ("x = " + "[" * 9999, f" {NESTED}"),
        ("x = " + MANY, " cannot be read: Exceeds the limit"),
        (CLUB.replace("club", "Club"), ": variants, 'Club': names consist of a-z, 0-9 and -"),
        (CLUB.replace("club", "shot"), ": variants, shot: simgin has a variant of this name"),
        (CLUB.replace("title", "titel"), ": unknown key variants, club, titel; did you mean"),
        (CLUB.replace('"Club rules"', '""'), ": variants, club, title is too short"),
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
        ("oklahoma", "mine.toml#club", "base: a base is made of simgin's own variants"),
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
        ("mine.toml#", "mine.toml has no variant ''; it has club, den."),
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
