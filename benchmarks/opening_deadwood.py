"""Exact distribution of the deadwood of a dealt ten-card hand, over all C(52,10) hands.

    python benchmarks/opening_deadwood.py

Aces are low and cards have their face values. Deadwood does not depend on the names of the suits.
So only multisets of four lanes (the thirteen bits of a suit) are solved, and each counts for as
many hands as its lanes have orders: about 24 times fewer than 15,820,024,220. Every one of them
goes through the engine's own solver.

Prints histogram, quantiles and time. Exits with 1 if a count differs from the exact ones
(docs/reference/published-results.md#exact-counts).
"""

import math
import sys
import threading
import time

import numpy as np

from simgin.core.deadwood import deadwood
from simgin.core.jit import compiled
from simgin.play.parallel import usable_cpus
from simgin.rules import variants
from simgin.rules.record import build_rules

CARDS = 10
BINS = 128  # more than the value of ten face cards
HANDS = math.comb(52, CARDS)
EXACT = {"hands": HANDS, "0": 136_694, "10 or less": 10_212_276}
MOMENTS = (56.5694, 13.7912)
QUANTILES = {1: 22, 5: 32, 10: 38, 25: 47, 50: 58, 75: 67, 90: 73, 95: 76, 99: 82}


def lane_lists():
    """The 8,192 lanes sorted by number of cards, and the index at which each number begins."""
    sizes = np.array([lane.bit_count() for lane in range(8192)])
    return np.argsort(sizes, kind="stable"), np.searchsorted(np.sort(sizes), np.arange(15))


@compiled
def orders(i, j, k, m):
    """Number of distinct orders of four lanes, given by their indices i >= j >= k >= m."""
    ways = 24
    if i == j or j == k or k == m:
        ways = 12
        if i == j == k or j == k == m:
            ways = 1 if i == m else 4
        elif i == j and k == m:
            ways = 6
    return ways


def add_hands(rules, lanes, begin, i, histogram):
    """Add every hand whose largest lane is the i-th one, with the others in falling order."""
    a = lanes[i]
    size_a = np.searchsorted(begin, i, side="right") - 1
    for j in range(min(i + 1, begin[min(CARDS - size_a, 13) + 1])):
        b = a | lanes[j] << 13
        size_b = size_a + np.searchsorted(begin, j, side="right") - 1
        for k in range(min(j + 1, begin[min(CARDS - size_b, 13) + 1])):
            c = b | lanes[k] << 26
            left = CARDS - size_b - (np.searchsorted(begin, k, side="right") - 1)
            if left <= 13:
                for m in range(begin[left], min(k + 1, begin[left + 1])):
                    histogram[deadwood(c | lanes[m] << 39, rules)] += orders(i, j, k, m)


def count(workers):
    """Histogram of the deadwood over all hands, counted by several threads."""
    record = build_rules(variants.find("standard"))
    lanes, begin = lane_lists()
    add = compiled(add_hands, keep=False)
    add(record, lanes, begin, 0, np.zeros(BINS, np.int64))  # compiles
    last = begin[CARDS + 1]
    histograms = np.zeros((workers, BINS), np.int64)

    def work(worker):
        for i in range(worker, last, workers):
            add(record, lanes, begin, i, histograms[worker])

    threads = [
        threading.Thread(target=work, args=(worker,), daemon=True) for worker in range(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return histograms.sum(axis=0)


def differences(histogram):
    """Differences from the exact values, a sentence each."""
    points = np.arange(BINS)
    mean = float(histogram @ points) / HANDS
    sd = math.sqrt(float(histogram @ points**2) / HANDS - mean**2)
    at_most = np.cumsum(histogram)
    counts = {"hands": int(at_most[-1]), "0": int(histogram[0]), "10 or less": int(at_most[10])}
    quantiles = {q: int(np.searchsorted(at_most, q * HANDS / 100)) for q in QUANTILES}
    print(f"mean {mean:.4f}, standard deviation {sd:.4f}")
    print("quantiles " + ", ".join(f"{q} % {value}" for q, value in quantiles.items()))
    wrong = [
        f"{what}: {n:,} instead of {EXACT[what]:,}"
        for what, n in counts.items()
        if n != EXACT[what]
    ]
    wrong += [
        f"moment {m:.4f} instead of {want}"
        for m, want in zip((mean, sd), MOMENTS, strict=True)
        if round(m, 4) != want
    ]
    return wrong + [
        f"quantile {q} %: {quantiles[q]} instead of {want}"
        for q, want in QUANTILES.items()
        if quantiles[q] != want
    ]


def main():
    """The command line."""
    workers = usable_cpus()
    start = time.perf_counter()
    histogram = count(workers)
    seconds = time.perf_counter() - start
    for points in np.flatnonzero(histogram):
        print(f"{points:3d} {histogram[points]:14,d}  {histogram[points] / HANDS:.3e}")
    wrong = differences(histogram)
    print(f"{HANDS:,} hands in {seconds:.1f} s on {workers} threads")
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
