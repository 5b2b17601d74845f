"""Policy calls, which write the view of a seat, call its policy and check the action.

An action outside `view.legal` raises IllegalActionError. The engine never corrects an action.
"""

import numpy as np

from simgin.core import rng
from simgin.core.cards import ALL_CARDS
from simgin.core.codes import PHASE_LAST
from simgin.core.jit import force_inline, jit
from simgin.core.match import get_match_target
from simgin.core.policy_types import get_params_at
from simgin.core.rules_record import GOAL_COLUMNS
from simgin.core.state import SLOT_KNOCK, SLOT_TAKE


class IllegalActionError(Exception):
    """Exception raised if a policy returns an action that is not in `view.legal`.

    The state contains the seat (`query_seat`), the slot (`query_slot`) and the action (`answer`).
    """


@jit
def clear_history(view, n_turns):
    """Clear the history of the previous deal, so that policies cannot read it.

    In a mirrored pair, the previous deal can have the same cards.
    """
    for turn in range(n_turns):
        for field_index in range(4):
            view.history[turn, field_index] = 0


@jit
def write_deal_fields(state, rules, view, seat):
    """Write the fields of a view that are constant during a deal."""
    opponent = 1 - seat
    view.upcard = state.upcard
    view.deck_left = -1
    view.dealer = state.dealer
    view.seat = seat
    view.limit = state.limit
    view.multiplier = state.multiplier
    view.own_points = state.points[seat]
    view.other_points = state.points[opponent]
    view.own_deals = state.deals_won[seat]
    view.other_deals = state.deals_won[opponent]
    view.own_games = state.games[seat]
    view.other_games = state.games[opponent]
    view.deal = state.deal
    view.goal = rules.goal
    view.target = get_match_target(rules, seat)
    write_die_fields(state, view)
    write_ending_fields(state, view)
    if rules.goal == GOAL_COLUMNS:
        _write_column_fields(state, rules, view, seat)


@jit
def _write_column_fields(state, rules, view, seat):
    """Write the fields for the score in columns (Hollywood scoring) to a view."""
    view.own_opened = state.opened[seat]
    view.other_opened = state.opened[1 - seat]
    view.closed = 0
    for column in range(rules.columns):
        view.own_columns[column] = state.column_points[seat, column]
        view.other_columns[column] = state.column_points[1 - seat, column]
        if state.column_winner[column] >= 0:
            view.closed |= 1 << column


@jit
def write_die_fields(state, view):
    """Write the number on the die, the owner of the die and the offered number to a view."""
    view.stake = state.stake
    view.owner = state.owner
    view.offered = state.offered


@force_inline
def write_turn_fields(state, view, seat):
    """Write the view fields that are constant during a player's turn."""
    opponent = 1 - seat
    view.count = state.count[seat]
    view.known = state.known[opponent]
    view.shed = state.shed[opponent]
    view.turns = state.turns
    view.turn = state.turns + 1
    view.own_turn = state.own_turns[seat] + 1


@force_inline
def write_card_fields(state, view, seat):
    """Write the fields of a view that change when a card is drawn."""
    hand = state.hand[seat]
    view.hand = hand
    view.pile = state.pile
    view.unseen = ALL_CARDS & ~(hand | state.pile | state.known[1 - seat])
    view.stock = state.stock
    view.taken = state.taken
    view.drawn = state.drawn
    view.least = state.least
    view.best = state.best
    view.phase = state.phase


@force_inline
def write_ending_fields(state, view):
    """Write the ending that the knock policy may accept, if there is one, to the view."""
    view.ending = state.ending
    view.ending_card = state.ending_card
    view.ending_count = state.ending_count


@force_inline
def _draw_random_number(state, seat, strategy):
    """Return the next random number for the policies of a seat.

    `strategy` is 0 for A and 1 for B.

    One call of the generator yields sixteen numbers. The state stores the unused numbers.
    """
    number_index = state.n_random_numbers[seat]
    state.n_random_numbers[seat] = number_index + 1
    unused_words = state.spare[seat]
    if number_index & 15 == 0:
        domain = rng.DOMAIN_NOISE_A + strategy
        rng.write_random_blocks(
            state.seed, state.unit, state.deal, number_index >> 1, domain, unused_words
        )
    block, word = number_index >> 1 & 7, 2 * (number_index & 1)
    return rng.combine_words(unused_words[8 * word + block], unused_words[8 * word + 8 + block])


@force_inline
def query_policy(state, rules, view, seat, slot, legal, policy):
    """Write the view of a seat, call one of its policies and check the action.

    Args:
        state: State record of the deal.
        rules: Rules record of the variant.
        view: View record of the seat.
        seat: Seat that decides, 0 or 1.
        slot: Index of the policy in SLOTS.
        legal: Legal actions as bits.
        policy: Compiled policy.

    Returns:
        The action, 0 to 63.

    Raises:
        IllegalActionError: If the policy returned an action that is not in `legal`.
    """
    write_turn_fields(state, view, seat)
    write_card_fields(state, view, seat)
    write_ending_fields(state, view)
    return query_policy_with_view(state, rules, view, seat, slot, legal, policy)


@force_inline
def query_policy_with_view(state, rules, view, seat, slot, legal, policy):
    """Call a policy with a view that the caller has filled, and check the action."""
    strategy = get_strategy_of_seat(state, seat)
    view.legal = legal
    view.taken_offer = (
        state.top if slot == SLOT_TAKE or (slot == SLOT_KNOCK and state.phase == PHASE_LAST) else -1
    )
    view.noise = (
        _draw_random_number(state, seat, strategy)
        if state.random_slots[strategy] >> slot & 1
        else 0
    )
    state.query_seat = seat
    state.query_slot = slot
    state.legal = legal
    params = get_params_at(state.vectors[strategy, slot], state.lengths[strategy, slot])
    if state.log_mode or state.n_scripted:
        return _query_logged_policy(state, rules, view, slot, legal, policy, params)
    return _check_action(state, legal, policy(view, rules, params))


@force_inline
def get_strategy_of_seat(state, seat):
    """Return the index of the strategy that sits in a seat (0 for A, 1 for B)."""
    return (seat ^ state.half) & 1  # The mask tells LLVM that the result is 0 or 1.


@force_inline
def _check_action(state, legal, action):
    """Return an action, or raise IllegalActionError if the action is not legal."""
    if action < 0 or action > 63 or not legal >> action & 1:
        state.answer = action
        raise IllegalActionError
    return action


@jit
def _query_logged_policy(state, rules, view, slot, legal, policy, params):
    """Call a policy in a deal that is traced or that has prescribed actions.

    If the deal is traced (`state.log_mode` > 0), the view is added to the log. If `state.log_mode`
    is negative, actions are logged without views. The first `state.n_scripted` actions of a deal
    come from `state.answers`. For later decisions, the function calls the policy.
    """
    if state.log_mode > 0:
        _log_decision(state, view, slot)
    is_scripted = state.n_logged < state.n_scripted
    action = np.int64(state.answers[state.n_logged]) if is_scripted else policy(view, rules, params)
    _check_action(state, legal, action)
    if is_scripted or state.log_mode:
        state.answers[state.n_logged] = action
        state.n_logged += 1
    return action


@jit
def _log_decision(state, view, slot):
    """Add the view and the slot of a decision to the log of a traced deal."""
    state.log[state.n_logged] = view
    state.slots[state.n_logged] = slot


@force_inline
def record_turn(view, row, seat, source, card, discard):
    """Write a turn to a row of the view's history."""
    view.history[row, 0] = seat
    view.history[row, 1] = source
    view.history[row, 2] = card
    view.history[row, 3] = discard


@jit
def query_policy_noinline(state, rules, view, seat, slot, legal, policy):
    """Call `query_policy` without inlining its code into the caller.

    Use this function for decisions that occur at most once per deal.
    """
    return query_policy(state, rules, view, seat, slot, legal, policy)
