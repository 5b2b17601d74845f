"""Which action is best, who looks on, and the decisions of a deal."""

import numpy as np
import pytest

from simgin.analysis.analysis import Effort, analyse, analyse_deal
from simgin.analysis.elimination import compare, next_look, still_tried
from simgin.analysis.position import positions_in
from simgin.play.matchup import parse_matchup
from simgin.play.replay import find_deal
from simgin.play.watch import watch_deal

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


def test_what_is_clearly_worse_is_left_out_at_the_first_look_and_what_is_alike_is_kept():
    worth, alive = trial(normal, 1, (0.0, 40.0, -5.0))
    assert list(alive) == [False, True, False] and len(worth) == 200
    alike = np.tile(np.random.default_rng(1).normal(size=(400, 1)), (1, 2))
    assert still_tried(alike, 400).all()
    looks = [0]
    while looks[-1] < 5_000:
        looks.append(next_look(looks[-1], 5_000))
    assert looks == [0, 200, 400, 800, 1600, 3200, 5000]


def test_what_was_left_out_is_compared_in_the_worlds_in_which_it_was_tried():
    worth = normal(np.random.default_rng(3), 800, np.array([0.0, 1.0, 2.0]))
    worth[400:, 0] = np.nan
    gaps = compare(worth, 800)
    both = worth[:400]
    assert gaps.means[0] == pytest.approx((both[:, 0] - both[:, gaps.best]).mean())
    assert gaps.halves[gaps.best] == 0


def test_who_looks_on_sees_what_is_known_so_far():
    position = positions_in(find_deal("gold", "simple", "standard", 1, 3, 0, None), 5)[1]
    seen = []
    found = analyse(
        position,
        "gold",
        "gold",
        Effort(worlds=600),
        lambda done, every, so_far: seen.append((done, every, so_far())),
    )
    worlds = [done for done, _, _ in seen]
    assert worlds == sorted(set(worlds))
    assert len(worlds) > 1
    assert all(every == 600 and analysis.worlds == done for done, every, analysis in seen)
    assert seen[-1][2].frame().equals(found.frame())


def test_who_looks_on_at_a_deal_sees_the_decisions_so_far():
    deal = find_deal("gold", "simple", "standard", 1, 3, 0, None)
    seen = []

    def watch(done, every, so_far):
        seen.append((done / every, list(so_far())))

    found = analyse_deal(deal, 5, None, None, Effort(worlds=400), watch)
    assert seen[-1] == (1, list(found))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert seen[0][1] == list(found)[:1]


@pytest.mark.parametrize("name", ["solitaire-gin-knock", "solitary-gin"])
def test_the_decisions_of_a_deal_are_named_by_turn(name):
    matchup = parse_matchup("solo-greedy+knock=at:k=3", None, name, 2, "deal")
    deal = watch_deal(matchup, 3)
    found = analyse_deal(deal, None, None, None, Effort(worlds=50))
    turns = [question.view.turn for question in deal.questions if question.slot == "discard"]
    discards = [title for title in found if title.endswith("discard")]
    assert set(discards) >= {f"turn {turn}, discard" for turn in turns}
    for analysis in found.values():
        assert analysis.matchup.b is None
        assert analysis.position.done in analysis.position.actions
        assert not analysis.has_match
