"""Train the weights of `champion` from scratch, and write strategies/champion.npy.

    python training/champion.py                    # committed file: half an hour on one core
    python training/champion.py --deals 2000 --out x.npy

simgin/learn/champion_weights.py documents the method. The weights are trained separately for
several variants, with half as many deals for each variant after the first.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import COUNT, N_FEATURES, N_STAGES

from simgin.learn.champion_weights import (
    WARM_UP_ROUNDS,
    ChampionTrainer,
    blend_weights,
    compute_knock_probabilities,
    training_opponents,
)
from simgin.rules import variants

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
DEALS, SEED = 400_000, 20261122
ROUNDS = WARM_UP_ROUNDS + 8
# The committed weights count each sampled decision equally, so decisions in long deals have too
# little weight. With True, the training is unbiased but gives different weights, and all published
# results of champion must be computed again.
IS_WEIGHTED = False


def naive_weights() -> np.ndarray:
    """Return initial weights with which the player minimises deadwood and knocks immediately."""
    weights = np.zeros(player.BLEND_SIZE)
    weights[COUNT : N_STAGES * N_FEATURES : N_FEATURES] = 1.0
    weights[player.KNOCK_OFFSET : player.KNOCK_FEATURE_OFFSET] = 1.0
    weights[player.TAKE_OFFSET :: player.N_TAKE_FEATURES] = 1.0
    return weights


def train_for_variant(variant: str, deals: int, seed: int, rounds: int = ROUNDS) -> np.ndarray:
    """Train weights for a group of similar rules, (player.RULES_SIZE,) float64."""
    print(f"Variant {variant}")
    rules = variants.find_variant(variant)
    sets = []
    pools = {"knock_immediately": deals // 2, "wait_for_gin": deals}
    for index, (kind, pool) in enumerate(pools.items()):
        learner = ChampionTrainer(
            training_opponents(kind), naive_weights(), seed + index, rules, is_weighted=IS_WEIGHTED
        )
        for number in range(rounds):
            win_rates = ", ".join(f"{100 * share:.1f} %" for share in learner.run_round(pool))
            print(f"opponents that {kind}, before round {number + 1}: won {win_rates}", flush=True)
        sets.append(learner.mean_weights)
    hasty, patient = sets
    return blend_weights(
        patient, hasty, compute_knock_probabilities(patient, hasty, seed + 2, rules)
    )


def train_all(deals: int, seed: int) -> np.ndarray:
    """Train all weights, and return the contents of champion.npy, (player.N_WEIGHTS,) float32."""
    first_variant, *other_variants = player.TRAINED_VARIANTS
    numbers = [train_for_variant(first_variant, deals, seed)]
    for variant in other_variants:
        numbers.append(train_for_variant(variant, deals // 2, seed))
    return np.concatenate(numbers).astype(np.float32)


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=DEALS, help="deals with rollouts per round")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES / "champion.npy")
    args = parser.parse_args()
    np.save(args.out, train_all(args.deals, args.seed))
    print(f"Output: {args.out}")


if __name__ == "__main__":
    main()
