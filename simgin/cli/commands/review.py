"""`simgin review`: what rules do to the game."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from simgin.cli import plan_table, session
from simgin.cli.output import Answer, command_line, json_option, note


@click.command()
@click.argument("variants", metavar="VARIANT...", nargs=-1)
@click.option(
    "--against", metavar="BASE", help="Tell every difference from this game, on the same shuffles."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    required=True,
    help="Where results go.",
)
@click.option(
    "--deep",
    is_flag=True,
    help="Strong players too, drama, the ladder of skill; a tenth of the error; takes hours.",
)
@click.option(
    "--matches",
    callback=session.read_count,
    metavar="N",
    help="Of every pair of players [default: 20k; 2M with --deep].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=1,
    show_default=True,
    help="Other shuffles.",
)
@session.workers_option
@session.scheduler_option
@json_option
def review(
    variants: tuple[str, ...],
    against: str | None,
    output: Path,
    deep: bool,
    matches: int | None,
    seed: int,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
) -> None:
    """Review rules: length, endings, seats, scores, when to knock, how much is luck.

    \b
      simgin review oklahoma straight --against standard -o results/rules
      simgin review standard+undercut_bonus=10 --against standard -o results/bonus

    Every game is played by gold, gold-early, simple and gin-only, each against itself and each against each, and by players who differ
    only in when they knock. The page, report.html, says first what changes, then shows it.

    The same command goes on after an interruption; with more matches it adds to what is there.
    """
    from simgin.review import review as reviews

    asked = reviews.asked(variants, against, deep=deep, matches=matches, seed=seed)
    plan = reviews.planned(asked)
    command = _command(variants, against, output, deep, matches, seed)
    session.check(output, record=False)
    if deep and not as_json:
        plan_table.announce(plan, plan_table.rows(plan, output, workers, record=False), output)
    started = datetime.now(UTC)
    with session.played(
        plan, output, command, workers=workers, scheduler=scheduler, record=False
    ) as found:
        from simgin.report import page
        from simgin.review import sentences
        from simgin.review.report import review_report
        from simgin.stats import table

        note("played; drawing the pictures.")
        made = reviews.Review(asked, found, workers)
        files = session.save(
            output,
            found,
            page.files(review_report(made, command)),
            started=started,
            command=command,
            review=asked.told,
        )
        answer = Answer(command, table.records(made.metrics), seed, files, found.stopped)
        answer.give(
            as_json,
            [
                "",
                *sentences.sentences(made),
                sentences.metrics(made),
                *([sentences.differences(made)] if made.others else []),
            ],
        )


def _command(
    variants: tuple[str, ...],
    against: str | None,
    output: Path,
    deep: bool,
    matches: int | None,
    seed: int,
) -> str:
    base = () if against is None else ("--against", against)
    size = () if matches is None else ("--matches", matches)
    other = () if seed == 1 else ("--seed", seed)
    return command_line(
        "review", *variants, *base, "-o", output, *(["--deep"] if deep else []), *size, *other
    )
