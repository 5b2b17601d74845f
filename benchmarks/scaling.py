"""Overhead of batches and blocks, and how many workers one coordinating loop can keep busy.

    python benchmarks/scaling.py

The figures stand in docs/explanation/scaling.md.
"""

import tempfile
import time
from pathlib import Path

from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.runs import invariants, ledger, runner, schedule
from simgin.runs.block import Task
from simgin.runs.cluster import Cluster

BATCHES = 400
TIMES = 5  # the best counts, because machines are noisy
# a quick strategy, and one that looks at every unseen card
STRATEGIES = ("gold", "gold+discard=hits")


def batch_seconds(played, rows, folder):
    """Seconds the loop spends on checking and committing one batch of a large block."""
    units, best = [played.batch] * len(rows), float("inf")
    for i in range(TIMES):
        with ledger.opened(Path(folder) / f"batches-{i}.sqlite", {}) as book:
            started = time.perf_counter()
            invariants.check(played, units, rows)
            book.add(0, 0, units, rows, "worker")
            best = min(best, (time.perf_counter() - started) / len(rows))
    return best


def compression(rows):
    """Seconds to compress one batch row, a part of the above, and its bytes before and after."""
    best = float("inf")
    for _ in range(TIMES):
        started = time.perf_counter()
        blobs = [ledger.packed(row) for row in rows]
        best = min(best, (time.perf_counter() - started) / len(rows))
    return best, rows[0].nbytes, sum(map(len, blobs)) / len(blobs)


def block_seconds(played, folder):
    """Seconds from handing a block to one of two local processes until it is committed.

    The blocks have one batch each, so that little of the time is play.
    """
    schedule.BLOCK_SECONDS = 0.0  # blocks of one batch
    task, best = Task(played, BATCHES * played.batch * 2), float("inf")
    for i in range(TIMES):
        team = Cluster("local:2")
        with ledger.opened(Path(folder) / f"blocks-{i}.sqlite", {}) as book:
            runner.run([Task(played, 20 * played.batch * 2)], book, Warm(team))
            started = time.perf_counter()
            runner.run([task], book, team)
            best = min(best, time.perf_counter() - started)
    return best / (BATCHES - 20)


class Warm:
    """A team that stays open after the first run, so that the second starts warm."""

    def __init__(self, team):
        self._team = team

    def __getattr__(self, name):
        return getattr(self._team, name)

    def close(self):
        """Keep the team open."""


def main():
    """The command line."""
    cores = {}
    with tempfile.TemporaryDirectory() as folder:
        for text in STRATEGIES:
            played = parse_matchup(text, "simple", "standard", 1, "deal")
            kernel.prepare(played)
            started = time.perf_counter()
            rows = kernel.play(played, 0, 40 * played.batch)
            cores[text] = (time.perf_counter() - started) / len(rows)
        batch = batch_seconds(played, rows, folder)
        quick = parse_matchup("gold", "simple", "standard", 1, "deal")
        block = block_seconds(quick, folder)
    waiting = block - cores["gold"] / 2
    print(f"a batch of 1,000 pairs: {1e6 * batch:.0f} microseconds to check and commit")
    seconds, before, after = compression(rows)
    print(f"of these {1e6 * seconds:.0f} to compress its row, from {before} bytes to {after:.0f}")
    print(f"a block on a cluster of two processes: {1e3 * waiting:.1f} ms besides its play")
    print(f"so at most {1 / waiting:.0f} blocks a second")
    for text, seconds in cores.items():
        rate = f"{2000 / seconds:,.0f} deals a second on one core"
        print(f"{text}: {rate}; one loop keeps {seconds / batch:,.0f} cores busy")


if __name__ == "__main__":
    main()
