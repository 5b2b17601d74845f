"""Adapted players against champion and against everybody: eight rule sets, unseen packs.

    python benchmarks/adapted.py    # 40 minutes of two cores; resumes; results/reference/adapted

First all players learn, then each plays champion, then the roster, in mirrored matches on packs of
a seed that neither learning nor its confirmation had. Holm over the whole table. The players that
look ahead by playing on, mc and champion-mc, are too slow for as many matches and left out.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs.runner import run_matchup
from simgin.stats import metrics
from simgin.stats.differences import holm
from simgin.stats.estimate import estimate_metric, two_sided
from simgin.strategy import loader
from simgin.tune.adapted import adapt, read_training

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
STRONG = ("champion", "mishra-uniform", "marjj-early", "marjj", "simple", "gold-early")
SLOW = ("mc", "champion-mc")
FOLDER = Path(__file__).resolve().parent.parent / "results" / "reference" / "adapted"
SEED = 777001
MATCHES = 20_000
KEY = ["variant", "opponent"]


def roster() -> list[str]:
    """Everybody who plays for two, the strong first."""
    others = [name for name in loader.built_in() if name not in (*STRONG, *SLOW)]
    return [*STRONG, *(name for name in others if not name.startswith("solo-"))]


def row(variant: str, opponent: str, workers: int | None) -> dict[str, object]:
    """Matches that the adapted player wins from an opponent."""
    player = loader.find(f"champion@{read_training('champion', variant).named}")
    matchup = Matchup(variants.find(variant), player, loader.find(opponent), SEED, "match")
    metric = metrics.BY_NAME["match_win"]
    won = estimate_metric(run_matchup(matchup, MATCHES, workers).sum(axis=0), metric)
    named = {"variant": variant, "strategy": "champion, adapted", "opponent": opponent}
    limits = {"value": won.value, "se": won.se, "low": won.low, "high": won.high}
    return {**named, "unit": "match", "metric": metric.name, **limits, "n": MATCHES}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int)
    parser.add_argument("-o", "--out", type=Path, default=FOLDER)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for variant in VARIANTS:
        found = adapt(variant, workers=args.workers)
        print(f"{variant}, {found.seconds:.0f} s: {' '.join(found.sentences)}", flush=True)
    file = args.out / "table.csv"
    rows = pd.read_csv(file).to_dict("records") if file.exists() else []
    done = {(one["variant"], one["opponent"]) for one in rows}
    for opponent in roster():
        for variant in VARIANTS:
            if (variant, opponent) not in done:
                rows.append(row(variant, opponent, args.workers))
                write(file, rows)
                won = rows[-1]
                print(variant, opponent, f"{100 * won['value']:.2f} %", flush=True)


def write(file: Path, rows: list[dict[str, object]]) -> None:
    """The table so far, with Holm's p of every share against one half."""
    table = pd.DataFrame(rows).drop(columns="p_holm", errors="ignore")
    apart = zip(table["value"] - 0.5, table["se"], table["n"], strict=True)
    p = np.array([two_sided(*one) for one in apart])
    table.assign(p_holm=holm(p)).to_csv(file, index=False, float_format="%.10g")


if __name__ == "__main__":
    main()
