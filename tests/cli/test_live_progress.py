"""Tests of live progress: running estimates, and a terminal without leftover lines."""

import contextlib
import io
import json
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

from simgin.core import batch_columns
from simgin.report import numbers, progress
from simgin.results.live_result import LiveEstimate
from simgin.runs import runner
from simgin.runs.ledger import open_ledger
from simgin.runs.plan import plan_matchup
from simgin.runs.runner import ThreadPool
from simgin.stats.estimate import estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME
from simgin.text.messages import print_status
from support.command_line import run_simgin

EXPERIMENT_TOML = """
question = "Who?"
deals = "600k"
variants = ["standard"]
[panel]
strategies = ["gold", "gin-only"]
against = "simple"
"""


def run_on_terminal(*arguments, folder):
    """Run a command with stderr on a pseudo-terminal, and return stderr and stdout."""
    test_end, process_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "simgin", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": process_end}
    process = subprocess.Popen(command, cwd=folder, env=environment, **streams)
    os.close(process_end)
    written = b""
    while True:
        try:
            part = os.read(test_end, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    out, _ = process.communicate()
    os.close(test_end)
    assert process.returncode == 0
    return written.decode(), out.decode()


def test_terminal_shows_a_live_estimate_and_clears_it(tmp_path):
    Path(tmp_path, "two.toml").write_text(EXPERIMENT_TOML)
    shown, out = run_on_terminal("run", "two.toml", folder=tmp_path)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", shown)
    assert re.search(r"two  [━─]+ +\d+ %(  \d+ (s|min \d+ s) left)?\r?\n", text)
    line = r"([12])/2 g[a-z-]+ v simple, standard  ([\d.]+)k of 600k deals  won (\d\d\.\d+) ± \d"
    estimates = re.findall(line, text)
    assert estimates
    counts = [(int(which), float(thousands)) for which, thousands, _ in estimates]
    assert counts == sorted(counts) and all(0 < thousands <= 600 for _, thousands in counts)
    assert all(abs(float(value) - 50) < 5 for which, *_, value in estimates if which == "1")
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h")  # the cursor is shown again
    assert "\x1b[2K" in shown[-40:]
    assert "\x1b" not in out and "left" not in out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, r"4k of 4k deals  won {} %"),
        ({"until": "3%"}, r"4k of at most 4k deals  won {} %  until ± 3 %"),
        ({"until": 0.5}, r"4k of at most 4k deals  points {}  until ± 0.5"),
        ({"sprt": (0.0, 10.0)}, r"4k of at most 4k deals  won {} %  LLR -?\d.\d, decided at -2.9"),
        ({"seconds": 60.0}, r"4k deals  won {} %"),
    ],
)
def test_progress_line_shows_the_estimate_from_the_ledger(options, expected):
    plan = plan_matchup("gold", "simple", "standard", deals=4000, **options)
    with open_ledger(None, plan.identity) as ledger:
        live_estimate = LiveEstimate(plan, ledger)
        assert live_estimate.format_line() == ""
        runner.run_tasks(plan.tasks, ledger, ThreadPool(2), on_block=live_estimate.add)
        total = sum(
            (row for _, row in ledger.iter_finished_rows(0, 2000, 1000)),
            np.zeros(batch_columns.N_COLUMNS, int),
        )
    rule = plan.stopping_rules[0] if plan.stopping_rules else None
    multiplier = rule.compute_multiplier(2000) if rule else None
    metric = METRICS_BY_NAME["margin" if options.get("until") == 0.5 else "deal_win"]
    estimate = estimate_metric(total, metric, critical_value=multiplier)
    text = numbers.format_estimate(
        estimate.value, estimate.low, estimate.high, metric.display_factor
    )
    assert re.match(expected.format(re.escape(text)), live_estimate.format_line()), (
        live_estimate.format_line()
    )


def test_progress_of_a_resumed_run_includes_saved_units():
    few, more = (plan_matchup("gold", "simple", "standard", deals=n) for n in (4000, 8000))
    with open_ledger(None, few.identity) as ledger:
        runner.run_tasks(few.tasks, ledger, ThreadPool(1))
        live_estimate = LiveEstimate(more, ledger)
        runner.run_tasks(more.tasks, ledger, ThreadPool(1), on_block=live_estimate.add)
    assert live_estimate.format_line().startswith("8k of 8k deals  won ")


# Plain lines without a terminal, and a bar with one


class FakeTerminal(io.TextIOWrapper):
    """Stream in memory that claims to be a terminal."""

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
    return FakeTerminal()


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(0, 0), (4, 10), (11, 20), (15, 25), (300, 60)], ["20 %, 56 s", "60 %, 3 min 57 s"]),
        ([(0, 80), (10, 80), (20, 85)], ["80 %", "85 %, 1 min 0 s"]),  # of an earlier run
        ([(0, 0), (30, 1), (41, 2)], ["1 %", "2 %, 17 min 58 s"]),  # the first part may be a start
        ([(0, 0), (5, 1), (5, "compile"), (65, 2), (76, 50)], ["2 %", "50 %, 11 s"]),
    ],
)
def test_progress_is_printed_every_ten_seconds_without_a_terminal(monkeypatch, steps, expected):
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


def test_remaining_time_of_a_run_that_can_end_early_is_an_upper_bound(monkeypatch):
    now = 100
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with progress.show_progress("review", stream, can_end_early=True) as report:
        for seconds, done in ((0, 0), (4, 10), (11, 20)):
            now = 100 + seconds
            report(done, 100)
    assert stream.getvalue() == "review: 20 %, at most 56 s left\n"


@pytest.mark.parametrize("options", [("--until", "2%", "--matches", "1k"), ("--matches", "1k")])
def test_progress_states_whether_a_run_can_end_early(monkeypatch, options):
    monkeypatch.setenv(progress.PROGRESS_FORMAT_VARIABLE, progress.JSON_FORMAT)
    lines = run_simgin("match", "gold", "simple", *options).stderr.splitlines()
    objects = [json.loads(line) for line in lines if line.startswith("{")]
    assert {one["can_end_early"] for one in objects} == {"--until" in options}
    assert {one["title"] for one in objects} == {"gold v simple"}


def test_progress_lines_are_erased_before_notes_and_results(monkeypatch, terminal):
    monkeypatch.setattr("sys.stderr", terminal)
    table = Table("action")
    for row in range(30):
        table.add_row(f"row {row}")
    with progress.show_progress("analyze") as report:
        with event.trigger_event("numba:compile"):
            time.sleep(2 * progress.REFRESH_SECONDS)
        print_status("compiling")
        report(1, 2, lambda: table)
    shown = terminal.getvalue()
    assert "0 %  compiling" in shown
    assert re.search(r"\x1b\[2Ksimgin: compiling\n", shown)
    assert "row 29" not in shown  # output that is higher than the terminal cannot be erased


def test_estimate_is_refreshed_at_most_twice_per_second(terminal):
    refreshes = []

    def count_refresh():
        refreshes.append(1)
        return "won"

    with progress.show_progress("in a pipe", io.StringIO()) as report:
        for done in range(100):
            report(done, 100, count_refresh)
    assert not refreshes
    started = time.monotonic()
    with progress.show_progress("on a terminal", terminal) as report:
        for done in range(2000):
            report(done, 2000, count_refresh)
    assert 1 <= len(refreshes) <= 1 + 2 * (time.monotonic() - started)


@pytest.mark.parametrize("width", [30, 80])
def test_progress_line_is_not_wider_than_the_terminal(monkeypatch, terminal, width):
    monkeypatch.setenv("COLUMNS", str(width))
    with progress.show_progress("a title as long as a path " * 5, terminal) as report:
        report(1, 2, lambda: "what is found so far " * 10)
        time.sleep(2 * progress.REFRESH_SECONDS)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", terminal.getvalue())
    assert max(map(len, re.split(r"[\r\n]", plain))) <= max(width, 60)
