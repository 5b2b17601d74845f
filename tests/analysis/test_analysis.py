"""Tests of analyses: the best action, progress, decisions of a deal, and values with the die."""

from itertools import product

import numpy as np
import pytest

from simgin.analysis.analysis import (
    AnalysisBudget,
    analyse_deal,
    analyse_position,
    compare_actions,
    compute_next_sample_size,
    find_contenders,
)
from simgin.analysis.kernels import fill_game_table, fill_won_deals_table
from simgin.analysis.position import find_decisions
from simgin.analysis.position_parts import Die
from simgin.analysis.position_text import parse_position
from simgin.analysis.stake_value import compute_equity
from simgin.play.matchup import parse_matchup
from simgin.play.replay import trace_numbered_deal
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.strategy import compiler, loader

N_WORLDS, N_RUNS = 3_200, 200
MAX_MISSED_RUNS = 19  # of 200 runs at a rate of 5 %; a larger number has a probability of 0.2 %


def sample_correlated_values(rng, worlds, means):
    """Sample values whose noise is partly shared by all actions of a world."""
    common = rng.normal(0, 30, (worlds, 1))
    return common + rng.normal(means, 20, (worlds, len(means)))


def sample_values_with_rare_losses(rng, worlds, means):
    """Sample values with the given means, so that every second action has a rare large loss."""
    n = len(means)
    is_loss = rng.random((worlds, n)) < 1 / 80
    has_losses = np.arange(n) % 2 == 1
    return means + np.where(
        has_losses, np.where(is_loss, -79.0, 1.0), rng.normal(0, 1, (worlds, n))
    )


def eliminate_actions(sample_values, seed, means):
    """Sample worlds until one action is left, and return the values and the remaining actions."""
    rng = np.random.default_rng(seed)
    all_values = sample_values(rng, N_WORLDS, np.array(means))
    is_active = np.ones(len(means), bool)
    n_sampled = 0
    values = all_values[:0].copy()
    while n_sampled < N_WORLDS and is_active.sum() > 1:
        checkpoint = compute_next_sample_size(n_sampled, N_WORLDS)
        values = np.concatenate(
            [values, np.where(is_active, all_values[n_sampled:checkpoint], np.nan)]
        )
        is_active = find_contenders(values, N_WORLDS)
        n_sampled = checkpoint
    return values, is_active


@pytest.mark.parametrize(
    "sample_values", [sample_correlated_values, sample_values_with_rare_losses]
)
@pytest.mark.parametrize(
    "means", [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.01), (0.0, 0.5, 1.0, 1.5, 2.0, 2.5), (3.0, 0.0)]
)
def test_best_action_and_intervals_have_at_most_5_percent_errors(sample_values, means):
    best = int(np.argmax(means))
    n_eliminated = n_not_covered = 0
    for seed in range(N_RUNS):
        values, is_active = eliminate_actions(sample_values, seed, means)
        gaps = compare_actions(values, N_WORLDS)
        true_gaps = np.array(means) - means[gaps.best_index]
        n_eliminated += not is_active[best]
        n_not_covered += bool((np.abs(gaps.means - true_gaps) > gaps.half_widths + 1e-12).any())
    assert n_eliminated <= MAX_MISSED_RUNS
    assert n_not_covered <= MAX_MISSED_RUNS


def test_only_clearly_worse_actions_are_eliminated():
    values, is_active = eliminate_actions(sample_correlated_values, 1, (0.0, 40.0, -5.0))
    assert list(is_active) == [False, True, False] and len(values) == 200
    equal_values = np.tile(np.random.default_rng(1).normal(size=(400, 1)), (1, 2))
    assert find_contenders(equal_values, 400).all()
    checkpoints = [0]
    while checkpoints[-1] < 5_000:
        checkpoints.append(compute_next_sample_size(checkpoints[-1], 5_000))
    assert checkpoints == [0, 200, 400, 800, 1600, 3200, 5000]


def test_eliminated_action_is_compared_in_the_worlds_in_which_it_was_tried():
    values = sample_correlated_values(np.random.default_rng(3), 800, np.array([0.0, 1.0, 2.0]))
    values[400:, 0] = np.nan
    gaps = compare_actions(values, 800)
    common_values = values[:400]
    assert gaps.means[0] == pytest.approx(
        (common_values[:, 0] - common_values[:, gaps.best_index]).mean()
    )
    assert gaps.half_widths[gaps.best_index] == 0


def test_progress_reports_intermediate_analyses():
    position = find_decisions(trace_numbered_deal("gold", "simple", "standard", 1, 3, 0, None), 5)[
        1
    ]
    reports = []

    def record_progress(done, total, get_analysis):
        reports.append((done, total, get_analysis()))

    final = analyse_position(
        position, "gold", "gold", AnalysisBudget(max_worlds=600), record_progress
    )
    worlds = [done for done, _, _ in reports]
    assert worlds == sorted(set(worlds))
    assert len(worlds) > 1
    assert all(total == 600 and analysis.n_worlds == done for done, total, analysis in reports)
    assert reports[-1][2].frame().equals(final.frame())


def test_progress_of_a_deal_reports_the_analysed_decisions():
    deal = trace_numbered_deal("gold", "simple", "standard", 1, 3, 0, None)
    reports = []

    def record_progress(done, total, get_analyses):
        reports.append((done / total, list(get_analyses())))

    analyses = analyse_deal(deal, 5, None, None, AnalysisBudget(max_worlds=400), record_progress)
    assert reports[-1] == (1, list(analyses))
    progress_values = [progress for progress, _ in reports]
    assert progress_values == sorted(progress_values)
    assert reports[0][1] == list(analyses)[:1]


@pytest.mark.parametrize("variant", ["solitaire-gin-knock", "solitary-gin"])
def test_decisions_of_a_deal_are_titled_by_turn(variant):
    matchup = parse_matchup("solo-greedy+knock=at:k=3", None, variant, 2, "deal")
    deal = trace_deal(matchup, 3)
    analyses = analyse_deal(deal, None, None, None, AnalysisBudget(max_worlds=50))
    turns = [decision.view.turn for decision in deal.decisions if decision.slot == "discard"]
    discards = [title for title in analyses if title.endswith("discard")]
    assert set(discards) >= {f"turn {turn}, discard" for turn in turns}
    for analysis in analyses.values():
        assert analysis.matchup.b is None
        assert analysis.position.recorded_action in analysis.position.actions
        assert not analysis.has_match_probability


# Value of a match state with the die, compared with plain iteration and exact values


TEN_CARD_HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
LOSER_DEALS_NEXT, WINNER_DEALS_NEXT = (
    np.array([[1, 0, 0], [1, 0, 1]]),
    np.array([[0, 1, 0], [0, 1, 1]]),
)


def test_won_deals_table_agrees_with_the_stake_policies():
    policy = loader.find_strategy("dice-player").policy("offer")
    policy_values = compiler.make_parameter_vector(policy)[-2 * 21 * 21 :].reshape(2, 21, 21)
    result_probabilities = np.zeros((2, 3, 2))
    result_probabilities[:, :2, 1] = 0.5
    match_goal = 7
    table = np.zeros((match_goal + 1, match_goal + 1, 2))
    table[match_goal] = 1
    fill_won_deals_table(table, result_probabilities, WINNER_DEALS_NEXT, 6, False)
    for a, b in product(range(match_goal), repeat=2):
        needed = match_goal - 1 - a, match_goal - 1 - b
        assert table[a, b, 0] == pytest.approx(policy_values[1][needed], abs=1e-5)
        assert table[a, b, 1] == pytest.approx(policy_values[0][needed], abs=1e-5)


def compute_value_before_blind_offers(deal_value, refusal_value, dealer, stake, owner, cap):
    """Return the value to seat 0 with optimal blind offers and responses to them.

    `deal_value(stake, owner)` returns the value of a deal, and `refusal_value(seat)` returns the
    value of a refusal of an offer by a seat.
    """
    value = deal_value(stake, owner)
    for seat in (dealer, 1 - dealer):
        if owner in (None, seat):
            pick = max if seat == 0 else min
            pick_response = min if seat == 0 else max
            for number in range(stake + 1, cap + 1):
                value_of_offer = pick_response(deal_value(number, 1 - seat), refusal_value(seat))
                value = pick(value, value_of_offer)
    return value


@pytest.mark.parametrize("next_dealers", [LOSER_DEALS_NEXT, WINNER_DEALS_NEXT])
def test_game_table_agrees_with_value_iteration(next_dealers):
    match_goal, max_stake, games = 5, 3, np.array([4, 3, 2, 1, 1])
    rng = np.random.default_rng(3)
    probabilities = rng.random((2, 3, 4))
    probabilities[:, 2, 1:] = 0
    probabilities /= probabilities.sum(axis=(1, 2), keepdims=True)
    owners = (None, 0, 1)
    states = list(
        product(range(match_goal), range(match_goal), (0, 1), range(1, max_stake + 1), owners)
    )
    value = dict.fromkeys(states, 0.0)

    def compute_deal_value(a, b, dealer, stake, owner):
        total = 0.0
        for winner, points in product(range(3), range(4)):
            x = a + points * (winner == 0)
            y = b + points * (winner == 1)
            if x >= match_goal:
                value_after = stake * games[b]
            elif y >= match_goal:
                value_after = -stake * games[a]
            else:
                value_after = value[x, y, next_dealers[dealer, winner], stake, owner]
            total += probabilities[dealer, winner, points] * value_after
        return total

    for _ in range(60):
        for a, b, dealer, stake, owner in states:
            value[a, b, dealer, stake, owner] = compute_value_before_blind_offers(
                lambda n, o, at=(a, b, dealer): compute_deal_value(*at, n, o),
                lambda seat, n=stake: n if seat == 0 else -n,
                dealer,
                stake,
                owner,
                max_stake,
            )
    table = np.zeros((match_goal, match_goal, 2, max_stake + 1, 3))
    fill_game_table(table, probabilities, games, next_dealers, max_stake, False)
    for a, b, dealer, stake, owner in states:
        owner_index = 0 if owner is None else owner + 1
        expected = value[a, b, dealer, stake, owner]
        assert table[a, b, dealer, stake, owner_index] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("payment", "points_lost"), [("old", 2), ("new", 5)])
def test_value_of_a_refusal_is_exact(payment, points_lost):
    variant = variants.find_variant(f"dice+die_refusal_pays={payment}")
    die = Die(2, "other", offered_stake=5)
    position = parse_position(TEN_CARD_HAND, "QD", variant, score=(3, 1), die=die)
    analysis = analyse_position(
        position, "dice-player", "dice-player", AnalysisBudget(max_worlds=400)
    )
    row = analysis.frame().set_index("action").loc["refuse 5"]
    assert row["deals"] == -points_lost
    assert row["deals_se"] == row["match_se"] == row["win"] == 0
    win_probability = compute_equity(variant).table[3, 1 + points_lost, 1]  # the winner deals
    assert row["match"] == pytest.approx(100 * win_probability)
