"""`simgin review`: effects of rule changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_command, format_repeat_command, render_report
from simgin.text.messages import print_status

if TYPE_CHECKING:
    from simgin.review.review import Review
    from simgin.review.review_request import ReviewRequest


@click.command("review")
@click.argument("variants", metavar="VARIANT...", nargs=-1, type=options.VARIANT_TYPE)
@click.option(
    "--against",
    type=options.VARIANT_TYPE,
    metavar="BASE",
    help="Variant to use as the baseline. All variants use the same deals.",
)
@click.option(
    "--file",
    type=options.PATH_TYPE,
    metavar="FILE.toml",
    help="File with the title, rule sets, players and goals of the review. Options override the "
    "file.",
)
@click.option("--title", metavar="TEXT", help="Title of the report.")
@click.option("--note", metavar="TEXT", help="Note to print below the title.")
@options.output_option("Directory for the results [default: results/review-...].")
@options.style_option
@click.option(
    "--players",
    metavar="A,B,...",
    help="Strategies to use instead of the default player types, weakest first.",
)
@click.option(
    "--adapt",
    is_flag=True,
    help="First train a strong player for each rule set. Use this option only if simgin prints a "
    "warning, or if you want to check a result. Training takes less than a minute of CPU time per "
    "rule set, and simgin caches the trained players.",
)
@click.option(
    "--goals",
    metavar="GOALS",
    help="Design goals, such as 'turns per match 100..140, gin 40..50 %'.",
)
@click.option(
    "--sweep",
    multiple=True,
    metavar="PARAMETER=VALUES",
    help="Review several values of a parameter, such as undercut_bonus=0,10,25. Use the option "
    "twice to review all combinations of two parameters.",
)
@click.option(
    "--targets",
    metavar="N,N,...",
    help="Additional target scores (points_target) to review, such as 150,250.",
)
@click.option(
    "--seconds-per-turn",
    type=options.SecondsType(0, min_open=True),
    metavar="S",
    help="Seconds per turn, to convert turns to minutes [default: 8].",
)
@click.option(
    "--deep",
    is_flag=True,
    help="Play 100 times as many matches, so that confidence intervals are a tenth as wide.",
)
@options.count_option(
    "--matches", "Matches per pair of players [default: 5k to 20k, or 2M with --deep]."
)
@options.seed_option
@options.workers_option
@options.scheduler_option
@options.details_option
@options.json_option
def review_command(
    variants: tuple[str, ...],
    file: Path | None,
    output: Path | None,
    workers: int | None,
    scheduler: str | None,
    details: bool,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Measure how a rule change affects the game, for different types of players.

    \b
      simgin review oklahoma straight --against standard
      simgin review standard+undercut_bonus=10 --against standard
      simgin review standard --sweep undercut_bonus=0,10,20,25,30
      simgin review standard --targets 100,150,250
      simgin review oklahoma --against standard --goals 'turns per match 60..90'

    To decide between rule sets, use --against. To find the best value of a parameter, use --sweep,
    or --targets for the target score.

    Four player types play the same deals in every variant. The player types range from a player
    that knocks immediately to a strong player. To add a beginner, use
    `--players beginner,simple,gold-early,gin-only,champion`.

    The HTML report shows the verdict, a scorecard and plots, and can be sent as a single file. A
    review file in TOML format can set `title`, `note`, `rule_sets`, `against`, `players`, `goals`
    and `seconds_per_turn`.

    Repeat the command to resume an interrupted review, or increase --matches to extend a finished
    review. simgin then reuses the stored title and note.
    """
    from simgin.cli import config, plan_table, session
    from simgin.review.review import plan_review, run_review
    from simgin.review.review_request import ReviewRequest
    from simgin.runs import directory

    given_arguments = {
        name: value for name, value in arguments.items() if options.is_on_command_line(name)
    }
    if config.is_configured("seconds_per_turn"):
        if file is None:
            given_arguments["seconds_per_turn"] = arguments["seconds_per_turn"]
        else:  # The configured value must not replace the value in the review file.
            click.get_current_context().params["seconds_per_turn"] = None
    for name in given_arguments.keys() & {"players", "goals"}:
        given_arguments[name] = [part.strip() for part in arguments[name].split(",")]
    if variants:
        given_arguments["rule_sets"] = variants
    read_request = ReviewRequest.read if file is None else partial(ReviewRequest.read_file, file)
    request = read_request(**given_arguments)
    name = request.default_directory_name
    directory_path = output or config.find_configured_output(name) or Path("results") / name
    stored_texts = _read_stored_title_and_note(request, directory_path)
    request = replace(request, **stored_texts)
    command = format_repeat_command(output=directory_path, **stored_texts)
    directory.check_directory(directory_path, command, writes_ledger=True)
    request = _resolve_players(request, workers, command)
    plan = plan_review(request)
    if request.deep and not as_json:
        plan_table.print_plan(
            plan,
            plan_table.make_plan_rows(plan, directory_path, workers, record_deals=False),
            directory_path,
        )

    def announce_plots(_: Review) -> list[Path]:
        print_status("drawing the plots.")
        return []

    details_hint = format_command("report", directory_path, "--details")
    session.run_plan_request(
        plan,
        partial(run_review, request),
        command,
        lambda _, report: render_report(report(), details, details_hint),
        workers=workers,
        scheduler=scheduler,
        output=directory_path,
        as_json=as_json,
        on_finish=announce_plots,
    )


def _read_stored_title_and_note(request: ReviewRequest, directory_path: Path) -> dict[str, Any]:
    """Return the stored title and note of a review, except those that the user specified again."""
    from simgin.runs import directory

    if not (directory_path / directory.MANIFEST_FILE).exists():
        return {}
    stored_request = directory.read_manifest(directory_path).get("review", {})
    return {
        name: stored_request[name]
        for name in ("title", "note")
        if stored_request.get(name)
        and not getattr(request, name)
        and not options.is_on_command_line(name)
    }


def _resolve_players(request: ReviewRequest, workers: int | None, command: str) -> ReviewRequest:
    """Choose the strong players by pilot matches or training, and return the completed request."""
    from simgin.cli import session
    from simgin.report import progress
    from simgin.review.review_request import resolve_players

    title, parts = "pilot matches to find the strongest player", tuple[str, ...]()
    if request.adapt:
        title = "training a strong player for each rule set"
        parts = ("the cache", "training rounds")
    with session.exit_on_interrupt(command, *parts), progress.show_progress(title) as report:
        return resolve_players(request, workers, report)
