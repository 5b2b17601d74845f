"""`simgin match`: results of one matchup."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.debug import DEBUG_DEALS, debug_option
from simgin.cli.output import print_note, repeat_command
from simgin.text.amounts import MAX_COUNT, UNIT_PLURALS

if TYPE_CHECKING:
    from simgin.results.run_results import RunResults

DETAILS_HINT = "--details prints every metric and table."


@click.command("match")
@click.argument("a", type=options.STRATEGY)
@click.argument("b", type=options.STRATEGY, required=False)
@options.variant_option
@options.count_option(
    "--deals", "Number of deals, such as 100000, 200k, 2M or 1e6 [default: 100k]."
)
@options.count_option("--matches", "Number of matches to play instead of single deals.")
@click.option(
    "--until",
    callback=options.read_until,
    metavar="±X",
    help="Stop at this half-width of the 95 % interval: 0.1% of wins, or 0.05 points.",
)
@click.option(
    "--sprt",
    callback=options.read_sprt,
    metavar="ELO0,ELO1",
    help="Stop when a sequential test has decided between two Elo differences.",
)
@options.time_option("Time limit for the simulation, such as 30s or 5m.")
@options.seed_option
@options.workers_option
@options.scheduler_option
@options.output_option("Directory for the tables, plots and HTML report.")
@options.record_option
@options.margin_option
@click.option(
    "--power",
    callback=options.read_until,
    metavar="X",
    help="Only print the sample size that detects a difference of 1% of wins or 0.5 points.",
)
@click.option(
    "--dry-run", is_flag=True, help="Only print the expected time and interval half-widths."
)
@click.option(
    "--details", is_flag=True, help="Print every metric with its meaning, and all tables."
)
@debug_option
@options.json_option
def match_command(
    workers: int | None,
    scheduler: str | None,
    output: Path | None,
    record: bool,
    margin: str | float | None,
    power: str | float | None,
    dry_run: bool,
    details: bool,
    debug: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Play strategy A against strategy B and report the winner.

    B is simple by default. In solitaire variants, A plays without an opponent.

    A strategy is the name of a built-in strategy or of your own file. You can change its parameters
    and replace its policies:

    \b
      gold                       gold-early:k=7
      gold+knock=at:k=4          simple+discard=hits+take=never
      mine.py                    mine.py#second

    Every deal is played twice, with the seats swapped, so that much of the luck of the cards
    cancels out.

    With -o, simgin saves the results. Repeat the command to resume an interrupted run, or increase
    --deals or --matches to extend a finished run. With --until, --sprt or --for, --deals or
    --matches is the maximum.

    Before a long run, use --dry-run to see the expected precision, or --power to see the required
    sample size. With --margin X, simgin calls two strategies equivalent within X if the whole 95 %
    interval of their difference lies within ±X.
    """
    from simgin.cli import config, plan_table, session
    from simgin.results.run_report import add_equivalence
    from simgin.results.run_results import run_plan
    from simgin.runs.plan import plan_matchup

    if debug and asked["deals"] is None and asked["matches"] is None:
        asked["deals"] = DEBUG_DEALS
        print_note(
            f"playing only {DEBUG_DEALS} deals, because --debug is slow. Set --deals for more."
        )
    config.drop_solitaire_opponent("b", asked)
    plan = plan_matchup(**asked)
    unit = UNIT_PLURALS[plan.unit]
    n = plan.tasks[0].n
    size = {unit: n} if n < MAX_COUNT else {}  # otherwise, only the time is limited
    (matchup,) = plan.matchups
    players = dict(zip("ab", [player.spec for player in matchup.players], strict=False))
    settled = {**players, "variant": matchup.variant.spec}
    command = repeat_command(**settled, **size)
    if margin is not None and not matchup.is_mirrored:
        raise click.UsageError(
            "--margin requires two different strategies. Specify a second strategy."
        )
    if dry_run or power is not None:
        plan_table.print_dry_run(
            plan, command, output, workers, record_deals=record, as_json=as_json, power=power
        )
        return
    session.check_run_output(output, record)
    session.warn_about_single_deals(plan.matchups)
    sentences = []

    def repeat(results: RunResults) -> str:
        if plan.seconds is None:
            return command
        # Only a run of fixed size can be repeated exactly
        return repeat_command(**settled, **{unit: results.sizes[0]}, seconds=None)

    def records(results: RunResults) -> list[dict[str, Any]]:
        rows = results.records()
        if margin is not None:
            sentences.append(add_equivalence(rows, results, margin))
        return rows

    session.run_plan_request(
        plan,
        partial(run_plan, plan),
        command,
        lambda results, _: session.run_screen(
            results, command, DETAILS_HINT, details=details, sentences=sentences
        ),
        workers=workers,
        scheduler=scheduler,
        output=output,
        record_deals=record,
        as_json=as_json,
        repeat=repeat,
        records=records,
    )
