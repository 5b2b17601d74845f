"""SIGRA against the values and takes of the original code, a slow twin, and hands made by hand.

tests/data/sigra.json holds random positions (two thirds of them rich in melds) and what the classes
of cudy789/gin-rummy-SIGRA say of them: the value of the ten cards left by each discard, and whether
the card on offer is taken. No match of the original was available.
"""

import json
import random
from pathlib import Path

import pytest

from oracles import twin
from simgin.core.view import new_view
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import compiler, loader
from simgin.text import notation
from support import hands

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


# A twin from the definition: cards as texts, everything by enumeration


def worths(ten, his, shed, unseen, reach, hold):
    """The values of ten cards by each of their best meldings."""
    count = twin.deadwood(ten, ROW)
    new = [
        meld for u in unseen if u not in ten for meld in twin.melds_in([*ten, u], ROW) if u in meld
    ]
    times = {card: sum(card in meld for meld in new) for card in ten}
    for melding in twin.optimal_meldings(ten, ROW) or [()]:
        loose = [card for card in ten if not any(card in meld for meld in melding)]
        yield (
            count
            - reach * sum(VALUE[card] * times[card] for card in loose) / len(unseen)
            - hold * held_back(ten, his, shed, unseen)
        )


def held_back(ten, his, shed, unseen):
    total = 0
    for meld in MELDS:
        mine = [card for card in meld if card in ten]
        if (
            len(mine) != 1
            or not any(card in his for card in meld)
            or any(c not in his and c not in unseen and c != mine[0] for c in meld)
        ):
            continue
        if len({card[0] for card in meld}) == 1 and mine[0] in shed:
            continue
        total += VALUE[mine[0]] / len(unseen) ** sum(card not in his for card in meld)
    return total


def test_the_recorded_values_agree_with_the_twin():
    """This ties the twin to the original: every recorded value is that of a best melding."""
    for position in POSITIONS["discard"]:
        eleven = [*position["hand"].split(), position["card"]]
        unseen, his, shed = others(position), position["his"].split(), position["shed"].split()
        for card, worth in position["worth"].items():
            ten = [other for other in eleven if other != card]
            assert any(abs(worth - w) < ROUNDING for w in worths(ten, his, shed, unseen, 0.85, 1))


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


def drawn_up(rng, n):
    """Cards of few ranks, some of them the opponent's, few unseen.

    What he may want and what may be melded then weighs more than in play.
    """
    cards = hands.names_in_order(rng.sample([c for c in range(52) if 2 <= c % 13 <= 7], 24))
    return (
        cards[:n],
        cards[n : n + 4],
        cards[:2],
        [*cards[n + 4 :], *rng.sample([c for c in twin.PACK if c[0] in "JQK"], 4)],
    )


@pytest.mark.parametrize("i", range(15))
def test_discards_with_any_weights_agree_with_the_twin(i):
    rng = random.Random(25_000 + i)
    hand, his, shed, unseen = drawn_up(rng, 11)
    for reach, hold in (
        (0.85, 1),
        (0, 0),
        (rng.uniform(0, 4), 0),
        (0, rng.uniform(0, 90)),
        (rng.uniform(0, 4), rng.uniform(0, 90)),
    ):
        worth = {
            c: list(worths([o for o in hand if o != c], his, shed, unseen, reach, hold))
            for c in hand
        }
        card = thrown(hand, his, shed, unseen, reach=reach, hold=hold)
        assert min(worth[card]) <= min(max(found) for found in worth.values()) + ROUNDING


@pytest.mark.parametrize("i", range(6))
def test_takes_agree_with_the_twin(i):
    rng = random.Random(25_100 + i)
    hand, his, shed, unseen = drawn_up(rng, 10)
    card = unseen.pop()

    def best(eleven, legal, pick):
        return min(
            pick(worths([o for o in eleven if o != c], his, shed, unseen, 0.85, 1)) for c in legal
        )

    for low, high in (
        (min, max),
        (max, min),
    ):  # by either end of what the choice of a best melding leaves open
        drawn = [best([*hand, u], [*hand, u], high) for u in unseen]
        wanted = best([*hand, card], hand, low) < sum(drawn) / len(drawn)
        if low is max and wanted:
            assert takes(hand, card, his, shed, unseen)
        if low is min and not wanted:
            assert not takes(hand, card, his, shed, unseen)


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
