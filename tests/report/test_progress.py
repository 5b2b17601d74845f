"""Progress: plain lines without a terminal, a bar on a terminal."""

import io
import re

import pytest

from simgin.report import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_without_a_terminal_a_line_is_printed_every_ten_seconds(monkeypatch):
    now = iter([100.0, 104.0, 111.0, 115.0, 300.0, 400.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with progress.live("gold v simple", stream) as report:
        for done in (10, 20, 25, 50, 100):
            report(done, 100)
    assert stream.getvalue().splitlines() == [
        "gold v simple: 20 %, 44 s left",
        "gold v simple: 50 %, 3 min 20 s left",
    ]


@pytest.mark.parametrize("no_color", [False, True])
def test_on_a_terminal_a_bar_is_shown(monkeypatch, no_color):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1") if no_color else monkeypatch.delenv(
        "NO_COLOR", raising=False
    )
    stream = Terminal()
    with progress.live("gold v simple", stream) as report:
        report(50, 100)
    assert "gold v simple" in stream.getvalue()
    assert "50%" in stream.getvalue()
    assert bool(re.search(r"\x1b\[[39]", stream.getvalue())) != no_color
