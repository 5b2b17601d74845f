"""Compare the styles of play of strong players that were trained in different ways.

    python benchmarks/play_styles.py    # 15 minutes on one core

The rules are standard rules with an undercut bonus of 10. Each player is trained in 12 rounds. The
training starts from the weights of `champion` for these rules or for the rules of `eaai`, with or
without inverse probability weights (docs/explanation/decisions/0009-learning.md). The table shows
the percentage of deals between two copies of a player that end in gin, the turns per deal, and the
percentage of matches that the player wins against `champion`.
"""

import argparse
from dataclasses import replace

import numpy as np

from simgin.learn import champion_weights
from simgin.learn.adapt import ADAPT_DEALS_PER_ROUND
from simgin.learn.champion_weights import ChampionTrainer
from simgin.play.matchup import Matchup
from simgin.report.numbers import format_estimate
from simgin.report.report_table import format_markdown_table
from simgin.rules import variants
from simgin.runs.runner import run_matchup
from simgin.stats import metrics
from simgin.stats.estimate import estimate_metric
from simgin.strategy import Strategy, cast, loader

RULES = "standard+undercut_bonus=10"
TRAINING_SEEDS = (1, 2)
N_ROUNDS = 12
N_MATCHES_BETWEEN_COPIES, N_MATCHES_AGAINST_CHAMPION = 6_000, 20_000
SEED = 9301


def load_initial_weights(start: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the initial weights against players that wait for gin, and against immediate knockers.

    Args:
        start: `champion`, or `eaai` for the weights of champion under the rules of eaai.
    """
    rules = RULES if start == "champion" else start
    hasty_weights, patient_weights = champion_weights.load_initial_weights(
        variants.find_variant(rules)
    )
    return patient_weights, hasty_weights


def train_player(start: str, is_weighted: bool, seed: int, workers: int | None) -> Strategy:
    """Train a player from initial weights, with or without inverse probability weights."""
    variant, mean_weights = variants.find_variant(RULES), []
    groups = [*cast.TRAINING_SETTINGS][::-1]
    for index, (group, weights) in enumerate(zip(groups, load_initial_weights(start), strict=True)):
        trainer = ChampionTrainer(
            champion_weights.list_training_opponents(group),
            weights,
            100 * seed + index,
            variant,
            workers,
            is_trained=True,
            is_weighted=is_weighted,
        )
        for _ in range(N_ROUNDS):
            trainer.run_round(ADAPT_DEALS_PER_ROUND // (1 + index))
        mean_weights.append(trainer.mean_weights)
    probabilities = champion_weights.compute_knock_probabilities(
        *mean_weights, 100 * seed + len(groups), variant, workers, is_trained=True
    )
    weights = champion_weights.blend_weights(*mean_weights, probabilities)
    return champion_weights.make_champion(champion_weights.repeat_weights_for_all_rules(weights))


def measure_style(strategy: Strategy, workers: int | None) -> list[str]:
    """Return the formatted percentage of gin, turns per deal, and win rate against `champion`."""
    variant = variants.find_variant(RULES)
    copy, champion = replace(strategy, spec="copy"), loader.find_strategy("champion")
    self_play = Matchup(variant, strategy, copy, SEED, "match")
    matches = Matchup(variant, strategy, champion, SEED + 1, "match")
    self_play_sums = run_matchup(self_play, N_MATCHES_BETWEEN_COPIES, workers).sum(axis=0)
    match_sums = run_matchup(matches, N_MATCHES_AGAINST_CHAMPION, workers).sum(axis=0)
    cells = []
    for sums, name, factor in (
        (self_play_sums, "gin", 100),
        (self_play_sums, "turns", 1),
        (match_sums, "match_win", 100),
    ):
        estimate = estimate_metric(sums, metrics.METRICS_BY_NAME[name])
        cells.append(format_estimate(estimate.value, estimate.low, estimate.high, factor))
    return cells


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int)
    workers = parser.parse_args().workers
    rows = []
    for start, is_weighted in (("champion", True), ("eaai", True), ("eaai", False)):
        for seed in TRAINING_SEEDS:
            strategy = train_player(start, is_weighted, seed, workers)
            strategy = replace(strategy, spec="trained")
            weighting = "yes" if is_weighted else "no"
            rows.append([start, weighting, str(seed), *measure_style(strategy, workers)])
            print(*rows[-1], flush=True)
    headings = ["Start", "Weighted", "Seed", "Gin (%)", "Turns per deal", "Wins v champion (%)"]
    print(*format_markdown_table(headings, rows), sep="\n")


if __name__ == "__main__":
    main()
