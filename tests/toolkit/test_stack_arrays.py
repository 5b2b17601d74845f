"""Tests of scratch arrays on the stack."""

import numpy as np

from simgin.core.bitboard import can_meld_all_but_one
from simgin.core.deadwood import best_discards
from simgin.core.jit import compile_function
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.toolkit.stack_arrays import STACK_ARRAY_LENGTH, float_stack_array, int_stack_array


def write_stack_arrays(n):
    """Write n elements of two new arrays, and return their length and their sums."""
    integers, floats = int_stack_array(), float_stack_array()
    initial_sum = integers.sum() + floats.sum()
    for i in range(n):
        integers[i], floats[i] = i + 1, 0.5
    return len(integers), initial_sum, integers.sum(), floats.sum()


def test_stack_arrays_are_zero_at_every_call():
    kernel = compile_function(write_stack_arrays, use_cache=False)
    for n in (STACK_ARRAY_LENGTH, 0, 3):
        assert kernel(n) == (STACK_ARRAY_LENGTH, 0.0, n * (n + 1) // 2, n / 2)


def test_can_meld_all_but_one_agrees_with_the_best_discard():
    """Use eleven cards from few ranks, so that sets and runs conflict."""
    rules = build_rules(variants.find_variant("standard"))
    rng, counts = np.random.default_rng(1), [0, 0]
    candidates = [13 * suit + rank for suit in range(4) for rank in range(4)]
    for _ in range(4000):
        hand = sum(1 << int(card) for card in rng.choice(candidates, 11, replace=False))
        is_gin = best_discards(hand, hand, rules)[0] == 0
        assert can_meld_all_but_one(hand) == is_gin
        counts[is_gin] += 1
    assert min(counts) > 200
