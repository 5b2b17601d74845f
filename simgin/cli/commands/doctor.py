"""`simgin doctor`: health checks of the installation."""

import click

from simgin.cli.options import json_option
from simgin.cli.output import Answer, note, repeated
from simgin.report.table import listed


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check this installation.

    Looks at versions, the cache of compiled code and plug-ins, and runs small tests with known
    answers. Each problem comes with its remedy.

    Exit code: 0 if all is well, 1 if not.
    """
    from simgin.checks.doctor import examine, rows
    from simgin.cli.session import explain_wait

    with explain_wait():
        findings = list(examine())
    faults = [finding.fault for finding in findings if finding.fault]
    told = [(one.check, "FAULT" if one.fault else "ok", one.details) for one in findings]
    closing = "All is well."
    if faults:
        closing = f"{len(faults)} of {len(findings)} checks found a fault."
    table = listed("Installation", ("check", "state", "details"), told)
    Answer(repeated(), rows(findings)).show(as_json, [table, f"\n{closing}"])
    for fault in faults:
        note(fault)
    ctx.exit(1 if faults else 0)
