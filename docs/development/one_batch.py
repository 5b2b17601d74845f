"""Play one batch of deals with the compiled engine, and print the sum of each statistic.

python docs/development/one_batch.py [VARIANT [A [B]]]
"""

import sys

from simgin.core.batch_columns import SQUARES_START, STATISTIC_INDEX, SUMS_START, UNITS_COLUMN
from simgin.play import kernel
from simgin.play.matchup import parse_matchup


def main(variant: str = "standard", strategy: str = "gold", opponent: str | None = None) -> None:
    """Play the first batch of a matchup, and print the sum of each statistic."""
    matchup = parse_matchup(strategy, opponent, variant, seed=1, unit="deal")
    kernel.compile_matchup(matchup)
    row = kernel.play_batches(matchup, first_unit=0, n_units=matchup.batch_size)[0]
    print(f"{matchup.title} ({matchup.variant.spec}): {row[UNITS_COLUMN]} units")
    print(f"{'statistic':20}{'sum':>12}{'sum of squares':>16}")
    for name, index in STATISTIC_INDEX.items():
        print(f"{name:20}{row[SUMS_START + index]:12}{row[SQUARES_START + index]:16}")


if __name__ == "__main__":
    main(*sys.argv[1:])
