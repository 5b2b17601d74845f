"""Tests that runs give the same rows for any workers, and can fail, stop and resume."""

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
from simgin.runs.stopping import COMPLETE_TEXT, StopResult

TOY_MATCHUP = SimpleNamespace(
    batch_size=10,
    count_units=lambda n: n,
    is_mirrored=False,
    title="toy",
    variant=SimpleNamespace(spec="toys"),
)


def make_numbered_rows(matchup, first, units):
    """Return batch rows with the number of units and the sum of the unit indices."""
    rows = np.zeros((-(-units // matchup.batch_size), batch_columns.N_COLUMNS), np.int64)
    for unit in range(first, first + units):
        rows[(unit - first) // matchup.batch_size, :2] += 1, unit
    return rows


def make_failing_play_function(*bad_units, delay=lambda unit: 0.0):
    """Return a play function that raises an error at the first bad unit of a block."""

    def play(matchup, first, units):
        for unit in range(first, first + units):
            if unit in bad_units:
                time.sleep(delay(unit))
                raise ValueError(unit)
        return make_numbered_rows(matchup, first, units)

    return play


@pytest.fixture
def set_play_batches(monkeypatch):
    """Return a function that replaces `play_batches`, and disable the checks of batch rows."""
    monkeypatch.setattr(block, "check_rows", lambda *_: None)

    def set_function(play_function):
        monkeypatch.setattr(kernel, "play_batches", play_function)

    set_function(make_numbered_rows)
    return set_function


def run_toy_matchup(n_units, workers=2, on_progress=None, ledger=None, **options):
    """Run a toy matchup, and return its result and rows."""
    if ledger is None:
        with open_ledger(None, {}) as ledger:
            return run_toy_matchup(n_units, workers, on_progress, ledger, **options)
    (result,) = runner.run_tasks(
        [Task(TOY_MATCHUP, n_units)], ledger, ThreadPool(workers), on_progress, **options
    )
    return result, ledger.read_rows(0, result.units, TOY_MATCHUP.batch_size)


@pytest.mark.parametrize("seconds", [1e-6, block.MIN_BLOCK_SECONDS, 1e9])
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_rows_depend_on_neither_workers_nor_block_sizes(
    set_play_batches, monkeypatch, workers, seconds
):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", seconds)
    for n in (1, 10, 11, 995):
        result, rows = run_toy_matchup(n, workers)
        assert (rows == make_numbered_rows(TOY_MATCHUP, 0, n)).all()
        assert result == StopResult(n, COMPLETE_TEXT)


def test_progress_and_each_block_are_reported_once(set_play_batches):
    reports, block_sums = [], []
    with open_ledger(None, {}) as ledger:

        def add_block_sum(block_result):
            assert ledger.find_finished_batches(0, block_result.block.matchup.batch_size)
            block_sums.append(block_result.unpack_rows().sum(axis=0))

        run_toy_matchup(500, 3, ledger=ledger, on_block=add_block_sum)
        _, rows = run_toy_matchup(
            995, 3, lambda *parts: reports.append(parts), ledger, on_block=add_block_sum
        )
    assert (sum(block_sums) == rows.sum(axis=0)).all()
    assert reports == sorted(reports) and (reports[0], reports[-1]) == ((500, 995), (995, 995))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_smallest_failing_unit_is_reported_and_valid_blocks_are_kept(set_play_batches, workers):
    """Let a later block in another thread fail before an earlier one."""
    set_play_batches(
        make_failing_play_function(300, 315, 330, delay=lambda unit: 0.05 if unit == 300 else 0.0)
    )
    with open_ledger(None, {}) as ledger:
        with pytest.raises(ValueError, match=r"^300$"):
            run_toy_matchup(10**9, workers, ledger=ledger)
        saved_batches = {batch for batch, _ in ledger.find_finished_batches(0, 10)}
    assert 30 not in saved_batches and 0 in saved_batches


def interrupt(done, total):
    raise KeyboardInterrupt


def test_interrupted_run_finishes_started_blocks_only(set_play_batches):
    """Simulate Ctrl-C, which arrives in the main thread, in the progress callback."""
    played_batches = []

    def play_slowly(matchup, first, units):
        played_batches.append(first // 10)
        time.sleep(0.02)
        return make_numbered_rows(matchup, first, units)

    set_play_batches(play_slowly)
    with open_ledger(None, {}) as ledger:
        with pytest.raises(KeyboardInterrupt):
            run_toy_matchup(10**6, 2, interrupt, ledger)
        n_played = len(played_batches)
        time.sleep(0.1)
        assert len(played_batches) == n_played <= 4
        assert {batch for batch, _ in ledger.find_finished_batches(0, 10)} == set(played_batches)


def test_hung_strategy_does_not_block_an_interruption(set_play_batches, monkeypatch):
    monkeypatch.setattr(runner, "INTERRUPT_TIMEOUT_SECONDS", 0.1)
    release = threading.Event()

    def play_until_released(matchup, first, units):
        if first:
            release.wait(10)
        return make_numbered_rows(matchup, first, units)

    set_play_batches(play_until_released)
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_toy_matchup(1000, 2, interrupt)
        assert time.monotonic() - started < 5
    finally:
        release.set()


# Ends that are not known in advance


class StopAfterUnits:
    """Stopping rule that is met at a number of units and records the totals it checks."""

    text = "enough units"

    def __init__(self, units):
        self.units, self.checked_totals = units, []

    def check_totals(self, totals):
        self.checked_totals.append((int(totals[0]), int(totals[1])))
        return f"{totals[0]} units" if totals[0] >= self.units else None

    def compute_multiplier(self, units):
        return 3.0


EXPECTED_TOTALS = [(10 * k, sum(range(10 * k))) for k in range(1, 100)]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_stopping_rule_is_checked_at_every_batch_end_in_order(set_play_batches, workers):
    rng = np.random.default_rng(5)
    set_play_batches(
        lambda *block: (time.sleep(rng.random() * 0.003), make_numbered_rows(*block))[1]
    )
    rule = StopAfterUnits(345)
    result, rows = run_toy_matchup(10**6, workers, stopping_rules=[rule])
    assert rule.checked_totals == EXPECTED_TOTALS[:35]
    assert (
        result == StopResult(350, "350 units", 3.0)
        and (rows == make_numbered_rows(TOY_MATCHUP, 0, 350)).all()
    )


def test_stopping_rule_continues_an_earlier_run(set_play_batches):
    """Resume a run that lacks a block, and expect that nothing is played after the stop."""
    with open_ledger(None, {}) as ledger:
        ledger.add_block(0, 0, [10] * 3, pack_rows(make_numbered_rows(TOY_MATCHUP, 0, 30)), "x")
        ledger.add_block(0, 5, [10] * 40, pack_rows(make_numbered_rows(TOY_MATCHUP, 50, 400)), "x")
        rule = StopAfterUnits(200)
        result, _ = run_toy_matchup(10**6, 1, ledger=ledger, stopping_rules=[rule])
        assert result.units == 200 and rule.checked_totals == EXPECTED_TOTALS[:20]
        set_play_batches(make_failing_play_function(*range(10**4)))
        assert (
            run_toy_matchup(10**6, ledger=ledger, stopping_rules=[StopAfterUnits(200)])[0] == result
        )
        shorter = run_toy_matchup(10**6, ledger=ledger, stopping_rules=[StopAfterUnits(100)])[0]
        assert (shorter.units, shorter.reason) == (100, "100 units")


def test_each_matchup_has_its_own_stopping_rule(set_play_batches):
    with open_ledger(None, {}) as ledger:
        tasks = [Task(TOY_MATCHUP, 1000), Task(TOY_MATCHUP, 35), Task(TOY_MATCHUP, 1000)]
        rules = map(StopAfterUnits, (100, 999, 55))
        results = runner.run_tasks(tasks, ledger, ThreadPool(2), stopping_rules=list(rules))
    assert [result.units for result in results] == [100, 35, 60]
    assert results[1].reason == "enough units: not reached"


def test_time_limit_ends_a_matchup_at_a_batch_end(set_play_batches):
    set_play_batches(lambda *block: (time.sleep(block[2] * 0.001), make_numbered_rows(*block))[1])
    with open_ledger(None, {}) as ledger:
        started = time.monotonic()
        results = runner.run_tasks(
            [Task(TOY_MATCHUP, 10**9), Task(TOY_MATCHUP, 10**9)], ledger, ThreadPool(2), seconds=0.3
        )
        assert 0.5 < time.monotonic() - started < 5
        for i, result in enumerate(results):
            assert result.units >= 10 and result.units % 10 == 0 and result.reason == "after 0.3 s"
            assert (
                ledger.read_rows(i, result.units, 10)
                == make_numbered_rows(TOY_MATCHUP, 0, result.units)
            ).all()


# Real games


def test_deals_without_records_are_played_again_to_record_them(tmp_path):
    """Expect a second call to play nothing and to return the same rows."""
    matchup = parse_matchup("gold", "simple", "eaai", 3, "deal")
    with open_ledger(tmp_path / "x.sqlite", {}) as ledger:
        runner.run_tasks([Task(matchup, 4000)], ledger, ThreadPool(2))
        before = ledger.read_rows(0, 2000, 1000)
    for n in (4000, 5000, 4000):
        with open_ledger(tmp_path / "x.sqlite", {}) as ledger:
            runner.run_tasks([Task(matchup, n)], ledger, ThreadPool(2), record_deals=True)
            assert (ledger.read_rows(0, 2000, 1000) == before).all()
            deals = np.concatenate(list(ledger.iter_deals(0, n // 2, 1000)))
        assert deals["unit"].tolist() == [unit for unit in range(n // 2) for _ in range(2)]
        margins = kernel.play_batches(matchup, 0, n // 2)[
            :, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["a_margin"]
        ]
        assert (deals["points_a"] - deals["points_b"]).sum() == margins.sum()


@pytest.mark.slow
def test_memory_hardly_grows_with_the_number_of_deals():
    """Allow 30 MB more for 20 million deals, whose batch rows would need 46 MB."""

    def measure_peak_megabytes(deals):
        command = (
            "import resource, simgin; "
            f"print(simgin.match('simple', 'simple', deals='{deals}')); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)"
        )
        output = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
        return float(output.stdout.split()[-1])

    assert measure_peak_megabytes("20M") < measure_peak_megabytes("100k") + 30
