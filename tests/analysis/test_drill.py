"""Tests of `simgin drill`: costs as in analyze, no hidden information, and the HTML report."""

import json
import re
import shlex
import sqlite3
import sys
import webbrowser
import zipfile

import drill as training_drill
import pytest

from simgin.analysis import drill
from simgin.analysis.position import PositionError
from simgin.cli.commands import drill as command
from simgin.play.traced_deal import trace_deal
from simgin.stats.table import to_json_row
from simgin.text.notation import format_card, mask_to_cards
from support.command_line import run_simgin

pytestmark = pytest.mark.usefixtures("few_metropolis_steps")
N_WORLDS, N_SCREENING_WORLDS = 800, 60
SUIT_LETTERS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
CARD_PATTERN = re.compile(r'(10|[A2-9JQK])<span class="suit(?: red)?">(.)')


N_EXERCISES = 4


def run_small_drill(monkeypatch, workers):
    """Create a drill from few deals and worlds, which takes a second or two."""
    monkeypatch.setattr(drill, "SCREENING_WORLDS", N_SCREENING_WORLDS)
    monkeypatch.setattr(drill, "DEFAULT_WORLDS", N_WORLDS)
    monkeypatch.setattr(drill, "DEALS_PER_POSITION", 6)
    return drill.run_drill(drill.DrillRequest.read("standard", None, N_EXERCISES, 1), workers)


def render_html(drill_result, command):
    return drill.render_drill_page(drill.build_drill_contents(drill_result), command)


@pytest.fixture(scope="module")
def small_drill():
    """Create a drill once for all tests, from few deals and worlds."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield run_small_drill(monkeypatch, workers=2)


def test_costs_equal_those_of_analyze(small_drill):
    """Analyse the turn of one position again."""
    rows = [row for row in small_drill.records() if row["position"] == 1]
    _, *arguments = shlex.split(rows[0]["analyze"])
    analysed = json.loads(run_simgin(*arguments, "--worlds", N_WORLDS, "--json").stdout)["rows"]
    decision = f"{small_drill.exercises[0].position.label}, {rows[0]['player']}"
    row_by_action = {row["action"]: row for row in analysed if row["decision"] == decision}
    for row in rows:
        names = ("points", "cost", "low", "high", "worlds", "best", "done")
        expected = to_json_row(row_by_action[row["action"]])  # rounded
        assert [row[name] for name in names] == [expected[name] for name in names]


def test_best_option_is_correct_and_the_played_option_is_not(small_drill):
    assert len(small_drill.exercises) == N_EXERCISES
    for exercise in small_drill.exercises:
        assert exercise.correct_options[0] == exercise.analysis.ranking[0]
        assert set(exercise.correct_options) < set(exercise.options)
        assert exercise.position.chosen_index not in exercise.correct_options
        assert len(exercise.correct_options) == 1 or 3 * len(exercise.correct_options) <= len(
            exercise.options
        )
    for (
        exercise
    ) in small_drill.exercises:  # any card can be discarded, but only the best ending is an option
        option_names = [
            exercise.position.format_action(exercise.position.actions[index])
            for index in exercise.options
        ]
        endings = [
            text.partition(",")[0] for text in option_names if not text.startswith("discard")
        ]
        assert len(endings) == len(set(endings))


def test_players_differ_in_when_they_knock():
    """Expect players that knock at the first chance, only in the first five turns, and never."""
    knocks = {}
    for matchup in drill.DrillRequest.read("standard", None, N_EXERCISES, 1).matchups:
        knock_decisions = [
            decision
            for unit in range(20)
            for decision in trace_deal(matchup, unit, 0).decisions
            if decision.slot == "knock" and decision.seat == 0 and decision.view.ending_count > 0
        ]
        knocks[matchup.a.spec] = {
            is_early: {
                bool(decision.action)
                for decision in knock_decisions
                if (decision.view.own_turn <= 5) == is_early
            }
            for is_early in (True, False)
        }
    assert knocks == {
        "simple": {True: {True}, False: {True}},
        "gold-early": {True: {True}, False: {False}},
        "gin-only": {True: {False}, False: {False}},
    }


def test_exercises_come_from_different_deals_and_kinds(small_drill):
    assert len({exercise.deal_number for exercise in small_drill.exercises}) == N_EXERCISES
    assert len({exercise.decision_kind for exercise in small_drill.exercises}) >= 2


def test_hidden_cards_are_not_shown(small_drill):
    sections = render_html(small_drill, "").split('<section class="position"')[1:]
    assert len(sections) == len(small_drill.exercises)
    for exercise, section in zip(small_drill.exercises, sections, strict=True):
        view = exercise.position.view
        visible = int(view.hand | view.pile | view.known)
        visible |= sum(
            1 << int(view[name]) for name in ("upcard", "taken_offer") if view[name] >= 0
        )
        card_faces = CARD_PATTERN.findall(section)
        shown = {rank.replace("10", "T") + SUIT_LETTERS[suit] for rank, suit in card_faces}
        assert {format_card(card) for card in mask_to_cards(int(view.hand))} <= shown
        assert shown <= {format_card(card) for card in mask_to_cards(visible)}
        opponent_hand = trace_deal(exercise.matchup, exercise.deal_number).hands[1 - int(view.seat)]
        assert opponent_hand & ~visible, (
            "the opponent holds something unseen, or this would test nothing"
        )
        plain_text = re.sub(r"<pre>.*?</pre>|<[^>]*>", " ", section)
        assert not re.search(r"\b[A2-9TJQK][SHDC]\b", plain_text), (
            "cards are written as faces alone"
        )


def test_drill_does_not_depend_on_the_number_of_workers(small_drill, monkeypatch):
    html_1 = render_html(run_small_drill(monkeypatch, workers=1), "")
    assert html_1 == render_html(small_drill, "")


def test_html_has_no_external_resources_and_contains_its_command(small_drill):
    html = render_html(small_drill, "simgin drill --seed 1")
    assert not re.search(r"(?:src|href)=|https?://|@import|url\(", html)
    assert "default-src 'none'" in html and "simgin drill --seed 1" in html
    assert all(exercise.command in html for exercise in small_drill.exercises)


def test_every_cost_has_an_error_bound(small_drill):
    costs = re.findall(r'<span class="price">(.*?)</span>', render_html(small_drill, ""))
    assert len(costs) == len(small_drill.records())
    assert all(re.fullmatch(r"0|-?\d+(\.\d+)? ± \d+(\.\d+)?", cost) for cost in costs)
    assert costs.count("0") >= len(small_drill.exercises)


def test_anki_option_requires_genanki(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "genanki", None)
    monkeypatch.chdir(tmp_path)
    result = run_simgin("drill", "--anki", "cards.apkg", exit_code=2)
    assert "pip install 'simgin[anki]'" in result.stderr and not list(tmp_path.iterdir())


def test_flash_cards_have_stable_unique_ids(small_drill, tmp_path):
    pytest.importorskip("genanki")
    notes = []
    for name in ("one.apkg", "two.apkg"):
        drill.write_anki_deck(drill.build_drill_contents(small_drill), tmp_path / name)
        with zipfile.ZipFile(tmp_path / name) as archive:
            archive.extract("collection.anki2", tmp_path)
        with sqlite3.connect(tmp_path / "collection.anki2") as database:
            notes.append(database.execute("select guid, mid, flds, tags from notes").fetchall())
    assert notes[0] == notes[1], "imported again, they update"
    assert len({guid for guid, *_ in notes[0]}) == len(small_drill.exercises)
    for (_, _, fields, tags), exercise in zip(notes[0], small_drill.exercises, strict=True):
        front, back = fields.split("\x1f")
        assert "±" in back and "±" not in front and tags.strip() == exercise.decision_kind


def test_command_writes_html_and_prints_json_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(drill, "SCREENING_WORLDS", N_SCREENING_WORLDS)
    monkeypatch.setattr(drill, "DEFAULT_WORLDS", N_WORLDS)
    monkeypatch.setattr(drill, "DEALS_PER_POSITION", 4)
    page = tmp_path / "drill.html"
    output = json.loads(run_simgin("drill", "--positions", 2, "-o", page, "--json").stdout)
    assert output["files"] == [str(page)]
    assert {row["position"] for row in output["rows"]} <= {1, 2}
    assert all(row["low"] <= row["cost"] <= row["high"] for row in output["rows"])
    assert "--as champion --seed 1" in page.read_text()


def test_path_of_the_drill_is_printed_if_no_browser_opens(tmp_path, monkeypatch, capsys):
    def raise_no_browser():
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", raise_no_browser)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    command._open_drill(tmp_path / "drill.html")
    assert f"no browser could be opened. Open {tmp_path}/drill.html" in capsys.readouterr().err


def test_default_drill_is_included_in_the_package(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(drill, "run_drill", lambda *_: pytest.fail("searched for positions"))
    monkeypatch.setattr(command, "_open_drill", opened.append)
    monkeypatch.chdir(tmp_path)
    output = run_simgin("drill").stdout
    (page,) = opened
    assert page.read_text().count('<section class="position"') == 30
    assert output.startswith("30 positions: ") and "simgin drill -v standard" in output
    run_simgin("drill", "-o", "named.html")
    assert len(opened) == 1 and (tmp_path / "named.html").exists()
    rows = json.loads(run_simgin("drill", "--json").stdout)["rows"]
    exercises = json.loads(drill.INCLUDED_DRILL_FILE.read_text())["exercises"]
    commands = dict.fromkeys(row["analyze"] for row in rows)
    assert list(commands) == [exercise["command"] for exercise in exercises]


@pytest.mark.parametrize("options", [["--new"], ["--seed", "2"], ["-v", "eaai"], ["--as", "gold"]])
def test_options_run_a_new_drill(options, tmp_path, monkeypatch):
    requests = []

    def record_request(request, workers, on_progress):
        requests.append(request)
        raise PositionError("enough")

    monkeypatch.setattr(drill, "run_drill", record_request)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        run_simgin("drill", *options, exit_code=2)
    first, second = (request.identity for request in requests)
    assert (first == second) is (options != ["--new"])


def test_each_option_is_explained_by_its_probabilities(small_drill):
    for exercise in small_drill.exercises:
        contents = drill.build_drill_contents(small_drill)["exercises"]
        option_names = [
            exercise.position.format_action(exercise.position.actions[index])
            for index in exercise.options
        ]
        exercise_contents = next(item for item in contents if item["command"] == exercise.command)
        best_name = option_names[exercise_contents["ranking"][0]]
        for name, option in zip(option_names, exercise_contents["options"], strict=True):
            assert f"after {best_name}, compared with those after " in option["why"]
            assert name == best_name or f"with those after {name}, you " in option["why"]


@pytest.mark.slow
def test_included_drill_is_reproducible(tmp_path, monkeypatch):
    included = drill.INCLUDED_DRILL_FILE.read_text()
    monkeypatch.setattr(drill, "INCLUDED_DRILL_FILE", tmp_path / "drill.json")
    training_drill.main()
    assert (tmp_path / "drill.json").read_text() == included
