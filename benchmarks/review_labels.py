"""Compare the effect sizes of two reviews of the same rule sets, such as with and without --adapt.

    simgin review --file experiments/reviews/bonuses.toml --adapt -o build/trained
    SIMGIN_CACHE_DIR=build/cache simgin review standard --sweep gin_bonus=0,10,20,25,50 \
        --sweep undercut_bonus=0,10,15,20,25 --matches 5k -o build/default
    python benchmarks/review_labels.py build/default build/trained

A new cache directory prevents the review without --adapt from using players that an earlier review
trained. The script compares only results of the strong player. It prints the number of effect
sizes by their distance in steps (same, a little, much), and all effect sizes that are more than one
step apart.
"""

import argparse
from pathlib import Path

import pandas as pd

from simgin.strategy.cast import STRONG_PLAYER

# Smallest and largest step that an effect size in the direction of the difference includes
STEP_RANGE_BY_EFFECT_SIZE = {
    "same": (0, 0),
    "at most a little": (0, 1),
    "same to much": (0, 2),
    "a little": (1, 1),
    "much": (2, 2),
    "inconclusive": (-1, 1),
}
KEY_COLUMNS = ["variant", "metric", "players"]
DISTANCE_LABELS = ["equal", "compatible", "one step", "more"]


def read_effects(directory: Path) -> pd.DataFrame:
    """Read a review's effects on the strong player, with effect sizes as ranges of steps."""
    table = pd.read_csv(directory / "differences.csv")
    table = table[table["players"].str.startswith(STRONG_PLAYER)].set_index(KEY_COLUMNS)
    steps = pd.DataFrame(table["size"].map(STEP_RANGE_BY_EFFECT_SIZE).tolist(), table.index)
    is_decrease = table["value"] < 0
    table["lowest"] = steps[0].where(~is_decrease, -steps[1])
    table["highest"] = steps[1].where(~is_decrease, -steps[0])
    return table[["value", "low", "high", "size", "lowest", "highest"]]


def compare_effects(effects_a: pd.DataFrame, effects_b: pd.DataFrame) -> pd.DataFrame:
    """Join the effects of two reviews, and classify the distance of their effect sizes."""
    pairs = effects_a.merge(effects_b, on=KEY_COLUMNS, suffixes=("_a", "_b"))
    gaps = pd.concat(
        [pairs["lowest_a"] - pairs["highest_b"], pairs["lowest_b"] - pairs["highest_a"]], axis=1
    ).max(axis=1)
    is_equal = (pairs["lowest_a"] == pairs["lowest_b"]) & (pairs["highest_a"] == pairs["highest_b"])
    pairs["distance"] = (
        gaps.clip(0, 2).map(dict(enumerate(DISTANCE_LABELS[1:]))).mask(is_equal, "equal")
    )
    return pairs


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directories", nargs=2, type=Path, metavar="DIRECTORY")
    pairs = compare_effects(*map(read_effects, parser.parse_args().directories))
    counts = pd.crosstab(pairs.index.get_level_values("metric"), pairs["distance"], margins=True)
    print(counts.reindex(columns=[*DISTANCE_LABELS, "All"], fill_value=0).to_string())
    distant_pairs = pairs[pairs["distance"] == "more"].drop(columns="distance").reset_index()
    print(f"\n{distant_pairs.to_string(index=False)}")


if __name__ == "__main__":
    main()
