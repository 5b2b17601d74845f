"""How commands play cells: compilation announced, live progress, and a clean way out of an interruption."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin import counts, frames, matchup, progress, results, runner
from simgin.commands.answer import note
from simgin.core import jit
from simgin.variants import value_text

if TYPE_CHECKING:
    import pandas as pd

    from simgin.experiment import Cell

WHOLE = "For the whole game play matches: --matches 20k."
COMPILING_AFTER = 2.0  # seconds after which waiting is explained; a warm start takes less


def read_count(_context: click.Context, _parameter: click.Parameter, text: str | None) -> int | None:
    """Callback of an option: the number of deals or matches that a text like 100000, 200k, 2M or 1e6 means."""
    try:
        return None if text is None else counts.count(text)
    except counts.CountError as error:
        raise click.BadParameter(str(error)) from None


workers_option = click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Threads; default: the usable processors. Results do not depend on it."
)


def play(cells: Sequence[Cell], title: str, workers: int | None, command: str) -> pd.DataFrame:
    """The tidy rows of some cells. `command` is what to start again with after an interruption."""
    try:
        if jit.interpreted():
            return frames.play(cells, 1)  # neither threads nor a live bar in the way of a debugger
        with explained_wait():
            for cell in cells:
                matchup.prepare(cell.matchup)
        with progress.live(title) as report:
            return frames.play(cells, workers or runner.usable_cpus(), report)
    except KeyboardInterrupt:
        note(f"interrupted; nothing was written. Start again with: {command}")
        raise click.exceptions.Exit(130) from None


@contextmanager
def explained_wait(why: str = "compiling; this is kept for later runs and can take half a minute.") -> Iterator[None]:
    """Say what takes so long if something does: the first compilation after a change is half a minute."""
    timer = threading.Timer(COMPILING_AFTER, note, [why])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def mirroring(cells: Sequence[Cell]) -> str:
    """What was played twice, and the seed, in a sentence or two."""
    first = cells[0]
    unit = {"deal": "deals", "match": "matches"}[first.matchup.unit]
    if first.matchup.b is None:
        each = " each" if len(cells) > 1 else ""
        return f"Not mirrored: one player, {first.n:,} independent {unit}{each}. Seed {first.matchup.seed}."
    each = " for every matchup" if len(cells) > 1 else ""
    pairs = next((cell.matchup.units(cell.n) for cell in cells if cell.matchup.mirrored), 0)
    selves = list(dict.fromkeys(cell.matchup.a.text for cell in cells if not cell.matchup.mirrored))
    said = []
    if pairs:
        said.append(f"Mirrored: {pairs:,} pairs of {unit}{each}, the same packs with the players exchanged; errors are over pairs.")
    if selves:
        said.append(f"Not mirrored: {', '.join(selves)} against itself, {first.n:,} {unit}.")
    return " ".join([*said, f"Seed {first.matchup.seed}."])


def warn_of_scores(cells: Sequence[Cell]) -> None:
    """Say so where single deals are not the whole game, because the score has a part in them."""
    for variant in dict.fromkeys(cell.matchup.variant for cell in cells if cell.matchup.unit == "deal"):
        if variant.row["shot"]:
            start = value_text(variant.row["start_points"])
            note(f"deals of {variant.text} depend on the score, and single deals all start at {start}. {WHOLE}")
        if variant.row["die"] != "off":
            note(f"a deal of {variant.text} counts what the die shows, and offers depend on the score: single deals have neither. {WHOLE}")


def save(
    directory: Path,
    frame: pd.DataFrame,
    cells: Sequence[Cell],
    workers: int | None,
    started: datetime,
    command: str,
    question: str | None = None,
) -> list[Path]:
    """Write the run directory: tables, summaries, plots, manifest. The files written."""
    from simgin import report

    manifest = results.manifest(
        [cell.matchup for cell in cells],
        n=cells[0].n,
        workers=workers or runner.usable_cpus(),
        started=started,
        command=command,
        question=question,
    )
    return results.save(directory, manifest, report.files(frame, seed=cells[0].matchup.seed, question=question))
