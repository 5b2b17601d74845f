"""`simgin match`: results of one matchup, or of several strategies against one opponent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.debug import DEBUG_DEALS, debug_option
from simgin.cli.output import format_repeat_command
from simgin.text.amounts import MAX_COUNT, UNIT_PLURALS
from simgin.text.messages import print_status

if TYPE_CHECKING:
    from simgin.results.run_results import RunResults
    from simgin.runs.plan import Plan

DETAILS_HINT = "--details prints every metric and table."


@click.command("match")
@click.argument("strategies", type=options.STRATEGY_TYPE, nargs=-1, required=True, metavar="A [B]")
@options.strategy_option("Opponent of all strategies.", "--against")
@options.strategy_option(
    "Strategy to use as the baseline for all differences [default: the first strategy].", "--base"
)
@options.variant_option
@options.count_option(
    "--deals", "Number of deals, such as 100000, 200k, 2M or 1e6 [default: 100k]."
)
@options.count_option("--matches", "Number of matches to play instead of single deals.")
@options.add_run_options
@options.margin_option
@click.option(
    "--power",
    callback=options.parse_half_width_option,
    metavar="X",
    help="Print the sample size needed to detect a difference, and exit. With 1%, A wins 51 % "
    "instead of 50 % of deals, or of matches with --matches. With 0.5, A scores 0.5 points per "
    "deal more than B.",
)
@options.dry_run_option
@click.option(
    "--details", is_flag=True, help="Print all tables, including every metric with its meaning."
)
@debug_option
@options.json_option
def match_command(
    strategies: Sequence[str], margin: str | float | None, debug: bool, **arguments: Any
) -> None:
    """Play strategy A against strategy B, and report the winner.

    By default, B is the strategy `simple`. In solitaire variants, A plays without an opponent.

    To specify a strategy, enter the name of a built-in strategy or a file with your own strategy.
    You can change the parameters of a strategy and replace its policies:

    \b
      gold-early:k=7                    wait for gin after 7 turns
      gold+knock=at:k=4                 knock with 4 points or less
      simple+discard=hits+take=never    replace two policies
      mine.py                           the strategy in a file
      mine.py#second                    the strategy `second` in a file

    Every deal is played twice, with the seats swapped, to reduce the effect of luck.

    With --against, several strategies play the same deals against one opponent. simgin reports the
    difference between each strategy and the baseline, which is the first strategy or the strategy
    given with --base:

    \b
      simgin match gold mine.py stubborn --against simple

    To label strategies in plots, add a [labels] table to an experiment file.

    With -o, simgin saves the results. Repeat the command to resume an interrupted run, or increase
    --deals or --matches to extend a finished run. Do not extend a run because a difference is not
    significant yet, as this makes false findings more frequent. Use --sprt instead. If you use
    --until, --sprt or --for, the options --deals and --matches set the maximum sample size.

    Before a long run, use --dry-run to see the expected precision, or --power to see the required
    sample size. With --margin X, simgin calls two strategies equivalent within X if the whole 95 %
    interval of their difference lies within ±X. For two strategies A and B, a margin of 1% means
    that A wins between 49 and 51 % of deals (or of matches), and draws count as half a win.
    """
    from simgin.cli import config
    from simgin.results.run_report import add_equivalence_test
    from simgin.runs.plan import drop_opponent, plan_match
    from simgin.strategy.loader import find_strategy

    if debug and arguments["deals"] is None and arguments["matches"] is None:
        arguments["deals"] = DEBUG_DEALS
        print_status(
            f"playing only {DEBUG_DEALS} deals, because --debug is slow. Set --deals for more."
        )
    config.drop_solitaire_opponent("against", arguments)
    if len(strategies) == 2 and config.is_configured("against"):
        arguments["against"] = None
    strategies = drop_opponent(strategies, arguments["against"])
    run_options = {name: arguments.pop(name) for name in options.RUN_OPTIONS}
    plan = plan_match(strategies, **arguments)
    resolved_options: dict[str, Any] = {"variant": plan.matchups[0].variant.spec}
    if plan.question is None:  # The plan has a single matchup.
        resolved_options["strategies"] = [player.spec for player in plan.matchups[0].players]
        resolved_options["against"] = None
    else:
        resolved_options["strategies"] = [find_strategy(name).spec for name in strategies]
    if margin is not None and (len(plan.matchups) > 1 or not plan.matchups[0].is_mirrored):
        raise click.UsageError(
            "--margin requires a match between two different strategies, because it tests a "
            "single difference. Specify two strategies, and omit --against and --base."
        )
    sentences = []

    def make_rows(results: RunResults) -> list[dict[str, Any]]:
        rows = results.records()
        if margin is not None:
            sentences.append(add_equivalence_test(rows, results, margin))
        return rows

    if plan.seconds is not None and len(plan.tasks) == 1:

        def make_repeat_command(results: RunResults) -> str:
            # Only a run of fixed size can be repeated exactly.
            unit_plural = UNIT_PLURALS[plan.unit]
            return format_repeat_command(
                **resolved_options, **{unit_plural: results.matchup_sizes[0]}, seconds=None
            )

        run_options["make_repeat_command"] = make_repeat_command
    command = format_plan_command(plan, resolved_options)
    play_or_print_plan(plan, command, sentences=sentences, make_rows=make_rows, **run_options)


def format_plan_command(plan: Plan, resolved_options: dict[str, Any]) -> str:
    """Return the command that repeats a plan, with canonical specs and the sample size."""
    n_games = plan.tasks[0].n_games
    # If only the time is limited, the plan has the maximum size.
    size_option = {UNIT_PLURALS[plan.unit]: n_games} if n_games < MAX_COUNT else {}
    return format_repeat_command(**resolved_options, **size_option)


def play_or_print_plan(
    plan: Plan,
    command: str,
    *,
    output: Path | None,
    record: bool,
    dry_run: bool,
    details: bool,
    power: str | float | None = None,
    sentences: Sequence[str] = (),
    details_hint: str = DETAILS_HINT,
    announces_plan: bool = False,
    **run_options: Any,
) -> None:
    """Play the plan of a command, or print the plan if `dry_run` is True.

    Args:
        plan: Plan to play.
        command: Command that repeats the result.
        output: Directory for the results, or None.
        record: True to record every deal.
        dry_run: True to print the plan without playing it.
        details: True to print all tables.
        power: Difference for which the required sample size is printed, or None.
        sentences: Sentences that are printed above the report.
        details_hint: Command or option that prints all tables.
        announces_plan: True to print the plan before the run starts.
        **run_options: Additional arguments of `session.run_plan_request`.
    """
    from simgin.cli import plan_table, session
    from simgin.results.run_results import run_plan

    workers, as_json = run_options["workers"], run_options["as_json"]
    session.check_run_output(output, record)
    session.warn_about_single_deals(plan.matchups)
    session.warn_about_knock_limits(plan.matchups)
    session.report_odd_size(plan)
    if dry_run or power is not None:
        plan_table.print_dry_run(
            plan,
            command,
            output,
            workers,
            record_deals=record,
            as_json=as_json,
            target_difference=power,
        )
        return
    session.warn_about_small_samples(plan)
    if announces_plan and not as_json:
        rows = plan_table.make_plan_rows(plan, output, workers, record_deals=record)
        plan_table.print_plan(plan, rows, output)
    session.run_plan_request(
        plan,
        partial(run_plan, plan),
        command,
        lambda results, _: session.render_run_results(
            results, command, details_hint, details=details, sentences=sentences
        ),
        output=output,
        record_deals=record,
        **run_options,
    )
