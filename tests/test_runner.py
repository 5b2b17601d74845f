"""The runner: the same rows for any workers and blocks, faults told apart, interruption between blocks."""

import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from simgin import loader, runner, variants
from simgin.matchup import Matchup

TOY = SimpleNamespace(batch=10, units=lambda n: n)


def numbered(matchup, first, units):
    """A batch row tells the units it holds: how many, and the sum of their numbers."""
    rows = []
    for start in range(first, first + units, matchup.batch):
        inside = range(start, min(start + matchup.batch, first + units))
        rows.append((len(inside), sum(inside)))
    return np.array(rows, np.int64)


def failing(*bad, delay=lambda unit: 0.0):
    """A player that fails in the block that holds one of some units, and says which, the smallest first."""

    def play(matchup, first, units):
        for unit in range(first, first + units):
            if unit in bad:
                time.sleep(delay(unit))
                raise ValueError(unit)
        return numbered(matchup, first, units)

    return play


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("n", [1, 9, 10, 11, 995, 4000])
def test_rows_do_not_depend_on_workers(workers, n):
    rows = runner.run_matchup(TOY, n, workers, player=numbered)
    assert (rows == numbered(TOY, 0, n)).all()


@pytest.mark.parametrize("seconds", [0.0, 1e-6, 0.5, 1e9])
def test_rows_do_not_depend_on_block_sizes(monkeypatch, seconds):
    monkeypatch.setattr(runner, "BLOCK_SECONDS", seconds)
    assert (runner.run_matchup(TOY, 1234, 2, player=numbered) == numbered(TOY, 0, 1234)).all()


def test_blocks_grow_towards_half_a_second():
    sizes = []

    def play(matchup, first, units):
        sizes.append(units)
        time.sleep(units * 1e-5)
        return numbered(matchup, first, units)

    runner.run_matchup(TOY, 20_000, 1, player=play)
    assert sizes[0] == 10
    assert max(sizes) > 2000
    assert len(sizes) < 40


def test_progress_ends_at_all_units():
    seen = []
    runner.run_matchup(TOY, 995, 3, lambda done, every: seen.append((done, every)), player=numbered)
    assert seen[-1] == (995, 995)
    assert seen == sorted(seen)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_smallest_failing_unit_is_told(workers):
    """Even when it takes longer to fail than a later one in another thread."""
    player = failing(300, 315, 330, delay=lambda unit: 0.2 if unit == 300 else 0.0)
    for _ in range(3):
        with pytest.raises(ValueError, match=r"^300$"):
            runner.run_matchup(TOY, 4000, workers, player=player)


def test_a_failure_in_the_first_block():
    with pytest.raises(ValueError, match=r"^0$"):
        runner.run_matchup(TOY, 4000, 4, player=failing(0))


def test_a_failure_stops_the_rest():
    played = []

    def play(matchup, first, units):
        played.append(first)
        return failing(15)(matchup, first, units)

    with pytest.raises(ValueError, match=r"^15$"):
        runner.run_matchup(TOY, 10**6, 2, player=play)
    assert len(played) < 10


def test_an_interruption_stops_between_blocks():
    """Ctrl-C arrives in the main thread, here by way of the progress callback."""
    played = []

    def play(matchup, first, units):
        played.append(first)
        time.sleep(0.01)
        return numbered(matchup, first, units)

    def interrupt(done, every):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run_matchup(TOY, 10**6, 2, interrupt, player=play)
    many = len(played)
    time.sleep(0.1)
    assert len(played) == many <= 3


def test_a_hung_strategy_does_not_hold_an_interruption(monkeypatch):
    monkeypatch.setattr(runner, "PATIENCE_SECONDS", 0.1)
    release = threading.Event()

    def play(matchup, first, units):
        if first:
            release.wait(10)
        return numbered(matchup, first, units)

    def interrupt(done, every):
        raise KeyboardInterrupt

    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            runner.run_matchup(TOY, 1000, 2, interrupt, player=play)
        assert time.monotonic() - started < 5
    finally:
        release.set()


def test_total_is_exact():
    rows = np.array([[2**53, 1], [1, 1]], np.int64)
    assert runner.total(rows).tolist() == [2**53 + 1, 2]


def real(a="gold", b="simple", unit="deal", seed=3):
    return Matchup(variants.find("eaai"), loader.find(a), loader.find(b), seed, unit)


@pytest.mark.parametrize("unit", ["deal", "match"])
@pytest.mark.parametrize("b", ["simple", "gold"])
def test_the_real_game_is_the_same_on_any_number_of_workers(unit, b):
    n = 2100 if unit == "match" else 21_000
    one, three = (runner.run_matchup(real(b=b, unit=unit), n, workers) for workers in (1, 3))
    assert (one == three).all()
    more = runner.run_matchup(real(b=b, unit=unit), 2 * n, 2)
    whole = len(one) - 1  # the last batch may be cut short
    assert (one[:whole] == more[:whole]).all()


INTERRUPTED = """
import signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are started with it ignored
from simgin import loader, runner, variants
from simgin.matchup import Matchup
matchup = Matchup(variants.find("eaai"), loader.find("gold"), loader.find("simple"), 1, "deal")
runner.run_matchup(matchup, 1000, 2)
threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
started = time.monotonic()
try:
    runner.run_matchup(matchup, 10**9, 2)
except KeyboardInterrupt:
    print("stopped" if time.monotonic() - started < 5 else "late")
"""


def test_ctrl_c_in_the_real_game():
    found = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120, check=True)
    assert (found.stdout, found.stderr) == ("stopped\n", "")
