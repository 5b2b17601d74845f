"""For any variant, strategies and seed: sides can be exchanged, and blocks make no difference."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from support.variant_lists import TWO_PLAYER, UNUSUAL

MARGINS = ("a_margin", "a_match_margin", "a_settlement")  # A's lead over B
WITHOUT_NOISE = (
    *("gold", "gin-only", "gold-early", "gold-at"),
    *("gold+take=never", "gold+discard=loose-high"),
)
a_row = st.sampled_from(tuple(dict.fromkeys((*UNUSUAL, *TWO_PLAYER))))
a_strategy = st.sampled_from(WITHOUT_NOISE)
a_seed, a_unit = st.integers(0, 2**64 - 1), st.sampled_from(("deal", "match"))


def fact(row, name, start=sums.SUM):
    return int(row[start + sums.FACT[name]])


@settings(max_examples=40)
@given(a_row, a_strategy, a_strategy, a_seed, a_unit)
def test_exchanging_the_strategies_exchanges_the_sides(row, a, b, seed, unit):
    """A against B and B against A play the same pairs of deals.

    Every sum of one side is the other's, and every margin changes its sign.
    """
    assume(a != b)
    n = 20 if unit == "match" else 150
    one, other = (
        kernel.play(parse_matchup(*pair, row, seed, unit), 0, n)[0] for pair in ((a, b), (b, a))
    )
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
    for clone, alike in (("gold+discard=low:tie=middle", False), ("gold-early:k=500", True)):
        total = kernel.play(parse_matchup("gold", clone, "standard", 3, "deal"), 0, 1000)[0]
        assert (fact(total, "a_margin", sums.SQUARE) == 0) == alike


@pytest.mark.parametrize("unit, units", [("deal", 5_000), ("match", 500)])
def test_results_do_not_depend_on_blocks(unit, units):
    this = parse_matchup("simple", "gold-early", "oklahoma", 9, unit)
    whole = kernel.play(this, 0, units)
    size = this.batch
    pieces = [kernel.play(this, first, size) for first in range(0, units, size)]
    assert (whole == np.concatenate(pieces)).all()
    assert (whole[1:4] == kernel.play(this, size, 3 * size)).all()
