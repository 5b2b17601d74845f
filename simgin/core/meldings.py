"""All meldings of a hand, and which one is shown (rules.md 3.5).

Needed once a deal, at the showdown, and by the commands that explain a hand, so the enumeration is
plain: the melds inside the hand, then every family of at most three disjoint ones. Ten or eleven
cards hold no more.
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

MAX_MELDS = 160  # melds inside eleven cards, with room to spare: a run of eleven holds 45
MAX_MELDINGS = 64  # answers of a policy
NO_MELDING = 1 << 20  # more than any deadwood
SET, RUN, RAINBOW = 0, 1, 2


@jit
def points(cards, rules, side):
    """Total value of some cards."""
    if rules.by_planes[side]:
        return points_in(cards, rules, side)
    total = 0
    while cards:
        total += rules.value[side, lowest(cards) % 13]
        cards &= cards - 1
    return total


@jit
def kind_of(meld):
    """SET, RUN or RAINBOW: the cards of a meld have one rank, one suit, or neither."""
    ranks = ranks_of(meld)
    if ranks & (ranks - 1) == 0:
        return SET
    s = lowest(meld) // 13
    return RUN if meld >> (13 * s) <= 0x1FFF else RAINBOW


@jit
def first_rank(ranks):
    """The first rank of a sequence: the one whose predecessor, round the corner, is missing.

    Not for all thirteen ranks.
    """
    before = (ranks << 1 | ranks >> 12) & 0x1FFF
    return lowest(ranks & ~before)


@jit
def melds_in(hand, rules, found):
    """Write every meld made of cards of the hand to `found`; returns their number."""
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
    """The cards that can be laid off directly on a meld (rules.md 3.7); none for no meld (0)."""
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
        below = 0  # nothing precedes an ace, except round the corner
    if (rules.ace_runs == 0 and end == 12) or (rules.ace_runs == 1 and end == 0):
        above = 0  # ace low: nothing follows a king; high or low: nothing follows a high ace
    return (below | above) << (13 * (lowest(meld) // 13))


@jit
def _text_digit(card):
    """A card as 1..52 in the ASCII order of its text: ranks 2..9 A J K Q T, suits C D H S."""
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
    return order * 4 + 4 - card // 13  # C D H S is the order of suits here, S H D C, reversed


@jit
def text_order(meld):
    """A number that orders melds like their texts in ASCII (rules.md 3.5, item 4).

    Only the first ten cards count. Sets are written in suit order S H D C, sequences upward from
    the card after the gap. 0 for no meld.
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
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    return a, b, c


@jit
def _reads_before(a0, a1, a2, b0, b1, b2):
    """Whether one melding's sorted texts come before another's; both have as many melds."""
    x0, x1, x2 = _sorted_three(text_order(a0), text_order(a1), text_order(a2))
    y0, y1, y2 = _sorted_three(text_order(b0), text_order(b1), text_order(b2))
    if x0 != y0:
        return x0 < y0
    if x1 != y1:
        return x1 < y1
    return x2 < y2


@jit
def rank_multiset(cards):
    """The ranks of some cards with their numbers, three bits a rank: equal for equal multisets."""
    code = 0
    while cards:
        code += 1 << (3 * (lowest(cards) % 13))
        cards &= cards - 1
    return code


@jit
def _precedes(left, extensions, n, a, b, c, key, row):
    """Whether a family of melds comes before the melding in `row` (rules.md 3.5).

    By deadwood, then extension cards, number of melds, and text.
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
    """Number of extension cards of a family (rules.md 3.5, item 2)."""
    out = extension(a, rules) | extension(b, rules) | extension(c, rules)
    return popcount(out & ~hand & ~discard)


@jit
def _insert(n, room, keys, rows, left, extensions, a, b, c):
    """Insert a family in its place among the first n rows; returns the new number of rows.

    The last row is dropped if there is no room.
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
    """`melding_shown` by the ways to settle the conflicts (see `simgin.core.planes`).

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
    """Deadwood of the melding that the automatic rule shows; its melds go to rows[0].

    NO_MELDING if none is allowed. The first row of `legal_meldings` without a limit.
    """
    if must < 0 and demanded < 0 and (rules.by_planes[0] or plain(hand, rules, 0)):
        return _shown_of_ways(hand, discard, rules, found, keys, rows)
    n = legal_meldings(hand, discard, must, demanded, NO_MELDING, rules, found, keys, rows, 1)
    return keys[0, 0] if n else NO_MELDING


@jit
def legal_meldings(hand, discard, must, demanded, limit, rules, found, keys, rows, room):
    """Number of meldings that permit an ending, the first `room` of them written to `rows`.

    They are in the order of rules.md 3.5. hand: the ten cards kept (eleven for big gin). discard:
    mask of the discard, or 0. must: a card that has to lie in a meld, or -1. demanded: multiset of
    ranks (`rank_multiset`) that a shot has to leave over, or -1. limit: most deadwood. rows: int64
    (room or more, 3), melds as masks, 0 for none. keys, of the same shape: their deadwood,
    extension cards and numbers of melds.
    """
    count = melds_in(hand, rules, found)
    found[count] = 0  # "no meld", so that one loop tries families of none to three
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
    """Whether a melding holds the card that must be melded and leaves what a shot demands."""
    if must >= 0 and not melded >> must & 1:
        return False
    return demanded < 0 or rank_multiset(hand & ~melded) == demanded
