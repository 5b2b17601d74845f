"""Paired rollouts: one deal continued from one decision with each of several actions.

The cards and the actions of the players determine a deal. A rollout replays the deal with the same
cards and the same actions up to the decision, takes another action there, and then follows the
policies. Two rollouts differ only in that action and its consequences, so their difference has a
much smaller variance than the difference of two independent deals.
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

A = np.int64(0)  # seat of strategy A, whose decisions are compared


def play_branches(
    state, rules, view0, view1, first, units, standings,
    slot, first_only, choose, explore, views, weights, answers, records,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play one deal per unit, then roll out each action at one decision of strategy A.

    The decision is drawn at random from A's decisions of one slot in the deal. Its weight is the
    number of these decisions (Horvitz and Thompson 1952). That number depends on the deal after the
    decision and therefore on the hidden cards, so unweighted means are biased.

    A sits at seat 0. The dealer alternates with the number of the unit.

    Array arguments:
        match_states: (n_units, 4) int64, the match before each deal: points of A and B, deals won
            by A and B.
        views: (n_units,) VIEW, overwritten with the decisions.
        weights: (n_units,) int64, overwritten with the weights of the decisions.
        actions: (n_units, max_actions) int64, overwritten with the actions tried, padded with -1.
        records: (n_units, max_actions) DEAL_RECORD, overwritten with the results of the rollouts.

    Scalars and policies:
        slot: Index of the policy in SLOTS whose decisions are compared.
        first_only: Use the first decision of the slot, with weight 1, instead of a random one.
        choose_actions: Policy that returns the actions to try, as bits. Decisions with fewer than
            two of them that are legal are not rolled out.
        explore_knock: Knock policy of A up to the decision.
    """
    most = answers.shape[1]
    for i in range(units):
        _sit_down(state, rules, first + i, standings[i])
        new_pack(state)
        give_to_seats(state)
        answers[i] = -1
        asked, branch, tried = -1, -1, np.int64(0)  # -1 plays the deal to find the decision
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
    slot, first_only, choose, explore, views, weights, answers, records,
    discard_a, knock_a,
):  # fmt: skip
    """Roll out decisions like `run_paired_rollouts`, for one player.

    The joker is at the same position in all rollouts of a deal.
    """
    most = answers.shape[1]
    for i in range(units):
        _sit_down(state, rules, first + i, standings[i])
        new_pack(state)
        state.joker = joker_place(state.seed, state.unit, state.deal, rules)
        answers[i] = -1
        asked, branch, tried = -1, -1, np.int64(0)  # -1 plays the deal to find the decision
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
    """Prepare a deal of a match with the given score."""
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
    """Prescribe all actions up to a decision; if `decision` is -1, log the decisions instead."""
    state.watched = asked < 0
    state.logged = 0
    state.scripted = asked + 1


@jit
def _worth_trying(state, rules, slot, asked, choose, views, i):
    """Return the actions to try at a logged decision as bits; 0 for fewer than two.

    The view of the decision is copied to `views[i]`.
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
    """Draw one of A's logged decisions of a slot; return its number and weight, or (-1, 0)."""
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
    """Return True if logged decision k is one of A's decisions of a slot."""
    return state.slots[k] == slot and state.log[k].seat == A
