"""V within a deal against plain counting, V between deals, and matches it was not made from."""

import itertools

import numpy as np
import pytest

from simgin.play.matchup import parse_matchup
from simgin.value import in_deal, turns, value

DEALS = 40_000


@pytest.fixture(scope="module")
def inside():
    return in_deal.compute(
        value.compute("standard", "gold", "gold-early", deals="200k", seed=3), deals=DEALS
    )


@pytest.fixture(scope="module")
def fresh(inside):
    return turns.play(parse_matchup("gold", "gold-early", "standard", 17, "match"), 800)


# Distributions that rise


def isotonic_slowly(weight, level):
    """The isotonic least squares fit by the max-min formula.

    Robertson, Wright, Dykstra (1988), 1.4.4.
    """
    n = len(level)

    def mean(i, k):
        return np.dot(weight[i : k + 1], level[i : k + 1]) / weight[i : k + 1].sum()

    return [max(min(mean(i, k) for k in range(j, n)) for i in range(j + 1)) for j in range(n)]


def test_the_fit_is_isotonic_regression_at_every_end():
    table = np.random.default_rng(2).integers(1, 9, size=(3, 7, 5)).astype(float)
    found = in_deal.fit_isotonic(table)
    for counts, chances in zip(table, found, strict=True):
        weight = counts.sum(axis=1)
        for end in range(5):
            tail = counts[:, end:].sum(axis=1) / weight
            assert chances[:, end:].sum(axis=1) == pytest.approx(isotonic_slowly(weight, tail))
    assert (found > -1e-12).all() and found.sum(axis=2) == pytest.approx(np.ones((3, 7)))


def test_the_fit_leaves_rising_values_alone_and_keeps_means():
    """Bins of 4, 0 and 2 deals with two endings.

    The tails 1/4 and 1/2 rise already, and the empty bin takes the value of the bin below.
    """
    rising = in_deal.fit_isotonic(np.array([[[3.0, 1.0], [0.0, 0.0], [1.0, 1.0]]]))
    assert rising[0].tolist() == [[0.75, 0.25], [0.75, 0.25], [0.5, 0.5]]
    # falling tails 1/2 of 4 and 0 of 4 are pooled: 2 of 8
    assert in_deal.fit_isotonic(np.array([[[2.0, 2.0], [4.0, 0.0]]]))[0].tolist() == [
        [0.75, 0.25],
        [0.75, 0.25],
    ]


# Values


def test_v_is_the_fitted_share_of_counted_deals():
    """In a match of a single deal V after a turn is the fitted share of deals that A won."""
    known = value.compute("standard+goal=single", "gold", "gold-early", deals="100k", seed=3)
    matchup = parse_matchup("gold", "gold-early", "standard+goal=single", 3, "deal")
    played = turns.play(matchup, 1_000)
    found = in_deal.count_ends(played)
    inside = in_deal.InDealValue(known, found["ends"], found["counted"], int(found["last_turn"]))
    went = ~played.last & (played.column("turn") == 4) & (played.column("side") == 0)
    own, other = played.column("count")[went], played.column("other")[went]
    worth = np.select(
        [played.record("winner")[went] == 0, played.record("winner")[went] < 0], [1.0, 0.5], 0.0
    )
    band = other > 30
    bins = np.clip(((other - own)[band] + 2) // 5, -20, 20)
    labels, weight = np.unique(bins, return_counts=True)
    # With two endings that matter and a void, V = (P(not lost) + P(won)) / 2, and both are fitted.
    tails = [[(worth[band][bins == b] >= least).mean() for b in labels] for least in (0.5, 1.0)]
    want = np.mean([isotonic_slowly(weight, np.array(tail)) for tail in tails], axis=0)
    got = [
        inside.win(turn=4, mover=0, own=40, other=40 + 5 * b, a=0, b=0)
        for b in labels
        if 40 + 5 * b > 30
    ]
    assert got == pytest.approx([w for b, w in zip(labels, want, strict=True) if 40 + 5 * b > 30])


def test_less_deadwood_never_lowers_v(inside):
    """For A to move or not, at every turn, band and a few scores."""
    for mover, turn, other, (a, b), dealer in itertools.product(
        (0, 1), (1, 5, 12), (5, 20, 60), ((0, 0), (90, 20)), (0, 1)
    ):
        own = np.arange(0, 80, 5)
        v = inside.win(turn, mover, own, other, a, b, dealer)
        change = np.diff(v) * (-1 if mover == 0 else 1)
        assert (change >= -1e-12).all() and 0 <= v.min() <= v.max() <= 1
    assert inside.win(5, 0, 8, 60, 0, 0) > inside.win(5, 0, 60, 8, 0, 0) + 0.05


def test_v_of_a_strategy_against_itself_is_symmetric():
    known = value.compute("standard", "gold", "gold", deals="100k", seed=3)
    inside = in_deal.compute(known, deals=10_000)
    for turn, own, other, a, b in ((1, 30, 50, 0, 0), (6, 12, 40, 30, 80), (9, 25, 9, 95, 10)):
        assert inside.win(turn, 0, own, other, a, b, 0) + inside.win(
            turn, 1, own, other, b, a, 1
        ) == pytest.approx(1)
        assert inside.se(turn, 0, own, other, a, b, 0) == pytest.approx(
            inside.se(turn, 1, own, other, b, a, 1)
        )


def test_after_the_last_turn_v_is_v_before_the_next_deal(inside, fresh):
    (starts, along), before = inside.along(fresh), inside.value.before(fresh.records)
    assert np.array_equal(starts[0], before)
    along = along[0]
    last = np.flatnonzero(fresh.last)
    going = fresh.record("outcome")[last] == -1
    assert along[last][going] == pytest.approx(before[fresh.column("deal")[last][going] + 1])
    assert along[last][~going] == pytest.approx(1 - fresh.record("outcome")[last][~going])


# Fresh matches


def test_v_is_a_martingale_from_turn_to_turn(inside, fresh):
    """z over about 25 turns; a correct V has one beyond 4 in 600 runs.

    The seeds were chosen before the first run.
    """
    frame = in_deal.martingale(inside, fresh)
    assert len(frame) > 20 and (frame["z"].abs() < 4).all()
    assert (frame["z"].abs() < 2).mean() > 0.8


def test_matches_are_won_as_often_as_v_says(inside, fresh):
    frame = in_deal.reliability(inside, fresh)
    assert len(frame) == 10 and (frame["z"].abs() < 4).all()


def test_v_within_a_deal_predicts_better_than_v_between_deals(inside, fresh):
    found = in_deal.brier(inside, fresh)
    assert found["gain"] > 3 * found["se"] > 0
    assert found["gain"] == pytest.approx(found["between"] - found["within"])


def test_v_of_another_matchup_is_detected(inside):
    """The check can fail: in these matches the strategies have exchanged their sides."""
    frame = in_deal.martingale(
        inside, turns.play(parse_matchup("gold-early", "gold", "standard", 17, "match"), 400)
    )
    assert (frame["z"].abs() > 4).any()


OTHER_GOALS = [
    ("solitary-gin", "gold", None),
    ("race", "gold", "gold"),
    pytest.param(("pro", "gold", "gold"), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("game", OTHER_GOALS, ids=lambda game: game[0])
def test_v_within_a_deal_agrees_with_v_before_it_for_every_goal(game):
    """The mean of V after the first turns is V before the deal, over 10,000 other deals."""
    known = value.compute(*game, deals="100k", seed=3, seat=0)
    inside = in_deal.compute(known, deals=20_000)
    fresh = turns.play(parse_matchup(game[1], game[2], game[0], 19, "match"), 60)
    frame = in_deal.martingale(inside, fresh)
    assert (frame["z"].abs() < 4).all()


# Refusals and errors


def test_strategies_that_look_at_the_score_are_refused():
    matchup = parse_matchup("gold", "gold", "standard", 1, "deal")
    known = value.Value(matchup, outcomes=None, board=None)
    with pytest.raises(
        value.ValueRefused, match=r"the score changes how a deal is played.*take V between deals"
    ):
        in_deal.compute(known)


@pytest.mark.slow
def test_intervals_of_v_have_nominal_coverage():
    """V in three states from 40 counts of 10,000 deals each, against 400,000 other deals.

    The 120 limits may be alike within a count. A share of .95 of 40 independent counts lies above
    .95 - 3.29 sqrt(.95 .05 / 40) = .837 in 999 of 1,000 runs.
    """
    known = value.compute("standard+goal=single", "gold", "gold", deals="400k", seed=5)
    states = np.array([(1, 0, 40, 50), (5, 0, 20, 35), (8, 1, 15, 20)]).T
    truth = in_deal.compute(known, deals="400k")
    right, error = truth.win(*states, 0, 0), truth.se(*states, 0, 0)
    held = []
    for first in range(40):
        found = in_deal.count_ends(
            turns.play(
                parse_matchup("gold", "gold", "standard+goal=single", 100 + first, "deal"), 10_000
            )
        )
        small = in_deal.InDealValue(known, found["ends"], found["counted"], int(found["last_turn"]))
        held.append(
            np.abs(small.win(*states, 0, 0) - right)
            < 1.96 * np.hypot(small.se(*states, 0, 0), error)
        )
    assert np.mean(held) >= 0.837, np.mean(held, axis=0)
