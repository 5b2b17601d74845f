"""`simgin conform`: worked examples of the rules, through the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.output import Answer, command_line, grid, json_option

if TYPE_CHECKING:
    from simgin.checks.examples.files import Verdict


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--kind", metavar="K", help="Only examples of this kind, like deadwood or play_script."
)
@json_option
@click.pass_context
def conform(ctx: click.Context, file: Path, kind: str | None, as_json: bool) -> None:
    """Run the worked examples of a JSON file (the schema of rules_vectors.json) through the engine.

    Prints every example that fails, with what was expected and what the engine says. One that the engine cannot be brought to is
    counted as not supported, never as passed. Exit code 0: some passed and none failed; 1: some failed; 3: none is supported; 2: not a
    good file.
    """
    from simgin.checks.examples import files as examples

    verdicts = examples.run(examples.read(file, kind))
    command = command_line("conform", file, *(() if kind is None else ("--kind", kind)))
    Answer(command, examples.rows(verdicts)).give(as_json, _parts(verdicts))
    ctx.exit(examples.exit_code(verdicts))


def _parts(verdicts: list[Verdict]) -> Iterator[Any]:
    from simgin.checks.examples import files as examples

    yield from examples.failures(verdicts)
    out = grid("Worked examples", "kind", *examples.OUTCOMES)
    for column in out.columns[1:]:
        column.justify = "right"
    for kind, counts in examples.table(verdicts):
        out.add_row(kind, *map(str, counts))
    yield out
    reasons = examples.reasons(verdicts)
    if reasons:
        yield "\nNot supported:"
    for reason, n in reasons:
        yield f"  {n:>3}  {reason}"
    yield ""
