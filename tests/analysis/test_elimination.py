"""What is left out and what intervals claim, on made-up actions whose means are known."""

import numpy as np
import pytest

from simgin.analysis.elimination import compare, next_look, still_tried

MOST, RUNS = 3_200, 200
ALARMS = 19  # of 200 runs at a rate of 5 %: more are seen with a probability of 0.2 %


def normal(lots, worlds, means):
    """Actions whose worths differ by a common term of the world and one of their own."""
    common = lots.normal(0, 30, (worlds, 1))
    return common + lots.normal(means, 20, (worlds, len(means)))


def rare(lots, worlds, means):
    """Small steady gains against catastrophes once in eighty worlds, of the same mean each."""
    n = len(means)
    hit = lots.random((worlds, n)) < 1 / 80
    risky = np.arange(n) % 2 == 1
    return means + np.where(risky, np.where(hit, -79.0, 1.0), lots.normal(0, 1, (worlds, n)))


def trial(draw, seed, means):
    """(worth, still tried) when nothing more is to be tried, and all differences claimed."""
    lots = np.random.default_rng(seed)
    whole = draw(lots, MOST, np.array(means))
    alive = np.ones(len(means), bool)
    look = 0
    worth = whole[:0].copy()
    while look < MOST and alive.sum() > 1:
        new = next_look(look, MOST)
        worth = np.concatenate([worth, np.where(alive, whole[look:new], np.nan)])
        alive = still_tried(worth, MOST)
        look = new
    return worth, alive


@pytest.mark.parametrize("draw", [normal, rare])
@pytest.mark.parametrize(
    "means", [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.01), (0.0, 0.5, 1.0, 1.5, 2.0, 2.5), (3.0, 0.0)]
)
def test_the_best_survives_and_the_intervals_hold_in_95_of_100_runs(draw, means):
    best = int(np.argmax(means))
    lost = missed = 0
    for seed in range(RUNS):
        worth, alive = trial(draw, seed, means)
        gaps = compare(worth, MOST)
        true = np.array(means) - means[gaps.best]
        lost += not alive[best]
        missed += bool((np.abs(gaps.means - true) > gaps.halves + 1e-12).any())
    assert lost <= ALARMS
    assert missed <= ALARMS


def test_what_is_clearly_worse_is_left_out_at_the_first_look():
    worth, alive = trial(normal, 1, (0.0, 40.0, -5.0))
    assert list(alive) == [False, True, False]
    assert len(worth) == 200


def test_actions_that_are_alike_in_every_world_are_both_kept():
    worth = np.tile(np.random.default_rng(1).normal(size=(400, 1)), (1, 2))
    assert still_tried(worth, 400).all()


def test_what_was_left_out_is_compared_in_the_worlds_in_which_it_was_tried():
    worth = normal(np.random.default_rng(3), 800, np.array([0.0, 1.0, 2.0]))
    worth[400:, 0] = np.nan
    gaps = compare(worth, 800)
    both = worth[:400]
    assert gaps.means[0] == pytest.approx((both[:, 0] - both[:, gaps.best]).mean())
    assert gaps.halves[gaps.best] == 0


def test_looks_double():
    looks = [0]
    while looks[-1] < 5_000:
        looks.append(next_look(looks[-1], 5_000))
    assert looks == [0, 200, 400, 800, 1600, 3200, 5000]
