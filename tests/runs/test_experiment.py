"""Experiment files: every form, every mistake at once, and the cells they define."""

import re
import tomllib
from pathlib import Path

import pytest

from simgin.core.cell import Cell
from simgin.runs import experiment, experiment_file
from simgin.runs.experiment import ExperimentError

PAIR = '[[matchups]]\na = "gold"\n'


def read(tmp_path, text):
    path = tmp_path / "waiting.toml"
    path.write_text(text, encoding="utf-8")
    return experiment.read(path)


def names(found):
    """Variant, A and B of every cell; B is empty for one player."""
    return [(cell.variant, cell.a, cell.b) for cell in found.cells]


def mistakes(tmp_path, text):
    """The error messages for a file, with its path written as FILE."""
    with pytest.raises(ExperimentError) as error:
        read(tmp_path, text)
    assert str(error.value) == "\n".join(error.value.sentences)
    return [
        sentence.replace(str(tmp_path / "waiting.toml"), "FILE")
        for sentence in error.value.sentences
    ]


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


def test_the_cells_are_matchups_by_variant(tmp_path):
    found = read(
        tmp_path,
        'question = "?"\nvariants = ["eaai", "standard"]\ndeals = 500\n'
        'round_robin = ["gold", "simple"]',
    )
    cells = experiment.tasks(found)
    assert [(c.matchup.variant.text, c.matchup.a.text, c.matchup.b.text) for c in cells] == [
        ("eaai", "gold", "simple"),
        ("standard", "gold", "simple"),
    ]
    assert {(c.n, c.matchup.seed, c.matchup.unit) for c in cells} == {(500, 1, "deal")}


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
    found = mistakes(
        tmp_path, 'questoin = "?"\nvariants = ["gin-solitaire", "pro"]\nsolo = ["gldo"]\n' + PAIR
    )
    assert [
        any(word in one for one in found)
        for word in ("questoin", "question is missing", "gldo", "make a file of each")
    ] == [True] * 4


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
        (
            'for = "a while"\n',
            "for: 'a while' is not a playing time; write one like 30s, 5m or 2h",
        ),
        ("for = 0\n", "for: 0 is no time"),
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


# Sweeps


def swept(tmp_path, text, rest=""):
    return read(tmp_path, f'question = "?"\n{rest}\n[sweep]\n{text}')


def test_a_sweep_plays_every_combination_in_order(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "simple+knock=at:k={k}"\nvariant = "standard+undercut_bonus={u}"\n'
        "[sweep.grid]\nk = [0, 4]\nu = [10, 20]",
    )
    games, players = (
        ["standard+undercut_bonus=10", "standard+undercut_bonus=20"],
        ["simple+knock=at:k=0", "simple+knock=at:k=4"],
    )
    assert names(found) == [(game, player, "simple") for game in games for player in players]
    assert [cell.matchup.variant.row["undercut_bonus"] for cell in experiment.tasks(found)] == [
        10,
        10,
        20,
        20,
    ]


def test_a_sweep_can_vary_rules_only(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "gold"\nagainst = "stubborn"\nvariant = "{name}+gin_bonus={g}"\n[sweep.grid]\n'
        'name = ["standard", "oklahoma"]\ng = [20.0, 25]',
    )
    games = [
        "standard+gin_bonus=20",
        "standard",
        "oklahoma+gin_bonus=20",
        "oklahoma",
    ]  # 25 is the default
    assert names(found) == [(game, "gold", "stubborn") for game in games]


def test_a_sweep_can_vary_both_players_in_several_variants(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "gold+knock=at:k={k}"\nagainst = "gold+discard=hits:keep_pairs={p}"\n'
        "[sweep.grid]\nk = [3, 10]\np = [true, false]",
        rest='variants = ["eaai", "standard"]',
    )
    pairs = [
        (a, b)
        for a in ("gold+knock=at:k=3", "gold")
        for b in ("gold+discard=hits:keep_pairs=yes", "gold+discard=hits")
    ]
    assert names(found) == [(game, *pair) for game in ("eaai", "standard") for pair in pairs]


def test_a_list_can_fill_a_player_and_a_rule_together(tmp_path):
    """The strategy's parameter follows the rule's."""
    found = swept(
        tmp_path,
        'strategy = "gold+knock=at:k={k}"\nvariant = "standard+knock_limit={k}"\ngrid.k = [5, 7]',
    )
    assert names(found) == [
        (f"standard+knock_limit={k}", f"gold+knock=at:k={k}", "simple") for k in (5, 7)
    ]


def test_equal_cells_occur_once(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "simple+knock=at:k={k}"\nagainst = "simple+knock=at:k={j}"\n'
        "[sweep.grid]\nk = [4, 10, 4.0]\nj = [4, 10]",
        rest='[panel]\nstrategies = ["gold", "simple+knock=at:k=4"]',
    )
    four = "simple+knock=at:k=4"
    assert [cell[1:] for cell in names(found)] == [
        ("gold", "simple"),
        (four, "simple"),
        (four, four),
        ("simple", "simple"),
    ]


def test_a_sweep_can_be_for_one_player(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "gold+knock=at:k={k}"\ngrid.k = [0, 5]',
        rest='variants = ["gin-solitaire"]',
    )
    assert names(found) == [
        ("gin-solitaire", "gold+knock=at:k=0", ""),
        ("gin-solitaire", "gold+knock=at:k=5", ""),
    ]
    rules = swept(
        tmp_path, 'strategy = "gold"\nvariant = "gin-solitaire+gin_bonus={g}"\ngrid.g = [10, 20]'
    )
    assert [(a, b) for _, a, b in names(rules)] == [("gold", "")] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            'strategy = "gold+knock=at:k={k}"\n[sweep.grid]\nj = [1]',
            [
                "FILE: sweep: the place 'k' has no list; give its values in [sweep.grid].",
                "FILE: sweep, grid: 'j' has no place; write it in braces in strategy, "
                "against or variant, or leave it out.",
            ],
            id="place without list, list without place",
        ),
        pytest.param(
            'strategy = "gold+knock=at:k={k}"\n[sweep.grid]\nk = []',
            ["FILE: sweep, grid, k is too short; give at least 1."],
            id="empty list",
        ),
        pytest.param(
            'strategy = ""\nvariant = "{v}"\n[sweep.grid]\nv = ["pro"]',
            ["FILE: sweep, strategy: there is no strategy ''. `simgin strategies` lists them all."],
            id="no name at all",
        ),
        pytest.param(
            'strategy = "gold"\n[sweep.grid]',
            ["FILE: sweep, grid is too short; give at least 1."],
            id="no list",
        ),
        pytest.param('strategy = "gold"', ["FILE: sweep, grid is missing; add it."], id="no grid"),
        pytest.param(
            'strategy = "{who}"\nvariant = "standard+gin_bonus={g}"\n[sweep.grid]\n'
            'who = ["gold", "gldo"]\ng = [20, "dear"]',
            [
                "FILE: sweep, variant with g = 'dear': gin_bonus must be a whole number "
                "0..1000, not 'dear'.",
                "FILE: sweep, strategy with who = 'gldo': there is no strategy 'gldo'; "
                "did you mean 'gold'? "
                "`simgin strategies` lists them all.",
            ],
            id="combinations that name nothing",
        ),
        pytest.param(
            'strategy = "gold+knock=at:k={k}"\n[sweep.grid]\nk = [[1], 2, 1979-05-27]',
            [
                "FILE: sweep, grid, k #1: a list cannot be put in a place; write a "
                "number, a word, true or false.",
                "FILE: sweep, grid, k #3: datetime.date(1979, 5, 27) cannot be put in a "
                "place; write a number, a word, true or false.",
            ],
            id="values that are none",
        ),
        pytest.param(
            'stratgy = "gold"\ngrid.k = [1]',
            [
                "FILE: sweep, strategy is missing; add it.",
                "FILE: unknown key sweep, stratgy; did you mean strategy?",
            ],
            id="unknown key",
        ),
    ],
)
def test_mistakes_in_a_sweep_are_reported(tmp_path, text, expected):
    assert mistakes(tmp_path, f'question = "?"\n[sweep]\n{text}') == expected


def test_of_many_bad_combinations_a_few_are_named(tmp_path):
    found = mistakes(
        tmp_path,
        'question = "?"\n[sweep]\nstrategy = "gold+knock=at:k={k}"\n'
        "grid.k = [100, 101, 102, 103, 5, 104]",
    )
    assert ["k = '100'" in found[0], "k = '101'" in found[1], "k = '102'" in found[2]] == [True] * 3
    assert found[3:] == [
        "FILE: sweep, strategy: 2 more combinations name nothing; change the lists of [sweep.grid]."
    ]


def test_too_many_combinations_are_refused(tmp_path):
    lists = "\n".join(f"{name} = {list(range(10))}" for name in "abcde")
    assert mistakes(
        tmp_path,
        f'question = "?"\n[sweep]\nstrategy = "gold{{a}}{{b}}{{c}}{{d}}{{e}}"\n'
        f"[sweep.grid]\n{lists}",
    ) == [
        "FILE: sweep, grid: 100,000 combinations are too many; give shorter lists, at "
        "most 10,000 combinations."
    ]


def test_a_sweep_must_suit_the_rest_of_the_file(tmp_path):
    one = '[sweep]\nstrategy = "gold"\nagainst = "simple"\nvariant = "{v}"\ngrid.v = [%s]'
    assert mistakes(tmp_path, 'question = "?"\nvariants = ["eaai"]\n' + one % '"pro"') == [
        "FILE: variants and the variant of the sweep are both given; keep one of them."
    ]
    assert mistakes(tmp_path, 'question = "?"\n' + one % '"gin-solitaire"') == [
        "FILE: sweep, against is for two players, but gin-solitaire is for one player; "
        "leave it out."
    ]
    assert mistakes(tmp_path, 'question = "?"\n' + one % '"gin-solitaire", "pro"') == [
        "FILE: variants has games for one player (gin-solitaire) and for two (pro); make "
        "a file of each."
    ]
    assert mistakes(tmp_path, 'question = "?"\nsolo = ["gold"]\n' + one % '"pro"') == [
        "FILE: solo is for one player, but pro is for two players; name pairs in "
        "matchups, round_robin, panel or sweep."
    ]


# What is compared


KNOCK_AND_BONUS = """
[sweep]
strategy = "simple+knock=at:k={k}"
variant = "standard+undercut_bonus={u}"
[sweep.grid]
k = [0, 5, 10]
u = [10, 25]
"""


def slow_contrasts(found):
    """The comparisons, written out over all pairs of cells.

    For files whose cells all come from a single panel, sweep or solo list with a full grid.
    """
    games, players = (list(dict.fromkeys(cell[part] for cell in names(found))) for part in (0, 1))
    players = [
        player for player in players if any(a == player != b for _, a, b in names(found))
    ] + players
    game, player = (found.base if found.base in texts else texts[0] for texts in (games, players))
    return {
        (i, j)
        for i, (v, a, b) in enumerate(names(found))
        for j, (w, c, d) in enumerate(names(found))
        if b == d
        and ((v == w and a != c == player and b not in (a, c)) or (a == c and v != w == game))
    }


def texts(found):
    """The comparisons in words: variant and strategy of both cells."""
    cells = names(found)
    return [(cells[i][:2], cells[j][:2]) for i, j in experiment.contrasts(found)]


def test_a_panel_is_compared_with_its_first_strategy(tmp_path):
    found = read(
        tmp_path,
        'question = "?"\n[panel]\nstrategies = ["simple", "gold", "gin-only"]\n'
        'against = "stubborn"',
    )
    assert experiment.contrasts(found) == [(1, 0), (2, 0)]


def test_self_play_is_not_compared(tmp_path):
    panel = '[panel]\nstrategies = ["simple", "gold", "gin-only"]\nagainst = "simple"'
    assert experiment.contrasts(read(tmp_path, f'question = "?"\n{panel}')) == [(2, 1)]
    assert experiment.contrasts(read(tmp_path, f'question = "?"\nbase = "simple"\n{panel}')) == []


@pytest.mark.parametrize(
    ("text", "base"),
    [
        (
            'variants = ["eaai", "standard", "pro"]\n[panel]\n'
            'strategies = ["gold", "gin-only", "simple"]',
            b,
        )
        for b in ("", "pro", "simple", "gold")
    ]
    + [
        (
            KNOCK_AND_BONUS,
            b,
        )
        for b in ("", "simple", "simple+knock=at:k=10", "standard")
    ]
    + [
        ('variants = ["gin-solitaire", "solitaire-gin"]\nsolo = ["gold", "gin-only"]', b)
        for b in ("", "gin-only")
    ],
)
def test_comparisons_agree_with_all_pairs_of_cells(tmp_path, text, base):
    found = read(tmp_path, 'question = "?"\n' + (f'base = "{base}"\n' if base else "") + text)
    contrasts = experiment.contrasts(found)
    expected = slow_contrasts(found)
    assert set(contrasts) == expected and len(contrasts) == len(expected) >= 2
    assert all(i != j for i, j in contrasts) and len(
        {frozenset(pair) for pair in contrasts}
    ) == len(contrasts)


def test_round_robins_and_pairs_compare_variants_only(tmp_path):
    pairs = (
        'round_robin = ["gold", "simple", "gin-only"]\n[[matchups]]\na = "stubborn"\n'
        '[[matchups]]\na = "gold-early"'
    )
    assert experiment.contrasts(read(tmp_path, f'question = "?"\n{pairs}')) == []
    found = read(tmp_path, f'question = "?"\nvariants = ["eaai", "pro"]\n{pairs}')
    assert experiment.contrasts(found) == [(5 + i, i) for i in range(5)]


def test_cells_with_different_opponents_are_not_compared(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "{a}"\nagainst = "{b}"\n[sweep.grid]\na = ["gold", "gin-only"]\n'
        'b = ["simple", "stubborn"]',
    )
    assert [found.cells[i].b for i, _ in experiment.contrasts(found)] == ["simple", "stubborn"]
    assert texts(found) == [(("standard", "gin-only"), ("standard", "gold"))] * 2


def test_without_a_base_cell_nothing_is_compared(tmp_path):
    """Player and rule share a list, so no two cells differ in only one of them."""
    text = (
        '[sweep]\nstrategy = "gold+knock=at:k={k}"\nvariant = "standard+knock_limit={k}"\n'
        "grid.k = [5, 7]"
    )
    assert experiment.contrasts(read(tmp_path, f'question = "?"\n{text}')) == []
    assert (
        experiment.contrasts(read(tmp_path, f'question = "?"\nbase = "gold+knock=at:k=7"\n{text}'))
        == []
    )


def test_a_pair_with_exchanged_sides_is_not_compared(tmp_path):
    found = read(
        tmp_path,
        'question = "?"\nround_robin = ["simple", "gold"]\n[panel]\n'
        'strategies = ["gold", "stubborn", "gin-only"]',
    )
    assert [cell.a for cell in found.cells] == ["simple", "stubborn", "gin-only"]
    assert experiment.contrasts(found) == [
        (2, 1)
    ]  # gold's cell shows simple's side: the first of the others is the base


def test_no_two_cells_are_compared_twice(tmp_path):
    both = (
        '[panel]\nstrategies = ["gold", "gin-only"]\n[sweep]\nstrategy = "{a}"\n'
        'grid.a = ["gin-only", "gold", "stubborn"]'
    )
    found = read(tmp_path, f'question = "?"\n{both}')
    assert experiment.contrasts(found) == [(1, 0), (2, 1)]


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
