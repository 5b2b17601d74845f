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
from simgin.play.matchup import parse_matchup
from simgin.play.rollout import Action, Worlds, die_actions, legal_actions, play_in
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import discard
from simgin.text.notation import hand_mask

ALONE = [name for name in variants.names() if variants.find(name).row["players"] == 1]
TWO_PLAYERS = [name for name in variants.names() if variants.find(name).row["players"] == 2]
# The deal that was played from its start tells more of its beginning than a position does
NOT_TOLD = ("unit", "half", "deal", "outcome", "dealt_a", "dealt_b", "upcard_to")
TOLD = [name for name in DEAL.names if name not in NOT_TOLD]


def true_world(deal, view):
    """The hidden cards as they lay, also those that the deal did not come to, and the joker."""
    while deal.state.dealt < 52:
        next_card(deal.state)
    pack = [int(card) for card in deal.state.pack]
    if view.phase == PHASE_BLIND:
        return Worlds(np.zeros(1, np.int64), np.array([pack], np.int8))
    if deal.matchup.b is None:
        deck = pack[52 - int(view.unseen).bit_count() :]
        if deal.matchup.variant.row["joker"] != "none":
            drawn_since = view.deck_left - deal.state.stock
            deck.insert(int(deal.state.above + drawn_since), JOKER_CARD)
        assert len(deck) == view.deck_left
        return Worlds(np.zeros(1, np.int64), np.array([deck], np.int8))
    stock = pack[52 - int(view.stock) :]
    hand = PACK & ~(int(view.hand) | int(view.pile) | hand_mask(stock))
    return Worlds(np.array([hand]), np.array([stock], np.int8))


def done(deal, question, rules):
    """What the player did at a question, as an action."""
    view, answer = question.view, question.answer
    if question.slot == "offer":
        return Action(OFFER, answer)
    if question.slot == "answer":
        return Action(ACCEPT if answer else REFUSE)
    if view.phase == PHASE_STOP:
        return Action(END) if answer else Action(STOCK)
    if view.phase == PHASE_LAST:
        return Action(END, int(view.ending_card)) if answer else Action(LEAVE)
    if question.slot == "take":
        passing = view.phase == PHASE_UPCARD and rules.first_turn == UPCARD_PASS
        return Action(PASS if passing and answer == 0 else answer)
    turn = [q for q in deal.questions if q.seat == question.seat and q.view.turn == view.turn]
    if deal.matchup.b is None:
        turn = [q for q in turn if q.view.phase == view.phase]
    for q in turn:
        if q.slot == "knock" and q.answer:
            return Action(END, int(q.view.ending_card))
    return Action(THROW, next(q.answer for q in turn if q.slot == "discard"))


def positions(matchup, deals):
    """(deal, question) of every question of some deals."""
    for unit in range(deals):
        for half in range(2 if matchup.mirrored else 1):
            deal = watch_deal(matchup, unit, half)
            yield from ((deal, question) for question in deal.questions)


def record_of(deal, seat):
    record = np.zeros(1, DEAL)[0]
    write_record(deal.state, record, seat)
    return record


CENTRE = "dice+die_centre_in_play=yes"
WITH_DIE = (
    *("dice", "dice-pro", CENTRE, f"{CENTRE}+first_turn=free+die_refusal_pays=new"),
    *(f"{CENTRE}+first_turn={first}" for first in ("discard_first", "upcard_stock_or_pass")),
)
OFFERING = (
    "champion+offer=strong:count=60,turn=9+answer=brave",
    "gold+offer=strong:count=40,turn=9,blind=yes+answer=brave:count=25",
)
STOPS = ("solo-lookahead+knock=at:k=6", None)
USUAL = {STOCK, THROW}
CASES = [  # variant, players, units, what is done in them at least
    *((name, ("gold", "gold-early"), 3, USUAL) for name in TWO_PLAYERS if "dice" not in name),
    *((name, ("champion", "tonic-like"), 3, USUAL) for name in TWO_PLAYERS if "dice" not in name),
    *((name, OFFERING, 30, {OFFER, ACCEPT, REFUSE, *USUAL}) for name in WITH_DIE),
    *((name, STOPS, 40, {THROW, END}) for name in ALONE),
    *((name, ("solo-switch", None), 40, {THROW, END}) for name in ALONE),
]


@pytest.mark.parametrize(("name", "pair", "units", "least"), CASES)
def test_what_was_done_in_the_world_as_it_was_leads_to_the_deal_played(name, pair, units, least):
    matchup = parse_matchup(*pair, name, 5, "deal")
    rules = build_rules(matchup.variant)
    seen = set()
    for deal, question in positions(matchup, units):
        view = question.view
        action = done(deal, question, rules)
        if action.kind in (OFFER, ACCEPT, REFUSE):
            assert action in die_actions(view, rules)
        else:
            assert action in legal_actions(view, rules)
        here = matchup
        if view.seat != deal.state.half:
            here = replace(matchup, a=matchup.b, b=matchup.a)
        found = play_in(here, view, [action], true_world(deal, view))[0, 0]
        expected = record_of(deal, view.seat)
        assert {name: found[name] for name in TOLD} == {name: expected[name] for name in TOLD}
        seen.add((int(view.phase), action.kind))
    assert least <= {kind for _, kind in seen}
    if pair == OFFERING:
        assert {(PHASE_BLIND, OFFER), (PHASE_BLIND, ACCEPT), (PHASE_TURN, OFFER)} <= seen
    if rules.knock_limit and not pair[1]:
        assert (PHASE_STOP, END if pair == STOPS else STOCK) in seen


@discard
def any_discard(view, rules, params):
    return view.legal


@pytest.mark.parametrize("name", ["standard", "oklahoma-spades", "hollywood", *ALONE])
def test_other_discards_lead_where_the_branches_of_the_deal_lead(name):
    alone = name in ALONE
    pair = ("solo-lookahead+knock=at:k=4", None) if alone else ("champion", "gold")
    matchup = parse_matchup(*pair, name, 3, "deal")
    branches = branch_deals(matchup, any_discard, 0, 40 if alone else 20, 11)
    assert len(branches.views) >= 20
    for view, answers, rows in zip(branches.views, branches.answers, branches.records, strict=True):
        deal = watch_deal(matchup, int(rows[0]["unit"]))
        actions = [Action(THROW, int(card)) for card in answers if card >= 0]
        found = play_in(matchup, view, actions, true_world(deal, view))[0]
        assert (found[TOLD] == rows[: len(actions)][TOLD]).all()


def test_every_legal_action_is_listed():
    matchup = parse_matchup("gold", "gold-early", "standard", 9, "deal")
    rules = build_rules(matchup.variant)
    endings = 0
    for _, question in positions(matchup, 20):
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
