"""Compiled functions of the room; `simgin.core.jit` finds every file of this name."""

import numpy as np

from simgin.core.bits import lowest
from simgin.core.cards import PACK
from simgin.core.deadwood import best_discards, deadwood_of
from simgin.core.endings import legal_discards
from simgin.core.jit import jit
from simgin.core.rules import DISCARD_FIRST
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK
from simgin.toolkit.prospects import hits, melds_through

# Deals turn by turn (`simgin.value.turns`)


def follow_deals(
    kernel, state, rules, view0, view1, sums_row, no_records, which, first, matches, turns,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play the deals named in `which` once more, and write the turns of each to `turns`.

    which: int64 (deals, 3) of unit, half and number. A single deal is the last that the kernel
    plays, so that it need not be watched for.
    """
    n = 0
    for i in range(which.shape[0]):
        half = which[i, 1]
        state.watch_half = half if matches else -1
        state.watch_deal = which[i, 2]
        kernel(
            state, rules, view0, view1, sums_row, no_records, which[i, 0], 1, 1, matches, half == 1,
            take_a, discard_a, knock_a, offer_a, answer_a, show_a,
            take_b, discard_b, knock_b, offer_b, answer_b, show_b,
        )  # fmt: skip
        n = _write_turns(state, rules, view0, view1, False, first + i, turns, n)


def follow_solo_deals(
    kernel, state, rules, view0, view1, sums_row, no_records, which, first, matches, turns,
    discard, knock,
):  # fmt: skip
    """As `follow_deals` for one player, who looks at view0 alone."""
    n = 0
    for i in range(which.shape[0]):
        state.watch_half = 0 if matches else -1
        state.watch_deal = which[i, 2]
        kernel(
            state, rules, view0, sums_row, no_records, which[i, 0], 1, 1, matches, discard, knock
        )
        n = _write_turns(state, rules, view0, view0, True, first + i, turns, n)


@jit
def _hand_as_dealt(state, rules, first, alone):
    """The ten or eleven cards dealt to the nondealer (first), the dealer or a single player."""
    eleven = rules.first_turn == DISCARD_FIRST
    hand = 0
    if alone:
        n = 11 if eleven else 10
        # A joker among the cards takes the place of one of them.
        cards = n - (0 <= state.joker < n)
        for i in range(cards):
            hand |= 1 << int(state.pack[i])
        return hand
    for i in range(10):
        hand |= 1 << int(state.pack[2 * i + (not first)])
    if first and eleven:
        hand |= 1 << int(state.pack[20])
    return hand


@jit
def _write_turns(state, rules, view0, view1, alone, deal, turns, n):
    """Write the turns of the deal in the state to `turns`, from number n on; the next free one."""
    hands = np.zeros(2, np.int64)
    own_turns = np.zeros(2, np.int64)
    if state.turns:
        first = 0 if alone else 1 - state.dealer
        hands[first] = _hand_as_dealt(state, rules, True, alone)
        if not alone:
            hands[1 - first] = _hand_as_dealt(state, rules, False, alone)
    top = state.upcard
    pile = 1 << top if top >= 0 else 0
    for t in range(state.turns):
        seat = int(view0.history[t, 0])
        source = view0.history[t, 1]
        thrown = int(view0.history[t, 3])
        # Each view knows the cards that its own seat drew.
        card = max(int(view0.history[t, 2]), int(view1.history[t, 2]))
        takes = 1
        if not alone and rules.take_discard and top >= 0 and source != FROM_DEAL:
            takes += _take_lowers(hands[seat], top, rules)
        if source == FROM_PILE:
            pile ^= 1 << card
        eleven = hands[seat] | 1 << card if card >= 0 else hands[seat]
        taken = card if source == FROM_PILE else -1
        drawn = card if source == FROM_STOCK else -1
        legal = legal_discards(eleven, taken, drawn, rules)
        others = PACK & ~(eleven | pile)
        discards, unbeaten, least = _choices(eleven, legal, others, alone, rules)
        hands[seat] = eleven
        if thrown >= 0:
            hands[seat] = eleven & ~(1 << thrown)
            pile |= 1 << thrown
            top = thrown
        own_turns[seat] += 1
        turn = turns[n]
        turn.deal = deal
        turn.turn = t + 1
        turn.own_turn = own_turns[seat]
        turn.side = seat ^ state.half
        turn.dealer = not alone and seat == state.dealer
        turn.count = deadwood_of(hands[seat], rules, 0)
        turn.other = -1 if alone else deadwood_of(hands[1 - seat], rules, 0)
        turn.takes = takes
        turn.discards = discards
        turn.endings = 1 + (least <= state.limit)
        turn.unbeaten = unbeaten
        n += 1
    return n


@jit
def _take_lowers(ten, card, rules):
    """Whether a card from the pile would lower the deadwood; if not, taking it gains nothing."""
    return best_discards(ten | 1 << card, ten, rules)[0] < deadwood_of(ten, rules, 0)


@jit
def _choices(eleven, legal, others, alone, rules):
    """Count the legal discards that differ, and find the least deadwood that one of them leaves.

    Two discards differ if they leave different deadwood or are of different danger: the number of
    melds that the opponent could make of the card with cards he may hold, all unseen cards being
    alike. For a single player, whom nobody threatens, danger is the outs that a discard costs:
    minus the unseen cards that would meld with what is kept.

    Returns how many discards differ, how many of them no other beats in both deadwood and danger,
    and the least deadwood.
    """
    lefts = np.empty(11, np.int64)
    dangers = np.empty(11, np.int64)
    n = 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        ten = eleven & ~(1 << card)
        left = deadwood_of(ten, rules, 0)
        danger = -hits(ten, others, rules) if alone else melds_through(card, others, rules)
        known = False
        for k in range(n):
            known |= lefts[k] == left and dangers[k] == danger
        if not known:
            lefts[n] = left
            dangers[n] = danger
            n += 1
    least = lefts[:n].min() if n else 1 << 20
    return max(n, 1), max(_unbeaten(lefts[:n], dangers[:n]), 1), least


@jit
def _unbeaten(lefts, dangers):
    """Count the pairs (left, danger), all different, that no other is as low as in both."""
    n = 0
    for i in range(lefts.shape[0]):
        beaten = False
        for k in range(lefts.shape[0]):
            beaten |= k != i and lefts[k] <= lefts[i] and dangers[k] <= dangers[i]
        n += not beaten
    return n


# V within a deal (`simgin.value.in_deal`)


@jit
def make_isotonic(weight, tail):
    """Make tail[slice, :, end] rise along the bins, in place: pool adjacent violators.

    Ayer and others (1955). Empty bins get the level of the bin below.
    """
    slices, bins, ends = tail.shape
    level = np.empty(bins)
    mass = np.empty(bins)
    begin = np.empty(bins, np.int64)
    for s in range(slices):
        for e in range(ends):
            n = 0
            for i in range(bins):
                if weight[s, i] == 0:
                    continue
                level[n] = tail[s, i, e]
                mass[n] = weight[s, i]
                begin[n] = i
                n += 1
                while n > 1 and level[n - 2] >= level[n - 1]:
                    total = mass[n - 2] + mass[n - 1]
                    pooled = level[n - 2] * mass[n - 2] + level[n - 1] * mass[n - 1]
                    level[n - 2] = pooled / total
                    mass[n - 2] = total
                    n -= 1
            k = 0
            for i in range(bins):
                while k + 1 < n and begin[k + 1] <= i:
                    k += 1
                if n:
                    tail[s, i, e] = level[k]


@jit
def write_expected(share, worth, state, deal, out):
    """Write to `out` the mean worth of the ends of a deal, for each state and its deal."""
    for i in range(state.shape[0]):
        total = 0.0
        for e in range(share.shape[1]):
            total += share[state[i], e] * worth[deal[i], e]
        out[i] = total


# V between deals (`simgin.value.tracks`)


def fill_table(table, to_a, to_b, chance_a, chance_b, dealer, nobody, each):
    """Fill a table from its end; `simgin.value.tracks.fill` says what the arguments are."""
    stay = np.zeros((2, 2))  # chance of the same places again, by dealer and next dealer
    for i in range(to_a.shape[0] - 1, -1, -1):
        table[i, : to_b.shape[0]] = each
        stay[:] = 0.0
        for d in range(2):
            stay[d, dealer[d, 2]] += nobody[d]
            for o in range(to_a.shape[1]):
                if to_a[i, o] == i:
                    stay[d, dealer[d, 0]] += chance_a[d, o]
                    continue
                for j in range(to_b.shape[0]):  # along a row, which is vector code
                    table[i, j, d] += chance_a[d, o] * table[to_a[i, o], j, dealer[d, 0]]
        for j in range(to_b.shape[0] - 1, -1, -1):
            m00 = 1.0 - stay[0, 0]
            m01 = -stay[0, 1]
            m10 = -stay[1, 0]
            m11 = 1.0 - stay[1, 1]
            for d in range(2):
                again = 0.0
                total = 0.0
                for o in range(to_b.shape[1]):
                    if to_b[j, o] == j:
                        again += chance_b[d, o]
                    else:
                        total += chance_b[d, o] * table[i, to_b[j, o], dealer[d, 1]]
                table[i, j, d] += total
                if d == 0 and dealer[d, 1] == 0:
                    m00 -= again
                elif d == 0:
                    m01 -= again
                elif dealer[d, 1] == 0:
                    m10 -= again
                else:
                    m11 -= again
            r0 = table[i, j, 0]
            r1 = table[i, j, 1]
            determinant = m00 * m11 - m01 * m10
            table[i, j, 0] = (r0 * m11 - r1 * m01) / determinant
            table[i, j, 1] = (r1 * m00 - r0 * m10) / determinant
