"""Worlds and beliefs: numbers of a hand, drawn hands, and whether what is likely is true."""

from collections import Counter
from itertools import combinations
from math import exp
from pathlib import Path

import beliefs as script
import numpy as np
import pytest

import simgin.toolkit.hand_sampling as worlds
from oracles import reference
from simgin.checks.contract_process import find_positions
from simgin.core.cards import ALL_CARDS
from simgin.core.jit import jit
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.toolkit import estimate_holdings
from simgin.toolkit.beliefs import find_deal_stage
from support.hands import game, mask, members, names
from support.shapes import in_melds, outs, touches, ways

ROOT = Path(__file__).resolve().parents[2]
EAAI, ROW = game("eaai")
WEIGHTS = np.load(ROOT / "strategies/hands.npy")
RIVALS = ("simple", "champion", "marjj")


def asked(rival, seed, deals):
    """(view, the opponent's hand) at one question of each deal that champion plays."""
    lots = np.random.default_rng(seed)
    matchup = parse_matchup("champion", rival, "eaai", seed, "deal")
    for unit in range(deals):
        deal = trace_deal(matchup, unit)
        views = [q.view for q in deal.decisions if q.seat == 0 and q.view.turns > 0]
        if views:
            view = views[lots.integers(len(views))]
            stock = sum(1 << int(card) for card in deal.state.pack[52 - int(view.stock) :])
            yield view, ALL_CARDS & ~(int(view.hand) | int(view.pile) | stock)


@pytest.fixture(scope="module")
def questions():
    return [pair for rival in RIVALS for pair in asked(rival, 71, 20)]


# What a hand is described by


def events(view):
    """(kind, own turn, card) of everything the opponent did: 0 declined, 1 took, 2 discarded."""
    turns = [tuple(int(x) for x in row) for row in view.history[: int(view.turns)]]
    shed = view.upcard >= 0 and int(view.shed) >> int(view.upcard) & 1
    if shed and not (turns and turns[0][0] != view.seat and turns[0][1] == 1):
        yield 0, 1, int(view.upcard)
    turn = 0
    for i, (seat, source, drawn, thrown) in enumerate(turns):
        if seat == view.seat:
            continue
        turn += 1
        if source == 1:
            yield 1, turn, drawn
        elif source == 0 and i:
            yield 0, turn, turns[i - 1][3]
        yield 2, turn, thrown


def meaning(view, hand):
    held = members(hand)
    acts = list(events(view))
    declined, thrown = ({card for kind, _, card in acts if kind == one} for one in (0, 2))
    count = reference.compute_deadwood(set(names(hand)), ROW)
    loose = sorted(set(held) - in_melds(held))
    lone = [card for card, found in ways(loose).items() if not found]
    points = {card: min(card % 13 + 1, 10) for card in held}
    new = outs(loose, set(range(52)) - set(held))
    fits = outs(held, set(range(52)) - set(held)) - new

    def touched(some, cards):
        return sum(touches(card, cards) for card in some)

    return {
        "count": count / 10,
        "count_squared": count * count / 500,
        "count_0": count == 0,
        "count_to_4": count <= 4,
        "count_to_10": count <= 10,
        f"loose_{len(loose)}": 1,
        "loose_points": sum(points[card] for card in loose) / 10,
        "loose_high": sum(card % 13 >= 9 for card in loose),
        "lone": len(lone),
        "lone_points": sum(points[card] for card in lone) / 10,
        "lone_high": sum(card % 13 >= 9 for card in lone),
        "both_ways": sum(len(found) == 2 for found in ways(loose).values()),
        "taken_loose": sum(int(view.known) >> card & 1 for card in loose),
        "taken_lone": sum(int(view.known) >> card & 1 for card in lone),
        "declined_out": len(new & declined),
        "declined_fit": len(fits & declined),
        "declined_near": touched(loose, declined),
        "thrown_out": len(new & thrown),
        "thrown_fit": len(fits & thrown),
        "thrown_near": touched(loose, thrown),
        "thrown_near_lone": touched(lone, thrown),
        "live_outs": sum(int(view.unseen) >> card & 1 for card in new) / 5,
    }


def test_every_feature_of_a_hand_agrees_with_its_name(questions):
    seen = Counter()
    lots = np.random.default_rng(3)
    for view, hand in questions:
        declined, thrown = worlds.find_declined_and_discarded(view)
        free = members(int(view.unseen))
        other = int(view.known)
        for card in lots.permutation(free)[: 10 - other.bit_count()]:
            other |= 1 << int(card)
        for ten in (hand, other):
            f = np.full(worlds.N_LIKELIHOOD_FEATURES, np.nan)
            worlds.write_hand_features(f, ten, declined, thrown, view, EAAI)
            expected = dict.fromkeys(worlds.LIKELIHOOD_FEATURE_NAMES, 0) | meaning(view, ten)
            expected = {name: float(number) for name, number in expected.items()}
            assert dict(zip(worlds.LIKELIHOOD_FEATURE_NAMES, f, strict=True)) == pytest.approx(
                expected
            )
            seen.update(name for name, number in expected.items() if number)
    rare = {"loose_0", "loose_8", "loose_9", "loose_10", "count_0"}
    assert set(worlds.LIKELIHOOD_FEATURE_NAMES) - set(seen) <= rare


def test_the_weights_follow_stage_and_kind(questions):
    table = WEIGHTS.reshape(2, 4, worlds.N_LIKELIHOOD_FEATURES)
    for view, _ in questions[:20]:
        for hasty in (0.0, 0.25, 1.0):
            weights = np.zeros(worlds.N_LIKELIHOOD_FEATURES)
            worlds.interpolate_weights(weights, view, hasty, np.append([7.0], WEIGHTS), 1)
            now = find_deal_stage(int(view.turns) - int(view.own_turn) + 1)
            expected = hasty * table[1, now] + (1 - hasty) * table[0, now]
            assert weights == pytest.approx(expected)


# How hands are drawn


@jit
def draw(view, hasty, numbers, first, thin, rules, seed, hands):
    f, weights = np.zeros(worlds.N_LIKELIHOOD_FEATURES), np.zeros(worlds.N_LIKELIHOOD_FEATURES)
    worlds.interpolate_weights(weights, view, hasty, numbers, 0)
    declined, thrown = worlds.find_declined_and_discarded(view)
    stream = np.zeros(33, np.int64)
    unknown = 10 - worlds.popcount(view.known)
    hidden = worlds.sample_cards(view.unseen, unknown, seed, stream)
    steps = first
    for i in range(len(hands)):
        hidden = worlds.run_metropolis(
            hidden, steps, f, weights, declined, thrown, view, rules, seed, stream
        )
        steps = thin
        hands[i] = hidden | view.known


def narrow_view(view, hand, cards):
    """Return a view with few unseen cards, in which the opponent took most of the hand."""
    view = view.copy()
    free = members(hand & ~int(view.known))
    rest = members(int(view.unseen) & ~hand)
    unseen = [*free[:3], *rest[: cards - 3]]
    view.known = hand & ~sum(1 << card for card in unseen)
    view.unseen = sum(1 << card for card in unseen)
    return view


def test_hands_are_sampled_with_their_probabilities(questions):
    """Three hidden cards of seven: 35 hands, each with its known probability, within 4.5 errors."""
    for view, hand in questions[5:50:9]:
        few = narrow_view(view, hand, 7)
        hands = np.zeros(30_000, np.int64)
        draw(few, 0.3, WEIGHTS * 0.5, 50, 12, EAAI, 5, hands)
        declined, thrown = worlds.find_declined_and_discarded(few)
        f, weights = np.zeros(worlds.N_LIKELIHOOD_FEATURES), np.zeros(worlds.N_LIKELIHOOD_FEATURES)
        worlds.interpolate_weights(weights, few, 0.3, WEIGHTS * 0.5, 0)
        odds = {}
        for three in combinations(members(int(few.unseen)), 3):
            ten = sum(1 << card for card in three) | int(few.known)
            odds[ten] = exp(
                worlds.compute_log_likelihood(ten, f, weights, declined, thrown, few, EAAI)
            )
        total = sum(odds.values())
        found = Counter(hands.tolist())
        assert set(found) <= set(odds)
        often = [ten for ten, odd in odds.items() if odd / total > 0.005]
        share = np.array([odds[ten] / total for ten in often])
        counted = np.array([found[ten] / len(hands) for ten in often])
        # neighbours in the chain are alike: errors as of a third of the draws
        error = np.sqrt(share * (1 - share) / (len(hands) / 3))
        assert (np.abs(counted - share) < 4.5 * error + 0.01 * share).all()


def test_hands_have_the_cards_that_they_must_have_and_follow_the_noise(questions):
    first, again, other = (np.zeros(20, np.int64) for _ in range(3))
    for view, _ in questions:
        for seed, hands in ((5, first), (5, again), (6, other)):
            draw(view, 0.5, WEIGHTS, 20, 5, EAAI, seed, hands)
        assert (first == again).all()
        for hand in map(int, first):
            assert hand.bit_count() == 10
            assert hand & int(view.known) == view.known
            assert hand & ~int(view.known) & ~int(view.unseen) == 0
    assert (first != other).any()


def test_some_of_samples_uniformly():
    @jit
    def count(cards, n, seed, drawn):
        stream = np.zeros(33, np.int64)
        for _ in range(30_000):
            found = worlds.sample_cards(cards, n, seed, stream)
            for card in range(52):
                drawn[card] += found >> card & 1

    cards = mask(["AS", "5S", "KS", "2H", "9D", "KC"])
    drawn = np.zeros(52)
    count(cards, 2, 4, drawn)
    chosen = drawn[members(cards)]
    assert drawn.sum() == chosen.sum() == 60_000
    assert (np.abs(chosen - 10_000) < 5 * np.sqrt(30_000 * 2 / 9)).all()


def test_the_stock_is_what_is_left_in_every_order(questions):
    view, hand = questions[1]
    hidden = hand & ~int(view.known)
    stream, stock = np.zeros(33, np.int64), np.zeros(52, np.int64)
    firsts = Counter()
    for _ in range(4000):
        worlds.shuffle_stock(hidden, view, 3, stream, stock)
        left = stock[: int(view.stock)].tolist()
        assert sum(1 << card for card in left) == int(view.unseen) & ~hidden
        firsts[left[0]] += 1
    expected = 4000 / int(view.stock)
    assert all(abs(n - expected) < 5 * np.sqrt(expected) for n in firsts.values())
    assert len(firsts) == view.stock


# Whether it is true


def test_holding_probabilities_are_calibrated():
    """Deals that were not used for the fit; each tenth within 4 standard errors and 2 %."""
    said, held, better, alike = [], [], [], []
    for rival, hasty in (("champion", 0.0), ("gold-early", 0.0), ("simple", 1.0)):
        for view, hand in asked(rival, 87, 130):
            hands = np.zeros(150, np.int64)
            draw(view, hasty, WEIGHTS, 150, 15, EAAI, 1, hands)
            cards = np.array(members(int(view.unseen)))
            p = (hands[:, None] >> cards & 1).mean(axis=0)
            truly = hand >> cards & 1
            said.extend(p)
            held.extend(truly)
            even = (10 - int(view.known).bit_count()) / len(cards)
            better.append(np.mean((p - truly) ** 2))
            alike.append(np.mean((even - truly) ** 2))
    said, held = np.array(said), np.array(held)
    for low in np.arange(0, 1, 0.1):
        group = (said >= low) & (said < low + 0.1)
        n = group.sum()
        if n >= 60:
            error = np.sqrt(held[group].mean() * (1 - held[group].mean()) / n)
            assert abs(said[group].mean() - held[group].mean()) < 4 * error + 0.02
    gain = np.array(alike) - np.array(better)
    assert gain.mean() > 4 * gain.std() / np.sqrt(len(gain)) > 0


# Beliefs about single cards, against a plain reference, real hands and the training data

NUMBERS = np.load(ROOT / "strategies" / "beliefs.npy")
GAMES = ("standard", "straight", "oklahoma", "basic", "solitaire-gin", "round-the-corner")


@pytest.fixture(scope="module")
def views():
    games = [(variants.find_variant(name), ending) for name in GAMES for ending in ("best", "same")]
    return [view for game in games for view in find_positions(*game)["discard"][:60]]


def believed(view):
    chances = np.zeros(52)
    estimate_holdings(view, NUMBERS, 0, chances)
    return chances


def stage_of(turn):
    return sum(turn >= begin for begin in (4, 7, 11))


def odds(view, card):
    """Return the odds of a single card, from the description in the module."""
    completed = int(view.turns) - (int(view.own_turn) - 1)
    found = NUMBERS[13 * stage_of(completed) + card % 13]
    for kind, turn, other in events(view):
        near = abs(card % 13 - other % 13)
        relation = 0 if near == 0 else near if card // 13 == other // 13 and near <= 2 else None
        if relation is not None:
            found *= NUMBERS[52 + 12 * kind + 3 * stage_of(turn) + relation]
    return found


def test_the_odds_agree_with_a_plain_reference(views):
    """Cards that are known or elsewhere are certain; the others add up to the cards held."""
    assert len(views) > 300
    for view in views:
        unseen, known = members(view.unseen), members(view.known)
        chances, others = believed(view), set(range(52)).difference(unseen, known)
        alone = view.deck_left >= 0
        assert all(chances[card] == (not alone) for card in known)
        assert not chances[list(others)].any()
        k = 0 if alone else max(0, 10 - len(known))
        if not 0 < k < len(unseen):
            assert chances[unseen].sum() == pytest.approx(k)
            continue
        o = np.array([odds(view, card) for card in unseen])
        low, high = 0.0, 1e9
        for _ in range(200):  # bisection, where the module takes Newton's steps
            s = (low + high) / 2
            low, high = (s, high) if (s * o / (1 + s * o)).sum() < k else (low, s)
        assert chances[unseen] == pytest.approx(s * o / (1 + s * o), rel=1e-5)


def test_beliefs_predict_hands_better_than_equal_chances():
    """On 400 deals not learned from, the log-loss per card falls by 7 % (standard error .4 %)."""
    _, held, seen = script.collect_decisions(
        [("gold-early", "simple"), ("gold", "gin-only")], 200, 20261122
    )
    losses = script.compute_prediction_losses(NUMBERS, held, seen)
    assert losses["beliefs"][0] < 0.96 * losses["uniform"][0]
    assert losses["beliefs"][1] < 0.96 * losses["uniform"][1]


def test_the_training_script_of_beliefs_learns_in_miniature():
    rows, held, _ = script.collect_decisions([("gold", "simple")], 30, 5)
    again, _, _ = script.collect_decisions([("gold", "simple")], 30, 5)
    assert (rows == again).all() and rows[:, :52].sum(axis=1).tolist() == [1] * len(rows)
    numbers = script.fit_multipliers(rows, held)
    assert numbers.shape == NUMBERS.shape and (numbers > 0).all()
