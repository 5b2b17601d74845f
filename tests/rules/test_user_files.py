"""Users' variant files: what they may hold, how variants compose, and every mistake at once."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.rules import template, variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import Variant, VariantError, difference, find
from simgin.runs import directory, experiment

CLUB = """
[variants.club]
title = "Club rules"
about = "Oklahoma with a bigger bonus."
source = "Thursdays"
base = "oklahoma+rainbow"
[variants.club.changes]
gin_bonus = 30
big_gin = true
start_points = [0, 10]
"""
DEN = """
[variants.den]
title = "Den rules"
about = "Games in won games."
[variants.den.changes]
goal = "games"
game_table = [[30, 4], [120, 1]]
points_target = "121"
shutout = "-"
layoff = "no"
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Files lie in a directory of their own, where commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def write(text, name="mine.toml"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def sentences(text):
    with pytest.raises(VariantError) as error:
        find(text)
    return error.value.sentences


def simgin(*words, code=0):
    result = CliRunner().invoke(cli, [str(word) for word in words], prog_name="simgin")
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


# What a file means


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
        (CLUB.replace("club", "Club"), "FILE: variants, 'Club': a name is made of a-z, 0-9 and -"),
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
        (
            CLUB.replace("30", '"-"'),
            "gin_bonus is a dash here, but deal_scoring = versus makes it count",
        ),
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
        ("mine.toml", "mine.toml has several variants; say which: mine.toml#club, mine.toml#den."),
        ("mine.tml#club", "'mine.tml' is no file of variants: such a file is named like mine.toml"),
        ("folder/", "'folder/' is no file of variants"),
        ("mine.toml#club=3", "mine.toml has no variant 'club=3'"),
        ("a=b.toml#club", "'a=b.toml' has a sign in its path"),
        ("a#b.toml#club", "'a#b.toml' has a sign in its path"),
        ("a#b.toml", "'a#b.toml' has a sign in its path"),
        (
            "c++/mine.toml#club",
            "'c++/mine.toml' has a sign in its path that a variant's text cannot carry (+ = or #)",
        ),
        ("c++/mine.toml", "'c++/mine.toml' has a sign in its path"),
        (
            "mi\nne.toml",
            "'mi\\nne.toml' is no path of a file of variants: it has characters that "
            "cannot be printed.",
        ),
        ("mi\0ne.toml#x", "'mi\\x00ne.toml' is no path of a file of variants"),
        ("mi\udcffne.toml", "'mi\\udcffne.toml' is no path of a file of variants"),
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


# Wherever a variant is named


def test_manifest_and_tables_keep_the_text_and_the_row():
    write(CLUB, "of ours/mine.toml")
    said = simgin("match", "gold", "-v", "of ours/mine.toml", "--deals", 40, "--workers", 1).stdout
    repeat = said.splitlines()[-1].removeprefix("Repeat:  simgin ")
    assert repeat == "match gold simple -v 'of ours/mine.toml#club' --deals 40 --seed 1"
    assert simgin(*shlex.split(repeat)).stdout == said
    simgin("match", "gold", "-v", "of ours/mine.toml", "--deals", 40, "-o", "out")
    assert Path("out/table.csv").read_text().count("\nof ours/mine.toml#club,gold,simple,") > 20
    manifest = directory.read_manifest("out")
    assert manifest["variants"] == {"of ours/mine.toml#club": find("of ours/mine.toml").row}
    assert manifest["matchups"][0]["variant"] == "of ours/mine.toml#club"


def test_show_and_hand_accept_a_file():
    write(CLUB)
    assert "mine.toml#club: seed 1" in simgin("show", "gold", "-v", "mine.toml").stdout
    assert (
        "-v 'mine.toml#club'"
        in simgin("hand", "5S 6S 7S 9H 9D 9C KS QD 2C AH", "-v", "mine.toml").stdout
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
    with pytest.raises(experiment.ExperimentError) as error:
        experiment.read("e.toml")
    assert error.value.sentences[0].startswith(
        "e.toml: variants #1: mine.toml: variants, club, changes: gin_bonus must be"
    )


# Commands


def test_variants_lists_a_file_and_shows_its_variants():
    write(CLUB + DEN)
    assert [
        row["name"] for row in json.loads(simgin("variants", "mine.toml", "--json").stdout)["rows"]
    ] == [
        "mine.toml#club",
        "mine.toml#den",
    ]
    said = simgin("variants", "mine.toml").stdout
    assert "Club rules. Oklahoma with a bigger bonus." in said and "mine.toml#den " in said
    assert "mine.toml#club: Club rules" in simgin("variants", "mine.toml#club").stdout
    write(CLUB.replace("30", "3.5") + DEN + 'die = "deal"')
    said = simgin("variants", "mine.toml", code=2).stderr.splitlines()
    assert [line.split(" must ")[0] for line in said] == [
        "simgin: mine.toml: variants, club, changes: gin_bonus",
        "simgin: mine.toml#den: die = deal needs goal = deals, not games: set goal=deals "
        "or die=off.",
    ]


def test_diff_shows_the_differing_parameters():
    write(CLUB)
    rows = json.loads(simgin("variants", "diff", "oklahoma", "mine.toml", "--json").stdout)["rows"]
    assert [(row["parameter"], row["text_a"], row["text_b"]) for row in rows] == [
        ("big_gin", "no", "yes"),
        ("rainbow", "no", "yes"),
        ("gin_bonus", "25", "30"),
        ("start_points", "0/0", "0/10"),
    ]
    assert [row["a"] for row in rows] == [False, False, 25, [0, 0]] and all(
        row["meaning"] for row in rows
    )
    said = simgin("variants", "diff", "oklahoma", "mine.toml").stdout
    assert "oklahoma (A) and mine.toml#club (B)" in said and re.search(
        r"gin_bonus +25 +30 +\w", said
    )
    assert said.splitlines()[-1] == "Repeat:  simgin variants diff oklahoma 'mine.toml#club'"


def test_diff_recognises_the_same_variant():
    assert (
        "oklahoma+rainbow and rainbow+oklahoma have the same rules."
        in simgin("variants", "diff", "oklahoma+rainbow", "rainbow+oklahoma").stdout
    )
    assert (
        "They play the same: none of these rules has an effect."
        in simgin("variants", "diff", "oklahoma", "oklahoma+knock_limit=5").stdout
    )
    assert (
        "They play the same"
        in simgin("variants", "diff", "standard", "standard+discard_view=open").stdout
    )
    different = simgin("variants", "diff", "standard", "oklahoma").stdout
    assert "play the same" not in different and "the same rules" not in different
    assert (
        "'oklohoma'; did you mean 'oklahoma'?"
        in simgin("variants", "diff", "standard", "oklohoma", code=2).stderr
    )


def test_check_reports_every_variant_of_a_file():
    write(CLUB)
    said = simgin("variants", "check", "mine.toml").stdout
    assert (
        said.startswith("mine.toml#club: ok\n")
        and "Repeat:  simgin variants check mine.toml" in said
    )
    write(CLUB.replace("30", "3.5") + DEN + CLUB.replace(".club", ".'a+b'"))
    rows = json.loads(simgin("variants", "check", "mine.toml", "--json", code=1).stdout)["rows"]
    assert [(row["variant"], row["ok"]) for row in rows] == [
        ("mine.toml#club", False),
        ("mine.toml#den", True),
        ("mine.toml#a+b", False),
    ]
    assert [len(row["sentences"]) for row in rows] == [1, 0, 1]
    said = simgin("variants", "check", "mine.toml", code=1).stdout
    assert (
        "mine.toml#den: ok" in said
        and "    mine.toml: variants, club, changes: gin_bonus must be" in said
    )


@pytest.mark.parametrize("file", ["none.toml", ".", "mine.txt", "c+.toml", "broken.toml"])
def test_check_refuses_other_files(file):
    write("[variants", "broken.toml")
    result = simgin("variants", "check", file, code=2)
    assert (
        result.stdout == ""
        and result.stderr.startswith("simgin: ")
        and result.stderr.rstrip()[-1] == "."
    )


@pytest.mark.parametrize(
    "start",
    [*variants.names(), "oklahoma+rainbow+gin_bonus=20", "mine.toml", "mine.toml#club+basic"],
)
def test_a_new_file_is_its_base_variant(start):
    write(CLUB)
    game = find(start)
    write(template.variant_file("new.toml", game), "new.toml")
    assert find("new.toml").row == game.row
    assert all(isinstance(one, Variant) for one in variants.variants_in_file("new.toml").values())


def test_every_commented_line_of_a_new_file_is_valid():
    text = template.variant_file("new.toml", find("tedesco"))
    lines = re.findall(r"^# (\w+ = .*)$", text, re.MULTILINE)
    assert [line.split(" = ")[0] for line in lines] == ["source", *parameters()]
    write(text.replace("# source", "source") + "\n" + "\n".join(lines[1:]), "new.toml")
    assert find("new.toml").row == find("tedesco").row


def test_any_title_survives_a_new_file():
    title = '"Ünder" \\ "over"\x01\x7f\t\U0001f0a1'
    write(
        CLUB.replace(
            '"Club rules"', json.dumps(title, ensure_ascii=False).replace("\x7f", "\\u007f")
        )
    )
    assert find("mine.toml").title == title
    text = template.variant_file("new.toml", find("mine.toml"))
    assert tomllib.loads(text)["variants"]["new"]["about"] == f"{title}, with changes."


def test_a_new_file_passes_check_and_plays_at_once():
    said = simgin("variants", "new", "our games.toml", "--from", "oklahoma+rainbow").stdout
    assert find("our games.toml").text == "our games.toml#our-games"
    steps = [shlex.split(line) for line in said.splitlines() if line.startswith("  simgin ")]
    assert [step[1:3] for step in steps] == [
        ["variants", "check"],
        ["variants", "diff"],
        ["match", "gold"],
    ]
    for step in steps:
        simgin(*step[1:], *(("--deals", 20, "--workers", 1) if step[1] == "match" else ()))
    assert json.loads(simgin("variants", "new", "b.toml", "--json").stdout)["files"] == ["b.toml"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("oklahoma.toml", "my-oklahoma"),
        ("Käse & Co.toml", "k-se-co"),
        ("ж.toml", "mine"),
        (".toml", "toml"),
        ("a.b.toml", "a-b"),
    ],
)
def test_a_new_file_names_its_variant(file, name):
    simgin("variants", "new", file)
    assert find(file).text == f"{file}#{name}"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("there.toml", "there.toml already exists and was not changed; name another file."),
        ("link.toml", "link.toml already exists"),
        ("folder.toml", "folder.toml already exists"),
        (
            "nowhere/mine.toml",
            "nowhere/mine.toml cannot be written: No such file or directory; name a file "
            "in a folder",
        ),
        ("there.toml/mine.toml", "cannot be written: Not a directory"),
        ("mine.txt", "'mine.txt' is no file of variants"),
        ("a+b.toml", "'a+b.toml' has a sign in its path"),
        (" a.toml", "' a.toml' begins or ends with a blank"),
        (f"{'x' * 250}.toml", "cannot be written: File name too long"),
    ],
)
def test_new_overwrites_no_file(here, file, words):
    write("mine", "there.toml")
    Path("link.toml").symlink_to("nothing")
    Path("folder.toml").mkdir()
    before = sorted(here.rglob("*"))
    assert words in simgin("variants", "new", file, code=2).stderr
    assert sorted(here.rglob("*")) == before and Path("there.toml").read_text() == "mine"


def test_a_bad_base_writes_nothing(here):
    assert (
        "did you mean 'oklahoma'?"
        in simgin("variants", "new", "mine.toml", "--from", "oklohoma", code=2).stderr
    )
    assert list(here.iterdir()) == []


def test_a_full_disk_leaves_no_file(here, monkeypatch):
    def half(self, text, **_):
        self.write_bytes(text.encode()[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", half)
    assert "No space left on device" in simgin("variants", "new", "mine.toml", code=2).stderr
    assert list(here.iterdir()) == []


def test_help_lists_every_subcommand():
    said = simgin("variants", "--help").stdout
    for name in ("diff", "check", "new"):
        assert f"simgin variants {name} " in said
        assert f"Usage: simgin variants {name} " in simgin("variants", name, "--help").stdout
    assert (
        "did you mean `simgin variants check`?"
        in simgin("variants", "chek", "mine.toml", code=2).stderr
    )


def test_shipped_variants_do_not_import_pydantic():
    code = (
        "import sys; from simgin.rules import variants; variants.find('oklahoma+rush'); "
        "assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(variants.__file__).parents[1])
