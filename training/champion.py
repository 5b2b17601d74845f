"""Train the weights of `champion` from scratch; writes strategies/champion.npy.

    python training/champion.py                    # as committed: half an hour on one core
    python training/champion.py --deals 2000 --out x.npy

See simgin/learn/champion_weights.py for the method. All weights are trained under the rules of
several variants, with half as many deals for each variant after the first.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import COUNT, SIZE, STAGES

from simgin.rules import variants
from simgin.tune.decisions import (
    LEARNED_UNDER,
    WARM,
    Learner,
    chances_hasty,
    numbers_of,
    training_opponents,
)

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
DEALS, SEED = 400_000, 20261122
ROUNDS = WARM + 8


def naive() -> np.ndarray:
    """Return initial weights: lowest deadwood, immediate knocks, takes that lower deadwood."""
    weights = np.zeros(player.ALL)
    weights[COUNT : STAGES * SIZE : SIZE] = 1.0
    weights[player.KNOCKS : player.KNOCK_EXTRA] = 1.0
    weights[player.TAKES :: player.OF_TAKE] = 1.0
    return weights


def learned(variant: str, deals: int, seed: int, rounds: int = ROUNDS) -> np.ndarray:
    """Return the weights for rules like those of a variant, (player.RULES_SIZE,) float64."""
    print(f"Under the rules of {variant}")
    rules = variants.find(variant)
    sets = []
    pools = {"knock_immediately": deals // 2, "wait_for_gin": deals}
    for place, (kind, of_kind) in enumerate(pools.items()):
        learner = Learner(training_opponents(kind), naive(), seed + place, rules)
        for number in range(rounds):
            won = ", ".join(f"{100 * share:.1f} %" for share in learner.round(of_kind))
            print(f"opponents that {kind}, round {number + 1}: won {won} before it", flush=True)
        sets.append(learner.learned)
    hasty, patient = sets
    return numbers_of(patient, hasty, chances_hasty(patient, hasty, seed + 2, rules))


def contents(deals: int, seed: int) -> np.ndarray:
    """Return the contents of champion.npy, (player.N_WEIGHTS,) float32."""
    first, *others = LEARNED_UNDER
    numbers = [learned(first, deals, seed)]
    for variant in others:
        numbers.append(learned(variant, deals // 2, seed))
    return np.concatenate(numbers).astype(np.float32)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=DEALS, help="deals branched in a round")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES / "champion.npy")
    args = parser.parse_args()
    np.save(args.out, contents(args.deals, args.seed))
    print(f"written: {args.out}")


if __name__ == "__main__":
    main()
