"""`make conform FILE=...`: worked examples of the rules, played by the engine or by the twin."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simgin.cli.output import console, grid
from worked_examples import engine, files, rules_twin
from worked_examples.files import Verdict

SUBJECTS = {"engine": engine, "twin": rules_twin}
USAGE = """Every failure is printed with the expected and the actual result. Examples that cannot be
set up count as not supported, never as passed. Exit code: 0 if some pass and none fail, 1 if any
fails, 3 if none is supported, 2 if FILE is not valid."""


def main() -> int:
    """Run a file; the exit code."""
    parser = argparse.ArgumentParser(
        prog="worked_examples", description="Worked examples of the rules.", epilog=USAGE
    )
    parser.add_argument("file", type=Path, help="JSON in the schema of rules_vectors.json")
    parser.add_argument("--kind", help="only examples of this kind, such as deadwood")
    parser.add_argument("--on", choices=SUBJECTS, default="engine", help="whose answers to compare")
    asked = parser.parse_args()
    try:
        verdicts = files.run(files.read(asked.file, asked.kind), SUBJECTS[asked.on])
    except files.ConformError as error:
        for line in str(error).splitlines():
            print(f"conform: {line}", file=sys.stderr)
        return 2
    show(verdicts)
    return files.exit_code(verdicts)


def show(verdicts: list[Verdict]) -> None:
    """Print the failures, the counts by kind, and what is not supported."""
    out = console()
    for line in files.failures(verdicts):
        out.print(line)
    table = grid("Worked examples", "kind", *files.OUTCOMES)
    for column in table.columns[1:]:
        column.justify = "right"
    for kind, counts in files.table(verdicts):
        table.add_row(kind, *map(str, counts))
    out.print(table)
    reasons = files.reasons(verdicts)
    if reasons:
        out.print("\nNot supported:")
    for reason, n in reasons:
        out.print(f"  {n:>3}  {reason}")


if __name__ == "__main__":
    sys.exit(main())
