"""Paired rollouts, which continue the same deal after different actions at one decision.

The cards and the actions of the players determine a deal. A rollout replays the deal with the same
cards and the same actions up to the decision, takes a different action at the decision, and then
follows the policies. Two rollouts differ only in that action and its consequences. The variance of
their difference is therefore much smaller than for independent deals.
"""

import numpy as np

from simgin.core import rng
from simgin.core.bits import lowest_bit, popcount
from simgin.core.deal import play_deal
from simgin.core.deal_record import write_deal_record
from simgin.core.jit import jit
from simgin.core.match import start_match
from simgin.core.policy_types import get_params_at
from simgin.core.query import clear_history
from simgin.core.shuffle import start_shuffle, swap_hands_for_dealer
from simgin.core.solo_deal import choose_joker_position, play_deal_solo
from simgin.core.turn_steps import clear_deal

SEAT_A = np.int64(0)  # seat of strategy A, the strategy under study


def run_paired_rollouts(
    state, rules, view0, view1, first_unit, n_units, match_states, slot, use_first_decision,
    choose_actions, explore_knock, views, weights, actions, records,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play one deal per unit, and roll out each action at one decision of strategy A.

    The decision is drawn at random from A's decisions of one slot in the deal. The weight of the
    decision is the number of these decisions (Horvitz and Thompson 1952). Unweighted means would be
    biased, because this number depends on the rest of the deal and therefore on the hidden cards.

    A sits in seat 0. The dealer alternates with the number of the unit.

    Array arguments:
        match_states: (n_units, 4) int64, score before each deal (points of A, points of B, deals
            won by A, deals won by B).
        views: (n_units,) VIEW_DTYPE, overwritten with the views at the decisions.
        weights: (n_units,) int64, overwritten with the weights of the decisions.
        actions: (n_units, max_actions) int64, overwritten with the actions rolled out, padded with
            -1.
        records: (n_units, max_actions) DEAL_RECORD_DTYPE, overwritten with the results of
            the rollouts.

    Scalars and policies:
        slot: Index in SLOTS of the decisions to compare.
        use_first_decision: True to use the first decision of the slot, with weight 1, instead of a
            random decision.
        choose_actions: Policy that returns the actions to roll out, as bits. A decision is skipped
            if fewer than two of these actions are legal.
        explore_knock: Knock policy of A before the decision.
    """
    max_actions = actions.shape[1]
    for unit_index in range(n_units):
        _prepare_deal(state, rules, first_unit + unit_index, match_states[unit_index])
        start_shuffle(state)
        swap_hands_for_dealer(state)
        actions[unit_index] = -1
        decision, rollout, remaining = (
            -1,
            -1,
            np.int64(0),
        )  # The first pass (-1) plays the deal to find the decision.
        while rollout < max_actions and (rollout < 0 or remaining):
            if rollout >= 0:
                actions[unit_index, rollout] = state.answers[decision] = lowest_bit(remaining)
                remaining &= remaining - 1
            clear_history(view0, state.turns)
            clear_history(view1, state.turns)
            clear_deal(state, rules, state.dealer)
            _script_actions_before(state, decision)
            knock = explore_knock if rollout < 0 else knock_a
            nondealer_view, dealer_view = (view1, view0) if state.dealer == 0 else (view0, view1)
            if state.dealer != SEAT_A:
                nondealer_take, nondealer_discard, nondealer_knock = take_a, discard_a, knock
                dealer_take, dealer_discard, dealer_knock = take_b, discard_b, knock_b
            else:
                nondealer_take, nondealer_discard, nondealer_knock = take_b, discard_b, knock_b
                dealer_take, dealer_discard, dealer_knock = take_a, discard_a, knock
            play_deal(
                state, rules, nondealer_view, dealer_view, nondealer_take, nondealer_discard,
                nondealer_knock, dealer_take, dealer_discard, dealer_knock, offer_a, answer_a,
                show_a, offer_b, answer_b, show_b,
            )  # fmt: skip
            if rollout >= 0:
                write_deal_record(state, records[unit_index, rollout], SEAT_A)
            else:
                decision, weights[unit_index] = _sample_decision(state, slot, use_first_decision)
                remaining = _find_candidate_actions(
                    state, rules, slot, decision, choose_actions, views, unit_index
                )
            rollout += 1
    state.n_scripted = 0
    state.log_mode = 0


def run_paired_rollouts_solo(
    state, rules, view, first_unit, n_units, match_states, slot, use_first_decision, choose_actions,
    explore_knock, views, weights, actions, records, discard_a, knock_a,
):  # fmt: skip
    """Roll out decisions in a single-player variant (see `run_paired_rollouts`).

    The joker is at the same position in all rollouts of a deal.
    """
    max_actions = actions.shape[1]
    for unit_index in range(n_units):
        _prepare_deal(state, rules, first_unit + unit_index, match_states[unit_index])
        start_shuffle(state)
        state.joker = choose_joker_position(state.seed, state.unit, state.deal, rules)
        actions[unit_index] = -1
        decision, rollout, remaining = (
            -1,
            -1,
            np.int64(0),
        )  # The first pass (-1) plays the deal to find the decision.
        while rollout < max_actions and (rollout < 0 or remaining):
            if rollout >= 0:
                actions[unit_index, rollout] = state.answers[decision] = lowest_bit(remaining)
                remaining &= remaining - 1
            clear_history(view, state.turns)
            _script_actions_before(state, decision)
            play_deal_solo(state, rules, view, discard_a, explore_knock if rollout < 0 else knock_a)
            if rollout >= 0:
                write_deal_record(state, records[unit_index, rollout], SEAT_A)
            else:
                decision, weights[unit_index] = _sample_decision(state, slot, use_first_decision)
                remaining = _find_candidate_actions(
                    state, rules, slot, decision, choose_actions, views, unit_index
                )
            rollout += 1
    state.n_scripted = 0
    state.log_mode = 0


@jit
def _prepare_deal(state, rules, unit, match_state):
    """Set the match score and the dealer for a deal that starts from a given match score."""
    start_match(state, rules)
    state.unit = unit
    state.half = SEAT_A
    state.deal = 0
    state.dealer = unit & 1
    state.points[0] = match_state[0]
    state.points[1] = match_state[1]
    state.deals_won[0] = match_state[2]
    state.deals_won[1] = match_state[3]


@jit
def _script_actions_before(state, decision):
    """Make the next replay of the deal repeat all actions up to and including a decision.

    If `decision` is -1, the state logs the decisions instead.
    """
    state.log_mode = decision < 0
    state.n_logged = 0
    state.n_scripted = decision + 1


@jit
def _find_candidate_actions(state, rules, slot, decision, choose_actions, views, row):
    """Return the actions to roll out at a logged decision, as bits.

    The result is 0 if there are fewer than two such actions.

    The view at the decision is copied to `views[row]`.
    """
    if decision < 0:
        return np.int64(0)
    view = state.log[decision]
    views[row] = view
    params = get_params_at(state.vectors[SEAT_A, slot], state.lengths[SEAT_A, slot])
    candidates = choose_actions(view, rules, params) & view.legal
    return candidates if popcount(candidates) > 1 else np.int64(0)


@jit
def _sample_decision(state, slot, use_first_decision):
    """Choose one of A's logged decisions in a policy slot, by default at random.

    Returns the number and the weight of the decision, or (-1, 0) if there is none.
    """
    n_decisions = 0
    for decision_index in range(state.n_logged):
        n_decisions += _is_decision_by_strategy_a(state, decision_index, slot)
    if n_decisions == 0:
        return -1, 0
    if use_first_decision:
        n_decisions = 1
    word = rng.generate_random_words(state.seed, state.unit, state.deal, 0, rng.DOMAIN_DECISION)[0]
    remaining = rng.random_below(n_decisions, word)
    decision = 0
    while not _is_decision_by_strategy_a(state, decision, slot) or remaining > 0:
        remaining -= _is_decision_by_strategy_a(state, decision, slot)
        decision += 1
    return decision, n_decisions


@jit
def _is_decision_by_strategy_a(state, decision, slot):
    """Return True if strategy A made a logged decision with the policy of the given slot."""
    return state.slots[decision] == slot and state.log[decision].seat == SEAT_A
