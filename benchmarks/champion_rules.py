"""Measure `champion` under rules that its training did not contain.

    python benchmarks/champion_rules.py    # two hours on one core; the same command resumes

The table is written to results/reference/champion-rules. `champion` plays mirrored matches under 40
random rule sets that did not occur in its training. The opponents are a copy of `champion` that
does not adapt its weights to the rules, the player that `simgin train champion` trains for the
rules, and all other strategies that do not search ahead. Under the built-in variants, `champion`
plays only against its copy. Holm's adjustment covers the whole table.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from adapted import (
    STRONG_STRATEGIES,
    TRAINED,
    list_opponents,
    load_trained_champion,
    measure_row,
    read_rows,
    write_table,
)

from simgin.learn.random_rules import sample_held_out_variants, two_player_names
from simgin.play.matchup import Matchup
from simgin.report.numbers import format_estimate
from simgin.report.report_table import format_markdown_table
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA, interval_around, two_sided_p_value
from simgin.strategy import Strategy, compiler, loader

OUTPUT_PATH = Path(__file__).resolve().parent.parent / "results" / "reference" / "champion-rules"
RULE_SETS, RULE_SET_SEED = 40, 0x415481F6  # the seed is a commit hash
FIXED = "champion, not adapted"
SEED = 9102
# numbers of matches against `champion` with other weights, strong strategies and all others
MATCHES = {TRAINED: 40_000, FIXED: 20_000, **dict.fromkeys(STRONG_STRATEGIES, 10_000)}
N_MATCHES = 2_000
MIN_WIN_RATE = 0.49  # win rate that `champion` should reach against each trained player
RULES_HEADINGS = ["Rules", TRAINED, FIXED, "lowest win rate against another strategy", "strategy"]
OPPONENT_HEADINGS = ["Opponent", "mean", "minimum", "rule sets", "beaten", "below 49 %"]


def is_adapted(variant: Variant) -> bool:
    """Return True if `champion` adapts its weights to a rule set."""
    policy = loader.find_strategy("champion").discard
    assert policy is not None
    default_parameters = compiler.make_parameter_vector(policy)
    return not np.array_equal(
        compiler.make_parameter_vector(policy, build_rules(variant)), default_parameters
    )


def make_opponent(name: str, variant: Variant, workers: int | None) -> Strategy:
    """Return the opponent with a name, after the training for the variant if necessary."""
    if name == TRAINED:
        # The confirmation does not affect the weights, so it is as short as possible.
        return load_trained_champion(variant.spec, workers, confirmation_matches=1_000)
    if name != FIXED:
        return loader.find_strategy(name)
    champion = loader.find_strategy("champion")
    assert champion.discard is not None and champion.discard.weights is not None
    return replace(loader.with_weights(champion, champion.discard.weights), spec=FIXED)


def list_pairs() -> Iterator[tuple[Variant, str]]:
    """Yield the rule sets and opponents of the table in the order of its rows."""
    sampled_variants = sample_held_out_variants(RULE_SET_SEED, RULE_SETS)
    for variant in map(variants.find_variant, two_player_names()):
        if is_adapted(variant):
            yield variant, FIXED
    for variant in sampled_variants:
        for name in [TRAINED, FIXED, *list_opponents()[1:]]:
            yield variant, name


def format_mean(rows: pd.DataFrame) -> str:
    """Format the mean win rate (%) over rule sets, with its interval for these rule sets."""
    se = np.sqrt((rows["se"] ** 2).sum()) / len(rows)
    mean = interval_around(rows["value"].mean(), se, len(rows), np.inf)
    return format_estimate(mean.value, mean.low, mean.high, 100)


def count_below_minimum(rows: pd.DataFrame) -> int:
    """Count the rule sets with a win rate significantly below MIN_WIN_RATE, by Holm's method."""
    differences = zip(rows["value"] - MIN_WIN_RATE, rows["se"], rows["n"], strict=True)
    p_values = np.array([two_sided_p_value(*difference) for difference in differences])
    return int(((adjust_p_values(p_values) < ALPHA) & (rows["value"] < MIN_WIN_RATE)).sum())


def list_summary_lines(table: pd.DataFrame) -> list[str]:
    """Return Markdown tables of the win rates (%) by rule set and by opponent."""
    is_other = ~table["opponent"].isin([TRAINED, FIXED])
    rows_by_rules = []
    for variant, rows in table.groupby("variant", sort=False):
        lowest = rows[is_other].nsmallest(1, "value")
        columns = [rows[rows["opponent"] == name] for name in (TRAINED, FIXED)]
        cells = [format_mean(column) if len(column) else "" for column in [*columns, lowest]]
        rows_by_rules.append([variant, *cells, *(lowest["opponent"])])
    rows_by_opponent = []
    held_out_table = table[table["variant"].isin(table.loc[is_other, "variant"])]
    for name, rows in held_out_table.groupby("opponent", sort=False):
        # The p-value is missing if every batch has the same win rate.
        is_beaten = (rows["p_holm"].fillna(0) < ALPHA) & (rows["value"] > 0.5)
        counts = [len(rows), is_beaten.sum(), count_below_minimum(rows)]
        minimum = f"{100 * rows['value'].min():.2f}"
        rows_by_opponent.append([name, format_mean(rows), minimum, *map(str, counts)])
    return [
        *format_markdown_table(RULES_HEADINGS, rows_by_rules),
        "",
        *format_markdown_table(OPPONENT_HEADINGS, rows_by_opponent),
    ]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int)
    parser.add_argument("-o", "--out", type=Path, default=OUTPUT_PATH)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    table_path = args.out / "table.csv"
    rows = read_rows(table_path)
    finished_keys = {(row["variant"], row["opponent"]) for row in rows}
    champion = loader.find_strategy("champion")
    for variant, name in list_pairs():
        if (variant.spec, name) not in finished_keys:
            opponent = make_opponent(name, variant, args.workers)
            matchup = Matchup(variant, champion, opponent, SEED, "match")
            rows.append(measure_row(matchup, MATCHES.get(name, N_MATCHES), args.workers))
            write_table(table_path, rows)
    summary = "\n".join(list_summary_lines(pd.read_csv(table_path)))
    (args.out / "summary.md").write_text(f"{summary}\n", encoding="utf-8")
    print(summary)


if __name__ == "__main__":
    main()
