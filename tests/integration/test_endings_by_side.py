"""Who ended the deals, and how: the words and pictures that tell the sides apart."""

import csv
import io
import re

import pytest

import simgin
from simgin import plots
from simgin.findings import run_pictures
from simgin.report import summary


def test_who_never_knocks_is_not_said_to_knock():
    frame = simgin.match("gin-only", "simple", matches=100)
    (row,) = summary.texts(frame)
    assert row["A won by knock %"].startswith("0 (")
    assert float(row["B won by knock %"].split()[0]) > 50
    assert not any(re.match("ended by (knock|gin|undercut)", title) for title in row)
    (line,) = csv.DictReader(io.StringIO(summary.csv(frame)))
    assert line["a_won_knock_pct"] == "0" and line["knock_pct"] == line["b_won_knock_pct"]
    said = run_pictures.describe_endings(frame)
    own, other = re.fullmatch(r".*A won \d+ % \((.*)\), B won \d+ % \((.*)\), .*", said).groups()
    assert "knock" not in own and "gin" in own and "undercut" in own
    assert other.startswith("knock ") and "undercut" not in other


def test_where_each_plays_itself_endings_are_either_players():
    frame = simgin.match("gold", "gold", deals=400)
    (row,) = summary.texts(frame)
    assert "ended by knock %" in row and "A won by knock %" not in row
    assert "Endings are by either player." in summary.reading(frame)
    assert "won" not in run_pictures.describe_endings(frame)
    title = plots.endings(frame).axes[0].get_title(loc="left")
    assert title == "ended by either player"


def test_the_picture_puts_the_wins_of_a_at_the_left_and_those_of_b_at_the_right():
    frame = simgin.match("gold-early", "simple", matches=60)
    rows = 100 * frame[frame["strategy"] == "gold-early"].set_index("metric")["value"]
    first = (bars[0] for bars in plots.endings(frame).axes[0].containers)
    drawn = sorted((bar.get_x(), bar.get_width()) for bar in first if bar.get_width() > 0)
    own = [width for x, width in drawn if x < rows["deal_win"] - 1e-9]
    assert own == pytest.approx([rows[f"won_{kind}"] for kind in ("knock", "gin", "undercut")])
    other = [width for x, width in drawn if x >= 100 - rows["deal_loss"] - 1e-9]
    wins = [rows[f"lost_{kind}"] for kind in ("undercut", "gin", "knock")]
    assert other == pytest.approx([width for width in wins if width])
