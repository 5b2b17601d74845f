"""Rebuild results/reference, which contains all results that the documentation cites.

    python benchmarks/reference.py [NAME...]    # rebuild (make reference)
    python benchmarks/reference.py --list       # list the results and their durations

Each result is computed in build/reference/ENGINE/NAME, which contains the ledger. The same command
resumes after an interruption and skips complete results. If the engine has changed, it starts from
scratch. The script then renews the manifest and the files that results/reference already contains.
The documentation or a test reads these files. A new directory receives all tables.

Without NAME, the script rebuilds all results, the fastest first, which takes hours. `--list`
estimates the durations on this machine. Speed measurements (bench.json) depend on the machine and
are not rebuilt.
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

from simgin.runs.directory import CHECKSUM_KEY, encode_manifest
from simgin.runs.manifest import compute_engine_digest
from simgin.version import get_version

ROOT = Path(__file__).resolve().parents[1]
REFERENCE_DIRECTORY = ROOT / "results" / "reference"
WORK_DIRECTORY = ROOT / "build" / "reference" / compute_engine_digest()
SIMGIN_COMMAND = (sys.executable, "-P", "-m", "simgin")
CHART_COMMAND = (*SIMGIN_COMMAND, "chart", "--player", "champion")
KNOCK_CHART_COMMAND = (*CHART_COMMAND, "knock", "--deals", "8M")
# Commands for results that are not experiments, without the output directory
COMMANDS_BY_NAME: dict[str, tuple[str, ...]] = {
    "odds": (*SIMGIN_COMMAND, "odds"),
    "odds-standard": (*SIMGIN_COMMAND, "odds", "standard"),
    "review": (
        *SIMGIN_COMMAND,
        "review",
        "oklahoma",
        "straight",
        "tedesco",
        "--against",
        "standard",
    ),
    "bonuses": (*SIMGIN_COMMAND, "review", "--file", "experiments/reviews/bonuses.toml"),
    "knock-limit": (*SIMGIN_COMMAND, "review", "--file", "experiments/reviews/knock-limit.toml"),
    "chart-knock": KNOCK_CHART_COMMAND,
    "chart-knock-undercut-10": (*KNOCK_CHART_COMMAND, "-v", "standard+undercut_bonus=10"),
    "chart-knock-oklahoma": (*KNOCK_CHART_COMMAND, "-v", "oklahoma"),
    "chart-knock-behind": (*KNOCK_CHART_COMMAND, "--score", "20-80"),
    "chart-knock-ahead": (*KNOCK_CHART_COMMAND, "--score", "80-20"),
    "chart-upcard": (*CHART_COMMAND, "upcard", "--deals", "2M"),
    "chart-discard": (*CHART_COMMAND, "discard", "--deals", "400k"),
    "champion-rules": (sys.executable, "benchmarks/champion_rules.py"),
    "error-rates": (sys.executable, "benchmarks/error_rates.py"),
    "claims/lengths": (sys.executable, "benchmarks/match_lengths.py"),
}


@dataclass(frozen=True)
class ReferenceResult:
    """Directory in results/reference, and the command that creates its files."""

    name: str

    @property
    def command(self) -> tuple[str, ...]:
        """Command from `COMMANDS_BY_NAME`, or the command that runs the experiment of this name."""
        command = COMMANDS_BY_NAME.get(self.name) or (
            *SIMGIN_COMMAND,
            "run",
            f"experiments/{self.name}.toml",
        )
        return (*command, "-o", str(WORK_DIRECTORY / self.name))

    def estimate_seconds(self) -> float | None:
        """Return the remaining time of an experiment, in seconds, or None for other commands."""
        if self.name in COMMANDS_BY_NAME:
            return None
        command = (*self.command, "--dry-run", "--json")
        plan = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return float(sum(row["seconds"] for row in json.loads(plan)["rows"]))

    def rebuild(self) -> None:
        """Compute the missing results, and copy the files that the repository contains.

        Raises:
            CalledProcessError: If the command fails.
        """
        subprocess.run(self.command, cwd=ROOT, check=True)
        directory = REFERENCE_DIRECTORY / self.name
        directory.mkdir(parents=True, exist_ok=True)
        for relative_path in self._list_committed_paths(directory):
            new_file = WORK_DIRECTORY / self.name / relative_path
            if relative_path.suffix == ".png":
                shutil.copyfile(new_file, directory / relative_path)
            else:
                (directory / relative_path).write_text(
                    self._remove_local_paths(new_file.read_text())
                )
        self._write_manifest(directory / "manifest.json")

    def _list_committed_paths(self, directory: Path) -> list[Path]:
        """Return the paths of the committed files or, in a new directory, of all tables."""
        files = [
            path for path in directory.rglob("*") if path.is_file() and path.name != "manifest.json"
        ]
        tables = [
            *(WORK_DIRECTORY / self.name).glob("*.csv"),
            *(WORK_DIRECTORY / self.name).glob("summary.md"),
        ]
        paths = [path.relative_to(directory) for path in files]
        return paths or [path.relative_to(WORK_DIRECTORY / self.name) for path in tables]

    def _remove_local_paths(self, text: str) -> str:
        """Replace paths of this machine by paths in the repository."""
        return text.replace(str(WORK_DIRECTORY), "results/reference").replace(f"{ROOT}/", "")

    def _write_manifest(self, path: Path) -> None:
        """Write the manifest of the command, or a short manifest if there is none."""
        new_manifest = WORK_DIRECTORY / self.name / "manifest.json"
        if new_manifest.exists():
            contents = json.loads(self._remove_local_paths(new_manifest.read_text()))
            contents.pop(CHECKSUM_KEY, None)
        else:
            arguments = "python", *self.command[1:]
            command = self._remove_local_paths(shlex.join(arguments))
            contents = {
                "simgin": get_version(),
                "engine": compute_engine_digest(),
                "command": command,
            }
        path.write_bytes(encode_manifest(contents))


def list_reference_results() -> list[ReferenceResult]:
    """Return all directories of results/reference that a command can create."""
    files = (ROOT / "experiments").rglob("*.toml")
    experiments = {
        path.relative_to(ROOT / "experiments").with_suffix("").as_posix() for path in files
    }
    published_names = {
        path.relative_to(REFERENCE_DIRECTORY).as_posix()
        for path in REFERENCE_DIRECTORY.rglob("*")
        if path.is_dir()
    }
    return [
        ReferenceResult(name)
        for name in sorted(published_names & experiments | set(COMMANDS_BY_NAME))
    ]


def format_duration(seconds: float | None) -> str:
    """Format a duration as text, such as "about 5 min"."""
    if seconds is None:
        return "unknown time"
    return f"about {seconds:.0f} s" if seconds < 100 else f"about {seconds / 60:.0f} min"


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument(
        "--list", action="store_true", help="list the results with their estimated times"
    )
    args = parser.parse_args()
    references_by_name = {reference.name: reference for reference in list_reference_results()}
    if unknown_names := set(args.names) - set(references_by_name):
        sys.exit(
            f"Unknown results: {', '.join(sorted(unknown_names))}. "
            f"Choose from: {', '.join(references_by_name)}."
        )
    references = [references_by_name[name] for name in args.names or references_by_name]
    seconds_by_name = {reference.name: reference.estimate_seconds() for reference in references}
    total_seconds = sum(time for time in seconds_by_name.values() if time is not None)
    print(
        f"{len(references)} results; those with an estimate take {format_duration(total_seconds)}"
    )
    references.sort(
        key=lambda item: (
            float("inf") if seconds_by_name[item.name] is None else seconds_by_name[item.name]
        )
    )
    start_time = time.monotonic()
    for index, reference in enumerate(references, start=1):
        duration = format_duration(seconds_by_name[reference.name])
        print(f"{index} of {len(references)}: {reference.name}, {duration}", flush=True)
        if not args.list:
            reference.rebuild()
    print(f"Finished after {(time.monotonic() - start_time) / 60:.1f} min")


if __name__ == "__main__":
    main()
