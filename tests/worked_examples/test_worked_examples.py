"""Worked examples pass, wrong ones fail, and bad files are refused."""

import copy
import itertools
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from worked_examples import __main__ as command
from worked_examples import files
from worked_examples.kinds import KINDS
from worked_examples.schema import ExampleError

DATA = Path(__file__).parents[1] / "data"
BOOK = DATA / "rules_vectors.json"
VECTORS = {vector["id"]: vector for vector in json.loads(BOOK.read_text())["vectors"]}
MORE = {
    vector["id"]: vector
    for vector in json.loads((DATA / "more_examples.json").read_text())["vectors"]
}


def verdict(vector):
    return files.verdict(files.example(vector))


def changed(name, path, value):
    vector = copy.deepcopy(VECTORS[name])
    *way, last = path
    place = vector
    for key in way:
        place = place[key]
    place[last] = value
    return vector


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command on vectors or on a path; returns exit code, stdout and stderr."""

    def call(*vectors):
        path = tmp_path / "mine.json"
        if vectors and isinstance(vectors[0], Path):
            path = vectors[0]
        else:
            path.write_text(json.dumps({"vectors": vectors}))
        monkeypatch.setattr(sys, "argv", ["worked_examples", str(path)])
        monkeypatch.setenv("COLUMNS", "80")
        return command.main(), *capsys.readouterr()

    return call


# What is right passes


@pytest.mark.parametrize("name", [*VECTORS, *MORE])
def test_the_rule_book_and_more_examples_pass(name):
    """Those of the rules, and others: rare openings and endings, impossible actions, options."""
    found = verdict(VECTORS.get(name) or MORE[name])
    assert (found.outcome, found.differences) == (files.PASSED, {})


def test_every_kind_has_an_example():
    assert {vector["kind"] for vector in VECTORS.values()} == KINDS.keys() and len(VECTORS) == 248


# What is wrong fails


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_to_another_example_is_noticed(kind):
    reads, noticed = KINDS[kind].expects, set()
    ours = [files.example(vector) for vector in VECTORS.values() if vector["kind"] == kind]
    for one, other in itertools.pairwise(ours):
        for key in reads.keys() & one.expect.keys() & other.expect.keys():
            if reads[key](one.expect[key]) != reads[key](other.expect[key]):
                wrong = replace(one, expect={key: other.expect[key]})
                assert files.verdict(wrong).differences.keys() == {key}, (one.id, key)
                noticed.add(key)
    assert noticed


def asked(name, given, expect):
    vector = copy.deepcopy(VECTORS[name])
    vector["input"] |= given
    return vector | {"expect": expect}


LATE = {"phase": "drawer holds eleven", "stock_before_draw": 3, "stock_reserve": 3}


@pytest.mark.parametrize(
    ("vector", "got"),
    [
        (asked("S13", {"how": "gin"}, {"other": 0}), "no melding permits this gin"),
        (asked("T05", {}, {"how": "void"}), "N throw QD (action 2) is not possible"),
        # The example means its last action, but here the first of two equal ones is impossible
        (
            asked("T02", {"actions": ["N stock"] * 2}, {"illegal": "N stock"}),
            "N stock, as action 1",
        ),
        (asked("DI8", {}, {"winner": 0}), "play: seat 0 offers 2 (offer 1) is not possible"),
        (asked("OP9", {"state": LATE}, {"options": []}), "the position: N stock is not possible"),
    ],
)
def test_what_is_not_possible_is_said(vector, got):
    assert next(iter(verdict(vector).differences.values()))[1] == got


# A position without an upcard and with few cards in the stock: no script gets there
BY_READING = {"first_turn": "discard_first", "phase": "after the throw", "stock": 9}
BY_READING = asked("OP9", {"state": BY_READING}, {"options": ["stock"]})
DEARER = [*VECTORS["T09"]["input"]["actions"][:-1], "D stop QC"]
MAY_TAKE = {"stock_end": "opponent_may_take", "knock_limit": 30}
DEARER = asked("T09", {"actions": DEARER, "overrides": MAY_TAKE}, {"how": "knock"})
NO_KNOCKS = asked("DI1", {"options": {"knock_limit": 0}}, {"winner": 0})


@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        (BY_READING, "this one is by reading."),
        (DEARER, "the engine proposes the best ending only."),
        (NO_KNOCKS, "these rules do not let it end so."),
    ],
)
def test_what_cannot_be_set_up_is_not_supported(vector, reason):
    found = verdict(vector)
    assert (found.outcome, found.reason.endswith(reason)) == (files.NOT_SUPPORTED, True)


# Words and exit codes


def test_failures_are_printed_with_what_was_expected(run):
    code, out, err = run(VECTORS["P01"], changed("P03", ("expect", "other"), 30), BY_READING)
    assert (code, err) == (1, "")
    assert out.startswith(
        "P03 failed: deal_points, standard\n  other\n    expected 30\n    got      29\n"
    )
    rows = [line.split() for line in out.splitlines()]
    assert ["deal_points", "1", "1", "0"] in rows and ["all", "1", "1", "1"] in rows
    assert "    1  options: positions by the size of the stock" in out


def test_examples_that_are_not_supported_never_count_as_passed(run):
    assert run(BY_READING)[0] == 3
    assert run(BY_READING, VECTORS["P01"])[0] == 0


def test_an_unreadable_file_or_request_is_refused_in_a_sentence(tmp_path, run):
    path = tmp_path / "bad.json"
    contents = {
        b"[1, 2": "is not JSON",
        b'{"examples": []}': "has no list of vectors",
        b"[7]": "a vector is an object, not '7'.",
        b'[{"id": "X", "kind": "deadwod"}]': "X: there is no kind 'deadwod'; did you mean",
        b'[{"id": "X", "kind": "deadwood", "given": {}}]': "X: a vector has no key 'given'",
    }
    for content, sentence in contents.items():
        path.write_bytes(content)
        assert_refused(run(path), sentence)
    assert_refused(run(tmp_path), "cannot be read: Is a directory")


def assert_refused(answered, sentence):
    code, out, err = answered
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("conform: ") and sentence in err


BAD = [  # example, place in it, wrong value, what is said
    ("D01", "input.hand", "4S 5S", "input.hand must have 10 or 11 cards, not 2."),
    ("D01", "input.hand", None, "kind deadwood cannot be read from this: "),
    ("D01", "expect", {}, "expect is empty"),
    ("L01", "input.knocker_melds", ["7H 8H TH"], "what is no meld under these rules"),
    ("P01", "input.stop", "undercut", "input.stop must be knock, gin, shot or big_gin"),
    ("KL1", "variant", "oklahomer", "there is no variant 'oklahomer'"),
    ("M01", "input.events", [{"winner": None, "points": 5}], "a deal without a winner has no"),
    ("OP1", "input.state.pases", 0, "'pases', which is neither a parameter nor a key of kind"),
    ("T01", "input.actions", ["N grab"], "'N grab' is no action"),
    ("O01", "variant", "standard", "needs a variant for one player, and standard is for two."),
    ("O01", "expect.drawn", 2, "expect has 'drawn', which kind solo_script does not have; did you"),
]


@pytest.mark.parametrize(("name", "place", "value", "sentence"), BAD)
def test_a_bad_example_is_refused_in_a_sentence(name, place, value, sentence):
    with pytest.raises(ExampleError, match=f"^{name}: ") as error:
        verdict(changed(name, place.split("."), value))
    assert sentence in str(error.value)


def test_every_mistake_is_reported_at_once(run):
    bad = [changed(name, ("input", "score"), -3) for name in ("SD1", "SD2")]
    code, out, err = run(*bad)
    assert (code, out) == (2, "")
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["SD1", "SD2"]
