"""`simgin review`: effects of a rule change on the game."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_command, print_note, repeat_command, screen_parts

if TYPE_CHECKING:
    from simgin.review.review import Review
    from simgin.review.review_request import ReviewRequest

MAX_OUTPUT_NAME = 80  # maximum length of a default directory name


@click.command("review")
@click.argument("variants", metavar="VARIANT...", nargs=-1, type=options.VARIANT)
@click.option(
    "--against",
    type=options.VARIANT,
    metavar="BASE",
    help="Compare with this variant, on the same packs.",
)
@click.option(
    "--file",
    type=options.PATH,
    metavar="FILE.toml",
    help="Read title, rule sets, players and goals from a file; options given here come first.",
)
@options.output_option("Directory for the results [default: results/review-...].")
@click.option(
    "--players",
    metavar="A,B,...",
    help="Strategies or files instead of the usual kinds, weakest first, the strong one last.",
)
@click.option(
    "--adapt",
    is_flag=True,
    help="Train a strong player for every rule set first: a minute and a half each, kept.",
)
@click.option(
    "--goals",
    metavar="GOALS",
    help="What the game should be like, as in 'turns per match 100..140, gin 40..50 %'.",
)
@click.option(
    "--sweep",
    multiple=True,
    metavar="PARAMETER=VALUES",
    help="Review a parameter's values, such as undercut_bonus=0,10,25; twice for a map of two.",
)
@click.option(
    "--seconds-per-turn",
    type=options.SecondsType(0, min_open=True),
    metavar="S",
    help="Seconds per turn, to give times in minutes [default: 8].",
)
@click.option("--deep", is_flag=True, help="100 times the matches: intervals a tenth as wide.")
@options.count_option("--matches", "Matches per pair of players [default: 20k; 2M with --deep].")
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
    **asked: Any,
) -> None:
    """Decide on a rule: what it does to a match, to skill, and for whom.

    \b
      simgin review oklahoma straight --against standard
      simgin review standard+undercut_bonus=10 --against standard --adapt
      simgin review standard --sweep undercut_bonus=0,10,20,25,30 --adapt
      simgin review oklahoma --against standard --goals 'turns per match 60..90'

    Four kinds of player play every variant on the same packs: one that knocks at once, one that
    knocks early and then plays for gin, one that plays for gin, and a strong one. The page
    report.html has the verdict and a scorecard first, then pictures. A TOML file keeps what a
    club asks: title, note, rule_sets, against, players, goals, seconds_per_turn.

    The same command resumes an interrupted review, and more matches extend a finished one.
    """
    from simgin.cli import plan_table, session
    from simgin.review.review import plan_review, run_review
    from simgin.review.review_request import ReviewRequest
    from simgin.runs import directory

    given = {name: value for name, value in asked.items() if options.is_given(name)}
    for name in given.keys() & {"players", "goals"}:
        given[name] = [part.strip() for part in asked[name].split(",")]
    if variants:
        given["names"] = variants
    read = ReviewRequest.read if file is None else partial(ReviewRequest.read_file, file)
    request = read(**given)
    place = output or _default_output(request)
    command = repeat_command(output=place)
    directory.check_directory(place, command, writes_ledger=True)
    request = _resolve_players(request, workers, command)
    plan = plan_review(request)
    if request.deep and not as_json:
        plan_table.print_plan(
            plan, plan_table.plan_rows(plan, place, workers, record_deals=False), place
        )

    def finish(_: Review) -> list[Path]:
        print_note("all matches played; drawing the pictures.")
        return []

    more = format_command("report", place, "--details")
    session.run_plan_request(
        plan,
        partial(run_review, request),
        command,
        lambda _, report: screen_parts(report(), details, more),
        workers=workers,
        scheduler=scheduler,
        output=place,
        as_json=as_json,
        finish=finish,
    )


def _resolve_players(request: ReviewRequest, workers: int | None, command: str) -> ReviewRequest:
    """Return the request with all players, after pilot matches or training."""
    from simgin.cli import session
    from simgin.report import progress
    from simgin.review.review_request import resolve_players

    if not request.adapt:
        with session.explain_wait("short trials first, to see who is strong under these rules."):
            return resolve_players(request, workers)
    title = "learning a strong player for every rule set"
    interruptible = session.exit_on_interrupt(command, "the cache", "rounds of learning")
    with interruptible, progress.show_progress(title) as report:
        return resolve_players(request, workers, report)


def _default_output(request: ReviewRequest) -> Path:
    """Return the default directory of a review."""
    words = (
        [*request.compared_variants, "against", request.base] if request.base else request.variants
    )
    if request.sweep:
        words = [str(request.base), *(name for name, _ in request.sweep)]
    name = re.sub(r"[^a-z0-9=]+", "-", "-".join(map(str, words)).lower()).strip("-")
    return Path("results") / f"review-{name}"[:MAX_OUTPUT_NAME]
