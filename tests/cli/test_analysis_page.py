"""`simgin analyze -o DIR`: the page shows the cards and the costs, in words, too."""

import json
import re
from xml.etree import ElementTree

import pandas as pd
import pytest

import simgin
from simgin.report import figures
from support.command_line import call

HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS".split()
PILE = "QD TS 9D* QH"
POSITION = ("analyze", *HAND, "--pile", PILE, *"--worlds 400 --as gold --against gold".split())


@pytest.fixture(scope="module")
def position(tmp_path_factory):
    """The directory of a position of one's own."""
    place = tmp_path_factory.mktemp("position") / "page"
    shown = call(*POSITION, "-o", place).stdout
    assert f"Written: {place / 'report.html'}" in shown
    assert f"-o {place}" in shown.splitlines()[-1]
    return place


def test_the_page_stands_alone_and_says_what_it_shows(position):
    page = (position / "report.html").read_text()
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert page.count("<figure") == 2
    told = re.findall(r"<summary>Description</summary><p>(.*?)</p>", page, re.S)
    assert "You hold 7H 7D 7C | 8C 9C TC | KS 4H TD AC 4C, deadwood 29" in told[0]
    assert re.search(r"Pile +QD TS 9D\* QH", told[0])
    assert "against the best, discard" in told[1]
    assert told[1].count("costs") == 10


def test_every_card_is_on_the_table(position):
    drawn = (position / "plots" / "cards-0.svg").read_text()
    elements = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    texts = [(element.text or "").strip() for element in elements]
    ranks = [text for text in texts if text in "A 2 3 4 5 6 7 8 9 10 J Q K".split()]
    on_the_table = [*HAND, *PILE.replace("*", "").split(), "9D"]  # the opponent holds 9D
    assert sorted(ranks) == sorted(card[0].replace("T", "10") for card in on_the_table)
    red = sum(card[1] in "HD" for card in on_the_table)
    assert drawn.count(f"fill: {figures.RED.lower()}") == red


def test_the_frame_lies_beside_the_page(position):
    kept = pd.read_csv(position / "analysis.csv")
    frame = simgin.analyze(" ".join(HAND), PILE, own="gold", other="gold", worlds=400)
    assert list(kept["action"]) == list(frame["action"])
    assert kept["cost"].tolist() == pytest.approx(frame["cost"].tolist())
    manifest = json.loads((position / "manifest.json").read_text())
    assert "report.html" in manifest["files"] and "analyze" in manifest["command"]


def test_equal_analyses_have_equal_pages(position):
    one = (position / "report.html").read_text()
    call(*POSITION, "-o", position, "--workers", 1)
    assert (position / "report.html").read_text() == one


def test_a_whole_deal_has_a_row_for_each_decision_and_draws_the_costly_ones(tmp_path):
    place = tmp_path / "deal"
    shown = call("analyze", "gold", "simple", "--unit", 3, "--worlds", 1000, "-o", place).stdout
    page = (place / "report.html").read_text()
    assert "gold v simple, standard: what each decision cost" in page
    rows = [line for line in shown.splitlines() if line.startswith(("turn", "upcard"))]
    assert len(rows) > 10 and page.count("<tr") == len(rows) + 1
    frame = pd.read_csv(place / "analysis.csv")
    costly = frame[frame["done"] & (frame["low"] > 0)]
    assert len(costly) and page.count("<figure") == 2 * min(6, len(costly))


def test_a_folder_with_other_files_is_refused_before_anything_is_played(tmp_path):
    (tmp_path / "own.txt").write_text("mine")
    assert str(tmp_path) in call(*POSITION, "-o", tmp_path, code=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["own.txt"]
