"""Tests of result tables on a terminal and of summaries in Markdown and CSV."""

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
LONG_SPEC = "simple+discard=hits:keep_pairs=yes+knock=at:k=4"


def make_frame(*matchups, n_units=300):
    rows = [
        toy.make_batch_row(toy.draw_statistics(RNG, n_units, win_probability=0.6, is_match=True))
        for _ in matchups
    ]
    frames = [
        toy.make_tidy_rows(*names, "match", row) for names, row in zip(matchups, rows, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


CHANGED_VARIANT = "oklahoma+big_gin=yes"
ONE_MATCHUP_FRAME = make_frame(("standard", "gold", "simple"))
PANEL_FRAME = make_frame(("standard", LONG_SPEC, "simple"), ("standard", "gold", "simple"))
VARIANTS_FRAME = make_frame(
    ("standard", "gold", "simple"), (f"{CHANGED_VARIANT}+gin_bonus=20", "gold", "simple")
)
PANEL_AND_VARIANTS_FRAME = make_frame(
    *((game, a, "simple") for game in ("standard", CHANGED_VARIANT) for a in (LONG_SPEC, "gold"))
)
ROUND_ROBIN_FRAME = make_frame(
    *(("standard", *pair) for pair in combinations(("gold", "simple", LONG_SPEC), 2))
)
FRAME_BY_NAME = {
    "one": ONE_MATCHUP_FRAME,
    "panel": PANEL_FRAME,
    "games": VARIANTS_FRAME,
    "both": PANEL_AND_VARIANTS_FRAME,
    "robin": ROUND_ROBIN_FRAME,
}


def render_text(renderable, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [48, 60, 72, 80, 120, 200])
@pytest.mark.parametrize("name", FRAME_BY_NAME)
def test_numbers_and_names_are_complete_at_every_width(name, width):
    frame = FRAME_BY_NAME[name]
    text = render_text(summary.build_terminal_table(frame, 1), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width and "…" not in text
    if width >= 72:
        assert text.count("──\n") == 1
    body_lines = lines[next(i for i, line in enumerate(lines) if "──" in line) :]
    estimates = frame[["value", "low", "high"]].itertuples(index=False)
    expected = {numbers.format_estimate(*row, factor) for row in estimates for factor in (1, 100)}
    body = " ".join(" ".join(body_lines).split())
    shown = re.findall(r"-?[\d.]+ ± [\d.]+|\([\d.]+ to [\d.]+\)", body)
    assert shown and set(shown) <= expected | {text.partition(" ")[2] for text in expected}
    unwrapped = "".join(text.split())
    for full_name in {*frame["strategy"], *frame["variant"]}:
        wrappings = [wrapping.wrap_name(full_name, wrap_width) for wrap_width in range(2, 60)]
        assert any(all(part in unwrapped for part in parts) for parts in wrappings), full_name


def test_single_matchup_has_a_column_per_player():
    text = render_text(summary.build_terminal_table(ONE_MATCHUP_FRAME, 7), 80)
    assert text.startswith("\ngold against simple, standard, 600 matches (")
    assert "seed 7" in " ".join(text.split())
    rows = ONE_MATCHUP_FRAME.set_index(["strategy", "metric"])[["value", "low", "high"]]
    lines = text.splitlines()
    checked_titles = []
    for line in lines[4:-2]:
        metric = next(
            (candidate for candidate in metrics.METRICS if line.startswith(candidate.title)), None
        )
        if metric and "±" in line:
            player_rows = [rows.loc[(player, metric.name)] for player in ("gold", "simple")]
            assert all(
                numbers.format_estimate(*row, metric.display_factor) in line for row in player_rows
            )
            checked_titles.append(metric.title)
    assert {"matches won %", "deals won %", "won by knock %", "points/deal"} <= set(checked_titles)
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
def test_row_names_omit_shared_parts(name, heading, columns):
    text = render_text(summary.build_terminal_table(FRAME_BY_NAME[name], 1), 80)
    assert text.startswith(f"\n{heading}") and "each, seed 1" in " ".join(text.split())
    assert re.search(rf"\n{columns}deals won % +points/deal +matches won %", text)


def test_long_table_states_the_number_of_omitted_rows():
    long_frame = make_frame(*(("standard", f"gold:k={k}", "simple") for k in range(30)), n_units=40)
    text = render_text(summary.build_terminal_table(long_frame, 1), 80)
    assert text.count("gold:k=") == summary.MAX_TERMINAL_ROWS
    assert f"\n... and {30 - summary.MAX_TERMINAL_ROWS} more\n" in text


@pytest.mark.parametrize("width", [40, 80, 150])
def test_too_wide_table_is_split_and_repeats_the_names(width):
    rows = [("standard", name, *(f"{i}.50 ± 0.25" for i in range(12))) for name in ("gold", "low")]
    headings = ("variant", "A", *(f"column {i}" for i in range(12)))
    text = render_text(make_text_table("Wide", headings, rows), width)
    heading_lines = [line for line in text.splitlines() if "column" in line]
    assert len(heading_lines) == text.count("gold") == text.count("low") > 1
    assert {tuple(heading_line.split()[:2]) for heading_line in heading_lines} == {("A", "column")}
    assert "\nvariant: standard\n" in text
    assert re.findall(r"column \d+", text) == [f"column {i}" for i in range(12)]
    assert max(map(len, text.splitlines())) <= width and text.count("±") == 24


def test_sentences_are_limited_to_the_screen():
    sentences = [
        f"gold{i} beats simple: it wins 51.80 ± 0.60 % of matches and more." for i in range(40)
    ]
    lines = render_text(wrapping.Sentences(sentences), 40).splitlines()
    assert len(lines) == wrapping.MAX_SENTENCE_LINES + 1
    assert (
        lines[-1] == f"... and {40 - wrapping.MAX_SENTENCE_LINES // 2} more sentences (--details)."
    )
    assert all(len(line) <= 40 for line in lines)
    assert not any(line.endswith(("±", "51.80", "0.60")) for line in lines)
    long_sentence = ["word " * 400]
    assert (
        len(render_text(wrapping.Sentences(long_sentence), 80).splitlines())
        > wrapping.MAX_SENTENCE_LINES
    )


@pytest.mark.parametrize("width", [48, 80, 200])
def test_details_list_every_metric_with_its_meaning(width):
    text = render_text(summary.build_details_table(ONE_MATCHUP_FRAME), width)
    assert max(map(len, text.splitlines())) <= width
    joined = " ".join(text.split())
    assert "gold against simple, standard, 600 matches" in joined
    assert "match_win" in joined and "Not observed: big_gin, shot" in joined
    assert "Too few deals to estimate: points_big_gin, points_shot." in joined
    if width > 150:
        assert "Proportion of matches (0 to 1) that the strategy won" in joined


# Summaries


def make_matchup_rows(name, n, win):
    row = toy.make_batch_row(toy.draw_statistics(RNG, n, win_probability=win, is_match=True))
    return toy.make_tidy_rows("standard", name, "simple", "match", row)


SUMMARY_FRAME = pd.concat(
    [make_matchup_rows("gold", 300, 0.6), make_matchup_rows("gin-only", 20, 0.4)], ignore_index=True
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
def test_estimate_is_rounded_to_its_error(value, low, high, factor, text):
    assert numbers.format_estimate(value, low, high, factor) == text


def test_numpy_numbers_are_rounded_like_python_numbers():
    rounded = {
        numbers.format_number(number_type(10.445), 0.3) for number_type in (float, np.float64)
    }
    assert rounded == {f"{10.445:.2f}"}


def test_summary_has_dashes_for_undefined_values():
    text = summary.build_results_table(SUMMARY_FRAME.assign(variant="a|b.toml#x")).to_markdown()
    lines = text.splitlines()[2:]
    results = "deals won % | points/deal | matches won %"
    assert lines[0].startswith(f"| variant | A | B | played | {results} |")
    assert lines[2].startswith(r"| a\|b.toml#x | gold | simple | 600 matches (")
    assert lines[3].count(numbers.EN_DASH) == 11
    assert "nan" not in text and "95 %" in lines[-1]


def test_summary_csv_has_bounds_and_empty_cells():
    rows = list(csv.DictReader(io.StringIO(summary.format_summary_csv(SUMMARY_FRAME))))
    assert [row["strategy"] for row in rows] == ["gold", "gin-only"]
    low, value, high = (
        float(rows[0][f"deals_won_pct{suffix}"]) for suffix in ("_low", "", "_high")
    )
    assert low < value < high and rows[0]["matches"] == "600"
    assert rows[1]["deals_won_pct"] == rows[1]["turns_high"] == ""


@given(st.text(alphabet="ab+:#/ =", max_size=30), st.integers(1, 12))
def test_wrapping_keeps_every_character_of_a_name(name, width):
    lines = wrapping.wrap_name(name, width)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert all(len(line) <= width for line in lines)


def test_headings_are_wrapped_between_words():
    long_aim = "knocking immediately and playing for gin equally strong"
    rows = [(long_aim, "20", "all other values"), ("fairest seats", "0", "0, 20")]
    table = make_table_from_rows("Best", ("aim", "best value", "not significantly worse"), rows)
    assert "significantly" in render_text(table, 80).split()
