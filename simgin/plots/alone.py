"""The odds of a player alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.plots import look

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PANEL = 1.9  # inches
ROW = 0.25
WORDS = {"gin": "gone gin", "knock": "knocked", "joker": "met the joker", "limit": "run out of draws", "big_gin": "gone big gin"}
GOAL = 30  # the total of a won match of Solitary Gin


def odds(frame: pd.DataFrame, *, seed: int) -> Figure:
    """How many deals are over after so many draws, and how; a panel a variant and kind, a line a strategy. Columns draws, kind, share."""
    panels = list(dict.fromkeys(zip(frame["variant"], frame["kind"], strict=True)))
    note = "Cumulative, of all deals; bands are 95 % intervals."
    names = look.unique(frame["strategy"])
    made = look.figure(PANEL * len(panels), "The odds, draw by draw", look.caption(frame, seed=seed, unit="deals", note=note), names)
    found = look.stacked(made, len(panels))
    for axes, (variant, kind) in zip(found, panels, strict=True):
        for name, part in look.each(frame[(frame["variant"] == variant) & (frame["kind"] == kind)], "strategy"):
            x, *shares = (part[column].to_numpy(dtype=float) for column in ("draws", "share", "low", "high"))
            look.band(axes, x, [100 * share for share in shares], look.series(names.index(name)), name)
        axes.set_ylim(0, 100)
        axes.set_xlim(left=0)
        look.heading(axes, f"{variant}: {WORDS.get(str(kind), str(kind))}, %")
    look.labels(found[-1], "draws")
    look.legend(found[0])
    return made


def strength(frame: pd.DataFrame, *, seed: int) -> Figure:
    """One figure of every strategy, a panel a variant and metric. Columns metric, value."""
    panels = [(variant, metric, part) for variant, of in look.each(frame, "variant") for metric, part in look.each(of, "metric")]
    height = sum(ROW * len(part) + 0.75 for *_, part in panels)
    made = look.figure(
        height, "By strength of player", look.caption(frame, seed=seed, unit="deals or matches", note="Bars are 95 % intervals.")
    )
    grid = made.subplots(len(panels), squeeze=False, height_ratios=[ROW * len(part) + 0.5 for *_, part in panels])[:, 0]
    for axes, (variant, metric, part) in zip(grid, panels, strict=True):
        look.plain(axes, "x")
        share = bool((part["high"] <= 1).all() and (part["low"] >= 0).all())
        estimate = [(100 if share else 1) * part[column].to_numpy(dtype=float) for column in ("value", "low", "high")]
        look.dots(axes, np.arange(len(part)), estimate, look.series(0), "")
        look.rows(axes, list(part["strategy"]))
        look.heading(axes, f"{variant}: {metric.replace('_', ' ')}{', %' if share else ''}")
    return made


def totals(frame: pd.DataFrame, *, seed: int) -> Figure:
    """How match totals spread, a panel a strategy, the goal marked. Columns total, share."""
    names = look.unique(frame["strategy"])
    note = f"Left of the line, at {GOAL} or less, the match is won; bars are 95 % intervals."
    made = look.figure(PANEL * len(names), "What five deals add up to", look.caption(frame, seed=seed, unit="matches", note=note))
    found = look.stacked(made, len(names), sharex=True)
    for i, (axes, name) in enumerate(zip(found, names, strict=True)):
        part: Any = frame[frame["strategy"] == name]
        x, value, low, high = (part[column].to_numpy(dtype=float) for column in ("total", "share", "low", "high"))
        width = float(np.diff(x).min()) if len(x) > 1 else 1.0
        spread = 100 * np.maximum(0, [value - low, high - value])
        axes.bar(x, 100 * value, width=0.9 * width, align="edge", color=look.series(i).colour, yerr=spread, ecolor=look.FAINT, capsize=1)
        axes.axvline(GOAL + width / 20, color=look.INK, linewidth=1, linestyle="--")
        look.heading(axes, name)
    look.labels(found[-1], "total penalty", "% of matches")
    return made
