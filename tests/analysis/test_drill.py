"""Tests of `simgin drill`: costs as in analyze, no hidden information, and the HTML report."""

import json
import re
import shlex
import sqlite3
import sys
import webbrowser
import zipfile
from itertools import groupby

import drill as training_drill
import pytest

from simgin.analysis import drill
from simgin.analysis.position import PositionError
from simgin.cli.commands import drill as command
from simgin.play.traced_deal import trace_deal
from simgin.stats.table import to_json_row
from simgin.text.notation import format_card, mask_to_cards
from support.command_line import call

WORLDS = 800
SUITS = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
CARD_PATTERN = re.compile(r'(10|[A2-9JQK])<span class="suit(?: red)?">(.)')


N_POSITIONS = 4


def run_small_drill(patch, positions=N_POSITIONS, workers=None):
    """Return a drill of few deals and worlds, which takes a second or two."""
    patch.setattr(drill, "DEFAULT_WORLDS", WORLDS)
    patch.setattr(drill, "DEALS_PER_POSITION", 6)
    return drill.run_drill(drill.DrillRequest.read("standard", None, positions, 1), workers)


def render_page(found, command):
    return drill.render_drill_page(drill.build_drill_contents(found), command)


@pytest.fixture(scope="module")
def small_drill():
    with pytest.MonkeyPatch.context() as patch:
        yield run_small_drill(patch)


def test_prices_are_those_of_analyze(small_drill):
    first_positions = [row for row in small_drill.records() if row["position"] <= 2]
    for number, rows in groupby(first_positions, key=lambda row: row["position"]):
        rows = list(rows)
        _, *words = shlex.split(rows[0]["analyze"])
        analysed = json.loads(call(*words, "--worlds", WORLDS, "--json").stdout)["rows"]
        same = small_drill.exercises[number - 1].position.label
        decision = f"{same}, {rows[0]['player']}"
        known = {row["action"]: row for row in analysed if row["decision"] == decision}
        for row in rows:
            names = ("points", "cost", "low", "high", "worlds", "best", "done")
            same = to_json_row(known[row["action"]])  # rounded
            assert [row[name] for name in names] == [same[name] for name in names]


def test_what_was_done_is_wrong_the_best_is_right_and_few_others_are(small_drill):
    assert len(small_drill.exercises) == N_POSITIONS
    for one in small_drill.exercises:
        assert one.correct_options[0] == one.analysis.ranking[0]
        assert set(one.correct_options) < set(one.options)
        assert one.position.chosen_index not in one.correct_options
        assert len(one.correct_options) == 1 or 3 * len(one.correct_options) <= len(one.options)
    for (
        one
    ) in small_drill.exercises:  # any card can be discarded, but only the best ending is an option
        texts = [one.position.format_action(one.position.actions[place]) for place in one.options]
        ends = [text.partition(",")[0] for text in texts if not text.startswith("discard")]
        assert len(ends) == len(set(ends))


def test_the_players_are_of_the_kinds_that_are_promised():
    """Test players that knock at the first chance, only in the first five turns, and never."""
    knocks = {}
    for matchup in drill.DrillRequest.read("standard", None, N_POSITIONS, 1).players:
        asked = [
            question
            for unit in range(20)
            for question in trace_deal(matchup, unit, 0).decisions
            if question.slot == "knock" and question.seat == 0 and question.view.ending_count > 0
        ]
        knocks[matchup.a.spec] = {
            early: {bool(one.action) for one in asked if (one.view.own_turn <= 5) == early}
            for early in (True, False)
        }
    assert knocks == {
        "simple": {True: {True}, False: {True}},
        "gold-early": {True: {True}, False: {False}},
        "gin-only": {True: {False}, False: {False}},
    }


def test_packs_differ_and_themes_are_mixed(small_drill):
    assert len({one.unit for one in small_drill.exercises}) == N_POSITIONS
    assert len({one.decision_kind for one in small_drill.exercises}) >= 2


def test_hidden_cards_are_not_shown(small_drill):
    sections = render_page(small_drill, "").split('<section class="position"')[1:]
    assert len(sections) == len(small_drill.exercises)
    for one, section in zip(small_drill.exercises, sections, strict=True):
        view = one.position.view
        seen = int(view.hand | view.pile | view.known)
        seen |= sum(1 << int(view[name]) for name in ("upcard", "taken_offer") if view[name] >= 0)
        faces = CARD_PATTERN.findall(section)
        shown = {rank.replace("10", "T") + SUITS[suit] for rank, suit in faces}
        assert {format_card(card) for card in mask_to_cards(int(view.hand))} <= shown
        assert shown <= {format_card(card) for card in mask_to_cards(seen)}
        dealt = trace_deal(one.matchup, one.unit).hands[1 - int(view.seat)]
        assert dealt & ~seen, "the opponent holds something unseen, or this would test nothing"
        plain = re.sub(r"<pre>.*?</pre>|<[^>]*>", " ", section)
        assert not re.search(r"\b[A2-9TJQK][SHDC]\b", plain), "cards are written as faces alone"


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_workers(monkeypatch):
    one, two = (render_page(run_small_drill(monkeypatch, 1, workers), "") for workers in (1, 2))
    assert one == two and one.count('<section class="position"') > 0


def test_the_page_loads_nothing_and_names_its_command(small_drill):
    text = render_page(small_drill, "simgin drill --seed 1")
    assert not re.search(r"(?:src|href)=|https?://|@import|url\(", text)
    assert "default-src 'none'" in text and "simgin drill --seed 1" in text
    assert all(one.command in text for one in small_drill.exercises)


def test_every_price_has_its_error(small_drill):
    prices = re.findall(r'<span class="price">(.*?)</span>', render_page(small_drill, ""))
    assert len(prices) == len(small_drill.records())
    assert all(re.fullmatch(r"0|-?\d+(\.\d+)? ± \d+(\.\d+)?", price) for price in prices)
    assert prices.count("0") >= len(small_drill.exercises)


def test_flash_cards_need_genanki(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "genanki", None)
    monkeypatch.chdir(tmp_path)
    result = call("drill", "--anki", "cards.apkg", code=2)
    assert "pip install 'simgin[anki]'" in result.stderr and not list(tmp_path.iterdir())


def test_flash_cards_are_notes_with_ids_of_their_own(small_drill, tmp_path):
    pytest.importorskip("genanki")
    found = []
    for name in ("one.apkg", "two.apkg"):
        drill.write_anki_deck(drill.build_drill_contents(small_drill), tmp_path / name)
        with zipfile.ZipFile(tmp_path / name) as archive:
            archive.extract("collection.anki2", tmp_path)
        with sqlite3.connect(tmp_path / "collection.anki2") as data:
            found.append(data.execute("select guid, mid, flds, tags from notes").fetchall())
    assert found[0] == found[1], "imported again, they update"
    assert len({guid for guid, *_ in found[0]}) == len(small_drill.exercises)
    for (_, _, fields, tags), one in zip(found[0], small_drill.exercises, strict=True):
        front, back = fields.split("\x1f")
        assert "±" in back and "±" not in front and tags.strip() == one.decision_kind


def test_the_command_writes_the_page_and_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(drill, "DEFAULT_WORLDS", WORLDS)
    monkeypatch.setattr(drill, "DEALS_PER_POSITION", 4)
    page = tmp_path / "drill.html"
    answer = json.loads(call("drill", "--positions", 2, "-o", page, "--json").stdout)
    assert answer["files"] == [str(page)]
    assert {row["position"] for row in answer["rows"]} <= {1, 2}
    assert all(row["low"] <= row["cost"] <= row["high"] for row in answer["rows"])
    assert "--as champion --seed 1" in page.read_text()


def test_a_terminal_without_a_browser_shows_the_path_of_the_drill(tmp_path, monkeypatch, capsys):
    def find_no_browser():
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", find_no_browser)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    command._open_drill(tmp_path / "drill.html")
    assert f"no browser could be opened. Open {tmp_path}/drill.html" in capsys.readouterr().err


def test_the_default_drill_is_included_and_opens_at_once(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(drill, "run_drill", lambda *_: pytest.fail("searched for positions"))
    monkeypatch.setattr(command, "_open_drill", opened.append)
    monkeypatch.chdir(tmp_path)
    shown = call("drill").stdout
    (page,) = opened
    assert page.read_text().count('<section class="position"') == 30
    assert shown.startswith("30 positions: ") and "simgin drill -v standard" in shown
    call("drill", "-o", "named.html")
    assert len(opened) == 1 and (tmp_path / "named.html").exists()
    rows = json.loads(call("drill", "--json").stdout)["rows"]
    exercises = json.loads(drill.INCLUDED_DRILL.read_text())["exercises"]
    commands = dict.fromkeys(row["analyze"] for row in rows)
    assert list(commands) == [one["command"] for one in exercises]


@pytest.mark.parametrize("words", [["--new"], ["--seed", "2"], ["-v", "eaai"], ["--as", "gold"]])
def test_other_drills_are_new(words, tmp_path, monkeypatch):
    requests = []

    def run(request, workers, on_progress):
        requests.append(request)
        raise PositionError("enough")

    monkeypatch.setattr(drill, "run_drill", run)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        call("drill", *words, code=2)
    first, second = (one.identity for one in requests)
    assert (first == second) is (words != ["--new"])


def test_each_option_explains_its_chances(small_drill):
    for one in small_drill.exercises:
        contents = drill.build_drill_contents(small_drill)["exercises"]
        texts = [one.position.format_action(one.position.actions[place]) for place in one.options]
        found = next(each for each in contents if each["command"] == one.command)
        best = texts[found["ranking"][0]]
        for text, option in zip(texts, found["options"], strict=True):
            assert f"after {best}, compared with those after " in option["why"]
            assert text == best or f"with those after {text}, you " in option["why"]


@pytest.mark.slow
def test_the_included_drill_can_be_written_again(tmp_path, monkeypatch):
    included = drill.INCLUDED_DRILL.read_text()
    monkeypatch.setattr(drill, "INCLUDED_DRILL", tmp_path / "drill.json")
    training_drill.main()
    assert (tmp_path / "drill.json").read_text() == included
