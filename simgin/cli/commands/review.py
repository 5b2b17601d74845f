"""`simgin review`: how rule changes affect the game."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from simgin.cli import options
from simgin.cli.output import Answer, command_line, note, repeated


@click.command()
@click.argument("variants", metavar="VARIANT...", nargs=-1, type=options.VARIANT)
@click.option(
    "--against",
    type=options.VARIANT,
    metavar="BASE",
    help="Compare with this variant, on the same packs.",
)
@options.output_option("Directory for the results.", required=True)
@click.option(
    "--deep",
    is_flag=True,
    help="Add stronger players, comebacks and the skill ladder; a tenth of the error; takes hours.",
)
@options.count_option("--matches", "Matches per pair of players [default: 20k; 2M with --deep].")
@options.seed_option
@options.workers_option
@options.scheduler_option
@options.details_option
@options.json_option
def review(
    variants: tuple[str, ...],
    against: str | None,
    output: Path,
    deep: bool,
    matches: int | None,
    seed: int,
    workers: int | None,
    scheduler: str | None,
    details: bool,
    as_json: bool,
) -> None:
    """Measure how rule changes affect the game.

    Compares length, deal outcomes, seat and score advantage, the best knock threshold, luck and
    skill:

    \b
      simgin review oklahoma straight --against standard -o results/rules
      simgin review standard+undercut_bonus=10 --against standard -o results/bonus

    Each variant is played by gold, gold-early, simple and gin-only in all pairings, and by players
    who differ only in their knock threshold. The page report.html starts with what changes.

    The same command resumes an interrupted review, and more matches extend a finished one.
    """
    from simgin.cli import plan_table, session
    from simgin.review.review_plan import plan_review
    from simgin.review.review_request import read_request

    request = read_request(variants, against, deep=deep, matches=matches, seed=seed)
    plan = plan_review(request)
    command = repeated()
    session.check_output(output, record_deals=False)
    if deep and not as_json:
        plan_rows = plan_table.rows(plan, output, workers, record_deals=False)
        plan_table.announce(plan, plan_rows, output)
    started = datetime.now(UTC)
    with session.play_plan(
        plan, output, command, workers=workers, scheduler=scheduler, record_deals=False
    ) as findings:
        from simgin.report import page
        from simgin.review.review import read_review
        from simgin.review.review_report import review_report, review_screen
        from simgin.stats import table

        note("all matches played; drawing the plots.")
        review_data = read_review(request, findings)
        report = review_report(review_data, command)
        files = session.save(
            output,
            findings,
            page.files(report),
            started=started,
            command=command,
            review=asdict(request),
        )
        rows = table.records(review_data.metrics)
        answer = Answer(command, rows, seed, files, findings.stopped)
        parts: list[object] = [*review_screen(review_data, details=details), ""]
        if not details:
            parts.append(f"More:    {command_line('report', output, '--details')}")
        answer.show(as_json, parts)
