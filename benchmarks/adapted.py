"""Measure adapted players against `champion` and all other strategies, under eight rule sets.

    python benchmarks/adapted.py    # 40 minutes on two cores; the same command resumes

The table is written to results/reference/adapted. All players are trained first. Each player then
plays mirrored matches against champion and against the other strategies. The deals are held out:
their seed was used for neither training nor validation. Holm's adjustment covers the whole table.
The search-based strategies mc and champion-mc are omitted because they are too slow for this number
of matches.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from simgin.learn.adapt import adapt_champion
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs.runner import run_matchup
from simgin.stats import metrics
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import estimate_metric, two_sided_p_value
from simgin.stats.table import estimate_columns
from simgin.strategy import Strategy, loader

VARIANTS = (
    "straight",
    "oklahoma",
    "standard+undercut_bonus=0",
    "standard+undercut_bonus=10",
    "standard+gin_bonus=100",
    "standard+knock_limit=5",
    "tedesco",
    "rainbow",
)
STRONG_STRATEGIES = ("champion", "mishra-uniform", "marjj-early", "marjj", "simple", "gold-early")
SLOW_STRATEGIES = ("mc", "champion-mc")
OUTPUT_PATH = Path(__file__).resolve().parent.parent / "results" / "reference" / "adapted"
TRAINED = "champion, trained"
SEED = 777001
N_MATCHES = 20_000


def list_opponents() -> list[str]:
    """Return all two-player strategies, with the strong strategies first."""
    weaker_strategies = [
        name
        for name in loader.list_built_in()
        if name not in (*STRONG_STRATEGIES, *SLOW_STRATEGIES)
    ]
    return [
        *STRONG_STRATEGIES,
        *(name for name in weaker_strategies if not name.startswith("solo-")),
    ]


def load_trained_champion(variant: str, workers: int | None, **sizes: Any) -> Strategy:
    """Return `champion` with the weights that `simgin train champion` trains for a variant."""
    adaptation = adapt_champion(variant, workers=workers, **sizes)
    print(variant, f"{adaptation.cpu_seconds:.0f} s:", *adaptation.sentences, flush=True)
    return replace(loader.find_strategy(f"champion@{adaptation.name}"), spec=TRAINED)


def measure_row(matchup: Matchup, n_matches: int, workers: int | None) -> dict[str, Any]:
    """Print the match win rate of strategy A, and return a table row."""
    metric = metrics.METRICS_BY_NAME["match_win"]
    win_rate = estimate_metric(run_matchup(matchup, n_matches, workers).sum(axis=0), metric)
    print(matchup.variant.spec, matchup.title, f"{100 * win_rate.value:.2f} %", flush=True)
    return {
        "variant": matchup.variant.spec,
        "strategy": matchup.a.spec,
        "opponent": matchup.opponent,
        "unit": "match",
        "metric": metric.name,
        **estimate_columns(win_rate, n_matches),
    }


def main() -> None:
    """Parse the command line, train the players and play the matches."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int)
    parser.add_argument("-o", "--out", type=Path, default=OUTPUT_PATH)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    players = {}
    for variant in VARIANTS:
        players[variant] = load_trained_champion(variant, args.workers)
    table_path = args.out / "table.csv"
    rows = read_rows(table_path)
    finished_keys = {(row["variant"], row["opponent"]) for row in rows}
    for opponent in list_opponents():
        for variant in VARIANTS:
            if (variant, opponent) not in finished_keys:
                matchup = Matchup(
                    variants.find_variant(variant),
                    players[variant],
                    loader.find_strategy(opponent),
                    SEED,
                    "match",
                )
                rows.append(measure_row(matchup, N_MATCHES, args.workers))
                write_table(table_path, rows)


def read_rows(table_path: Path) -> list[dict[str, Any]]:
    """Return the rows measured by an earlier run, or an empty list."""
    if not table_path.exists():
        return []
    table: Any = pd.read_csv(table_path)
    return list(table.to_dict("records"))


def write_table(table_path: Path, rows: list[dict[str, Any]]) -> None:
    """Write all rows measured so far, with Holm-adjusted p-values of the win rates."""
    table = pd.DataFrame(rows).drop(columns="p_holm", errors="ignore")
    differences = zip(table["value"] - 0.5, table["se"], table["n"], strict=True)
    p_values = np.array([two_sided_p_value(*difference) for difference in differences])
    table.assign(p_holm=adjust_p_values(p_values)).to_csv(
        table_path, index=False, float_format="%.10g"
    )


if __name__ == "__main__":
    main()
