"""Which rows of parameters are no game: the refusal list of rules.md 10.17, each a condition and a sentence.

Anything not refused here is defined. Clauses are judged on the parameters whose values are sound; a clause that needs
one that is not stays silent, since that value has a sentence of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simgin.rules.goals import goal_of
from simgin.rules.parameters import Value, parameters
from simgin.text.messages import did_you_mean, shown

UPCARD_OPENINGS = ("upcard_pass", "upcard_stock_or_pass", "upcard_stock_or_pass_dead")
NO_UPCARD = ("discard_first", "stock")


@dataclass(frozen=True)
class Clause:
    """A row is refused if `refused(row)`; the sentence may name values of the row in braces."""

    refused: Callable[[Mapping[str, Any]], bool]
    sentence: str


def validate(row: Mapping[str, Value]) -> list[str]:
    """Everything that is wrong with a row, in whole sentences with the remedy; nothing for a game that can be played.

    A row has a value (or None, the dash) for every parameter of rules.md 11.
    """
    sentences, sound = _unsound(row)
    dashes = {
        name: sentence for name in sound if (sentence := _judged(parameters()[name].dash, sound))
    }
    # A dash where a value counts has its sentence already, so the clauses do not see it.
    counted = {name: value for name, value in sound.items() if name not in dashes}
    texts = {name: parameters()[name].write(value) for name, value in sound.items()}
    clauses = [
        clause.sentence.format_map(texts) for clause in CLAUSES if _judged(clause.refused, counted)
    ]
    return sentences + list(dashes.values()) + clauses


def unknown_parameter(name: str) -> str:
    """The sentence about a name that no parameter has."""
    near = did_you_mean(str(name), parameters())
    remedy = " `simgin variants standard` shows them all." if near == "." else ""
    return f"there is no parameter {shown(name)}{near}{remedy}"


def _unsound(row: Mapping[str, Value]) -> tuple[list[str], dict[str, Value]]:
    """Sentences about unknown, missing and impossible values, and the part of the row that is free of them."""
    sentences = [unknown_parameter(name) for name in row if name not in parameters()]
    sound = {}
    for name, parameter in parameters().items():
        if name not in row:
            sentences.append(
                f"{name} is missing: in `standard` it is {parameter.write(parameter.default)}."
            )
        elif fault := parameter.fault(row[name]):
            sentences.append(fault)
        else:
            sound[name] = row[name]
    return sentences, sound


def _judged(judge: Callable[[Mapping[str, Any]], Any], row: Mapping[str, Any]) -> Any:
    """What `judge` says of an incomplete row, and nothing if it needs a parameter that is not there."""
    try:
        return judge(row)
    except KeyError:
        return None


def _solo(row: Mapping[str, Any]) -> bool:
    return bool(row["players"] == 1)


def _two(row: Mapping[str, Any]) -> bool:
    return bool(row["players"] == 2)


def _draws_too_many(row: Mapping[str, Any]) -> bool:
    """One player without a joker, who could draw from an empty stock."""
    left = 41 if row["first_turn"] == "discard_first" else 42
    return (
        _solo(row)
        and row["joker"] == "none"
        and (row["max_draws"] is None or row["max_draws"] > left)
    )


def _starts_won(row: Mapping[str, Any]) -> Any:
    """A side has reached its points target before the first deal."""
    if not parameters()["start_points"].acts(row):
        return False
    for seat in (0, 1):
        side = goal_of(row).side_at(row, seat)
        only_points = tuple(side.targets) == ("score",)
        if only_points and row["start_points"][seat] >= row[side.targets["score"]]:
            return True
    return False


CLAUSES = (
    Clause(
        lambda row: row["shot"] and row["goal"] == "columns",
        "shot = yes cannot be played with goal = columns, where a side has several scores at once and it is undefined "
        "which one spells the shot: set shot=no or another goal.",
    ),
    Clause(
        lambda row: row["knock_by_upcard"] and row["first_turn"] in NO_UPCARD,
        "knock_by_upcard = yes needs an upcard, and first_turn = {first_turn} has none: set knock_by_upcard=no.",
    ),
    Clause(
        lambda row: row["spade_multiplier"] > 1 and row["first_turn"] in NO_UPCARD,
        "spade_multiplier = {spade_multiplier} needs an upcard, and first_turn = {first_turn} has none: set spade_multiplier=1.",
    ),
    Clause(
        lambda row: row["take_to_knock"] == "melded" and not row["take_discard"],
        "take_to_knock = melded is about cards taken from the discard pile, and take_discard = no: set take_to_knock=any.",
    ),
    Clause(
        lambda row: not row["take_discard"] and row["first_turn"] in UPCARD_OPENINGS and _two(row),
        "first_turn = {first_turn} offers the upcard, which take_discard = no forbids to take: set take_discard=yes or first_turn=free.",
    ),
    Clause(
        lambda row: (
            not row["take_discard"] and row["stock_end"] == "opponent_may_take" and _two(row)
        ),
        "stock_end = opponent_may_take offers the last discard, which take_discard = no forbids to take: set "
        "take_discard=yes or stock_end=after_discard.",
    ),
    Clause(
        lambda row: row["joker"] != "none" and _two(row),
        "joker = {joker} is for one player: set joker=none, or start from a one-player game such as solitaire-gin.",
    ),
    Clause(
        lambda row: row["deal_scoring"] in ("joker", "winloss") and row["joker"] == "none",
        "deal_scoring = {deal_scoring} needs a joker in the deck, and joker = none: set deal_scoring=versus for two "
        "players, or joker=after_deal for one.",
    ),
    Clause(
        lambda row: row["joker"] == "before_deal" and row["first_turn"] == "discard_first",
        "joker = before_deal cannot be combined with first_turn = discard_first: set joker=after_deal or first_turn=stock.",
    ),
    Clause(
        lambda row: _two(row) and row["first_turn"] == "stock",
        "first_turn = stock is for one player: set first_turn=upcard_pass or another opening for two.",
    ),
    Clause(
        lambda row: _two(row) and row["stock_end"] == "none",
        "stock_end = none is for one player: set stock_end=after_discard or another end for two.",
    ),
    Clause(
        lambda row: _two(row) and row["deal_scoring"] == "penalty",
        "deal_scoring = penalty is for one player: set deal_scoring=versus.",
    ),
    Clause(
        lambda row: _solo(row) and row["deal_scoring"] == "versus",
        "deal_scoring = versus needs two players: set deal_scoring to joker, winloss or penalty for one.",
    ),
    Clause(
        lambda row: _solo(row) and row["take_discard"],
        "take_discard = yes needs two players: set take_discard=no for one.",
    ),
    Clause(
        lambda row: _solo(row) and row["first_turn"] in (*UPCARD_OPENINGS, "free"),
        "first_turn = {first_turn} needs two players: set first_turn=stock or first_turn=discard_first for one.",
    ),
    Clause(
        lambda row: _solo(row) and row["stock_end"] != "none",
        "stock_end = {stock_end} needs two players: set stock_end=none for one.",
    ),
    Clause(
        _draws_too_many,
        "one player without a joker can draw no more cards than are left after dealing, and max_draws = {max_draws}: "
        "set max_draws to 42 or less (41 with first_turn=discard_first), or add a joker.",
    ),
    Clause(
        lambda row: _two(row) and row["max_draws"] is not None,
        "max_draws = {max_draws} is for one player: set max_draws=none.",
    ),
    Clause(
        lambda row: (
            _solo(row) and row["max_draws"] is not None and row["deal_scoring"] != "penalty"
        ),
        "max_draws = {max_draws} needs deal_scoring = penalty, not {deal_scoring}: set max_draws=none or deal_scoring=penalty.",
    ),
    Clause(
        lambda row: row["deal_scoring"] == "winloss" and (row["knock_limit"] or 0) > 0,
        "deal_scoring = winloss knows gin only, and knock_limit = {knock_limit}: set knock_limit=0.",
    ),
    Clause(
        lambda row: _solo(row) and row["rush_premium"],
        "rush_premium = yes needs two players: set rush_premium=no.",
    ),
    Clause(
        lambda row: _solo(row) and row["layoff"],
        "layoff = yes needs two players: set layoff=no.",
    ),
    Clause(
        lambda row: _solo(row) and row["shot"],
        "shot = yes needs two players: set shot=no.",
    ),
    Clause(
        lambda row: row["layoff_on_gin"] and not row["layoff"],
        "layoff_on_gin = yes needs layoff = yes: set layoff=yes or layoff_on_gin=no.",
    ),
    Clause(
        lambda row: _solo(row) and not goal_of(row).solo,
        "goal = {goal} needs two players: set goal to single, points or total for one.",
    ),
    Clause(
        lambda row: row["goal"] == "total" and row["deal_scoring"] != "penalty",
        "goal = total adds up penalties, and deal_scoring = {deal_scoring}: set another goal, or (for one player) deal_scoring=penalty.",
    ),
    Clause(
        lambda row: row["goal"] == "points" and row["deal_scoring"] == "penalty",
        "goal = points cannot be reached with deal_scoring = penalty: set goal=total.",
    ),
    Clause(
        lambda row: row["goal"] == "games" and row["game_table"][-1][0] < row["points_target"] - 1,
        "game_table = {game_table} ends below points_target - 1 (points_target = {points_target}), so that a loser may "
        "have points it does not list: lengthen game_table or lower points_target.",
    ),
    Clause(
        _starts_won,
        "start_points = {start_points} has reached points_target = {points_target} already: lower start_points or raise points_target.",
    ),
    Clause(
        lambda row: row["die"] == "deal" and row["goal"] != "deals",
        "die = deal needs goal = deals, not {goal}: set goal=deals or die=off.",
    ),
    Clause(
        lambda row: row["die"] == "game" and row["goal"] != "games",
        "die = game needs goal = games, not {goal}: set goal=games or die=off.",
    ),
    Clause(
        lambda row: (
            row["die"] == "deal"
            and row["deals_target"] is not None
            and not 3 <= row["deals_target"] <= 21
        ),
        "deals_target must be 3..21 with die = deal, and it is {deals_target}: set deals_target=7, say.",
    ),
)
