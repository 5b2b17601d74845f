"""`simgin drill`: practice positions, as an HTML page and as flash cards."""

from __future__ import annotations

import contextlib
import secrets
import sys
import webbrowser
from functools import partial
from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.output import CommandResult, format_repeat_command
from simgin.text.messages import print_status

# exclusive upper bound of random seeds, so that they are short enough to type
N_DRILL_SEEDS = 2**32


@click.command("drill")
@options.variant_option
@click.option("--new", is_flag=True, help="Create a new drill with a random seed.")
@options.output_option(
    "Write the drill to this HTML file, and do not open a browser.", metavar="FILE.html"
)
@options.integer_option("--positions", "Number of positions.", "N", default=30)
@click.option(
    "--anki",
    type=options.FILE_PATH_TYPE,
    metavar="FILE.apkg",
    help="Also write Anki flash cards (requires simgin[anki]).",
)
@options.strategy_option(
    "Strategy that evaluates the decisions [default: the strongest].", "--as", "judge"
)
@options.seed_option
@options.workers_option
@options.json_only_option
def drill_command(
    output: Path | None,
    anki: Path | None,
    workers: int | None,
    as_json: bool,
    new: bool,
    **arguments: Any,
) -> None:
    """Practise decisions in which mistakes are costly.

    simgin writes an HTML file that works offline. You can use it with a keyboard or on a phone.
    Choose an action in each position. The page then shows the cost of each action, and compares the
    outcomes of your action with those of the best action. An action counts as correct unless it is
    significantly worse than the best action. The positions cover decisions on first upcards, draws,
    discards and knocks, in random order.

    With the default options, simgin opens a precomputed drill. With other options, simgin searches
    for positions, which takes about a minute.

    \b
      simgin drill
      simgin drill --new                    other positions
      simgin drill -v oklahoma --seed 7 -o oklahoma.html
      simgin drill --anki gin.apkg          flash cards
    """
    from simgin.analysis import drill
    from simgin.cli import session
    from simgin.text.files import check_writable, has_suffix, write_file

    path = output or Path("drill.html")
    if not has_suffix(path, ".html") or (anki and not has_suffix(anki, ".apkg")):
        raise click.UsageError(
            "-o requires a file name that ends in .html, and --anki requires a file name that "
            "ends in .apkg. Change the file name."
        )
    for file in filter(None, (path, anki)):
        check_writable(file, drill.DRILL_FILE_MARKERS[file.suffix.lower()])
    if anki:
        _check_anki()
    if new and not options.is_on_command_line("seed"):
        arguments["seed"] = secrets.randbelow(N_DRILL_SEEDS)
    request = drill.DrillRequest.read(**arguments)
    seed = request.evaluator.seed
    command = format_repeat_command(
        output=str(path), judge=request.evaluator.a.spec, seed=seed, new=None
    )

    def write_drill(contents: dict[str, Any]) -> list[Path]:
        write_file(path, drill.render_drill_page(contents, command).encode())
        if anki:
            drill.write_anki_deck(contents, anki)
        return [path, anki] if anki else [path]

    def write_result(result: drill.Drill) -> list[Path]:
        if (n_found := len(result.exercises)) < request.n_positions:
            print_status(
                f"only {n_found} of {request.n_positions} positions were found. Try another --seed."
            )
        return write_drill(drill.build_drill_contents(result))

    included_drill = None if new else drill.read_included_drill(request)
    if included_drill is not None:
        sentence = drill.format_exercise_summary(
            exercise["title"] for exercise in included_drill["exercises"]
        )
        result = CommandResult(
            command, included_drill["records"], seed, write_drill(included_drill)
        )
        result.print(as_json, [f"{sentence} For other positions, add --new.", ""])
    else:
        session.run_request(
            partial(drill.run_drill, request, workers),
            "drill",
            command,
            lambda _, report: [*report().verdict, ""],
            workers=workers,
            on_finish=write_result,
            as_json=as_json,
        )
    if output is None and not as_json:
        _open_drill(path)


def _open_drill(page: Path) -> None:
    """Open the page of a drill in a browser, or print its address if no browser can be opened."""
    if not sys.stdout.isatty():
        return
    with contextlib.suppress(webbrowser.Error):
        is_graphical = type(webbrowser.get()) is not webbrowser.GenericBrowser
        if is_graphical and webbrowser.open(page.resolve().as_uri()):
            return
    print_status(f"no browser could be opened. Open {page.resolve()} in a browser.")


def _check_anki() -> None:
    """Raise UsageError if the package that writes flash cards is not installed."""
    try:
        import genanki  # noqa: F401
    except ImportError:
        raise click.UsageError(
            "--anki requires the package genanki. To install genanki, run: pip install "
            "'simgin[anki]'"
        ) from None
