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
    "The saved game is corrupt, so a new game starts. Your first action overwrites the file. "
    "To keep the file, type q."
)


@click.command("play")
@click.argument("strategy", type=STRATEGY, required=False)
@variant_option
@seed_option
@click.option("--one", is_flag=True, help="Play a single deal instead of a match.")
@click.option("--coach", is_flag=True, help="Show the cost of each of your decisions.")
@click.option("--new", is_flag=True, help="Start a new game instead of resuming the saved one.")
@click.option(
    "--save",
    type=FILE_PATH,
    metavar="FILE",
    help="Save each deal as JSON: FILE-1.json, FILE-2.json, ...",
)
def play_command(coach: bool, new: bool, save: Path | None, **asked: Any) -> None:
    """Play against a strategy (default: champion), or play a solitaire game.

    Type a key or a card, then Enter. Type ? to list the keys, e to evaluate your actions, or q to
    save the game and quit. Repeat the command to resume the game.

    \b
    Play a match to 100 points, use the coach, or choose another variant:
      simgin play
      simgin play simple --coach
      simgin play -v oklahoma --seed 7
      simgin play -v solitaire-gin

    \b
    Grade your last ten deals, or save deals and analyse them:
      simgin grade --last 10
      simgin play --save mine
      simgin analyze mine-1.json
    """
    from simgin.cli import config
    from simgin.cli.game import CorruptGameError, InteractiveGame

    config.drop_solitaire_opponent("strategy", asked)
    matchup = read_game(**asked)
    saved_game = _saved_game_file(matchup)
    if new:
        saved_game.unlink(missing_ok=True)
    parts = matchup, saved_game, coach, save
    game = InteractiveGame(*parts)
    try:
        game.restore()
    except CorruptGameError:
        game = InteractiveGame(*parts, messages=[CORRUPT])
    game.play()


def read_game(strategy: str | None, variant: str, seed: int, one: bool) -> Matchup:
    """Return the matchup of the user in seat 0 and the opponent in seat 1, if any."""
    from simgin.play.matchup import Matchup, PlayerCountError
    from simgin.rules import variants
    from simgin.strategy import loader
    from simgin.strategy.strategy_spec import with_policies

    game = variants.find_variant(variant)
    is_solo = game.params["players"] == 1
    if is_solo and strategy:
        raise PlayerCountError(f"{game.spec} is a solitaire variant. Omit {strategy}.")
    # simgin never calls the policies of this strategy.
    you = with_policies(replace(loader.find_strategy("gold"), name=YOU), {}, YOU)
    opponent = None if is_solo else loader.find_strategy(strategy or "champion")
    return Matchup(game, you, opponent, seed, "deal" if one else "match")


def _saved_game_file(matchup: Matchup) -> Path:
    """Return the file of the saved game."""
    from simgin.core import jit

    name = repr((matchup.key, jit.compiled_digest()))
    return jit.cache_root() / "play" / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"
