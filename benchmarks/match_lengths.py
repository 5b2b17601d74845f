"""Compute the results in results/reference/claims/lengths: match lengths and match formats.

    python benchmarks/match_lengths.py -o DIR     # 30 seconds; resumes

The script plays experiments/claims/lengths.toml into DIR and records every deal. It writes these
proportions of matches to matches.csv, for every variant and pair:

    one_deal, within_3, within_10    matches that end within this number of deals
    not_yet                          the first side with 121 points had not won 7 deals (twofold)
    overtaken                        that side lost the match (twofold)
    worth_4, ... worth_1             matches with this game value (pro)

The file also contains shot_above_10, the proportion of shots with more deadwood than the knock
limit.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

EXPERIMENT_PATH = "experiments/claims/lengths.toml"
MATCH_KEY_COLUMNS = ["unit", "half"]
TARGET_POINTS, TARGET_DEALS = 121, 7
LOSER_POINTS_RANGE_BY_MATCH_VALUE = {4: (0, 30), 3: (31, 60), 2: (61, 90), 1: (91, 120)}


def iter_metric_values(variant: str, deals: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Yield the name and the values of each binary metric of a pair of players."""
    lengths = deals.groupby(MATCH_KEY_COLUMNS).size()
    yield "one_deal", lengths == 1
    yield "within_3", lengths <= 3
    yield "within_10", lengths <= 10
    if variant == "twofold":
        yield from _iter_twofold_metric_values(deals)
    if variant.startswith("pro"):
        last_deals = deals.groupby(MATCH_KEY_COLUMNS).last()
        loser_points = np.where(
            last_deals["outcome"] == "A", last_deals["after_b"], last_deals["after_a"]
        )
        for value, (low, high) in LOSER_POINTS_RANGE_BY_MATCH_VALUE.items():
            yield f"worth_{value}", pd.Series((low <= loser_points) & (loser_points <= high))
    if variant == "shot":
        yield "shot_above_10", deals.loc[deals["kind"] == "shot", "knock_count"] > 10


def _iter_twofold_metric_values(deals: pd.DataFrame) -> Iterator[tuple[str, pd.Series]]:
    """Yield the metrics of the player who first reached the target points (`twofold`)."""
    deals_reaching_target = (
        deals[deals[["after_a", "after_b"]].max(axis=1) >= TARGET_POINTS]
        .groupby(MATCH_KEY_COLUMNS)
        .first()
    )
    first_side = np.where(deals_reaching_target["after_a"] >= TARGET_POINTS, "A", "B")
    won_deals = np.where(
        first_side == "A", deals_reaching_target["won_a"], deals_reaching_target["won_b"]
    )
    outcomes = deals.groupby(MATCH_KEY_COLUMNS)["outcome"].last().loc[deals_reaching_target.index]
    yield "not_yet", pd.Series(won_deals < TARGET_DEALS)
    yield "overtaken", pd.Series((won_deals < TARGET_DEALS) & (outcomes != first_side))


def add_scores_after_deals(deals: pd.DataFrame) -> pd.DataFrame:
    """Add columns with the points and the won deals of both players after each deal."""
    # A gin or an undercut counts as two won deals.
    is_double = deals["kind"].isin(["gin", "undercut"])
    for side in "ab":
        won_deals = (deals["winner"] == side.upper()) * np.where(is_double, 2, 1)
        deals[f"after_{side}"] = deals[f"score_{side}"] + deals[f"points_{side}"]
        deals[f"won_{side}"] = deals[f"deals_{side}"] + won_deals
    return deals


def iter_metric_rows(deals: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Yield a table row for each metric of each pair of players."""
    for (variant, a, b), pair_deals in deals.groupby(
        ["variant", "a", "b"], sort=False, observed=True
    ):
        for metric, values in iter_metric_values(str(variant), pair_deals):
            n, proportion = len(values), float(values.mean())
            se = float(np.sqrt(proportion * (1 - proportion) / n))
            estimate_columns = {
                "value": proportion,
                "se": se,
                "low": proportion - 1.96 * se,
                "high": proportion + 1.96 * se,
            }
            key_columns = {"variant": variant, "strategy": a, "opponent": b, "unit": "match"}
            yield {**key_columns, "metric": metric, **estimate_columns, "n": n}


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    directory = parser.parse_args().output
    command = (
        sys.executable,
        "-P",
        "-m",
        "simgin",
        "run",
        EXPERIMENT_PATH,
        "--record",
        "-o",
        str(directory),
    )
    subprocess.run(command, check=True)
    deals = add_scores_after_deals(pd.read_parquet(directory / "deals.parquet"))
    pd.DataFrame(iter_metric_rows(deals)).to_csv(
        directory / "matches.csv", index=False, float_format="%.10g"
    )


if __name__ == "__main__":
    main()
