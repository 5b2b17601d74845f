"""The engine's private state of one deal and the match around it.

One structured record per thread, never copied.
"""

import mmap

import numpy as np

from simgin.core.answers import SLOTS
from simgin.core.layoff import MAX_OPTIONS
from simgin.core.meldings import MAX_MELDINGS, MAX_MELDS
from simgin.core.rules import MAX_COLUMNS
from simgin.core.sums import COLUMNS, N_FACTS
from simgin.core.view import VIEW

TAKE, DISCARD, KNOCK, OFFER, ANSWER, SHOW = range(6)
YES_OR_NO = 3  # the legal answers 0 and 1 as bits
# 500 turns of at most five questions (offer, draw, two endings, discard), and some room
MAX_QUESTIONS = 2560

_SCALARS = (
    # this deal's address in the random streams
    ("seed", "unit", "half", "deal")
    # the pack: places shuffled so far, places dealt so far
    + ("shuffled", "dealt")
    # the table
    + ("dealer", "pile", "top", "upcard", "limit", "multiplier")
    + ("stock", "turns", "taken", "drawn", "phase")
    # one player: cards above the joker in the deck (-1: none), the joker's place in dealing order
    + ("above", "joker")
    # the die: its number, its owner, what is offered, and what a refusal pays
    + ("stake", "owner", "offered", "pays")
    # with eleven cards: the least deadwood after a discard, and all discards that leave it
    + ("least", "best")
    # the proposal before the knock policy
    + ("ending", "ending_card", "ending_count")
    # the question being asked, for the message if a policy fails
    + ("asked_seat", "asked_slot", "answer", "legal")
    # a watched deal: its half and number (or -1), whether this is the one, questions logged so
    # far, whether the pack is given, and how many of the first answers are given
    + ("watch_half", "watch_deal", "watched", "logged", "given", "scripted")
    # result of the deal (rules.md 6): seats or -1, counts in points
    + ("kind", "stopper", "winner", "discard")
    + ("stopper_count", "other_count", "defender_before", "laid_off")
    # deals written to the table of records so far
    + ("recorded",)
    # who took the first upcard: 0 the nondealer, 1 the dealer, 2 nobody, -1 there was none
    + ("upcard_to",)
)
_BY_SEAT = (
    # hands, cards known to be held, cards discarded or declined, deadwood of the ten cards held
    # between turns and as dealt
    ("hand", "known", "shed", "count", "dealt_count", "own_turns", "draws", "takes", "score")
    # the match so far
    + ("points", "deals_won", "games", "opened")
    # noisy questions so far
    + ("noises",)
)
# By strategy, A and B (A sits at seat `half`): the slots that want noise, as bits, and whether the
# discard is asked before the ending.
_BY_STRATEGY = ("noisy", "same")

_STATE = np.dtype(
    [(name, np.int64) for name in _SCALARS]
    + [(name, np.int64, 2) for name in _BY_SEAT + _BY_STRATEGY]
    + [
        # addresses and lengths of the parameter vectors, by strategy and slot
        ("vectors", np.int64, (2, len(SLOTS))),
        ("lengths", np.int64, (2, len(SLOTS))),
        ("pack", np.uint8, 52),
        ("words", np.int64, 32),  # for the shuffle, of 32 places at a time
        ("spare", np.int64, (2, 32)),  # for the noise of each seat, sixteen numbers at a time
        ("answers", np.int8, MAX_QUESTIONS),
        ("column_points", np.int64, (2, MAX_COLUMNS)),
        ("column_wins", np.int64, (2, MAX_COLUMNS)),
        ("column_winner", np.int64, MAX_COLUMNS),  # -1: open
        ("facts", np.int64, N_FACTS),  # of the unit being played
        ("row", np.int64, COLUMNS),  # of its batch
        # meldings that the stopper may show, and the numbers that order them
        ("meldings", np.int64, (MAX_MELDINGS, 3)),
        ("keys", np.int64, (MAX_MELDINGS, 3)),
        ("melds", np.int64, 3),  # shown by the stopper
        ("found", np.int64, MAX_MELDS),
        ("options", np.int64, (3, MAX_OPTIONS)),
        ("chains", np.int64, (2, 16)),
        ("slots", np.int8, MAX_QUESTIONS),
        # the view at each logged question; pages that are never touched cost no memory
        ("log", VIEW, MAX_QUESTIONS),
    ],
    align=True,
)
STATE = np.dtype((np.record, _STATE))
WITHOUT_LOG = STATE.itemsize - MAX_QUESTIONS * VIEW.itemsize  # bytes; the log comes last


def new_state(seed: int) -> np.record:
    """A state for one thread; seed: 0..2**64-1."""
    state: np.record = new_states(seed, 1)[0]
    return state


def new_states(seed: int, n: int) -> np.ndarray:
    """States that share one log, STATE (n,): of several, none is watched. They lie close together.

    Their memory comes straight from the system. An allocator would clear the ten megabytes of the
    log, which is used only when a deal is watched. It is private, so that a forked process has
    states of its own.
    """
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    memory = mmap.mmap(-1, WITHOUT_LOG * (n - 1) + STATE.itemsize, private)
    states = np.ndarray(n, STATE, memory, strides=(WITHOUT_LOG,))
    states["watch_half"] = -1
    states["seed"] = seed_bits(seed)
    return states


def seed_bits(seed: int) -> np.int64:
    """A seed, 0..2**64-1, as the int64 of the same bits, as a state keeps it."""
    return np.uint64(seed).astype(np.int64)
