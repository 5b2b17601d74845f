"""Parallel play in threads, for results that are not written to a ledger.

The threads are daemons: a strategy that never returns can be interrupted, and does not keep the
process alive.
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

T = TypeVar("T")
Progress = Callable[[int, int], None]  # called with (units done, units in total)
SHARES = 1000  # progress steps per piece of work


def usable_cpus() -> int:
    """Return the number of CPUs that this process may use, the default number of workers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(progress: Progress | None, place: int, pieces: int) -> Progress | None:
    """Return the progress callback for one of several pieces of work.

    Args:
        progress: Callback for the whole work.
        place: Index of the piece.
        pieces: Number of pieces.
    """
    if progress is None:
        return None
    return lambda done, units: progress(SHARES * place + SHARES * done // units, SHARES * pieces)


def over_units(
    play: Callable[[int, int], T],
    units: int,
    size: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """Call a function for blocks of units in several threads.

    Args:
        play: Function of (first unit, number of units).
        units: Total number of units.
        size: Units per block.
        workers: Number of threads; by default one per CPU.
        progress: Callback for the progress.

    Returns:
        Results in the order of the blocks.
    """
    blocks = [(first, min(size, units - first)) for first in range(0, units, size)]
    futures: list[Future[T]] = [Future() for _ in blocks]
    todo = SimpleQueue[int]()
    for i in range(len(blocks)):
        todo.put(i)

    def work() -> None:
        with suppress(Empty):
            while True:
                i = todo.get_nowait()
                _settle(futures[i], partial(play, *blocks[i]))

    for _ in range(workers or usable_cpus()):
        threading.Thread(target=work, daemon=True).start()
    results: list[T] = []
    try:
        for (first, n), future in zip(blocks, futures, strict=True):
            results.append(future.result())
            if progress is not None:
                progress(first + n, units)
    finally:
        with suppress(Empty):
            while True:
                todo.get_nowait()
    return results


def interruptible(call: Callable[[], T], future: Future[T]) -> T:
    """Call a function in another thread so that Ctrl-C can end the wait for it.

    Python handles Ctrl-C in the main thread, between two of its own instructions. Compiled code has
    none, so that a daemon thread runs it. Ctrl-C ends the wait but not the call. An exception that
    is set on `future` from elsewhere ends the wait as well.

    Returns:
        Return value of `call`.
    """
    if jit.interpreted():
        return call()
    try:
        calls = _WAITING.pop()
    except IndexError:
        calls = SimpleQueue()
        threading.Thread(target=_serve, args=(calls,), daemon=True).start()
    calls.put((future, call))
    return future.result()


# Queues of idle threads. Starting a thread takes longer than most calls. A thread whose call never
# returns is not reused.
_Calls: TypeAlias = "SimpleQueue[tuple[Future[Any], Callable[[], Any]]]"
_WAITING: list[_Calls] = []
if hasattr(os, "register_at_fork"):  # Threads do not survive a fork.
    os.register_at_fork(after_in_child=_WAITING.clear)


def _serve(calls: _Calls) -> None:
    """Run the calls of a queue, without keeping references to them."""
    while True:
        _settle(*calls.get())
        _WAITING.append(calls)


def _settle(future: Future[T], call: Callable[[], T]) -> None:
    """Run the call, and set its result or its exception on the future."""
    with suppress(InvalidStateError):  # The waiter has given up.
        try:
            future.set_result(call())
        except InvalidStateError:
            raise
        except BaseException as error:
            future.set_exception(error)
