"""View record with all information that a player may use for a decision (rules.md 9.2).

Fields that change during a deal are updated before each decision, and all other fields before each
deal. During a deal, rows are only added to the history. The engine never reads a view, so a policy
that modifies its view does not affect the game. Sets of cards are 52-bit masks. Single cards are
0 to 51, or -1 for no card.
"""

import numpy as np

from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules_record import MAX_COLUMNS

# `max_turns` is at most 500, and the 50th-card rule can add one turn.
MAX_TURNS = 501
# Sources of a card in the history
FROM_STOCK, FROM_PILE, FROM_DEAL = np.int64(0), np.int64(1), np.int64(2)

VIEW_FIELDS = (
    ("hand", "mask of the player's own cards: ten before the draw, eleven after the draw"),
    ("count", "least deadwood, in points, of the ten cards that the player held before the draw"),
    ("upcard", "first upcard of the deal (also after a player has taken it), or -1 if none"),
    ("pile", "mask of all cards in the discard pile"),
    ("known", "mask of the face-up cards that the opponent took and still holds"),
    ("shed", "mask of the cards that the opponent has discarded or declined"),
    ("unseen", "mask of the cards in the stock and of the unknown cards in the opponent's hand"),
    ("stock", "number of face-down cards in the stock"),
    (
        "deck_left",
        "number of cards left in the deck, including the joker, or -1 in two-player games",
    ),
    (
        "turn",
        "number of the current turn of the deal, counted from 1, including the opponent's turns",
    ),
    (
        "own_turn",
        "number of the player's current turn, counted from 1, excluding the opponent's turns",
    ),
    ("turns", "number of completed turns of both players, which is the number of history rows"),
    ("dealer", "seat of the dealer, 0 or 1"),
    ("seat", "seat of the player, 0 or 1"),
    ("limit", "knock limit of the deal, in points of deadwood"),
    ("multiplier", "factor by which all points of the deal are multiplied, at least 1"),
    ("own_points", "points that the player scored in the match before the current deal"),
    ("other_points", "points that the opponent scored in the match before the current deal"),
    (
        "own_deals",
        "number of deals that the player won before the current deal (one deal can count as "
        "several)",
    ),
    (
        "other_deals",
        "number of deals that the opponent won before the current deal (one deal can count as "
        "several)",
    ),
    ("own_games", "number of games that the player won in the match, for the goal `games`"),
    ("other_games", "number of games that the opponent won in the match, for the goal `games`"),
    (
        "own_opened",
        "number of the last column that the player opened, or 0 if none, for the goal `columns`",
    ),
    (
        "other_opened",
        "number of the last column that the opponent opened, or 0 if none, for the goal `columns`",
    ),
    ("closed", "bit mask of the finished columns, for the goal `columns`"),
    ("deal", "number of deals played in the match before the current deal"),
    (
        "goal",
        "index of the match goal in the list of goals in section 11 of the rules, counted from 0",
    ),
    (
        "target",
        "number of points, deals or games required to win, or maximum total for the goal `total`",
    ),
    ("stake", "number on the die, or 1 in games without a die"),
    ("owner", "seat of the player who owns the die, or -1 if none"),
    ("offered", "number that the opponent offers if an `answer` policy is called, otherwise 0"),
    ("taken", "card that the player took from the discard pile in the current turn, or -1 if none"),
    ("taken_offer", "card on offer in a `take` policy, otherwise the last discard, or -1 if none"),
    ("drawn", "card that the player drew from the stock in the current turn, or -1 if none"),
    ("ending", "proposed ending of the deal: 0 none, 1 knock or gin, 2 shot, 3 big gin"),
    ("ending_card", "discard of the proposed ending, or -1 if the ending has no discard"),
    ("ending_count", "deadwood, in points, that remains after the proposed ending"),
    (
        "noise",
        "random number for the current decision, from 0 to 2**53 - 1, if the policy declares "
        "noise=True",
    ),
    (
        "phase",
        "phase of the deal: 0 first upcard, 1 turn, 2 last discard (50th-card rule), 3 decision "
        "whether to stop (solitaire games), 4 before the cards are seen",
    ),
    ("legal", "bit mask of the legal actions"),
    (
        "least",
        "least deadwood, in points, after a legal discard if the player holds eleven cards, "
        "otherwise -1",
    ),
    (
        "best",
        "mask of the legal discards that leave the least deadwood (`least`) if the player holds "
        "eleven cards, otherwise 0",
    ),
)

_VIEW_STRUCT_DTYPE = np.dtype(
    [(name, np.int64) for name, _ in VIEW_FIELDS]
    + [("own_columns", np.int64, MAX_COLUMNS), ("other_columns", np.int64, MAX_COLUMNS)]
    + [("meldings", np.int64, (MAX_MELDINGS, 3)), ("history", np.int8, (MAX_TURNS, 4))],
    align=True,
)
VIEW_DTYPE = np.dtype((np.record, _VIEW_STRUCT_DTYPE))
# For a `show` policy, meldings[i] contains the three melds of action i in the order of rules.md
# 3.5, and 0 for each missing meld. For other policies, all entries are 0. Each of the first `turns`
# rows of `history` contains the seat, the source of the card (0 for the stock, 1 for the pile), the
# card drawn (-1 if the player did not see it) and the card discarded (-1 for none).


def create_view() -> np.record:
    """Return a view in which all fields are zero.

    Each view has a separate allocation, so that the views of the two seats are not adjacent in
    memory.
    """
    return np.zeros(1, VIEW_DTYPE)[0]
