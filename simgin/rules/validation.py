"""Validation of rule parameters and of their combinations (rules.md 10.17).

Every valid combination is playable. Invalid values are reported first, so combinations that contain
an invalid value are not checked for conflicts.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from simgin.rules.parameters import Params, ParamValue, find_match_goal, load_rule_parameters
from simgin.text.messages import format_value, suggest_spelling

OPENINGS_WITH_UPCARD = ("upcard_pass", "upcard_stock_or_pass", "upcard_stock_or_pass_dead")
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


@dataclass(frozen=True)
class ParameterConflict:
    """Invalid combination of parameters, with its error message.

    Attributes:
        is_violated: Predicate that returns True if the parameters conflict.
        message: Error message. Names of parameters in braces are replaced by their values.
    """

    is_violated: Callable[[KnownParams], bool]
    message: str


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
    for conflict in PARAMETER_CONFLICTS:
        if _evaluate_predicate(conflict.is_violated, defined_params):
            messages.append(conflict.message.format_map(value_texts))
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


def _is_solo(params: KnownParams) -> bool:
    return bool(params["players"] == 1)


def _is_two_player(params: KnownParams) -> bool:
    return bool(params["players"] == 2)


def _make_two_player_conflict(parameter_name: str) -> ParameterConflict:
    """Return the conflict of a parameter that must be `no` in solitaire games."""
    message = f"{parameter_name} = yes needs two players. Set {parameter_name}=no."
    return ParameterConflict(lambda p: _is_solo(p) and p[parameter_name], message)


def _allows_too_many_draws(params: KnownParams) -> bool:
    """Return True if solitaire rules without a joker allow a draw from an empty deck."""
    cards_left = 41 if params["first_turn"] == "discard_first" else 42
    max_draws = params["max_draws"]
    too_many = max_draws is None or max_draws > cards_left
    return _is_solo(params) and params["joker"] == "none" and too_many


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
    return params["die"] == "deal" and target is not None and not 3 <= target <= 21


PARAMETER_CONFLICTS = (
    ParameterConflict(
        lambda p: p["shot"] and p["goal"] == "columns",
        "shot = yes conflicts with goal = columns, in which no single score determines the shot. "
        "Set shot=no or another goal.",
    ),
    ParameterConflict(
        lambda p: p["knock_by_upcard"] and p["first_turn"] in OPENINGS_WITHOUT_UPCARD,
        "knock_by_upcard = yes needs an upcard, but first_turn = {first_turn} has none. Set "
        "knock_by_upcard=no.",
    ),
    ParameterConflict(
        lambda p: p["spade_multiplier"] > 1 and p["first_turn"] in OPENINGS_WITHOUT_UPCARD,
        "spade_multiplier = {spade_multiplier} needs an upcard, but first_turn = {first_turn} "
        "has none. Set spade_multiplier=1.",
    ),
    ParameterConflict(
        lambda p: p["take_to_knock"] == "melded" and not p["take_discard"],
        "take_to_knock = melded applies to cards taken from the discard pile, which take_discard "
        "= no forbids. Set take_to_knock=any.",
    ),
    ParameterConflict(
        lambda p: (
            not p["take_discard"] and p["first_turn"] in OPENINGS_WITH_UPCARD and _is_two_player(p)
        ),
        "first_turn = {first_turn} offers the upcard, but take_discard = no forbids taking it. "
        "Set take_discard=yes or first_turn=free.",
    ),
    ParameterConflict(
        lambda p: (
            not p["take_discard"] and p["stock_end"] == "opponent_may_take" and _is_two_player(p)
        ),
        "stock_end = opponent_may_take offers the last discard, but take_discard = no forbids "
        "taking it. Set take_discard=yes or stock_end=after_discard.",
    ),
    ParameterConflict(
        lambda p: p["joker"] != "none" and _is_two_player(p),
        "joker = {joker} requires a single-player variant. Set joker=none, or start from a "
        "single-player variant such as solitaire-gin.",
    ),
    ParameterConflict(
        lambda p: p["deal_scoring"] in ("joker", "winloss") and p["joker"] == "none",
        "deal_scoring = {deal_scoring} needs a joker in the deck, but joker = none. Set "
        "deal_scoring=versus for two players, or joker=after_deal for one.",
    ),
    ParameterConflict(
        lambda p: p["joker"] == "before_deal" and p["first_turn"] == "discard_first",
        "joker = before_deal conflicts with first_turn = discard_first. Set joker=after_deal or "
        "first_turn=stock.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["first_turn"] == "stock",
        "first_turn = stock requires a single-player variant. Set first_turn=upcard_pass or "
        "another opening for two players.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["stock_end"] == "none",
        "stock_end = none requires a single-player variant. Set stock_end=after_discard or "
        "another value for two players.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["deal_scoring"] == "penalty",
        "deal_scoring = penalty requires a single-player variant. Set deal_scoring=versus.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["deal_scoring"] == "versus",
        "deal_scoring = versus needs two players. Set deal_scoring to joker, winloss or penalty "
        "for one player.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["take_discard"],
        "take_discard = yes needs two players. Set take_discard=no for one player.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["first_turn"] in (*OPENINGS_WITH_UPCARD, "free"),
        "first_turn = {first_turn} needs two players. Set first_turn=stock or "
        "first_turn=discard_first for one player.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["stock_end"] != "none",
        "stock_end = {stock_end} needs two players. Set stock_end=none for one player.",
    ),
    ParameterConflict(
        _allows_too_many_draws,
        "max_draws = {max_draws} allows more draws than the deck has cards, because it has no "
        "joker. Set max_draws to at most 42 (41 with first_turn=discard_first), or add a joker.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["max_draws"] is not None,
        "max_draws = {max_draws} requires a single-player variant. Set max_draws=none.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["max_draws"] is not None and p["deal_scoring"] != "penalty",
        "max_draws = {max_draws} requires deal_scoring = penalty, not {deal_scoring}. Set "
        "max_draws=none or deal_scoring=penalty.",
    ),
    ParameterConflict(
        lambda p: p["deal_scoring"] == "winloss" and (p["knock_limit"] or 0) > 0,
        "deal_scoring = winloss allows only gin, but knock_limit = {knock_limit}. Set "
        "knock_limit=0.",
    ),
    *map(_make_two_player_conflict, ("rush_premium", "layoff", "shot")),
    ParameterConflict(
        lambda p: p["layoff_on_gin"] and not p["layoff"],
        "layoff_on_gin = yes requires layoff = yes. Set layoff=yes or layoff_on_gin=no.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and not find_match_goal(p).is_solo,
        "goal = {goal} needs two players. Set goal to single, points or total for one player.",
    ),
    ParameterConflict(
        lambda p: p["goal"] == "total" and p["deal_scoring"] != "penalty",
        "goal = total requires deal_scoring = penalty, not {deal_scoring}. Set another goal or, "
        "for one player, deal_scoring=penalty.",
    ),
    ParameterConflict(
        lambda p: p["goal"] == "points" and p["deal_scoring"] == "penalty",
        "goal = points cannot be reached with deal_scoring = penalty. Set goal=total.",
    ),
    ParameterConflict(
        lambda p: p["goal"] == "games" and p["game_table"][-1][0] < p["points_target"] - 1,
        "game_table = {game_table} does not list all scores of a loser, which can be up to "
        "points_target - 1 (points_target = {points_target}). Extend game_table or lower "
        "points_target.",
    ),
    ParameterConflict(
        _is_decided_at_start,
        "start_points = {start_points} already reaches points_target = {points_target}. Lower "
        "start_points or raise points_target.",
    ),
    ParameterConflict(
        lambda p: p["die"] == "deal" and p["goal"] != "deals",
        "die = deal requires goal = deals, not {goal}. Set goal=deals or die=off.",
    ),
    ParameterConflict(
        lambda p: p["die"] == "game" and p["goal"] != "games",
        "die = game requires goal = games, not {goal}. Set goal=games or die=off.",
    ),
    ParameterConflict(
        _has_invalid_die_target,
        "deals_target must be from 3 to 21 with die = deal, not {deals_target}. Set it, for "
        "example to 7.",
    ),
)
