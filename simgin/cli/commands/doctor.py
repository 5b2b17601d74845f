"""`simgin doctor`: checks of the installation."""

import click

from simgin.cli.options import json_option
from simgin.cli.output import CommandResult, print_note, repeat_command
from simgin.report.report_table import make_table_from_rows


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
        findings = list(run_checks())
    problems = [finding.problem for finding in findings if finding.problem]
    cells = [
        (result.check, "FAILED" if result.problem else "ok", result.details) for result in findings
    ]
    summary = "All checks passed."
    if problems:
        summary = f"{len(problems)} of {len(findings)} checks failed."
    table = make_table_from_rows("Installation", ("check", "state", "details"), cells)
    CommandResult(repeat_command(), to_json_rows(findings)).print(as_json, [table, f"\n{summary}"])
    for problem in problems:
        print_note(f"error: {problem}")
    ctx.exit(1 if problems else 0)
