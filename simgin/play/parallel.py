"""Units played side by side in threads, for results that go through no ledger."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

Progress = Callable[[int, int], None]  # called with units done and units in all


def usable_cpus() -> int:
    """The number of processors this process may use: the default number of workers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_units(
    play: Callable[[int, int], np.ndarray],
    units: int,
    size: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[np.ndarray]:
    """Call play(first unit, number of units) for every `size` units; results in that order."""
    firsts = range(0, units, size)
    sizes = [min(size, units - first) for first in firsts]
    results: list[np.ndarray] = []
    pool = ThreadPoolExecutor(workers or usable_cpus())
    try:
        for first, n, result in zip(firsts, sizes, pool.map(play, firsts, sizes), strict=True):
            results.append(result)
            if progress is not None:
                progress(first + n, units)
    finally:
        pool.shutdown(cancel_futures=True)
    return results
