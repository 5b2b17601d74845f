"""Progress: plain lines without a terminal, a bar on a terminal."""

import io
import re
import time

import pytest
from rich.table import Table

from simgin.report import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return Terminal()


@pytest.mark.parametrize(
    ("times", "done", "told"),
    [
        ([100, 104, 111, 115, 400], [0, 10, 20, 25, 60], ["20 %, 44 s", "60 %, 3 min 20 s"]),
        ([100, 120], [80, 85], ["85 %, 1 min 0 s"]),  # what was done before tells no speed
    ],
)
def test_without_a_terminal_a_line_is_printed_every_ten_seconds(monkeypatch, times, done, told):
    now = iter([times[0], *times])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with progress.live("gold v simple", stream) as report:
        for part in done:
            report(part, 100)
    assert stream.getvalue().splitlines() == [f"gold v simple: {line} left" for line in told]


def test_on_a_terminal_a_bar_and_the_result_so_far_are_shown(terminal):
    table = Table("action", "cost")
    table.add_row("discard KS", "0.4")
    with progress.live("gold v simple", terminal) as report:
        report(0, 100)
        report(50, 100, lambda: "10k of 20k deals  won 50.0 ± 1.0 %")
    with progress.live("analyze", terminal) as report:
        report(1, 2, lambda: table)
    shown = terminal.getvalue()
    for words in ("gold v simple", " 50 %", " left", "won 50.0 ± 1.0 %", "action", "discard KS"):
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
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", terminal.getvalue())
    assert max(map(len, re.split(r"[\r\n]", plain))) <= max(width, 60)
