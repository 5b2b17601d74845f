"""What blocks and batches cost beside being played, and how many workers one loop can keep busy: docs/explanation/scaling.md.

python benchmarks/scaling.py
"""

import tempfile
import time
from pathlib import Path

from simgin.play import matchup
from simgin.runs import invariants, ledger, runner, schedule
from simgin.runs.cluster import Cluster
from simgin.runs.experiment import Cell

BATCHES = 400
TIMES = 5  # of which the best counts: these machines are noisy
STRATEGIES = (
    "gold",
    "gold+discard=hits",
)  # a quick player, and one that looks at every unseen card


def a_batch(one, rows, folder):
    """Seconds that the loop spends on checking and committing a batch of a large block."""
    units, best = [one.batch] * len(rows), float("inf")
    for i in range(TIMES):
        with ledger.opened(Path(folder) / f"batches-{i}.sqlite", {}) as book:
            started = time.perf_counter()
            invariants.check(one, units, rows)
            book.add(0, 0, units, rows, "worker")
            best = min(best, (time.perf_counter() - started) / len(rows))
    return best


def packing(rows):
    """Seconds that compressing a batch row takes, a part of the above, and its bytes before and after."""
    best = float("inf")
    for _ in range(TIMES):
        started = time.perf_counter()
        blobs = [ledger.packed(row) for row in rows]
        best = min(best, (time.perf_counter() - started) / len(rows))
    return best, rows[0].nbytes, sum(map(len, blobs)) / len(blobs)


def a_block(one, folder):
    """Seconds that a block takes from being handed out to being committed on two local processes, beside its play and its batches."""
    schedule.BLOCK_SECONDS = 0.0  # blocks of one batch
    cell, best = Cell(one, BATCHES * one.batch * 2), float("inf")
    for i in range(TIMES):
        team = Cluster("local:2")
        with ledger.opened(Path(folder) / f"blocks-{i}.sqlite", {}) as book:
            runner.run([Cell(one, 20 * one.batch * 2)], book, Warm(team))
            started = time.perf_counter()
            runner.run([cell], book, team)
            best = min(best, time.perf_counter() - started)
    return best / (BATCHES - 20)


class Warm:
    """A team that outlives a first run."""

    def __init__(self, team):
        self._team = team

    def __getattr__(self, name):
        return getattr(self._team, name)

    def close(self):
        """Not yet."""


def main():
    """The command line."""
    cores = {}
    with tempfile.TemporaryDirectory() as folder:
        for text in STRATEGIES:
            one = matchup.seated(text, "simple", "standard", 1, "deal")
            matchup.prepare(one)
            started = time.perf_counter()
            rows = matchup.play(one, 0, 40 * one.batch)
            cores[text] = (time.perf_counter() - started) / len(rows)
        batch, block = (
            a_batch(one, rows, folder),
            a_block(matchup.seated("gold", "simple", "standard", 1, "deal"), folder),
        )
    waiting = block - cores["gold"] / 2
    print(f"a batch of 1,000 pairs: {1e6 * batch:.0f} microseconds to check and commit")
    seconds, before, after = packing(rows)
    print(f"of these {1e6 * seconds:.0f} to compress its row, from {before} bytes to {after:.0f}")
    print(
        f"a block on a cluster of two processes: {1e3 * waiting:.1f} ms beside its play, so at most {1 / waiting:.0f} blocks a second"
    )
    for text, seconds in cores.items():
        print(
            f"{text}: {2000 / seconds:,.0f} deals a second on one core; one loop keeps {seconds / batch:,.0f} cores busy"
        )


if __name__ == "__main__":
    main()
