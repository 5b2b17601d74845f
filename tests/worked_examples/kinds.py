"""Define the kinds of worked examples, and compare expected with actual results."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simgin.text.messages import format_value, suggest_spelling
from worked_examples import cards, die, matches, options, scripts
from worked_examples.schema import (
    ImpossibleActionError,
    normalize_list,
    normalize_mapping,
    normalize_meldings,
    normalize_melds,
    normalize_scores,
    normalize_text,
    normalize_unordered_list,
    normalize_value,
)

COMMENT_KEYS = ("why", "note")


@dataclass(frozen=True)
class ExampleKind:
    """Kind of worked example, which is solved and compared in one way."""

    solve_example: Callable[..., dict[str, Any]]  # returns the actual values by key
    normalizers: dict[str, Callable[..., Any]]  # convert the value of a key for the comparison
    single_key: str = ""  # key of an expectation that is a single number


def _expect_values(*keys):
    """Return normalizers for keys with single values."""
    return dict.fromkeys(keys, normalize_value)


RESULT_NORMALIZERS = _expect_values("winner", "deals")
EXAMPLE_KINDS = {
    "deadwood": ExampleKind(
        cards.solve_deadwood_example,
        _expect_values("deadwood", "optimal_families")
        | {"families": normalize_meldings, "auto_melds": normalize_melds},
    ),
    "knock_options": ExampleKind(
        cards.solve_knock_options_example,
        {"knock": normalize_mapping, "shot": normalize_unordered_list, "big_gin": normalize_value},
    ),
    "layoff": ExampleKind(
        cards.solve_layoff_example,
        _expect_values("deadwood", "deadwood_if_own_melds_are_fixed_first")
        | {"own_melds_example": normalize_melds, "laid_off_example": normalize_melds},
    ),
    "deal_points": ExampleKind(cards.solve_deal_points_example, _expect_values("stopper", "other")),
    "showdown": ExampleKind(
        cards.solve_showdown_example,
        _expect_values("knocker_deadwood", "defender_deadwood", "stopper", "other")
        | {"knocker_melds": normalize_melds},
    ),
    "play_script": ExampleKind(
        scripts.solve_play_script_example,
        _expect_values("how", "stopper", "winner", "own", "other", "stock", "turns")
        | {"illegal": normalize_text, "points": normalize_mapping},
    ),
    "solo_script": ExampleKind(
        scripts.solve_solo_script_example,
        _expect_values("how", "player", "joker", "score", "draws") | {"illegal": normalize_text},
    ),
    "match_points": ExampleKind(
        matches.solve_match_points_example, RESULT_NORMALIZERS | {"scores": normalize_scores}
    ),
    "pro_games": ExampleKind(
        matches.solve_pro_games_example, _expect_values("games"), single_key="games"
    ),
    "pro_round": ExampleKind(
        matches.solve_pro_round_example,
        _expect_values("winner", "played") | {"games": normalize_scores},
    ),
    "race": ExampleKind(
        matches.solve_race_example, RESULT_NORMALIZERS | _expect_values("points", "deals_won")
    ),
    "twofold": ExampleKind(
        matches.solve_twofold_example,
        RESULT_NORMALIZERS | {"points": normalize_scores, "deals_won": normalize_scores},
    ),
    "hollywood": ExampleKind(
        matches.solve_hollywood_example,
        RESULT_NORMALIZERS
        | _expect_values("total")
        | dict.fromkeys(("columns", "boxes", "closed_by", "settlement"), normalize_list),
    ),
    "total_match": ExampleKind(matches.solve_total_match_example, _expect_values("total", "won")),
    "die": ExampleKind(
        die.solve_die_example,
        _expect_values("winner", "won_deals", "stake", "owner", "ended_by")
        | {"illegal": normalize_text},
    ),
    "die_round": ExampleKind(
        matches.solve_die_round_example, RESULT_NORMALIZERS | {"won_deals": normalize_scores}
    ),
    "dice_pro": ExampleKind(matches.solve_dice_pro_example, _expect_values("games")),
    "knock_limit": ExampleKind(
        cards.solve_knock_limit_example, _expect_values("limit", "multiplier")
    ),
    "shot_digits": ExampleKind(
        cards.solve_shot_digits_example, {"cards": normalize_unordered_list}
    ),
    "options": ExampleKind(options.solve_options_example, {"options": normalize_unordered_list}),
    "exact_counts": ExampleKind(
        cards.solve_exact_counts_example, _expect_values("melds", "gin_hands_10", "gin_hands_11")
    ),
}


def find_differences(example, implementation):
    """Return (expected, actual) for each key with a result that differs from the expectation."""
    kind = EXAMPLE_KINDS[example.kind]
    wanted = {key: value for key, value in example.expect.items() if key not in COMMENT_KEYS}
    if not wanted:
        raise example.make_error("expect is empty, so there is nothing to compare.")
    if unknown := wanted.keys() - kind.normalizers.keys():
        near = suggest_spelling(min(unknown), kind.normalizers)
        lacks = f"which kind {example.kind} does not have{near}"
        raise example.make_error(f"expect has {format_value(min(unknown))}, {lacks}")
    expected = {key: kind.normalizers[key](value) for key, value in wanted.items()}
    try:
        got = kind.solve_example(example, implementation)
    except ImpossibleActionError as reason:
        return {key: (value, str(reason)) for key, value in wanted.items()}
    differences = {}
    for key, value in wanted.items():
        answer = got.get(key)
        if key not in got or expected[key] != kind.normalizers[key](answer):
            differences[key] = (value, answer)
    return differences
