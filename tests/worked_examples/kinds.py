"""Kinds of worked examples, and their comparison with a subject: engine or reference."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simgin.text.messages import did_you_mean, format_value
from worked_examples import cards, die, matches, options, scripts
from worked_examples.schema import (
    Impossible,
    as_families,
    as_list,
    as_mapping,
    as_melds,
    as_rows,
    as_scores,
    as_text,
    plain,
)

NOT_COMPARED = ("why", "note")


@dataclass(frozen=True)
class Kind:
    """The function that computes a type of example, and the readers of its keys.

    `bare` is the key for a single number.
    """

    answer: Callable[..., dict[str, Any]]
    expects: dict[str, Callable[..., Any]]
    bare: str = ""


def _plain(*names):
    return dict.fromkeys(names, plain)


RESULT = _plain("winner", "deals")
KINDS = {
    "deadwood": Kind(
        cards.deadwood,
        _plain("deadwood", "optimal_families") | {"families": as_families, "auto_melds": as_melds},
    ),
    "knock_options": Kind(
        cards.knock_options, {"knock": as_mapping, "shot": as_list, "big_gin": plain}
    ),
    "layoff": Kind(
        cards.lay_off,
        _plain("deadwood", "deadwood_if_own_melds_are_fixed_first")
        | {"own_melds_example": as_melds, "laid_off_example": as_melds},
    ),
    "deal_points": Kind(cards.deal_points, _plain("stopper", "other")),
    "showdown": Kind(
        cards.showdown,
        _plain("knocker_deadwood", "defender_deadwood", "stopper", "other")
        | {"knocker_melds": as_melds},
    ),
    "play_script": Kind(
        scripts.play_script,
        _plain("how", "stopper", "winner", "own", "other", "stock", "turns")
        | {"illegal": as_text, "points": as_mapping},
    ),
    "solo_script": Kind(
        scripts.solo_script,
        _plain("how", "player", "joker", "score", "draws") | {"illegal": as_text},
    ),
    "match_points": Kind(matches.match_points, RESULT | {"scores": as_scores}),
    "pro_games": Kind(matches.pro_games, _plain("games"), bare="games"),
    "pro_round": Kind(matches.pro_round, _plain("winner", "played") | {"games": as_scores}),
    "race": Kind(matches.race, RESULT | _plain("points", "deals_won")),
    "twofold": Kind(matches.twofold, RESULT | {"points": as_scores, "deals_won": as_scores}),
    "hollywood": Kind(
        matches.hollywood,
        RESULT
        | _plain("total")
        | dict.fromkeys(("columns", "boxes", "closed_by", "settlement"), as_rows),
    ),
    "total_match": Kind(matches.total_match, _plain("total", "won")),
    "die": Kind(
        die.die, _plain("winner", "won_deals", "stake", "owner", "ended_by") | {"illegal": as_text}
    ),
    "die_round": Kind(matches.die_round, RESULT | {"won_deals": as_scores}),
    "dice_pro": Kind(matches.dice_pro, _plain("games")),
    "knock_limit": Kind(cards.knock_limit, _plain("limit", "multiplier")),
    "shot_digits": Kind(cards.shot_digits, {"cards": as_list}),
    "options": Kind(options.options, {"options": as_list}),
    "exact_counts": Kind(cards.exact_counts, _plain("melds", "gin_hands_10", "gin_hands_11")),
}


def compare(example, subject):
    """Return the expected keys for which the subject differs: key -> (expected, got)."""
    kind = KINDS[example.kind]
    wanted = {key: value for key, value in example.expect.items() if key not in NOT_COMPARED}
    if not wanted:
        raise example.error("expect is empty, so there is nothing to compare.")
    if unknown := wanted.keys() - kind.expects.keys():
        near = did_you_mean(min(unknown), kind.expects)
        lacks = f"which kind {example.kind} does not have{near}"
        raise example.error(f"expect has {format_value(min(unknown))}, {lacks}")
    expected = {key: kind.expects[key](value) for key, value in wanted.items()}
    try:
        got = kind.answer(example, subject)
    except Impossible as reason:
        return {key: (value, str(reason)) for key, value in wanted.items()}
    different = {}
    for key, value in wanted.items():
        answer = got.get(key)
        if key not in got or expected[key] != kind.expects[key](answer):
            different[key] = (value, answer)
    return different
