"""Tests of champion-eaai: additional weights, choices, training and strength."""

from pathlib import Path

import champion_eaai as training
import numpy as np
import pytest
from simgin_strategies import champion as player
from simgin_strategies import champion_eaai as detailed
from simgin_strategies._champion import N_FEATURES

from simgin.learn import champion_weights
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader
from support.hands import build_both_rules, list_cards
from support.shapes import find_melded_cards
from support.variant_lists import TWO_PLAYER_VARIANTS

EAAI_RULES, _ = build_both_rules("eaai")
WEIGHTS_FILE = Path(detailed.__file__).with_name("champion-eaai.npy")
# Variants in which a deal has the same rules and points as in eaai
TRAINED_VARIANTS = {"eaai", "standard", "twofold", "hollywood", "pro", "race", "dice-pro"}


@pytest.fixture(scope="module")
def decisions_by_slot():
    """Collect decisions of champion-eaai by slot."""
    decisions = {"take": [], "discard": [], "knock": []}
    for opponent in ("simple", "gin-only"):
        matchup = parse_matchup("champion-eaai", opponent, "eaai", 12, "match")
        for unit in range(3):
            for deal in range(3):
                for decision in trace_deal(matchup, unit, deal=deal).decisions:
                    if decision.seat == 0:
                        decisions[decision.slot].append(decision)
    return decisions


def list_contexts(view, deadwood_points):
    """Return the value of each context, and the lower bounds of its categories."""
    unmatched = set(list_cards(view.hand)) - find_melded_cards(list_cards(view.hand))
    return [
        (view.own_turn, detailed.TURN_BOUNDS),
        (len(unmatched), detailed.UNMATCHED_BOUNDS),
        (len(list_cards(view.known)), detailed.KNOWN_BOUNDS),
        (deadwood_points, detailed.DEADWOOD_BOUNDS),
        (view.own_points, detailed.SCORE_BOUNDS),
        (view.other_points, detailed.SCORE_BOUNDS),
    ]


def find_level(params, view):
    """Return the probability that the opponent knocks immediately, in eighths."""
    table = params[detailed.OPPONENT_TABLE_OFFSET :].reshape(5, 16, 16, 4)
    n_won = min(view.other_deals, 4)
    mean = min(view.other_points // (3 * view.other_deals), 15) if n_won else 0
    n_known = min(len(list_cards(view.known)), 3)
    return int(table[n_won, mean, min(view.own_turn, 16) - 1, n_known])


def sum_additional_weights(params, view, deadwood_points, slot):
    """Return the additional weights of the features of a decision."""
    n_rows, n_features = {
        "discard": (detailed.N_DISCARD_ROWS, N_FEATURES),
        "knock": (detailed.N_ROWS, player.N_KNOCK_FEATURES + 2),
        "take": (detailed.N_ROWS, player.N_TAKE_FEATURES),
    }[slot]
    offset = {
        "discard": detailed.DISCARD_OFFSET,
        "knock": detailed.KNOCK_OFFSET,
        "take": detailed.TAKE_OFFSET,
    }[slot]
    patient, knocking = (
        params[start : start + n_rows * n_features].reshape(n_rows, n_features)
        for start in (offset, offset + detailed.N_CONTEXT_WEIGHTS)
    )
    probability = find_level(params, view) / 8
    weights = (1 - probability) * patient + probability * knocking
    total, first_row = np.zeros(n_features), 0
    contexts = list_contexts(view, deadwood_points)
    for value, bounds in contexts[:4] if slot == "discard" else contexts:
        total += weights[first_row + sum(bound <= value for bound in bounds)]
        first_row += len(bounds) + 1
    assert first_row == n_rows
    return total


def get_params(slot):
    policy = loader.find_strategy("champion-eaai").policy(slot)
    return compiler.make_parameter_vector(policy, EAAI_RULES)


def test_discards_have_the_lowest_cost(decisions_by_slot):
    params = get_params("discard")
    n_changed = 0
    for decision in decisions_by_slot["discard"]:
        view = decision.view
        views = np.zeros(1, view.dtype)
        views[0] = view
        proposed = champion_weights.select_cheapest_discards(view, EAAI_RULES, params, 11)
        cards = list_cards(int(proposed))
        features = np.zeros((1, len(cards), N_FEATURES))
        champion_weights.compile_feature_writer(champion_weights.write_discard_features)(
            views, np.array([cards]), EAAI_RULES, features
        )
        stage = sum(view.own_turn >= first_turn for first_turn in (3, 5, 8, 11))
        start = player.N_WEIGHTS_PER_BLEND * find_level(params, view) + N_FEATURES * stage
        base = params[start : start + N_FEATURES]
        weights = base + sum_additional_weights(params, view, view.least, "discard")
        costs, base_costs = features[0] @ weights, features[0] @ base
        assert costs[cards.index(decision.action)] == pytest.approx(costs.min(), abs=1e-6)
        n_changed += costs.argmin() != base_costs.argmin()
    assert n_changed > 0


def test_knocks_and_takes_have_a_positive_gain(decisions_by_slot):
    for slot, compute_gain, compute_features in (
        ("knock", player.compute_knock_gain, detailed.compute_knock_features),
        ("take", player.compute_take_gain, detailed.compute_take_features),
    ):
        params = get_params(slot)
        n_changed = 0
        for decision in decisions_by_slot[slot]:
            view = decision.view
            deadwood_points = view.ending_count if slot == "knock" else view.count
            if slot == "knock" and deadwood_points == 0:
                continue
            features = np.array(compute_features(view, EAAI_RULES, params))
            blend_offset = player.N_WEIGHTS_PER_BLEND * find_level(params, view)
            base = compute_gain(features, view, blend_offset, params)
            weights = sum_additional_weights(params, view, deadwood_points, slot)
            gain = base + features @ weights
            assert bool(decision.action) == (gain > 0) or abs(gain) < 1e-9
            n_changed += (base > 0) != (gain > 0)
        assert n_changed > 0


def test_champion_eaai_without_additional_weights_plays_like_champion():
    weights = np.load(WEIGHTS_FILE)
    assert (
        weights[: player.N_WEIGHTS].tobytes()
        == np.load(WEIGHTS_FILE.with_name("champion.npy")).tobytes()
    )
    table = weights[player.OPPONENT_TABLE_OFFSET : player.N_WEIGHTS_PER_VARIANT]
    weights[player.N_WEIGHTS : detailed.OPPONENT_TABLE_OFFSET] = 0
    weights[detailed.OPPONENT_TABLE_OFFSET :] = np.repeat(table, detailed.N_KNOWN_BINS)
    changed = loader.with_weights(loader.find_strategy("champion-eaai"), weights.astype(float))
    eaai = variants.find_variant("eaai")
    for opponent in ("simple", "gold-early"):
        new_records, records = (
            kernel.play_with_records(
                Matchup(eaai, strategy, loader.find_strategy(opponent), 3, "match"), 0, 60
            )[1]
            for strategy in (changed, loader.find_strategy("champion"))
        )
        assert new_records.tobytes() == records.tobytes()


@pytest.mark.parametrize("variant", TWO_PLAYER_VARIANTS)
def test_additional_weights_are_zero_under_other_rules(variant):
    rules = build_rules(variants.find_variant(variant))
    for policy in loader.find_strategy("champion-eaai").policies[:3]:
        vector = compiler.make_parameter_vector(policy, rules)
        champion_policy = loader.find_strategy("champion").policy(policy.slot)
        champion_vector = compiler.make_parameter_vector(champion_policy, rules)
        assert vector[: player.N_WEIGHTS].tobytes() == champion_vector.tobytes()
        context_weights, levels = np.split(
            vector[player.N_WEIGHTS :], [2 * detailed.N_CONTEXT_WEIGHTS]
        )
        assert context_weights.any() == (variant in TRAINED_VARIANTS)
        table = player.find_weights_offset(rules) + player.OPPONENT_TABLE_OFFSET
        champion_levels = champion_vector[table : table + player.OPPONENT_TABLE_SIZE]
        is_equal = (champion_levels == levels.reshape(-1, detailed.N_KNOWN_BINS).T).all()
        assert is_equal == (variant not in TRAINED_VARIANTS)


def test_training_does_not_depend_on_the_number_of_workers():
    eaai = variants.find_variant("eaai")
    _, weights = champion_weights.load_initial_weights(eaai)
    vectors = []
    for workers in (1, 3):
        trainer = training.ContextTrainer(["gold-early", None], weights, 5, workers)
        trainer.n_matches = 20
        for name in trainer.context_weights:
            trainer.sample_scores()
            trainer.fit(name, 200)
        vectors.append(trainer.context_vector)
    assert vectors[0].any() and vectors[0].tobytes() == vectors[1].tobytes()


@pytest.mark.slow
def test_training_recovers_known_weights():
    """Fit weights to gains that are computed from known weights without noise."""
    eaai = variants.find_variant("eaai")
    _, weights = champion_weights.load_initial_weights(eaai)
    trainer = training.ContextTrainer(["gold-early"], weights, 5, 2)
    trainer.sample_scores()
    decisions = trainer.roll_out_decisions("takes", 40_000)
    known = np.random.default_rng(1).normal(size=trainer.context_weights["takes"].shape)
    gains = trainer.estimate_base_gains("takes", decisions)
    for rows in decisions.rows.T:
        gains = gains + training.multiply(decisions.features, known[rows])
    trainer.roll_out_decisions = lambda *_: decisions._replace(gains=gains)
    errors = []
    for _ in range(6):
        trainer.fit("takes", 0)
        fitted = trainer.estimate_base_gains("takes", decisions)
        for rows in decisions.rows.T:
            fitted = fitted + training.multiply(
                decisions.features, trainer.context_weights["takes"][rows]
            )
        errors.append(float(np.mean((fitted - gains) ** 2) / np.var(gains)))
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.02


def test_champion_eaai_beats_marjj_more_often_than_champion():
    """Require a difference above 0; about 5 standard errors are expected."""
    eaai = variants.find_variant("eaai")
    wins = []
    for name in ("champion-eaai", "champion"):
        matchup = Matchup(
            eaai, loader.find_strategy(name), loader.find_strategy("marjj"), 8, "match"
        )
        _, records = kernel.play_with_records(matchup, 0, 5000)
        wins.append((records["outcome"] == 0).sum() / (records["outcome"] >= 0).sum())
    assert wins[0] > wins[1]
