"""Games that pause at every decision of an external seat.

The pack and the actions determine a deal, so simgin does not store a deal in progress. Instead,
simgin replays the actions up to the next decision. If a turn begins with a choice of the draw
source, simgin saves the state at that decision and later replays only that turn. In addition,
simgin stores the actions of a strategy in the second seat, so that no policy is called twice for
the same decision.

A *game* is a record that contains its status and the addresses of its policies and other records.
Therefore, one call with a single array argument can step many games.

The compiled code does not belong to the engine, so its cache key depends on this file.
"""

import hashlib
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import from_dtype, int64, void
from numba.extending import intrinsic

from simgin.core import jit
from simgin.core.batch_kernel import start_mirrored_game
from simgin.core.codes import PHASE_TURN, SLOTS
from simgin.core.deal import TURN_ALREADY_PLAYED, play_deal, play_turns
from simgin.core.match import MATCH_UNDECIDED, apply_deal_result, choose_next_dealer
from simgin.core.policy_types import (
    POLICY_TYPE,
    RULES_TYPE,
    STATE_TYPE,
    VIEW_TYPE,
    as_policy,
    get_params_at,
)
from simgin.core.query import IllegalActionError, clear_history, write_ending_fields
from simgin.core.rules_record import DIE_OFF
from simgin.core.shuffle import start_shuffle, swap_hands_for_dealer
from simgin.core.solo_deal import choose_joker_position, play_deal_solo
from simgin.core.state import (
    SLOT_ANSWER,
    SLOT_DISCARD,
    SLOT_KNOCK,
    SLOT_OFFER,
    SLOT_SHOW,
    SLOT_TAKE,
)
from simgin.core.turn_steps import clear_deal

N_SLOTS = len(SLOTS)
# Fields that contain addresses. `turn_start` refers to a copy of the state at the beginning of a
# turn, and `view_copy` to a buffer for a copy of a view.
ADDRESS_FIELDS = ("state", "turn_start", "view0", "view1", "view_copy")
# Each bit of `external_seats` is 1 if the actions of the seat come from outside the engine. `stake`
# and `owner` describe the die before the deal. The fields in the last line belong to `simgin.envs`.
_GAME_FIELDS = (
    (*ADDRESS_FIELDS, "rules", "has_turn_start", "external_seats", "is_match", "n_players")
    + ("status", "outcome", "stake", "owner")
    + ("unit", "action", "ended", "reward", "seat", "slot")
)
GAME_DTYPE = np.dtype(
    (
        np.record,
        [(name, np.int64) for name in _GAME_FIELDS] + [("policies", np.int64, (2, N_SLOTS))],
    )
)
AWAITING_ACTION, DEAL_OVER, GAME_OVER = range(3)  # status of a game
COMMAND_BEGIN, COMMAND_ACT, COMMAND_REPLAY, COMMAND_CLOSE_DEAL = range(4)  # commands of step_game
# size of the part of a state that can change during a turn, in int64 fields
N_TURN_STATE_FIELDS = STATE_TYPE.offset("vectors") // 8
CACHE_KEY = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
compile_cached = partial(jit.compile_function, policy_digest=CACHE_KEY)


# Access to records and policies by address


def make_record_getter(record_type):
    """Return a compiled function that converts a memory address to a record of a given type."""

    @intrinsic
    def get_record(typing_context, address):
        def codegen(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(record_type))

        return record_type(int64), codegen

    return get_record


def make_int64_record_type(n_fields):
    """Return the type of a record of n int64 fields."""
    return from_dtype(np.dtype([("numbers", np.int64, n_fields)]))


get_state_at, get_rules_at, get_view_at = map(
    make_record_getter, (STATE_TYPE, RULES_TYPE, VIEW_TYPE)
)
get_game_at = make_record_getter(from_dtype(GAME_DTYPE))
_get_turn_state_at = make_record_getter(make_int64_record_type(N_TURN_STATE_FIELDS))


@intrinsic
def _get_policy_at(typing_context, address):
    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(POLICY_TYPE))

    return POLICY_TYPE(int64), codegen


# One game


@compile_cached
def stop_at_decision(view, rules, params):
    """Pause the deal at a decision of an external seat.

    The function is the policy of all external seats.
    """
    return int64(-1)


@compile_cached
def _replay_deal(game, state, rules, view0, view1):
    """Replay the actions of a two-player deal.

    At the next decision, the function raises IllegalActionError.
    """
    nondealer = 1 - state.dealer
    nondealer_view, dealer_view = (view1, view0) if nondealer == 1 else (view0, view1)
    nondealer_take_policy = _get_seat_policy(game, nondealer, SLOT_TAKE)
    dealer_take_policy = _get_seat_policy(game, 1 - nondealer, SLOT_TAKE)
    nondealer_discard_policy = _get_seat_policy(game, nondealer, SLOT_DISCARD)
    dealer_discard_policy = _get_seat_policy(game, 1 - nondealer, SLOT_DISCARD)
    nondealer_knock_policy = _get_seat_policy(game, nondealer, SLOT_KNOCK)
    dealer_knock_policy = _get_seat_policy(game, 1 - nondealer, SLOT_KNOCK)
    offer_a = _get_seat_policy(game, 0, SLOT_OFFER)
    answer_a = _get_seat_policy(game, 0, SLOT_ANSWER)
    show_a = _get_seat_policy(game, 0, SLOT_SHOW)
    offer_b = _get_seat_policy(game, 1, SLOT_OFFER)
    answer_b = _get_seat_policy(game, 1, SLOT_ANSWER)
    show_b = _get_seat_policy(game, 1, SLOT_SHOW)
    if game.has_turn_start:
        _restore_turn_start(game, state)
        write_ending_fields(state, view0)  # Clear the ending that the player declined.
        write_ending_fields(state, view1)
        previous_turn = 0 if state.query_seat == state.dealer else 1
        play_turns(
            state, rules, nondealer_view, dealer_view, nondealer_take_policy,
            nondealer_discard_policy, nondealer_knock_policy, dealer_take_policy,
            dealer_discard_policy, dealer_knock_policy, offer_a, answer_a, show_a, offer_b,
            answer_b, show_b, previous_turn, TURN_ALREADY_PLAYED,
        )  # fmt: skip
        return
    state.n_logged = 0
    clear_history(view0, state.turns)
    clear_history(view1, state.turns)
    state.stake = game.stake
    state.owner = game.owner
    clear_deal(state, rules, state.dealer)
    play_deal(
        state, rules, nondealer_view, dealer_view, nondealer_take_policy, nondealer_discard_policy,
        nondealer_knock_policy, dealer_take_policy, dealer_discard_policy, dealer_knock_policy,
        offer_a, answer_a, show_a, offer_b, answer_b, show_b,
    )  # fmt: skip


@compile_cached
def _get_seat_policy(game, seat, slot):
    """Return the policy of a seat for a slot, or a policy that pauses at an external seat."""
    if game.external_seats >> seat & 1:
        return as_policy(stop_at_decision)
    return _get_policy_at(game.policies[seat, slot])


@compile_cached
def _copy_turn_state(source, target):
    """Copy the state fields that can change during a turn.

    `source` and `target` are addresses.
    """
    for i in range(N_TURN_STATE_FIELDS):
        _get_turn_state_at(target).numbers[i] = _get_turn_state_at(source).numbers[i]


@compile_cached
def _save_turn_start(game, state, rules):
    """Save the state if the current decision is the first decision of a turn.

    With a die, a turn begins with a decision about an offer, so the state is not saved.
    """
    if (
        state.query_slot == SLOT_TAKE
        and state.phase == PHASE_TURN
        and state.turns > 0
        and rules.die == DIE_OFF
    ):
        seat = state.query_seat
        state.n_random_numbers[seat] -= (
            state.random_slots[seat ^ state.half] >> SLOT_TAKE & 1
        )  # The take policy will be called again.
        _copy_turn_state(game.state, game.turn_start)
        game.has_turn_start = 1


@compile_cached
def _restore_turn_start(game, state):
    """Restore the state at the start of a turn, but keep later actions and shuffled cards."""
    n_scripted, n_shuffled = state.n_scripted, state.shuffled
    _copy_turn_state(game.turn_start, game.state)
    state.n_scripted = n_scripted
    state.shuffled = n_shuffled


@compile_cached
def _replay_solo_deal(game, state, rules, view):
    """Replay the actions of a solitaire deal.

    At the next decision, the function raises IllegalActionError.
    """
    state.n_logged = 0
    clear_history(view, state.turns)
    play_deal_solo(
        state,
        rules,
        view,
        _get_seat_policy(game, 0, SLOT_DISCARD),
        _get_seat_policy(game, 0, SLOT_KNOCK),
    )


@compile_cached
def begin_game(game, unit):
    """Begin the game of a unit, which is a deal or a match."""
    state, rules = get_state_at(game.state), get_rules_at(game.rules)
    state.unit = unit
    start_mirrored_game(state, rules, 0, game.is_match != 0)
    _begin_deal(game, state, rules)


@compile_cached
def _begin_deal(game, state, rules):
    """Clear the actions, and shuffle the pack unless the caller has already arranged it."""
    state.n_scripted = 0
    game.stake, game.owner = state.stake, state.owner
    game.status = AWAITING_ACTION
    game.has_turn_start = 0
    if state.has_given_cards:
        return
    start_shuffle(state)
    if game.n_players == 2:
        swap_hands_for_dealer(state)
    else:
        state.joker = choose_joker_position(state.seed, state.unit, state.deal, rules)


@compile_cached
def close_deal(game):
    """Apply the result of a finished deal, and begin the next deal unless the match is over."""
    state, rules = get_state_at(game.state), get_rules_at(game.rules)
    game.outcome = apply_deal_result(state, rules, state.deal + 1)
    if not game.is_match or game.outcome != MATCH_UNDECIDED:
        game.status = GAME_OVER
        return
    state.dealer = choose_next_dealer(state.dealer, state.winner, rules)
    state.deal += 1
    _begin_deal(game, state, rules)


@compile_cached
def append_action(game, action):
    """Append an action to the action list of a deal.

    An illegal action raises IllegalActionError.
    """
    state = get_state_at(game.state)
    if action < 0 or action > 63 or not state.legal >> action & 1:
        state.answer = action
        raise IllegalActionError
    state.answers[state.n_scripted] = action
    state.n_scripted += 1


@compile_cached
def advance_game(game):
    """Advance to the next decision of an external seat, or to the end of the deal.

    Raises:
        IllegalActionError: If a strategy returns an illegal action or a stored action is illegal.
        Exception: If a policy raises an exception. Another call raises the same exception again.
    """
    state, rules = get_state_at(game.state), get_rules_at(game.rules)
    view0, view1 = get_view_at(game.view0), get_view_at(game.view1)
    is_over = True
    try:
        if game.n_players == 2:
            _replay_deal(game, state, rules, view0, view1)
        else:
            _replay_solo_deal(game, state, rules, view0)
    except Exception:
        is_over = False
    if state.n_logged < state.n_scripted and not is_over:
        raise IllegalActionError  # One of the stored actions is illegal.
    state.n_scripted = state.n_logged
    if is_over:
        game.status = DEAL_OVER
        return
    seat, slot = state.query_seat, state.query_slot
    # If a policy failed, a second call raises the same exception.
    if not game.external_seats >> seat & 1:
        numbers = get_params_at(state.vectors[seat, slot], state.lengths[seat, slot])
        _get_seat_policy(game, seat, slot)(view0 if seat == 0 else view1, rules, numbers)
        raise IllegalActionError
    _save_turn_start(game, state, rules)


# Python interface for one game


def step_game(game_address, command, argument):
    """Execute a command, and advance to the next external decision or to the end of the deal.

    Args:
        game_address: Address of the game. The address is passed instead of the record, because
            converting a record to a native value would take longer than a step.
        command: BEGIN, ACT, REPLAY or CLOSE_DEAL.
        argument: Unit for BEGIN, action for ACT, or number of actions for REPLAY.
    """
    game = get_game_at(game_address)
    if command == COMMAND_BEGIN:
        begin_game(game, argument)
    elif command == COMMAND_ACT:
        append_action(game, argument)
    elif command == COMMAND_REPLAY:
        game.status = AWAITING_ACTION
        game.has_turn_start = 0
        get_state_at(game.state).n_scripted = argument
    else:
        close_deal(game)
    if game.status == AWAITING_ACTION:
        advance_game(game)


@cache
def compile_step_game() -> Any:
    """Compile `step_game` and return the compiled function."""
    return compile_cached(step_game, void(int64, int64, int64))
