"""What a standing is worth with the die, against plain iteration and against what is exact."""

from itertools import product

import numpy as np
import pytest

from simgin.analysis.analysis import Effort, analyse
from simgin.analysis.equity import find_equity
from simgin.analysis.kernels import fill_deals, fill_game
from simgin.analysis.written import Die, read_position
from simgin.rules import variants
from simgin.strategy import compiler, loader

TEN = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
LOSER_NEXT, WINNER_NEXT = np.array([[1, 0, 0], [1, 0, 1]]), np.array([[0, 1, 0], [0, 1, 1]])


def test_v_with_the_die_is_that_of_the_stake_policies_where_players_are_equal():
    policy = loader.find("dice-player").policy("offer")
    numbers = compiler.vector(policy)[-2 * 21 * 21 :].reshape(2, 21, 21)
    share = np.zeros((2, 3, 2))
    share[:, :2, 1] = 0.5
    goal = 7
    table = np.zeros((goal + 1, goal + 1, 2))
    table[goal] = 1
    fill_deals(table, share, WINNER_NEXT, 6, False)
    for a, b in product(range(goal), repeat=2):
        needed = goal - 1 - a, goal - 1 - b
        assert table[a, b, 0] == pytest.approx(numbers[1][needed], abs=1e-5)
        assert table[a, b, 1] == pytest.approx(numbers[0][needed], abs=1e-5)


def offered_blind(worth, refused, dealer, stake, owner, cap):
    """What is best before the cards are seen: worth(number, owner), refused(seat) to seat 0."""
    value = worth(stake, owner)
    for seat in (dealer, 1 - dealer):
        if owner in (None, seat):
            pick = max if seat == 0 else min
            reply = min if seat == 0 else max
            for number in range(stake + 1, cap + 1):
                answered = reply(worth(number, 1 - seat), refused(seat))
                value = pick(value, answered)
    return value


@pytest.mark.parametrize("after", [LOSER_NEXT, WINNER_NEXT])
def test_what_a_game_is_worth_against_plain_iteration_over_all_standings(after):
    goal, cap, games = 5, 3, np.array([4, 3, 2, 1, 1])
    lots = np.random.default_rng(3)
    share = lots.random((2, 3, 4))
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
            value[a, b, dealer, stake, owner] = offered_blind(
                lambda n, o, at=(a, b, dealer): played(*at, n, o),
                lambda seat, n=stake: n if seat == 0 else -n,
                dealer,
                stake,
                owner,
                cap,
            )
    table = np.zeros((goal, goal, 2, cap + 1, 3))
    fill_game(table, share, games, after, cap, False)
    for a, b, dealer, stake, owner in states:
        place = 0 if owner is None else owner + 1
        assert table[a, b, dealer, stake, place] == pytest.approx(
            value[a, b, dealer, stake, owner], abs=1e-9
        )


@pytest.mark.parametrize(("pays", "won"), [("old", 2), ("new", 5)])
def test_refusing_has_an_exact_worth(pays, won):
    variant = variants.find(f"dice+die_refusal_pays={pays}")
    die = Die(2, "other", offered=5)
    position = read_position(TEN, "QD", variant, score=(3, 1), die=die)
    found = analyse(position, "dice-player", "dice-player", Effort(worlds=400))
    row = found.frame().set_index("action").loc["refuse 5"]
    assert row["deals"] == -won
    assert row["deals_se"] == row["match_se"] == row["win"] == 0
    after = find_equity(variant).table[3, 1 + won, 1]  # the winner deals
    assert row["match"] == pytest.approx(100 * after)
