"""How often a single player could win who saw the whole deck: a bound on every player.

    python benchmarks/hindsight.py                  # 40,000 decks a variant, some seconds

Whoever sees the deck chooses ten of the cards dealt and drawn so far. Every such choice can be
held: its cards are kept as they come, and the others are discarded. So hindsight goes out at the
first draw by which those cards hold ten in melds. They are three melds of three, three and four
cards, or two runs of five: every hand of gin can be split so. Where the joker is in the deck, its
place is averaged over exactly.

Prints, for each variant, the deals that hindsight wins, in per cent with a 95 % interval, the mean
draw at which it has gin, and the time.
"""

import argparse
import time

import numpy as np

from simgin.core.jit import compiled
from simgin.core.rules import DISCARD_FIRST, NO_JOKER
from simgin.rules import variants
from simgin.rules.record import build_rules

VARIANTS = ("solitaire-gin", "gin-solitaire", "solitary-gin")
NEVER = 99


def melds_of_sizes(rules):
    """Masks of all melds of three, of four and of five cards, one int64 array each."""
    melds = {3: [], 4: [], 5: []}
    for rank in range(13):
        cards = [1 << (13 * suit + rank) for suit in range(4)]
        melds[4].append(sum(cards))
        melds[3] += [sum(cards) - card for card in cards]
    for run in rules.runs[: rules.n_runs].tolist():
        size = run.bit_count()
        if size <= 5:
            melds[size] += [run << (13 * suit) for suit in range(4)]
    return [np.array(of_size, np.int64) for of_size in melds.values()]


@compiled
def two_disjoint(cards, melds):
    """Whether some cards hold two disjoint melds of a list."""
    for i in range(melds.shape[0]):
        if melds[i] & ~cards:
            continue
        rest = cards ^ melds[i]
        for j in range(i + 1, melds.shape[0]):
            if melds[j] & ~rest == 0:
                return True
    return False


@compiled
def holds_gin(cards, threes, fours, fives):
    """Whether ten of some cards lie in melds."""
    for i in range(fours.shape[0]):
        if fours[i] & ~cards == 0 and two_disjoint(cards ^ fours[i], threes):
            return True
    return two_disjoint(cards, fives)


@compiled
def draws_to_gin(decks, dealt, threes, fours, fives, out):
    """Write to out[i] after how many draws from deck i hindsight has gin; NEVER if after none."""
    for i in range(decks.shape[0]):
        cards = 0
        out[i] = NEVER
        for place in range(52):
            cards |= 1 << decks[i, place]
            if place + 1 >= dealt and holds_gin(cards, threes, fours, fives):
                out[i] = place + 1 - dealt
                break


def chances_to_win(rules, dealt, draws):
    """The probability that gin after so many draws comes in time, over the joker's places."""
    if rules.joker == NO_JOKER:
        return np.where(draws <= rules.max_draws, 1.0, 0.0)
    places = 53 - dealt
    return np.maximum(places - draws, 0) / places


def main():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decks", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    lots = np.random.default_rng(args.seed)
    for name in VARIANTS:
        rules = build_rules(variants.find(name))
        dealt = 11 if rules.first_turn == DISCARD_FIRST else 10
        decks = lots.permuted(np.tile(np.arange(52), (args.decks, 1)), axis=1)
        draws = np.zeros(args.decks, np.int64)
        melds = melds_of_sizes(rules)
        draws_to_gin(decks[:1], dealt, *melds, draws[:1])  # compiles
        start = time.perf_counter()
        draws_to_gin(decks, dealt, *melds, draws)
        seconds = time.perf_counter() - start
        chances = 100 * chances_to_win(rules, dealt, draws)
        half = 1.96 * chances.std(ddof=1) / np.sqrt(args.decks)
        print(
            f"{name}: {chances.mean():.2f} ± {half:.2f} % of deals won, "
            f"gin at draw {draws.mean():.2f}; {args.decks:,} decks in {seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
