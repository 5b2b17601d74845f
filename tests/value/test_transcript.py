"""A deal that `simgin show` has written down is the same deal when it is read."""

import random
from pathlib import Path

import pytest

from simgin.play.replay import Replay, find_deal
from simgin.rules import variants
from simgin.text.notation import card_text
from simgin.value.analysis.position import PositionError, positions_in
from simgin.value.analysis.transcript import read_transcript
from support.command_line import call

FOR_TWO = [name for name in variants.names() if variants.find(name).row["players"] == 2]
PAIRS = [("gold", "simple"), ("dice-player", "random"), ("champion", "champion")]


def lines(deal):
    return list(Replay(deal).lines())


@pytest.fixture
def written(tmp_path):
    """The file of a deal, as the shell fills it, and the deal."""

    def write(a, b, variant, unit, half):
        deal = find_deal(a, b, variant, 5, unit, half, None)
        path = tmp_path / "deal.txt"
        path.write_text("\n".join([*lines(deal), "", "Repeat:  simgin show ...", ""]))
        return path, deal

    return write


@pytest.mark.parametrize("pair", PAIRS, ids=" v ".join)
@pytest.mark.parametrize("variant", FOR_TWO)
def test_positions_and_words_are_those_of_the_deal(variant, pair, written):
    for unit in (0, 1, 2):
        half = 0 if pair[0] == pair[1] else unit % 2
        path, deal = written(*pair, variant, unit, half)
        read = read_transcript(path)
        assert lines(read)[1:] == lines(deal)[1:]  # the title names the half
        own, other = positions_in(deal), positions_in(read)
        assert len(own) == len(other)
        for one, two in zip(own, other, strict=True):
            assert (one.place, one.actions, one.done) == (two.place, two.actions, two.done)
            for name in one.view.dtype.names:
                if name != "noise":  # that of A or of B; who answers is not asked
                    assert (one.view[name] == two.view[name]).all(), name


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
        text[: len(text) // 2],
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


def test_deals_of_matches_and_of_one_player_are_named_otherwise(tmp_path):
    path = Path(tmp_path / "deal.txt")
    path.write_text(call("show", "gold", "--unit", 1, "--deal", 2).stdout)
    assert "a deal of a match" in call("analyze", path, code=2).stderr
    path.write_text(call("show", "solo-greedy", "-v", "solitary-gin").stdout)
    assert "cannot be read as a deal" in call("analyze", path, code=2).stderr
