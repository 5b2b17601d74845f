"""Analyses that run in threads while a page shows their interim results."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from simgin.text.messages import SimginError

MAX_PARALLEL_ANALYSES = 3  # maximum number of analyses at the same time; later analyses wait
MIN_UPDATE_INTERVAL_SECONDS = 0.2  # minimum time between two interim results, in seconds
POLL_INTERVAL_SECONDS = 0.05

AnalysisT = TypeVar("AnalysisT")
# Callback for the finished work, the total work, and a function that returns the interim result.
ResultCallback = Callable[[int, int, Callable[[], AnalysisT]], None]


class BrowserDisconnectedError(Exception):
    """Exception that ends an analysis when the browser has disconnected."""


class LiveAnalysis(Generic[AnalysisT]):
    """Analysis that runs in a thread and stops when the browser disconnects.

    Args:
        analyse: Function that runs the analysis. The function passes interim results to its
            argument.
        to_json: Function that converts a result to a JSON object. Its second argument is True if
            the analysis has ended.
    """

    thread_pool = ThreadPoolExecutor(MAX_PARALLEL_ANALYSES, "analysis")

    def __init__(
        self,
        analyse: Callable[[ResultCallback[AnalysisT]], AnalysisT],
        to_json: Callable[[AnalysisT, bool], dict[str, Any]],
    ) -> None:
        self._analyse = analyse
        self._to_json = to_json
        self._is_stopped = threading.Event()
        self._state: dict[str, Any] | None = None
        self._next_update = 0.0

    def _run_analysis(self) -> None:
        """Run the analysis, and store its result or error message."""
        try:
            self._set_state(self._analyse(self._store_interim_result), is_over=True)
        except SimginError as error:
            self._state = {"error": str(error)}
        except BrowserDisconnectedError:
            pass

    def _store_interim_result(
        self, n_done: int, n_total: int, get_result: Callable[[], AnalysisT]
    ) -> None:
        """Store an interim result, or raise an error if the browser has disconnected."""
        if self._is_stopped.is_set():
            raise BrowserDisconnectedError
        if time.monotonic() >= self._next_update:
            self._set_state(get_result(), is_over=False)
            self._next_update = time.monotonic() + MIN_UPDATE_INTERVAL_SECONDS

    def _set_state(self, result: AnalysisT, is_over: bool) -> None:
        self._state = self._to_json(result, is_over) | {"is_over": is_over}

    async def iter_json_lines(self, first_object: dict[str, Any]) -> AsyncIterator[str]:
        """Yield an object and the interim results as JSON lines until the analysis ends."""
        yield json.dumps(first_object) + "\n"
        future = self.thread_pool.submit(self._run_analysis)
        sent_state = None
        try:
            while True:
                is_done = future.done()
                state = self._state
                if state is not None and state is not sent_state:
                    sent_state = state
                    yield json.dumps(state) + "\n"
                if is_done:
                    future.result()  # raises the exception of the analysis, if there is one
                    return
                await asyncio.sleep(POLL_INTERVAL_SECONDS)
        finally:
            self._is_stopped.set()
            future.cancel()  # removes the analysis if it is still waiting for a thread
