"""`simgin match`: result of one matchup."""

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

DETAILS_HINT = "--details prints every metric, and how much the run can show."


@click.command("match")
@click.argument("a", type=options.STRATEGY)
@click.argument("b", type=options.STRATEGY, required=False)
@options.variant_option
@options.count_option(
    "--deals", "Number of deals, such as 100000, 200k, 2M or 1e6 [default: 100k]."
)
@options.count_option("--matches", "Number of whole matches, instead of deals.")
@click.option(
    "--until",
    callback=options.read_until,
    metavar="±X",
    help="Stop once the 95 % interval is this narrow: 0.1% of wins, or 0.05 points.",
)
@click.option(
    "--sprt",
    callback=options.read_sprt,
    metavar="ELO0,ELO1",
    help="Stop once a sequential test decides between two Elo differences.",
)
@options.time_option("Stop after a time, such as 30s or 5m.")
@options.seed_option
@options.workers_option
@options.scheduler_option
@options.output_option("Keep tables, plots and the HTML page in this directory.")
@options.record_option
@options.margin_option
@click.option(
    "--power",
    callback=options.read_until,
    metavar="X",
    help="Print how much must be played to see a difference, 1% of wins or 0.5 points, and stop.",
)
@click.option("--dry-run", is_flag=True, help="Print the time and the half-widths to expect.")
@click.option(
    "--details",
    is_flag=True,
    help="Print every metric with its meaning, and how much the run can show.",
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
    """Play strategy A against B (default: simple) and print who wins, with 95 % intervals.

    A strategy is a name from `simgin strategies`, optionally with parameters or other policies, or
    a file of your own:

    \b
      gold                       gold-early:k=7
      gold+knock=at:k=4          simple+discard=hits+take=never
      mine.py                    mine.py#second

    Every pack is played twice, with the seats swapped, so that much of the luck of the cards
    cancels out.

    Nothing is written without -o. With it, the same command resumes an interrupted run, and a
    larger --deals or --matches extends a finished one. With --until, --sprt or --for, --deals or
    --matches sets the maximum.

    Before a long one, --dry-run prints how narrow the intervals will be, and --power X how much
    must be played to see a difference of X. No significant difference does not mean no difference:
    with --margin X both are called the same within X if the whole interval lies inside it.
    """
    from simgin.cli import plan_table, session
    from simgin.results.run_report import add_equivalence
    from simgin.results.run_results import run_plan
    from simgin.runs.plan import plan_matchup

    if debug and asked["deals"] is None and asked["matches"] is None:
        asked["deals"] = DEBUG_DEALS
        slow = "plain Python is thousands of times slower"
        print_note(f"{slow}: {DEBUG_DEALS} deals. --deals sets the number.")
    plan = plan_matchup(**asked)
    unit = UNIT_PLURALS[plan.unit]
    n = plan.tasks[0].n
    size = {unit: n} if n < MAX_COUNT else {}  # else only the clock stops it
    (matchup,) = plan.matchups
    players = dict(zip("ab", [player.spec for player in matchup.players], strict=False))
    settled = {**players, "variant": matchup.variant.spec}
    command = repeat_command(**settled, **size)
    if margin is not None and not matchup.is_mirrored:
        raise click.UsageError("--margin needs two players: name two different strategies.")
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
        # A size can be repeated, a time cannot
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
