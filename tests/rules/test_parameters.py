"""Tests that parameters and goals agree with the rules (rules.md 11) and the engine."""

from operator import itemgetter

import pytest

from simgin.core import rules_record as core_rules
from simgin.rules.parameters import load_match_goals, load_rule_parameters
from support.worked_examples import RULE_BOOK, STANDARD_PARAMS


def test_parameters_agree_with_the_documented_table():
    parameters = [
        (parameter.name, parameter.section, parameter.meaning, parameter.status)
        for parameter in load_rule_parameters().values()
    ]
    select_columns = itemgetter("name", "section", "meaning", "status")
    assert parameters == [select_columns(parameter) for parameter in RULE_BOOK["parameters"]]
    assert list(STANDARD_PARAMS) == list(load_rule_parameters())


def test_parameters_have_the_documented_types():
    type_names = {"bool": "bool", "pair": "two ints", "table": "list of (up to, games)"}
    for entry in RULE_BOOK["parameters"]:
        parameter = load_rule_parameters()[entry["name"]]
        if parameter.value_type == "choice":
            assert ", ".join(map(parameter.to_text, parameter.choices)) == entry["type"]
        elif parameter.value_type == "int":
            assert entry["type"] in (
                "int",
                f"int {parameter.min_value}..{parameter.max_value}",
                "int or none",
            )
            assert parameter.is_optional == (entry["type"] == "int or none")
        else:
            assert type_names[parameter.value_type] == entry["type"]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *(("yes", True), ("True", True), ("1", True), ("no", False), ("off", False)),
        *(("knocker", "knocker"), ("Knocker", "knocker"), ("-", None), ("dealer", "dealer")),
    ],
)
def test_choice_can_include_yes_and_no(word, value):
    """Check that the error message for other words lists the choices."""
    tie = load_rule_parameters()["undercut_on_tie"]
    assert tie.parse(word) == value and type(tie.parse(word)) is type(value)
    assert tie.make_error_message(1) == "undercut_on_tie must be one of no, yes, knocker, not 1."
    assert (tie.make_error_message(tie.parse(word)) == "") == (word != "dealer")


def test_defaults_are_those_of_standard():
    for name, parameter in load_rule_parameters().items():
        assert parameter.default == STANDARD_PARAMS[name]
        assert parameter.parse(parameter.to_text(parameter.default)) == parameter.default
        assert (
            parameter.make_error_message(parameter.default) == ""
            and parameter.make_error_message(parameter.example) == ""
        )


def test_missing_values_are_allowed_only_without_effect():
    for parameter in load_rule_parameters().values():
        for name, values in {**parameter.effective_if, **parameter.ineffective_if}.items():
            assert all(
                load_rule_parameters()[name].make_error_message(value) == "" for value in values
            )
        assert all(
            parameter.make_missing_value_error(row) == "" for row in RULE_BOOK["variants"].values()
        )


def test_goals_have_the_order_of_the_engine():
    assert tuple(load_match_goals()) == load_rule_parameters()["goal"].choices
    codes = [getattr(core_rules, f"GOAL_{name.upper()}") for name in load_match_goals()]
    assert codes == list(range(len(load_match_goals())))


@pytest.mark.parametrize("goal", load_match_goals().values(), ids=lambda goal: goal.name)
def test_targets_of_a_goal_agree_with_the_effective_parameters(goal):
    sides = (
        [goal.side_goal] if goal.other_side_goal is None else [goal.side_goal, goal.other_side_goal]
    )
    targets = {name for side in sides for name in side.targets.values()}
    for name in ("points_target", "deals_target"):
        assert (name in targets) == (goal.name in load_rule_parameters()[name].effective_if["goal"])
    assert goal.counts_deals == (
        goal.name in load_rule_parameters()["deal_count_gin"].effective_if["goal"]
    )
