"""The twin's one-player deals: the exact claims of rules.md 5."""

import random

import pytest

from oracles import twin
from support.worked_examples import ROWS

KNOCK, OLD = ROWS["solitaire-gin-knock"], ROWS["solitaire-gin"]


def test_redealing_equals_inserting_after_the_deal():
    """For every pack the places outside the hand leave the same hand.

    Every place in the rest occurs once.
    """
    pack = random.Random(1).sample(twin.PACK, 52)
    before = [twin.SoloDeal(KNOCK, pack, place) for place in range(twin.joker_places(KNOCK))]
    dealt = [deal for deal in before if deal.result is not None]
    assert (len(before), [deal.result.kind for deal in dealt]) == (53, ["redeal"] * 10)  # 10/53
    after_row = {**KNOCK, "joker": "after_deal", "joker_in_hand": None}
    after = [twin.SoloDeal(after_row, pack, place) for place in range(twin.joker_places(after_row))]
    kept = [deal for deal in before if deal.result is None]
    assert len(kept) == len(after) == 43
    assert [(deal.hands, deal.deck) for deal in kept] == [(deal.hands, deal.deck) for deal in after]
    assert [deal.deck.index(twin.JOKER) for deal in after] == list(range(43))


def choose(deal, rng):
    """Random with a preference for what leaves the least; stops half of the time."""
    options = sorted(deal.options(), key=str)
    throws = [action for action in options if action[0] == "throw"]
    ends = [action for action in options if action[0] == "end"]
    if ends and rng.random() < 0.5:
        return ends[0]
    if throws and rng.random() < 0.8:
        return min(
            throws,
            key=lambda act: twin.deadwood([c for c in deal.hands[0] if c != act[1]], deal.row),
        )
    return rng.choice(throws or options)


def never_redrawn(deal, rng):
    """Play the deal and check that no discard is ever drawn or held again."""
    while deal.result is None:
        assert sorted([*deal.hands[0], *set(deal.deck), *deal.discards]) == sorted(
            [*twin.PACK, *with_joker(deal), *at_the_bottom(deal)]
        )
        assert not set(deal.hands[0]) & set(deal.discards)
        deal.act(choose(deal, rng))


def with_joker(deal):
    return [] if deal.row["joker"] == "none" else [twin.JOKER]


def at_the_bottom(deal):
    """A deal under the Games Magazine rules to the letter: discards lie in the deck as well."""
    return deal.discards if deal.row["discard_view"] == "bottom" else []


@pytest.mark.parametrize("row", [OLD, KNOCK], ids=["winloss", "knock"])
def test_discards_at_the_bottom_are_out_of_play(row):
    rng = random.Random(2)
    for number in range(25):
        pack, place = rng.sample(twin.PACK, 52), rng.randrange(10, 53)
        results = []
        for view in ("bottom", "hidden"):
            deal = twin.SoloDeal({**row, "discard_view": view}, pack, place)
            never_redrawn(deal, random.Random(number))
            results.append(deal.result)
        assert results[0] == results[1]
