"""Test whether the best action of `simgin analyze` is still the best with more worlds.

    python benchmarks/analysis.py                      (forty minutes)
    python benchmarks/analysis.py --known 20 --times 10

A *world* is a sampled hidden state. The script analyses one decision of each deal until it has
found the best action in `--known` of them. For each of these, all actions are played to the end of
the deal in many other worlds, in which the best action should be the same.
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

CHUNK = 5_000  # worlds per call of the engine


def positions(matchup: Matchup, seed: int) -> Iterator[Position]:
    """Yield one decision of each deal, drawn at random."""
    lots = np.random.default_rng(seed)
    unit = 0
    while True:
        found = positions_in(watch_deal(matchup, unit))
        yield found[lots.integers(len(found))]
        unit += 1


def points(analysis: Analysis, worlds: int, seed: int) -> np.ndarray:
    """Return the points of each action in other worlds, `(n_worlds, n_actions) float64`."""
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
    """Return True if an action is worse than another by more than three standard errors."""
    gap = other - own
    return bool(gap.mean() > 3 * gap.std() / np.sqrt(len(gap)))


def main() -> None:
    """Parse the command line, analyse the decisions and print the agreement."""
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
