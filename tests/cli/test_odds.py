"""`simgin odds`: its 80-column screen, its files and JSON, and what it refuses."""

import json
import re
import shlex
from functools import partial

import pandas as pd
import pytest

from simgin import plots
from simgin.odds import odds, pictures, request, sheets
from support import command_line

pytestmark = pytest.mark.usefixtures("empty_directory")

NAMES = ["variant", "strategy", "opponent"]
call = partial(command_line.call, "odds")
PICTURES = {  # the columns that the plots rely on
    "odds": ["draws", "kind", "share", "low", "high", "n"],
    "strength": ["metric", "value", "low", "high", "n"],
    "totals": ["total", "share", "low", "high", "n"],
    "threshold": ["k", "measure", "value", "low", "high", "n"],
    "scores": ["a", "b", "dealer", "value", "low", "high", "n"],
}
SOLO = (
    *("--strategy", "solo-greedy", "--strategy", "gold+discard=hits"),
    *("--deals", "2000", "--workers", "1"),
)


def test_two_one_player_variants_are_shown_side_by_side(empty_directory):
    output = call("solitaire-gin-knock", "solitary-gin", *SOLO, "--details").stdout
    assert all(len(line) <= 80 or line.startswith("Repeat: ") for line in output.splitlines())
    for words in (
        "Solitaire Gin Rummy with knocking",
        "match won %",
        "goal met %",
        "penalty",
        "met joker %",
        "left",
        "Luck and skill",
        "Seed 1.",
    ):
        assert words in output
    repeated = shlex.split(output.splitlines()[-1].removeprefix("Repeat:  "))
    assert repeated[:2] == ["simgin", "odds"] and repeated[-2:] == ["--seed", "1"]
    again = call(*repeated[2:], "--details").stdout
    assert again == output
    place = empty_directory / "results" / "odds"
    tables = ("strength", "odds", "left", "gin", "totals", "gap", "joker", "threshold")
    pictures = [
        f"{name}.{kind}"
        for name in ("odds", "strength", "totals", "threshold")
        for kind in ("svg", "png")
    ]
    assert {path.name for path in place.iterdir()} == {
        "manifest.json",
        "report.html",
        "summary.md",
        *(f"{name}.csv" for name in tables),
        *pictures,
    }
    for name in tables:
        frame = pd.read_csv(place / f"{name}.csv", keep_default_na=False)
        assert (
            list(frame.columns[:3]) == NAMES
            and frame.columns[-1] == "n"
            and set(frame["opponent"]) == {""}
        )
        if name in PICTURES:
            assert list(frame.columns) == [*NAMES, *PICTURES[name]]
    threshold = pd.read_csv(place / "threshold.csv")
    assert sorted(set(threshold["k"])) == list(range(11)) and set(threshold["strategy"]) == {
        "solo-greedy"
    }
    assert sorted(set(threshold["measure"])) == ["points", "share"]


def test_a_two_player_variant_is_shown_by_seat(empty_directory):
    output = call("standard", "--strategy", "gold", "--deals", "10k", "-o", "out").stdout
    assert len(output.splitlines()) <= 48 and output.count("\n\n") >= 2
    assert "Win probability by score" not in output and "nondealer" in output
    words = ("standard", "--strategy", "gold", "--deals", "10k", "-o", "out", "--details")
    output = call(*words).stdout
    assert all(len(line) <= 80 or line.startswith("Repeat: ") for line in output.splitlines())
    assert "nondealer" in output and "Win probability by score" in output
    frame = pd.read_csv(empty_directory / "out" / "scores.csv")
    assert list(frame.columns) == [*NAMES, *PICTURES["scores"]]
    assert (empty_directory / "out" / "scores-standard-gold.svg").exists()


def test_the_words_come_first_then_one_table(empty_directory):
    lines = call("solitary-gin", *SOLO).stdout.splitlines()
    rules = [line for line in lines if re.fullmatch("─+ *", line)]
    assert lines[0].startswith("solitary-gin: gold+discard=hits wins ")
    assert len(rules) == 1 and len(lines) <= 48 and lines[-1].startswith("Repeat: ")
    assert all(len(line) <= 80 for line in lines[:-1])


def test_where_v_is_refused_the_rest_is_shown():
    result = call("hollywood", "--strategy", "gold", "--deals", "10k")
    assert (
        "simgin: V is not computed for goal = columns" in result.stderr
        and "nondealer" in result.stdout
    )


def test_with_json_nothing_else_is_on_stdout():
    whole = json.loads(call("solitaire-gin", *SOLO, "--json").stdout)
    assert list(whole) == ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
    assert {row["table"] for row in whole["rows"]} == {
        "strength",
        "odds",
        "left",
        "gin",
        "gap",
        "joker",
    }
    assert all({"variant", "strategy", "opponent", "n"} <= set(row) for row in whole["rows"])


def test_without_a_variant_every_one_player_variant_is_shown():
    assert request.solo_variants() == [
        "solitaire-gin",
        "solitaire-gin-scored",
        "solitaire-gin-knock",
        "gin-solitaire",
        "solitary-gin",
    ]
    assert "results/odds" in call("--help").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing",), "nothing"),
        (("solitaire-gin", "--strategy", "nobody"), "nobody"),
        (("solitaire-gin", "--deals", "20"), "at least 1,000"),
        (("standard", "--deals", "20"), "at least 10,000"),
        (("solitaire-gin", "--deals", "-1"), "--deals"),
        (("solitaire-gin", "--seed", "-1"), "--seed"),
        (("solitaire-gin", "-o", "."), "name a directory inside it"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(words, message):
    result = call(*words, code=2)
    assert message in result.stderr and "Traceback" not in result.stderr and not result.stdout


def test_an_interruption_names_the_command_that_continues(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(request, "measure", interrupted)
    assert (
        "Continue with: simgin odds solitaire-gin --seed 1"
        in call("solitaire-gin", code=130).stderr
    )


def test_a_number_without_an_upper_limit_is_shown_as_over_its_lower_limit():
    assert sheets._size(10.0, 8.0, 12.0) == "10.0 ± 2.0"
    assert sheets._size(10.0, 8.0, float("inf")) == "over 8"


def test_the_chance_by_deadwood_is_shown():
    counts = [
        (turn, count, 0.9 - count / 100, 0.5, 1.0, 100)
        for turn in range(12)
        for count in range(0, 60, 5)
    ]
    frame = pd.DataFrame(counts, columns=["turn", "count", "value", "low", "high", "n"]).assign(
        variant="standard", strategy="a", opponent="a"
    )
    whole = odds.build_odds([], [], 1, counts=[frame])
    (sheet,) = sheets.odds_sheets(whole)
    assert sheet.headings == ("deadwood", "after 0", "after 2", "after 4", "after 6")
    assert [row[0] for row in sheet.rows] == [
        str(count) for count in range(0, 60, 5)
    ] and sheet.rows[0][1] == "90 (50 to 100)"
    assert set(whole.csv_files()) == {"counts.csv"}
    assert [picture.name for picture in pictures.odds_pictures(whole)] == ["counts"]


def test_the_plot_of_odds_shows_few_lines(monkeypatch):
    """Gin of both players and the joker of the last.

    Naive play also knocks and meets the joker; those chances are in the table.
    """
    drawn, draw = {}, plots.odds

    def seen(frame, *, seed):
        drawn["frame"] = frame
        return draw(frame, seed=seed)

    monkeypatch.setitem(pictures.PICTURES, "odds", (seen, "Probability of gin by draw"))
    call(
        "solitaire-gin-knock",
        "--strategy",
        "gold+discard=hits",
        "--strategy",
        "solo-greedy",
        "--deals",
        "2000",
    )
    frame = drawn["frame"]
    assert set(zip(frame["strategy"], frame["kind"], strict=True)) == {
        ("gold+discard=hits", "gin"),
        ("solo-greedy", "gin"),
        ("solo-greedy", "joker"),
    }
    every = pd.read_csv("results/odds/odds.csv")
    assert len(every) > len(frame) and {"knock", "gin", "joker"} == set(every["kind"])
