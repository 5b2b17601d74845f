"""Measure adapted players against `champion` and all other strategies, under eight rule sets.

    python benchmarks/adapted.py    # 40 minutes on two cores; the same command resumes

The table is written to results/reference/adapted. All players are trained first. Each player then
plays mirrored matches against champion and against the other strategies. The deals are held out:
their seed was used for neither training nor validation. Holm's adjustment covers the whole table.
The search-based strategies mc and champion-mc are omitted because they are too slow for this number
of matches.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from simgin.learn.adapt import adapt_champion
from simgin.play.matchup import parse_matchup
from simgin.runs.runner import run_matchup
from simgin.stats import metrics
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import estimate_metric, two_sided_p_value
from simgin.strategy import loader

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
SEED = 777001
N_MATCHES = 20_000
KEY_COLUMNS = ["variant", "opponent"]


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


def measure_row(
    variant: str, adapted_spec: str, opponent: str, workers: int | None
) -> dict[str, object]:
    """Measure the match win rate of an adapted player, and return a table row."""
    matchup = parse_matchup(adapted_spec, opponent, variant, SEED, "match")
    metric = metrics.METRICS_BY_NAME["match_win"]
    win_rate = estimate_metric(run_matchup(matchup, N_MATCHES, workers).sum(axis=0), metric)
    key_columns = {"variant": variant, "strategy": "champion, adapted", "opponent": opponent}
    estimate_columns = {
        "value": win_rate.value,
        "se": win_rate.se,
        "low": win_rate.low,
        "high": win_rate.high,
    }
    return {
        **key_columns,
        "unit": "match",
        "metric": metric.name,
        **estimate_columns,
        "n": N_MATCHES,
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
    specs_by_variant = {}
    for variant in VARIANTS:
        adaptation = adapt_champion(variant, workers=args.workers)
        print(
            f"{variant}, {adaptation.cpu_seconds:.0f} s: {' '.join(adaptation.sentences)}",
            flush=True,
        )
        specs_by_variant[variant] = f"champion@{adaptation.name}"
    table_path = args.out / "table.csv"
    rows = pd.read_csv(table_path).to_dict("records") if table_path.exists() else []
    finished_keys = {(row["variant"], row["opponent"]) for row in rows}
    for opponent in list_opponents():
        for variant in VARIANTS:
            if (variant, opponent) not in finished_keys:
                rows.append(measure_row(variant, specs_by_variant[variant], opponent, args.workers))
                write_table(table_path, rows)
                last_row = rows[-1]
                print(variant, opponent, f"{100 * last_row['value']:.2f} %", flush=True)


def write_table(table_path: Path, rows: list[dict[str, object]]) -> None:
    """Write all rows measured so far, with Holm-adjusted p-values of the win rates."""
    table = pd.DataFrame(rows).drop(columns="p_holm", errors="ignore")
    differences = zip(table["value"] - 0.5, table["se"], table["n"], strict=True)
    p_values = np.array([two_sided_p_value(*difference) for difference in differences])
    table.assign(p_holm=adjust_p_values(p_values)).to_csv(
        table_path, index=False, float_format="%.10g"
    )


if __name__ == "__main__":
    main()
