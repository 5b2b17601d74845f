"""Measure the cost of the coordinating loop, and how many cores it can keep busy.

    python benchmarks/scaling.py

Plays on real clusters of local processes, which share the cores of this machine with the loop. The
results are in docs/explanation/scaling.md.
"""

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.parallel import usable_cpus
from simgin.runs import block, ledger, runner
from simgin.runs.block import Task
from simgin.runs.cluster import Cluster
from simgin.runs.ledger import pack
from simgin.runs.runner import Threads

ROWS = 2000  # batch rows per large block, which takes ten seconds with a fast strategy
PROCESSES = 8
TIMES = 5  # repetitions, of which the best is used because timings are noisy
FETCHES = 200
WARM_SECONDS, SECONDS = 3.0, 20.0  # duration of the warm-up and of each measured run
QUICK, SLOW = "gold", "sigra"


class Warm:
    """Worker pool that stays open after a run, so that the next run starts with warm workers."""

    def __init__(self, team):
        self._team = team
        self.blocks = 0  # number of finished blocks

    def __getattr__(self, name):
        return getattr(self._team, name)

    def get(self, timeout=None):
        """Return the next finished block and count it."""
        done = self._team.get(timeout)
        self.blocks += done is not None
        return done

    def close(self):
        """Keep the pool open."""


@dataclass(frozen=True)
class Speed:
    """Deals and blocks per second of a run, and the CPU time of this process.

    `share` is the CPU time of this process as a proportion of one core.
    """

    deals: float
    blocks: float
    share: float


def best_seconds(work):
    """Return the shortest duration of several calls in seconds."""
    seconds = []
    for _ in range(TIMES):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


@contextmanager
def new_ledger():
    """Open a new ledger in a temporary directory."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ledger.opened(Path(folder) / ledger.FILE, {}) as run_ledger,
    ):
        yield run_ledger


def measure(matchup, team):
    """Measure a run of some seconds on a warm pool."""
    task = Task(matchup, 2 * matchup.batch * 10_000_000)
    with new_ledger() as run_ledger:
        runner.run([task], run_ledger, Warm(team), seconds=WARM_SECONDS)
    with new_ledger() as run_ledger:
        counted = Warm(team)
        started, cpu = time.perf_counter(), time.process_time()
        (end,) = runner.run([task], run_ledger, counted, seconds=SECONDS)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    return Speed(2 * end.units / seconds, counted.blocks / seconds, cpu / seconds)


@contextmanager
def tiny_blocks():
    """Use blocks of one batch in this context, so that play takes little of the time."""
    before = block.BLOCK_SECONDS, block.GROWTH
    block.BLOCK_SECONDS, block.GROWTH = 0.0, 1
    block.BLOCKS_A_SECOND *= 1000
    yield
    block.BLOCK_SECONDS, block.GROWTH = before
    block.BLOCKS_A_SECOND //= 1000


def fetch_seconds(team, size):
    """Return the CPU time of client and scheduler per additional `size` bytes in a result."""
    spent = {0: 0.0, size: 0.0}
    for _ in range(FETCHES):
        for many in spent:
            started = time.process_time()
            team.client.submit(os.urandom, many, pure=False).result()
            spent[many] += time.process_time() - started
    return (spent[size] - spent[0]) / FETCHES


def commit_seconds(matchup, blob):
    """Return the time to commit a large block in seconds."""
    with new_ledger() as run_ledger:
        units = [matchup.batch] * ROWS
        return best_seconds(lambda: run_ledger.add(0, 0, units, blob, "worker"))


def tell_speed(title, speed):
    """Print the speed of a run."""
    print(f"{title}: {speed.deals:,.0f} deals and {speed.blocks:.1f} blocks a second")


def tell_share(speed):
    """Print the CPU time of this process relative to that of the workers."""
    print(f"    client and scheduler take {100 * speed.share:.1f} % of a processor")


def main():
    """Measure all costs and print them."""
    quick, slow = (parse_matchup(a, "simple", "standard", 1, "deal") for a in (QUICK, SLOW))
    team = Cluster(f"local:{PROCESSES}")
    team.prepare([quick, slow])
    for matchup in (slow, quick):
        tell_speed(f"{matchup.title}, {usable_cpus()} threads", measure(matchup, Threads()))
        speed = measure(matchup, team)
        tell_speed(f"{matchup.title}, {PROCESSES} processes", speed)
        tell_share(speed)
    with tiny_blocks():
        tiny = measure(quick, team)
    tell_speed(f"{quick.title}, {PROCESSES} processes in blocks of one batch", tiny)
    tell_share(tiny)

    units = [quick.batch] * ROWS
    started = time.perf_counter()
    rows = kernel.play(quick, 0, quick.batch * ROWS)
    play = (time.perf_counter() - started) / ROWS
    blob = pack(rows)
    check = best_seconds(lambda: block.check(quick, units, rows)) / ROWS
    packing = best_seconds(lambda: pack(rows)) / ROWS
    print(
        f"a batch of 1,000 pairs on its worker: {1e3 * play:.2f} ms to play, "
        f"{1e6 * check:.0f} microseconds to check, {1e6 * packing:.0f} to pack "
        f"from {rows.nbytes // ROWS} bytes to {len(blob) / ROWS:.0f}"
    )
    fetch, commit = fetch_seconds(team, len(blob)) / ROWS, commit_seconds(quick, blob) / ROWS
    team.close()
    print(
        f"in the loop: {1e6 * fetch:.2f} microseconds to fetch it, {1e6 * commit:.2f} to commit it"
    )
    each = tiny.share / tiny.blocks
    share = block.BLOCKS_A_SECOND * each
    cores = (1 - share) * play / (fetch + commit)
    print(
        f"a block costs client and scheduler {1e3 * each:.1f} ms: at "
        f"{block.BLOCKS_A_SECOND} blocks a second {100 * share:.0f} % of a processor; "
        f"the rest commits what {cores:,.0f} cores of {QUICK} play"
    )


if __name__ == "__main__":
    main()
