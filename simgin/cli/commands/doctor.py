"""`simgin doctor`: health checks of the installation."""

import click

from simgin.cli.options import json_option
from simgin.cli.output import CommandResult, print_note, repeat_command
from simgin.report.report_table import table_from_rows


@click.command("doctor")
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, as_json: bool) -> None:
    """Check this installation.

    Looks at versions, the cache of compiled code and plug-ins, and runs small tests with known
    answers. Each problem comes with its remedy.

    Exit code: 0 if all is well, 1 if not.
    """
    from simgin.checks.doctor import run_checks, to_json_rows
    from simgin.cli.session import explain_wait

    with explain_wait():
        findings = list(run_checks())
    faults = [finding.problem for finding in findings if finding.problem]
    told = [(one.check, "FAULT" if one.problem else "ok", one.details) for one in findings]
    closing = "All is well."
    if faults:
        closing = f"{len(faults)} of {len(findings)} checks found a fault."
    table = table_from_rows("Installation", ("check", "state", "details"), told)
    CommandResult(repeat_command(), to_json_rows(findings)).print(as_json, [table, f"\n{closing}"])
    for fault in faults:
        print_note(fault)
    ctx.exit(1 if faults else 0)
