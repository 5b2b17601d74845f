"""Tests of results on a terminal, in Markdown and in CSV: numbers are never cut off."""

import csv
import io
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from simgin.report import numbers, summary, wrapping
from simgin.report.report_table import make_table_from_rows
from simgin.stats import metrics
from support import toy_deals as toy
from support.sample_reports import make_text_table

RNG = np.random.default_rng(11)
LONG = "simple+discard=hits:keep_pairs=yes+knock=at:k=4"


def frame(*matchups, units=300):
    rows = [toy.batch_row(toy.draw_facts(RNG, units, win=0.6, matches=True)) for _ in matchups]
    made = [toy.tidy_rows(*names, "match", row) for names, row in zip(matchups, rows, strict=True)]
    return pd.concat(made, ignore_index=True)


RAINBOW = "oklahoma+big_gin=yes"
ONE = frame(("standard", "gold", "simple"))
PANEL = frame(("standard", LONG, "simple"), ("standard", "gold", "simple"))
GAMES = frame(("standard", "gold", "simple"), (f"{RAINBOW}+gin_bonus=20", "gold", "simple"))
BOTH = frame(*((game, a, "simple") for game in ("standard", RAINBOW) for a in (LONG, "gold")))
ROBIN = frame(*(("standard", *pair) for pair in combinations(("gold", "simple", LONG), 2)))
FRAMES = {"one": ONE, "panel": PANEL, "games": GAMES, "both": BOTH, "robin": ROBIN}


def text_of(thing, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [48, 60, 72, 80, 120, 200])
@pytest.mark.parametrize("name", FRAMES)
def test_no_number_is_cut_and_no_name_is_lost_at_any_width(name, width):
    data = FRAMES[name]
    text = text_of(summary.build_terminal_table(data, 1), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width and "…" not in text
    if width >= 72:
        assert text.count("──\n") == 1
    below = lines[next(i for i, line in enumerate(lines) if "──" in line) :]
    limits = data[["value", "low", "high"]].itertuples(index=False)
    known = {numbers.format_estimate(*row, factor) for row in limits for factor in (1, 100)}
    whole = " ".join(" ".join(below).split())
    shown = re.findall(r"-?[\d.]+ ± [\d.]+|\([\d.]+ to [\d.]+\)", whole)
    assert shown and set(shown) <= known | {text.partition(" ")[2] for text in known}
    letters = "".join(text.split())
    for named in {*data["strategy"], *data["variant"]}:
        foldings = [wrapping.wrap_name(named, room) for room in range(2, 60)]
        assert any(all(part in letters for part in parts) for parts in foldings), named


def test_one_matchup_has_a_column_for_either_player():
    text = text_of(summary.build_terminal_table(ONE, 7), 80)
    assert text.startswith("\ngold against simple, standard, 600 matches (")
    assert "seed 7" in " ".join(text.split())
    rows = ONE.set_index(["strategy", "metric"])[["value", "low", "high"]]
    lines = text.splitlines()
    checked = []
    for line in lines[4:-2]:
        metric = next((m for m in metrics.METRICS if line.startswith(m.title)), None)
        if metric and "±" in line:
            both = [rows.loc[(player, metric.name)] for player in ("gold", "simple")]
            assert all(numbers.format_estimate(*row, metric.display_factor) in line for row in both)
            checked.append(metric.title)
    assert {"matches won %", "deals won %", "won by knock %", "points/deal"} <= set(checked)
    assert "by big gin" not in text  # never happened


@pytest.mark.parametrize(
    ("name", "heading", "columns"),
    [
        ("panel", "variant: standard; B: simple; 600 matches (", r"A +"),
        ("both", "B: simple; ", r"variant +A +"),
        ("games", "A: gold; B: simple; ", r"variant +"),
        ("robin", "variant: standard; ", r"A +B +"),
    ],
)
def test_rows_name_the_differing_parts_and_the_heading_names_the_rest(name, heading, columns):
    text = text_of(summary.build_terminal_table(FRAMES[name], 1), 80)
    assert text.startswith(f"\n{heading}") and "each, seed 1" in " ".join(text.split())
    assert re.search(rf"\n{columns}deals won % +points/deal +matches won %", text)


def test_a_long_table_ends_with_how_many_are_left_out():
    many = frame(*(("standard", f"gold:k={k}", "simple") for k in range(30)), units=40)
    text = text_of(summary.build_terminal_table(many, 1), 80)
    assert text.count("gold:k=") == summary.MAX_TERMINAL_ROWS
    assert f"\n... and {30 - summary.MAX_TERMINAL_ROWS} more\n" in text


@pytest.mark.parametrize("width", [40, 80, 150])
def test_a_table_that_is_too_wide_is_split_and_repeats_the_differing_names(width):
    rows = [("standard", name, *(f"{i}.50 ± 0.25" for i in range(12))) for name in ("gold", "low")]
    headings = ("variant", "A", *(f"column {i}" for i in range(12)))
    text = text_of(make_text_table("Wide", headings, rows), width)
    heads = [line for line in text.splitlines() if "column" in line]
    assert len(heads) == text.count("gold") == text.count("low") > 1
    assert {tuple(head.split()[:2]) for head in heads} == {("A", "column")}
    assert "\nvariant: standard\n" in text
    assert re.findall(r"column \d+", text) == [f"column {i}" for i in range(12)]
    assert max(map(len, text.splitlines())) <= width and text.count("±") == 24


def test_words_end_before_they_fill_the_screen():
    said = [f"gold{i} beats simple: it wins 51.80 ± 0.60 % of matches and more." for i in range(40)]
    lines = text_of(wrapping.Sentences(said), 40).splitlines()
    assert len(lines) == wrapping.MAX_SENTENCE_LINES + 1
    assert (
        lines[-1] == f"... and {40 - wrapping.MAX_SENTENCE_LINES // 2} more sentences (--details)."
    )
    assert all(len(line) <= 40 for line in lines)
    assert not any(line.endswith(("±", "51.80", "0.60")) for line in lines)
    one_long = ["word " * 400]
    assert len(text_of(wrapping.Sentences(one_long), 80).splitlines()) > wrapping.MAX_SENTENCE_LINES


@pytest.mark.parametrize("width", [48, 80, 200])
def test_details_have_every_metric_with_its_meaning(width):
    text = text_of(summary.build_details_table(ONE), width)
    assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    assert "gold against simple, standard, 600 matches" in words
    assert "match_win" in words and "Not observed: big_gin, shot" in words
    assert "Too few deals to estimate: points_big_gin, points_shot." in words
    if width > 150:
        assert "Proportion of matches (0 to 1) that the strategy won" in words


# Summaries


def make_rows(name, n, win):
    row = toy.batch_row(toy.draw_facts(RNG, n, win=win, matches=True))
    return toy.tidy_rows("standard", name, "simple", "match", row)


SUMMARISED_FRAME = pd.concat(
    [make_rows("gold", 300, 0.6), make_rows("gin-only", 20, 0.4)], ignore_index=True
)
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
        (NAN, NAN, NAN, 1, numbers.EN_DASH),
        (7.0, 7.0, 7.0, 1, "7"),
        (-1e-9, -0.0003, 0.0003, 1, "0.00000 ± 0.00030"),
    ],
)
def test_an_estimate_is_rounded_to_its_error(value, low, high, factor, text):
    assert numbers.format_estimate(value, low, high, factor) == text


def test_numbers_of_numpy_are_rounded_like_numbers_of_python():
    rounded = {numbers.format_number(kind(10.445), 0.3) for kind in (float, np.float64)}
    assert rounded == {f"{10.445:.2f}"}


def test_the_summary_has_a_row_a_matchup_and_dashes_for_undefined_values():
    text = summary.build_results_table(SUMMARISED_FRAME.assign(variant="a|b.toml#x")).to_markdown()
    lines = text.splitlines()[2:]
    results = "deals won % | points/deal | matches won %"
    assert lines[0].startswith(f"| variant | A | B | played | {results} |")
    assert lines[2].startswith(r"| a\|b.toml#x | gold | simple | 600 matches (")
    assert lines[3].count(numbers.EN_DASH) == 11
    assert "nan" not in text and "95 %" in lines[-1]


def test_the_csv_has_limits_and_empty_cells():
    rows = list(csv.DictReader(io.StringIO(summary.format_summary_csv(SUMMARISED_FRAME))))
    assert [row["strategy"] for row in rows] == ["gold", "gin-only"]
    low, value, high = (float(rows[0][f"deals_won_pct{end}"]) for end in ("_low", "", "_high"))
    assert low < value < high and rows[0]["matches"] == "600"
    assert rows[1]["deals_won_pct"] == rows[1]["turns_high"] == ""


@given(st.text(alphabet="ab+:#/ =", max_size=30), st.integers(1, 12))
def test_folding_loses_no_character_of_a_name(name, width):
    lines = wrapping.wrap_name(name, width)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert all(len(line) <= width for line in lines)


def test_narrow_headings_break_between_words():
    aim = "knocking immediately and playing for gin equally strong"
    rows = [(aim, "20", "all other values"), ("fairest seats", "0", "0, 20")]
    table = make_table_from_rows("Best", ("aim", "best value", "not significantly worse"), rows)
    assert "significantly" in text_of(table, 80).split()
