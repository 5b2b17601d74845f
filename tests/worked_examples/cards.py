"""Kinds of worked examples about cards, counts and points: the question as a subject is asked."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from oracles import twin
from oracles.twin.layoff import additions
from simgin.text import notation
from worked_examples import schema
from worked_examples.schema import Answer, Example, Impossible

LISTED = 8  # most optimal meldings that an example lists
STOPS = ("knock", "gin", "shot", "big_gin")


def texts(cards: Any) -> list[str]:
    """Cards as texts."""
    return [notation.card_text(card) for card in cards]


def deadwood(example: Example, subject: Any) -> Answer:
    """Least deadwood of ten or eleven cards, the meldings that reach it, and the one shown."""
    row = schema.row(example)
    row["defender_ace_value"] = row["ace_value"]  # one hand, one set of values: whoever holds it
    least, every, shown = subject.deadwood(row, schema.hand(example, "hand", 10, 11))
    return {
        "deadwood": least,
        "optimal_families": len(every),
        "families": _listed(example, every),
        "auto_melds": shown,
    }


def _listed(example: Example, every: list[list[str]]) -> list[list[str]]:
    """All optimal meldings; if there are too many, those the example lists, if they are optimal."""
    if len(every) <= LISTED or "families" not in example.expect:
        return every[:LISTED]
    listed: list[list[str]] = example.expect["families"]
    wanted = schema.as_families(example, "families", listed)
    have = schema.as_families(example, "families", every)
    sound = len(wanted) == len(set(wanted)) <= LISTED and set(wanted) <= set(have)
    return listed if sound else every[:LISTED]


def knock_options(example: Example, subject: Any) -> Answer:
    """What each discard of eleven cards permits."""
    score = example.given.get("own_score")
    limit = schema.number(example, "input.knock_limit", schema.need(example, "knock_limit"), 0, 99)
    row = schema.row(example, "taken", "drawn", "own_score") | {"shot": score is not None}
    hand = schema.hand(example, "hand", 11)
    points = 0 if score is None else schema.number(example, "input.own_score", score)
    taken, drawn = schema.card(example, "taken"), schema.card(example, "drawn")
    if not {taken, drawn} <= {-1, *hand}:
        raise example.error("input.taken and input.drawn must be cards of the hand.")
    knock, shot, big_gin = subject.knock_options(row, hand, limit, taken, drawn, points)
    return {"knock": knock, "shot": shot, "big_gin": big_gin}


def lay_off(example: Example, subject: Any) -> Answer:
    """The defender's count, and a way to it: the example's own where that is one."""
    row = schema.row(example, "knocker_melds")
    hand = schema.hand(example, "hand", *range(1, 12))
    melds = _shown_melds(example, row)
    count, own, laid, apart = subject.lay_off(row, hand, melds)
    way = {"own_melds_example": own, "laid_off_example": laid}
    if _is_best_way(example, row, hand, melds, count):
        way = {key: example.expect[key] for key in way}
    return {"deadwood": count, **way, "deadwood_if_own_melds_are_fixed_first": apart}


def _shown_melds(example: Example, row: dict[str, Any]) -> list[list[int]]:
    """The melds of `knocker_melds`, which must be melds."""
    given = schema.melds(example, "input.knocker_melds", schema.need(example, "knocker_melds"))
    possible = twin.all_melds(row)
    for meld in given:
        if frozenset(texts(meld)) not in possible:
            raise example.error(
                f"input.knocker_melds: {' '.join(texts(sorted(meld)))} is no meld under these "
                "rules."
            )
    if len(given) > 3 or not _disjoint(given):
        raise example.error(
            "input.knocker_melds must be at most three melds that have no card in common."
        )
    return given


def _disjoint(melds: list[list[int]]) -> bool:
    return all(set(a).isdisjoint(b) for a, b in combinations(melds, 2))


def _is_best_way(
    example: Example, row: dict[str, Any], hand: list[int], melds: list[list[int]], count: int
) -> bool:
    """Whether melds and lay-offs in an expectation are legal and reach the count.

    What is a meld and what fits is read off the twin's lists, whoever the subject is.
    """
    if not {"own_melds_example", "laid_off_example"} <= example.expect.keys():
        return False
    own = schema.melds(example, "expect.own_melds_example", example.expect["own_melds_example"])
    laid = schema.melds(example, "expect.laid_off_example", example.expect["laid_off_example"])
    used = [*own, *laid]
    if not _disjoint(used) or not set().union(*used) <= set(hand):
        return False
    if not {frozenset(texts(meld)) for meld in own} <= twin.all_melds(row):
        return False
    left = {card for card in hand if not any(card in cards for cards in used)}
    values = twin.card_values(row, "defender")
    every = frozenset(texts(card for cards in laid for card in cards))
    return sum(values[card] for card in texts(left)) == count and _fits(every, melds, row)


def _fits(laid: frozenset[str], melds: list[list[int]], row: dict[str, Any]) -> bool:
    """Whether these cards, all of them, can be laid off on melds shown."""
    if not melds:
        return not laid
    ways = additions(texts(melds[0]), laid, row)
    return any(_fits(laid - extra, melds[1:], row) for extra in ways)


def deal_points(example: Example, subject: Any) -> Answer:
    """Points of both sides for two counts."""
    row = schema.row(example, "stop", "own_deadwood", "other_count", "multiplier", "stock_left")
    if row["deal_scoring"] not in ("versus", "joker"):
        raise example.error(
            f"input.deal_scoring = {row['deal_scoring']} compares no counts, as kind "
            f"{example.kind} needs."
        )
    stop = schema.word(example, "stop", *STOPS)
    own = example.given.get("own_deadwood", 0 if stop in ("gin", "big_gin") else None)
    own = schema.number(example, "input.own_deadwood", own, 0, 200)
    other = schema.number(example, "input.other_count", schema.need(example, "other_count"), 0, 200)
    if own and stop in ("gin", "big_gin"):
        raise example.error(f"input.own_deadwood must be 0 with {stop}, not {own}.")
    won, lost = subject.deal_points(row, stop, own, other, *_left_and_factor(example, row))
    return {"stopper": won, "other": lost}


def _left_and_factor(example: Example, row: dict[str, Any]) -> tuple[int, int]:
    """Cards left in the stock, which only a premium for them needs, and the factor on points."""
    left = schema.option(example, "stock_left", None if row["rush_premium"] else 0)
    return left, schema.option(example, "multiplier", 1)


def showdown(example: Example, subject: Any) -> Answer:
    """From two hands to melding, counts and points."""
    own_keys = ("knocker", "defender", "how", "upcard", "own_score", "discarded", "taken")
    row = schema.row(example, *own_keys, "multiplier", "stock_left")
    how = schema.word(example, "how", *STOPS)
    hand = schema.hand(example, "knocker", 11 if how == "big_gin" else 10)
    thrown = schema.card(example, "discarded")
    limit = example.given.get("knock_limit", row["knock_limit"])
    limit = schema.number(example, "input.knock_limit", limit, 0, 99)
    points = 0
    if how == "shot":
        points = schema.number(example, "input.own_score", example.given.get("own_score"))
    taken = schema.card(example, "taken")
    defender = schema.hand(example, "defender", 10)
    left, factor = _left_and_factor(example, row)
    if how == "shot" and not subject.shot_digits(points):
        raise Impossible("no melding permits this shot")
    own, other, won, lost, melds = subject.showdown(
        row, how, hand, defender, limit, points, thrown, taken, left, factor
    )
    counts = {"knocker_deadwood": own, "defender_deadwood": other}
    return {**counts, "stopper": won, "other": lost, "knocker_melds": melds}


def knock_limit(example: Example, subject: Any) -> Answer:
    """Limit and factor of a deal, by its first upcard, under the variant named."""
    row = schema.row(example, "upcard", base=schema.base(example))
    limit, factor = subject.knock_limit(row, schema.hand(example, "upcard", 1)[0])
    return {"limit": limit, "multiplier": factor}


def shot_digits(example: Example, subject: Any) -> Answer:
    """The ranks that a score demands."""
    schema.settings(example, ("score",))
    score = schema.number(example, "input.score", schema.need(example, "score"))
    return {"cards": subject.shot_digits(score)}


# Exact counts


def exact_counts(example: Example, subject: Any) -> Answer:
    """Number of melds in the pack, and of hands that consist of melds only."""
    row = schema.row(example)
    melds = np.array(sorted(subject.all_melds(row)), np.int64)
    answer: Answer = {"melds": len(melds)}
    for size in (10, 11):
        name = f"gin_hands_{size}"
        if name in example.expect:
            answer[name] = subject.gin_hands(row, _fully_melded(melds, size))
    return answer


def _fully_melded(melds: np.ndarray, size: int) -> np.ndarray:
    """The hands of `size` cards that are unions of disjoint melds; all as masks."""
    sizes = np.bitwise_count(melds)
    unions = []
    for parts in _parts(size):
        hands, *others = (melds[sizes == part] for part in parts)
        for group in others:
            a, b = np.meshgrid(hands, group, indexing="ij")
            hands = _distinct((a | b)[a & b == 0])
        unions.append(hands)
    return _distinct(np.concatenate(unions))


def _parts(size: int, least: int = 3) -> list[tuple[int, ...]]:
    """The ways to write a size as rising sizes of melds, at most three for eleven cards."""
    ways = [(size,)] if size >= least else []
    for part in range(least, size // 2 + 1):
        ways += [(part, *rest) for rest in _parts(size - part, part)]
    return ways


def _distinct(numbers: np.ndarray) -> np.ndarray:
    """Distinct numbers, by sorting: on millions several times as fast as numpy.unique."""
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=-1) != 0]
