"""Tests of charts and training samples against players that differ in one decision.

The deals have no rollouts. A player is forced to knock, take or discard a card whenever a decision
occurs, and another player to do the opposite. Both play the same shuffles to the end. The mean
difference of a decision is therefore the value that its cell estimates. The deals are held out.
"""

from functools import cache

import numpy as np
import pytest
from scipy.stats import chi2, norm

from simgin.charts.chart import ChartRequest, measure_chart
from simgin.learn.champion_weights import (
    compute_point_equity,
    knock_sometimes,
    propose_knock,
    propose_take,
)
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.parallel import map_units
from simgin.play.rollouts import roll_out_deals
from simgin.play.traced_deal import trace_deal
from simgin.rules.build import build_rules
from simgin.strategy import discard
from simgin.toolkit import lowest_bit, popcount, unmatched_cards
from support.probes import OWN, UPCARD, partners, with_forced_policy

pytestmark = pytest.mark.slow
MAX_Z = 3.3  # standard errors
RULES = ("standard", "standard+undercut_bonus=10")
CASES = [(player, rules) for player in ("gold", "champion") for rules in RULES]
TURNS = (3, 5, 7, 9)
SEED = 4300


def make_matchup(player, rules, seed):
    return parse_matchup(player, player, rules, seed, "deal")


def play_records(matchup, deals):
    """Return the records of single deals, with A in both seats alternately."""
    kernel.compile_matchup(matchup)
    blocks = map_units(
        lambda first, n: kernel.play_with_records(matchup, first, n)[1], deals, 20_000
    )
    return np.concatenate(blocks)


def points_of_a(records):
    return (records["points_a"] - records["points_b"]).astype(float)


def estimate_mean(values):
    return values.mean(), values.std() / np.sqrt(len(values))


def estimate_ratio(above, below):
    value = above.sum() / below.sum()
    return value, np.sqrt(((above - value * below) ** 2).sum()) / below.sum()


def z_score(one, other):
    """Return the difference of two estimates in standard errors."""
    return (one[0] - other[0]) / np.hypot(one[1], other[1])


def check_z_scores(zs):
    """Check the largest z-score, the mean z-score and the variance of z-scores."""
    print(f"{len(zs)} cells, mean z {np.mean(zs):.2f}, farthest {np.abs(zs).max():.2f}")
    assert np.abs(zs).max() < MAX_Z
    assert abs(np.mean(zs)) < MAX_Z / np.sqrt(len(zs))
    assert not is_scattered(zs)


def is_scattered(zs):
    """Return True if the cells vary more than expected (chi-square).

    The false-alarm rate is that of one z beyond FAR, 1 in 1,000.
    """
    return np.sum(np.square(zs)) > chi2.isf(2 * norm.sf(MAX_Z), len(zs))


# Knocks


@cache
def estimate_knocks(player, rules, before, deals=400_000):
    """Return estimates of the gain of a knock by own turn and deadwood.

    See `ordered_to_knock` for `before`.
    """
    found = {}
    for turn in TURNS:
        matchup = make_matchup(player, rules, SEED + turn)
        now, later = (
            play_records(with_forced_policy(matchup, "knock", turn, do, before), deals)
            for do in (1, 0)
        )
        gain = points_of_a(now) - points_of_a(later)
        first = np.where(now["upcard_to"] == 1, now["dealer"], 1 - now["dealer"])
        own_turns = (now["turns"] + (first == 0)) // 2
        here = (now["knocker"] == 0) & (now["knock_count"] > 0) & (own_turns == turn)
        assert not gain[~here].any()
        for deadwood in range(1, 11):
            found[turn, deadwood] = estimate_mean(gain[here & (now["knock_count"] == deadwood)])
    return found


@pytest.mark.parametrize(("player", "rules"), CASES)
def test_knocks_of_a_chart(player, rules):
    frame = measure_chart(ChartRequest("knock", rules, player, 1_000_000, SEED)).frame
    cells = frame.set_index(["column", "row"])
    zs = []
    for (turn, deadwood), true in estimate_knocks(player, rules, OWN).items():
        cell = cells.loc[str(turn), str(deadwood)]
        zs.append(z_score((cell["value"], cell["se"]), true))
    check_z_scores(zs)


# Upcards


def estimate_upcards(player, rules, deals):
    """Return estimates of the gain of taking the first upcard, by row and seat."""
    found = {}
    for row in range(4):
        matchup = make_matchup(player, rules, SEED + 20 + row)
        taken, left = (
            play_records(with_forced_policy(matchup, "take", UPCARD, do, row), deals)
            for do in (1, 0)
        )
        gain = points_of_a(taken) - points_of_a(left)
        for seat in (0, 1):  # nondealer and dealer
            own = taken["dealer"] == 1 - seat
            here = own & (taken["upcard_to"] == seat) & (left["upcard_to"] != seat)
            found[row, seat] = estimate_mean(gain[here])
    return found


@pytest.mark.parametrize(("player", "rules"), CASES)
def test_upcards_of_a_chart(player, rules):
    request = ChartRequest("upcard", rules, player, 500_000, SEED)
    chart = measure_chart(request)
    zs = []
    for place, true in estimate_upcards(player, rules, 200_000).items():
        zs.append(z_score((chart.to_grid("value")[place], chart.to_grid("se")[place]), true))
    check_z_scores(zs)


# First discards: each unmatched card is forced by its position, and all cells are regressed


def play_first_discards(matchup, deals):
    """Return the cells of unmatched cards that can be discarded first, and the points of each."""
    led_to = [
        points_of_a(play_records(with_forced_policy(matchup, "discard", 1, place), deals))
        for place in range(11)
    ]
    rules = build_rules(matchup.variant)
    cells, worth = [], []
    for unit in range(deals):
        asked = [q.view for q in trace_deal(matchup, unit).decisions if q.slot == "discard"]
        own = [view for view in asked if view.seat == 0 and view.own_turn == 1]
        cards = int(unmatched_cards(own[0].hand, rules) & own[0].legal) if own else 0
        if cards.bit_count() > 1:
            thrown = [card for card in range(52) if cards >> card & 1]
            hand = int(own[0].hand)
            cells.append([13 * partners(card, hand) + card % 13 for card in thrown])
            worth.append([led_to[place][unit] for place in range(len(thrown))])
    return cells, worth


def regress_cells(cells, worth, size, base):
    """Return coefficients with an effect of every deal, and their covariance by deal."""
    x, y = [], []
    for of, points_of in zip(cells, worth, strict=True):
        rows = np.zeros((len(of), size))
        rows[np.arange(len(of)), of] = 1
        x.append(rows - rows.mean(axis=0))
        y.append(np.array(points_of) - np.mean(points_of))
    used = np.delete(np.arange(size), base)
    x = [rows[:, used] for rows in x]
    bread = np.linalg.inv(sum(rows.T @ rows for rows in x))
    coefficients = bread @ sum(rows.T @ of for rows, of in zip(x, y, strict=True))
    scores = np.array([rows.T @ (of - rows @ coefficients) for rows, of in zip(x, y, strict=True)])
    return used, coefficients, bread @ scores.T @ scores @ bread


@pytest.mark.parametrize(("player", "rules"), CASES)
def test_discards_of_a_chart(player, rules):
    """Include the king, the reference of all cells, in the mean."""
    request = ChartRequest("discard", rules, player, 200_000, SEED)
    chart, size, base = measure_chart(request), request.kind.n_cells, request.kind.baseline
    found = play_first_discards(make_matchup(player, rules, SEED + 30), 20_000)
    used, coefficients, covariance = regress_cells(*found, size, base)
    errors = np.sqrt(np.diag(covariance))
    value, se = (chart.to_grid(name).ravel()[used] for name in ("value", "se"))
    zs = (value - coefficients) / np.hypot(se, errors)
    correlation = covariance / np.outer(errors, errors)
    assert np.abs(zs).max() < MAX_Z
    print(f"{len(zs)} cells, mean z {zs.mean():.2f} ± {np.sqrt(correlation.mean()):.2f}")
    assert abs(zs.mean()) < MAX_Z * np.sqrt(correlation.mean())


# Decisions of the training: the same draws, and knocks with exploration


def sample_decisions(matchup, choose, deals, explore=None):
    """Return own turn, deadwood, gain of the second action and weight of each decision."""

    def block(first, units):
        found = roll_out_deals(matchup, choose, first, units, 2, None, explore)
        gain = compute_point_equity(found)[:, 1] - compute_point_equity(found)[:, 0]
        return found.views["own_turn"], found.views["ending_count"], gain, found.weights

    blocks = map_units(block, deals, 4000)
    return [np.concatenate(part) for part in zip(*blocks, strict=True)]


@pytest.mark.parametrize(("player", "rules"), CASES)
def test_knocks_in_training_samples(player, rules):
    matchup = make_matchup(player, rules, SEED)
    turns, deadwood, gains, weights = sample_decisions(
        matchup, propose_knock, 2_000_000, knock_sometimes
    )
    zs, unweighted = [], []
    for (turn, count), true in estimate_knocks(player, rules, 0.4).items():
        here = (turns == turn) & (deadwood == count)
        zs.append(z_score(estimate_ratio(weights[here] * gains[here], weights[here]), true))
        unweighted.append(z_score(estimate_mean(gains[here]), true))
    check_z_scores(zs)
    print(f"unweighted: mean z {np.mean(unweighted):.2f}, z² {np.mean(np.square(unweighted)):.2f}")
    assert is_scattered(unweighted)


@discard
def both_ends(view, rules, params):
    """Return the lowest and the highest unmatched card, as `ordered_to_throw` discards them."""
    cards = unmatched_cards(view.hand, rules) & view.legal
    highest = cards
    while popcount(highest) > 1:
        highest &= highest - 1
    return 1 << lowest_bit(cards) | highest if popcount(cards) > 1 else 0


@pytest.mark.parametrize(("player", "rules"), CASES)
@pytest.mark.parametrize("slot", ["take", "discard"])
def test_takes_and_discards_in_training_samples(player, rules, slot):
    """Compare by own turn; deals are divided by the rate of the decision, which is not recorded."""
    deals, last = 200_000, 10
    orders = {"take": ((0, 0), (1, 0)), "discard": ((0,), (last,))}[slot]
    choose = {"take": propose_take, "discard": both_ends}[slot]
    turns, _, gains, weights = sample_decisions(make_matchup(player, rules, SEED), choose, deals)
    zs = []
    for turn in TURNS:
        matchup = make_matchup(player, rules, SEED + 40 + turn)
        one, two = (
            points_of_a(play_records(with_forced_policy(matchup, slot, turn, *do), deals))
            for do in orders
        )
        here = np.where(turns == turn, weights, 0)
        share = here.sum() / deals
        value, se = estimate_mean(two - one)
        zs.append(z_score(estimate_ratio(here * gains, here), (value / share, se / share)))
    check_z_scores(zs)
