"""Tests of named variants, their composition, differences and specs (rules.md 11)."""

import json

import pytest

from simgin.rules.parameters import load_rule_parameters
from simgin.rules.validation import RulesWarning
from simgin.rules.variants import find_built_in_equal, find_variant, rule_differences, variant_names
from support.variant_files import get_variant_errors
from support.worked_examples import RULE_BOOK, STANDARD_PARAMS


@pytest.mark.parametrize("name", RULE_BOOK["variants"])
def test_built_in_variants_agree_with_the_documented_table(name):
    # As text, because order counts and true is not 1
    assert json.dumps(find_variant(name).params) == json.dumps(RULE_BOOK["variants"][name])


def test_built_in_variants_are_those_of_the_rules_and_eaai():
    assert (
        set(variant_names()) == {*RULE_BOOK["variants"], "eaai"}
        and variant_names()[0] == "standard"
    )
    assert rule_differences(find_variant("standard"), find_variant("eaai")) == [
        ("next_dealer", "winner", "alternate")
    ]
    for variant in map(find_variant, variant_names()):
        assert variant.title and variant.about.endswith(".") and variant.source


# --- composition ---

SOLITARY_SPEC = "solitary-gin+joker=after_deal+max_draws=none"


@pytest.mark.parametrize(
    ("spec", "canonical"),
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
        ("solitary-gin+max_draws=-+joker=after_deal", SOLITARY_SPEC),
        ("straight+shutout=double_points+shutout=none", "straight"),
    ],
)
def test_variant_has_a_canonical_spec(spec, canonical):
    assert find_variant(spec).spec == canonical
    assert find_variant(canonical) == find_variant(spec)


def test_last_of_several_combined_variants_takes_precedence():
    assert find_variant("tedesco+rush").params == {
        **RULE_BOOK["variants"]["tedesco"],
        "rush_premium": True,
    }
    assert find_variant("basic+straight").params["knock_limit"] == 0
    assert find_variant("straight+basic").params["knock_limit"] == 9


def test_solitaire_variant_rejects_two_player_rules():
    assert (
        find_variant("rainbow+solitaire-gin-knock").params
        == find_variant("solitaire-gin-knock+rainbow").params
    )
    assert find_variant("solitaire-gin+standard").params == find_variant("solitaire-gin").params
    sentence = "goal = games needs two players. Set goal to single, points or total for one player."
    assert sentence in get_variant_errors("gin-solitaire+pro")


def test_changing_returned_parameters_does_not_change_the_variant():
    find_variant("standard").params["start_points"].append(3)
    find_variant("pro").params["game_table"][0][0] = 99
    assert (
        find_variant("standard").params == STANDARD_PARAMS
        and find_variant("pro").params == RULE_BOOK["variants"]["pro"]
    )


# --- equal rules ---


@pytest.mark.parametrize("name", variant_names())
def test_changes_that_give_a_built_in_variant_are_recognised(name):
    variant, standard = find_variant(name), find_variant("standard")
    settings = [
        f"{parameter}={load_rule_parameters()[parameter].to_text(value)}"
        for parameter, _, value in rule_differences(standard, variant)
    ]
    assert find_built_in_equal(variant) is None
    if settings:
        changed = find_variant("+".join(["standard", *settings]))
        assert changed.spec != name and find_built_in_equal(changed) == variant


def test_only_rules_with_an_effect_are_compared():
    expected = {
        "oklahoma+spade_multiplier=2": "oklahoma-spades",
        "standard+oklahoma": "oklahoma",
        "oklahoma+knock_limit=5": "oklahoma",
        "eaai+next_dealer=winner": "standard",
    }
    with pytest.warns(RulesWarning, match="knock_limit has no effect"):
        equal_variants = {spec: find_built_in_equal(find_variant(spec)) for spec in expected}
    assert {spec: built_in.spec for spec, built_in in equal_variants.items()} == expected
    assert find_built_in_equal(find_variant("standard+gin_bonus=20")) is None


# --- invalid specs and invalid rows ---


def test_every_error_in_a_spec_is_reported():
    assert len(get_variant_errors("oklahma+tedsco+knok_limit=1+layoff=x+die=deel")) == 5
    errors = get_variant_errors("standard+knock_limit=x+knock_limit=5+goal=total+die=deal")
    assert [sentence.split()[0] for sentence in errors] == ["knock_limit", "goal", "die"]
