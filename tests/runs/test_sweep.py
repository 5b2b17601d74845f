"""Sweeps of an experiment file: combinations, places for values, and mistakes."""

import pytest

from simgin.runs import experiment
from support.experiment_files import mistakes, names, swept


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
