"""Private state of the engine for a deal and its match.

Each thread has one structured record, which is never copied.
"""

import mmap

import numpy as np

from simgin.core.batch_columns import N_COLUMNS, N_STATISTICS
from simgin.core.codes import SLOTS
from simgin.core.layoff import MAX_LAYOFF_OPTIONS
from simgin.core.meldings import MAX_MELDINGS, MAX_MELDS
from simgin.core.rules_record import MAX_COLUMNS
from simgin.core.view import VIEW_DTYPE

SLOT_TAKE, SLOT_DISCARD, SLOT_KNOCK, SLOT_OFFER, SLOT_ANSWER, SLOT_SHOW = range(6)
YES_NO_ACTIONS = 3  # the legal actions 0 and 1 as bits
# Maximum number of decisions in a deal. A deal has up to 500 turns with up to five decisions each
# (offer, draw, two endings, discard). The rest is a margin.
MAX_DECISIONS = 2560

_SCALAR_STATE_FIELDS = (
    # address of the deal in the random streams (strategy A sits in seat `half`)
    ("seed", "unit", "half", "deal")
    # `shuffled` and `dealt` are the numbers of cards shuffled and dealt so far.
    + ("shuffled", "dealt")
    # `limit` is the knock limit, and `multiplier` is the factor by which points are multiplied.
    + ("dealer", "pile", "top", "upcard", "limit", "multiplier")
    + ("stock", "turns", "taken", "drawn", "phase")
    # `above` is the number of cards above the joker in a solitaire deck, or a negative number if
    # the joker was dealt to the player. `joker` is the position of the joker in dealing order.
    + ("above", "joker")
    # State of the die. If the opponent refuses the offer, the player wins `pays` deals or games.
    + ("stake", "owner", "offered", "pays")
    # `best` contains all discards that leave the least deadwood (`least`).
    + ("least", "best")
    # Ending that the engine proposes to the knock policy
    + ("ending", "ending_card", "ending_count")
    # Current decision, for error messages
    + ("query_seat", "query_slot", "answer", "legal")
    # `log_half` and `log_deal` identify the deal to trace. `log_mode` is 1 during this deal, or -1
    # if only actions are logged, without views. `n_logged` is the number of logged decisions.
    + ("log_half", "log_deal", "log_mode", "n_logged")
    # `has_given_cards` is 1 if the cards are prescribed, and `n_scripted` is the number of
    # prescribed actions.
    + ("has_given_cards", "n_scripted")
    # Result of the deal (rules.md, section 6). `knocker` and `winner` are seats, or -1 for neither
    # seat. `discard` is the last discard, or -1 for none.
    + ("kind", "knocker", "winner", "discard")
    + ("knocker_deadwood", "defender_deadwood", "defender_before", "laid_off")
    # Number of deal records written so far
    + ("n_recorded",)
    # Player who took the first upcard (0 for the nondealer, 1 for the dealer, 2 for neither, -1 if
    # there is no upcard)
    + ("upcard_to",)
)
_STATE_FIELDS_PER_SEAT = (
    # `known` contains the cards that the opponent knows. `shed` contains the cards that the player
    # discarded or declined. `count` is the deadwood of the ten cards between turns.
    ("hand", "known", "shed", "count", "dealt_deadwood", "own_turns", "draws", "takes", "score")
    # Score of the match so far
    + ("points", "deals_won", "games", "opened")
    # Number of random numbers that policies have used so far
    + ("n_random_numbers",)
)
# Fields of strategies A and B. `random_slots` is a mask of the slots whose policies use random
# numbers. `discards_first` is 1 if the strategy chooses its discard before it decides whether to
# end the deal.
_STATE_FIELDS_PER_STRATEGY = ("random_slots", "discards_first")

_STATE_STRUCT_DTYPE = np.dtype(
    [(name, np.int64) for name in _SCALAR_STATE_FIELDS]
    + [(name, np.int64, 2) for name in _STATE_FIELDS_PER_SEAT + _STATE_FIELDS_PER_STRATEGY]
    + [
        # addresses and lengths of the parameter vectors for each strategy and slot
        ("vectors", np.int64, (2, len(SLOTS))),
        ("lengths", np.int64, (2, len(SLOTS))),
        ("pack", np.uint8, 52),
        ("words", np.int64, 32),  # random words for the shuffle of 32 positions
        ("spare", np.int64, (2, 32)),  # random words for sixteen policy calls of each seat
        ("answers", np.int8, MAX_DECISIONS),
        ("column_points", np.int64, (2, MAX_COLUMNS)),
        ("column_wins", np.int64, (2, MAX_COLUMNS)),
        # Side that won the column, or -1 if the column is open
        ("column_winner", np.int64, MAX_COLUMNS),
        ("statistics", np.int64, N_STATISTICS),  # statistics of the current unit
        ("row", np.int64, N_COLUMNS),  # row of the current batch
        # meldings that the knocker may show, and their sort keys
        ("meldings", np.int64, (MAX_MELDINGS, 3)),
        ("keys", np.int64, (MAX_MELDINGS, 3)),
        ("melds", np.int64, 3),  # melds shown by the knocker
        ("meld_buffer", np.int64, MAX_MELDS),
        ("options", np.int64, (3, MAX_LAYOFF_OPTIONS)),
        ("chains", np.int64, (2, 16)),
        ("slots", np.int8, MAX_DECISIONS),
        # view at each logged decision (the system allocates only memory pages in use)
        ("log", VIEW_DTYPE, MAX_DECISIONS),
    ],
    align=True,
)
STATE_DTYPE = np.dtype((np.record, _STATE_STRUCT_DTYPE))
STATE_SIZE_WITHOUT_LOG = (
    STATE_DTYPE.itemsize - MAX_DECISIONS * VIEW_DTYPE.itemsize
)  # size in bytes without the log, which is the last field


def create_state(seed: int) -> np.record:
    """Return a new engine state for one thread.

    `seed` is from 0 to 2**64-1.
    """
    state: np.record = create_states(seed, 1)[0]
    return state


def create_states(seed: int, n_states: int) -> np.ndarray:
    """Return an (n,) array of state records that share one log.

    Only a state that is not part of a batch can trace a deal. The memory is mapped directly,
    because an allocator would clear the ten megabytes of the log, although only traced deals use
    the log. The mapping is private, so that a forked process has separate states.
    """
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    memory = mmap.mmap(-1, STATE_SIZE_WITHOUT_LOG * (n_states - 1) + STATE_DTYPE.itemsize, flags)
    states = np.ndarray(n_states, STATE_DTYPE, memory, strides=(STATE_SIZE_WITHOUT_LOG,))
    states["log_half"] = -1
    states["seed"] = seed_to_int64(seed)
    return states


def seed_to_int64(seed: int) -> np.int64:
    """Return the int64 with the same bits as a seed from 0 to 2**64-1."""
    return np.uint64(seed).astype(np.int64)
