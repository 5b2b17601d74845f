"""All meldings of a hand, and the melding that a player shows (rules.md 3.5).

The module lists the melds in a hand, and then all combinations of up to three disjoint melds.
Eleven cards cannot contain more than three disjoint melds. Speed is not critical, because only
showdowns and commands that explain a hand need this list.
"""

from simgin.core.bitboard import (
    HUGE_DEADWOOD,
    cards_in_runs,
    cards_in_sets,
    find_meld_conflicts,
    find_meld_extensions_bitwise,
    find_unmatched_after_sets,
    get_next_conflict_resolution,
    ranks_of,
    sum_card_values_bitwise,
    write_melds,
)
from simgin.core.bits import lowest_bit, popcount
from simgin.core.cards import ACES, cards_of_rank, suit_lane
from simgin.core.deadwood import can_meld_bitwise
from simgin.core.jit import jit

# Upper bound on the number of melds in eleven cards (a run of eleven cards contains 45 melds)
MAX_MELDS = 160
MAX_MELDINGS = 64  # maximum number of meldings, limited by the number of actions of a policy
MELD_SET, MELD_RUN, MELD_RAINBOW = 0, 1, 2


@jit
def sum_card_values(cards, rules, role):
    """Return the total value of a set of cards, in points."""
    if rules.by_planes[role]:
        return sum_card_values_bitwise(cards, rules, role)
    total = 0
    while cards:
        total += rules.value[role, lowest_bit(cards) % 13]
        cards &= cards - 1
    return total


@jit
def classify_meld(meld):
    """Return the type of a meld: MELD_SET (one rank), MELD_RUN (one suit) or MELD_RAINBOW."""
    ranks = ranks_of(meld)
    if ranks & (ranks - 1) == 0:
        return MELD_SET
    suit = lowest_bit(meld) // 13
    return MELD_RUN if meld >> (13 * suit) <= 0x1FFF else MELD_RAINBOW


@jit
def find_sequence_start(ranks):
    """Return the first rank of a sequence of consecutive ranks.

    Sequences can go round the corner. If the sequence contains all thirteen ranks, the result is
    undefined.
    """
    ranks_with_predecessor = (ranks << 1 | ranks >> 12) & 0x1FFF
    return lowest_bit(ranks & ~ranks_with_predecessor)


@jit
def find_melds(hand, rules, melds):
    """Write all melds in a hand to `melds`, and return their number."""
    n_melds = 0
    for suit in range(4):
        suit_cards = suit_lane(hand, suit)
        if rules.lane[0, suit_cards] & 0x1FFF:
            for i in range(rules.n_runs):
                if rules.runs[i] & ~suit_cards == 0:
                    melds[n_melds] = rules.runs[i] << (13 * suit)
                    n_melds += 1
    for rank in range(13):
        rank_cards = hand & cards_of_rank(rank)
        n_rank_cards = popcount(rank_cards)
        if n_rank_cards >= 3:
            melds[n_melds] = rank_cards
            n_melds += 1
        if n_rank_cards == 4:
            remaining_cards = rank_cards
            while remaining_cards:
                melds[n_melds] = rank_cards & ~(remaining_cards & -remaining_cards)
                remaining_cards &= remaining_cards - 1
                n_melds += 1
    for i in range(rules.n_rainbows):
        if rules.rainbows[i] & ~hand == 0:
            melds[n_melds] = rules.rainbows[i]
            n_melds += 1
    return n_melds


@jit
def find_meld_extensions(meld, rules):
    """Return the cards that can be laid off directly on a meld (rules.md 3.7).

    The result is 0 if `meld` is 0.
    """
    if rules.by_planes[0]:
        return find_meld_extensions_bitwise(meld)
    if meld == 0:
        return 0
    meld_type = classify_meld(meld)
    ranks = ranks_of(meld)
    if meld_type == MELD_SET:
        return cards_of_rank(lowest_bit(ranks)) & ~meld
    if meld_type == MELD_RAINBOW or ranks == 0x1FFF:
        return 0
    first_rank = find_sequence_start(ranks)
    last_rank = (first_rank + popcount(ranks) - 1) % 13
    rank_below = 1 << ((first_rank + 12) % 13)
    rank_above = 1 << ((last_rank + 1) % 13)
    if rules.ace_runs != 2 and first_rank == 0:
        rank_below = 0  # No card precedes an ace, except in round-the-corner runs.
    if (rules.ace_runs == 0 and last_rank == 12) or (rules.ace_runs == 1 and last_rank == 0):
        rank_above = 0  # No card follows a king (aces low) or a high ace (aces high or low).
    return (rank_below | rank_above) << (13 * (lowest_bit(meld) // 13))


@jit
def _get_name_position(card):
    """Return the position of a card in the ASCII order of card names, from 1 to 52.

    The order of the ranks is 2..9 A J K Q T, and the order of the suits is C D H S.
    """
    rank = card % 13
    order = rank - 1
    if rank == 0:
        order = 8
    elif rank == 9:
        order = 12
    elif rank == 10:
        order = 9
    elif rank >= 11:
        order = 22 - rank  # The king precedes the queen.
    return order * 4 + 4 - card // 13  # The order C D H S reverses the suit numbers.


@jit
def make_meld_name_key(meld):
    """Return a sort key that orders melds by name in ASCII order (rules.md 3.5, item 4).

    The key uses the first ten cards. Sets are named in suit order S H D C, and sequences in
    ascending order from their first card. The key is 0 if there is no meld.
    """
    if meld == 0:
        return 0
    ranks = ranks_of(meld)
    first_rank = find_sequence_start(ranks)
    key = 0
    n_digits = 0
    for i in range(popcount(ranks)):
        cards = meld & cards_of_rank((first_rank + i) % 13)
        while cards and n_digits < 10:
            key = key << 6 | _get_name_position(lowest_bit(cards))
            n_digits += 1
            cards &= cards - 1
    return key << (6 * (10 - n_digits))


@jit
def _sort_three(a, b, c):
    """Return three numbers in ascending order."""
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    return a, b, c


@jit
def _precedes_by_name(a0, a1, a2, b0, b1, b2):
    """Return True if melding a precedes melding b in the order of their meld names.

    The arguments are the sort keys of the melds. Both meldings have the same number of melds.
    """
    x0, x1, x2 = _sort_three(make_meld_name_key(a0), make_meld_name_key(a1), make_meld_name_key(a2))
    y0, y1, y2 = _sort_three(make_meld_name_key(b0), make_meld_name_key(b1), make_meld_name_key(b2))
    if x0 != y0:
        return x0 < y0
    if x1 != y1:
        return x1 < y1
    return x2 < y2


@jit
def encode_rank_multiset(cards):
    """Encode the number of cards of each rank as an integer with three bits per rank.

    Two sets of cards have the same code if and only if they have the same multiset of ranks.
    """
    code = 0
    while cards:
        code += 1 << (3 * (lowest_bit(cards) % 13))
        cards &= cards - 1
    return code


@jit
def _is_better_melding(deadwood, n_extensions, n_melds, first, second, third, row_key, row):
    """Return True if a new melding has priority over the melding in `row` (rules.md 3.5).

    Meldings are ordered by deadwood, number of extension cards, number of melds, and names.
    """
    if deadwood != row_key[0]:
        return deadwood < row_key[0]
    if n_extensions != row_key[1]:
        return n_extensions < row_key[1]
    if n_melds != row_key[2]:
        return n_melds < row_key[2]
    return _precedes_by_name(first, second, third, row[0], row[1], row[2])


@jit
def _count_extensions(hand, discard, first, second, third, rules):
    """Return the number of extension cards of a combination of melds (rules.md 3.5, item 2)."""
    extensions = (
        find_meld_extensions(first, rules)
        | find_meld_extensions(second, rules)
        | find_meld_extensions(third, rules)
    )
    return popcount(extensions & ~hand & ~discard)


@jit
def _insert_melding(n_rows, max_rows, keys, rows, deadwood, n_extensions, first, second, third):
    """Insert a combination of melds into the sorted rows, and return the number of rows.

    If there are already `max_rows` rows, the last row is dropped.
    """
    n_melds = (first != 0) + (second != 0) + (third != 0)
    index = n_rows
    while index and _is_better_melding(
        deadwood, n_extensions, n_melds, first, second, third, keys[index - 1], rows[index - 1]
    ):
        index -= 1
    if index == max_rows:
        return n_rows
    for row_index in range(min(n_rows, max_rows - 1), index, -1):
        for column in range(3):
            keys[row_index, column] = keys[row_index - 1, column]
            rows[row_index, column] = rows[row_index - 1, column]
    keys[index, 0], keys[index, 1], keys[index, 2] = deadwood, n_extensions, n_melds
    rows[index, 0], rows[index, 1], rows[index, 2] = first, second, third
    return min(n_rows + 1, max_rows)


@jit
def _find_shown_melding_bitwise(hand, discard, rules, meld_buffer, keys, rows):
    """Find the best melding to show with bit operations, and return its deadwood.

    Other meldings are never better, because an unmelded card costs points, and a split run only
    adds a meld.
    """
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    if runs & sets == 0:
        write_melds(runs, sets, rows[0])
        return sum_card_values_bitwise(hand & ~(runs | sets), rules, 0)
    conflicting_ranks, spare_cards = find_meld_conflicts(hand, runs, sets)
    free_sets = sets & ~(conflicting_ranks * ACES)
    n_rows = 0
    set_ranks, left_to_runs = 0, 0
    while True:
        melded = free_sets | hand & set_ranks * ACES & ~left_to_runs
        unmatched = find_unmatched_after_sets(melded, hand)
        deadwood_left = sum_card_values_bitwise(unmatched, rules, 0)
        if n_rows == 0 or deadwood_left <= keys[0, 0]:
            write_melds(hand & ~(melded | unmatched), melded, meld_buffer[:3])
            first, second, third = meld_buffer[0], meld_buffer[1], meld_buffer[2]
            n_extensions = _count_extensions(hand, discard, first, second, third, rules)
            n_rows = _insert_melding(
                n_rows, 1, keys, rows, deadwood_left, n_extensions, first, second, third
            )
        set_ranks, left_to_runs = get_next_conflict_resolution(
            conflicting_ranks, spare_cards, set_ranks, left_to_runs
        )
        if set_ranks == 0:
            return keys[0, 0]


@jit
def find_shown_melding(hand, discard, required_card, ranks_left, rules, meld_buffer, keys, rows):
    """Find the melding that simgin shows automatically, and return its deadwood.

    The melds are written to rows[0]. This row equals the first row of `find_legal_meldings` without
    a limit. Returns HUGE_DEADWOOD if no melding is legal.
    """
    if (
        required_card < 0
        and ranks_left < 0
        and (rules.by_planes[0] or can_meld_bitwise(hand, rules, 0))
    ):
        return _find_shown_melding_bitwise(hand, discard, rules, meld_buffer, keys, rows)
    n_rows = find_legal_meldings(
        hand, discard, required_card, ranks_left, HUGE_DEADWOOD, rules, meld_buffer, keys, rows, 1
    )
    return keys[0, 0] if n_rows else HUGE_DEADWOOD


@jit
def find_legal_meldings(
    hand, discard, required_card, ranks_left, max_deadwood, rules, meld_buffer, keys, rows, max_rows
):
    """Write the meldings with which the player may end the deal, and return their number.

    The rows are in the order of rules.md 3.5.

    Args:
        hand: The ten remaining cards, or eleven for big gin, as a 52-bit mask.
        discard: Mask of the discard, or 0.
        required_card: Card that must be in a meld, or -1.
        ranks_left: Ranks that a shot must leave unmatched, encoded as in `encode_rank_multiset`, or
            -1 if the ending is not a shot.
        max_deadwood: Maximum deadwood.
        rules: Rules record.
        meld_buffer: (MAX_MELDS + 1,) int64 work space for the melds of the hand.
        keys: (max_rows, 3) int64, overwritten with deadwood, number of extension cards and number
            of melds of each row.
        rows: (max_rows, 3) int64, overwritten with the melds as masks, or 0 for each missing meld.
        max_rows: Maximum number of rows.
    """
    n_melds = find_melds(hand, rules, meld_buffer)
    # The first entry means "no meld", for combinations of fewer than three melds.
    meld_buffer[n_melds] = 0
    total_points = sum_card_values(hand, rules, 0)
    n_rows = 0
    rows[0, 0] = rows[0, 1] = rows[0, 2] = 0
    for i in range(n_melds + 1):
        for j in range(min(i + 1, n_melds), n_melds + 1):
            if meld_buffer[i] & meld_buffer[j]:
                continue
            for k in range(min(j + 1, n_melds), n_melds + 1):
                first, second, third = meld_buffer[i], meld_buffer[j], meld_buffer[k]
                if (first | second) & third:
                    continue
                deadwood = total_points - sum_card_values(first | second | third, rules, 0)
                if deadwood > max_deadwood or (
                    n_rows == max_rows and deadwood > keys[n_rows - 1, 0]
                ):
                    continue
                if _is_legal_melding(hand, first | second | third, required_card, ranks_left):
                    n_extensions = _count_extensions(hand, discard, first, second, third, rules)
                    n_rows = _insert_melding(
                        n_rows, max_rows, keys, rows, deadwood, n_extensions, first, second, third
                    )
    return n_rows


@jit
def _is_legal_melding(hand, melded, required_card, ranks_left):
    """Return True if a melding has the required card and leaves the ranks of a shot unmatched."""
    if required_card >= 0 and not melded >> required_card & 1:
        return False
    return ranks_left < 0 or encode_rank_multiset(hand & ~melded) == ranks_left
