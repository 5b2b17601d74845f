"""SIGRA against the values and takes of the original code, a slow twin, and hands made by hand.

tests/data/sigra.json holds random positions (two thirds of them rich in melds) and what the classes
of cudy789/gin-rummy-SIGRA say of them: the value of the ten cards left by each discard, and whether
the card on offer is taken. No match of the original was available.
"""

import json
from pathlib import Path

import pytest

from oracles import twin
from simgin.core.view import new_view
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import compiler, loader
from simgin.text import notation

EAAI = variants.find("eaai")
ROW, RULES = dict(EAAI.row), build_rules(EAAI)
POSITIONS = json.loads((Path(__file__).parents[1] / "data" / "sigra.json").read_text())
VALUE = twin.card_values(ROW)
ROUNDING = 1e-7
SIGRA = loader.find("sigra")
MELDS = twin.all_melds(ROW)


def mask(cards):
    return notation.hand_mask(notation.parse_cards(" ".join(cards))) if cards else 0


def answer(policy, hand, his, shed, unseen, **fields):
    view = new_view()
    view.hand, view.known, view.shed, view.unseen = mask(hand), mask(his), mask(shed), mask(unseen)
    for name, value in fields.items():
        view[name] = value
    return int(compiler.hook(policy)(view, RULES, compiler.vector(policy)))


def thrown(hand, his, shed, unseen, **values):
    return notation.card_text(
        answer(SIGRA.discard(**values), hand, his, shed, unseen, legal=mask(hand))
    )


def takes(hand, card, his, shed, unseen):
    return bool(
        answer(SIGRA.take, hand, his, shed, unseen, taken_offer=notation.parse_card(card), legal=3)
    )


def others(position):
    """The cards the original counts as unknown, without the position's further card."""
    seen = {
        *position["hand"].split(),
        *position["his"].split(),
        *position["gone"].split(),
        position["card"],
    }
    return [card for card in twin.PACK if card not in seen]


@pytest.mark.parametrize("i", range(len(POSITIONS["discard"])))
def test_discards_leave_what_the_original_values_most(i):
    position = POSITIONS["discard"][i]
    hand = [*position["hand"].split(), position["card"]]
    card = thrown(hand, position["his"].split(), position["shed"].split(), others(position))
    best = [
        c
        for c, worth in position["worth"].items()
        if worth < min(position["worth"].values()) + ROUNDING
    ]
    assert card in best
    assert VALUE[card] == max(VALUE[c] for c in best)


@pytest.mark.parametrize(
    "position", POSITIONS["take"], ids=lambda position: position["hand"].replace(" ", "")
)
def test_takes_are_those_of_the_original(position):
    hand, his, shed = position["hand"].split(), position["his"].split(), position["shed"].split()
    assert takes(hand, position["card"], his, shed, others(position)) == position["takes"]


def test_the_recorded_takes_hold_both_answers():
    assert 15 <= sum(position["takes"] for position in POSITIONS["take"]) <= 50


MELDED = "2S 3S 4S 8H 8D 8C".split()


def test_a_card_with_partners_is_kept_and_a_lone_card_goes():
    """TD and JD stay while a card that would meld with them is unseen.

    Ties go to the lowest card number.
    """
    hand = [*MELDED, "TD", "JD", "KC", "5C", "AC"]
    unseen = [card for card in twin.PACK if card not in hand]
    assert thrown(hand, [], [], unseen) == "KC"
    assert (
        thrown(
            hand,
            [],
            [],
            [
                card
                for card in unseen
                if card not in ("9D", "QD", "TS", "TH", "TC", "JS", "JH", "JC")
            ],
        )
        == "TD"
    )


def test_what_the_opponent_wants_breaks_ties_and_decides_only_with_a_large_weight():
    """He took QS and KS: JS would complete his run.

    In the original the weight is so small that it only separates equal cards.
    """
    for card, hold, expected in (
        ("KD", 0, "JS"),
        ("KD", 1, "KD"),
        ("9D", 1, "JS"),
        ("9D", 35, "9D"),
    ):
        hand = [*MELDED, "JS", card, "AD", "5C", "3H"]
        unseen = [c for c in twin.PACK if c not in (*hand, "QS", "KS")]
        assert thrown(hand, ["QS", "KS"], [], unseen, hold=hold) == expected
