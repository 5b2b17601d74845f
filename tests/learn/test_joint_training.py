"""Tests of the joint training for all rule sets."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import champion_rules as training
import numpy as np
import pytest
from simgin_strategies import champion as player
from simgin_strategies._champion_rules import N_COMMON_FEATURES, N_RULE_FEATURES

from simgin.learn import champion_weights
from simgin.play.rollouts import roll_out_deals
from simgin.rules import variants
from simgin.strategy import loader

STANDARD_VARIANT = variants.find_variant("standard")


def sample_regression_sums(rng, n, size):
    """Return random features and random sums of squares for n rule sets."""
    rows = rng.normal(size=(n, 3 * size, size))
    return rng.normal(size=(n, 4)), np.einsum("nri,nrj->nij", rows, rows)


def test_joint_regression_agrees_with_the_dense_solution():
    rng = np.random.default_rng(1)
    features, squares = sample_regression_sums(rng, 12, 5)
    residuals, penalty = rng.normal(size=(12, 5)), np.diag(np.arange(1.0, 6.0))
    dense = sum(
        np.kron(np.outer(feature, feature), square)
        for feature, square in zip(features, squares, strict=True)
    ) + np.kron(np.eye(4), penalty)
    right_side = sum(
        np.kron(feature, residual) for feature, residual in zip(features, residuals, strict=True)
    )
    weights = training.solve_ridge_regression(features, squares, residuals, penalty)
    assert weights.ravel() == pytest.approx(np.linalg.solve(dense, right_side), abs=1e-4)


def test_common_and_stage_changes_add_up_to_the_true_change():
    """Fit simulated data that is large enough to make the prior irrelevant."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(30, 4))
    expected = rng.normal(size=(5, 4, 3))
    squares = np.stack([1000 * sample_regression_sums(rng, 30, 3)[1] for _ in range(5)], axis=1)
    residuals = np.einsum("nsij,nk,skj->nsi", squares, features, expected)
    changes = training.fit_by_stage(features, squares, residuals, 1e-6)
    assert changes.reshape(4, 5, 3).swapaxes(0, 1) == pytest.approx(expected, abs=0.01)


def test_sampled_decisions_are_weighted():
    """Check that one weighted random decision per deal represents all decisions of the deal."""
    gold_early = loader.find_strategy("gold-early")
    immediate_weights, _ = champion_weights.load_initial_weights(STANDARD_VARIANT)
    make_trainer = partial(
        champion_weights.ChampionTrainer, [gold_early], immediate_weights, 3, STANDARD_VARIANT, 1
    )
    sums = {}
    for is_weighted in (True, False):
        trainer = make_trainer(is_trained=True, is_weighted=is_weighted, value_deals=20_000)
        trainer.n_matches = 100
        trainer.sample_scores()
        sums[is_weighted] = trainer.add_take_decisions(500)
    rng = np.random.default_rng([3, 0])
    scores = trainer.start_scores[0]
    deal_scores = scores[rng.integers(len(scores), size=500)]
    rollouts = roll_out_deals(
        trainer.make_matchup(gold_early, "deal"),
        champion_weights.propose_take,
        0,
        500,
        2,
        deal_scores,
    )
    assert len(set(rollouts.weights)) > 3
    stages = champion_weights.find_deal_stages(rollouts.views)
    for is_weighted, (squares, _) in sums.items():
        weights = (
            rollouts.weights / rollouts.weights.mean() if is_weighted else np.ones(len(stages))
        )
        # The first feature is 1 for every card that lowers the deadwood
        by_stage = [weights[stages == stage].sum() for stage in range(len(squares))]
        assert squares[:, 0, 0] == pytest.approx(by_stage)


@pytest.fixture
def short_training_pool(monkeypatch):
    """Shorten the training to a few seconds, and return a pool with one thread."""
    monkeypatch.setattr(
        training,
        "N_DEALS_BY_OPPONENT_TYPE",
        dict.fromkeys(training.N_DEALS_BY_OPPONENT_TYPE, (80, 80, 80)),
    )
    for name, value in {
        "N_MATCHES": 8,
        "N_MATCH_VALUE_DEALS": 20_000,
        "N_RULE_SETS_FOR_KNOCK_ODDS": 2,
        "N_LOG_ODDS_MATCHES": 20,
    }.items():
        monkeypatch.setattr(training, name, value)
    monkeypatch.setattr(training, "list_two_player_variants", lambda: ["eaai", "straight"])
    with ThreadPoolExecutor(1) as pool:
        yield pool


def train_common_features(rounds, work_directory, pool):
    return training.make_common_rules_part(rounds, 2).train(work_directory, pool)


@pytest.mark.slow
def test_interrupted_training_resumes_with_the_same_result(short_training_pool, tmp_path):
    complete = train_common_features(2, tmp_path / "whole", short_training_pool)
    assert complete.shape == (N_RULE_FEATURES, 2 * player.N_WEIGHTS_PER_BLEND)
    assert complete.any() and not complete[N_COMMON_FEATURES:].any()
    train_common_features(1, tmp_path / "parts", short_training_pool)
    resumed = train_common_features(2, tmp_path / "parts", short_training_pool)
    assert resumed.tobytes() == complete.tobytes()


@pytest.mark.slow
def test_training_is_reproducible(short_training_pool, tmp_path):
    results = []
    for name in ("first", "second"):
        deltas = train_common_features(1, tmp_path / name, short_training_pool)
        results.append(
            [deltas.tobytes(), training.fit_log_odds(deltas, short_training_pool).tobytes()]
        )
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        (training.RARE_RULES, training.RARE_RULES_PART),
        (training.TURN_LIMITS, training.TURN_LIMITS_PART),
        (training.INTERACTIONS, training.INTERACTIONS_PART),
        (training.COMBINATIONS, training.COMBINATIONS_PART),
    ],
)
def test_later_part_changes_only_the_features_of_its_rules(
    short_training_pool, tmp_path, name, part
):
    common_deltas = np.random.default_rng(4).normal(
        scale=0.01, size=(N_RULE_FEATURES, training.N_WEIGHTS_FOR_BOTH_TYPES)
    )
    later_part = training.make_later_part(name, part, 1, 2, common_deltas)
    deltas = later_part.train(tmp_path, short_training_pool)
    is_changed = (deltas != common_deltas).any(axis=1)
    fitted_features = np.r_[training.FITTED_FEATURES_BY_PART[name]]
    assert set(np.flatnonzero(is_changed)) <= set(fitted_features)
    assert deltas[fitted_features].any()


def test_log_odds_change_only_in_matches_that_count_deals(short_training_pool, monkeypatch):
    few_rule_sets = training.DEAL_COUNT_ODDS._replace(rule_sets=2)
    monkeypatch.setattr(training, "DEAL_COUNT_ODDS", few_rule_sets)
    size = training.N_WEIGHTS_FOR_BOTH_TYPES + player.N_OPPONENT_LOG_ODDS
    table = np.zeros((1 + N_RULE_FEATURES, size))
    new_table = training.fit_deal_count_log_odds(table, short_training_pool)
    changed_rows, changed_columns = np.nonzero(new_table)
    deal_count_features = range(N_RULE_FEATURES)[training.DEAL_COUNT_FEATURES]
    assert set(changed_rows - 1) <= {training.COUNTS_DEALS_INDEX, *deal_count_features}
    assert training.COUNTS_DEALS_INDEX in changed_rows - 1
    assert changed_columns.min() >= training.N_WEIGHTS_FOR_BOTH_TYPES
    assert changed_columns.max() < size - 1  # the prior log odds remain
    assert not table.any()


def test_each_training_has_a_separate_directory():
    assert training.find_work_directory(4) != training.find_work_directory(96)


def test_log_odds_have_an_intercept_for_the_usual_rules(short_training_pool):
    log_odds = training.fit_log_odds(
        np.zeros((N_RULE_FEATURES, 2 * player.N_WEIGHTS_PER_BLEND)), short_training_pool
    )
    assert log_odds.shape == (1 + N_RULE_FEATURES, player.N_OPPONENT_LOG_ODDS)
    cells = log_odds[0, : player.N_DEALS_WON_BINS * player.N_MEAN_POINTS_BINS].reshape(
        player.N_DEALS_WON_BINS, player.N_MEAN_POINTS_BINS
    )
    assert not cells[0].any()  # without a won deal, there is no evidence
    assert cells[1, 3:7].mean() > cells[1, 10:].mean()  # low means are typical of knocks


def test_prior_odds_differ_only_with_high_undercut_bonuses():
    specs = ("standard", "straight", "dice+undercut_bonus=50", "standard+undercut_bonus=50")
    *even_odds, odds = (champion_weights.load_prior_odds(variants.find_variant(s)) for s in specs)
    assert even_odds == [1, 1, 1]
    assert 0 < odds < 0.1


def test_prior_is_fitted_within_its_range_and_leaves_the_table_unchanged(
    short_training_pool, monkeypatch
):
    monkeypatch.setattr(training, "PRIOR_ODDS_RULE_SETS", 1)
    monkeypatch.setattr(training, "N_PRIOR_MATCHES", 100)
    table = np.load(training.STRATEGIES_DIRECTORY / "champion-rules.npy").astype(np.float64)
    original_table = table.copy()
    prior = training.fit_prior_log_odds(table, short_training_pool)
    assert min(training.PRIOR_LOG_ODDS) <= prior <= max(training.PRIOR_LOG_ODDS)
    assert (table == original_table).all()
