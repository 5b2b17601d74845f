"""`simgin show`: one deal, every decision."""

from __future__ import annotations

import click

from simgin.cli.debug import debug_option, session, tell
from simgin.cli.output import Answer, command_line, json_option


@click.command()
@click.argument("a")
@click.argument("b", required=False)
@click.option(
    "-v",
    "--variant",
    default="standard",
    show_default=True,
    help="The game, like oklahoma or standard+knock_limit=5.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the run.")
@click.option(
    "--unit",
    type=int,
    default=0,
    show_default=True,
    metavar="I",
    help="Which deal, pair of deals or pair of matches.",
)
@click.option(
    "--half",
    type=int,
    default=0,
    show_default=True,
    metavar="0/1",
    help="0: A sits at seat 0; 1: at seat 1, the same pack.",
)
@click.option(
    "--deal",
    type=int,
    metavar="J",
    help="Deal number J (from 0) of the match that is unit I of `match --matches`.",
)
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
    """Replay one deal of A against B, or of A alone: every decision with what the strategy saw, and the showdown.

    Without --deal it is a single deal, as `simgin match --deals` plays it; with --deal one of a match.
    """
    from simgin.play import replay, replay_solo
    from simgin.play.matchup import IllegalAnswer

    with session(as_json):
        played = replay.find(a, b, variant, seed, unit, half, deal)
    told = replay_solo.told(played)
    one = played.matchup
    halves = ["--half", half] if one.b is not None else []
    place = ["--seed", seed, "--unit", unit, *halves, *(() if deal is None else ("--deal", deal))]
    command = command_line(
        "show", *(player.text for player in one.players), "-v", one.variant.text, *place
    )
    Answer(command, told.rows(), seed).give(as_json, [*told.lines(), ""])
    if played.fault:
        tell(played.raised)
        raise IllegalAnswer(played.fault)
