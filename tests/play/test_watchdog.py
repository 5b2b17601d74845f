"""Tests that a looping policy is reported and stopped, but a slow one is not."""

import queue
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from simgin.play import parallel

LOOPING_STRATEGY_CODE = """
from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard
@discard
def endless(view, rules, params):
    x = view.hand
    while view.own_turn > 3 and x > 0:
        x = (x * 5 + 1) % 65536 | 1
    return best_discard(view.hand, view.legal, rules)
STRATEGY = Strategy("looping", discard=endless)
"""
SLOW_STRATEGY_CODE = """
from simgin.strategy import Strategy, discard
NOTES = {}
@discard
def slow(view, rules, params):
    total = NOTES.get(0, 0)
    for i in range(100000):
        total += i
    return int(view.legal).bit_length() - 1
STRATEGY = Strategy("slow", discard=slow)
"""
# A shell starts background jobs with SIGINT ignored.
PROGRAM_CODE = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from simgin.cli.main import cli
from simgin.play import watchdog
watchdog.WARN_AFTER_SECONDS, watchdog.CHECK_INTERVAL_SECONDS = {seconds}, 0.2
watchdog.ABORT_AFTER_SECONDS = {abort_seconds}
cli.main(sys.argv[1:])
"""


def start_program(file, code, seconds, arguments, abort_seconds=60):
    """Write a strategy file and start simgin with short time limits."""
    file.write_text(code)
    program = PROGRAM_CODE.format(seconds=seconds, abort_seconds=abort_seconds)
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", "{}", "simple", "--deals", "2000"),
        pytest.param(("show", "{}", "simple"), marks=pytest.mark.slow),
        pytest.param(
            ("odds", "standard", "--strategy", "{}", "--deals", "1000"), marks=pytest.mark.slow
        ),
    ],
    ids=lambda arguments: arguments[0],
)
def test_looping_policy_can_be_interrupted(arguments, tmp_path):
    file = tmp_path / "looping.py"
    process = start_program(
        file, LOOPING_STRATEGY_CODE, 0.4, [argument.format(file) for argument in arguments]
    )
    assert process.stderr is not None
    lines = queue.SimpleQueue()
    reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stderr])
    reader.start()
    try:
        while "has not returned" not in (line := lines.get(timeout=300)):
            pass
        assert (
            "the discard policy 'endless' (looping.py:4)" in line and "Press Ctrl-C to stop" in line
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        process.communicate()
        reader.join()
    remaining_lines = [lines.get() for _ in range(lines.qsize())]
    assert any("interrupted" in line for line in remaining_lines), remaining_lines


@pytest.mark.parametrize(
    "arguments",
    [
        ("match", "--deals", "2000", "--workers", "2"),
        pytest.param(("show",), marks=pytest.mark.slow),
    ],
)
def test_deal_of_a_looping_policy_is_aborted(arguments, tmp_path):
    file, (command, *options) = tmp_path / "looping.py", arguments
    patience = ("--patience", "1s") if options else ()
    process = start_program(
        file, LOOPING_STRATEGY_CODE, 0.4, [command, str(file), "simple", *options, *patience], 1
    )
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 2 and ("is dealt" in output) == (command == "show"), errors
    last_line = errors.splitlines()[-1]
    assert "the discard policy 'endless' did not return within 1 s (variant" in last_line
    assert "Replay the deal with: simgin show" in last_line


def test_slow_policy_is_not_reported(tmp_path):
    file = tmp_path / "slow.py"
    process = start_program(
        file, SLOW_STRATEGY_CODE, 2, ["match", str(file), "simple", "--deals", "40"]
    )
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0 and "runs in Python" in errors and "40 deals" in output
    assert "has not returned" not in errors


def test_parallel_results_are_in_order_and_the_first_error_is_raised():
    def play_units(first, n):
        if first >= 6:
            raise ValueError(str(first))
        return np.arange(first, first + n)

    progress = []
    results = parallel.map_units(play_units, 6, 2, 3, lambda *counts: progress.append(counts))
    assert np.concatenate(results).tolist() == list(range(6)) and progress == [
        (2, 6),
        (4, 6),
        (6, 6),
    ]
    for workers in (1, 4):
        with pytest.raises(ValueError, match=r"^6$"):
            parallel.map_units(play_units, 12, 2, workers)
