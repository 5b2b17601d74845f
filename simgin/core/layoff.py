"""The defender's count, with own melds and lay-offs chosen together (rules.md 3.7).

For each meld shown, list every set of the defender's cards that may be laid off on it: nothing or
the fourth card for a set of three; every pair of chains at the two ends for a run. Then try each
disjoint choice and meld the rest. The result is the joint minimum, not a first fit.
"""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import of_rank
from simgin.core.deadwood import deadwood_of
from simgin.core.jit import jit
from simgin.core.meldings import RAINBOW, SET, extension, first_rank, kind_of
from simgin.core.planes import ranks_of

# Two chains of at most ten cards together give 36 pairs; round the corner both may be the same ten
# cards, which gives 66.
MAX_OPTIONS = 66


@jit
def _chain(start, step, room, base, hand, chain):
    """Write the growing masks of the defender's cards from rank `start` on in direction `step`.

    Returns the number of cards.
    """
    cards = 0
    n = 0
    r = start
    chain[0] = 0
    while n < room and hand >> (base + r) & 1:
        cards |= 1 << (base + r)
        n += 1
        chain[n] = cards
        r = (r + step + 13) % 13
    return n


@jit
def _run_options(meld, hand, rules, down, up, options):
    """Write every way to extend a run with the defender's cards; returns their number."""
    ranks = ranks_of(meld)
    size = popcount(ranks)
    base = 13 * (lowest(meld) // 13)
    start = 0 if size == 13 else first_rank(ranks)
    if rules.ace_runs == 2:
        below = above = 13 - size  # round the corner, only the thirteen cards of the suit limit it
    else:
        below = start
        above = (12 if rules.ace_runs == 0 else 13) - (start + size - 1)
    n_down = _chain((start + 12) % 13, -1, below, base, hand, down)
    n_up = _chain((start + size) % 13, 1, above, base, hand, up)
    n = 0
    for i in range(n_down + 1):
        for j in range(n_up + 1):
            if down[i] & up[j] == 0:
                options[n] = down[i] | up[j]
                n += 1
    return n


@jit
def _options(meld, hand, rules, scratch, options):
    """Write every set of cards the defender can lay off on one meld, the empty one first.

    Returns their number.
    """
    kind = kind_of(meld) if meld else RAINBOW
    options[0] = 0
    if kind == RAINBOW:  # nothing can be added, as to a set of four
        return 1
    if kind == SET:
        options[1] = of_rank(lowest(ranks_of(meld))) & ~meld & hand
        return 2 if options[1] else 1
    return _run_options(meld, hand, rules, scratch[0], scratch[1], options)


@jit
def lay_off(hand, melds, rules, options, scratch):
    """(the defender's count, mask of the cards laid off) for the defender's hand.

    melds: the three melds shown, 0 for none. Of several best ways the one that lays off the fewest
    cards counts, and the first of those. options: int64 (3, MAX_OPTIONS), scratch: int64 (2, 16).
    """
    fit = extension(melds[0], rules) | extension(melds[1], rules) | extension(melds[2], rules)
    if hand & fit == 0:
        return deadwood_of(hand, rules, 1), 0  # in about half of all knocks nothing fits
    n0 = _options(melds[0], hand, rules, scratch, options[0])
    n1 = _options(melds[1], hand, rules, scratch, options[1])
    n2 = _options(melds[2], hand, rules, scratch, options[2])
    best = 1 << 20
    best_laid = 0
    for i in range(n0):
        a = options[0, i]
        for j in range(n1):
            b = options[1, j]
            if a & b:
                continue
            for k in range(n2):
                c = options[2, k]
                if (a | b) & c:
                    continue
                laid = a | b | c
                count = deadwood_of(hand & ~laid, rules, 1)
                if count < best or (count == best and popcount(laid) < popcount(best_laid)):
                    best = count
                    best_laid = laid
    return best, best_laid
