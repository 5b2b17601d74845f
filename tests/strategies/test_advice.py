"""Rules of thumb on positions made from their advisers' words.

Every rule is also compared with its twin, in test_roster_against_twin.py.
"""

import pytest

from simgin.core.view import new_view
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import compiler, loader
from simgin.text import notation
from support.hands import PACK
from support.shown import with_best

STANDARD = build_rules(variants.find("standard"))
MELDED = "2S 3S 4S 6H 7H 8H "  # six cards that nobody would break


def answer(slot, text, view):
    chosen = loader.find(f"gold+{slot}={text}").policy(slot)
    if slot == "discard":
        with_best(view, STANDARD)
    return int(compiler.hook(chosen)(view, STANDARD, compiler.vector(chosen)))


def drawn_up(hand, *, known="", shed="", thrown="", turn=1, **fields):
    """A view in the middle of a deal.

    shed: what the opponent took, discarded or declined; thrown: his discards in this order. All
    other cards are unseen.
    """
    view = new_view()
    view.taken = view.drawn = view.ending_card = -1
    view.seat, view.own_turn, view.hand = 0, turn, notation.hand_mask(notation.parse_cards(hand))
    view.legal = view.hand if len(hand.split()) == 11 else 3
    view.known, view.shed = (
        notation.hand_mask(notation.parse_cards(known)),
        notation.hand_mask(notation.parse_cards(f"{shed} {thrown}")),
    )
    for i, card in enumerate(notation.parse_cards(thrown)):
        view.history[2 * i] = (0, 0, -1, 0)
        view.history[2 * i + 1] = (1, 0, -1, card)
    view.turns = 2 * len(thrown.split())
    view.unseen = PACK & ~int(view.hand | view.known | view.shed)
    for field, value in fields.items():
        view[field] = value
    return view


@pytest.mark.parametrize(
    ("text", "hand", "fields", "expected"),
    [
        # high first: the queen has no partner; without the rule a king goes
        ("low", MELDED + "KS KH QD 9C 5D", {}, "KS"),
        ("high-first", MELDED + "KS KH QD 9C 5D", {}, "QD"),
        # high late: no ten-point card before turn 4
        ("high-late", MELDED + "KS QH JD 9C 5D", {"turn": 3}, "9C"),
        # many high: three, and the pair of kings is held; four, and the high ones go, paired or not
        ("many-high", MELDED + "KS KH QD 9C 5D", {}, "QD"),
        ("many-high", MELDED + "KS KH QD JC 5D", {}, "KS"),
        # triangle: KS KH QS stays together until turn 6
        ("triangle", MELDED + "KS KH QS TC 5D", {"turn": 5}, "TC"),
        ("triangle", MELDED + "KS KH QD TC 5D", {"turn": 5}, "KS"),  # a pair and a stranger
        # low cards: nothing loose but aces and twos, and a run can spare its end
        ("keep-low:cost=3", "3S 4S 5S 6S 7D 8D 9D 2C 2H AD AH", {}, "6S"),
        # the opponent near gin has the five of diamonds: the four of diamonds may be laid off there
        ("keep-low-late", "AS 2S 3S 6H 7H 8H 9C TC JC 4D 4C", {"turn": 8, "known": "5D"}, "4C"),
        # pairs: nine and seven of diamonds are half of what queen and jack of clubs are
        ("inside-pairs:weight=4", MELDED + "QC JC 9D 7D 5C", {}, "9D"),
        # dead pairs: both other kings are gone
        ("dead-pairs-first", MELDED + "QS QH KD KC 5D", {"shed": "KS KH"}, "KD"),
        # break pairs: two live queens, or one
        ("break-pairs", MELDED + "QS QH 9C 5D AD", {"turn": 5}, "9C"),
        ("break-pairs", MELDED + "QS QH 9C 5D AD", {"turn": 5, "shed": "QD"}, "QS"),
        # middle: a jack lies in six melds and a king in four
        ("middle", MELDED + "JS KD 5D 9C AC", {}, "KD"),
        # safe neighbour: he threw the king of hearts
        ("safe-neighbour", MELDED + "JS KD 5D 9C AC", {"thrown": "KH"}, "KD"),
        # bait: rank and suit of his last discard, not of those before
        ("bait-shy", MELDED + "JS KD 5D 9C AC", {"thrown": "KH JC"}, "KD"),
        # after the six of diamonds: a five or seven of another suit
        ("suit-order:neighbour=3", "2H 3H 4H TS JS QS KS AD 7C 6C 8S", {"thrown": "6D"}, "7C"),
        # starve: he took the nine of diamonds
        ("starve", MELDED + "JD QC 5C AD AC", {"known": "9D"}, "QC"),
        # live melds: an early jack of diamonds ends what is near it
        ("live-melds", MELDED + "QS KD 5D 9C AC", {}, "KD"),
        ("live-melds", MELDED + "QS KD 5D 9C AC", {"thrown": "JD"}, "QS"),
        # growing safety: a five that nobody can use instead of a queen, as turns pass
        (
            "growing-safety:turn=0.25,count=0",
            MELDED + "QS 5D AC AD AH",
            {"turn": 5, "shed": "5S 5H 5C 4D 6D"},
            "5D",
        ),
        # lay off late: the king of diamonds can only be added to his kings
        (
            "lay-off-late",
            MELDED + "QS KD 5D 9C AC",
            {"turn": 6, "known": "KH KC", "shed": "KS QD"},
            "KD",
        ),
        # wild: nothing near the queen of spades has been seen: from turn 5 worth five points
        ("wild", MELDED + "QS AC AD 5D AH", {"turn": 5, "shed": "5C"}, "5D"),
        # bait: two eights are held, and the seven of clubs costs three points to make the eight of
        # clubs look safe
        ("bait", "2S 3S 4S 5C 5D 5H 8H 8D KC JD 7C", {"turn": 4}, "7C"),
        # tonic: a live pair early
        ("tonic", MELDED + "QS QH 9C 5D AD", {"turn": 3}, "9C"),
        # hazard: of a king and a jack the one that completes nothing of his
        ("hazard", MELDED + "KS JD 9H 5D AC", {"known": "QS JS"}, "JD"),
        ("hazard", MELDED + "KS JD 9H 5D AC", {"known": "QD TD"}, "KS"),
    ],
)
def test_discard_policies_follow_their_advisers_words(text, hand, fields, expected):
    assert notation.card_text(answer("discard", text, drawn_up(hand, **fields))) == expected


TEN = "2S 3S 4S 8H 7C AD AH AC 5H 5D"


@pytest.mark.parametrize(
    ("text", "offer", "fields", "expected"),
    [
        # two two-way beginnings: with the eight of hearts and with the seven of clubs
        ("speculate", "8C", {"turn": 3}, 1),
        ("speculate", "8C", {"turn": 4}, 0),
        ("upcard", "KC", {"phase": 0, "dealer": 1}, 1),
        ("upcard", "KC", {"phase": 0, "dealer": 0}, 0),
        # he has nine and ten of hearts: the jack completes a run, the queen is no use to him
        ("deny", "JH", {"known": "9H TH"}, 1),
        ("deny", "QH", {"known": "9H TH"}, 0),
        ("deny", "JH", {"known": "9H"}, 0),
    ],
)
def test_take_policies_follow_their_advisers_words(text, offer, fields, expected):
    view = drawn_up(TEN.replace("8H", "8D") if text == "deny" else TEN, **{"phase": 1, **fields})
    view.taken_offer, view.count = notation.parse_card(offer), 25
    view.unseen &= ~(1 << int(view.taken_offer))
    assert answer("take", text, view) == expected
