"""Whether the best action that `simgin analyze` calls known is the best of many more worlds.

    python benchmarks/analysis.py                      (two minutes)

Takes one decision of each of some deals, analyses it with few worlds, and again with many others.
Where the first says that the best is known, the second must not find another action better.
"""

import argparse

import numpy as np

from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.value.analysis.analysis import Effort, analyse
from simgin.value.analysis.position import positions_in


def compared(player: str, positions: int, worlds: int, times: int, seed: int) -> np.ndarray:
    """Rows (known, the same best, another one surely better), bool (positions, 3)."""
    matchup = parse_matchup(player, player, "standard", seed, "deal")
    lots = np.random.default_rng(seed)
    rows = []
    for unit in range(positions):
        found = positions_in(watch_deal(matchup, unit))
        position = found[lots.integers(len(found))]
        few = analyse(position, player, player, Effort(worlds, seed=seed + 1))
        many = analyse(position, player, player, Effort(times * worlds, seed=seed + 2))
        best = few.order[0]
        rows.append((len(few.best) == 1, best == many.order[0], best not in many.best))
    return np.array(rows)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--player", default="gold")
    parser.add_argument("--positions", type=int, default=120)
    parser.add_argument("--worlds", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    rows = compared(args.player, args.positions, args.worlds, args.times, args.seed)
    known, same, wrong = rows.T
    print(f"{args.positions} positions, {args.worlds:,} worlds, then {args.times} times as many")
    print(f"known: {known.sum()}; of these the same best: {(known & same).sum()}")
    print(f"known, but another is surely better: {(known & wrong).sum()}")
    print(f"not known: {(~known).sum()}; of these the same best: {(~known & same).sum()}")


if __name__ == "__main__":
    main()
