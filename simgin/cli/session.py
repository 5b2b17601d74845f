"""Running of requests by commands: compilation notice, progress, interruption, output."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simgin.cli.debug import policy_calls
from simgin.cli.output import Answer, continued, note, screen
from simgin.core import jit
from simgin.findings.findings import Findings
from simgin.findings.run_record import check_health, record_plan
from simgin.play import kernel, parallel
from simgin.play.matchup import Matchup, own_names
from simgin.report import progress
from simgin.rules.variants import value_text
from simgin.runs import block, directory, ledger, runner
from simgin.runs.manifest import run_manifest
from simgin.runs.runner import SerialTeam, Threads
from simgin.runs.stopping import End

if TYPE_CHECKING:
    from simgin.cli.so_far import SoFar
    from simgin.report.report import Report, Result
    from simgin.runs.plan import Plan

INTERRUPTED = 130  # exit code
COMPILING_AFTER = 2.0  # seconds, more than a warm start takes
COMPILING = "compiling; this takes up to half a minute once and is kept for later runs."
WHOLE_MATCHES = "Play whole matches instead: --matches 20k."


R = TypeVar("R", bound="Result")


def run_request(
    run: Callable[..., R],
    title: str,
    command: str,
    screen: Callable[[R, Callable[[], Report]], Iterable[Any]],
    *,
    workers: int | None,
    as_json: bool,
    output: Path | None = None,
    question: str = "",
    plots: str = "plots/",
    cached: tuple[str | None, str] = (None, ""),
    finish: Callable[[R], list[Path]] = lambda _: [],
    identity: Mapping[str, Any] | None = None,
    extend: Callable[[R, Report], Report] = lambda _, report: report,
    **manifest: Any,
) -> R:
    """Run a request with live progress, save its report and print its result.

    Args:
        run: Function that runs the request, from its progress callback, and from its ledger if it
            has one.
        title: Title of the progress bar.
        command: Command that repeats the result.
        screen: Function that returns what the terminal shows, from the result and a function that
            returns its report.
        workers: Number of threads, for the manifest.
        as_json: True to print one JSON object instead.
        output: Directory for the report, or None.
        question: Name that the directory is reserved for, by default the command.
        plots: Prefix of the names of plots in the directory.
        cached: Location and name of the finished parts that an interruption leaves.
        finish: Function that writes other files of a result and returns their paths.
        identity: Identity of the ledger that finished parts are kept in, in the directory if there
            is one, or None for a request that runs in one piece.
        extend: Function that returns the report as it is saved.
        **manifest: Further entries of `manifest.json`.
    """
    started = datetime.now(UTC)
    with ExitStack() as stack:
        if identity is not None:
            path = None if output is None else directory.begin(output, command)
            run_ledger = stack.enter_context(ledger.opened(path, identity))
            run_ledger.note_command(continued(command))
            run = partial(run, run_ledger=run_ledger)
        elif output is not None:
            manifest["question"] = question or command
            directory.check(output, manifest["question"])
        with policy_calls(as_json), interruptible(command, *cached):
            with progress.live(title) as on_progress:
                result = run(on_progress)
            files = finish(result)
        report = cache(lambda: result.report(command))
        if output is not None:
            parts = extend(result, report()), result.identity, result.units, started
            files += save_report(output, *parts, workers=workers, plots=plots, **manifest)
    seed = click.get_current_context().params["seed"]
    Answer(command, result.records(), seed, files).show(as_json, screen(result, report))
    return result


@contextmanager
def play_plan(
    plan: Plan,
    place: Path | None,
    command: str,
    *,
    workers: int | None,
    scheduler: str | None,
    record_deals: bool,
) -> Iterator[Findings]:
    """Play a plan and yield its results while the ledger is open.

    Args:
        plan: The plan.
        place: Directory of the ledger, or None to keep it in memory.
        command: Command that continues after an interruption.
        workers: Number of threads, by default one per CPU.
        scheduler: Address of a dask cluster, or None.
        record_deals: True to record every deal.
    """
    if scheduler is not None:
        from simgin.runs.cluster import check_address

        check_address(scheduler)
    path = None if place is None else directory.begin(place, command)
    with ledger.opened(path, plan.identity) as run_ledger:
        run_ledger.note_command(continued(command))
        left = block.units_left(plan.tasks, run_ledger, recorded=record_deals)
        is_complete = not any(left) and not runner.missing_steps(plan.steps, run_ledger)
        if place is not None and is_complete:
            note(f"{place} is complete: nothing left to play. A larger run would extend it.")
        with interruptible(command, place, "blocks"):
            ends = _play(plan, run_ledger, workers, scheduler, record_deals)
        health = check_health(plan.matchups, ends, run_ledger)
        yield Findings(record_plan(plan, ends, health), run_ledger)


def _play(
    plan: Plan,
    run_ledger: ledger.Ledger,
    workers: int | None,
    scheduler: str | None,
    record_deals: bool,
) -> list[End]:
    with closing(_team(workers, scheduler)) as team:
        with explain_wait():
            team.prepare(plan.matchups)
        so_far = _so_far(plan, run_ledger)
        with _progress(plan, so_far) as report:
            ends = runner.run(
                plan.tasks,
                run_ledger,
                team,
                report,
                see=so_far.add if so_far else None,
                rules=plan.rules,
                seconds=plan.seconds,
                recorded=record_deals,
            )
    if plan.steps:
        with explain_wait(), _step_progress(plan, run_ledger) as report:
            runner.play_steps(plan.steps, run_ledger, workers, report)
    return ends


@contextmanager
def interruptible(
    command: str, place: Path | str | None = None, pieces: str = ""
) -> Iterator[None]:
    """Exit with a note on how to continue if the user interrupts the block.

    Args:
        command: Command that repeats the result. Given options such as --workers are added.
        place: Location of the finished parts; None if they are not kept.
        pieces: Name of the parts.
    """
    try:
        yield
    except KeyboardInterrupt:
        again = continued(command)
        if place is None:
            note(f"interrupted; nothing was written. Start again with: {again}")
        else:
            note(f"interrupted; finished {pieces} are kept in {place}. Continue with: {again}")
        raise click.exceptions.Exit(INTERRUPTED) from None


def check_output(place: Path | None, record_deals: bool) -> None:
    """Raise an error now, not after a long run, if the output directory cannot be used."""
    if place is not None:
        directory.check(place)
    elif record_deals:
        raise click.UsageError("--record needs a directory to write to: add -o DIR.")
    if record_deals:
        from simgin.runs import parquet

        parquet.check()


def _team(workers: int | None, scheduler: str | None) -> runner.Team:
    if scheduler is not None:
        from simgin.runs.cluster import Cluster

        return Cluster(scheduler, note)
    if jit.interpreted():  # a debugger needs the terminal to itself
        return SerialTeam()
    return Threads(workers)


@contextmanager
def _progress(plan: Plan, so_far: SoFar | None) -> Iterator[parallel.Progress | None]:
    """Yield the progress callback of a plan, in deals or in time; None under a debugger."""
    if jit.interpreted():
        yield None
        return
    title = f"{_title(plan)}, at most" if plan.rules else _title(plan)
    look = so_far.line if so_far else None
    with progress.live(title) as report:
        if plan.seconds is None:
            yield lambda done, units: report(done, units, look)
        else:
            yield _clock_progress(report, look, plan.seconds * len(plan.tasks))


def _title(plan: Plan) -> str:
    """Return the title of a plan, or the display names of the players of a single matchup."""
    if len(plan.tasks) > 1:
        return plan.title
    names = own_names(plan.matchups)
    return " v ".join(names.get(player.text, player.text) for player in plan.matchups[0].players)


def _so_far(plan: Plan, run_ledger: ledger.Ledger) -> SoFar | None:
    """Return the live estimate of a plan, or None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None
    from simgin.cli.so_far import SoFar

    return SoFar(plan, run_ledger, own_names(plan.matchups))


@contextmanager
def _step_progress(plan: Plan, run_ledger: ledger.Ledger) -> Iterator[parallel.Progress | None]:
    """Yield the progress callback of the extra passes; None under a debugger."""
    if jit.interpreted():
        yield None
        return
    names = [step.name for step in runner.missing_steps(plan.steps, run_ledger)]

    def report_step(done: int, units: int) -> None:
        i = min(done // parallel.SHARES, len(names) - 1)
        report(done, units, lambda: f"step {i + 1} of {len(names)}: {names[i]}")

    with progress.live(f"{plan.title}, single deals") as report:
        yield report_step


def _clock_progress(
    report: progress.Report, look: Callable[[], str] | None, seconds: float
) -> parallel.Progress:
    started = time.monotonic()
    limit = int(1000 * seconds)

    def tick(_done: int, _units: int) -> None:
        report(min(int(1000 * (time.monotonic() - started)), limit), limit, look)

    return tick


@contextmanager
def explain_wait(reason: str = COMPILING) -> Iterator[None]:
    """Print a reason if the block takes longer than a moment.

    If nothing can be cached, the notice of `jit.cache_directory` replaces COMPILING.

    Args:
        reason: Text to print.
    """
    timer = threading.Timer(COMPILING_AFTER, note, [reason])
    timer.daemon = True
    if reason != COMPILING or jit.cache_directory() is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def prepare(matchups: Iterable[Matchup]) -> None:
    """Compile the players of some matchups, with a notice if it takes long."""
    with explain_wait():
        for matchup in matchups:
            kernel.prepare(matchup)


def warn_of_single_deals(matchups: Sequence[Matchup]) -> None:
    """Warn about single deals of variants in which the score matters."""
    variants = dict.fromkeys(matchup.variant for matchup in matchups if matchup.unit == "deal")
    for variant in variants:
        if variant.row["shot"]:
            start = value_text(variant.row["start_points"])
            note(
                f"deals of {variant.text} depend on the score, and every single deal starts at "
                f"{start}. {WHOLE_MATCHES}"
            )
        if variant.row["die"] != "off":
            note(
                f"deals of {variant.text} depend on the die and the score, and single deals have "
                f"neither. {WHOLE_MATCHES}"
            )


def save_report(
    place: Path,
    report: Report,
    identity: Mapping[str, Any],
    units: Iterable[int],
    started: datetime,
    *,
    question: str = "",
    workers: int | None = None,
    plots: str = "plots/",
    **request: Any,
) -> list[Path]:
    """Write the report of a finished request to a directory.

    Args:
        place: The directory.
        report: The report.
        identity: Everything that the numbers depend on.
        units: Number of pairs of each matchup.
        started: Time of the start.
        question: Name that the directory is reserved for.
        workers: Number of threads.
        plots: Prefix of the names of plots.
        **request: Further entries of `manifest.json`.

    Returns:
        Files written.
    """
    from simgin.report import page

    manifest = run_manifest(
        identity,
        [End(n) for n in units],
        workers=workers or parallel.usable_cpus(),
        started=started,
        command=report.command,
        stopped="complete",
        **request,
    )
    return directory.save(place, manifest, page.files(report, plots), question=question)


def save(
    place: Path,
    findings: Findings,
    files: Mapping[str, bytes | str],
    *,
    started: datetime,
    command: str,
    record_deals: bool = False,
    **request: Any,
) -> list[Path]:
    """Write the files of a run next to its ledger.

    Args:
        place: The directory.
        findings: Results of the run.
        files: Contents by path.
        started: Time of the start.
        command: Command that repeats the run.
        record_deals: True to write the recorded deals.
        **request: Further entries of `manifest.json`.

    Returns:
        Files written.
    """
    record = findings.record
    workers = {name for cell in record.health for name in cell["workers"]["names"]}
    manifest = run_manifest(
        record.identity,
        record.ends,
        workers=len(workers),
        started=started,
        command=command,
        stopped=findings.stopped,
        contrasts=record.contrasts,
        effects=record.effects,
        health=record.health,
        names=record.names,
        **request,
    )
    if not record_deals:
        return directory.save(place, manifest, files)
    from simgin.runs import parquet

    parquet.write(place / directory.DEALS, findings.deals())
    return directory.save(place, manifest, files, directory.DEALS)


# Results of a run: files, rows and screen


def save_run(
    place: Path, findings: Findings, started: datetime, command: str, record_deals: bool
) -> list[Path]:
    """Write the tables, plots and HTML report of a run, and return the files."""
    from simgin.report import page

    files = page.files(findings.report(command))
    return save(place, findings, files, started=started, command=command, record_deals=record_deals)


def run_answer(findings: Findings, command: str, files: Sequence[Path]) -> Answer:
    """Return every metric of every matchup."""
    return Answer(command, findings.records(), findings.record.seed, files, findings.stopped)


def add_verdict(rows: list[dict[str, Any]], findings: Findings, margin: str | float) -> str:
    """Test two players of a run for equivalence and return a sentence.

    Args:
        rows: Rows of the run. The row of the tested metric gets `margin` and `verdict`.
        findings: Results of the run.
        margin: Margin, as parsed by `amounts.parse_half_width`.
    """
    from simgin.stats import batches, differences
    from simgin.stats.metrics import BY_NAME

    cell = findings.cells[0]
    total = batches.total(findings.rows(0))
    multiplier = findings.record.ends[0].multiplier
    metric, found = differences.of_pairs(total, cell.unit, margin, multiplier)
    for row in rows:
        if (row["strategy"], row["metric"]) == (cell.a, metric):
            row |= {"margin": differences.size(margin), "verdict": found}
    told = differences.in_words(found, differences.size(margin), metric)
    own = findings.by_own_names.cells[0]
    return f"{own.a} and {own.b}, {BY_NAME[metric].title}: {told}."


def finish_run(
    findings: Findings,
    place: Path | None,
    started: datetime,
    command: str,
    more: str,
    *,
    record: bool,
    details: bool,
    as_json: bool,
    margin: str | float | None = None,
) -> None:
    """Write the files of a run, if it has a directory, and print its results.

    Args:
        findings: Results of the run.
        place: Directory, or None.
        started: Time of the start.
        command: Command that repeats the run.
        more: Command or option that prints the details.
        record: True if deals are recorded.
        details: True to print all tables.
        as_json: True to print one JSON object instead.
        margin: Margin of an equivalence test, or None.
    """
    files = [] if place is None else save_run(place, findings, started, command, record)
    answer = run_answer(findings, command, files)
    told = [] if margin is None else [add_verdict(answer.rows, findings, margin)]
    if as_json:
        answer.show(as_json, ())
        return
    from simgin.findings.run_report import run_report

    report = run_report(findings, command, details=details)
    answer.show(as_json, [*told, *screen(report, details, more)])
