"""The twin's own properties, and endings that random play seldom meets."""

import random
from itertools import product

import pytest

from oracles import twin
from support.twin_deals import DEALER, NONDEALER, cards, check_cards, check_result, choose, planted
from support.worked_examples import ROWS, STANDARD


def words(deal):
    return {action[0] for action in deal.options()}


def test_options_of_discard_first():
    row = {**STANDARD, "first_turn": "discard_first", "big_gin": True}  # OP8, with two players
    big = cards("3S 4S 5S 6S 8H 8D 8C 8S JD QD KD")
    others = [card for card in twin.PACK if card not in big]
    pack = (
        [card for pair in zip(big[:10], others[:10], strict=True) for card in pair]
        + [big[10]]
        + others[10:]
    )
    deal = twin.Deal(row, pack, dealer=DEALER)
    assert deal.to_move == NONDEALER and len(deal.stock) == 31 and deal.upcard is None
    assert {("throw", card) for card in big} <= deal.options()
    assert ("end", None, "big_gin") in deal.options() and ("end", "3S", "gin") in deal.options()
    deal.act(("end", None, "big_gin"))
    assert (deal.result.kind, deal.result.winner, deal.result.turns) == ("big_gin", NONDEALER, 1)
    alone = twin.SoloDeal(ROWS["gin-solitaire"], [*big, *others], joker_place=3)
    assert alone.options() == {("end", None, "big_gin"), *(("throw", card) for card in big)}
    alone.act(("throw", "3S"))
    assert alone.options() == {("end", None, "gin"), ("stock",)}
    alone = twin.SoloDeal(ROWS["gin-solitaire"], [*others, *big], joker_place=3)
    assert words(alone) == {"throw"}


# --- endings that random play seldom meets ----------


def test_a_discard_that_permits_knock_and_shot():
    hands = (
        "AS 2S 3S 4S JH JD JC JS 5C 5D",
        "5S 6S QS QH KC 9D 9H 2C 7D 3H",
    )  # K21, with a defender
    for how, points in (("knock", 71 - 11 - 10), ("shot", 71 + 25)):
        deal = planted(*hands, "KH", points=(55, 38), shot=True)
        assert {("end", "KH", "knock"), ("end", "KH", "shot")} <= deal.options()
        deal.act(("end", "KH", how))
        result = deal.result
        assert (result.kind, result.stopper_count, result.points) == (how, 10, [points, 0])
        assert result.other_before == 71  # 5S and 6S are laid off after the knock only
        assert result.other_count == (60 if how == "knock" else 71)
    assert not {("end", "KH", "shot")} & planted(*hands, "KH", points=(38, 55), shot=True).options()


def test_a_cancelled_gin_keeps_its_kind():
    hands = ("4S 5S 6S 9H 9D 9C QS QH QD QC", "AD 2D 3D 4D 5D 6D 7S 8S 3S 2S")
    deal = planted(*hands, "KH", layoff_on_gin=True)
    deal.act(("end", "KH", "gin"))
    assert (deal.result.kind, deal.result.winner, deal.result.points) == ("gin", None, [0, 0])
    assert (deal.result.other_before, deal.result.other_count) == (20, 0)


def test_equal_counts_without_the_tie_rule():
    hands = ("4S 5S 6S 9H 9D 9C QS QH QD 7C", "2S 3S 7S 8S 9S TH TD TC 4H 3D")  # S03
    deal = planted(*hands, "KH", undercut_on_tie=False)
    deal.act(("end", "KH", "knock"))
    assert (deal.result.kind, deal.result.winner, deal.result.points) == ("even", None, [0, 0])


# --- properties ----------

OPTIONS = {
    "plain": {},
    "basic": ROWS["basic"],
    "50th": ROWS["standard-50th"],
    "straight": ROWS["straight"],
    "oklahoma": ROWS["oklahoma"],
    "shot": {"shot": True, "shot_deducts": True},
    "rush": {"rush_premium": True, "rush_on_gin": False},
    "rainbow": {"rainbow": True, "big_gin": True},
    "tedesco": ROWS["tedesco"],
    "corner": {
        "ace_runs": "corner",
        "ace_value": 15,
        "defender_ace_value": 15,
        "layoff_on_gin": True,
    },
    "high_or_low": {"ace_runs": "high_or_low", "pip_values": "five_ten", "undercut_on_tie": False},
    "free": {"first_turn": "free", "take_discard": False, "layoff": False},
    "dead": {
        "first_turn": "upcard_stock_or_pass_dead",
        "discard_ban": "none",
        "stock_end": "at_draw",
    },
    "discard_first": {"first_turn": "discard_first", "big_gin": True, "stock_reserve": 0},
    "limit 40": {"knock_limit": 40, "layoff_on_gin": True, "max_turns": 12},
    "everything": {
        "rainbow": True,
        "shot": True,
        "big_gin": True,
        "take_to_knock": "melded",
        "ace_runs": "corner",
        "stock_end": "opponent_may_take",
        "rush_premium": True,
        "spade_multiplier": 2,
        "knock_limit": 30,
    },
}


@pytest.mark.parametrize("name", OPTIONS)
def test_random_deals(name):
    rng = random.Random(name)
    row = {**STANDARD, **OPTIONS[name]}
    kinds = set()
    for number in range(25):
        deal = twin.Deal(
            row, rng.sample(twin.PACK, 52), dealer=number % 2, points=(rng.randrange(100), 38)
        )
        while deal.to_move is not None:
            check_cards(deal)
            with pytest.raises(ValueError):
                deal.act(("throw", "no card"))
            deal.act(choose(deal, rng))
        check_cards(deal)
        check_result(deal)
        kinds.add(deal.result.kind)
        with pytest.raises(ValueError):
            deal.act(("stock",))
    assert kinds <= {"knock", "gin", "big_gin", "shot", "undercut", "even", "void", "stalled"}


def test_more_melds_never_raise_the_deadwood():
    rng = random.Random(3)
    for _ in range(2000):
        hand = rng.sample(twin.PACK, 10)
        low, both, corner = (
            twin.deadwood(hand, {**STANDARD, "ace_runs": runs})
            for runs in ("low", "high_or_low", "corner")
        )
        rainbow = twin.deadwood(hand, {**STANDARD, "rainbow": True})
        assert low >= both >= corner and low >= rainbow
        assert low == twin.deadwood(sorted(hand), STANDARD)
        assert low == twin.deadwood(
            [card[0] + "DCHS"["SHDC".index(card[1])] for card in hand], STANDARD
        )


def test_the_two_ways_to_the_least_deadwood_agree():
    rng = random.Random(4)
    for _ in range(1500):
        suits = rng.choice(("SHDC", "SH", "SHD"))
        hand = rng.sample([card for card in twin.PACK if card[1] in suits], 10)
        row = {
            **STANDARD,
            "ace_runs": rng.choice(("low", "high_or_low", "corner")),
            "rainbow": rng.random() < 0.5,
        }
        values, least = twin.card_values(row), twin.deadwood(hand, row)
        for melding in twin.optimal_meldings(hand, row):
            melded = {card for meld in melding for card in meld}
            assert len(melded) == sum(map(len, melding))
            assert sum(values[card] for card in hand if card not in melded) == least
        assert twin.shown(hand, None, row) in twin.optimal_meldings(hand, row)


def test_lay_offs_never_do_harm_and_the_joint_choice_is_best():
    rng = random.Random(5)
    for _ in range(400):
        pack = rng.sample(twin.PACK, 52)
        row = {**STANDARD, "ace_runs": rng.choice(("low", "high_or_low", "corner"))}
        melds = rng.choice(twin.optimal_meldings(pack[:16], row))
        hand = pack[16:26]
        way = twin.defender_count(melds, hand, row)
        assert way.count <= twin.deadwood(hand, row, "defender")
        for meld, extra in zip(melds, way.laid_off, strict=True):
            assert not extra or frozenset([*meld, *extra]) in twin.all_melds(row)


def least_by_assigning(melds, hand, row):
    """The joint minimum of rules.md 3.7, card by card: each is kept or goes to a meld shown."""
    whole, least = twin.all_melds({**row, "rainbow": False}), None
    for places in product(range(len(melds) + 1), repeat=len(hand)):
        grown = [
            {*meld, *(c for c, p in zip(hand, places, strict=True) if p == n)}
            for n, meld in enumerate(melds, 1)
        ]
        if all(len(new) == len(old) or new in whole for new, old in zip(grown, melds, strict=True)):
            kept = [card for card, place in zip(hand, places, strict=True) if place == 0]
            count = twin.deadwood(kept, row, "defender")
            least = count if least is None else min(least, count)
    return least


def test_the_joint_choice_card_by_card():
    rng = random.Random(7)
    for _ in range(60):
        # Few suits and ranks, so that melds, chains and lay-offs are frequent.
        pack = rng.sample([card for card in twin.PACK if card[1] in "SH" or card[0] in "678"], 17)
        row = {
            **STANDARD,
            "ace_runs": rng.choice(("low", "high_or_low", "corner")),
            "defender_ace_value": 15,
        }
        melds = twin.optimal_meldings(pack[:11], row)[0][:3]
        assert twin.defender_count(melds, pack[11:], row).count == least_by_assigning(
            melds, pack[11:], row
        )


def test_eaai_showdown():
    rng = random.Random(6)
    knocker = cards("5S 6S 7S KH KD KC 2D 3D 4D 9H")
    # First fit in a chain: 8S, then 9S.
    own, other, laid = twin.eaai_showdown(knocker, cards("8S 9S 8H QC QD 2H 4C JC JH 6D"), rng)
    assert (own, laid, other) == (9, ["8S", "9S"], 8 + 20 + 2 + 4 + 20 + 6)
    # The hand of L03: the defender keeps his four 8s, so the joint choice (32) is out of reach.
    assert twin.eaai_showdown(knocker, cards("8S 8H 8D 8C 9S 2H 4C QD JC 6D"), rng) == (9, 41, [])
    own, other, laid = twin.eaai_showdown(
        cards("4S 5S 6S 9H 9D 9C QS QH QD QC"), cards("2S 3S 7S 8S 9S TH TD TC 4H 3D"), rng
    )
    assert (own, other, laid) == (0, 12, [])  # no lay-offs on a stopper without deadwood
    # 3x3 grid: rows and columns are equally likely, one takes the 7S and one does not.
    grid, hand = cards("4S 5S 6S 4H 5H 6H 4D 5D 6D KC"), cards("7S 9C QH KD 2C AH JS TD 8C 3C")
    laid_off = [len(twin.eaai_showdown(grid, hand, rng)[2]) for _ in range(400)]
    assert set(laid_off) == {0, 1} and 140 < sum(laid_off) < 260
