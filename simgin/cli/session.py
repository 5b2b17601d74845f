"""Execution of requests, with compilation notices, progress, interruption and output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from numba.core import event

from simgin.cli.debug import redirect_policy_output
from simgin.cli.main import INTERRUPTED_CODE
from simgin.cli.output import CommandResult, format_resume_command, render_report
from simgin.core import jit, shipped_code
from simgin.play import kernel, specialized_kernel
from simgin.play.matchup import Matchup
from simgin.report import progress
from simgin.results.sentences import MIN_DEALS_FOR_TEST, MIN_MATCHES_FOR_TEST
from simgin.rules.variants import format_setting
from simgin.runs import block, directory, ledger, runner
from simgin.runs.result import save_report
from simgin.text.amounts import UNIT_PLURALS
from simgin.text.messages import print_status

if TYPE_CHECKING:
    from simgin.report.progress import OnProgress
    from simgin.report.report import Report
    from simgin.results.run_results import RunResults
    from simgin.runs.plan import Plan
    from simgin.runs.result import Result


NOTICE_DELAY_SECONDS = 2.0  # delay before a notice that explains a wait, in seconds
COMPILING_NOTICE = "compiling (up to 30 s, cached for later runs)."
DEFAULT_KNOCK_LIMIT = 10  # default of the knock policy `at`
MATCHES_HINT = "To play whole matches, add --matches 20k."


AnyResult = TypeVar("AnyResult", bound="Result")


def run_request(
    run: Callable[..., AnyResult],
    title: str,
    command: str,
    make_screen: Callable[[AnyResult, Callable[[], Report]], Iterable[Any]],
    *,
    workers: int | None,
    as_json: bool,
    output: Path | None = None,
    question: str = "",
    matchups: Iterable[Matchup] = (),
    finished_parts: tuple[Path | str | None, str] = (None, ""),
    on_finish: Callable[[AnyResult], list[Path]] = lambda _: [],
    identity: Mapping[str, Any] | None = None,
    can_end_early: bool = False,
    extend_report: Callable[[AnyResult, Report], Report] = lambda _, report: report,
    make_repeat_command: Callable[[AnyResult], str] | None = None,
    make_closing_sentence: Callable[[AnyResult], str] = lambda _: "",
    make_rows: Callable[[AnyResult], list[dict[str, Any]]] = lambda result: result.records(),
    **manifest: Any,
) -> AnyResult:
    """Run a request with a progress display, save its report and print its result.

    Args:
        run: Function that runs the request. Its arguments are a progress callback and, if
            `identity` is given, a ledger.
        title: Title of the progress bar.
        command: Command that repeats the result.
        make_screen: Function that returns the parts of the screen. Its arguments are the result
            and a function that builds the report.
        workers: Number of threads that is stored in the manifest.
        as_json: True to print only one JSON object.
        output: Directory for the report, or None.
        question: Text that identifies the request in the manifest of the output directory (default:
            `command`).
        matchups: Matchups that are compiled before the progress bar is shown.
        finished_parts: Location and name of the finished parts that remain after an interruption.
        on_finish: Function that is called with the result and returns the paths of the files that
            it has written.
        identity: Identity of the ledger that stores finished parts, or None for a request without a
            ledger. If there is an output directory, it contains the ledger.
        can_end_early: True if the progress bar shows the maximum amount of work.
        extend_report: Function that returns the report to save.
        make_repeat_command: Function that returns the command that repeats a result (default:
            `command`).
        make_closing_sentence: Function that returns the last sentence of the screen.
        make_rows: Function that returns the rows of a result for JSON.
        **manifest: Additional arguments of `save_report`.
    """
    start_time = datetime.now(UTC)
    with ExitStack() as exit_stack:
        if identity is not None:
            path = None if output is None else directory.create_run_directory(output, command)
            run_ledger = exit_stack.enter_context(ledger.open_ledger(path, identity))
            run_ledger.write_command(format_resume_command(command))
            run = partial(run, run_ledger=run_ledger)
        elif output is not None:
            manifest["question"] = question or command
            directory.check_directory(output, manifest["question"])
        with redirect_policy_output(as_json), exit_on_interrupt(command, *finished_parts):
            compile_players(matchups)
            with progress.show_progress(title, can_end_early=can_end_early) as on_progress:
                # A debugger needs exclusive use of the terminal.
                result = run(None if jit.is_interpreted() else on_progress)
            files = on_finish(result)
        command = command if make_repeat_command is None else make_repeat_command(result)
        report = cache(lambda: result.report(command))
        if output is not None:
            extended_report = extend_report(result, report())
            files += save_report(
                output, extended_report, result, start_time, workers=workers, **manifest
            )
        seed = result.identity["seed"]
        command_result = CommandResult(command, make_rows(result), seed, files, result.stop_reason)
        if as_json:
            command_result.print(True, ())
        else:
            command_result.print(
                False, make_screen(result, report), closing_sentence=make_closing_sentence(result)
            )
    return result


def run_plan_request(
    plan: Plan,
    run: Callable[..., AnyResult],
    command: str,
    make_screen: Callable[[AnyResult, Callable[[], Report]], Iterable[Any]],
    *,
    workers: int | None,
    scheduler: str | None,
    output: Path | None,
    record_deals: bool = False,
    **options: Any,
) -> None:
    """Run a plan, and store its finished blocks in a ledger.

    Args:
        plan: Plan to play.
        run: Function that plays the plan. Its other arguments are those of `run_plan`.
        command: Command that repeats the result.
        make_screen: See `run_request`.
        workers: Number of threads. By default, one thread per core is used.
        scheduler: Address of a dask cluster, or None.
        output: Directory of the ledger, or None for a ledger in memory.
        record_deals: True to record every deal.
        **options: Additional arguments of `run_request`.
    """
    if scheduler is not None:
        from simgin.runs.cluster import check_address

        check_address(scheduler)

    def run_in_ledger(on_progress: OnProgress | None, run_ledger: ledger.Ledger) -> AnyResult:
        units = block.count_remaining_units_by_task(plan.tasks, run_ledger, with_deals=record_deals)
        is_complete = not any(units) and not runner.find_missing_passes(
            plan.extra_passes, run_ledger
        )
        # A run in stages is complete only if its report was written.
        has_report = output is not None and (output / directory.MANIFEST_FILE).exists()
        is_complete &= has_report or not plan.max_units
        is_larger = not plan.max_units and block.contains_more_units(run_ledger, plan.tasks)
        if output is not None and is_larger:
            units_text = UNIT_PLURALS[plan.unit]
            print_status(
                f"the run in {output} contains more {units_text} than requested. The tables and "
                f"plots show only the requested {units_text}."
            )
        elif output is not None and is_complete:
            print_status(
                f"the run in {output} is already complete. Increase its size to extend it."
            )
        elif output is not None and sum(units) < sum(task.units for task in plan.tasks):
            print_status(f"resuming the run in {output}. Finished batches are not played again.")
        run_options = {"scheduler": scheduler, "record_deals": record_deals}
        return run(workers, on_progress, run_ledger=run_ledger, **run_options)

    run_request(
        run_in_ledger,
        plan.label,
        command,
        make_screen,
        workers=workers,
        output=output,
        matchups=plan.matchups if scheduler is None else (),
        finished_parts=(output, "batches"),
        identity=plan.identity,
        can_end_early=bool(plan.stopping_rules or plan.max_units),
        record_deals=record_deals,
        **options,
    )


def render_run_results(
    results: RunResults,
    command: str,
    details_hint: str,
    *,
    details: bool,
    sentences: Iterable[str] = (),
) -> Iterator[Any]:
    """Yield the renderables of the screen that shows the results of a run.

    Args:
        results: Results of the run.
        command: Command that repeats the run.
        details_hint: Command or option that prints the details.
        details: True to show all tables.
        sentences: Sentences that are printed above the report.
    """
    from simgin.results.run_report import build_run_report
    from simgin.results.sentences import format_outcome_note

    report = build_run_report(results, command, details=details)
    yield from sentences
    yield from render_report(report, details, details_hint)
    if note := format_outcome_note(report.verdict):
        yield note
    if details and (sentence := specialized_kernel.describe_specialized_kernel_use()):
        yield sentence


@contextmanager
def exit_on_interrupt(
    command: str, location: Path | str | None = None, parts_name: str = ""
) -> Iterator[None]:
    """Exit if the user interrupts the `with` block, and print the command that resumes the work.

    Args:
        command: Command that repeats the result. Options of the user that do not change the result,
            such as `--workers`, are added.

        location: Location of the finished parts, or None if they are not saved.
        parts_name: Name of the finished parts for the message.
    """
    try:
        yield
    except KeyboardInterrupt:
        resume_command = format_resume_command(command)
        if location is None:
            print_status(f"interrupted. Nothing was saved. Start again with: {resume_command}")
        else:
            print_status(
                f"interrupted. Finished {parts_name} are saved in {location}. Continue with: "
                f"{resume_command}"
            )
        raise click.exceptions.Exit(INTERRUPTED_CODE) from None


def check_run_output(output: Path | None, record_deals: bool) -> None:
    """Raise an error before a long run if its output directory cannot be used."""
    if output is not None:
        directory.check_directory(output)
    elif record_deals:
        raise click.UsageError("--record requires an output directory. Add -o DIR.")
    if record_deals:
        from simgin.runs import parquet

        parquet.import_pyarrow()


def _print_compilation_notice() -> None:
    """Print a notice about compilation, unless compiled code cannot be cached."""
    if jit.get_cache_directory() is not None:
        problem = shipped_code.describe_shipped_code_problem(jit.compute_source_digest())
        print_status(f"{COMPILING_NOTICE} {problem}".rstrip())


class _CompilationNotice(progress.CompilationTimer):
    """Timer that prints a notice once if compilation takes longer than NOTICE_DELAY_SECONDS."""

    is_printed = False

    def notify(self, event: Any) -> None:
        """Record the start or end of a compilation."""
        super().notify(event)
        if self and not self.is_printed and self.compute_total_seconds() >= NOTICE_DELAY_SECONDS:
            self.is_printed = True
            _print_compilation_notice()


@contextmanager
def announce_compilation() -> Iterator[None]:
    """Print a notice if compilation in the `with` block takes longer than NOTICE_DELAY_SECONDS."""
    event.Listener.register(progress.CompilationTimer)
    with event.install_listener("numba:compile", _CompilationNotice()):
        yield


def compile_players(matchups: Iterable[Matchup]) -> None:
    """Compile the strategies of matchups, and print a notice if compilation takes a long time."""
    with announce_compilation():
        for matchup in matchups:
            kernel.compile_matchup(matchup)


def warn_about_small_samples(plan: Plan) -> None:
    """Print a warning before a run that is too small to test differences."""
    min_size = MIN_DEALS_FOR_TEST if plan.unit == "deal" else MIN_MATCHES_FOR_TEST
    size = min(task.n_games for task in plan.tasks)
    if plan.contrasts and plan.matchups[0].is_mirrored and size < min_size:
        units = UNIT_PLURALS[plan.unit]
        print_status(
            f"warning: {size:,} {units} are too few to test differences. Use --{units} {min_size} "
            f"or more (in an experiment file, {units} = {min_size})."
        )


def report_odd_size(plan: Plan) -> None:
    """Print a note if mirrored pairs require one more deal or match than requested."""
    size = plan.tasks[0].n_games
    if size % 2 and any(matchup.is_mirrored for matchup in plan.matchups):
        print_status(
            f"playing {size + 1:,} {UNIT_PLURALS[plan.unit]} instead of {size:,}, because every "
            "shuffle is played twice, with the seats swapped."
        )


def warn_about_single_deals(matchups: Sequence[Matchup]) -> None:
    """Print a warning about single deals if the rules depend on the match score or the die."""
    variants = dict.fromkeys(matchup.variant for matchup in matchups if matchup.unit == "deal")
    for variant in variants:
        if variant.params["shot"]:
            start_points = format_setting(variant.params["start_points"])
            print_status(
                f"warning: deals of {variant.spec} depend on the score, but each single deal "
                f"starts at {start_points}. {MATCHES_HINT}"
            )
        if variant.params["die"] != "off":
            print_status(
                f"warning: deals of {variant.spec} depend on the die and the score, but single "
                f"deals use neither. {MATCHES_HINT}"
            )


def warn_about_knock_limits(matchups: Sequence[Matchup]) -> None:
    """Print a warning for each strategy whose default knock limit is below that of the rules."""
    players_and_variants = {
        (player.spec, matchup.variant.spec): (player, matchup.variant)
        for matchup in matchups
        for player in matchup.players
    }
    for player, variant in players_and_variants.values():
        limit, policy = variant.params["knock_limit"], player.knock
        if policy is None or policy.name != "at" or "knock=" in player.spec:
            continue
        own_limit = policy.params["k"].default
        if isinstance(limit, int) and own_limit == DEFAULT_KNOCK_LIMIT < limit:
            print_status(
                f"warning: {variant.spec} allows knocks with up to {limit} points of deadwood, but "
                f"{player.spec} knocks with at most {own_limit}. To use the limit, choose "
                f"{player.spec}+knock=at:k={limit}."
            )
