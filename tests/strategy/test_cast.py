"""Tests that every strategy of cast.toml exists and can play its games."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from simgin.analysis import drill, grades
from simgin.learn import adapt
from simgin.odds import odds
from simgin.play.matchup import parse_matchup
from simgin.review import review_request
from simgin.rules import variants
from simgin.strategy import cast, loader
from support.command_line import run_simgin
from support.pages_script import cards

ROOT = Path(__file__).resolve().parents[2]
ALL_VARIANTS = [variants.find_variant(name) for name in variants.variant_names()]


def iter_player_type_strategies(table: object) -> Iterator[str]:
    """Yield the strategies in a table of cast.toml, except "self", the strategy in training."""
    if isinstance(table, str):
        yield from () if table == "self" else (table,)
    elif isinstance(table, list):
        for entry in table:
            yield from iter_player_type_strategies(entry)
    elif isinstance(table, dict):
        for entry in table.values():
            yield from iter_player_type_strategies(entry)


@pytest.mark.parametrize("variant", ALL_VARIANTS, ids=lambda variant: variant.spec)
def test_player_types_can_play_every_variant(variant):
    for player_type in cast.list_player_types(variant):
        opponent = None if variant.is_solo else player_type.strategy
        assert parse_matchup(player_type.strategy, opponent, variant.spec, 1, "deal").a.spec


def test_player_types_of_a_variant_are_different():
    for types in map(cast.list_player_types, ALL_VARIANTS):
        assert (
            len(dict(types)) == len(types) == len({player_type.strategy for player_type in types})
        )


def test_player_types_use_canonical_specs():
    for types in (cast.PLAYER_TYPE_TABLES["two_player"], cast.PLAYER_TYPE_TABLES["solitaire"]):
        for entry in types:
            for name in (entry["strategy"], *entry.get("also", ())):
                assert loader.find_strategy(name).spec == name
    parts = {part: cast.PLAYER_TYPE_TABLES[part] for part in ("strong", "odds", "training")}
    names = [*iter_player_type_strategies(parts), *cast.PLAYER_TYPE_TABLES["points_lost"]]
    assert [loader.find_strategy(name).spec for name in names] == names


def test_beginner_can_be_used_by_name():
    by_name, by_spec = map(
        loader.find_strategy, ("beginner", cast.PLAYER_TYPE_TABLES["two_player"][0]["strategy"])
    )
    assert by_name.spec == by_name.name == "beginner"
    assert loader.is_same_strategy(by_name, by_spec)
    assert loader.find_strategy(by_name) == by_name == pickle.loads(pickle.dumps(by_name))
    changed = loader.find_strategy("beginner+discard=low")
    assert changed.spec == "beginner+discard=low" and changed.take == by_spec.take
    with pytest.raises(ValueError, match="Did you mean 'beginner'"):
        loader.find_strategy("beginnerr")
    rows = json.loads(run_simgin("strategies", "--search", "beginner", "--json").stdout)["rows"]
    assert rows[0]["name"] == "beginner" and rows[0]["about"].startswith("Takes cards for")


def test_immediate_knocker_uses_the_highest_knock_limit():
    standard = variants.find_variant("standard")
    high_limit = variants.find_variant("standard+knock_limit=20")
    assert dict(cast.list_player_types(standard))[cast.IMMEDIATE_KNOCKER] == "simple"
    assert (
        dict(cast.list_player_types(standard, high_limit))[cast.IMMEDIATE_KNOCKER] == "simple:k=20"
    )


@pytest.mark.parametrize("variant", ALL_VARIANTS, ids=lambda variant: variant.spec)
def test_odds_players_end_with_the_strong_player(variant):
    players = cast.list_odds_players(variant)
    assert len(set(players)) == len(players)
    if variant.is_solo:
        naive, *_, strong = cast.list_player_types(variant)
        assert (players[0], players[-1]) == (naive.strategy, strong.strategy)
    else:
        type_names = [cast.find_player_type_name(player) for player in players]
        assert type_names == [cast.IMMEDIATE_KNOCKER, cast.EARLY_KNOCKER, ""]


def test_display_names_occur_only_in_cast_toml():
    """Search for the names of several words, because single words have other meanings."""
    entries = [*cast.PLAYER_TYPE_TABLES["two_player"], *cast.PLAYER_TYPE_TABLES["solitaire"]]
    names = [entry["name"] for entry in entries if " " in entry["name"]]
    for folder in ("simgin", "docs"):
        for path in (ROOT / folder).rglob("*.py"):
            code = path.read_text(encoding="utf-8")
            assert not [name for name in names if f'"{name}"' in code], path


def test_default_players_come_from_cast_toml():
    """Check reviews, drills, odds, training, grades and the findings page."""
    standard = variants.find_variant("standard")
    weaker = [player_type.strategy for player_type in cast.list_weaker_types(standard)]
    assert list(review_request.ReviewRequest(("standard",)).kinds) == [
        *cast.list_weaker_types(standard)
    ]
    drill_matchups = drill.DrillRequest.read("standard", positions=1).matchups
    assert [matchup.a.spec for matchup in drill_matchups] == weaker
    assert {matchup.opponent for matchup in drill_matchups} == {cast.find_strong_player(standard)}
    assert odds.OddsRequest.read(["standard"]).two_player_groups == [
        ("standard", cast.list_odds_players(standard))
    ]
    assert set(adapt.TRAINING_OPPONENTS) <= set(weaker)
    assert cast.find_strong_player(standard) in grades.STRATEGY_ERROR_RATES
    types = {strategy for names in cards.STRATEGIES_BY_PLAYER_TYPE.values() for strategy in names}
    assert {*weaker, cast.find_strong_player(standard)} <= types


def test_reference_results_use_current_display_names():
    names = {entry["name"] for entry in cast.PLAYER_TYPE_TABLES["two_player"]}
    for name in ("review", "knock-limit", "bonuses"):
        frame = pd.read_csv(ROOT / f"results/reference/{name}/metrics.csv")
        assert set(frame["players"].str.split(" v ").explode()) <= names


def test_weaker_player_types_omit_optional_and_strong_types():
    standard, solitaire = variants.find_variant("standard"), variants.find_variant("solitary-gin")
    names = [player_type.name for player_type in cast.list_player_types(standard)]
    assert names == [cast.BEGINNER, *dict(cast.list_weaker_types(standard)), cast.STRONG_PLAYER]
    assert list(dict(cast.list_weaker_types(solitaire))) == [cast.NAIVE_PLAYER, cast.CAREFUL_PLAYER]
