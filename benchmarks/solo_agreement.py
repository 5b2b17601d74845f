"""Measure how often a solitaire strategy agrees with rollouts, and what errors cost.

    python benchmarks/solo_agreement.py             # 40 discards of each variant, a few minutes

The script draws one discard of each deal at random. It discards every card in the same sampled
decks, and the strategy itself plays each deal to its end. The best discard is determined in the
first half of the decks, and the cost of the strategy's own discard in the second half, so that
chance in the first half does not bias the cost.

Prints for each variant, with 95 % intervals: the percentage of discards that agree with the best
one, the mean cost of a discard in the metric of the game (deals won in %, points, penalty), the
percentage of discards that are significantly worse than the best, and the time.
"""

import argparse
import time
from math import sqrt

import numpy as np

from simgin.analysis.analysis import still_tried
from simgin.analysis.hidden_cards import draw_worlds
from simgin.analysis.position import positions_in
from simgin.play.matchup import parse_matchup
from simgin.play.rollout import play_in
from simgin.play.watch import watch_deal
from simgin.rules.build import build_rules
from simgin.stats.estimate import wilson

VARIANTS = (
    "solitaire-gin",
    "solitaire-gin-scored",
    "solitaire-gin-knock",
    "gin-solitaire",
    "solitary-gin",
)
Z95 = 1.96


def discards(matchup, deals):
    """Return one discard decision of each deal, drawn at random; skip deals without one."""
    lots = np.random.default_rng(matchup.seed)
    found, unit = [], 0
    while len(found) < deals:
        positions = positions_in(watch_deal(matchup, unit))
        asked = [position for position in positions if position.place.endswith("discard")]
        unit += 1
        if asked:
            found.append(asked[lots.integers(len(asked))])
    return found


def worths(matchup, position, worlds, number):
    """Return the value of every action in each sampled deck, `(n_worlds, n_actions) float64`."""
    rules = build_rules(position.variant)
    decks = draw_worlds(position.view, rules, worlds, matchup.seed, number)
    records = play_in(matchup, position.view, position.actions, decks, number)
    scoring = position.variant.row["deal_scoring"]
    if scoring == "winloss":
        return 100.0 * (records["winner"] == 0)
    points = records["points_a"] - records["points_b"]
    return np.asarray(-points if scoring == "penalty" else points, float)


def study(strategy, variant, deals, worlds, seed):
    """Evaluate one discard of each deal.

    Returns:
        `(n_deals, 3) float64`: 1 if the discard agrees with the best, its cost, and 1 if it is
        significantly worse than the best.
    """
    matchup = parse_matchup(strategy, None, variant, seed, "deal")
    rows = []
    for position in discards(matchup, deals):
        own = position.actions.index(position.done)
        first = worths(matchup, position, worlds, 0)
        second = worths(matchup, position, worlds, worlds)
        best = int(first.mean(axis=0).argmax())
        cost = (second[:, best] - second[:, own]).mean()
        may_be_best = still_tried(np.concatenate([first, second]), 2 * worlds)
        rows.append((best == own, cost, not may_be_best[own]))
    return np.array(rows, float)


def line(name, rows, seconds):
    """Print one line of the table."""
    n = len(rows)
    agreed = share(rows[:, 0])
    worse = share(rows[:, 2])
    cost = rows[:, 1].mean()
    half = Z95 * rows[:, 1].std(ddof=1) / sqrt(n)
    print(f"{name:22} {agreed:>18} {cost:8.2f} ± {half:.2f} {worse:>18} {seconds:7.0f} s")


def share(flags):
    """Format a proportion in % with its interval."""
    low, high = wilson(flags.mean(), len(flags))
    return f"{100 * flags.mean():.0f} ({100 * low:.0f} to {100 * high:.0f})"


def main():
    """Parse the command line and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--strategy", default="solo-lookahead")
    parser.add_argument("--deals", type=int, default=40, help="discards of each variant")
    parser.add_argument("--worlds", type=int, default=1_000, help="decks of each half")
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    print(f"{'':22} {'agrees %':>18} {'cost':>8} {'worse for certain %':>24} {'time':>9}")
    every = []
    for variant in VARIANTS:
        start = time.perf_counter()
        rows = study(args.strategy, variant, args.deals, args.worlds, args.seed)
        line(variant, rows, time.perf_counter() - start)
        every.append(rows)
    agreed = np.concatenate(every)[:, 0]
    print(f"{'all':22} {share(agreed):>18}  of {len(agreed)} discards")


if __name__ == "__main__":
    main()
