"""Positions as a player writes them, against the views that the engine shows in played deals."""

import numpy as np
import pytest

from simgin.analysis.analysis import Effort, analyse, analyse_deal
from simgin.analysis.position import PositionError, positions_in
from simgin.analysis.written import read_position
from simgin.core.answers import PHASE_UPCARD
from simgin.core.rules import UPCARD_STOCK_OR_PASS
from simgin.core.view import FIELDS
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.play.replay import find_deal
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.text.notation import card_text, hand_text

# Two players without a die, whose seats are alike: what a person can describe
NAMES = [
    name
    for name in variants.names()
    if variants.find(name).row["players"] == 2
    and variants.find(name).row["die"] == "off"
    and variants.find(name).goal.other is None
]
# What is asked, not what is seen
ASKED = ("legal", "least", "best", "noise", "ending", "ending_card", "ending_count", "offered")
SEATS = ("seat", "dealer")
SEEN = [name for name, _ in FIELDS if name not in (*ASKED, *SEATS)]


def written(view):
    """What a player would write down of a view: the cards, and the pile as it grew."""
    words = [] if view.upcard < 0 else [card_text(int(view.upcard))]
    for i in range(view.turns):
        _, source, _, thrown = view.history[i]
        if source == 1:
            words[-1] += "*"
        words.append(card_text(int(thrown)))
    if view.taken >= 0:
        words[-1] += "*"
    last = [int(card) for card in (view.drawn, view.taken) if card >= 0]
    hand = int(view.hand) & ~sum(1 << card for card in last)
    return f"{hand_text(hand)} {' '.join(map(card_text, last))}", " ".join(words)


@pytest.mark.parametrize("name", NAMES)
def test_a_position_written_down_is_the_one_that_was_seen(name):
    matchup = parse_matchup("gold-early", "tonic-like", name, 11, "deal")
    rules = build_rules(matchup.variant)
    compared = 0
    for unit in range(6):
        for position in positions_in(watch_deal(matchup, unit)):
            view = position.view
            offered_again = view.turns == 0 and view.taken_offer >= 0
            if offered_again and view.phase != PHASE_UPCARD:
                continue  # after two passes, which the pile does not show
            cards, pile = written(view)
            score = int(view.own_points), int(view.other_points)
            dealer = "me" if view.dealer == view.seat else "other"
            mine = read_position(cards, pile, matchup.variant, score=score, dealer=dealer)
            expected = {n: int(view[n]) for n in SEEN}
            found = {n: int(mine.view[n]) for n in SEEN}
            if rules.first_turn == UPCARD_STOCK_OR_PASS:  # nor whether the dealer was asked
                expected["shed"] |= found["shed"] & 1 << int(view.upcard)
            assert found == expected, (cards, pile)
            assert mine.actions == position.actions
            assert mine.view.dealer == (view.dealer != view.seat)
            rows, theirs = mine.view.history[: view.turns], view.history[: view.turns]
            assert (rows[:, 0] == (theirs[:, 0] != view.seat)).all()
            assert (rows[:, [1, 3]] == theirs[:, [1, 3]]).all()
            shown = (theirs[:, 0] != view.seat) | (theirs[:, 1] == 1)
            assert (rows[shown, 2] == theirs[shown, 2]).all()
            compared += 1
    assert compared > 60


TEN = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
SPADES = " ".join(f"{rank}S" for rank in "A23456789TJQK")
DIAMONDS = " ".join(f"{rank}D" for rank in "A234568JK")
LONG = f"{SPADES} {DIAMONDS} 2H 3H 5H 6H 8H 9H JH QH"
IMPOSSIBLE = {
    "nine cards": ("7H 7D 7C 8C 9C TC 4H TD AC", "QD", {}, "9 cards were given"),
    "a card twice": (f"{TEN} 7H", "QD KS", {}, "7H is given more than once"),
    "no such card": (f"{TEN} 1X", "QD KS", {}, "'1X' is not a card"),
    "no such card in the pile": (TEN, "QD KX", {}, "'KX' is not a card"),
    "no pile": (TEN, "", {}, "from the first upcard on"),
    "a card in the hand and in the pile": (TEN, "QD 7H", {}, "7H is among your cards, but lies"),
    "a card in the pile twice": (TEN, "QD KS QD", {}, "QD lies in the pile twice"),
    "what the opponent holds": (TEN, "QD 7H* KS", {}, "7H is among your cards, but was taken by"),
    "what was taken is gone": (TEN, "QD KS* 2H 3H", {}, "KS was taken by you and not thrown"),
    "thrown by another": (TEN, "QD KS* 2H KS", {}, "KS was taken by one player and thrown by"),
    "eleven cards before a draw": (TEN, "QD TH KD*", {}, "only ten are given"),
    "the wrong dealer": (TEN, "QD TH", {"dealer": "other"}, "you deal"),
    "the deal is over": (TEN, f"QD {LONG}", {}, "the deal is over"),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_come_about_is_refused_in_a_sentence(name):
    cards, pile, options, words = IMPOSSIBLE[name]
    with pytest.raises(ValueError, match=words) as caught:
        read_position(cards, pile, variants.find("standard"), **options)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message


def test_eleven_cards_of_the_dealer_before_any_draw_are_refused():
    with pytest.raises(PositionError, match="the nondealer plays first"):
        read_position(f"{TEN} 2H", "QD", variants.find("standard"), dealer="me")


def test_the_last_of_eleven_cards_is_the_one_drawn():
    view = read_position(f"{TEN} 2H", "QD", variants.find("standard")).view
    assert view.drawn == 14
    assert view.stock == 30
    assert view.count == 4 + 10 + 1 + 4
    assert np.count_nonzero(view.history) == 0


@pytest.mark.parametrize("name", ["race"])
def test_variants_of_which_a_person_cannot_describe_a_position_are_refused(name):
    with pytest.raises(PositionError, match=name):
        read_position(TEN, "QD TH", variants.find(name))


def test_who_looks_on_sees_what_is_known_so_far():
    position = positions_in(find_deal("gold", "simple", "standard", 1, 3, 0, None), 5)[1]
    seen = []
    found = analyse(
        position,
        "gold",
        "gold",
        Effort(worlds=1000),
        lambda done, every, so_far: seen.append((done, every, so_far())),
    )
    worlds = [done for done, _, _ in seen]
    assert worlds == sorted(set(worlds))
    assert len(worlds) > 1
    assert all(every == 1000 and analysis.worlds == done for done, every, analysis in seen)
    assert seen[-1][2].frame().equals(found.frame())


def test_who_looks_on_at_a_deal_sees_the_decisions_so_far():
    deal = find_deal("gold", "simple", "standard", 1, 3, 0, None)
    seen = []

    def watch(done, every, so_far):
        seen.append((done / every, list(so_far())))

    found = analyse_deal(deal, 5, None, None, Effort(worlds=400), watch)
    assert seen[-1] == (1, list(found))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert seen[0][1] == list(found)[:1]
