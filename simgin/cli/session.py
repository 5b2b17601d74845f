"""How commands play cells: compilation announced, live progress, and a clean way out of an interruption."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simgin.cli.output import note
from simgin.core import jit
from simgin.findings import health
from simgin.findings import record as account
from simgin.findings.findings import Findings
from simgin.play import parallel
from simgin.rules.variants import value_text
from simgin.runs import directory as results
from simgin.runs import ledger, progress, runner, schedule
from simgin.runs.threads import Here, Threads
from simgin.text import amounts

if TYPE_CHECKING:
    from simgin.runs.experiment import Cell
    from simgin.runs.plan import Plan

T = TypeVar("T")

WHOLE = "For the whole game play matches: --matches 20k."
COMPILING_AFTER = 2.0  # seconds after which waiting is explained; a warm start takes less


def read_count(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> int | None:
    """Callback of an option: the number of deals or matches that a text like 100000, 200k, 2M or 1e6 means."""
    try:
        return None if text is None else amounts.count(text)
    except amounts.AmountError as error:
        raise click.BadParameter(str(error)) from None


workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads; default: the usable processors. Results do not depend on it.",
)


scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Play on the workers of a dask cluster, like tcp://host:8786, or in local:4 processes.",
)
record_option = click.option(
    "--record", is_flag=True, help="Keep every deal, too: deals.parquet in the directory."
)


def read_until(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> str | float | None:
    """Callback of --until."""
    return _read(amounts.half_width, text)


def read_sprt(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> tuple[float, float] | None:
    """Callback of --sprt."""
    return _read(amounts.elo_bounds, text)


def read_seconds(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> float | None:
    """Callback of --for."""
    return _read(amounts.seconds, text)


def _read(reader: Callable[[str], T], text: str | None) -> T | None:
    try:
        return None if text is None else reader(text)
    except amounts.AmountError as error:
        raise click.BadParameter(str(error)) from None


def ends(
    until: str | float | None, sprt: tuple[float, float] | None, seconds: float | None
) -> list[object]:
    """The options that end a run, as they are written again."""
    given = {
        "--until": until,
        "--sprt": sprt and "{:g},{:g}".format(*sprt),
        "--for": seconds and f"{seconds:g}s",
    }
    return [
        word for option, value in given.items() if value is not None for word in (option, value)
    ]


@contextmanager
def played(
    asked: Plan,
    place: Path | None,
    command: str,
    *,
    workers: int | None,
    scheduler: str | None,
    record: bool,
) -> Iterator[Findings]:
    """Play what is asked, and have the findings while the ledger is open: in the directory `place`, or in memory.

    `command` is what to start again with after an interruption.
    """
    path = None if place is None else results.begin(place)
    with ledger.opened(path, asked.identity) as book:
        book.note_command(command)
        if place is not None and not any(
            schedule.left(cell, book.finished(i, recorded=record))
            for i, cell in enumerate(asked.cells)
        ):
            note(
                f"{place} is complete: nothing is left to play. More deals or matches would be added to it."
            )
        try:
            with closing(_team(workers, scheduler)) as team:
                with explained_wait():
                    team.prepare(asked.matchups)
                with live(asked) as report:
                    done = runner.run(
                        asked.cells,
                        book,
                        team,
                        report,
                        rules=asked.rules,
                        seconds=asked.seconds,
                        recorded=record,
                    )
        except KeyboardInterrupt:
            kept = (
                "nothing was written. Start"
                if place is None
                else f"what was finished is kept in {place}. Go on"
            )
            note(f"interrupted; {kept} {'again ' if place is None else ''}with: {command}")
            raise click.exceptions.Exit(130) from None
        yield Findings(account.of_plan(asked, done, health.of(done, book)), book)


def check(place: Path | None, record: bool) -> None:
    """Everything that can be wrong with where results go, before a long run."""
    if place is not None:
        results.check(place)
    elif record:
        raise click.UsageError("--record needs a directory to write to: add -o DIR.")
    if record:
        from simgin.runs import parquet

        parquet.check()


def _team(workers: int | None, scheduler: str | None) -> runner.Team:
    if scheduler is not None:
        from simgin.runs.cluster import Cluster

        return Cluster(scheduler, note)
    return (
        Here() if jit.interpreted() else Threads(workers)
    )  # neither threads nor a live bar in the way of a debugger


@contextmanager
def live(asked: Plan) -> Iterator[parallel.Progress | None]:
    """Progress on stderr, unless a debugger may have the terminal: of the size, of the most to play, or of the time."""
    if jit.interpreted():
        yield None
        return
    with progress.live(f"{asked.title}, at most" if asked.rules else asked.title) as report:
        yield (
            report if asked.seconds is None else _by_clock(report, asked.seconds * len(asked.cells))
        )


def _by_clock(report: parallel.Progress, seconds: float) -> parallel.Progress:
    started, every = time.monotonic(), int(1000 * seconds)
    return lambda _done, _units: report(min(int(1000 * (time.monotonic() - started)), every), every)


@contextmanager
def explained_wait(
    why: str = "compiling; this is kept for later runs and can take half a minute.",
) -> Iterator[None]:
    """Say what takes so long if something does: the first compilation after a change is half a minute."""
    timer = threading.Timer(COMPILING_AFTER, note, [why])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def told(found: Findings) -> list[Any]:
    """What stands below the table: what was mirrored, differences, ratings, how the run ended, and its health."""
    from simgin.findings import tables

    sound = health.told(found.account.health, "batches", "workers")
    return [
        *filter(
            None, [account.mirroring(found.entries), *tables.on_screen(found), *found.ended, sound]
        )
    ]


def warn_of_scores(cells: Sequence[Cell]) -> None:
    """Say so where single deals are not the whole game, because the score has a part in them."""
    for variant in dict.fromkeys(
        cell.matchup.variant for cell in cells if cell.matchup.unit == "deal"
    ):
        if variant.row["shot"]:
            start = value_text(variant.row["start_points"])
            note(
                f"deals of {variant.text} depend on the score, and single deals all start at {start}. {WHOLE}"
            )
        if variant.row["die"] != "off":
            note(
                f"a deal of {variant.text} counts what the die shows, and offers depend on the score: single deals have neither. {WHOLE}"
            )


def save(
    directory: Path,
    found: Findings,
    files: Mapping[str, bytes | str],
    *,
    started: datetime,
    command: str,
    record: bool = False,
    **asked: Any,
) -> list[Path]:
    """Write the run directory beside its ledger: `files`, the manifest (with what else was `asked`), every deal if wanted. The files."""
    from simgin.runs import parquet

    manifest = results.manifest(
        found.account.identity,
        found.entries,
        workers=len({name for one in found.account.health for name in one["workers"]["names"]}),
        started=started,
        command=command,
        stopped=found.stopped,
        contrasts=found.account.contrasts,
        health=found.account.health,
        **asked,
    )
    if record:
        parquet.write(directory / results.DEALS, found.deals())
    return results.save(directory, manifest, files, *([results.DEALS] if record else []))
