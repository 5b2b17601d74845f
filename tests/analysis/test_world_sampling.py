"""Tests of the worlds sampled for a position: valid, uniform and reproducible."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from oracles import reference
from simgin.analysis import world_sampling
from simgin.analysis.position import find_decisions
from simgin.analysis.position_parts import Die
from simgin.analysis.position_text import parse_position
from simgin.analysis.world_sampling import WorldSampler, sample_worlds
from simgin.core.cards import ALL_CARDS
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.text.notation import cards_to_mask, format_card, format_hand, mask_to_cards, parse_card
from simgin.toolkit.hand_sampling import (
    N_LIKELIHOOD_FEATURES,
    compute_log_likelihood,
    find_declined_and_discarded,
    interpolate_weights,
)
from support.hands import build_both_rules, list_card_names

TEN_CARD_HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C"


def iter_views(n_deals):
    """Yield (view, rules) of each decision of some deals."""
    matchup = parse_matchup("champion", "gold-early", "standard", 4, "deal")
    for unit in range(n_deals):
        for position in find_decisions(trace_deal(matchup, unit)):
            yield position.view, build_rules(position.variant)


def test_world_deals_every_unseen_card_once():
    for view, rules in iter_views(6):
        worlds = sample_worlds(view, rules, 5, seed=2)
        for hand, stock in zip(worlds.hands, worlds.stocks, strict=True):
            assert int(hand).bit_count() == 10
            assert int(hand) & int(view.known) == int(view.known)
            hidden = sum(1 << int(card) for card in stock)
            assert len(stock) == view.stock
            assert int(hand) & hidden == 0
            assert int(view.hand) | int(view.pile) | int(hand) | hidden == ALL_CARDS


@pytest.mark.parametrize("pile", [None, "QD ? ?* QH"])
def test_world_depends_only_on_its_index(pile):
    view, rules = parse_pile_view(pile) if pile else list(iter_views(1))[-1]
    all_worlds = sample_worlds(view, rules, 10, seed=2)
    some_worlds = sample_worlds(view, rules, 4, seed=2, first_world=6)
    assert (all_worlds.hands[6:] == some_worlds.hands).all() and (
        all_worlds.stocks[6:] == some_worlds.stocks
    ).all()
    assert pile is None or (all_worlds.views[6:] == some_worlds.views).all()
    assert len(set(all_worlds.hands.tolist())) > 1
    assert (all_worlds.hands != sample_worlds(view, rules, 10, seed=3).hands).any()


def test_hands_are_uniform_before_the_opponent_has_played():
    view, rules = next(iter(iter_views(1)))
    worlds = sample_worlds(view, rules, 4_000, seed=5)
    held = Counter(card for hand in worlds.hands for card in mask_to_cards(int(hand)))
    n = len(mask_to_cards(int(view.unseen)))
    p = (10 - int(view.known).bit_count()) / n
    error = np.sqrt(4_000 * p * (1 - p))
    assert len(held) == n
    assert max(abs(count - 4_000 * p) for count in held.values()) < 4.5 * error


def test_orders_of_the_deck_are_uniform():
    """Count how often each of the 24 orders of three cards and the joker occurs."""
    seen_cards = [format_card(card) for card in range(52) if card not in (3, 17, 40)]
    cards, pile = " ".join(seen_cards[:11]), " ".join(seen_cards[11:])
    variant = variants.find_variant("solitaire-gin")
    view = parse_position(cards, pile, variant).view
    worlds = sample_worlds(view, build_rules(variant), 24_000, seed=3)
    orders, counts = np.unique(worlds.stocks, axis=0, return_counts=True)
    assert len(orders) == 24
    assert {int(card) for card in orders[0]} == {3, 17, 40, 52}
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 56.9  # chi-square, 23 degrees of freedom
    some_worlds = sample_worlds(view, build_rules(variant), 5, seed=3, first_world=70)
    assert (some_worlds.stocks == worlds.stocks[70:75]).all()


@pytest.mark.parametrize("variant_name", ["solitaire-gin", "gin-solitaire", "solitary-gin"])
def test_forgotten_discards_in_solitaire_games_are_unseen_cards(variant_name):
    variant = variants.find_variant(variant_name)
    view = parse_position(f"{TEN_CARD_HAND} KS", "? TS ? QH", variant).view
    worlds = sample_worlds(view, build_rules(variant), 40, seed=2)
    assert worlds.views is not None
    for stock, world_view in zip(worlds.stocks, worlds.views, strict=True):
        stock_cards = {card for card in stock.tolist() if card < 52}
        assert stock_cards == set(mask_to_cards(int(world_view["unseen"])))
        assert int(world_view["pile"]) >> parse_card("TS") & 1
        assert int(world_view["pile"]).bit_count() == 4


def parse_pile_view(pile):
    """Return the view and the rules of a standard position with this pile."""
    variant = variants.find_variant("standard")
    return parse_position(f"{TEN_CARD_HAND} KS", pile, variant).view, build_rules(variant)


def make_nearly_known_view():
    """Return a view with six unseen cards: two in the hand, three in the stock, one discarded."""
    view, rules = parse_pile_view("QD 9D* ? 5S QH")
    view.unseen, view.known, view.stock = cards_to_mask(UNSEEN_CARDS), cards_to_mask(KNOWN_CARDS), 3
    return view, rules


UNSEEN_CARDS = [parse_card(card) for card in "8D 9H 2S JC 3D QS".split()]
KNOWN_CARDS = [parse_card(card) for card in "9D 8H 8S 5D 6D 7S KC KH".split()]


def test_forgotten_cards_are_uniform_if_hands_are_uniform(monkeypatch):
    monkeypatch.setattr(world_sampling, "METROPOLIS_STEPS", 0)
    view, rules = make_nearly_known_view()
    n = 36_000
    worlds = sample_worlds(view, rules, n, seed=3)
    counts = Counter()
    for hand, stock, world_view in zip(worlds.hands, worlds.stocks, worlds.views, strict=True):
        discarded = int(world_view["history"][1, 3])
        counts[int(hand), stock.tobytes(), discarded] += 1
        assert cards_to_mask([*stock.tolist(), discarded]) | int(hand) == cards_to_mask(
            UNSEEN_CARDS + KNOWN_CARDS
        )
    assert (
        len(counts) == 360
    )  # 6! / 2!, because the order of the two hidden cards of a hand is irrelevant
    chi_square = sum((count - n / 360) ** 2 / (n / 360) for count in counts.values())
    assert chi_square < 469.5  # 359 degrees of freedom; one false alarm in 10,000


def test_hands_are_sampled_by_likelihood():
    view, rules = make_nearly_known_view()
    n = 12_000
    worlds = sample_worlds(view, rules, n, seed=4)
    weights = np.zeros(N_LIKELIHOOD_FEATURES)
    interpolate_weights(weights, view, 0.0, world_sampling._load_hand_weights(), 0)
    declined, discarded = find_declined_and_discarded(view)
    assert declined == cards_to_mask([parse_card("QD"), parse_card("5S")])
    assert discarded == cards_to_mask([parse_card("QH")])
    hands = [
        cards_to_mask([*hidden_pair, *KNOWN_CARDS]) for hidden_pair in combinations(UNSEEN_CARDS, 2)
    ]
    likelihood_arguments = declined, discarded, view, rules
    probabilities = np.exp(
        [
            compute_log_likelihood(
                hand, np.zeros(N_LIKELIHOOD_FEATURES), weights, *likelihood_arguments
            )
            for hand in hands
        ]
    )
    probabilities /= probabilities.sum()
    counts = Counter(worlds.hands.tolist())
    for hand, probability in zip(hands, probabilities, strict=True):
        error = np.sqrt(probability * (1 - probability) / n)
        assert abs(counts[hand] / n - probability) < 4.5 * error + 0.002, format_hand(hand)
    assert probabilities.max() > 3 * probabilities.min()  # otherwise the test would be weak


def test_forgotten_card_that_was_taken_is_in_the_hand():
    view, rules = parse_pile_view("QD ? ?* QH")
    worlds = sample_worlds(view, rules, 300, seed=1)
    taken = worlds.views["history"][:, 2, 2].astype(int)
    assert (taken == worlds.views["history"][:, 1, 3]).all()
    assert (worlds.hands >> taken & 1 == 1).all()
    assert (worlds.views["known"] == np.left_shift(1, taken)).all()
    assert len(set(taken.tolist())) > 20


@pytest.mark.parametrize("pile", ["QD TS 9D", "QD ? 9D"])
@pytest.mark.parametrize("max_deadwood", [15, 30])
def test_sampled_hands_are_those_with_which_the_opponent_offers(max_deadwood, pile):
    variant = variants.find_variant("dice")
    die = Die(2, "other", offered_stake=3)
    view = parse_position(TEN_CARD_HAND, pile, variant, die=die).view
    rules, row = build_both_rules("dice")
    opponent = f"gold+offer=strong:count={max_deadwood},turn=9"
    matchup = parse_matchup("gold", opponent, "dice", 4, "deal")
    sampler = WorldSampler(matchup, view)
    all_worlds = sample_worlds(view, rules, 400, 9)
    offer_rate = np.mean(
        [
            reference.compute_deadwood(list_card_names(int(hand)), row) <= max_deadwood
            for hand in all_worlds.hands
        ]
    )
    assert sampler.matching_offers == (3,)
    assert abs(sampler.offer_probability - offer_rate) < 5 * np.sqrt(
        offer_rate * (1 - offer_rate) * (1 / 400 + 1 / 500)
    )
    worlds = sampler.sample(60, 0)
    deadwood_values = [
        reference.compute_deadwood(list_card_names(int(hand)), row) for hand in worlds.hands
    ]
    assert max(deadwood_values) <= max_deadwood
    views = worlds.get_views(view)
    for i, (hand, stock) in enumerate(zip(worlds.hands, worlds.stocks, strict=True)):
        world_view = views[i % len(views)]
        hidden = sum(1 << int(card) for card in stock)
        assert int(world_view.hand) | int(world_view.pile) | int(hand) | hidden == ALL_CARDS


def test_offer_that_the_strategy_never_makes_is_ignored():
    die = Die(2, "other", offered_stake=3)
    view = parse_position(TEN_CARD_HAND, "QD TS 9D", variants.find_variant("dice"), die=die).view
    never_offering = parse_matchup("gold", "gold", "dice", 4, "deal")
    always_offering = parse_matchup("gold", "gold+offer=strong:count=99,turn=1", "dice", 4, "deal")
    higher_offer = parse_position(
        TEN_CARD_HAND, "QD", variants.find_variant("dice"), die=Die(2, "other", offered_stake=5)
    ).view
    assert WorldSampler(never_offering, view).matching_offers == ()
    assert WorldSampler(always_offering, higher_offer).matching_offers == (1, 2, 3, 4, 5, 6)
