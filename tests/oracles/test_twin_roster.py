"""The twin of the policies on positions small enough to work out by hand."""

from fractions import Fraction

import pytest

from oracles.twin import PACK
from oracles.twin.roster import Seen, discard, knock, take
from oracles.twin.roster.seen import near
from support.hands import game

ROW = game("eaai")[1]


def seen(hand, known="", shed="", gone="", unseen=None, **fields):
    """A position: every card that is nowhere else is unseen, unless stated.

    `gone`: cards in the pile.
    """
    hand, known, shed, gone = (frozenset(cards.split()) for cards in (hand, known, shed, gone))
    rest = (
        frozenset(PACK) - hand - known - shed - gone
        if unseen is None
        else frozenset(unseen.split())
    )
    return Seen(
        ROW, hand, rest, known, shed, fields.pop("legal", hand), fields.pop("turn", 1), **fields
    )


def test_near_cards_by_hand():
    assert near("AS") == {"2S", "3S", "AH", "AD", "AC"}
    assert near("7H") == {"5H", "6H", "8H", "9H", "7S", "7D", "7C"}
    assert near("QC") == {"TC", "JC", "KC", "QS", "QH", "QD"}


MELDED = "5S 6S 7S 2H 2D 2C 9D TD JD"  # nine cards in melds


@pytest.mark.parametrize(
    ("known", "shed", "thrown"),
    [
        ("", "", "KC"),  # five cards near the king, six near the queen
        ("KS", "JH", "QH"),  # king: 2 for KS and four more; queen: five less 2 for JH
        ("KS", "", "KC QH"),  # king: 2 and four more; queen: six
    ],
)
def test_danger_by_hand(known, shed, thrown):
    assert discard.danger(seen(f"{MELDED} KC QH", known, shed)) == set(thrown.split())


def test_danger_comes_after_deadwood_and_before_pip():
    """The ten leaves as much as the king but is nearer to the opponent's cards.

    The nine is safe, but leaves more.
    """
    assert discard.danger(
        seen("5S 6S 7S 2H 2D 2C KC TH 9H AD AC", known="8H TS", shed="9C 9S")
    ) == {"KC"}


def test_conv_by_hand():
    """KD: one king, 1. KH: one king and one card two away, 1.5. JH: .5 + 1 to king and ten.

    TH: 1. 6S and 5S: 1 and 1.5 with the 7.
    """
    hand = "KD KH JH TH 5S 6S 7S 2C"
    assert discard.conv(seen(hand), 1, 1, 0.5) == {"2C"}
    assert discard.conv(seen(hand, legal=frozenset("KD KH JH TH 5S 6S 7S".split())), 1, 1, 0.5) == {
        "KD",
        "TH",
    }
    assert discard.conv(seen(hand, legal=frozenset("KD KH JH TH 5S 6S 7S".split())), 2, 1, 0.5) == {
        "TH"
    }


def test_structure_by_hand():
    """6S: with 5S or 7S held, the other is held too, 3 each; 8S completes 6S 7S, 4S 5S 6S.

    The king: KS may come, KC is the opponent's.
    """
    where = seen(
        "5S 6S 7S KD KH 2C",
        known="KC",
        unseen="4S 8S KS 9D 9C 9H 9S JD JC TD TC TH TS QD QC QS AD AS",
    )
    way = 1 - Fraction(1, 2) ** 4
    assert discard.structure(where, "6S") == 2 * 3 + 2 * way
    assert discard.structure(where, "KD") == way
    assert discard.structure(where, "2C") == 0


def test_reach_and_hold_by_hand():
    """4S and 7S both meld with 5S and 6S: (5 + 6) * 2 / 4.

    The kings: KH with KS and one that may come, 10 / 4.
    """
    where = seen("5S 6S KH", known="KS", gone="KC", unseen="4S 7S KD 2C")
    for by in ("text", "policy"):
        assert discard.reach(where, where.hand, where.hand, where.unseen, by) == Fraction(22, 4)
    assert discard.hold(where, where.hand, where.unseen, "text") == Fraction(10, 4)
    assert discard.hold(where, where.hand, where.unseen, "policy") == Fraction(10, 16)
    assert discard.hand_value(where, where.hand, where.unseen, 0.5, 2, "text") == {
        21 - Fraction(11, 4) - 5
    }
    thrown = seen("5S 6S KH", known="KS", shed="KC", unseen="4S 7S KD 2C")
    assert (
        discard.hold(thrown, where.hand, where.unseen, "text") == 0
    )  # he throws kings, so he keeps none


def test_hold_by_runs_by_hand():
    """6H is in two runs with 7H: 5H and 8H (both may come), and in a run of four with both."""
    where = seen("6H AC", known="7H", unseen="5H 8H 2D 3D")
    assert discard.hold(where, where.hand, where.unseen, "text") == 6 * (
        Fraction(2, 4) + Fraction(1, 16)
    )


@pytest.mark.parametrize(
    ("card", "known", "gone", "worth"),
    [
        ("7H", "", "7S", -4),
        ("7H", "", "7S 6H", -9),
        ("7H", "", "7S 6H 8H", -14),
        ("7H", "", "7S 6H 9H", -14),
        ("7H", "", "7S 5H 6H", -12),
        ("7H", "", "7S 5H 9H", -10),
        ("7H", "8H", "7S", 1),
        ("7H", "9H", "7S", -1),
        ("7H", "8H 9H", "7S", 4),
        ("7H", "6H 8H", "7S", 16),
        ("7H", "", "", 4),
        ("7H", "", "7S 7C", -10),
        ("7H", "7S 7C", "", 24),
        ("AS", "", "", -4),
        ("QS", "", "", -1),
        ("QS", "", "TS", -6),
    ],
)
def test_the_worth_of_a_card_to_the_opponent_by_hand(card, known, gone, worth):
    assert discard.opponents_value(seen(card, known=known, gone=gone), card) == worth


def test_the_candidates_of_marjj_by_hand():
    """Legal loose cards within five points of the dearest."""
    hand = "5S 6S 7S 2H 2D 2C KC QH 6D 5D 4H"
    assert discard.candidates_of(seen(hand), 5) == [{"KC", "QH", "6D", "5D"}] * 2
    assert discard.candidates_of(seen(hand), 4) == [{"KC", "QH", "6D"}] * 2
    assert discard.candidates_of(seen(hand, legal=frozenset("6D 4H 5S".split())), 1) == [{"6D"}] * 2


def test_the_mean_of_the_best_counts_by_hand():
    """5S 6S with a king left over: 4S leaves 5 + 6 and 4, melded: the king.

    The three best of 4S 7S AH 9C: 0, 0 and 5 + 1.
    """
    where = seen("5S 6S KD", unseen="4S 7S AH 9C")
    assert discard.mean_of_best(where, where.hand, 3) == Fraction(0 + 0 + 12, 3)
    assert discard.mean_of_best(where, where.hand, 9) == Fraction(0 + 0 + 12 + 20, 4)


def test_value_compares_taking_with_the_mean_of_drawing():
    """Two of the four cards make a run with the pair and leave nothing; the ace leaves 12."""
    where = seen("5S 6S KD", unseen="4S 7S AC 9C", offer="AH", legal=frozenset({0, 1}))
    assert take.value(where) == {0}  # 12 against (0 + 0 + 12 + 20) / 4
    assert take.value(
        seen("5S 6S KD", unseen="4S 9S AC 9C", offer="AH", legal=frozenset({0, 1}))
    ) == {1}  # (0 + 20 + 12 + 20) / 4


def test_a_pair_is_not_repeated():
    hand = f"{MELDED} KC QH"
    earlier = ((0, "QH", "9S"), (1, None, "3S"), (0, "8H", "KC"))
    assert discard.simple(seen(hand, drawn="AC", history=earlier)) == {"KC", "QH"}
    assert discard.simple(seen(hand, taken="8H", history=earlier)) == {"QH"}
    assert discard.simple(
        seen(hand, taken="KC", legal=frozenset(hand.split()) - {"KC"}, history=((0, "QH", "KC"),))
    ) != {"QH"}


def test_lead_is_clamped():
    """Limit 4 at level scores; gin only when behind by 50; any limit when ahead by 20 of 80."""
    for own, other, count, ends in (
        (0, 0, 4, 1),
        (0, 0, 5, 0),
        (0, 50, 1, 0),
        (0, 50, 0, 1),
        (20, 0, 10, 1),
    ):
        assert knock.lead(
            seen(MELDED, own_points=own, other_points=other, ending=1, ending_count=count)
        ) == {ends}
