"""Piles of which a player has forgotten cards, against whole piles and against all worlds."""

import random
from itertools import combinations

import numpy as np
import pytest

from simgin.analysis import worlds as drawing
from simgin.analysis.position import PositionError, positions_in
from simgin.analysis.words import lines
from simgin.analysis.worlds import draw_worlds, remembered
from simgin.analysis.written import read_pile, read_position
from simgin.core.view import FIELDS
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.text.notation import card_text, cards_in, hand_mask, hand_text, parse_card
from simgin.toolkit.worlds import SIZE, answered, fitness, set_weights

FIELD_NAMES = [name for name, _ in FIELDS]
FIXED_TERMS = ("standard", "eaai", "straight", "standard+first_turn=free", "basic")
TEN = "7H 7D 7C 8C 9C TC 4H TD AC 4C"


def cards_of(view):
    """The hand in writing, the card that came last behind the others."""
    last = [int(card) for card in (view.drawn, view.taken) if card >= 0]
    hand = int(view.hand) & ~hand_mask(last)
    return f"{hand_text(hand)} {' '.join(map(card_text, last))}"


def pile_of(view):
    words = [card_text(int(view.upcard))] if view.upcard >= 0 else []
    for _, source, _, thrown in view.history[: view.turns]:
        if source == 1:
            words[-1] += "*"
        words.append(card_text(int(thrown)))
    if view.taken >= 0:
        words[-1] += "*"
    return words


def positions(variant, deals, seed=3):
    matchup = parse_matchup("gold-early", "tonic-like", variant, seed, "deal")
    for unit in range(deals):
        deal = watch_deal(matchup, unit)
        for position in positions_in(deal):
            other = int(deal.state.hand[1 - position.view.seat])
            yield position, other


def forget_some(words, view, lots):
    """The pile with ? in places, the cards forgotten that lie there, and the one that was taken."""
    words = list(words)
    lying, taken = [], []
    for place in range(len(words) - 1):
        name = words[place].removesuffix("*")
        card = parse_card(name)
        thrown_again = f"{name}*" in words[:place]
        if thrown_again or lots.random() < 0.5:
            continue
        if words[place] == name:
            lying.append(card)
        elif view.known >> card & 1 and not taken:
            taken.append(card)
        else:
            continue
        words[place] = words[place].replace(name, "?")
    return words, lying, taken


@pytest.mark.parametrize("name", FIXED_TERMS)
def test_with_the_cards_that_lay_there_the_position_is_the_whole_one(name):
    variant = variants.find(name)
    rules = build_rules(variant)
    lots = random.Random(5)
    forgotten = held = 0
    for position, _ in positions(name, 8):
        view = position.view
        dealer = "me" if view.dealer == view.seat else "other"
        if view.turns == 0:
            continue
        cards, words = cards_of(view), pile_of(view)
        whole = read_position(cards, " ".join(words), variant, dealer=dealer)
        some, lying, taken = forget_some(words, view, lots)
        part = read_position(cards, " ".join(some), variant, dealer=dealer)
        assert part.actions == whole.actions
        hidden = cards_in(int(view.unseen) & ~hand_mask(lying))[: 10 - len(taken)]
        hand = hand_mask([*hidden[: 10 - int(view.known).bit_count()], *cards_in(int(view.known))])
        free = cards_in(hand & ~int(part.view.known))
        first = free.index(taken[0]) if taken else 0
        columns = np.array([lying], np.int64).reshape(1, -1)
        (filled,) = remembered(part.view, rules, np.array([hand]), columns, first)
        for field in (*FIELD_NAMES, "history"):
            assert np.array_equal(filled[field], whole.view[field]), (field, some, words)
        forgotten += len(lying)
        held += len(taken)
    assert forgotten > 50
    assert held > 3 or name == "straight"


def test_dots_stand_for_as_many_cards_as_the_stock_tells():
    variant = variants.find("standard")
    cards = f"{TEN} KS"
    for n in range(1, 20):
        marks = read_position(cards, f"QD {'? ' * n} 9D ? QH", variant).view
        for dots in ("..", "...", "…"):
            view = read_position(cards, f"QD {dots} 9D ? QH", variant, stock=int(marks.stock)).view
            assert view == marks


@pytest.mark.parametrize("name", ["solitaire-gin", "gin-solitaire", "solitary-gin"])
def test_alone_as_many_cards_are_left_as_with_the_whole_pile(name):
    variant = variants.find(name)
    cards = f"{TEN} KS"
    whole = read_position(cards, "QD TS 9D QH", variant).view
    marks = read_position(cards, "? TS ? QH", variant).view
    dots = read_position(cards, ".. TS ? QH", variant, stock=int(whole.deck_left)).view
    assert marks == dots
    for field in FIELD_NAMES:
        if field not in ("pile", "unseen"):
            assert marks[field] == whole[field], field
    assert int(marks.unseen) == int(whole.unseen) | hand_mask([parse_card("QD"), parse_card("9D")])
    rules = build_rules(variant)
    for stock, view in zip(*_drawn(draw_worlds(marks, rules, 40, seed=2)), strict=True):
        rest = {card for card in stock.tolist() if card < 52}
        assert rest == set(cards_in(int(view["unseen"])))
        assert int(view["pile"]) >> parse_card("TS") & 1
        assert len(cards_in(int(view["pile"]))) == 4


def _drawn(worlds):
    return worlds.stocks, worlds.views


# All worlds


def tiny(words):
    """A position with few cards unseen: all but six of the others are told to be held or thrown."""
    variant = variants.find("standard")
    view = read_position(f"{TEN} KS", words, variant).view
    return view, build_rules(variant)


def shrunk(view, unseen, known, stock):
    """The view with other cards unseen and known, and fewer in the stock."""
    small = view.copy()
    small.unseen, small.known, small.stock = hand_mask(unseen), hand_mask(known), stock
    return small


UNSEEN = [parse_card(card) for card in "8D 9H 2S JC 3D QS".split()]
KNOWN = [parse_card(card) for card in "9D 8H 8S 5D 6D 7S KC KH".split()]


def test_forgotten_cards_lie_anywhere_if_all_hands_are_as_likely(monkeypatch):
    monkeypatch.setattr(drawing, "STEPS", 0)
    view, rules = tiny("QD 9D* ? 5S QH")
    view = shrunk(view, UNSEEN, KNOWN, 3)
    n = 36_000
    worlds = draw_worlds(view, rules, n, seed=3)
    seen = {}
    for hand, stock, whole in zip(worlds.hands, worlds.stocks, worlds.views, strict=True):
        lying = int(whole["history"][1, 3])
        key = int(hand), stock.tobytes(), lying
        seen[key] = seen.get(key, 0) + 1
        assert hand_mask([*stock.tolist(), lying]) | int(hand) == hand_mask(UNSEEN + KNOWN)
    assert len(seen) == 360  # 6! / 2!: the order of the two hidden cards of a hand does not count
    counts = np.array(list(seen.values()))
    chi = ((counts - n / 360) ** 2 / (n / 360)).sum()
    assert chi < 469.5  # 359 degrees of freedom: a false alarm once in 10,000


def test_hands_are_as_likely_as_their_fitness_with_cards_that_may_lie_in_the_pile():
    view, rules = tiny("QD 9D* ? 5S QH")
    view = shrunk(view, UNSEEN, KNOWN, 3)
    n = 12_000
    worlds = draw_worlds(view, rules, n, seed=4)
    weights, numbers = np.zeros(SIZE), drawing._numbers()
    set_weights(weights, view, 0.0, numbers, 0)
    declined, thrown = answered(view)
    assert declined == hand_mask([parse_card("QD"), parse_card("5S")])
    assert thrown == hand_mask([parse_card("QH")])
    likely = {}
    for hidden in combinations(UNSEEN, 2):
        hand = hand_mask([*hidden, *KNOWN])
        fit = fitness(hand, np.zeros(SIZE), weights, declined, thrown, view, rules)
        likely[hand] = np.exp(fit)
    total = sum(likely.values())
    hands, counts = np.unique(worlds.hands, return_counts=True)
    found = dict(zip(hands.tolist(), counts / n, strict=True))
    for hand, weight in likely.items():
        p = weight / total
        error = np.sqrt(p * (1 - p) / n)
        assert abs(found.get(hand, 0) - p) < 4.5 * error + 0.002, hand_text(hand)
    spread = [weight / total for weight in likely.values()]
    assert max(spread) > 3 * min(spread)  # else the test would say little


def test_a_forgotten_card_that_was_taken_is_among_those_held():
    view, rules = tiny("QD ? ?* QH")
    worlds = draw_worlds(view, rules, 300, seed=1)
    taken = worlds.views["history"][:, 2, 2].astype(int)
    assert (taken == worlds.views["history"][:, 1, 3]).all()
    assert (worlds.hands >> taken & 1 == 1).all()
    assert (worlds.views["known"] == np.left_shift(1, taken)).all()
    assert len(set(taken.tolist())) > 20


def test_worlds_with_forgotten_cards_belong_to_their_numbers():
    view, rules = tiny("QD ? ?* QH")
    whole = draw_worlds(view, rules, 10, seed=2)
    part = draw_worlds(view, rules, 4, seed=2, first=6)
    assert (whole.stocks[6:] == part.stocks).all()
    assert (whole.views[6:] == part.views).all()


# What cannot be

IMPOSSIBLE = {
    "nothing on top": ("QD ?", {}, "the card on top of the pile lies open"),
    "nothing at all": ("..", {}, "the card on top of the pile lies open"),
    "how many": (".. QH", {}, "with .. in the pile say how many cards are left in the stock"),
    "two gaps": (".. QD .. QH", {"stock": 20}, "write .. once"),
    "too many": (".. QH", {"stock": 31}, "0 to 30 cards are left in the stock, not 31"),
    "less than none": (".. QH", {"stock": -1}, "0 to 30 cards are left in the stock, not -1"),
    "no gap": ("QD QH", {"stock": 20}, "by this pile 29 cards are left in the stock, not 20"),
    "none left": (".. QH", {"stock": 1}, "the deal is over"),
    "own card": ("QD ?* 9D QH", {}, "you took the card forgotten in place 2: write which"),
    "a star alone": ("QD * QH", {}, "'' is not a card"),
    "no card": ("QD ?? QH", {}, "'\\?\\?' is not a card"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_come_about_is_refused_in_a_sentence(name):
    pile, options, words = IMPOSSIBLE[name]
    with pytest.raises(ValueError, match=words) as caught:
        read_position(f"{TEN} KS", pile, variants.find("standard"), **options)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize("name", ["oklahoma", "standard+spade_multiplier=2"])
def test_an_upcard_that_sets_the_terms_cannot_be_forgotten(name):
    with pytest.raises(PositionError, match="the first upcard sets the knock limit"):
        read_position(f"{TEN} KS", "? QH", variants.find(name))


def test_alone_more_cards_than_the_pack_has_are_refused():
    variant = variants.find("solitaire-gin")
    with pytest.raises(PositionError, match="more cards are given than the pack has"):
        read_position(f"{TEN} KS", "? " * 60, variant)


def test_a_pile_is_read_as_it_is_written():
    pile = read_pile("QD,? 9d* .. ?*")
    assert pile.gap == 3
    assert [(laid.card, laid.taken) for laid in pile.laid] == [
        (parse_card("QD"), False),
        (-1, False),
        (parse_card("9D"), True),
        (-1, True),
    ]


def test_long_stretches_are_told_in_short():
    variant = variants.find("standard")
    position = read_position(f"{TEN} KS", "QD ? 9D .. QH", variant, stock=20)
    _, pile, forgotten, *_ = lines(position)
    assert pile == "Pile    QD ? 9D .. QH"
    assert forgotten == "8 cards forgotten, and drawn with the others that you do not see"
