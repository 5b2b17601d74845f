"""Play and check deals of every variant named on stdin, in a separate process."""

import sys

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.strategy import loader

PLAYER_PAIRS = (("random", "simple"), ("gold", "random"), ("simple", "gold"))
SOLO_PLAYERS = "random", "gold"
N_DEALS = 100


def play_variant(spec: str, seed: int = 1) -> None:
    """Play a variant and check that every deal has exactly one outcome."""
    variant = variants.find_variant(spec)
    for a, b in [(a, None) for a in SOLO_PLAYERS] if variant.is_solo else PLAYER_PAIRS:
        matchup = Matchup(
            variant, loader.find_strategy(a), b and loader.find_strategy(b), seed, "deal"
        )
        (row,) = kernel.play_batches(matchup, 0, matchup.count_units(N_DEALS))
        deals, *kinds = (
            int(row[batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[name]])
            for name in ("deals", *batch_columns.DEAL_RESULTS)
        )
        assert deals == N_DEALS == sum(kinds), (spec, a, b, deals, kinds)


if __name__ == "__main__":
    for line in sys.stdin:
        play_variant(line.rstrip("\n"))
        print(line, end="", flush=True)
