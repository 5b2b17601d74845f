"""Running of requests by commands: compilation notice, progress, interruption, output."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from simgin.cli.debug import policy_calls
from simgin.cli.output import CommandResult, continue_command, print_note, screen_parts
from simgin.core import jit
from simgin.play import kernel, parallel
from simgin.play.matchup import Matchup, short_names
from simgin.report import progress
from simgin.rules.variants import format_setting
from simgin.runs import block, directory, ledger, runner
from simgin.runs.manifest import build_manifest

if TYPE_CHECKING:
    from simgin.report.progress import OnProgress
    from simgin.report.report import Report
    from simgin.results.run_results import RunResults
    from simgin.runs.plan import Plan
    from simgin.runs.result import Result

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
    matchups: Iterable[Matchup] = (),
    cached: tuple[Path | str | None, str] = (None, ""),
    finish: Callable[[R], list[Path]] = lambda _: [],
    identity: Mapping[str, Any] | None = None,
    extend: Callable[[R, Report], Report] = lambda _, report: report,
    repeat: Callable[[R], str] | None = None,
    records: Callable[[R], list[dict[str, Any]]] = lambda result: result.records(),
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
        matchups: Matchups to compile before the progress bar is shown.
        cached: Location and name of the finished parts that an interruption leaves.
        finish: Function that writes other files of a result and returns their paths.
        identity: Identity of the ledger that finished parts are kept in, in the directory if there
            is one, or None for a request that runs in one piece.
        extend: Function that returns the report as it is saved.
        repeat: Function that returns the command that repeats a result, if it depends on it.
        records: Function that returns the rows of a result for JSON.
        **manifest: Further arguments of `save_report`.
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
            compile_players(matchups)
            with progress.show_progress(title) as on_progress:
                # A debugger needs the terminal to itself
                result = run(None if jit.is_interpreted() else on_progress)
            files = finish(result)
        command = command if repeat is None else repeat(result)
        report = cache(lambda: result.report(command))
        if output is not None:
            extended = extend(result, report())
            files += save_report(
                output, extended, result, started, workers=workers, plots=plots, **manifest
            )
        seed = result.identity["seed"]
        answer = CommandResult(command, records(result), seed, files, result.stopped)
        answer.print(as_json, () if as_json else screen(result, report))
    return result


def run_plan_request(
    plan: Plan,
    run: Callable[..., R],
    command: str,
    screen: Callable[[R, Callable[[], Report]], Iterable[Any]],
    *,
    workers: int | None,
    scheduler: str | None,
    output: Path | None,
    record_deals: bool = False,
    **options: Any,
) -> None:
    """Run a request that plays a plan, in a ledger that is in its directory.

    Args:
        plan: The plan.
        run: Function that plays it as `run_plan` does, from the arguments after the plan.
        command: Command that repeats the result.
        screen: See `run_request`.
        workers: Number of threads, by default one per CPU.
        scheduler: Address of a dask cluster, or None.
        output: Directory of the ledger, or None to keep it in memory.
        record_deals: True to record every deal.
        **options: Further arguments of `run_request`.
    """
    if scheduler is not None:
        from simgin.runs.cluster import check_address

        check_address(scheduler)

    def run_in_ledger(on_progress: OnProgress | None, run_ledger: ledger.Ledger) -> R:
        left = block.remaining_units_by_task(plan.tasks, run_ledger, with_deals=record_deals)
        is_complete = not any(left) and not runner.missing_steps(plan.extra_steps, run_ledger)
        if output is not None and is_complete:
            print_note(f"{output} is complete: nothing left to play. A larger run would extend it.")
        more = {"scheduler": scheduler, "record_deals": record_deals}
        return run(workers, on_progress, run_ledger=run_ledger, **more)

    at_most = ", at most" * bool(plan.stopping_rules)
    run_request(
        run_in_ledger,
        f"{_title(plan)}{at_most}",
        command,
        screen,
        workers=workers,
        output=output,
        matchups=plan.matchups if scheduler is None else (),
        cached=(output, "blocks"),
        identity=plan.identity,
        record_deals=record_deals,
        **options,
    )


def run_screen(
    results: RunResults, command: str, more: str, *, details: bool, sentences: Iterable[str] = ()
) -> Iterator[Any]:
    """Yield what a terminal shows of a run.

    Args:
        results: Results of the run.
        command: Command that repeats the run.
        more: Command or option that prints the details.
        details: True to show all tables.
        sentences: Sentences above the report.
    """
    from simgin.results.run_report import build_run_report

    yield from sentences
    yield from screen_parts(build_run_report(results, command, details=details), details, more)


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


def _title(plan: Plan) -> str:
    """Return the title of a plan, or the display names of the players of a single matchup."""
    if len(plan.tasks) > 1:
        return plan.title
    names = short_names(plan.matchups)
    return " v ".join(names.get(player.spec, player.spec) for player in plan.matchups[0].players)


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
                f"deals of {variant.spec} depend on the score, and every single deal starts at "
                f"{start}. {MATCHES_HINT}"
            )
        if variant.params["die"] != "off":
            print_note(
                f"deals of {variant.spec} depend on the die and the score, and single deals have "
                f"neither. {MATCHES_HINT}"
            )


def save_report(
    output: Path,
    report: Report,
    result: Result,
    started: datetime,
    *,
    question: str = "",
    workers: int | None = None,
    plots: str = "plots/",
    record_deals: bool = False,
    **request: Any,
) -> list[Path]:
    """Write the report of a finished request to a directory.

    Args:
        output: The directory.
        report: The report.
        result: The result.
        started: Time of the start.
        question: Name that the directory is reserved for.
        workers: Number of threads.
        plots: Prefix of the names of plots.
        record_deals: True to write the recorded deals of a run.
        **request: Further entries of `manifest.json`.

    Returns:
        Files written.
    """
    from simgin.report import html_report

    entries = {
        "workers": workers or parallel.usable_cpus(),
        "started": started,
        "command": report.command,
        "stopped": result.stopped,
        **result.manifest_entries,
        **request,
    }
    manifest = build_manifest(result.identity, result.stop_results, **entries)
    files = html_report.report_files(report, plots)
    existing = []
    if record_deals:
        from simgin.runs import parquet

        existing = [directory.DEALS_FILE]
        parquet.write_deals(output / directory.DEALS_FILE, cast("RunResults", result).iter_deals())
    return directory.write_run_directory(output, manifest, files, *existing, command=question)
