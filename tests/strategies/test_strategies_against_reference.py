"""Compare policies with references that return sets of allowed actions."""

import random
from functools import cache, partial
from typing import Any

import pytest

from oracles import reference
from oracles.reference.strategies import PlayerView
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import Decision, trace_deal
from simgin.rules import variants
from simgin.strategy import compiler, loader
from support.hands import build_both_rules, list_card_names

# Slot, policy with parameters, and number of positions, which is smaller if the reference
# considers every unseen card
POLICY_CASES = [
    ("take", "lower", 300),
    ("take", "never", 50),
    ("take", "meld-any", 200),
    ("take", "meld-best", 200),
    ("take", "meld-best-lower", 200),
    ("take", "knock-or-meld", 200),
    ("take", "value", 60),
    ("take", "value:by=hits", 18),
    ("discard", "low", 200),
    ("discard", "low:tie=random", 200),
    ("discard", "low:tie=middle", 200),
    ("discard", "loose-high", 200),
    ("discard", "uniform", 50),
    ("discard", "simple", 400),
    ("discard", "hits", 60),
    ("discard", "hits:keep_pairs=yes", 60),
    ("discard", "danger", 300),
    ("discard", "danger:known=0.5,unseen=3,shed=1.25", 300),
    ("discard", "conv:w1=1,w2=1,w3=0.5", 300),
    ("discard", "conv:w1=0.3,w2=2,w3=0.7", 300),
    ("discard", "alpha:a=0.2,fade=0", 100),
    ("discard", "alpha:a=1,fade=10", 100),
    ("discard", "alpha:a=0.7,fade=0", 100),
    ("discard", "alpha:a=1,fade=4,floor=-1", 60),
    ("take", "random:p=1", 50),
    ("knock", "random:p_end=1", 50),
    ("knock", "never", 50),
    ("knock", "at", 200),
    ("knock", "at:k=4", 200),
    ("knock", "early", 200),
    ("knock", "schedule", 200),
    ("knock", "lead", 200),
    ("knock", "count", 200),
    ("knock", "at-wall", 200),
    ("knock", "belief", 200),
    ("knock", "belief:own=3,opp=0", 200),
    ("knock", "belief:own=3,opp=99", 200),
]
# Advice is compared in games with low, round-the-corner and high-value aces, and solitaire
ADVICE_VARIANTS = ("eaai", "round-the-corner", "tedesco", "solitary-gin")
# (slot, policy, two settings of its parameters)
ADVICE_CASES = [
    ("discard", "high-first", "cost=10", "cost=2.5"),
    ("discard", "high-late", "until=4,cost=10", "until=99,cost=1.5"),
    ("discard", "many-high", "many=4,hold=3", "many=2,hold=5"),
    ("discard", "triangle", "until=6,cost=10", "until=99,cost=3.5"),
    ("discard", "keep-low", "rank=2,cost=3", "rank=6,cost=10"),
    ("discard", "keep-low-late", "rank=5,turn=8,taken=3,cost=3", "rank=13,turn=1,taken=1,cost=9.5"),
    ("discard", "inside-pairs", "weight=1,inside=0.5", "weight=4,inside=0.25"),
    ("discard", "dead-pairs-first", "bonus=0.5", "bonus=6"),
    ("discard", "break-pairs", "live=2,until=6,cost=3", "live=1,until=99,cost=8"),
    ("discard", "middle", "weight=0.25,seven=0.25", "weight=2,seven=1.5"),
    ("discard", "safe-neighbour", "cost=1.5,ignore_first=0", "cost=4.5,ignore_first=2"),
    ("discard", "bait-shy", "cost=1.5", "cost=6"),
    ("discard", "suit-order", "neighbour=2,same=1", "neighbour=6,same=4.5"),
    ("discard", "starve", "cost=3", "cost=99"),
    ("discard", "live-melds", "weight=0.5,early=4", "weight=1.25,early=0"),
    (
        "discard",
        "growing-safety",
        "base=0,turn=0.0625,count=0.015625",
        "base=0.25,turn=0,count=0.03125",
    ),
    ("discard", "lay-off-late", "turn=6,cost=1.5", "turn=1,cost=6"),
    ("discard", "wild", "turn=5,cost=5.5", "turn=1,cost=2"),
    ("discard", "bait", "e=1,until=4,cost=5", "e=0.5,until=99,cost=2"),
    (
        "discard",
        "tonic",
        "pair=3,live=2,until=5,middle=0.25,seven=0,danger=0.125,early=4",
        "pair=1.5,live=1,until=99,middle=0.5,seven=1,danger=0.25,early=1",
    ),
    ("take", "speculate", "until=3,count=50,partials=2", "until=99,count=50,partials=1"),
    ("take", "upcard", ""),
    ("take", "deny", "held=1,cost=3", "held=1,cost=99"),
    ("discard", "hazard", "share=0.35,turns=8,fade=0.2,first=3,slope=0.06,opponent=0.1,margin=6"),
]

# Variants in which a policy is compared, if not in all. lead and count are defined for points,
# not for targets in deals or games; another test covers value.
VARIANT_FILTER_BY_POLICY = {
    "lead": lambda row: row["goal"] == "points",
    "count": lambda row: row["goal"] == "points",
}
DEFAULT_POLICIES = {"discard": "low", "take": "lower"}
RANDOM_POLICIES = ("random", "uniform")


# Positions of every variant, and views of the reference implementation

# Random play reaches unusual positions, and sensible play typical ones
MATCHUPS = (("random:p=0.3", "gold"), ("gold-early", "simple"), ("gin-only", "gold-early"))
DEALS_PER_MATCHUP = 3  # of each pair and variant
# Fields of a view that the reference implementation copies
CARD_SET_FIELDS = ("hand", "unseen", "known", "shed")
NUMBER_FIELDS = ("seat", "stock", "own_points", "other_points", "target", "limit")
NUMBER_FIELDS += ("ending", "ending_count", "phase", "dealer", "noise")


def to_reference_view(view: Any, params: dict[str, Any], slot: str) -> PlayerView:
    """Convert a view for the reference implementation."""
    legal_mask = int(view.legal)
    actions = [action for action in range(3) if legal_mask >> action & 1]
    legal = list_card_names(legal_mask) if slot == "discard" else actions
    return PlayerView(
        params=params,
        legal=frozenset(legal),
        turn=int(view.own_turn),
        deal_turn=int(view.turn),
        offered_card=format_optional_card(view.taken_offer),
        taken_card=format_optional_card(view.taken),
        drawn_card=format_optional_card(view.drawn),
        own_deadwood=int(view.count),
        history=tuple(
            (int(seat), format_optional_card(drawn), format_optional_card(discard))
            for seat, _, drawn, discard in view.history[: view.turns]
        ),
        **{name: frozenset(list_card_names(int(view[name]))) for name in CARD_SET_FIELDS},
        **{name: int(view[name]) for name in NUMBER_FIELDS},
    )


def format_optional_card(card: int) -> str | None:
    return list_card_names(1 << int(card))[0] if card >= 0 else None


@cache
def list_views(slot: str) -> list[tuple[str, Any]]:
    """Return shuffled (variant, view) pairs of a slot from deals of all variants."""
    views = [
        (name, decision.view)
        for name in variants.variant_names()
        for decision in list_decisions(name)
        if decision.slot == slot
    ]
    random.Random(slot).shuffle(views)
    return views


@cache
def list_decisions(name: str) -> list[Decision]:
    """Return every decision of some deals of a variant, at any score of the match."""
    variant, rng = variants.find_variant(name), random.Random(name)
    max_points = variant.params["points_target"] or 100
    decisions = []
    for a, b in MATCHUPS:
        matchup = parse_matchup(a, None if variant.is_solo else b, name, 7, "deal")
        for unit in range(DEALS_PER_MATCHUP):
            points = rng.randrange(max_points), rng.randrange(max_points)
            half = unit % 2 if matchup.is_mirrored else 0
            decisions += trace_deal(matchup, unit, half, points=points).decisions
    return decisions


def to_reference_action(slot, action):
    return list_card_names(1 << action)[0] if slot == "discard" else action


def find_reference_policy(slot, policy):
    """Return the function of the reference implementation for a policy."""
    name, _, settings = policy.partition(":")
    values = dict(setting.split("=") for setting in settings.split(",") if setting)
    function_name, policies = name.replace("-", "_"), reference.strategies
    rule = getattr(getattr(policies, slot), function_name, None) or getattr(
        policies.advice, function_name
    )
    return partial(rule, **{key: parse_parameter(value) for key, value in values.items()})


def parse_parameter(value):
    """Convert a parameter for the reference implementation: bool, string or number."""
    if value in ("yes", "no"):
        return value == "yes"
    if value.isalpha():
        return value
    return int(value) if value.isdigit() else float(value)


def list_positions(slot, policy, variant_names=None):
    """Return (rules, parameters, view) of every decision to which the policy applies.

    By default, the decisions are from all variants.
    """
    name = policy.partition(":")[0]
    is_in_scope = VARIANT_FILTER_BY_POLICY.get(name, lambda params: True)
    converted = (
        (*build_both_rules(variant), view)
        for variant, view in list_views(slot)
        if variant_names is None or variant in variant_names
    )
    return [(rules, params, view) for rules, params, view in converted if is_in_scope(params)]


def compare_with_reference(slot, policy, cases):
    """Compare a policy with its reference; return the proportion of unambiguous decisions."""
    tested_policy = loader.find_strategy(f"gold+{slot}={policy}").policy(slot)
    query = compiler.compile_policy(tested_policy)
    parameters = compiler.make_parameter_vector(tested_policy)
    rule = find_reference_policy(slot, policy)
    n_decided = 0
    for rules, params, view in cases:
        reference_view = to_reference_view(view, params, slot)
        allowed_actions = rule(reference_view)
        action = to_reference_action(slot, int(query(view, rules, parameters)))
        assert action in allowed_actions, (action, allowed_actions, reference_view)
        n_decided += len(allowed_actions) == 1
    return n_decided / len(cases)


@pytest.mark.parametrize(("slot", "policy", "n_positions"), POLICY_CASES)
def test_policy_actions_are_allowed_by_the_reference(slot, policy, n_positions):
    decided_proportion = compare_with_reference(
        slot, policy, list_positions(slot, policy)[: -(-n_positions // 3)]
    )
    assert decided_proportion > 0.3 or policy.startswith(
        RANDOM_POLICIES
    )  # otherwise the test would be weak


@pytest.mark.parametrize("advice", ADVICE_CASES, ids=lambda advice: advice[1])
def test_advice_actions_are_allowed_by_the_reference(advice):
    slot, name, *settings = advice
    for setting in settings:
        policy = f"{name}:{setting}" if setting else name
        cases = list_positions(slot, policy, ADVICE_VARIANTS)
        compare_with_reference(slot, policy, cases[: 16 if name == "hazard" else 100])
        rule, default_rule = (
            find_reference_policy(slot, policy),
            find_reference_policy(slot, DEFAULT_POLICIES[slot]),
        )
        reference_views = (to_reference_view(view, params, slot) for _, params, view in cases)
        assert any(
            rule(reference_view) != default_rule(reference_view)
            for reference_view in reference_views
        )  # it differs from gold


def test_simple_does_not_repeat_an_exchange():
    """Use players that would exchange the same cards for ever without the guard."""
    matchup = parse_matchup("stubborn", "random:p=1+knock=never+discard=low", "eaai", 1, "deal")
    n_restricted = 0
    for unit in range(8):
        for decision in trace_deal(matchup, unit).decisions:
            if decision.seat == 0 and decision.slot == "discard":
                reference_view = to_reference_view(decision.view, matchup.variant.params, "discard")
                allowed = reference.strategies.discard.simple(reference_view)
                assert to_reference_action("discard", decision.action) in allowed
                n_restricted += allowed != reference.strategies.discard.low(
                    reference_view, "random"
                )
    assert n_restricted > 30
