"""Measure how much `champion` gains by adapting its weights to the rules.

    python benchmarks/champion_rules.py              # about three minutes; prints Markdown tables

Champion plays mirrored matches against champion with the weights for the most similar variant of
its training (`eaai`, `rush`, `tedesco` or `dice`). The benchmark uses the rules of the built-in
variants and random rule sets. Intervals are 95 % confidence intervals over mirrored pairs.
"""

import argparse
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from simgin.learn.random_rules import sample_variant, two_player_names
from simgin.play.matchup import Matchup
from simgin.report import numbers
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.runs.runner import run_matchup
from simgin.stats import metrics
from simgin.stats.estimate import Estimate, estimate_metric
from simgin.strategy import Strategy, compiler, loader

N_MATCHES, SEED = 4_000, 9102
RANDOM_RULE_SETS, RANDOM_SEED = 40, 0x694F1E61  # the seed is a commit hash


def make_fixed_champion() -> Strategy:
    """Return a copy of `champion` that does not adapt its weights to the rules."""
    champion = loader.find_strategy("champion")
    assert champion.discard is not None and champion.discard.weights is not None
    return replace(loader.with_weights(champion, champion.discard.weights), spec="fixed")


def is_adapted(variant: Variant) -> bool:
    """Return True if `champion` adapts its weights to a rule set."""
    policy = loader.find_strategy("champion").discard
    assert policy is not None
    default_parameters = compiler.make_parameter_vector(policy)
    return not np.array_equal(
        compiler.make_parameter_vector(policy, build_rules(variant)), default_parameters
    )


def measure_win_rate(variant: Variant, matches: int, seed: int) -> Estimate:
    """Estimate the proportion of matches that `champion` wins against its fixed copy."""
    matchup = Matchup(
        variant, loader.find_strategy("champion"), make_fixed_champion(), seed, "match"
    )
    total = run_matchup(matchup, matches).sum(axis=0)
    return estimate_metric(total, metrics.METRICS_BY_NAME["match_win"])


def print_table(rule_sets: Iterable[Variant], matches: int, seed: int) -> None:
    """Print a Markdown table of win rates under the rules to which `champion` adapts."""
    print("| Rules | Matches won (%) |\n|---|---|")
    win_rates = []
    for variant in filter(is_adapted, rule_sets):
        win_rate = measure_win_rate(variant, matches, seed)
        win_rates.append(win_rate.value)
        win_rate_text = numbers.format_estimate(win_rate.value, win_rate.low, win_rate.high, 100)
        print(f"| {variant.spec} | {win_rate_text} |", flush=True)
    print(f"\nmean {100 * np.mean(win_rates):.2f} % of {matches:,} matches each, seed {seed}\n")


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=N_MATCHES, help="matches per rule set")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--rule-sets", type=int, default=RANDOM_RULE_SETS)
    args = parser.parse_args()
    rng = np.random.default_rng(RANDOM_SEED)
    sampled_variants = [sample_variant(rng) for _ in range(args.rule_sets)]
    print_table(map(variants.find_variant, two_player_names()), args.matches, args.seed)
    print_table(sampled_variants, args.matches, args.seed)


if __name__ == "__main__":
    main()
