"""Positions of one player: as written, and endgames that the slow twin plays out in every way."""

from itertools import permutations

import numpy as np
import pytest

from oracles import twin
from oracles.twin.solo import JOKER, PLAYER, SoloDeal
from simgin.analysis.analysis import Effort, analyse, analyse_deal
from simgin.analysis.position import PositionError, positions_in
from simgin.analysis.worlds import draw_worlds
from simgin.analysis.written import read_position
from simgin.core.position import THROW
from simgin.core.view import FIELDS
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.text.notation import card_text, cards_in, hand_text
from support.hands import game

ALONE = [name for name in variants.names() if variants.find(name).row["players"] == 1]
PLAYER_FILE = '''
from simgin.strategy import Strategy, discard, knock
from simgin.toolkit import lowest

@discard
def first_of_the_best(view, rules, params):
    return lowest(view.best)

@knock
def at_once(view, rules, params):
    return 1

STRATEGY = Strategy("plain", discard=first_of_the_best, knock=at_once)
'''  # fmt: skip


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    path = tmp_path_factory.mktemp("players") / "plain.py"
    path.write_text(PLAYER_FILE)
    return str(path)


# As written

# What is asked, not what is seen
ASKED = ("legal", "least", "best", "noise", "ending", "ending_card", "ending_count", "offered")
SEEN = [name for name, _ in FIELDS if name not in ASKED]


def written(view):
    """What a player would write down of a view: the cards, the one drawn last, and the discards."""
    drawn = [int(view.drawn)] if view.drawn >= 0 else []
    held = int(view.hand) & ~sum(1 << card for card in drawn)
    cards = " ".join([hand_text(held), *map(card_text, drawn)])
    return cards, " ".join(card_text(int(row[3])) for row in view.history[: view.turns])


@pytest.mark.parametrize("name", ALONE)
def test_a_position_written_down_is_the_one_that_was_seen(name):
    matchup = parse_matchup("solo-lookahead:aim=gin+knock=stop-dp", None, name, 11, "deal")
    phases = set()
    compared = 0
    for unit in range(30):
        for position in positions_in(watch_deal(matchup, unit)):
            view = position.view
            mine = read_position(*written(view), matchup.variant)
            assert {n: int(mine.view[n]) for n in SEEN} == {n: int(view[n]) for n in SEEN}
            assert mine.actions == position.actions
            rows, theirs = mine.view.history[: view.turns], view.history[: view.turns]
            assert (rows[:, [0, 1, 3]] == theirs[:, [0, 1, 3]]).all()
            phases.add(int(view.phase))
            compared += 1
    assert compared > 200
    assert len(phases) == 1 + (matchup.variant.row["knock_limit"] > 0)


TEN = "7H 7D 7C 8C 9C TC 4H TD AC 4C"
IMPOSSIBLE = {
    "nine cards": ("7H 7D 7C 8C 9C TC 4H TD AC", "", {}, "9 cards were given"),
    "a card twice": (f"{TEN} 7H", "", {}, "7H is given more than once"),
    "in the hand and thrown": (f"{TEN} KS", "QD 7H", {}, "7H is among your cards, but was thrown"),
    "thrown twice": (f"{TEN} KS", "QD QD", {}, "QD was thrown twice"),
    "taken": (f"{TEN} KS", "QD*", {}, "discards cannot be taken"),
    "nothing to decide": (TEN, "QD", {}, "a deadwood of 19 you have to draw: only 10 or less"),
    "a score": (f"{TEN} KS", "", {"score": (3, 4)}, "is for one player: leave out the score"),
    "a dealer": (f"{TEN} KS", "", {"dealer": "me"}, "is for one player: leave out the score"),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_come_about_is_refused_in_a_sentence(name):
    cards, pile, options, words = IMPOSSIBLE[name]
    with pytest.raises(ValueError, match=words) as caught:
        read_position(cards, pile, variants.find("solitaire-gin-knock"), **options)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("name", "cards", "pile", "words"),
    [
        ("gin-solitaire", TEN, "", "give the discard as well"),
        ("solitaire-gin", TEN, "QD", "only gin ends the deal"),
        ("solitary-gin", TEN, "QD", "gin ends the deal by itself"),
        (
            "solitary-gin",
            f"{TEN} KS",
            "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS 2D 3D 4D 5D",
            "ends after 15 draws, and these cards need 16",
        ),
    ],
)
def test_what_a_variant_does_not_ask_is_refused(name, cards, pile, words):
    with pytest.raises(PositionError, match=words):
        read_position(cards, pile, variants.find(name))


# Worlds


def test_every_order_of_the_deck_is_as_likely():
    """4! orders of three cards and the joker; a false alarm once in 10,000 runs."""
    thrown = [card_text(card) for card in range(52) if card not in (3, 17, 40)]
    cards, pile = " ".join(thrown[:11]), " ".join(thrown[11:])
    variant = variants.find("solitaire-gin")
    view = read_position(cards, pile, variant).view
    worlds = draw_worlds(view, build_rules(variant), 24_000, seed=3)
    orders, counts = np.unique(worlds.stocks, axis=0, return_counts=True)
    assert len(orders) == 24
    assert {int(card) for card in orders[0]} == {3, 17, 40, 52}
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 56.9  # chi-square, 23 degrees of freedom
    part = draw_worlds(view, build_rules(variant), 5, seed=3, first=70)
    assert (part.stocks == worlds.stocks[70:75]).all()


# Endgames

LEFT = 4  # cards left beside the joker
LAST_TURN = 14  # of fifteen: one draw and the clock is out


MELDS = "4S 5S 6S 8H 8D 8C JH QH".split()
FITTING = "3S 8S KH".split()  # they are still to come


def endgame(name, lots):
    """A position with few cards to come, in which gin or a low count is near."""
    variant = variants.find(name)
    free = [card_text(card) for card in lots.permutation(52)]
    free = [card for card in free if card not in (*MELDS, *FITTING)]
    hand, others = [*MELDS, *free[:3]], free[3:]
    has_clock = variant.row["max_draws"] is not None
    turns = LAST_TURN - 1 if has_clock else len(others) + len(FITTING) - LEFT
    return read_position(" ".join(hand), " ".join(others[:turns]), variant)


def begun(row, view, deck):
    """The twin's deal at a view, with the deck as given."""
    deal = SoloDeal(row, twin.PACK, None if row["joker"] == "none" else 20)
    deal.result = None
    deal.hands = [[card_text(card) for card in cards_in(int(view.hand))]]
    deal.deck = list(deck)
    deal.discards = [card_text(card) for card in cards_in(int(view.pile))]
    deal.turns = int(view.turns)
    deal.draws = int(view.own_turn) - (row["first_turn"] == "discard_first")
    deal._drawn = card_text(int(view.drawn))
    return deal


def do(deal, action):
    """Carry out an action with eleven cards."""
    if action.kind == THROW or action.card >= 0:
        deal.act(("throw", card_text(action.card)))
        if action.kind != THROW and deal.result is None:
            deal.act(("end", None, "gin"))
        return
    deal.act(("end", None, "big_gin"))


def play_on(row, deal):
    """Play on as `plain` does: end at once, else keep the least."""
    while deal.result is None:
        hand = deal.hands[PLAYER]
        options = deal.options()
        ends = [option for option in options if option[0] == "end"]
        if ends:
            deal.act(ends[0])
        elif ("stock",) in options:
            deal.act(("stock",))
        else:
            left = {}
            for card in hand:
                left[card] = twin.deadwood([c for c in hand if c != card], row)
            least = min(left.values())
            deal.act(("throw", min((c for c in hand if left[c] == least), key=place)))
    return deal.result


def place(card):
    return twin.PACK.index(card)


def decks(row, view):
    """Every order of the cards to come, as far as they may come."""
    unseen = [card_text(card) for card in cards_in(int(view.unseen))]
    if row["joker"] == "none":
        to_come = row["max_draws"] - int(view.own_turn)
        return list(permutations(unseen, to_come))
    return list(permutations([*unseen, JOKER]))


def exact(position, row):
    """The mean points and wins of every action over all orders of the deck."""
    points, wins = np.zeros((2, len(position.actions)))
    worlds = decks(row, position.view)
    for deck in worlds:
        for i, action in enumerate(position.actions):
            deal = begun(row, position.view, deck)
            do(deal, action)
            result = deal.result or play_on(row, deal)
            own, other = result.points
            points[i] += -own if row["deal_scoring"] == "penalty" else own - other
            wins[i] += result.winner == PLAYER
    return points / len(worlds), wins / len(worlds)


@pytest.mark.parametrize("name", ALONE)
def test_the_analysis_of_an_endgame_is_exact_within_its_error(player, name):
    row = game(name)[1]
    lots = np.random.default_rng(8)
    decided = 0
    for _ in range(4):
        position = endgame(name, lots)
        found = analyse(position, player, None, Effort(worlds=2_000))
        points, wins = exact(position, row)
        worth = 100 * wins if row["deal_scoring"] == "winloss" else points
        frame = found.frame()
        for at, (_, line) in zip(found.order, frame.iterrows(), strict=True):
            action = position.text(position.actions[at])
            assert line["action"] == action
            cost = worth[found.order[0]] - worth[at]
            assert abs(line["points"] - points[at]) <= 4 * line["points_se"] + 1e-9, action
            assert abs(line["win"] - wins[at]) <= 4 * line["win_se"] + 1e-9, action
            assert line["low"] - 1e-9 <= cost <= line["high"] + 1e-9, action
        best = worth[found.best]
        assert best.max() == pytest.approx(worth.max())
        decided += len(set(worth)) > 1
    assert decided == 4


# Deals


@pytest.mark.parametrize("name", ["solitaire-gin-knock", "solitary-gin"])
def test_the_decisions_of_a_deal_are_named_by_turn(name):
    matchup = parse_matchup("solo-greedy+knock=at:k=3", None, name, 2, "deal")
    deal = watch_deal(matchup, 3)
    found = analyse_deal(deal, None, None, None, Effort(worlds=50))
    turns = [question.view.turn for question in deal.questions if question.slot == "discard"]
    discards = [title for title in found if title.endswith("discard")]
    assert set(discards) >= {f"turn {turn}, discard" for turn in turns}
    for analysis in found.values():
        assert analysis.matchup.b is None
        assert analysis.position.done in analysis.position.actions
        assert not analysis.has_match
