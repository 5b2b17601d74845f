"""Results on a terminal: one table, of which no number is cut at any width; words that end."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from simgin.report import numbers, screen, wrapping
from simgin.stats import metrics, table
from support import toy_deals as toy

RNG = np.random.default_rng(11)
LONG = "simple+discard=hits:keep_pairs=yes+knock=at:k=4"
WIDTHS = [48, 60, 72, 80, 100, 120, 200]


def frame(*matchups, unit="match", units=300):
    make = toy.matches if unit == "match" else toy.deals
    return pd.concat(
        [table.tidy(*matchup, unit, toy.row(make(RNG, units, win=0.6))) for matchup in matchups],
        ignore_index=True,
    )


ONE = frame(("standard", "gold", "simple"))
PANEL = frame(("standard", LONG, "simple"), ("standard", "gold", "simple"))
GAMES = frame(
    ("standard", "gold", "simple"), ("oklahoma+big_gin=yes+gin_bonus=20", "gold", "simple")
)
BOTH = frame(
    *(
        (variant, a, "simple")
        for variant in ("standard", "oklahoma+big_gin=yes")
        for a in (LONG, "gold")
    )
)
ROBIN = frame(
    ("standard", "gold", "simple"), ("standard", "gold", LONG), ("standard", "simple", LONG)
)


def text_of(thing, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "data", [ONE, PANEL, GAMES, BOTH, ROBIN], ids=["one", "panel", "games", "both", "robin"]
)
def test_no_number_is_cut_and_no_name_is_lost_at_any_width(data, width):
    text = text_of(screen.results(data, 1), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width and "…" not in text
    below = lines[next(i for i, line in enumerate(lines) if "──" in line) :]
    known = {
        numbers.estimate(*row, factor)
        for row in data[["value", "low", "high"]].itertuples(index=False)
        for factor in (1, 100)
    }
    whole = " ".join(" ".join(below).split())
    shown = re.findall(r"-?[\d.]+ (?:± [\d.]+|\([\d.]+ to [\d.]+\))", whole)
    assert shown and set(shown) <= known
    letters = "".join(text.split())
    for name in {*data["strategy"], *data["variant"]}:
        foldings = [wrapping.fold(name, room) for room in range(2, 60)]
        assert any(all(part in letters for part in parts) for parts in foldings), name


@pytest.mark.parametrize("width", [72, 80, 120])
def test_the_three_results_stand_in_the_only_table(width):
    text = text_of(screen.results(BOTH, 1), width)
    assert text.count("──\n") == 1
    assert re.search(r"deals won % +points/deal +matches won %", text)


def test_one_matchup_has_a_column_for_either_player():
    text = text_of(screen.results(ONE, 7), 80)
    assert text.startswith("\ngold against simple, standard, 600 matches (")
    assert "seed 7" in " ".join(text.split())
    rows = ONE.set_index(["strategy", "metric"])[["value", "low", "high"]]
    for metric, label in screen.BY_PLAYER.items():
        line = next((line for line in text.splitlines() if line.startswith(label)), "")
        cells = [
            numbers.estimate(*rows.loc[(name, metric)], metrics.BY_NAME[metric].factor)
            for name in ("gold", "simple")
        ]
        assert (
            line == ""
            or line.removeprefix(label).split("   ")[-2:] == cells
            or all(cell in line for cell in cells)
        )
    for label in ("matches won %", "deals won %", "  by knock %", "net points/deal"):
        assert f"\n{label}" in text
    assert "by big gin" not in text  # never happened


def test_what_differs_is_named_in_every_row_and_the_rest_in_the_heading():
    text = text_of(screen.results(PANEL, 1), 80)
    assert text.startswith("\nvariant: standard; B: simple; 600 matches (")
    assert "each, seed 1" in " ".join(text.split())
    text = text_of(screen.results(BOTH, 1), 80)
    assert text.startswith("\nB: simple; ") and re.search(r"\nvariant +A +", text)
    text = text_of(screen.results(GAMES, 1), 80)
    assert text.startswith("\nA: gold; B: simple; ") and "\noklahoma" in text
    assert re.search(r"\nvariant +A +B +", text_of(screen.results(ROBIN, 1), 80)) is None
    assert re.search(r"\nA +B +", text_of(screen.results(ROBIN, 1), 80))


def test_a_long_table_ends_with_how_many_are_left_out():
    many = frame(*(("standard", f"gold:k={k}", "simple") for k in range(30)), units=40)
    text = text_of(screen.results(many, 1), 80)
    assert text.count("gold:k=") == screen.MOST_ROWS
    assert f"\n... and {30 - screen.MOST_ROWS} more\n" in text


def test_words_end_before_they_fill_the_screen():
    said = [f"gold{i} beats simple: it wins 51.80 ± 0.60 % of matches and more." for i in range(40)]
    lines = text_of(screen.Words(said), 40).splitlines()
    assert len(lines) == screen.MOST_LINES + 1
    assert lines[-1] == f"... and {40 - screen.MOST_LINES // 2} more findings."
    assert all(len(line) <= 40 for line in lines)
    assert not any(line.endswith(("±", "51.80", "0.60")) for line in lines)
    one_long = ["word " * 400]
    assert len(text_of(screen.Words(one_long), 80).splitlines()) > screen.MOST_LINES


@pytest.mark.parametrize("width", WIDTHS)
def test_details_have_every_metric_with_its_meaning(width):
    text = text_of(screen.details(ONE), width)
    assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    assert "gold against simple, standard, 600 matches" in words
    assert "match_win" in words and "Never seen: big_gin, shot" in words
    assert "Too few deals to estimate: points_big_gin, points_shot." in words
    if width < screen.WIDE or width > 150:
        assert "Share of matches (0 to 1) that the strategy won, a drawn" in words
