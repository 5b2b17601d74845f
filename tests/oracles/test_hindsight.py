"""Test the win probability of a solitaire player who can see the whole deck.

Hindsight can hold any ten of the cards dealt and drawn so far. It goes gin as soon
as those cards contain ten in melds: three, three and four cards, or two runs
of five. The average over the joker's positions is exact.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from simgin.core.cards import ALL_CARDS
from simgin.core.jit import compile_function
from simgin.core.meldings import find_melds
from simgin.core.rules_record import FIRST_TURN_DISCARD, JOKER_NONE
from simgin.odds.solo_odds import compute_hindsight_gin_probability
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.text.notation import mask_to_cards

DRAWS_WITHOUT_GIN = 99
MINIATURE_FILE = Path(__file__).parents[2] / "benchmarks" / "solo_miniature.py"


def list_melds_by_size(rules):
    """Return the masks of all melds of three, four and five cards in three arrays."""
    found = np.zeros(1024, np.int64)
    melds = found[: find_melds(ALL_CARDS, rules, found)]
    return [melds[np.bitwise_count(melds) == size] for size in (3, 4, 5)]


@compile_function
def has_two_disjoint_melds(cards, melds):
    for i in range(melds.shape[0]):
        if melds[i] & ~cards:
            continue
        rest = cards ^ melds[i]
        for j in range(i + 1, melds.shape[0]):
            if melds[j] & ~rest == 0:
                return True
    return False


@compile_function
def contains_gin(cards, melds_of_3, melds_of_4, melds_of_5):
    """Return True if ten of the cards form melds of 3, 3 and 4 or of 5 and 5 cards."""
    for i in range(melds_of_4.shape[0]):
        if melds_of_4[i] & ~cards == 0 and has_two_disjoint_melds(
            cards ^ melds_of_4[i], melds_of_3
        ):
            return True
    return has_two_disjoint_melds(cards, melds_of_5)


@compile_function
def count_draws_to_gin(decks, n_dealt, melds_of_3, melds_of_4, melds_of_5, out):
    """Write to out[i] the number of draws from deck i until ten of the cards are gin."""
    for i in range(decks.shape[0]):
        cards = 0
        out[i] = DRAWS_WITHOUT_GIN
        for place in range(52):
            cards |= 1 << decks[i, place]
            if place + 1 >= n_dealt and contains_gin(cards, melds_of_3, melds_of_4, melds_of_5):
                out[i] = place + 1 - n_dealt
                break


def compute_win_probabilities(rules, n_decks, seed):
    """Return the win probability in each random deck over all joker positions."""
    dealt = 11 if rules.first_turn == FIRST_TURN_DISCARD else 10
    decks = np.random.default_rng(seed).permuted(np.tile(np.arange(52), (n_decks, 1)), axis=1)
    draws = np.zeros(n_decks, np.int64)
    count_draws_to_gin(decks, dealt, *list_melds_by_size(rules), draws)
    if rules.joker == JOKER_NONE:
        return np.where(draws <= rules.max_draws, 1.0, 0.0)
    places = 53 - dealt
    return np.maximum(places - draws, 0) / places


@pytest.mark.parametrize(
    "spec",
    "solitaire-gin gin-solitaire solitary-gin solitaire-gin+rainbow=yes".split()
    + ["solitaire-gin+ace_runs=corner"],
)
def test_hindsight_probability_agrees_with_exhaustive_search(spec):
    """Compare with a search over all pairs and triples of melds."""
    variant = variants.find_variant(spec)
    found = compute_hindsight_gin_probability(variant, 300, 5)
    assert found == pytest.approx(
        compute_win_probabilities(build_rules(variant), 300, 5), abs=1e-12
    )


@pytest.mark.slow
def test_optimum_of_miniature_deck_agrees_with_recursion():
    """No player wins more often than the optimum, and hindsight is an upper bound."""
    spec = importlib.util.spec_from_file_location("miniature", MINIATURE_FILE)
    miniature = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(miniature)
    melds = [set(mask_to_cards(meld)) for meld in miniature.list_melds(2, 8)]
    numbers, values, hindsight = miniature.solve_deck(2, 8)

    def is_gin(hand):
        held = [meld for meld in melds if meld <= hand]
        return any(a | b == hand and (a == b or not a & b) for a in held for b in held)

    def find_best_win_probability(hand, deck):
        total = 0.0
        for card in deck:
            kept = [(hand | {card}) - {thrown} for thrown in hand | {card}]
            total += (
                1
                if any(map(is_gin, kept))
                else max(find_best_win_probability(one, deck - {card}) for one in kept)
            )
        return total / (len(deck) + 1)

    rng = np.random.default_rng(7)
    for _ in range(30):
        cards = [int(card) for card in rng.permutation(miniature.N_CARDS)]
        hand, rest = set(cards[:6]), set(cards[6 : 6 + int(rng.integers(1, 6))])
        held, left = (sum(1 << card for card in some) for some in (hand, rest))
        place = numbers[held], miniature.compute_remaining_index(left, held)
        found = {player: float(value[place]) for player, value in values.items()}
        assert found["best"] == pytest.approx(find_best_win_probability(hand, rest), abs=1e-6)
        assert max(found.values()) == found["best"] <= hindsight[left] + 1e-6
