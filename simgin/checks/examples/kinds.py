"""The kinds of worked examples, and how one is compared with the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simgin.checks.examples import (
    cards,
    counts,
    deal_script,
    die,
    matches,
    options,
    schema,
    solo_script,
)
from simgin.checks.examples.cards import Answer
from simgin.checks.examples.deal_script import SEATS
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
from simgin.rules.record import build_rules_from
from simgin.text import notation
from simgin.text.messages import did_you_mean, shown

NOT_COMPARED = ("why", "note")


def exact_counts(example: Example) -> Answer:
    """Number of melds in the pack, and of hands that consist of melds only."""
    row = schema.row(example)
    melds = counts.melds(str(row["ace_runs"]), bool(row["rainbow"]))
    answer: Answer = {"melds": len(melds)}
    for size in (10, 11):
        name = f"gin_hands_{size}"
        if name in example.expect:
            answer[name] = counts.hands(melds, size, build_rules_from(row))
    return answer


def play_script(example: Example) -> Answer:
    """How a deal ends that is played by a script, as far as it can be."""
    return _outcome(example, played_script(example))


def played_script(example: Example) -> deal_script.Played:
    """A deal played by a script, as far as it can be."""
    pack = _pack(example)
    own_keys = ("nondealer", "dealer", "upcard", "stock_top_first", "actions")
    variant = schema.variant(example, *own_keys)
    try:
        actions = [deal_script.action(text) for text in _actions(example)]
        return deal_script.play(variant, deal_script.pack(*pack), actions)
    except (deal_script.ScriptError, notation.CardError) as error:
        raise example.error(f"input: {error}") from None
    except deal_script.NotPlayable as reason:
        raise NotSupported(f"{reason}.") from None


def _actions(example: Example) -> list[str]:
    actions = schema.need(example, "actions")
    if not isinstance(actions, list) or not all(isinstance(text, str) for text in actions):
        raise example.error("input.actions must be a list of texts like N take and D throw 6C.")
    return actions


def _pack(example: Example) -> tuple[list[int], list[int], int | None, list[int]]:
    """Hands of nondealer and dealer, upcard, stock."""
    upcard = schema.card(example, "upcard")
    piles = []
    for key in ("nondealer", "dealer", "stock_top_first"):
        piles.append(schema.cards(example, f"input.{key}", schema.need(example, key)))
    nondealer, dealer, stock = piles
    return nondealer, dealer, None if upcard < 0 else upcard, stock


def _outcome(example: Example, played: deal_script.Played) -> Answer:
    """The first action that was not possible, or the result of the deal."""
    if played.illegal >= 0:
        return {"illegal": _illegal_action(example, played.illegal)}
    state = played.deal.state
    if not played.deal.kind:
        drawn = sum(action.what == deal_script.STOCK for action in played.script)
        stock = deal_script.STOCK_CARDS - drawn
        return {"illegal": None, "how": "the script ends before the deal", "stock": stock}
    answer: Answer = {"illegal": None, "how": played.deal.kind}
    answer |= {"stock": int(state.stock), "turns": int(state.turns)}
    answer["points"] = {SEATS[seat]: int(state.score[seat]) for seat in (0, 1)}
    for name, seat in (("winner", state.winner), ("stopper", state.stopper)):
        answer[name] = SEATS[seat] if seat >= 0 else None
    if state.stopper >= 0:
        answer |= {"own": int(state.stopper_count), "other": int(state.other_count)}
    return answer


def _illegal_action(example: Example, place: int) -> str:
    """The text of an impossible action; with its number if the last action has the same text."""
    texts = _actions(example)
    text = texts[place]
    if "illegal" not in example.expect:
        raise Impossible(f"{text} (action {place + 1}) is not possible")
    repeated = text == texts[-1] and place != len(texts) - 1
    return f"{text}, as action {place + 1}" if repeated else text


Reader = Callable[[Example, str, Any], Any]


@dataclass(frozen=True)
class Kind:
    """A kind of example: the engine's answer, and how to read each key of an expectation.

    bare: the key that is meant by an expectation that is only a number.
    """

    answer: Callable[[Example], Answer]
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
        cards.settle_showdown,
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
    "knock_limit": Kind(cards.knock_limit, {"limit": plain, "multiplier": plain}),
    "shot_digits": Kind(cards.shot_digits, {"cards": as_list}),
    "options": Kind(options.options, {"options": as_list}),
    "exact_counts": Kind(
        exact_counts, {"melds": plain, "gin_hands_10": plain, "gin_hands_11": plain}
    ),
}


def compare(example: Example) -> dict[str, tuple[Any, Any]]:
    """Expected keys with another answer from the engine: key -> (expected, got).

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
        got = kind.answer(example)
    except Impossible as reason:
        return {key: (value, str(reason)) for key, value in wanted.items()}
    different = {}
    for key, value in wanted.items():
        answer = got.get(key)
        if key not in got or expected[key] != kind.expects[key](example, key, answer):
            different[key] = (value, answer)
    return different
