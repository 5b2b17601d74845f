"""Compare players of the 2021 EAAI challenge with slow references."""

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
from support.hands import list_card_names, list_cards
from support.policy_queries import (
    EAAI_PARAMS,
    THREE_CARD_MELDS,
    compute_eaai_deadwood,
    make_random_view,
    query_policy,
)

ROOT = Path(__file__).resolve().parents[2]


@cache
def list_decisions(name: str, opponent: str, slot: str, n_deals: int) -> list:
    """Return the decisions of a player in some deals, each with its deal."""
    matchup = parse_matchup(name, opponent, "eaai", 29, "deal")
    return [
        (deal, decision)
        for deal in (trace_deal(matchup, unit) for unit in range(n_deals))
        for decision in deal.decisions
        if decision.seat == 0 and decision.slot == slot
    ]


def compute_deadwood_by_discard(hand: set[str], legal: set[str]) -> dict[str, int]:
    """Return the deadwood after each legal discard."""
    return {card: reference.compute_deadwood(sorted(hand - {card}), EAAI_PARAMS) for card in legal}


def find_lowest_scored(scores: dict) -> set[str]:
    """Return the cards with the lowest score."""
    return {card for card in scores if scores[card] == min(scores.values())}


# exp710


def find_highest_card(candidates: list[str]) -> str:
    """Return the card of the highest rank; ties go to the first suit of the pack."""
    return min(candidates, key=lambda card: (-get_rank_index(card), reference.SUITS.index(card[1])))


def find_exp710_discards(view, dealt_hand: list[str]) -> set[str]:
    """Return all discards that the description of exp710 allows."""
    hand, legal = set(list_card_names(view.hand)), set(list_card_names(view.legal))
    allowed = set()
    for melding in reference.find_optimal_meldings(sorted(hand), EAAI_PARAMS):
        valid = sorted(hand.difference(*melding) & legal)
        if not valid:
            allowed |= find_lowest_scored(compute_deadwood_by_discard(hand, legal))
            continue
        for dealt_melding in reference.find_optimal_meldings(dealt_hand, EAAI_PARAMS):
            is_early = view.own_turn <= 2 and len(dealt_melding) == 1 and len(melding) < 2
            isolated = [
                card
                for card in valid
                if card[0] in "345678" and not find_near_cards(card) & {*valid}
            ]
            not_face_cards = [card for card in valid if card[0] not in "JQK"]
            allowed.add(find_highest_card((is_early and (isolated or not_face_cards)) or valid))
    return allowed


def test_exp710_discards_as_described():
    n_middle_cards = 0
    for deal, decision in list_decisions("exp710", "simple", "discard", 120):
        view = decision.view
        (discard,) = list_card_names(1 << decision.action)
        dealt = list_card_names(deal.hands[0])
        assert discard in find_exp710_discards(view, dealt)
        n_middle_cards += view.own_turn <= 2 and discard[0] in "345678"
    assert n_middle_cards > 20


# percent-twenty

# Deadwood 1 to 10, cards seen 10 to 44 in fives: whether to knock with 0, 1, 2, 3 dead cards
KNOCK_TABLE = [
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


def find_melded_cards(hand: list[str]) -> set[str]:
    return {card for meld in reference.find_melds(hand, EAAI_PARAMS) for card in meld}


def find_dead_cards(hand: list[str], unseen: list[str]) -> set[str]:
    """Return the cards that are in no meld of the hand, with or without one more unseen card."""
    return set(hand) - find_melded_cards(hand).union(
        *(find_melded_cards([*hand, card]) for card in unseen)
    )


def is_useful_to_opponent(card: str, known_cards: list[str]) -> bool:
    """Return True if known cards of the opponent make a meld with the card."""
    return any(
        card in triple and triple - {card} <= set(known_cards) for triple in THREE_CARD_MELDS
    )


def test_percent_twenty_takes_as_described():
    action_counts = {True: 0, False: 0}
    for _, decision in list_decisions("percent-twenty", "gin-only", "take", 60):
        view = decision.view
        hand, known = list_card_names(view.hand), list_card_names(view.known)
        (card,) = list_card_names(1 << int(view.taken_offer))
        deadwood_after = compute_deadwood_by_discard({*hand, card}, set(hand))
        deadwood_drop = compute_eaai_deadwood(view.hand) - min(deadwood_after.values())
        min_drop = 3 if is_useful_to_opponent(card, known) else 1
        takes = deadwood_drop >= 9 or (
            deadwood_drop >= min_drop and card in find_melded_cards([*hand, card])
        )
        assert (decision.action == 1) == takes
        action_counts[takes] += 1
    assert min(action_counts.values()) > 40


def test_percent_twenty_discards_as_described():
    n_decided = 0
    decisions = list_decisions("percent-twenty", "gin-only", "discard", 100)
    for deal, decision in decisions:
        view = decision.view
        hand, unseen, known = (
            list_card_names(view.hand),
            list_card_names(view.unseen),
            list_card_names(view.known),
        )
        turns = deal.turns[: int(view.turns)]
        opponent_discards = [
            list_card_names(1 << discard)[0] for seat, _, _, discard in turns if seat == 1
        ]
        options = find_lowest_scored(
            compute_deadwood_by_discard(set(hand), set(list_card_names(view.legal)))
        )
        dead_cards = find_dead_cards(hand, unseen)
        scores = {
            card: -(not is_useful_to_opponent(card, known))
            - bool(find_near_cards(card) & {*opponent_discards})
            - (card in dead_cards)
            for card in options
        }
        best_cards = find_lowest_scored(scores)
        expected = {card for card in best_cards if card[0] not in "TJQK"} or best_cards
        assert list_card_names(1 << decision.action)[0] in expected
        n_decided += len(expected) == 1 < len(options)
    assert n_decided > len(decisions) / 20


def test_percent_twenty_knocks_as_tabulated():
    action_counts = {True: 0, False: 0}
    for _, decision in list_decisions("percent-twenty", "gin-only", "knock", 150):
        view = decision.view
        remaining = sorted(
            set(list_card_names(view.hand)) - set(list_card_names(1 << int(view.ending_card)))
        )
        seen_group = len(list_card_names(view.hand | view.pile | view.known)) // 5
        n_dead = len(find_dead_cards(remaining, list_card_names(view.unseen)))
        knocks = view.ending_count == 0 or (
            2 <= seen_group <= 8
            and n_dead <= 3
            and KNOCK_TABLE[int(view.ending_count) - 1][seen_group - 2][n_dead] == "1"
        )
        assert bool(decision.action) == knocks
        action_counts[knocks] += 1
    assert min(action_counts.values()) > 36


# ginrummy-and-tonic

IMPROVEMENT_TABLE = np.load(ROOT / "strategies" / "improvement.npy")
SAME_RANK_COUNTS = [(known, unseen) for known in range(4) for unseen in range(4 - known)]
NEIGHBOUR_STATES = list(product(("gone", "unseen", "known"), repeat=4))
TABLE_INDICES = {
    key: place
    for place, key in enumerate(product(reference.RANKS, SAME_RANK_COUNTS, NEIGHBOUR_STATES))
}


def find_opponent_improvement(card: str, known: set[str], unseen: set[str]) -> float:
    """Look up how much a card improves the opponent's hand on average."""
    same_rank = [
        other_card
        for other_card in reference.PACK
        if other_card[0] == card[0] and other_card != card
    ]
    neighbour_states = []
    for step in (-2, -1, 1, 2):
        neighbour_rank = get_rank_index(card) + step
        other_card = reference.RANKS[neighbour_rank] + card[1] if 0 <= neighbour_rank < 13 else ""
        neighbour_states.append(
            "known" if other_card in known else "unseen" if other_card in unseen else "gone"
        )
    key = (len(known & set(same_rank)), len(unseen & set(same_rank)))
    return IMPROVEMENT_TABLE[TABLE_INDICES[card[0], key, tuple(neighbour_states)]]


def compute_mean_of_lowest(values: list[int], proportion: float) -> float:
    """Return the mean of the lowest values, up to a proportion of all values."""
    n_wanted, total = max(1.0, proportion * len(values)), 0.0
    for i, value in enumerate(sorted(values)):
        total += value * min(1.0, max(0.0, n_wanted - i))
    return total / n_wanted


def compute_min_deadwood(hand: set[str]) -> int:
    return min(compute_deadwood_by_discard(hand, hand).values())


def compute_tonic_scores(view) -> tuple[dict[str, float], set[str]]:
    """Return the scores of the evaluated discards, and all unmatched cards."""
    hand, legal = set(list_card_names(view.hand)), set(list_card_names(view.legal))
    unseen, known = set(list_card_names(view.unseen)), set(list_card_names(view.known))
    deadwood = compute_deadwood_by_discard(hand, legal)
    candidates = sorted(legal, key=lambda card: (deadwood[card], reference.PACK.index(card)))[:6]
    candidates = [card for card in candidates if deadwood[card] <= min(deadwood.values()) + 8]
    meldings = reference.find_optimal_meldings(sorted(hand), EAAI_PARAMS)
    unmatched = set().union(*(hand.difference(*melding) for melding in meldings))
    one_draw_means, opponent_gains = {}, {}
    for card in unmatched.intersection(candidates):
        remaining = hand - {card}
        one_draw_means[card] = compute_mean_of_lowest(
            [compute_min_deadwood(remaining | {other}) for other in unseen], 0.588
        )
        opponent_gains[card] = find_opponent_improvement(card, known, unseen)
    scores = {}
    first_scores = {
        other: (
            round(one_draw_means[other] + opponent_gains[other], 9),
            reference.PACK.index(other),
        )
        for other in one_draw_means
    }
    for card in sorted(one_draw_means, key=first_scores.get):
        if any(
            scored_card in find_near_cards(card) and is_neighbour(card, scored_card)
            for scored_card in scores
        ):
            continue
        remaining = hand - {card}
        two_draw_mean = compute_mean_of_lowest(
            [compute_min_deadwood(remaining | {*pair}) for pair in combinations(unseen, 2)], 0.588
        )
        scores[card] = opponent_gains[card] + max(
            0.0, one_draw_means[card] + 6 * (two_draw_mean - one_draw_means[card])
        )
    return scores, unmatched


def is_neighbour(card: str, other_card: str) -> bool:
    return card[0] == other_card[0] or (
        card[1] == other_card[1] and abs(get_rank_index(card) - get_rank_index(other_card)) == 1
    )


def test_ginrummy_and_tonic_discards_as_described():
    """Use only ten unseen cards, because the reference tries every pair of unseen cards."""
    rng, n_compared = random.Random(31), 0
    for i in range(16):
        view = make_random_view(rng, 11, has_near_ranks=i % 2 == 0, n_known=i % 4)
        view.unseen = sum(1 << card for card in rng.sample(list_cards(view.unseen), 10))
        scores, unmatched = compute_tonic_scores(view)
        if not scores:
            continue
        (discard,) = list_card_names(1 << query_policy("discard", "ginrummy-and-tonic", view))
        assert discard in unmatched
        assert scores[discard] <= min(scores.values()) + 1e-9
        n_compared += len(scores) > 1
    assert n_compared > 8


def test_improvement_table_training_is_reproducible():
    """Train twice, and compare frequent situations with the committed table."""
    mean_drops, drop_counts = training.compute_mean_deadwood_drops([("gold", "simple")], 60, 3)
    repeated, _ = training.compute_mean_deadwood_drops([("gold", "simple")], 60, 3)
    assert np.array_equal(mean_drops, repeated)
    is_frequent = drop_counts > 40
    assert is_frequent.sum() > 10
    assert abs((mean_drops - IMPROVEMENT_TABLE)[is_frequent].mean()) < 1


def test_marjj_power_is_the_same_in_interpreted_mode():
    for n in range(60):
        compiled, interpreted = marjj._compute_power(0.9, n), marjj._compute_power.py_func(0.9, n)
        assert compiled == interpreted == pytest.approx(0.9**n)
