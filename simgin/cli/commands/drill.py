"""`simgin drill`: positions to practise on, as a page, and as flash cards."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.debug import policy_calls
from simgin.cli.output import Answer, note, repeated
from simgin.report import progress

if TYPE_CHECKING:
    from simgin.analysis.drill import Drill


@click.command()
@options.variant_option
@options.output_option("Page to write [default: drill.html].", metavar="FILE.html")
@options.number_option(
    "--positions", "Number of positions; the time grows with it.", "N", default=30
)
@click.option(
    "--anki",
    type=options.FILE,
    metavar="FILE.apkg",
    help="Also write flash cards for Anki; needs simgin[anki].",
)
@options.strategy_option(
    "Strategy that plays on for you [default: the strongest].", "--as", "judge"
)
@options.seed_option
@options.workers_option
@options.json_option
def drill(
    output: Path | None, anki: Path | None, workers: int | None, as_json: bool, **asked: Any
) -> None:
    """Practise on decisions that cost ordinary players much.

    Writes a page that works without a network, by keys and by thumb: choose what you would do, then
    see what each answer gives up. Whatever may be the best counts as right. Themes are mixed, and
    told after the answer: the first upcard, draws, discards, knocks.

    \b
      simgin drill
      simgin drill -v oklahoma --seed 7 -o oklahoma.html
      simgin drill --anki gin.apkg
    """
    from simgin.analysis.drill import MARKS, html, make_drill, read_request, write_anki
    from simgin.stats import table
    from simgin.text.files import check_file, has_ending, write_file

    place = output or Path("drill.html")
    if not has_ending(place, ".html") or (anki and not has_ending(anki, ".apkg")):
        raise click.UsageError("-o writes a file .html, and --anki a file .apkg.")
    for file in filter(None, (place, anki)):
        check_file(file, MARKS[file.suffix.lower()], "drill")
    if anki:
        _check_anki()
    request = read_request(**asked)
    command = repeated(output=str(place), judge=request.judge.a.text)
    with policy_calls(as_json), progress.live("drill") as report:
        found = make_drill(request, workers, report)
    write_file(place, html(found, command).encode())
    if anki:
        write_anki(found, anki)
    if (number := len(found.exercises)) < request.positions:
        note(f"{number} positions of {request.positions} were found; another seed has others.")
    files = [place, anki] if anki else [place]
    rows = [table.for_json(row) for row in found.rows()]
    Answer(command, rows, request.judge.seed, files).show(as_json, [_told(found), ""])


def _told(found: Drill) -> str:
    """How many positions of which themes there are."""
    from simgin.analysis.rates import KINDS

    had = Counter(one.theme for one in found.exercises)
    listed = ", ".join(f"{name} {had[key]}" for key, name in KINDS.items() if had[key])
    return f"{len(found.exercises)} positions: {listed}."


def _check_anki() -> None:
    """Refuse before the work what would fail at its end."""
    try:
        import genanki  # noqa: F401
    except ImportError:
        raise click.UsageError("flash cards need genanki: pip install 'simgin[anki]'") from None
