"""`simgin doctor`: whether all is well on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.output import Answer, command_line, grid, json_option, note
from simgin.cli.session import explained_wait

if TYPE_CHECKING:
    from simgin.checks.doctor import Finding


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Look at versions, the cache of compiled code and plug-ins, and run small tests with known answers.

    What is wrong is told in a sentence with its remedy. Exit code 0: all is well; 1: something is not.
    """
    from simgin.checks import doctor as checks

    with explained_wait():
        findings = list(checks.examine())
    faults = [one.fault for one in findings if one.fault]
    Answer(command_line("doctor"), checks.rows(findings)).give(
        as_json, _parts(findings, len(faults))
    )
    for fault in faults:
        note(fault)
    ctx.exit(1 if faults else 0)


def _parts(findings: list[Finding], faults: int) -> Iterator[Any]:
    out = grid("Doctor", "check", "", "found")
    for one in findings:
        out.add_row(one.check, "wrong" if one.fault else "well", one.found)
    yield out
    yield f"\n{faults} of {len(findings)} checks found a fault." if faults else "\nAll is well."
