"""Branches: a deal played on from one question with each of several answers, in the same world.

A deal follows from its pack and the answers of the players. So a *branch* is the deal played again
with the same pack, the same answers up to the question, another answer there, and the policies from
then on. Nothing differs between two branches but that answer and what comes of it, so their
difference has far less noise than two deals have.
"""

import numpy as np

from simgin.core import rng
from simgin.core.ask import forget
from simgin.core.bits import lowest, popcount
from simgin.core.deal import play_deal
from simgin.core.jit import jit
from simgin.core.match import start_match
from simgin.core.pack import give_to_seats, new_pack
from simgin.core.policy import vector_at
from simgin.core.record import write_record
from simgin.core.solo import joker_place, play_solo
from simgin.core.turn import clear_deal

A = np.int64(0)  # the seat of strategy A, whose questions are branched


def play_branches(
    state, rules, view0, view1, first, units, standings,
    slot, first_only, choose, explore, views, weights, answers, records,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play the deals of some units, and branch each at one question of strategy A.

    The question is drawn at random from all those of one slot that A was asked in the deal, so it
    has a weight: how many there were (Horvitz and Thompson 1952). How many depends on what followed
    the question, and with it on the hidden cards. Unweighted means are therefore biased.

    standings: int64 (units, 4), the match before each deal: points of A and of B, deals won by A
    and by B. A sits at seat 0, and the dealer alternates with the number of the unit.
    first_only: branch the first question of the slot instead, whose weight is 1.
    choose: a hook that is shown the question and names the answers worth trying, as bits. With
    fewer than two legal ones the deal is not branched.
    explore: the hook by which A ends deals up to the question.
    views: VIEW (units,), the questions. weights: int64 (units,), theirs. answers: int64 (units,
    most), the answers tried, from the left and then -1. records: DEAL (units, most), how each
    branch ended.
    """
    most = answers.shape[1]
    for i in range(units):
        _sit_down(state, rules, first + i, standings[i])
        new_pack(state)
        give_to_seats(state)
        answers[i] = -1
        asked, branch, tried = -1, -1, np.int64(0)  # branch -1 is the way up to the question
        while branch < most and (branch < 0 or tried):
            if branch >= 0:
                answers[i, branch] = state.answers[asked] = lowest(tried)
                tried &= tried - 1
            forget(view0, state.turns)
            forget(view1, state.turns)
            clear_deal(state, rules, state.dealer)
            _script(state, asked)
            knock = explore if branch < 0 else knock_a
            view1st, view2nd = (view1, view0) if state.dealer == 0 else (view0, view1)
            if state.dealer != A:
                take1, discard1, knock1 = take_a, discard_a, knock
                take2, discard2, knock2 = take_b, discard_b, knock_b
            else:
                take1, discard1, knock1 = take_b, discard_b, knock_b
                take2, discard2, knock2 = take_a, discard_a, knock
            play_deal(
                state, rules, view1st, view2nd, take1, discard1, knock1, take2, discard2, knock2,
                offer_a, answer_a, show_a, offer_b, answer_b, show_b,
            )  # fmt: skip
            if branch >= 0:
                write_record(state, records[i, branch], A)
            else:
                asked, weights[i] = _draw(state, slot, first_only)
                tried = _worth_trying(state, rules, slot, asked, choose, views, i)
            branch += 1
    state.scripted = 0
    state.watched = 0


def play_branches_alone(
    state, rules, view, first, units, standings,
    slot, first_only, choose, explore, views, weights, answers, records, discard_a, knock_a,
):  # fmt: skip
    """Like `play_branches` for one player; the joker keeps its place in all branches of a deal."""
    most = answers.shape[1]
    for i in range(units):
        _sit_down(state, rules, first + i, standings[i])
        new_pack(state)
        state.joker = joker_place(state.seed, state.unit, state.deal, rules)
        answers[i] = -1
        asked, branch, tried = -1, -1, np.int64(0)  # branch -1 is the way up to the question
        while branch < most and (branch < 0 or tried):
            if branch >= 0:
                answers[i, branch] = state.answers[asked] = lowest(tried)
                tried &= tried - 1
            forget(view, state.turns)
            _script(state, asked)
            play_solo(state, rules, view, discard_a, explore if branch < 0 else knock_a)
            if branch >= 0:
                write_record(state, records[i, branch], A)
            else:
                asked, weights[i] = _draw(state, slot, first_only)
                tried = _worth_trying(state, rules, slot, asked, choose, views, i)
            branch += 1
    state.scripted = 0
    state.watched = 0


@jit
def _sit_down(state, rules, unit, standing):
    """Prepare a deal at a given standing."""
    start_match(state, rules)
    state.unit = unit
    state.half = A
    state.deal = 0
    state.dealer = unit & 1
    state.points[0] = standing[0]
    state.points[1] = standing[1]
    state.deals_won[0] = standing[2]
    state.deals_won[1] = standing[3]


@jit
def _script(state, asked):
    """Give all answers up to a question; on the way to it (-1) log the questions instead."""
    state.watched = asked < 0
    state.logged = 0
    state.scripted = asked + 1


@jit
def _worth_trying(state, rules, slot, asked, choose, views, i):
    """Return the answers to try at a logged question, as bits; 0 for fewer than two.

    What A saw is written to views[i].
    """
    if asked < 0:
        return np.int64(0)
    view = state.log[asked]
    views[i] = view
    numbers = vector_at(state.vectors[A, slot], state.lengths[A, slot])
    tried = choose(view, rules, numbers) & view.legal
    return tried if popcount(tried) > 1 else np.int64(0)


@jit
def _draw(state, slot, first_only):
    """Return the number of one of A's logged questions of a slot, and its weight.

    -1 and 0 if there is none.
    """
    found = 0
    for k in range(state.logged):
        found += _is_own(state, k, slot)
    if found == 0:
        return -1, 0
    if first_only:
        found = 1
    word = rng.words(state.seed, state.unit, state.deal, 0, rng.BRANCH)[0]
    left = rng.below(found, word)
    asked = 0
    while not _is_own(state, asked, slot) or left > 0:
        left -= _is_own(state, asked, slot)
        asked += 1
    return asked, found


@jit
def _is_own(state, k, slot):
    """Return True if logged question k was one of A's in a slot."""
    return state.slots[k] == slot and state.log[k].seat == A
