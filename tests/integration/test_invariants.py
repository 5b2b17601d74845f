"""What must hold for any variant, strategies and seed.

Cards are conserved, sums add up, sides can be exchanged, and blocks and threads make no difference.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simgin.core import sums
from simgin.play import kernel
from simgin.play.deal import watch_deal
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import runner
from simgin.strategy import loader
from support.variant_lists import TWO_PLAYER, UNUSUAL, distinct

ROWS = distinct((*TWO_PLAYER, *UNUSUAL))
STRATEGIES = (
    "simple",
    "gold",
    "gin-only",
    "gold-early",
    "stubborn",
    "random",
    "random:p=0.2,p_end=1",
    "gold+take=never",
)
STOCK, DEALT = 0, 2  # source of a card in a deal's turns
MARGINS = ("a_margin", "a_match_margin", "a_settlement")  # A's lead over B

# Matches of every kind as well
any_row = st.sampled_from(tuple(dict.fromkeys((*ROWS, *TWO_PLAYER))))
a_row, a_strategy, a_seed = (
    st.sampled_from(ROWS),
    st.sampled_from(STRATEGIES),
    st.integers(0, 2**64 - 1),
)
without_noise = st.sampled_from(
    ("gold", "gin-only", "gold-early", "gold+take=never", "gold+discard=loose-high", "gold-at")
)
a_unit = st.sampled_from(("deal", "match"))


@cache
def variant(text):
    return variants.find(text)


@cache
def strategy(text):
    return loader.find(text)


def game(row, a, b, seed, unit="deal"):
    return Matchup(variant(row), strategy(a), strategy(b), seed, unit)


def block(row, start):
    return row[start : start + sums.N_FACTS]


def fact(row, name, start=sums.SUM):
    return int(row[start + sums.FACT[name]])


@settings(max_examples=40)
@given(any_row, a_strategy, a_strategy, a_seed, a_unit)
def test_sums_add_up(row, a, b, seed, unit):
    """Kinds, histograms and sides are parts of wholes."""
    this = game(row, a, b, seed, unit)
    n = 30 if unit == "match" else 200
    total = kernel.play(this, 0, n)[0]
    deals = fact(total, "deals")
    assert total[sums.UNITS] == n and deals >= n * (1 + this.mirrored)
    assert sum(fact(total, kind) for kind in sums.KINDS) == deals
    assert total[sums.TURNS_HISTOGRAM : sums.COUNT_HISTOGRAM].sum() == deals
    assert total[sums.PAIR_HISTOGRAM : sums.DEAL_SQUARE].sum() == n
    assert (
        total[sums.COUNT_HISTOGRAM : sums.PAIR_HISTOGRAM].sum()
        == fact(total, "showdowns")
        == sum(fact(total, k) for k in ("knock", "undercut", "even"))
    )
    assert fact(total, "a_deal_win") + fact(total, "b_deal_win") == fact(total, "decided")
    for kind in sums.WON_KINDS:
        assert fact(total, f"a_won_{kind}") + fact(total, f"b_won_{kind}") <= fact(total, kind)
    assert fact(total, "a_points") - fact(total, "b_points") == fact(total, "a_margin")
    assert fact(total, "a_points") + fact(total, "b_points") == sum(
        fact(total, f"points_{kind}") for kind in sums.SCORED_KINDS
    )
    assert (block(total, sums.SQUARE) >= 0).all()
    if unit == "match":
        assert fact(total, "matches") == n * (1 + this.mirrored)
        assert fact(total, "a_match_win") + fact(total, "b_match_win") == 2 * fact(total, "matches")


@settings(max_examples=40)
@given(any_row, without_noise, without_noise, a_seed, a_unit)
def test_exchanging_the_strategies_exchanges_the_sides(row, a, b, seed, unit):
    """A against B and B against A play the same pairs of deals.

    Every sum of one side is the other's, and every margin changes its sign.
    """
    assume(a != b)
    n = 20 if unit == "match" else 150
    one, other = (kernel.play(game(row, *pair, seed, unit), 0, n)[0] for pair in ((a, b), (b, a)))
    for start in (sums.SUM, sums.SQUARE, sums.CROSS):
        for name in sums.FACTS:
            sign = -1 if name in MARGINS and start != sums.SQUARE else 1
            assert fact(one, name, start) == sign * fact(other, seen_by_the_other(name), start), (
                name
            )
    assert (
        one[sums.TURNS_HISTOGRAM : sums.PAIR_HISTOGRAM]
        == other[sums.TURNS_HISTOGRAM : sums.PAIR_HISTOGRAM]
    ).all()
    assert (
        one[sums.PAIR_HISTOGRAM : sums.DEAL_SQUARE]
        == other[sums.PAIR_HISTOGRAM : sums.DEAL_SQUARE][::-1]
    ).all()
    assert (one[sums.DEAL_SQUARE :] == other[sums.DEAL_SQUARE :]).all()


def seen_by_the_other(name):
    """The name of the same fact with A and B exchanged."""
    if name in MARGINS or name[:2] not in ("a_", "b_"):
        return name
    return ("b_" if name[0] == "a" else "a_") + name[2:]


def test_a_strategy_against_its_clone_is_even():
    """The clone has another name, and every margin is zero, deal by deal."""
    total = kernel.play(
        game("standard", "gold", "gold+knock=at:k=10+discard=low:tie=middle", 3), 0, 1000
    )[0]
    assert fact(total, "a_margin", sums.SQUARE) > 0  # another discard rule: here margins do vary
    total = kernel.play(game("standard", "gold", "gold-early:k=500", 3), 0, 1000)[0]
    assert fact(total, "a_margin") == fact(total, "a_margin", sums.SQUARE) == 0


@pytest.mark.parametrize("unit, units", [("deal", 5_000), ("match", 500)])
def test_results_do_not_depend_on_blocks(unit, units):
    this = game("oklahoma", "simple", "gold-early", 9, unit)
    whole = kernel.play(this, 0, units)
    size = this.batch
    pieces = [kernel.play(this, first, size) for first in range(0, units, size)]
    assert (whole == np.concatenate(pieces)).all()
    backwards = [kernel.play(this, first, size) for first in reversed(range(0, units, size))]
    assert (whole == np.concatenate(backwards[::-1])).all()
    assert (whole[1:4] == kernel.play(this, size, 3 * size)).all()


@pytest.mark.parametrize("unit, n", [("deal", 9_001), ("match", 1_234)])
def test_results_do_not_depend_on_threads(unit, n):
    this = game("standard", "random:p=0.3", "simple", 10, unit)
    rows = [runner.run_matchup(this, n, workers) for workers in (1, 2, 5)]
    assert (rows[0] == rows[1]).all() and (rows[0] == rows[2]).all()


@settings(max_examples=25)
@given(any_row, a_strategy, a_strategy, a_seed)
def test_a_watched_deal_is_the_deal_of_the_run(row, a, b, seed):
    """A deal played by itself is what the kernel counted."""
    this = game(row, a, b, seed)
    total = kernel.play(this, 0, 3)[0]
    played = [
        watch_deal(this, unit, half) for unit in range(3) for half in range(1 + this.mirrored)
    ]
    assert sum(int(deal.state.turns) for deal in played) == fact(total, "turns")
    for kind in sums.KINDS:
        assert sum(deal.kind == kind for deal in played) == fact(total, kind)
    margins = [
        int(deal.state.score[deal.state.half] - deal.state.score[1 - deal.state.half])
        for deal in played
    ]
    assert sum(margins) == fact(total, "a_margin")
