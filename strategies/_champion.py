"""What the strategy `champion` sees in a hand, a discard and a knock, as named numbers.

The policies of strategies/champion.py weigh these numbers; training/champion.py learns the weights.
Every decision is the sum of its numbers times their weights, and the weights depend on the stage of
the deal.
"""

import numpy as np

from simgin.core.bits import highest_of_lane
from simgin.strategy import helper
from simgin.toolkit import (
    bit,
    gin_draws,
    lane,
    linked,
    near,
    of_rank,
    of_ranks,
    outs,
    points,
    popcount,
    ranks_of,
    run_pairs,
)

MATCH = 180.0  # what a match is worth, in about the points of deals: the unit of all prices
NEW_STAGES = (3, 5, 8, 11)  # own turns at which another stage of the deal begins
STAGES = len(NEW_STAGES) + 1

HAND = (
    ("loose_0", "no card lies outside of all possible melds"),
    ("loose_1", "one card does"),
    ("loose_2", "two cards do, and so on"),
    ("loose_3", ""),
    ("loose_4", ""),
    ("loose_5", ""),
    ("loose_6", ""),
    ("loose_7", ""),
    ("loose_8", ""),
    ("loose_9", ""),
    ("loose_10", ""),
    ("count", "deadwood"),
    ("count_squared", "its square, over 50"),
    ("count_to_4", "deadwood of at most 4"),
    ("count_to_10", "deadwood of at most 10"),
    ("count_to_15", "deadwood of 11 to 15"),
    ("count_to_22", "deadwood of 16 to 22"),
    ("outs_of_3", "unseen cards that make a new meld, with at most three loose cards"),
    ("outs_of_5", "the same with four or five"),
    ("outs_of_7", "the same with six or seven"),
    ("outs_of_10", "the same with eight or more"),
    ("high_outs", "those of them from 10 to K"),
    ("low_outs", "those of them from A to 4"),
    ("fits_of_1", "other unseen cards that fit a meld, with at most one loose card"),
    ("fits_of_3", "the same with two or three"),
    ("fits_of_6", "the same with four to six"),
    ("fits_of_10", "the same with seven or more"),
    ("lone", "loose cards without a partner"),
    ("lone_points", "their points"),
    ("highest_lone", "value of the highest of them"),
    ("second_lone", "value of the second highest"),
    ("both_ways", "loose cards with a partner in rank and one in suit"),
    ("low", "loose cards from A to 3"),
    ("low_points", "their points"),
    ("wanted", "loose cards that touch a card the opponent took"),
    ("contested", "outs to a new meld that touch a card the opponent took"),
    ("spurned", "outs to a new meld that touch a card the opponent has shed"),
    ("spurned_fits", "other cards that fit a meld and touch one"),
    ("count_taken", "deadwood times the number of cards the opponent is known to hold"),
    ("count_behind", "deadwood times the opponent's points in the match, over 100"),
    ("count_ahead", "deadwood times the player's own points, over 100"),
    ("gin_draws", "unseen cards that make gin on the next draw"),
    ("knock_draws", "about how many allow a first knock on the next draw"),
)
DISCARD = (
    ("near_loose", "loose cards kept that are near the discard"),
    ("near_melded", "other cards kept that are near it"),
    ("meld_known", "melds it makes with two cards the opponent is known to hold"),
    ("set_half_known", "sets it could make with a known card and an unseen one"),
    ("run_half_known", "runs it could make so"),
    ("set_dead", "a known card of its rank, and no unseen one"),
    ("set_unseen", "sets it could make with two unseen cards"),
    ("run_unseen", "runs it could make so"),
    ("set_unseen_high", "those sets if it is 10 to K"),
    ("run_unseen_high", "those runs if it is 10 to K"),
    ("run_unseen_low", "those runs if it is A to 3"),
    ("set_unseen_shed", "those sets if the opponent has shed a card of its rank"),
    ("run_unseen_shed", "those runs if the opponent has shed a neighbour"),
    ("shed_rank", "cards of its rank that the opponent has shed"),
    ("shed_next", "neighbours in its suit that the opponent has shed"),
    ("shed_next_but_one", "cards two away in its suit that the opponent has shed"),
    ("rank", "its rank, 0 to 12"),
    ("rank_squared", "its square, over ten"),
    ("same_rank_last", "it has the rank of the opponent's last discard"),
    ("next_to_last", "it is that card's neighbour"),
    ("next_but_one_to_last", "it is two away from that card in its suit"),
)
NAMES = tuple(name for name, _ in HAND + DISCARD)
SIZE = 64  # numbers of a discard; a multiple of four
HAND_SIZE = 44  # numbers of a hand alone, rounded up likewise
ROOM = np.int64(SIZE)
LOOSE, COUNT, OUTS, FITS = (
    NAMES.index(name) for name in ("loose_0", "count", "outs_of_3", "fits_of_1")
)
LONE, LOW, WANTED, GIN = (NAMES.index(name) for name in ("lone", "low", "wanted", "gin_draws"))
NEAR, KNOWN, UNSEEN, SHED = (
    NAMES.index(name) for name in ("near_loose", "meld_known", "set_unseen", "shed_rank")
)
RANK, LAST = NAMES.index("rank"), NAMES.index("same_rank_last")

HIGH = sum(0b1111 << (13 * suit + 9) for suit in range(4))
ACE_TO_4 = sum(0b1111 << (13 * suit) for suit in range(4))
ACE_TO_3 = sum(0b111 << (13 * suit) for suit in range(4))


@helper
def stage(turn):
    """The stage of the deal, 0..4, on a given own turn."""
    return (
        (turn >= NEW_STAGES[0])
        + (turn >= NEW_STAGES[1])
        + (turn >= NEW_STAGES[2])
        + (turn >= NEW_STAGES[3])
    )


@helper
def two_highest(cards, rules):
    """Values of the highest of some cards and of the highest of another rank; 0 for none."""
    ranks = ranks_of(cards)
    if ranks == 0:
        return 0, 0
    first = highest_of_lane(ranks)
    ranks ^= 1 << first
    second = rules.value[0, highest_of_lane(ranks)] if ranks else 0
    return rules.value[0, first], second


@helper
def knock_draws(count, dearest, new_outs, view, rules):
    """About how many unseen cards allow the first knock on the next draw.

    Cards low enough to replace the dearest loose card, and outs to a new meld.
    """
    nine = count - dearest
    if count <= view.limit or nine >= view.limit:
        return 0
    low_enough = np.int64(0)
    for r in range(13):
        low_enough |= np.int64(nine + rules.value[0, r] <= view.limit) << r
    return popcount(view.unseen & (of_ranks(low_enough) | new_outs))


@helper
def describe_hand(f, ten, loose, count, wanted, spurned, view, rules):
    """Write the numbers of ten cards, whose deadwood is `count`, to f.

    loose: those of them in no possible meld. wanted, spurned: the cards that touch one that the
    opponent took, or has shed.
    """
    for i in range(COUNT):
        f[i] = 0.0
    for i in range(OUTS, LONE):
        f[i] = 0.0
    n = popcount(loose)
    new = outs(loose, rules) & view.unseen
    fits = outs(ten, rules) & view.unseen & ~new
    by_rank, by_suit = linked(loose)
    lone = loose & ~(by_rank | by_suit)
    f[LOOSE + n] = 1.0
    f[COUNT] = count
    f[COUNT + 1] = count * count * 0.02
    f[COUNT + 2] = count <= 4
    f[COUNT + 3] = count <= 10
    f[COUNT + 4] = 10 < count <= 15
    f[COUNT + 5] = 15 < count <= 22
    f[OUTS + (n >= 4) + (n >= 6) + (n >= 8)] = popcount(new)
    f[OUTS + 4] = popcount(new & HIGH)
    f[OUTS + 5] = popcount(new & ACE_TO_4)
    f[FITS + (n >= 2) + (n >= 4) + (n >= 7)] = popcount(fits)
    f[LONE] = popcount(lone)
    f[LONE + 1] = points(lone, rules)
    f[LONE + 2], f[LONE + 3] = two_highest(lone, rules)
    f[LONE + 4] = popcount(by_rank & by_suit)
    low = loose & ACE_TO_3
    f[LOW] = popcount(low)
    f[LOW + 1] = points(low, rules)
    f[WANTED] = popcount(loose & wanted)
    f[WANTED + 1] = popcount(new & wanted)
    f[WANTED + 2] = popcount(new & spurned)
    f[WANTED + 3] = popcount(fits & spurned)
    f[WANTED + 4] = count * popcount(view.known)
    f[WANTED + 5] = count * 0.01 * view.other_points
    f[WANTED + 6] = count * 0.01 * view.own_points
    f[GIN] = gin_draws(ten, new | fits, rules) if n <= 3 else 0
    f[GIN + 1] = knock_draws(count, two_highest(loose, rules)[0], new, view, rules)


@helper
def describe_discard(f, card, ten, loose, last, view):
    """Write the numbers of a discard to f: what it gives away, by what the opponent did.

    last: the opponent's last discard if it was left lying, else -1.
    """
    for i in range(NEAR, SIZE):
        f[i] = 0.0
    around = ten & near(card)
    f[NEAR] = popcount(around & loose)
    f[NEAR + 1] = popcount(around & ~loose)
    r, suit = card % 13, card // 13
    rank = of_rank(r)
    unseen = popcount(view.unseen & rank)
    window = lane(view.unseen, suit) << 2 >> r
    sets, runs = unseen * (unseen - 1) // 2, run_pairs(window)
    f[UNSEEN] = sets
    f[UNSEEN + 1] = runs
    if r >= 9:
        f[UNSEEN + 2] = sets
        f[UNSEEN + 3] = runs
    elif r <= 2:
        f[UNSEEN + 4] = runs
    if view.known:
        known = popcount(view.known & rank)
        held = lane(view.known, suit) << 2 >> r
        both = run_pairs(held)
        f[KNOWN] = both + (known >= 2)
        if known == 1:
            f[KNOWN + 1] = unseen
            f[KNOWN + 3] = unseen == 0
        f[KNOWN + 2] = run_pairs(held | window) - both - runs
    if view.shed:
        shed = popcount(view.shed & rank)
        gone = lane(view.shed, suit) << 2 >> r
        f[UNSEEN + 5] = sets if shed else 0
        f[UNSEEN + 6] = runs if gone & 0b01010 else 0
        f[SHED] = shed
        f[SHED + 1] = popcount(gone & 0b01010)
        f[SHED + 2] = popcount(gone & 0b10001)
    f[RANK] = r
    f[RANK + 1] = r * r * 0.1
    if last >= 0:
        if r == last % 13:
            f[LAST] = 1.0
        elif bit(card) & near(last):
            f[LAST + abs(r - last % 13)] = 1.0


@helper
def weighed(f, size, weights, at):
    """The sum of the first `size` numbers times their weights, in four sums at a time."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(0, size, 4):
        a += f[i] * weights[at + i]
        b += f[i + 1] * weights[at + i + 1]
        c += f[i + 2] * weights[at + i + 2]
        d += f[i + 3] * weights[at + i + 3]
    return (a + b) + (c + d)
