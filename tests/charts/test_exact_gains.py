"""Compare chart cells near the end of a deal with all possible hidden cards.

Two players that take nothing draw from the stock. B discards the card just drawn, so that B's play
reveals nothing about B's ten cards, which can be any ten cards that A has not seen. With four
cards left in the stock, B draws one, A one more, and then the hand is dead. A decision therefore
has 14 choose 10 hands times 4 * 3 next cards, and the value of knocking is the mean over them.
"""

from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

from simgin.charts.chart import Chart, ChartRequest
from simgin.charts.chart_kinds import N_TURN_COLUMNS
from simgin.core.position_rollouts import ACTION_DISCARD, ACTION_END_DEAL
from simgin.learn.champion_weights import compute_point_equity
from simgin.play.matchup import parse_matchup
from simgin.play.rollouts import Action, Worlds, roll_out_deals, roll_out_worlds
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import helper, knock, loader
from simgin.text.notation import mask_to_cards
from simgin.toolkit import best_discards, is_gin_or_better

N_STOCK_CARDS = 4
DISCARD_POLICIES_CODE = """
from simgin.strategy import discard
from simgin.toolkit import lowest_bit

@discard
def first_best(view, rules, params):
    return lowest_bit(view.best)

@discard
def drawn(view, rules, params):
    return view.drawn
"""
MELD_BREAKER_CODE = """
@discard
def breaks(view, rules, params):
    return lowest_bit(view.hand if view.stock == 2 else view.best)
"""


@knock
def propose_near_the_end(view, rules, params):
    """Propose both options of the decision if exactly four cards are left in the stock."""
    return 3 if view.stock == N_STOCK_CARDS and not is_gin_or_better(view) else 0


@knock
def knock_only_with_gin(view, rules, params):
    return is_gin_or_better(view)


@pytest.fixture(scope="module")
def matchup(tmp_path_factory):
    """Return a matchup in which A knocks with gin only and B never knocks."""
    discards_file = Path(tmp_path_factory.mktemp("players")) / "discards.py"
    discards_file.write_text(DISCARD_POLICIES_CODE)
    a, b = (f"gold+take=never+discard={discards_file}#{name}" for name in ("first-best", "drawn"))
    return parse_matchup(a, f"{b}+knock=never", "standard", 3, "deal")


# Positions of the next two stock cards among the unseen cards, in every order
NEXT_TWO_CARD_INDICES = [
    [*first, *sorted({*left} - {*first})]
    for left in combinations(range(10 + N_STOCK_CARDS), N_STOCK_CARDS)
    for first in permutations(left, 2)
]


def compute_exact_gains(matchup, view):
    """Return the gain from knocking instead of continuing in all worlds, (n_worlds,) float64."""
    unseen = np.array(list(mask_to_cards(int(view["unseen"]))))
    assert len(unseen) == 10 + N_STOCK_CARDS and not view["known"]
    stocks = unseen[np.array(NEXT_TWO_CARD_INDICES)]
    hands = int(view["unseen"]) - (1 << stocks).sum(axis=1)
    best = int(view["best"])
    knocking = Action(ACTION_END_DEAL, int(view["ending_card"]))
    continuing = Action(ACTION_DISCARD, (best & -best).bit_length() - 1)
    records = roll_out_worlds(
        matchup, view, [knocking, continuing], Worlds(hands, stocks.astype(np.int8))
    )
    points = (records["points_a"] - records["points_b"]).astype(float)
    return points[:, 0] - points[:, 1]


@pytest.mark.parametrize("n_deals", [5000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_cells_near_the_end_agree_with_enumerated_worlds(matchup, n_deals):
    rollouts = roll_out_deals(
        matchup, propose_near_the_end, 0, n_deals, 2, None, knock_only_with_gin
    )
    request = ChartRequest("knock", "standard", "gold", n_deals, 3)
    cells = request.kind.find_cells(rollouts, build_rules(matchup.variant))
    chart = Chart(request, cells, compute_point_equity(rollouts), rollouts.weights)
    z_scores = []
    for row in chart.frame.to_dict("records"):
        cell = request.kind.rows.index(row["row"]), request.kind.columns.index(row["column"])
        is_cell = cells[:, 1] == np.ravel_multi_index(
            cell, (len(request.kind.rows), N_TURN_COLUMNS)
        )
        exact_gains = [compute_exact_gains(matchup, view) for view in rollouts.views[is_cell]]
        weights = rollouts.weights[is_cell] / rollouts.weights[is_cell].sum()
        error = np.sqrt(weights**2 @ [gains.var() for gains in exact_gains])
        z_scores.append((row["value"] - weights @ [gains.mean() for gains in exact_gains]) / error)
        assert len(exact_gains) == row["n"]
    assert len(z_scores) > 3 and np.abs(z_scores).max() < 4
    assert abs(np.sum(z_scores)) < 4 * np.sqrt(len(z_scores))


# Two cards are left, and A can end the deal for the first time. A declines and breaks
# up a meld. If the last draw repairs the hand, there is a second decision, and knocking first
# gains nothing. Otherwise, the deal has only one decision.

N_LAST_CARDS = 2
LAST_CARD_VARIANT = f"standard+stock_reserve={N_LAST_CARDS - 2}"


@helper
def can_knock(hand, rules):
    """Return True if a discard from eleven cards leaves deadwood within the knock limit."""
    return best_discards(hand, hand, rules)[0] <= rules.knock_limit


@knock
def propose_at_first_chance_near_the_end(view, rules, params):
    """Propose both actions if the first chance to knock occurs near the end."""
    if view.stock != N_LAST_CARDS or is_gin_or_better(view):
        return 0
    hand = view.hand & ~(1 << view.drawn)
    for i in range(view.turns - 1, -1, -1):
        if view.history[i, 0] == view.seat:
            hand_before_discard = hand | 1 << view.history[i, 3]
            if can_knock(hand_before_discard, rules):
                return 0
            hand = hand_before_discard & ~(1 << view.history[i, 2])
    return 3


def compute_exact_gains_with_two_cards_left(matchup, view):
    """Return the gain from knocking in all worlds if two cards are left in the stock."""
    unseen = np.array(list(mask_to_cards(int(view["unseen"]))))
    assert len(unseen) == 10 + N_LAST_CARDS and not view["known"]
    stocks = np.array(list(permutations(unseen, N_LAST_CARDS)), np.int8)
    hands = int(view["unseen"]) - (1 << stocks.astype(np.int64)).sum(axis=1)
    knocking = Action(ACTION_END_DEAL, int(view["ending_card"]))
    continuing = Action(ACTION_DISCARD, int(min(mask_to_cards(int(view["hand"])))))
    records = roll_out_worlds(matchup, view, [knocking, continuing], Worlds(hands, stocks))
    points = (records["points_a"] - records["points_b"]).astype(float)
    return points[:, 0] - points[:, 1]


def test_weighted_decisions_do_not_depend_on_later_events(matchup, tmp_path):
    """Check that weighted gains are unbiased and that gains without weights are biased."""
    file = tmp_path / "breaks.py"
    file.write_text(DISCARD_POLICIES_CODE + MELD_BREAKER_CODE)
    breaker_matchup = replace(
        matchup,
        variant=variants.find_variant(LAST_CARD_VARIANT),
        a=loader.find_strategy(f"gold+take=never+discard={file}#breaks"),
    )
    rollouts = roll_out_deals(
        breaker_matchup,
        propose_at_first_chance_near_the_end,
        0,
        30_000,
        2,
        None,
        knock_only_with_gin,
    )
    assert set(rollouts.weights.tolist()) == {1, 2}
    exact_gains = [
        compute_exact_gains_with_two_cards_left(breaker_matchup, view) for view in rollouts.views
    ]
    errors = (
        compute_point_equity(rollouts)[:, 1]
        - compute_point_equity(rollouts)[:, 0]
        - [gains.mean() for gains in exact_gains]
    )
    variances = np.array([gains.var() for gains in exact_gains])
    assert abs(compute_z_score(rollouts.weights, errors, variances)) < 4
    assert compute_z_score(1, errors, variances) > 4


def compute_z_score(weights, errors, variances):
    """Return a weighted sum of errors divided by its standard error."""
    return np.sum(weights * errors) / np.sqrt(np.sum(weights**2 * variances))
