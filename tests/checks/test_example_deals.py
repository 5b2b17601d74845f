"""Worked examples that are deals, played so that their decisions can be analysed."""

import json
from pathlib import Path

import pytest

from simgin.analysis.position import positions_in
from simgin.checks.examples import files, schema
from simgin.checks.examples.deals import DEALS, _variant, read_deal
from simgin.checks.examples.schema import ExampleError
from support.command_line import call

BOOK = Path(__file__).parents[1] / "data" / "rules_vectors.json"
EXAMPLES = {example.id: example for example in files.read(BOOK) if example.kind in DEALS}
IMPOSSIBLE = {name for name, example in EXAMPLES.items() if "illegal" in example.expect}
PLAYABLE = [
    name
    for name, example in EXAMPLES.items()
    if name not in IMPOSSIBLE and example.expect.get("how") != "redeal"
]


def in_script(position, alone):
    """A decision as a worked example writes it, N for the nondealer."""
    action = position.done
    seat = "" if alone else "ND"[int(position.view.seat)] + " "
    text = position.text(action)
    if text == "draw":
        return seat + ("draw" if alone else "stock")
    if text in ("pass", "leave"):
        return seat + "pass"
    if text.startswith("take"):
        return seat + "take"
    if text.startswith("discard"):
        return seat + text.replace("discard", "throw")
    if text == "big gin":
        return seat + text
    return seat + ("stop" if alone else text.replace(text.partition(",")[0] + ",", "stop"))


def is_subsequence(some, every):
    rest = iter(every)
    return all(any(one == other for other in rest) for one in some)


@pytest.mark.parametrize("name", PLAYABLE)
def test_the_decisions_are_those_of_the_script(name):
    example = EXAMPLES[name]
    alone = example.kind == "solo_script"
    positions = positions_in(read_deal(BOOK, name), None)
    script = example.given["actions"]
    told = [in_script(position, alone) for position in positions if position.done]
    if alone:  # an ending with eleven cards is a discard and a stop
        told = [word for word in told if word != "stop"]
    assert is_subsequence(told, script), (told, script)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_variant_can_be_found_by_its_name(name):
    example = EXAMPLES[name]
    own = ("nondealer", "dealer", "upcard", "stock_top_first", "deck_top_first", "actions")
    base = "standard" if example.kind == "play_script" else schema.base(example)
    assert _variant(example).row == schema.variant(example, *own, base=base).row


@pytest.mark.parametrize("name", sorted(IMPOSSIBLE))
def test_an_action_that_is_not_possible_is_named(name):
    example = EXAMPLES[name]
    with pytest.raises(ExampleError, match=rf"{name}: action \d+, .+, is not possible\.$") as error:
        read_deal(BOOK, name)
    illegal = example.expect["illegal"]
    assert illegal in str(error.value) or illegal not in example.given["actions"]


@pytest.fixture
def written(tmp_path):
    """A file with examples, some of their actions left out."""

    def write(*names, actions=99):
        book = json.loads(BOOK.read_text())
        chosen = [vector for vector in book["vectors"] if vector["id"] in names]
        for vector in chosen:
            if "actions" in vector["input"]:
                del vector["input"]["actions"][actions:]
        path = tmp_path / "mine.json"
        path.write_text(json.dumps({"vectors": chosen}))
        return path

    return write


@pytest.mark.parametrize("name", PLAYABLE)
def test_of_actions_that_end_early_the_decision_to_come_is_open(name, written):
    whole = {}
    for position in positions_in(read_deal(BOOK, name)):
        whole[position.place, int(position.view.seat)] = position
    n = len(EXAMPLES[name].given["actions"])
    for actions in range(n):
        deal = read_deal(written(name, actions=actions))
        if not deal.is_cut:
            continue
        found = positions_in(deal)
        if not found:
            assert actions < 2
            continue
        (last,) = found
        same = whole.get((last.place, int(last.view.seat)))
        if same is None:  # the script goes on otherwise, or to the end of the deal
            continue
        assert last.done in (None, same.done)
        for field in ("hand", "pile", "known", "stock", "drawn", "taken", "taken_offer", "turns"):
            assert last.view[field] == same.view[field], (actions, field)
        assert last.actions == same.actions


def test_one_example_need_not_be_named(written):
    path = written("T02", "K01")
    out = call("analyze", path, "--turn", 1, "--worlds", 200).stdout
    assert "turn 1, discard, dealer" in out
    assert "champion and champion play on" in out
    again = call(*out.splitlines()[-1].removeprefix("Repeat:  simgin ").split()).stdout
    assert again == out


@pytest.mark.parametrize(
    ("names", "words", "sentence"),
    [
        (["T01", "T02"], [], "2 examples that are deals, T01 to T02: name one"),
        (["T01"], ["--example", "T02"], "has no example 'T02'"),
        (["T01", "K01"], ["--example", "K01"], "K01: kind knock_options is no deal"),
        (["K01"], [], "has no deal"),
        (["T03"], [], "action 3, N take, is not possible"),
        (["T01"], ["--unit", "3"], "--unit goes with strategies, not with a file"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(names, words, sentence, written):
    path = written(*names)
    assert sentence in call("analyze", path, *words, code=2).stderr


def test_a_file_that_is_no_json_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text("{")
    assert "Traceback" not in call("analyze", path, code=2).stderr
    assert "No such file" in call("analyze", tmp_path / "none.json", code=2).stderr


def test_example_goes_with_worked_examples_alone():
    assert "--example goes with" in call("analyze", "gold", "--example", "T01", code=2).stderr
