"""Experiment files: every form, sweeps, when to stop, and every mistake at once."""

import re
import tomllib
from pathlib import Path

import pytest

from simgin.core.cell import Cell
from simgin.runs import experiment, experiment_file
from simgin.runs.experiment_file import ExperimentError
from support.experiment_files import begin, mistakes, names, read, swept

PAIR = '[[matchups]]\na = "gold"\n'


def test_a_minimal_file_takes_the_defaults(tmp_path):
    cells = (Cell("standard", "gold", "simple", 1, "deal"),)
    wanted = experiment.Experiment(name="waiting", question="Well?", cells=cells, n=100_000)
    assert read(tmp_path, 'question = "Well?"\n' + PAIR) == wanted


def test_a_file_can_have_every_form(tmp_path):
    found = read(
        tmp_path,
        """
        question = "Does waiting for gin pay?"
        hypothesis = "Yes."
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
    assert (found.n, found.hypothesis) == (2000, "Yes.")
    pairs = (
        ("gold-early", "gold"),  # canonical text: 5 is the default
        ("simple", "gold"),
        ("simple", "gin-only"),
        ("gold", "gin-only"),
        ("simple", "simple"),
        ("stubborn", "simple"),  # gold against simple was met in the round robin
    )
    games = ("eaai", "standard+gin_bonus=20")
    assert names(found) == [(variant, *pair) for variant in games for pair in pairs]


def test_a_file_can_be_for_one_player(tmp_path):
    found = read(
        tmp_path,
        'question = "?"\nvariants = ["gin-solitaire"]\n'
        'solo = ["gold", "gold+knock=at:k=0", "gold+knock=at:k=10"]',
    )
    players = ["gold", "gold+knock=at:k=0"]  # gold once
    assert names(found) == [("gin-solitaire", text, "") for text in players]
    assert [task.matchup.b for task in experiment.tasks(found)] == [None, None]


TWO = 'round_robin = ["gold", "simple"]\n[[matchups]]\na = "gold"\n[panel]\nstrategies = ["gold"]'
FOR_TWO = "is for two players, but gin-solitaire is for one player; name who plays alone in solo or"
FOR_ONE = "solo is for one player, but standard is for two players; name pairs in matchups, round_"
BOTH = "variants has games for one player (gin-solitaire) and for two (pro); make a file of each."
PAIRS = "sprt tells two players apart, but gin-solitaire is for one player; give until, for or de"
ALONE = 'variants = ["gin-solitaire"]\nsolo = ["gold"]\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ALONE + TWO, [f"{key} {FOR_TWO}" for key in ("matchups", "round_robin", "panel")]),
        (f'solo = ["gold"]\n{TWO}', [FOR_ONE]),
        ('variants = ["pro", "gin-solitaire"]\nsolo = ["gold"]', [BOTH]),
        (ALONE + "sprt = [0, 5]", [PAIRS]),
    ],
)
def test_one_and_two_player_parts_cannot_be_mixed(tmp_path, text, told):
    assert begin(mistakes(tmp_path, f'question = "?"\n{text}'), told)


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
    expected = ["question is missing", "unknown key questoin; did you mean question?"]
    expected += ["variants #2: .*oklahoma", "seed is 'one'.*whole number", "deals: 0 is too few"]
    expected += ["matches: 1.5 is not a whole number", "matchups #1, b: .*'simple'"]
    expected += ["matchups #2, a is missing", "unknown key matchups #2, c", "strategies #1: .*gldo"]
    expected += ["unknown key panel, agianst; did you mean against?", "deals and matches are both"]
    for words in expected:
        assert any(re.search(words, sentence) for sentence in found), (words, found)
    assert len(found) == len(expected)


EARLY = 'changes = ["knock=early"]\n'


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "nobody plays"),
        ('round_robin = ["gold"]', "round_robin is too short; give at least 2"),
        (EARLY + PAIR, "give both, or neither"),
        ('changes = ["knock=at"]\nfields = [{strategy = "gold"}]', "changes anything"),
        ('changes = ["early"]\nfields = [{strategy = "gold"}]', "changes #1"),
        (EARLY + 'fields = [{strategy = "gold", b = "gold"}]', "unknown key fields #1, b"),
        ('variants = "eaai"\n' + PAIR, "write a [list]"),
        ("seed = -1\n" + PAIR, "seed must lie between"),
        ("hypothesis = 3\n" + PAIR, "write a text in quotes"),
        ('matchups = [["gold", "simple"]]', "write a table of keys and values"),
        ('deals = "lots"\n' + PAIR, "'lots' is not a count"),
        ("variants = ", "not valid TOML"),
        # When to stop, and what to compare
        ('until = "soon"\n' + PAIR, "until: 'soon' is not a half-width"),
        ("sprt = [10, 0]\n" + PAIR, "the lower one first"),
        ("sprt = 10\n" + PAIR, "sprt: 10 is not two numbers"),
        ('for = "a while"\n' + PAIR, "for: 'a while' is not a playing time; write one like 30s"),
        ('until = "1%"\nsprt = [0, 5]\nfor = 3\n' + PAIR, "until and sprt and for are given"),
        ('base = "gldo"\n' + PAIR, "base: 'gldo' names neither a variant nor a strategy"),
        ('base = "gin-only"\n' + PAIR, "base: 'gin-only' is not played here"),
        (
            'sprt = [0, 5]\nround_robin = ["simple", "gold"]\npanel.strategies = ["simple"]\n',
            "simple plays itself; leave out that pair",
        ),
    ],
)
def test_a_mistake_is_named(tmp_path, text, word):
    (found,) = mistakes(tmp_path, f'question = "?"\n{text}')
    assert word in found and found.startswith("FILE")


def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    for name, word in (("none.toml", "be read"), (".", "be read"), ("bytes.toml", "UTF-8")):
        with pytest.raises(ExperimentError, match=word):
            experiment.read(tmp_path / name)


@pytest.mark.parametrize(
    ("keys", "until", "sprt", "seconds", "unit", "n"),
    [
        ('until = "0.1%"', "0.1%", None, None, "deal", 10_000_000),
        ('until = "0.10 %"\nmatches = "200k"', "0.1%", None, None, "match", 200_000),
        ("sprt = [0, 10]", None, (0, 10), None, "deal", 10_000_000),
        ('for = "30s"', None, None, 30, "deal", 10**12),
        ('for = 90\nmatches = "1k"', None, None, 90, "match", 1000),
    ],
)
def test_a_file_says_when_to_stop(tmp_path, keys, until, sprt, seconds, unit, n):
    found = read(tmp_path, f'question = "?"\n{keys}\n{PAIR}')
    assert (found.until, found.sprt, found.seconds) == (until, sprt, seconds)
    assert (found.cells[0].unit, found.n) == (unit, n)
    assert {cell.n for cell in experiment.tasks(found)} == {n}


# Sweeps


def test_a_sweep_plays_every_combination_in_order_in_every_variant(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "gold+knock=at:k={k}"\nagainst = "gold+discard=hits:keep_pairs={p}"\n'
        "[sweep.grid]\nk = [3, 10]\np = [true, false]",
        rest='variants = ["eaai", "standard"]',
    )
    others = ("gold+discard=hits:keep_pairs=yes", "gold+discard=hits")
    pairs = [(a, b) for a in ("gold+knock=at:k=3", "gold") for b in others]
    assert names(found) == [(game, *pair) for game in ("eaai", "standard") for pair in pairs]


def test_equal_cells_occur_once(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "simple+knock=at:k={k}"\nagainst = "simple+knock=at:k={j}"\n'
        "[sweep.grid]\nk = [4, 10, 4.0]\nj = [4, 10]",
        rest='[panel]\nstrategies = ["gold", "simple+knock=at:k=4"]',
    )
    four = "simple+knock=at:k=4"
    pairs = [("gold", "simple"), (four, "simple"), (four, four), ("simple", "simple")]
    assert [cell[1:] for cell in names(found)] == pairs


def test_a_sweep_can_be_for_one_player(tmp_path):
    text = 'strategy = "gold"\nvariant = "gin-solitaire+gin_bonus={g}"\ngrid.g = [10, 20]'
    assert [(a, b) for _, a, b in names(swept(tmp_path, text))] == [("gold", "")] * 2


GAMES = 'strategy = "gold"\nvariant = "{v}"\n'
KNOCKS = 'strategy = "gold+knock=at:k={k}"\n'
NO_VALUE = "cannot be put in a place; write a number, a word, true or false."
DEAR = (
    'strategy = "{who}"\nvariant = "standard+gin_bonus={g}"\n'
    'grid = { who = ["gold", "gldo"], g = [20, "dear"] }'
)
FIVE_LISTS = 'strategy = "gold{a}{b}{c}{d}{e}"\n' + "\n".join(
    f"grid.{name} = {list(range(10))}" for name in "abcde"
)
PLACES = [
    "sweep: the place 'k' has no list; give its values in [sweep.grid].",
    "sweep, grid: 'j' has no place; write it in braces in strategy, against or variant, or leave",
]
COMBINATIONS = [
    "sweep, variant with g = 'dear': gin_bonus must be a whole number 0..1000, not 'dear'.",
    "sweep, strategy with who = 'gldo': there is no strategy 'gldo'; did you mean 'gold'?",
]
VALUES = [
    f"sweep, grid, k #1: a list {NO_VALUE}",
    f"sweep, grid, k #3: datetime.date(1979, 5, 27) {NO_VALUE}",
]
MISSPELT = ["sweep, strategy is missing", "unknown key sweep, stratgy; did you mean strategy?"]
AGAINST = "sweep, against is for two players, but gin-solitaire is for one player; leave it out."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KNOCKS + "grid.j = [1]", PLACES),
        (KNOCKS + "grid.k = []", ["sweep, grid, k is too short; give at least 1."]),
        ('strategy = "gold"\n[sweep.grid]', ["sweep, grid is too short; give at least 1."]),
        ('strategy = "gold"', ["sweep, grid is missing; add it."]),
        (DEAR, COMBINATIONS),
        (KNOCKS + "grid.k = [[1], 2, 1979-05-27]", VALUES),
        ('stratgy = "gold"\ngrid.k = [1]', MISSPELT),
        (FIVE_LISTS, ["sweep, grid: 100,000 combinations are too many; give shorter lists, at"]),
        (f'against = "simple"\n{GAMES}grid.v = ["gin-solitaire"]', [AGAINST]),
        (f'{GAMES}grid.v = ["gin-solitaire", "pro"]', [BOTH]),
    ],
)
def test_mistakes_in_a_sweep_are_reported(tmp_path, text, expected):
    assert begin(mistakes(tmp_path, f'question = "?"\n[sweep]\n{text}'), expected)


def test_of_many_bad_combinations_a_few_are_named(tmp_path):
    found = mistakes(
        tmp_path,
        'question = "?"\n[sweep]\nstrategy = "gold+knock=at:k={k}"\n'
        "grid.k = [100, 101, 102, 103, 5, 104]",
    )
    assert all(f"k = '{k}'" in said for k, said in zip((100, 101, 102), found, strict=False))
    (more,) = found[3:]
    assert more.startswith("FILE: sweep, strategy: 2 more combinations name nothing; change")


def test_a_sweep_must_suit_the_rest_of_the_file(tmp_path):
    sweep = f'[sweep]\n{GAMES}grid.v = ["pro"]'
    assert mistakes(tmp_path, f'question = "?"\nvariants = ["eaai"]\n{sweep}') == [
        "FILE: variants and the variant of the sweep are both given; keep one of them."
    ]
    (told,) = mistakes(tmp_path, f'question = "?"\nsolo = ["gold"]\n{sweep}')
    assert told.startswith("FILE: solo is for one player, but pro is for two players; name pairs")


# The page about them


PAGE = (Path(__file__).resolve().parents[2] / "docs/how-to/experiments.md").read_text()
SHOWN = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
KEYS = {field.alias or name for name, field in experiment_file.File.model_fields.items()}


def test_the_page_documents_every_key_and_shows_all_but_the_seed():
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.M)) == sorted(KEYS)
    assert KEYS - {key for text in SHOWN for key in tomllib.loads(text)} == {"seed"}


@pytest.mark.parametrize("text", SHOWN)
def test_the_examples_on_the_page_can_be_played(tmp_path, text):
    assert len(experiment.tasks(read(tmp_path, text))) >= 1
