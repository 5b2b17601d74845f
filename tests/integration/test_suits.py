"""Suits have no rank: renaming the suits of a deal renames its result and nothing else.

A deal is played, its answers are renamed and written into a script, and the script plays the
renamed pack. With rainbows the renaming keeps the colours apart, and where spades count double it
keeps spades. What the rules settle by suit are ties: between meldings by their text (rules.md 3.5),
between discards with the last card by the card's number (the engine's contract). There the twin, or
the card's value, must agree that it is a tie.
"""

import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from oracles import twin
from simgin.core.view import FIELDS
from simgin.play.deal import watch_deal
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.strategy import loader
from support import hands
from support.variant_lists import TWO_PLAYER, UNUSUAL, distinct, strategy

LAST = 2  # view.phase
TEXTS = distinct((*TWO_PLAYER, *UNUSUAL))
PAIRS = (
    ("stray-same", "shooter-same"),
    ("shooter-same", "simple"),
    ("simple+take=random", "stray-same"),
)
MASKS, CARDS = (
    ("hand", "pile", "known", "shed", "unseen", "best"),
    ("upcard", "taken", "taken_offer", "drawn", "ending_card"),
)
WIDTH = 8  # answers of a seat on a turn: take (2), discard, a knock for each kind of ending
SCRIPT = """
from simgin.strategy import Strategy, discard, knock, show, take

@take(weights="script.npy")
def read(view, rules, params):
    return int(params[(view.turns * 2 + view.seat) * 8 + view.phase])

@discard(weights="script.npy")
def read_discard(view, rules, params):
    return int(params[(view.turns * 2 + view.seat) * 8 + 2])

@knock(weights="script.npy")
def read_knock(view, rules, params):
    return int(params[(view.turns * 2 + view.seat) * 8 + 3 + view.ending])

@show(weights="script.npy")
def read_melding(view, rules, params):
    a, b, c = int(params[-3]), int(params[-2]), int(params[-1])
    for row in range(64):
        melds, known = view.meldings[row], True
        for k in range(3):
            known = known and (melds[k] == a or melds[k] == b or melds[k] == c)
        if known and melds[0] | melds[1] | melds[2] == a | b | c:
            return row
    return -1

SCRIPTED = Strategy(
    "scripted", take=read, discard=read_discard, knock=read_knock, show=read_melding, ending="same"
)
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """A strategy for both seats that answers from a script, and the script's path."""
    folder = tmp_path_factory.mktemp("suits")
    (folder / "deal_script.py").write_text(SCRIPT)
    np.save(folder / "script.npy", np.zeros(1))
    return loader.find(str(folder / "deal_script.py")), folder / "script.npy"


class Renaming:
    """A renaming of suits: suit i of the engine becomes suit `suits[i]`."""

    def __init__(self, suits):
        self.suits = suits

    def card(self, card):
        return card if card < 0 else 13 * self.suits[card // 13] + card % 13

    def mask(self, mask):
        return sum(1 << self.card(card) for card in hands.members(mask))

    def view(self, view, slot):
        """Everything in a view but the noise, after the renaming."""
        seen = {name: int(view[name]) for name, _ in FIELDS if name != "noise"}
        seen |= {name: self.mask(seen[name]) for name in MASKS} | {
            name: self.card(seen[name]) for name in CARDS
        }
        if slot == "discard":
            seen["legal"] = self.mask(seen["legal"])
        turns = [
            (seat, source, self.card(card), self.card(thrown))
            for seat, source, card, thrown in view.history[: view.turns].tolist()
        ]
        meldings = (
            {frozenset(self.mask(meld) for meld in row if meld) for row in view.meldings.tolist()}
            if slot == "show"
            else set()
        )
        return seen, turns, meldings


def renamings(row):
    """Every renaming that makes no difference to a variant."""
    for suits in permutations(range(4)):
        apart = {suits[0], suits[3]} in ({0, 3}, {1, 2})  # spades and clubs are black
        if (apart or not row["rainbow"]) and (suits[0] == 0 or row["spade_multiplier"] == 1):
            yield Renaming(suits)


def write_script(file, questions, renaming):
    answers = np.zeros(502 * 2 * WIDTH + 3)
    for question in questions:
        view = question.view
        start = (view.turns * 2 + view.seat) * WIDTH
        if question.slot == "take":
            answers[start + view.phase] = question.answer
        elif question.slot == "discard":
            answers[start + 2] = renaming.card(question.answer)
        elif question.slot == "knock":
            answers[start + 3 + view.ending] = question.answer
        else:
            answers[-3:] = [renaming.mask(meld) for meld in view.meldings[question.answer].tolist()]
    np.save(file, answers)


def result(played, renaming=None):
    """How a deal ended, with the melds shown, as they are or renamed."""
    renaming = renaming or Renaming(range(4))
    state = played.state
    ended = [played.kind, *state.score.tolist(), *state.draws.tolist(), *state.takes.tolist()]
    ended += [
        int(state[name])
        for name in (
            "stopper",
            "winner",
            "turns",
            "stock",
            "stopper_count",
            "other_count",
            "defender_before",
        )
    ]
    return ended, sorted(renaming.mask(int(meld)) for meld in state.melds if meld)


def tied(melds, other, played, row):
    """Whether two meldings of a seat differ only by suits (rules.md 3.5, items 1 to 3)."""
    state = played.state
    kept = hands.names(int(state.hand[state.stopper]))
    thrown = hands.names(1 << played.turns[-1][3])[0] if played.turns[-1][3] >= 0 else ""
    known, worth = {*kept, thrown}, twin.card_values(row)

    def rank(family):
        family = [tuple(text.split()) for text in spelled(family, row)]
        left = [card for card in kept if not any(card in meld for meld in family)]
        return (
            sum(worth[card] for card in left),
            len(twin.melds.extension_cards(family, known, row)),
            len(family),
        )

    return rank(melds) == rank(other)


def spelled(family, row):
    """The texts of melds given as masks."""
    written = {
        hands.mask(meld): " ".join(meld)
        for mask in family
        for meld in twin.melds_in(hands.names(mask), row)
    }
    return [written[mask] for mask in family]


def same_questions(before, after, renaming, worth):
    """Compare questions one by one; False after a tie over the discard with the last card."""
    for asked, again in zip(before.questions, after.questions, strict=False):
        want, got = (
            renaming.view(asked.view, asked.slot),
            Renaming(range(4)).view(again.view, again.slot),
        )
        tie = asked.view.phase == LAST and want[0]["ending_card"] != got[0]["ending_card"]
        if tie:
            first, second = (
                hands.names(1 << view[0].pop("ending_card"))[0] for view in (want, got)
            )
            assert worth[first] == worth[second]
        assert (again.seat, again.slot) == (asked.seat, asked.slot)
        assert got == want, (
            asked.slot,
            {
                name: (got[0][name], want[0][name])
                for name in want[0]
                if got[0][name] != want[0][name]
            },
        )
        if tie:
            return False
    assert len(before.questions) == len(after.questions)
    return True


def compare(text, script, deals):
    """Play, rename and play again.

    Returns how many deals were the same, tied over the melding, and tied over the last card.
    """
    scripted, file = script
    variant = variants.find(text)
    rng = random.Random(f"{text} renamed")
    names = list(renamings(variant.row))
    seen = Counter()
    for i in range(deals):
        points = hands.scores(rng, variant.row)
        pack = (
            hands.stacked(rng, variant.row, points[1 - i % 2])
            if i % 3
            else rng.sample(range(52), 52)
        )
        first = Matchup(variant, *map(strategy, PAIRS[i % 3]), i, "deal")
        before = watch_deal(first, i, pack=pack, dealer=i % 2, points=points)
        renaming = rng.choice(names)
        write_script(file, before.questions, renaming)
        second = Matchup(variant, scripted, scripted, i, "deal")
        after = watch_deal(
            second, i, pack=[renaming.card(card) for card in pack], dealer=i % 2, points=points
        )
        assert not before.fault and not after.fault, after.fault
        if not same_questions(before, after, renaming, twin.card_values(variant.row)):
            seen["tied over the last card"] += 1
            continue
        (ended, melds), (again, others) = result(before, renaming), result(after)
        if melds != others:
            assert variant.row["melding"] == "auto" and tied(melds, others, after, variant.row)
            seen["tied over the melding"] += 1
        else:
            assert ended == again
            seen["same"] += 1
    return seen


@pytest.mark.parametrize("text", TEXTS)
def test_renaming_the_suits_renames_the_deal(text, script):
    seen = compare(text, script, 12)
    assert seen["same"] >= 9, seen


@pytest.mark.slow
@pytest.mark.parametrize("melding", ["auto", "choice"])
@pytest.mark.parametrize("text", TEXTS)
def test_renaming_the_suits_renames_many_deals(text, melding, script):
    seen = compare(f"{text}+melding={melding}", script, 100)
    assert seen["same"] >= 75, seen
