"""Tests of named variants, their composition, differences and specs (rules.md 11)."""

import json

import pytest

from simgin.rules.parameters import load_rule_parameters
from simgin.rules.validation import RulesWarning
from simgin.rules.variants import find_built_in_equal, find_variant, rule_differences, variant_names
from support.variant_files import sentences
from support.worked_examples import BOOK, STANDARD


@pytest.mark.parametrize("name", BOOK["variants"])
def test_every_variant_agrees_with_the_table_of_rules(name):
    # As text, because order counts and true is not 1
    assert json.dumps(find_variant(name).params) == json.dumps(BOOK["variants"][name])


def test_the_named_variants_are_those_of_the_rules_and_eaai():
    assert set(variant_names()) == {*BOOK["variants"], "eaai"} and variant_names()[0] == "standard"
    assert rule_differences(find_variant("standard"), find_variant("eaai")) == [
        ("next_dealer", "winner", "alternate")
    ]
    for variant in map(find_variant, variant_names()):
        assert variant.title and variant.about.endswith(".") and variant.source


# --- composition ---

SOLITARY = "solitary-gin+joker=after_deal+max_draws=none"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" oklahoma + rainbow + knock_limit = 5 ", "oklahoma+rainbow+knock_limit=5"),
        ("standard+goal=deals+knock_limit=5", "standard+knock_limit=5+goal=deals"),
        ("standard+knock_limit=10", "standard"),
        ("basic+knock_limit=9", "basic"),
        ("standard+knock_limit=5+knock_limit=7", "standard+knock_limit=7"),
        ("oklahoma+knock_limit=5+basic", "oklahoma+basic"),
        ("dice+pro", "dice-pro"),
        ("pro+dice", "dice-pro"),
        ("dice+rainbow+pro", "rainbow+dice-pro"),
        ("pro+game_table=60:2/120:1", "pro+game_table=60:2/120:1"),
        ("standard+big_gin=TRUE", "standard+big_gin=yes"),
        ("standard+layoff=0", "standard+layoff=no"),
        ("oklahoma+knock_limit=none", "oklahoma+knock_limit=-"),
        ("solitary-gin+max_draws=-+joker=after_deal", SOLITARY),
        ("straight+shutout=double_points+shutout=none", "straight"),
    ],
)
def test_a_variant_has_a_canonical_text(text, canonical):
    assert find_variant(text).spec == canonical
    assert find_variant(canonical) == find_variant(text)


def test_named_variants_combine_by_their_differences_from_standard_and_the_last_wins():
    assert find_variant("tedesco+rush").params == {
        **BOOK["variants"]["tedesco"],
        "rush_premium": True,
    }
    assert find_variant("basic+straight").params["knock_limit"] == 0
    assert find_variant("straight+basic").params["knock_limit"] == 9


def test_a_solitaire_variant_accepts_no_two_player_rules():
    assert (
        find_variant("rainbow+solitaire-gin-knock").params
        == find_variant("solitaire-gin-knock+rainbow").params
    )
    assert find_variant("solitaire-gin+standard").params == find_variant("solitaire-gin").params
    sentence = "goal = games needs two players. Set goal to single, points or total for one player."
    assert sentence in sentences("gin-solitaire+pro")


def test_the_caller_may_change_a_row():
    find_variant("standard").params["start_points"].append(3)
    find_variant("pro").params["game_table"][0][0] = 99
    assert (
        find_variant("standard").params == STANDARD
        and find_variant("pro").params == BOOK["variants"]["pro"]
    )


# --- equal rules ---


@pytest.mark.parametrize("name", variant_names())
def test_changes_that_make_a_named_variant_are_recognised(name):
    variant, standard = find_variant(name), find_variant("standard")
    texts = [
        f"{parameter}={load_rule_parameters()[parameter].to_text(value)}"
        for parameter, _, value in rule_differences(standard, variant)
    ]
    assert find_built_in_equal(variant) is None
    if texts:
        typed = find_variant("+".join(["standard", *texts]))
        assert typed.spec != name and find_built_in_equal(typed) == variant


def test_only_rules_with_an_effect_are_compared():
    equal = {
        "oklahoma+spade_multiplier=2": "oklahoma-spades",
        "standard+oklahoma": "oklahoma",
        "oklahoma+knock_limit=5": "oklahoma",
        "eaai+next_dealer=winner": "standard",
    }
    with pytest.warns(RulesWarning, match="knock_limit has no effect"):
        found = {spec: find_built_in_equal(find_variant(spec)) for spec in equal}
    assert {spec: known.spec for spec, known in found.items()} == equal
    assert find_built_in_equal(find_variant("standard+gin_bonus=20")) is None


# --- invalid specs and invalid rows ---


def test_every_mistake_is_reported():
    assert len(sentences("oklahma+tedsco+knok_limit=1+layoff=x+die=deel")) == 5
    said = sentences("standard+knock_limit=x+knock_limit=5+goal=total+die=deal")
    assert [sentence.split()[0] for sentence in said] == ["knock_limit", "goal", "die"]
