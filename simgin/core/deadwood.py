"""Least deadwood of a hand and the discards that reach it (rules.md 3.2).

Without rainbows and high aces, bit operations find the runs of all suits at once
(`simgin.core.planes`). Where the rules have high aces, only a suit with both its ace and its king
can hold one. For these hands, and for rainbows, a table has an entry for every lane: which of its
cards lie in runs, and what its best runs leave over. Sets, and their conflicts with runs, are the
same for all.
"""

import numpy as np

from simgin.core.bits import highest_of_lane, lowest
from simgin.core.cards import LANE, RANK_ACES, lane, of_rank
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
    ranks_of,
)


@jit
def _left_by_runs(hand, rules, side):
    """Points that the runs of a hand leave over, with no set melded."""
    points = 0
    for suit in range(4):
        points += np.int64(rules.lane[side, lane(hand, suit)]) >> 16
    return points


@jit
def _runs_by_tables(hand, rules):
    """The cards of a hand that lie in a run."""
    cards = 0
    for suit in range(4):
        in_runs = np.int64(rules.lane[0, lane(hand, suit)]) & LANE
        cards |= in_runs << 13 * suit
    return cards


@inlined
def runs_in(hand, rules):
    """The cards of a hand that lie in a run."""
    if rules.by_planes[0]:
        return cards_in_runs(hand)
    return _runs_by_tables(hand, rules)


@jit
def _by_suit_and_rank(hand, rules, side):
    """Least deadwood with runs and sets only, way by way."""
    sets = cards_in_sets(hand)
    conflicts, spare = conflicts_in(hand, _runs_by_tables(hand, rules), sets)
    hand &= ~sets | conflicts * RANK_ACES
    best = MANY
    ranks, spared = 0, 0
    while True:
        melded = ranks * RANK_ACES & ~spared
        best = min(best, _left_by_runs(hand & ~melded, rules, side))
        ranks, spared = next_way(conflicts, spare, ranks, spared)
        if ranks == 0:
            return best


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


@inlined
def plain(hand, rules, side):
    """Whether bit operations find the melds of a hand under rules that need tables for others.

    No ace of it can be high, as no suit has an ace and a king.
    """
    return rules.by_planes_apart[side] and hand & hand >> 12 & RANK_ACES == 0


@inlined
def _by_planes(hand, rules, side):
    """`deadwood_of` where bit operations find the melds."""
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    if runs & sets:
        return least_of_ways(hand, runs, sets, rules, side)
    return points_in(hand & ~(runs | sets), rules, side)


@jit
def _by_tables(hand, rules, side):
    """`deadwood_of` for every set of rules."""
    if plain(hand, rules, side):
        return _by_planes(hand, rules, side)
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
    return _by_planes(hand, rules, side)


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
    if plain(hand, rules, 0):
        return cards_in_runs(hand) | cards_in_sets(hand)
    cards = _runs_by_tables(hand, rules) | cards_in_sets(hand)
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
    ranks = ranks_of(cards)
    r = highest_of_lane(ranks | 1)  # tells LLVM that there is one
    if rules.value[0, 0] > rules.value[0, r] and ranks & 1:
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
            return _best_loose(loose, legal, rules)
    return _best_discards_apart(hand, legal, rules)


@inlined
def _best_loose(loose, legal, rules):
    """`best_discards` of a hand without conflicts, some of whose loose cards are legal."""
    cards, value = dearest(loose & legal, rules)
    return points_in(loose, rules, 0) - value, cards


@jit
def _best_discards_apart(hand, legal, rules):
    """`best_discards` where melds conflict, and where no card in no meld can be discarded."""
    if rules.by_planes[0] or plain(hand, rules, 0):
        runs, sets = cards_in_runs(hand), cards_in_sets(hand)
        loose = hand & ~(runs | sets)
        if runs & sets == 0 and loose & legal:
            return _best_loose(loose, legal, rules)
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
    if rest == 0 or _left_by_runs(hand & ~in_melds, rules, 0) > best:
        return best, best_cards  # no three of these cards form a run
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
