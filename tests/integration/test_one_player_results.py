"""Screens, plots and files of one-player variants and of settled matches."""

import io

import pandas as pd
import pytest
from click.testing import CliRunner
from rich.console import Console

import simgin
from simgin import plots
from simgin.cli import session
from simgin.cli.main import cli
from simgin.report import numbers, screen, summary
from simgin.stats import table

JOKER = simgin.match("gold", variant="gin-solitaire", matches=300)
CLOCK = simgin.match("gold", variant="solitary-gin", matches=300)
PANEL = pd.concat(
    [JOKER, simgin.match("gin-only", variant="gin-solitaire", matches=300)], ignore_index=True
)
GAMES = pd.concat([JOKER, CLOCK], ignore_index=True)
DATA = pytest.mark.parametrize(
    "data", [JOKER, CLOCK, PANEL, GAMES], ids=["joker", "clock", "panel", "games"]
)


def text_of(thing, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


def titles(data):
    return [column.title for column in summary.shown_columns(data)]


def test_the_columns_are_for_one_player():
    assert (
        titles(JOKER)[:3] == ["deals won %", "score/deal", "matches won %"]
        and titles(JOKER)[-1] == "turns"
    )
    assert {"ended by gin %", "ended by knock %", "ended by undercut %", "joker %"} <= set(
        titles(JOKER)
    ) and "void %" not in titles(JOKER)
    results = ["deals won %", "score/deal", "goal met %"]
    assert titles(CLOCK) == [*results, "ended by gin %", "limit %", "turns"]
    row = summary.texts(CLOCK)[0]
    value = table.cell(CLOCK.set_index("metric"), "match_win")
    assert row["goal met %"] == numbers.estimate(
        *value, 100
    )  # of a total the match is won by meeting the goal
    assert "A" not in row and row["strategy"] == "gold"


@DATA
@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_cut_and_there_is_no_player_b(data, width):
    text = text_of(screen.results(data, 1), width)
    assert max(map(len, text.splitlines())) <= width and "…" not in text
    for _, rows in table.matchups(data):
        won = numbers.estimate(*table.cell(rows, "deal_win"), 100)
        if width > 40:
            assert won in text
    assert "against" not in text and "A's" not in text and "exchanged" not in text


def test_headings_and_notes_are_for_one_player():
    assert text_of(screen.results(JOKER, 1)).startswith("\ngold, gin-solitaire, 300 matches (")
    assert text_of(screen.results(PANEL, 1)).startswith("\nvariant: gin-solitaire; 300 matches (")
    assert "The score is the player's points minus the joker's. " in summary.reading(JOKER)
    assert "lower is better" in summary.reading(CLOCK)
    assert text_of(screen.details(CLOCK)).startswith(
        "gold, solitary-gin, 300 matches (1,500 deals)"
    )


@DATA
def test_a_written_table_reads_back_equal(data, tmp_path):
    (tmp_path / "table.csv").write_text(table.csv(data))
    again = table.read(tmp_path / "table.csv")
    assert set(again["opponent"]) == {""}
    assert summary.texts(again) == summary.texts(data) and table.csv(again) == table.csv(data)
    assert [key for key, _ in table.matchups(again)] == [key for key, _ in table.matchups(data)]


def test_a_strategy_named_none_is_read_back(tmp_path):
    (tmp_path / "table.csv").write_text(table.csv(JOKER.assign(strategy="nan", opponent="None")))
    assert set(table.read(tmp_path / "table.csv")["strategy"]) == {"nan"}


def test_a_metric_without_meaning_in_a_variant_is_undefined():
    assert all(number != number for number in table.cell(JOKER.set_index("metric"), "take_rate"))


@DATA
@pytest.mark.parametrize("plot", [plots.win_and_points, plots.endings])
def test_plots_name_no_second_player(data, plot):
    figure = plot(data, seed=1)
    title = figure.get_suptitle().replace("\n", " ")
    assert title.endswith(": gold") or (data is PANEL and ":" not in title)
    assert " v " not in title and "against" not in title
    assert not any(
        "(B)" in text.get_text()
        for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))
    )
    assert plots.png(figure).startswith(b"\x89PNG")


def test_the_joker_has_its_own_dots():
    def sides(data):
        legend = plots.win_and_points(data, seed=1).axes[0].get_legend()
        return [] if legend is None else [text.get_text() for text in legend.get_texts()]

    assert sides(JOKER) == ["won", "lost to the joker"] and sides(CLOCK) == []
    names = [axes.get_title(loc="left") for axes in plots.win_and_points(JOKER, seed=1).axes]
    assert names == ["deals won, %", "score per deal", "matches won, %"]


def test_files_leave_the_missing_opponent_empty():
    text = summary.markdown(PANEL)
    assert text.startswith("| variant | strategy | played | deals won % |") and "nan" not in text
    assert pd.read_csv(io.StringIO(summary.csv(PANEL)))["opponent"].isna().all()


def test_the_settlement_is_shown_where_it_differs_from_points():
    shown = {
        variant: "settlement" in titles(simgin.match("gold", "simple", variant, matches=60))
        for variant in ("standard", "hollywood", "race")
    }
    assert shown == {"standard": False, "hollywood": True, "race": False}
    paid = simgin.match("gold", "simple", "tournament", matches=60)
    assert "settlement" in titles(paid) and "what A receives for a match" in summary.reading(paid)
    assert (
        plots.win_and_points(paid, seed=1).axes[-1].get_title(loc="left")
        == "settlement per match, in favour of A"
    )


def test_refusals_are_shown_where_they_occurred():
    refusals = {"A won by refusal %", "B won by refusal %"}
    assert refusals <= set(titles(simgin.match("random", "simple", "dice", matches=60)))
    assert not refusals & set(titles(simgin.match("gold", "simple", "dice", matches=60)))
    assert "ended by refusal %" in titles(simgin.match("random", "random", "dice", matches=60))


def call(*words):
    result = CliRunner().invoke(cli, [str(word) for word in words], prog_name="simgin")
    assert result.exit_code == 0, result.output
    return result


def test_the_command_prints_one_player_results():
    result = call("match", "gold", "-v", "solitaire-gin", "--deals", 500, "--details")
    assert "Not mirrored: one player, 500 independent deals. Seed 1." in result.stdout
    assert result.stderr in ("", f"simgin: {session.COMPILING}\n")  # said on a busy machine
    assert (
        result.stdout.splitlines()[-1]
        == "Repeat:  simgin match gold -v solitaire-gin --deals 500 --seed 1"
    )
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_single_deals_with_a_die_carry_a_note():
    assert (
        "deals of dice depend on the die and the score"
        in call("match", "gold", "-v", "dice", "--deals", 50).stderr
    )
    assert "--matches" not in call("match", "gold", "-v", "dice", "--matches", 10).stderr
