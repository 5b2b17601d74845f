"""`simgin show`: one deal, decision by decision."""

from __future__ import annotations

import click

from simgin.cli.debug import debug_option, policy_calls, show_traceback
from simgin.cli.options import (
    STRATEGY,
    deal_option,
    half_option,
    json_option,
    seed_option,
    unit_option,
    variant_option,
)
from simgin.cli.output import Answer


@click.command()
@click.argument("a", type=STRATEGY)
@click.argument("b", type=STRATEGY, required=False)
@variant_option
@seed_option
@unit_option
@half_option
@deal_option
@debug_option
@json_option
def show(
    a: str,
    b: str | None,
    variant: str,
    seed: int,
    unit: int,
    half: int,
    deal: int | None,
    debug: bool,
    as_json: bool,
) -> None:
    """Replay one deal of A against B, or of A alone.

    Prints every decision with what the player saw, and the showdown.

    Without --deal this is a single deal, as `simgin match --deals` plays it; with --deal it is one
    deal of a match.
    """
    from simgin.play import replay, replay_rows
    from simgin.play.kernel import PolicyFailure

    with policy_calls(as_json):
        played = replay.find_deal(a, b, variant, seed, unit, half, deal)
    text = replay.make_replay(played)
    command = played.matchup.replay(unit, half, deal or 0)
    Answer(command, replay_rows.rows(text), seed).show(as_json, [*text.lines(), ""])
    if played.fault:
        show_traceback(played.raised)
        raise PolicyFailure(played.fault)
