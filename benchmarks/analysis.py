"""Test whether the best action of `simgin analyze` remains the best with more worlds.

    python benchmarks/analysis.py                          # forty minutes
    python benchmarks/analysis.py --known 20 --times 10    # a shorter test

A *world* is a sampled hidden state. The script analyses one decision of each deal until it has
found the best action in `--known` of them. For each of these, all actions are played to the end of
the deal in many other worlds, in which the best action should be the same.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from simgin.analysis.analysis import Analysis, AnalysisBudget, analyse_position
from simgin.analysis.position import Position, find_decisions
from simgin.analysis.world_sampling import compute_immediate_knock_probability, sample_worlds
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.rollouts import roll_out_worlds
from simgin.play.traced_deal import trace_deal
from simgin.rules.build import build_rules

WORLDS_PER_ROLLOUT_CALL = 5_000  # number of worlds per engine call


def sample_positions(matchup: Matchup, seed: int) -> Iterator[Position]:
    """Yield one randomly chosen decision of each deal."""
    rng = np.random.default_rng(seed)
    unit = 0
    while True:
        positions = find_decisions(trace_deal(matchup, unit))
        yield positions[rng.integers(len(positions))]
        unit += 1


def measure_points_by_rollouts(analysis: Analysis, n_worlds: int, seed: int) -> np.ndarray:
    """Return the points of each action in newly sampled worlds, (n_worlds, n_actions) float64."""
    position, matchup = analysis.position, analysis.matchup
    rules = build_rules(position.variant)
    assert matchup.b is not None
    knock_probability = compute_immediate_knock_probability(matchup.b)
    point_arrays = []
    for first_world in range(0, n_worlds, WORLDS_PER_ROLLOUT_CALL):
        sampled_worlds = sample_worlds(
            position.view, rules, WORLDS_PER_ROLLOUT_CALL, seed, first_world, knock_probability
        )
        records = roll_out_worlds(
            matchup, position.view, position.actions, sampled_worlds, first_world
        )
        point_arrays.append(records["points_a"] - records["points_b"])
    return np.concatenate(point_arrays)


def is_significantly_worse(values: np.ndarray, best_values: np.ndarray) -> bool:
    """Return True if an action is worse than the best action by over three standard errors."""
    differences = best_values - values
    return bool(differences.mean() > 3 * differences.std() / np.sqrt(len(differences)))


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--player", default="gold")
    parser.add_argument("--known", type=int, default=500, help="positions with a known best action")
    parser.add_argument("--worlds", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    matchup = parse_matchup(args.player, args.player, "standard", args.seed, "deal")
    n_tried, n_known, n_same, n_wrong = 0, 0, 0, 0
    for position in sample_positions(matchup, args.seed):
        n_tried += 1
        budget = AnalysisBudget(args.worlds, seed=args.seed + 1)
        analysis = analyse_position(position, args.player, args.player, budget)
        if len(analysis.best_indices) > 1:
            continue
        n_known += 1
        (best_by_analysis,) = analysis.best_indices
        values = measure_points_by_rollouts(analysis, args.times * args.worlds, args.seed + 2)
        best_by_rollouts = int(values.mean(axis=0).argmax())
        n_same += best_by_rollouts == best_by_analysis
        n_wrong += is_significantly_worse(values[:, best_by_analysis], values[:, best_by_rollouts])
        print(f"{n_tried} positions, {n_known} known", end="\r", flush=True)
        if n_known == args.known:
            break
    print(f"{n_tried} positions were analysed with {args.worlds:,} worlds.")
    print(f"The analysis found the best action in {n_known} positions.")
    print(f"With {args.times} times as many other worlds, this action was still best in {n_same}.")
    print(f"In {n_wrong}, it was worse than another action by more than three standard errors.")


if __name__ == "__main__":
    main()
