"""What a correction learned on branches adds to the search of `solo-two-draws`.

    python benchmarks/solo_correction.py            # four games, a quarter of an hour
    python benchmarks/solo_correction.py --games solitaire-gin

A discard of a deal is drawn by lot, and the same decks are played on by `solo-dp` after each of the
three discards that the search likes best. How far the results differ from what the search said is
regressed on 14 numbers of the cards kept, apart by loose cards and falling with the time left.
Then the search plays with that correction and without it, in the same decks, which were not used
before. The joker is not dealt: its place is averaged over exactly, which leaves a quarter of the
noise. Both wait for gin.

Prints for each game what the search scores (deals won in per cent, points, penalties below zero),
and what the correction adds, with a 95 % interval.
"""

import argparse
import time
from math import sqrt
from pathlib import Path

import numpy as np
from simgin_strategies.ahead import fewest_loose
from simgin_strategies.solo_two_draws import by_next_draw, by_table
from simgin_strategies.stop import stop_value

from simgin.core.bits import lowest, popcount
from simgin.core.cards import lane, of_rank
from simgin.core.deadwood import best_discards, deadwood, dearest, meldable
from simgin.core.jit import compiled, jit, numba
from simgin.core.policy import RULES_TYPE
from simgin.core.rules import PENALTY, WINLOSS
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.toolkit import linked, outs, run_pairs

TABLE = Path(__file__).resolve().parent.parent / "strategies" / "solo_dp.npy"
# The unit of the regression by game: about what the two best discards differ by
UNITS = {
    "solitaire-gin": 0.02,
    "solitaire-gin-scored": 0.8,
    "solitaire-gin-knock": 0.8,
    "solitary-gin": 0.8,
}
DECK = 42  # cards to draw in the joker games, the joker apart
PACK = (1 << 52) - 1
LEAST = -1e18
TRIED, WIDTH = 3, 4  # discards branched, and searched
WORLDS = 2  # decks of a question
RIDGE = 200.0
NUMBERS, CLASSES = 14, 8  # of the cards kept; numbers of loose cards: 0..6, then seven and more
FALLING = NUMBERS * CLASSES  # where the weights begin that count for the share of the time left
SIZE = 2 * FALLING + 1  # the last is the weight of what the search says, beyond 1
SEARCH, CORRECTED, DP = np.int64(0), np.int64(1), np.int64(2)  # who plays


@jit
def left_after(t, rules):
    """Draws left after t, or cards left with the joker."""
    return rules.max_draws - t if rules.max_draws >= 0 else DECK - t + 1


@jit
def caught(ten, rules):
    """The worth of ten cards at the joker or the end."""
    return 0.0 if rules.deal_scoring == WINLOSS else -float(deadwood(ten, rules))


@jit
def worth(hands, t, last, rules):
    """What a deal was worth after t draws, on average over the places of the joker."""
    gin = deadwood(hands[last], rules) == 0
    if rules.deal_scoring == PENALTY:
        return -float(rules.penalty_gin) if gin else caught(hands[last], rules)
    value = caught(hands[last], rules)
    if gin:
        won = rules.deal_scoring == WINLOSS
        value = 1.0 if won else stop_value(0, left_after(last, rules), rules)
    for s in range(last - 1, t - 1, -1):
        value += (caught(hands[s], rules) - value) / left_after(s, rules)
    return value


@jit
def live_pairs(loose, unseen):
    """Melds that some cards make with two live cards each."""
    total = 0
    while loose:
        card = lowest(loose)
        loose &= loose - 1
        r = card % 13
        same = popcount(unseen & of_rank(r))
        window = lane(unseen, card // 13) << 2 >> r
        total += same * (same - 1) // 2 + run_pairs(window)
    return total


@jit
def describe(ten, unseen, left, rules, x):
    """Write the numbers of ten cards to x, float64[SIZE], at the place of their loose cards."""
    x[:] = 0.0
    now = fewest_loose(ten, rules)
    saving = np.zeros(4)  # live cards that save one loose card, two, three or more
    fit = outs(ten, rules) & unseen
    while fit:
        saved = now - max(0, fewest_loose(ten | fit & -fit, rules) - 1)
        fit &= fit - 1
        saving[max(0, min(3, saved))] += 1
    one, two, three = saving[1], saving[2], saving[3]
    loose = ten & ~meldable(ten, rules)
    by_rank, by_suit = linked(loose)
    lone = loose & ~(by_rank | by_suit)
    count = deadwood(ten, rules)
    at = min(now, CLASSES - 1) * NUMBERS
    x[at : at + 4] = 1.0, 0.1 * one, 0.1 * two, 0.1 * three
    x[at + 4] = 0.05 * live_pairs(loose, unseen)
    x[at + 5] = 0.3 * popcount(lone)
    x[at + 6] = 0.02 * count
    x[at + 7] = 0.02 * one * one
    x[at + 8] = 0.02 * one * three
    x[at + 9] = 0.02 * three * three
    x[at + 10] = 0.02 * two * one
    x[at + 11] = 0.02 * live_pairs(lone, unseen)
    x[at + 12] = 0.0003 * count * count
    x[at + 13] = 0.3 * popcount(by_rank & by_suit)
    share = left / left_after(0, rules)
    for i in range(at, at + NUMBERS):
        x[FALLING + i] = share * x[i]


@jit
def by_value(eleven, unseen, left, rules, table, cards, values):
    """Write the discards that the table likes best, and what the search says of them, best first.

    cards: int64[WIDTH]; values: float64[WIDTH].
    """
    likes = np.full(52, LEAST)
    rest = eleven
    while rest:
        card = lowest(dearest(rest, rules)[0])
        rest &= ~(1 << card)
        likes[card] = by_table(eleven & ~(1 << card), unseen, left, rules, table)
    searched = np.full(52, LEAST)
    for _ in range(WIDTH):
        card = likes.argmax()
        likes[card] = LEAST
        searched[card] = by_next_draw(eleven & ~(1 << card), unseen, left, rules, table)
    for k in range(WIDTH):
        card = searched.argmax()
        cards[k], values[k] = card, searched[card]
        searched[card] = LEAST


@jit
def chosen(eleven, unseen, left, who, unit, rules, table, weights):
    """The discard of a player."""
    best, most = -1, LEAST
    if who == DP:
        rest = eleven
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            value = by_table(eleven & ~(1 << card), unseen, left, rules, table)
            if value > most:
                best, most = card, value
        return best
    cards, values = np.zeros(WIDTH, np.int64), np.zeros(WIDTH)
    by_value(eleven, unseen, left, rules, table, cards, values)
    if who == SEARCH:
        return cards[0]
    x = np.zeros(SIZE)
    for k in range(WIDTH):
        describe(eleven & ~(1 << cards[k]), unseen, left, rules, x)
        x[SIZE - 1] = values[k] / unit
        value = values[k] / unit + (x * weights).sum()
        if value > most:
            best, most = cards[k], value
    return best


@jit
def play_on(deck, ten, t, unseen, who, unit, rules, table, weights, hands):
    """Play on from ten cards kept after t draws to gin or the last draw; returns its number.

    The cards kept after k draws are written to hands[k].
    """
    draws = rules.max_draws if rules.max_draws >= 0 else DECK
    first = t
    while True:
        hands[t] = ten
        if t == draws or deadwood(ten, rules) == 0:
            return t
        drawn = deck[t - first]
        unseen &= ~(1 << drawn)
        t += 1
        eleven = ten | 1 << drawn
        least, best = best_discards(eleven, eleven, rules)
        thrown = lowest(best)
        if least > 0 and t < draws:
            left = left_after(t, rules)
            thrown = chosen(eleven, unseen, left, who, unit, rules, table, weights)
        ten = eleven & ~(1 << thrown)


@jit
def shuffle(cards, deck):
    """Write some cards (mask) to `deck` in random order."""
    n = 0
    while cards:
        deck[n] = lowest(cards)
        cards &= cards - 1
        n += 1
    for i in range(n - 1, 0, -1):
        j = np.random.randint(0, i + 1)
        deck[i], deck[j] = deck[j], deck[i]


@jit
def masked(cards):
    """Some cards as a mask."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def learn(seed, questions, unit, rules, table, squares, products):
    """Add the least-squares sums of some questions."""
    np.random.seed(seed)
    draws = rules.max_draws if rules.max_draws >= 0 else DECK
    pack, deck, hands = np.zeros((3, 53), np.int64)
    cards, values = np.zeros(WIDTH, np.int64), np.zeros(WIDTH)
    x, results, none = np.zeros((TRIED, SIZE)), np.zeros(TRIED), np.zeros(SIZE)
    n = 0
    while n < questions:
        shuffle(PACK, pack)
        t = np.random.randint(1, draws)
        found = rules.max_draws >= 0 or np.random.randint(0, 43) < 43 - t  # or the joker came
        if not found:
            continue
        ten = masked(pack[:10])
        last = play_on(pack[10:], ten, 0, PACK & ~ten, DP, unit, rules, table, none, hands)
        if last < t:
            continue
        eleven = hands[t - 1] | 1 << pack[9 + t]
        unseen = PACK & ~masked(pack[: 10 + t])
        left = left_after(t, rules)
        if best_discards(eleven, eleven, rules)[0] == 0:
            continue
        by_value(eleven, unseen, left, rules, table, cards, values)
        results[:] = 0
        for _ in range(WORLDS):
            shuffle(unseen, deck)
            for k in range(TRIED):
                kept = eleven & ~(1 << cards[k])
                last = play_on(deck, kept, t, unseen, DP, unit, rules, table, none, hands)
                results[k] += worth(hands, t, last, rules) / (WORLDS * unit)
        for k in range(TRIED):
            describe(eleven & ~(1 << cards[k]), unseen, left, rules, x[k])
            x[k, SIZE - 1] = values[k] / unit
        for k in range(1, TRIED):
            said = (values[k] - values[0]) / unit
            add(x[k] - x[0], results[k] - results[0] - said, said, squares, products)
        n += 1


@jit
def add(row, y, said, squares, products):
    """Add a row to the least-squares sums; what is far from the best by the search counts less."""
    weight = 1 / (1 + said * said)
    places = np.flatnonzero(row)
    for i in places:
        products[i] += weight * row[i] * y
        for j in places:
            squares[i, j] += weight * row[i] * row[j]


def compare(seed, unit, rules, table, weights, results):
    """Write what deals were worth to results, float64 (deals, 2): of the search, and corrected."""
    np.random.seed(seed)
    pack, hands = np.zeros((2, 53), np.int64)
    for i in range(len(results)):
        shuffle(PACK, pack)
        ten = masked(pack[:10])
        rest = PACK & ~ten
        for who in (SEARCH, CORRECTED):
            last = play_on(pack[10:], ten, 0, rest, who, unit, rules, table, weights, hands)
            results[i, who] = worth(hands, 0, last, rules)


def kernels():
    """`learn` and `compare`, compiled."""
    number, whole = numba.float64, numba.int64
    row, rows = number[::1], number[:, ::1]
    common = (number, RULES_TYPE, row)
    learning = numba.void(whole, whole, *common, rows, row)
    comparing = numba.void(whole, *common, row, rows)
    return compiled(learn, learning, keep=False), compiled(compare, comparing, keep=False)


def main():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(UNITS), choices=list(UNITS))
    parser.add_argument("--questions", type=int, default=150_000)
    parser.add_argument("--deals", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=9_000)
    args = parser.parse_args()
    learning, comparing = kernels()
    table = np.load(TABLE).astype(np.float64).ravel()
    for name in args.games:
        start = time.perf_counter()
        rules, unit = build_rules(variants.find(name)), UNITS[name]
        squares, products = np.zeros((SIZE, SIZE)), np.zeros(SIZE)
        learning(args.seed, args.questions, unit, rules, table, squares, products)
        weights = np.linalg.solve(squares + RIDGE * np.eye(SIZE), products)
        results = np.zeros((args.deals, 2))
        comparing(args.seed + 1, unit, rules, table, weights, results)
        factor = 100 if name == "solitaire-gin" else 1
        added = factor * (results[:, 1] - results[:, 0])
        half = 1.96 * added.std(ddof=1) / sqrt(args.deals)
        print(
            f"{name:22} {factor * results[:, 0].mean():7.2f}  "
            f"{added.mean():+.2f} ± {half:.2f}  {time.perf_counter() - start:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
