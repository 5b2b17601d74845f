"""Tests of champion's weights under other rules than those of the EAAI challenge."""

import numpy as np
import pytest
from simgin_strategies import champion as player
from simgin_strategies._champion_rules import (
    ACTIVE_FEATURES_BY_TRAINED_VARIANT,
    N_RULE_FEATURES,
    compute_rule_features,
    compute_variant_features,
)

from simgin.learn import random_rules
from simgin.learn.random_rules import is_in_training_range, sample_variant
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs.runner import run_matchup
from simgin.stats.estimate import estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME
from simgin.strategy import compiler, loader
from support.variant_lists import TWO_PLAYER_VARIANTS

CHALLENGE_VARIANTS = (
    "eaai",
    "standard",
    "tedesco",
    "dice",
    "standard+box_bonus=25",
    "standard+discard_view=open",
    "hollywood",
)


def build_rules_from_spec(spec):
    return build_rules(variants.find_variant(spec))


@pytest.mark.parametrize("rules", CHALLENGE_VARIANTS)
@pytest.mark.parametrize("name", ["champion", "champion-mc"])
def test_challenge_rules_use_the_weights_of_the_file_unchanged(name, rules):
    for policy in loader.find_strategy(name).policies[:3]:
        vector = compiler.make_parameter_vector(policy)
        assert (
            compiler.make_parameter_vector(policy, build_rules_from_spec(rules)).tobytes()
            == vector.tobytes()
        )


@pytest.mark.parametrize(
    ("setting", "n_changed"),
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
        ("ace_value=5", 2),
        ("ace_value=11+ace_runs=corner", 3),
        ("goal=deals+knock_limit=7", 6),
        ("max_turns=16", 3),
        ("max_turns=30+gin_bonus=50", 2),
    ],
)
def test_a_change_of_the_rules_changes_few_features(setting, n_changed):
    features = compute_rule_features(build_rules_from_spec(f"standard+{setting}"))
    assert features.shape == (N_RULE_FEATURES,)
    assert np.count_nonzero(features) == n_changed


def test_bonuses_without_effect_do_not_change_the_features():
    """Use rules without knocks, and rules that count won deals."""
    for base in ("straight", "dice"):
        expected = compute_rule_features(build_rules_from_spec(base))
        assert (
            compute_rule_features(build_rules_from_spec(f"{base}+undercut_bonus=60")) == expected
        ).all()
    assert (
        compute_rule_features(build_rules_from_spec("dice+gin_bonus=60"))
        == compute_rule_features(build_rules_from_spec("dice"))
    ).all()


def test_rule_features_are_bounded():
    rng = np.random.default_rng(8)
    all_variants = [
        *map(variants.find_variant, TWO_PLAYER_VARIANTS),
        *(sample_variant(rng) for _ in range(100)),
    ]
    features = np.array([compute_rule_features(build_rules(variant)) for variant in all_variants])
    assert np.isfinite(features).all()
    assert np.abs(features).max() <= 1


@pytest.mark.parametrize("name", ACTIVE_FEATURES_BY_TRAINED_VARIANT)
def test_stored_features_of_trained_variants_are_correct(name):
    assert (
        compute_rule_features(build_rules_from_spec(name)) == compute_variant_features(name)
    ).all()


def test_features_of_the_challenge_rules_are_zero():
    assert not compute_rule_features(build_rules_from_spec("standard+box_bonus=25")).any()


@pytest.fixture
def sample_weights():
    """Return random contents of champion.npy and champion-rules.npy."""
    rng = np.random.default_rng(9)
    weights = rng.normal(size=player.N_WEIGHTS)
    size = 2 * player.N_WEIGHTS_PER_BLEND + player.N_OPPONENT_LOG_ODDS
    return weights, rng.normal(size=(1 + N_RULE_FEATURES, size))


@pytest.mark.parametrize(
    ("rules", "group"),
    [
        ("oklahoma+gin_bonus=40", 0),
        ("rush", 1),
        ("tedesco+gin_bonus=50", 2),
        ("dice+knock_limit=3", 3),
    ],
)
def test_weights_are_a_linear_function_of_the_features(sample_weights, rules, group):
    base_weights, deltas = sample_weights
    change = (
        player.adapt_weights(base_weights, deltas.ravel(), build_rules_from_spec(rules))
        - base_weights
    )
    by_group = change.reshape(4, player.N_WEIGHTS_PER_VARIANT)
    assert not np.delete(by_group, group, axis=0).any()
    blends = by_group[group, : player.OPPONENT_TABLE_OFFSET].reshape(
        player.N_WEIGHT_BLENDS, player.N_WEIGHTS_PER_BLEND
    )
    shift = (
        compute_rule_features(build_rules_from_spec(rules))
        @ deltas[1:, : 2 * player.N_WEIGHTS_PER_BLEND]
    )
    patient, immediate = np.split(shift, 2)
    for i, blend in enumerate(blends):
        assert blend == pytest.approx(patient + (immediate - patient) * i / 8)


@pytest.mark.parametrize("rules", ["tedesco", "dice"])
def test_variants_with_separate_weights_keep_them(sample_weights, rules):
    base_weights, deltas = sample_weights
    assert player.adapt_weights(base_weights, deltas, build_rules_from_spec(rules)) is base_weights


def test_learned_log_odds_shift_the_opponent_level(sample_weights):
    """Multiply the odds by three, which raises most levels by two."""
    base_weights, _ = sample_weights
    deltas = np.zeros(
        (1 + N_RULE_FEATURES, 2 * player.N_WEIGHTS_PER_BLEND + player.N_OPPONENT_LOG_ODDS)
    )
    rules = build_rules_from_spec("standard+undercut_bonus=10")
    (feature,) = np.flatnonzero(compute_rule_features(rules))
    size = player.N_DEALS_WON_BINS * player.N_MEAN_POINTS_BINS
    deltas[1 + feature, 2 * player.N_WEIGHTS_PER_BLEND :][:size] = compute_rule_features(rules)[
        feature
    ] * np.log(3)
    weights = base_weights.copy()
    levels = slice(player.OPPONENT_TABLE_OFFSET, player.N_WEIGHTS_PER_VARIANT)
    weights[levels] = np.resize(
        [0, 3, 6, 7, 8], player.N_WEIGHTS_PER_VARIANT - player.OPPONENT_TABLE_OFFSET
    )
    adapted_levels = player.adapt_weights(weights, deltas, rules)[levels]
    assert (adapted_levels == np.resize([2, 5, 8, 8, 8], adapted_levels.size)).all()


def test_match_uses_the_weights_for_its_rules():
    """Expect champion to play differently only under other rules than those of the challenge."""
    champion = loader.find_strategy("champion")
    unadapted = loader.with_weights(champion, champion.discard.weights)
    is_equal = []
    for rules in ("standard", "standard+undercut_bonus=0"):
        matchups = [
            Matchup(
                variants.find_variant(rules), strategy, loader.find_strategy("gold"), 5, "match"
            )
            for strategy in (champion, unadapted)
        ]
        rows = [run_matchup(matchup, 200, 1) for matchup in matchups]
        is_equal.append((rows[0] == rows[1]).all())
    assert is_equal == [True, False]


@pytest.mark.parametrize("opponent", ["gin-only", "marjj-early"])
def test_champion_beats_patient_players_despite_a_high_undercut_bonus(opponent):
    """With even odds of an immediate knock, champion wins 28 and 33 % of matches."""
    variant = variants.find_variant("standard+gin_bonus=0+undercut_bonus=50")
    champion, patient_player = map(loader.find_strategy, ("champion", opponent))
    rows = run_matchup(Matchup(variant, champion, patient_player, 6, "match"), 1_000, 1)
    assert estimate_metric(rows.sum(axis=0), METRICS_BY_NAME["match_win"]).low > 0.45


def test_digest_of_champion_includes_the_rule_weights():
    names = {path.name for path in loader.find_source_files(loader.find_strategy("champion"))}
    assert {"champion-rules.npy", "_champion_rules.py", "champion.npy"} <= names


# Random rule sets


def test_random_rule_sets_are_in_the_training_range():
    rng = np.random.default_rng(10)
    standard = variants.find_variant("standard")
    sampled = [sample_variant(rng) for _ in range(60)]
    assert len({variant.spec for variant in sampled}) > 40
    for variant in sampled:
        assert not variant.is_solo
        differences = variants.rule_differences(standard, variant)
        assert all(
            is_in_training_range(name, value)
            for name, _, value in differences
            if name in {"undercut_bonus", "gin_bonus", "knock_limit", "rainbow", "first_turn"}
        )


@pytest.mark.parametrize(
    ("name", "value", "expected"),
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
def test_values_are_checked_against_the_training_range(name, value, expected):
    assert is_in_training_range(name, value) is expected


def test_held_out_rule_sets_did_not_occur_in_training(monkeypatch):
    """Use a seed for which some of the first samples occurred in the training."""
    monkeypatch.setattr(random_rules, "TRAINING_ROUNDS", 1)
    monkeypatch.setattr(random_rules, "RULE_SETS_PER_ROUND", 96)
    later_part = random_rules.RARE_RULES_PART._replace(rounds=1, rule_sets=20)
    monkeypatch.setattr(random_rules, "LATER_PARTS", (later_part,))
    training_variants = random_rules.sample_training_variants(0, random_rules.RULE_SETS_PER_ROUND)
    training_variants += later_part.sample_variants(0, later_part.rule_sets)
    training_rules = {build_rules(variant).tobytes() for variant in training_variants}
    training_rules |= {
        build_rules(variants.find_variant(name)).tobytes() for name in TWO_PLAYER_VARIANTS
    }
    held_out = random_rules.sample_held_out_variants(0x415481F6, 40)
    held_out_rules = {build_rules(variant).tobytes() for variant in held_out}
    assert len(held_out_rules) > 35 and not held_out_rules & training_rules
