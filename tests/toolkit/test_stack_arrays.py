"""Scratch arrays on the stack, and hands of which one card is left."""

import numpy as np

from simgin.core.bitboard import can_leave_one_card
from simgin.core.deadwood import best_discards
from simgin.core.jit import compile_function
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.toolkit.stack_arrays import N_LANES, float_stack_array, int_stack_array


def fill(n):
    """Return the contents of two new arrays before and after n elements of both are written."""
    whole, real = int_stack_array(), float_stack_array()
    before = whole.sum() + real.sum()
    for i in range(n):
        whole[i], real[i] = i + 1, 0.5
    return len(whole), before, whole.sum(), real.sum()


def test_scratch_arrays_are_new_and_zero_at_every_call():
    kernel = compile_function(fill, use_cache=False)
    for n in (N_LANES, 0, 3):
        assert kernel(n) == (N_LANES, 0.0, n * (n + 1) // 2, n / 2)


def test_one_card_is_left_if_a_discard_leaves_no_deadwood():
    """Eleven cards from few ranks, so that sets and runs conflict."""
    rules = build_rules(variants.find_variant("standard"))
    rng, found = np.random.default_rng(1), [0, 0]
    pool = [13 * suit + rank for suit in range(4) for rank in range(4)]
    for _ in range(4000):
        hand = sum(1 << int(card) for card in rng.choice(pool, 11, replace=False))
        gin = best_discards(hand, hand, rules)[0] == 0
        assert can_leave_one_card(hand) == gin
        found[gin] += 1
    assert min(found) > 200
