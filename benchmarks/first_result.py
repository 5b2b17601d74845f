"""Measure the CPU time of complete commands, for first and later results.

    python benchmarks/first_result.py [OTHER_PYTHON]

With the Python of another installation of simgin, both are measured alternately. Every command runs
in its own process and with its own cache of compiled code, which is empty at the start. The results
are in docs/explanation/decisions/0029-first-result.md.
"""

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

COLD_ROUNDS, ROUNDS = 2, 5  # the best round is reported because timings are noisy
SIZE = ("--deals", "2k")
BUILT_IN = ("match", "simple", "gold", *SIZE)
MINE = """
from simgin.strategy import Strategy, knock, param, take
from simgin.toolkit import count_after

@take
def lower(view, rules, params):
    return count_after(view.hand, view.taken_offer, rules) < view.count

@knock(k=param(5, 0, 20))
def early(view, rules, params):
    return view.own_turn <= params[0] + {edit} or view.ending_count == 0

STRATEGY = Strategy("mine", take=lower, knock=early)
"""


@dataclass
class Installation:
    """A Python with simgin, its directory, and the CPU times of every step in seconds."""

    python: str
    folder: Path
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def measure(self, step, *words):
        """Run a command and record its CPU time."""
        env = {**os.environ, "SIMGIN_CACHE_DIR": str(self.folder / "cache")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # users normally have bytecode caches
        command = [self.python, "-m", "simgin", *words]
        before = _children_seconds()
        subprocess.run(command, env=env, cwd=self.folder, check=True, capture_output=True)
        taken = _children_seconds() - before
        self.seconds.setdefault(step, []).append(taken)

    def empty_cache(self):
        """Change to a new directory with an empty cache, so that no file in use is deleted."""
        self.folder = Path(tempfile.mkdtemp(dir=self.folder))

    def write(self, edit):
        """Write the strategy file with a changed line."""
        text = MINE.format(edit=edit)
        (self.folder / "mine.py").write_text(text)


def _children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(others):
    """Measure all steps and print a row per step with a column per installation."""
    with tempfile.TemporaryDirectory() as folder:
        installations = []
        for place, python in enumerate([sys.executable, *others]):
            own = Path(folder) / str(place)
            own.mkdir()
            installations.append(Installation(python, own))
        for _ in range(COLD_ROUNDS):
            for installation in installations:
                installation.empty_cache()
                installation.measure("first match, empty cache", *BUILT_IN)
        for edit in range(ROUNDS):
            for installation in installations:
                installation.write(edit)
                file = ("match", "mine.py", "simple", *SIZE)
                installation.measure("later match", *BUILT_IN)
                installation.measure("match of a file just edited", *file)
                installation.measure("the same file again", *file)
                installation.measure("--help", "--help")
    for step in installations[0].seconds:
        best = [f"{min(installation.seconds[step]):.2f}" for installation in installations]
        print(f"| {step} | {' | '.join(best)} |")


main(sys.argv[1:])
