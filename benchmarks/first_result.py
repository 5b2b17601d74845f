"""Measure the CPU time of simgin's commands with an empty and with a filled cache.

    python benchmarks/first_result.py [OTHER_PYTHON]

If you pass the Python of another installation of simgin, both installations are measured in turn.
Every command runs in its own process and with its own cache of compiled code, which is empty at the
start. The results are in docs/explanation/decisions/0003-compilation.md.
"""

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

N_EMPTY_CACHE_ROUNDS, N_ROUNDS = 2, 5  # Only the best round is reported, because timings are noisy.
DEAL_COUNT_OPTIONS = ("--deals", "2k")
BUILT_IN_MATCH_ARGUMENTS = ("match", "simple", "gold", *DEAL_COUNT_OPTIONS)
STRATEGY_SOURCE = """
from simgin.strategy import Strategy, knock, param, take
from simgin.toolkit import deadwood_after_taking

@take
def lower(view, rules, params):
    return deadwood_after_taking(view.hand, view.taken_offer, rules) < view.count

@knock(k=param(5, 0, 20))
def early(view, rules, params):
    return view.own_turn <= params[0] + {edit_number} or view.ending_count == 0

STRATEGY = Strategy("mine", take=lower, knock=early)
"""


@dataclass
class Installation:
    """Python installation with simgin, and the measured CPU time of each step."""

    python: str
    directory: Path
    seconds_by_step: dict[str, list[float]] = field(default_factory=dict)

    def time_command(self, step, *arguments):
        """Run a command, and record its CPU time."""
        env = {**os.environ, "SIMGIN_CACHE_DIR": str(self.directory / "cache")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # Users normally have a bytecode cache.
        command = [self.python, "-m", "simgin", *arguments]
        seconds_before = _read_child_cpu_seconds()
        subprocess.run(command, env=env, cwd=self.directory, check=True, capture_output=True)
        elapsed = _read_child_cpu_seconds() - seconds_before
        self.seconds_by_step.setdefault(step, []).append(elapsed)

    def use_empty_cache(self):
        """Switch to a new directory, in which the cache is empty.

        Deleting files in use would be unsafe.
        """
        self.directory = Path(tempfile.mkdtemp(dir=self.directory))

    def write_strategy(self, edit_number):
        """Write the strategy file with a changed line, which requires a new compilation."""
        text = STRATEGY_SOURCE.format(edit_number=edit_number)
        (self.directory / "mine.py").write_text(text)


def _read_child_cpu_seconds():
    """Return the CPU time of all finished child processes, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(other_pythons):
    """Print a table with a row for each step and a column for each installation."""
    with tempfile.TemporaryDirectory() as folder:
        installations = []
        for index, python in enumerate([sys.executable, *other_pythons]):
            directory = Path(folder) / str(index)
            directory.mkdir()
            installations.append(Installation(python, directory))
        for _ in range(N_EMPTY_CACHE_ROUNDS):
            for installation in installations:
                installation.use_empty_cache()
                installation.time_command("first match, empty cache", *BUILT_IN_MATCH_ARGUMENTS)
        for edit in range(N_ROUNDS):
            for installation in installations:
                installation.write_strategy(edit)
                file = ("match", "mine.py", "simple", *DEAL_COUNT_OPTIONS)
                installation.time_command("later match", *BUILT_IN_MATCH_ARGUMENTS)
                installation.time_command("match of a file that was just edited", *file)
                installation.time_command("match of the same file again", *file)
                installation.time_command("--help", "--help")
    for step in installations[0].seconds_by_step:
        best_times = [
            f"{min(installation.seconds_by_step[step]):.2f}" for installation in installations
        ]
        print(f"| {step} | {' | '.join(best_times)} |")


main(sys.argv[1:])
