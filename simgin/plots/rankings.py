"""Results of a league: ratings, and everybody against everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["league", "ratings"]

UNITS = {"deal": "deals", "match": "matches"}
HEAD = 0.5  # inches of a panel without its rows
TIGHTER = 0.06  # inches less for a row, where there are many
LEAST_SIZE = 1.1  # inches
ROOM = 1.35  # beyond the largest lead, on a scale that is compressed there
LEADS = (0, 20, 40, 400)  # Elo that are marked; beyond the last but one they are compressed
CROWDED = 8  # players from which on the type is smaller
CROWDED_TYPE = 7  # points
MOST_NUMBERED = 14  # players; a table of more has no room for numbers
RATINGS_NOTE = (
    "Right: how far everyone is ahead of the next below; where the bar reaches the line, their "
    "order is open; its scale is compressed beyond 40. Bars are 95 % intervals; those on the left "
    "are of the distance to the anchor at 0."
)


@figures.picture
def league(
    standings: pd.DataFrame, cross: pd.DataFrame, *, unit: str, seed: int | None = None
) -> Figure:
    """Heat map of a league: per cent won by the row against the column, best rating first."""
    order = list(standings["strategy"])
    shares = cross.pivot(index="strategy", columns="opponent", values="share")
    values = 100 * shares.reindex(index=order, columns=order).to_numpy(dtype=float)
    variant = standings["variant"].iloc[0]
    rows = [f"{name}  {place}" for place, name in enumerate(order, start=1)]
    is_crowded = len(order) > CROWDED
    cell = figures.row_height(rows) - (TIGHTER if is_crowded else 0)
    size = max(cell * len(order), LEAST_SIZE)
    figure = figures.new_figure(size + 0.3, "", _caption(cross, variant, unit, seed))
    (axes,) = figures.stack_panels(figure, 1)
    places = range(1, len(order) + 1)
    names = [figures.escape(figures.folded(row, figures.LABEL_CHARACTERS)) for row in rows]
    if len(order) > MOST_NUMBERED:
        every_other = [str(place) if place % 2 else "" for place in places]
        key = f"{UNITS[unit]} won by the row, %"
        figures.shade_map(axes, values, names, every_other, size=CROWDED_TYPE, key=key)
    else:
        type_size = CROWDED_TYPE if is_crowded else figures.NORMAL
        figures.heat_map(axes, values, names, places, size=type_size)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
    return figure


def _caption(cross: pd.DataFrame, variant: str, unit: str, seed: int | None) -> str:
    widths = cross["high"] - cross["low"]
    half = 100 * widths.max() / 2
    least = int(cross["n"].min())
    more = " or more" if (cross["n"] > least).any() else ""
    return (
        f"{UNITS[unit].capitalize()} won by the row against the column, %. Variant {variant}; "
        f"{least:,} {UNITS[unit]}{more} per pair{figures.seed_words(seed)}. "
        f"95 % intervals: ± {half:.2g} or less."
    )


@figures.picture
def ratings(standings: pd.DataFrame, *, unit: str, seed: int | None = None) -> Figure:
    """Elo of a league, best first, and beside it the lead of everyone over the next.

    Columns elo, elo_low, elo_high, lead, lead_low, lead_high; one variant.
    """
    variant = standings["variant"].iloc[0]
    names = list(standings["strategy"])
    least = int(standings["n"].min())
    size = f"{least:,} {UNITS[unit]} of each{figures.seed_words(seed)}"
    caption = f"Variant {variant}; {size}. {RATINGS_NOTE}"
    figure = figures.new_figure(figures.row_height(names) * len(names) + HEAD, "", caption)
    left, right = figure.subplots(1, 2, sharey=True)
    _rating_panel(left, standings, "elo")
    _rating_panel(right, standings.iloc[:-1], "lead")
    right.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
    right.set_xscale("symlog", linthresh=LEADS[-2])
    least, most = right.get_xlim()
    right.set_xlim(least, ROOM * most)
    ticks = [lead for lead in LEADS if lead < most]
    right.set_xticks(ticks, list(map(str, ticks)))
    right.minorticks_off()
    figures.panel_title(left, "Elo")
    figures.panel_title(right, "lead over the next")
    figures.row_names(left, names)
    return figure


def _rating_panel(axes: Axes, standings: pd.DataFrame, name: str) -> None:
    figures.style(axes, "x")
    limits = figures.columns(standings, name, f"{name}_low", f"{name}_high")
    figures.level_bars(axes, np.arange(len(standings)), limits, figures.PLAIN, "")
    figures.hide_row_axis(axes, len(standings))
