"""How long a playout of `mc` takes: nanoseconds from the deal to the points.

    python benchmarks/playouts.py [OTHER_PYTHON]

With the Python of another installation of simgin, both are measured in turns, and the ratio of the
medians is printed. The total of the points shows that both played the same.
"""

import statistics
import subprocess
import sys
import time

import numpy as np

PACKS, TIMES, ROUNDS = 4000, 5, 9
SEED = 5
WORKER = "--worker"


def play_all(packs, view, rules, scratch, stock, play_out):
    """Total points of a playout of every pack; the stock is written anew for each."""
    total = 0
    for k in range(packs.shape[0]):
        me, him = 0, 0
        for i in range(10):
            me |= 1 << packs[k, i]
            him |= 1 << packs[k, 10 + i]
        for i in range(31):
            stock[i] = packs[k, 21 + i]
        patient = k % 2 == 0
        top = packs[k, 20]
        total += play_out(me, him, top, True, -1, stock, 31, patient, view, rules, scratch)
    return total


def measure():
    """Print the total, then nanoseconds a playout for every line that is read."""
    from simgin_strategies._playouts import _scratch, play_out

    from simgin.core.jit import compiled
    from simgin.core.view import new_view
    from simgin.rules import variants
    from simgin.rules.record import build_rules

    standard = variants.find("standard")
    rules, view = build_rules(standard), new_view()
    view.limit, view.multiplier = 10, 1
    shuffler = np.random.default_rng(SEED)
    packs = np.array([shuffler.permutation(52) for _ in range(PACKS)])
    run = compiled(play_all, keep=False)

    def play_packs(packs, view, rules):
        stock = np.zeros(52, np.int64)
        return run(packs, view, rules, _scratch(), stock, play_out)

    play = compiled(play_packs, keep=False)
    print(play(packs, view, rules), flush=True)
    for _ in sys.stdin:
        started = time.process_time()
        for _ in range(TIMES):
            play(packs, view, rules)
        taken = time.process_time() - started
        print(taken / (TIMES * PACKS) * 1e9, flush=True)


class Installation:
    """A Python that has simgin, in a process that measures when it is asked."""

    def __init__(self, python):
        words = [python, __file__, WORKER]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)
        self.total = self._process.stdout.readline().strip()
        self.nanoseconds = []

    def measure(self):
        """Note the time of a playout."""
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        self.nanoseconds.append(float(answer))

    def median(self):
        """Nanoseconds of a playout, the median of the rounds."""
        return statistics.median(self.nanoseconds)


def main():
    """Measure one installation, or two in turns, and print the medians."""
    if sys.argv[1:] == [WORKER]:
        measure()
        return
    pythons = [sys.executable, *sys.argv[1:]]
    installations = [Installation(python) for python in pythons]
    for _ in range(ROUNDS):
        for installation in installations:
            installation.measure()
    for python, installation in zip(pythons, installations, strict=True):
        print(f"{installation.median():7.0f} ns  points {installation.total}  {python}")
    if len(installations) == 2:
        ratio = installations[1].median() / installations[0].median()
        print(f"{ratio:7.2f} times as fast as the other")


if __name__ == "__main__":
    main()
