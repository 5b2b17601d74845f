"""What a deciding seat may lawfully know (rules.md 9.2), as one structured record.

What changes within a deal is rewritten before every question, the rest before every deal; the
history only grows. The engine never reads a view back, so nothing that a policy might write into
one changes the game. Sets of cards are 52-bit masks, single cards 0..51 or -1 for none.
"""

import numpy as np

from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules import MAX_COLUMNS

# `max_turns` is at most 500, and the last discard of the 50th-card rule can add one
MAX_TURNS = 501
FROM_STOCK, FROM_PILE, FROM_DEAL = (
    np.int64(source) for source in range(3)
)  # source in the history

FIELDS = (
    ("hand", "own cards: ten before the draw, eleven when a discard or an ending is asked"),
    ("count", "least deadwood of the ten cards held before this turn's draw"),
    ("upcard", "first upcard of the deal, whatever became of it; -1 if the deal has none"),
    ("pile", "all cards in the discard pile"),
    ("known", "cards the opponent took face up and still holds"),
    ("shed", "cards the opponent has thrown or declined"),
    ("unseen", "cards that may be in the stock or, unknown, in the opponent's hand"),
    ("stock", "number of face-down cards"),
    ("deck_left", "one-player games: cards left in the deck with the joker; -1 otherwise"),
    ("turn", "number of this turn, both players counted, from 1"),
    ("own_turn", "number of this turn among one's own, from 1"),
    ("turns", "turns completed, that is, rows of the history"),
    ("dealer", "seat of the dealer"),
    ("seat", "one's own seat"),
    ("limit", "knock limit of this deal"),
    ("multiplier", "factor on all points of this deal"),
    ("own_points", "own points in the match before this deal"),
    ("other_points", "the opponent's"),
    ("own_deals", "deals won in the match before this one, counted as its goal counts them"),
    ("other_deals", "the opponent's"),
    ("own_games", "games won in the match (goal games)"),
    ("other_games", "the opponent's"),
    (
        "own_opened",
        "goal columns: number of the last column opened, 0 none; its points are in own_columns",
    ),
    ("other_opened", "the opponent's"),
    ("closed", "goal columns: the columns that are over, as bits"),
    ("deal", "deals played in the match before this one"),
    ("goal", "what wins the match, coded in the order of rules.md 11"),
    ("target", "points, won deals or won games that win the match; the total to stay within"),
    ("stake", "number on the die, 1 without one"),
    ("owner", "seat that owns the die, or -1"),
    ("offered", "number offered when `answer` is asked, else 0"),
    ("taken", "card taken from the pile on this turn"),
    ("taken_offer", "card on offer when `take` is asked"),
    ("drawn", "card drawn from the stock on this turn"),
    ("ending", "proposed ending: 1 knock or gin, 2 shot, 3 big gin"),
    ("ending_card", "discard that goes with it, -1 with big gin"),
    ("ending_count", "deadwood declared with it"),
    (
        "noise",
        "random number 0 .. 2**53-1 for this question, where the policy declares noise=True; else 0",
    ),
    (
        "phase",
        "0 first upcard, 1 ordinary turn, 2 last discard of the 50th-card rule, 3 stop (one player), 4 before cards are seen",
    ),
    ("legal", "legal answers as bits"),
)

_VIEW = np.dtype(
    [(name, np.int64) for name, _ in FIELDS]
    + [("own_columns", np.int64, MAX_COLUMNS), ("other_columns", np.int64, MAX_COLUMNS)]
    + [("meldings", np.int64, (MAX_MELDINGS, 3)), ("history", np.int8, (MAX_TURNS, 4))],
    align=True,
)
VIEW = np.dtype((np.record, _VIEW))
MELDINGS = "meldings[i] = up to three melds (0: none) that answer i of the slot `show` lays down, in the order of rules.md 3.5; else 0"
HISTORY = "history[i] = (seat, source, card drawn or -1 if hidden from this seat, card discarded) for i < turns; source 0 stock, 1 pile"


def new_view() -> np.record:
    """A view of its own, zeroed.

    Each view is allocated apart, so that the two seats' views never lie side by side in memory.
    """
    return np.zeros(1, VIEW)[0]
