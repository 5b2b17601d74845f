"""What a block costs beside being played: on threads, and on the workers of a cluster of local processes.

    python benchmarks/scaling.py

The figures of docs/scaling.md: seconds of the one loop that hands out, checks and commits blocks, bytes that travel and stay, and what
they would allow a thousand workers.
"""

import tempfile
import time
from pathlib import Path

from simgin import ledger, matchup, runner, work
from simgin.cluster import Cluster
from simgin.experiment import Cell
from simgin.threads import Threads, usable_cpus

BATCHES = 400


def measured(name, make, one, folder):
    """One line of figures for a team."""
    path, cell = Path(folder) / f"{name}.sqlite", Cell(one, BATCHES * one.batch * 2)
    started = time.perf_counter()
    matchup.play(one, 0, BATCHES * one.batch)
    alone = time.perf_counter() - started
    team = make()
    team.prepare([one])
    workers = min(team.workers, usable_cpus())
    with ledger.opened(path, {}) as book:
        started = time.perf_counter()
        runner.run([cell], book, team)
        wall = time.perf_counter() - started
    cost = (wall - alone / workers) / BATCHES
    size = path.stat().st_size / BATCHES
    print(f"{name}: {1000 * cost:.2f} ms a block of one batch beside {1000 * alone / BATCHES:.2f} ms of play; {size:.0f} bytes of ledger")
    return cost


def main():
    work.BLOCK_SECONDS = 0.0  # blocks of one batch
    one = matchup.seated("gold", "simple", "standard", 1, "deal")
    matchup.prepare(one)
    with tempfile.TemporaryDirectory() as folder:
        measured("threads", Threads, one, folder)
        cost = measured("cluster", lambda: Cluster("local:2"), one, folder)
    print(f"one loop keeps {1 / cost:.0f} blocks a second going: with blocks of 10 s, {10 / cost:.0f} workers")


if __name__ == "__main__":
    main()
