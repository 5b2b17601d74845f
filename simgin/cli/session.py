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
from simgin.cli.output import CommandResult, continue_command, print_note, screen_parts
from simgin.core import jit
from simgin.play import kernel, parallel
from simgin.play.matchup import Matchup, short_names
from simgin.report import progress
from simgin.results.run_info import check_homogeneity, make_run_info
from simgin.results.run_results import RunResults
from simgin.rules.variants import format_setting
from simgin.runs import block, directory, ledger, runner
from simgin.runs.manifest import build_manifest
from simgin.runs.runner import SerialPool, ThreadPool
from simgin.runs.stopping import StopResult

if TYPE_CHECKING:
    from simgin.cli.live_result import LiveEstimate
    from simgin.report.report import Report, Result
    from simgin.runs.plan import Plan

INTERRUPTED = 130  # exit code
COMPILING_NOTICE_DELAY = 2.0  # seconds, more than a warm start takes
COMPILING_NOTICE = "compiling; this takes up to half a minute once and is kept for later runs."
MATCHES_HINT = "Play whole matches instead: --matches 20k."


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
            path = None if output is None else directory.create_run_directory(output, command)
            run_ledger = stack.enter_context(ledger.open_ledger(path, identity))
            run_ledger.write_command(continue_command(command))
            run = partial(run, run_ledger=run_ledger)
        elif output is not None:
            manifest["question"] = question or command
            directory.check_directory(output, manifest["question"])
        with policy_calls(as_json), exit_on_interrupt(command, *cached):
            with progress.show_progress(title) as on_progress:
                result = run(on_progress)
            files = finish(result)
        report = cache(lambda: result.report(command))
        if output is not None:
            parts = extend(result, report()), result.identity, result.units, started
            files += save_report(output, *parts, workers=workers, plots=plots, **manifest)
    seed = click.get_current_context().params["seed"]
    CommandResult(command, result.records(), seed, files).print(as_json, screen(result, report))
    return result


@contextmanager
def play_plan(
    plan: Plan,
    output: Path | None,
    command: str,
    *,
    workers: int | None,
    scheduler: str | None,
    record_deals: bool,
) -> Iterator[RunResults]:
    """Play a plan and yield its results while the ledger is open.

    Args:
        plan: The plan.
        output: Directory of the ledger, or None to keep it in memory.
        command: Command that continues after an interruption.
        workers: Number of threads, by default one per CPU.
        scheduler: Address of a dask cluster, or None.
        record_deals: True to record every deal.
    """
    if scheduler is not None:
        from simgin.runs.cluster import check_address

        check_address(scheduler)
    path = None if output is None else directory.create_run_directory(output, command)
    with ledger.open_ledger(path, plan.identity) as run_ledger:
        run_ledger.write_command(continue_command(command))
        left = block.remaining_units_by_task(plan.tasks, run_ledger, with_deals=record_deals)
        is_complete = not any(left) and not runner.missing_passes(plan.extra_passes, run_ledger)
        if output is not None and is_complete:
            print_note(f"{output} is complete: nothing left to play. A larger run would extend it.")
        with exit_on_interrupt(command, output, "blocks"):
            ends = _play(plan, run_ledger, workers, scheduler, record_deals)
        health = check_homogeneity(plan.matchups, ends, run_ledger)
        yield RunResults(make_run_info(plan, ends, health), run_ledger)


def _play(
    plan: Plan,
    run_ledger: ledger.Ledger,
    workers: int | None,
    scheduler: str | None,
    record_deals: bool,
) -> list[StopResult]:
    with closing(_make_team(workers, scheduler)) as team:
        with explain_wait():
            team.prepare(plan.matchups)
        so_far = _live_estimate(plan, run_ledger)
        with _plan_progress(plan, so_far) as report:
            ends = runner.run_tasks(
                plan.tasks,
                run_ledger,
                team,
                report,
                on_block=so_far.add if so_far else None,
                stopping_rules=plan.stopping_rules,
                seconds=plan.seconds,
                record_deals=record_deals,
            )
    if plan.extra_passes:
        with explain_wait(), _step_progress(plan, run_ledger) as report:
            runner.play_passes(plan.extra_passes, run_ledger, workers, report)
    return ends


@contextmanager
def exit_on_interrupt(
    command: str, location: Path | str | None = None, parts: str = ""
) -> Iterator[None]:
    """Exit with a note on how to continue if the user interrupts the block.

    Args:
        command: Command that repeats the result. Given options such as --workers are added.
        location: Location of the finished parts; None if they are not kept.
        parts: Name of the parts.
    """
    try:
        yield
    except KeyboardInterrupt:
        again = continue_command(command)
        if location is None:
            print_note(f"interrupted; nothing was written. Start again with: {again}")
        else:
            print_note(
                f"interrupted; finished {parts} are kept in {location}. Continue with: {again}"
            )
        raise click.exceptions.Exit(INTERRUPTED) from None


def check_run_output(output: Path | None, record_deals: bool) -> None:
    """Raise an error now, not after a long run, if the output directory cannot be used."""
    if output is not None:
        directory.check_directory(output)
    elif record_deals:
        raise click.UsageError("--record needs a directory to write to: add -o DIR.")
    if record_deals:
        from simgin.runs import parquet

        parquet.require_pyarrow()


def _make_team(workers: int | None, scheduler: str | None) -> runner.WorkerPool:
    if scheduler is not None:
        from simgin.runs.cluster import ClusterPool

        return ClusterPool(scheduler, print_note)
    if jit.is_interpreted():  # a debugger needs the terminal to itself
        return SerialPool()
    return ThreadPool(workers)


@contextmanager
def _plan_progress(plan: Plan, so_far: LiveEstimate | None) -> Iterator[parallel.Progress | None]:
    """Yield the progress callback of a plan, in deals or in time; None under a debugger."""
    if jit.is_interpreted():
        yield None
        return
    title = f"{_title(plan)}, at most" if plan.stopping_rules else _title(plan)
    look = so_far.line if so_far else None
    with progress.show_progress(title) as report:
        if plan.seconds is None:
            yield lambda done, units: report(done, units, look)
        else:
            yield _clock_progress(report, look, plan.seconds * len(plan.tasks))


def _title(plan: Plan) -> str:
    """Return the title of a plan, or the display names of the players of a single matchup."""
    if len(plan.tasks) > 1:
        return plan.title
    names = short_names(plan.matchups)
    return " v ".join(names.get(player.text, player.text) for player in plan.matchups[0].players)


def _live_estimate(plan: Plan, run_ledger: ledger.Ledger) -> LiveEstimate | None:
    """Return the live estimate of a plan, or None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None
    from simgin.cli.live_result import LiveEstimate

    return LiveEstimate(plan, run_ledger, short_names(plan.matchups))


@contextmanager
def _step_progress(plan: Plan, run_ledger: ledger.Ledger) -> Iterator[parallel.Progress | None]:
    """Yield the progress callback of the extra passes; None under a debugger."""
    if jit.is_interpreted():
        yield None
        return
    names = [step.name for step in runner.missing_passes(plan.extra_passes, run_ledger)]

    def report_step(done: int, units: int) -> None:
        i = min(done // parallel.PROGRESS_PARTS, len(names) - 1)
        report(done, units, lambda: f"step {i + 1} of {len(names)}: {names[i]}")

    with progress.show_progress(f"{plan.title}, single deals") as report:
        yield report_step


def _clock_progress(
    report: progress.ProgressBar, look: Callable[[], str] | None, seconds: float
) -> parallel.Progress:
    started = time.monotonic()
    limit = int(1000 * seconds)

    def tick(_done: int, _units: int) -> None:
        report(min(int(1000 * (time.monotonic() - started)), limit), limit, look)

    return tick


@contextmanager
def explain_wait(reason: str = COMPILING_NOTICE) -> Iterator[None]:
    """Print a reason if the block takes longer than a moment.

    If nothing can be cached, the notice of `jit.cache_directory` replaces COMPILING.

    Args:
        reason: Text to print.
    """
    timer = threading.Timer(COMPILING_NOTICE_DELAY, print_note, [reason])
    timer.daemon = True
    if reason != COMPILING_NOTICE or jit.cache_directory() is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def compile_players(matchups: Iterable[Matchup]) -> None:
    """Compile the players of some matchups, with a notice if it takes long."""
    with explain_wait():
        for matchup in matchups:
            kernel.compile_matchup(matchup)


def warn_about_single_deals(matchups: Sequence[Matchup]) -> None:
    """Warn about single deals of variants in which the score matters."""
    variants = dict.fromkeys(matchup.variant for matchup in matchups if matchup.unit == "deal")
    for variant in variants:
        if variant.params["shot"]:
            start = format_setting(variant.params["start_points"])
            print_note(
                f"deals of {variant.text} depend on the score, and every single deal starts at "
                f"{start}. {MATCHES_HINT}"
            )
        if variant.params["die"] != "off":
            print_note(
                f"deals of {variant.text} depend on the die and the score, and single deals have "
                f"neither. {MATCHES_HINT}"
            )


def save_report(
    output: Path,
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
        output: The directory.
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
    from simgin.report import html_report

    manifest = build_manifest(
        identity,
        [StopResult(n) for n in units],
        workers=workers or parallel.usable_cpus(),
        started=started,
        command=report.command,
        stopped="complete",
        **request,
    )
    return directory.write_run_directory(
        output, manifest, html_report.report_files(report, plots), command=question
    )


def save_run_directory(
    output: Path,
    findings: RunResults,
    files: Mapping[str, bytes | str],
    *,
    started: datetime,
    command: str,
    record_deals: bool = False,
    **request: Any,
) -> list[Path]:
    """Write the files of a run next to its ledger.

    Args:
        output: The directory.
        findings: Results of the run.
        files: Contents by path.
        started: Time of the start.
        command: Command that repeats the run.
        record_deals: True to write the recorded deals.
        **request: Further entries of `manifest.json`.

    Returns:
        Files written.
    """
    record = findings.info
    workers = {name for cell in record.health for name in cell["workers"]["names"]}
    manifest = build_manifest(
        record.identity,
        record.stop_results,
        workers=len(workers),
        started=started,
        command=command,
        stopped=findings.stopped,
        contrasts=record.contrasts,
        effects=record.effects,
        health=record.health,
        names=record.display_names,
        **request,
    )
    if not record_deals:
        return directory.write_run_directory(output, manifest, files)
    from simgin.runs import parquet

    parquet.write_deals(output / directory.DEALS_FILE, findings.iter_deals())
    return directory.write_run_directory(output, manifest, files, directory.DEALS_FILE)


# Results of a run: files, rows and screen


def save_run_report(
    output: Path, findings: RunResults, started: datetime, command: str, record_deals: bool
) -> list[Path]:
    """Write the tables, plots and HTML report of a run, and return the files."""
    from simgin.report import html_report

    files = html_report.report_files(findings.report(command))
    return save_run_directory(
        output, findings, files, started=started, command=command, record_deals=record_deals
    )


def run_result(findings: RunResults, command: str, files: Sequence[Path]) -> CommandResult:
    """Return every metric of every matchup."""
    return CommandResult(command, findings.records(), findings.info.seed, files, findings.stopped)


def add_equivalence(rows: list[dict[str, Any]], findings: RunResults, margin: str | float) -> str:
    """Test two players of a run for equivalence and return a sentence.

    Args:
        rows: Rows of the run. The row of the tested metric gets `margin` and `verdict`.
        findings: Results of the run.
        margin: Margin, as parsed by `amounts.parse_half_width`.
    """
    from simgin.stats import batches, differences
    from simgin.stats.metrics import METRICS_BY_NAME

    cell = findings.matchup_keys[0]
    total = batches.sum_rows(findings.rows(0))
    multiplier = findings.info.stop_results[0].multiplier
    metric, found = differences.compute_pair_verdict(total, cell.unit, margin, multiplier)
    for row in rows:
        if (row["strategy"], row["metric"]) == (cell.a, metric):
            row |= {"margin": differences.parse_margin(margin), "verdict": found}
    told = differences.format_verdict(found, differences.parse_margin(margin), metric)
    own = findings.with_display_names.matchup_keys[0]
    return f"{own.a} and {own.b}, {METRICS_BY_NAME[metric].title}: {told}."


def finish_run(
    findings: RunResults,
    output: Path | None,
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
        output: Directory, or None.
        started: Time of the start.
        command: Command that repeats the run.
        more: Command or option that prints the details.
        record: True if deals are recorded.
        details: True to print all tables.
        as_json: True to print one JSON object instead.
        margin: Margin of an equivalence test, or None.
    """
    files = [] if output is None else save_run_report(output, findings, started, command, record)
    answer = run_result(findings, command, files)
    told = [] if margin is None else [add_equivalence(answer.rows, findings, margin)]
    if as_json:
        answer.print(as_json, ())
        return
    from simgin.results.run_report import build_run_report

    report = build_run_report(findings, command, details=details)
    answer.print(as_json, [*told, *screen_parts(report, details, more)])
