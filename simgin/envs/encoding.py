"""Observations and actions of the environments, encoded as arrays.

Cards are numbered as in OpenSpiel: suits s c d h, ranks A to K. The actions are:

    0..51   discard this card (as in OpenSpiel)
    52      take the upcard or the top card of the pile (as in OpenSpiel)
    53      draw from the stock (as in OpenSpiel)
    54      pass (as in OpenSpiel)
    55      end the deal as proposed: knock, gin, big gin or shot (as in OpenSpiel)
    56      continue instead of ending the deal
    57      accept an offer of the die
    58      refuse an offer of the die
    59      leave the die; 59 + n offers n
    66 + n  show melding n

The code is compiled but does not belong to the engine; see `simgin.play.stepping`.
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
from simgin.core.answers import PASS, PHASE_UPCARD
from simgin.core.bits import lowest
from simgin.core.match import UNDECIDED
from simgin.core.policy import VIEW_TYPE
from simgin.core.rules import DIE_OFF, MAX_COLUMNS, PARAMETERS, PENALTY, UPCARD_PASS
from simgin.core.scoring import KIND_REFUSED
from simgin.core.state import ANSWER, DISCARD, KNOCK, OFFER, TAKE
from simgin.core.view import FROM_PILE, MAX_TURNS
from simgin.play import stepping
from simgin.play.table import place_in_memory
from simgin.strategy import interpret

TAKE_IT, DRAW, LEAVE_IT, END, GO_ON, ACCEPT, REFUSE, OFFERS = range(52, 60)
MELDINGS = OFFERS + 7
ACTIONS = MELDINGS + 64
# An observation consists of planes of 52 cards, the slot (one of six) and phase (one of five) as
# one-hot vectors, the flags, and numbers divided by 100. Time planes contain turn / 100, or 0 for
# never.
SETS = ("hand", "pile", "known", "shed", "unseen")
CARDS = ("taken_offer", "drawn", "taken", "ending_card", "upcard")
WHEN = ("own discards", "the opponent's discards", "what the opponent took")
PLANES = SETS + CARDS + WHEN
FLAGS = ("dealer", "owns the die", "opponent owns the die")
FIELDS = tuple(
    """count stock deck_left turn own_turn limit multiplier own_points other_points own_deals
    other_deals own_games other_games own_opened other_opened deal target stake offered ending
    ending_count least""".split()
)
BEHIND_PLANES = 52 * len(PLANES)
FIRST_NUMBER = BEHIND_PLANES + 6 + 5 + len(FLAGS)
N_RULES = len(PARAMETERS)
SIZE = FIRST_NUMBER + len(FIELDS) + 2 * MAX_COLUMNS + N_RULES
ILLEGAL_POINTS, ILLEGAL_MATCH = -100, -1  # rewards of an illegal action

RULES_SHOWN = types.Array(float32, 1, "C")
FLOATS = types.Array(float32, 2, "C")
MASKS = types.Array(int8, 2, "C")
_FILES = (Path(__file__), Path(stepping.__file__))
KEY = hashlib.sha256(b"".join(file.read_bytes() for file in _FILES)).hexdigest()[:16]
compiled = partial(jit.compiled, key=KEY)
_TIME = np.arange(1, MAX_TURNS + 1, dtype=np.float32) / np.float32(100)
_GAME_BYTES = stepping.GAME.itemsize
_PLACE = np.array([(4 - card // 13) % 4 * 13 + card % 13 for card in range(52)], np.int8)


def _places(names, length=1):
    """Return the int64 offsets of view fields, with `length` numbers per field."""
    firsts = [VIEW_TYPE.offset(name) // 8 for name in names]
    return tuple(first + i for first in firsts for i in range(length))


_CARD = np.argsort(_PLACE)
_SETS, _CARDS = np.array(_places(SETS)), np.array(_places(CARDS))
# An array, because numba would compile a tuple to a branch per number.
_NUMBERS = np.array(_places(FIELDS) + _places(("own_columns", "other_columns"), MAX_COLUMNS))
_HEAD, _HISTORY = _places(("meldings", "history"))  # offsets in the view
numbers_at = stepping.record_at(stepping.numbers_record(VIEW_TYPE.size // 8))


@compiled
def place_of(card):
    """Convert a card number between simgin (suits S H D C) and OpenSpiel (s c d h)."""
    return _PLACE[card]


@compiled
def action_of(slot, answer, passes):
    """Convert an engine action to an environment action.

    Args:
        slot: Slot of the decision.
        answer: Engine action.
        passes: True if action 0 on the upcard is a pass.
    """
    if slot == TAKE:
        if answer == 0:
            return LEAVE_IT if passes else DRAW
        return LEAVE_IT if answer == PASS else TAKE_IT
    if slot == DISCARD:
        return place_of(answer)
    if slot == KNOCK:
        return END if answer else GO_ON
    if slot == ANSWER:
        return ACCEPT if answer else REFUSE
    return (OFFERS if slot == OFFER else MELDINGS) + answer


@compiled
def answer_of(slot, action, legal, passes):
    """Convert an environment action to the legal engine action; -1 if there is none."""
    while legal:
        answer = lowest(legal)
        if action_of(slot, answer, passes) == action:
            return answer
        legal &= legal - 1
    return -1


@compiled
def is_pass(view, rules):
    """Return True if engine action 0 on the upcard is a pass."""
    return view.phase == PHASE_UPCARD and rules.first_turn == UPCARD_PASS


@compiled
def write_mask(view, rules, slot, mask):
    """Write the mask of legal actions, (N_ACTIONS,) int8."""
    passes = is_pass(view, rules)
    mask[:] = 0
    legal = view.legal
    while legal:
        mask[action_of(slot, lowest(legal), passes)] = 1
        legal &= legal - 1


@compiled
def write_observation(place, slot, out):
    """Write an observation, (OBSERVATION_SIZE,) float32, except for the rules at its end.

    Args:
        place: Address of the view.
        slot: Slot of the decision.
        out: Observation to write to.
    """
    view, numbers = stepping.view_at(place), numbers_at(place).numbers
    out[52 * len(_SETS) : FIRST_NUMBER] = 0
    for i in range(len(_SETS)):
        for place in range(52):
            out[52 * i + place] = numbers[_SETS[i]] >> _CARD[place] & 1
    for i in range(len(_CARDS)):
        card = numbers[_CARDS[i]]
        if card >= 0:
            out[52 * (len(_SETS) + i) + place_of(card)] = 1
    _write_history(view, out, 52 * (len(_SETS) + len(_CARDS)))
    out[BEHIND_PLANES + slot] = 1
    out[BEHIND_PLANES + 6 + view.phase] = 1
    out[BEHIND_PLANES + 11] = view.dealer == view.seat
    out[BEHIND_PLANES + 12] = view.owner == view.seat
    out[BEHIND_PLANES + 13] = view.owner >= 0 and view.owner != view.seat
    for i in range(len(_NUMBERS)):
        out[FIRST_NUMBER + i] = numbers[_NUMBERS[i]] * 0.01


@compiled
def _write_history(view, out, first):
    """Write the turn in which each card was discarded by each player or taken by the opponent."""
    for i in range(view.turns):
        seat, source = view.history[i, 0], view.history[i, 1]
        card, thrown = view.history[i, 2], view.history[i, 3]
        if thrown >= 0:
            out[first + 52 * (seat != view.seat) + place_of(thrown)] = _TIME[i]
        if seat != view.seat and source == FROM_PILE:
            out[first + 104 + place_of(card)] = _TIME[i]


# Games of one external player, against a strategy or in solitaire games, or of two


@compiled
def _reward(game, state, rules, stake):
    """Return what seat 0 gained by a finished deal: points, or the stake of the die.

    In matches the reward is 0 until the match is over, then 1 for a win and -1 for a loss.
    """
    if game.matches:
        if game.at != stepping.GAME_OVER or game.outcome < UNDECIDED:
            return 0
        return 1 if game.outcome == 0 else -1
    if rules.die != DIE_OFF:
        paid = state.pays if state.kind == KIND_REFUSED else stake
        return 0 if state.winner < 0 else paid if state.winner == 0 else -paid
    if rules.deal_scoring == PENALTY:
        return -state.score[0]
    return state.score[0] - state.score[1]


@compiled
def _go_on(game):
    """Advance to an external decision or to the end of the game; return the gain of seat 0."""
    state, rules = stepping.state_at(game.state), stepping.rules_at(game.rules)
    gained = 0
    while game.at == stepping.ASKED:
        stepping.go_on(game)
        if game.at == stepping.ASKED:
            break
        stake = state.stake  # A new game resets it.
        stepping.close_deal(game)
        gained += _reward(game, state, rules, stake)
    return gained


@compiled
def _asked_view(game, state):
    """Return the address of the view of the player to act."""
    return game.view0 if state.asked_seat == 0 else game.view1


@compiled
def _observe(game, rules_shown, observation, mask):
    """Write the observation and the action mask of the player to act.

    After the game, the last observation remains, and no action is legal.
    """
    rules = stepping.rules_at(game.rules)
    # The engine can change a view after the decision, by the die or by another deal.
    is_copied = game.matches or rules.die != DIE_OFF
    if game.at == stepping.ASKED:
        state = stepping.state_at(game.state)
        game.seat, game.slot = state.asked_seat, state.asked_slot
        place = _asked_view(game, state)
        write_mask(stepping.view_at(place), rules, state.asked_slot, mask)
        if is_copied:
            _copy_view(place, game.copied)
    else:
        place = game.view0 if game.seat == 0 else game.view1
        mask[:] = 0
    write_observation(game.copied if is_copied else place, game.slot, observation)
    for i in range(N_RULES):
        observation[SIZE - N_RULES + i] = rules_shown[i]


@compiled
def _copy_view(source, to):
    """Copy the parts of a view that observations use; both views are addresses."""
    shown, copied = numbers_at(source).numbers, numbers_at(to).numbers
    for i in range(_HEAD):
        copied[i] = shown[i]
    for i in range(_HISTORY, _HISTORY + (stepping.view_at(source).turns + 1) // 2):
        copied[i] = shown[i]  # Each int64 holds two turns.


@compiled
def _begin(game, stride):
    """Begin a game; skip games that end before the first external decision."""
    game.ended = 0
    while True:
        stepping.begin(game, game.unit)
        _go_on(game)
        game.unit += stride
        if game.at == stepping.ASKED:
            return


@compiled
def _act(game):
    """Advance a game by its action."""
    state, rules = stepping.state_at(game.state), stepping.rules_at(game.rules)
    passes = is_pass(stepping.view_at(_asked_view(game, state)), rules)
    answer = answer_of(state.asked_slot, game.action, state.legal, passes)
    if answer < 0:
        game.ended = 2
        game.reward = ILLEGAL_MATCH if game.matches else ILLEGAL_POINTS
        game.at = stepping.GAME_OVER
    else:
        stepping.put(game, answer)
        game.reward = _go_on(game)
        game.ended = game.at == stepping.GAME_OVER


@compiled
def _outside_the_space(place, n, stride):
    """Return the first of n games whose action is outside the action space; -1 if none."""
    for i in range(n):
        game = stepping.game_at(place + i * _GAME_BYTES)
        is_read = not game.ended or not stride
        if is_read and not 0 <= game.action < ACTIONS:
            return i
    return -1


def step_games(place, stride, rules_shown, observations, masks):
    """Advance games by one action each.

    A game that has ended begins again instead, unless `stride` is 0. The function writes the reward
    of each game and whether it has ended: 1, or 2 if the action was illegal.

    Args:
        place: Address of the games.
        stride: Difference between the units of a game and the next one in its slot.
        rules_shown: Encoded rules, (N_PARAMETERS,) float32.
        observations: Observations to write, (n_games, OBSERVATION_SIZE) float32.
        masks: Action masks to write, (n_games, N_ACTIONS) int8.

    Returns:
        -1, or the index of a game whose action is outside the action space; then no game is
        stepped.
    """
    wrong = _outside_the_space(place, len(observations), stride)
    if wrong >= 0:
        return wrong
    for i in range(len(observations)):
        game = stepping.game_at(place + i * _GAME_BYTES)
        if not game.ended:
            _act(game)
        else:
            game.reward = 0
            if stride:
                _begin(game, stride)
        _observe(game, rules_shown, observations[i], masks[i])
    return int64(-1)


@cache
def compiled_step() -> Any:
    """Compile `step_games`."""
    return compiled(step_games, int64(int64, int64, RULES_SHOWN, FLOATS, MASKS))


def rule_numbers(rules: Any) -> np.ndarray:
    """Return the encoded parameters at the end of observations: values / 100, float32."""
    return np.array(rules[[*PARAMETERS]].item(), np.float32) / 100


# One decision, for an external policy


_ASKING = Lock()  # Deals run in several threads, but torch networks are not thread-safe.


def answered(act: Callable[..., Any], slot: int, view: Any, rules: Any) -> int:
    """Return the engine action that a function of an observation chooses for a decision.

    Args:
        act: Function of an observation, as in `simgin.envs.gin_rummy`, that returns an action.
        slot: Index of the slot.
        view: View of the player.
        rules: Rules record.

    Raises:
        NoAnswer: The function did not return a legal action.
    """
    observation, mask = np.zeros(SIZE, np.float32), np.zeros(ACTIONS, np.int8)
    observation[-N_RULES:] = rule_numbers(rules)
    write_observation(place_in_memory(view), slot, observation)
    write_mask(view, rules, slot, mask)
    with _ASKING:
        given = act({"observation": observation, "action_mask": mask})
    try:
        action = int(operator.index(given))
    except TypeError:
        raise interpret.no_answer(given, "an action is a whole number") from None
    if not (0 <= action < ACTIONS and mask[action]):
        legal = ", ".join(map(str, np.flatnonzero(mask)))
        raise interpret.no_answer(action, f"the legal actions are {legal}")
    return int(answer_of(slot, action, view.legal, is_pass(view, rules)))
