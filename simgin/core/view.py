"""VIEW record with all information that a player may use for a decision (rules.md 9.2).

Fields that change during a deal are updated before each decision, and all other fields before each
deal. During a deal, rows are only added to the history. The engine never reads a view, so a policy
that modifies its view does not affect the game. Sets of cards are 52-bit masks. Single cards are
0..51, or -1 for no card.
"""

import numpy as np

from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules_record import MAX_COLUMNS

# `max_turns` is at most 500, and the 50th-card rule can add one turn.
MAX_TURNS = 501
FROM_STOCK, FROM_PILE, FROM_DEAL = np.int64(0), np.int64(1), np.int64(2)  # source in the history

VIEW_FIELDS = (
    ("hand", "own cards: ten before drawing, eleven after"),
    ("count", "least deadwood of the ten cards before this turn's draw"),
    ("upcard", "first upcard of the deal, even if it has been taken; -1 without an upcard"),
    ("pile", "all cards in the discard pile"),
    ("known", "cards that the opponent took face up and still holds"),
    ("shed", "cards that the opponent has discarded or declined"),
    ("unseen", "cards in the stock and unknown cards in the opponent's hand"),
    ("stock", "number of face-down cards"),
    ("deck_left", "single-player variants: cards left in the deck including the joker; else -1"),
    ("turn", "number of this turn among both players' turns, from 1"),
    ("own_turn", "number of this turn among own turns, from 1"),
    ("turns", "number of completed turns of both players, which is the number of history rows"),
    ("dealer", "seat of the dealer"),
    ("seat", "own seat"),
    ("limit", "knock limit of this deal"),
    ("multiplier", "factor on all points of this deal"),
    ("own_points", "own points in the match before this deal"),
    ("other_points", "opponent's points in the match before this deal"),
    ("own_deals", "own won deals in the match before this deal, as counted for the goal"),
    ("other_deals", "opponent's won deals in the match before this deal"),
    ("own_games", "own won games in the match (goal games)"),
    ("other_games", "opponent's won games in the match (goal games)"),
    ("own_opened", "own last opened column, 0 for none (goal columns)"),
    ("other_opened", "opponent's last opened column, 0 for none (goal columns)"),
    ("closed", "finished columns as bits (goal columns)"),
    ("deal", "number of deals in the match before this deal"),
    ("goal", "goal of the match, numbered in the order of rules.md 11"),
    ("target", "points, won deals or won games that win the match; for a total, the maximum"),
    ("stake", "number on the die; 1 without a die"),
    ("owner", "seat that owns the die, or -1"),
    ("offered", "offered number in an `answer` policy, otherwise 0"),
    ("taken", "card taken from the discard pile this turn, or -1"),
    ("taken_offer", "card on offer in a `take` policy, or the last discard; otherwise -1"),
    ("drawn", "card drawn from the stock this turn, or -1"),
    ("ending", "proposed ending: 0 none, 1 knock or gin, 2 shot, 3 big gin"),
    ("ending_card", "discard of the proposed ending, or -1 (big gin, or with ten cards)"),
    ("ending_count", "deadwood of the proposed ending"),
    ("noise", "random number 0..2**53-1 for this decision if the policy declares noise=True"),
    (
        "phase",
        "0 first upcard, 1 turn, 2 last discard (50th-card rule), 3 stop (single-player), 4 before "
        "the cards are seen",
    ),
    ("legal", "legal actions as bits"),
    ("least", "with eleven cards, the least deadwood after a legal discard; otherwise -1"),
    ("best", "with eleven cards, all legal discards that leave `least`; otherwise 0"),
)

_VIEW = np.dtype(
    [(name, np.int64) for name, _ in VIEW_FIELDS]
    + [("own_columns", np.int64, MAX_COLUMNS), ("other_columns", np.int64, MAX_COLUMNS)]
    + [("meldings", np.int64, (MAX_MELDINGS, 3)), ("history", np.int8, (MAX_TURNS, 4))],
    align=True,
)
VIEW = np.dtype((np.record, _VIEW))
# meldings[i] contains the three melds (0 for none) of action i of a `show` policy, in the order of
# rules.md 3.5. It is 0 in other slots. For i < turns, history[i] contains the seat, the source (0
# for the stock, 1 for the pile), the card drawn (-1 if this seat did not see it) and the card
# discarded (-1 for none).


def new_view() -> np.record:
    """Return a view with all fields zero.

    Each view has its own allocation, so that the views of the two seats are not adjacent in memory.
    """
    return np.zeros(1, VIEW)[0]
