"""Measure the win rates of `champion` under rules that it was not trained for.

    python benchmarks/champion_rules.py    # two hours on one core; the same command resumes

The table is written to results/reference/champion-rules. `champion` plays mirrored matches under
random rule sets that did not occur in its training. The opponents are a copy of `champion` that
does not adapt its weights to the rules, the player that `simgin train champion` trains for the
rules, and all other strategies that do not search ahead. Under the built-in variants, `champion`
plays only against its copy. Holm's adjustment covers the whole table.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from simgin.learn.adapt import adapt_champion
from simgin.learn.random_rules import list_two_player_variants, sample_held_out_variants
from simgin.play.matchup import Matchup
from simgin.report.numbers import format_estimate
from simgin.report.report_table import format_markdown_table
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.runs.runner import run_matchup
from simgin.stats import metrics
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import (
    ALPHA,
    compute_two_sided_p_value,
    estimate_metric,
    make_estimate_with_t_interval,
)
from simgin.stats.table import make_estimate_columns
from simgin.strategy import Strategy, compiler, loader

STRONG_STRATEGIES = ("champion", "mishra-uniform", "marjj-early", "marjj", "simple", "gold-early")
# Slow strategies, and champion-eaai, which plays like champion under these rules
EXCLUDED_STRATEGIES = ("mc", "champion-mc", "champion-eaai")
TRAINED_CHAMPION_LABEL = "champion, trained"
OUTPUT_DIRECTORY = (
    Path(__file__).resolve().parent.parent / "results" / "reference" / "champion-rules"
)
RULE_SET_SEED = 0x1D9B0ABC  # hash of a commit
UNADAPTED_CHAMPION_LABEL = "champion, not adapted"
SEED = 9102
# numbers of matches against `champion` with other weights, strong strategies and all others
N_MATCHES_BY_OPPONENT = {
    TRAINED_CHAMPION_LABEL: 20_000,
    UNADAPTED_CHAMPION_LABEL: 20_000,
    **dict.fromkeys(STRONG_STRATEGIES, 10_000),
}
DEFAULT_N_MATCHES = 2_000
N_TRAINING_ROUNDS = 12  # number of training rounds, three times as many as by default
MIN_WIN_RATE = 0.49  # win rate that `champion` should reach against each trained player


def list_opponents() -> list[str]:
    """Return all two-player strategies, with the strong strategies first."""
    weaker_strategies = [
        name
        for name in loader.list_built_in_strategies()
        if name not in (*STRONG_STRATEGIES, *EXCLUDED_STRATEGIES)
    ]
    return [
        *STRONG_STRATEGIES,
        *(name for name in weaker_strategies if not name.startswith("solo-")),
    ]


def load_trained_champion(variant: str, workers: int | None) -> Strategy:
    """Return `champion` with the weights that `simgin train champion` trains for a variant."""
    adaptation = adapt_champion(
        variant, workers=workers, rounds=N_TRAINING_ROUNDS, confirmation_matches=1_000
    )
    print(variant, f"{adaptation.cpu_seconds:.0f} s:", *adaptation.verdict_sentences, flush=True)
    return replace(
        loader.find_strategy(f"champion@{adaptation.weights_file_name}"),
        spec=TRAINED_CHAMPION_LABEL,
    )


def measure_win_rate_row(matchup: Matchup, n_matches: int, workers: int | None) -> dict[str, Any]:
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
        **make_estimate_columns(win_rate, n_matches),
    }


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
    p_values = np.array([compute_two_sided_p_value(*difference) for difference in differences])
    table.assign(p_holm=adjust_p_values(p_values)).to_csv(
        table_path, index=False, float_format="%.10g"
    )


def is_champion_adapted(variant: Variant) -> bool:
    """Return True if `champion` adapts its weights to a rule set."""
    policy = loader.find_strategy("champion").discard
    assert policy is not None
    default_parameters = compiler.make_parameter_vector(policy)
    return not np.array_equal(
        compiler.make_parameter_vector(policy, build_rules(variant)), default_parameters
    )


def make_opponent(name: str, variant: Variant, workers: int | None) -> Strategy:
    """Return the opponent with a given name, trained for the variant if necessary."""
    if name == TRAINED_CHAMPION_LABEL:
        # The confirmation does not affect the weights, so it is as short as possible.
        return load_trained_champion(variant.spec, workers)
    if name != UNADAPTED_CHAMPION_LABEL:
        return loader.find_strategy(name)
    champion = loader.find_strategy("champion")
    assert champion.discard is not None and champion.discard.weights is not None
    return replace(
        loader.with_weights(champion, champion.discard.weights), spec=UNADAPTED_CHAMPION_LABEL
    )


def iter_variants_and_opponents(n_rule_sets: int) -> Iterator[tuple[Variant, str]]:
    """Yield the rule set and the opponent of each table row, in order."""
    for variant in map(variants.find_variant, list_two_player_variants()):
        if is_champion_adapted(variant):
            yield variant, UNADAPTED_CHAMPION_LABEL
    held_out_variants = sample_held_out_variants(RULE_SET_SEED, n_rule_sets)
    for name in [TRAINED_CHAMPION_LABEL, UNADAPTED_CHAMPION_LABEL, *list_opponents()[1:]]:
        for variant in held_out_variants:
            yield variant, name


def format_mean_win_rate(rows: pd.DataFrame) -> str:
    """Format the mean win rate (%) over rule sets, with its confidence interval."""
    se = np.sqrt((rows["se"] ** 2).sum()) / len(rows)
    mean = make_estimate_with_t_interval(rows["value"].mean(), se, len(rows), np.inf)
    return format_estimate(mean.value, mean.low, mean.high, 100)


def count_rule_sets_below_minimum(rows: pd.DataFrame) -> int:
    """Count the rule sets with a win rate significantly below MIN_WIN_RATE, by Holm's method."""
    differences = zip(rows["value"] - MIN_WIN_RATE, rows["se"], rows["n"], strict=True)
    p_values = np.array([compute_two_sided_p_value(*difference) for difference in differences])
    return int(((adjust_p_values(p_values) < ALPHA) & (rows["value"] < MIN_WIN_RATE)).sum())


def format_summary(table: pd.DataFrame) -> str:
    """Return Markdown tables of the win rates (%) by rule set and by opponent."""
    held_out_rows = table[
        table["variant"].isin(table.loc[table["opponent"] == TRAINED_CHAMPION_LABEL, "variant"])
    ]
    built_in_rows = table[~table["variant"].isin(held_out_rows["variant"])]
    sections = {
        "Built-in variants": (
            ["Variant", UNADAPTED_CHAMPION_LABEL],
            [
                [str(name), format_mean_win_rate(rows)]
                for name, rows in built_in_rows.groupby("variant")
            ],
        ),
        "Random rule sets": (
            ["Rules", TRAINED_CHAMPION_LABEL, UNADAPTED_CHAMPION_LABEL, "strongest other opponent"],
            [
                format_variant_row(str(name), rows)
                for name, rows in held_out_rows.groupby("variant", sort=False)
            ],
        ),
        "Opponents under random rules": (
            ["Opponent", "mean", "minimum", "rule sets", "beaten", "below 49 %"],
            [
                format_opponent_row(str(name), rows)
                for name, rows in held_out_rows.groupby("opponent")
            ],
        ),
    }
    return "\n".join(
        line
        for title, (headings, rows) in sections.items()
        for line in (f"## {title}", "", *format_markdown_table(headings, rows), "")
    )


def format_variant_row(variant: str, rows: pd.DataFrame) -> list[str]:
    """Return the table cells of a rule set: win rates against selected opponents."""
    by_opponent = {str(name): format_mean_win_rate(row) for name, row in rows.groupby("opponent")}
    other_rows = rows[~rows["opponent"].isin([TRAINED_CHAMPION_LABEL, UNADAPTED_CHAMPION_LABEL])]
    strongest = str(other_rows.loc[other_rows["value"].idxmin(), "opponent"])
    cells = [by_opponent[TRAINED_CHAMPION_LABEL], by_opponent[UNADAPTED_CHAMPION_LABEL]]
    return [f"`{variant}`", *cells, f"{by_opponent[strongest]} (`{strongest}`)"]


def format_opponent_row(name: str, rows: pd.DataFrame) -> list[str]:
    """Return the table cells of an opponent: win rates and numbers of rule sets."""
    # The p-value is missing if `champion` wins all matches.
    is_beaten = (rows["p_holm"].fillna(0) < ALPHA) & (rows["value"] > 0.5)
    minimum = f"{100 * rows['value'].min():.2f}"
    counts = len(rows), int(is_beaten.sum()), count_rule_sets_below_minimum(rows)
    return [name, format_mean_win_rate(rows), minimum, *map(str, counts)]


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rule-sets", type=int, default=40, help="number of random rule sets")
    parser.add_argument("--workers", type=int)
    parser.add_argument("-o", "--out", type=Path, default=OUTPUT_DIRECTORY)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    table_path = args.out / "table.csv"
    rows = read_rows(table_path)
    finished_keys = {(row["variant"], row["opponent"]) for row in rows}
    champion = loader.find_strategy("champion")
    for variant, name in iter_variants_and_opponents(args.rule_sets):
        if (variant.spec, name) not in finished_keys:
            opponent = make_opponent(name, variant, args.workers)
            matchup = Matchup(variant, champion, opponent, SEED, "match")
            rows.append(
                measure_win_rate_row(
                    matchup, N_MATCHES_BY_OPPONENT.get(name, DEFAULT_N_MATCHES), args.workers
                )
            )
            write_table(table_path, rows)
    summary = format_summary(pd.read_csv(table_path))
    (args.out / "summary.md").write_text(summary, encoding="utf-8")
    print(summary)


if __name__ == "__main__":
    main()
