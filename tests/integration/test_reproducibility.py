"""Tests that tables depend on neither workers, block sizes, order nor interruptions."""

import hashlib
import itertools

import pytest

from simgin.results import run_info
from simgin.results.run_results import RunResults
from simgin.runs import block, ledger, plan, runner
from simgin.runs.cluster import ClusterPool
from simgin.runs.runner import SerialPool, ThreadPool
from simgin.stats import table

SECONDS = (0.0, 0.003, 0.5)  # blocks of one batch, of a few, and of maximum size
PLANS = (
    plan.plan_matchup("gold", "simple", "eaai", deals=33_001, seed=3),
    plan.plan_matchup("gold-early", "random", "shot", matches=730, seed=2**63),
    plan.plan_matchup("gold", "gold", "standard", deals=12_500, seed=3),
    plan.plan_matchup("gold", None, "gin-solitaire", deals=9_001, seed=3),
    # Stops at some ten thousand pairs
    plan.plan_matchup("gold", "simple", "eaai", deals=60_000, until="1%", seed=3),
)


def compute_digest(plans, team, interrupted=None):
    """Return the digest of the tables of plans, each interrupted after some blocks and resumed."""
    found = hashlib.sha256()
    for asked in plans:
        with ledger.open_ledger(None, asked.identity) as run_ledger:
            ends = play_plan(asked, run_ledger, team, interrupted)
            record = run_info.make_run_info(asked, ends)
            found.update(table.format_csv(RunResults(record, run_ledger).table).encode())
    return found.hexdigest()


def play_plan(asked, run_ledger, team, interrupted):
    blocks = itertools.count()  # the first report comes before any block

    def interrupt(done, every):
        if interrupted and next(blocks) == interrupted:
            raise KeyboardInterrupt

    while True:
        try:
            return runner.run_tasks(
                asked.tasks, run_ledger, team(), interrupt, stopping_rules=asked.stopping_rules
            )
        except KeyboardInterrupt:
            blocks = itertools.count()


@pytest.fixture(scope="module")
def expected_digest():
    """Return the digest of a serial run, one block after the other."""
    return compute_digest(PLANS, SerialPool)


def test_one_of_the_plans_stops_by_its_results():
    with ledger.open_ledger(None, {}) as run_ledger:
        (found,) = play_plan(PLANS[-1], run_ledger, SerialPool, None)
    assert 2000 < found.units < 30_000
    assert found.stopped.startswith("the percentage of deals won is known to within ± 0.")


@pytest.mark.parametrize(("threads", "seconds"), [*zip((1, 2, 7), SECONDS, strict=True)])
def test_the_table_does_not_depend_on_threads(monkeypatch, expected_digest, threads, seconds):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", seconds)
    assert compute_digest(PLANS, lambda: ThreadPool(threads)) == expected_digest


@pytest.mark.parametrize("blocks", [1, 3])
def test_the_table_does_not_depend_on_interruptions(monkeypatch, expected_digest, blocks):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", 0.003)
    assert compute_digest(PLANS, lambda: ThreadPool(2), interrupted=blocks) == expected_digest


class LastingPool(ClusterPool):
    """A cluster that serves several runs."""

    def close(self):
        pass


@pytest.fixture(scope="module")
def local_cluster():
    pytest.importorskip("distributed")
    team = LastingPool("local:2")
    yield team
    ClusterPool.close(team)


@pytest.mark.slow
def test_the_table_is_the_same_from_a_cluster(monkeypatch, expected_digest, local_cluster):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", 0.003)
    ClusterPool("local:1").close()  # no warning about a port that is in use
    assert compute_digest(PLANS, lambda: local_cluster) == expected_digest
