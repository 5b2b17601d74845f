"""`simgin analyze`: positions and deals on a screen, for programs, and what is refused."""

import json
import re
import shlex
from pathlib import Path

import pytest

import simgin
from support.command_line import call

HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS".split()
PILE = "QD TS 9D* QH"
PATIENT = """
from simgin.strategy import Strategy, knock
@knock
def early(view, rules, params):
    return view.own_turn <= 5 or view.ending_count == 0
STRATEGY = Strategy("patient-gold", knock=early)
"""
QUICK = "--worlds 400 --as gold --against gold".split()


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_a_position_as_a_person_has_it():
    shown = call("analyze", *HAND, "--pile", PILE, *QUICK).stdout
    lines = shown.splitlines()
    assert all(len(line) <= 80 for line in lines if not line.startswith("Repeat:"))
    assert "You hold 7H 7D 7C | 8C 9C TC | KS 4H TD AC 4C" in shown
    assert "The opponent took and holds 9D" in shown
    assert shown.count("discard ") >= 11
    assert "28 cards in the stock, you deal, score 0-0" in shown


def test_the_command_that_is_named_repeats_the_numbers():
    shown = call("analyze", *HAND, "--pile", PILE, *QUICK, "--score", "30-45").stdout
    assert "cost, match %" in shown
    again = shlex.split(shown.splitlines()[-1].removeprefix("Repeat:  simgin "))
    assert call(*again).stdout == shown


def test_a_turn_of_a_deal_says_what_was_done_and_what_it_cost():
    shown = call("analyze", "gold", "simple", "--unit", 3, "--turn", 2, "--worlds", 400).stdout
    assert "turn 2, draw, simple" in shown
    assert "turn 2, discard, simple" in shown
    assert "draw <" in shown
    assert "It was done." in shown
    assert "which cost" in shown


def test_a_deal_has_a_row_for_each_decision():
    shown = call("analyze", "gold", "simple", "--unit", 3, "--worlds", 200).stdout
    assert "upcard, gold" in shown
    assert "turn 9, discard, gold" in shown
    assert "knock, 9H" in shown
    assert all(len(line) <= 80 for line in shown.splitlines()[:-1])


@pytest.mark.parametrize(
    ("variant", "columns"),
    [
        ("solitaire-gin", ["cost, won %", "won %"]),
        ("solitaire-gin-scored", ["cost, points", "points", "won %", "gin %"]),
        ("gin-solitaire", ["cost, points", "points", "won %", "gin %", "undercut %"]),
        ("solitary-gin", ["cost, penalty", "penalty", "gin %"]),
    ],
)
def test_one_player_is_shown_the_figure_of_the_game(variant, columns):
    words = ["analyze", *HAND, "--pile", "QD TS", "-v", variant, "--worlds", 200]
    shown = call(*words, "--as", "solo-greedy").stdout
    heading = next(line for line in shown.splitlines() if line.startswith("action"))
    assert re.split(r"  +", heading) == ["action", *columns, "worlds"]
    assert "Thrown  QD TS" in shown
    assert "solo-greedy plays on." in shown
    frame = simgin.analyze(" ".join(HAND), "QD TS", variant, own="solo-greedy", worlds=200)
    assert (frame["cost"].diff().dropna() >= 0).all()
    assert set(frame["opponent"]) == {""}


def test_a_deal_of_one_player_has_a_row_for_each_decision():
    words = ["analyze", "solo-greedy+knock=at:k=9", "-v", "solitaire-gin-knock", "--unit", 0]
    shown = call(*words, "--worlds", 200).stdout
    assert "turn 1, discard" in shown
    assert re.search(r"turn 7, stop +knock", shown)


def test_json_has_the_rows_of_the_frame():
    words = ["analyze", *HAND, "--pile", PILE, *QUICK, "--json"]
    rows = json.loads(call(*words).stdout)["rows"]
    frame = simgin.analyze(" ".join(HAND), PILE, own="gold", other="gold", worlds=400)
    assert [row["action"] for row in rows] == list(frame["action"])
    assert [row["points"] for row in rows] == list(frame["points"])
    assert rows[0]["cost"] == 0
    assert {"win", "gin", "undercut", "match", "low", "high", "worlds", "best"} <= set(rows[0])


def test_workers_do_not_change_the_numbers():
    words = ["analyze", *HAND, "--pile", PILE, *QUICK]
    one, three = (call(*words, "--workers", n).stdout for n in (1, 3))
    assert one == three


def test_the_frame_of_a_deal_names_its_decisions():
    frame = simgin.analyze_deal("gold", "simple", unit=3, turn=5, worlds=200)
    assert list(frame["decision"].unique()) == ["turn 5, draw, gold", "turn 5, discard, gold"]
    assert frame.groupby("decision")["done"].sum().tolist() == [1, 1]


RATES = "gold simple --deals 100 --worlds 25 --as gold-early".split()


def test_error_rates_name_kinds_of_decisions_and_the_costliest_ones():
    shown = call("analyze", *RATES).stdout
    lines = shown.splitlines()
    assert all(len(line) <= 80 for line in lines if "simgin analyze" not in line)
    assert "Error rate of gold against simple, standard" in shown
    for kind in ("first upcard", "what to discard", "end the deal or play on", "all"):
        assert any(line.startswith(kind) for line in lines)
    assert "gold-early itself is better than" in " ".join(shown.split())
    commands = [line.strip() for line in lines if line.startswith("  simgin analyze")]
    assert len(commands) == 5
    found = call(*shlex.split(commands[0].removeprefix("simgin ")), "--worlds", 200).stdout
    place, mistake = re.search(r"points: (.*?): (.*), better", shown).groups()
    assert f"{place}, gold" in found
    assert f"{mistake} <" in found


def test_the_command_named_behind_error_rates_repeats_them():
    shown = call("analyze", *RATES).stdout
    again = shlex.split(shown.splitlines()[-1].removeprefix("Repeat:  simgin "))
    assert call(*again).stdout == shown


def test_json_and_the_frame_of_error_rates_agree():
    rows = json.loads(call("analyze", *RATES, "--json").stdout)["rows"]
    frame = simgin.error_rates("gold", "simple", deals=100, worlds=25, judge="gold-early")
    rates = [row for row in rows if "command" not in row]
    assert [row["points"] for row in rates] == list(frame["points"])
    assert rates[-1]["kind"] == "all"
    assert sum("command" in row for row in rows) == 5


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([*HAND, "--deals", 100], "--deals goes with strategies"),
        (["gold", "--deals", 100, "--unit", 3], "--unit goes with one position or one deal"),
        (["gold", "--deals", 100, "--pile", PILE], "--pile goes with one position or one deal"),
        (["gold", "--deals", 100, "--for", "2s"], "--for goes with one position or one deal"),
        (["gold", "--deals", 100, "--against", "simple"], "name the opponent behind A"),
        (["gold", "--deals", 20], "name 100 to 100,000 deals, not 20"),
        (["solo-greedy", "solo-dp", "-v", "solitary-gin", "--deals", 100], "name one strategy"),
        ([*HAND[:9], "--pile", PILE], "9 cards were given"),
        ([*HAND[:10], "7H", "--pile", PILE], "7H is given more than once"),
        ([*HAND, "--pile", "QD TS 9D* QH KS"], "KS is among your cards"),
        ([*HAND, "--pile", PILE, "--score", "high"], "'high' is not a score"),
        ([*HAND, "--pile", PILE, "--score", "30-145"], "the match is over at 30-145"),
        ([*HAND, "--pile", PILE, "--turn", "3"], "--turn goes with a deal"),
        (["gold", "simple", "--score", "3-4"], "--score goes with cards"),
        (["gold", "simple", "--turn", "99"], "nothing was decided in turn 99"),
        (["solo-greedy", "-v", "solitary-gin", "--against", "gold"], "is for one player"),
        ([*HAND, "--pile", "QD*", "-v", "solitary-gin"], "discards cannot be taken"),
        (["nobody", "simple"], "nobody"),
        ([*HAND, "--pile", PILE, "--worlds", "2M"], "too many to keep"),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_a_sentence(words, sentence):
    done = call("analyze", *words, code=2)
    assert sentence in done.stderr
    assert done.stdout == ""


def test_the_screen_in_the_documents_is_what_the_command_prints():
    page = (Path(__file__).parents[2] / "docs/how-to/positions.md").read_text()
    command, screen = re.search(r"screen: (.*?) -->.*?```text\n(.*?)```", page, re.S).groups()
    shown = call(*command.split()).stdout
    trimmed = [line.rstrip() for line in shown.splitlines()[:-2]]
    assert trimmed == screen.splitlines()


def test_a_strategy_of_a_file_far_away_has_its_own_name(tmp_path):
    path = tmp_path / "a/folder/far/below/the/one/in/which/the/author/works/patient.py"
    path.parent.mkdir(parents=True)
    path.write_text(PATIENT)
    shown = call("analyze", path, "simple", "--unit", 3, "--worlds", 200).stdout
    assert "turn 1, discard, patient-gold" in shown
    assert all(len(line) <= 80 for line in shown.splitlines()[:-1])
    turn = call("analyze", path, "simple", "--unit", 3, "--worlds", 200, "--turn", 1).stdout
    assert "patient-gold and simple play on." in turn


TEN = HAND[:10]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (
            [*TEN, "--pile", "QD TS", "--stake", 2, "--owner", "me", "--offer"],
            ["The die shows 2, you own it", "leave the die", "offer 6", "cost, deals"],
        ),
        (
            [*TEN, "--pile", "QD", "--stake", 2, "--owner", "other", "--offered", 4],
            ["the opponent offers 4", "accept 4", "refuse 4", "-2.00"],
        ),
        (
            ["blind", "--score", "5-6", "--offer"],
            ["The cards are not seen yet", "5-6 of 7 won deals", "cost, match %"],
        ),
    ],
)
def test_the_die_is_offered_and_answered(words, shown):
    words = ["analyze", *words, "-v", "dice", "--worlds", 200, "--as", "dice-player"]
    screen = call(*words, "--against", "dice-player").stdout
    assert [text for text in shown if text not in screen] == []
    assert all(len(line) <= 80 for line in screen.splitlines()[:-1])
    again = shlex.split(screen.splitlines()[-1].removeprefix("Repeat:  simgin "))
    assert call(*again).stdout == screen


def test_a_deal_with_a_die_has_rows_for_its_offers(tmp_path):
    players = [
        "gold+offer=strong:blind=yes+answer=brave",
        "gold+offer=strong:count=60+answer=brave",
    ]
    shown = call("analyze", *players, "-v", "dice", "--unit", 3, "--worlds", 200).stdout
    assert "blind, offer" in shown
    assert "upcard, answer" in shown
    assert "in won deals" in shown
    path = tmp_path / "deal.json"
    path.write_text(call("show", *players, "-v", "dice", "--unit", 3, "--json").stdout)
    read = call("analyze", path, "--worlds", 200, "--turn", 0).stdout
    assert "Done was refuse 3" in read
    frame = simgin.analyze("blind", variant="dice", offer=True, worlds=200)
    assert list(frame["by"].unique()) == ["deals"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([*TEN, "--pile", "QD TS", "--stake", 2, "--owner", "me"], "standard has no die"),
        (["gold", "simple", "-v", "dice", "--stake", 2], "--stake goes with cards"),
        (["blind", "-v", "dice", "--offer", "--unit", 3], "--unit goes with a deal"),
    ],
)
def test_a_die_that_cannot_be_is_refused(words, sentence):
    assert sentence in call("analyze", *words, code=2).stderr
