"""Compare players of the 2021 challenge with slow references of their descriptions."""

import random
from functools import cache
from itertools import combinations, product
from pathlib import Path

import improvement as training
import numpy as np
import pytest
from simgin_strategies import marjj

from oracles import reference
from oracles.reference.strategies.player_view import find_near_cards, get_rank_index
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from support.hands import members
from support.policy_queries import ROW, TRIPLES, cards, count_deadwood, query_policy, random_view

ROOT = Path(__file__).resolve().parents[2]


@cache
def decisions_of(name: str, opponent: str, slot: str, deals: int) -> list:
    """Return (deal, decision) pairs of a player at seat 0 in its own deals."""
    matchup = parse_matchup(name, opponent, "eaai", 29, "deal")
    return [
        (deal, question)
        for deal in (trace_deal(matchup, unit) for unit in range(deals))
        for question in deal.decisions
        if question.seat == 0 and question.slot == slot
    ]


def left(hand: set[str], legal: set[str]) -> dict[str, int]:
    return {card: reference.compute_deadwood(sorted(hand - {card}), ROW) for card in legal}


def best(scores: dict) -> set[str]:
    return {card for card in scores if scores[card] == min(scores.values())}


# exp710


def highest(some: list[str]) -> str:
    """Discard the king first; within a rank, the first suit of the pack."""
    return min(some, key=lambda card: (-get_rank_index(card), reference.SUITS.index(card[1])))


def exp710(view, dealt: list[str]) -> set[str]:
    """Return the possible discards over every best melding and number of melds dealt."""
    hand, legal = set(cards(view.hand)), set(cards(view.legal))
    allowed = set()
    for melding in reference.find_optimal_meldings(sorted(hand), ROW):
        valid = sorted(hand.difference(*melding) & legal)
        if not valid:
            allowed |= best(left(hand, legal))
            continue
        for of_dealt in reference.find_optimal_meldings(dealt, ROW):
            early = view.own_turn <= 2 and len(of_dealt) == 1 and len(melding) < 2
            lone = [c for c in valid if c[0] in "345678" and not find_near_cards(c) & {*valid}]
            low = [c for c in valid if c[0] not in "JQK"]
            allowed.add(highest((early and (lone or low)) or valid))
    return allowed


def test_exp710_discards_by_its_description():
    middle = 0
    for deal, question in decisions_of("exp710", "simple", "discard", 120):
        seen = question.view
        (thrown,) = cards(1 << question.action)
        dealt = cards(deal.hands[0])
        assert thrown in exp710(seen, dealt)
        middle += seen.own_turn <= 2 and thrown[0] in "345678"
    assert middle > 20


# percent-twenty

# Deadwood 1 to 10, cards seen 10 to 44 in fives: whether to knock with 0, 1, 2, 3 dead cards
KNOCKS = [
    row.split()
    for row in (
        "0000 0000 0000 0000 0000 0000 0000",
        "1000 0000 0000 0000 0010 0000 0000",
        "1010 0100 0010 0110 0010 0010 0000",
        "1110 1100 0110 0110 0011 0000 0000",
        "1110 1110 0110 0011 0100 0000 0000",
        "1111 1111 1111 0011 0011 0000 0000",
        "1111 1111 0111 0011 0000 0000 0000",
        "1111 1111 0111 0011 0000 0000 0000",
        "1111 1111 0111 0011 0000 0000 0000",
        "1111 1111 0011 0001 0000 0000 0000",
    )
]


def melded(hand: list[str]) -> set[str]:
    return {card for meld in reference.find_melds(hand, ROW) for card in meld}


def dead(hand: list[str], unseen: list[str]) -> set[str]:
    """Return the cards that are in no meld of the hand, with or without one more unseen card."""
    return set(hand) - melded(hand).union(*(melded([*hand, card]) for card in unseen))


def wanted(card: str, known: list[str]) -> bool:
    return any(card in triple and triple - {card} <= set(known) for triple in TRIPLES)


def test_percent_twenty_takes_by_its_description():
    answers = {True: 0, False: 0}
    for _, question in decisions_of("percent-twenty", "gin-only", "take", 60):
        seen = question.view
        hand, known = cards(seen.hand), cards(seen.known)
        (card,) = cards(1 << int(seen.taken_offer))
        after = left({*hand, card}, set(hand))
        drop = count_deadwood(seen.hand) - min(after.values())
        needed = 3 if wanted(card, known) else 1
        takes = drop >= 9 or (drop >= needed and card in melded([*hand, card]))
        assert (question.action == 1) == takes
        answers[takes] += 1
    assert min(answers.values()) > 40


def test_percent_twenty_discards_by_its_description():
    alone = 0
    asked = decisions_of("percent-twenty", "gin-only", "discard", 100)
    for deal, question in asked:
        seen = question.view
        hand, unseen, known = cards(seen.hand), cards(seen.unseen), cards(seen.known)
        turns = deal.turns[: int(seen.turns)]
        his_discards = [cards(1 << thrown)[0] for seat, _, _, thrown in turns if seat == 1]
        options = best(left(set(hand), set(cards(seen.legal))))
        spare = dead(hand, unseen)
        points = {
            card: -(not wanted(card, known))
            - bool(find_near_cards(card) & {*his_discards})
            - (card in spare)
            for card in options
        }
        first = best(points)
        expected = {card for card in first if card[0] not in "TJQK"} or first
        assert cards(1 << question.action)[0] in expected
        alone += len(expected) == 1 < len(options)
    assert alone > len(asked) / 20


def test_percent_twenty_knocks_by_its_table():
    answers = {True: 0, False: 0}
    for _, question in decisions_of("percent-twenty", "gin-only", "knock", 150):
        seen = question.view
        kept = sorted(set(cards(seen.hand)) - set(cards(1 << int(seen.ending_card))))
        fives = len(cards(seen.hand | seen.pile | seen.known)) // 5
        spare = len(dead(kept, cards(seen.unseen)))
        knocks = seen.ending_count == 0 or (
            2 <= fives <= 8
            and spare <= 3
            and KNOCKS[int(seen.ending_count) - 1][fives - 2][spare] == "1"
        )
        assert bool(question.action) == knocks
        answers[knocks] += 1
    assert min(answers.values()) > 36


# ginrummy-and-tonic

TABLE = np.load(ROOT / "strategies" / "improvement.npy")
MATES = [(known, unseen) for known in range(4) for unseen in range(4 - known)]
PLACES = list(product(("gone", "unseen", "known"), repeat=4))
CELLS = {key: place for place, key in enumerate(product(reference.RANKS, MATES, PLACES))}


def improvement(card: str, known: set[str], unseen: set[str]) -> float:
    """Return the opponent's expected gain from a card, looked up by its description."""
    mates = [other for other in reference.PACK if other[0] == card[0] and other != card]
    around = []
    for step in (-2, -1, 1, 2):
        place = get_rank_index(card) + step
        other = reference.RANKS[place] + card[1] if 0 <= place < 13 else ""
        around.append("known" if other in known else "unseen" if other in unseen else "gone")
    key = (len(known & set(mates)), len(unseen & set(mates)))
    return TABLE[CELLS[card[0], key, tuple(around)]]


def mean_of_best(counts: list[int], share: float) -> float:
    wanted, total = max(1.0, share * len(counts)), 0.0
    for i, number in enumerate(sorted(counts)):
        total += number * min(1.0, max(0.0, wanted - i))
    return total / wanted


def after(hand: set[str]) -> int:
    return min(left(hand, hand).values())


def tonic(view) -> tuple[dict[str, float], set[str]]:
    """Return the score of each card that is fully evaluated, and the unmatched cards."""
    hand, legal = set(cards(view.hand)), set(cards(view.legal))
    unseen, known = set(cards(view.unseen)), set(cards(view.known))
    deadwood = left(hand, legal)
    few = sorted(legal, key=lambda card: (deadwood[card], reference.PACK.index(card)))[:6]
    few = [card for card in few if deadwood[card] <= min(deadwood.values()) + 8]
    meldings = reference.find_optimal_meldings(sorted(hand), ROW)
    loose = set().union(*(hand.difference(*melding) for melding in meldings))
    first, helps = {}, {}
    for card in loose.intersection(few):
        ten = hand - {card}
        first[card] = mean_of_best([after(ten | {c}) for c in unseen], 0.588)
        helps[card] = improvement(card, known, unseen)
    scores = {}
    at_first = {c: (round(first[c] + helps[c], 9), reference.PACK.index(c)) for c in first}
    for card in sorted(first, key=at_first.get):
        if any(kept in find_near_cards(card) and touches(card, kept) for kept in scores):
            continue
        ten = hand - {card}
        second = mean_of_best([after(ten | {*pair}) for pair in combinations(unseen, 2)], 0.588)
        scores[card] = helps[card] + max(0.0, first[card] + 6 * (second - first[card]))
    return scores, loose


def touches(card: str, other: str) -> bool:
    return card[0] == other[0] or (
        card[1] == other[1] and abs(get_rank_index(card) - get_rank_index(other)) == 1
    )


def test_ginrummy_and_tonic_discards_by_its_description():
    """Use ten unseen cards, because the reference tries all their pairs."""
    rng, several = random.Random(31), 0
    for i in range(16):
        seen = random_view(rng, 11, rich=i % 2 == 0, known=i % 4)
        seen.unseen = sum(1 << card for card in rng.sample(members(seen.unseen), 10))
        scores, loose = tonic(seen)
        if not scores:
            continue
        (thrown,) = cards(1 << query_policy("discard", "ginrummy-and-tonic", seen))
        assert thrown in loose
        assert scores[thrown] <= min(scores.values()) + 1e-9
        several += len(scores) > 1
    assert several > 8


def test_the_table_is_learned_in_miniature():
    """Compare with the committed table where means of over 40 drops have an error below 1."""
    mean, seen = training.compute_mean_deadwood_drops([("gold", "simple")], 60, 3)
    again, _ = training.compute_mean_deadwood_drops([("gold", "simple")], 60, 3)
    assert np.array_equal(mean, again)
    full = seen > 40
    assert full.sum() > 10
    assert abs((mean - TABLE)[full].mean()) < 1


def test_marjj_weighs_the_next_hand_by_the_same_bits_in_python():
    for n in range(60):
        compiled, plain = marjj._compute_power(0.9, n), marjj._compute_power.py_func(0.9, n)
        assert compiled == plain == pytest.approx(0.9**n)
