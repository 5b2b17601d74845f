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
from support.probes import AT_FIRST_UPCARD, OWN_DECISION, count_partners, force_policy

pytestmark = pytest.mark.slow
MAX_Z_SCORE = 3.3  # standard errors
COMPARED_VARIANTS = ("standard", "standard+undercut_bonus=10")
PLAYER_RULES_CASES = [
    (player, rules) for player in ("gold", "champion") for rules in COMPARED_VARIANTS
]
COMPARED_TURNS = (3, 5, 7, 9)
CHART_SEED = 4300


def make_matchup(player, rules, seed):
    return parse_matchup(player, player, rules, seed, "deal")


def play_records(matchup, n_deals):
    """Play deals in which A sits in alternating seats, and return their records."""
    kernel.compile_matchup(matchup)
    blocks = map_units(
        lambda first, n: kernel.play_with_records(matchup, first, n)[1], n_deals, 20_000
    )
    return np.concatenate(blocks)


def compute_margins(records):
    return (records["points_a"] - records["points_b"]).astype(float)


def estimate_mean(values):
    """Return the mean and its standard error."""
    return values.mean(), values.std() / np.sqrt(len(values))


def estimate_ratio(numerators, denominators):
    """Return the ratio of two sums and its standard error."""
    value = numerators.sum() / denominators.sum()
    return value, np.sqrt(((numerators - value * denominators) ** 2).sum()) / denominators.sum()


def compute_z_score(estimate, other_estimate):
    """Return the difference of two estimates in standard errors."""
    return (estimate[0] - other_estimate[0]) / np.hypot(estimate[1], other_estimate[1])


def assert_z_scores_are_normal(z_scores):
    """Check that the z-scores are consistent with a standard normal distribution."""
    print(
        f"{len(z_scores)} cells, mean z {np.mean(z_scores):.2f}, "
        f"farthest {np.abs(z_scores).max():.2f}"
    )
    assert np.abs(z_scores).max() < MAX_Z_SCORE
    assert abs(np.mean(z_scores)) < MAX_Z_SCORE / np.sqrt(len(z_scores))
    assert not has_excess_variance(z_scores)


def has_excess_variance(z_scores):
    """Return True if z-scores vary more than expected (chi-square).

    The false-alarm rate is that of one z beyond FAR, 1 in 1,000.
    """
    return np.sum(np.square(z_scores)) > chi2.isf(2 * norm.sf(MAX_Z_SCORE), len(z_scores))


# Knocks


@cache
def estimate_knock_gains(player, rules, before, n_deals=400_000):
    """Return estimates of the gain from knocking by own turn and deadwood.

    See `get_forced_knock` in support.probes for `before`.
    """
    gains = {}
    for turn in COMPARED_TURNS:
        matchup = make_matchup(player, rules, CHART_SEED + turn)
        knocked, continued = (
            play_records(force_policy(matchup, "knock", turn, action, before), n_deals)
            for action in (1, 0)
        )
        gain = compute_margins(knocked) - compute_margins(continued)
        first_seat = np.where(knocked["upcard_to"] == 1, knocked["dealer"], 1 - knocked["dealer"])
        own_turns = (knocked["turns"] + (first_seat == 0)) // 2
        is_knock_turn = (
            (knocked["knocker"] == 0) & (knocked["knock_count"] > 0) & (own_turns == turn)
        )
        assert not gain[~is_knock_turn].any()
        for deadwood in range(1, 11):
            gains[turn, deadwood] = estimate_mean(
                gain[is_knock_turn & (knocked["knock_count"] == deadwood)]
            )
    return gains


@pytest.mark.parametrize(("player", "rules"), PLAYER_RULES_CASES)
def test_knock_chart_agrees_with_forced_knocks(player, rules):
    frame = measure_chart(ChartRequest("knock", rules, player, 1_000_000, CHART_SEED)).frame
    cells = frame.set_index(["column", "row"])
    zs = []
    for (turn, deadwood), expected in estimate_knock_gains(player, rules, OWN_DECISION).items():
        cell = cells.loc[str(turn), str(deadwood)]
        zs.append(compute_z_score((cell["value"], cell["se"]), expected))
    assert_z_scores_are_normal(zs)


# Upcards


def estimate_upcard_gains(player, rules, n_deals):
    """Return estimates of the gain from taking the first upcard by row and seat."""
    gains = {}
    for row in range(4):
        matchup = make_matchup(player, rules, CHART_SEED + 20 + row)
        taken, declined = (
            play_records(force_policy(matchup, "take", AT_FIRST_UPCARD, action, row), n_deals)
            for action in (1, 0)
        )
        gain = compute_margins(taken) - compute_margins(declined)
        for seat in (0, 1):  # nondealer and dealer
            is_own_seat = taken["dealer"] == 1 - seat
            is_decision = (
                is_own_seat & (taken["upcard_to"] == seat) & (declined["upcard_to"] != seat)
            )
            gains[row, seat] = estimate_mean(gain[is_decision])
    return gains


@pytest.mark.parametrize(("player", "rules"), PLAYER_RULES_CASES)
def test_upcard_chart_agrees_with_forced_takes(player, rules):
    request = ChartRequest("upcard", rules, player, 500_000, CHART_SEED)
    chart = measure_chart(request)
    zs = []
    for cell, expected in estimate_upcard_gains(player, rules, 200_000).items():
        zs.append(
            compute_z_score((chart.to_grid("value")[cell], chart.to_grid("se")[cell]), expected)
        )
    assert_z_scores_are_normal(zs)


# First discards: each unmatched card is forced by its position, and all cells are regressed


def play_first_discards(matchup, n_deals):
    """Return the chart cells and margins of each deal after each possible first discard."""
    margins_by_index = [
        compute_margins(play_records(force_policy(matchup, "discard", 1, index), n_deals))
        for index in range(11)
    ]
    rules = build_rules(matchup.variant)
    cells, values = [], []
    for unit in range(n_deals):
        views = [q.view for q in trace_deal(matchup, unit).decisions if q.slot == "discard"]
        first_views = [view for view in views if view.seat == 0 and view.own_turn == 1]
        cards = (
            int(unmatched_cards(first_views[0].hand, rules) & first_views[0].legal)
            if first_views
            else 0
        )
        if cards.bit_count() > 1:
            discards = [card for card in range(52) if cards >> card & 1]
            hand = int(first_views[0].hand)
            cells.append([13 * count_partners(card, hand) + card % 13 for card in discards])
            values.append([margins_by_index[index][unit] for index in range(len(discards))])
    return cells, values


def regress_cells(cells, values, n_cells, baseline):
    """Regress values on cells with one effect per deal, and return the coefficients."""
    x, y = [], []
    for deal_cells, deal_values in zip(cells, values, strict=True):
        rows = np.zeros((len(deal_cells), n_cells))
        rows[np.arange(len(deal_cells)), deal_cells] = 1
        x.append(rows - rows.mean(axis=0))
        y.append(np.array(deal_values) - np.mean(deal_values))
    used = np.delete(np.arange(n_cells), baseline)
    x = [rows[:, used] for rows in x]
    bread = np.linalg.inv(sum(rows.T @ rows for rows in x))
    coefficients = bread @ sum(rows.T @ deal_cells for rows, deal_cells in zip(x, y, strict=True))
    scores = np.array(
        [rows.T @ (deal_cells - rows @ coefficients) for rows, deal_cells in zip(x, y, strict=True)]
    )
    return used, coefficients, bread @ scores.T @ scores @ bread


@pytest.mark.parametrize(("player", "rules"), PLAYER_RULES_CASES)
def test_discard_chart_agrees_with_forced_discards(player, rules):
    """Compare all cells except the king without partners, which is the baseline."""
    request = ChartRequest("discard", rules, player, 200_000, CHART_SEED)
    chart, n_cells, baseline = (
        measure_chart(request),
        request.kind.n_cells,
        request.kind.baseline_cell,
    )
    discards = play_first_discards(make_matchup(player, rules, CHART_SEED + 30), 20_000)
    used, coefficients, covariance = regress_cells(*discards, n_cells, baseline)
    errors = np.sqrt(np.diag(covariance))
    value, se = (chart.to_grid(name).ravel()[used] for name in ("value", "se"))
    zs = (value - coefficients) / np.hypot(se, errors)
    correlation = covariance / np.outer(errors, errors)
    assert np.abs(zs).max() < MAX_Z_SCORE
    print(f"{len(zs)} cells, mean z {zs.mean():.2f} ± {np.sqrt(correlation.mean()):.2f}")
    assert abs(zs.mean()) < MAX_Z_SCORE * np.sqrt(correlation.mean())


# Decisions of the training: the same draws, and knocks with exploration


def sample_decisions(matchup, choose, n_deals, explore=None):
    """Return own turn, deadwood, gain and weight of each sampled decision, as four arrays."""

    def roll_out_block(first, units):
        rollouts = roll_out_deals(matchup, choose, first, units, 2, None, explore)
        gain = compute_point_equity(rollouts)[:, 1] - compute_point_equity(rollouts)[:, 0]
        return rollouts.views["own_turn"], rollouts.views["ending_count"], gain, rollouts.weights

    blocks = map_units(roll_out_block, n_deals, 4000)
    return [np.concatenate(part) for part in zip(*blocks, strict=True)]


@pytest.mark.parametrize(("player", "rules"), PLAYER_RULES_CASES)
def test_training_samples_agree_with_forced_knocks(player, rules):
    matchup = make_matchup(player, rules, CHART_SEED)
    turns, deadwood, gains, weights = sample_decisions(
        matchup, propose_knock, 2_000_000, knock_sometimes
    )
    zs, unweighted = [], []
    for (turn, knock_deadwood), expected in estimate_knock_gains(player, rules, 0.4).items():
        is_cell = (turns == turn) & (deadwood == knock_deadwood)
        zs.append(
            compute_z_score(
                estimate_ratio(weights[is_cell] * gains[is_cell], weights[is_cell]), expected
            )
        )
        unweighted.append(compute_z_score(estimate_mean(gains[is_cell]), expected))
    assert_z_scores_are_normal(zs)
    print(f"unweighted: mean z {np.mean(unweighted):.2f}, z² {np.mean(np.square(unweighted)):.2f}")
    assert has_excess_variance(unweighted)


@discard
def propose_lowest_and_highest_card(view, rules, params):
    """Propose the lowest and the highest unmatched card, as `get_forced_discard` does."""
    cards = unmatched_cards(view.hand, rules) & view.legal
    highest = cards
    while popcount(highest) > 1:
        highest &= highest - 1
    return 1 << lowest_bit(cards) | highest if popcount(cards) > 1 else 0


@pytest.mark.parametrize(("player", "rules"), PLAYER_RULES_CASES)
@pytest.mark.parametrize("slot", ["take", "discard"])
def test_training_samples_agree_with_forced_takes_and_discards(player, rules, slot):
    """Compare the mean gains in selected turns of the player."""
    deals, last = 200_000, 10
    orders = {"take": ((0, 0), (1, 0)), "discard": ((0,), (last,))}[slot]
    choose = {"take": propose_take, "discard": propose_lowest_and_highest_card}[slot]
    turns, _, gains, weights = sample_decisions(
        make_matchup(player, rules, CHART_SEED), choose, deals
    )
    zs = []
    for turn in COMPARED_TURNS:
        matchup = make_matchup(player, rules, CHART_SEED + 40 + turn)
        first_margins, second_margins = (
            compute_margins(play_records(force_policy(matchup, slot, turn, *order), deals))
            for order in orders
        )
        turn_weights = np.where(turns == turn, weights, 0)
        decision_rate = turn_weights.sum() / deals
        value, se = estimate_mean(second_margins - first_margins)
        zs.append(
            compute_z_score(
                estimate_ratio(turn_weights * gains, turn_weights),
                (value / decision_rate, se / decision_rate),
            )
        )
    assert_z_scores_are_normal(zs)
