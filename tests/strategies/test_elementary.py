"""The elementary policies against their definitions.

The definitions are computed with the slow twin, on random hands and on positions made by hand.
"""

import random

import numpy as np
import pytest

from oracles import twin
from simgin.core.view import new_view
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import compiler, loader
from simgin.text import notation
from support.shown import with_best

STANDARD = variants.find("standard")
ROW = STANDARD.row
RULES = build_rules(STANDARD)
RANDOM = random.Random(20261120)


def cards(mask: int) -> list[str]:
    return notation.hand_text(mask).split()


def mask(*texts: str) -> int:
    return notation.hand_mask(notation.parse_cards(" ".join(texts)))


def deal(n: int, rich: bool) -> list[int]:
    """n different cards, from a third of the pack if the hands are to be rich in melds."""
    pack = [13 * suit + rank for suit in range(4) for rank in (range(4, 9) if rich else range(13))]
    return RANDOM.sample(pack, n)


def policy(slot: str, name: str, **values: float | str) -> object:
    found = next(p for p in loader.policies() if (p.slot, p.name) == (slot, name))
    return found(**values)


def ask(slot: str, name: str, values: dict[str, float | str] | None = None, **fields: int) -> int:
    """The answer of a policy to a view with some fields set."""
    chosen = policy(slot, name, **(values or {}))
    view = new_view()
    view.taken = view.drawn = -1
    for field, value in fields.items():
        view[field] = value
    if slot == "discard":
        with_best(view, RULES)
    return int(compiler.hook(chosen)(view, RULES, compiler.vector(chosen)))


def take_view(ten: list[int], card: int) -> dict[str, int]:
    hand = notation.hand_mask(ten)
    return {
        "hand": hand,
        "taken_offer": card,
        "count": twin.deadwood(cards(hand), ROW),
        "limit": 10,
        "legal": 3,
        "unseen": ((1 << 52) - 1) & ~hand & ~(1 << card),
    }


def after(ten: list[int], card: int) -> int:
    """Least deadwood after taking a card and discarding another."""
    return min(
        twin.deadwood(cards(notation.hand_mask([*ten, card]) & ~(1 << thrown)), ROW)
        for thrown in ten
    )


def melds_with(ten: list[int], card: int) -> bool:
    return any(
        notation.card_text(card) in meld
        for meld in twin.melds_in(cards(notation.hand_mask([*ten, card])), ROW)
    )


def in_best(ten: list[int], card: int) -> bool:
    best = twin.optimal_meldings(cards(notation.hand_mask([*ten, card])), ROW)
    return any(notation.card_text(card) in meld for melding in best for meld in melding)


@pytest.mark.parametrize("rich", [False, True])
def test_take_policies_follow_their_definitions(rich: bool) -> None:
    seen = {True: 0, False: 0}
    for _ in range(150):
        *ten, card = deal(11, rich)
        view = take_view(ten, card)
        lower, best = after(ten, card) < view["count"], in_best(ten, card)
        seen[best] += 1
        assert ask("take", "lower", **view) == lower
        assert ask("take", "meld-any", **view) == melds_with(ten, card)
        assert ask("take", "meld-best", **view) == best
        assert ask("take", "meld-best-lower", **view) == (best and lower)
        assert ask("take", "knock-or-meld", **view) == (best or after(ten, card) <= 10)
        assert ask("take", "never", **view) == 0
    assert min(seen.values()) >= 2  # the sample holds both answers


def test_a_take_policy_passes_where_passing_is_a_choice() -> None:
    view = take_view(
        notation.parse_cards("AS 3H 5D 7C 9S JH KD 2C 4S 6D"), notation.parse_card("QC")
    ) | {"legal": 7}
    for name in ("never", "lower", "meld-any", "meld-best", "knock-or-meld", "meld-best-lower"):
        assert ask("take", name, **view) == 2


def test_value_compares_taking_with_the_mean_draw() -> None:
    for _ in range(8):
        *ten, card = deal(11, rich=False)
        view = take_view(ten, card)
        drawn = [
            min(
                twin.deadwood([*(set(cards(view["hand"])) - {t}), u], ROW)
                for t in cards(view["hand"])
            )
            for u in cards(view["unseen"])
        ]
        keep = [min(best, view["count"]) for best in drawn]  # the drawn card may be thrown again
        assert ask("take", "value", **view) == (after(ten, card) < np.mean(keep))


@pytest.mark.parametrize("tie", ["high", "random", "middle"])
def test_low_leaves_least_deadwood_and_breaks_ties_as_asked(tie: str) -> None:
    for _ in range(100):
        eleven = deal(11, RANDOM.random() < 0.5)
        hand = notation.hand_mask(eleven)
        legal = hand & ~(1 << RANDOM.choice(eleven))
        left = {c: twin.deadwood(cards(hand & ~(1 << c)), ROW) for c in notation.cards_in(legal)}
        best = [c for c in left if left[c] == min(left.values())]
        thrown = ask(
            "discard", "low", {"tie": tie}, hand=hand, legal=legal, noise=RANDOM.randrange(2**53)
        )
        assert thrown in best
        values = twin.card_values(ROW, "stopper")
        dearest = max(values[notation.card_text(c)] for c in best)
        if tie == "high":
            assert thrown == min(c for c in best if values[notation.card_text(c)] == dearest)
        if tie == "middle":
            melds = {c: 4 + min(c % 13, 12 - c % 13, 2) for c in best}
            assert melds[thrown] == min(melds.values())


def test_random_discards_are_uniform() -> None:
    """5,500 draws over eleven cards.

    A chi-square of ten degrees of freedom exceeds 29.6 for a thousandth of the seeds.
    """
    hand = notation.hand_mask(deal(11, rich=False))
    counts = dict.fromkeys(notation.cards_in(hand), 0)
    for _ in range(5500):
        counts[ask("discard", "uniform", hand=hand, legal=hand, noise=RANDOM.randrange(2**53))] += 1
    assert sum((n - 500) ** 2 / 500 for n in counts.values()) < 29.6
    takes = sum(
        ask("take", "random", {"p": 0.25}, legal=3, noise=RANDOM.randrange(2**53))
        for _ in range(4000)
    )
    assert abs(takes - 1000) < 3.3 * 27.4  # once in a thousand


def test_hits_keeps_the_hand_most_cards_would_improve() -> None:
    for _ in range(40):
        eleven = deal(11, RANDOM.random() < 0.5)
        hand = notation.hand_mask(eleven)
        unseen = ((1 << 52) - 1) & ~hand
        thrown = ask("discard", "hits", hand=hand, legal=hand, unseen=unseen)
        n = {
            c: sum(melds_with([d for d in eleven if d != c], u) for u in notation.cards_in(unseen))
            for c in eleven
        }
        left = {c: twin.deadwood(cards(hand & ~(1 << c)), ROW) for c in eleven}
        assert (n[thrown], -left[thrown]) == max((n[c], -left[c]) for c in eleven)


def test_hits_can_keep_neighbours_together() -> None:
    hand = mask("4S", "5S", "9H", "TH", "2D", "3D", "7C", "8C", "KS", "KH", "JD")
    thrown = ask(
        "discard",
        "hits",
        {"keep_pairs": "yes"},
        hand=hand,
        legal=hand,
        unseen=((1 << 52) - 1) & ~hand,
    )
    assert notation.card_text(thrown) in ("KS", "KH", "JD")


def test_loose_high_throws_the_dearest_loose_card_of_eleven() -> None:
    hand = mask(
        "AS", "2S", "2C", "5C", "AD", "2D", "3D", "5D", "AH", "2H", "5H"
    )  # OpenSpiel's own defect: gin by 3D is missed
    assert notation.card_text(ask("discard", "loose-high", hand=hand, legal=hand)) != "3D"
    hand = mask("5S", "6S", "7S", "KH", "QD", "2C", "2D", "9H", "9C", "4D", "AC")
    assert notation.card_text(ask("discard", "loose-high", hand=hand, legal=hand)) == "KH"


def test_simple_never_repeats_a_pair() -> None:
    """Drew 9H and threw KC on an earlier turn; now 9H was taken back.

    The pair {9H, KC} is barred although KC is best.
    """
    hand = mask("AS", "2S", "3S", "5H", "5D", "5C", "9H", "KC", "QD", "2H", "4D")
    nine, king = notation.parse_card("9H"), notation.parse_card("KC")
    chosen = policy("discard", "simple")
    for own, taken, expected in ((0, nine, "QD"), (1, nine, "KC QD"), (0, -1, "KC QD")):
        view = new_view()
        view.hand, view.legal, view.taken, view.seat, view.turns = (
            hand,
            hand & ~(1 << nine),
            taken,
            0,
            1,
        )
        view.history[0] = (own, 0, nine, king)
        with_best(view, RULES)
        thrown = set()
        for noise in (0, 2**52, 2**53 - 1):
            view.noise = noise
            thrown.add(
                notation.card_text(int(compiler.hook(chosen)(view, RULES, compiler.vector(chosen))))
            )
        assert thrown == set(expected.split())


@pytest.mark.parametrize(
    ("name", "values", "view", "answer"),
    [
        ("at", {}, {"ending": 1, "ending_count": 10}, 1),
        ("at", {"k": 4}, {"ending": 1, "ending_count": 4}, 1),
        ("at", {"k": 4}, {"ending": 1, "ending_count": 5}, 0),
        ("at", {"k": 0}, {"ending": 2, "ending_count": 11}, 1),  # a shot is worth as much as gin
        ("never", {}, {"ending": 1, "ending_count": 0}, 0),
        ("early", {"k": 3}, {"ending": 1, "ending_count": 9, "own_turn": 3}, 1),
        ("early", {"k": 3}, {"ending": 1, "ending_count": 9, "own_turn": 4}, 0),
        ("early", {"k": 3}, {"ending": 1, "ending_count": 0, "own_turn": 12}, 1),
        ("schedule", {}, {"ending": 1, "ending_count": 10, "own_turn": 5}, 1),
        ("schedule", {}, {"ending": 1, "ending_count": 7, "own_turn": 6}, 0),
        ("schedule", {}, {"ending": 1, "ending_count": 6, "own_turn": 8}, 1),
        ("schedule", {}, {"ending": 1, "ending_count": 4, "own_turn": 9}, 0),
        ("lead", {}, {"ending": 1, "ending_count": 4, "target": 100}, 1),
        ("lead", {}, {"ending": 1, "ending_count": 5, "target": 100}, 0),
        (
            "lead",
            {},
            {"ending": 1, "ending_count": 10, "target": 100, "own_points": 20},
            1,
        ),  # 4 + 40 * 20 / 80 = 14
        (
            "lead",
            {},
            {"ending": 1, "ending_count": 1, "target": 100, "other_points": 50},
            0,
        ),  # 4 - 40
        ("lead", {}, {"ending": 1, "ending_count": 0, "target": 100, "other_points": 50}, 1),
        ("count", {}, {"ending": 1, "ending_count": 9, "target": 100, "other_points": 90}, 1),
        ("count", {}, {"ending": 1, "ending_count": 10, "target": 100, "other_points": 90}, 0),
        ("at-wall", {}, {"ending": 1, "ending_count": 10, "stock": 3}, 0),
        ("at-wall", {}, {"ending": 1, "ending_count": 10, "stock": 2}, 1),
        ("random", {"p_end": 0.5}, {"ending": 1, "noise": 2**52 - 1}, 1),
        ("random", {"p_end": 0.5}, {"ending": 1, "noise": 2**52}, 0),
    ],
)
def test_knock_policies_follow_their_definitions(
    name: str, values: dict[str, float], view: dict[str, int], answer: int
) -> None:
    assert ask("knock", name, values, **view) == answer


BLIND = {"phase": 4, "count": 60, "own_turn": 1}


@pytest.mark.parametrize(
    ("name", "params", "fields", "offered"),
    [
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 1}, 2),
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 4}, 5),
        ("strong", {}, {"count": 21, "own_turn": 6, "stake": 1}, 0),
        ("strong", {}, {"count": 20, "own_turn": 7, "stake": 1}, 0),
        ("strong", {}, {**BLIND, "stake": 1, "count": 0}, 0),
        ("strong", {"blind": "yes"}, {**BLIND, "stake": 1}, 2),
        ("none", {}, {"count": 0, "own_turn": 1, "stake": 1}, 0),
    ],
)
def test_offer_policies_follow_their_definitions(name, params, fields, offered):
    assert (
        ask(
            "offer",
            name,
            params,
            phase=fields.pop("phase", 1),
            legal=0b1111101 & ~((1 << fields["stake"] + 1) - 2),
            **fields,
        )
        == offered
    )


@pytest.mark.parametrize(
    ("name", "params", "fields", "accepted"),
    [
        ("brave", {}, {"phase": 1, "count": 35}, 1),
        ("brave", {}, {"phase": 1, "count": 36}, 0),
        ("brave", {"count": 50}, {"phase": 1, "count": 36}, 1),
        ("brave", {}, BLIND, 1),
        ("brave", {"blind": "no"}, {**BLIND, "count": 0}, 0),
        ("never", {}, {"phase": 1, "count": 0}, 0),
    ],
)
def test_answer_policies_follow_their_definitions(name, params, fields, accepted):
    assert ask("answer", name, params, offered=2, legal=3, **fields) == accepted


def test_random_offers_are_legal_and_as_frequent_as_set():
    offers = [
        ask(
            "offer",
            "random",
            {"p_offer": 0.25},
            stake=3,
            legal=0b1110001,
            noise=RANDOM.randrange(2**53),
        )
        for _ in range(4000)
    ]
    assert set(offers) == {0, 4, 5, 6}
    assert abs(sum(offer > 0 for offer in offers) - 1000) < 140  # five standard errors
    assert all(abs(offers.count(number) - 333) < 90 for number in (4, 5, 6))


@pytest.mark.parametrize(
    ("game", "seat", "other", "count", "knocks"),
    [
        ("pro", 0, 110, 10, True),  # a game is 121 points, a match several games
        ("pro", 0, 116, 5, False),
        ("standard", 0, 95, 5, False),
        ("standard", 0, 95, 4, True),
        ("race", 0, 115, 6, False),  # 121 points win the race for the seat that counts points
        ("race", 1, 115, 6, True),
    ],
)
def test_playing_to_the_score_follows_the_points_needed(
    game: str, seat: int, other: int, count: int, knocks: bool
) -> None:
    """A player who needs points might get them from a knock.

    A player who needs won deals gets one whatever the count.
    """
    variant = variants.find(game)
    own_rules, chosen = build_rules(variant), policy("knock", "count")
    if game == "race":
        seat = 1 - own_rules.race_points_seat if seat == 0 else own_rules.race_points_seat
    view = new_view()
    view.seat, view.other_points, view.ending, view.ending_count = seat, other, 1, count
    assert bool(compiler.hook(chosen)(view, own_rules, compiler.vector(chosen))) is knocks
