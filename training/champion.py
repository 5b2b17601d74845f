"""Train the weights of `champion` from scratch, and write strategies/champion.npy.

    python training/champion.py                    # committed file: half an hour on one core
    python training/champion.py --deals 2000 --out x.npy

simgin/learn/champion_weights.py documents the method. The weights are trained separately for
several variants. The first variant has twice as many training deals as each other variant.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import FEATURES, N_FEATURES, N_STAGES

from simgin.learn.champion_weights import (
    WARM_UP_ROUNDS,
    ChampionTrainer,
    blend_weights,
    compute_knock_probabilities,
    list_training_opponents,
)
from simgin.rules import variants

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
N_DEALS, SEED = 400_000, 20261122
N_TRAINING_ROUNDS = WARM_UP_ROUNDS + 8
# The committed weights were trained with False: each sampled decision has the same weight, so
# decisions in long deals have too little weight. True removes this bias, but changes the weights,
# so all published results of `champion` would have to be computed again. With True, the
# weights for `eaai` won 50.4 ± 0.6 % of 20,000 matches of `eaai` against the committed weights.
USES_IMPORTANCE_WEIGHTS = False


def make_naive_weights() -> np.ndarray:
    """Return initial weights, which minimise deadwood and knock immediately."""
    weights = np.zeros(player.N_WEIGHTS_PER_BLEND)
    weights[FEATURES.deadwood : N_STAGES * N_FEATURES : N_FEATURES] = 1.0
    weights[player.KNOCK_TABLE_OFFSET : player.KNOCK_FEATURES_OFFSET] = 1.0
    weights[player.TAKE_FEATURES_OFFSET :: player.N_TAKE_FEATURES] = 1.0
    return weights


def train_for_variant(
    variant: str, n_deals: int, seed: int, n_rounds: int = N_TRAINING_ROUNDS
) -> np.ndarray:
    """Train weights for rules similar to a variant, (N_WEIGHTS_PER_VARIANT,) float64."""
    print(f"Variant {variant}")
    rules = variants.find_variant(variant)
    weight_sets = []
    deals_by_opponent_type = {"knock_immediately": n_deals // 2, "wait_for_gin": n_deals}
    for seed_offset, (opponent_type, deals_per_round) in enumerate(deals_by_opponent_type.items()):
        trainer = ChampionTrainer(
            list_training_opponents(opponent_type),
            make_naive_weights(),
            seed + seed_offset,
            rules,
            is_weighted=USES_IMPORTANCE_WEIGHTS,
        )
        for round_index in range(n_rounds):
            win_rates = ", ".join(
                f"{100 * proportion:.1f} %" for proportion in trainer.run_round(deals_per_round)
            )
            print(
                f"opponents that {opponent_type}, before round {round_index + 1}: won {win_rates}",
                flush=True,
            )
        weight_sets.append(trainer.mean_weights)
    weights_against_knockers, weights_against_waiters = weight_sets
    return blend_weights(
        weights_against_waiters,
        weights_against_knockers,
        compute_knock_probabilities(
            weights_against_waiters, weights_against_knockers, seed + 2, rules
        ),
    )


def train_all_variants(n_deals: int, seed: int) -> np.ndarray:
    """Train the weights for all variants, and return them as in champion.npy."""
    first_variant, *other_variants = player.TRAINED_VARIANTS
    weight_parts = [train_for_variant(first_variant, n_deals, seed)]
    for variant in other_variants:
        weight_parts.append(train_for_variant(variant, n_deals // 2, seed))
    return np.concatenate(weight_parts).astype(np.float32)


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=N_DEALS, help="deals with rollouts per round")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES_DIRECTORY / "champion.npy")
    args = parser.parse_args()
    np.save(args.out, train_all_variants(args.deals, args.seed))
    print(f"Output: {args.out}")


if __name__ == "__main__":
    main()
