"""Tests that the catalogue of strategies agrees with the committed results."""

from pathlib import Path

import pandas as pd

from simgin.runs.plan import plan_experiment
from simgin.strategy import catalogue, loader
from support.pages_script import strategies

PROJECT_ROOT = Path(__file__).resolve().parents[2]
REFERENCE_DIRECTORY = PROJECT_ROOT / "results" / "reference"


def test_catalogue_agrees_with_league_and_benchmark() -> None:
    assert strategies.format_catalogue() == catalogue.CATALOGUE_FILE.read_text()


def test_every_two_player_strategy_is_in_the_league_or_excluded() -> None:
    """Exclude two slow strategies, and two that resemble gold and champion."""
    plan = plan_experiment(PROJECT_ROOT / "experiments" / "league.toml")
    league = {spec for key in plan.matchup_keys for spec in key.players}
    missing = {
        name for name in loader.list_built_in_strategies() if not catalogue.is_solo_strategy(name)
    } - league
    assert missing == {"mc", "champion-eaai", "champion-mc", "dice-player"}
    assert set(pd.read_csv(REFERENCE_DIRECTORY / "league" / "league.csv")["strategy"]) <= league


def test_no_speed_is_close_to_the_limit_of_a_tier() -> None:
    """Ensure that timing noise cannot change the speed tier of a strategy."""
    rates = [
        catalogue.read_catalogue_entry(name).get("deals_per_second")
        for name in loader.list_built_in_strategies()
    ]
    simple = catalogue.read_catalogue_entry("simple")["deals_per_second"]
    for limit in filter(None, catalogue.SPEED_TIER_BY_MIN_SPEED):
        assert not any(0.8 < rate / simple / limit < 1.25 for rate in rates if rate)


def test_catalogue_describes_every_strategy() -> None:
    assert catalogue.format_strength("simple").startswith("+0 ± 0, 50")
    assert catalogue.format_strength("nobody") == "–"
    tiers = {"champion": "fast", "gold": "fast", "marjj": "thorough", "mc": "searching"}
    tiers |= {"nobody": ""}
    assert {name: catalogue.find_speed_tier(name) for name in tiers} == tiers
    for name in loader.list_built_in_strategies():
        strategy = loader.find_strategy(name)
        idea = catalogue.extract_first_sentence(strategy)
        assert strategy.source and idea[0].isupper(), name
        assert not idea.lower().startswith(f"{name}:")
    ordered = catalogue.sort_by_strength(
        [loader.find_strategy(name) for name in ("random", "mc", "gold", "marjj")]
    )
    assert [strategy.name for strategy in ordered] == ["marjj", "gold", "random", "mc"]
