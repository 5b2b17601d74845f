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
    kernel, state, rules,
    view0, view1,
    sums_row, no_records,
    which, first, turns,
    take_a, discard_a, knock_a,
    offer_a, answer_a, show_a,
    take_b, discard_b, knock_b,
    offer_b, answer_b, show_b,
):  # fmt: skip
    """Play the deals named in `which` once more, and write the turns of each to `turns`.

    which: int64 (deals, 2) of unit and half. A single deal is the last that the kernel plays, so
    that it need not be watched for.
    """
    n = 0
    state.watch_half = -1
    for i in range(which.shape[0]):
        unit = which[i, 0]
        half = which[i, 1]
        kernel(
            state, rules,
            view0, view1,
            sums_row, no_records,
            unit, 1, 1,
            False, half == 1,
            take_a, discard_a, knock_a,
            offer_a, answer_a, show_a,
            take_b, discard_b, knock_b,
            offer_b, answer_b, show_b,
        )  # fmt: skip
        deal = first + i
        n = _write_turns(state, rules, view0, view1, False, deal, turns, n)


def follow_solo_deals(
    kernel, state, rules,
    view0, view1,
    sums_row, no_records,
    which, first, turns,
    discard, knock,
):  # fmt: skip
    """As `follow_deals` for one player, who looks at view0 alone."""
    n = 0
    state.watch_half = -1
    for i in range(which.shape[0]):
        unit = which[i, 0]
        kernel(
            state, rules,
            view0,
            sums_row, no_records,
            unit, 1, 1,
            False,
            discard, knock,
        )  # fmt: skip
        deal = first + i
        n = _write_turns(state, rules, view0, view0, True, deal, turns, n)


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
            dealt = _hand_as_dealt(state, rules, False, alone)
            hands[1 - first] = dealt
    may_take = not alone and rules.take_discard
    top = state.upcard
    pile = 1 << top if top >= 0 else 0
    for t in range(state.turns):
        seat = int(view0.history[t, 0])
        source = view0.history[t, 1]
        thrown = int(view0.history[t, 3])
        # Each view knows the cards that its own seat drew.
        known0 = int(view0.history[t, 2])
        known1 = int(view1.history[t, 2])
        card = max(known0, known1)
        takes = 0
        if may_take and top >= 0 and source != FROM_DEAL:
            takes = int(_take_lowers(hands[seat], top, rules))
        taken = -1
        drawn = -1
        if source == FROM_PILE:
            pile ^= 1 << card
            taken = card
        if source == FROM_STOCK:
            drawn = card
        eleven = hands[seat]
        if card >= 0:
            eleven |= 1 << card
        legal = legal_discards(eleven, taken, drawn, rules)
        others = PACK & ~(eleven | pile)
        unbeaten, least = _choices(eleven, legal, others, alone, rules)
        hands[seat] = eleven
        if thrown >= 0:
            bit = 1 << thrown
            hands[seat] = eleven & ~bit
            pile |= bit
            top = thrown
        own_turns[seat] += 1
        other = -1
        if not alone:
            other = deadwood_of(hands[1 - seat], rules, 0)
        turn = turns[n]
        turn.deal = deal
        turn.turn = t + 1
        turn.own_turn = own_turns[seat]
        turn.side = seat ^ state.half
        turn.dealer = not alone and seat == state.dealer
        turn.count = deadwood_of(hands[seat], rules, 0)
        turn.other = other
        turn.actions = takes + unbeaten + (least <= state.limit)
        n += 1
    return n


@jit
def _take_lowers(ten, card, rules):
    """Whether a card from the pile would lower the deadwood; if not, taking it gains nothing."""
    eleven = ten | 1 << card
    lowest_left = best_discards(eleven, ten, rules)[0]
    return lowest_left < deadwood_of(ten, rules, 0)


@jit
def _choices(eleven, legal, others, alone, rules):
    """Count the legal discards that no other beats; find the least deadwood that one leaves.

    Two discards differ if they leave different deadwood or are of different danger: the number of
    melds that the opponent could make of the card with cards he may hold, all unseen cards being
    alike. For a single player, whom nobody threatens, danger is the outs that a discard costs:
    minus the unseen cards that would meld with what is kept.

    Returns how many of those that differ no other beats in both, and the least deadwood.
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
            same_left = lefts[k] == left
            known |= same_left and dangers[k] == danger
        if not known:
            lefts[n] = left
            dangers[n] = danger
            n += 1
    lefts = lefts[:n]
    dangers = dangers[:n]
    least = lefts.min() if n else 1 << 20
    unbeaten = _unbeaten(lefts, dangers)
    return max(unbeaten, 1), least


@jit
def _unbeaten(lefts, dangers):
    """Count the pairs (left, danger), all different, that no other is as low as in both."""
    n = 0
    for i in range(lefts.shape[0]):
        left = lefts[i]
        danger = dangers[i]
        beaten = False
        for k in range(lefts.shape[0]):
            as_low = lefts[k] <= left
            as_safe = dangers[k] <= danger
            beaten |= k != i and as_low and as_safe
        n += not beaten
    return n


# V between deals (`simgin.value.tracks`)


def fill_table(table, to_a, to_b, chance_a, chance_b, dealer, nobody, each):
    """Fill a table from its end; `simgin.value.tracks.fill` says what the arguments are."""
    # Chance of the same places again, by dealer and next dealer
    stay = np.zeros((2, 2))
    rows, ends_a = to_a.shape
    columns, ends_b = to_b.shape
    for i in range(rows - 1, -1, -1):
        table[i, :columns] = each
        stay[:] = 0.0
        for d in range(2):
            after_a = dealer[d, 0]
            after_nobody = dealer[d, 2]
            stay[d, after_nobody] += nobody[d]
            for o in range(ends_a):
                next_i = to_a[i, o]
                chance = chance_a[d, o]
                if next_i == i:
                    stay[d, after_a] += chance
                    continue
                # Along a row, which is vector code
                for j in range(columns):
                    v = table[next_i, j, after_a]
                    table[i, j, d] += chance * v
        for j in range(columns - 1, -1, -1):
            m00 = 1.0 - stay[0, 0]
            m01 = -stay[0, 1]
            m10 = -stay[1, 0]
            m11 = 1.0 - stay[1, 1]
            for d in range(2):
                after_b = dealer[d, 1]
                again = 0.0
                total = 0.0
                for o in range(ends_b):
                    next_j = to_b[j, o]
                    chance = chance_b[d, o]
                    if next_j == j:
                        again += chance
                    else:
                        v = table[i, next_j, after_b]
                        total += chance * v
                table[i, j, d] += total
                if d == 0 and after_b == 0:
                    m00 -= again
                elif d == 0:
                    m01 -= again
                elif after_b == 0:
                    m10 -= again
                else:
                    m11 -= again
            r0 = table[i, j, 0]
            r1 = table[i, j, 1]
            determinant = m00 * m11 - m01 * m10
            numerator0 = r0 * m11 - r1 * m01
            numerator1 = r1 * m00 - r0 * m10
            table[i, j, 0] = numerator0 / determinant
            table[i, j, 1] = numerator1 / determinant
