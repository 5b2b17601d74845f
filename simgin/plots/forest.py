"""Differences: between variants, between strategies in one variant, and of changes by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.report.wrapping import fold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["differences", "effects"]

ROW, HEAD = 0.14, 0.48  # inches of a row, and of the rest of a panel
ACROSS = 2  # panels side by side
CHANGE_CHARACTERS = 26  # per line of the title of a panel
NOTE = "Bars are 95 % intervals on shared packs; one that cannot be seen is shorter than its dot."


@figures.picture
def differences(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Variants minus their base, or strategies minus theirs: one panel per metric.

    Columns metric, title, base_variant (and base_strategy), difference; each panel has its own
    scale, with a dot and its bar for every variant. `simgin.forest` makes it from the differences
    of a run.
    """
    compared = _compared(frame)
    base = str(frame[f"base_{compared}"].iloc[0])
    names = figures.unique(frame[compared])
    metrics = figures.unique(frame["metric"])
    caption = figures.caption(
        frame,
        seed=seed,
        unit="deals or matches",
        note=NOTE,
    )
    lines = figures.lines_of_panels(len(metrics), ACROSS)
    height = lines * (HEAD + ROW * len(names))
    figure = figures.new_figure(height, f"Difference from {base}", caption, names)
    panels = figure.subplots(lines, ACROSS, squeeze=False).ravel()
    for axes, metric in zip(panels, metrics, strict=False):
        rows = frame[frame["metric"] == metric]
        _panel(axes, rows, compared, names)
        figures.panel_title(axes, str(rows["title"].iloc[0]))
    figures.hide(panels[len(metrics) :])
    _complete_legend(panels[0], names)
    figures.legend(panels[0])
    return figure


@figures.picture
def effects(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """What changes of a strategy gain in points per deal: one panel per change, the best first.

    Columns change, field, difference, of the rows in points (metric margin) of one variant. Each
    panel has its own scale, with a dot and its bar for every field.
    """
    gains = frame.groupby("change", sort=False)["difference"].mean()
    ranked = gains.sort_values(ascending=False, kind="stable")
    fields = figures.unique(frame["field"])
    # The fields say who plays; with every change added to them the list would fill a page.
    by_field = frame.assign(strategy=frame["field"], opponent="")
    caption = figures.caption(
        by_field,
        seed=seed,
        unit="deals",
        note=NOTE,
    )
    lines = figures.lines_of_panels(len(ranked), ACROSS)
    height = lines * (HEAD + ROW * len(fields))
    title = "Points per deal gained, by field"
    figure = figures.new_figure(height, title, caption, fields)
    panels = figure.subplots(lines, ACROSS, squeeze=False).ravel()
    for axes, change in zip(panels, ranked.index, strict=False):
        rows = frame[frame["change"] == change]
        _panel(axes, rows, "field", fields)
        name_lines = fold(str(change), CHANGE_CHARACTERS)
        figures.panel_title(axes, "\n".join(name_lines))
    figures.hide(panels[len(ranked) :])
    _complete_legend(panels[0], fields)
    figures.legend(panels[0])
    return figure


def _compared(frame: pd.DataFrame) -> str:
    """The column of what is compared: strategies if the variant is that of the base."""
    same_variant = frame["variant"] == frame["base_variant"]
    return "strategy" if same_variant.all() else "variant"


def _panel(
    axes: Axes,
    part: pd.DataFrame,
    compared: str,
    names: list[str],
) -> None:
    figures.style(axes, "x")
    for name, row in figures.groups(part, compared):
        i = names.index(name)
        limits = figures.columns(row, "difference", "low", "high")
        figures.level_bars(axes, np.array([i]), limits, figures.series(i), name)
    axes.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
    axes.set_yticks([])
    figures.hide_row_axis(axes, len(names))
    axes.margins(x=0.12)
    axes.locator_params(axis="x", nbins=4)


def _complete_legend(axes: Axes, names: list[str]) -> None:
    """Give the panel with the legend an empty series for every name that it has no dot of.

    The legend names all of them in their order.
    """
    nothing = np.zeros(0)
    limits = [nothing] * 3
    for i, name in enumerate(names):
        _, drawn = axes.get_legend_handles_labels()
        if name not in drawn:
            figures.level_bars(axes, nothing, limits, figures.series(i), name)
    order = [figures.escape(name) for name in names]
    axes.containers.sort(key=lambda container: order.index(str(container.get_label())))
