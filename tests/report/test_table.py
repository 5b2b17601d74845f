"""Tests of tables on a terminal, in Markdown and in CSV."""

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


def text_of(thing, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


def test_a_frame_and_its_columns_make_the_text_of_every_cell():
    assert TABLE.headings == ("player", "won %", "deals", "ratio", "sound?")
    assert TABLE.rows == [
        ("gold", "50 ± 10", "12,345", "1,234.57", "yes"),
        ("simple|x", "25.0 (20.0 to 35.0)", "7", "0.00", "no"),
        (EN_DASH, EN_DASH, "0", EN_DASH, "yes"),
    ]
    long = FRAME.rename(columns={"won": "value", "won_low": "low", "won_high": "high"})
    assert Column("value", "share").format_rows(long)[0] == "0.50 ± 0.10"
    assert Column("ratio", "ratio").format_rows(FRAME)[:2] == ["1235", "-0.0001"]
    assert Table("None", FRAME[:0], COLUMNS).rows == []


def test_a_table_is_markdown():
    lines = TABLE.to_markdown().split("\n")
    assert lines[:3] == ["## Who wins", "", "| player | won % | deals | ratio | sound? |"]
    assert lines[5].startswith(r"| simple\|x | 25.0 (20.0 to 35.0) |")
    assert lines[-3:] == ["", "Read it so.", ""]


CELLS = [
    ScoreCell("83", "▲ a little more", "79 to 87", "little"),
    ScoreCell("9 %", "same", "", "same"),
]
CARD = Table(
    "At a glance",
    pd.DataFrame({"row": ["Turns in a match", "Gin"], "n": [1, 2], "a": CELLS, "b": CELLS}),
    [Column("row", "measure"), Column("a", "oklahoma"), Column("b", "straight")],
)


def test_a_cell_has_its_interval_in_markdown_and_is_no_number():
    assert "| Turns in a match | 83, ▲ a little more (79 to 87) | 83" in CARD.to_markdown()
    assert "| Gin | 9 %, same | 9 %, same |" in CARD.to_markdown()


@pytest.mark.parametrize(("width", "word"), [(80, "83 ▲ a little more"), (50, "83 ▲ a little")])
def test_a_scorecard_has_a_line_a_row_and_loses_the_word_that_the_arrow_says(width, word):
    lines = text_of(CARD, width).splitlines()
    assert lines[0] == "At a glance" and len(lines) == 5
    assert lines[3].count(word) == 2 and "79" not in lines[3]
    assert ("more" in lines[3]) == (width == 80) and max(map(len, lines)) <= width


def test_question_verdict_and_first_table_fit_a_screen_and_details_show_the_rest():
    lines = "".join(map(text_of, make_report().to_renderables())).splitlines()
    assert lines[:2] == ["Who wins, gold?", "gold wins."] and len(lines) <= 24
    text = "".join(map(text_of, make_report().to_renderables(details=True)))
    assert "Small" not in "\n".join(lines) and "Small" in text and "Results" in text


def test_details_show_every_row_of_a_long_table():
    frame = pd.DataFrame({"n": range(100)})
    report = Report("How many?", [], detail_tables=[Table("Numbers", frame, [Column("n", "n")])])
    assert text_of(report.detail_tables[0]).endswith("59\n... and 40 more rows.\n")
    text = "".join(map(text_of, report.to_renderables(details=True)))
    assert text.split()[-1] == "99" and "more rows" not in text


def test_the_alternative_text_has_ends_minimum_and_maximum():
    third = FRAME[:1].assign(who="gin-only", won=0.1, won_low=0.0, won_high=0.2)
    frame = pd.concat([FRAME[:2], third])
    words = describe_frame(frame, COLUMNS[:2])
    assert words == (
        "Won % ranges from 10 ± 10 (gin-only) to 50 ± 10 (gold). The first value is 50 ± 10 "
        "(gold), and the last value is 10 ± 10 (gin-only)."
    )
    assert describe_frame(frame[:0], COLUMNS) == "The plot has no data."
