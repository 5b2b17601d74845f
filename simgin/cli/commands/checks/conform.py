"""`simgin conform`: worked examples of the rules, played by the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import json_option
from simgin.cli.output import Answer, command_line, grid

if TYPE_CHECKING:
    from simgin.checks.examples.files import Verdict


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--kind", metavar="K", help="Only examples of this kind, such as deadwood or play_script."
)
@json_option
@click.pass_context
def conform(ctx: click.Context, file: Path, kind: str | None, as_json: bool) -> None:
    """Check the engine against worked examples of the rules.

    FILE is JSON in the schema of rules_vectors.json. Every failure is printed with the expected
    and the actual result. Examples that the engine cannot be set up to play count as not
    supported, never as passed.

    Exit code: 0 if some pass and none fail, 1 if any fails, 3 if none is supported, 2 if FILE is
    not valid.
    """
    from simgin.checks.examples import files

    verdicts = files.run(files.read(file, kind))
    words = ["conform", file] + ([] if kind is None else ["--kind", kind])
    Answer(command_line(*words), files.rows(verdicts)).show(as_json, _parts(verdicts))
    ctx.exit(files.exit_code(verdicts))


def _parts(verdicts: list[Verdict]) -> Iterator[Any]:
    from simgin.checks.examples import files

    yield from files.failures(verdicts)
    out = grid("Worked examples", "kind", *files.OUTCOMES)
    for column in out.columns[1:]:
        column.justify = "right"
    for kind, counts in files.table(verdicts):
        out.add_row(kind, *map(str, counts))
    yield out
    reasons = files.reasons(verdicts)
    if reasons:
        yield "\nNot supported:"
    for reason, n in reasons:
        yield f"  {n:>3}  {reason}"
    yield ""
