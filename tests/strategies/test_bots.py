"""Compare bots with slow references, constructed positions and OpenSpiel's bot."""

import math
import random

import pytest

from oracles import reference
from simgin.core import batch_columns
from simgin.play.matchup import parse_matchup
from simgin.runs import runner
from simgin.text import notation
from support.hands import ALL_CARDS_MASK, list_card_names, list_cards
from support.policy_queries import (
    EAAI_PARAMS,
    THREE_CARD_MELDS,
    build_view,
    compute_eaai_deadwood,
    make_random_view,
    parse_hand_mask,
    query_policy,
)

BOT_NAMES = (
    *("stock-greedy", "rlcard-novice", "openspiel-simple", "jdh8-heuristic", "hitscore"),
    *("ga-conv", "hein", "mishra-uniform"),
)
CARD_VALUES = reference.get_card_values(EAAI_PARAMS)


def get_card_value(card: int) -> int:
    return CARD_VALUES[notation.format_card(card)]


def sample_views(seed: int, n_views: int, hand_size: int = 11) -> list:
    rng = random.Random(seed)
    return [
        make_random_view(rng, hand_size, has_near_ranks=i % 3 == 0, n_known=i % 4)
        for i in range(n_views)
    ]


def compute_deadwood_by_discard(player_view) -> dict[int, int]:
    """Return the deadwood after each legal discard."""
    return {
        card: compute_eaai_deadwood(player_view.hand & ~(1 << card))
        for card in list_cards(player_view.legal)
    }


def find_lowest_scored(scores: dict[int, float]) -> set[int]:
    """Return the cards with the lowest score."""
    least = min(scores.values())
    return {card for card, score in scores.items() if score <= least + 1e-9}


def find_unmatched_of_each_melding(hand: int) -> set[frozenset[str]]:
    """Return the unmatched cards of each melding with the least deadwood."""
    hand_cards = frozenset(list_card_names(hand))
    return {
        hand_cards.difference(*melding)
        for melding in reference.find_optimal_meldings(list_card_names(hand), EAAI_PARAMS)
    }


# rlcard-novice, openspiel-simple


def find_possibly_unmatched(player_view) -> set[int]:
    """Return the legal discards that are unmatched in a melding with the least deadwood."""
    unmatched = {
        notation.parse_card(card)
        for unmatched_cards in find_unmatched_of_each_melding(player_view.hand)
        for card in unmatched_cards
    }
    return unmatched & set(list_cards(player_view.legal))


def test_novice_ends_the_deal_or_minimises_deadwood():
    case_counts = {"gin": 0, "knock": 0, "none": 0}
    for player_view in sample_views(3, 160):
        deadwood = compute_deadwood_by_discard(player_view)
        least = min(deadwood.values())
        case = "gin" if least == 0 else "knock" if least <= 10 else "none"
        case_counts[case] += 1
        max_deadwood = 10 if case == "knock" else least
        expected = {
            card for card, card_deadwood in deadwood.items() if card_deadwood <= max_deadwood
        }
        discards = set()
        for player_view.noise in random.Random(4).sample(range(2**53), 60):
            discards.add(query_policy("discard", "novice", player_view))
        assert discards == expected if len(expected) < 5 else discards <= expected
    assert case_counts["knock"] >= 10 and case_counts["none"] > 60


def test_novice_discards_the_unmatched_card_of_highest_value():
    for player_view in sample_views(5, 120):
        if min(compute_deadwood_by_discard(player_view).values()) <= 10:
            continue
        unmatched = find_possibly_unmatched(player_view)
        highest_value = max((get_card_value(card) for card in unmatched), default=0)
        discard = query_policy("discard", "novice", player_view, reading="dearest")
        assert discard in {card for card in unmatched if get_card_value(card) == highest_value}


def test_openspiel_policy_discards_the_highest_unmatched_card():
    for player_view in sample_views(6, 150):
        unmatched = find_possibly_unmatched(player_view)
        discard = query_policy("discard", "loose-rank", player_view)
        if unmatched:
            assert discard in unmatched and discard % 13 == max(card % 13 for card in unmatched)
        else:
            assert discard in find_lowest_scored(compute_deadwood_by_discard(player_view))


def test_openspiel_simple_agrees_with_openspiels_bot():
    """Allow differences only if several meldings have the least deadwood."""
    spiel = pytest.importorskip("pyspiel", reason="pip install 'simgin[oracle]'")
    from oracles import openspiel

    spiel_game = spiel.load_game("gin_rummy")
    n_equal, n_different, rng = 0, 0, random.Random(7)
    for _ in range(40):
        bots = [
            spiel.make_simple_gin_rummy_bot(spiel_game.get_parameters(), seat) for seat in (0, 1)
        ]
        state = spiel_game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
                continue
            seat, phase = state.current_player(), str(state.current_phase()).rpartition(".")[2]
            hand = openspiel.to_simgin_mask(state.hands()[seat])
            upcard = state.upcard()
            action = bots[seat].step(state)
            if phase == "DISCARD" and action < 52:
                is_unique = len(find_unmatched_of_each_melding(hand)) == 1
                discard = query_policy("discard", "loose-rank", build_view(hand=hand, legal=hand))
                is_equal = discard % 13 == openspiel.convert_card(action) % 13  # the suit is random
            elif phase in ("FIRST_UPCARD", "SECOND_UPCARD", "DRAW"):
                offered = openspiel.convert_card(upcard)
                is_unique = len(find_unmatched_of_each_melding(hand | 1 << offered)) == 1
                player_view = build_view(
                    hand=hand, taken_offer=offered, legal=3, count=compute_eaai_deadwood(hand)
                )
                takes = action == spiel.gin_rummy.DRAW_UPCARD_ACTION
                is_equal = query_policy("take", "knock-or-meld", player_view) == takes
            else:
                state.apply_action(action)
                continue
            n_equal, n_different = n_equal + is_equal, n_different + (not is_equal)
            assert is_equal or not is_unique, (phase, list_card_names(hand), action)
            state.apply_action(action)
    assert n_equal > 500 and n_different < n_equal / 50


# hitscore, ga-conv's take


def test_hitscore_maximises_outs_among_best_discards():
    n_decided_by_hits = 0
    for player_view in sample_views(12, 100):
        hits = {}
        for card in find_lowest_scored(compute_deadwood_by_discard(player_view)):
            hand_after_discard, unseen = (
                list_card_names(player_view.hand & ~(1 << card)),
                list_card_names(player_view.unseen),
            )
            melds = {
                unseen_card: reference.find_melds([*hand_after_discard, unseen_card], EAAI_PARAMS)
                for unseen_card in unseen
            }
            hits[card] = -sum(
                any(unseen_card in meld for meld in melds[unseen_card]) for unseen_card in unseen
            )
        n_decided_by_hits += len(set(hits.values())) > 1
        assert query_policy("discard", "low-hits", player_view) in find_lowest_scored(hits)
    assert n_decided_by_hits > 10


def test_ga_conv_does_not_take_back_its_own_discard():
    """Offer the 7C, which lowers the deadwood."""
    hand, seven = parse_hand_mask("AS 2S 3S 5H 5D 5C 8C 9C KD 2H"), notation.parse_card("7C")
    for discarding_seat, expected in ((0, 0), (1, 1)):
        player_view = build_view(
            hand=hand,
            taken_offer=seven,
            legal=3,
            count=compute_eaai_deadwood(hand),
            turns=1,
            seat=0,
        )
        player_view.history[0] = (discarding_seat, 0, 3, seven)
        assert query_policy("take", "lower-new", player_view) == expected
        player_view.turns = 0
        assert query_policy("take", "lower-new", player_view) == 1


def compute_holding_probability(player_view, card: int) -> float:
    """Return the probability that the opponent holds a card, uniform over unseen cards."""
    if player_view.unseen >> card & 1:
        return (10 - int(player_view.known).bit_count()) / int(player_view.unseen).bit_count()
    return float(player_view.known >> card & 1)


def compute_expected_melds(player_view) -> tuple[set[str], dict[str, float]]:
    """Return the available cards, and the expected number of opponent melds with each."""
    holding = {card: compute_holding_probability(player_view, card) for card in range(52)}
    expected_melds = dict.fromkeys(list_card_names(player_view.unseen | player_view.known), 0.0)
    for triple in THREE_CARD_MELDS:
        if triple <= expected_melds.keys():
            for card in triple:
                expected_melds[card] += math.prod(
                    holding[notation.parse_card(triple_card)] for triple_card in triple
                )
    return set(expected_melds), expected_melds


def compute_card_utility(card, unmatched, available, expected_melds, urgency):
    """Return the utility of an unmatched card, computed as in the source code of mishra."""

    def compute_meld_hope(missing_cards):
        return max(0.0, 1 - sum(expected_melds[other] for other in missing_cards))

    utility = urgency * (5 - CARD_VALUES[card]) + {"A": 0.2, "2": 0.1}.get(card[0], 0)
    for triple in THREE_CARD_MELDS:
        others = triple - {card}
        if len(others) == 3 or not others <= unmatched | available:
            continue
        ranks = sorted(reference.RANKS.index(other[0]) for other in triple)
        if ranks[0] == ranks[2]:
            continue
        if ranks[0] > 0 and reference.RANKS[ranks[0] - 1] + card[1] in unmatched:
            continue
        utility += compute_meld_hope(others & available) * (0.8 + 1.5 * len(others & unmatched))
    available_of_rank, unmatched_of_rank = (
        {other for other in available if other[0] == card[0]},
        {other for other in unmatched if other[0] == card[0]},
    )
    if len(available_of_rank) + len(unmatched_of_rank) >= 3:
        utility += (
            compute_meld_hope(available_of_rank)
            * len(available_of_rank)
            * (2.3 if len(unmatched_of_rank) > 1 else 0.8)
        )
    return utility


def compute_hand_utility(n_cards, unmatched, available, expected_melds, urgency):
    """Return the utility of a hand, computed as in the source code of mishra."""
    if not unmatched:
        return n_cards + 20
    mean = sum(
        compute_card_utility(card, unmatched, available, expected_melds, urgency)
        for card in unmatched
    ) / len(unmatched)
    return (
        n_cards
        - len(unmatched)
        + mean
        + (10 if sum(CARD_VALUES[card] for card in unmatched) <= 10 else 0)
    )


def compute_urgency(unmatched: set[str]) -> float:
    return 2.5 if sum(sorted(CARD_VALUES[card] for card in unmatched)[:-2]) <= 10 else 1


def test_mishra_discards_like_its_source():
    n_compared = 0
    for player_view in sample_views(9, 60):
        unmatched_sets = find_unmatched_of_each_melding(player_view.hand)
        options = {
            legal_card for unmatched_cards in unmatched_sets for legal_card in unmatched_cards
        } & set(list_card_names(player_view.legal))
        if len(unmatched_sets) > 1 or not options:
            continue
        n_compared += 1
        (unmatched,) = unmatched_sets
        highest_value = max(CARD_VALUES[legal_card] for legal_card in options)
        if sum(CARD_VALUES[legal_card] for legal_card in unmatched) - highest_value <= 10:
            expected = {
                legal_card for legal_card in options if CARD_VALUES[legal_card] == highest_value
            }
        else:
            available, expected_melds = compute_expected_melds(player_view)
            scores = {}
            for card in options:
                no_meld_probability = 1.0
                for triple in THREE_CARD_MELDS:
                    if card in triple:
                        a, b = (
                            compute_holding_probability(
                                player_view, notation.parse_card(legal_card)
                            )
                            for legal_card in triple - {card}
                        )
                        no_meld_probability *= 1 - a * b
                own_utility = compute_hand_utility(
                    10,
                    set(unmatched) - {card},
                    available,
                    expected_melds,
                    compute_urgency(unmatched),
                )
                scores[card] = 0.77 * 1.45 * (1 - no_meld_probability) - own_utility
            expected = find_lowest_scored(scores)
        discard = notation.format_card(query_policy("discard", "mishra", player_view))
        assert discard in expected, (list_card_names(player_view.hand), expected)
    assert n_compared > 20


def compute_utility_after_discard(
    hand: int, legal: int, available: set[str], expected_melds: dict[str, float]
) -> float:
    """Return the utility after the best discard, which prefers a knock as mishra does."""
    unmatched = set(min(find_unmatched_of_each_melding(hand), key=sorted))
    options = unmatched & set(list_card_names(legal))
    if not options:
        return 30
    highest_card = max(options, key=CARD_VALUES.get)
    if sum(CARD_VALUES[card] for card in unmatched) - CARD_VALUES[highest_card] <= 10:
        options = {highest_card}
    return max(
        compute_hand_utility(
            10, unmatched - {card}, available, expected_melds, compute_urgency(unmatched)
        )
        for card in options
    )


def test_mishra_takes_like_its_source():
    """Allow one difference, because ties are resolved differently."""
    n_equal = n_taken = n_compared = 0
    for player_view in sample_views(10, 24, hand_size=10):
        player_view.known &= 0 if n_compared % 2 else ALL_CARDS_MASK
        offered_card = random.Random(n_compared).choice(list_cards(player_view.pile))
        player_view.pile &= ~(1 << offered_card)
        player_view.taken_offer, player_view.legal, player_view.count, player_view.taken = (
            offered_card,
            3,
            compute_eaai_deadwood(player_view.hand),
            -1,
        )
        hand_after_taking = player_view.hand | 1 << offered_card
        available, expected_melds = compute_expected_melds(player_view)
        is_wanted = compute_eaai_deadwood(hand_after_taking) < player_view.count + get_card_value(
            offered_card
        )
        if not is_wanted:
            utilities_after_draw = []
            for drawn_card in list_cards(player_view.unseen):
                still_available = available - {notation.format_card(drawn_card)}
                utilities_after_draw.append(
                    compute_utility_after_discard(
                        player_view.hand | 1 << drawn_card,
                        player_view.hand | 1 << drawn_card,
                        still_available,
                        expected_melds,
                    )
                )
            is_wanted = compute_utility_after_discard(
                hand_after_taking, player_view.hand, available, expected_melds
            ) >= sum(utilities_after_draw) / len(utilities_after_draw)
            n_taken += is_wanted
        n_compared += 1
        n_equal += query_policy("take", "mishra", player_view) == is_wanted
    assert n_equal >= n_compared - 1 and n_taken >= 2


def test_belief_does_not_knock_against_low_expected_deadwood():
    """Use an opponent with seven melded cards and about 18 points in three unseen cards."""
    hand = parse_hand_mask("AS 2S 3S 5H 5D 5C 8D 9D TD 9H")
    known = parse_hand_mask("6C 7C 8C KS KH KD KC")
    player_view = build_view(
        hand=hand, known=known, unseen=ALL_CARDS_MASK & ~(hand | known), ending=1, ending_count=9
    )
    for player_view.noise in random.Random(11).sample(range(2**53), 20):
        assert query_policy("knock", "belief", player_view, opp=26) == 0
        assert query_policy("knock", "belief", player_view, opp=12) == 1
        assert query_policy("knock", "belief", player_view, opp=26, own=9) == 1
    player_view.known, player_view.unseen = 0, ALL_CARDS_MASK & ~hand
    assert query_policy("knock", "belief", player_view) == 1


# Play of whole matches


def sum_statistics(a: str, b: str, unit: str, n: int) -> dict[str, int]:
    """Play n deals or matches, and return the sum of each statistic by name."""
    total = runner.run_matchup(parse_matchup(a, b, "eaai", 2026, unit), n).sum(axis=0)
    return {
        name: int(total[batch_columns.SUMS_START + i])
        for name, i in batch_columns.STATISTIC_INDEX.items()
    }


@pytest.mark.parametrize("bot", BOT_NAMES)
def test_bots_do_not_stall(bot):
    """Play enough deals to detect a bot that stalls in one of 1,000 deals."""
    sums = sum_statistics(bot, bot, "deal", 8_000 if bot != "mishra-uniform" else 3_000)
    assert sums["stalled"] == 0
    assert sums["decided"] > 0.9 * sums["deals"]


@pytest.mark.parametrize(
    ("opponent", "published", "error"), [("gold", 62.2, 0.38), ("simple", 59.5, 0.5)]
)
def test_jdh8_agrees_with_its_readme(opponent, published, error):
    """Allow 3 SE: one false alarm in 370 runs."""
    sums = sum_statistics("jdh8-heuristic", opponent, "match", 20_000)
    win_percentage = 50 * sums["a_match_win"] / sums["matches"]  # a match won counts twice
    assert abs(win_percentage - published) < 3 * math.hypot(error, 0.3)
