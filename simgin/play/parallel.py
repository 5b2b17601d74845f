"""Units played side by side by threads, for what goes through no ledger."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

Progress = Callable[[int, int], None]  # called with units done and units in all


def usable_cpus() -> int:
    """The number of processors this process may use, the default number of workers."""
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
    """What play(first unit, number of units) gives for every `size` units, in their order: for what goes through no ledger."""
    parts = [(first, min(size, units - first)) for first in range(0, units, size)]
    found, pool = list[np.ndarray](), ThreadPoolExecutor(workers or usable_cpus())
    try:
        for (first, n), part in zip(parts, pool.map(lambda part: play(*part), parts), strict=True):
            found.append(part)
            if progress is not None:
                progress(first + n, units)
    finally:
        pool.shutdown(cancel_futures=True)
    return found
