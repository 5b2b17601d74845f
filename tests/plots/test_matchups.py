"""Plots of one matchup, of many, of several variants, and of undefined values."""

import numpy as np
import pandas as pd
import pytest

from simgin import plots
from simgin.core.sums import KINDS
from simgin.report import figures
from simgin.stats import table
from support import toy_deals as toy

RNG = np.random.default_rng(13)
PLOTS = [plots.win_and_points, plots.endings]


def frame(*matchups, unit="deal", units=200):
    make = toy.matches if unit == "match" else toy.deals
    rows = [table.tidy(*names, unit, toy.row(make(RNG, units, win=0.55))) for names in matchups]
    return pd.concat(rows, ignore_index=True)


ONE = [("standard", "gold", "simple")]
PANEL = [("standard", "gold", "simple"), ("standard", "simple+knock=at:k=4+discard=gold", "simple")]
VARIANTS = [("standard", "gold", "simple"), ("eaai", "gold", "simple")]


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(
    ("matchups", "title", "labels"),
    [
        (ONE, "gold (A) v simple (B)", ["standard"]),
        (PANEL, "all against simple (B)", ["gold", "simple+knock=at:k=4\n+discard=gold"]),
        (VARIANTS, "gold (A) v simple (B)", ["standard", "eaai"]),
        ([*PANEL, ("eaai", "gold", "stubborn")], None, ["gold v simple\nstandard"]),
    ],
)
def test_titles_name_what_is_common_and_labels_what_differs(plot, matchups, title, labels):
    figure = plot(frame(*matchups), seed=7)
    assert figure.get_suptitle().endswith(title or ("points", "outcomes"))
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_yticklabels()][: len(labels)] == labels


@pytest.mark.parametrize("plot", PLOTS)
def test_captions_state_what_was_played(plot):
    caption = " ".join(plot(frame(*VARIANTS), seed=7).get_supxlabel().split())
    told = "Variants standard, eaai; gold (A) against simple (B); 400 deals each; seed 7."
    assert caption.startswith(told) and "95 %" in caption


def test_matches_have_their_own_panel():
    assert len(plots.win_and_points(frame(*ONE), seed=1).axes) == 2
    figure = plots.win_and_points(frame(*ONE, unit="match"), seed=1)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["deals won, %", "points per deal, A minus B", "matches won by A, %"]


def test_dots_and_bars_show_the_values_and_limits():
    data = frame(*PANEL)
    axes = plots.win_and_points(data, seed=1).axes[1]
    container = axes.containers[0]
    rows = data[(data["metric"] == "margin") & (data["opponent"] == "simple")]
    assert container[0].get_xdata() == pytest.approx(rows["value"].to_numpy())
    ends = np.array([segment[:, 0] for segment in container[2][0].get_segments()])
    assert ends == pytest.approx(rows[["low", "high"]].to_numpy())


def test_outcomes_fill_the_bar():
    data = frame(*PANEL)
    axes = plots.endings(data, seed=1).axes[0]
    widths = np.sum([[bar.get_width() for bar in bars] for bars in axes.containers], axis=0)
    assert widths == pytest.approx(100)
    told = [text.get_text() for text in axes.get_legend().get_texts()]
    assert told == ["knock", "gin", "undercut", "void"]
    assert set(figures.KINDS) == set(KINDS)
    assert len(set(figures.KINDS.values())) == len(KINDS)
