"""`simgin league`: a round robin of several strategies."""

from __future__ import annotations

from typing import Any

import click

from simgin.cli import options
from simgin.cli.commands.match import format_plan_command, play_or_print_plan


@click.command("league")
@click.argument(
    "strategies", type=options.STRATEGY_TYPE, nargs=-1, required=True, metavar="A B C..."
)
@options.variant_option
@options.count_option("--deals", "Number of single deals to play per pair, instead of matches.")
@options.count_option("--matches", "Number of matches per pair [default: 5k].")
@options.add_run_options
@options.dry_run_option
@click.option("--details", is_flag=True, help="Print all tables.")
@options.json_option
def league_command(strategies: tuple[str, ...], **arguments: Any) -> None:
    """Play several strategies against each other, and rank them.

    Every pair of strategies plays the same deals. simgin computes Elo ratings, and the mix of
    strategies that no single strategy beats. simgin also computes the result of each pair, with
    Holm's adjustment for multiple comparisons.

    \b
      simgin league gold simple stubborn mine.py
      simgin league gold simple stubborn --deals 50k -v oklahoma

    To label strategies in plots, add a [labels] table to an experiment file.

    With -o, simgin saves the results. Repeat the command to resume an interrupted league, or
    increase --matches or --deals to extend a finished league.
    """
    from simgin.runs.plan import plan_league
    from simgin.strategy.loader import find_strategy

    run_options = {name: arguments.pop(name) for name in options.RUN_OPTIONS if name in arguments}
    plan = plan_league(strategies, **arguments)
    specs = dict.fromkeys(find_strategy(name).spec for name in strategies)
    resolved_options = {"strategies": list(specs), "variant": plan.matchups[0].variant.spec}
    play_or_print_plan(plan, format_plan_command(plan, resolved_options), **run_options)
