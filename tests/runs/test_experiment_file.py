"""Experiment files: every form, when to stop, and every mistake at once."""

import re
import tomllib
from pathlib import Path

import pytest

from simgin.core.cell import Cell
from simgin.runs import experiment, experiment_file
from simgin.runs.experiment_file import ExperimentError
from support.experiment_files import mistakes, names, read

PAIR = '[[matchups]]\na = "gold"\n'


def test_a_minimal_file_takes_the_defaults(tmp_path):
    found = read(tmp_path, 'question = "Well?"\n' + PAIR)
    assert found == experiment.Experiment(
        name="waiting",
        question="Well?",
        cells=(Cell("standard", "gold", "simple", 1, "deal"),),
        n=100_000,
    )


def test_a_file_can_have_every_form(tmp_path):
    found = read(
        tmp_path,
        """
        question = "Does waiting for gin pay?"
        variants = ["eaai", "standard+gin_bonus=20"]
        seed = 7
        matches = "2k"
        round_robin = ["simple", "gold", "gin-only"]
        [[matchups]]
        a = "gold-early:k=5"
        b = "gold"
        [panel]
        strategies = ["simple", "stubborn", "gold"]
        against = "simple"
        """,
    )
    assert {(cell.seed, cell.unit) for cell in found.cells} == {(7, "match")}
    assert found.n == 2000
    pairs = (
        ("gold-early", "gold"),  # canonical text: 5 is the default
        ("simple", "gold"),
        ("simple", "gin-only"),
        ("gold", "gin-only"),
        ("simple", "simple"),
        ("stubborn", "simple"),  # gold against simple was met in the round robin
    )
    assert names(found) == [
        (variant, *pair) for variant in ("eaai", "standard+gin_bonus=20") for pair in pairs
    ]


def test_a_file_can_be_for_one_player(tmp_path):
    found = read(
        tmp_path,
        'question = "?"\nvariants = ["gin-solitaire"]\n'
        'solo = ["gold", "gold+knock=at:k=0", "gold+knock=at:k=10"]',
    )
    players = ["gold", "gold+knock=at:k=0"]  # gold once
    assert names(found) == [("gin-solitaire", text, "") for text in players]
    assert [(cell.matchup.title, cell.matchup.b) for cell in experiment.tasks(found)] == [
        (text, None) for text in players
    ]


def test_one_and_two_player_parts_cannot_be_mixed(tmp_path):
    two = (
        'round_robin = ["gold", "simple"]\n[[matchups]]\na = "gold"\n[panel]\nstrategies = ["gold"]'
    )
    solo = "name who plays alone in solo or a sweep."
    assert mistakes(
        tmp_path, f'question = "?"\nvariants = ["gin-solitaire"]\nsolo = ["gold"]\n{two}'
    ) == [
        f"FILE: {key} is for two players, but gin-solitaire is for one player; {solo}"
        for key in ("matchups", "round_robin", "panel")
    ]
    assert mistakes(tmp_path, f'question = "?"\nsolo = ["gold"]\n{two}') == [
        "FILE: solo is for one player, but standard is for two players; name pairs in "
        "matchups, round_robin, panel or sweep."
    ]
    assert mistakes(
        tmp_path, 'question = "?"\nvariants = ["pro", "gin-solitaire"]\nsolo = ["gold"]'
    ) == [
        "FILE: variants has games for one player (gin-solitaire) and for two (pro); make "
        "a file of each."
    ]


def test_every_mistake_is_reported_at_once(tmp_path):
    found = mistakes(
        tmp_path,
        """
        questoin = "?"
        variants = ["standard", "oklohoma"]
        seed = "one"
        deals = 0
        matches = 1.5
        [[matchups]]
        a = "gold"
        b = "simpel"
        [[matchups]]
        b = "gold"
        c = "gold"
        [panel]
        strategies = ["gldo"]
        agianst = "simple"
        """,
    )
    assert all(sentence.startswith("FILE: ") and sentence[-1] in ".?" for sentence in found)
    expected = [
        ("question is missing",),
        ("unknown key questoin", "did you mean question?"),
        ("variants #2:", "oklahoma"),
        ("seed is 'one'", "whole number"),
        ("deals: 0 is too few",),
        ("matches: 1.5 is not a whole number",),
        ("matchups #1, b:", "'simple'"),
        ("matchups #2, a is missing",),
        ("unknown key matchups #2, c",),
        ("panel, strategies #1:", "gldo"),
        ("unknown key panel, agianst", "did you mean against?"),
        ("deals and matches are both given",),
    ]
    for words in expected:
        assert any(all(word in sentence for word in words) for sentence in found), (words, found)
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (PAIR, "question is missing"),
        ('question = ""\n' + PAIR, "question is too short"),
        ('question = "?"', "nobody plays"),
        ('question = "?"\nround_robin = ["gold"]', "round_robin is too short; give at least 2"),
        ('question = "?"\nvariants = []\n' + PAIR, "variants is too short"),
        ('question = "?"\nchanges = ["knock=early"]\n' + PAIR, "give both, or neither"),
        ('question = "?"\n[[fields]]\nstrategy = "gold"\n', "give both, or neither"),
        ('question = "?"\nround_robin = ["gold", "gold+knock=at"]', "nobody plays"),
        (
            'question = "?"\nchanges = ["knock=at"]\nfields = [{strategy = "gold"}]',
            "no change of the fields changes anything",
        ),
        ('question = "?"\nchanges = ["early"]\nfields = [{strategy = "gold"}]', "changes #1"),
        (
            'question = "?"\nchanges = ["knock=early"]\nfields = [{strategy = "gold", b = "gold"}]',
            "unknown key fields #1, b",
        ),
        ('question = "?"\nvariants = "eaai"\n' + PAIR, "write a [list]"),
        ('question = "?"\nseed = -1\n' + PAIR, "seed must lie between"),
        ('question = "?"\nseed = true\n' + PAIR, "write a whole number"),
        ('question = "?"\nseed = 1.0\n' + PAIR, "write a whole number"),
        ("question = 3\n" + PAIR, "write a text in quotes"),
        ('question = "?"\nmatchups = [["gold", "simple"]]', "write a table of keys and values"),
        ('question = "?"\ndeals = "lots"\n' + PAIR, "'lots' is not a count"),
        ('question = "?"\nvariants = ["solitary-nonsense"]\n' + PAIR, "variants #1"),
        ("question = ", "not valid TOML"),
    ],
)
def test_a_mistake_is_named(tmp_path, text, word):
    found = mistakes(tmp_path, text)
    assert len(found) == 1
    assert word in found[0]
    assert found[0].startswith("FILE")


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(ExperimentError, match="cannot be read"):
        experiment.read(tmp_path / "none.toml")
    with pytest.raises(ExperimentError, match="cannot be read"):
        experiment.read(tmp_path)


def test_a_binary_file_is_refused(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ExperimentError, match="UTF-8"):
        experiment.read(tmp_path / "bytes.toml")


# Hypothesis, precision


def test_a_hypothesis_is_kept(tmp_path):
    assert read(tmp_path, 'question = "?"\nhypothesis = "Yes."\n' + PAIR).hypothesis == "Yes."
    assert read(tmp_path, 'question = "?"\n' + PAIR).hypothesis is None


@pytest.mark.parametrize(
    ("keys", "until", "sprt", "seconds", "unit", "n"),
    [
        ('until = "0.1%"', "0.1%", None, None, "deal", 10_000_000),
        ('until = "0.10 %"\nmatches = "200k"', "0.1%", None, None, "match", 200_000),
        ("until = 0.05\ndeals = 5000", 0.05, None, None, "deal", 5000),
        ("sprt = [0, 10]", None, (0, 10), None, "deal", 10_000_000),
        ('sprt = [2.5, 5]\nmatches = "1M"', None, (2.5, 5), None, "match", 1_000_000),
        ('for = "30s"', None, None, 30, "deal", 10**12),
        ('for = 90\nmatches = "1k"', None, None, 90, "match", 1000),
        ("matches = 30", None, None, None, "match", 30),
    ],
)
def test_a_file_says_when_to_stop(tmp_path, keys, until, sprt, seconds, unit, n):
    found = read(tmp_path, f'question = "?"\n{keys}\n{PAIR}')
    assert (found.until, found.sprt, found.seconds, found.cells[0].unit, found.n) == (
        until,
        sprt,
        seconds,
        unit,
        n,
    )
    assert {cell.n for cell in experiment.tasks(found)} == {n}


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ('hypothesis = ""\n', "hypothesis is too short"),
        ('until = "soon"\n', "until: 'soon' is not a half-width"),
        ('until = "50%"\n', "below 50%"),
        ("until = 0\n", "until: 0 is not a half-width"),
        ("until = nan\n", "until: nan is not a half-width"),
        ("sprt = [10, 0]\n", "the lower one first"),
        ("sprt = [0, 0]\n", "sprt: '0/0' cannot be tested"),
        ("sprt = [5, -5]\n", "within 800 of 0"),
        ("sprt = 10\n", "sprt: 10 is not two numbers"),
        ("sprt = [0, true]\n", "is not two numbers"),
        ('for = "a while"\n', "for: 'a while' is not a playing time; write one like 30s, 5m or 2h"),
        ("for = 0\n", "for: 0 is not a playing time"),
        (
            'until = "1%"\nsprt = [0, 5]\nfor = 3\n',
            "until and sprt and for are given together; keep one of them.",
        ),
        ('base = "gldo"\n', "base: 'gldo' names neither a variant nor a strategy"),
        ('base = "gin-only"\n', "base: 'gin-only' is not played here"),
        (
            'sprt = [0, 5]\nround_robin = ["simple", "gold"]\npanel.strategies = ["simple"]\n',
            "simple plays itself; leave out that pair",
        ),
    ],
)
def test_a_mistake_in_stopping_or_comparing_is_named(tmp_path, keys, word):
    found = mistakes(tmp_path, f'question = "?"\n{keys}{PAIR}')
    assert len(found) == 1
    assert word in found[0]
    assert found[0].startswith("FILE: ")


def test_sprt_is_for_two_players(tmp_path):
    assert mistakes(
        tmp_path, 'question = "?"\nvariants = ["gin-solitaire"]\nsolo = ["gold"]\nsprt = [0, 5]'
    ) == [
        "FILE: sprt tells two players apart, but gin-solitaire is for one player; give "
        "until, for or deals."
    ]


# The page about them


PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/experiments.md").read_text()


def test_the_page_documents_every_key():
    keys = [field.alias or name for name, field in experiment_file.File.model_fields.items()]
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.M)) == sorted(keys)


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", PAGE, re.S))
def test_the_examples_on_the_page_can_be_played(tmp_path, text):
    assert len(experiment.tasks(read(tmp_path, text))) >= 1


def test_the_examples_on_the_page_use_every_key_but_the_seed():
    used = {
        key for text in re.findall(r"```toml\n(.*?)```", PAGE, re.S) for key in tomllib.loads(text)
    }
    assert {
        field.alias or name for name, field in experiment_file.File.model_fields.items()
    } - used == {"seed"}
