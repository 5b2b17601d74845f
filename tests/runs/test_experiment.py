"""Tests of the cells of an experiment and of the comparisons between them."""

import pytest

from simgin.runs.plan import SELF_PLAY
from support.experiment_files import matchup_names, read_plan

# Comparisons


KNOCK_AND_BONUS = """
[sweep]
strategy = "simple+knock=at:k={k}"
variant = "standard+undercut_bonus={u}"
[sweep.grid]
k = [0, 5, 10]
u = [10, 25]
"""


def slow_contrasts(found, base):
    """Return the contrasts, computed over all pairs of matchups.

    Valid only for files whose matchups come from one panel, sweep or solo list with a full grid.
    """
    games, players = (
        list(dict.fromkeys(cell[part] for cell in matchup_names(found))) for part in (0, 1)
    )
    met = [
        player for player in players if any(a == player != b for _, a, b in matchup_names(found))
    ]
    players = met + players
    game, player = (base if base in texts else texts[0] for texts in (games, players))
    return {
        (i, j)
        for i, (v, a, b) in enumerate(matchup_names(found))
        for j, (w, c, d) in enumerate(matchup_names(found))
        if b == d
        and ((v == w and a != c == player and b not in (a, c)) or (a == c and v != w == game))
    }


PANEL = """
variants = ["eaai", "standard", "pro"]
panel.strategies = ["gold", "gin-only", "simple"]
"""
OPPONENTS = """
[sweep]
strategy = "{a}"
against = "{b}"
grid = { a = ["gold", "gin-only"], b = ["simple", "stubborn"] }
"""
SOLO_EXPERIMENT = 'variants = ["gin-solitaire", "solitaire-gin"]\nsolo = ["gold", "gin-only"]'


@pytest.mark.parametrize(
    ("text", "base"),
    [(PANEL, base) for base in ("", "pro", "simple", "gold")]
    + [(KNOCK_AND_BONUS, base) for base in ("", "simple", "simple+knock=at:k=10", "standard")]
    + [(SOLO_EXPERIMENT, base) for base in ("", "gin-only")]
    + [(OPPONENTS, "")],
)
def test_comparisons_agree_with_all_pairs_of_cells(tmp_path, text, base):
    found = read_plan(tmp_path, 'question = "?"\n' + (f'base = "{base}"\n' if base else "") + text)
    contrasts = found.contrasts
    expected = slow_contrasts(found, base.removesuffix("+knock=at:k=10"))  # as simple does
    if text == PANEL and base == "simple":  # the opponent, whose self-play need not be played
        panel = [i for i, (_, a, b) in enumerate(matchup_names(found)) if a != b]
        expected |= {(i, SELF_PLAY) for i in panel}
    assert set(contrasts) == expected and len(contrasts) == len(expected) >= 2
    assert len({frozenset(pair) for pair in contrasts}) == len(contrasts)


def test_round_robins_and_pairs_compare_variants_only(tmp_path):
    pairs = 'round_robin = ["gold", "simple", "gin-only"]\n[[matchups]]\na = "stubborn"\n'
    pairs += '[[matchups]]\na = "gold-early"'
    assert read_plan(tmp_path, f'question = "?"\n{pairs}').contrasts == ()
    found = read_plan(tmp_path, f'question = "?"\nvariants = ["eaai", "pro"]\n{pairs}')
    assert found.contrasts == tuple((5 + i, i) for i in range(5))


def test_without_a_base_cell_nothing_is_compared(tmp_path):
    """Player and rule share a list, so no two cells differ in only one of the two."""
    text = (
        '[sweep]\nstrategy = "gold+knock=at:k={k}"\nvariant = "standard+knock_limit={k}"\n'
        "grid.k = [5, 7]"
    )
    for base in ("", 'base = "gold+knock=at:k=7"\n'):
        assert read_plan(tmp_path, f'question = "?"\n{base}{text}').contrasts == ()


def test_a_pair_with_exchanged_sides_is_not_compared(tmp_path):
    panel = '[panel]\nstrategies = ["gold", "stubborn", "gin-only"]'
    found = read_plan(tmp_path, f'question = "?"\nround_robin = ["simple", "gold"]\n{panel}')
    assert [cell.a for cell in found.matchup_keys] == ["simple", "stubborn", "gin-only"]
    # gold's cell shows simple's side; the first other cell is the baseline
    assert found.contrasts == ((2, 1),)


# Changes by field

FIELDS = """
question = "?"
variants = ["standard", "eaai"]
changes = ["knock=early", "knock=at", "take=deny"]
[[fields]]
strategy = "gold"
[[fields]]
strategy = "gin-only"
against = "simple"
[[fields]]
strategy = "gold"
against = "gold-early"
"""


def test_every_change_is_played_in_every_field_next_to_the_base(tmp_path):
    """Gold already knocks immediately, and `gold+knock=early` is not called gold-early."""
    cells = [("gold+knock=early", "gold"), ("gin-only", "simple")]
    cells += [("gin-only+knock=early", "simple"), ("gold", "gold-early")]
    cells += [("gold+knock=early", "gold-early"), ("gin-only+knock=at", "simple")]
    cells += [("gold+take=deny", "gold"), ("gin-only+take=deny", "simple")]
    cells += [("gold+take=deny", "gold-early")]
    found = read_plan(tmp_path, FIELDS)
    assert matchup_names(found) == [
        (variant, *pair) for variant in ("standard", "eaai") for pair in cells
    ]
    fields = ("gold", "gin-only v simple", "gold v gold-early")
    expected = [("knock=early", field) for field in fields] + [("knock=at", fields[1])]
    expected += [("take=deny", field) for field in fields]
    assert [(effect.change, effect.field) for effect in found.effects] == expected


def test_a_change_that_makes_the_player_one_of_the_others_is_left_out(tmp_path):
    text = 'question = "?"\nchanges = ["knock=at", "take=deny"]\n'
    found = read_plan(tmp_path, text + '[[fields]]\nstrategy = "gold:k=3"\nagainst = "gold"\n')
    assert [effect.change for effect in found.effects] == ["take=deny"]
