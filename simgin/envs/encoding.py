"""Questions as arrays of numbers, and actions as answers: what learning libraries see and say.

Cards are numbered as in OpenSpiel: suits s c d h, A to K. So are the actions that OpenSpiel has:

    0..51 discard; 52 take the upcard or the top of the pile; 53 draw from the stock; 54 pass;
    55 end the deal as proposed (knock, gin, big gin, shot); 56 play on;
    57 accept and 58 refuse an offer; 59 leave the die, 59 + n offer n;
    66 + n show melding n.

Compiled, but no part of the engine; see `simgin.play.stepping`.
"""

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import float32, int8, int64, types, void

from simgin.core import jit
from simgin.core.answers import PASS, PHASE_UPCARD
from simgin.core.bits import lowest
from simgin.core.match import UNDECIDED
from simgin.core.rules import DIE_OFF, MAX_COLUMNS, PARAMETERS, PENALTY, UPCARD_PASS
from simgin.core.scoring import KIND_REFUSED
from simgin.core.state import ANSWER, DISCARD, KNOCK, OFFER, TAKE
from simgin.core.view import FROM_PILE
from simgin.play import stepping
from simgin.play.stepping import (
    ASKED,
    AT,
    DEAL_OVER,
    GAME_OVER,
    GAMES,
    MATCHES,
    NUMBERS,
    OUTCOME,
    begin,
    close_deal,
    go_on,
    put,
    rules_at,
    state_at,
    view_at,
)
from simgin.play.table import place_in_memory

TAKE_IT, DRAW, LEAVE_IT, END, GO_ON, ACCEPT, REFUSE, OFFERS = range(52, 60)
MELDINGS = OFFERS + 7
ACTIONS = MELDINGS + 64
# The planes, 52 numbers each. The last three say when: the turn over 100, 0 for never
PLANES = (
    ("hand", "pile", "known", "shed", "unseen")
    + ("taken_offer", "drawn", "taken", "ending_card", "upcard")
    + ("own discards", "the opponent's discards", "what the opponent took")
)
FLAGS = ("dealer", "owns the die", "opponent owns the die")
# Behind the planes: which question (six slots) and phase (five), the flags, and numbers over 100
FIELDS = tuple(
    """count stock deck_left turn own_turn limit multiplier own_points other_points own_deals
    other_deals own_games other_games own_opened other_opened deal target stake offered ending
    ending_count least""".split()
)
SIZE = 52 * len(PLANES) + 6 + 5 + len(FLAGS) + len(FIELDS) + 2 * MAX_COLUMNS + len(PARAMETERS)
ILLEGAL_POINTS, ILLEGAL_MATCH = -100.0, -1.0  # for an action that is not legal
N_RULES = len(PARAMETERS)

FLOATS = types.Array(float32, 2, "C")
MASKS = types.Array(int8, 2, "C")
REWARDS = types.Array(types.float64, 1, "C")
_FILES = (Path(__file__), Path(stepping.__file__))
KEY = hashlib.sha256(b"".join(file.read_bytes() for file in _FILES)).hexdigest()[:16]
compiled = partial(jit.compiled, key=KEY)


@compiled
def place_of(card):
    """OpenSpiel's number of a card, or the reverse: suits are s c d h there, S H D C here."""
    return (4 - card // 13) % 4 * 13 + card % 13


@compiled
def action_of(slot, answer, passes):
    """The action that an answer is; passes: whether the answer 0 about the upcard is a pass."""
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
    """The legal answer that an action is; -1 for another action."""
    for answer in range(64):
        if legal >> answer & 1 and action_of(slot, answer, passes) == action:
            return answer
    return -1


@compiled
def is_pass(view, rules):
    """Whether the answer 0 to the upcard is a pass."""
    return view.phase == PHASE_UPCARD and rules.first_turn == UPCARD_PASS


@compiled
def write_mask(view, rules, slot, mask):
    """Write which actions are legal, int8 (ACTIONS,)."""
    passes = is_pass(view, rules)
    mask[:] = 0
    legal = view.legal
    while legal:
        mask[action_of(slot, lowest(legal), passes)] = 1
        legal &= legal - 1


@compiled
def _write_set(out, first, cards):
    while cards:
        out[first + place_of(lowest(cards))] = 1
        cards &= cards - 1


@compiled
def _write_card(out, first, card):
    if card >= 0:
        out[first + place_of(card)] = 1


@compiled
def write_observation(view, slot, out):
    """Write what a seat sees, float32 (SIZE,); the rules, which come last, stand there already."""
    out[: SIZE - N_RULES] = 0
    _write_set(out, 0, view.hand)
    _write_set(out, 52, view.pile)
    _write_set(out, 104, view.known)
    _write_set(out, 156, view.shed)
    _write_set(out, 208, view.unseen)
    _write_card(out, 260, view.taken_offer)
    _write_card(out, 312, view.drawn)
    _write_card(out, 364, view.taken)
    _write_card(out, 416, view.ending_card)
    _write_card(out, 468, view.upcard)
    for i in range(view.turns):
        seat, source = view.history[i, 0], view.history[i, 1]
        card, thrown = view.history[i, 2], view.history[i, 3]
        if thrown >= 0:
            out[(520 if seat == view.seat else 572) + place_of(thrown)] = (i + 1) / 100
        if seat != view.seat and source == FROM_PILE:
            out[624 + place_of(card)] = (i + 1) / 100
    at = 676
    out[at + slot] = 1
    out[at + 6 + view.phase] = 1
    out[at + 11] = view.dealer == view.seat
    out[at + 12] = view.owner == view.seat
    out[at + 13] = view.owner >= 0 and view.owner != view.seat
    _write_numbers(view, out, at + 14)


@compiled
def _write_numbers(view, out, at):
    numbers = (
        view.count, view.stock, view.deck_left, view.turn, view.own_turn, view.limit,
        view.multiplier, view.own_points, view.other_points, view.own_deals, view.other_deals,
        view.own_games, view.other_games, view.own_opened, view.other_opened, view.deal,
        view.target, view.stake, view.offered, view.ending, view.ending_count, view.least,
    )  # fmt: skip
    for i in range(len(numbers)):
        out[at + i] = numbers[i] / 100
    at += len(numbers)
    for c in range(MAX_COLUMNS):
        out[at + c] = view.own_columns[c] / 100
        out[at + MAX_COLUMNS + c] = view.other_columns[c] / 100


# Games of one learner against a strategy or alone, or of two from outside


@compiled
def _reward(game, state, rules, stake):
    """What seat 0 has gained by a deal that is over: points, or the stake of a die.

    In matches nothing before the match is over; then 1 if it is won and -1 if it is lost.
    """
    if game[MATCHES]:
        if game[AT] != GAME_OVER or game[OUTCOME] < UNDECIDED:
            return 0.0
        return 1.0 if game[OUTCOME] == 0 else -1.0
    if rules.die != DIE_OFF:
        paid = state.pays if state.kind == KIND_REFUSED else stake
        return 0.0 if state.winner < 0 else float(paid if state.winner == 0 else -paid)
    if rules.deal_scoring == PENALTY:
        return -float(state.score[0])
    return float(state.score[0] - state.score[1])


@compiled
def _settle(game):
    """Close the deals that are over, up to a question from outside; what seat 0 gained."""
    state, rules = state_at(game[stepping.STATE]), rules_at(game[stepping.RULES])
    gained = 0.0
    while game[AT] == DEAL_OVER:
        stake = state.stake  # a game that the deal decides begins with another
        close_deal(game)
        gained += _reward(game, state, rules, stake)
        if game[AT] == ASKED:
            go_on(game)
    return gained


@compiled
def _observe(game, observation, mask):
    """Write what the seat that is asked sees; no action is legal once the game is over."""
    state = state_at(game[stepping.STATE])
    if game[AT] != ASKED:
        mask[:] = 0
        return
    rules = rules_at(game[stepping.RULES])
    view = view_at(game[stepping.VIEW0 if state.asked_seat == 0 else stepping.VIEW1])
    write_observation(view, state.asked_slot, observation)
    write_mask(view, rules, state.asked_slot, mask)


def begin_games(games, units, stride, observations, masks):
    """Begin games with the first units, in steps of `stride`, in which something is asked."""
    for i in range(len(games)):
        _begin(games[i], units, i, stride)
        _observe(games[i], observations[i], masks[i])


@compiled
def _begin(game, units, i, stride):
    """Begin a game; past those that are over before anything is asked from outside."""
    while True:
        begin(game, units[i])
        go_on(game)
        _settle(game)
        units[i] += stride
        if game[AT] == ASKED:
            return


def step_games(games, units, stride, actions, rewards, ended, observations, masks):
    """Play games on by an action each; those that have ended begin anew instead, unless stride 0.

    units: int64 (games,), of the next game. rewards, ended: float64 and int64 (games,). An illegal
    action ends a game.
    """
    for i in range(len(games)):
        game = games[i]
        rewards[i] = 0.0
        if ended[i]:
            if stride:
                _begin(game, units, i, stride)
                ended[i] = 0
        else:
            state, rules = state_at(game[stepping.STATE]), rules_at(game[stepping.RULES])
            view = view_at(game[stepping.VIEW0 if state.asked_seat == 0 else stepping.VIEW1])
            passes = is_pass(view, rules)
            answer = answer_of(state.asked_slot, actions[i], state.legal, passes)
            if answer < 0:
                ended[i] = 2
                rewards[i] = ILLEGAL_MATCH if game[MATCHES] else ILLEGAL_POINTS
                game[AT] = GAME_OVER
            else:
                put(game, answer)
                go_on(game)
                rewards[i] = _settle(game)
                ended[i] = game[AT] == GAME_OVER
        _observe(game, observations[i], masks[i])


@cache
def compiled_games() -> tuple[Any, Any]:
    """`begin_games` and `step_games`, compiled."""
    return (
        compiled(begin_games, void(GAMES, NUMBERS, int64, FLOATS, MASKS)),
        compiled(step_games, void(GAMES, NUMBERS, int64, NUMBERS, REWARDS, NUMBERS, FLOATS, MASKS)),
    )


def rule_numbers(rules: Any) -> np.ndarray:
    """The parameters of a variant, as the observation ends with them: float32, over 100."""
    return np.array([rules[name] for name in PARAMETERS], np.float32) / 100


# One question, for a policy from outside


def encode(view, rules, slot, observation, mask):
    """Write an observation and a mask; view, rules: where they lie in memory."""
    seen, game_rules = view_at(view), rules_at(rules)
    write_observation(seen, slot, observation)
    write_mask(seen, game_rules, slot, mask)


def decode(view, rules, slot, action):
    """The answer that an action is; -1 for one that is not legal."""
    seen = view_at(view)
    return answer_of(slot, action, seen.legal, is_pass(seen, rules_at(rules)))


@cache
def _compiled_question() -> tuple[Any, Any]:
    row, mask = types.Array(float32, 1, "C"), types.Array(int8, 1, "C")
    return (
        compiled(encode, void(int64, int64, int64, row, mask)),
        compiled(decode, int64(int64, int64, int64, int64)),
    )


def answered(act: Callable[..., Any], slot: int, view: Any, rules: Any) -> int:
    """The answer of a function of an observation to a question; -1 for an action not legal."""
    places = place_in_memory(view), place_in_memory(rules)
    observation, mask = np.zeros(SIZE, np.float32), np.zeros(ACTIONS, np.int8)
    observation[-N_RULES:] = rule_numbers(rules)
    to_numbers, to_answer = _compiled_question()
    to_numbers(*places, slot, observation, mask)
    action = act({"observation": observation, "action_mask": mask})
    return int(to_answer(*places, slot, int(action)))
