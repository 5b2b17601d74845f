"""All meldings of a hand, and the melding that is shown (rules.md 3.5).

The enumeration is simple, because it is needed only at the showdown and by commands that explain a
hand: the melds inside the hand, then all combinations of at most three disjoint melds. Ten or
eleven cards cannot contain more.
"""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import RANK_ACES, lane, of_rank
from simgin.core.deadwood import plain
from simgin.core.jit import jit
from simgin.core.planes import (
    cards_in_runs,
    cards_in_sets,
    conflicts_in,
    extension_by_planes,
    loose_without,
    next_way,
    points_in,
    ranks_of,
    write_melds,
)

MAX_MELDS = 160  # upper bound of the melds inside eleven cards; a run of eleven contains 45
MAX_MELDINGS = 64  # limited by the number of actions of a policy
NO_MELDING = 1 << 20  # larger than any deadwood
SET, RUN, RAINBOW = 0, 1, 2


@jit
def points(cards, rules, side):
    """Return the total value of some cards, melded or not."""
    if rules.by_planes[side]:
        return points_in(cards, rules, side)
    total = 0
    while cards:
        total += rules.value[side, lowest(cards) % 13]
        cards &= cards - 1
    return total


@jit
def kind_of(meld):
    """Return SET, RUN or RAINBOW: the cards of a meld have one rank, one suit, or neither."""
    ranks = ranks_of(meld)
    if ranks & (ranks - 1) == 0:
        return SET
    s = lowest(meld) // 13
    return RUN if meld >> (13 * s) <= 0x1FFF else RAINBOW


@jit
def first_rank(ranks):
    """Return the first rank of a sequence, whose predecessor (round the corner) is missing.

    Not defined for all thirteen ranks.
    """
    before = (ranks << 1 | ranks >> 12) & 0x1FFF
    return lowest(ranks & ~before)


@jit
def melds_in(hand, rules, found):
    """Write all melds made of cards of a hand to `found` and return their number."""
    n = 0
    for s in range(4):
        own = lane(hand, s)
        if rules.lane[0, own] & 0x1FFF:
            for i in range(rules.n_runs):
                if rules.runs[i] & ~own == 0:
                    found[n] = rules.runs[i] << (13 * s)
                    n += 1
    for r in range(13):
        rank = hand & of_rank(r)
        size = popcount(rank)
        if size >= 3:
            found[n] = rank
            n += 1
        if size == 4:
            rest = rank
            while rest:
                found[n] = rank & ~(rest & -rest)
                rest &= rest - 1
                n += 1
    for i in range(rules.n_rainbows):
        if rules.rainbows[i] & ~hand == 0:
            found[n] = rules.rainbows[i]
            n += 1
    return n


@jit
def extension(meld, rules):
    """Return the cards that can be laid off directly on a meld (rules.md 3.7).

    Returns 0 for no meld (0).
    """
    if rules.by_planes[0]:
        return extension_by_planes(meld)
    if meld == 0:
        return 0
    kind = kind_of(meld)
    ranks = ranks_of(meld)
    if kind == SET:
        return of_rank(lowest(ranks)) & ~meld
    if kind == RAINBOW or ranks == 0x1FFF:
        return 0
    start = first_rank(ranks)
    end = (start + popcount(ranks) - 1) % 13
    below = 1 << ((start + 12) % 13)
    above = 1 << ((end + 1) % 13)
    if rules.ace_runs != 2 and start == 0:
        below = 0  # no card precedes an ace, except round the corner
    if (rules.ace_runs == 0 and end == 12) or (rules.ace_runs == 1 and end == 0):
        above = 0  # no card follows a king (aces low) or a high ace (aces high or low)
    return (below | above) << (13 * (lowest(meld) // 13))


@jit
def _text_digit(card):
    """Return a card as 1..52 in the ASCII order of its name.

    The order of the ranks is 2..9 A J K Q T, that of the suits C D H S.
    """
    r = card % 13
    order = r - 1
    if r == 0:
        order = 8
    elif r == 9:
        order = 12
    elif r == 10:
        order = 9
    elif r >= 11:
        order = 22 - r  # the king before the queen
    return order * 4 + 4 - card // 13  # C D H S reverses the order of the suits, S H D C


@jit
def text_order(meld):
    """Return a number that orders melds like their names in ASCII (rules.md 3.5, item 4).

    Only the first ten cards count. Sets are in suit order S H D C, sequences ascend from the card
    after the gap. Returns 0 for no meld.
    """
    if meld == 0:
        return 0
    ranks = ranks_of(meld)
    start = first_rank(ranks)
    number = 0
    digits = 0
    for i in range(popcount(ranks)):
        cards = meld & of_rank((start + i) % 13)
        while cards and digits < 10:
            number = number << 6 | _text_digit(lowest(cards))
            digits += 1
            cards &= cards - 1
    return number << (6 * (10 - digits))


@jit
def _sorted_three(a, b, c):
    """Return three numbers in ascending order."""
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    return a, b, c


@jit
def _reads_before(a0, a1, a2, b0, b1, b2):
    """Return True if the sorted names of one melding's melds precede those of the other.

    Both meldings have the same number of melds.
    """
    x0, x1, x2 = _sorted_three(text_order(a0), text_order(a1), text_order(a2))
    y0, y1, y2 = _sorted_three(text_order(b0), text_order(b1), text_order(b2))
    if x0 != y0:
        return x0 < y0
    if x1 != y1:
        return x1 < y1
    return x2 < y2


@jit
def rank_multiset(cards):
    """Return a code for the multiset of ranks of some cards, three bits per rank.

    Two sets of cards have the same code if and only if they have the same multiset of ranks.
    """
    code = 0
    while cards:
        code += 1 << (3 * (lowest(cards) % 13))
        cards &= cards - 1
    return code


@jit
def _precedes(left, extensions, n, a, b, c, key, row):
    """Return True if a combination of melds precedes the melding in `row` (rules.md 3.5).

    The order is by deadwood, then number of extension cards, number of melds, and names.
    """
    if left != key[0]:
        return left < key[0]
    if extensions != key[1]:
        return extensions < key[1]
    if n != key[2]:
        return n < key[2]
    return _reads_before(a, b, c, row[0], row[1], row[2])


@jit
def _extensions(hand, discard, a, b, c, rules):
    """Return the number of extension cards of a combination of melds (rules.md 3.5, item 2)."""
    out = extension(a, rules) | extension(b, rules) | extension(c, rules)
    return popcount(out & ~hand & ~discard)


@jit
def _insert(n, room, keys, rows, left, extensions, a, b, c):
    """Insert a combination of melds in order among n rows; return the new number of rows.

    If there are `max_rows` rows already, the last one is dropped.
    """
    melds = (a != 0) + (b != 0) + (c != 0)
    place = n
    while place and _precedes(left, extensions, melds, a, b, c, keys[place - 1], rows[place - 1]):
        place -= 1
    if place == room:
        return n
    for i in range(min(n, room - 1), place, -1):
        for k in range(3):
            keys[i, k] = keys[i - 1, k]
            rows[i, k] = rows[i - 1, k]
    keys[place, 0], keys[place, 1], keys[place, 2] = left, extensions, melds
    rows[place, 0], rows[place, 1], rows[place, 2] = a, b, c
    return min(n + 1, room)


@jit
def _shown_of_ways(hand, discard, rules, found, keys, rows):
    """Find the melding that is shown over all conflict resolutions.

    No other melding can be shown: leaving a card out costs points, and splitting a long run only
    adds a meld.
    """
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    if runs & sets == 0:
        write_melds(runs, sets, rows[0])
        return points_in(hand & ~(runs | sets), rules, 0)
    conflicts, spare = conflicts_in(hand, runs, sets)
    others = sets & ~(conflicts * RANK_ACES)
    n = 0
    ranks, spared = 0, 0
    while True:
        melded = others | hand & ranks * RANK_ACES & ~spared
        loose = loose_without(melded, hand)
        left = points_in(loose, rules, 0)
        if n == 0 or left <= keys[0, 0]:
            write_melds(hand & ~(melded | loose), melded, found[:3])
            a, b, c = found[0], found[1], found[2]
            extensions = _extensions(hand, discard, a, b, c, rules)
            n = _insert(n, 1, keys, rows, left, extensions, a, b, c)
        ranks, spared = next_way(conflicts, spare, ranks, spared)
        if ranks == 0:
            return keys[0, 0]


@jit
def melding_shown(hand, discard, must, demanded, rules, found, keys, rows):
    """Find the melding that the automatic rule shows and return its deadwood.

    The melds are written to rows[0]. It is the first row of `find_legal_meldings` without a limit.
    Returns NO_MELDING if no melding is legal.
    """
    if must < 0 and demanded < 0 and (rules.by_planes[0] or plain(hand, rules, 0)):
        return _shown_of_ways(hand, discard, rules, found, keys, rows)
    n = legal_meldings(hand, discard, must, demanded, NO_MELDING, rules, found, keys, rows, 1)
    return keys[0, 0] if n else NO_MELDING


@jit
def legal_meldings(hand, discard, must, demanded, limit, rules, found, keys, rows, room):
    """Find the meldings that allow an ending and return the number of rows written.

    The rows are in the order of rules.md 3.5.

    Args:
        hand: The ten cards kept, or eleven for big gin, as a 52-bit mask.
        discard: Mask of the discard, or 0.
        must: Card that must be in a meld, or -1.
        demanded: Ranks that a shot must leave over, coded like `rank_multiset`, or -1.
        limit: Maximum deadwood.
        rules: RULES record.
        found: (MAX_MELDS + 1,) int64 work space for the melds of the hand.
        keys: (max_rows, 3) int64, overwritten with deadwood, number of extension cards and number
            of melds of each row.
        rows: (max_rows, 3) int64, overwritten with the melds as masks, 0 for none.
        room: Maximum number of rows.
    """
    count = melds_in(hand, rules, found)
    found[count] = 0  # "no meld", so that one loop tries combinations of zero to three melds
    total = points(hand, rules, 0)
    n = 0
    rows[0, 0] = rows[0, 1] = rows[0, 2] = 0
    for i in range(count + 1):
        for j in range(min(i + 1, count), count + 1):
            if found[i] & found[j]:
                continue
            for k in range(min(j + 1, count), count + 1):
                a, b, c = found[i], found[j], found[k]
                if (a | b) & c:
                    continue
                left = total - points(a | b | c, rules, 0)
                if left > limit or (n == room and left > keys[n - 1, 0]):
                    continue
                if _allowed(hand, a | b | c, must, demanded):
                    out = _extensions(hand, discard, a, b, c, rules)
                    n = _insert(n, room, keys, rows, left, out, a, b, c)
    return n


@jit
def _allowed(hand, melded, must, demanded):
    """Return True if a melding melds the required card and leaves over the ranks of a shot."""
    if must >= 0 and not melded >> must & 1:
        return False
    return demanded < 0 or rank_multiset(hand & ~melded) == demanded
