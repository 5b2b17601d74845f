"""Test the exact distribution of deadwood over all dealt hands.

Deadwood does not depend on the names of suits. Therefore, the test solves only multisets of four
suit masks (the bits of one suit), each of which counts for as many hands as it has orders.
"""

import math
import threading

import numpy as np
import pytest

from simgin.core.deadwood import deadwood
from simgin.core.jit import compile_function
from simgin.play.parallel import count_usable_cpus
from support.hands import build_both_rules

N_DEADWOOD_BINS = 128  # more than the value of ten face cards


def sort_suit_masks_by_size():
    """Return all masks of one suit sorted by number of cards, and the first index per number."""
    sizes = np.array([suit_mask.bit_count() for suit_mask in range(8192)])
    return np.argsort(sizes, kind="stable"), np.searchsorted(np.sort(sizes), np.arange(15))


@compile_function
def count_orders(i, j, k, m):
    """Return the number of distinct orders of four suit masks with i >= j >= k >= m."""
    n_orders = 24
    if i == j or j == k or k == m:
        n_orders = 12
        if i == j == k or j == k == m:
            n_orders = 1 if i == m else 4
        elif i == j and k == m:
            n_orders = 6
    return n_orders


@compile_function
def add_hands(rules, hand_size, suit_masks, first_index, i, histogram):
    """Add the deadwood of all hands whose largest suit mask has index i to a histogram."""
    a = suit_masks[i]
    size_a = np.searchsorted(first_index, i, side="right") - 1
    for j in range(min(i + 1, first_index[min(hand_size - size_a, 13) + 1])):
        b = a | suit_masks[j] << 13
        size_b = size_a + np.searchsorted(first_index, j, side="right") - 1
        for k in range(min(j + 1, first_index[min(hand_size - size_b, 13) + 1])):
            c = b | suit_masks[k] << 26
            left = hand_size - size_b - (np.searchsorted(first_index, k, side="right") - 1)
            if left <= 13:
                for m in range(first_index[left], min(k + 1, first_index[left + 1])):
                    histogram[deadwood(c | suit_masks[m] << 39, rules)] += count_orders(i, j, k, m)


def compute_deadwood_histogram(hand_size):
    """Return the histogram of the deadwood of all hands of a size."""
    rules, _ = build_both_rules("standard")
    suit_masks, first_index = sort_suit_masks_by_size()
    workers = count_usable_cpus()
    histograms = np.zeros((workers, N_DEADWOOD_BINS), np.int64)

    def count_hands(worker):
        for i in range(worker, first_index[hand_size + 1], workers):
            add_hands(rules, hand_size, suit_masks, first_index, i, histograms[worker])

    threads = [threading.Thread(target=count_hands, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return histograms.sum(axis=0)


def test_number_of_five_card_gin_hands_is_exact():
    """A gin hand of five cards is a run, and each suit has nine runs of five."""
    histogram = compute_deadwood_histogram(5)
    assert histogram.sum() == math.comb(52, 5)
    assert histogram[0] == 4 * 9


@pytest.mark.slow
def test_deadwood_distribution_of_opening_hands_is_exact():
    """Count all 15,820,024,220 hands (docs/reference/published-results.md#exact-counts)."""
    histogram = compute_deadwood_histogram(10)
    points, total = np.arange(N_DEADWOOD_BINS), math.comb(52, 10)
    mean = float(histogram @ points) / total
    deviation = math.sqrt(float(histogram @ points**2) / total - mean**2)
    at_most = np.cumsum(histogram)
    assert (at_most[-1], at_most[0], at_most[10]) == (total, 136_694, 10_212_276)
    assert (round(mean, 4), round(deviation, 4)) == (56.5694, 13.7912)
    shares = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
    found = [int(np.searchsorted(at_most, share * total)) for share in shares]
    assert found == [22, 32, 38, 47, 58, 67, 73, 76, 82]
