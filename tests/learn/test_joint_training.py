"""Tests of the joint training for all rules: its regression, its weights and its rounds."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import champion_rules as training
import numpy as np
import pytest
from simgin_strategies import champion as player
from simgin_strategies._champion_rules import N_RULE_FEATURES

from simgin.learn import champion_weights
from simgin.play.rollouts import roll_out_deals
from simgin.rules import variants
from simgin.strategy import loader

STANDARD = variants.find_variant("standard")


def random_sums(rng, n, size):
    """Return features of n rule sets and positive definite sums of squares."""
    rows = rng.normal(size=(n, 3 * size, size))
    return rng.normal(size=(n, 4)), np.einsum("nri,nrj->nij", rows, rows)


def test_the_joint_regression_equals_the_dense_solution():
    rng = np.random.default_rng(1)
    features, squares = random_sums(rng, 12, 5)
    residuals, penalty = rng.normal(size=(12, 5)), np.diag(np.arange(1.0, 6.0))
    dense = sum(
        np.kron(np.outer(f, f), s) for f, s in zip(features, squares, strict=True)
    ) + np.kron(np.eye(4), penalty)
    right = sum(np.kron(f, r) for f, r in zip(features, residuals, strict=True))
    found = training.solve_joint_ridge(features, squares, residuals, penalty)
    assert found.ravel() == pytest.approx(np.linalg.solve(dense, right), abs=1e-4)


def test_the_stages_have_a_common_change_and_their_own():
    """With ample data, the sum of both is the true change of each stage."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(30, 4))
    true = rng.normal(size=(5, 4, 3))
    squares = np.stack([1000 * random_sums(rng, 30, 3)[1] for _ in range(5)], axis=1)
    residuals = np.einsum("nsij,nk,skj->nsi", squares, features, true)
    found = training.fit_by_stage(features, squares, residuals, 1e-6)
    assert found.reshape(4, 5, 3).swapaxes(0, 1) == pytest.approx(true, abs=0.01)


def test_sampled_decisions_count_with_their_weights():
    """The draws of one decision per deal stand for all decisions of the deal."""
    gold_early = loader.find_strategy("gold-early")
    hasty, _ = champion_weights.load_initial_weights(STANDARD)
    make = partial(champion_weights.ChampionTrainer, [gold_early], hasty, 3, STANDARD, 1)
    sums = {}
    for is_weighted in (True, False):
        trainer = make(is_trained=True, is_weighted=is_weighted, value_deals=20_000)
        trainer.n_matches = 100
        trainer.sample_scores()
        sums[is_weighted] = trainer.add_takes(500)
    rng = np.random.default_rng([3, 0])
    scores = trainer.start_scores[0]
    before = scores[rng.integers(len(scores), size=500)]
    found = roll_out_deals(
        trainer.make_matchup(gold_early, "deal"), champion_weights.propose_take, 0, 500, 2, before
    )
    assert len(set(found.weights)) > 3
    stages = champion_weights.find_deal_stages(found.views)
    for is_weighted, (squares, _) in sums.items():
        weights = found.weights / found.weights.mean() if is_weighted else np.ones(len(stages))
        # The first feature is 1 for every card that lowers the deadwood
        by_stage = [weights[stages == stage].sum() for stage in range(len(squares))]
        assert squares[:, 0, 0] == pytest.approx(by_stage)


@pytest.fixture
def shrink_training(monkeypatch):
    """Shorten the training to a few seconds, and return a pool with one thread."""
    monkeypatch.setattr(
        training,
        "DEALS_BY_OPPONENT_TYPE",
        dict.fromkeys(training.DEALS_BY_OPPONENT_TYPE, (80, 80, 80)),
    )
    for name, value in {
        "N_MATCHES": 8,
        "N_VALUE_DEALS": 20_000,
        "ODDS_RULE_SETS": 2,
        "ODDS_MATCHES": 20,
    }.items():
        monkeypatch.setattr(training, name, value)
    monkeypatch.setattr(training, "list_two_player_variants", lambda: ["eaai", "straight"])
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.mark.slow
def test_an_interrupted_training_resumes_with_the_same_result(shrink_training, tmp_path):
    whole = training.train_deltas(2, 2, tmp_path / "whole", shrink_training)
    assert whole.shape == (N_RULE_FEATURES, 2 * player.BLEND_SIZE)
    assert whole.any()
    training.train_deltas(1, 2, tmp_path / "parts", shrink_training)
    assert (
        training.train_deltas(2, 2, tmp_path / "parts", shrink_training).tobytes()
        == whole.tobytes()
    )


@pytest.mark.slow
def test_two_trainings_give_the_same_bytes(shrink_training, tmp_path):
    made = []
    for name in ("first", "second"):
        deltas = training.train_deltas(1, 2, tmp_path / name, shrink_training)
        made.append([deltas.tobytes(), training.fit_log_odds(deltas, shrink_training).tobytes()])
    assert made[0] == made[1]


def test_rounds_of_another_training_are_not_resumed():
    assert training.find_work_directory(4) != training.find_work_directory(96)


def test_the_log_odds_of_the_usual_rules_are_the_constants(shrink_training):
    found = training.fit_log_odds(
        np.zeros((N_RULE_FEATURES, 2 * player.BLEND_SIZE)), shrink_training
    )
    assert found.shape == (1 + N_RULE_FEATURES, player.N_LOG_ODDS)
    cells = found[0, : player.N_DEALS_WON * player.N_MEAN_POINTS].reshape(
        player.N_DEALS_WON, player.N_MEAN_POINTS
    )
    assert not cells[0].any()  # without a won deal, there is no evidence
    assert cells[1, 3:7].mean() > cells[1, 10:].mean()  # low means are typical of knocks
