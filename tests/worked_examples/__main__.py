"""`make conform FILE=...`: worked examples, played by the engine or the reference."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from simgin.cli.output import console
from simgin.report.report_table import table_from_rows
from worked_examples import engine, files, reference
from worked_examples.schema import ExampleError

SUBJECTS = {"engine": engine, "reference": reference}
USAGE = """Every failure is printed with the expected and the actual result. Examples that cannot be
set up count as not supported, never as passed. Exit code: 0 if some pass and none fail, 1 if any
fails, 3 if none is supported, 2 if FILE is not valid."""


def main():
    """Run the examples of a file, and return the exit code."""
    parser = argparse.ArgumentParser("worked_examples", description=__doc__, epilog=USAGE)
    parser.add_argument("file", type=Path, help="JSON in the schema of rules_vectors.json")
    parser.add_argument("--kind", help="only examples of this kind, such as deadwood")
    parser.add_argument("--on", choices=SUBJECTS, default="engine", help="whose answers to compare")
    asked = parser.parse_args()
    try:
        verdicts = files.run(files.read(asked.file, asked.kind), SUBJECTS[asked.on])
    except ExampleError as error:
        for line in str(error).splitlines():
            print(f"conform: {line}", file=sys.stderr)
        return 2
    for part in report(verdicts):
        console().print(part)
    return files.exit_code(verdicts)


def report(verdicts):
    """Yield the failures, the counts by kind, and the reasons for unsupported examples."""
    counts, reasons = Counter(), Counter()
    for verdict in verdicts:
        kind = verdict.example.kind
        counts.update([(kind, verdict.outcome), ("all", verdict.outcome)])
        if verdict.outcome == files.NOT_SUPPORTED:
            reasons[f"{kind}: {verdict.reason}"] += 1
        if verdict.outcome == files.FAILED:
            yield f"{verdict.example.id} failed: {kind}, {verdict.example.variant}"
        for key, (expected, got) in verdict.differences.items():
            yield f"  {key}\n    expected {text(expected)}\n    got      {text(got)}"
    kinds = dict.fromkeys([*(verdict.example.kind for verdict in verdicts), "all"])
    rows = [(kind, *(str(counts[kind, outcome]) for outcome in files.OUTCOMES)) for kind in kinds]
    yield table_from_rows("Worked examples", ("kind", *files.OUTCOMES), rows)
    if reasons:
        yield "\nNot supported:"
    yield from (f"  {n:>3}  {reason}" for reason, n in reasons.items())


def text(value):
    """Format a value as JSON, with strings unquoted."""
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value)


if __name__ == "__main__":
    sys.exit(main())
