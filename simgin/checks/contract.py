"""Contract test, which checks that actions are legal, quick and based only on the view.

If a compiled policy does not return, it can be stopped only by killing its process. Strategies are
therefore tested in a separate process, which also checks all array indices (see
simgin.checks.contract_process). This module starts the process, reads its reports and ends it. The
contract test of a strategy stops at the first failure.
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

from simgin.checks.contract_process import COMPILE_TIMEOUT
from simgin.play import kernel
from simgin.play.parallel import ProgressCallback
from simgin.rules.variants import Variant, find_variant, variant_names
from simgin.strategy.author import name_policy_type

CONTRACT_CHECKS = {
    "read": "the file can be read and has a strategy",
    "compiles": "every policy compiles or runs in Python",
    "legal": "every action is legal",
    "raises": "raises no exception",
    "bounds": "reads only within array bounds",
    "writes": "leaves view, rules and parameters unchanged",
    "same": "returns the same action for the same view",
    "history": "does not read the history beyond view.turns",
    "time": "acts in time",
    "plays": "finishes deals in every variant",
}
DECISION_TIMEOUT = 10.0  # time limit per action, in seconds
NOT_TESTED_MESSAGE = "not tested because another check failed."
PassedChecks = dict[str, str]  # descriptions of the completed tests, by check


@dataclass(frozen=True)
class ContractResult:
    """Result of one contract check for one strategy.

    `passed` is None if the check was skipped. `sentence` describes the failure or the completed
    test, or states why the check was skipped.
    """

    strategy: str
    check: str
    passed: bool | None
    sentence: str = ""


class _CheckFailure(Exception):
    """Exception for a failed check, which states whether the test process can continue."""

    def __init__(self, check: str, sentence: str, process_ended: bool = True) -> None:
        super().__init__(sentence)
        self.check, self.process_ended = check, process_ended


def list_default_variants() -> list[Variant]:
    """Return the variants that the contract test uses by default.

    These are all built-in variants, and a variant in which the knocker chooses the melds.
    """
    return [*map(find_variant, variant_names()), find_variant("standard+melding=choice")]


def check_strategies(
    strategies: Sequence[str],
    variants: Sequence[Variant],
    seconds: float = DECISION_TIMEOUT,
    on_progress: ProgressCallback | None = None,
) -> list[ContractResult]:
    """Test strategies and return the results of all checks in the order of CONTRACT_CHECKS.

    Exceptions raised by strategies are not propagated. If a strategy ends its process or does not
    return, a new process tests the remaining strategies.

    Args:
        strategies: Names or files of the strategies.
        variants: Variants in which the strategies are tested.
        seconds: Time limit per action in seconds.
        on_progress: Function that is called with the finished steps and the total steps of the
            current strategy.
    """
    for n_players in {1 if variant.is_solo else 2 for variant in variants}:
        # Cache the kernel first. Otherwise, the test process would compile it with index checks.
        kernel.compile_batch_kernel(n_players)
    remaining_strategies = list(strategies)
    results: list[ContractResult] = []
    while remaining_strategies:
        with _start_process(remaining_strategies, variants, seconds) as process:
            while remaining_strategies:
                passed: PassedChecks = {}
                failure = None
                try:
                    process.read_reports(passed, on_progress)
                except _CheckFailure as error:
                    failure = error
                results += _iter_results(remaining_strategies.pop(0), passed, failure)
                if failure is not None and failure.process_ended:
                    break
    return results


def _iter_results(
    strategy: str, passed: PassedChecks, failure: _CheckFailure | None
) -> Iterator[ContractResult]:
    """Yield the result of every check for one strategy."""
    for check in CONTRACT_CHECKS:
        if failure is not None and check == failure.check:
            yield ContractResult(strategy, check, False, str(failure))
        elif check in passed:
            yield ContractResult(strategy, check, True, passed[check])
        else:
            yield ContractResult(strategy, check, None, NOT_TESTED_MESSAGE)


class _TestProcess:
    """Child process that tests strategies and reports the results."""

    def __init__(self, child: subprocess.Popen[str], errors: IO[str]) -> None:
        self._process, self._errors = child, errors
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read_lines, daemon=True).start()

    def _read_lines(self) -> None:
        """Queue the lines that the process writes, and an empty line when the process ends."""
        assert self._process.stdout is not None
        with suppress(ValueError):  # a closed stream raises ValueError
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put("")

    def read_reports(
        self, passed: PassedChecks, on_progress: ProgressCallback | None = None
    ) -> None:
        """Read the reports on one strategy, and add every passed check to `passed`.

        Raises:
            _CheckFailure: If a check fails, if the process ends, or if a time limit is exceeded.
        """
        activity, limit_seconds, context = "starting", COMPILE_TIMEOUT, ""
        deadline = time.monotonic() + limit_seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                sentence = f"{activity} took longer than {limit_seconds:g} s{context}."
                raise _CheckFailure("time", sentence) from None
            if not line:
                sentence = f"{activity} ended the process with {self._describe_exit()}."
                raise _CheckFailure("raises", sentence)
            event = json.loads(line)
            match event:
                case {"asking": slot}:
                    context = f" in a decision of {name_policy_type(slot)}"
                    continue
                case {"finished": _}:
                    return
                case {"failed": name, "sentence": sentence}:
                    raise _CheckFailure(name, sentence, process_ended=False)
                case {"doing": activity, "seconds": limit_seconds}:
                    context = ""
                case {"done": done, "total": total}:
                    if on_progress is not None:
                        on_progress(done, total)
                case {"passed": checks, "sentence": sentence}:
                    passed |= dict.fromkeys(checks, "") | {checks[0]: sentence}
            deadline = time.monotonic() + limit_seconds

    def _describe_exit(self) -> str:
        """Return the exit status of the process, with the last line that it wrote to stderr."""
        exit_code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().splitlines()
        last_line = f" ({lines[-1]})" if lines else ""
        reason = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
        return f"{reason}{last_line}"


@contextmanager
def _start_process(
    strategies: list[str], variants: Sequence[Variant], seconds: float
) -> Iterator[_TestProcess]:
    """Start a test process, and kill it at the end of the `with` block."""
    job_arguments = json.dumps([strategies, [variant.spec for variant in variants], seconds])
    with (
        tempfile.TemporaryFile("w+") as stderr_file,
        subprocess.Popen(
            # The option -P prevents imports from the working directory.
            [sys.executable, "-P", "-m", "simgin.checks.contract_process", job_arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr_file,
            text=True,
            env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        ) as process,
    ):
        try:
            yield _TestProcess(process, stderr_file)
        finally:
            process.kill()
