"""`simgin play`: interactive deals and matches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import FILE_PATH_TYPE, STRATEGY_TYPE, seed_option, variant_option

if TYPE_CHECKING:
    from simgin.play.matchup import Matchup

DEFAULT_OPPONENT = "champion"
RESUMED_NOTE = "Saved game resumed."


@click.command("play")
@click.argument("strategy", type=STRATEGY_TYPE, required=False)
@variant_option
@seed_option
@click.option("--one", "is_one_deal", is_flag=True, help="Play a single deal instead of a match.")
@click.option("--coach", is_flag=True, help="Show the cost of each of your decisions.")
@click.option("--new", is_flag=True, help="Start a new game instead of resuming the saved game.")
@click.option(
    "--save",
    type=FILE_PATH_TYPE,
    metavar="FILE",
    help="Save each deal as JSON: FILE-1.json, FILE-2.json, ...",
)
def play_command(coach: bool, new: bool, save: Path | None, **arguments: Any) -> None:
    """Play against a strategy (default: champion), or play a solitaire game.

    Type the letter of an action, or a card, and press Enter. Type ? to list all keys, e to evaluate
    your possible actions, or q to save the game and quit. Repeat the command to resume the game.

    \b
    Play a match, choose a weak opponent, use the coach, or choose a variant:
      simgin play
      simgin play beginner
      simgin play simple --coach
      simgin play -v oklahoma --seed 7
      simgin play -v solitaire-gin

    \b
    Grade your play in your last ten deals, or save deals and analyse them:
      simgin grade --last 10
      simgin play --save mine
      simgin analyze mine-1.json
    """
    from simgin.cli import config
    from simgin.cli.game import InteractiveGame
    from simgin.cli.session import announce_compilation
    from simgin.play.played_game import CORRUPT_GAME_NOTE, CorruptGameError, PlayedGame

    config.drop_solitaire_opponent("strategy", arguments)
    matchup = make_user_matchup(**arguments)
    saved_game_file = _find_saved_game_file(matchup)
    with announce_compilation():
        game = PlayedGame(matchup, saved_game_file)
    if new:
        game.delete()
    messages = []
    try:
        messages += [RESUMED_NOTE] if game.restore() else []
    except CorruptGameError:
        game = PlayedGame(matchup, saved_game_file)
        messages = [f"{CORRUPT_GAME_NOTE} To keep the file, type q."]
    InteractiveGame(game, coach, save, messages).play()


def make_user_matchup(strategy: str | None, variant: str, seed: int, is_one_deal: bool) -> Matchup:
    """Return the matchup of the user in seat 0, without an opponent in solitaire games."""
    from simgin.play.played_game import make_matchup_with_person
    from simgin.rules import variants

    parsed_variant = variants.find_variant(variant)
    opponent = strategy or ("" if parsed_variant.is_solo else DEFAULT_OPPONENT)
    return make_matchup_with_person(
        opponent, parsed_variant, seed, "deal" if is_one_deal else "match"
    )


def _find_saved_game_file(matchup: Matchup) -> Path:
    """Return the path of the saved game. Tests replace this function."""
    from simgin.play.played_game import get_saved_game_file

    return get_saved_game_file(matchup)
