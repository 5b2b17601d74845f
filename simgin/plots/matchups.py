"""Who wins each matchup of a tidy frame, and how its deals end."""

from __future__ import annotations

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
SMALLEST_LABELLED = 0.07  # a narrower segment of a bar has no room for its number

# Metric, title, factor, and where a line marks what neither side would be ahead with (none: no line).
_PANELS = {
    2: (
        ("deal_win", "deals won, %", 100, None),
        ("margin", "points per deal, A minus B", 1, 0),
        ("match_win", "matches won by A, %", 100, 50),
        ("settlement", "settlement of a match in favour of A", 1, 0),
    ),
    1: (
        ("deal_win", "deals won, %", 100, None),
        ("score", "score per deal", 1, 0),
        ("match_win", "matches won, %", 100, 50),
        ("goal_met", "matches won, %", 100, 50),
    ),
}
_SIDES = {2: ("by A", "by B"), 1: ("by the player", "by the joker")}


def win_and_points(frame: pd.DataFrame, *, seed: int) -> Figure:
    """For each matchup deals won, points per deal and (where played) matches won: dots with 95 % bars."""
    games = _games(frame)
    n, told = len(roles(frame)), {column.metric for column in shown_columns(frame)}
    panels = [panel for panel in _PANELS[n] if panel[0] in told]
    labels, common = _labels(games)
    note = "Bars are 95 % intervals; a bar that cannot be seen is shorter than its dot."
    figure = figures.figure(
        len(panels) * (_height(labels) + 0.6),
        _title("Who wins" if n == 2 else "What is won", common),
        _caption(games, seed, note),
    )
    for axes, (name, title, factor, even) in zip(
        figure.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True
    ):
        _dots(
            axes,
            games,
            name,
            factor,
            label=_SIDES[n][0],
            color=figures.BLUE,
            fmt="o",
            markersize=4,
            zorder=3,
        )
        if name == "deal_win" and any(
            table.cell(rows, "deal_loss")[0] != 0 for _, rows in games
        ):  # nobody wins where penalties are counted
            hollow = {
                "markerfacecolor": figures.PAPER,
                "fmt": "s",
                "markersize": 6,
                "zorder": 2,
            }  # seen behind a dot of A's
            _dots(axes, games, "deal_loss", factor, label=_SIDES[n][1], color=figures.RED, **hollow)
            style = {"fontsize": 8, "frameon": False, "labelcolor": figures.INK, "borderpad": 0}
            axes.legend(ncols=2, loc="lower right", bbox_to_anchor=(1.02, 0.97), **style)
        if even is not None:
            axes.axvline(even, color=figures.FAINT, linewidth=1, zorder=1)
        _rows(axes, labels)
        figures.heading(axes, title)
    return figure


def endings(frame: pd.DataFrame, *, seed: int) -> Figure:
    """How the deals of each matchup ended: one stacked bar a matchup, result kinds as shares of all deals."""
    games = _games(frame)
    shares = {kind: np.array([table.cell(rows, kind)[0] for _, rows in games]) for kind in KINDS}
    present = [kind for kind in KINDS if np.nansum(shares[kind]) > 0]
    labels, common = _labels(games)
    figure = figures.figure(
        _height(labels) + 1.0,
        _title("How deals end", common),
        _caption(games, seed, _widest(frame)),
    )
    axes = figure.subplots()
    left = np.zeros(len(games))
    for kind in present:
        width = np.nan_to_num(100 * shares[kind])
        bars = axes.barh(
            range(len(games)),
            width,
            left=left,
            color=figures.KINDS[kind],
            label=kind.replace("_", " "),
        )
        texts = [f"{w:.0f}" if w >= 100 * SMALLEST_LABELLED else "" for w in width]
        axes.bar_label(
            bars,
            texts,
            label_type="center",
            fontsize=8,
            color="#fefefe" if kind in figures.DARK else figures.DARKEST,
        )
        left += width
    _rows(axes, labels)
    axes.set_xlim(0, 100)
    axes.grid(visible=False)
    figures.labels(axes, "% of deals")
    if present:
        style = {
            "fontsize": 8,
            "frameon": False,
            "labelcolor": figures.INK,
            "handlelength": 1,
            "columnspacing": 1,
        }
        axes.legend(loc="lower right", bbox_to_anchor=(1.02, 0.98), ncols=4, **style)
    figures.too_few(axes, np.flatnonzero(np.isnan(shares[KINDS[0]])))
    return figure


Game = tuple[tuple[str, str, str], "pd.DataFrame"]


def _games(frame: pd.DataFrame) -> list[Game]:
    """The matchups in their order."""
    return list(table.matchups(frame))


def _labels(games: list[Game]) -> tuple[list[str], str]:
    """A label for every matchup that names only what differs between them, and what they have in common for the title."""
    keys = [key for key, _ in games]
    fixed = [len({key[i] for key in keys}) == 1 for i in range(3)]
    variant, a, b = keys[0]
    both = f": {a} (A) against {b} (B)" if b else f": {a} alone"
    if len(keys) == 1:
        return [_folded(variant)], both
    labels = [_label(key, fixed) for key in keys]
    if fixed[1] and fixed[2]:
        return labels, both
    if not any(key[2] for key in keys):
        return labels, ", everyone alone"
    return labels, f", all against {b} (B)" if fixed[2] else f", {a} (A) against each" if fixed[
        1
    ] else ""


def _label(key: tuple[str, str, str], fixed: list[bool]) -> str:
    players = " v ".join(name for name, same in zip(key[1:], fixed[1:], strict=True) if not same)
    return "\n".join(_folded(part) for part in (players, "" if fixed[0] else key[0]) if part)


def _folded(label: str) -> str:
    return "\n".join(fold(label, figures.LABEL_CHARACTERS))


def _title(what: str, common: str) -> str:
    """What is shown, and what all matchups have in common if there is room; the caption has it in any case."""
    return what + common if len(what + common) <= figures.TITLE_CHARACTERS else what


def _height(labels: list[str]) -> float:
    """Inches that so many matchups need, one under another at equal distances."""
    return len(labels) * (GAP + LINE * max(label.count("\n") + 1 for label in labels))


def _dots(axes: Axes, games: list[Game], metric: str, factor: int, **style: Any) -> None:
    value, low, high = factor * np.array([table.cell(rows, metric) for _, rows in games]).T
    axes.errorbar(
        value,
        range(len(games)),
        xerr=np.array([value - low, high - value]),
        capsize=2.5,
        linewidth=1.2,
        **style,
    )
    figures.too_few(axes, np.flatnonzero(np.isnan(value)))


def _rows(axes: Axes, labels: list[str]) -> None:
    """Names of matchups, folded already, beside the rows."""
    figures.plain(axes, "x")
    axes.set_yticks(
        range(len(labels)), [figures.safe(label) for label in labels], fontsize=8, color=figures.INK
    )
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _widest(frame: pd.DataFrame) -> str:
    """How far the shares of the endings may be off, at most."""
    rows = frame[frame["metric"].isin(KINDS) & (frame["unit"] == metrics.DEAL)]
    half = 100 * (rows["high"] - rows["low"]).max() / 2
    return (
        "Too few deals to say."
        if np.isnan(half)
        else f"95 % limits: ± {half:.2g} percentage points or less."
    )


def _caption(games: list[Game], seed: int, note: str) -> str:
    variants = list(dict.fromkeys(key[0] for key, _ in games))
    pairs = list(dict.fromkeys(f"{a} (A) against {b} (B)" if b else a for (_, a, b), _ in games))
    who = (
        pairs[0]
        if len(pairs) == 1
        else ", ".join(dict.fromkeys(name for (_, *names), _ in games for name in names if name))
    )
    amount = played(*(rows for _, rows in games)) + (" each" if len(games) > 1 else "")
    return f"Variant{'s' if len(variants) > 1 else ''} {', '.join(variants)}; {who}; {amount}; seed {seed}. {note}"
