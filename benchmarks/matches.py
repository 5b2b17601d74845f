"""Measure the CPU time per deal in complete matches, for every type of match goal.

    python benchmarks/matches.py

The last column is the ratio of this time to the CPU time of single deals of the same variant.
Each value is the best of several runs on one thread.
"""

import time
from typing import Literal

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import parse_matchup

N_RUNS = 8
MATCHUPS = (  # variant, both players, number of matches
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


def measure_nanoseconds_per_deal(
    variant: str, a: str, b: str | None, unit: Literal["deal", "match"], n_units: int
) -> float:
    """Return the shortest CPU time per deal of several runs, in nanoseconds."""
    matchup = parse_matchup(a, b, variant, 1, unit)
    kernel.compile_matchup(matchup)
    best_seconds_per_deal = float("inf")
    for _ in range(N_RUNS):
        start_time = time.process_time()
        rows = kernel.play_batches(matchup, 0, n_units)
        elapsed = time.process_time() - start_time
        best_seconds_per_deal = min(
            best_seconds_per_deal,
            elapsed
            / int(rows[:, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["deals"]].sum()),
        )
    return 1e9 * best_seconds_per_deal


for variant, a, b, n in MATCHUPS:
    deal_duration = measure_nanoseconds_per_deal(variant, a, b, "deal", 20_000)
    match_duration = measure_nanoseconds_per_deal(variant, a, b, "match", n)
    ratio = f"{match_duration / deal_duration:.2f} times"
    print(
        f"{variant:20} deals {deal_duration:5.0f} ns, matches {match_duration:5.0f} ns per deal, "
        f"{ratio}"
    )
