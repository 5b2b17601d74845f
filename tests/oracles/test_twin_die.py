"""The twin's die (rules.md 8) in whole deals: questions, refusals, and nothing else changed."""

import random

import pytest

from oracles import twin
from support.worked_examples import ROWS, vectors

DICE, PRO = ROWS["dice"], ROWS["dice-pro"]
NONDEALER, DEALER = 0, 1
PACK = random.Random(8).sample(twin.PACK, 52)


def deal_of(row, die=None, **more):
    return twin.Deal({**row, **more}, PACK, dealer=DEALER, die=die)


def play(deal, *actions):
    for action in actions:
        deal.act(action)
    return deal


def offers(deal):
    return {action[1] for action in deal.options() if action[0] == "offer"}


def question(deal):
    """Who is questions_met what: offer, answer, or another decision."""
    words = {action[0] for action in deal.options()}
    return (
        deal.to_move,
        "offer"
        if "no offer" in words
        else "answer"
        if "accept" in words
        else "/".join(sorted(words)),
    )


def move(deal, rng):
    """Any action but ending the deal or taking a card."""
    return rng.choice(
        sorted((action for action in deal.options() if action[0] not in ("end", "take")), key=str)
    )


NO, YES = ("no offer",), ("accept",)


# Before the cards are seen


def test_the_nondealer_and_then_the_dealer_may_offer_blind():
    deal = deal_of(DICE)
    assert (question(deal), offers(deal)) == ((NONDEALER, "offer"), {2, 3, 4, 5, 6})
    assert question(play(deal, NO)) == (DEALER, "offer")
    assert question(play(deal, NO)) == (NONDEALER, "pass/take")
    deal = play(deal_of(DICE), ("offer", 3))
    assert question(deal) == (DEALER, "answer")
    play(deal, YES)  # whoever accepts owns the die, and cannot offer before the first turn
    assert (question(deal), deal.die.stake, deal.die.owner) == ((NONDEALER, "pass/take"), 3, DEALER)
    deal = play(deal_of(DICE), NO, ("offer", 4), YES)
    assert (deal.die.stake, deal.die.owner) == (4, NONDEALER)
    assert (question(deal), offers(deal)) == (
        (NONDEALER, "offer"),
        {5, 6},
    )  # the first turn of the owner


@pytest.mark.parametrize("pays, stake", [("old", 2), ("new", 5)])
def test_a_refusal_ends_the_deal(pays, stake):
    deal = play(deal_of(DICE, die_refusal_pays=pays), ("offer", 2), YES, ("pass",), ("offer", 5))
    assert question(deal) == (NONDEALER, "answer")
    play(deal, ("refuse",))
    result = deal.result
    assert (result.kind, result.winner, result.stopper, result.points) == (
        "refused",
        DEALER,
        None,
        [0, 0],
    )
    assert (result.stake, result.owner, twin.deals_counted(DICE, result)) == (stake, DEALER, stake)
    assert (deal.options(), deal.to_move) == (set(), None)


@pytest.mark.parametrize("vector", vectors("die"))
def test_worked_examples_of_the_die_agree_as_deals(vector):
    """The offers of the worked examples, in a deal whose players pass, draw and discard."""
    given, expect, rng = vector["input"], vector["expect"], random.Random(4)
    deal = deal_of(DICE, **given["options"])
    for when, word, seat, number in given["events"]:
        if word != "offer":
            assert deal.to_move == seat
            deal.act((word,))
            continue
        while (
            deal.to_move != seat
            or question(deal)[1] in ("end", "throw", "end/throw")
            or (when == "play") != deal._seen
        ):
            deal.act(NO if NO in deal.options() else move(deal, rng))
        if ("offer", number) not in deal.options():
            with pytest.raises(ValueError):
                deal.act(("offer", number))
            assert "illegal" in expect
            return
        deal.act(("offer", number))
    assert "illegal" not in expect
    if expect["ended_by"] == "refusal":
        assert (deal.result.winner, twin.deals_counted(DICE, deal.result)) == (
            expect["winner"],
            expect["won_deals"],
        )
    else:
        assert (deal.die.stake, deal.die.owner) == (expect["stake"], expect["owner"])


# In play


def questions_met(deal, actions):
    """The questions met while these actions are played without any offer."""
    met = []
    for action in actions:
        if question(deal)[1] == "offer":
            met.append((deal.to_move, "offer"))
            deal.act(NO)
        met.append((deal.to_move, action[0]))
        deal.act(action)
    return met


def test_the_owner_is_asked_at_the_start_of_each_own_turn():
    first, second = PACK[21], PACK[22]
    deal = play(deal_of(DICE), ("offer", 2), YES)  # the dealer owns the die
    script = [("pass",), ("pass",), ("stock",), ("throw", first), ("stock",), ("throw", second)]
    assert questions_met(deal, script) == [
        (NONDEALER, "pass"),
        (DEALER, "offer"),
        (DEALER, "pass"),
        (NONDEALER, "stock"),
        (NONDEALER, "throw"),
        (DEALER, "offer"),
        (DEALER, "stock"),
        (DEALER, "throw"),
    ]


@pytest.mark.parametrize(
    "opening", ["upcard_pass", "upcard_stock_or_pass", "upcard_stock_or_pass_dead"]
)
def test_there_is_no_offer_at_the_forced_draw_after_two_passes(opening):
    deal = play(
        deal_of(DICE, first_turn=opening), NO, ("offer", 2), YES
    )  # the nondealer owns the die
    met = questions_met(
        deal,
        [
            ("pass",),
            ("pass",),
            ("stock",),
            ("throw", PACK[21]),
            ("stock",),
            ("throw", PACK[22]),
            ("stock",),
        ],
    )
    assert [word for seat, word in met if seat == NONDEALER] == [
        "offer",
        "pass",
        "stock",
        "throw",
        "offer",
        "stock",
    ]


def test_there_is_an_offer_after_the_dealer_has_taken_the_upcard():
    deal = play(deal_of(DICE), NO, ("offer", 2), YES, NO, ("pass",), ("take",))
    throw = next(action for action in sorted(deal.options(), key=str) if action[0] == "throw")
    assert question(play(deal, throw)) == (
        NONDEALER,
        "offer",
    )  # he has had no turn yet (rules.md 4.2)


@pytest.mark.parametrize("opening, then", [("free", "stock/take"), ("discard_first", "throw")])
def test_there_is_an_offer_in_a_first_turn_without_upcard_decision(opening, then):
    deal = play(deal_of(DICE, first_turn=opening), NO, ("offer", 2), YES)
    assert question(deal) == (NONDEALER, "offer")
    assert question(play(deal, NO)) == (NONDEALER, then)


def test_the_die_in_the_centre_is_offered_blind_only():
    for centre in (False, True):
        deal = play(deal_of(DICE, die_centre_in_play=centre), NO, NO)
        assert question(deal) == (NONDEALER, "offer" if centre else "pass/take")
    assert question(play(deal, NO, ("pass",))) == (DEALER, "offer")
    play(deal, ("offer", 6), YES)
    assert (question(deal), deal.die.owner) == ((DEALER, "pass/take"), NONDEALER)


def test_there_is_no_offer_at_the_cap():
    deal = play(deal_of(DICE, die_cap=2), NO, ("offer", 2), YES)
    assert question(deal) == (NONDEALER, "pass/take")
    assert question(play(deal_of(DICE, die_cap=2), NO)) == (DEALER, "offer")


def test_there_is_no_offer_at_the_last_discard():
    """The 50th-card question is not a turn."""
    row = {**DICE, "stock_end": "opponent_may_take", "knock_limit": 0, "die_centre_in_play": True}
    deal = play(deal_of(row), NO, NO, NO, ("pass",), NO, ("pass",))
    while deal.to_move is not None and deal._phase != "last":
        assert len(deal.stock) > 2 or NO not in deal.options()
        deal.act(
            NO
            if NO in deal.options()
            else ("stock",)
            if ("stock",) in deal.options()
            else ("throw", deal.hands[deal.to_move][-1])
        )
    assert (len(deal.stock), ("pass",) in deal.options(), NO in deal.options()) == (2, True, False)


# One die for a whole game


def test_a_die_for_a_game_stays_until_the_game_is_won():
    row = {**PRO, "games_target": 20}
    match = twin.Match(row, first_dealer=DEALER)
    deal = play(match.deal(PACK), ("offer", 2), YES, ("pass",), ("offer", 3), YES)
    assert (deal.die.stake, deal.die.owner) == (3, NONDEALER)
    match.enter(twin.Result("void", stake=3))  # a void deal leaves it as it is
    deal = match.deal(PACK)
    assert (question(deal), offers(deal), deal.die.stake) == ((NONDEALER, "offer"), {4, 5, 6}, 3)
    assert (
        question(play(deal, NO))[1] == "offer"
    )  # blind offers are the owner's alone, and then his turn begins
    assert (deal.to_move, deal._seen) == (NONDEALER, True)
    match.enter(twin.Result("knock", winner=DEALER, points=[0, 30], stake=3))
    deal = match.deal(PACK)
    assert deal.dealer == DEALER
    play(deal, ("offer", 5), ("refuse",))
    match.enter(deal.result)
    assert (match.goal.games, match.points) == ([3, 0], [0, 0])
    deal = match.deal(PACK)
    assert (deal.die.stake, deal.die.owner) == (1, None)
    assert (deal.dealer, question(deal)) == (
        NONDEALER,
        (DEALER, "offer"),
    )  # the winner, seat 0, deals


def test_a_die_for_a_deal_is_new_every_time():
    match = twin.Match(DICE, first_dealer=DEALER)
    play(match.deal(PACK), ("offer", 6), YES)
    match.enter(twin.Result("void", stake=6))
    assert match.deal(PACK).die.stake == 1
