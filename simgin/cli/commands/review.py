"""`simgin review`: effects of a rule change on the game."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import Answer, command_line, note, repeated, screen

if TYPE_CHECKING:
    from simgin.review.review_request import ReviewRequest

PLACE_CHARACTERS = 80  # maximum length of a default directory name


@click.command()
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
    type=options.Seconds(0, min_open=True),
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
def review(
    variants: tuple[str, ...],
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
    from simgin.review.review import Review, plan_review
    from simgin.review.scorecard import read_goals, rows_of
    from simgin.rules.variants import find
    from simgin.runs import directory

    request = _read(variants, asked)
    read_goals(request.goals, rows_of(find(request.variants[0]).row, request.seconds_per_turn))
    place = output or _place(request)
    command = repeated(output=place)
    directory.check(place, command, keeps_ledger=True)
    request = _settled(request, workers, command)
    plan = plan_review(request)
    if request.deep and not as_json:
        plan_table.announce(plan, plan_table.rows(plan, place, workers, record_deals=False), place)
    started = datetime.now(UTC)
    with session.play_plan(
        plan, place, command, workers=workers, scheduler=scheduler, record_deals=False
    ) as findings:
        from simgin.report import page

        note("all matches played; drawing the pictures.")
        played = Review(request, findings)
        report = played.report(command)
        files = session.save(
            place,
            findings,
            page.files(report),
            started=started,
            command=command,
            review=asdict(request),
        )
        answer = Answer(command, played.records(), request.seed, files, findings.stopped)
        more = command_line("report", place, "--details")
        answer.show(as_json, screen(report, details, more))


def _settled(request: ReviewRequest, workers: int | None, command: str) -> ReviewRequest:
    """Return the request with all players, after pilot matches or training."""
    from simgin.cli import session
    from simgin.report import progress
    from simgin.review.review_request import settled

    if not request.adapt:
        with session.explain_wait("short trials first, to see who is strong under these rules."):
            return settled(request, workers)
    title = "learning a strong player for every rule set"
    interruptible = session.interruptible(command, "the cache", "rounds of learning")
    with interruptible, progress.live(title) as report:
        return settled(request, workers, report)


def _read(variants: tuple[str, ...], asked: dict[str, Any]) -> ReviewRequest:
    """Read the request from the options and the file. Options take precedence."""
    from simgin.review.review_request import ReviewRequest, read_file

    path = asked.pop("file")
    given = {} if path is None else read_file(path)
    for name in ("players", "goals"):
        if asked[name] is not None:
            given[name] = [part.strip() for part in asked[name].split(",")]
    for name in ("against", "sweep", "seconds_per_turn", "matches", "adapt", "deep"):
        if asked[name]:
            given[name] = asked[name]
    if path is None or options.is_typed("seed"):
        given["seed"] = asked["seed"]
    if variants:
        given["names"] = variants
    return ReviewRequest.read(given.pop("names", ()), given.pop("against", None), **given)


def _place(request: ReviewRequest) -> Path:
    """Return the default directory of a review."""
    words = [*request.others, "against", request.base] if request.base else request.variants
    if request.sweep:
        words = [str(request.base), *(name for name, _ in request.sweep)]
    name = re.sub(r"[^a-z0-9=]+", "-", "-".join(map(str, words)).lower()).strip("-")
    return Path("results") / f"review-{name}"[:PLACE_CHARACTERS]
