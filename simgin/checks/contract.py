"""Contract test of strategies: legal, timely actions that depend only on the view.

A compiled policy that does not return can only be killed. Therefore, a separate process with checks
of all array indices tests the strategies (see simgin.checks.contract_process). This module reads
the reports of that process and ends it. The first failure of a strategy ends its test.
"""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from simgin.checks.contract_process import COMPILE_SECONDS
from simgin.play import kernel
from simgin.rules.variants import Variant, find, names

CHECKS = {
    "read": "the file can be read and has a strategy",
    "compiles": "every policy compiles, or runs in Python",
    "legal": "every answer is legal",
    "raises": "raises no exception",
    "bounds": "reads nothing out of bounds",
    "writes": "leaves view, rules and parameters unchanged",
    "same": "gives the same view the same answer, in any order and place",
    "history": "reads no row of the history beyond view.turns",
    "time": "answers in time",
    "plays": "finishes deals of every variant",
}
SECONDS = 10.0  # time limit of one action
NOT_MADE = "not tested, because another check failed."
Passed = dict[str, str]  # description of the completed test, by check


@dataclass(frozen=True)
class Finding:
    """Result of one check of one strategy.

    `passed` is None if the check was not made. `sentence` describes the failure, the completed test
    or the reason for omitting it.
    """

    strategy: str
    check: str
    passed: bool | None
    sentence: str = ""


class _Failure(Exception):
    """Failed check; `ended` is True if the test process cannot continue."""

    def __init__(self, check: str, sentence: str, ended: bool = True) -> None:
        super().__init__(sentence)
        self.check, self.ended = check, ended


def all_variants() -> list[Variant]:
    """Return the default variants of the contract test.

    These are the built-in variants and one in which the knocker chooses the melds to show.
    """
    return [*map(find, names()), find("standard+melding=choice")]


def check(
    strategies: Sequence[str], variants: Sequence[Variant], seconds: float = SECONDS
) -> list[Finding]:
    """Test strategies and return the result of every check, in the order of CHECKS.

    No exception of a strategy is raised. If a strategy ends its process or does not return, a new
    process tests the remaining ones.

    Args:
        strategies: Names or files of the strategies.
        variants: Variants in which the strategies are tested.
        seconds: Time limit of one action.
    """
    for players in {1 if variant.row["players"] == 1 else 2 for variant in variants}:
        kernel.compiled_kernel(players)  # cached, because the process would add index checks
    left = list(strategies)
    findings: list[Finding] = []
    while left:
        with _process(left, variants, seconds) as process:
            while left:
                passed: Passed = {}
                failure = None
                try:
                    process.follow(passed)
                except _Failure as error:
                    failure = error
                findings += _findings(left.pop(0), passed, failure)
                if failure is not None and failure.ended:
                    break
    return findings


def _findings(strategy: str, passed: Passed, failure: _Failure | None) -> Iterator[Finding]:
    """Yield the result of every check of a strategy."""
    for name in CHECKS:
        if failure is not None and name == failure.check:
            yield Finding(strategy, name, False, str(failure))
        elif name in passed:
            yield Finding(strategy, name, True, passed[name])
        else:
            yield Finding(strategy, name, None, NOT_MADE)


class _Process:
    """Process that tests strategies, with its output."""

    def __init__(self, child: subprocess.Popen[str], errors: IO[str]) -> None:
        self._child, self._errors = child, errors
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with suppress(ValueError):  # raised if the stream was closed
            for line in self._child.stdout:
                self._lines.put(line)
        self._lines.put("")

    def follow(self, passed: Passed) -> None:
        """Read the reports on one strategy and add the checks that passed to `passed`.

        Raises:
            _Failure: If a check fails, the process ends or a time limit is exceeded.
        """
        doing, limit, within = "starting", COMPILE_SECONDS, ""
        deadline = time.monotonic() + limit
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise _Failure("time", f"{doing} took longer than {limit:g} s{within}.") from None
            if not line:
                raise _Failure("raises", f"{doing} ended the process, with {self._exit()}.")
            event = json.loads(line)
            match event:
                case {"asking": slot}:
                    within = f", asked for a {slot}"
                    continue
                case {"finished": _}:
                    return
                case {"failed": name, "sentence": sentence}:
                    raise _Failure(name, sentence, ended=False)
                case {"doing": doing, "seconds": limit}:
                    within = ""
                case {"passed": checks, "sentence": sentence}:
                    passed |= dict.fromkeys(checks, "") | {checks[0]: sentence}
            deadline = time.monotonic() + limit

    def _exit(self) -> str:
        """Return the exit status of the process and the last line of its stderr."""
        code = self._child.wait()
        self._errors.seek(0)
        lines = self._errors.read().splitlines()
        said = f" ({lines[-1]})" if lines else ""
        return f"{f'signal {-code}' if code < 0 else f'exit code {code}'}{said}"


@contextmanager
def _process(
    strategies: list[str], variants: Sequence[Variant], seconds: float
) -> Iterator[_Process]:
    """Start a process that checks all array indices, and kill it at the end of the context."""
    job = [strategies, [variant.text for variant in variants], seconds]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            # -P prevents imports from the working directory
            [sys.executable, "-P", "-m", "simgin.checks.contract_process", json.dumps(job)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        ) as child,
    ):
        try:
            yield _Process(child, errors)
        finally:
            child.kill()
