"""Tests of chart cells near the end of a deal against all possible hidden cards.

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
from simgin.charts.chart_kinds import N_TURNS
from simgin.core.position_rollouts import ACTION_DISCARD, ACTION_END
from simgin.learn.champion_weights import compute_point_equity
from simgin.play.matchup import parse_matchup
from simgin.play.rollouts import Action, Worlds, roll_out_deals, roll_out_worlds
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import helper, knock, loader
from simgin.text.notation import mask_to_cards
from simgin.toolkit import best_discards, is_gin_or_better

N_STOCK_CARDS = 4
DISCARDS = """
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
def near_the_end(view, rules, params):
    return 3 if view.stock == N_STOCK_CARDS and not is_gin_or_better(view) else 0


@knock
def knock_with_gin_only(view, rules, params):
    return is_gin_or_better(view)


@pytest.fixture(scope="module")
def matchup(tmp_path_factory):
    """Return a matchup: A knocks immediately, except before the decision, and B never does."""
    file = Path(tmp_path_factory.mktemp("players")) / "discards.py"
    file.write_text(DISCARDS)
    a, b = (f"gold+take=never+discard={file}#{name}" for name in ("first-best", "drawn"))
    return parse_matchup(a, f"{b}+knock=never", "standard", 3, "deal")


# Positions of the next two stock cards among the unseen cards, in every order
NEXT_TWO_CARDS = [
    [*first, *sorted({*left} - {*first})]
    for left in combinations(range(10 + N_STOCK_CARDS), N_STOCK_CARDS)
    for first in permutations(left, 2)
]


def exact_gains(matchup, view):
    """Return the gain from knocking instead of continuing in all worlds, (n_worlds,) float64."""
    unseen = np.array(list(mask_to_cards(int(view["unseen"]))))
    assert len(unseen) == 10 + N_STOCK_CARDS and not view["known"]
    stocks = unseen[np.array(NEXT_TWO_CARDS)]
    hands = int(view["unseen"]) - (1 << stocks).sum(axis=1)
    best = int(view["best"])
    knocking = Action(ACTION_END, int(view["ending_card"]))
    going_on = Action(ACTION_DISCARD, (best & -best).bit_length() - 1)
    ended = roll_out_worlds(
        matchup, view, [knocking, going_on], Worlds(hands, stocks.astype(np.int8))
    )
    points = (ended["points_a"] - ended["points_b"]).astype(float)
    return points[:, 0] - points[:, 1]


@pytest.mark.parametrize("deals", [5000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_cells_near_the_end_are_the_means_over_all_hidden_cards(matchup, deals):
    found = roll_out_deals(matchup, near_the_end, 0, deals, 2, None, knock_with_gin_only)
    request = ChartRequest("knock", "standard", "gold", deals, 3)
    cells = request.kind.find_cells(found, build_rules(matchup.variant))
    chart = Chart(request, cells, compute_point_equity(found), found.weights)
    away = []
    for row in chart.frame.to_dict("records"):
        cell = request.kind.rows.index(row["row"]), request.kind.columns.index(row["column"])
        own = cells[:, 1] == np.ravel_multi_index(cell, (len(request.kind.rows), N_TURNS))
        true = [exact_gains(matchup, view) for view in found.views[own]]
        weights = found.weights[own] / found.weights[own].sum()
        error = np.sqrt(weights**2 @ [gains.var() for gains in true])
        away.append((row["value"] - weights @ [gains.mean() for gains in true]) / error)
        assert len(true) == row["n"]
    assert len(away) > 3 and np.abs(away).max() < 4
    assert abs(np.sum(away)) < 4 * np.sqrt(len(away))


# Two cards are left, and A can end the deal for the first time. A declines and breaks
# up a meld. If the last draw repairs the hand, there is a second decision, and knocking first
# gains nothing. Otherwise, the deal has only one decision.

N_LAST_CARDS = 2
LAST_CARD_VARIANT = f"standard+stock_reserve={N_LAST_CARDS - 2}"


@helper
def may_end(eleven, rules):
    """Return True if a discard from eleven cards leaves deadwood within the knock limit."""
    return best_discards(eleven, eleven, rules)[0] <= rules.knock_limit


@knock
def first_near_the_end(view, rules, params):
    """Return both actions at the first decision of a deal, if it occurs near the end."""
    if view.stock != N_LAST_CARDS or is_gin_or_better(view):
        return 0
    ten = view.hand & ~(1 << view.drawn)
    for i in range(view.turns - 1, -1, -1):
        if view.history[i, 0] == view.seat:
            eleven = ten | 1 << view.history[i, 3]
            if may_end(eleven, rules):
                return 0
            ten = eleven & ~(1 << view.history[i, 2])
    return 3


def exact_gains_near_the_end(matchup, view):
    """Return the gain from knocking in all worlds: the next two cards and B's ten cards."""
    unseen = np.array(list(mask_to_cards(int(view["unseen"]))))
    assert len(unseen) == 10 + N_LAST_CARDS and not view["known"]
    stocks = np.array(list(permutations(unseen, N_LAST_CARDS)), np.int8)
    hands = int(view["unseen"]) - (1 << stocks.astype(np.int64)).sum(axis=1)
    knocking = Action(ACTION_END, int(view["ending_card"]))
    going_on = Action(ACTION_DISCARD, int(min(mask_to_cards(int(view["hand"])))))
    ended = roll_out_worlds(matchup, view, [knocking, going_on], Worlds(hands, stocks))
    points = (ended["points_a"] - ended["points_b"]).astype(float)
    return points[:, 0] - points[:, 1]


def test_weighted_decisions_do_not_depend_on_later_events(matchup, tmp_path):
    """Show that without weights, deals with one decision would count twice as much."""
    file = tmp_path / "breaks.py"
    file.write_text(DISCARDS + MELD_BREAKER_CODE)
    plays = replace(
        matchup,
        variant=variants.find_variant(LAST_CARD_VARIANT),
        a=loader.find_strategy(f"gold+take=never+discard={file}#breaks"),
    )
    found = roll_out_deals(plays, first_near_the_end, 0, 30_000, 2, None, knock_with_gin_only)
    assert set(found.weights.tolist()) == {1, 2}
    true = [exact_gains_near_the_end(plays, view) for view in found.views]
    missed = (
        compute_point_equity(found)[:, 1]
        - compute_point_equity(found)[:, 0]
        - [of.mean() for of in true]
    )
    spread = np.array([of.var() for of in true])
    assert abs(count_standard_errors(found.weights, missed, spread)) < 4
    assert count_standard_errors(1, missed, spread) > 4


def count_standard_errors(weights, missed, spread):
    """Divide a weighted sum of differences by its standard error."""
    return np.sum(weights * missed) / np.sqrt(np.sum(weights**2 * spread))
