"""Tests of live progress: the estimate so far, and a terminal that is left clean."""

import contextlib
import io
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba.core import event
from rich.table import Table

from simgin.cli import output
from simgin.core import batch_columns
from simgin.report import numbers, progress
from simgin.results.live_result import LiveEstimate
from simgin.runs import runner
from simgin.runs.ledger import open_ledger
from simgin.runs.plan import plan_matchup
from simgin.runs.runner import ThreadPool
from simgin.stats.estimate import estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME

EXPERIMENT_TEXT = """
question = "Who?"
deals = "2M"
variants = ["standard"]
[panel]
strategies = ["gold", "gin-only"]
against = "simple"
"""


def run_on_terminal(*words, folder):
    """Return what a command writes to a pseudo-terminal of 80 columns as stderr, and its stdout."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "simgin", *words]
    streams = {"stdout": subprocess.PIPE, "stderr": theirs}
    done = subprocess.Popen(command, cwd=folder, env=environment, **streams)
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    out, _ = done.communicate()
    os.close(ours)
    assert done.returncode == 0
    return written.decode(), out.decode()


def test_a_terminal_shows_the_estimate_so_far_and_then_clears_it(tmp_path):
    """Name the current matchup if there are several."""
    Path(tmp_path, "two.toml").write_text(EXPERIMENT_TEXT)
    shown, out = run_on_terminal("run", "two.toml", folder=tmp_path)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", shown)
    assert re.search(r"two  [━─]+ +\d+ %(  \d+ (s|min \d+ s) left)?\r?\n", text)
    line = r"([12])/2 g[a-z-]+ v simple, standard  ([\d.]+)([kM]) of 2M deals  won (\d\d\.\d+) ± \d"
    so_far = re.findall(line, text)
    assert so_far
    thousands = {"k": 1, "M": 1000}
    counts = [(int(which), float(number) * thousands[unit]) for which, number, unit, _ in so_far]
    assert counts == sorted(counts) and all(0 < number <= 2000 for _, number in counts)
    assert all(abs(float(value) - 50) < 5 for which, *_, value in so_far if which == "1")
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h")  # the cursor is shown again
    assert "\x1b[2K" in shown[-40:]
    assert "\x1b" not in out and "left" not in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({}, r"4k of 4k deals  won {} %"),
        ({"until": "3%"}, r"4k of at most 4k deals  won {} %  until ± 3 %"),
        ({"until": 0.5}, r"4k of at most 4k deals  points {}  until ± 0.5"),
        ({"sprt": (0.0, 10.0)}, r"4k of at most 4k deals  won {} %  LLR -?\d.\d, decided at -2.9"),
        ({"seconds": 60.0}, r"4k deals  won {} %"),
    ],
)
def test_the_progress_line_estimates_from_the_ledger(words, expected):
    plan = plan_matchup("gold", "simple", "standard", deals=4000, **words)
    with open_ledger(None, plan.identity) as ledger:
        so_far = LiveEstimate(plan, ledger)
        assert so_far.format_line() == ""
        runner.run_tasks(plan.tasks, ledger, ThreadPool(2), on_block=so_far.add)
        total = sum(
            (row for _, row in ledger.iter_finished(0, 2000, 1000)),
            np.zeros(batch_columns.N_COLUMNS, int),
        )
    rule = plan.stopping_rules[0] if plan.stopping_rules else None
    multiplier = rule.multiplier(2000) if rule else None
    metric = METRICS_BY_NAME["margin" if words.get("until") == 0.5 else "deal_win"]
    found = estimate_metric(total, metric, multiplier=multiplier)
    text = numbers.format_estimate(found.value, found.low, found.high, metric.display_factor)
    assert re.match(expected.format(re.escape(text)), so_far.format_line()), so_far.format_line()


def test_a_resumed_run_counts_the_units_in_the_ledger():
    few, more = (plan_matchup("gold", "simple", "standard", deals=n) for n in (4000, 8000))
    with open_ledger(None, few.identity) as ledger:
        runner.run_tasks(few.tasks, ledger, ThreadPool(1))
        so_far = LiveEstimate(more, ledger)
        runner.run_tasks(more.tasks, ledger, ThreadPool(1), on_block=so_far.add)
    assert so_far.format_line().startswith("8k of 8k deals  won ")


# Plain lines without a terminal, and a bar with one


class Terminal(io.TextIOWrapper):
    def __init__(self):
        super().__init__(io.BytesIO(), "utf-8", write_through=True)

    def isatty(self):
        return True

    def getvalue(self):
        return self.buffer.getvalue().decode()


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "10")
    return Terminal()


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(0, 0), (4, 10), (11, 20), (15, 25), (300, 60)], ["20 %, 56 s", "60 %, 3 min 57 s"]),
        ([(0, 80), (10, 80), (20, 85)], ["80 %", "85 %, 1 min 0 s"]),  # of an earlier run
        ([(0, 0), (30, 1), (41, 2)], ["1 %", "2 %, 17 min 58 s"]),  # the first part may be a start
        ([(0, 0), (5, 1), (5, "compile"), (65, 2), (76, 50)], ["2 %", "50 %, 11 s"]),
    ],
)
def test_without_a_terminal_a_line_is_printed_every_ten_seconds(monkeypatch, steps, expected):
    now = 100
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with (
        progress.show_progress("gold v simple", stream) as report,
        contextlib.ExitStack() as compiler,
    ):
        for seconds, done in steps:
            now = 100 + seconds
            compiler.close()
            if done == "compile":
                compiler.enter_context(event.trigger_event("numba:compile"))
            else:
                report(done, 100)
    lines = [line if line.endswith("%") else f"{line} left" for line in expected]
    assert stream.getvalue().splitlines() == [f"gold v simple: {line}" for line in lines]


def test_no_line_stays_on_a_terminal_above_a_remark_or_a_result(monkeypatch, terminal):
    monkeypatch.setattr("sys.stderr", terminal)
    table = Table("action")
    for row in range(30):
        table.add_row(f"row {row}")
    with progress.show_progress("analyze") as report:
        with event.trigger_event("numba:compile"):
            time.sleep(2 * progress.REFRESH_SECONDS)
        output.print_note("compiling")
        report(1, 2, lambda: table)
    shown = terminal.getvalue()
    assert "0 %  compiling" in shown
    assert re.search(r"\x1b\[2Ksimgin: compiling\n", shown)
    assert "row 29" not in shown  # output that is higher than the terminal cannot be erased


def test_the_estimate_is_refreshed_at_most_twice_per_second_and_never_in_a_pipe(terminal):
    looks = []

    def count_look():
        looks.append(1)
        return "won"

    with progress.show_progress("in a pipe", io.StringIO()) as report:
        for done in range(100):
            report(done, 100, count_look)
    assert not looks
    started = time.monotonic()
    with progress.show_progress("on a terminal", terminal) as report:
        for done in range(2000):
            report(done, 2000, count_look)
    assert 1 <= len(looks) <= 1 + 2 * (time.monotonic() - started)


@pytest.mark.parametrize("width", [30, 80])
def test_no_line_is_wider_than_the_terminal(monkeypatch, terminal, width):
    monkeypatch.setenv("COLUMNS", str(width))
    with progress.show_progress("a title as long as a path " * 5, terminal) as report:
        report(1, 2, lambda: "what is found so far " * 10)
        time.sleep(2 * progress.REFRESH_SECONDS)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", terminal.getvalue())
    assert max(map(len, re.split(r"[\r\n]", plain))) <= max(width, 60)
