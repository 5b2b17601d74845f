"""Units played side by side in threads, for results that go through no ledger.

Threads are daemons: a strategy that never answers can be interrupted and does not hold the process.
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
Progress = Callable[[int, int], None]  # called with units done and units in all
SHARES = 1000  # parts in which the progress of one of several pieces of work is counted


def usable_cpus() -> int:
    """The number of processors this process may use: the default number of workers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share(progress: Progress | None, place: int, pieces: int) -> Progress | None:
    """The progress of piece number `place` of some work, as a part of that of all."""
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
    """Call play(first unit, number of units) for every `size` units; results in that order."""
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
    """What a call returns; Ctrl-C ends the wait for it, though not what it does.

    Python attends to Ctrl-C between two of its own instructions, in the main thread. Compiled code
    has none, so it is called by another thread, which does not hold the process. An exception that
    anybody leaves in the future ends the wait, too.
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


# Queues of the threads of `interruptible` that have nothing to do: to start a thread takes longer
# than most calls, and one that never comes back is never asked again.
_Calls: TypeAlias = "SimpleQueue[tuple[Future[Any], Callable[[], Any]]]"
_WAITING: list[_Calls] = []
if hasattr(os, "register_at_fork"):  # threads do not go along
    os.register_at_fork(after_in_child=_WAITING.clear)


def _serve(calls: _Calls) -> None:
    """Make the calls of a queue, and keep nothing of them."""
    while True:
        _settle(*calls.get())
        _WAITING.append(calls)


def _settle(future: Future[T], call: Callable[[], T]) -> None:
    """Make the call, and leave its result, or what it raises, in the future."""
    with suppress(InvalidStateError):  # nobody waits any more
        try:
            future.set_result(call())
        except InvalidStateError:
            raise
        except BaseException as error:
            future.set_exception(error)
