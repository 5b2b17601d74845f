"""Who ended the deals, and how: tables, words and pictures against a count of recorded deals."""

import csv
import io
import itertools
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import simgin
from simgin import plots
from simgin.cli.main import cli
from simgin.core.sums import WON_KINDS
from simgin.findings import pictures
from simgin.report import summary
from simgin.stats import table

GAMES = [("gin-only", "simple", "standard"), ("random", "simple", "dice")]


def recorded(a, b, variant):
    """Every deal of a run, and the run's tidy rows."""
    words = ["match", a, b, "-v", variant, "--matches", "60", "-o", "out", "--record"]
    done = CliRunner().invoke(cli, words, prog_name="simgin")
    assert done.exit_code == 0, done.output
    return pd.read_parquet(Path("out") / "deals.parquet"), table.read("out/table.csv")


def counted(deals, winner, kind):
    """The share of deals of one kind that a side won, deal by deal."""
    found = 0
    for _, deal in deals.iterrows():
        found += deal["kind"] == kind and deal["winner"] == winner
    return found / len(deals)


@pytest.mark.parametrize("game", GAMES, ids=" ".join)
def test_wins_by_kind_are_those_of_the_recorded_deals(game, empty_directory):
    deals, frame = recorded(*game)
    for (_, a, b), rows in table.matchups(frame):
        seen_by_b = frame[(frame["strategy"] == b) & (frame["opponent"] == a)]
        seen_by_b = seen_by_b.set_index("metric")
        for kind in WON_KINDS:
            own, other = (counted(deals, winner, kind) for winner in "AB")
            assert rows.loc[f"won_{kind}", "value"] == pytest.approx(own)
            assert rows.loc[f"lost_{kind}", "value"] == pytest.approx(other)
            limits = ["value", "se", "low", "high"]
            won_by_b = seen_by_b.loc[f"won_{kind}", limits]
            assert list(rows.loc[f"lost_{kind}", limits]) == list(won_by_b)
            both = own + other
            assert rows.loc[kind, "value"] == pytest.approx(both)


def test_who_never_knocks_is_not_said_to_knock():
    frame = simgin.match("gin-only", "simple", matches=100)
    (row,) = summary.texts(frame)
    assert row["A won by knock %"].startswith("0 (")
    assert float(row["B won by knock %"].split()[0]) > 50
    assert not any(re.match("ended by (knock|gin|undercut)", title) for title in row)
    (line,) = csv.DictReader(io.StringIO(summary.csv(frame)))
    assert line["a_won_knock_pct"] == "0" and line["knock_pct"] == line["b_won_knock_pct"]
    said = pictures.describe_endings(frame)
    own, other = re.fullmatch(r".*A won \d+ % \((.*)\), B won \d+ % \((.*)\), .*", said).groups()
    assert "knock" not in own and "gin" in own and "undercut" in own
    assert other.startswith("knock ") and "undercut" not in other


def test_where_each_plays_itself_endings_are_either_players():
    frame = simgin.match("gold", "gold", deals=400)
    (row,) = summary.texts(frame)
    assert "ended by knock %" in row and "A won by knock %" not in row
    assert "Endings are by either player." in summary.reading(frame)
    said = pictures.describe_endings(frame)
    assert "knock 9" in said and "won" not in said
    title = plots.endings(frame).axes[0].get_title(loc="left")
    assert title == "ended by either player"


def bars(figure):
    """(x at the left, width, colour) of every visible bar of the first row, from the left."""
    found = []
    for container in figure.axes[0].containers:
        patch = container[0]
        if patch.get_width() > 0:
            found.append((patch.get_x(), patch.get_width(), patch.get_facecolor()))
    return sorted(found)


def test_the_picture_puts_the_wins_of_a_at_the_left_and_those_of_b_at_the_right():
    frame = simgin.match("gold-early", "simple", matches=60)
    rows = frame[frame["strategy"] == "gold-early"].set_index("metric")["value"]
    figure = plots.endings(frame)
    drawn = bars(figure)
    widths = [width for _, width, _ in drawn]
    ends = [0, *itertools.accumulate(widths)]
    assert [x for x, _, _ in drawn] == pytest.approx(ends[:-1])
    own = [width for x, width, _ in drawn if x < 100 * rows["deal_win"] - 1e-9]
    assert own == pytest.approx(
        [100 * rows[f"won_{kind}"] for kind in ("knock", "gin", "undercut")]
    )
    other = [width for x, width, _ in drawn if x >= 100 * (1 - rows["deal_loss"]) - 1e-9]
    wins = [100 * rows[f"lost_{kind}"] for kind in ("undercut", "gin", "knock")]
    assert other == pytest.approx([width for width in wins if width])
    colours = {colour for _, _, colour in drawn}
    assert len(colours) == 4  # knock, gin, undercut and void, whoever won
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert names == ["knock", "gin", "undercut", "void"]
    assert "won by A" in figure.axes[0].get_title(loc="left")
