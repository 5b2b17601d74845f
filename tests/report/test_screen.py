"""Results on a terminal: no number is cut at any width, and the three results stand together."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from simgin.report import screen, summary
from simgin.stats import table
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
def test_nothing_is_cut_at_any_width(data, width):
    text = text_of(screen.results(data), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for row in summary.texts(data):
        for title, cell in list(row.items())[4:]:
            assert title in text
            whole = f"  {cell}" in text
            for part in (
                [cell] if whole else re.split(r" (?=\()", cell)
            ):  # an interval may stand under its value
                assert re.search(rf"(^|  ){re.escape(part)}( |$)", text, re.MULTILINE), part


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_three_results_stand_together(width):
    heading = next(
        line for line in text_of(screen.results(BOTH), width).splitlines() if "deals won %" in line
    )
    assert re.search(r"deals won % +points/deal +matches won %", heading)


def test_one_matchup_is_named_in_the_heading():
    assert text_of(screen.results(ONE), 80).startswith(
        "gold against simple, standard, 600 matches ("
    )


def test_every_variant_has_its_own_table():
    text = text_of(screen.results(PANEL), 80)
    assert text.startswith("variant: standard; B: simple; 600 matches (") and " each\n" in text
    text = text_of(screen.results(BOTH), 80)
    assert (
        "\nstandard\n" in text
        and "\noklahoma+big_gin=yes\n" in text
        and text.count("deals won %") == 2
    )


def test_variants_are_rows_where_nothing_else_differs():
    text = text_of(screen.results(GAMES), 80)
    assert text.startswith("A: gold; B: simple; ") and text.count("deals won %") == 1
    assert "\noklahoma" in text


def test_a_round_robin_names_both_strategies():
    assert "gold v simple" in text_of(screen.results(ROBIN), 80)


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
