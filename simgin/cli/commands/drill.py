"""`simgin drill`: practice positions, as an HTML file and as flash cards."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.output import print_note, repeat_command


@click.command("drill")
@options.variant_option
@options.output_option("HTML file to write [default: drill.html].", metavar="FILE.html")
@options.number_option("--positions", "Number of positions.", "N", default=30)
@click.option(
    "--anki",
    type=options.FILE_PATH,
    metavar="FILE.apkg",
    help="Also write Anki flash cards (requires simgin[anki]).",
)
@options.strategy_option(
    "Strategy that evaluates the decisions [default: the strongest].", "--as", "judge"
)
@options.seed_option
@options.workers_option
@options.json_option
def drill_command(
    output: Path | None, anki: Path | None, workers: int | None, as_json: bool, **asked: Any
) -> None:
    """Create a set of costly decisions to practise on.

    simgin writes an HTML file that works offline, with a keyboard or on a phone. Choose an action
    in each position to see the cost of all actions. An action counts as correct unless it is
    significantly worse than the best one. The positions cover first upcards, draws, discards and
    knocks in random order.

    \b
      simgin drill
      simgin drill -v oklahoma --seed 7 -o oklahoma.html
      simgin drill --anki gin.apkg
    """
    from simgin.analysis.drill import (
        FILE_MARKS,
        Drill,
        DrillRequest,
        render_drill_page,
        run_drill,
        write_anki_deck,
    )
    from simgin.cli import session
    from simgin.text.files import check_writable, has_suffix, write_file

    place = output or Path("drill.html")
    if not has_suffix(place, ".html") or (anki and not has_suffix(anki, ".apkg")):
        raise click.UsageError(
            "-o requires a file name that ends in .html, and --anki requires one that ends in "
            ".apkg. Change the file name."
        )
    for file in filter(None, (place, anki)):
        check_writable(file, FILE_MARKS[file.suffix.lower()])
    if anki:
        _check_anki()
    request = DrillRequest.read(**asked)
    command = repeat_command(output=str(place), judge=request.evaluator.a.spec)

    def finish(found: Drill) -> list[Path]:
        write_file(place, render_drill_page(found, command).encode())
        if anki:
            write_anki_deck(found, anki)
        if (number := len(found.exercises)) < request.n_positions:
            print_note(
                f"only {number} of {request.n_positions} positions were found. Try another --seed."
            )
        return [place, anki] if anki else [place]

    session.run_request(
        partial(run_drill, request, workers),
        "drill",
        command,
        lambda _, report: [*report().verdict, ""],
        workers=workers,
        finish=finish,
        as_json=as_json,
    )


def _check_anki() -> None:
    """Raise UsageError before the work starts if flash cards cannot be written."""
    try:
        import genanki  # noqa: F401
    except ImportError:
        raise click.UsageError(
            "--anki requires the package genanki. Install it with pip install 'simgin[anki]'."
        ) from None
