"""List variants and rule values for tests."""

import re
from pathlib import Path

from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from simgin.rules.variants import VariantError
from simgin.strategy import loader

# Match parameters and their required values for single deals, which have no settlement and
# no die.
SINGLE_DEAL_VALUES = {"goal": ("points", "single"), "shutout": ("none",), "die": ("off",)}
SINGLE_DEAL_VALUES |= {"game_bonus": (0,), "box_bonus": (0,)}
RANDOM_STRATEGIES_FILE = Path(__file__).with_name("random_strategies.py")
# Strategies in random_strategies.py
RANDOM_STRATEGY_NAMES = (
    "stray",
    "stray-same",
    "late",
    "last",
    "shooter",
    "shooter-same",
    "gambler",
)


def to_single_deal_variant(spec):
    """Return the variant with the same deals, but without dice, bonuses and settlement."""
    row = variants.find_variant(spec).params
    other = {name: some[0] for name, some in SINGLE_DEAL_VALUES.items() if row[name] not in some}
    return "+".join([spec, *(f"{name}={value}" for name, value in other.items())])


def list_parameter_values(parameter):
    """Return every value of a choice, or the lowest, default and highest number."""
    if parameter.value_type == "bool":
        return False, True
    if parameter.value_type == "choice":
        return parameter.choices
    ends = dict.fromkeys((parameter.min_value, parameter.default, parameter.max_value))
    return tuple(value for value in ends if value is not None)


def list_parameters(*sections):
    """Return the names of the rule parameters in these sections."""
    return [
        name for name, parameter in load_rule_parameters().items() if parameter.section in sections
    ]


def find_values_in_effect(names, params_list):
    """Return (name, value) of parameters that have an effect in a variant or are descriptive."""
    known = {name: load_rule_parameters()[name] for name in names}
    return {
        (name, str(row[name]))
        for name, parameter in known.items()
        for row in params_list
        if parameter.status == "descriptive" or parameter.has_effect(row)
    }


def draw_variant(rng, base, values_by_name):
    """Return a random variant: `base` with a random value of each parameter."""
    while True:
        drawn = [f"{name}={rng.choice(some)}" for name, some in values_by_name.items()]
        try:
            return variants.find_variant("+".join([base, *drawn])).spec
        except VariantError:
            continue


TWO_PLAYER_VARIANTS = tuple(
    name for name in variants.variant_names() if not variants.find_variant(name).is_solo
)
ONE_PLAYER_VARIANTS = tuple(
    name for name in variants.variant_names() if variants.find_variant(name).is_solo
)
# Settings of no built-in variant, each with settings that give it an effect.
UNUSUAL_VARIANTS = (
    "standard+first_turn=free",
    "big-gin+first_turn=discard_first+big_gin_bonus=50",
    "standard+first_turn=upcard_stock_or_pass_dead+discard_ban=none",
    "standard+take_discard=no+first_turn=free+stock_end=at_draw",
    "standard+knock_limit=99+undercut_on_tie=no",
    "straight+stock_end=opponent_may_take+stock_reserve=8",
    "standard+layoff_on_gin=yes+knock_limit=30+melding=choice",
    "standard+layoff=no+max_turns=9",
    "shot+tedesco+big_gin=yes+melding=choice",
    "shot+rush+rush_on_gin=no+shot_deducts=yes",
    "rainbow+oklahoma+upcard_ace_limit=1+ace_runs=high_or_low+pip_values=five_ten",
)


def select_distinct_deals(specs):
    """Return one variant of each group of variants with the same single deals."""
    found = {}
    for text in map(to_single_deal_variant, specs):
        row = variants.find_variant(text).params
        rules = tuple(str(row[name]) for name in list_parameters("deal", "meld", "score"))
        found.setdefault(rules, text)
    return tuple(found.values())


def find_test_strategy(spec):
    """Return a built-in strategy or a strategy of tests/support/random_strategies.py."""
    return loader.find_strategy(
        f"{RANDOM_STRATEGIES_FILE}#{spec}"
        if re.split("[:+]", spec)[0] in RANDOM_STRATEGY_NAMES
        else spec
    )
