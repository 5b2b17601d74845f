"""Measure the value of each part of `champion` by removing it, without changing the rest.

    python benchmarks/champion_parts.py              # about a minute; prints a Markdown table

The rules are `eaai`, and every row is played with the same deals. Intervals are 95 % confidence
intervals over mirrored pairs.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from simgin_strategies import _champion as sight
from simgin_strategies import champion as player

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.stats.estimate import Z95
from simgin.strategy import Strategy, loader

OPPONENTS = ("simple", "marjj")
LEARNED = ("take", "discard", "knock")
Numbers = np.ndarray  # blends, `(N_BLENDS, ALL) float64`, then the table that selects one


def split(numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Return views of the blends and of the table for the rules of the EAAI challenge."""
    blends, table = numbers[: player.KINDS], numbers[player.KINDS : player.EACH]
    return blends.reshape(player.BLENDS, player.ALL), table


def weights_of(*names: str) -> list[int]:
    """Return the indices of some discard features in a blend."""
    places: list[int] = []
    for name in names:
        first = sight.NAMES.index(name)
        places += range(first, player.KNOCKS, sight.SIZE)
    return places


def without(*names: str) -> Callable[[Numbers], None]:
    """Return a function that removes the weights of some discard features."""

    def change(numbers: Numbers) -> None:
        blends, _ = split(numbers)
        blends[:, weights_of(*names)] = 0

    return change


def always(blend: int) -> Callable[[Numbers], None]:
    """Return a function that selects one blend, regardless of the opponent."""

    def change(numbers: Numbers) -> None:
        _, table = split(numbers)
        table[:] = blend

    return change


def nothing(numbers: Numbers) -> None:
    """Change nothing."""


GIVEN_AWAY = [name for name, _ in sight.DISCARD if not name.startswith("near")]
OUTS = [name for name in sight.NAMES if name.startswith(("outs", "fits", "high_outs", "low_outs"))]
LONE = [name for name in sight.NAMES if "lone" in name]
TAKEN = ["wanted", "contested", "spurned", "spurned_fits", "count_taken"]
LAST = player.BLENDS - 1
PARTS: dict[str, Callable[[Numbers], None]] = {
    "nothing": nothing,
    "the opponent's kind: one half always": always(LAST // 2),
    "the opponent's kind: always patient": always(0),
    "the opponent's kind: always hasty": always(LAST),
    "what the discard gives away": without(*GIVEN_AWAY),
    "live outs": without(*OUTS),
    "draws that make gin": without("gin_draws"),
    "draws that allow a knock": without("knock_draws"),
    "cards without a partner": without(*LONE),
    "what the opponent took and shed, in the hand": without(*TAKEN),
    "the score of the match": without("count_behind", "count_ahead"),
}


def changed(change: Callable[[Numbers], None]) -> Strategy:
    """Return champion with some of its weights changed."""
    champion = loader.find("champion")
    numbers = np.load(player.champion_discard.weights).astype(np.float64)
    change(numbers)
    policies = {}
    for slot in LEARNED:
        policy = champion.policy(slot)
        assert policy is not None
        policies[slot] = replace(policy, weights=numbers)
    return replace(champion, **policies)


def exchanged(**texts: str) -> Strategy:
    """Return champion with policies of other strategies."""
    words = [f"+{slot}={text}" for slot, text in texts.items()]
    return loader.find("champion" + "".join(words))


def share_won(a: Strategy, opponent: str, matches: int, seed: int) -> str:
    """Return the percentage of matches won with its interval."""
    rival = loader.find(opponent)
    matchup = Matchup(variants.find("eaai"), a, rival, seed, "match")
    pairs = matchup.units(matches)
    _, records = kernel.play_recorded(matchup, 0, pairs)
    last = records[records["outcome"] >= 0]
    won = np.bincount(last["unit"], last["outcome"] == 0, pairs) / 2
    half = Z95 * won.std(ddof=1) / np.sqrt(pairs)
    return f"{100 * won.mean():.1f} ± {100 * half:.1f}"


def main() -> None:
    """Parse the command line and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=4022)
    args = parser.parse_args()
    players = {part: changed(change) for part, change in PARTS.items()}
    players["its knocks (`early:k=3` instead)"] = exchanged(knock="early:k=3")
    players["its knocks (`at:k=10` instead)"] = exchanged(knock="at:k=10")
    players["its takes (`lower` instead)"] = exchanged(take="lower")
    players["its discards (`low` instead)"] = exchanged(discard="low")
    print("| taken away | v `simple` | v `marjj` |\n|---|---|---|")
    for part, changed_player in players.items():
        shares = [share_won(changed_player, name, args.matches, args.seed) for name in OPPONENTS]
        print(f"| {part} | {shares[0]} | {shares[1]} |", flush=True)


if __name__ == "__main__":
    main()
