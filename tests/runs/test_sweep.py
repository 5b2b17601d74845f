"""Sweeps of an experiment file: combinations, places for values, and mistakes."""

import pytest

from support.experiment_files import begin, mistakes, names, swept


def test_a_sweep_plays_every_combination_in_order(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "simple+knock=at:k={k}"\nvariant = "standard+undercut_bonus={u}"\n'
        "[sweep.grid]\nk = [0, 4]\nu = [10, 20]",
    )
    games = [f"standard+undercut_bonus={u}" for u in (10, 20)]
    players = [f"simple+knock=at:k={k}" for k in (0, 4)]
    assert names(found) == [(game, player, "simple") for game in games for player in players]


def test_a_sweep_can_vary_both_players_in_several_variants(tmp_path):
    found = swept(
        tmp_path,
        'strategy = "gold+knock=at:k={k}"\nagainst = "gold+discard=hits:keep_pairs={p}"\n'
        "[sweep.grid]\nk = [3, 10]\np = [true, false]",
        rest='variants = ["eaai", "standard"]',
    )
    others = ("gold+discard=hits:keep_pairs=yes", "gold+discard=hits")
    pairs = [(a, b) for a in ("gold+knock=at:k=3", "gold") for b in others]
    assert names(found) == [(game, *pair) for game in ("eaai", "standard") for pair in pairs]


def test_a_list_can_fill_a_player_and_a_rule_together(tmp_path):
    """The strategy's parameter follows the rule's."""
    text = 'strategy = "gold+knock=at:k={k}"\nvariant = "standard+knock_limit={k}"\n'
    assert names(swept(tmp_path, text + "grid.k = [5, 7]")) == [
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
    pairs = [("gold", "simple"), (four, "simple"), (four, four), ("simple", "simple")]
    assert [cell[1:] for cell in names(found)] == pairs


def test_a_sweep_can_be_for_one_player(tmp_path):
    text = 'strategy = "gold+knock=at:k={k}"\ngrid.k = [0, 5]'
    players = [("gin-solitaire", f"gold+knock=at:k={k}", "") for k in (0, 5)]
    assert names(swept(tmp_path, text, rest='variants = ["gin-solitaire"]')) == players
    text = 'strategy = "gold"\nvariant = "gin-solitaire+gin_bonus={g}"\ngrid.g = [10, 20]'
    assert [(a, b) for _, a, b in names(swept(tmp_path, text))] == [("gold", "")] * 2


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
FOR_TWO = "sweep, against is for two players, but gin-solitaire is for one player; leave it out."
MIXED = "variants has games for one player (gin-solitaire) and for two (pro); make a file of each."


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
        (
            'strategy = "gold"\nagainst = "simple"\nvariant = "{v}"\ngrid.v = ["gin-solitaire"]',
            [FOR_TWO],
        ),
        ('strategy = "gold"\nvariant = "{v}"\ngrid.v = ["gin-solitaire", "pro"]', [MIXED]),
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
    assert ["k = '100'" in found[0], "k = '101'" in found[1], "k = '102'" in found[2]] == [True] * 3
    assert found[3:] == [
        "FILE: sweep, strategy: 2 more combinations name nothing; change the lists of [sweep.grid]."
    ]


def test_a_sweep_must_suit_the_rest_of_the_file(tmp_path):
    sweep = '[sweep]\nstrategy = "gold"\nvariant = "{v}"\ngrid.v = ["pro"]'
    assert mistakes(tmp_path, f'question = "?"\nvariants = ["eaai"]\n{sweep}') == [
        "FILE: variants and the variant of the sweep are both given; keep one of them."
    ]
    (told,) = mistakes(tmp_path, f'question = "?"\nsolo = ["gold"]\n{sweep}')
    assert told.startswith("FILE: solo is for one player, but pro is for two players; name pairs")
