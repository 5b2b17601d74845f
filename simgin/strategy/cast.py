"""Player types, and the strategies that represent these types in all commands and reports.

    list_player_types(variants.find_variant("standard"))  # weakest first: beginner, ..., strong

cast.toml lists the player types of two-player and of solitaire games, with their display names and
strategies. The file also lists the strategies for odds, pilot matches and training.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from simgin.rules.variants import Variant
from simgin.strategy import loader

PLAYER_TYPES_FILE = Path(__file__).with_name("cast.toml")
PLAYER_TYPE_TABLES: dict[str, Any] = tomllib.loads(PLAYER_TYPES_FILE.read_text(encoding="utf-8"))


class PlayerType(NamedTuple):
    """Player type, with a display name and the spec of the strategy that represents it."""

    name: str
    strategy: str


_TWO_PLAYER_TYPE_NAMES: dict[str, str] = {
    entry["key"]: entry["name"] for entry in PLAYER_TYPE_TABLES["two_player"]
}
_SOLITAIRE_TYPE_NAMES: dict[str, str] = {
    entry["key"]: entry["name"] for entry in PLAYER_TYPE_TABLES["solitaire"]
}
BEGINNER = _TWO_PLAYER_TYPE_NAMES["beginner"]
IMMEDIATE_KNOCKER = _TWO_PLAYER_TYPE_NAMES["knocks_immediately"]
EARLY_KNOCKER = _TWO_PLAYER_TYPE_NAMES["knocks_early"]
GIN_PLAYER = _TWO_PLAYER_TYPE_NAMES["plays_for_gin"]
STRONG_PLAYER = _TWO_PLAYER_TYPE_NAMES["strong"]
# Player types that are represented by a composed spec. Users can enter the name of such a type as a
# strategy.
NAMED_PLAYER_TYPES: dict[str, dict[str, Any]] = {
    entry["name"]: entry for entry in PLAYER_TYPE_TABLES["two_player"] if "+" in entry["strategy"]
}
NAIVE_PLAYER, CAREFUL_PLAYER = _SOLITAIRE_TYPE_NAMES["naive"], _SOLITAIRE_TYPE_NAMES["careful"]
PLAYER_TYPE_PLURALS: dict[str, str] = {
    entry["name"]: entry["plural"]
    for entry in PLAYER_TYPE_TABLES["two_player"] + PLAYER_TYPE_TABLES["solitaire"]
}
CHAMPION_STRATEGY: str = PLAYER_TYPE_TABLES["two_player"][-1]["strategy"]
CHALLENGER_STRATEGIES: list[str] = PLAYER_TYPE_TABLES["strong"]["challengers"]
TRAINING_SETTINGS: dict[str, Any] = PLAYER_TYPE_TABLES["training"]
SELF_PLAY_OPPONENT = "self"  # opponent in TRAINING: champion with the current weights
FAST_SOLO_STRATEGY: str = PLAYER_TYPE_TABLES["strong"]["fast_solitaire"]


def list_player_types(*variants: Variant) -> tuple[PlayerType, ...]:
    """Return the player types for a game, weakest first.

    The player that knocks immediately uses the highest knock limit of the given variants.
    """
    knock_limit = max(int(str(variant.params["knock_limit"] or 0)) for variant in variants)
    player_types = []
    for type_table in PLAYER_TYPE_TABLES["solitaire" if variants[0].is_solo else "two_player"]:
        strategy = type_table["strategy"]
        if knock_limit > type_table.get("knock_limit", knock_limit):
            strategy = loader.find_strategy(f"{strategy}:k={knock_limit}").spec
        player_types.append(PlayerType(type_table["name"], strategy))
    return tuple(player_types)


def list_weaker_types(*variants: Variant) -> tuple[PlayerType, ...]:
    """Return the default opponents of the strong player, weakest first."""
    names = {table["name"] for table in PLAYER_TYPE_TABLES["two_player"] if table.get("optional")}
    return tuple(player for player in list_player_types(*variants)[:-1] if player.name not in names)


def find_strong_player(variant: Variant) -> str:
    """Return the spec of the strong player's strategy in a game."""
    return list_player_types(variant)[-1].strategy


def list_odds_players(variant: Variant) -> tuple[str, ...]:
    """Return the strategies for which odds are computed by default, weakest first."""
    if not variant.is_solo:
        return tuple(PLAYER_TYPE_TABLES["odds"]["two_player"])
    naive, *_, strong = list_player_types(variant)
    players = PLAYER_TYPE_TABLES["odds"]["solitaire"][str(variant.params["deal_scoring"])]
    return (naive.strategy, *players, strong.strategy)


def find_player_type_name(strategy: str) -> str:
    """Return the display name of the player type that a strategy represents, or ""."""
    for type_table in PLAYER_TYPE_TABLES["two_player"]:
        if strategy in (type_table["strategy"], *type_table.get("also", ())):
            return str(type_table["name"])
    return ""
