"""Rules record, which contains the parameters of a variant and tables of its melds.

The record is passed by reference, so that a new variant needs no compilation. A field that is named
after a parameter (rules.md 11) contains the value of the parameter. A word is encoded as its index
in the list of choices, yes as 1, and a dash as -1. If the first axis of an array has length two,
index 0 contains the knocker's card values, and index 1 contains the defender's card values
(`defender_ace_value`).
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simgin.core.cards import ACES

KNOCKER, DEFENDER = 0, 1
ACE_LOW, ACE_HIGH_OR_LOW, ACE_ROUND_CORNER = 0, 1, 2  # values of ace_runs
# Values of first_turn
FIRST_TURN_UPCARD_PASS, FIRST_TURN_UPCARD_STOCK_OR_PASS, FIRST_TURN_UPCARD_STOCK_OR_PASS_DEAD = (
    range(3)
)
FIRST_TURN_FREE, FIRST_TURN_DISCARD, FIRST_TURN_STOCK = 3, 4, 5
DISCARD_BAN_TAKEN, DISCARD_BAN_DRAWN, DISCARD_BAN_NONE = 0, 1, 2  # values of discard_ban
# Values of stock_end
STOCK_END_AFTER_DISCARD, STOCK_END_AT_DRAW, STOCK_END_OPPONENT_MAY_TAKE, STOCK_END_NONE = range(4)
TAKE_TO_KNOCK_ANY, TAKE_TO_KNOCK_MELDED = 0, 1  # values of take_to_knock
MELDING_AUTO, MELDING_CHOICE = 0, 1  # values of melding
# Values of deal_scoring
SCORING_VERSUS, SCORING_AGAINST_JOKER, SCORING_WINLOSS, SCORING_PENALTY = 0, 1, 2, 3
JOKER_NONE, JOKER_BEFORE_DEAL, JOKER_AFTER_DEAL = 0, 1, 2  # values of joker
JOKER_IN_HAND_REDEAL, JOKER_IN_HAND_LOSE = 0, 1  # values of joker_in_hand
# Values of goal
GOAL_SINGLE, GOAL_POINTS, GOAL_COLUMNS, GOAL_GAMES = 0, 1, 2, 3
GOAL_RACE, GOAL_TWOFOLD, GOAL_DEALS, GOAL_TOTAL = 4, 5, 6, 7
COLUMN_NEXT_OPEN, COLUMN_ABSOLUTE = 0, 1  # values of column_entry
TIE_EVEN, TIE_UNDERCUT, TIE_KNOCK = 0, 1, 2  # values of undercut_on_tie
# Values of shutout (0 means no bonus)
SHUTOUT_DOUBLE_POINTS, SHUTOUT_DOUBLE_ALL, SHUTOUT_FLAT_100 = 1, 2, 3
DIE_OFF, DIE_DEAL, DIE_GAME = 0, 1, 2  # values of die
REFUSAL_PAYS_OLD, REFUSAL_PAYS_NEW = 0, 1  # values of die_refusal_pays
NEXT_DEALER_WINNER, NEXT_DEALER_LOSER, NEXT_DEALER_ALTERNATE = range(3)  # values of next_dealer
VOID_DEALER_SAME, VOID_DEALER_OTHER = 0, 1  # values of void_dealer
FIRST_DEALER_RANDOM = 0  # value of first_dealer (0 for random, 1 for seat 0, 2 for seat 1)

MAX_SUIT_RUNS = 131  # number of runs in one suit if runs can go round the corner
MAX_RAINBOWS = 104
MAX_COLUMNS = 10
MAX_GAME_TABLE_ROWS = 8
N_VALUE_BITS = 4  # number of bits of a card value (only an ace can be worth more than 15 points)

RULE_PARAMETERS = tuple(
    """
    players joker joker_in_hand stop_before_draw max_draws deal_scoring count_joker penalty_gin
    first_turn take_discard discard_ban knock_limit knock_by_upcard upcard_ace_limit take_to_knock
    big_gin shot stock_end stock_reserve max_turns ace_runs rainbow pip_values ace_value
    defender_ace_value melding gin_bonus big_gin_bonus undercut_bonus undercut_on_tie layoff
    layoff_on_gin shot_deducts rush_premium rush_on_gin spade_multiplier goal points_target
    deals_target games_target max_deals columns column_entry deal_count_gin deal_count_undercut
    race_points_seat deals_in_match total_goal game_bonus box_bonus shutout first_dealer next_dealer
    void_dealer die die_cap die_refusal_pays die_centre_in_play
    """.split()
)

_RULES_STRUCT_DTYPE = np.dtype(
    [(name, np.int64) for name in RULE_PARAMETERS]
    + [
        ("start_points", np.int64, 2),
        # Each row contains the maximum points of the loser and the number of games won. Unused rows
        # are zero.
        ("game_table", np.int64, (MAX_GAME_TABLE_ROWS, 2)),
        ("value", np.int64, (2, 13)),  # deadwood of a card of each rank
        ("peers", np.int64, (2, 13)),  # ranks with the same value, as 13 bits, for each rank
        ("runs", np.int64, MAX_SUIT_RUNS),  # every run in one suit, as 13 bits
        ("n_runs", np.int64),
        ("rainbows", np.int64, MAX_RAINBOWS),  # every rainbow, as a hand
        ("n_rainbows", np.int64),
        # In lane[side, m], bits 0 to 12 contain the cards of lane m that are in a run. Bits 16 and
        # above contain the points that remain after the best runs. Most hands need only four
        # loads, because each load reads both the cards and the points.
        ("lane", np.int32, (2, 8192)),
        # 1 if `simgin.core.bitboard` finds the melds of all hands, otherwise 0
        ("by_planes", np.int64, 2),
        # 1 if the bitboard finds the melds of all hands without an ace and a king of the same suit,
        # otherwise 0
        ("by_planes_apart", np.int64, 2),
        (
            "planes",
            np.int64,
            (2, N_VALUE_BITS),
        ),  # for each bit of a card value, the cards whose value has this bit
    ],
    align=True,
)
RULES_DTYPE = np.dtype((np.record, _RULES_STRUCT_DTYPE))


def compute_card_values(pip_values: int, ace_value: int) -> list[int]:
    """Return the deadwood points of the ranks A to K (rules.md 2).

    Number cards have their face values, and court cards count 10. With `pip_values`, the ranks 2 to
    9 count 5, and higher ranks count 10.
    """
    other_values = [5] * 8 + [10] * 4 if pip_values else [*range(2, 10), 10, 10, 10, 10]
    return [ace_value, *other_values]


def list_suit_runs(ace_runs: int) -> list[int]:
    """Return all runs in a suit as masks of 13 bits, ordered by length (rules.md 3.1)."""
    if ace_runs == ACE_ROUND_CORNER:
        sequences = [
            [(start + i) % 13 for i in range(n)] for n in range(3, 14) for start in range(13)
        ]
    else:
        n_ranks = 14 if ace_runs == ACE_HIGH_OR_LOW else 13
        sequences = [
            [r % 13 for r in range(start, start + n)]
            for n in range(3, 14)
            for start in range(n_ranks - n + 1)
        ]
    return list(dict.fromkeys(sum(1 << r for r in sequence) for sequence in sequences))


def list_rainbows(ace_runs: int) -> list[int]:
    """Return all rainbows as 52-bit masks (rules.md 3.1).

    A rainbow has four consecutive ranks in four suits with alternating colours.
    """
    last_start = {ACE_LOW: 9, ACE_HIGH_OR_LOW: 10, ACE_ROUND_CORNER: 12}[ace_runs]
    black_suits, red_suits = (0, 3), (1, 2)
    patterns = [
        (first_colour[i], second_colour[j], first_colour[1 - i], second_colour[1 - j])
        for first_colour, second_colour in ((black_suits, red_suits), (red_suits, black_suits))
        for i in (0, 1)
        for j in (0, 1)
    ]
    return [
        sum(1 << (13 * suit + (start + i) % 13) for i, suit in enumerate(suits))
        for start in range(last_start + 1)
        for suits in patterns
    ]


def make_value_bit_mask(card_values: list[int], bit: int) -> int:
    """Return the mask of the cards whose value in points has a given bit set.

    `card_values` lists the values of A..K.
    """
    return sum(ACES << r for r in range(13) if card_values[r] >> bit & 1)


@lru_cache(maxsize=32)
def build_suit_table(card_values: tuple[int, ...], ace_runs: int) -> NDArray[np.int32]:
    """Return a table of the run cards and the unmatched points for every set of cards of one suit.

    The best runs either omit the lowest card of the lane or include it. A dynamic program therefore
    solves the lanes in descending order of their lowest cards. The program supports all ace rules.
    """
    runs = list_suit_runs(ace_runs)
    lanes = np.arange(8192)
    bits = lanes[:, None] >> np.arange(13) & 1
    points = bits @ np.array(card_values)
    in_runs = np.zeros(8192, np.int64)
    run_cards = np.zeros(8192, np.int64)
    for run in runs:
        in_runs |= np.where(lanes & run == run, run, 0)
    for rank in range(12, -1, -1):
        lowest_card = 1 << rank
        group = lanes[lowest_card :: 2 * lowest_card]  # suit lanes whose lowest card has rank r
        run_cards[group] = run_cards[group ^ lowest_card]
        for run in runs:
            if run & -run == lowest_card:
                with_run = group[group & run == run]
                gain = run_cards[with_run ^ run] + points[run]
                run_cards[with_run] = np.maximum(run_cards[with_run], gain)
    return ((points - run_cards) << 16 | in_runs).astype(np.int32)


def build_rules_record(
    parameters: dict[str, int],
    start_points: tuple[int, int],
    game_table: tuple[tuple[int, int], ...],
) -> np.record:
    """Return a rules record of encoded parameters, with the tables derived from them.

    `parameters` has a value for each name in RULE_PARAMETERS.
    """
    rules = np.zeros(1, RULES_DTYPE)[0]
    for name in RULE_PARAMETERS:
        rules[name] = parameters[name]
    rules.start_points[:] = start_points
    rules.game_table[: len(game_table)] = np.array(game_table, np.int64).reshape(-1, 2)
    runs = list_suit_runs(parameters["ace_runs"])
    rules.runs[: len(runs)] = runs
    rules.n_runs = len(runs)
    if parameters["rainbow"]:
        rainbows = list_rainbows(parameters["ace_runs"])
        rules.rainbows[: len(rainbows)] = rainbows
        rules.n_rainbows = len(rainbows)
    for side, ace_value in (
        (KNOCKER, parameters["ace_value"]),
        (DEFENDER, parameters["defender_ace_value"]),
    ):
        values = compute_card_values(parameters["pip_values"], ace_value)
        rules.value[side] = values
        rules.peers[side] = [sum(1 << r for r in range(13) if values[r] == v) for v in values]
        rules.lane[side] = build_suit_table(tuple(values), parameters["ace_runs"])
        rules.planes[side] = [make_value_bit_mask(values, bit) for bit in range(N_VALUE_BITS)]
        supports_bits = not parameters["rainbow"] and max(values) < 1 << N_VALUE_BITS
        rules.by_planes[side] = supports_bits and parameters["ace_runs"] == ACE_LOW
        rules.by_planes_apart[side] = supports_bits
    return rules
