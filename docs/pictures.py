"""Draw the plots of the largest reference runs again, from their committed tables.

    python docs/pictures.py

For changes of drawing alone: sweeps take long to play. All other pictures are made with their runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from simgin_strategies import _champion as sight
from simgin_strategies import champion

from simgin import plots
from simgin.report import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REFERENCE = Path(__file__).resolve().parents[1] / "results/reference"
SEED = 1  # of the sweeps
KNOCK_TURNS = range(1, 15)
STAGES = ("1, 2", "3, 4", "5 to 7", "8 to 10", "11 on")
DRAWS = {
    "gin_draws": "a card that makes gin",
    "outs_of_5": "a card that makes a new meld, with four or five unmatched cards",
}


def champion_pictures(_: Path) -> Iterator[tuple[str, Figure]]:
    """Yield the plots of the learned weights of champion: when to knock, value of outs."""
    numbers = np.load(champion.champion_discard.weights)
    blends = numbers[: champion.OPPONENT_OFFSET].reshape(champion.N_BLENDS, champion.BLEND_SIZE)
    kinds = {"opponent waits for gin": blends[0], "opponent knocks at once": blends[-1]}
    yield "knocks", _knocks(kinds)
    yield "draws", _draws(kinds)


def _knocks(kinds: dict[str, np.ndarray]) -> Figure:
    """Plot the gain of a knock by own turn and deadwood, a table for each type of opponent."""
    caption = (
        "Hundredths of a match gained by knocking instead of playing on, before outs are counted. "
        "Blue: knock."
    )
    figure = figures.new_figure(2 * 3.1, "Champion: when to knock", caption)
    panels = figures.stack_panels(figure, len(kinds), sharex=True)
    for axes, (kind, weights) in zip(panels, kinds.items(), strict=True):
        table = weights[champion.KNOCK_OFFSET : champion.KNOCK_FEATURE_OFFSET].reshape(
            -1, champion.N_KNOCK_COUNTS
        )
        shown = np.round(table[: len(KNOCK_TURNS), 1:].T * 100 / sight.MATCH_VALUE) + 0.0
        counts = range(1, champion.N_KNOCK_COUNTS)
        figures.heat_map(
            axes, shown, counts, KNOCK_TURNS, middle=0, reach=8, number_format="{:+.0f}"
        )
        figures.set_panel_title(axes, kind)
        figures.set_axis_labels(axes, "", "deadwood")
    figures.set_axis_labels(panels[-1], "own turn", "deadwood")
    return figure


def _draws(kinds: dict[str, np.ndarray]) -> Figure:
    """Plot the value of one more out by stage of the deal."""
    caption = "Hundredths of a match for each unseen card, against both kinds of opponent."
    figure = figures.new_figure(3.2 * len(DRAWS), "Champion: what a draw is worth", caption, kinds)
    looks = figures.series_styles(list(kinds))
    panels = figures.stack_panels(figure, len(DRAWS), sharex=True)
    for axes, (name, title) in zip(panels, DRAWS.items(), strict=True):
        place = sight.FEATURE_NAMES.index(name)
        for kind, weights in kinds.items():
            look = looks[kind]
            worth = (
                -weights[place : champion.KNOCK_OFFSET : sight.N_FEATURES] * 100 / sight.MATCH_VALUE
            )
            axes.plot(
                STAGES, worth, look.marker, label=kind, color=look.colour, linestyle=look.dash
            )
        figures.set_panel_title(axes, title)
        axes.set_ylim(bottom=0)
    figures.set_axis_labels(panels[-1], "own turn")
    figures.add_legend(panels[0])
    return figure


def sweep_pictures(place: Path) -> Iterator[tuple[str, Figure]]:
    """Plot the curves or maps of a reviewed sweep from its committed DataFrames."""
    for path in sorted((place / "plots").glob("*.csv")):
        frame = pd.read_csv(path)
        draw = plots.sweep_map if frame["y"].notna().all() else plots.sweep_curves
        yield path.stem, draw(frame, seed=SEED)


def main() -> None:
    """Overwrite every committed plot."""
    drawn = {
        "champion": champion_pictures,
        "bonuses": sweep_pictures,
        "knock-limit": sweep_pictures,
    }
    for name, pictures in drawn.items():
        place = REFERENCE / name
        for stem, figure in pictures(place):
            (place / "plots").mkdir(exist_ok=True)
            (place / "plots" / f"{stem}.png").write_bytes(plots.png(figure))


if __name__ == "__main__":
    main()
