"""Tests of analyses: the best action, progress, decisions of a deal, and values with the die."""

from itertools import product

import numpy as np
import pytest

from simgin.analysis.analysis import (
    Budget,
    analyse_deal,
    analyse_position,
    compare_actions,
    compute_next_checkpoint,
    find_active_actions,
)
from simgin.analysis.kernels import fill_deals_table, fill_game_table
from simgin.analysis.position import find_decisions
from simgin.analysis.position_parts import Die
from simgin.analysis.position_text import parse_position
from simgin.analysis.stake_value import compute_equity
from simgin.play.matchup import parse_matchup
from simgin.play.replay import trace_numbered_deal
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.strategy import compiler, loader

MAX_WORLDS, RUNS = 3_200, 200
MAX_MISSES = 19  # of 200 runs at a rate of 5 %; a larger number has a probability of 0.2 %


def normal_values(rng, worlds, means):
    """Sample values of actions as the sum of noise shared in each world and independent noise."""
    common = rng.normal(0, 30, (worlds, 1))
    return common + rng.normal(means, 20, (worlds, len(means)))


def rare_losses(rng, worlds, means):
    """Sample values of actions, half of which lose much in one of 80 worlds, with these means."""
    n = len(means)
    hit = rng.random((worlds, n)) < 1 / 80
    risky = np.arange(n) % 2 == 1
    return means + np.where(risky, np.where(hit, -79.0, 1.0), rng.normal(0, 1, (worlds, n)))


def run_trial(draw, seed, means):
    """Sample values until one action is left; return the values and a mask of actions left."""
    rng = np.random.default_rng(seed)
    whole = draw(rng, MAX_WORLDS, np.array(means))
    alive = np.ones(len(means), bool)
    look = 0
    worth = whole[:0].copy()
    while look < MAX_WORLDS and alive.sum() > 1:
        new = compute_next_checkpoint(look, MAX_WORLDS)
        worth = np.concatenate([worth, np.where(alive, whole[look:new], np.nan)])
        alive = find_active_actions(worth, MAX_WORLDS)
        look = new
    return worth, alive


@pytest.mark.parametrize("draw", [normal_values, rare_losses])
@pytest.mark.parametrize(
    "means", [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.01), (0.0, 0.5, 1.0, 1.5, 2.0, 2.5), (3.0, 0.0)]
)
def test_the_best_survives_and_the_intervals_hold_in_95_of_100_runs(draw, means):
    best = int(np.argmax(means))
    lost = missed = 0
    for seed in range(RUNS):
        worth, alive = run_trial(draw, seed, means)
        gaps = compare_actions(worth, MAX_WORLDS)
        true = np.array(means) - means[gaps.best]
        lost += not alive[best]
        missed += bool((np.abs(gaps.means - true) > gaps.half_widths + 1e-12).any())
    assert lost <= MAX_MISSES
    assert missed <= MAX_MISSES


def test_clearly_worse_actions_are_dropped_at_the_first_look_and_equal_ones_are_kept():
    worth, alive = run_trial(normal_values, 1, (0.0, 40.0, -5.0))
    assert list(alive) == [False, True, False] and len(worth) == 200
    alike = np.tile(np.random.default_rng(1).normal(size=(400, 1)), (1, 2))
    assert find_active_actions(alike, 400).all()
    looks = [0]
    while looks[-1] < 5_000:
        looks.append(compute_next_checkpoint(looks[-1], 5_000))
    assert looks == [0, 200, 400, 800, 1600, 3200, 5000]


def test_dropped_actions_are_compared_in_the_worlds_in_which_they_were_tried():
    worth = normal_values(np.random.default_rng(3), 800, np.array([0.0, 1.0, 2.0]))
    worth[400:, 0] = np.nan
    gaps = compare_actions(worth, 800)
    both = worth[:400]
    assert gaps.means[0] == pytest.approx((both[:, 0] - both[:, gaps.best]).mean())
    assert gaps.half_widths[gaps.best] == 0


def test_progress_reports_the_values_so_far():
    position = find_decisions(trace_numbered_deal("gold", "simple", "standard", 1, 3, 0, None), 5)[
        1
    ]
    seen = []

    def record_progress(done, every, so_far):
        seen.append((done, every, so_far()))

    found = analyse_position(position, "gold", "gold", Budget(worlds=600), record_progress)
    worlds = [done for done, _, _ in seen]
    assert worlds == sorted(set(worlds))
    assert len(worlds) > 1
    assert all(every == 600 and analysis.n_worlds == done for done, every, analysis in seen)
    assert seen[-1][2].frame().equals(found.frame())


def test_progress_of_a_deal_reports_the_decisions_so_far():
    deal = trace_numbered_deal("gold", "simple", "standard", 1, 3, 0, None)
    seen = []

    def record_progress(done, every, so_far):
        seen.append((done / every, list(so_far())))

    found = analyse_deal(deal, 5, None, None, Budget(worlds=400), record_progress)
    assert seen[-1] == (1, list(found))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert seen[0][1] == list(found)[:1]


@pytest.mark.parametrize("name", ["solitaire-gin-knock", "solitary-gin"])
def test_the_decisions_of_a_deal_are_named_by_turn(name):
    matchup = parse_matchup("solo-greedy+knock=at:k=3", None, name, 2, "deal")
    deal = trace_deal(matchup, 3)
    found = analyse_deal(deal, None, None, None, Budget(worlds=50))
    turns = [question.view.turn for question in deal.decisions if question.slot == "discard"]
    discards = [title for title in found if title.endswith("discard")]
    assert set(discards) >= {f"turn {turn}, discard" for turn in turns}
    for analysis in found.values():
        assert analysis.matchup.b is None
        assert analysis.position.chosen in analysis.position.actions
        assert not analysis.has_match_probability


# Value of a match state with the die, compared with plain iteration and exact values


TEN_CARDS = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
LOSER_DEALS_NEXT, WINNER_DEALS_NEXT = (
    np.array([[1, 0, 0], [1, 0, 1]]),
    np.array([[0, 1, 0], [0, 1, 1]]),
)


def test_the_value_with_a_die_agrees_with_the_stake_policies_for_equal_players():
    policy = loader.find_strategy("dice-player").policy("offer")
    numbers = compiler.make_parameter_vector(policy)[-2 * 21 * 21 :].reshape(2, 21, 21)
    share = np.zeros((2, 3, 2))
    share[:, :2, 1] = 0.5
    goal = 7
    table = np.zeros((goal + 1, goal + 1, 2))
    table[goal] = 1
    fill_deals_table(table, share, WINNER_DEALS_NEXT, 6, False)
    for a, b in product(range(goal), repeat=2):
        needed = goal - 1 - a, goal - 1 - b
        assert table[a, b, 0] == pytest.approx(numbers[1][needed], abs=1e-5)
        assert table[a, b, 1] == pytest.approx(numbers[0][needed], abs=1e-5)


def value_before_blind_offers(worth, refused, dealer, stake, owner, cap):
    """Return the value to seat 0 before the cards are seen, with the best offers and answers.

    `worth(number, owner)` is the value of a deal, `refused(seat)` that of a refusal by a seat.
    """
    value = worth(stake, owner)
    for seat in (dealer, 1 - dealer):
        if owner in (None, seat):
            pick = max if seat == 0 else min
            reply = min if seat == 0 else max
            for number in range(stake + 1, cap + 1):
                answered = reply(worth(number, 1 - seat), refused(seat))
                value = pick(value, answered)
    return value


@pytest.mark.parametrize("after", [LOSER_DEALS_NEXT, WINNER_DEALS_NEXT])
def test_the_value_of_a_game_agrees_with_iteration_over_all_match_states(after):
    goal, cap, games = 5, 3, np.array([4, 3, 2, 1, 1])
    rng = np.random.default_rng(3)
    share = rng.random((2, 3, 4))
    share[:, 2, 1:] = 0
    share /= share.sum(axis=(1, 2), keepdims=True)
    owners = (None, 0, 1)
    states = list(product(range(goal), range(goal), (0, 1), range(1, cap + 1), owners))
    value = dict.fromkeys(states, 0.0)

    def played(a, b, dealer, stake, owner):
        total = 0.0
        for winner, points in product(range(3), range(4)):
            x = a + points * (winner == 0)
            y = b + points * (winner == 1)
            if x >= goal:
                worth = stake * games[b]
            elif y >= goal:
                worth = -stake * games[a]
            else:
                worth = value[x, y, after[dealer, winner], stake, owner]
            total += share[dealer, winner, points] * worth
        return total

    for _ in range(60):
        for a, b, dealer, stake, owner in states:
            value[a, b, dealer, stake, owner] = value_before_blind_offers(
                lambda n, o, at=(a, b, dealer): played(*at, n, o),
                lambda seat, n=stake: n if seat == 0 else -n,
                dealer,
                stake,
                owner,
                cap,
            )
    table = np.zeros((goal, goal, 2, cap + 1, 3))
    fill_game_table(table, share, games, after, cap, False)
    for a, b, dealer, stake, owner in states:
        place = 0 if owner is None else owner + 1
        want = value[a, b, dealer, stake, owner]
        assert table[a, b, dealer, stake, place] == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize(("pays", "won"), [("old", 2), ("new", 5)])
def test_the_value_of_a_refusal_is_exact(pays, won):
    variant = variants.find_variant(f"dice+die_refusal_pays={pays}")
    die = Die(2, "other", offered=5)
    position = parse_position(TEN_CARDS, "QD", variant, score=(3, 1), die=die)
    found = analyse_position(position, "dice-player", "dice-player", Budget(worlds=400))
    row = found.frame().set_index("action").loc["refuse 5"]
    assert row["deals"] == -won
    assert row["deals_se"] == row["match_se"] == row["win"] == 0
    after = compute_equity(variant).table[3, 1 + won, 1]  # the winner deals
    assert row["match"] == pytest.approx(100 * after)
