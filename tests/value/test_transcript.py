"""A deal that `simgin show` has written down is the same deal when it is read."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

from simgin.play.deal import NoSuchDeal
from simgin.play.replay import find_deal
from simgin.play.replay_solo import make_replay
from simgin.rules import variants
from simgin.text.notation import card_text
from simgin.analysis.position import PositionError, positions_in
from simgin.analysis.deal_file import read_transcript
from support.command_line import call

FOR_TWO = [name for name in variants.names() if variants.find(name).row["players"] == 2]
PAIRS = [("gold", "simple"), ("dice-player", "random"), ("champion", "champion")]


ALONE = [name for name in variants.names() if name not in FOR_TWO]
# What the words of a standing leave out, because it decides nothing
UNTOLD = {
    "single": {"deals"},
    "points": {"deals"},
    "columns": {"points", "deals"},
    "games": {"deals"},
    "race": {"points", "deals"},
    "twofold": set(),
    "deals": {"points"},
    "total": {"deals"},
}


def title(position):
    return position.place, int(position.view.seat)


def lines(deal):
    return list(make_replay(deal).lines())


def same(one, two, left_out=()):
    """Whether two positions are one, but for the noise of those who are not asked."""
    assert (one.place, one.actions, one.in_match) == (two.place, two.actions, two.in_match)
    for name in one.view.dtype.names:
        if name != "noise" and name not in left_out:
            assert np.array_equal(one.view[name], two.view[name]), name


@pytest.fixture
def written(tmp_path):
    """The file of a deal, as the shell fills it, and the deal."""

    def write(a, b, variant, unit, half, deal=None):
        played = find_deal(a, b, variant, 5, unit, half, deal)
        path = tmp_path / "deal.txt"
        path.write_text("\n".join([*lines(played), "", "Repeat:  simgin show ...", ""]))
        return path, played

    return write


@pytest.mark.parametrize("pair", PAIRS, ids=" v ".join)
@pytest.mark.parametrize("variant", FOR_TWO)
def test_positions_and_words_are_those_of_the_deal(variant, pair, written):
    for unit in (0, 1, 2):
        half = 0 if pair[0] == pair[1] else unit % 2
        path, deal = written(*pair, variant, unit, half)
        read = read_transcript(path)
        assert lines(read)[1:] == lines(deal)[1:]  # the title names the half
        for one, two in zip(positions_in(deal), positions_in(read), strict=True):
            assert one.done == two.done
            same(one, two)


@pytest.mark.parametrize("player", ["solo-greedy", "solo-two-draws+knock=at:k=4"])
@pytest.mark.parametrize("variant", ALONE)
def test_alone_positions_and_words_are_those_of_the_deal(variant, player, written):
    compared = 0
    for unit in range(5):
        path, deal = written(player, None, variant, unit, 0)
        read = read_transcript(path)
        assert lines(read) == lines(deal)
        for one, two in zip(positions_in(deal), positions_in(read), strict=True):
            assert one.done == two.done
            same(one, two)
            compared += 1
    assert compared > 20


@pytest.mark.parametrize("variant", variants.names())
def test_a_deal_of_a_match_has_the_standing_that_is_told(variant, written):
    goal = variants.find(variant).goal
    kinds = UNTOLD[goal.name]
    left_out = {f"{whose}_{kind}" for whose in ("own", "other") for kind in kinds}
    players = ("solo-greedy", None) if variant in ALONE else ("gold", "simple")
    read = 0
    for unit, half, number in ((0, 0, 0), (1, 1, 1), (2, 0, 2), (3, 1, 4), (4, 0, 3)):
        if goal.solo and variant in ALONE:
            half = 0
        try:
            path, deal = written(*players, variant, unit, half, number)
        except NoSuchDeal:
            continue
        if "turned" in (refusal := refused(path)):
            assert variant == "dice-pro"
            continue
        assert refusal == ""
        for one, two in zip(positions_in(deal), positions_in(read_transcript(path)), strict=True):
            assert one.done == two.done
            same(one, two, left_out)
        read += 1
    assert read >= (1 if goal.one_deal else 3)


def refused(path):
    """Why a file cannot be read; empty if it can."""
    try:
        read_transcript(path)
    except PositionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("variant", variants.names())
def test_the_beginning_of_a_deal_ends_with_the_decision_to_come(variant, written):
    players = ("solo-greedy", None) if variant in ALONE else ("gold", "simple")
    path, deal = written(*players, variant, 1, 0)
    text = path.read_text().splitlines()
    every = positions_in(deal)
    begins = text.index(next(line for line in text if line.startswith("Turn 1")))
    opened = last = 0
    for end in range(begins, len(text) - 2, 4):
        path.write_text("\n".join(text[:end]))
        read = read_transcript(path)
        if not read.is_cut:
            break
        (found,) = positions_in(read) or [None]
        if found is None:
            assert end < begins + 8
            continue
        place = next(i for i, one in enumerate(every) if title(one) == title(found))
        assert place >= last
        last = place
        same(every[place], found)
        opened += found.done is None
        assert found.done in (None, every[place].done)
    turn = every[0].turn
    for one, two in zip(positions_in(deal, turn), positions_in(read, turn), strict=True):
        same(one, two)  # a turn that is named may be any
    assert opened >= 2 or variant in ("dice", "dice-pro")
    assert last > 2


def test_the_analysis_is_that_of_the_deal(written):
    path, _ = written("gold", "simple", "standard", 2, 1)
    turn = ["--turn", 3, "--worlds", 400, "--seed", 5]
    read = call("analyze", path, *turn).stdout.splitlines()
    named = call("analyze", "gold", "simple", "--unit", 2, "--half", 1, *turn).stdout.splitlines()
    assert read[:-1] == named[:-1]
    again = read[-1].removeprefix("Repeat:  simgin ").split()
    assert call(*again).stdout.splitlines() == read


def test_who_is_not_there_any_more_has_a_stand_in(written, tmp_path):
    path, deal = written("gold", "simple", "standard", 1, 0)
    (tmp_path / "evil.py").write_text("raise SystemExit('run')")
    evil = str(tmp_path / "evil.py")
    path.write_text(path.read_text().replace("gold", "nobody").replace("simple", evil))
    read = read_transcript(path)
    assert [player.text for player in read.matchup.players] == ["champion", "champion"]
    assert [q.answer for q in read.questions] == [q.answer for q in deal.questions]


def test_cards_that_cannot_be_played_so_are_refused(written):
    path, _ = written("gold", "simple", "standard", 2, 1)
    text = path.read_text()
    thrown = next(line for line in text.splitlines() if line.startswith("  discards"))
    unseen = next(card for card in map(card_text, range(52)) if card not in text)
    for changed in (
        text.replace(thrown, f"  discards {unseen}"),
        text.replace("is dealt ", "is dealt 2S "),
        text.replace("seat 1", "seat 0"),
        text.replace("unit", "union"),
        "",
    ):
        path.write_text(changed)
        with pytest.raises(PositionError, match=r"deal.txt'? cannot be read as a deal: .*\.$"):
            read_transcript(path)


def test_any_damage_is_read_or_refused_in_a_sentence(written):
    path, _ = written("dice-player", "random", "dice", 1, 0)
    text = path.read_text()
    rng = random.Random(11)
    for _ in range(150):
        parts = text.splitlines()
        for _ in range(rng.choice((1, 1, 3))):
            place = rng.randrange(len(parts))
            kind = rng.randrange(5)
            if kind == 0:
                del parts[place]
            elif kind == 1:
                parts.insert(place, rng.choice(parts))
            elif kind == 2:
                letters = list(parts[place] or "x")
                letters[rng.randrange(len(letters))] = rng.choice("9KSé\0|:5 ")
                parts[place] = "".join(letters)
            elif kind == 3:
                parts.insert(place, "  gold (seat 0) offers 99999999999999999999")
            else:
                parts.insert(place, "  shows melding 77 of 0..99: 7H")
        path.write_text("\n".join(parts))
        try:
            read_transcript(path)
        except ValueError as error:
            assert type(error).__module__.startswith("simgin."), error


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["deal.txt"], "No such file"),
        (["{}", "simple"], "names both players"),
        (["{}", "--unit", "3"], "--unit goes with strategies"),
        (["{}", "-v", "oklahoma"], "--variant goes with strategies"),
        (["{}", "--score", "3-4"], "--score goes with cards"),
        (["{}", "--turn", "99"], "nothing was decided in turn 99"),
    ],
)
def test_what_does_not_go_with_a_transcript_is_refused(words, sentence, written):
    path, _ = written("gold", "simple", "standard", 2, 1)
    done = call("analyze", *[word.format(path) for word in words], code=2)
    assert sentence in done.stderr


def test_deals_of_matches_and_of_one_player_are_analysed_as_well(tmp_path):
    path = Path(tmp_path / "deal.txt")
    address = ["gold", "simple", "--unit", 1, "--deal", 2]
    path.write_text(call("show", *address).stdout)
    turn = ["--turn", 3, "--worlds", 200]
    read = call("analyze", path, *turn).stdout.splitlines()
    assert read[:-1] == call("analyze", *address, *turn).stdout.splitlines()[:-1]
    address = ["solo-greedy", "-v", "solitary-gin", "--unit", 2]
    path.write_text(call("show", *address).stdout)
    read = call("analyze", path, *turn).stdout.splitlines()
    assert read[:-1] == call("analyze", *address, *turn).stdout.splitlines()[:-1]


def test_of_a_deal_that_is_only_begun_the_last_decision_is_analysed(written):
    path, _ = written("gold", "simple", "standard", 2, 1)
    text = path.read_text()
    path.write_text(text[: text.index("Turn 6")])
    shown = call("analyze", path, "--worlds", 200).stdout
    assert "turn 6, draw" in shown
    assert "< was done" not in shown
    assert "turn 4" in call("analyze", path, "--worlds", 200, "--turn", 4).stdout


DAMAGE = {
    "another discard": ("discards", "discards {unseen}", "does not follow"),
    "no card": ("discards", "discards 7Z", "'7Z' is not a card"),
    "another draw": ("draws", "draws 2S", "has a card that was seen elsewhere before"),
    "a draw left out": ("draws", "", "does not follow"),
    "an ending": ("declines", "goes gin", "does not follow"),
    "a decision left out": ("discards", "", "does not follow|second card"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_cannot_be_names_its_line(name, written):
    path, _ = written("gold", "simple", "standard", 2, 1)
    text = path.read_text().splitlines()
    word, instead, reason = DAMAGE[name]
    places = [i for i, line in enumerate(text) if line.strip().startswith(word)]
    place = places[len(places) // 2]
    unseen = next(card for card in map(card_text, range(52)) if card not in path.read_text())
    text[place] = f"  {instead.format(unseen=unseen)}"
    path.write_text("\n".join(text))
    with pytest.raises(PositionError, match=reason) as caught:
        read_transcript(path)
    number = int(re.search(r"line (\d+), ", str(caught.value))[1])
    assert place < number <= place + 12
    assert str(caught.value).count(". ") == 0
