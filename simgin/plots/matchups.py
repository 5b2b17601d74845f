"""Results of the matchups of a tidy frame: who wins them, and how their deals end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.sums import KINDS
from simgin.report import figures
from simgin.report.summary import played, roles, shown_columns
from simgin.report.wrapping import fold
from simgin.stats import metrics, table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE, GAP = 0.14, 0.16  # inches of a line of a label, and between matchups
TYPE = 8  # points of labels and legends
LEAST_LABELLED = 7  # %; a narrower segment of a bar has no room for its number
NOTE = "Bars are 95 % intervals; one that cannot be seen is shorter than its dot."

Matchup = tuple[tuple[str, str, str], "pd.DataFrame"]


@dataclass(frozen=True)
class Panel:
    """One metric of `win_and_points`; even: where a line marks equal strength, if anywhere."""

    metric: str
    title: str
    factor: int
    even: float | None = None


PANELS = {
    2: (
        Panel("deal_win", "deals won, %", 100),
        Panel("margin", "points per deal, A minus B", 1, even=0),
        Panel("match_win", "matches won by A, %", 100, even=50),
        Panel("settlement", "settlement per match, in favour of A", 1, even=0),
    ),
    1: (
        Panel("deal_win", "deals won, %", 100),
        Panel("score", "score per deal", 1, even=0),
        Panel("match_win", "matches won, %", 100, even=50),
        Panel("goal_met", "matches won, %", 100, even=50),
    ),
}
TITLES = {2: "Wins and points", 1: "Wins and score"}
WINNERS = {2: ("won by A", "won by B"), 1: ("won", "lost to the joker")}


def win_and_points(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Deals won, points per deal and, where played, matches won of each matchup, with 95 % bars."""
    matchups, players = _matchups(frame), len(roles(frame))
    shown = {column.metric for column in shown_columns(frame)}
    panels = [panel for panel in PANELS[players] if panel.metric in shown]
    labels, common = _labels(matchups)
    height = len(panels) * (_height(labels) + 0.6)
    title = _title(TITLES[players], common)
    figure = figures.new_figure(height, title, _caption(matchups, seed, NOTE))
    column = figure.subplots(len(panels), squeeze=False)[:, 0]
    for axes, panel in zip(column, panels, strict=True):
        _draw_panel(axes, panel, matchups, WINNERS[players])
        _name_rows(axes, labels)
        figures.panel_title(axes, panel.title)
    return figure


def _draw_panel(
    axes: Axes, panel: Panel, matchups: list[Matchup], winners: tuple[str, str]
) -> None:
    filled = {"color": figures.BLUE, "fmt": "o", "markersize": 4, "zorder": 3}
    _dots(axes, matchups, panel.metric, panel.factor, label=winners[0], **filled)
    if panel.metric == "deal_win" and _has_losses(matchups):
        hollow = {"color": figures.RED, "fmt": "s", "markersize": 6, "zorder": 2}
        hollow["markerfacecolor"] = figures.PAPER  # visible behind a dot of A
        _dots(axes, matchups, "deal_loss", panel.factor, label=winners[1], **hollow)
        _small_legend(axes, columns=2)
    if panel.even is not None:
        axes.axvline(panel.even, color=figures.FAINT, linewidth=1, zorder=1)


def _has_losses(matchups: list[Matchup]) -> bool:
    """Whether deals can be lost: not where penalties are counted."""
    return any(table.cell(rows, "deal_loss")[0] != 0 for _, rows in matchups)


def _small_legend(axes: Axes, columns: int) -> None:
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.02, 0.97),
        ncols=columns,
        fontsize=TYPE,
        frameon=False,
        labelcolor=figures.INK,
        handlelength=1,
        columnspacing=1,
        borderpad=0,
    )


def endings(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Deal outcomes of each matchup: one stacked bar per matchup, as shares of all deals."""
    matchups = _matchups(frame)
    labels, common = _labels(matchups)
    height, title = _height(labels) + 1.0, _title("Deal outcomes", common)
    figure = figures.new_figure(height, title, _caption(matchups, seed, _precision(frame)))
    axes = figure.subplots()
    left = np.zeros(len(matchups))
    for kind in KINDS:
        shares = np.array([100 * table.cell(rows, kind)[0] for _, rows in matchups])
        if np.nansum(shares) > 0:
            _stack_bars(axes, kind, left, np.nan_to_num(shares))
            left += np.nan_to_num(shares)
    _name_rows(axes, labels)
    axes.set_xlim(0, 100)
    axes.grid(visible=False)
    figures.axis_labels(axes, "deals, %")
    if left.any():
        _small_legend(axes, columns=4)
    figures.mark_undefined(axes, np.flatnonzero(left == 0))
    return figure


def _stack_bars(axes: Axes, kind: str, left: np.ndarray, widths: np.ndarray) -> None:
    """One segment per matchup, to the right of those drawn, with its number if there is room."""
    rows, label = range(len(widths)), kind.replace("_", " ")
    bars = axes.barh(rows, widths, left=left, color=figures.KINDS[kind], label=label)
    texts = [f"{width:.0f}" if width >= LEAST_LABELLED else "" for width in widths]
    ink = figures.LIGHTEST if kind in figures.WHITE_TEXT else figures.DARKEST
    axes.bar_label(bars, texts, label_type="center", fontsize=TYPE, color=ink)


def _precision(frame: pd.DataFrame) -> str:
    """The widest interval of the shares of outcomes."""
    rows = frame[frame["metric"].isin(KINDS) & (frame["unit"] == metrics.DEAL)]
    half = 100 * (rows["high"] - rows["low"]).max() / 2
    if np.isnan(half):
        return "Too few deals to estimate."
    return f"95 % intervals: ± {half:.2g} percentage points or less."


def _matchups(frame: pd.DataFrame) -> list[Matchup]:
    return list(table.matchups(frame))


def _dots(axes: Axes, matchups: list[Matchup], metric: str, factor: int, **style: Any) -> None:
    cells = [table.cell(rows, metric) for _, rows in matchups]
    value, low, high = factor * np.array(cells).T
    bars, rows = figures.bar_lengths(value, low, high), range(len(matchups))
    axes.errorbar(value, rows, xerr=bars, capsize=2.5, linewidth=1.2, **style)
    figures.mark_undefined(axes, np.flatnonzero(np.isnan(value)))


# Labels: what differs stands beside the rows, what is common in the title


def _labels(matchups: list[Matchup]) -> tuple[list[str], str]:
    """A label for every matchup with what differs, and what all have in common, for the title."""
    keys = [key for key, _ in matchups]
    common = [len({key[i] for key in keys}) == 1 for i in range(3)]
    variant, a, b = keys[0]
    both = f": {a} (A) v {b} (B)" if b else f": {a}"
    if len(keys) == 1:
        return [_folded(variant)], both
    labels = [_label(key, common) for key in keys]
    if common[1] and common[2]:
        return labels, both
    if not b:
        return labels, ""
    if common[2]:
        return labels, f", all against {b} (B)"
    return labels, f", {a} (A) against each" if common[1] else ""


def _label(key: tuple[str, str, str], common: list[bool]) -> str:
    variant, *players = key
    differing = [name for name, same in zip(players, common[1:], strict=True) if not same]
    parts = [" v ".join(differing), "" if common[0] else variant]
    return "\n".join(_folded(part) for part in parts if part)


def _folded(label: str) -> str:
    return "\n".join(fold(label, figures.LABEL_CHARACTERS))


def _title(title: str, common: str) -> str:
    """The title with what all matchups have in common, if there is room; the caption has it too."""
    whole = title + common
    return whole if len(whole) <= figures.TITLE_CHARACTERS else title


def _height(labels: list[str]) -> float:
    """Inches of the matchups, one below another at equal distances."""
    lines = max(label.count("\n") + 1 for label in labels)
    return len(labels) * (GAP + LINE * lines)


def _name_rows(axes: Axes, labels: list[str]) -> None:
    """Folded names of matchups beside their rows."""
    figures.style(axes, "x")
    names = [figures.escape(label) for label in labels]
    axes.set_yticks(range(len(labels)), names, fontsize=TYPE, color=figures.INK)
    figures.hide_row_axis(axes, len(labels))


def _caption(matchups: list[Matchup], seed: int, note: str) -> str:
    variants = list(dict.fromkeys(key[0] for key, _ in matchups))
    noun = "Variants" if len(variants) > 1 else "Variant"
    size = played(*(rows for _, rows in matchups))
    each = " each" if len(matchups) > 1 else ""
    who = _players(matchups)
    return f"{noun} {', '.join(variants)}; {who}; {size}{each}; seed {seed}. {note}"


def _players(matchups: list[Matchup]) -> str:
    """The pair if there is only one, else the names of all players."""
    pairs, names = set(), []
    for (_, a, b), _ in matchups:
        pairs.add(f"{a} (A) against {b} (B)" if b else a)
        names += [name for name in (a, b) if name]
    return pairs.pop() if len(pairs) == 1 else ", ".join(dict.fromkeys(names))
