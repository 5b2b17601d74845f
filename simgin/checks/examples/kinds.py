"""The kinds of worked examples, and how one is compared with what the engine says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simgin.checks.examples import cards as answers
from simgin.checks.examples import counts, die, matches, options, schema, script, solo_script
from simgin.checks.examples.cards import Answer
from simgin.checks.examples.schema import (
    Example,
    Impossible,
    NotSupported,
    as_families,
    as_list,
    as_mapping,
    as_melds,
    as_rows,
    as_scores,
    as_text,
    plain,
)
from simgin.checks.examples.script import SEATS
from simgin.rules.record import build_rules_from
from simgin.text import notation
from simgin.text.messages import did_you_mean, shown

NOT_COMPARED = ("why", "note")


def exact_counts(one: Example) -> Answer:
    """Melds in the pack, and hands that melds make up to the last card."""
    row = schema.row(one)
    melds = counts.melds(str(row["ace_runs"]), bool(row["rainbow"]))
    sizes = [size for size in (10, 11) if f"gin_hands_{size}" in one.expect]
    return {"melds": len(melds)} | {
        f"gin_hands_{size}": counts.hands(melds, size, build_rules_from(row)) for size in sizes
    }


def play_script(one: Example) -> Answer:
    """A deal played as the script says, as far as it can be."""
    cards = _pack(one)
    variant = schema.variant(one, "nondealer", "dealer", "upcard", "stock_top_first", "actions")
    try:
        played = script.play(
            variant, script.pack(*cards), [script.action(text) for text in _actions(one)]
        )
    except (script.ScriptError, notation.CardError) as error:
        raise one.error(f"input: {error}") from None
    except script.NotPlayable as reason:
        raise NotSupported(f"{reason}.") from None
    return _outcome(one, played)


def _actions(one: Example) -> list[str]:
    actions = schema.need(one, "actions")
    if not isinstance(actions, list) or not all(isinstance(text, str) for text in actions):
        raise one.error("input.actions must be a list of texts like N take and D throw 6C.")
    return actions


def _pack(one: Example) -> tuple[list[int], list[int], int | None, list[int]]:
    """Nondealer's and dealer's hand, upcard and stock."""
    upcard = schema.card(one, "upcard")
    first, second, stock = (
        schema.cards(one, f"input.{key}", schema.need(one, key))
        for key in ("nondealer", "dealer", "stock_top_first")
    )
    return first, second, None if upcard < 0 else upcard, stock


def _outcome(one: Example, played: script.Played) -> Answer:
    """What became of the script: the first action that was not possible, or the result."""
    if played.illegal >= 0:
        said = _actions(one)
        text = said[played.illegal]
        if "illegal" not in one.expect:
            raise Impossible(f"{text} (action {played.illegal + 1}) is not possible")
        again = (
            text == said[-1] and played.illegal != len(said) - 1
        )  # the example means its last action, the engine an earlier one
        return {"illegal": f"{text}, as action {played.illegal + 1}" if again else text}
    state = played.deal.state
    if not played.deal.kind:
        drawn = sum(action.what == script.STOCK for action in played.script)
        return {
            "illegal": None,
            "how": "the script ends before the deal",
            "stock": script.STOCK_CARDS - drawn,
        }
    answer: Answer = {
        "illegal": None,
        "how": played.deal.kind,
        "stock": int(state.stock),
        "turns": int(state.turns),
    }
    answer["points"] = {SEATS[seat]: int(state.score[seat]) for seat in (0, 1)}
    answer["winner"], answer["stopper"] = (
        SEATS[seat] if seat >= 0 else None for seat in (state.winner, state.stopper)
    )
    if state.stopper >= 0:
        answer |= {"own": int(state.stopper_count), "other": int(state.other_count)}
    return answer


Reader = Callable[[Example, str, Any], Any]


@dataclass(frozen=True)
class Kind:
    """A kind of example: what the engine makes of one, and how to read each key of an expectation.

    bare: the key that an expectation stands for which is a number by itself.
    """

    answer: Callable[[Example], Answer]
    expects: dict[str, Reader]
    bare: str = ""


KINDS = {
    "deadwood": Kind(
        answers.deadwood,
        {
            "deadwood": plain,
            "optimal_families": plain,
            "families": as_families,
            "auto_melds": as_melds,
        },
    ),
    "knock_options": Kind(
        answers.knock_options, {"knock": as_mapping, "shot": as_list, "big_gin": plain}
    ),
    "layoff": Kind(
        answers.lay_off,
        {
            "deadwood": plain,
            "deadwood_if_own_melds_are_fixed_first": plain,
            "own_melds_example": as_melds,
            "laid_off_example": as_melds,
        },
    ),
    "deal_points": Kind(answers.deal_points, {"stopper": plain, "other": plain}),
    "showdown": Kind(
        answers.showdown,
        {
            "knocker_deadwood": plain,
            "defender_deadwood": plain,
            "stopper": plain,
            "other": plain,
            "knocker_melds": as_melds,
        },
    ),
    "play_script": Kind(
        play_script,
        {
            **dict.fromkeys(("how", "stopper", "winner", "own", "other", "stock", "turns"), plain),
            "illegal": as_text,
            "points": as_mapping,
        },
    ),
    "solo_script": Kind(
        solo_script.solo_script,
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
    "knock_limit": Kind(answers.knock_limit, {"limit": plain, "multiplier": plain}),
    "shot_digits": Kind(answers.shot_digits, {"cards": as_list}),
    "options": Kind(options.options, {"options": as_list}),
    "exact_counts": Kind(
        exact_counts, {"melds": plain, "gin_hands_10": plain, "gin_hands_11": plain}
    ),
}


def compare(one: Example) -> dict[str, tuple[Any, Any]]:
    """Every expected key that the engine answers otherwise: (expected, got). NotSupported and ExampleError as they come."""
    kind = KINDS[one.kind]
    wanted = {key: value for key, value in one.expect.items() if key not in NOT_COMPARED}
    for key in wanted:
        if key not in kind.expects:
            raise one.error(
                f"expect has {shown(key)}, which kind {one.kind} does not know{did_you_mean(key, kind.expects)}"
            )
    if not wanted:
        raise one.error("expect is empty, so there is nothing to compare.")
    read = {key: kind.expects[key](one, key, value) for key, value in wanted.items()}
    try:
        got = kind.answer(one)
    except Impossible as reason:
        return {key: (value, str(reason)) for key, value in wanted.items()}
    return {
        key: (value, got.get(key))
        for key, value in wanted.items()
        if key not in got or read[key] != kind.expects[key](one, key, got[key])
    }
