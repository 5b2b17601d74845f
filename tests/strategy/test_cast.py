"""The player types: every strategy of cast.toml exists and can play its games."""

from collections.abc import Iterator

import pytest

from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.strategy import cast, loader

GAMES = [variants.find(name) for name in variants.names()]


def strategies(part: object) -> Iterator[str]:
    """The strategies that a part of the cast names; "self" is the strategy in training."""
    if isinstance(part, str):
        yield from () if part == "self" else (part,)
    elif isinstance(part, list):
        for entry in part:
            yield from strategies(entry)
    elif isinstance(part, dict):
        for entry in part.values():
            yield from strategies(entry)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.text)
def test_every_type_can_play_every_variant(game):
    for player in cast.player_types(game):
        opponent = None if game.row["players"] == 1 else player.strategy
        assert parse_matchup(player.strategy, opponent, game.text, 1, "deal").a.text


def test_names_and_strategies_of_a_game_are_different():
    for types in map(cast.player_types, GAMES):
        assert len(dict(types)) == len(types) == len({player.strategy for player in types})


def test_every_strategy_of_the_cast_is_written_canonically():
    for types in (cast.CAST["two_player"], cast.CAST["solitaire"]):
        for entry in types:
            for name in (entry["strategy"], *entry.get("also", ())):
                assert loader.find(name).text == name
    others = {part: cast.CAST[part] for part in ("strong", "odds", "training")}
    named = [*strategies(others), *cast.CAST["points_lost"]]
    assert [loader.find(name).text for name in named] == named


def test_a_player_that_knocks_immediately_uses_the_highest_knock_limit():
    standard, wide = variants.find("standard"), variants.find("standard+knock_limit=20")
    assert dict(cast.player_types(standard))[cast.KNOCKS_IMMEDIATELY] == "simple"
    assert dict(cast.player_types(standard, wide))[cast.KNOCKS_IMMEDIATELY] == "simple:k=20"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.text)
def test_odds_are_computed_for_types_and_the_strong_player_comes_last(game):
    players = cast.odds_players(game)
    assert len(set(players)) == len(players)
    if game.row["players"] == 1:
        naive, *_, strong = cast.player_types(game)
        assert (players[0], players[-1]) == (naive.strategy, strong.strategy)
    else:
        assert list(map(cast.type_name, players)) == [
            cast.KNOCKS_IMMEDIATELY,
            cast.KNOCKS_EARLY,
            "",
        ]


def test_reviews_and_drills_leave_the_optional_and_the_strong_type_out():
    standard, solitaire = variants.find("standard"), variants.find("solitary-gin")
    names = [player.name for player in cast.player_types(standard)]
    assert names == [cast.BEGINNER, *dict(cast.weaker_types(standard)), cast.STRONG]
    assert list(dict(cast.weaker_types(solitaire))) == [cast.NAIVE, cast.CAREFUL]
