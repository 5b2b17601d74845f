"""Tests of champion's weights under other rules: features of the rules, weights and play."""

import numpy as np
import pytest
from simgin_strategies import champion as player
from simgin_strategies._champion_rules import (
    N_RULE_FEATURES,
    TRAINED_VARIANT_FEATURES,
    compute_rule_features,
    compute_variant_features,
)

from simgin.learn import random_rules
from simgin.learn.random_rules import is_in_training_range, sample_variant
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs.runner import run_matchup
from simgin.strategy import compiler, loader
from support.variant_lists import TWO_PLAYER

USUAL = (
    "eaai",
    "standard",
    "tedesco",
    "dice",
    "standard+box_bonus=25",
    "standard+discard_view=open",
    "hollywood",
)


def rules_of(text):
    return build_rules(variants.find_variant(text))


@pytest.mark.parametrize("rules", USUAL)
@pytest.mark.parametrize("name", ["champion", "champion-mc"])
def test_the_weights_for_the_rules_of_the_challenge_are_those_of_the_file(name, rules):
    for policy in loader.find_strategy(name).policies[:3]:
        vector = compiler.make_parameter_vector(policy)
        assert compiler.make_parameter_vector(policy, rules_of(rules)).tobytes() == vector.tobytes()


@pytest.mark.parametrize(
    ("setting", "others"),
    [
        ("undercut_bonus=10", 1),
        ("gin_bonus=100", 2),
        ("gin_bonus=50+undercut_bonus=50", 3),
        ("knock_limit=7", 1),
        ("knock_by_upcard=yes", 1),
        ("rainbow=yes", 1),
        ("points_target=250", 1),
        ("knock_limit=0", 4),
        ("rush_premium=yes", 1),
    ],
)
def test_a_change_of_the_rules_changes_few_features(setting, others):
    found = compute_rule_features(rules_of(f"standard+{setting}"))
    assert found.shape == (N_RULE_FEATURES,)
    assert np.count_nonzero(found) == others


def test_bonuses_do_not_matter_where_they_are_not_paid():
    """Without knocks there are no undercuts; if won deals count, there are no bonuses."""
    for base in ("straight", "dice"):
        plain = compute_rule_features(rules_of(base))
        assert (compute_rule_features(rules_of(f"{base}+undercut_bonus=60")) == plain).all()
    assert (
        compute_rule_features(rules_of("dice+gin_bonus=60"))
        == compute_rule_features(rules_of("dice"))
    ).all()


def test_features_are_finite_and_bounded():
    lots = np.random.default_rng(8)
    every = [*map(variants.find_variant, TWO_PLAYER), *(sample_variant(lots) for _ in range(100))]
    found = np.array([compute_rule_features(build_rules(variant)) for variant in every])
    assert np.isfinite(found).all()
    assert np.abs(found).max() <= 1


@pytest.mark.parametrize("name", TRAINED_VARIANT_FEATURES)
def test_the_features_of_the_variants_with_own_weights_are_known(name):
    assert (compute_rule_features(rules_of(name)) == compute_variant_features(name)).all()


def test_the_features_of_the_usual_rules_are_zero():
    assert not compute_rule_features(rules_of("standard+box_bonus=25")).any()


@pytest.fixture
def changes():
    """Return random contents of champion.npy and champion-rules.npy."""
    lots = np.random.default_rng(9)
    weights = lots.normal(size=player.N_WEIGHTS)
    size = 2 * player.BLEND_SIZE + player.N_LOG_ODDS
    return weights, lots.normal(size=(1 + N_RULE_FEATURES, size))


@pytest.mark.parametrize(
    ("rules", "group"),
    [
        ("oklahoma+gin_bonus=40", 0),
        ("rush", 1),
        ("tedesco+gin_bonus=50", 2),
        ("dice+knock_limit=3", 3),
    ],
)
def test_the_weights_are_a_linear_function_of_the_features(changes, rules, group):
    base, deltas = changes
    change = player.adapt_weights(base, deltas.ravel(), rules_of(rules)) - base
    by_group = change.reshape(4, player.VARIANT_SIZE)
    assert not np.delete(by_group, group, axis=0).any()
    blends = by_group[group, : player.OPPONENT_TABLE_OFFSET].reshape(
        player.N_BLENDS, player.BLEND_SIZE
    )
    shift = compute_rule_features(rules_of(rules)) @ deltas[1:, : 2 * player.BLEND_SIZE]
    patient, hasty = np.split(shift, 2)
    for i, blend in enumerate(blends):
        assert blend == pytest.approx(patient + (hasty - patient) * i / 8)


@pytest.mark.parametrize("rules", ["tedesco", "dice"])
def test_variants_with_separate_weights_do_not_change_them(changes, rules):
    base, deltas = changes
    assert player.adapt_weights(base, deltas, rules_of(rules)) is base


def test_the_type_of_the_opponent_follows_the_change_of_its_log_odds(changes):
    """Constant log odds of 0 are even; a change of log 3 makes it three to one: two levels more."""
    base, _ = changes
    deltas = np.zeros((1 + N_RULE_FEATURES, 2 * player.BLEND_SIZE + player.N_LOG_ODDS))
    rules = rules_of("standard+undercut_bonus=10")
    (feature,) = np.flatnonzero(compute_rule_features(rules))
    size = player.N_DEALS_WON * player.N_MEAN_POINTS
    deltas[1 + feature, 2 * player.BLEND_SIZE :][:size] = compute_rule_features(rules)[
        feature
    ] * np.log(3)
    weights = base.copy()
    levels = slice(player.OPPONENT_TABLE_OFFSET, player.VARIANT_SIZE)
    weights[levels] = np.resize([0, 3, 6, 7, 8], player.VARIANT_SIZE - player.OPPONENT_TABLE_OFFSET)
    found = player.adapt_weights(weights, deltas, rules)[levels]
    assert (found == np.resize([2, 5, 8, 8, 8], found.size)).all()


def test_a_match_uses_the_weights_for_its_rules():
    """Champion plays as before under the rules of the challenge, and otherwise differently."""
    champion = loader.find_strategy("champion")
    before = loader.with_weights(champion, champion.discard.weights)
    same = []
    for rules in ("standard", "standard+undercut_bonus=0"):
        matchups = [
            Matchup(variants.find_variant(rules), one, loader.find_strategy("gold"), 5, "match")
            for one in (champion, before)
        ]
        rows = [run_matchup(matchup, 200, 1) for matchup in matchups]
        same.append((rows[0] == rows[1]).all())
    assert same == [True, False]


def test_the_digest_of_champion_includes_the_change_by_the_rules():
    names = {path.name for path in loader.find_source_files(loader.find_strategy("champion"))}
    assert {"champion-rules.npy", "_champion_rules.py", "champion.npy"} <= names


# Random rule sets


def test_random_rule_sets_are_playable_and_known():
    """Champion was trained for each of their parameters."""
    lots = np.random.default_rng(10)
    standard = variants.find_variant("standard")
    drawn = [sample_variant(lots) for _ in range(60)]
    assert len({variant.spec for variant in drawn}) > 40
    for variant in drawn:
        assert not variant.is_solo
        changed = variants.rule_differences(standard, variant)
        assert all(
            is_in_training_range(name, value)
            for name, _, value in changed
            if name in {"undercut_bonus", "gin_bonus", "knock_limit", "rainbow", "first_turn"}
        )


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("undercut_bonus", 60, True),
        ("undercut_bonus", 101, False),
        ("knock_limit", 14, True),
        ("knock_limit", 26, False),
        ("first_turn", "free", True),
        ("melding", "choice", False),
        ("rush_on_gin", False, True),
        ("goal", "columns", False),
        ("shot_deducts", True, False),
    ],
)
def test_the_range_of_the_training(name, value, known):
    assert is_in_training_range(name, value) is known


def test_held_out_rule_sets_did_not_occur_in_training(monkeypatch):
    """Without the check, this seed draws rules of the training, also under another name."""
    monkeypatch.setattr(random_rules, "TRAINING_ROUNDS", 1)
    monkeypatch.setattr(random_rules, "RULE_SETS_PER_ROUND", 96)
    trained = random_rules.sample_training_variants(0, random_rules.RULE_SETS_PER_ROUND)
    known = {build_rules(variant).tobytes() for variant in trained}
    known |= {build_rules(variants.find_variant(name)).tobytes() for name in TWO_PLAYER}
    drawn = random_rules.sample_held_out_variants(0x415481F6, 40)
    new = {build_rules(variant).tobytes() for variant in drawn}
    assert len(new) > 35 and not new & known
