"""Progress on a real terminal: how far a run is and what it has found, and nothing left of it."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simgin.cli.so_far import SoFar
from simgin.core import sums
from simgin.report import numbers
from simgin.runs import runner
from simgin.runs.ledger import opened
from simgin.runs.plan import plan_matchup
from simgin.runs.threads import Threads
from simgin.stats.metrics import BY_NAME
from simgin.stats.ratios import estimate_metric

TWO = """
question = "Who?"
deals = "400k"
variants = ["standard"]
[panel]
strategies = ["gold", "gin-only"]
against = "simple"
"""


def on_terminal(*words, folder):
    """What a command writes to a pseudo-terminal of 80 columns that is its stderr; its stdout."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "simgin", *words]
    done = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, cwd=folder, env=environment
    )
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


def test_a_terminal_shows_the_estimate_so_far_and_nothing_of_it_is_left(tmp_path):
    """Of several matchups, the one in work is named."""
    Path(tmp_path, "two.toml").write_text(TWO)
    shown, out = on_terminal("run", "two.toml", folder=tmp_path)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", shown)
    assert re.search(r"two  [━─]+ +\d+ %(  \d+ (s|min \d+ s) left)?\r?\n", text)
    line = r"([12])/2 g[a-z-]+ v simple, standard  ([\d.]+)k of 400k deals  won (\d\d\.\d+) ± \d"
    so_far = re.findall(line, text)
    assert so_far
    counts = [(int(which), float(number)) for which, number, _ in so_far]
    assert counts == sorted(counts) and all(0 < number <= 400 for _, number in counts)
    assert all(abs(float(value) - 50) < 5 for which, _, value in so_far if which == "1")
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
def test_the_line_is_the_estimate_of_what_is_in_the_ledger(words, expected):
    plan = plan_matchup("gold", "simple", "standard", deals=4000, **words)
    with opened(None, plan.identity) as ledger:
        so_far = SoFar(plan, ledger, {})
        assert so_far.line() == ""
        runner.run(plan.tasks, ledger, Threads(2), see=so_far.add)
        total = sum((row for _, row in ledger.each(0, 2000, 1000)), np.zeros(sums.COLUMNS, int))
    rule = plan.rules[0] if plan.rules else None
    multiplier = rule.multiplier(2000) if rule else None
    metric = BY_NAME["margin" if words.get("until") == 0.5 else "deal_win"]
    found = estimate_metric(total, metric, multiplier=multiplier)
    text = numbers.estimate(found.value, found.low, found.high, metric.factor)
    assert re.match(expected.format(re.escape(text)), so_far.line()), so_far.line()


def test_a_resumed_run_counts_what_it_finds_in_the_ledger():
    few, more = (plan_matchup("gold", "simple", "standard", deals=n) for n in (4000, 8000))
    with opened(None, few.identity) as ledger:
        runner.run(few.tasks, ledger, Threads(1))
        so_far = SoFar(more, ledger, {})
        runner.run(more.tasks, ledger, Threads(1), see=so_far.add)
    assert so_far.line().startswith("8k of 8k deals  won ")
