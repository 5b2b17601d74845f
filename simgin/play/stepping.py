"""Games that stop at decisions: the engine advances to the next external decision.

A deal follows from its pack and its actions, so that a deal in progress is not stored. It is
replayed with the actions so far, up to the next decision. If a turn begins with a choice between
the piles, the state is saved there, and only that turn is replayed. The actions of a strategy at
the other seat are stored as well, so that no policy is called twice for a decision.

A *game* is a record with the addresses of its other records, the policies and the status. Many
games can therefore be stepped in one call, which takes a single array from Python.

The code is compiled but does not belong to the engine: its cache key comes from this file.
"""

import hashlib
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import from_dtype, int64, void
from numba.core.cgutils import create_struct_proxy
from numba.extending import intrinsic

from simgin.core import jit
from simgin.core.answers import PHASE_TURN, SLOTS
from simgin.core.ask import IllegalAnswer, forget, show_ending
from simgin.core.batch import begin_half
from simgin.core.deal import TURN_OVER, play_deal, play_turns
from simgin.core.match import UNDECIDED, enter, next_dealer
from simgin.core.pack import give_to_seats, new_pack
from simgin.core.policy import HOOK_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE, as_hook, vector_at
from simgin.core.rules import DIE_OFF
from simgin.core.solo import joker_place, play_solo
from simgin.core.state import ANSWER, DISCARD, KNOCK, OFFER, SHOW, TAKE
from simgin.core.turn import clear_deal

N_SLOTS = len(SLOTS)
# Addresses of the records of a game: the state, its copy from the beginning of a turn, the views of
# the seats, and a buffer for the copy of a view
ADDRESSES = ("state", "kept", "view0", "view1", "copied")
# In addition: the address of the rules; the external seats, as bits; the status of the game, the
# outcome of its match and the die before the deal; the fields of `simgin.envs`; and the policies of
# both seats, used for seats that are not external
_FIELDS = (
    (*ADDRESSES, "rules", "is_kept", "outside", "matches", "players")
    + ("at", "outcome", "stake", "owner")
    + ("unit", "action", "ended", "reward", "seat", "slot")
)
GAME = np.dtype(
    (np.record, [(name, np.int64) for name in _FIELDS] + [("hooks", np.int64, (2, N_SLOTS))])
)
ASKED, DEAL_OVER, GAME_OVER = range(3)  # status of a game
BEGIN, GIVE, REPEAT, CLOSE = range(4)  # commands of step_game
HEAD = STATE_TYPE.offset("vectors") // 8  # leading int64 of a state that change during a turn
KEY = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
compiled = partial(jit.compiled, key=KEY)


# Records and policies by address


def record_at(kind):
    """Return a compiled function that converts an address to a record of a type."""

    @intrinsic
    def record(typing_context, address):
        def code(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(kind))

        return kind(int64), code

    return record


def numbers_record(n):
    """Return the type of a record that consists of n int64."""
    return from_dtype(np.dtype([("numbers", np.int64, n)]))


state_at, rules_at, view_at = map(record_at, (STATE_TYPE, RULES_TYPE, VIEW_TYPE))
game_at = record_at(from_dtype(GAME))
_head_at = record_at(numbers_record(HEAD))


@intrinsic
def _hook_at(typing_context, address):
    def code(context, builder, signature, arguments):
        hook = create_struct_proxy(HOOK_TYPE)(context, builder)
        hook.jit_addr = builder.inttoptr(arguments[0], hook.jit_addr.type)
        return hook._getvalue()

    return HOOK_TYPE(int64), code


# One game


@compiled
def no_answer(view, rules, params):
    """Stop the deal at a decision of an external seat, for which this is the policy."""
    return int64(-1)


@compiled
def _play_again(game, state, rules, view0, view1):
    """Replay a two-player deal by its actions; raise IllegalAction at the next decision."""
    first = 1 - state.dealer
    view1st, view2nd = (view1, view0) if first == 1 else (view0, view1)
    take1, take2 = _hook(game, first, TAKE), _hook(game, 1 - first, TAKE)
    discard1, discard2 = _hook(game, first, DISCARD), _hook(game, 1 - first, DISCARD)
    knock1, knock2 = _hook(game, first, KNOCK), _hook(game, 1 - first, KNOCK)
    offer_a, answer_a, show_a = _hook(game, 0, OFFER), _hook(game, 0, ANSWER), _hook(game, 0, SHOW)
    offer_b, answer_b, show_b = _hook(game, 1, OFFER), _hook(game, 1, ANSWER), _hook(game, 1, SHOW)
    if game.is_kept:
        _take_up(game, state)
        show_ending(state, view0)  # Clear an ending that was declined.
        show_ending(state, view1)
        turn_before = 0 if state.asked_seat == state.dealer else 1
        play_turns(
            state, rules, view1st, view2nd, take1, discard1, knock1, take2, discard2, knock2,
            offer_a, answer_a, show_a, offer_b, answer_b, show_b, turn_before, TURN_OVER,
        )  # fmt: skip
        return
    state.logged = 0
    forget(view0, state.turns)
    forget(view1, state.turns)
    state.stake = game.stake
    state.owner = game.owner
    clear_deal(state, rules, state.dealer)
    play_deal(
        state, rules, view1st, view2nd, take1, discard1, knock1, take2, discard2, knock2,
        offer_a, answer_a, show_a, offer_b, answer_b, show_b,
    )  # fmt: skip


@compiled
def _hook(game, seat, slot):
    """Return the policy of a seat and slot."""
    if game.outside >> seat & 1:
        return as_hook(no_answer)
    return _hook_at(game.hooks[seat, slot])


@compiled
def _copy_head(source, to):
    """Copy the part of a state that changes during a turn; both states are addresses."""
    for i in range(HEAD):
        _head_at(to).numbers[i] = _head_at(source).numbers[i]


@compiled
def _keep(game, state, rules):
    """Save the state if this decision is the first event of a turn.

    With a die, the turn began with a decision about an offer, so that the state is not saved.
    """
    if (
        state.asked_slot == TAKE
        and state.phase == PHASE_TURN
        and state.turns > 0
        and rules.die == DIE_OFF
    ):
        seat = state.asked_seat
        state.noises[seat] -= state.noisy[seat ^ state.half] >> TAKE & 1  # It is called again.
        _copy_head(game.state, game.kept)
        game.is_kept = 1


@compiled
def _take_up(game, state):
    """Restore the saved state, except for the actions and shuffled cards added since then."""
    scripted, shuffled = state.scripted, state.shuffled
    _copy_head(game.kept, game.state)
    state.scripted = scripted
    state.shuffled = shuffled


@compiled
def _play_again_alone(game, state, rules, view):
    """Replay a solitaire deal by its actions; raise IllegalAction at the next decision."""
    state.logged = 0
    forget(view, state.turns)
    play_solo(state, rules, view, _hook(game, 0, DISCARD), _hook(game, 0, KNOCK))


@compiled
def begin(game, unit):
    """Begin the deal or match of a unit."""
    state, rules = state_at(game.state), rules_at(game.rules)
    state.unit = unit
    begin_half(state, rules, 0, game.matches != 0)
    _begin_deal(game, state, rules)


@compiled
def _begin_deal(game, state, rules):
    """Clear the actions, and prepare a new pack unless one is given."""
    state.scripted = 0
    game.stake, game.owner = state.stake, state.owner
    game.at = ASKED
    game.is_kept = 0
    if state.given:
        return
    new_pack(state)
    if game.players == 2:
        give_to_seats(state)
    else:
        state.joker = joker_place(state.seed, state.unit, state.deal, rules)


@compiled
def close_deal(game):
    """Apply the result of a finished deal; begin the next one unless the match is over."""
    state, rules = state_at(game.state), rules_at(game.rules)
    game.outcome = enter(state, rules, state.deal + 1)
    if not game.matches or game.outcome != UNDECIDED:
        game.at = GAME_OVER
        return
    state.dealer = next_dealer(state.dealer, state.winner, rules)
    state.deal += 1
    _begin_deal(game, state, rules)


@compiled
def put(game, answer):
    """Append the next action of a deal; raise IllegalAction if it is not legal."""
    state = state_at(game.state)
    if answer < 0 or answer > 63 or not state.legal >> answer & 1:
        state.answer = answer
        raise IllegalAnswer
    state.answers[state.scripted] = answer
    state.scripted += 1


@compiled
def go_on(game):
    """Advance to a decision of an external seat, or to the end of the deal.

    Raises:
        IllegalAction: A strategy returned an illegal action, or a stored action is not legal.
        Exception: Any exception of a policy, raised again by a second call.
    """
    state, rules = state_at(game.state), rules_at(game.rules)
    view0, view1 = view_at(game.view0), view_at(game.view1)
    is_over = True
    try:
        if game.players == 2:
            _play_again(game, state, rules, view0, view1)
        else:
            _play_again_alone(game, state, rules, view0)
    except Exception:
        is_over = False
    if state.logged < state.scripted and not is_over:
        raise IllegalAnswer  # A stored action is not legal.
    state.scripted = state.logged
    if is_over:
        game.at = DEAL_OVER
        return
    seat, slot = state.asked_seat, state.asked_slot
    if not game.outside >> seat & 1:  # A policy failed; a second call raises the same.
        numbers = vector_at(state.vectors[seat, slot], state.lengths[seat, slot])
        _hook(game, seat, slot)(view0 if seat == 0 else view1, rules, numbers)
        raise IllegalAnswer
    _keep(game, state, rules)


# Interface to Python for one game


def step_game(place, how, number):
    """Execute a command, then advance to the next external decision or the end of the deal.

    Args:
        place: Address of the game, because Python takes longer to convert a record than to step it.
        how: BEGIN a unit, ACT, REPLAY some actions of the deal, or CLOSE_DEAL.
        number: Unit to begin, action, or number of actions to replay.
    """
    game = game_at(place)
    if how == BEGIN:
        begin(game, number)
    elif how == GIVE:
        put(game, number)
    elif how == REPEAT:
        game.at = ASKED
        game.is_kept = 0
        state_at(game.state).scripted = number
    else:
        close_deal(game)
    if game.at == ASKED:
        go_on(game)


@cache
def compiled_step() -> Any:
    """Compile `step_game`."""
    return compiled(step_game, void(int64, int64, int64))
