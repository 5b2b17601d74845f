"""Positions played on, against the deals that they come from."""

from dataclasses import replace

import numpy as np
import pytest

from simgin.core.answers import (
    PASS,
    PHASE_BLIND,
    PHASE_LAST,
    PHASE_STOP,
    PHASE_TURN,
    PHASE_UPCARD,
    STOCK,
)
from simgin.core.cards import PACK
from simgin.core.deadwood import deadwood
from simgin.core.pack import next_card
from simgin.core.position import ACCEPT, END, LEAVE, OFFER, REFUSE, THROW
from simgin.core.record import DEAL, write_record
from simgin.core.rules import UPCARD_PASS
from simgin.core.solo_position import JOKER_CARD
from simgin.play.branches import branch_deals
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.play.rollout import Action, Worlds, die_actions, legal_actions, play_in
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import discard

ALONE = [name for name in variants.names() if variants.find(name).row["players"] == 1]
TWO_PLAYERS = [name for name in variants.names() if variants.find(name).row["players"] == 2]
# The deal that was played from its start tells more of its beginning than a position does
NOT_TOLD = ("unit", "half", "deal", "outcome", "dealt_a", "dealt_b", "upcard_to")
TOLD = [name for name in DEAL.names if name not in NOT_TOLD]


def true_world(deal, view):
    """The hidden cards as they lay, also those that the deal did not come to."""
    while deal.state.dealt < 52:
        next_card(deal.state)
    if view.phase == PHASE_BLIND:
        return Worlds(np.zeros(1, np.int64), deal.state.pack.astype(np.int8)[None, :])
    stock = deal.state.pack[52 - int(view.stock) :]
    hidden = sum(1 << int(card) for card in stock)
    hand = PACK & ~(int(view.hand) | int(view.pile) | hidden)
    return Worlds(np.array([hand]), stock.astype(np.int8)[None, :])


def done(deal, i, rules):
    """What the player of question i did, as an action."""
    question = deal.questions[i]
    if question.view.phase == PHASE_LAST:
        card = int(question.view.ending_card)
        return Action(END, card) if question.answer else Action(LEAVE)
    if question.slot == "take":
        passing = question.view.phase == PHASE_UPCARD and rules.first_turn == UPCARD_PASS
        return Action(PASS if passing and question.answer == 0 else question.answer)
    turn = [
        q for q in deal.questions if q.seat == question.seat and q.view.turn == question.view.turn
    ]
    for q in turn:
        if q.slot == "knock" and q.answer:
            return Action(END, int(q.view.ending_card))
    return Action(THROW, next(q.answer for q in turn if q.slot == "discard"))


def positions(matchup, deals):
    """(deal, place of the question) of every draw, discard and knock of some deals."""
    for unit in range(deals):
        for half in range(2):
            deal = watch_deal(matchup, unit, half)
            for i, question in enumerate(deal.questions):
                if question.slot in ("take", "discard", "knock"):
                    yield deal, i


def record_of(deal, seat):
    record = np.zeros(1, DEAL)[0]
    write_record(deal.state, record, seat)
    return record


@pytest.mark.parametrize("name", TWO_PLAYERS)
@pytest.mark.parametrize("pair", [("gold", "gold-early"), ("champion", "tonic-like")])
def test_what_was_done_in_the_world_as_it_was_leads_to_the_deal_that_was_played(name, pair):
    if "dice" in name:
        pair = ("dice-player", pair[1])
    matchup = parse_matchup(*pair, name, 5, "deal")
    rules = build_rules(matchup.variant)
    seen = set()
    for deal, i in positions(matchup, 4):
        view = deal.questions[i].view
        action = done(deal, i, rules)
        player = int(view.seat != deal.state.half)
        players = matchup.players[player], matchup.players[1 - player]
        here = replace(matchup, a=players[0], b=players[1])
        assert action in legal_actions(view, rules)
        found = play_in(here, view, [action], true_world(deal, view))[0, 0]
        expected = record_of(deal, view.seat)
        assert {name: found[name] for name in TOLD} == {name: expected[name] for name in TOLD}
        seen.add(action.kind)
    assert {STOCK, THROW} <= seen


DIE = ("offer", "answer")
WITH_DIE = (
    "dice",
    "dice+die_centre_in_play=yes",
    "dice+die_centre_in_play=yes+first_turn=free+die_refusal_pays=new",
    "dice+die_centre_in_play=yes+first_turn=discard_first",
    "dice+die_centre_in_play=yes+first_turn=upcard_stock_or_pass",
    "dice-pro",
)


@pytest.mark.parametrize("name", WITH_DIE)
def test_what_was_done_with_the_die_leads_to_the_deal_that_was_played(name):
    pair = (
        "champion+offer=strong:count=60,turn=9+answer=brave",
        "gold+offer=strong:count=40,turn=9,blind=yes+answer=brave:count=25",
    )
    matchup = parse_matchup(*pair, name, 5, "deal")
    rules = build_rules(matchup.variant)
    seen = set()
    for unit in range(60):
        deal = watch_deal(matchup, unit, unit % 2)
        for question in deal.questions:
            if question.slot not in DIE:
                continue
            view = question.view
            kind = OFFER
            if question.slot == "answer":
                kind = ACCEPT if question.answer else REFUSE
            action = Action(kind, question.answer if kind == OFFER else -1)
            assert action in die_actions(view, rules)
            player = int(view.seat != deal.state.half)
            players = matchup.players[player], matchup.players[1 - player]
            here = replace(matchup, a=players[0], b=players[1])
            found = play_in(here, view, [action], true_world(deal, view))[0, 0]
            expected = record_of(deal, view.seat)
            assert {name: found[name] for name in TOLD} == {name: expected[name] for name in TOLD}
            seen.add((int(view.phase), kind))
    assert {(PHASE_BLIND, OFFER), (PHASE_BLIND, ACCEPT), (PHASE_TURN, OFFER)} <= seen
    assert {kind for _, kind in seen} == {OFFER, ACCEPT, REFUSE}


@discard
def any_discard(view, rules, params):
    return view.legal


@pytest.mark.parametrize("name", ["standard", "oklahoma-spades", "hollywood"])
def test_other_discards_lead_where_the_branches_of_the_deal_lead(name):
    matchup = parse_matchup("champion", "gold", name, 3, "deal")
    branches = branch_deals(matchup, any_discard, 0, 20, 11)
    assert len(branches.views) == 20
    for view, answers, rows in zip(branches.views, branches.answers, branches.records, strict=True):
        deal = watch_deal(matchup, int(rows[0]["unit"]))
        actions = [Action(THROW, int(card)) for card in answers if card >= 0]
        found = play_in(matchup, view, actions, true_world(deal, view))[0]
        assert (found[TOLD] == rows[: len(actions)][TOLD]).all()


def test_every_legal_action_is_listed():
    matchup = parse_matchup("gold", "gold-early", "standard", 9, "deal")
    rules = build_rules(matchup.variant)
    endings = 0
    for deal, i in positions(matchup, 20):
        question = deal.questions[i]
        actions = legal_actions(question.view, rules)
        if question.slot == "take":
            assert len(actions) == 2
            continue
        thrown = [action.card for action in actions if action.kind == THROW]
        ended = [action.card for action in actions if action.kind == END]
        if question.slot == "discard":
            assert sum(1 << card for card in thrown) == question.view.legal
        for card in thrown:
            left = deadwood(int(question.view.hand) & ~(1 << card), rules)
            assert (card in ended) == (left <= rules.knock_limit)
        endings += len(ended)
    assert endings > 20


# One player


def true_deck(deal, view):
    """The deck as it lay from a question on, the joker among it."""
    while deal.state.dealt < 52:
        next_card(deal.state)
    n = int(view.unseen).bit_count()
    deck = [int(card) for card in deal.state.pack[52 - n :]]
    if deal.matchup.variant.row["joker"] != "none":
        drawn_since = view.deck_left - deal.state.stock
        deck.insert(int(deal.state.above + drawn_since), JOKER_CARD)
    assert len(deck) == view.deck_left
    return Worlds(np.zeros(1, np.int64), np.array([deck], np.int8))


def done_alone(deal, i):
    """What the single player did at question i, as an action."""
    question = deal.questions[i]
    if question.view.phase == PHASE_STOP:
        return Action(END) if question.answer else Action(STOCK)
    turn = [
        q
        for q in deal.questions
        if q.view.turn == question.view.turn and q.view.phase == question.view.phase
    ]
    for q in turn:
        if q.slot == "knock" and q.answer:
            return Action(END, int(q.view.ending_card))
    return Action(THROW, next(q.answer for q in turn if q.slot == "discard"))


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("player", ["solo-lookahead+knock=at:k=6", "solo-switch", "solo-greedy"])
def test_what_one_player_did_with_the_deck_as_it_lay_leads_to_the_deal_played(name, player):
    matchup = parse_matchup(player, None, name, 6, "deal")
    rules = build_rules(matchup.variant)
    seen = set()
    for unit in range(80):
        deal = watch_deal(matchup, unit)
        expected = record_of(deal, 0)
        for i, question in enumerate(deal.questions):
            action = done_alone(deal, i)
            assert action in legal_actions(question.view, rules)
            found = play_in(matchup, question.view, [action], true_deck(deal, question.view))[0, 0]
            assert {name: found[name] for name in TOLD} == {name: expected[name] for name in TOLD}
            seen.add((int(question.view.phase), action.kind))
    assert {(PHASE_TURN, THROW), (PHASE_TURN, END)} <= seen
    if rules.knock_limit and player == "solo-switch":
        assert (PHASE_STOP, STOCK) in seen
    if rules.knock_limit and player == "solo-lookahead+knock=at:k=6":
        assert (PHASE_STOP, END) in seen


@pytest.mark.parametrize("name", ALONE)
def test_other_discards_of_one_player_lead_where_branches_lead(name):
    matchup = parse_matchup("solo-lookahead+knock=at:k=4", None, name, 3, "deal")
    branches = branch_deals(matchup, any_discard, 0, 60, 11)
    assert len(branches.views) > 50
    for view, answers, rows in zip(branches.views, branches.answers, branches.records, strict=True):
        deal = watch_deal(matchup, int(rows[0]["unit"]))
        actions = [Action(THROW, int(card)) for card in answers if card >= 0]
        found = play_in(matchup, view, actions, true_deck(deal, view))[0]
        assert (found[TOLD] == rows[: len(actions)][TOLD]).all()
