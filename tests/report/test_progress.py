"""Progress: plain lines without a terminal, a bar on a terminal."""

import io
import re
import time

import pytest

from simgin.report import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_without_a_terminal_a_line_is_printed_every_ten_seconds(monkeypatch):
    now = iter([100.0, 100.0, 104.0, 111.0, 115.0, 300.0, 400.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with progress.live("gold v simple", stream) as report:
        for done in (0, 10, 20, 25, 50, 100):
            report(done, 100)
    assert stream.getvalue().splitlines() == [
        "gold v simple: 20 %, 44 s left",
        "gold v simple: 50 %, 3 min 20 s left",
    ]


def test_what_was_done_before_does_not_count_for_the_time_that_is_left(monkeypatch):
    now = iter([100.0, 100.0, 120.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with progress.live("a resumed run", stream) as report:
        report(80, 100)
        report(85, 100)
    assert stream.getvalue() == "a resumed run: 85 %, 1 min 0 s left\n"


def test_on_a_terminal_a_bar_and_the_result_so_far_are_shown(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    stream = Terminal()
    with progress.live("gold v simple", stream) as report:
        report(0, 100)
        report(50, 100, lambda: "10k of 20k deals  won 50.0 ± 1.0 %")
    shown = stream.getvalue()
    assert "gold v simple" in shown and " 50 %" in shown and " left" in shown
    assert "10k of 20k deals  won 50.0 ± 1.0 %" in shown
    assert shown.endswith("\x1b[?25h") or "\x1b[2K" in shown  # the lines are gone at the end


def test_the_result_is_looked_at_twice_a_second_at_most_and_never_in_a_pipe(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    looks = []

    def look():
        looks.append(1)
        return "won"

    with progress.live("in a pipe", io.StringIO()) as report:
        for done in range(100):
            report(done, 100, look)
    assert not looks
    started = time.monotonic()
    with progress.live("on a terminal", Terminal()) as report:
        for done in range(2000):
            report(done, 2000, look)
    assert 1 <= len(looks) <= 1 + 2 * (time.monotonic() - started)


@pytest.mark.parametrize("width", [30, 80])
def test_no_line_is_wider_than_the_terminal(monkeypatch, width):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(width))
    stream = Terminal()
    with progress.live("a title as long as a path " * 5, stream) as report:
        report(1, 2, lambda: "what is found so far " * 10)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", stream.getvalue())
    lines = re.split(r"[\r\n]", plain)
    assert max(map(len, lines)) <= max(width, 60)


def test_a_table_may_tell_the_result_so_far(monkeypatch):
    from rich.table import Table

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    table = Table("action", "cost")
    table.add_row("discard KS", "0.4")
    stream = Terminal()
    with progress.live("analyze", stream) as report:
        report(1, 2, lambda: table)
    shown = stream.getvalue()
    assert "action" in shown and "discard KS" in shown
    assert "50 %" in shown
