"""The twin's list of meldings under melding = choice, by hand (rules.md 3.3, 3.5, 9.1)."""

import random
from math import comb

import pytest

from oracles import twin
from support.twin_deals import NONDEALER, cards, planted
from support.worked_examples import STANDARD

GRID = "4S 5S 6S 4H 5H 6H 4D 5D 6D KC"  # D03
SETS, RUNS = ("4S 4H 4D", "5S 5H 5D", "6S 6H 6D"), ("4D 5D 6D", "4H 5H 6H", "4S 5S 6S")
CHOICE = {**STANDARD, "melding": "choice"}


def row_of(**more):
    return {**CHOICE, **more}


def listed(kept, discard=None, how="knock", limit=10, row=CHOICE, **conditions):
    """The texts of what may be shown, in order."""
    return [
        tuple(twin.texts(family))
        for family in twin.meldings(row, how, cards(kept), discard, limit=limit, **conditions)
    ]


def shown_by(deal, card, how, melding):
    """The result of a deal that the nondealer ends now with this melding."""
    deal.act(("end", card, how))
    assert deal.to_move == NONDEALER and ("show", melding) in deal.options()
    deal.act(("show", melding))
    return deal.result


def test_the_sets_come_before_the_runs():
    assert listed(GRID, "2C") == [SETS, RUNS]  # three extension cards and six
    assert listed(GRID, "2C", limit=9) == []
    assert listed(GRID, "2C", limit=21) == [SETS, RUNS]
    assert listed(GRID, "2C", limit=22) == [
        SETS,
        RUNS,
        SETS[1:],
    ]  # without the 4s 12 more, without the 5s or any run 15
    assert set(listed(GRID, "2C", limit=25)[3:]) == {
        (SETS[0], SETS[2]),
        RUNS[:2],
        RUNS[1:],
        RUNS[::2],
    }


def test_the_choice_between_sets_and_runs_is_worth_17_points():
    defender = "3S 7H 7D JC QS KS KH 9D 2C TC"  # L15, L16
    for melding, other in ((SETS, 78), (RUNS, 61)):
        deal = planted(GRID, defender, "QD", melding="choice")
        result = shown_by(deal, "QD", "knock", melding)
        assert (result.kind, result.stopper_count, result.other_count) == ("knock", 10, other)
        assert result.points == [other - 10, 0]
        assert [" ".join(meld) for meld in result.melds] == list(melding)


LOW_RUN = "AS 2S 3S 9H 9D 9C KH KD KC AH"
WHOLE, WITHOUT = ("9H 9D 9C", "AS 2S 3S", "KH KD KC"), ("9H 9D 9C", "KH KD KC")


def test_a_dearer_melding_denies_lay_offs():
    """4S and 5S could go to the run A-2-3.

    Without it the knocker counts 6 more and the defender 9 more.
    """
    defender = "4S 5S 7D 8C TD TC JH QS 6C 2D"
    assert listed(LOW_RUN, "QH") == [WHOLE, WITHOUT]
    for melding, own, other in ((WHOLE, 1, 63), (WITHOUT, 7, 72)):
        result = shown_by(
            planted(LOW_RUN, defender, "QH", melding="choice"), "QH", "knock", melding
        )
        assert (result.stopper_count, result.other_count, result.other_before) == (own, other, 72)
        assert result.points == [other - own, 0]


GIN = "AS 2S 3S 9H 9D 9C KH KD KC KS"


@pytest.mark.parametrize(
    "defender, points",
    [
        ("4S 5S 7D 8C TD TC JH QS 6C 2D", [72 - 6, 0]),
        ("4H 4D 4C 7H 7D 7C 8H 8D 8C 2D", [0, 6 - 2 + 25]),
    ],
)
def test_a_hand_that_could_be_gin_may_be_shown_as_a_knock(defender, points):
    """It is then a knock with its count (rules.md 3.3, 3.5).

    There is no bonus, cards are laid off, and it can be undercut.
    """
    whole = ("9H 9D 9C", "AS 2S 3S", "KS KH KD KC")
    rest = ("9H 9D 9C", "KS KH KD KC")
    assert listed(GIN, "QH", "gin")[:2] == [whole, rest]
    result = shown_by(planted(GIN, defender, "QH", melding="choice"), "QH", "gin", rest)
    assert (result.kind, result.stopper_count, result.points) == (
        "knock" if points[0] else "undercut",
        6,
        points,
    )
    result = shown_by(planted(GIN, defender, "QH", melding="choice"), "QH", "gin", whole)
    assert (result.kind, result.stopper_count) == ("gin", 0)
    assert result.other_count == result.other_before == result.points[0] - 25


def test_a_single_legal_melding_is_shown_without_a_question():
    defender = "4S 5S 7D 8C TD TC JH QS 6C 2D"
    for more in (
        {"melding": "auto"},
        {"melding": "choice", "knock_limit": 0},
        {"melding": "choice", "knock_limit": 5},
    ):
        deal = planted(GIN, defender, "QH", **more)
        deal.act(("end", "QH", "gin"))
        assert (deal.result.kind, deal.meldings) == ("gin", [])


def test_only_a_melding_of_the_list_may_be_shown():
    deal = planted(LOW_RUN, "4S 5S 7D 8C TD TC JH QS 6C 2D", "QH", melding="choice")
    deal.act(("end", "QH", "knock"))
    assert deal.options() == {("show", WHOLE), ("show", WITHOUT)} and len(deal.meldings) == 2
    for action in (
        ("show", ("9H 9D 9C",)),
        ("throw", "AH"),
        ("end", "QH", "knock"),
        ("show", WHOLE[::-1]),
    ):
        with pytest.raises(ValueError):
            deal.act(action)
    with pytest.raises(ValueError, match="may not be shown"):  # under melding = auto only the first
        twin.showdown(
            STANDARD,
            "knock",
            cards(LOW_RUN),
            "QH",
            [],
            limit=10,
            chosen=[text.split() for text in WITHOUT],
        )


def test_the_card_taken_must_be_in_the_melding_shown():
    kept = "3S 4S 5S 5H 5D 9C TC JC QC KC"  # K07, K08
    with_set, with_run = ("5S 5H 5D", "9C TC JC QC KC"), ("3S 4S 5S", "9C TC JC QC KC")
    assert listed(kept, "KD", taken="3S") == [with_set, with_run]
    melded = row_of(take_to_knock="melded", ace_runs="corner")
    assert listed(kept, "KD", taken="3S", row=melded) == [with_run]
    assert listed(kept, "KD", taken="5H", row=melded) == [with_set]
    assert listed(kept, "KD", taken="9C", row=melded) == [with_set, with_run]
    assert listed(kept, "KD", taken=None, row=melded) == [with_set, with_run]
    assert listed(kept, "KD", taken="3S", row=melded, limit=9) == []


def test_a_shot_leaves_exactly_what_it_demands():
    kept, row = "2S 3S 4S 5S 6S 7S 8S 9S 5C 5D", row_of(shot=True)
    # All with the extension cards AS and TS: fewest melds first, then text order.
    wanted = [
        "2S 3S 4S 5S 6S 7S 8S 9S",
        "2S 3S 4S|5S 6S 7S 8S 9S",
        "2S 3S 4S 5S|6S 7S 8S 9S",
        "2S 3S 4S 5S 6S|7S 8S 9S",
    ]
    assert listed(kept, "KH", "shot", row=row, own_points=55) == [
        tuple(text.split("|")) for text in wanted
    ]
    # As a knock the two 5s may go to a set, which makes it gin, or more may be left over.
    knocks = listed(kept, "KH", "knock", row=row, own_points=55)
    assert knocks[0] == ("2S 3S 4S", "5S 5D 5C", "6S 7S 8S 9S")
    assert set(knocks) > {tuple(text.split("|")) for text in wanted}
    kept = "3S 4S 5S 6S 9H TH JH QH KH 8C"  # K28
    assert listed(kept, "QD", "shot", row=row, own_points=38) == [("4S 5S 6S", "9H TH JH QH KH")]


def compositions(n):
    """Ways to cut a run of n cards into runs of three and more."""
    return sum(comb(n - 3 * parts + parts - 1, parts - 1) for parts in range(1, n // 3 + 1))


def test_every_cut_of_a_long_run_is_listed():
    run = [f"{rank}S" for rank in "A23456789TJ"]
    row = row_of(big_gin=True)
    big = listed(" ".join(run), None, "big_gin", row=row)
    assert len(big) == compositions(11) == 13
    assert big[0] == (" ".join(run),) and [len(melds) for melds in big] == sorted(
        len(melds) for melds in big
    )
    ten = listed(" ".join(run[:10]), run[10], "gin", limit=0)
    assert len(ten) == compositions(10) == 9
    assert (
        listed(" ".join(run[:10]), run[10], "gin", limit=10)[:9] == ten
    )  # the first is gin, the dearer ones are knocks


def test_the_empty_melding_is_listed():
    hand = "AS AH AD AC 2S 2H 2D 2C 3S 3H"  # D34, 18 points
    assert listed(hand, "KH", limit=18)[-1] == () and () not in listed(hand, "KH", limit=17)
    defender = "KS KD KC 9S 9D 9C 5C 6C 7C QS"
    result = shown_by(
        planted(hand, defender, "KH", melding="choice", knock_limit=18), "KH", "knock", ()
    )
    assert (result.kind, result.stopper_count, result.other_count, result.melds) == (
        "undercut",
        18,
        10,
        [],
    )


@pytest.mark.parametrize(
    "more",
    [{}, {"rainbow": True}, {"ace_runs": "corner", "ace_value": 15}, {"take_to_knock": "melded"}],
)
def test_the_list_is_complete_and_in_order(more):
    """Every family within the limit once, checked card by card.

    Least deadwood comes first, and the first is the automatic melding.
    """
    rng = random.Random(str(more))
    row = row_of(**more)
    for _ in range(40):
        pack = rng.sample([card for card in twin.PACK if card[0] in "A23456" or card[1] == "S"], 11)
        kept, discard, taken = pack[:10], pack[10], rng.choice(pack[:10])
        found = twin.meldings(row, "knock", kept, discard, limit=40, taken=taken)
        must = {taken} if row["take_to_knock"] == "melded" else set()
        assert len(found) == families_by_cards(frozenset(kept), 40, row, must)
        values = twin.card_values(row)
        counts = [
            sum(values[card] for card in kept if not any(card in meld for meld in melds))
            for melds in found
        ]
        assert counts == sorted(counts)
        first = twin.shown(kept, discard, row, limit=40, taken=taken)
        assert first == (found[0] if found else None)


def families_by_cards(held, limit, row, must):
    """The number of families that leave at most the limit.

    The least card is left over or in a meld of the pack, and so on.
    """
    if limit < 0:
        return 0
    if not held:
        return 1
    card = min(held)
    left = (
        0
        if card in must
        else families_by_cards(held - {card}, limit - twin.card_values(row)[card], row, must)
    )
    melds = [
        meld
        for meld in PACK_MELDS[row["ace_runs"], row["rainbow"]]
        if card in meld and meld <= held
    ]
    return left + sum(families_by_cards(held - meld, limit, row, must) for meld in melds)


PACK_MELDS = {
    (ace, rainbow): twin.all_melds({"ace_runs": ace, "rainbow": rainbow})
    for ace in ("low", "corner")
    for rainbow in (False, True)
}
