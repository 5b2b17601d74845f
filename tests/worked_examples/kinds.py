"""The kinds of worked examples, and how one is compared with a subject: the engine or the twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simgin.text.messages import did_you_mean, shown
from worked_examples import cards, die, matches, options, scripts
from worked_examples.schema import (
    Answer,
    Example,
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

Reader = Callable[[Example, str, Any], Any]


@dataclass(frozen=True)
class Kind:
    """A kind of example: a subject's answer, and how to read each key of an expectation.

    bare: the key that is meant by an expectation that is only a number.
    """

    answer: Callable[[Example, Any], Answer]
    expects: dict[str, Reader]
    bare: str = ""


KINDS = {
    "deadwood": Kind(
        cards.deadwood,
        {
            "deadwood": plain,
            "optimal_families": plain,
            "families": as_families,
            "auto_melds": as_melds,
        },
    ),
    "knock_options": Kind(
        cards.knock_options, {"knock": as_mapping, "shot": as_list, "big_gin": plain}
    ),
    "layoff": Kind(
        cards.lay_off,
        {
            "deadwood": plain,
            "deadwood_if_own_melds_are_fixed_first": plain,
            "own_melds_example": as_melds,
            "laid_off_example": as_melds,
        },
    ),
    "deal_points": Kind(cards.deal_points, {"stopper": plain, "other": plain}),
    "showdown": Kind(
        cards.showdown,
        {
            "knocker_deadwood": plain,
            "defender_deadwood": plain,
            "stopper": plain,
            "other": plain,
            "knocker_melds": as_melds,
        },
    ),
    "play_script": Kind(
        scripts.play_script,
        {
            **dict.fromkeys(("how", "stopper", "winner", "own", "other", "stock", "turns"), plain),
            "illegal": as_text,
            "points": as_mapping,
        },
    ),
    "solo_script": Kind(
        scripts.solo_script,
        {**dict.fromkeys(("how", "player", "joker", "score", "draws"), plain), "illegal": as_text},
    ),
    "match_points": Kind(
        matches.match_points, {"scores": as_scores, "winner": plain, "deals": plain}
    ),
    "pro_games": Kind(matches.pro_games, {"games": plain}, bare="games"),
    "pro_round": Kind(matches.pro_round, {"games": as_scores, "winner": plain, "played": plain}),
    "race": Kind(matches.race, dict.fromkeys(("points", "deals_won", "winner", "deals"), plain)),
    "twofold": Kind(
        matches.twofold,
        {"points": as_scores, "deals_won": as_scores, "winner": plain, "deals": plain},
    ),
    "hollywood": Kind(
        matches.hollywood,
        {
            **dict.fromkeys(("columns", "boxes", "closed_by", "settlement"), as_rows),
            **dict.fromkeys(("total", "winner", "deals"), plain),
        },
    ),
    "total_match": Kind(matches.total_match, {"total": plain, "won": plain}),
    "die": Kind(
        die.die,
        {
            **dict.fromkeys(("winner", "won_deals", "stake", "owner", "ended_by"), plain),
            "illegal": as_text,
        },
    ),
    "die_round": Kind(matches.die_round, {"won_deals": as_scores, "winner": plain, "deals": plain}),
    "dice_pro": Kind(matches.dice_pro, {"games": plain}),
    "knock_limit": Kind(cards.knock_limit, {"limit": plain, "multiplier": plain}),
    "shot_digits": Kind(cards.shot_digits, {"cards": as_list}),
    "options": Kind(options.options, {"options": as_list}),
    "exact_counts": Kind(
        cards.exact_counts, {"melds": plain, "gin_hands_10": plain, "gin_hands_11": plain}
    ),
}


def compare(example: Example, subject: Any) -> dict[str, tuple[Any, Any]]:
    """Expected keys with another answer from the subject: key -> (expected, got).

    Raises NotSupported and ExampleError.
    """
    kind = KINDS[example.kind]
    wanted = {key: value for key, value in example.expect.items() if key not in NOT_COMPARED}
    if not wanted:
        raise example.error("expect is empty, so there is nothing to compare.")
    expected = {}
    for key, value in wanted.items():
        if key not in kind.expects:
            near = did_you_mean(key, kind.expects)
            raise example.error(
                f"expect has {shown(key)}, which kind {example.kind} does not have{near}"
            )
        expected[key] = kind.expects[key](example, key, value)
    try:
        got = kind.answer(example, subject)
    except Impossible as reason:
        return {key: (value, str(reason)) for key, value in wanted.items()}
    different = {}
    for key, value in wanted.items():
        answer = got.get(key)
        if key not in got or expected[key] != kind.expects[key](example, key, answer):
            different[key] = (value, answer)
    return different
