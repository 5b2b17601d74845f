"""How commands play cells: compilation announced, live progress, and a clean way out of an interruption."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from simgin import counts, ledger, precision, progress, results, runner
from simgin.commands.answer import note
from simgin.core import jit
from simgin.findings import Findings
from simgin.threads import Here, Threads, usable_cpus
from simgin.variants import value_text

if TYPE_CHECKING:
    from simgin.experiment import Cell
    from simgin.plan import Plan

T = TypeVar("T")

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


scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS", help="Play on the workers of a dask cluster, like tcp://host:8786, or in local:4 processes."
)
record_option = click.option("--record", is_flag=True, help="Keep every deal, too: deals.parquet in the directory.")


def read_until(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | float | None:
    """Callback of --until."""
    return _read(precision.half_width, text)


def read_sprt(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[float, float] | None:
    """Callback of --sprt."""
    return _read(precision.elo_bounds, text)


def read_seconds(_context: click.Context, _parameter: click.Parameter, text: str | None) -> float | None:
    """Callback of --for."""
    return _read(precision.seconds, text)


def _read(reader: Callable[[str], T], text: str | None) -> T | None:
    try:
        return None if text is None else reader(text)
    except precision.PrecisionError as error:
        raise click.BadParameter(str(error)) from None


def ends(until: str | float | None, sprt: tuple[float, float] | None, seconds: float | None) -> list[object]:
    """The options that end a run, as they are written again."""
    given = {"--until": until, "--sprt": sprt and "{:g},{:g}".format(*sprt), "--for": seconds and f"{seconds:g}s"}
    return [word for option, value in given.items() if value is not None for word in (option, value)]


@contextmanager
def played(
    asked: Plan, place: Path | None, command: str, *, workers: int | None, scheduler: str | None, record: bool
) -> Iterator[Findings]:
    """Play what is asked, and have the findings while the ledger is open: in the directory `place`, or in memory.

    `command` is what to start again with after an interruption.
    """
    path = None if place is None else results.begin(place)
    with ledger.opened(path, asked.identity) as book:
        try:
            with closing(_team(workers, scheduler)) as team:
                with explained_wait():
                    team.prepare(asked.matchups)
                with live(asked.title) as report:
                    done = runner.run(asked.cells, book, team, report, rules=asked.rules, seconds=asked.seconds, recorded=record)
        except KeyboardInterrupt:
            kept = "nothing was written. Start" if place is None else f"what was finished is kept in {place}. Go on"
            note(f"interrupted; {kept} {'again ' if place is None else ''}with: {command}")
            raise click.exceptions.Exit(130) from None
        yield Findings(asked, done, book)


def _team(workers: int | None, scheduler: str | None) -> runner.Team:
    if scheduler is not None:
        from simgin.cluster import Cluster

        return Cluster(scheduler, note)
    return Here() if jit.interpreted() else Threads(workers)  # neither threads nor a live bar in the way of a debugger


def live(title: str) -> AbstractContextManager[runner.Progress | None]:
    """Progress on stderr, unless a debugger may have the terminal."""
    return nullcontext() if jit.interpreted() else progress.live(title)


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


def mirroring(played: Sequence[runner.Played]) -> str:
    """What was played twice, and the seed, in a sentence or two."""
    first = played[0].cell.matchup
    unit = {"deal": "deals", "match": "matches"}[first.unit]
    each = " each" if len(played) > 1 else ""
    if first.b is None:
        return f"Not mirrored: one player, {_range(played, 'n')} independent {unit}{each}. Seed {first.seed}."
    mirrored = [one for one in played if one.cell.matchup.mirrored]
    selves = [one for one in played if not one.cell.matchup.mirrored]
    said = []
    if mirrored:
        each = " for every matchup" if len(mirrored) > 1 else ""
        pairs = f"{_range(mirrored, 'units')} pairs of {unit}{each}"
        said.append(f"Mirrored: {pairs}, the same packs with the players exchanged; errors are over pairs.")
    if selves:
        names = ", ".join(dict.fromkeys(one.cell.matchup.a.text for one in selves))
        said.append(f"Not mirrored: {names} against itself, {_range(selves, 'n')} {unit}.")
    return " ".join([*said, f"Seed {first.seed}."])


def _range(played: Sequence[runner.Played], what: str) -> str:
    counts = [getattr(one, what) for one in played]
    return f"{counts[0]:,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"


def warn_of_scores(cells: Sequence[Cell]) -> None:
    """Say so where single deals are not the whole game, because the score has a part in them."""
    for variant in dict.fromkeys(cell.matchup.variant for cell in cells if cell.matchup.unit == "deal"):
        if variant.row["shot"]:
            start = value_text(variant.row["start_points"])
            note(f"deals of {variant.text} depend on the score, and single deals all start at {start}. {WHOLE}")
        if variant.row["die"] != "off":
            note(f"a deal of {variant.text} counts what the die shows, and offers depend on the score: single deals have neither. {WHOLE}")


def save(directory: Path, found: Findings, workers: int | None, started: datetime, command: str) -> list[Path]:
    """Write the run directory beside its ledger: tables, summaries, plots, manifest. The files written."""
    from simgin import report

    manifest = results.manifest(
        found.plan.identity, found.played, workers=workers or usable_cpus(), started=started, command=command, stopped=found.stopped
    )
    return results.save(directory, manifest, report.files(found))
