"""Validation of parameters: invalid combinations (rules.md 10.17), with error messages.

Every combination that passes is playable. A clause reads only parameters with valid values. It is
skipped if it needs another one, because the invalid value has an error message of its own.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from simgin.rules.parameters import Params, ParamValue, match_goal, rule_parameters
from simgin.text.messages import did_you_mean, format_value

UPCARD_OPENINGS = ("upcard_pass", "upcard_stock_or_pass", "upcard_stock_or_pass_dead")
OPENINGS_WITHOUT_UPCARD = ("discard_first", "stock")

KnownParams = Mapping[str, Any]  # parameters with valid values


class RulesWarning(UserWarning):
    """Warning about settings that have no effect under the rules they appear in.

    Attributes:
        reason: Settings without effect, why they have none and what they need, without the variant.
    """

    def __init__(self, text: str, reason: str):
        super().__init__(f"in {text}, {reason}")
        self.reason = reason


@dataclass(frozen=True)
class ParameterConflict:
    """Invalid combination of parameters, with its error message.

    Attributes:
        is_violated: Predicate that is true if the parameters are not playable.
        message: Error message, with the names of parameters in braces for their values.
    """

    is_violated: Callable[[KnownParams], bool]
    message: str


def validate(params: Params) -> list[str]:
    """Return every error in a set of parameters, with a suggestion for each.

    Args:
        params: Value of every parameter.

    Returns:
        Error messages; empty if the rules are playable.
    """
    messages, valid_params = _check_values(params)
    dashes = {}
    for name in valid_params:
        sentence = _evaluate(rule_parameters()[name].missing_value_error, valid_params)
        if sentence:
            dashes[name] = sentence
    messages += dashes.values()
    # Clauses do not see a missing value, which has been reported already.
    known = {name: value for name, value in valid_params.items() if name not in dashes}
    texts = {}
    for name, value in valid_params.items():
        texts[name] = rule_parameters()[name].to_text(value)
    for clause in CLAUSES:
        if _evaluate(clause.is_violated, known):
            sentence = clause.message.format_map(texts)
            messages.append(sentence)
    return messages


def warn_without_effect(text: str, messages: Iterable[str]) -> None:
    """Issue one RulesWarning about the settings of a variant, unless there are no sentences.

    All of these warnings come from one line of code, so that Python shows each text once.
    """
    reason = " ".join(messages)
    if reason:
        warnings.warn(RulesWarning(text, reason), stacklevel=1)


def unknown_parameter_error(name: str) -> str:
    """Return the error message for a name that is not a parameter."""
    suggestion = did_you_mean(str(name), rule_parameters())
    fix = " `simgin variants standard` shows them all." if suggestion == "." else ""
    return f"there is no parameter {format_value(name)}{suggestion}{fix}"


def _check_values(params: Params) -> tuple[list[str], dict[str, ParamValue]]:
    """Check names and values of parameters one by one.

    Returns:
        (error messages for unknown, missing and impossible values, valid values).
    """
    known = rule_parameters()
    messages = [unknown_parameter_error(name) for name in params if name not in known]
    valid_params = {}
    for name, parameter in known.items():
        if name not in params:
            default = parameter.to_text(parameter.default)
            messages.append(f"{name} is missing: in `standard` it is {default}.")
        elif fault := parameter.error_message(params[name]):
            messages.append(fault)
        else:
            valid_params[name] = params[name]
    return messages, valid_params


def _evaluate(predicate: Callable[[KnownParams], Any], known: KnownParams) -> Any:
    """Return the result of the predicate, or None if it needs a parameter that is not known."""
    try:
        return predicate(known)
    except KeyError:
        return None


def _is_solo(p: KnownParams) -> bool:
    return bool(p["players"] == 1)


def _is_two_player(p: KnownParams) -> bool:
    return bool(p["players"] == 2)


def _allows_too_many_draws(p: KnownParams) -> bool:
    """Return True if a single player without a joker could draw from an empty deck."""
    cards_left = 41 if p["first_turn"] == "discard_first" else 42
    max_draws = p["max_draws"]
    too_many = max_draws is None or max_draws > cards_left
    return _is_solo(p) and p["joker"] == "none" and too_many


def _starts_decided(p: KnownParams) -> bool:
    """Return True if a side has all the points it needs before the first deal."""
    if not rule_parameters()["start_points"].has_effect(p):
        return False
    for seat in (0, 1):
        targets = match_goal(p).side_goal(p, seat).targets
        if tuple(targets) != ("score",):
            continue
        if p["start_points"][seat] >= p[targets["score"]]:
            return True
    return False


def _has_invalid_die_target(p: KnownParams) -> bool:
    target = p["deals_target"]
    return p["die"] == "deal" and target is not None and not 3 <= target <= 21


CLAUSES = (
    ParameterConflict(
        lambda p: p["shot"] and p["goal"] == "columns",
        "shot = yes cannot be played with goal = columns, where no single score says what a "
        "shot must leave: set shot=no or another goal.",
    ),
    ParameterConflict(
        lambda p: p["knock_by_upcard"] and p["first_turn"] in OPENINGS_WITHOUT_UPCARD,
        "knock_by_upcard = yes needs an upcard, and first_turn = {first_turn} has none: set "
        "knock_by_upcard=no.",
    ),
    ParameterConflict(
        lambda p: p["spade_multiplier"] > 1 and p["first_turn"] in OPENINGS_WITHOUT_UPCARD,
        "spade_multiplier = {spade_multiplier} needs an upcard, and first_turn = {first_turn} "
        "has none: set spade_multiplier=1.",
    ),
    ParameterConflict(
        lambda p: p["take_to_knock"] == "melded" and not p["take_discard"],
        "take_to_knock = melded applies to cards taken from the discard pile, but take_discard "
        "= no: set take_to_knock=any.",
    ),
    ParameterConflict(
        lambda p: (
            not p["take_discard"] and p["first_turn"] in UPCARD_OPENINGS and _is_two_player(p)
        ),
        "first_turn = {first_turn} offers the upcard, which take_discard = no forbids taking: "
        "set take_discard=yes or first_turn=free.",
    ),
    ParameterConflict(
        lambda p: (
            not p["take_discard"] and p["stock_end"] == "opponent_may_take" and _is_two_player(p)
        ),
        "stock_end = opponent_may_take offers the last discard, which take_discard = no forbids "
        "taking: set take_discard=yes or stock_end=after_discard.",
    ),
    ParameterConflict(
        lambda p: p["joker"] != "none" and _is_two_player(p),
        "joker = {joker} is for one player: set joker=none, or start from a one-player game "
        "such as solitaire-gin.",
    ),
    ParameterConflict(
        lambda p: p["deal_scoring"] in ("joker", "winloss") and p["joker"] == "none",
        "deal_scoring = {deal_scoring} needs a joker in the deck, but joker = none: set "
        "deal_scoring=versus for two players, or joker=after_deal for one.",
    ),
    ParameterConflict(
        lambda p: p["joker"] == "before_deal" and p["first_turn"] == "discard_first",
        "joker = before_deal cannot be combined with first_turn = discard_first: set "
        "joker=after_deal or first_turn=stock.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["first_turn"] == "stock",
        "first_turn = stock is for one player: set first_turn=upcard_pass or another opening "
        "for two.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["stock_end"] == "none",
        "stock_end = none is for one player: set stock_end=after_discard or another end for two.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["deal_scoring"] == "penalty",
        "deal_scoring = penalty is for one player: set deal_scoring=versus.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["deal_scoring"] == "versus",
        "deal_scoring = versus needs two players: set deal_scoring to joker, winloss or penalty "
        "for one.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["take_discard"],
        "take_discard = yes needs two players: set take_discard=no for one.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["first_turn"] in (*UPCARD_OPENINGS, "free"),
        "first_turn = {first_turn} needs two players: set first_turn=stock or "
        "first_turn=discard_first for one.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["stock_end"] != "none",
        "stock_end = {stock_end} needs two players: set stock_end=none for one.",
    ),
    ParameterConflict(
        _allows_too_many_draws,
        "one player without a joker can draw no more cards than are left after dealing, but "
        "max_draws = {max_draws}: set max_draws to 42 or less (41 with "
        "first_turn=discard_first), or add a joker.",
    ),
    ParameterConflict(
        lambda p: _is_two_player(p) and p["max_draws"] is not None,
        "max_draws = {max_draws} is for one player: set max_draws=none.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["max_draws"] is not None and p["deal_scoring"] != "penalty",
        "max_draws = {max_draws} needs deal_scoring = penalty, not {deal_scoring}: set "
        "max_draws=none or deal_scoring=penalty.",
    ),
    ParameterConflict(
        lambda p: p["deal_scoring"] == "winloss" and (p["knock_limit"] or 0) > 0,
        "deal_scoring = winloss allows only gin, but knock_limit = {knock_limit}: set "
        "knock_limit=0.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["rush_premium"],
        "rush_premium = yes needs two players: set rush_premium=no.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["layoff"], "layoff = yes needs two players: set layoff=no."
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and p["shot"], "shot = yes needs two players: set shot=no."
    ),
    ParameterConflict(
        lambda p: p["layoff_on_gin"] and not p["layoff"],
        "layoff_on_gin = yes needs layoff = yes: set layoff=yes or layoff_on_gin=no.",
    ),
    ParameterConflict(
        lambda p: _is_solo(p) and not match_goal(p).solo,
        "goal = {goal} needs two players: set goal to single, points or total for one.",
    ),
    ParameterConflict(
        lambda p: p["goal"] == "total" and p["deal_scoring"] != "penalty",
        "goal = total adds up penalties, but deal_scoring = {deal_scoring}: set another goal, "
        "or (for one player) deal_scoring=penalty.",
    ),
    ParameterConflict(
        lambda p: p["goal"] == "points" and p["deal_scoring"] == "penalty",
        "goal = points cannot be reached with deal_scoring = penalty: set goal=total.",
    ),
    ParameterConflict(
        lambda p: p["goal"] == "games" and p["game_table"][-1][0] < p["points_target"] - 1,
        "game_table = {game_table} ends below points_target - 1 (points_target = "
        "{points_target}), so a loser may have points that it does not list: lengthen "
        "game_table or lower points_target.",
    ),
    ParameterConflict(
        _starts_decided,
        "start_points = {start_points} has already reached points_target = {points_target}: "
        "lower start_points or raise points_target.",
    ),
    ParameterConflict(
        lambda p: p["die"] == "deal" and p["goal"] != "deals",
        "die = deal needs goal = deals, not {goal}: set goal=deals or die=off.",
    ),
    ParameterConflict(
        lambda p: p["die"] == "game" and p["goal"] != "games",
        "die = game needs goal = games, not {goal}: set goal=games or die=off.",
    ),
    ParameterConflict(
        _has_invalid_die_target,
        "deals_target must be 3..21 with die = deal, not {deals_target}: set deals_target=7, say.",
    ),
)
