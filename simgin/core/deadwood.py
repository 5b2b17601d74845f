"""Least deadwood of a hand and the discards that reach it (rules.md 3.2).

With low aces and no rainbows, bit operations find the melds of all suits at once
(`simgin.core.planes`). Elsewhere it takes four table look-ups and a tiny search. A lane's entry
says what its runs leave over and which of its cards lie in runs. Ranks held three or four times
come from ANDs of the lanes. Such a rank is a conflict only if one of its cards also lies in a run,
and only conflicts (at most three) are searched.
"""

from simgin.core.bits import highest_of_lane, lowest
from simgin.core.cards import RANK_ACES, lane, of_rank, ranks_held_thrice
from simgin.core.jit import inlined, jit
from simgin.core.planes import (
    MANY,
    cards_in_runs,
    cards_in_sets,
    conflicts_in,
    least_of_ways,
    loose_without,
    next_way,
    points_in,
    ranks_among,
)


@jit
def _without_sets(rules, side, s, h, d, c):
    """Points that the runs of four lanes leave over, with no set melded."""
    return (
        int(rules.lane[side, s] + rules.lane[side, h] + rules.lane[side, d] + rules.lane[side, c])
        >> 16
    )


@jit
def _settle_one(rules, side, s, h, d, c, r):
    """Least points left over by four lanes where the rank r may be melded as a set.

    The choices are no set, the whole rank, or three of its four cards.
    """
    s0, h0, d0, c0 = s & ~r, h & ~r, d & ~r, c & ~r
    best = min(_without_sets(rules, side, s, h, d, c), _without_sets(rules, side, s0, h0, d0, c0))
    if s & h & d & c & r:
        best = min(best, _without_sets(rules, side, s, h0, d0, c0))
        best = min(best, _without_sets(rules, side, s0, h, d0, c0))
        best = min(best, _without_sets(rules, side, s0, h0, d, c0))
        best = min(best, _without_sets(rules, side, s0, h0, d0, c))
    return best


@jit
def _settle(rules, side, s, h, d, c, ranks):
    """`_settle_one` for each of several ranks (at least one)."""
    r = ranks & -ranks
    rest = ranks ^ r
    if rest == 0:
        return _settle_one(rules, side, s, h, d, c, r)
    s0, h0, d0, c0 = s & ~r, h & ~r, d & ~r, c & ~r
    best = min(_settle(rules, side, s, h, d, c, rest), _settle(rules, side, s0, h0, d0, c0, rest))
    if s & h & d & c & r:
        best = min(best, _settle(rules, side, s, h0, d0, c0, rest))
        best = min(best, _settle(rules, side, s0, h, d0, c0, rest))
        best = min(best, _settle(rules, side, s0, h0, d, c0, rest))
        best = min(best, _settle(rules, side, s0, h0, d0, c, rest))
    return best


@jit
def _by_suit_and_rank(hand, rules, side):
    """Least deadwood with runs and sets only."""
    s, h, d, c = lane(hand, 0), lane(hand, 1), lane(hand, 2), lane(hand, 3)
    ws, wh, wd, wc = (
        int(rules.lane[side, s]),
        int(rules.lane[side, h]),
        int(rules.lane[side, d]),
        int(rules.lane[side, c]),
    )
    thrice = ranks_held_thrice(s, h, d, c)
    if thrice == 0:
        return (ws + wh + wd + wc) >> 16
    in_runs = ws | wh | wd | wc
    plain = thrice & ~in_runs  # these sets are taken whole
    s, h, d, c = s & ~plain, h & ~plain, d & ~plain, c & ~plain
    if thrice == plain:
        return _without_sets(rules, side, s, h, d, c)
    return _settle(rules, side, s, h, d, c, thrice & in_runs)


@jit
def _with_rainbows(hand, rules, side):
    """Least deadwood where rainbows count as well.

    Tries no rainbow, each one, and each disjoint pair; three would need twelve cards.
    """
    best = _by_suit_and_rank(hand, rules, side)
    for i in range(rules.n_rainbows):
        one = rules.rainbows[i]
        if one & ~hand:
            continue
        rest = hand ^ one
        best = min(best, _by_suit_and_rank(rest, rules, side))
        for j in range(i + 1, rules.n_rainbows):
            two = rules.rainbows[j]
            if two & ~rest == 0:
                best = min(best, _by_suit_and_rank(rest ^ two, rules, side))
    return best


@jit
def _by_tables(hand, rules, side):
    """`deadwood_of` for every set of rules."""
    if rules.n_rainbows:
        return _with_rainbows(hand, rules, side)
    return _by_suit_and_rank(hand, rules, side)


@inlined
def deadwood_of(hand, rules, side):
    """Least deadwood, in points, of up to eleven cards with the card values of `side`.

    side: STOPPER or DEFENDER.
    """
    if not rules.by_planes[side]:
        return _by_tables(hand, rules, side)
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    if runs & sets:
        return least_of_ways(hand, runs, sets, rules, side)
    return points_in(hand & ~(runs | sets), rules, side)


@jit
def each_deadwood(hands, rules, side, out):
    """Write `deadwood_of` for every hand of an int64 array to `out`."""
    for i in range(hands.shape[0]):
        out[i] = deadwood_of(hands[i], rules, side)


@jit
def deadwood(hand, rules):
    """Least deadwood, in points, of up to eleven cards with the stopper's card values."""
    return deadwood_of(hand, rules, 0)


@inlined
def meldable(hand, rules):
    """The cards of a hand that lie in some meld made of its cards."""
    if rules.by_planes[0]:
        return cards_in_runs(hand) | cards_in_sets(hand)
    return _meldable_by_tables(hand, rules)


@jit
def _meldable_by_tables(hand, rules):
    """`meldable` for every set of rules."""
    s, h, d, c = lane(hand, 0), lane(hand, 1), lane(hand, 2), lane(hand, 3)
    thrice = ranks_held_thrice(s, h, d, c)
    cards = (
        ((int(rules.lane[0, s]) & 0x1FFF) | (thrice & s))
        | ((int(rules.lane[0, h]) & 0x1FFF) | (thrice & h)) << 13
        | ((int(rules.lane[0, d]) & 0x1FFF) | (thrice & d)) << 26
        | ((int(rules.lane[0, c]) & 0x1FFF) | (thrice & c)) << 39
    )
    for i in range(rules.n_rainbows):
        if rules.rainbows[i] & ~hand == 0:
            cards |= rules.rainbows[i]
    return cards


@inlined
def dearest(cards, rules):
    """(the highest of some cards, all those of equal value; that value); (0, -1) for no cards.

    From 2 to K values never fall, so only the ace has to be compared separately.
    """
    if cards == 0:
        return 0, -1
    ranks = ranks_among(cards)
    r = highest_of_lane(ranks)
    if ranks & 1 and rules.value[0, 0] > rules.value[0, r]:
        r = 0
    return cards & rules.peers[0, r] * RANK_ACES, rules.value[0, r]


@inlined
def best_discards(hand, legal, rules):
    """(least deadwood after one of the `legal` discards, mask of all discards that reach it).

    With no legal card: (a huge count, 0).
    """
    if rules.by_planes[0]:
        runs, sets = cards_in_runs(hand), cards_in_sets(hand)
        loose = hand & ~(runs | sets)
        if runs & sets == 0 and loose & legal:
            cards, value = dearest(loose & legal, rules)
            return points_in(loose, rules, 0) - value, cards
    return _best_discards_apart(hand, legal, rules)


@jit
def _best_discards_apart(hand, legal, rules):
    """`best_discards` where melds conflict, and where no card in no meld can be discarded."""
    if rules.by_planes[0]:
        runs, sets = cards_in_runs(hand), cards_in_sets(hand)
        best, cards = _best_discards_of_ways(hand, legal, runs, sets, rules)
        if best < MANY:
            return best, cards
    return _best_discards_by_search(hand, legal, rules)


@inlined
def _best_discards_of_ways(hand, legal, runs, sets, rules):
    """`best_discards` by the ways to settle the conflicts (see `simgin.core.planes`).

    A way parts best with the highest card that it leaves over, since a melded card costs more than
    it saves. Where some way leaves no legal card over that is not so: (a huge count, 0).
    """
    conflicts, spare = conflicts_in(hand, runs, sets)
    hand &= ~sets | conflicts * RANK_ACES
    best, best_cards = MANY, 0
    ranks, spared = 0, 0
    while True:
        loose = loose_without(hand & ranks * RANK_ACES & ~spared, hand)
        cards, value = dearest(loose & legal, rules)
        if cards == 0:
            return MANY, 0
        left = points_in(loose, rules, 0) - value
        if left < best:
            best, best_cards = left, cards
        elif left == best:
            best_cards |= cards
        ranks, spared = next_way(conflicts, spare, ranks, spared)
        if ranks == 0:
            return best, best_cards


@jit
def _points_of_loose(cards, rules):
    """Total value of cards of which no three form a run.

    The lane tables give it, because they leave all of these cards over.
    """
    return _without_sets(rules, 0, lane(cards, 0), lane(cards, 1), lane(cards, 2), lane(cards, 3))


@jit
def _best_discards_by_search(hand, legal, rules):
    """`best_discards` for every set of rules.

    A card in no meld leaves exactly deadwood(hand) - value, so of those only the highest matter. A
    meldable card leaves at least that much, and at least the points of all cards in no meld. Only
    where both bounds allow it do the other ten have to be solved, which is rare.
    """
    whole = deadwood(hand, rules)
    in_melds = meldable(hand, rules)
    best_cards, value = dearest(legal & ~in_melds, rules)
    best = whole - value if best_cards else MANY
    rest = legal & in_melds
    if rest == 0 or _points_of_loose(hand & ~in_melds, rules) > best:
        return best, best_cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if rules.value[0, card % 13] >= value:
            left = deadwood(hand & ~(1 << card), rules)
            if left < best:
                best = left
                best_cards = 1 << card
            elif left == best:
                best_cards |= 1 << card
    return best, best_cards


@jit
def deadwood_with(hand, card, rules):
    """Least deadwood over the meldings with `card` in a meld; a huge count if there are none."""
    best = MANY
    s = card // 13
    through = 1 << (card % 13)
    own = lane(hand, s)
    for i in range(rules.n_runs):
        run = rules.runs[i]
        if run & through and run & ~own == 0:
            best = min(best, deadwood(hand & ~(run << (13 * s)), rules))
    rank = hand & of_rank(card % 13)
    others = rank & ~(1 << card)
    while others:  # sets of the rank without one other card; the whole rank follows
        one = others & -others
        others ^= one
        best = min(best, _without_set(hand, rank & ~one, rules))
    best = min(best, _without_set(hand, rank, rules))
    for i in range(rules.n_rainbows):
        rainbow = rules.rainbows[i]
        if rainbow >> card & 1 and rainbow & ~hand == 0:
            best = min(best, deadwood(hand & ~rainbow, rules))
    return best


@jit
def _without_set(hand, cards, rules):
    """Deadwood of the rest if `cards`, all of one rank, are melded as a set.

    A huge count if they are fewer than three.
    """
    three_or_more = cards & (cards - 1)
    if three_or_more & (three_or_more - 1) == 0:
        return MANY
    return deadwood(hand & ~cards, rules)
