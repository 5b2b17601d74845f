"""Tests that screens, plots and files show the columns that suit the variant."""

import csv
import io
import re
from functools import cache

import pytest
from matplotlib.text import Text
from rich.console import Console

import simgin
from simgin import plots
from simgin.report import numbers, summary
from simgin.stats import table

GIN_SOLITAIRE, SOLITARY_GIN = "gin-solitaire", "solitary-gin"


@cache
def play_solo(variant):
    """Return the DataFrame of 300 matches of a solitaire variant."""
    return simgin.match("gold", variant=variant, matches=300).frame


def list_metric_titles(frame):
    """Return the titles of the metric columns of a DataFrame."""
    return [column.heading for column in summary.make_metric_columns(frame)]


def list_match_titles(*players):
    """Return the titles of the metric columns of a match."""
    return list_metric_titles(simgin.match(*players, matches=60).frame)


def test_solitaire_table_has_columns_for_one_player():
    joker, clock = list_metric_titles(play_solo(GIN_SOLITAIRE)), play_solo(SOLITARY_GIN)
    assert joker[:3] == ["deals won %", "score/deal", "matches won %"]
    assert "joker %" in joker and "dead hand %" not in joker
    results = ["deals won %", "score/deal", "goal met %"]
    assert list_metric_titles(clock) == [*results, "ended by gin %", "limit %", "turns"]
    row = dict(
        zip(
            summary.build_results_table(clock).headings,
            summary.build_results_table(clock).rows[0],
            strict=True,
        )
    )
    goal_met = table.find_interval(next(table.iterate_matchups(clock))[1], "match_win")
    assert row["goal met %"] == numbers.format_estimate(*goal_met, 100)
    assert "A" not in row and row["strategy"] == "gold"


@pytest.mark.parametrize("variant", [GIN_SOLITAIRE, SOLITARY_GIN])
def test_solitaire_results_do_not_name_a_second_player(variant, tmp_path):
    data = play_solo(variant)
    console = Console(file=io.StringIO(), width=80)
    console.print(summary.build_terminal_table(data, 1))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80 and "…" not in text and "against" not in text
    for plot in (plots.win_and_points, plots.endings):
        figure = plot(data, seed=1)
        assert "Players: gold. " in figure.get_supxlabel().replace("\n", " ")
        assert not any("(B)" in text.get_text() for text in figure.findobj(Text))
    sides = ["won", "lost to the joker"] if variant == GIN_SOLITAIRE else []
    legend = plots.win_and_points(data, seed=1).axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == sides if sides else legend is None
    (tmp_path / "table.csv").write_text(table.format_csv(data.assign(strategy="nan")))
    again = table.read_table(tmp_path / "table.csv")
    assert set(again["opponent"]) == {""} and set(again["strategy"]) == {"nan"}


def test_settlement_is_shown_if_it_differs_from_points():
    shown = {
        variant: "settlement" in list_match_titles("gold", "simple", variant)
        for variant in ("standard", "hollywood", "race")
    }
    assert shown == {"standard": False, "hollywood": True, "race": False}
    frame = simgin.match("gold", "simple", "tournament", matches=60).frame
    assert "settlement" in list_metric_titles(
        frame
    ) and "total payment to A for a match" in summary.format_metrics_note(frame)
    assert plots.win_and_points(frame, seed=1).axes[-1].get_title(loc="left") == "settlement"


def test_wins_by_refusal_are_shown_only_if_they_occur():
    refusals = {"A won by refusal %", "B won by refusal %"}
    assert refusals <= set(list_match_titles("random", "simple", "dice"))
    assert not refusals & set(list_match_titles("gold", "simple", "dice"))
    assert "ended by refusal %" in list_match_titles("random", "random", "dice")


def test_player_that_never_knocks_wins_no_deal_by_a_knock():
    frame = simgin.match("gin-only", "simple", matches=100).frame
    table = summary.build_results_table(frame)
    row = dict(zip(table.headings, table.rows[0], strict=True))
    assert row["A won by knock %"].startswith("0 (")
    assert float(row["B won by knock %"].split()[0]) > 50
    assert not any(re.match("ended by (knock|gin|undercut)", title) for title in row)
    (line,) = csv.DictReader(io.StringIO(summary.format_summary_csv(frame)))
    assert line["a_won_knock_pct"] == "0" and line["knock_pct"] == line["b_won_knock_pct"]


def test_endings_plot_shows_wins_of_a_left_and_of_b_right():
    frame = simgin.match("gold-early", "simple", matches=60).frame
    rows = 100 * frame[frame["strategy"] == "gold-early"].set_index("metric")["value"]
    first = (bars[0] for bars in plots.endings(frame).axes[0].containers)
    drawn = sorted((bar.get_x(), bar.get_width()) for bar in first if bar.get_width() > 0)
    widths_of_a = [width for x, width in drawn if x < rows["deal_win"] - 1e-9]
    assert widths_of_a == pytest.approx(
        [rows[f"won_{kind}"] for kind in ("knock", "gin", "undercut")]
    )
    widths_of_b = [width for x, width in drawn if x >= 100 - rows["deal_loss"] - 1e-9]
    wins = [rows[f"lost_{kind}"] for kind in ("undercut", "gin", "knock")]
    assert widths_of_b == pytest.approx([width for width in wins if width])
