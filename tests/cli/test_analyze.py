"""Tests of `simgin analyze`: screens, JSON output, HTML reports and errors."""

import json
import re
import shlex

import pandas as pd
import pytest

import simgin
from support.command_line import run_simgin
from support.html_checks import find_html_errors

pytestmark = pytest.mark.usefixtures("few_metropolis_steps", "few_evaluated_deals")
HAND_CARDS = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS".split()
PILE_TEXT = "QD TS 9D* QH"
FAST_OPTIONS = "--worlds 400 --as gold --against gold".split()


@pytest.fixture(autouse=True)
def narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def run_analyze(*arguments):
    """Run `simgin analyze`, check that its screen fits 80 columns, and return the screen."""
    screen = run_simgin("analyze", *arguments).stdout
    for line in screen.splitlines():
        assert len(line) <= 80 or "simgin analyze" in line, line
    return screen


def run_repeat_command(screen):
    """Run the command that a screen shows, and return its output."""
    _, _, after_heading = screen.partition("\nCommand: simgin ")
    command, _, result = after_heading.partition("\n")
    start = " ".join(result.split())[:20]
    assert start and (start in " ".join(screen.split()) or start.startswith("Costliest decision"))
    return run_simgin(*shlex.split(command)).stdout


def test_position_on_the_command_line_is_analysed():
    screen = run_analyze(*HAND_CARDS, "--pile", PILE_TEXT, *FAST_OPTIONS, "--score", "30-45")
    assert "You hold 7H 7D 7C | 8C 9C TC | KS 4H TD AC 4C" in screen
    assert "The opponent holds 9D, taken from the pile." in screen
    assert screen.count("discard ") >= 11
    assert "Stock of 28 cards, you are the dealer, score 30-45" in screen
    assert "cost, match %" in screen
    assert "ranked by match %. Without a score, simgin ranks actions by points." in join_lines(
        screen
    )
    assert run_repeat_command(screen) == screen


@pytest.mark.parametrize("variant", ["hollywood", "pro", "twofold", "standard+goal=deals"])
def test_score_that_does_not_determine_the_match_is_rejected(variant):
    message = r"cannot be computed from a score in \S+\. Omit the score to rank actions"
    arguments = ["analyze", *HAND_CARDS, "--pile", PILE_TEXT, "-v", variant, "--score", "0-5"]
    assert re.search(message, join_lines(run_simgin(*arguments, exit_code=2).stderr))
    with pytest.raises(ValueError, match=message):
        simgin.analyze(" ".join(HAND_CARDS), PILE_TEXT, variant, score=(0, 5))


@pytest.mark.parametrize(("variant", "measure"), [("shot", "points"), ("dice-pro", "games")])
def test_score_that_affects_only_the_deal_has_a_note_on_the_ranking(variant, measure):
    position = [*HAND_CARDS, "--pile", PILE_TEXT, "-v", variant, *FAST_OPTIONS, "--score", "0-95"]
    note = f"Actions are ranked by {measure}, because the probability of winning the match"
    assert note in join_lines(run_analyze(*position))


def test_actions_of_a_deal_are_ranked_by_points():
    screen = run_analyze("gold", "simple", "--deal", 1, "--turn", 2, *FAST_OPTIONS)
    assert "cost, points" in screen and "match %" in screen
    assert "Actions are ranked by points. If you enter the position with its" in join_lines(screen)


def join_lines(screen):
    """Return a screen as one line, without line breaks or repeated spaces."""
    return " ".join(screen.split())


@pytest.mark.parametrize(
    ("variant", "columns"),
    [
        ("solitaire-gin", ["cost, won %", "won %"]),
        ("solitaire-gin-scored", ["cost, points", "points", "won %", "gin %"]),
        ("gin-solitaire", ["cost, points", "points", "won %", "gin %", "undercut %"]),
        ("solitary-gin", ["cost, penalty", "penalty", "gin %"]),
    ],
)
def test_solitaire_position_shows_the_metrics_of_its_variant(variant, columns):
    arguments = [
        *HAND_CARDS,
        "--pile",
        "QD TS",
        "-v",
        variant,
        "--worlds",
        200,
        "--as",
        "solo-greedy",
    ]
    screen = run_analyze(*arguments)
    heading = next(line for line in screen.splitlines() if line.startswith("action "))
    assert re.split(r"  +", heading) == ["action", *columns, "worlds"]
    assert "Discards (oldest first)  QD TS" in screen and "solo-greedy plays to the" in screen
    frame = simgin.analyze(
        " ".join(HAND_CARDS), "QD TS", variant, strategy="solo-greedy", worlds=200
    ).frame
    assert (frame["cost"].diff().dropna() >= 0).all() and set(frame["opponent"]) == {""}


def test_json_rows_equal_the_dataframe():
    arguments = [
        "analyze",
        *HAND_CARDS,
        "--pile",
        PILE_TEXT,
        *FAST_OPTIONS,
        "--json",
        "--workers",
        3,
    ]
    rows = json.loads(run_simgin(*arguments).stdout)["rows"]
    frame = simgin.analyze(
        " ".join(HAND_CARDS), PILE_TEXT, strategy="gold", opponent="gold", worlds=400
    ).frame
    assert [row["action"] for row in rows] == list(frame["action"])
    assert [row["points"] for row in rows] == list(frame["points"])
    assert rows[0]["cost"] == 0
    assert {"win", "gin", "undercut", "match", "low", "high", "worlds", "best"} <= set(rows[0])


ERROR_RATE_ARGUMENTS = "gold simple --deals 20 --worlds 10 --as gold-early".split()


def test_error_rates_list_decision_kinds_and_costliest_decisions():
    screen = run_analyze(*ERROR_RATE_ARGUMENTS)
    lines = screen.splitlines()
    assert "Error rate of gold against simple (standard)" in screen
    for kind in ("first upcard", "discard", "end or continue the deal", "all decisions"):
        assert any(line.startswith(kind) for line in lines)
    assert "gold-early gains" in " ".join(screen.split())
    commands = [line.strip() for line in lines if line.startswith("  simgin analyze")]
    assert len(commands) == 5
    analysis = run_simgin(*shlex.split(commands[0].removeprefix("simgin ")), "--worlds", 200).stdout
    position, mistake = re.search(r"points: (.*?)\. Chosen: (.*)\. Better", screen).groups()
    assert re.search(f"^{position}, .*, gold", analysis, re.M) and f"{mistake} <" in analysis


def test_offers_of_the_die_are_analysed_in_gin_dice(tmp_path):
    offers = "gold+offer=strong:{}+answer=brave"
    players = [offers.format("blind=yes"), offers.format("count=60")]
    screen = run_simgin("analyze", *players, "-v", "dice", "--unit", 3, "--worlds", 200).stdout
    for words in ("blind, offer", "upcard, answer", "in won deals"):
        assert words in screen
    path = tmp_path / "deal.json"
    path.write_text(run_simgin("show", *players, "-v", "dice", "--unit", 3, "--json").stdout)
    analysis = run_simgin("analyze", path, "--worlds", 200, "--turn", 0).stdout
    assert "The player chose refuse 3" in analysis
    frame = simgin.analyze("blind", variant="dice", offer=True, worlds=200).frame
    assert list(frame["by"].unique()) == ["deals"]


POSITION_ARGUMENTS = ("analyze", *HAND_CARDS, "--pile", PILE_TEXT, *FAST_OPTIONS)


@pytest.fixture(scope="module")
def report_directory(tmp_path_factory):
    """Save the report of a position, and return its directory."""
    directory = tmp_path_factory.mktemp("position") / "page"
    screen = run_simgin(*POSITION_ARGUMENTS, "-o", directory).stdout
    assert f"Output:  {directory / 'report.html'}" in screen
    assert f" -o {directory}\n" in screen
    return directory


def test_report_is_valid_html_and_describes_its_figure(report_directory):
    page = (report_directory / "report.html").read_text()
    assert find_html_errors(page) == []
    assert page.count("<figure") == 1
    (description,) = re.findall(r"<desc[^>]*>(.*?)</desc>", page, re.S)
    assert (
        description.startswith("Cost ranges from 0 (discard KS) to ")
        and "(discard 9C)" in description
    )
    assert "Your hand, deadwood 29" in page and "Cards with a dashed frame were taken" in page


def test_report_shows_every_card(report_directory):
    page = (report_directory / "report.html").read_text()
    faces = re.findall(r'class="face ([a-z ]*)">(\w*)(?:<span class="suit( red)?">(.))?', page)
    suits = dict(zip("♠♥♦♣", "SHDC", strict=True))
    drawn = [rank.replace("10", "T") + suits[suit] for _, rank, _, suit in faces if suit]
    on_the_table = [*HAND_CARDS, *PILE_TEXT.replace("*", "").split(), "9D"]  # the opponent holds 9D
    assert drawn[:11] == "7H 7D 7C 8C 9C TC KS 4H TD AC 4C".split()
    assert sorted(drawn) == sorted(on_the_table)
    assert all(bool(red) == (suit in "♥♦") for _, _, red, suit in faces if suit)
    toned = [(tone, rank) for tone, rank, _, _ in faces if tone not in ("", "back")]
    assert toned == [("marked", "K"), ("gone", "9")]
    assert [tone for tone, *_ in faces].count("back") == 9


def test_deal_report_lists_all_decisions_and_illustrates_costly_ones(tmp_path):
    directory = tmp_path / "deal"
    screen = run_simgin(
        "analyze", "gold", "simple", "--unit", 3, "--worlds", 1000, "-o", directory
    ).stdout
    page = (directory / "report.html").read_text()
    assert "Cost of each decision: gold v simple (standard)" in page
    rows = [line for line in screen.splitlines() if line.startswith(("turn", "upcard"))]
    assert len(rows) > 10 and page.count("<tr") == len(rows) + 1
    frame = pd.read_csv(directory / "analysis.csv")
    costly = frame[frame["done"] & (frame["low"] > 0)]
    assert len(costly) and page.count("<figure") == min(6, len(costly))


def test_output_directory_with_unrelated_files_is_rejected(tmp_path):
    (tmp_path / "own.txt").write_text("mine")
    assert str(tmp_path) in run_simgin(*POSITION_ARGUMENTS, "-o", tmp_path, exit_code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["own.txt"]
