"""Look one draw ahead: keep the ten cards of which the cards still unseen would make most.

The throw-away players behind the rule book's orientation values look ahead like this, with perfect memory: a card that was thrown is
unseen no more. What is looked for is the parameter `aim`. A card that makes no meld leaves a count that is known beforehand, the count of
the ten or that of their best nine and the card; only the few others are evaluated, a hundred for a discard. A last discard, after which
no card is drawn, leaves the least deadwood.

Source: RULES.md 15.3 and STRATEGIES.md 4 (solo-lookahead), this project; the mean of the few best after A. Ahmed and others, "A Heuristic
Evaluation Function for Hand Strength Estimation in Gin Rummy" (MARJJ), EAAI-21, 2021.
"""

import numpy as np

from simgin.strategy import choice, discard, helper, param
from simgin.toolkit import best_discard, best_discards, deadwood, dearest, lane, lowest, popcount

DEADWOOD, GIN, FEW, LOOSE = 0, 1, 2, 3
HIGH_OR_LOW, CORNER = 1, 2  # rules.ace_runs
PACK_SIZE = 52


@discard(
    aim=choice("deadwood", "gin", "few", "loose", about="least mean count; cards that make gin; mean of the few best; loose cards"),
    few=param(7, 1, 42, "how many of the best draws count under aim=few"),
)
def ahead(view, rules, params):
    """Keep the ten cards that the next card, whichever it is, will on average serve best."""
    if no_draw_follows(view, rules):
        return best_discard(view.hand, view.legal, rules)
    counts = np.empty(PACK_SIZE, np.int64)
    best, least = -1, 1 << 60
    legal = view.legal
    while legal:
        card = lowest(dearest(legal, rules)[0])
        legal &= ~(1 << card)
        cost = outlook(view.hand & ~(1 << card), view.unseen, params[0], params[1], rules, counts)
        if cost < least:
            best, least = card, cost
    return best


@helper
def no_draw_follows(view, rules):
    """One player: whether this is the last discard, after which only the ten cards count."""
    return view.deck_left == 1 if rules.max_draws < 0 else view.own_turn >= rules.max_draws


@helper
def outlook(ten, unseen, aim, few, rules, counts):
    """What ten cards cost by an aim, small is good; `counts` is room for a number a card."""
    if aim == LOOSE:
        return _loose_outlook(ten, unseen, rules)
    n = next_counts(ten, unseen, rules, counts)
    if aim == FEW:
        return _least(counts, n, int(few))
    total, gins = 0, 0
    for i in range(n):
        total += counts[i]
        gins += counts[i] == 0
    return total - (gins << 20) if aim == GIN else total


@helper
def next_counts(ten, unseen, rules, out):
    """Write to `out` the least count that each unseen card leads to, if it were drawn; how many there are."""
    whole, nine = deadwood(ten, rules), best_discards(ten, ten, rules)[0]
    fit = outs(ten, rules)
    n = 0
    while unseen:
        one = unseen & -unseen
        unseen ^= one
        if one & fit:
            out[n] = best_discards(ten | one, ten | one, rules)[0]
        else:
            out[n] = min(whole, nine + rules.value[0, lowest(one) % 13])
        n += 1
    return n


@helper
def _least(counts, n, few):
    """Sum of the `few` least of n numbers, which are reordered."""
    total = 0
    for i in range(min(n, few)):
        for k in range(i + 1, n):
            if counts[k] < counts[i]:
                counts[i], counts[k] = counts[k], counts[i]
        total += counts[i]
    return total


@helper
def _loose_outlook(ten, unseen, rules):
    """The least numbers of loose cards that the unseen cards lead to, added up; then the count."""
    now = loose(ten, rules)
    fit = outs(ten, rules) & unseen
    total = now * popcount(unseen & ~fit)
    while fit:
        total += max(0, loose(ten | fit & -fit, rules) - 1)
        fit &= fit - 1
    return total << 10 | deadwood(ten, rules)


@helper
def outs(hand, rules):
    """The cards of the pack that would lie in a meld with cards of the hand."""
    s, h, d, c = lane(hand, 0), lane(hand, 1), lane(hand, 2), lane(hand, 3)
    pairs = s & h | s & d | s & c | h & d | h & c | d & c
    cards = pairs | pairs << 13 | pairs << 26 | pairs << 39
    cards |= _run_outs(s, rules) | _run_outs(h, rules) << 13 | _run_outs(d, rules) << 26 | _run_outs(c, rules) << 39
    for i in range(rules.n_rainbows):
        missing = rules.rainbows[i] & ~hand
        if missing & (missing - 1) == 0:
            cards |= missing
    return cards


@helper
def _run_outs(one, rules):
    """The ranks that two cards of a lane next to them would make a run with."""
    around = one << 13
    if rules.ace_runs == HIGH_OR_LOW:
        around |= (one & 1) << 26
    elif rules.ace_runs == CORNER:
        around |= one | one << 26
    ranks = around << 2 & around << 1 | around << 1 & around >> 1 | around >> 1 & around >> 2
    return ranks >> 13 & 0x1FFF | (ranks >> 26 & 1 if rules.ace_runs == HIGH_OR_LOW else 0)


@helper
def loose(hand, rules):
    """Least number of cards of up to eleven that are left out of melds, whatever their values; rainbows are not looked for."""
    s, h, d, c = lane(hand, 0), lane(hand, 1), lane(hand, 2), lane(hand, 3)
    thrice = s & h & (d | c) | d & c & (s | h)
    if thrice == 0:
        return _out_of_runs(s, h, d, c, rules)
    runs = rules.lane[0, s] | rules.lane[0, h] | rules.lane[0, d] | rules.lane[0, c]
    plain = thrice & ~int(runs)
    s, h, d, c = s & ~plain, h & ~plain, d & ~plain, c & ~plain
    return _fewest(s, h, d, c, thrice & ~plain, rules)


@helper
def _fewest(s, h, d, c, ranks, rules):
    """The same where each of some ranks may be a set of all its cards, of three of four, or none."""
    if ranks == 0:
        return _out_of_runs(s, h, d, c, rules)
    r = ranks & -ranks
    rest = ranks ^ r
    s0, h0, d0, c0 = s & ~r, h & ~r, d & ~r, c & ~r
    best = min(_fewest(s, h, d, c, rest, rules), _fewest(s0, h0, d0, c0, rest, rules))
    if s & h & d & c & r:
        best = min(best, _fewest(s, h0, d0, c0, rest, rules), _fewest(s0, h, d0, c0, rest, rules))
        best = min(best, _fewest(s0, h0, d, c0, rest, rules), _fewest(s0, h0, d0, c, rest, rules))
    return best


@helper
def _out_of_runs(s, h, d, c, rules):
    return _out_of_run(s, rules) + _out_of_run(h, rules) + _out_of_run(d, rules) + _out_of_run(c, rules)


@helper
def _out_of_run(one, rules):
    """Cards of a lane left out of its runs: those in none, and two where A-2-3 and Q-K-A want the same ace."""
    ends = rules.ace_runs == HIGH_OR_LOW and one & 0b1110000001111 == 0b1100000000111
    return popcount(one & ~int(rules.lane[0, one])) + 2 * ends
