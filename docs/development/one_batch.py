"""Play one batch of deals with the compiled engine and print its sums by name.

python docs/development/one_batch.py [A [B [VARIANT]]]
"""

import sys

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import parse_matchup


def main(a: str = "gold", b: str = "simple", variant: str = "standard") -> None:
    """Play units 0..999 of a matchup, the first row that a run commits to its ledger."""
    matchup = parse_matchup(a, b, variant, seed=1, unit="deal")
    kernel.prepare(matchup)
    row = kernel.play(matchup, 0, matchup.batch)[0]
    print(f"{matchup.title}: {row[sums.UNITS]} units")
    print(f"{'fact':20}{'sum':>12}{'sum of squares':>16}")
    for name, number in sums.FACT.items():
        print(f"{name:20}{row[sums.SUM + number]:12}{row[sums.SQUARE + number]:16}")


if __name__ == "__main__":
    main(*sys.argv[1:])
