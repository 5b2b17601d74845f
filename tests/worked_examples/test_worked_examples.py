"""Worked examples pass on engine and twin, wrong ones fail, and bad files are refused."""

import copy
import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from worked_examples import __main__ as command
from worked_examples import engine, files, rules_twin
from worked_examples.actions import action, action_alone, said_alone
from worked_examples.kinds import KINDS
from worked_examples.schema import ExampleError

DATA = Path(__file__).parents[1] / "data"
BOOK = DATA / "rules_vectors.json"
VECTORS = {vector["id"]: vector for vector in json.loads(BOOK.read_text())["vectors"]}
MORE = {
    vector["id"]: vector
    for vector in json.loads((DATA / "more_examples.json").read_text())["vectors"]
}
BAD = json.loads((DATA / "bad_examples.json").read_text())
SUBJECTS = pytest.mark.parametrize("subject", [engine, rules_twin], ids=["engine", "twin"])


def verdict(vector, subject=engine):
    return files.verdict(files.example(vector), subject)


def changed(name, path, value):
    """A vector with the value at `path` (keys) replaced."""
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

    def call(*vectors, kind=None):
        path = tmp_path / "mine.json"
        if vectors and isinstance(vectors[0], Path):
            path = vectors[0]
        else:
            path.write_text(json.dumps({"vectors": vectors}))
        words = ["worked_examples", str(path), *(["--kind", kind] if kind else [])]
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setenv("COLUMNS", "80")
        return command.main(), *capsys.readouterr()

    return call


# What is right passes


@SUBJECTS
@pytest.mark.parametrize("name", [*VECTORS, *MORE])
def test_the_rule_book_and_more_examples_pass(name, subject):
    """Those of the rules, and others: rare openings and endings, impossible actions, options."""
    found = verdict(VECTORS.get(name) or MORE[name], subject)
    assert (found.outcome, found.differences) == (files.PASSED, {})


def test_the_counts_are_printed_by_kind(run):
    code, out, err = run(BOOK, kind="shot_digits")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert ["shot_digits", "15", "0", "0"] in rows and ["all", "15", "0", "0"] in rows
    assert "Not supported" not in out


def test_every_kind_has_an_example():
    assert {vector["kind"] for vector in VECTORS.values()} == KINDS.keys() and len(VECTORS) == 248


def test_scripts_round_trip():
    for text in ("draw", "throw TC", "stop", "big gin"):
        assert said_alone(action_alone(text)) == text
    for text in ("N pass", "D take", "N stock", "D throw TC", "N stop 2D", "D big gin"):
        assert str(action(text)) == text


# What is wrong fails


def wrong(value):
    """Something else of the same type: for lists and objects one element another or more."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict):
        key = next(iter(value), None)
        return {**value, key: wrong(value[key])} if value else {"2C": 1}
    if isinstance(value, list):
        return [*value[:-1], wrong(value[-1])] if value else [8]
    return {None: 0, "knock": "gin"}.get(value, "draw twice")


def wrong_expectations(kind):
    """(id, key, wrong value) for the first two examples of a kind that expect a key."""
    seen = Counter()
    for name, vector in VECTORS.items():
        expect = vector["expect"]
        keys = expect if isinstance(expect, dict) else {KINDS[kind].bare: expect}
        for key, value in keys.items() if vector["kind"] == kind else ():
            seen[key] += key != "why"
            if 1 <= seen[key] <= 2:
                yield name, key, wrong(value)


CARDS = {  # wrong lists of cards have to be lists of cards
    "families": [["4S 4H 4D", "5S 5H 5D", "6S 6H 6D"], ["AS AH AD"]],
    "auto_melds": ["AS AH AD"],
    "own_melds_example": ["AS AH AD"],
    "laid_off_example": ["AS"],
    "knocker_melds": ["AS AH AD"],
}


@SUBJECTS
@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_expectation_is_noticed(kind, subject):
    cases = list(wrong_expectations(kind))
    assert cases
    for name, key, value in cases:
        bare = isinstance(VECTORS[name]["expect"], int)
        path = ("expect",) if bare else ("expect", key)
        vector = changed(name, path, CARDS.get(key, value))
        if kind == "exact_counts" and not bare:
            vector["expect"] = {key: value}
        found = verdict(vector, subject)
        assert found.outcome == files.FAILED, (name, key)
        assert key in found.differences


@SUBJECTS
@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("D03", "families", [["4S 4H 4D", "5S 5H 5D", "6S 6H 6D"]]),  # one of two
        ("D33", "families", [["AS 2S 3S", "4S 5S 6S 7S 8S 9S TS"]] * 2),
        ("K01", "knock", {}),
        ("K01", "knock", {"9C": 8, "6D": 11}),
        ("L01", "laid_off_example", ["JH", "TH"]),
        ("L01", "laid_off_example", ["JH", "TH", "6H", "QC"]),
        ("L03", "own_melds_example", ["8S 8H 8D 8C"]),
        ("S03", "knocker_melds", ["4S 5S 6S", "9H 9D 9C", "QS QH"]),
        ("M01", "winner", None),
        ("M03", "winner", "player"),
        ("T01", "illegal", "N take"),
        ("T02", "illegal", "N stop 2D"),
        ("T03", "illegal", "D pass"),
        ("O13", "illegal", None),
        ("R02", "how", "gin"),
        ("HO4", "settlement", [-65, 75, None]),
        ("HO6", "total", True),
        ("SO1", "won", None),
        ("DI2", "ended_by", "play"),
        ("DI8", "illegal", None),
        ("OP1", "options", ["take"]),
    ],
)
def test_other_wrong_expectations_are_noticed(name, key, value, subject):
    assert key in verdict(changed(name, ("expect", key), value), subject).differences


def asked(name, given, expect):
    """A vector with some of its input replaced, and another expectation."""
    vector = copy.deepcopy(VECTORS[name])
    vector["input"] |= given
    return vector | {"expect": expect}


LATE = {"phase": "drawer holds eleven", "stock_before_draw": 3, "stock_reserve": 3}
TWICE = {"actions": ["N stock", "N stock"]}
FREE = {"first_turn": "free", "to_move": "dealer", "passes": 1}


@SUBJECTS
@pytest.mark.parametrize(
    ("vector", "got"),
    [
        (asked("S13", {"how": "gin"}, {"other": 0}), "no melding permits this gin"),
        (asked("S08", {"own_score": 100}, {"other": 0}), "no melding permits this shot"),
        (asked("T05", {}, {"how": "void"}), "N throw QD (action 2) is not possible"),
        # The example means its last action, but here the first of two equal ones is impossible
        (
            asked("T02", {"actions": ["N stock"] * 2}, {"illegal": "N stock"}),
            "N stock, as action 1",
        ),
        (asked("O13", {}, {"how": "gin"}), "stop (action 1) is not possible"),
        (asked("DI8", {}, {"winner": 0}), "play: seat 0 offers 2 (offer 1) is not possible"),
        (asked("OP9", {"state": LATE}, {"options": []}), "the position: N stock is not possible"),
        (asked("OP9", {"state": FREE}, {"options": []}), "the position: N pass is not possible"),
    ],
)
def test_what_is_not_possible_is_said(vector, got, subject):
    assert next(iter(verdict(vector, subject).differences.values()))[1] == got


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
    assert next(line.split() for line in out.splitlines() if line.startswith("all"))[1:] == list(
        "111"
    )


def test_examples_that_are_not_supported_never_count_as_passed(run):
    code, out, _ = run(BY_READING)
    assert code == 3
    assert "    1  options: positions by the size of the stock" in out
    assert run(BY_READING, VECTORS["P01"])[0] == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON"),
        ("[1, 2", "is not JSON"),
        ('{"vectors": 3}', "has no list of vectors"),
        ('{"examples": []}', "has no list of vectors"),
        ('{"vectors": []}', "has no vectors."),
        ("[7]", "vector 1: a vector is an object, not '7'."),
        ('[{"kind": "deadwood"}]', "vector 1: id must be a text of its own"),
        (
            '[{"id": "X", "kind": "deadwod"}]',
            "X: there is no kind 'deadwod'; did you mean 'deadwood'?",
        ),
        ('[{"id": "X", "kind": "deadwood"}]', "X: input must be an object"),
        ('[{"id": "X", "kind": "deadwood", "expected": {}}]', "X: a vector has no key 'expected'"),
        ('[{"id": "\\ud800"}]', "holds half a character"),
        (b"\xff\xfe\x00", "is not text in UTF-8"),
    ],
)
def test_a_bad_file_is_refused(tmp_path, run, content, message):
    path = tmp_path / "bad.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = run(path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("conform: ") and message in err


def test_other_requests_are_refused(tmp_path, run):
    assert "cannot be read: No such file" in run(tmp_path / "none.json")[2]
    assert "cannot be read: Is a directory" in run(tmp_path)[2]
    assert "did you mean 'layoff'" in run(BOOK, kind="layof")[2]
    assert "has no vectors of kind layoff" in run(VECTORS["D01"], kind="layoff")[2]
    assert "the id 'D01' is given more than once" in run(VECTORS["D01"], VECTORS["D01"])[2]


@pytest.mark.parametrize("case", BAD, ids=lambda case: f"{case['example']} {case['path'][-1]}")
def test_a_bad_example_is_refused_in_a_sentence(case):
    with pytest.raises((ExampleError, files.ConformError)) as error:
        verdict(changed(case["example"], case["path"], case["value"]))
    assert case["says"] in str(error.value)


def test_every_mistake_is_reported_at_once(run):
    code, out, err = run(
        changed("SD1", ("input", "score"), -3), changed("SD2", ("input", "score"), "x")
    )
    assert (code, out) == (2, "")
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["SD1", "SD2"]
