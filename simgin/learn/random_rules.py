"""Random two-player rule sets on which `champion` is trained and validated."""

from __future__ import annotations

import itertools
import re
import warnings
from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np

from simgin.rules import variants
from simgin.rules.parameters import ParamValue, load_rule_parameters
from simgin.rules.validation import RulesWarning
from simgin.rules.variants import Variant, VariantError

# Settings of training/champion_rules.py. From N_RULE_SETS_FOR_KNOCK_ODDS rule sets, the script
# estimates the odds that an opponent knocks immediately.
TRAINING_SEED, TRAINING_ROUNDS, RULE_SETS_PER_ROUND, N_RULE_SETS_FOR_KNOCK_ODDS = (
    20261128,
    6,
    512,
    200,
)


class LaterPart(NamedTuple):
    """Settings of a later part of the training, which contains only some of the random rule sets.

    Attributes:
        pattern: Pattern that occurs in the spec of each rule set.
        seed: Seed of the rule sets and of the deals.
        rounds: Number of rounds.
        rule_sets: Number of rule sets per round.
    """

    pattern: re.Pattern[str]
    seed: int
    rounds: int
    rule_sets: int

    def sample_variants(self, round_index: int, n_variants: int) -> list[Variant]:
        """Return the random variants of a training round."""
        rng = np.random.default_rng([self.seed, round_index])
        return [sample_variant(rng, self.pattern) for _ in range(n_variants)]


RARE_RULES_PART = LaterPart(re.compile(r"ace_value=|goal=deals|^dice\+"), 20261129, 6, 240)
TURN_LIMITS_PART = LaterPart(re.compile("max_turns="), 20261201, 6, 120)
INTERACTIONS_PART = LaterPart(
    re.compile("pip_values=|goal=deals|ace_runs=corner|^round-the-corner"), 20261202, 6, 300
)
COMBINATIONS_PART = LaterPart(
    re.compile(
        r"^(?!.*corner|.*goal=deals|dice|tedesco)"  # the other parts cover these rules
        # a bonus or a knock limit, and a less frequent rule
        r"(?=.*(\+gin_bonus|\+undercut_bonus|knock_|oklahoma|basic|straight))"
        r".*(rush|shot|layoff|undercut_on_tie|discard_ban|first_turn=discard|spade|ace_value|"
        r"points_target=\d\d\d|basic)"
    ),
    20261204,
    4,
    320,
)
LATER_PARTS = (RARE_RULES_PART, TURN_LIMITS_PART, INTERACTIONS_PART, COMBINATIONS_PART)
# Settings of the fit of the log odds that an opponent knocks immediately if a match counts deals
DEAL_COUNT_ODDS = LaterPart(re.compile("^(?!dice).*goal=deals"), 20261203, 1, 80)
# Settings of the fit of the prior odds that an opponent knocks immediately
PRIOR_ODDS_SEED, PRIOR_ODDS_RULE_SETS = 20261130, 80
HIGH_UNDERCUT_PATTERN = re.compile(r"undercut_bonus=(30|40|50|75|100)")
# probability that a rule set starts from a built-in variant other than `standard`
BUILT_IN_VARIANT_PROBABILITY = 0.4
SAMPLED_GOALS = ("points", "deals")  # match goals of the sampled variants
# relative frequencies of the settings that can be changed
WEIGHTED_RULE_CHANGES: tuple[tuple[float, str, tuple[object, ...]], ...] = (
    (7, "undercut_bonus", (0, 0, 5, 10, 10, 15, 20, 30, 40, 50, 75, 100)),
    (6, "gin_bonus", (0, 0, 5, 10, 15, 20, 30, 40, 50, 75, 100)),
    (5, "knock_limit", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 17, 20, 25)),
    (2.5, "knock_by_upcard", ("yes", "yes", "yes+upcard_ace_limit=1")),
    (2.0, "big_gin", ("yes", *(f"yes+big_gin_bonus={bonus}" for bonus in (25, 50, 75, 100)))),
    (1.2, "undercut_on_tie", ("no", "knocker")),
    (0.7, "layoff", ("no",)),
    (0.7, "layoff_on_gin", ("yes",)),
    (1.2, "first_turn", ("upcard_stock_or_pass", "upcard_stock_or_pass_dead", "free",
                         "discard_first")),
    (1.0, "discard_ban", ("drawn", "none")),
    (0.4, "take_discard", ("no",)),
    (0.5, "take_to_knock", ("melded",)),
    (1.0, "stock_end", ("at_draw", "opponent_may_take", "none")),
    (0.5, "stock_reserve", (0, 1, 3, 4, 6, 10)),
    (0.5, "max_turns", (12, 16, 20, 30)),
    (1.0, "ace_runs", ("high_or_low", "corner")),
    (0.6, "rainbow", ("yes",)),
    (0.6, "pip_values", ("five_ten",)),
    (0.5, "ace_value", (5, 10, 11, 15)),
    (0.5, "defender_ace_value", (5, 10, 11, 15)),
    (0.5, "shot", ("yes",)),
    (1.2, "rush_premium", ("yes", "yes", "yes+rush_on_gin=no")),
    (0.7, "spade_multiplier", (2,)),
    (2.0, "points_target", (50, 75, 125, 150, 200, 250, 300, 500)),
    (1.0, "goal", ("deals", "deals+deal_count_gin=2", "deals+deal_count_undercut=2")),
    (0.5, "box_bonus", (10, 25)),
)  # fmt: skip


def sample_variant(rng: np.random.Generator, pattern: re.Pattern[str] | None = None) -> Variant:
    """Return a random valid two-player variant with up to four changes that affect the game.

    Examples are `standard+gin_bonus=40+layoff=no` and `rush`. About 40 % of the random variants
    start from a built-in variant other than `standard`.

    Args:
        rng: Random number generator.
        pattern: Pattern that must occur in the spec, or None for any variant.
    """
    while True:
        spec = _sample_spec(rng)
        if pattern is not None and not pattern.search(spec):
            continue
        try:
            with warnings.catch_warnings():
                # The warnings report settings that have no effect.
                warnings.simplefilter("error", RulesWarning)
                variant = variants.find_variant(spec)
        except (VariantError, RulesWarning):
            continue
        if variant.params["goal"] in SAMPLED_GOALS and variant.spec not in ("standard", "eaai"):
            return variant


def sample_training_variants(round_index: int, n_variants: int) -> list[Variant]:
    """Return the random variants on which `champion` is trained in a round.

    The variants of round N_RULE_SETS_FOR_KNOCK_ODDS are used to estimate the odds of the opponent
    types.
    """
    rng = np.random.default_rng([TRAINING_SEED, round_index])
    return [sample_variant(rng) for _ in range(n_variants)]


def sample_high_undercut_variants(n_variants: int) -> list[Variant]:
    """Return random variants with high undercut bonuses, which are won with a number of points."""
    rng = np.random.default_rng(PRIOR_ODDS_SEED)
    random_variants = iter(lambda: sample_variant(rng, HIGH_UNDERCUT_PATTERN), None)
    is_won_by_points = (
        variant for variant in random_variants if variant.params["goal"] == "points"
    )
    return list(itertools.islice(is_won_by_points, n_variants))


def sample_held_out_variants(seed: int, n_variants: int) -> list[Variant]:
    """Return random variants whose rules did not occur in the training of `champion`."""
    rules = [variants.find_variant(name).params for name in list_two_player_variants()]
    for round_index in range(TRAINING_ROUNDS):
        training_variants = sample_training_variants(round_index, RULE_SETS_PER_ROUND)
        rules += [variant.params for variant in training_variants]
    for part in (*LATER_PARTS, DEAL_COUNT_ODDS):
        for round_index in range(part.rounds):
            later_variants = part.sample_variants(round_index, part.rule_sets)
            rules += [variant.params for variant in later_variants]
    rules += [variant.params for variant in sample_high_undercut_variants(PRIOR_ODDS_RULE_SETS)]
    odds_variants = sample_training_variants(N_RULE_SETS_FOR_KNOCK_ODDS, N_RULE_SETS_FOR_KNOCK_ODDS)
    rules += [variant.params for variant in odds_variants]
    rng = np.random.default_rng(seed)
    held_out_variants: list[Variant] = []
    while len(held_out_variants) < n_variants:
        variant = sample_variant(rng)
        if variant.params not in rules:
            rules.append(variant.params)
            held_out_variants.append(variant)
    return held_out_variants


def _sample_spec(rng: np.random.Generator) -> str:
    """Return a random variant spec, which can be invalid."""
    if rng.random() < BUILT_IN_VARIANT_PROBABILITY:
        names = list_two_player_variants()
        base_name, n_changes = names[rng.integers(len(names))], int(rng.integers(3))
    else:
        base_name, n_changes = "standard", int(rng.integers(1, 5))
    frequencies = np.array([change[0] for change in WEIGHTED_RULE_CHANGES])
    change_indices = rng.choice(
        len(WEIGHTED_RULE_CHANGES), n_changes, replace=False, p=frequencies / frequencies.sum()
    )
    settings = []
    for index in sorted(change_indices):
        _, name, values = WEIGHTED_RULE_CHANGES[index]
        settings.append(f"{name}={values[rng.integers(len(values))]}")
    return "+".join([base_name, *settings])


@cache
def list_two_player_variants() -> tuple[str, ...]:
    """Return the names of the built-in two-player variants."""
    return tuple(
        name
        for name in variants.variant_names()
        if variants.find_variant(name).params["players"] == 2
    )


@cache
def _list_sampled_values() -> dict[str, list[ParamValue]]:
    """Return the values that random rule sets can contain, by rule parameter."""
    values_by_name = defaultdict(list)
    for _, name, values in WEIGHTED_RULE_CHANGES:
        for value in values:
            for assignment in f"{name}={value}".split("+"):
                parameter, _, text = assignment.partition("=")
                values_by_name[parameter].append(load_rule_parameters()[parameter].parse(text))
    return dict(values_by_name)


def is_in_training_range(name: str, value: ParamValue) -> bool:
    """Return True if a value of a rule parameter is in the range of the random rule sets."""
    known_values = [load_rule_parameters()[name].default, *_list_sampled_values().get(name, [])]
    if isinstance(value, bool) or not isinstance(value, int):
        return value in known_values
    known_integers = [known_value for known_value in known_values if isinstance(known_value, int)]
    return bool(known_integers) and min(known_integers) <= value <= max(known_integers)
