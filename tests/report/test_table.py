"""Tests of report tables on a terminal and in Markdown."""

import io

import pandas as pd
import pytest
from rich.console import Console

from simgin.report.numbers import EN_DASH
from simgin.report.report import Report
from simgin.report.report_table import Column, ScoreCell, Table, describe_frame
from support.sample_reports import make_report

FRAME = pd.DataFrame(
    {
        "who": ["gold", "simple|x", None],
        "won": [0.5, 0.25, float("nan")],
        "won_low": [0.4, 0.2, float("nan")],
        "won_high": [0.6, 0.35, float("nan")],
        "deals": [12_345, 7, 0],
        "ratio": [1234.5678, -0.0001, float("nan")],
        "sound": [True, False, True],
    }
)
COLUMNS = (
    Column("who", "player"),
    Column("won", "won %", factor=100),
    Column("deals", "deals"),
    Column("ratio", "ratio", digits=2),
    Column("sound", "sound?"),
)
TABLE = Table("Who wins", FRAME, COLUMNS, "Read it so.")


def render_text(renderable, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    return console.file.getvalue()


def test_columns_format_the_cells_of_a_frame():
    assert TABLE.headings == ("player", "won %", "deals", "ratio", "sound?")
    assert TABLE.rows == [
        ("gold", "50 ± 10", "12,345", "1,234.57", "yes"),
        ("simple|x", "25.0 (20.0 to 35.0)", "7", "0.00", "no"),
        (EN_DASH, EN_DASH, "0", EN_DASH, "yes"),
    ]
    long_frame = FRAME.rename(columns={"won": "value", "won_low": "low", "won_high": "high"})
    assert Column("value", "share").format_rows(long_frame)[0] == "0.50 ± 0.10"
    assert Column("ratio", "ratio").format_rows(FRAME)[:2] == ["1235", "-0.0001"]
    assert Table("None", FRAME[:0], COLUMNS).rows == []


def test_table_is_formatted_as_markdown():
    lines = TABLE.to_markdown().split("\n")
    assert lines[:3] == ["## Who wins", "", "| player | won % | deals | ratio | sound? |"]
    assert lines[5].startswith(r"| simple\|x | 25.0 (20.0 to 35.0) |")
    assert lines[-3:] == ["", "Read it so.", ""]


SCORE_CELLS = [
    ScoreCell("83", "▲ a little more", "79 to 87", "little"),
    ScoreCell("9 %", "same", "", "same"),
]
SCORECARD = Table(
    "At a glance",
    pd.DataFrame(
        {"row": ["Turns in a match", "Gin"], "n": [1, 2], "a": SCORE_CELLS, "b": SCORE_CELLS}
    ),
    [Column("row", "measure"), Column("a", "oklahoma"), Column("b", "straight")],
)


def test_score_cell_has_its_interval_in_markdown():
    assert "| Turns in a match | 83, ▲ a little more (79 to 87) | 83" in SCORECARD.to_markdown()
    assert "| Gin | 9 %, same | 9 %, same |" in SCORECARD.to_markdown()


@pytest.mark.parametrize(
    ("width", "cell"),
    [
        (80, "83 (79 to 87) ▲ a little more"),
        (70, "83 (79 to 87) ▲ a little  "),
        (60, "83 ▲ a little more"),
        (50, "83 ▲ a little  "),
    ],
)
def test_scorecard_shows_intervals_and_full_verdicts_that_fit(width, cell):
    lines = render_text(SCORECARD, width).splitlines()
    assert lines[0] == "At a glance" and len(lines) == 5
    assert f"{lines[3]}  ".count(cell) == 2 and max(map(len, lines)) <= width


@pytest.mark.parametrize(("width", "has_intervals"), [(40, True), (25, False)])
def test_scorecard_without_intervals_states_where_they_are(width, has_intervals):
    frame = pd.DataFrame({"row": ["Gin"], "a": [ScoreCell("64 %", "▲ more", "+4.0 ± 1.0")]})
    scorecard = Table("Scorecard", frame, [Column("row", "property"), Column("a", "oklahoma")])
    text = " ".join(render_text(scorecard, width).split())
    assert ("(+4.0 ± 1.0)" in text) == has_intervals
    assert ("confidence intervals (±), widen the terminal" in text) == (not has_intervals)


def test_scorecard_in_the_terminal_omits_units_and_ranges_from_intervals():
    detail = "-2.3 ± 0.7 percentage points; range over player types: -2.3 to 0"
    assert str(ScoreCell("1.4 %", "same", detail).add_interval()) == "1.4 % (-2.3 ± 0.7) same"
    detail = "-8 to +5 percentage points; each estimate ± 5.1"
    assert str(ScoreCell("75 %", "", detail).add_interval()) == "75 % (-8 to +5; each ± 5.1)"


def test_report_fits_on_one_screen_without_details():
    lines = "".join(map(render_text, make_report().to_renderables())).splitlines()
    assert lines[:2] == ["Who wins, gold?", "gold wins."] and len(lines) <= 24
    detailed_text = "".join(map(render_text, make_report().to_renderables(show_details=True)))
    assert (
        "Small" not in "\n".join(lines) and "Small" in detailed_text and "Results" in detailed_text
    )


def test_details_show_every_row_of_a_long_table():
    frame = pd.DataFrame({"n": range(100)})
    report = Report("How many?", [], detail_tables=[Table("Numbers", frame, [Column("n", "n")])])
    assert render_text(report.detail_tables[0]).endswith("59\n... and 40 more rows.\n")
    text = "".join(map(render_text, report.to_renderables(show_details=True)))
    assert text.split()[-1] == "99" and "more rows" not in text


def test_alternative_text_has_first_last_and_extreme_values():
    third_row = FRAME[:1].assign(who="gin-only", won=0.1, won_low=0.0, won_high=0.2)
    frame = pd.concat([FRAME[:2], third_row])
    description = describe_frame(frame, COLUMNS[:2])
    assert description == (
        "Won % ranges from 10 ± 10 (gin-only) to 50 ± 10 (gold). The first value is 50 ± 10 "
        "(gold), and the last value is 10 ± 10 (gin-only)."
    )
    assert describe_frame(frame[:0], COLUMNS) == "The plot has no data."
