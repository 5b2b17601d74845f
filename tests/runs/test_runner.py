"""Tests of the runner: equal rows for any workers, failures, stopping and resuming."""

import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.runs import block, runner
from simgin.runs.block import Task
from simgin.runs.ledger import open_ledger, pack_rows
from simgin.runs.runner import ThreadPool
from simgin.runs.stopping import COMPLETE, StopResult

TOY_MATCHUP = SimpleNamespace(
    batch_size=10,
    count_units=lambda n: n,
    is_mirrored=False,
    title="toy",
    variant=SimpleNamespace(spec="toys"),
)


def numbered_rows(matchup, first, units):
    """Return batch rows with the number of units and the sum of their indices."""
    rows = np.zeros((-(-units // matchup.batch_size), batch_columns.N_COLUMNS), np.int64)
    for unit in range(first, first + units):
        rows[(unit - first) // matchup.batch_size, :2] += 1, unit
    return rows


def make_failing_player(*bad, delay=lambda unit: 0.0):
    """Return a player that fails with the smallest bad unit of its block."""

    def play(matchup, first, units):
        for unit in range(first, first + units):
            if unit in bad:
                time.sleep(delay(unit))
                raise ValueError(unit)
        return numbered_rows(matchup, first, units)

    return play


@pytest.fixture
def toy_players(monkeypatch):
    """Play toy matchups, whose rows are not checked."""
    monkeypatch.setattr(block, "check_rows", lambda *_: None)

    def played_by(player):
        monkeypatch.setattr(kernel, "play_batches", player)

    played_by(numbered_rows)
    return played_by


def play(n, workers=2, progress=None, ledger=None, **more):
    """Run a toy matchup and return its result and rows."""
    if ledger is None:
        with open_ledger(None, {}) as ledger:
            return play(n, workers, progress, ledger, **more)
    (found,) = runner.run_tasks(
        [Task(TOY_MATCHUP, n)], ledger, ThreadPool(workers), progress, **more
    )
    return found, ledger.rows(0, found.units, TOY_MATCHUP.batch_size)


@pytest.mark.parametrize("seconds", [1e-6, block.MIN_BLOCK_SECONDS, 1e9])
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_rows_depend_on_neither_workers_nor_block_sizes(toy_players, monkeypatch, workers, seconds):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", seconds)
    for n in (1, 10, 11, 995):
        found, rows = play(n, workers)
        assert (rows == numbered_rows(TOY_MATCHUP, 0, n)).all()
        assert found == StopResult(n, COMPLETE)


def test_progress_and_every_block_are_seen_once_in_the_ledger(toy_players):
    told, seen = [], []
    with open_ledger(None, {}) as ledger:

        def on_block(done):
            assert ledger.finished_batches(0, done.block.matchup.batch_size)
            seen.append(done.rows().sum(axis=0))

        play(500, 3, ledger=ledger, on_block=on_block)
        _, rows = play(995, 3, lambda *parts: told.append(parts), ledger, on_block=on_block)
    assert (sum(seen) == rows.sum(axis=0)).all()
    assert told == sorted(told) and (told[0], told[-1]) == ((500, 995), (995, 995))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_smallest_failing_unit_is_reported_and_sound_blocks_are_kept(toy_players, workers):
    """This also holds if it takes longer to fail than a later block in another thread."""
    toy_players(make_failing_player(300, 315, 330, delay=lambda unit: 0.05 if unit == 300 else 0.0))
    with open_ledger(None, {}) as ledger:
        with pytest.raises(ValueError, match=r"^300$"):
            play(10**9, workers, ledger=ledger)
        kept = {batch for batch, _ in ledger.finished_batches(0, 10)}
    assert 30 not in kept and 0 in kept


def interrupt(done, every):
    raise KeyboardInterrupt


def test_an_interruption_keeps_blocks_in_progress_and_starts_no_others(toy_players):
    """Ctrl-C arrives in the main thread; the progress callback simulates it."""
    played = []

    def player(matchup, first, units):
        played.append(first // 10)
        time.sleep(0.02)
        return numbered_rows(matchup, first, units)

    toy_players(player)
    with open_ledger(None, {}) as ledger:
        with pytest.raises(KeyboardInterrupt):
            play(10**6, 2, interrupt, ledger)
        many = len(played)
        time.sleep(0.1)
        assert len(played) == many <= 4
        assert {batch for batch, _ in ledger.finished_batches(0, 10)} == set(played)


def test_a_hung_strategy_does_not_block_an_interruption(toy_players, monkeypatch):
    monkeypatch.setattr(runner, "INTERRUPT_TIMEOUT", 0.1)
    release = threading.Event()

    def player(matchup, first, units):
        if first:
            release.wait(10)
        return numbered_rows(matchup, first, units)

    toy_players(player)
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            play(1000, 2, interrupt)
        assert time.monotonic() - started < 5
    finally:
        release.set()


# Ends that are not known in advance


class StopAfter:
    """A rule that stops at the first batch end with enough units and records every look."""

    text = "enough units"

    def __init__(self, units):
        self.units, self.looks = units, []

    def check_totals(self, totals):
        self.looks.append((int(totals[0]), int(totals[1])))
        return f"{totals[0]} units" if totals[0] >= self.units else None

    def multiplier(self, units):
        return 3.0


LOOKS = [(10 * k, sum(range(10 * k))) for k in range(1, 100)]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_a_stopping_rule_looks_at_every_batch_end_in_order(toy_players, workers):
    rng = np.random.default_rng(5)
    toy_players(lambda *block: (time.sleep(rng.random() * 0.003), numbered_rows(*block))[1])
    rule = StopAfter(345)
    found, rows = play(10**6, workers, stopping_rules=[rule])
    assert rule.looks == LOOKS[:35]
    assert (
        found == StopResult(350, "350 units", 3.0)
        and (rows == numbered_rows(TOY_MATCHUP, 0, 350)).all()
    )


def test_a_stopping_rule_continues_an_earlier_run(toy_players):
    """A killed run can leave a gap. After the stop, nothing is played again."""
    with open_ledger(None, {}) as ledger:
        ledger.add_block(0, 0, [10] * 3, pack_rows(numbered_rows(TOY_MATCHUP, 0, 30)), "x")
        ledger.add_block(0, 5, [10] * 40, pack_rows(numbered_rows(TOY_MATCHUP, 50, 400)), "x")
        rule = StopAfter(200)
        found, _ = play(10**6, 1, ledger=ledger, stopping_rules=[rule])
        assert found.units == 200 and rule.looks == LOOKS[:20]
        toy_players(make_failing_player(*range(10**4)))
        assert play(10**6, ledger=ledger, stopping_rules=[StopAfter(200)])[0] == found
        shorter = play(10**6, ledger=ledger, stopping_rules=[StopAfter(100)])[0]
        assert (shorter.units, shorter.stopped) == (100, "100 units")


def test_each_cell_has_its_own_stopping_rule(toy_players):
    with open_ledger(None, {}) as ledger:
        cells = [Task(TOY_MATCHUP, 1000), Task(TOY_MATCHUP, 35), Task(TOY_MATCHUP, 1000)]
        rules = map(StopAfter, (100, 999, 55))
        found = runner.run_tasks(cells, ledger, ThreadPool(2), stopping_rules=list(rules))
    assert [one.units for one in found] == [100, 35, 60]
    assert found[1].stopped == "enough units: not reached"


def test_a_time_limit_ends_a_cell_at_a_batch_end(toy_players):
    toy_players(lambda *block: (time.sleep(block[2] * 0.001), numbered_rows(*block))[1])
    with open_ledger(None, {}) as ledger:
        started = time.monotonic()
        found = runner.run_tasks(
            [Task(TOY_MATCHUP, 10**9), Task(TOY_MATCHUP, 10**9)], ledger, ThreadPool(2), seconds=0.3
        )
        assert 0.5 < time.monotonic() - started < 5
        for i, one in enumerate(found):
            assert one.units >= 10 and one.units % 10 == 0 and one.stopped == "after 0.3 s"
            assert (ledger.rows(i, one.units, 10) == numbered_rows(TOY_MATCHUP, 0, one.units)).all()


# Real games


def test_deals_missing_their_records_are_played_again(tmp_path):
    """A second call plays nothing and returns the same rows."""
    matchup = parse_matchup("gold", "simple", "eaai", 3, "deal")
    with open_ledger(tmp_path / "x.sqlite", {}) as ledger:
        runner.run_tasks([Task(matchup, 4000)], ledger, ThreadPool(2))
        before = ledger.rows(0, 2000, 1000)
    for n in (4000, 5000, 4000):
        with open_ledger(tmp_path / "x.sqlite", {}) as ledger:
            runner.run_tasks([Task(matchup, n)], ledger, ThreadPool(2), record_deals=True)
            assert (ledger.rows(0, 2000, 1000) == before).all()
            deals = np.concatenate(list(ledger.iter_deals(0, n // 2, 1000)))
        assert deals["unit"].tolist() == [unit for unit in range(n // 2) for _ in range(2)]
        margins = kernel.play_batches(matchup, 0, n // 2)[
            :, batch_columns.COL_SUM + batch_columns.FACT_INDEX["a_margin"]
        ]
        assert (deals["points_a"] - deals["points_b"]).sum() == margins.sum()


@pytest.mark.slow
def test_memory_hardly_grows_with_the_number_of_deals():
    """The batch rows of 20 million deals have 46 MB."""

    def peak_megabytes(deals):
        command = (
            "import resource, simgin; "
            f"print(simgin.match('simple', 'simple', deals='{deals}')); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)"
        )
        output = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
        return float(output.stdout.split()[-1])

    assert peak_megabytes("20M") < peak_megabytes("100k") + 30
