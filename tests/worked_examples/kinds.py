"""Kinds of worked examples, and their comparison with a subject: engine or reference."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simgin.text.messages import format_value, suggest_spelling
from worked_examples import cards, die, matches, options, scripts
from worked_examples.schema import (
    ImpossibleActionError,
    read_list,
    read_mapping,
    read_meldings,
    read_melds,
    read_scores,
    read_text,
    read_unordered_list,
    read_value,
)

COMMENT_KEYS = ("why", "note")


@dataclass(frozen=True)
class Kind:
    """A kind of worked example."""

    compute_answer: Callable[..., dict[str, Any]]  # computes the keys from the input
    readers: dict[str, Callable[..., Any]]  # convert the value of a key for the comparison
    single_key: str = ""  # key of an expectation that is a single number


def _read_values(*names):
    """Return readers for keys with single values."""
    return dict.fromkeys(names, read_value)


RESULT_READERS = _read_values("winner", "deals")
KINDS = {
    "deadwood": Kind(
        cards.answer_deadwood,
        _read_values("deadwood", "optimal_families")
        | {"families": read_meldings, "auto_melds": read_melds},
    ),
    "knock_options": Kind(
        cards.answer_knock_options,
        {"knock": read_mapping, "shot": read_unordered_list, "big_gin": read_value},
    ),
    "layoff": Kind(
        cards.answer_layoff,
        _read_values("deadwood", "deadwood_if_own_melds_are_fixed_first")
        | {"own_melds_example": read_melds, "laid_off_example": read_melds},
    ),
    "deal_points": Kind(cards.answer_deal_points, _read_values("stopper", "other")),
    "showdown": Kind(
        cards.answer_showdown,
        _read_values("knocker_deadwood", "defender_deadwood", "stopper", "other")
        | {"knocker_melds": read_melds},
    ),
    "play_script": Kind(
        scripts.answer_play_script,
        _read_values("how", "stopper", "winner", "own", "other", "stock", "turns")
        | {"illegal": read_text, "points": read_mapping},
    ),
    "solo_script": Kind(
        scripts.answer_solo_script,
        _read_values("how", "player", "joker", "score", "draws") | {"illegal": read_text},
    ),
    "match_points": Kind(matches.answer_match_points, RESULT_READERS | {"scores": read_scores}),
    "pro_games": Kind(matches.answer_pro_games, _read_values("games"), single_key="games"),
    "pro_round": Kind(
        matches.answer_pro_round, _read_values("winner", "played") | {"games": read_scores}
    ),
    "race": Kind(matches.answer_race, RESULT_READERS | _read_values("points", "deals_won")),
    "twofold": Kind(
        matches.answer_twofold, RESULT_READERS | {"points": read_scores, "deals_won": read_scores}
    ),
    "hollywood": Kind(
        matches.answer_hollywood,
        RESULT_READERS
        | _read_values("total")
        | dict.fromkeys(("columns", "boxes", "closed_by", "settlement"), read_list),
    ),
    "total_match": Kind(matches.answer_total_match, _read_values("total", "won")),
    "die": Kind(
        die.answer_die,
        _read_values("winner", "won_deals", "stake", "owner", "ended_by") | {"illegal": read_text},
    ),
    "die_round": Kind(matches.answer_die_round, RESULT_READERS | {"won_deals": read_scores}),
    "dice_pro": Kind(matches.answer_dice_pro, _read_values("games")),
    "knock_limit": Kind(cards.answer_knock_limit, _read_values("limit", "multiplier")),
    "shot_digits": Kind(cards.answer_shot_digits, {"cards": read_unordered_list}),
    "options": Kind(options.answer_options, {"options": read_unordered_list}),
    "exact_counts": Kind(
        cards.answer_exact_counts, _read_values("melds", "gin_hands_10", "gin_hands_11")
    ),
}


def find_differences(example, subject):
    """Return the keys for which the subject does not meet the expectation: (expected, got)."""
    kind = KINDS[example.kind]
    wanted = {key: value for key, value in example.expect.items() if key not in COMMENT_KEYS}
    if not wanted:
        raise example.make_error("expect is empty, so there is nothing to compare.")
    if unknown := wanted.keys() - kind.readers.keys():
        near = suggest_spelling(min(unknown), kind.readers)
        lacks = f"which kind {example.kind} does not have{near}"
        raise example.make_error(f"expect has {format_value(min(unknown))}, {lacks}")
    expected = {key: kind.readers[key](value) for key, value in wanted.items()}
    try:
        got = kind.compute_answer(example, subject)
    except ImpossibleActionError as reason:
        return {key: (value, str(reason)) for key, value in wanted.items()}
    differences = {}
    for key, value in wanted.items():
        answer = got.get(key)
        if key not in got or expected[key] != kind.readers[key](answer):
            differences[key] = (value, answer)
    return differences
