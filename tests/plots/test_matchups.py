"""Plots of one matchup, of many, of several variants, and of undefined values."""

import io
import struct

import numpy as np
import pandas as pd
import pytest

from simgin import plots
from simgin.core.sums import KINDS
from simgin.findings import record
from simgin.findings.findings import Findings
from simgin.findings.report import run_report
from simgin.play.matchup import parse_matchup
from simgin.report import figures, page
from simgin.runs import ledger, plan, runner
from simgin.runs.block import Task
from simgin.runs.threads import Threads
from simgin.stats import table
from support import toy_deals as toy

RNG = np.random.default_rng(13)
PLOTS = [plots.win_and_points, plots.endings]


def frame(*matchups, unit="deal", units=200):
    make = toy.matches if unit == "match" else toy.deals
    rows = [
        table.tidy(variant, a, b, unit, toy.row(make(RNG, units, win=0.55)))
        for variant, a, b in matchups
    ]
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
    heading = figure.get_suptitle()
    assert (
        heading in ("Wins and points", "Deal outcomes")
        if title is None
        else heading.endswith(title)
    )
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_yticklabels()][: len(labels)] == labels


@pytest.mark.parametrize("plot", PLOTS)
def test_captions_state_what_was_played(plot):
    caption = " ".join(plot(frame(*VARIANTS), seed=7).get_supxlabel().split())
    assert caption.startswith(
        "Variants standard, eaai; gold (A) against simple (B); 400 deals each; seed 7."
    )
    assert "95 %" in caption


def test_matches_have_their_own_panel():
    assert len(plots.win_and_points(frame(*ONE), seed=1).axes) == 2
    titles = [
        axes.get_title(loc="left")
        for axes in plots.win_and_points(frame(*ONE, unit="match"), seed=1).axes
    ]
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
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "knock",
        "gin",
        "undercut",
        "void",
    ]


@pytest.mark.parametrize("plot", PLOTS)
def test_undefined_values_are_noted_and_not_drawn(plot):
    figure = plot(frame(*ONE, units=10), seed=1)
    png = plots.png(figure)
    assert png.startswith(b"\x89PNG")
    words = [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]
    assert any("too few" in word.lower() for word in words)


def test_every_outcome_has_its_own_colour():
    assert set(figures.KINDS) == set(KINDS)
    assert len(set(figures.KINDS.values())) == len(KINDS)


@pytest.mark.parametrize("plot", PLOTS)
def test_a_png_is_narrow_and_reproducible(plot):
    data = frame(*PANEL)
    first, second = (plots.png(plot(data, seed=1)) for _ in range(2))
    assert first == second
    assert struct.unpack(">I", first[16:20])[0] <= 1000


LONG = "simple+discard=hits:keep_pairs=yes+knock=at:k=4"
FILE = "strategies_of_mine/very_long_directory_name/mine_and_yours.py#second"
SLACK = 0.05  # inches: half the label of the last tick
GAME = "oklahoma+gin_bonus=20+undercut_bonus=10+next_dealer=alternate"


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(
    "matchups", [[(GAME, LONG, FILE)], [(GAME, LONG, "gold"), ("standard", FILE, LONG)]]
)
def test_no_text_leaves_the_figure(plot, matchups):
    figure = plot(frame(*matchups, unit="match"), seed=1)
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width + SLACK and box.y1 <= height


@pytest.mark.parametrize("plot", PLOTS)
def test_dollar_signs_in_a_path_are_not_a_formula(plot):
    figure = plot(
        frame((r"a$b$.toml#x", r"$\frac$.py", "gold"), ("a$.toml#y", "gold", "simple")), seed=1
    )
    figure.draw_without_rendering()
    assert "\\frac" in figure.axes[0].get_yticklabels()[0].get_text()


def test_the_report_holds_every_file():
    run_plan = plan.Plan(
        "a run",
        (Task(parse_matchup("gold", "simple", "standard", 1, "deal"), 200),),
        question="Who wins?",
    )
    with ledger.opened(None, run_plan.identity) as run_ledger:
        played = runner.run(run_plan.tasks, run_ledger, Threads(1))
        found = Findings(record.record_plan(run_plan, played), run_ledger)
        files = page.files(run_report(found, "x"))
    pictures = [
        f"plots/{name}.{form}" for name in ("win_and_points", "endings") for form in ("png", "svg")
    ]
    names = ["table.csv", "pairing.csv", "summary.csv", "summary.md", *pictures, "report.html"]
    assert list(files) == names
    assert files["summary.md"].startswith("# Who wins?\n\n| variant")
    again = pd.read_csv(io.StringIO(files["table.csv"]))
    assert list(again.columns) == list(table.TABLE_COLUMNS)
