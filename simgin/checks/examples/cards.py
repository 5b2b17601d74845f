"""The engine's answers to worked examples about cards, counts and points.

Answers have the form of the expectation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simgin.checks.examples import schema
from simgin.checks.examples.schema import Example, Impossible
from simgin.core import answers, endings, layoff, meldings, scoring
from simgin.core.deadwood import best_discards, deadwood_of
from simgin.core.rules import DEFENDER, STOPPER
from simgin.core.showdown import showdown
from simgin.core.state import new_state
from simgin.play.hand import demanded_ranks
from simgin.play.melds import all_meldings, in_text_order, meld_text, shown_melding
from simgin.rules.record import build_rules_from
from simgin.text import notation

Answer = dict[str, Any]
LISTED = 8  # most optimal meldings that an example lists


def _texts(melds: Any) -> list[str]:
    return [meld_text(meld) for meld in in_text_order(melds)]


def deadwood(example: Example) -> Answer:
    """Least deadwood of ten or eleven cards, the meldings that reach it, and the one shown."""
    row = schema.row(example)
    row["defender_ace_value"] = row[
        "ace_value"
    ]  # one hand, one set of values: the stopper's or the defender's
    own_rules = build_rules_from(row)
    hand = schema.mask(example, "hand", 10, 11)
    side = DEFENDER if (row["ace_value"], row["pip_values"]) == (15, "face") else STOPPER
    every = [
        [meld_text(meld) for meld in melding] for melding in all_meldings(hand, own_rules, side)
    ]
    return {
        "deadwood": int(deadwood_of(hand, own_rules, side)),
        "optimal_families": len(every),
        "families": _listed(example, every),
        "auto_melds": _texts(shown_melding(hand, own_rules)[1]),
    }


def _listed(example: Example, every: list[list[str]]) -> list[list[str]]:
    """All optimal meldings; if there are too many, those the example lists, if they are optimal."""
    if len(every) <= LISTED or "families" not in example.expect:
        return every[:LISTED]
    listed: list[list[str]] = example.expect["families"]
    wanted, have = (
        schema.as_families(example, "families", listed),
        schema.as_families(example, "families", every),
    )
    distinct = set(wanted)
    sound = len(wanted) == len(distinct) <= LISTED and distinct <= set(have)
    return listed if sound else every[:LISTED]


def knock_options(example: Example) -> Answer:
    """What each discard of eleven cards permits."""
    score, limit = (
        example.given.get("own_score"),
        schema.number(example, "input.knock_limit", schema.need(example, "knock_limit"), 0, 99),
    )
    row = schema.row(example, "taken", "drawn", "own_score")
    own_rules, hand = (
        build_rules_from({**row, "shot": score is not None}),
        schema.mask(example, "hand", 11),
    )
    points = 0 if score is None else schema.number(example, "input.own_score", score)
    taken = schema.card(example, "taken")
    drawn = schema.card(example, "drawn")
    if any(card >= 0 and not hand >> card & 1 for card in (taken, drawn)):
        raise example.error("input.taken and input.drawn must be cards of the hand.")
    must = int(endings.must_be_melded(taken, own_rules))
    legal = int(endings.legal_discards(hand, taken, drawn, own_rules))
    kept = {card: hand & ~(1 << card) for card in notation.cards_in(legal)}
    least, best = best_discards(hand, legal, own_rules)
    ending, _, _ = endings.best_ending(hand, legal, must, limit, points, least, best, own_rules)
    counts = {}
    for card, ten in kept.items():
        counts[card] = int(endings.count_declared(ten, must, own_rules))
    return {
        "knock": {
            notation.card_text(card): count for card, count in counts.items() if count <= limit
        },
        "shot": [
            notation.card_text(c)
            for c, ten in kept.items()
            if score is not None and endings.is_shot(ten, must, points, own_rules)
        ],
        "big_gin": bool(ending == answers.BIG_GIN),
    }


def lay_off(example: Example) -> Answer:
    """The defender's count, and a way to it: the example's own where that is one."""
    row = schema.row(example, "knocker_melds")
    own_rules = build_rules_from(row)
    hand = schema.mask(example, "hand", *range(1, 12))
    melds = _shown_melds(example, own_rules)
    count, laid = _laid_off(hand, melds, own_rules)
    best = all_meldings(hand & ~laid, own_rules, DEFENDER)[0]
    answer: Answer = {
        "deadwood": count,
        "own_melds_example": _texts(best),
        "laid_off_example": notation.hand_text(laid).split(),
    }
    if _is_best_way(example, hand, melds, count, own_rules):
        answer |= {key: example.expect[key] for key in ("own_melds_example", "laid_off_example")}
    apart = [hand & ~sum(melding) for melding in all_meldings(hand, own_rules, DEFENDER)]
    return answer | {
        "deadwood_if_own_melds_are_fixed_first": min(
            _laid_off(rest, melds, own_rules)[0] for rest in apart
        )
    }


def _shown_melds(example: Example, own_rules: Any) -> np.ndarray:
    """The melds of `knocker_melds`, which must be melds."""
    given = schema.melds(example, "input.knocker_melds", schema.need(example, "knocker_melds"))
    found = np.zeros(meldings.MAX_MELDS, np.int64)
    for meld in given:
        if meld not in found[: meldings.melds_in(meld, own_rules, found)]:
            raise example.error(
                f"input.knocker_melds: {notation.hand_text(meld)} is no meld under these rules."
            )
    disjoint = sum(given).bit_count() == sum(meld.bit_count() for meld in given)
    if len(given) > 3 or not disjoint:
        raise example.error(
            "input.knocker_melds must be at most three melds that have no card in common."
        )
    return np.array([*given, 0, 0, 0][:3], np.int64)


def _laid_off(hand: int, melds: np.ndarray, own_rules: Any) -> tuple[int, int]:
    """The engine's count and lay-offs of a defender."""
    options = np.zeros((3, layoff.MAX_OPTIONS), np.int64)
    chains = np.zeros((2, 16), np.int64)
    count, laid = layoff.lay_off(hand, melds, own_rules, options, chains)
    return int(count), int(laid)


def _is_best_way(
    example: Example, hand: int, melds: np.ndarray, count: int, own_rules: Any
) -> bool:
    """Whether melds and lay-offs in an expectation are legal and reach the count."""
    if not {"own_melds_example", "laid_off_example"} <= example.expect.keys():
        return False
    own = schema.melds(example, "expect.own_melds_example", example.expect["own_melds_example"])
    laid = sum(schema.melds(example, "expect.laid_off_example", example.expect["laid_off_example"]))
    found = np.zeros(meldings.MAX_MELDS, np.int64)
    sound = set(own) <= {
        int(meld) for meld in found[: meldings.melds_in(hand & ~laid, own_rules, found)]
    }
    rest = hand & ~laid & ~sum(own)
    disjoint = sum(own).bit_count() == sum(meld.bit_count() for meld in own)
    apart = disjoint and laid & ~hand == 0
    return (
        sound
        and apart
        and int(meldings.points(rest, own_rules, DEFENDER)) == count
        and _fits(laid, tuple(melds), own_rules)
    )


def _fits(cards: int, melds: tuple[int, ...], own_rules: Any) -> bool:
    """Whether all cards can be laid off one by one, each on a meld as it has grown."""
    if cards == 0:
        return True
    for i, meld in enumerate(melds):
        for card in (
            notation.cards_in(int(meldings.extension(int(meld), own_rules)) & cards) if meld else []
        ):
            grown = (*melds[:i], int(meld) | 1 << card, *melds[i + 1 :])
            if _fits(cards & ~(1 << card), grown, own_rules):
                return True
    return False


STOPS = {
    "knock": answers.KNOCK,
    "gin": answers.KNOCK,
    "shot": answers.SHOT,
    "big_gin": answers.BIG_GIN,
}


def deal_points(example: Example) -> Answer:
    """Points of both sides for two counts."""
    row = schema.row(example, "stop", "own_deadwood", "other_count", "multiplier", "stock_left")
    if row["deal_scoring"] not in ("versus", "joker"):
        raise example.error(
            f"input.deal_scoring = {row['deal_scoring']} compares no counts, as kind "
            f"{example.kind} needs."
        )
    stop = schema.word(example, "stop", *STOPS)
    own = schema.number(
        example,
        "input.own_deadwood",
        example.given.get("own_deadwood", 0 if stop in ("gin", "big_gin") else None),
        0,
        200,
    )
    other = schema.number(example, "input.other_count", schema.need(example, "other_count"), 0, 200)
    if own and stop in ("gin", "big_gin"):
        raise example.error(f"input.own_deadwood must be 0 with {stop}, not {own}.")
    left = schema.option(example, "stock_left", None if row["rush_premium"] else 0)
    _, won, lost, _ = scoring.score(
        STOPS[stop],
        own,
        other,
        left,
        schema.option(example, "multiplier", 1),
        build_rules_from(row),
    )
    return {"stopper": int(won), "other": int(lost)}


def settle_showdown(example: Example) -> Answer:
    """From two hands to melding, counts and points, through the engine's own showdown."""
    row = schema.row(
        example,
        "knocker",
        "defender",
        "how",
        "upcard",
        "own_score",
        "discarded",
        "taken",
        "multiplier",
        "stock_left",
    )
    own_rules = build_rules_from(row)
    how = schema.word(example, "how", *STOPS)
    state = new_state(0)
    hand, thrown = (
        schema.mask(example, "knocker", 11 if how == "big_gin" else 10),
        schema.card(example, "discarded"),
    )
    limit = schema.number(
        example, "input.knock_limit", example.given.get("knock_limit", row["knock_limit"]), 0, 99
    )
    score = example.given.get("own_score")
    demanded = (
        int(endings.demanded_by(schema.number(example, "input.own_score", score)))
        if how == "shot"
        else -1
    )
    must = int(endings.must_be_melded(schema.card(example, "taken"), own_rules))
    state.hand[0], state.hand[1] = hand, schema.mask(example, "defender", 10)
    state.stock, state.multiplier = (
        schema.option(example, "stock_left", None if row["rush_premium"] else 0),
        schema.option(example, "multiplier", 1),
    )
    own, melds = shown_melding(
        hand, own_rules, discard=1 << thrown if thrown >= 0 else 0, must=must, demanded=demanded
    )
    if own > {"knock": limit, "shot": 99}.get(how, 0) or demanded == 0:
        raise Impossible(f"no melding permits this {how.replace('_', ' ')}")
    state.melds[:] = [*melds, 0, 0, 0][:3]
    showdown(state, own_rules, 0, STOPS[how], own)
    counts = {
        "knocker_deadwood": int(state.stopper_count),
        "defender_deadwood": int(state.other_count),
    }
    return counts | {
        "stopper": int(state.score[0]),
        "other": int(state.score[1]),
        "knocker_melds": _texts(melds),
    }


def knock_limit(example: Example) -> Answer:
    """Limit and factor of a deal, by its first upcard, under the variant named."""
    own_rules = build_rules_from(schema.row(example, "upcard", base=schema.base(example)))
    upcard = schema.mask(example, "upcard", 1).bit_length() - 1
    return {
        "limit": int(endings.knock_limit(upcard, own_rules)),
        "multiplier": int(endings.multiplier(upcard, own_rules)),
    }


def shot_digits(example: Example) -> Answer:
    """The ranks that a score demands."""
    schema.settings(example, ("score",))
    return {
        "cards": demanded_ranks(
            schema.number(example, "input.score", schema.need(example, "score"))
        )
    }
