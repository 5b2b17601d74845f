"""Tests that tables do not depend on workers, block sizes, order or interruptions."""

import hashlib
import itertools

import pytest

from simgin.results import run_info
from simgin.results.run_results import RunResults
from simgin.runs import block, ledger, plan, runner
from simgin.runs.cluster import ClusterPool
from simgin.runs.runner import SerialPool, ThreadPool
from simgin.stats import table

BLOCK_SECONDS = (0.0, 0.003, 0.5)  # blocks of one batch, of a few, and of maximum size
PLANS = (
    plan.plan_matchup("gold", "simple", "eaai", deals=33_001, seed=3),
    plan.plan_matchup("gold-early", "random", "shot", matches=730, seed=2**63),
    plan.plan_matchup("gold", "gold", "standard", deals=12_500, seed=3),
    plan.plan_matchup("gold", None, "gin-solitaire", deals=9_001, seed=3),
    # Stops at some ten thousand pairs
    plan.plan_matchup("gold", "simple", "eaai", deals=60_000, until="1%", seed=3),
)


def compute_tables_digest(plans, make_pool, interrupt_after=None):
    """Play plans, interrupted after some blocks, and return the digest of their tables."""
    digest = hashlib.sha256()
    for plan_to_play in plans:
        with ledger.open_ledger(None, plan_to_play.identity) as run_ledger:
            ends = play_plan(plan_to_play, run_ledger, make_pool, interrupt_after)
            info = run_info.make_run_info(plan_to_play, ends)
            digest.update(table.format_csv(RunResults(info, run_ledger).table).encode())
    return digest.hexdigest()


def play_plan(plan_to_play, run_ledger, make_pool, interrupt_after):
    """Play a plan, and resume it after each interruption."""
    blocks = itertools.count()  # the first report comes before any block

    def interrupt(done, total):
        if interrupt_after and next(blocks) == interrupt_after:
            raise KeyboardInterrupt

    while True:
        try:
            return runner.run_tasks(
                plan_to_play.tasks,
                run_ledger,
                make_pool(),
                interrupt,
                stopping_rules=plan_to_play.stopping_rules,
            )
        except KeyboardInterrupt:
            blocks = itertools.count()


@pytest.fixture(scope="module")
def expected_digest():
    """Return the digest of a serial run, one block after the other."""
    return compute_tables_digest(PLANS, SerialPool)


def test_last_plan_stops_at_its_target_precision():
    with ledger.open_ledger(None, {}) as run_ledger:
        (result,) = play_plan(PLANS[-1], run_ledger, SerialPool, None)
    assert 2000 < result.units < 30_000
    assert result.reason.startswith("the percentage of deals won is known to within ± 0.")


@pytest.mark.parametrize(("n_threads", "seconds"), [*zip((1, 2, 7), BLOCK_SECONDS, strict=True)])
def test_table_does_not_depend_on_threads(monkeypatch, expected_digest, n_threads, seconds):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", seconds)
    assert compute_tables_digest(PLANS, lambda: ThreadPool(n_threads)) == expected_digest


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_table_does_not_depend_on_interruptions(monkeypatch, expected_digest, n_blocks):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", 0.003)
    assert (
        compute_tables_digest(PLANS, lambda: ThreadPool(2), interrupt_after=n_blocks)
        == expected_digest
    )


class ReusablePool(ClusterPool):
    """Cluster pool that runs do not close."""

    def close(self):
        pass


@pytest.fixture(scope="module")
def local_cluster():
    pytest.importorskip("distributed")
    pool = ReusablePool("local:2")
    yield pool
    ClusterPool.close(pool)


@pytest.mark.slow
def test_table_does_not_depend_on_a_cluster(monkeypatch, expected_digest, local_cluster):
    monkeypatch.setattr(block, "MIN_BLOCK_SECONDS", 0.003)
    ClusterPool("local:1").close()  # no warning about a port that is in use
    assert compute_tables_digest(PLANS, lambda: local_cluster) == expected_digest
