"""Tests of `simgin odds`: its 80-column screen, files, JSON output and errors."""

import json
import shlex
from functools import partial

import pandas as pd
import pytest

from simgin.stats.table import TABLE_COLUMNS
from support import command_line

pytestmark = pytest.mark.usefixtures("empty_directory", "few_decks")

call_odds = partial(command_line.run_simgin, "odds")
# Further columns after those of tidy rows, by table
EXTRA_COLUMNS_BY_TABLE = {
    "strength": [],
    "bracket": [],
    "odds": ["draws", "kind"],
    "left": ["left"],
    "gin": ["statistic"],
    "totals": ["total"],
    "joker": [],
    "threshold": ["k", "measure"],
}
SOLO_OPTIONS = ("--strategy", "solo-greedy", "--strategy", "gold+discard=hits", "--deals", "2000")


def assert_fits_80_columns(output):
    """Check that no line except the command has more than 80 characters."""
    lines = output.splitlines()
    assert all(len(line) <= 80 or line.startswith(("Command: ", "Output: ")) for line in lines)


def test_report_of_odds_shows_the_command_to_repeat():
    call_odds("solitary-gin", *SOLO_OPTIONS, "-o", "out")
    error = " ".join(command_line.run_simgin("report", "out", exit_code=2).stderr.split())
    assert "out does not contain a run or a review." in error
    assert "repeat the command: simgin odds solitary-gin" in error


def test_two_solitaire_variants_are_shown_side_by_side(empty_directory):
    output = call_odds("solitaire-gin-knock", "solitary-gin", *SOLO_OPTIONS, "--details").stdout
    assert_fits_80_columns(output)
    headings = ("matches won %", "goals met %", "penalty", "best possible")
    for words in (*headings, "Solitaire Gin Rummy with knocking", "Seed 1."):
        assert words in output
    _, further_results = " ".join(output.split()).split("Further results: ")
    assert further_results.startswith(
        "odds by number of draws (odds.csv), odds by number of cards left (left.csv), "
        "effect of luck (joker.csv) and effect of skill (gap.csv)."
    )
    repeated = shlex.split(output.splitlines()[-1].removeprefix("Command: "))
    assert repeated[:2] == ["simgin", "odds"] and repeated[-2:] == ["--seed", "1"]
    assert call_odds(*repeated[2:], "--details").stdout == output
    directory = empty_directory / "results" / "odds-solitaire-gin-knock-solitary-gin"
    tables = (*EXTRA_COLUMNS_BY_TABLE, "gap")
    shown = ("odds", "strength", "totals", "threshold")
    written = {"manifest.json", "report.html", "summary.md", *(f"{name}.csv" for name in tables)}
    written |= {f"{name}.{kind}" for name in shown for kind in ("svg", "png")}
    assert {path.name for path in directory.iterdir()} == written
    for name in tables:
        frame = pd.read_csv(directory / f"{name}.csv", keep_default_na=False)
        assert tuple(frame.columns[:10]) == TABLE_COLUMNS and set(frame["opponent"]) == {""}
        if name in EXTRA_COLUMNS_BY_TABLE:
            assert list(frame.columns[10:]) == EXTRA_COLUMNS_BY_TABLE[name]
    threshold = pd.read_csv(directory / "threshold.csv")
    assert set(threshold["k"]) == set(range(11)) and set(threshold["strategy"]) == {"solo-greedy"}
    assert set(threshold["measure"]) == {"points", "share"}


def test_two_player_odds_show_match_wins_at_each_score(empty_directory):
    arguments = ("standard", "--strategy", "gold", "--deals", "10k", "-o", "out")
    output = call_odds(*arguments).stdout
    assert output.splitlines()[1].startswith("Against an equal opponent, you win ")
    assert len(output.splitlines()) <= 28 and "Matches won at each score" in output
    output = call_odds(*arguments, "--details").stdout
    assert_fits_80_columns(output)
    assert "nondealer" in output and "deadwood" in output and "joker" not in output
    assert "Further results" not in output
    frame = pd.read_csv(empty_directory / "out" / "scores.csv")
    assert list(frame.columns) == [*TABLE_COLUMNS, "a", "b", "dealer"]
    for name in ("scores-standard", "counts-standard"):
        assert (empty_directory / "out" / f"{name}.svg").exists()


def test_json_output_is_a_single_object():
    output = json.loads(call_odds("solitaire-gin", *SOLO_OPTIONS, "--json").stdout)
    assert list(output) == ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
    tables = {"strength", "bracket", "odds", "left", "gin", "gap", "joker"}
    assert {row["table"] for row in output["rows"]} == tables
    for row in output["rows"]:
        assert [*row][1:11] == [*TABLE_COLUMNS]


def test_interrupted_odds_show_the_command_to_resume(monkeypatch):
    def raise_interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("simgin.odds.odds.run_odds", raise_interrupt)
    expected = "with: simgin odds solitaire-gin --seed 1"
    output = call_odds("solitaire-gin", exit_code=130).stderr
    assert f"Finished players are saved in the cache. Continue {expected}" in output
    monkeypatch.setattr("simgin.core.jit.get_cache_directory", lambda: None)
    output = call_odds("solitaire-gin", exit_code=130).stderr
    assert f"Nothing was saved. Start again {expected}" in output
