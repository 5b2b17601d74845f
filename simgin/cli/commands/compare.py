"""`simgin compare`: two run directories."""

from __future__ import annotations

from pathlib import Path

import click

from simgin.cli.output import Answer, command_line, json_option


@click.command()
@click.argument("run", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("base", metavar="BASE", type=click.Path(path_type=Path))
@json_option
def compare(run: Path, base: Path, as_json: bool) -> None:
    """Tell two finished runs apart: DIR minus BASE, with intervals.

    Matchups that both played are compared with each other; where there are none, the first with the first, and so on. Runs with the same
    seed played the same packs: then the differences are paired, and much sharper.
    """
    from simgin.findings import compare as comparison
    from simgin.findings import tables
    from simgin.stats import table

    one, other = comparison.read(run), comparison.read(base)
    frame = comparison.differences(one, other)
    apart = comparison.told_apart(one, other)
    lines = (
        ["The runs differ in other things, too:", *(f"  {line}" for line in apart)] if apart else []
    )
    answer = Answer(command_line("compare", run, base), table.records(frame), one.manifest["seed"])
    answer.give(as_json, [tables.differences(frame), *lines])
