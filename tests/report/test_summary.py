"""Summaries: digits, dashes and brackets, one row a matchup."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgin.report import numbers, summary, wrapping
from simgin.stats import table
from support import toy_deals as toy

RNG = np.random.default_rng(11)
MATCHES = {"gold": toy.matches(RNG, 300, win=0.6), "gin-only": toy.matches(RNG, 20, win=0.4)}
TABLES = [
    table.tidy("standard", name, "simple", "match", toy.row(one)) for name, one in MATCHES.items()
]
FRAME = pd.concat(TABLES, ignore_index=True)
NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "low", "high", "factor", "text"),
    [
        (0.50123, 0.49983, 0.50263, 100, "50.12 ± 0.14"),
        (3.6, 3.1, 4.1, 1, "3.60 ± 0.50"),
        (1234.5, 1200.5, 1268.5, 1, "1234 ± 34"),
        (-0.3, -0.4, -0.2, 1, "-0.30 ± 0.10"),
        (0.0, 0.0, 0.0038, 100, "0 (0 to 0.38)"),
        (0.0012, 0.0003, 0.0044, 1, "0.0012 (0.0003 to 0.0044)"),
        (0.9999, 0.99945, 0.99998, 100, "99.990 (99.945 to 99.998)"),
        (NAN, NAN, NAN, 1, numbers.DASH),
        (7.0, 7.0, 7.0, 1, "7.00 ± 0"),
        (-1e-9, -0.0003, 0.0003, 1, "0.00000 ± 0.00030"),
    ],
)
def test_an_estimate_is_rounded_to_its_error(value, low, high, factor, text):
    assert numbers.estimate(value, low, high, factor) == text


def test_the_summary_has_a_row_a_matchup_and_dashes_for_undefined_values():
    text = summary.markdown(FRAME.assign(variant="a|b.toml#x"))
    lines = text.splitlines()
    results = "deals won % | points/deal | matches won %"
    assert lines[0].startswith(f"| variant | A | B | played | {results} |")
    assert lines[2].startswith(r"| a\|b.toml#x | gold | simple | 600 matches (")
    assert lines[3].count(numbers.DASH) == 11
    assert "nan" not in text and "95 %" in lines[-1]


def test_the_csv_has_limits_and_empty_cells():
    rows = list(csv.DictReader(io.StringIO(summary.csv(FRAME))))
    assert [row["strategy"] for row in rows] == ["gold", "gin-only"]
    low, value, high = (float(rows[0][f"deals_won_pct{end}"]) for end in ("_low", "", "_high"))
    assert low < value < high and rows[0]["matches"] == "600"
    assert rows[1]["deals_won_pct"] == rows[1]["turns_high"] == ""


def test_a_run_of_single_deals_has_no_match_columns():
    frame = table.tidy("standard", "gold", "simple", "deal", toy.row(toy.deals(RNG, 100)))
    assert "matches" not in summary.markdown(frame).splitlines()[0]
    assert "200 deals" in summary.markdown(frame)


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("gold", 4, ["gold"]),
        ("simple+knock=at:k=4", 15, ["simple", "+knock=at:k=4"]),
        ("gold v simple+knock=at", 16, ["gold v simple", "+knock=at"]),
        ("my files/mine.py#second", 10, ["my files", "/mine.py", "#second"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
    ],
)
def test_long_names_are_folded_between_their_parts(name, width, lines):
    assert wrapping.fold(name, width) == lines


@given(st.text(alphabet="ab+:#/ =", max_size=30), st.integers(1, 12))
def test_folding_loses_no_character_of_a_name(name, width):
    lines = wrapping.fold(name, width)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert all(len(line) <= width for line in lines)
