"""Draw the plots of champion's weights, and the gallery of docs/reference/plots.md.

    python docs/draw_plots.py            plots of champion's weights, in results/reference/champion
    python docs/draw_plots.py gallery    images of the gallery, from the code in docs/plots.toml

Run this script after a change of the plots. Other plots are drawn when their runs are played. The
gallery takes some minutes.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from simgin_strategies import _champion as features
from simgin_strategies import champion

import simgin
from simgin import plots
from simgin.report import figures
from simgin.report.figures.style import DEFAULT_STYLE_NAME, use_style
from simgin.review import review_plots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS_DIRECTORY = Path(__file__).resolve().parent
REFERENCE_DIRECTORY = DOCS_DIRECTORY.parent / "results/reference"
PLOTTED_TURNS = range(1, 15)
TURN_RANGE_LABELS = ("1, 2", "3, 4", "5 to 7", "8 to 10", "11 on")
PANEL_TITLES_BY_FEATURE = {
    "gin_draws": "cards that complete gin",
    "outs_if_4_to_5": "cards that complete a new meld, with four or five unmatched cards",
}


def draw_champion_plots() -> Iterator[tuple[str, Figure]]:
    """Yield a plot of champion's gain from knocking, and a plot of the value of its draws."""
    all_weights = np.load(champion.discard_by_learned_cost.weights)
    blends = all_weights[: champion.OPPONENT_TABLE_OFFSET].reshape(
        champion.N_WEIGHT_BLENDS, champion.N_WEIGHTS_PER_BLEND
    )
    weights_by_opponent = {
        "opponent waits for gin": blends[0],
        "opponent knocks immediately": blends[-1],
    }
    yield "knocks", _draw_knock_gains(weights_by_opponent)
    yield "draws", _draw_useful_card_values(weights_by_opponent)


def _draw_knock_gains(weights_by_opponent: dict[str, np.ndarray]) -> Figure:
    """Draw heat maps of the gain from knocking, by turn and deadwood, for each opponent type."""
    caption = (
        "Cells show how much win probability champion gains by knocking instead of continuing "
        "with a hand without outs, in percentage points. In blue cells, knocking gains."
    )
    figure = figures.create_figure(2 * 3.1, "Champion: gain from knocking", caption)
    panels = figures.stack_panels(figure, len(weights_by_opponent), sharex=True)
    for axes, (opponent, weights) in zip(panels, weights_by_opponent.items(), strict=True):
        table = weights[champion.KNOCK_TABLE_OFFSET : champion.KNOCK_FEATURES_OFFSET].reshape(
            -1, champion.N_KNOCK_DEADWOOD_LEVELS
        )
        values = (
            np.round(table[: len(PLOTTED_TURNS), 1:].T * 100 / features.MATCH_VALUE_IN_POINTS) + 0.0
        )
        deadwood_values = range(1, champion.N_KNOCK_DEADWOOD_LEVELS)
        figures.draw_heat_map(
            axes,
            values,
            deadwood_values,
            PLOTTED_TURNS,
            midpoint=0,
            max_deviation=8,
            number_format="{:+.0f}",
        )
        figures.set_panel_title(axes, opponent)
        figures.set_axis_labels(axes, "", "deadwood")
    figures.set_axis_labels(panels[-1], "own turn", "deadwood")
    return figure


def _draw_useful_card_values(weights_by_opponent: dict[str, np.ndarray]) -> Figure:
    """Plot the value of an unseen card that improves the hand, by turn."""
    caption = (
        "Lines show how much win probability champion gains from each unseen card of the given "
        "kind, in percentage points, for each type of opponent."
    )
    figure = figures.create_figure(
        3.2 * len(PANEL_TITLES_BY_FEATURE),
        "Champion: value of useful draws",
        caption,
        weights_by_opponent,
    )
    styles = figures.assign_series_styles(list(weights_by_opponent))
    panels = figures.stack_panels(figure, len(PANEL_TITLES_BY_FEATURE), sharex=True)
    for axes, (name, title) in zip(panels, PANEL_TITLES_BY_FEATURE.items(), strict=True):
        index = features.FEATURE_NAMES.index(name)
        for opponent, weights in weights_by_opponent.items():
            style = styles[opponent]
            values = (
                -weights[index : champion.KNOCK_TABLE_OFFSET : features.N_FEATURES]
                * 100
                / features.MATCH_VALUE_IN_POINTS
            )
            axes.plot(
                TURN_RANGE_LABELS,
                values,
                style.marker,
                label=opponent,
                color=style.colour,
                linestyle=style.dash,
            )
        figures.set_panel_title(axes, title)
        axes.set_ylim(bottom=0)
    figures.set_axis_labels(panels[-1], "own turn")
    figures.add_legend(panels[0])
    return figure


def draw_gallery_plots() -> None:
    """Draw the plots of the gallery that are not part of a reference result."""
    gallery = tomllib.loads((DOCS_DIRECTORY / "plots.toml").read_text())
    folder = DOCS_DIRECTORY / "reference" / "plots"
    folder.mkdir(exist_ok=True)
    names = {"pd": pd, "plots": plots, "review_plots": review_plots, "simgin": simgin}
    with TemporaryDirectory() as directory, chdir(directory):
        shutil.copytree(REFERENCE_DIRECTORY, "results")
        for name, entry in gallery.items():
            if "image" in entry:
                continue
            *before, last = entry["python"].strip().splitlines()
            read_from = re.search(r'"(results/[^"]+\.csv)"', entry["python"])
            if read_from and not Path(read_from[1]).exists():
                subprocess.run([sys.executable, "-m", *shlex.split(entry["command"])], check=True)
            with use_style(
                str(DOCS_DIRECTORY / entry["style"]) if "style" in entry else DEFAULT_STYLE_NAME
            ):
                exec("\n".join(before), names)
                (folder / f"{name}.png").write_bytes(plots.png(eval(last, names)))


def main() -> None:
    """Draw champion's plots or, with the argument `gallery`, the images of the gallery."""
    if sys.argv[1:] == ["gallery"]:
        draw_gallery_plots()
        return
    for stem, figure in draw_champion_plots():
        (REFERENCE_DIRECTORY / "champion" / "plots" / f"{stem}.png").write_bytes(plots.png(figure))


if __name__ == "__main__":
    main()
