"""Opponents that a user can choose, with their strengths and descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simgin.play.matchup import make_short_strategy_names
from simgin.strategy import catalogue, loader
from simgin.strategy.cast import NAMED_PLAYER_TYPES, PLAYER_TYPE_TABLES, find_player_type_name
from simgin.text.messages import capitalize_first

# minimum Elo rating of each level
LEVELS_BY_MIN_ELO = {150: "very strong", 50: "strong", -50: "average", -300: "weak"}
LOWEST_LEVEL = "very weak"


class Opponent(NamedTuple):
    """Strategy that users can choose as an opponent, with a label and a description."""

    spec: str
    label: str
    description: str


def list_opponents(extra_specs: Sequence[str]) -> dict[str, list[Opponent]]:
    """Return the two-player strategies in titled groups, strongest first.

    Args:
        extra_specs: Specs of the strategies that were specified when the server was started.
    """
    about_by_type = {
        entry["strategy"]: entry["about"]
        for entry in PLAYER_TYPE_TABLES["two_player"]
        if entry["name"] not in NAMED_PLAYER_TYPES
    }
    names = [
        name
        for name in catalogue.list_strategies_by_strength()
        if not catalogue.is_solo_strategy(name)
    ]
    specs = dict.fromkeys((*names, *about_by_type))
    groups = {
        "Your strategies": [
            _make_opponent(spec, name=name)
            for spec, name in make_display_names(extra_specs).items()
        ],
        "For beginners": [
            _make_opponent(name, entry["about"]) for name, entry in NAMED_PLAYER_TYPES.items()
        ],
        "Strongest first": [_make_opponent(spec, about_by_type.get(spec, "")) for spec in specs],
    }
    return {title: opponents for title, opponents in groups.items() if opponents}


def get_display_name(spec: str) -> str:
    """Return the player type that a spec represents, the name of a strategy file, or the spec."""
    player_type = find_player_type_name(spec) if "+" in spec else ""
    return player_type or (spec and make_display_names([spec])[spec])


def make_display_names(specs: Sequence[str]) -> dict[str, str]:
    """Return different display names for strategies, without the paths of their files."""
    names = make_short_strategy_names(map(loader.find_strategy, specs))
    return {spec: names.get(spec, spec) for spec in specs}


def format_as_sentence(description: str) -> str:
    """Capitalise a description, and end it with a full stop."""
    return f"{capitalize_first(description).rstrip('.')}." if description else ""


def _make_opponent(spec: str, description: str = "", name: str = "") -> Opponent:
    """Return the opponent for a spec, with its label and description.

    By default, the description is the first sentence of the strategy's own description.
    """
    name = name or get_display_name(spec)
    description = description or catalogue.extract_first_sentence(loader.find_strategy(spec))
    label = ", ".join(filter(None, (name, _find_strength_level(spec))))
    return Opponent(spec, label, format_as_sentence(description))


def _find_strength_level(spec: str) -> str:
    """Return the strength level of a built-in strategy, or "" for other strategies.

    If a strategy has no rating, the level is that of the next weaker strategy with a rating.
    """
    names = catalogue.list_strategies_by_strength()
    if spec not in names:
        return ""
    entries = map(catalogue.read_catalogue_entry, names[names.index(spec) :])
    elo = next(entry["elo"] for entry in entries if "elo" in entry)
    return next(
        (level for min_elo, level in LEVELS_BY_MIN_ELO.items() if elo >= min_elo), LOWEST_LEVEL
    )
