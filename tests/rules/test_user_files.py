"""Users' variant files: what they may hold, how variants compose, and every mistake at once."""

import json
from pathlib import Path

import pytest

from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import VariantError, difference, find
from support.variant_files import CLUB, DEN, write

pytestmark = pytest.mark.usefixtures("wide_terminal")


def sentences(text):
    with pytest.raises(VariantError) as error:
        find(text)
    return error.value.sentences


def test_values_may_be_toml_types_or_texts():
    write(CLUB + DEN)
    club, den = find("mine.toml#club"), find("mine.toml#den")
    assert club.row == find("oklahoma+rainbow+gin_bonus=30+big_gin=yes+start_points=0/10").row
    assert (
        den.row
        == find(
            "standard+goal=games+game_table=30:4/120:1+points_target=121+shutout=-+layoff=no"
        ).row
    )
    assert (club.title, club.about, club.source) == (
        "Club rules",
        "Oklahoma with a bigger bonus.",
        "Thursdays",
    )
    assert den.source == ""


@pytest.mark.parametrize("name", variants.names())
def test_a_copy_of_a_shipped_variant_is_the_same_variant(name):
    standard, row = find("standard"), find(name).row
    changes = [
        f"{key} = {json.dumps(parameters()[key].write(value))}"
        for key, _, value in difference(standard, find(name))
    ]
    write("\n".join(['[variants.x]\ntitle = "X"\nabout = "X."\n[variants.x.changes]', *changes]))
    assert find("mine.toml").row == row
    write(f'[variants.x]\ntitle = "X"\nabout = "X."\nbase = "{name}"')
    assert find("mine.toml").row == row


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("mine.toml", "mine.toml#club"),
        (" mine.toml#club ", "mine.toml#club"),
        ("./mine.toml", "./mine.toml#club"),
        ("mine.toml#club+gin_bonus=30", "mine.toml#club"),
        ("mine.toml+gin_bonus=20+rush", "mine.toml#club+rush+gin_bonus=20"),
        ("oklahoma+mine.toml", "oklahoma+mine.toml#club"),
        ("mine.toml+rush+mine.toml#club", "rush+mine.toml#club"),
        ("mine.toml+basic", "mine.toml#club+basic"),
    ],
)
def test_variants_of_a_file_compose_and_round_trip(text, canonical):
    write(CLUB)
    found = find(text)
    assert found.text == canonical
    assert find(canonical) == found


def test_a_variant_of_a_file_adds_only_its_differences_from_standard():
    write(
        CLUB
        + '[variants.back]\ntitle = "B"\nabout = "B."\nbase = "basic"\nchanges.knock_limit = 10'
    )
    assert find("basic+mine.toml#club").row["knock_limit"] == 9  # club says nothing of it
    assert find("mine.toml#back").row["knock_limit"] == 10
    assert (
        find("basic+mine.toml#back").row["knock_limit"] == 9
    )  # ten is what standard has: no difference
    assert (
        find("rush+mine.toml#club").row
        == find("rush+oklahoma+rainbow+gin_bonus=30+big_gin=yes+start_points=0/10").row
    )


@pytest.mark.parametrize(
    "path", ["games of ours/käse $x$.toml", "a.toml.toml", "games/|`'\"\\*.toml", ".toml"]
)
def test_a_path_may_contain_almost_any_character(path):
    write(CLUB, path)
    assert find(path).text == find(f"{path}#club").text == f"{path}#club"
    assert find(f"{path}+rush").text == f"{path}#club+rush"


# What is wrong with it


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("", "FILE: variants is missing; add it."),
        ("[variants]", "FILE: variants is too short; give at least 1."),
        ("variants = 3", "FILE: variants is 3; write a table of keys and values."),
        ("[variants]\nx = 3", "FILE: variants, x is 3; write a table of keys and values."),
        (CLUB + "[more]", "FILE: unknown key more; the keys here are variants."),
        (
            CLUB + CLUB,
            "FILE is not valid TOML: Cannot declare ('variants', 'club') twice (at line 12, ",
        ),
        (CLUB + "gin_bonus = 3", "FILE is not valid TOML: Cannot overwrite a value (at "),
        (CLUB + "layoff = \\n", "FILE is not valid TOML: Invalid value (at "),
        (b"\xff\xfe", "FILE is not UTF-8 text; save it as UTF-8."),
        (
            "x = " + "[" * 9999,
            "FILE cannot be read: its lists or tables are nested too deep; name a file "
            "of variants,",
        ),
        ("x = " + "9" * 9999, "FILE cannot be read: Exceeds the limit"),
        (
            CLUB + f"layoff = 0x{'9' * 9999}",
            "FILE: variants, club, changes: layoff must be yes or no, not a number of "
            "thousands of digits.",
        ),
        (CLUB.replace("club", "Club"), "FILE: variants, 'Club': names consist of a-z, 0-9 and -"),
        (
            CLUB.replace("club", "shot"),
            "FILE: variants, shot: simgin has a variant of this name; call yours "
            "something else, like my-shot.",
        ),
        (
            CLUB.replace("title", "titel"),
            "FILE: unknown key variants, club, titel; did you mean title?",
        ),
        (CLUB.replace('"Club rules"', '""'), "FILE: variants, club, title is too short"),
        (
            CLUB.replace('"Club rules"', "7"),
            "FILE: variants, club, title is 7; write a text in quotes.",
        ),
        (
            CLUB.replace("oklahoma", "oklohoma"),
            "FILE: variants, club, base: there is no variant 'oklohoma'; did you mean 'oklahoma'?",
        ),
        (
            CLUB.replace("oklahoma", "mine.toml#club"),
            "FILE: variants, club, base: a base is made of simgin's own variants",
        ),
        (
            CLUB.replace("oklahoma+", "gin_bonus=3+"),
            "FILE: variants, club, base: a variant begins with a name",
        ),
        (
            CLUB.replace("gin_b", "gin_n"),
            "FILE: variants, club, changes: there is no parameter 'gin_nonus'; did you "
            "mean 'gin_bonus'?",
        ),
        (
            CLUB.replace("30", "30.0"),
            "FILE: variants, club, changes: gin_bonus must be a whole number 0..1000, not 30.0.",
        ),
        (
            CLUB.replace("30", "true"),
            "FILE: variants, club, changes: gin_bonus must be a whole number 0..1000, not True.",
        ),
        (
            CLUB.replace("30", "1979-05-27"),
            "FILE: variants, club, changes: gin_bonus must be a whole number 0..1000, "
            "not datetime.date",
        ),
        (
            CLUB.replace("30", "{ a = 1 }"),
            "FILE: variants, club, changes: gin_bonus must be a whole number 0..1000, "
            "not {'a': 1}.",
        ),
        (
            CLUB.replace("30", '"lots"'),
            "FILE: variants, club, changes: gin_bonus must be a whole number 0..1000, not 'lots'.",
        ),
        (CLUB.replace("30", '"-"'), "gin_bonus needs a value with deal_scoring = versus"),
        (
            CLUB + 'die = "deal"',
            "die = deal needs goal = deals, not points: set goal=deals or die=off.",
        ),
    ],
)
def test_a_mistake_is_reported_in_a_sentence(file, sentence):
    write(file)
    found = [said.replace("mine.toml", "FILE") for said in sentences("mine.toml")]
    wanted = sentence.replace("mine.toml", "FILE")
    assert any(said.startswith(wanted) for said in found), found
    assert all(said[-1] in ".?" for said in found)
    assert len(found) == 1 + ("titel" in sentence)  # whose title is missing, too


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
    expected = [
        "title is missing",
        "about is 5",
        "unknown key variants, club, basis; did you mean base?",
        "'knok_limit'",
        "not 3.5",
    ]
    expected += [
        "'oklohoma'",
        "not of 'other.toml'",
        "base: goal must be",
        "layoff must be",
        "'golf'",
    ]
    for words in expected:
        assert sum(words in said for said in found) == 1, (words, found)
    assert len(found) == len(expected)  # with an unknown base nothing can be said of the row


def test_a_row_with_mistakes_is_validated_and_no_mistake_is_repeated():
    write(CLUB.replace("[0, 10]", "[0, 100]").replace("30", "3.5"))
    found = sentences("mine.toml")
    assert [said.split(" = ")[0] for said in found] == [
        "mine.toml: variants, club, changes: gin_bonus must be a whole number 0..1000, not 3.5.",
        "start_points",
    ]


def test_a_broken_variant_does_not_affect_the_others_of_its_file():
    write(CLUB + DEN.replace("games", "gamse"))
    assert find("mine.toml#club").row["gin_bonus"] == 30
    assert "did you mean 'games'?" in sentences("mine.toml#den")[0]
    write(CLUB + DEN.replace("games", "gamse") + "[sundries]")
    assert [said.split(";")[0].split()[-1] for said in sentences("mine.toml#club")] == [
        "sundries",
        "'gamse'",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "none.toml",
            "none.toml cannot be read (No such file or directory); name a file of variants",
        ),
        ("folder.toml#x", "folder.toml cannot be read (Is a directory)"),
        ("mine.toml#dan", "mine.toml has no variant 'dan'; it has club, den; did you mean 'den'?"),
        ("mine.toml#", "mine.toml has no variant ''; it has club, den."),
        ("mine.toml#club#den", "mine.toml has no variant 'club#den'"),
        (
            "mine.toml",
            "mine.toml has several variants; name one of them: mine.toml#club, mine.toml#den.",
        ),
        ("mine.tml#club", "'mine.tml' is not a file of variants: its name must end in .toml"),
        ("folder/", "'folder/' is not a file of variants"),
        ("mine.toml#club=3", "mine.toml has no variant 'club=3'"),
        ("a=b.toml#club", "the path 'a=b.toml' has a +, = or #"),
        ("a#b.toml#club", "the path 'a#b.toml' has a +, = or #"),
        ("a#b.toml", "the path 'a#b.toml' has a +, = or #"),
        (
            "c++/mine.toml#club",
            "the path 'c++/mine.toml' has a +, = or #, which mean something else in a variant",
        ),
        ("c++/mine.toml", "the path 'c++/mine.toml' has a +, = or #"),
        (
            "mi\nne.toml",
            "the path 'mi\\nne.toml' has characters that cannot be printed: rename the file.",
        ),
        ("mi\0ne.toml#x", "the path 'mi\\x00ne.toml' has characters"),
        ("mi\udcffne.toml", "the path 'mi\\udcffne.toml' has characters"),
        (f"{'x' * 999}.toml", f"{'x' * 999}.toml cannot be read (File name too long)"),
    ],
)
def test_a_bad_name_of_a_file_is_refused(text, sentence):
    for path in ("mine.toml", "a=b.toml", "a#b.toml", "c++/mine.toml"):
        write(CLUB + DEN, path)
    Path("folder.toml").mkdir()
    (said,) = sentences(text)
    assert said.startswith(sentence)


def test_an_unreadable_file_is_refused(monkeypatch):
    write(CLUB)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(
        Path, "read_text", refuse
    )  # whoever runs the tests may be permitted everything
    assert sentences("mine.toml")[0].startswith("mine.toml cannot be read (Permission denied)")
