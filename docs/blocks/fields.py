"""Blocks and pictures about who plays what: effects by field, and the worst case of every rule."""

from collections.abc import Iterator
from itertools import product

import pandas as pd

from blocks.markdown import table as markdown_table
from blocks.reference import REFERENCE, SEED, csv
from simgin import plots
from simgin.findings.run_report import file_word
from simgin.report import numbers

EFFECTS = "advice-fields"
MEASURES = (("points per deal", "points_per_deal", 0), ("matches won %", "matches_won_pct", 100))

Result = tuple[float, float, float, str]  # value, low, high, and against whom


def pictures() -> None:
    """Write the picture of the effects by field under each variant, from their table."""
    frame = csv(EFFECTS, "effects")
    points = frame[frame["metric"] == "margin"]
    for variant, rows in points.groupby("variant", sort=False):
        figure = plots.effects(rows, seed=SEED)
        path = REFERENCE / EFFECTS / "plots" / f"effects-{file_word(str(variant))}.png"
        path.write_bytes(plots.png(figure))


def worst(result: str) -> str:
    """The worst result of everyone in a round robin, and against whom, by variant and measure.

    Who loses to nobody is the equilibrium: no other choice gains anything against it.
    """
    frame = csv(result, "summary")
    games = list(dict.fromkeys(frame["variant"]))
    columns = list(product(games, MEASURES))
    head = [f"{game}, {title}" for game, (title, _, _) in columns]
    lines = []
    for name in dict.fromkeys([*frame["strategy"], *frame["opponent"]]):
        texts = []
        for game, (_, key, whole) in columns:
            rows = frame[frame["variant"] == game]
            value, low, high, opponent = min(_results(rows, name, key, whole))
            texts.append(f"{numbers.estimate(value, low, high)} v `{opponent}`")
        lines.append((f"`{name}`", *texts))
    return markdown_table(("at worst", *head), lines)


def _results(rows: pd.DataFrame, name: str, key: str, whole: float) -> Iterator[Result]:
    """What somebody has against each of the others; whole: what both sides have together."""
    for _, row in rows.iterrows():
        value, low, high = row[key], row[f"{key}_low"], row[f"{key}_high"]
        if row["strategy"] == name:
            yield value, low, high, row["opponent"]
        elif row["opponent"] == name:
            yield whole - value, whole - high, whole - low, row["strategy"]
