"""`simgin play`: interactive deal or match."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import FILE_PATH, STRATEGY, seed_option, variant_option

if TYPE_CHECKING:
    from simgin.play.matchup import Matchup

YOU = "you"
CORRUPT = (
    "The saved game is corrupt, so a new game has started. Your first action overwrites the file. "
    "To keep the file, type q."
)


@click.command("play")
@click.argument("strategy", type=STRATEGY, required=False)
@variant_option
@seed_option
@click.option("--one", is_flag=True, help="A single deal in place of a match.")
@click.option("--coach", is_flag=True, help="Say after each decision what it cost.")
@click.option("--new", is_flag=True, help="Begin anew where a game was left.")
@click.option(
    "--save",
    type=FILE_PATH,
    metavar="FILE",
    help="Write each deal as `simgin show --json` does: FILE-1.json, FILE-2.json ...",
)
def play_command(coach: bool, new: bool, save: Path | None, **asked: Any) -> None:
    """Play against a strategy, by default champion, or a game for one alone.

    Type a key or a card, then Enter. ? says what is legal, u takes the last answer back, and q
    leaves: the same command goes on from there.

    \b
    A match to 100 points; with advice; other rules; alone
      simgin play
      simgin play simple --coach
      simgin play -v oklahoma --seed 7
      simgin play -v solitaire-gin
    Your deals for later: what did each decision cost?
      simgin play --save mine
      simgin analyze mine-1.json
    """
    from simgin.cli.game import Coach, CorruptGameError, InteractiveGame

    matchup = read_game(**asked)
    kept = _saved_game_file(matchup)
    if new:
        kept.unlink(missing_ok=True)
    parts = matchup, kept, Coach(matchup) if coach else None, save
    game = InteractiveGame(*parts)
    try:
        game.restore()
    except CorruptGameError:
        game = InteractiveGame(*parts, messages=[CORRUPT])
    game.play()


def read_game(strategy: str | None, variant: str, seed: int, one: bool) -> Matchup:
    """Return the matchup of the user, in seat 0, and the opponent, if there is one."""
    from simgin.play.matchup import Matchup, PlayerCountError
    from simgin.rules import variants
    from simgin.strategy import loader
    from simgin.strategy.strategy_spec import with_policies

    game = variants.find_variant(variant)
    alone = game.params["players"] == 1
    if alone and strategy:
        raise PlayerCountError(
            f"{game.spec} is a solitaire game without an opponent. Omit {strategy}."
        )
    # Its policies are never called
    you = with_policies(replace(loader.find_strategy("gold"), name=YOU), {}, YOU)
    opponent = None if alone else loader.find_strategy(strategy or "champion")
    return Matchup(game, you, opponent, seed, "deal" if one else "match")


def _saved_game_file(matchup: Matchup) -> Path:
    """Return the file of the saved game."""
    from simgin.core import jit

    name = repr((matchup.key, jit.compiled_digest()))
    return jit.cache_root() / "play" / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"
