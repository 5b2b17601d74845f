"""`simgin show`: replay of one deal, decision by decision."""

from typing import Any

import click

from simgin.cli import options
from simgin.cli.commands.analyze import DEAL_FILE_SUFFIXES
from simgin.cli.debug import debug_option, redirect_policy_output, show_traceback
from simgin.cli.output import CommandResult, format_command


@click.command("show")
@click.argument("a", type=options.STRATEGY_TYPE)
@click.argument("b", type=options.STRATEGY_TYPE, required=False)
@options.variant_option
@options.seed_option
@options.unit_option
@options.half_option
@options.deal_option
@debug_option
@options.json_only_option
def show_command(debug: bool, as_json: bool, **arguments: Any) -> None:
    """Replay one deal of A against B, or a solitaire deal of A.

    The output shows every decision with the cards that the player saw, and the showdown.

    Without --deal, simgin replays a single deal, as played by `simgin match --deals`. With --deal,
    simgin replays one deal of a match.
    """
    from simgin.cli import config
    from simgin.play import replay, replay_json
    from simgin.play.kernel import PolicyCallError
    from simgin.report.report import Report
    from simgin.text.files import has_suffix

    if has_suffix(arguments["a"], *DEAL_FILE_SUFFIXES):
        raise click.UsageError(
            f"{arguments['a']!r} is not a strategy. To analyse the deal in a file, run "
            f"`{format_command('analyze', arguments['a'])}`."
        )
    config.drop_solitaire_opponent("b", arguments)
    with redirect_policy_output(as_json):
        deal_trace = replay.trace_numbered_deal(**arguments)
    deal_replay = replay.make_replay(deal_trace)
    command = deal_trace.matchup.make_replay_command(
        arguments["unit"], arguments["half"], arguments["deal"] or 0
    )
    renderables = [
        *Report(deal_replay.title, [deal_replay.summary]).to_renderables(),
        "",
        *deal_replay.iter_body_lines(),
        "",
    ]
    CommandResult(command, replay_json.replay_to_json(deal_replay), arguments["seed"]).print(
        as_json, renderables
    )
    if deal_trace.error:
        show_traceback(deal_trace.exception)
        raise PolicyCallError(deal_trace.error)
