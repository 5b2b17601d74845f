"""The VIEW record: everything that a deciding seat may know (rules.md 9.2).

Fields that change within a deal are rewritten after each change and before the next decision, the
others before every deal. The history only grows. The engine never reads a view back, so a policy
that writes to its view changes nothing in the game. Sets of cards are 52-bit masks; single cards
are 0..51, or -1 for none.
"""

import numpy as np

from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules_record import MAX_COLUMNS

# `max_turns` is at most 500, and the last discard of the 50th-card rule can add one
MAX_TURNS = 501
FROM_STOCK, FROM_PILE, FROM_DEAL = np.int64(0), np.int64(1), np.int64(2)  # source in the history

VIEW_FIELDS = (
    ("hand", "own cards: ten before drawing, eleven after"),
    ("count", "least deadwood of the ten cards held before this turn's draw"),
    ("upcard", "first upcard of the deal, even when it is gone; -1 if the deal has none"),
    ("pile", "all cards in the discard pile"),
    ("known", "cards that the opponent took face up and still holds"),
    ("shed", "cards that the opponent has discarded or declined"),
    ("unseen", "cards that may be in the stock or, unknown, in the opponent's hand"),
    ("stock", "number of face-down cards"),
    ("deck_left", "one-player games: cards left in the deck, joker included; otherwise -1"),
    ("turn", "number of this turn, from 1, counting both players' turns"),
    ("own_turn", "number of this turn, from 1, counting own turns only"),
    ("turns", "turns completed by both players: the rows of the history"),
    ("dealer", "seat of the dealer"),
    ("seat", "own seat"),
    ("limit", "knock limit of this deal"),
    ("multiplier", "factor on all points of this deal"),
    ("own_points", "own points in the match before this deal"),
    ("other_points", "the opponent's points before this deal"),
    ("own_deals", "deals won before this one, counted as the match goal counts them"),
    ("other_deals", "the same for the opponent"),
    ("own_games", "games won in the match (goal games)"),
    ("other_games", "games won by the opponent"),
    (
        "own_opened",
        "goal columns: the last column opened, 0 for none; its points are in own_columns",
    ),
    ("other_opened", "the same for the opponent"),
    ("closed", "goal columns: the columns that are finished, as bits"),
    ("deal", "deals played in the match before this one"),
    ("goal", "what wins the match, numbered in the order of rules.md 11"),
    ("target", "points, won deals or won games that win the match; for a total, the most allowed"),
    ("stake", "number on the die; 1 without a die"),
    ("owner", "seat that owns the die, or -1"),
    ("offered", "number offered when `answer` is asked, otherwise 0"),
    ("taken", "card taken from the discard pile this turn, or -1"),
    ("taken_offer", "card on offer when `take` is asked, or as the last discard; otherwise -1"),
    ("drawn", "card drawn from the stock this turn, or -1"),
    ("ending", "ending proposed: 0 none, 1 knock or gin, 2 shot, 3 big gin"),
    (
        "ending_card",
        "discard that goes with the ending; -1 if there is none: big gin, and with ten cards",
    ),
    ("ending_count", "deadwood declared with the ending"),
    ("noise", "random number 0..2**53-1 for this question where the policy declares noise=True"),
    (
        "phase",
        "0 first upcard, 1 turn, 2 last discard (50th-card rule), 3 stop (one player), 4 blind",
    ),
    ("legal", "legal answers, as bits"),
    ("least", "with eleven cards: the least deadwood that a legal discard leaves; otherwise -1"),
    ("best", "with eleven cards: all legal discards that leave it; otherwise 0"),
)

_VIEW = np.dtype(
    [(name, np.int64) for name, _ in VIEW_FIELDS]
    + [("own_columns", np.int64, MAX_COLUMNS), ("other_columns", np.int64, MAX_COLUMNS)]
    + [("meldings", np.int64, (MAX_MELDINGS, 3)), ("history", np.int8, (MAX_TURNS, 4))],
    align=True,
)
VIEW = np.dtype((np.record, _VIEW))
# meldings[i]: up to three melds (0 for none) that action i of the slot `show` lays down, in the
# order of rules.md 3.5; 0 in other slots.
# history[i], i < turns: (seat, source, card drawn or -1 if hidden from this seat, card discarded or
# -1); source 0 stock, 1 pile.


def new_view() -> np.record:
    """Return a view with all fields zero.

    Each view is allocated separately, so that the two seats' views are not adjacent in memory.
    """
    return np.zeros(1, VIEW)[0]
