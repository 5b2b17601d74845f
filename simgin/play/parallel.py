"""Parallel play in threads, for results that are not saved in a ledger.

The threads are daemon threads, so that a strategy that never returns can be interrupted and does
not keep the process alive.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias, TypeVar

from simgin.core import jit

Result = TypeVar("Result")
# Function that is called with the number of finished units and the total number of units
ProgressCallback = Callable[[int, int], None]
PROGRESS_STEPS_PER_PART = 1000  # number of progress steps per part of a task


def count_usable_cpus() -> int:
    """Return the number of CPUs for this process, which is the default number of workers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_progress_for_part(
    on_progress: ProgressCallback | None, part_index: int, n_parts: int
) -> ProgressCallback | None:
    """Return a progress callback for one part of a task that has several parts.

    Args:
        on_progress: Progress callback for the whole task.
        part_index: Index of the part.
        n_parts: Number of parts.
    """
    if on_progress is None:
        return None
    return lambda done, units: on_progress(
        PROGRESS_STEPS_PER_PART * part_index + PROGRESS_STEPS_PER_PART * done // units,
        PROGRESS_STEPS_PER_PART * n_parts,
    )


def map_units(
    play_block: Callable[[int, int], Result],
    n_units: int,
    block_size: int,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> list[Result]:
    """Apply a function to blocks of deals or matches in several threads.

    Args:
        play_block: Function with two arguments, the first unit and the number of units.
        n_units: Total number of units.
        block_size: Number of units per block.
        workers: Number of threads. The default is one thread per CPU.
        on_progress: Progress callback.

    Returns:
        List of the results in the order of the blocks.
    """
    blocks = [(unit, min(block_size, n_units - unit)) for unit in range(0, n_units, block_size)]
    futures: list[Future[Result]] = [Future() for _ in blocks]
    pending_indices = SimpleQueue[int]()
    for block_index in range(len(blocks)):
        pending_indices.put(block_index)

    def play_blocks() -> None:
        with suppress(Empty):
            while True:
                block_index = pending_indices.get_nowait()
                _complete_future(futures[block_index], partial(play_block, *blocks[block_index]))

    for _ in range(workers or count_usable_cpus()):
        threading.Thread(target=play_blocks, daemon=True).start()
    results: list[Result] = []
    try:
        for (first_unit, n_block_units), future in zip(blocks, futures, strict=True):
            results.append(future.result())
            if on_progress is not None:
                on_progress(first_unit + n_block_units, n_units)
    finally:
        with suppress(Empty):
            while True:
                pending_indices.get_nowait()
    return results


def call_interruptibly(function: Callable[[], Result], future: Future[Result]) -> Result:
    """Call a function in another thread, so that Ctrl-C interrupts the wait for its result.

    Python handles Ctrl-C in the main thread between two Python instructions, so compiled code runs
    in a daemon thread. Ctrl-C ends the wait but not the call. An exception that another thread sets
    on `future` also ends the wait.

    Returns:
        The return value of `function`.
    """
    if jit.is_interpreted():
        return function()
    try:
        calls = _IDLE_THREAD_QUEUES.pop()
    except IndexError:
        calls = SimpleQueue()
        threading.Thread(target=_run_queued_calls, args=(calls,), daemon=True).start()
    calls.put((future, function))
    return future.result()


# Queues of idle threads. Threads are reused, because starting a thread takes longer than most
# calls. A thread is not reused if its call never returns.
_CallQueue: TypeAlias = "SimpleQueue[tuple[Future[Any], Callable[[], Any]]]"
_IDLE_THREAD_QUEUES: list[_CallQueue] = []
if hasattr(os, "register_at_fork"):  # Threads do not survive a fork.
    os.register_at_fork(after_in_child=_IDLE_THREAD_QUEUES.clear)


def _run_queued_calls(call_queue: _CallQueue) -> None:
    """Run the calls in a queue, without keeping references to finished calls."""
    while True:
        _complete_future(*call_queue.get())
        _IDLE_THREAD_QUEUES.append(call_queue)


def _complete_future(future: Future[Result], function: Callable[[], Result]) -> None:
    """Run a call, and store its result or exception in the future."""
    with suppress(InvalidStateError):  # The waiting thread was interrupted.
        try:
            future.set_result(function())
        except InvalidStateError:
            raise
        except BaseException as error:
            future.set_exception(error)
