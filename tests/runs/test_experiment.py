"""Tests of the matchups of an experiment and of the comparisons between matchups."""

import pytest

from simgin.runs.plan import SELF_PLAY_INDEX
from support.experiment_files import list_matchups, read_plan

# Comparisons


KNOCK_AND_BONUS_SWEEP_TOML = """
[sweep]
strategy = "simple+knock=at:k={k}"
variant = "standard+undercut_bonus={u}"
[sweep.grid]
k = [0, 5, 10]
u = [10, 25]
"""


def find_contrasts_in_all_pairs(plan, baseline):
    """Find the contrasts of a plan by testing all pairs of matchups.

    Valid only for files whose matchups come from one panel, sweep or solo list with a full grid.
    """
    variants, players = (
        list(dict.fromkeys(names[part] for names in list_matchups(plan))) for part in (0, 1)
    )
    opposed_players = [
        player for player in players if any(a == player != b for _, a, b in list_matchups(plan))
    ]
    players = opposed_players + players
    game, player = (baseline if baseline in texts else texts[0] for texts in (variants, players))
    return {
        (i, j)
        for i, (v, a, b) in enumerate(list_matchups(plan))
        for j, (w, c, d) in enumerate(list_matchups(plan))
        if b == d
        and ((v == w and a != c == player and b not in (a, c)) or (a == c and v != w == game))
    }


PANEL_EXPERIMENT_TOML = """
variants = ["eaai", "standard", "pro"]
panel.strategies = ["gold", "gin-only", "simple"]
"""
OPPONENT_SWEEP_TOML = """
[sweep]
strategy = "{a}"
against = "{b}"
grid = { a = ["gold", "gin-only"], b = ["simple", "stubborn"] }
"""
SOLO_EXPERIMENT_TOML = 'variants = ["gin-solitaire", "solitaire-gin"]\nsolo = ["gold", "gin-only"]'


@pytest.mark.parametrize(
    ("experiment", "base"),
    [(PANEL_EXPERIMENT_TOML, base) for base in ("", "pro", "simple", "gold")]
    + [
        (KNOCK_AND_BONUS_SWEEP_TOML, base)
        for base in ("", "simple", "simple+knock=at:k=10", "standard")
    ]
    + [(SOLO_EXPERIMENT_TOML, base) for base in ("", "gin-only")]
    + [(OPPONENT_SWEEP_TOML, "")],
)
def test_contrasts_equal_those_found_in_all_pairs(tmp_path, experiment, base):
    plan = read_plan(
        tmp_path, 'question = "?"\n' + (f'base = "{base}"\n' if base else "") + experiment
    )
    contrasts = plan.contrasts
    expected = find_contrasts_in_all_pairs(
        plan, base.removesuffix("+knock=at:k=10")
    )  # as simple does
    if (
        experiment == PANEL_EXPERIMENT_TOML and base == "simple"
    ):  # the opponent, whose self-play need not be played
        panel = [i for i, (_, a, b) in enumerate(list_matchups(plan)) if a != b]
        expected |= {(i, SELF_PLAY_INDEX) for i in panel}
    assert set(contrasts) == expected and len(contrasts) == len(expected) >= 2
    assert len({frozenset(pair) for pair in contrasts}) == len(contrasts)


def test_round_robins_and_matchups_are_compared_only_between_variants(tmp_path):
    pairs = 'round_robin = ["gold", "simple", "gin-only"]\n[[matchups]]\na = "stubborn"\n'
    pairs += '[[matchups]]\na = "gold-early"'
    assert read_plan(tmp_path, f'question = "?"\n{pairs}').contrasts == ()
    plan = read_plan(tmp_path, f'question = "?"\nvariants = ["eaai", "pro"]\n{pairs}')
    assert plan.contrasts == tuple((5 + i, i) for i in range(5))


def test_sweep_without_a_baseline_matchup_has_no_contrasts(tmp_path):
    """Change the strategy and the rules together, so that no contrast isolates one of them."""
    text = (
        '[sweep]\nstrategy = "gold+knock=at:k={k}"\nvariant = "standard+knock_limit={k}"\n'
        "grid.k = [5, 7]"
    )
    for base in ("", 'base = "gold+knock=at:k=7"\n'):
        assert read_plan(tmp_path, f'question = "?"\n{base}{text}').contrasts == ()


def test_pair_with_swapped_sides_is_still_the_baseline(tmp_path):
    panel = '[panel]\nstrategies = ["gold", "stubborn", "gin-only"]'
    plan = read_plan(tmp_path, f'question = "?"\nround_robin = ["simple", "gold"]\n{panel}')
    assert [cell.a for cell in plan.matchup_keys] == ["simple", "stubborn", "gin-only"]
    assert plan.contrasts == ((1, 0), (2, 0))


# Changes by field

FIELDS_EXPERIMENT_TOML = """
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


def test_every_change_is_played_against_every_opponent(tmp_path):
    """Expect changes to be omitted if the player already uses the policy."""
    pairs = [("gold+knock=early", "gold"), ("gin-only", "simple")]
    pairs += [("gin-only+knock=early", "simple"), ("gold", "gold-early")]
    pairs += [("gold+knock=early", "gold-early"), ("gin-only+knock=at", "simple")]
    pairs += [("gold+take=deny", "gold"), ("gin-only+take=deny", "simple")]
    pairs += [("gold+take=deny", "gold-early")]
    plan = read_plan(tmp_path, FIELDS_EXPERIMENT_TOML)
    assert list_matchups(plan) == [
        (variant, *pair) for variant in ("standard", "eaai") for pair in pairs
    ]
    fields = ("gold", "gin-only v simple", "gold v gold-early")
    expected = [("knock=early", field) for field in fields] + [("knock=at", fields[1])]
    expected += [("take=deny", field) for field in fields]
    assert [(effect.change, effect.field) for effect in plan.effects] == expected


def test_change_that_makes_the_player_its_opponent_is_omitted(tmp_path):
    text = 'question = "?"\nchanges = ["knock=at", "take=deny"]\n'
    plan = read_plan(tmp_path, text + '[[fields]]\nstrategy = "gold:k=3"\nagainst = "gold"\n')
    assert [effect.change for effect in plan.effects] == ["take=deny"]
