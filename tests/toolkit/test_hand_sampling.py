"""Tests of sampled hands of the opponent and of beliefs about single cards."""

from collections import Counter
from itertools import combinations
from math import exp
from pathlib import Path

import beliefs as script
import numpy as np
import pytest

from oracles import reference
from simgin.checks.contract_process import find_positions
from simgin.core.cards import ALL_CARDS
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.toolkit import estimate_holdings, hand_sampling
from simgin.toolkit.beliefs import find_deal_stage
from support.cached_compilation import compile_cached
from support.hands import build_both_rules, list_card_names, list_cards, to_mask
from support.shapes import find_melded_cards, find_outs, find_partner_types, is_next_to_any

ROOT = Path(__file__).resolve().parents[2]
EAAI_RULES, EAAI_PARAMS = build_both_rules("eaai")
HAND_WEIGHTS = np.load(ROOT / "strategies/hands.npy")
OPPONENTS = ("simple", "champion", "marjj")


def iter_views_and_hands(opponent, seed, n_deals):
    """Yield champion's view and the opponent's hand at one decision of each deal."""
    rng = np.random.default_rng(seed)
    matchup = parse_matchup("champion", opponent, "eaai", seed, "deal")
    for unit in range(n_deals):
        deal = trace_deal(matchup, unit)
        candidate_views = [
            decision.view
            for decision in deal.decisions
            if decision.seat == 0 and decision.view.turns > 0
        ]
        if candidate_views:
            view = candidate_views[rng.integers(len(candidate_views))]
            stock = sum(1 << int(card) for card in deal.state.pack[52 - int(view.stock) :])
            yield view, ALL_CARDS & ~(int(view.hand) | int(view.pile) | stock)


@pytest.fixture(scope="module")
def views_and_hands():
    return [pair for opponent in OPPONENTS for pair in iter_views_and_hands(opponent, 71, 20)]


# What a hand is described by


def iter_opponent_events(view):
    """Yield the type (0 declined, 1 taken, 2 discarded), the turn and the card of each event."""
    turns = [tuple(int(value) for value in row) for row in view.history[: int(view.turns)]]
    shed = view.upcard >= 0 and int(view.shed) >> int(view.upcard) & 1
    if shed and not (turns and turns[0][0] != view.seat and turns[0][1] == 1):
        yield 0, 1, int(view.upcard)
    turn = 0
    for i, (seat, source, drawn, discard) in enumerate(turns):
        if seat == view.seat:
            continue
        turn += 1
        if source == 1:
            yield 1, turn, drawn
        elif source == 0 and i:
            yield 0, turn, turns[i - 1][3]
        yield 2, turn, discard


def compute_hand_features_by_name(view, hand):
    """Return the nonzero features of a hand as a dictionary by name."""
    hand_cards = list_cards(hand)
    events = list(iter_opponent_events(view))
    declined, discarded = (
        {card for kind, _, card in events if kind == event_kind} for event_kind in (0, 2)
    )
    deadwood = reference.compute_deadwood(set(list_card_names(hand)), EAAI_PARAMS)
    unmatched = sorted(set(hand_cards) - find_melded_cards(hand_cards))
    isolated = [card for card, pairs in find_partner_types(unmatched).items() if not pairs]
    points = {card: min(card % 13 + 1, 10) for card in hand_cards}
    new_outs = find_outs(unmatched, set(range(52)) - set(hand_cards))
    melded_outs = find_outs(hand_cards, set(range(52)) - set(hand_cards)) - new_outs

    def count_neighbours(chosen, cards):
        return sum(is_next_to_any(card, cards) for card in chosen)

    return {
        "count": deadwood / 10,
        "count_squared": deadwood * deadwood / 500,
        "count_0": deadwood == 0,
        "count_to_4": deadwood <= 4,
        "count_to_10": deadwood <= 10,
        f"loose_{len(unmatched)}": 1,
        "loose_points": sum(points[card] for card in unmatched) / 10,
        "loose_high": sum(card % 13 >= 9 for card in unmatched),
        "lone": len(isolated),
        "lone_points": sum(points[card] for card in isolated) / 10,
        "lone_high": sum(card % 13 >= 9 for card in isolated),
        "both_ways": sum(len(pairs) == 2 for pairs in find_partner_types(unmatched).values()),
        "taken_loose": sum(int(view.known) >> card & 1 for card in unmatched),
        "taken_lone": sum(int(view.known) >> card & 1 for card in isolated),
        "declined_out": len(new_outs & declined),
        "declined_fit": len(melded_outs & declined),
        "declined_near": count_neighbours(unmatched, declined),
        "thrown_out": len(new_outs & discarded),
        "thrown_fit": len(melded_outs & discarded),
        "thrown_near": count_neighbours(unmatched, discarded),
        "thrown_near_lone": count_neighbours(isolated, discarded),
        "live_outs": sum(int(view.unseen) >> card & 1 for card in new_outs) / 5,
    }


def test_hand_features_agree_with_their_names(views_and_hands):
    nonzero_counts = Counter()
    rng = np.random.default_rng(3)
    for view, hand in views_and_hands:
        declined, discarded = hand_sampling.find_declined_and_discarded(view)
        unseen_cards = list_cards(int(view.unseen))
        sampled_hand = int(view.known)
        for card in rng.permutation(unseen_cards)[: 10 - sampled_hand.bit_count()]:
            sampled_hand |= 1 << int(card)
        for candidate in (hand, sampled_hand):
            features = np.full(hand_sampling.N_LIKELIHOOD_FEATURES, np.nan)
            hand_sampling.write_hand_features(
                features, candidate, declined, discarded, view, EAAI_RULES
            )
            expected = dict.fromkeys(
                hand_sampling.LIKELIHOOD_FEATURE_NAMES, 0
            ) | compute_hand_features_by_name(view, candidate)
            expected = {name: float(feature) for name, feature in expected.items()}
            assert dict(
                zip(hand_sampling.LIKELIHOOD_FEATURE_NAMES, features, strict=True)
            ) == pytest.approx(expected)
            nonzero_counts.update(name for name, feature in expected.items() if feature)
    rare = {"loose_0", "loose_8", "loose_9", "loose_10", "count_0"}
    assert set(hand_sampling.LIKELIHOOD_FEATURE_NAMES) - set(nonzero_counts) <= rare


def test_weights_are_interpolated_by_stage_and_player_type(views_and_hands):
    table = HAND_WEIGHTS.reshape(2, 4, hand_sampling.N_LIKELIHOOD_FEATURES)
    for view, _ in views_and_hands[:20]:
        for immediate_probability in (0.0, 0.25, 1.0):
            weights = np.zeros(hand_sampling.N_LIKELIHOOD_FEATURES)
            hand_sampling.interpolate_weights(
                weights, view, immediate_probability, np.append([7.0], HAND_WEIGHTS), 1
            )
            stage = find_deal_stage(int(view.turns) - int(view.own_turn) + 1)
            expected = (
                immediate_probability * table[1, stage]
                + (1 - immediate_probability) * table[0, stage]
            )
            assert weights == pytest.approx(expected)


# How hands are drawn


@compile_cached
def sample_hands(
    view, immediate_probability, hand_weights, n_initial_steps, n_steps_between, rules, seed, hands
):
    features, weights = (
        np.zeros(hand_sampling.N_LIKELIHOOD_FEATURES),
        np.zeros(hand_sampling.N_LIKELIHOOD_FEATURES),
    )
    hand_sampling.interpolate_weights(weights, view, immediate_probability, hand_weights, 0)
    declined, discarded = hand_sampling.find_declined_and_discarded(view)
    stream = np.zeros(33, np.int64)
    n_hidden = 10 - hand_sampling.popcount(view.known)
    hidden_cards = hand_sampling.sample_cards(view.unseen, n_hidden, seed, stream)
    steps = n_initial_steps
    for i in range(len(hands)):
        hidden_cards = hand_sampling.run_metropolis(
            hidden_cards, steps, features, weights, declined, discarded, view, rules, seed, stream
        )
        steps = n_steps_between
        hands[i] = hidden_cards | view.known


def make_narrow_view(view, hand, n_unseen):
    """Return a view with few unseen cards, in which the opponent took most of the hand."""
    view = view.copy()
    hidden_cards = list_cards(hand & ~int(view.known))
    stock_cards = list_cards(int(view.unseen) & ~hand)
    unseen = [*hidden_cards[:3], *stock_cards[: n_unseen - 3]]
    view.known = hand & ~sum(1 << card for card in unseen)
    view.unseen = sum(1 << card for card in unseen)
    return view


def test_hands_are_sampled_with_their_probabilities(views_and_hands):
    """Enumerate 35 hands of three hidden cards among seven, with a tolerance of 4.5 SE."""
    for view, hand in views_and_hands[5:50:9]:
        narrow = make_narrow_view(view, hand, 7)
        hands = np.zeros(30_000, np.int64)
        sample_hands(narrow, 0.3, HAND_WEIGHTS * 0.5, 50, 12, EAAI_RULES, 5, hands)
        declined, discarded = hand_sampling.find_declined_and_discarded(narrow)
        features, weights = (
            np.zeros(hand_sampling.N_LIKELIHOOD_FEATURES),
            np.zeros(hand_sampling.N_LIKELIHOOD_FEATURES),
        )
        hand_sampling.interpolate_weights(weights, narrow, 0.3, HAND_WEIGHTS * 0.5, 0)
        likelihoods = {}
        for hidden_cards in combinations(list_cards(int(narrow.unseen)), 3):
            candidate = sum(1 << card for card in hidden_cards) | int(narrow.known)
            likelihoods[candidate] = exp(
                hand_sampling.compute_log_likelihood(
                    candidate, features, weights, declined, discarded, narrow, EAAI_RULES
                )
            )
        total = sum(likelihoods.values())
        counts = Counter(hands.tolist())
        assert set(counts) <= set(likelihoods)
        frequent_hands = [
            candidate for candidate, likelihood in likelihoods.items() if likelihood / total > 0.005
        ]
        probabilities = np.array([likelihoods[candidate] / total for candidate in frequent_hands])
        frequencies = np.array([counts[candidate] / len(hands) for candidate in frequent_hands])
        # neighbours in the chain are alike: errors as of a third of the draws
        error = np.sqrt(probabilities * (1 - probabilities) / (len(hands) / 3))
        assert (np.abs(frequencies - probabilities) < 4.5 * error + 0.01 * probabilities).all()


def test_sampled_hands_are_valid_and_reproducible(views_and_hands):
    first, repeated, other_seed = (np.zeros(20, np.int64) for _ in range(3))
    for view, _ in views_and_hands:
        for seed, hands in ((5, first), (5, repeated), (6, other_seed)):
            sample_hands(view, 0.5, HAND_WEIGHTS, 20, 5, EAAI_RULES, seed, hands)
        assert (first == repeated).all()
        for hand in map(int, first):
            assert hand.bit_count() == 10
            assert hand & int(view.known) == view.known
            assert hand & ~int(view.known) & ~int(view.unseen) == 0
    assert (first != other_seed).any()


@compile_cached
def count_sampled(cards, n, seed, counts):
    stream = np.zeros(33, np.int64)
    for _ in range(30_000):
        sampled = hand_sampling.sample_cards(cards, n, seed, stream)
        for card in range(52):
            counts[card] += sampled >> card & 1


def test_sample_cards_is_uniform():
    cards = to_mask(["AS", "5S", "KS", "2H", "9D", "KC"])
    counts = np.zeros(52)
    count_sampled(cards, 2, 4, counts)
    card_counts = counts[list_cards(cards)]
    assert counts.sum() == card_counts.sum() == 60_000
    assert (np.abs(card_counts - 10_000) < 5 * np.sqrt(30_000 * 2 / 9)).all()


def test_shuffled_stock_contains_the_remaining_cards(views_and_hands):
    view, hand = views_and_hands[1]
    hidden_cards = hand & ~int(view.known)
    stream, stock = np.zeros(33, np.int64), np.zeros(52, np.int64)
    first_card_counts = Counter()
    for _ in range(4000):
        hand_sampling.shuffle_stock(hidden_cards, view, 3, stream, stock)
        stock_cards = stock[: int(view.stock)].tolist()
        assert sum(1 << card for card in stock_cards) == int(view.unseen) & ~hidden_cards
        first_card_counts[stock_cards[0]] += 1
    expected = 4000 / int(view.stock)
    assert all(
        abs(count - expected) < 5 * np.sqrt(expected) for count in first_card_counts.values()
    )
    assert len(first_card_counts) == view.stock


# Whether it is true


def test_holding_probabilities_are_calibrated():
    """Compare predicted and actual holdings in held-out deals, by tenth of the probability."""
    predicted, is_held, losses, uniform_losses = [], [], [], []
    for opponent, immediate_probability in (
        ("champion", 0.0),
        ("gold-early", 0.0),
        ("simple", 1.0),
    ):
        for view, hand in iter_views_and_hands(opponent, 87, 130):
            hands = np.zeros(150, np.int64)
            sample_hands(view, immediate_probability, HAND_WEIGHTS, 150, 15, EAAI_RULES, 1, hands)
            cards = np.array(list_cards(int(view.unseen)))
            probabilities = (hands[:, None] >> cards & 1).mean(axis=0)
            is_held_here = hand >> cards & 1
            predicted.extend(probabilities)
            is_held.extend(is_held_here)
            uniform_probability = (10 - int(view.known).bit_count()) / len(cards)
            losses.append(np.mean((probabilities - is_held_here) ** 2))
            uniform_losses.append(np.mean((uniform_probability - is_held_here) ** 2))
    predicted, is_held = np.array(predicted), np.array(is_held)
    for low in np.arange(0, 1, 0.1):
        in_tenth = (predicted >= low) & (predicted < low + 0.1)
        n = in_tenth.sum()
        if n >= 60:
            error = np.sqrt(is_held[in_tenth].mean() * (1 - is_held[in_tenth].mean()) / n)
            assert abs(predicted[in_tenth].mean() - is_held[in_tenth].mean()) < 4 * error + 0.02
    gain = np.array(uniform_losses) - np.array(losses)
    assert gain.mean() > 4 * gain.std() / np.sqrt(len(gain)) > 0


# Beliefs about single cards, against a plain reference, real hands and the training data

BELIEF_WEIGHTS = np.load(ROOT / "strategies" / "beliefs.npy")
BELIEF_VARIANTS = ("standard", "straight", "oklahoma", "basic", "solitaire-gin", "round-the-corner")


@pytest.fixture(scope="module")
def discard_views():
    """Collect views of discard decisions in several variants."""
    variants_and_endings = [
        (variants.find_variant(name), ending)
        for name in BELIEF_VARIANTS
        for ending in ("best", "same")
    ]
    return [
        view
        for variant_and_ending in variants_and_endings
        for view in find_positions(*variant_and_ending)["discard"][:60]
    ]


def estimate_by_beliefs(view):
    probabilities = np.zeros(52)
    estimate_holdings(view, BELIEF_WEIGHTS, 0, probabilities)
    return probabilities


def find_stage(turn):
    return sum(turn >= begin for begin in (4, 7, 11))


def compute_odds(view, card):
    """Return the odds that the opponent holds a card, as defined in `simgin.toolkit.beliefs`."""
    n_opponent_turns = int(view.turns) - (int(view.own_turn) - 1)
    card_odds = BELIEF_WEIGHTS[13 * find_stage(n_opponent_turns) + card % 13]
    for kind, turn, other in iter_opponent_events(view):
        rank_distance = abs(card % 13 - other % 13)
        relation = (
            0
            if rank_distance == 0
            else rank_distance
            if card // 13 == other // 13 and rank_distance <= 2
            else None
        )
        if relation is not None:
            card_odds *= BELIEF_WEIGHTS[52 + 12 * kind + 3 * find_stage(turn) + relation]
    return card_odds


def test_beliefs_agree_with_a_plain_reference(discard_views):
    """Expect certainty about known cards, and probabilities that add up to the cards held."""
    assert len(discard_views) > 300
    for view in discard_views[::2]:
        unseen, known = list_cards(view.unseen), list_cards(view.known)
        probabilities, excluded = (
            estimate_by_beliefs(view),
            set(range(52)).difference(unseen, known),
        )
        is_solo = view.deck_left >= 0
        assert all(probabilities[card] == (not is_solo) for card in known)
        assert not probabilities[list(excluded)].any()
        n_hidden = 0 if is_solo else max(0, 10 - len(known))
        if not 0 < n_hidden < len(unseen):
            assert probabilities[unseen].sum() == pytest.approx(n_hidden)
            continue
        card_odds = np.array([compute_odds(view, card) for card in unseen])
        low, high = 0.0, 1e9
        for _ in range(80):  # bisection, where the module takes Newton's steps
            factor = (low + high) / 2
            low, high = (
                (factor, high)
                if (factor * card_odds / (1 + factor * card_odds)).sum() < n_hidden
                else (low, factor)
            )
        assert probabilities[unseen] == pytest.approx(
            factor * card_odds / (1 + factor * card_odds), rel=1e-5
        )


def test_beliefs_predict_hands_better_than_uniform_probabilities():
    """Use 400 held-out deals, in which the log-loss per card falls by 7 ± 0.4 %."""
    _, is_held, features = script.collect_decisions(
        [("gold-early", "simple"), ("gold", "gin-only")], 200, 20261122
    )
    losses = script.compute_prediction_losses(BELIEF_WEIGHTS, is_held, features)
    assert losses["beliefs"][0] < 0.96 * losses["uniform"][0]
    assert losses["beliefs"][1] < 0.96 * losses["uniform"][1]


def test_belief_training_is_reproducible():
    rows, is_held, _ = script.collect_decisions([("gold", "simple")], 30, 5)
    repeated, _, _ = script.collect_decisions([("gold", "simple")], 30, 5)
    assert (rows == repeated).all() and rows[:, :52].sum(axis=1).tolist() == [1] * len(rows)
    multipliers = script.fit_multipliers(rows, is_held)
    assert multipliers.shape == BELIEF_WEIGHTS.shape and (multipliers > 0).all()
