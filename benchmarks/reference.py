"""Rebuild results/reference: all runs, reviews and odds that the documentation cites.

    python benchmarks/reference.py [NAME...]      (make reference)
    python benchmarks/reference.py --list         list the duration of each

Each result is computed in build/reference/ENGINE/NAME, which keeps the ledger: the same command
resumes after an interruption, and skips complete results. Another engine starts from scratch. The
script then renews the manifest and the files that results/reference already contains, which the
documentation or a test reads; a new directory receives all tables. Without NAME, it rebuilds all
results, the fastest first, which takes hours; `--list` estimates the duration on this machine.
Speed measurements (bench.json) depend on the machine and are not rebuilt.
"""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from simgin.runs.directory import SEAL, sealed
from simgin.runs.manifest import engine_digest
from simgin.version import version

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "results" / "reference"
WORK = ROOT / "build" / "reference" / engine_digest()
SIMGIN = (sys.executable, "-P", "-m", "simgin")
CHART = (*SIMGIN, "chart", "--player", "champion")
KNOCKS = (*CHART, "knock", "--deals", "8M")
# Commands of results that are not experiments, without the output directory
OTHERS: dict[str, tuple[str, ...]] = {
    "odds": (*SIMGIN, "odds"),
    "odds-standard": (*SIMGIN, "odds", "standard"),
    "review": (*SIMGIN, "review", "oklahoma", "straight", "tedesco", "--against", "standard"),
    "bonuses": (*SIMGIN, "review", "--file", "experiments/reviews/bonuses.toml"),
    "knock-limit": (*SIMGIN, "review", "--file", "experiments/reviews/knock-limit.toml"),
    "chart-knock": KNOCKS,
    "chart-knock-undercut-10": (*KNOCKS, "-v", "standard+undercut_bonus=10"),
    "chart-knock-oklahoma": (*KNOCKS, "-v", "oklahoma"),
    "chart-knock-behind": (*KNOCKS, "--score", "20-80"),
    "chart-knock-ahead": (*KNOCKS, "--score", "80-20"),
    "chart-upcard": (*CHART, "upcard", "--deals", "2M"),
    "chart-discard": (*CHART, "discard", "--deals", "400k"),
    "adapted": (sys.executable, "benchmarks/adapted.py"),
    "error-rates": (sys.executable, "benchmarks/error_rates.py"),
    "claims/lengths": (sys.executable, "benchmarks/match_lengths.py"),
}


@dataclass(frozen=True)
class Reference:
    """Directory in results/reference and the command that creates it."""

    name: str

    @property
    def command(self) -> tuple[str, ...]:
        """Complete command: that of the experiment of the same name, or one of OTHER_COMMANDS."""
        own = OTHERS.get(self.name) or (*SIMGIN, "run", f"experiments/{self.name}.toml")
        return (*own, "-o", str(WORK / self.name))

    def seconds(self) -> float | None:
        """Return the time for the remaining part of an experiment, None for other commands."""
        if self.name in OTHERS:
            return None
        words = (*self.command, "--dry-run", "--json")
        plan = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return float(sum(row["seconds"] for row in json.loads(plan)["rows"]))

    def make(self) -> None:
        """Play what is missing, and copy the files to be committed.

        Raises:
            CalledProcessError: If the command fails.
        """
        subprocess.run(self.command, cwd=ROOT, check=True)
        place = REFERENCE / self.name
        place.mkdir(parents=True, exist_ok=True)
        for own in self._committed(place):
            made = WORK / self.name / own
            if own.suffix == ".png":
                shutil.copyfile(made, place / own)
            else:
                (place / own).write_text(self._told(made.read_text()))
        self._write_manifest(place / "manifest.json")

    def _committed(self, place: Path) -> list[Path]:
        """Return the relative paths of the files to renew, or of all tables if there are none."""
        files = [
            path for path in place.rglob("*") if path.is_file() and path.name != "manifest.json"
        ]
        tables = [*(WORK / self.name).glob("*.csv"), *(WORK / self.name).glob("summary.md")]
        kept = [path.relative_to(place) for path in files]
        return kept or [path.relative_to(WORK / self.name) for path in tables]

    def _told(self, text: str) -> str:
        """Return a string in which paths of this machine are replaced by results/reference."""
        return text.replace(str(WORK), "results/reference").replace(f"{ROOT}/", "")

    def _write_manifest(self, place: Path) -> None:
        """Write the manifest of the command, or a short one if the command writes none."""
        made = WORK / self.name / "manifest.json"
        if made.exists():
            contents = json.loads(self._told(made.read_text()))
            contents.pop(SEAL, None)
        else:
            words = "python", *self.command[1:]
            command = self._told(shlex.join(words))
            contents = {"simgin": version(), "engine": engine_digest(), "command": command}
        place.write_bytes(sealed(contents))


def references() -> list[Reference]:
    """Return all directories in results/reference that a command creates."""
    files = (ROOT / "experiments").rglob("*.toml")
    experiments = {
        path.relative_to(ROOT / "experiments").with_suffix("").as_posix() for path in files
    }
    there = {
        path.parent.relative_to(REFERENCE).as_posix() for path in REFERENCE.rglob("manifest.json")
    }
    return [Reference(name) for name in sorted(there & experiments | set(OTHERS))]


def in_words(seconds: float | None) -> str:
    """Format a duration for people."""
    if seconds is None:
        return "time unknown"
    return f"about {seconds:.0f} s" if seconds < 100 else f"about {seconds / 60:.0f} min"


def main() -> None:
    """Parse the command line and rebuild the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="only say what each takes")
    asked = parser.parse_args()
    every = {one.name: one for one in references()}
    if unknown := set(asked.names) - set(every):
        sys.exit(f"{', '.join(sorted(unknown))}: no such result; there are {', '.join(every)}.")
    todo = [every[name] for name in asked.names or every]
    times = {one.name: one.seconds() for one in todo}
    known = sum(time for time in times.values() if time is not None)
    print(f"{len(todo)} results, {in_words(known)} of play, and what has no estimate")
    todo.sort(key=lambda one: float("inf") if times[one.name] is None else times[one.name])
    started = time.monotonic()
    for number, one in enumerate(todo, start=1):
        print(f"{number} of {len(todo)}: {one.name}, {in_words(times[one.name])}", flush=True)
        if not asked.list:
            one.make()
    print(f"done in {(time.monotonic() - started) / 60:.1f} min")


if __name__ == "__main__":
    main()
