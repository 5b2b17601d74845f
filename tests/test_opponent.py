"""What the toolkit knows of hands and opponents, against plain definitions over lists of melds and of cards."""

import random
from fractions import Fraction
from math import prod

import numpy as np
import pytest
import sight
import twin
from hands import game, mask, members, names
from twin.roster.discard import three_card_melds
from twin.roster.seen import near

from simgin import matchup, single, toolkit, variants

LOT = random.Random(20261122)
ROWS = variants.names()


def some(most):
    """A random set of cards, from a third of the pack every other time so that it is rich in melds."""
    pack = [card for card in twin.PACK if twin.RANKS.index(card[0]) in range(4, 9)] if LOT.random() < 0.5 else list(twin.PACK)
    return frozenset(LOT.sample(pack, LOT.randint(most // 2, min(most, len(pack)))))


def hand_order():
    """The cards 0..51 as the twin's."""
    return [names(1 << number)[0] for number in range(52)]


def melds_of_three(row):
    return three_card_melds(tuple(row[key] for key in twin.roster.seen.KEYS))


def discards(n):
    """(what is seen, the view, the rules) of some discard questions of all variants."""
    for text, view in sight.questions("discard")[:n]:
        rules, row = game(text)
        yield sight.seen(view, row, "discard"), view, rules


def test_near():
    assert all(toolkit.near(card) == mask(near(names(1 << card)[0])) for card in range(52))


def test_chance_held_is_the_share_of_his_unknown_cards():
    for seen, view, _ in discards(300):
        alone = seen.row["players"] == 1
        want = 0 if alone else Fraction(10 - len(seen.known), len(seen.unseen))
        assert toolkit.chance_held(view) == pytest.approx(float(want))


def test_chances_of_a_hand_add_up_to_ten():
    """All that he may hold: what is known for certain, and the rest by chance."""
    for seen, view, _ in discards(300):
        if seen.row["players"] == 2:
            assert len(seen.known) + len(seen.unseen) * toolkit.chance_held(view) == pytest.approx(10)


def test_danger_counts_the_cards_near():
    for seen, view, _ in discards(60):
        p, u, d = LOT.choice([(2, 1, 2), (0.5, 3, 1.25), (0, 0, 1)])
        for card in seen.hand:
            want = sum(p * (other in seen.known) + u * (other in seen.unseen) - d * (other in seen.shed) for other in near(card))
            assert toolkit.danger(mask([card]).bit_length() - 1, view, p, u, d) == pytest.approx(want)


@pytest.mark.parametrize("text", ROWS)
def test_melds_through_a_card(text):
    rules, row = game(text)
    for _ in range(40):
        cards, card = some(40), LOT.choice(twin.PACK)
        want = sum(card in meld and meld - {card} <= cards for meld in melds_of_three(row))
        assert toolkit.melds_through(members(mask([card]))[0], mask(cards), rules) == want


@pytest.mark.parametrize("text", ROWS)
def test_extensions_of_a_hand(text):
    rules, row = game(text)
    found = 0
    for _ in range(40):
        hand = some(11)
        melds = twin.melds_in([card for card in twin.PACK if card in hand], row)
        want = {card for card in twin.PACK if card not in hand and any(twin.melds.extends(meld, [card], row) for meld in melds)}
        assert toolkit.extensions(mask(hand), rules) == mask(want)
        found += len(want)
    assert found > 20


@pytest.mark.parametrize("text", ROWS)
def test_loose_cards_are_left_over_by_some_best_melding(text):
    rules, row = game(text)
    for _ in range(25):
        hand = some(11)
        cards = [card for card in twin.PACK if card in hand]
        left = [set(cards) - {card for meld in melding for card in meld} for melding in twin.optimal_meldings(cards, row)]
        assert toolkit.loose(mask(hand), rules) == mask(set().union(*left))


@pytest.mark.parametrize("text", ROWS)
def test_the_chance_of_a_meld_with_a_card(text):
    rules, row = game(text)
    chances = np.array([LOT.choice([0, 1, LOT.random()]) if LOT.random() < 0.3 else 0.0 for _ in range(52)])
    held = dict(zip(hand_order(), chances.tolist(), strict=True))
    for number, card in enumerate(hand_order()):
        ways = [prod(held[other] for other in meld - {card}) for meld in melds_of_three(row) if card in meld]
        assert toolkit.meld_chance(number, chances, rules) == pytest.approx(1 - prod(1 - way for way in ways))


# The table of mean deadwood

DEALS, TURNS, SURE = 250, 8, 4.5  # standard errors: one false alarm in some ten thousand


def counts_before(played):
    """(turns he has had, least deadwood of his ten cards) before every turn of a seat's own, for both seats."""
    row = played.matchup.variant.row
    hands = [set(names(hand)) for hand in played.hands]
    had = [0, 0]
    for seat, _, drawn, thrown in played.turns:
        if thrown < 0:
            return
        hands[seat] ^= {*names(1 << drawn), *names(1 << thrown)} if drawn != thrown else set()
        had[seat] += 1
        yield had[seat], twin.deadwood(hands[seat], row)


def test_expected_count():
    """Means of another sample of the same games must agree with the table, turn by turn, and never rise in it."""
    pairing = matchup.seated("gold-early", "gold-early", "standard", 77, "deal")
    seen = {turn: [] for turn in range(1, TURNS + 1)}
    for unit in range(DEALS):
        for turn, count in counts_before(single.play(pairing, unit)):
            if turn in seen:
                seen[turn].append(count)
    for turn, counts in seen.items():
        assert abs(np.mean(counts) - toolkit.expected_count(turn)) < SURE * np.std(counts) / len(counts) ** 0.5, turn
    table = [toolkit.expected_count(turn) for turn in range(60)]
    assert table == sorted(table, reverse=True)
    assert abs(table[0] - 56.565) < 0.5  # the mean of a dealt hand, REFERENCE.md 3
