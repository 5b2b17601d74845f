"""Observations and actions of the environments, encoded as arrays.

Cards are numbered as in OpenSpiel, with suits s c d h and ranks A to K. The actions are:

    0..51   discard this card (as in OpenSpiel)
    52      take the upcard or the top card of the pile (as in OpenSpiel)
    53      draw from the stock (as in OpenSpiel)
    54      pass (as in OpenSpiel)
    55      end the deal as proposed: knock, gin, big gin or shot (as in OpenSpiel)
    56      continue instead of ending the deal
    57      accept an offer of the die
    58      refuse an offer of the die
    59      leave the die; 59 + n offers n
    66 + n  show meld arrangement n

The functions are compiled, but they are not part of the engine (see `simgin.play.stepping`).
"""

import hashlib
import operator
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numba import float32, int8, int64, types

from simgin.core import jit
from simgin.core.bits import lowest_bit
from simgin.core.codes import ACTION_PASS, PHASE_UPCARD
from simgin.core.match import MATCH_UNDECIDED
from simgin.core.policy_types import VIEW_TYPE
from simgin.core.rules_record import (
    DIE_OFF,
    FIRST_TURN_UPCARD_PASS,
    MAX_COLUMNS,
    RULE_PARAMETERS,
    SCORING_PENALTY,
)
from simgin.core.scoring import RESULT_REFUSED
from simgin.core.state import SLOT_ANSWER, SLOT_DISCARD, SLOT_KNOCK, SLOT_OFFER, SLOT_TAKE
from simgin.core.view import FROM_PILE, MAX_TURNS
from simgin.play import stepping
from simgin.play.game_table import get_memory_address
from simgin.strategy import python_tier

(
    TAKE_CARD,
    DRAW_CARD,
    PASS_TURN,
    END_DEAL,
    CONTINUE_DEAL,
    ACCEPT_OFFER,
    REFUSE_OFFER,
    FIRST_OFFER_ACTION,
) = range(52, 60)
FIRST_MELDING_ACTION = FIRST_OFFER_ACTION + 7
N_ACTIONS = FIRST_MELDING_ACTION + 64
# An observation consists of planes of 52 cards, one-hot vectors for the slot (one of six) and the
# phase (one of five), flags, and numbers divided by 100. Time planes contain turn / 100, or 0 if
# the event did not occur.
CARD_SET_FIELDS = ("hand", "pile", "known", "shed", "unseen")
SINGLE_CARD_FIELDS = ("taken_offer", "drawn", "taken", "ending_card", "upcard")
TIME_PLANE_NAMES = ("own discards", "the opponent's discards", "cards taken by the opponent")
CARD_PLANE_NAMES = CARD_SET_FIELDS + SINGLE_CARD_FIELDS + TIME_PLANE_NAMES
FLAG_NAMES = ("dealer", "owns the die", "opponent owns the die")
NUMERIC_FIELDS = tuple(
    """count stock deck_left turn own_turn limit multiplier own_points other_points own_deals
    other_deals own_games other_games own_opened other_opened deal target stake offered ending
    ending_count least""".split()
)
CARD_PLANES_END = 52 * len(CARD_PLANE_NAMES)
NUMERIC_FIELDS_OFFSET = CARD_PLANES_END + 6 + 5 + len(FLAG_NAMES)
N_RULE_PARAMETERS = len(RULE_PARAMETERS)
OBSERVATION_SIZE = NUMERIC_FIELDS_OFFSET + len(NUMERIC_FIELDS) + 2 * MAX_COLUMNS + N_RULE_PARAMETERS
# rewards for an illegal action in an episode of one deal and of one match
ILLEGAL_ACTION_DEAL_REWARD, ILLEGAL_ACTION_MATCH_REWARD = -100, -1

ENCODED_RULES_TYPE = types.Array(float32, 1, "C")
FLOAT_MATRIX_TYPE = types.Array(float32, 2, "C")
MASKS_TYPE = types.Array(int8, 2, "C")
_SOURCE_CODE = Path(__file__).read_bytes() + Path(stepping.__file__).read_bytes()
CACHE_KEY = hashlib.sha256(_SOURCE_CODE).hexdigest()[:16]
compile_cached = partial(jit.compile_function, policy_digest=CACHE_KEY)
_ENCODED_TURNS = np.arange(1, MAX_TURNS + 1, dtype=np.float32) / np.float32(100)
_GAME_SIZE_IN_BYTES = stepping.GAME_DTYPE.itemsize
_TO_OPENSPIEL_CARD = np.array(
    [(4 - card // 13) % 4 * 13 + card % 13 for card in range(52)], np.int8
)


def _list_field_offsets(names, length=1):
    """Return the offsets of view fields, in units of int64 numbers."""
    first_offsets = [VIEW_TYPE.offset(name) // 8 for name in names]
    return tuple(first + i for first in first_offsets for i in range(length))


_FROM_OPENSPIEL_CARD = np.argsort(_TO_OPENSPIEL_CARD)
_CARD_SET_OFFSETS = np.array(_list_field_offsets(CARD_SET_FIELDS))
_SINGLE_CARD_OFFSETS = np.array(_list_field_offsets(SINGLE_CARD_FIELDS))
# The offsets are an array because numba would compile a tuple to one branch per number.
_NUMERIC_FIELD_OFFSETS = np.array(
    _list_field_offsets(NUMERIC_FIELDS)
    + _list_field_offsets(("own_columns", "other_columns"), MAX_COLUMNS)
)
# offsets in the view, in int64 numbers
_MELDINGS_OFFSET, _HISTORY_OFFSET = _list_field_offsets(("meldings", "history"))
get_int64s_at = stepping.make_record_getter(stepping.make_int64_record_type(VIEW_TYPE.size // 8))


@compile_cached
def convert_card(card):
    """Convert a card number between simgin (suits S H D C) and OpenSpiel (suits s c d h)."""
    return _TO_OPENSPIEL_CARD[card]


@compile_cached
def to_env_action(slot, action, zero_means_pass):
    """Convert an engine action to an environment action.

    Args:
        slot: Slot of the decision.
        action: Engine action.
        zero_means_pass: True if the engine action 0 means to pass the upcard.
    """
    if slot == SLOT_TAKE:
        if action == 0:
            return PASS_TURN if zero_means_pass else DRAW_CARD
        return PASS_TURN if action == ACTION_PASS else TAKE_CARD
    if slot == SLOT_DISCARD:
        return convert_card(action)
    if slot == SLOT_KNOCK:
        return END_DEAL if action else CONTINUE_DEAL
    if slot == SLOT_ANSWER:
        return ACCEPT_OFFER if action else REFUSE_OFFER
    return (FIRST_OFFER_ACTION if slot == SLOT_OFFER else FIRST_MELDING_ACTION) + action


@compile_cached
def to_engine_action(slot, action, legal, zero_means_pass):
    """Convert an environment action to an engine action, or to -1 if it is illegal."""
    while legal:
        engine_action = lowest_bit(legal)
        if to_env_action(slot, engine_action, zero_means_pass) == action:
            return engine_action
        legal &= legal - 1
    return -1


@compile_cached
def is_pass_action_zero(view, rules):
    """Return True if engine action 0 means to pass the first upcard."""
    return view.phase == PHASE_UPCARD and rules.first_turn == FIRST_TURN_UPCARD_PASS


@compile_cached
def write_action_mask(view, rules, slot, mask):
    """Write the mask of legal actions, (N_ACTIONS,) int8."""
    zero_means_pass = is_pass_action_zero(view, rules)
    mask[:] = 0
    legal = view.legal
    while legal:
        mask[to_env_action(slot, lowest_bit(legal), zero_means_pass)] = 1
        legal &= legal - 1


@compile_cached
def write_observation(address, slot, observation):
    """Write the observation of a player's view, without the rule parameters.

    Args:
        address: Address of the view.
        slot: Slot of the decision.
        observation: Output, observation, (OBSERVATION_SIZE,) float32.
    """
    view, numbers = stepping.get_view_at(address), get_int64s_at(address).numbers
    observation[52 * len(_CARD_SET_OFFSETS) : NUMERIC_FIELDS_OFFSET] = 0
    for i in range(len(_CARD_SET_OFFSETS)):
        for position in range(52):
            observation[52 * i + position] = (
                numbers[_CARD_SET_OFFSETS[i]] >> _FROM_OPENSPIEL_CARD[position] & 1
            )
    for i in range(len(_SINGLE_CARD_OFFSETS)):
        card = numbers[_SINGLE_CARD_OFFSETS[i]]
        if card >= 0:
            observation[52 * (len(_CARD_SET_OFFSETS) + i) + convert_card(card)] = 1
    _write_history(view, observation, 52 * (len(_CARD_SET_OFFSETS) + len(_SINGLE_CARD_OFFSETS)))
    observation[CARD_PLANES_END + slot] = 1
    observation[CARD_PLANES_END + 6 + view.phase] = 1
    observation[CARD_PLANES_END + 11] = view.dealer == view.seat
    observation[CARD_PLANES_END + 12] = view.owner == view.seat
    observation[CARD_PLANES_END + 13] = view.owner >= 0 and view.owner != view.seat
    for i in range(len(_NUMERIC_FIELD_OFFSETS)):
        observation[NUMERIC_FIELDS_OFFSET + i] = numbers[_NUMERIC_FIELD_OFFSETS[i]] * 0.01


@compile_cached
def _write_history(view, observation, planes_offset):
    """Write the turn of each discard, and of each card that the opponent took from the pile."""
    for i in range(view.turns):
        seat, source = view.history[i, 0], view.history[i, 1]
        taken_card, discarded = view.history[i, 2], view.history[i, 3]
        if discarded >= 0:
            observation[planes_offset + 52 * (seat != view.seat) + convert_card(discarded)] = (
                _ENCODED_TURNS[i]
            )
        if seat != view.seat and source == FROM_PILE:
            observation[planes_offset + 104 + convert_card(taken_card)] = _ENCODED_TURNS[i]


# Games with one or two external players


@compile_cached
def _compute_reward(game, state, rules, stake):
    """Return the reward of seat 0 for a finished deal, in points or in units of the stake.

    In matches, the reward is 0 until the match is over. The final reward is 1 for a win or -1 for a
    loss.
    """
    if game.is_match:
        if game.status != stepping.GAME_OVER or game.outcome < MATCH_UNDECIDED:
            return 0
        return 1 if game.outcome == 0 else -1
    if rules.die != DIE_OFF:
        payment = state.pays if state.kind == RESULT_REFUSED else stake
        return 0 if state.winner < 0 else payment if state.winner == 0 else -payment
    if rules.deal_scoring == SCORING_PENALTY:
        return -state.score[0]
    return state.score[0] - state.score[1]


@compile_cached
def _advance_to_decision(game):
    """Advance a game to the next external decision or to its end, and return seat 0's gain."""
    state, rules = stepping.get_state_at(game.state), stepping.get_rules_at(game.rules)
    gain = 0
    while game.status == stepping.AWAITING_ACTION:
        stepping.advance_game(game)
        if game.status == stepping.AWAITING_ACTION:
            break
        stake = state.stake  # a new game resets the stake
        stepping.close_deal(game)
        gain += _compute_reward(game, state, rules, stake)
    return gain


@compile_cached
def _get_acting_view_address(game, state):
    """Return the memory address of the acting player's view."""
    return game.view0 if state.query_seat == 0 else game.view1


@compile_cached
def _write_acting_observation(game, encoded_rules, observation, mask):
    """Write the observation and the action mask of the acting player.

    After the end of the game, the last observation remains and no action is legal.
    """
    rules = stepping.get_rules_at(game.rules)
    # The engine can change a view after the decision because of the die or the next deal.
    is_copied = game.is_match or rules.die != DIE_OFF
    if game.status == stepping.AWAITING_ACTION:
        state = stepping.get_state_at(game.state)
        game.seat, game.slot = state.query_seat, state.query_slot
        address = _get_acting_view_address(game, state)
        write_action_mask(stepping.get_view_at(address), rules, state.query_slot, mask)
        if is_copied:
            _copy_view(address, game.view_copy)
    else:
        address = game.view0 if game.seat == 0 else game.view1
        mask[:] = 0
    write_observation(game.view_copy if is_copied else address, game.slot, observation)
    for i in range(N_RULE_PARAMETERS):
        observation[OBSERVATION_SIZE - N_RULE_PARAMETERS + i] = encoded_rules[i]


@compile_cached
def _copy_view(source_address, target_address):
    """Copy the view fields that observations use from one memory address to another."""
    source_numbers, target_numbers = (
        get_int64s_at(source_address).numbers,
        get_int64s_at(target_address).numbers,
    )
    for i in range(_MELDINGS_OFFSET):
        target_numbers[i] = source_numbers[i]
    for i in range(
        _HISTORY_OFFSET, _HISTORY_OFFSET + (stepping.get_view_at(source_address).turns + 1) // 2
    ):
        target_numbers[i] = source_numbers[i]  # each int64 contains two turns


@compile_cached
def _begin_next_game(game, unit_step):
    """Begin the next game in which an external player must decide."""
    game.ended = 0
    while True:
        stepping.begin_game(game, game.unit)
        _advance_to_decision(game)
        game.unit += unit_step
        if game.status == stepping.AWAITING_ACTION:
            return


@compile_cached
def _execute_action(game):
    """Execute the stored action of a game, and advance to the next decision or to the end."""
    state, rules = stepping.get_state_at(game.state), stepping.get_rules_at(game.rules)
    zero_means_pass = is_pass_action_zero(
        stepping.get_view_at(_get_acting_view_address(game, state)), rules
    )
    engine_action = to_engine_action(state.query_slot, game.action, state.legal, zero_means_pass)
    if engine_action < 0:
        game.ended = 2
        game.reward = ILLEGAL_ACTION_MATCH_REWARD if game.is_match else ILLEGAL_ACTION_DEAL_REWARD
        game.status = stepping.GAME_OVER
    else:
        stepping.append_action(game, engine_action)
        game.reward = _advance_to_decision(game)
        game.ended = game.status == stepping.GAME_OVER


@compile_cached
def _find_first_invalid_action(address, n_games, unit_step):
    """Return the index of the first game with an action outside the action space, or -1."""
    for i in range(n_games):
        game = stepping.get_game_at(address + i * _GAME_SIZE_IN_BYTES)
        is_active = not game.ended or not unit_step
        if is_active and not 0 <= game.action < N_ACTIONS:
            return i
    return -1


def step_games(address, unit_step, encoded_rules, observations, masks):
    """Advance every game by one action.

    If a game is finished and `unit_step` is not 0, a new game starts instead. The function writes
    the reward and the status of each game. The status is 1 if the game has ended, or 2 if an
    illegal action ended the game.

    Args:
        address: Address of the games.
        unit_step: Difference between the unit of a finished game and the unit of its replacement.
        encoded_rules: Encoded rules, (N_RULE_PARAMETERS,) float32.
        observations: Output, observations, (n_games, OBSERVATION_SIZE) float32.
        masks: Output, action masks, (n_games, N_ACTIONS) int8.

    Returns:
        Index of the first game with an action outside the action space, or -1 if there is none.
        If there is such an action, no game is advanced.
    """
    invalid_index = _find_first_invalid_action(address, len(observations), unit_step)
    if invalid_index >= 0:
        return invalid_index
    for i in range(len(observations)):
        game = stepping.get_game_at(address + i * _GAME_SIZE_IN_BYTES)
        if not game.ended:
            _execute_action(game)
        else:
            game.reward = 0
            if unit_step:
                _begin_next_game(game, unit_step)
        _write_acting_observation(game, encoded_rules, observations[i], masks[i])
    return int64(-1)


@cache
def compile_step_games() -> Any:
    """Compile `step_games` and return the compiled function."""
    return compile_cached(
        step_games, int64(int64, int64, ENCODED_RULES_TYPE, FLOAT_MATRIX_TYPE, MASKS_TYPE)
    )


def encode_rules(rules: Any) -> np.ndarray:
    """Encode the rule parameters for an observation, as float32 divided by 100."""
    return np.array(rules[[*RULE_PARAMETERS]].item(), np.float32) / 100


# Decisions of external policies


_ACT_LOCK = Lock()  # Deals run in several threads, but torch networks are not thread-safe.


def choose_external_action(act: Callable[..., Any], slot: int, view: Any, rules: Any) -> int:
    """Return the engine action that an external function chooses at a decision.

    Args:
        act: Function that returns an action for an observation, as in `simgin.envs.gin_rummy`.
        slot: Index of the slot.
        view: View of the player.
        rules: Rules record.

    Raises:
        InvalidActionError: If the function does not return a legal action.
    """
    observation, mask = np.zeros(OBSERVATION_SIZE, np.float32), np.zeros(N_ACTIONS, np.int8)
    observation[-N_RULE_PARAMETERS:] = encode_rules(rules)
    write_observation(get_memory_address(view), slot, observation)
    write_action_mask(view, rules, slot, mask)
    with _ACT_LOCK:
        returned_action = act({"observation": observation, "action_mask": mask})
    try:
        action = int(operator.index(returned_action))
    except TypeError:
        raise python_tier.make_action_error(
            returned_action, "an action must be an integer"
        ) from None
    if not (0 <= action < N_ACTIONS and mask[action]):
        legal_actions = ", ".join(map(str, np.flatnonzero(mask)))
        raise python_tier.make_action_error(action, f"the legal actions are {legal_actions}")
    return int(to_engine_action(slot, action, view.legal, is_pass_action_zero(view, rules)))
