"""The twin's one-player deals: edge cases of rules.md 5, and its exact claims."""

import random

import pytest

from oracles import twin
from support.worked_examples import ROWS, STANDARD

KNOCK, OLD, ELEVEN, SOLITARY = (
    ROWS[name] for name in ("solitaire-gin-knock", "solitaire-gin", "gin-solitaire", "solitary-gin")
)
GIN_HAND = "3S 4S 5S 8H 8D 8C JD QD KD TD"
THREE = "4S 5S 6S 8H 8D 8C JD QD KD 3H"  # three points of deadwood
FULL_ELEVEN = "3S 4S 5S 6S 8H 8D 8C 8S JD QD KD"
LOOSE = "AS 2H 4D 5H 6C 7S 9D TC JH KC"


def solo(row, hand, *deck, above=None, **more):
    """A deal of this hand and these first cards of the deck; `above` cards lie above the joker."""
    told = [*hand.split(), *deck]
    pack = told + [card for card in twin.PACK if card not in told]
    row = {**row, **more}
    before = 10 if row["joker"] == "before_deal" else 0
    return twin.SoloDeal(row, pack, None if above is None else above + before)


def words(deal):
    return {action[0] for action in deal.options()}


def draw_and_discard(deal, card):
    deal.act(("stock",))
    deal.act(("throw", card))


# Corners


def test_the_joker_counts_among_the_cards_above_it_only_with_count_joker():
    for count_joker, kind, points in ((False, "undercut", [0, 26]), (True, "even", [0, 0])):
        deal = solo(KNOCK, THREE, above=2, count_joker=count_joker)
        deal.act(("end", None, "knock"))
        assert (deal.result.kind, deal.result.points, deal.result.stopper_count) == (
            kind,
            points,
            3,
        )
        assert deal.result.other_count == 2 + count_joker


def test_equal_counts_are_an_undercut_only_with_undercut_on_tie():
    for undercut_on_tie, kind, winner, points in (
        (False, "even", None, [0, 0]),
        (True, "undercut", 1, [0, 25]),
    ):
        deal = solo(KNOCK, THREE, above=3, undercut_on_tie=undercut_on_tie)
        deal.act(("end", None, "knock"))
        assert (deal.result.kind, deal.result.winner, deal.result.points) == (kind, winner, points)


def test_stopping_before_the_first_draw_follows_the_variant():
    assert solo(KNOCK, THREE, above=9).options() == {("stock",), ("end", None, "knock")}
    deal = solo(KNOCK, THREE, "KC", above=9, stop_before_draw=False)
    assert deal.options() == {("stock",)}
    draw_and_discard(deal, "KC")
    assert deal.options() == {("stock",), ("end", None, "knock")}


def test_big_gin_with_the_dealt_cards_is_always_allowed():
    deal = solo(ELEVEN, FULL_ELEVEN, above=4, stop_before_draw=False)
    assert ("end", None, "big_gin") in deal.options()
    deal.act(("throw", "3S"))
    assert deal.options() == {("stock",)}
    deal.act(("stock",))
    assert words(deal) == {"throw"}


def test_big_gin_with_the_card_drawn_is_allowed():
    deal = solo(
        KNOCK, "3S 4S 5S 6S 8H 8D 8C 8S JD QD", "KD", above=9, big_gin=True, big_gin_bonus=31
    )
    deal.act(("stock",))
    deal.act(("end", None, "big_gin"))
    assert (deal.result.kind, deal.result.points, deal.result.turns, deal.result.stock_left) == (
        "big_gin",
        [31 + 8, 0],
        1,
        42,
    )


def test_winloss_scoring_has_no_knock():
    assert solo(OLD, THREE, above=9).options() == {("stock",)}
    deal = solo(OLD, GIN_HAND, above=0)
    deal.act(("end", None, "gin"))
    assert (deal.result.winner, deal.result.points) == (0, [1, 0])


def test_gin_held_back_loses_to_the_joker():
    deal = solo(KNOCK, GIN_HAND, above=0)
    deal.act(("stock",))
    assert (deal.result.kind, deal.result.winner, deal.result.points) == (
        "joker",
        1,
        [0, 0],
    )  # 000-12


def test_the_card_drawn_may_be_banned_as_discard():
    for ban, legal in (("none", True), ("taken", True), ("drawn", False)):
        deal = solo(KNOCK, LOOSE, "QS", "QD", above=9, discard_ban=ban)
        deal.act(("stock",))
        assert (("throw", "QS") in deal.options()) == legal
        deal.act(("throw", "KC"))
        deal.act(("stock",))
        assert ("throw", "QS") in deal.options()  # only the card drawn last
    assert len(solo(ELEVEN, FULL_ELEVEN, above=4, discard_ban="drawn").options()) == 12


def test_a_joker_in_the_hand_means_a_redeal_or_a_loss():
    pack = [*LOOSE.split(), *(card for card in twin.PACK if card not in LOOSE.split())]
    nine = 1 + 2 + 4 + 5 + 6 + 7 + 9 + 10 + 10
    for row, points in ((KNOCK, [0, nine]), (OLD, [0, 1])):
        deal = twin.SoloDeal({**row, "joker_in_hand": "lose"}, pack, joker_place=4)
        assert (deal.result.kind, deal.result.winner, deal.result.points) == ("joker", 1, points)
        assert (deal.result.draws, deal.result.turns, deal.result.stock_left) == ([0, 0], 0, 43)
        assert twin.SoloDeal(row, pack, joker_place=4).result.kind == "redeal"


def test_a_joker_with_penalty_scoring():
    row = {**SOLITARY, "joker": "after_deal", "max_draws": None}
    deal = solo(row, LOOSE, above=0)
    assert deal.options() == {("stock",)}
    deal.act(("stock",))
    assert (deal.result.kind, deal.result.winner, deal.result.points) == (
        "joker",
        1,
        [15 + 6 * 5 + 3 * 10, 0],
    )


def test_penalty_scoring_and_gin_with_the_dealt_hand():
    assert solo(SOLITARY, GIN_HAND).result.points == [-20, 0]
    deal = solo(SOLITARY, GIN_HAND, "2C", stop_before_draw=False)
    assert deal.options() == {("stock",)}
    draw_and_discard(deal, "2C")
    assert (deal.result.kind, deal.result.winner, deal.result.points, deal.result.turns) == (
        "gin",
        0,
        [-20, 0],
        1,
    )
    eleven = solo(SOLITARY, GIN_HAND + " 2C", first_turn="discard_first")
    eleven.act(("throw", "2C"))
    assert (eleven.result.kind, eleven.result.draws, eleven.result.turns) == ("gin", [0, 0], 1)


def test_penalty_scoring_after_the_last_turn():
    for card, kind, winner, points in (("TD", "limit", None, 5), ("3H", "gin", 0, -20)):
        deal = solo(SOLITARY, THREE, "TD", max_draws=1)
        draw_and_discard(deal, card)
        assert (deal.result.kind, deal.result.winner, deal.result.points) == (
            kind,
            winner,
            [points, 0],
        )
    deal = solo(SOLITARY, THREE + " 2C", "4H", max_draws=1, first_turn="discard_first")
    deal.act(("throw", "2C"))  # not a turn of draw and discard
    draw_and_discard(deal, "4H")
    assert (deal.result.kind, deal.result.draws, deal.result.turns) == ("limit", [1, 0], 2)


def test_penalty_scoring_without_a_turn():
    for hand, kind, points in ((THREE, "limit", 5), (GIN_HAND, "gin", -20)):
        deal = solo(
            SOLITARY, hand, max_draws=0, stop_before_draw=False
        )  # gin after the last turn, even if that was none
        assert (deal.result.kind, deal.result.points) == (kind, [points, 0])


def test_big_gin_with_penalty_scoring():
    deal = solo(SOLITARY, "3S 4S 5S 6S 8H 8D 8C JD QD 2H", "KD", "8S", big_gin=True)
    draw_and_discard(deal, "2H")
    assert deal.result.points == [-20, 0]  # gin comes first and ends the deal by itself
    deal = solo(SOLITARY, FULL_ELEVEN, big_gin=True, first_turn="discard_first")
    deal.act(("end", None, "big_gin"))
    assert (deal.result.kind, deal.result.points) == ("big_gin", [-20, 0])


def test_max_turns_ends_endless_play():
    deal = solo(KNOCK, THREE, "KC", "2D", above=9, max_turns=1)
    draw_and_discard(deal, "KC")
    assert (
        "end",
        None,
        "knock",
    ) in deal.options()  # it belongs to the turn that has just been played
    deal.act(("stock",))
    assert (deal.result.kind, deal.result.winner, deal.result.points, deal.result.draws) == (
        "stalled",
        None,
        [0, 0],
        [1, 0],
    )


# Exact claims


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


# Refusals of rules.md 10.17


REFUSED = {
    "two players with a joker": {**STANDARD, "joker": "after_deal"},
    "two players without a stock end": {**STANDARD, "stock_end": "none"},
    "two players with a dash": {**STANDARD, "gin_bonus": None},
    "two players with a one-player opening": {**STANDARD, "first_turn": "stock"},
    "no upcard": {**STANDARD, "knock_by_upcard": True, "first_turn": "discard_first"},
    "no pile": {**STANDARD, "take_discard": False},
    "shot in columns": {**ROWS["hollywood"], "shot": True},
    "short game table": {**ROWS["pro"], "points_target": 122},
    "won already": {**STANDARD, "start_points": [0, 100]},
    "die without its goal": {**STANDARD, "die": "deal"},
    "die of the other goal": {**ROWS["dice"], "die": "game"},
    "short round": {**ROWS["dice"], "deals_target": 2},
    "eleven before the joker": {**KNOCK, "first_turn": "discard_first"},
    "joker in hand unsaid": {**KNOCK, "joker_in_hand": None},
    "joker scoring without a joker": {**KNOCK, "joker": "none"},
    "versus alone": {**KNOCK, "deal_scoring": "versus"},
    "lay-off alone": {**KNOCK, "layoff": True},
    "knock in winloss": {**OLD, "knock_limit": 10},
    "knock without bonus": {**ROWS["solitaire-gin-scored"], "knock_limit": 10},
    "big gin without bonus": {**KNOCK, "big_gin": True},
    "too many draws": {**SOLITARY, "max_draws": 43},
    "too many draws of eleven": {**SOLITARY, "max_draws": 42, "first_turn": "discard_first"},
    "draws for ever": {**SOLITARY, "max_draws": None},
    "draws without penalties": {**KNOCK, "max_draws": 5},
    "penalties to a target": {**SOLITARY, "goal": "points", "points_target": 100},
    "race alone": {**KNOCK, "goal": "race"},
    "total of points": {**KNOCK, "goal": "total", "deals_in_match": 5, "total_goal": 30},
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_contradictory_row_is_refused(name):
    assert twin.refusals(REFUSED[name])
    game = twin.SoloDeal if REFUSED[name]["players"] == 1 else twin.Deal
    with pytest.raises(ValueError):
        game(REFUSED[name], twin.PACK, 0)


def test_every_named_row_is_a_variant():
    assert {name: twin.refusals(row) for name, row in ROWS.items()} == {name: [] for name in ROWS}
