"""Tests that a parameter that is declared to have no effect changes no result.

Played deals verify the fields `effective_if`, `ineffective_if` and `status` in variants.toml.
"""

import random
import shlex
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import simgin
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from simgin.rules.validation import RulesWarning
from support.command_line import call
from support.variant_lists import possible_values, strategy

# Numbers that differ in play; all values of choices are drawn
NUMBERS = {
    "knock_limit": (0, 0, 10, 40),
    "stock_reserve": (0, 2, 10),
    "max_turns": (10, 500),
    "max_draws": (None, 5, 15),
    "ace_value": (1, 15),
    "defender_ace_value": (1, 15),
    "gin_bonus": (0, 25),
    "big_gin_bonus": (0, 31),
    "undercut_bonus": (0, 25),
    "penalty_gin": (-20, 7),
    "points_target": (25, 60),
    "deals_target": (3, 5),
    "games_target": (1, 3),
    "game_table": ([[30, 4], [100, 1]], [[100, 2]]),
    "columns": (1, 1, 3),
    "deals_in_match": (1, 4),
    "total_goal": (30, 100),
    "game_bonus": (0, 100),
    "box_bonus": (0, 25),
    "start_points": ([0, 0], [24, 9]),
    "max_deals": (3, 1000),
    "die_cap": (2, 6),
}
BASES = ("standard", "gin-solitaire", "solitary-gin")
# Includes players that use the knock limit
PLAYERS = {
    2: (("gambler", "stray"), ("rlcard-novice", "gambler"), ("shooter", "gold")),
    1: ("stray", "rlcard-novice"),
}


def values_of(name):
    """Return some values of a parameter."""
    return NUMBERS.get(name) or possible_values(load_rule_parameters()[name])


def random_rules(rng, base):
    """Return random valid rules, in which each parameter may have another legal value."""
    row = dict(variants.find_variant(base).params)
    for name in rng.sample([*load_rule_parameters()], len(row)):
        changed = {**row, name: rng.choice(values_of(name))}
        if rng.random() < 0.6 and not variants.validate_params(changed):
            row = changed
    text = "+".join(
        f"{name}={load_rule_parameters()[name].to_text(value)}" for name, value in row.items()
    )
    return replace(variants.find_variant(base), spec=f"{base}+{text}", params=row)


def results(variant, players, n, unit="match"):
    """Return every sum over n pairs of matches or deals."""
    a, b = (players, None) if isinstance(players, str) else players
    return kernel.play_batches(Matchup(variant, strategy(a), b and strategy(b), 7, unit), 0, n)


def with_other_values(variant, name):
    """Yield valid rules that differ only in one parameter."""
    for value in (None, *values_of(name)):
        row = {**variant.params, name: value}
        if value != variant.params[name] and not variants.validate_params(row):
            yield replace(variant, spec=f"{variant.spec}+{name}={value}", params=row)


def parameters_that_matter(variant, players, n, rng):
    """Yield the parameters that change a result; try only one value of those with an effect."""
    expected = results(variant, players, n)
    for name, parameter in load_rule_parameters().items():
        changes = [*with_other_values(variant, name)]
        if parameter.has_effect(variant.params):
            changes = rng.sample(changes, min(1, len(changes)))
        if not all(np.array_equal(results(one, players, n), expected) for one in changes):
            yield name


def match_parameters_that_matter(variant, players, n):
    """Return the match parameters whose change changes a result of single deals."""
    expected = results(variant, players, n, "deal")
    for name in [
        name for name, parameter in load_rule_parameters().items() if parameter.matches_only
    ]:
        if any(
            (results(one, players, n, "deal") != expected).any()
            for one in with_other_values(variant, name)
        ):
            yield name


@pytest.mark.parametrize(("rules", "n"), [(2, 1), pytest.param(200, 6, marks=pytest.mark.slow)])
def test_parameters_without_effect_change_no_result_and_the_others_do(rules, n):
    rng, moved, acting = random.Random(17), set(), set()
    for i in range(rules):
        for base in BASES:
            variant = random_rules(rng, base)
            some = PLAYERS[variant.params["players"]]
            players = some[i % len(some)]
            idle = {
                name
                for name, one in load_rule_parameters().items()
                if not one.has_effect(variant.params)
            }
            changed = {*parameters_that_matter(variant, players, n, rng)}
            assert not changed & idle, (variant.spec, changed & idle)
            assert not [*match_parameters_that_matter(variant, players, n)], variant.spec
            moved |= changed
            acting |= load_rule_parameters().keys() - idle
    assert len(moved) > 15
    if rules > 2:
        assert acting - moved == {"players"}  # for which other rules allow only one value


# Warnings

POINTS = "has no effect with goal = points. It requires"
GIN_ONLY = (
    "has no effect with knock_by_upcard = no and knock_limit = 0. It requires another value of"
)
RULES_WITHOUT_EFFECT = {
    "standard+columns=4": f"columns {POINTS} goal = columns.",
    "standard+games_target=3": f"games_target {POINTS} goal = games.",
    "standard+deal_count_gin=2+box_bonus=25": f"deal_count_gin {POINTS} goal = race, twofold or "
    "deals.",
    "standard+penalty_gin=-20": "penalty_gin has no effect with deal_scoring = versus. It requires "
    "deal_scoring = penalty.",
    "straight+undercut_bonus=10": f"undercut_bonus {GIN_ONLY} knock_by_upcard or knock_limit.",
    "oklahoma+knock_limit=5": "knock_limit has no effect with knock_by_upcard = yes. It requires "
    "knock_by_upcard = no.",
    "standard+discard_view=open": "discard_view never has an effect. It only describes the game.",
    "pro+columns=2+die_cap=3": "columns has no effect with goal = games. It requires goal = "
    "columns. die_cap has no effect with die = off. It requires die = deal or game.",
}
RULES_WITHOUT_WARNING = (
    *variants.variant_names(),
    "standard+box_bonus=25+shutout=flat_100",
    "standard+columns=-",
    "hollywood+columns=4",
    "race+pro",
    "straight+oklahoma+undercut_bonus=10",
    "round-the-corner+layoff=no+layoff_on_gin=no",  # refused without the last setting
)


def warnings_of(act, *words):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        act(*words)
    return [str(one.message) for one in told if one.category is RulesWarning]


@pytest.mark.parametrize("text", RULES_WITHOUT_EFFECT)
def test_a_setting_without_effect_is_named_with_what_it_needs(text):
    assert warnings_of(variants.find_variant, text) == [f"{text}: {RULES_WITHOUT_EFFECT[text]}"]


def test_a_setting_that_is_the_default_is_named_too():
    assert warnings_of(simgin.find_variant, "standard+columns=3") == [
        f"standard: columns {POINTS} goal = columns."
    ]


@pytest.mark.parametrize("text", RULES_WITHOUT_WARNING)
def test_built_in_rules_and_settings_with_an_effect_are_quiet(text):
    assert warnings_of(variants.find_variant, text) == []


OWN_VARIANT_TEXT = """
[variants.mine]
title = "Mine"
about = "Four columns."
base = "standard+games_target=3"
[variants.mine.changes]
columns = 4
"""
EXPERIMENT = """
variants = ["standard+columns=4"]
seed = 1
deals = 20
[panel]
strategies = ["gold"]
against = "simple"
"""
RULES_OF_MATCHES = ("box_bonus", "next_dealer")
CARDS = "AS 2S 3S 5H 6H 7H 9C TC KD QD"
# Some commands stop with an error after reading the rules, to save time
COMMANDS = {
    "match gold simple --deals 4 -v": 0,
    "variants": 0,
    "variants diff standard": 0,
    "show gold simple -v": 0,
    f"hand '{CARDS}' -v": 0,
    "find gold simple --deals 4 --where gin -v": 0,
    f"analyze '{CARDS}' -v": 2,
    "odds --deals 1": 2,
    "review --against standard --matches 1": 2,
    "train gold -v": 2,
}


SLOW_COMMANDS = {"play gold -v": 0, "chart knock --deals 1 -v": 2}


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, *(pytest.param(words, marks=pytest.mark.slow) for words in SLOW_COMMANDS)],
)
def test_a_command_warns_once_of_the_rules_that_are_typed(command, empty_directory):
    words = [*shlex.split(command), "standard+columns=4"]
    said = " ".join(call(*words, code=(COMMANDS | SLOW_COMMANDS)[command]).stderr.split())
    assert said.count("simgin: warning: ") == 1
    assert (
        f"simgin: warning: standard+columns=4: {RULES_WITHOUT_EFFECT['standard+columns=4']}" in said
    )


def test_files_are_warned_of(empty_directory):
    Path("own.toml").write_text(OWN_VARIANT_TEXT)
    Path("run.toml").write_text(EXPERIMENT)
    told = "own.toml#mine: games_target has no effect with goal = points."
    for words in (("variants", "check", "own.toml"), ("variants", "own.toml#mine")):
        said = " ".join(call(*words).stderr.split())
        assert said.count("warning") == 1 and told in said and "columns has no effect" in said
    assert "standard+columns=4: columns has no effect" in call("run", "run.toml", code=2).stderr


def test_rules_of_matches_are_warned_of_where_single_deals_are_played():
    text = "standard+box_bonus=25+next_dealer=loser"
    told = [
        f"{name} has no effect on single deals. It requires matches." for name in RULES_OF_MATCHES
    ]
    match = partial(simgin.match, "gold", variant=text)
    assert warnings_of(partial(match, deals=4)) == [f"{text}: {' '.join(told)}"]
    assert warnings_of(partial(match, matches=2)) == []
    # The chart stops with an error after reading the rules, to save time
    for words, code in (("find gold --where gin", 0), ("chart knock --player gold", 2)):
        result = call(*words.split(), "-v", text, "--deals", 1, code=code)
        assert "has no effect on single deals" in result.stderr
