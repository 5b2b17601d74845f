"""Validation of rule parameters and of their combinations (rules.md 10.17).

Every valid combination is playable. Invalid values are reported first, so combinations that contain
an invalid value are not checked for conflicts.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from simgin.rules.parameters import (
    Params,
    ParamValue,
    are_conditions_met,
    find_match_goal,
    load_rule_parameters,
    load_variants_file,
)
from simgin.text.messages import format_value, suggest_spelling

OPENINGS_WITHOUT_UPCARD = ("discard_first", "stock")

KnownParams = Mapping[str, Any]  # valid values of some parameters


class RulesWarning(UserWarning):
    """Warning about a setting that has no effect under the rules of a variant.

    Attributes:
        reason: Settings that have no effect, with reasons and suggested fixes, but without the
            variant's name.
    """

    def __init__(self, variant_spec: str, reason: str):
        super().__init__(f"{variant_spec}: {reason}")
        self.reason = reason


def validate_params(params: Params) -> list[str]:
    """Return all errors in a complete set of parameters, each with a suggested fix.

    Args:
        params: Value of every parameter.

    Returns:
        Error messages. The list is empty if the rules are playable.
    """
    messages, valid_params = _find_value_errors(params)
    errors = {}
    for name in valid_params:
        if error := _evaluate_predicate(
            load_rule_parameters()[name].make_missing_value_error, valid_params
        ):
            errors[name] = error
    messages += errors.values()
    # Missing values have already been reported, so their conflicts are not checked.
    defined_params = {name: value for name, value in valid_params.items() if name not in errors}
    value_texts = {
        name: load_rule_parameters()[name].to_text(value) for name, value in valid_params.items()
    }
    for table in load_variants_file()["conflicts"]:
        if _evaluate_predicate(partial(_has_conflict, table), defined_params):
            messages.append(table["message"].format_map(value_texts))
    return messages


def warn_about_ineffective_settings(variant_spec: str, reasons: Iterable[str]) -> None:
    """Issue a single RulesWarning for all settings of a variant that have no effect.

    All of these warnings come from the same line of code, so that Python shows each warning only
    once.
    """
    reason = " ".join(reasons)
    if reason:
        warnings.warn(RulesWarning(variant_spec, reason), stacklevel=1)


def make_unknown_parameter_error(unknown_name: str) -> str:
    """Return the error message for a name that is not a parameter."""
    suggestion = suggest_spelling(str(unknown_name), load_rule_parameters())
    fix = " See `simgin variants standard` for all of them." if suggestion == "." else ""
    return f"{format_value(unknown_name)} is not a rule parameter{suggestion}{fix}"


def _find_value_errors(params: Params) -> tuple[list[str], dict[str, ParamValue]]:
    """Return the errors in the names and values of parameters, and the valid values.

    Returns:
        The error messages, and the valid values by parameter name.
    """
    definitions = load_rule_parameters()
    messages = [make_unknown_parameter_error(name) for name in params if name not in definitions]
    valid_params = {}
    for name, parameter in definitions.items():
        if name not in params:
            default = parameter.to_text(parameter.default)
            messages.append(f"{name} is missing. Set it, for example to {default} as in standard.")
        elif message := parameter.make_error_message(params[name]):
            messages.append(message)
        else:
            valid_params[name] = params[name]
    return messages, valid_params


def _evaluate_predicate(predicate: Callable[[KnownParams], Any], known_params: KnownParams) -> Any:
    """Return the result of a predicate, or None if it needs a parameter without a known value."""
    try:
        return predicate(known_params)
    except KeyError:
        return None


def _allows_too_many_draws(params: KnownParams) -> bool:
    """Return True if rules without a joker allow a draw from an empty deck."""
    cards_left = 41 if params["first_turn"] == "discard_first" else 42
    return params["max_draws"] is None or bool(params["max_draws"] > cards_left)


def _has_incomplete_game_table(params: KnownParams) -> bool:
    """Return True if the game table does not contain all scores that a loser can have."""
    return bool(params["game_table"][-1][0] < params["points_target"] - 1)


def _is_decided_at_start(params: KnownParams) -> bool:
    """Return True if a side has already reached its target before the first deal."""
    if not load_rule_parameters()["start_points"].has_effect(params):
        return False
    for seat in (0, 1):
        targets = find_match_goal(params).get_side_goal(params, seat).targets
        if tuple(targets) != ("score",):
            continue
        if params["start_points"][seat] >= params[targets["score"]]:
            return True
    return False


def _has_invalid_die_target(params: KnownParams) -> bool:
    target = params["deals_target"]
    return target is not None and not 3 <= target <= 21


_CONFLICT_CHECKS: dict[str, Callable[[KnownParams], bool]] = {
    "allows_knocks": lambda params: (params["knock_limit"] or 0) > 0,
    "allows_too_many_draws": _allows_too_many_draws,
    "has_incomplete_game_table": _has_incomplete_game_table,
    "has_invalid_die_target": _has_invalid_die_target,
    "has_two_player_goal": lambda params: not find_match_goal(params).is_solo,
    "is_decided_at_start": _is_decided_at_start,
    "limits_draws": lambda params: params["max_draws"] is not None,
}


def _has_conflict(table: dict[str, Any], params: KnownParams) -> bool:
    """Return True if the parameters conflict as a table in variants.toml describes."""
    if not are_conditions_met(table.get("when", {}), params):
        return False
    if "unless" in table and are_conditions_met(table["unless"], params):
        return False
    return "check" not in table or _CONFLICT_CHECKS[table["check"]](params)
