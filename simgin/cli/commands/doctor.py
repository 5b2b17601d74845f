"""`simgin doctor`: whether this installation works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import json_option
from simgin.cli.output import Answer, grid, note, repeated

if TYPE_CHECKING:
    from simgin.checks.doctor import Finding


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
    Answer(repeated(), rows(findings)).show(as_json, _parts(findings, len(faults)))
    for fault in faults:
        note(fault)
    ctx.exit(1 if faults else 0)


def _parts(findings: list[Finding], faults: int) -> Iterator[Any]:
    out = grid("Installation", "check", "", "details")
    for finding in findings:
        out.add_row(finding.check, "FAULT" if finding.fault else "ok", finding.details)
    yield out
    if faults:
        yield f"\n{faults} of {len(findings)} checks found a fault."
    else:
        yield "\nAll is well."
