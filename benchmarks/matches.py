"""What keeping score costs: nanoseconds a deal in whole matches of every goal, beside those of the same game's single deals.

    python benchmarks/matches.py

The best of several runs each, in processor time of one thread; the last column is what to look at.
"""

import time
from typing import Literal

from simgin.core import sums
from simgin.play import matchup

RUNS = 8
GAMES = (
    ("standard", "simple", "simple", 2000),
    ("hollywood", "simple", "simple", 1500),
    ("pro", "simple", "simple", 400),
    ("race", "simple", "simple", 1500),
    ("twofold", "simple", "simple", 1500),
    ("dice", "simple", "simple", 1500),
    ("dice-pro", "simple", "simple", 400),
    ("tournament", "simple", "simple", 2000),
    ("shot", "simple", "simple", 2000),
    ("solitaire-gin-knock", "gold", None, 3000),
    ("gin-solitaire", "gold", None, 3000),
    ("solitary-gin", "gold", None, 4000),
)


def nanoseconds(
    variant: str, a: str, b: str | None, unit: Literal["deal", "match"], n: int
) -> float:
    """Processor time a deal, the best of some runs of n units."""
    game = matchup.seated(a, b, variant, 1, unit)
    matchup.prepare(game)
    best = float("inf")
    for _ in range(RUNS):
        started = time.process_time()
        rows = matchup.play(game, 0, n)
        taken = time.process_time() - started
        best = min(best, taken / int(rows[:, sums.SUM + sums.FACT["deals"]].sum()))
    return 1e9 * best


for variant, a, b, n in GAMES:
    deals, matches = (
        nanoseconds(variant, a, b, "deal", 20_000),
        nanoseconds(variant, a, b, "match", n),
    )
    print(
        f"{variant:20} deals {deals:5.0f} ns, matches {matches:5.0f} ns a deal, {matches / deals:.2f} times"
    )
