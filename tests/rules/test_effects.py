"""Tests that parameters declared to have no effect change no result.

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
from support.command_line import run_simgin
from support.variant_lists import find_test_strategy, list_parameter_values

# Numbers that differ in play; all values of choices are drawn
TEST_VALUES = {
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
BASE_VARIANTS = ("standard", "gin-solitaire", "solitary-gin")
# Includes players that use the knock limit
STRATEGIES_BY_N_PLAYERS = {
    2: (("gambler", "stray"), ("rlcard-novice", "gambler"), ("shooter", "gold")),
    1: ("stray", "rlcard-novice"),
}


def choose_test_values(parameter_name):
    """Return the values of a parameter that the tests use."""
    return TEST_VALUES.get(parameter_name) or list_parameter_values(
        load_rule_parameters()[parameter_name]
    )


def sample_rules(rng, base_spec):
    """Return valid rules with random changes to the parameters of a variant."""
    row = dict(variants.find_variant(base_spec).params)
    for name in rng.sample([*load_rule_parameters()], len(row)):
        changed = {**row, name: rng.choice(choose_test_values(name))}
        if rng.random() < 0.6 and not variants.validate_params(changed):
            row = changed
    text = "+".join(
        f"{name}={load_rule_parameters()[name].to_text(value)}" for name, value in row.items()
    )
    return replace(variants.find_variant(base_spec), spec=f"{base_spec}+{text}", params=row)


def compute_statistic_sums(variant, players, n_pairs, unit="match"):
    """Return the sums of all statistics over pairs of matches or deals."""
    a, b = (players, None) if isinstance(players, str) else players
    return kernel.play_batches(
        Matchup(variant, find_test_strategy(a), b and find_test_strategy(b), 7, unit), 0, n_pairs
    )


def iter_changed_variants(variant, parameter_name):
    """Yield valid variants that differ only in one parameter."""
    for value in (None, *choose_test_values(parameter_name)):
        row = {**variant.params, parameter_name: value}
        if value != variant.params[parameter_name] and not variants.validate_params(row):
            yield replace(variant, spec=f"{variant.spec}+{parameter_name}={value}", params=row)


def find_effective_parameters(variant, players, n_pairs, rng):
    """Yield the parameters for which another value changes the results."""
    expected = compute_statistic_sums(variant, players, n_pairs)
    for name, parameter in load_rule_parameters().items():
        changes = [*iter_changed_variants(variant, name)]
        if parameter.has_effect(variant.params):
            changes = rng.sample(changes, min(1, len(changes)))
        if not all(
            np.array_equal(compute_statistic_sums(changed_variant, players, n_pairs), expected)
            for changed_variant in changes
        ):
            yield name


def find_effective_match_parameters(variant, players, n_pairs):
    """Yield the match-only parameters that change a result of single deals."""
    expected = compute_statistic_sums(variant, players, n_pairs, "deal")
    for name in [
        name for name, parameter in load_rule_parameters().items() if parameter.is_match_only
    ]:
        if any(
            (compute_statistic_sums(changed_variant, players, n_pairs, "deal") != expected).any()
            for changed_variant in iter_changed_variants(variant, name)
        ):
            yield name


@pytest.mark.parametrize(
    ("n_rule_sets", "n"), [(2, 1), pytest.param(200, 6, marks=pytest.mark.slow)]
)
def test_declared_effects_agree_with_played_results(n_rule_sets, n):
    rng, all_effective, declared_effective = random.Random(17), set(), set()
    for i in range(n_rule_sets):
        for base in BASE_VARIANTS:
            variant = sample_rules(rng, base)
            possible_players = STRATEGIES_BY_N_PLAYERS[variant.params["players"]]
            players = possible_players[i % len(possible_players)]
            declared_ineffective = {
                name
                for name, parameter in load_rule_parameters().items()
                if not parameter.has_effect(variant.params)
            }
            effective = {*find_effective_parameters(variant, players, n, rng)}
            assert not effective & declared_ineffective, (
                variant.spec,
                effective & declared_ineffective,
            )
            assert not [*find_effective_match_parameters(variant, players, n)], variant.spec
            all_effective |= effective
            declared_effective |= load_rule_parameters().keys() - declared_ineffective
    assert len(all_effective) > 15
    if n_rule_sets > 2:
        assert declared_effective - all_effective == {
            "players"
        }  # for which other rules allow only one value


# Warnings

POINTS_GOAL_MESSAGE = "has no effect with goal = points. It requires"
NO_KNOCKS_MESSAGE = (
    "has no effect with knock_by_upcard = no and knock_limit = 0. It requires another value of"
)
WARNING_BY_SPEC = {
    "standard+columns=4": f"columns {POINTS_GOAL_MESSAGE} goal = columns.",
    "standard+games_target=3": f"games_target {POINTS_GOAL_MESSAGE} goal = games.",
    "standard+deal_count_gin=2+box_bonus=25": f"deal_count_gin {POINTS_GOAL_MESSAGE} goal = race, "
    "twofold or deals.",
    "standard+penalty_gin=-20": "penalty_gin has no effect with deal_scoring = versus. It requires "
    "deal_scoring = penalty.",
    "straight+undercut_bonus=10": f"undercut_bonus {NO_KNOCKS_MESSAGE} "
    "knock_by_upcard or knock_limit.",
    "oklahoma+knock_limit=5": "knock_limit has no effect with knock_by_upcard = yes. It requires "
    "knock_by_upcard = no.",
    "standard+discard_view=open": "discard_view never has an effect. It only describes the game.",
    "pro+columns=2+die_cap=3": "columns has no effect with goal = games. It requires goal = "
    "columns. die_cap has no effect with die = off. It requires die = deal or game.",
}
SPECS_WITHOUT_WARNING = (
    *variants.variant_names(),
    "standard+box_bonus=25+shutout=flat_100",
    "standard+columns=-",
    "hollywood+columns=4",
    "race+pro",
    "straight+oklahoma+undercut_bonus=10",
    "round-the-corner+layoff=no+layoff_on_gin=no",  # refused without the last setting
)


def collect_rules_warnings(function, *arguments):
    """Call a function and return the messages of its rules warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments)
    return [str(warning.message) for warning in caught if warning.category is RulesWarning]


@pytest.mark.parametrize("spec", WARNING_BY_SPEC)
def test_setting_without_effect_causes_a_warning(spec):
    assert collect_rules_warnings(variants.find_variant, spec) == [
        f"{spec}: {WARNING_BY_SPEC[spec]}"
    ]


def test_default_setting_without_effect_causes_a_warning():
    assert collect_rules_warnings(simgin.find_variant, "standard+columns=3") == [
        f"standard: columns {POINTS_GOAL_MESSAGE} goal = columns."
    ]


@pytest.mark.parametrize("spec", SPECS_WITHOUT_WARNING)
def test_effective_rules_cause_no_warning(spec):
    assert collect_rules_warnings(variants.find_variant, spec) == []


VARIANT_TOML = """
[variants.mine]
title = "Mine"
about = "Four columns."
base = "standard+games_target=3"
[variants.mine.changes]
columns = 4
"""
EXPERIMENT_TOML = """
variants = ["standard+columns=4"]
seed = 1
deals = 20
[panel]
strategies = ["gold"]
against = "simple"
"""
MATCH_PARAMETERS = ("box_bonus", "next_dealer")
HAND = "AS 2S 3S 5H 6H 7H 9C TC KD QD"
# Some commands stop with an error after reading the rules, to save time
EXIT_CODE_BY_COMMAND = {
    "match gold simple --deals 4 -v": 0,
    "variants": 0,
    "variants diff standard": 0,
    "show gold simple -v": 0,
    f"hand '{HAND}' -v": 0,
    "find gold simple --deals 4 --where gin -v": 0,
    f"analyze '{HAND}' -v": 2,
    "odds --deals 1": 2,
    "review --against standard --matches 1": 2,
    "train gold -v": 2,
}


SLOW_EXIT_CODE_BY_COMMAND = {"play gold -v": 0, "chart knock --deals 1 -v": 2}


@pytest.mark.parametrize(
    "command",
    [
        *EXIT_CODE_BY_COMMAND,
        *(
            pytest.param(arguments, marks=pytest.mark.slow)
            for arguments in SLOW_EXIT_CODE_BY_COMMAND
        ),
    ],
)
def test_command_warns_once_about_rules_without_effect(command, empty_directory):
    arguments = [*shlex.split(command), "standard+columns=4"]
    warnings_text = " ".join(
        run_simgin(
            *arguments, exit_code=(EXIT_CODE_BY_COMMAND | SLOW_EXIT_CODE_BY_COMMAND)[command]
        ).stderr.split()
    )
    assert warnings_text.count("simgin: warning: ") == 1
    assert (
        f"simgin: warning: standard+columns=4: {WARNING_BY_SPEC['standard+columns=4']}"
        in warnings_text
    )


def test_files_with_rules_without_effect_cause_warnings(empty_directory):
    Path("own.toml").write_text(VARIANT_TOML)
    Path("run.toml").write_text(EXPERIMENT_TOML)
    expected = "own.toml#mine: games_target has no effect with goal = points."
    for arguments in (("variants", "check", "own.toml"), ("variants", "own.toml#mine")):
        warnings_text = " ".join(run_simgin(*arguments).stderr.split())
        assert (
            warnings_text.count("warning") == 1
            and expected in warnings_text
            and "columns has no effect" in warnings_text
        )
    assert (
        "standard+columns=4: columns has no effect"
        in run_simgin("run", "run.toml", exit_code=2).stderr
    )


def test_match_rules_cause_warnings_in_single_deals():
    spec = "standard+box_bonus=25+next_dealer=loser"
    messages = [
        f"{name} has no effect on single deals. It requires matches." for name in MATCH_PARAMETERS
    ]
    play = partial(simgin.match, "gold", variant=spec)
    assert collect_rules_warnings(partial(play, deals=4)) == [f"{spec}: {' '.join(messages)}"]
    assert collect_rules_warnings(partial(play, matches=2)) == []
    # The chart stops with an error after reading the rules, to save time
    for command, code in (("find gold --where gin", 0), ("chart knock --player gold", 2)):
        result = run_simgin(*command.split(), "-v", spec, "--deals", 1, exit_code=code)
        assert "has no effect on single deals" in result.stderr
