"""Measure how often a solitaire strategy agrees with rollouts, and how much its errors cost.

    python benchmarks/solo_agreement.py             # 40 discards of each variant, a few minutes

The script selects one discard decision of each deal at random. It tries every legal discard in the
same sampled decks, and the strategy itself plays each deal to its end. The best discard is
determined in the first half of the decks, and the cost of the strategy's own discard in the second
half, so that chance in the first half does not bias the cost.

The output for each variant, with 95 % intervals, is: the percentage of discards that agree with the
best discard, the mean cost of a discard in the metric of the game (deals won in %, points,
penalty), the percentage of discards that are significantly worse than the best, and the time.
"""

import argparse
import time
from math import sqrt

import numpy as np

from simgin.analysis.analysis import find_contenders
from simgin.analysis.position import find_decisions
from simgin.analysis.world_sampling import sample_worlds
from simgin.play.matchup import parse_matchup
from simgin.play.rollouts import roll_out_worlds
from simgin.play.traced_deal import trace_deal
from simgin.rules.build import build_rules
from simgin.stats.estimate import compute_wilson_interval

VARIANTS = (
    "solitaire-gin",
    "solitaire-gin-scored",
    "solitaire-gin-knock",
    "gin-solitaire",
    "solitary-gin",
)
Z_95_PERCENT = 1.96


def sample_discards(matchup, n_deals):
    """Return one random discard decision of each deal."""
    rng = np.random.default_rng(matchup.seed)
    discards, unit = [], 0
    while len(discards) < n_deals:
        positions = find_decisions(trace_deal(matchup, unit))
        candidates = [position for position in positions if position.label.endswith("discard")]
        unit += 1
        if candidates:
            discards.append(candidates[rng.integers(len(candidates))])
    return discards


def compute_action_values(matchup, position, n_worlds, first_world):
    """Return the value of each action in each sampled deck, (n_worlds, n_actions) float64."""
    rules = build_rules(position.variant)
    decks = sample_worlds(position.view, rules, n_worlds, matchup.seed, first_world)
    records = roll_out_worlds(matchup, position.view, position.actions, decks, first_world)
    scoring = position.variant.params["deal_scoring"]
    if scoring == "winloss":
        return 100.0 * (records["winner"] == 0)
    points = records["points_a"] - records["points_b"]
    return np.asarray(-points if scoring == "penalty" else points, float)


def evaluate_discards(strategy, variant, n_deals, n_worlds, seed):
    """Evaluate one discard decision of each deal.

    Returns:
        `(n_deals, 3) float64`. Column 0 is 1 if the discard is the best one, column 1 is its cost,
        and column 2 is 1 if the discard is significantly worse than the best one.
    """
    matchup = parse_matchup(strategy, None, variant, seed, "deal")
    rows = []
    for position in sample_discards(matchup, n_deals):
        own_action = position.chosen_index
        first_values = compute_action_values(matchup, position, n_worlds, 0)
        second_values = compute_action_values(matchup, position, n_worlds, n_worlds)
        best_index = int(first_values.mean(axis=0).argmax())
        cost = (second_values[:, best_index] - second_values[:, own_action]).mean()
        is_active = find_contenders(np.concatenate([first_values, second_values]), 2 * n_worlds)
        rows.append((best_index == own_action, cost, not is_active[own_action]))
    return np.array(rows, float)


def print_table_row(name, rows, seconds):
    """Print how often a strategy agrees with rollouts, and the cost of its errors."""
    n = len(rows)
    agreement_text = format_proportion(rows[:, 0])
    worse_text = format_proportion(rows[:, 2])
    cost = rows[:, 1].mean()
    half_width = Z_95_PERCENT * rows[:, 1].std(ddof=1) / sqrt(n)
    cost_text = f"{cost:8.2f} ± {half_width:.2f}"
    print(f"{name:22} {agreement_text:>18} {cost_text} {worse_text:>18} {seconds:7.0f} s")


def format_proportion(flags):
    """Format a proportion in percent, with the confidence interval."""
    low, high = compute_wilson_interval(flags.mean(), len(flags))
    return f"{100 * flags.mean():.0f} ({100 * low:.0f} to {100 * high:.0f})"


def main():
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--strategy", default="solo-lookahead")
    parser.add_argument("--deals", type=int, default=40, help="number of discards per variant")
    parser.add_argument("--worlds", type=int, default=1_000, help="number of decks in each half")
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    print(f"{'':22} {'agrees %':>18} {'cost':>8} {'significantly worse %':>24} {'time':>9}")
    all_rows = []
    for variant in VARIANTS:
        start_time = time.perf_counter()
        rows = evaluate_discards(args.strategy, variant, args.deals, args.worlds, args.seed)
        print_table_row(variant, rows, time.perf_counter() - start_time)
        all_rows.append(rows)
    agreements = np.concatenate(all_rows)[:, 0]
    print(f"{'all':22} {format_proportion(agreements):>18}  of {len(agreements)} discards")


if __name__ == "__main__":
    main()
