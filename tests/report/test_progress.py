"""Progress: plain lines without a terminal, a bar on a terminal."""

import contextlib
import io
import re
import time

import pytest
from numba.core import event
from rich.table import Table

from simgin.cli import output
from simgin.report import progress


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
    ("steps", "told"),
    [
        ([(0, 0), (4, 10), (11, 20), (15, 25), (300, 60)], ["20 %, 56 s", "60 %, 3 min 57 s"]),
        ([(0, 80), (10, 80), (20, 85)], ["80 %", "85 %, 1 min 0 s"]),  # of an earlier run
        ([(0, 0), (30, 1), (41, 2)], ["1 %", "2 %, 17 min 58 s"]),  # the first part may be a start
        ([(0, 0), (5, 1), (5, "compile"), (65, 2), (76, 50)], ["2 %", "50 %, 11 s"]),
    ],
)
def test_without_a_terminal_a_line_is_printed_every_ten_seconds(monkeypatch, steps, told):
    now = 100
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with progress.live("gold v simple", stream) as report, contextlib.ExitStack() as compiler:
        for seconds, done in steps:
            now = 100 + seconds
            compiler.close()
            if done == "compile":
                compiler.enter_context(event.trigger_event("numba:compile"))
            else:
                report(done, 100)
    lines = [line if line.endswith("%") else f"{line} left" for line in told]
    assert stream.getvalue().splitlines() == [f"gold v simple: {line}" for line in lines]


def test_no_line_stays_on_a_terminal_above_a_remark_or_a_result(monkeypatch, terminal):
    monkeypatch.setattr("sys.stderr", terminal)
    table = Table("action")
    for row in range(30):
        table.add_row(f"row {row}")
    with progress.live("analyze") as report:
        with event.trigger_event("numba:compile"):
            time.sleep(2 * progress.SECONDS_PER_LOOK)
        output.note("compiling")
        report(1, 2, lambda: table)
    shown = terminal.getvalue()
    assert "0 %  compiling" in shown
    assert re.search(r"\x1b\[2Ksimgin: compiling\n", shown)
    assert "row 29" not in shown  # what is higher than a terminal cannot be erased


def test_on_a_terminal_a_bar_and_the_result_so_far_are_shown(terminal):
    table = Table("action", "cost")
    table.add_row("discard KS", "0.4")
    with progress.live("gold v simple", terminal) as report:
        report(0, 100)
        report(50, 100, lambda: "10k of 20k deals  won 50.0 ± 1.0 %")
        time.sleep(2 * progress.SECONDS_PER_LOOK)
    with progress.live("analyze", terminal) as report:
        report(1, 2, lambda: table)
        time.sleep(2 * progress.SECONDS_PER_LOOK)
    shown = terminal.getvalue()
    for words in ("gold v simple", " 50 %", "won 50.0 ± 1.0 %", "action", "discard KS"):
        assert words in shown
    assert shown.endswith("\x1b[?25h") or "\x1b[2K" in shown  # the lines are gone at the end


def test_the_result_is_looked_at_twice_a_second_at_most_and_never_in_a_pipe(terminal):
    looks = []

    def look():
        looks.append(1)
        return "won"

    with progress.live("in a pipe", io.StringIO()) as report:
        for done in range(100):
            report(done, 100, look)
    assert not looks
    started = time.monotonic()
    with progress.live("on a terminal", terminal) as report:
        for done in range(2000):
            report(done, 2000, look)
    assert 1 <= len(looks) <= 1 + 2 * (time.monotonic() - started)


@pytest.mark.parametrize("width", [30, 80])
def test_no_line_is_wider_than_the_terminal(monkeypatch, terminal, width):
    monkeypatch.setenv("COLUMNS", str(width))
    with progress.live("a title as long as a path " * 5, terminal) as report:
        report(1, 2, lambda: "what is found so far " * 10)
        time.sleep(2 * progress.SECONDS_PER_LOOK)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", terminal.getvalue())
    assert max(map(len, re.split(r"[\r\n]", plain))) <= max(width, 60)
