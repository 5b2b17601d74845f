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


def frame(*matchups, units=300):
    rows = [toy.row(toy.matches(RNG, units, win=0.6)) for _ in matchups]
    made = [table.tidy(*names, "match", row) for names, row in zip(matchups, rows, strict=True)]
    return pd.concat(made, ignore_index=True)


RAINBOW = "oklahoma+big_gin=yes"
ONE = frame(("standard", "gold", "simple"))
PANEL = frame(("standard", LONG, "simple"), ("standard", "gold", "simple"))
GAMES = frame(("standard", "gold", "simple"), (f"{RAINBOW}+gin_bonus=20", "gold", "simple"))
BOTH = frame(*((game, a, "simple") for game in ("standard", RAINBOW) for a in (LONG, "gold")))
ROBIN = frame(
    *(("standard", *pair) for pair in (("gold", "simple"), ("gold", LONG), ("simple", LONG)))
)
FRAMES = {"one": ONE, "panel": PANEL, "games": GAMES, "both": BOTH, "robin": ROBIN}


def text_of(thing, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [48, 60, 72, 80, 120, 200])
@pytest.mark.parametrize("name", FRAMES)
def test_no_number_is_cut_and_no_name_is_lost_at_any_width(name, width):
    data = FRAMES[name]
    text = text_of(screen.results(data, 1), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width and "…" not in text
    if width >= 72:
        assert text.count("──\n") == 1
    below = lines[next(i for i, line in enumerate(lines) if "──" in line) :]
    limits = data[["value", "low", "high"]].itertuples(index=False)
    known = {numbers.estimate(*row, factor) for row in limits for factor in (1, 100)}
    whole = " ".join(" ".join(below).split())
    shown = re.findall(r"-?[\d.]+ (?:± [\d.]+|\([\d.]+ to [\d.]+\))", whole)
    assert shown and set(shown) <= known
    letters = "".join(text.split())
    for named in {*data["strategy"], *data["variant"]}:
        foldings = [wrapping.fold(named, room) for room in range(2, 60)]
        assert any(all(part in letters for part in parts) for parts in foldings), named


def test_one_matchup_has_a_column_for_either_player():
    text = text_of(screen.results(ONE, 7), 80)
    assert text.startswith("\ngold against simple, standard, 600 matches (")
    assert "seed 7" in " ".join(text.split())
    rows = ONE.set_index(["strategy", "metric"])[["value", "low", "high"]]
    lines = text.splitlines()
    checked = []
    for metric, label in screen.BY_PLAYER.items():
        factor = metrics.BY_NAME[metric].factor
        for line in lines:
            if line.startswith(label):
                cells = [
                    numbers.estimate(*rows.loc[(a, metric)], factor) for a in ("gold", "simple")
                ]
                assert all(cell in line for cell in cells)
                checked.append(label)
                break
    assert {"matches won %", "deals won %", "  by knock %", "net points/deal"} <= set(checked)
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
def test_what_differs_is_named_in_every_row_and_the_rest_in_the_heading(name, heading, columns):
    text = text_of(screen.results(FRAMES[name], 1), 80)
    assert text.startswith(f"\n{heading}") and "each, seed 1" in " ".join(text.split())
    assert re.search(rf"\n{columns}deals won % +points/deal +matches won %", text)


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


@pytest.mark.parametrize("width", [48, 80, 200])
def test_details_have_every_metric_with_its_meaning(width):
    text = text_of(screen.details(ONE), width)
    assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    assert "gold against simple, standard, 600 matches" in words
    assert "match_win" in words and "Never seen: big_gin, shot" in words
    assert "Too few deals to estimate: points_big_gin, points_shot." in words
    if width < screen.WIDE or width > 150:
        assert "Share of matches (0 to 1) that the strategy won, a drawn" in words
