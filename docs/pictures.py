"""Draw the pictures of the largest reference runs again, from their committed tables.

    python docs/pictures.py

For changes of drawing alone: the league and the effects by field take hours to play. All other
pictures are made with their runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from simgin import plots
from simgin.findings.pictures import file_word
from simgin.report import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REFERENCE = Path(__file__).resolve().parents[1] / "results/reference"
SEED = 1  # of both experiments


def league_pictures(place: Path) -> Iterator[tuple[str, Figure]]:
    """Ratings and cross-table of every variant, by the names of their files."""
    cross = pd.read_csv(place / "cross.csv")
    standings = pd.read_csv(place / "league.csv")
    for variant, rows in standings.groupby("variant", sort=False):
        word = file_word(str(variant))
        pairs = cross[cross["variant"] == variant]
        yield f"ratings-{word}", plots.ratings(rows, unit="match", seed=SEED)
        yield f"league-{word}", plots.league(rows, pairs, unit="match", seed=SEED)


def effects_pictures(place: Path) -> Iterator[tuple[str, Figure]]:
    """Effects by field in every variant, by the names of their files."""
    effects = pd.read_csv(place / "effects.csv")
    points = effects[effects["metric"] == "margin"]
    fields = figures.unique(points["field"])
    for variant, rows in points.groupby("variant", sort=False):
        word = file_word(str(variant))
        yield f"effects-{word}", plots.effects(rows, seed=SEED, among=fields)


def main() -> None:
    """Write every picture over its committed file."""
    drawn = {"league": league_pictures, "advice-fields": effects_pictures}
    for name, pictures in drawn.items():
        place = REFERENCE / name
        for stem, figure in pictures(place):
            (place / "plots" / f"{stem}.png").write_bytes(plots.png(figure))


if __name__ == "__main__":
    main()
