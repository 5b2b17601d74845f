"""Learn the weights of `champion` from nothing; writes strategies/champion.npy.

    python training/champion.py                    # as committed: half an hour of one core
    python training/champion.py --deals 2000 --out x.npy

How it is learned stands in simgin/tune/decisions.py. All of it is learned under the rules of
several variants; half as many deals are played for those after the first.
"""

import argparse
from pathlib import Path

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import COUNT, SIZE, STAGES

from simgin.rules import variants
from simgin.strategy import loader
from simgin.tune.decisions import (
    HASTY,
    LEARNED_UNDER,
    PATIENT,
    WARM,
    Learner,
    chances_hasty,
    numbers_of,
)

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
DEALS, SEED = 400_000, 20261122
ROUNDS = WARM + 8


def naive() -> np.ndarray:
    """Weights to start from: least deadwood, knock at once, take what lowers the count."""
    weights = np.zeros(player.ALL)
    weights[COUNT : STAGES * SIZE : SIZE] = 1.0
    weights[player.KNOCKS : player.KNOCK_EXTRA] = 1.0
    weights[player.TAKES :: player.OF_TAKE] = 1.0
    return weights


def learned(variant: str, deals: int, seed: int, rounds: int = ROUNDS) -> np.ndarray:
    """The numbers for rules like those of a variant: float64 (player.EACH,)."""
    print(f"Under the rules of {variant}")
    rules = variants.find(variant)
    sets = []
    pools = (("hasty", HASTY, deals // 2), ("patient", PATIENT, deals))
    for place, (kind, names, of_kind) in enumerate(pools):
        rivals = [None if name is None else loader.find(name) for name in names]
        learner = Learner(rivals, naive(), seed + place, rules)
        for number in range(rounds):
            won = ", ".join(f"{100 * share:.1f} %" for share in learner.round(of_kind))
            print(f"{kind} opponents, round {number + 1}: won {won} before it", flush=True)
        sets.append(learner.learned)
    hasty, patient = sets
    return numbers_of(patient, hasty, chances_hasty(patient, hasty, seed + 2, rules))


def contents(deals: int, seed: int) -> np.ndarray:
    """The contents of champion.npy: float32 (player.ALL_RULES,)."""
    first, *others = LEARNED_UNDER
    numbers = [learned(first, deals, seed)]
    for variant in others:
        numbers.append(learned(variant, deals // 2, seed))
    return np.concatenate(numbers).astype(np.float32)


def main() -> None:
    """The command line."""
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
