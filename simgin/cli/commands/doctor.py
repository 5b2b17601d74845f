"""`simgin doctor`: checks of the installation."""

import click

from simgin.cli.options import json_option
from simgin.cli.output import CommandResult, format_repeat_command
from simgin.report.report_table import make_table_from_rows
from simgin.text.messages import print_status


@click.command("doctor")
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, as_json: bool) -> None:
    """Check the installation.

    simgin checks versions, plug-ins and the cache of compiled code, and runs small tests with known
    results. simgin suggests a fix for each problem.

    The exit code is 0 if all checks pass, and 1 if any check fails.
    """
    from simgin.checks.doctor import run_checks, to_json_rows
    from simgin.cli.session import announce_compilation

    with announce_compilation():
        results = list(run_checks())
    problems = [result.problem for result in results if result.problem]
    cells = [
        (result.check, "FAILED" if result.problem else "ok", result.details) for result in results
    ]
    summary = "All checks passed."
    if problems:
        summary = f"{len(problems)} of {len(results)} checks failed."
    table = make_table_from_rows("Installation", ("check", "state", "details"), cells)
    CommandResult(format_repeat_command(), to_json_rows(results)).print(
        as_json, [table, f"\n{summary}"]
    )
    for problem in problems:
        print_status(f"error: {problem}")
    ctx.exit(1 if problems else 0)
