"""Which numbers of a strategy are tuned, and files of values."""

import pytest

from simgin.rules import variants
from simgin.strategy import loader, values_file
from simgin.strategy.text_form import StrategyError
from simgin.tune.knobs import TuneError, read_knobs, slot_values

EAAI = variants.find("eaai")


def knobs(text, chosen=None, variant=EAAI):
    return read_knobs(loader.find(text), variant, chosen)


def test_numbers_that_slots_share_are_one_and_those_never_asked_are_left_alone():
    by_name = {knob.name: knob for knob in knobs("mishra-uniform")}
    assert by_name["promise"].slots == ("take", "discard")
    assert by_name["tax"].slots == ("take",)
    values = slot_values([by_name["promise"]], [0.5])
    assert values == {"take": {"promise": "0.5"}, "discard": {"promise": "0.5"}}
    assert [knob.name for knob in knobs("dice-player")] == ["k"]
    die = variants.find("dice")
    assert {knob.name for knob in knobs("dice-player", None, die)} == {"k", "edge", "caution"}


def test_numbers_of_one_name_that_differ_are_apart():
    mixed = loader.find("solo-switch+knock=at")  # each has a k of its own
    found = knobs(mixed.text)
    apart = [knob for knob in found if knob.key == "k"]
    assert [knob.name for knob in apart] == ["discard.k", "knock.k"]
    moved = loader.set_slots(mixed, slot_values(apart, [4, 8]))
    again = loader.find(moved.text)
    assert again.policies == moved.policies
    assert (again.discard.params["k"].default, again.knock.params["k"].default) == (4, 8)


@pytest.mark.parametrize(("text", "low", "start"), [("k=2..9", 2, 5), (" k = 7..9 ", 7, 7)])
def test_limits_can_be_narrowed(text, low, start):
    (knob,) = knobs("gold-early", text)
    assert (knob.low, knob.high, knob.start, knob.step) == (low, 9, start, (9 - low) / 4)


@pytest.mark.parametrize(
    ("text", "chosen", "words"),
    [
        ("gold", "tie", "tie of gold is not a number"),  # words have no order
        ("gold", "kk", "no number 'kk'; it has k; did you mean 'k'"),
        ("gold", "k=3", "is not of the form"),
        ("gold", "k=9..3", "must lie below"),
        ("gold", "k=1.5..3", "must be a whole number"),
        ("stubborn", None, "no parameter that is a number"),
        ("champion", None, "in its weights"),
    ],
)
def test_bad_choices_get_a_sentence(text, chosen, words):
    with pytest.raises(TuneError, match=words):
        knobs(text, chosen)


# Files of values


def test_a_file_of_values_stands_for_what_it_says(tmp_path):
    file = tmp_path / "tuned.toml"
    file.write_text("# tuned\n[knock]\nk = 7\n")
    for text, full in [
        ("gold-early", "gold-early:k=7"),
        ("simple+knock=at", "simple:k=7"),
        ("simple+take=never+knock=gold-early:k=3", "simple+take=never+knock=early:k=7"),
    ]:
        found = loader.find(f"{text}@{file}")
        assert found.policies == loader.find(full).policies
        assert loader.find(found.text).policies == found.policies


@pytest.mark.parametrize(("take", "discard"), [("0.8", "0.8"), ("0.6", "0.8"), ("0.6", "0.5")])
def test_values_of_slots_give_a_text_that_finds_them(take, discard):
    base = loader.find("mishra-uniform")
    found = loader.set_slots(base, {"take": {"promise": take}, "discard": {"promise": discard}})
    again = loader.find(found.text)
    assert again.text == found.text and again.policies == found.policies
    promises = [policy.params["promise"].default for policy in (again.take, again.discard)]
    assert promises == [float(take), float(discard)]


def test_values_are_read_as_they_were_written(tmp_path):
    values = {"knock": {"k": "7", "tie": "random"}, "take": {"share": "0.25", "open": "yes"}}
    file = tmp_path / "values.toml"
    file.write_text(values_file.values_text(values))
    assert values_file.read_values(file) == values


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[knok]\nk = 7\n", "there is no slot 'knok'; did you mean 'knock'"),
        ("knock = 7\n", r"write a table of parameters below \[knock\]"),
        ("[knock]\nkk = 7\n", "has no parameter 'kk'; it has k"),
        ("[knock]\nk = 7000\n", "must lie in 0..500"),
        ("[knock]\nk = [1]\n", "must be a number"),
        ("[knock\n", "is not valid TOML"),
    ],
)
def test_bad_files_get_a_sentence(tmp_path, content, words):
    file = tmp_path / "bad.toml"
    file.write_text(content)
    with pytest.raises(StrategyError, match=words):
        loader.find(f"gold-early@{file}")
    with pytest.raises(StrategyError, match="cannot be read"):
        loader.find("gold-early@nowhere.toml")
