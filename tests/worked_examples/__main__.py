"""`make conform FILE=...`: worked examples, played by the engine or the reference."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from simgin.cli.output import make_console
from simgin.report.report_table import make_table_from_rows
from worked_examples import engine, files, reference
from worked_examples.schema import ExampleError

IMPLEMENTATIONS = {"engine": engine, "reference": reference}
USAGE = """Every failure is printed with the expected and the actual result. Examples that cannot be
set up count as not supported, never as passed. Exit code: 0 if some pass and none fail, 1 if any
fails, 3 if none is supported, 2 if FILE is not valid."""


def main():
    """Run the examples of a file, print a report, and return the exit code."""
    parser = argparse.ArgumentParser("worked_examples", description=__doc__, epilog=USAGE)
    parser.add_argument("file", type=Path, help="JSON in the schema of rules_vectors.json")
    parser.add_argument("--kind", help="only examples of this kind, such as deadwood")
    parser.add_argument(
        "--on", choices=IMPLEMENTATIONS, default="engine", help="whose answers to compare"
    )
    arguments = parser.parse_args()
    try:
        results = files.run_examples(
            files.read_examples(arguments.file, arguments.kind), IMPLEMENTATIONS[arguments.on]
        )
    except ExampleError as error:
        for line in str(error).splitlines():
            print(f"conform: {line}", file=sys.stderr)
        return 2
    for part in format_report(results):
        make_console().print(part)
    return files.get_exit_code(results)


def format_report(results):
    """Yield the report: failures, a table of counts, and unsupported examples."""
    counts, reasons = Counter(), Counter()
    for result in results:
        kind = result.example.kind
        counts.update([(kind, result.outcome), ("all", result.outcome)])
        if result.outcome == files.NOT_SUPPORTED:
            reasons[f"{kind}: {result.reason}"] += 1
        if result.outcome == files.FAILED:
            yield f"{result.example.id} failed: {kind}, {result.example.variant}"
        for key, (expected, got) in result.differences.items():
            yield f"  {key}\n    expected {format_value(expected)}"
            yield f"    got      {format_value(got)}"
    kinds = dict.fromkeys([*(result.example.kind for result in results), "all"])
    rows = [(kind, *(str(counts[kind, outcome]) for outcome in files.OUTCOMES)) for kind in kinds]
    yield make_table_from_rows("Worked examples", ("kind", *files.OUTCOMES), rows)
    if reasons:
        yield "\nNot supported:"
    yield from (f"  {n:>3}  {reason}" for reason, n in reasons.items())


def format_value(value):
    """Format a value as JSON, with strings unquoted."""
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value)


if __name__ == "__main__":
    sys.exit(main())
