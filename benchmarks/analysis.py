"""Whether the best action that `simgin analyze` calls known is the best of many more worlds.

    python benchmarks/analysis.py                      (forty minutes)
    python benchmarks/analysis.py --known 20 --times 10

Takes one decision of each of some deals and analyses it, until in so many of them the best was
called known. Each of these is played on again in many other worlds, with all actions in all worlds:
their best must be the one that was known.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from simgin.analysis.analysis import Analysis, Effort, analyse
from simgin.analysis.hidden_cards import draw_worlds, hastiness
from simgin.analysis.position import Position, positions_in
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.rollout import play_in
from simgin.play.watch import watch_deal
from simgin.rules.build import build_rules

CHUNK = 5_000  # worlds in one call of the engine


def positions(matchup: Matchup, seed: int) -> Iterator[Position]:
    """One decision of each deal, drawn by lot."""
    lots = np.random.default_rng(seed)
    unit = 0
    while True:
        found = positions_in(watch_deal(matchup, unit))
        yield found[lots.integers(len(found))]
        unit += 1


def points(analysis: Analysis, worlds: int, seed: int) -> np.ndarray:
    """Points of each action in so many worlds of another seed: float64 (worlds, actions)."""
    position, matchup = analysis.position, analysis.matchup
    rules = build_rules(position.variant)
    assert matchup.b is not None
    hasty = hastiness(matchup.b)
    parts = []
    for first in range(0, worlds, CHUNK):
        drawn = draw_worlds(position.view, rules, CHUNK, seed, first, hasty)
        records = play_in(matchup, position.view, position.actions, drawn, first)
        parts.append(records["points_a"] - records["points_b"])
    return np.concatenate(parts)


def surely_worse(own: np.ndarray, other: np.ndarray) -> bool:
    """Whether an action brings less than another by three standard errors."""
    gap = other - own
    return bool(gap.mean() > 3 * gap.std() / np.sqrt(len(gap)))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--player", default="gold")
    parser.add_argument("--known", type=int, default=500, help="positions to be looked at again")
    parser.add_argument("--worlds", type=int, default=1_000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    matchup = parse_matchup(args.player, args.player, "standard", args.seed, "deal")
    tried, known, same, wrong = 0, 0, 0, 0
    for position in positions(matchup, args.seed):
        tried += 1
        effort = Effort(args.worlds, seed=args.seed + 1)
        analysis = analyse(position, args.player, args.player, effort)
        if len(analysis.best) > 1:
            continue
        known += 1
        (best,) = analysis.best
        worth = points(analysis, args.times * args.worlds, args.seed + 2)
        first = int(worth.mean(axis=0).argmax())
        same += first == best
        wrong += surely_worse(worth[:, best], worth[:, first])
        print(f"{tried} positions, {known} known", end="\r", flush=True)
        if known == args.known:
            break
    print(f"{tried} positions with {args.worlds:,} worlds: in {known} the best was known.")
    print(f"With {args.times} times as many other worlds it was the best in {same}, and worse")
    print(f"than another by three standard errors in {wrong}.")


if __name__ == "__main__":
    main()
