"""Worked examples pass on engine and reference, wrong ones fail, invalid files are rejected."""

import copy
import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from worked_examples import __main__ as command
from worked_examples import engine, files, reference
from worked_examples.kinds import KINDS
from worked_examples.schema import ExampleError

DATA = Path(__file__).parents[1] / "data"
BOOK = DATA / "rules_vectors.json"
VECTORS, MORE = (
    {vector["id"]: vector for vector in json.loads(path.read_text())["vectors"]}
    for path in (BOOK, DATA / "more_examples.json")
)
SUBJECTS = pytest.mark.parametrize("subject", [engine, reference], ids=["engine", "reference"])


def verdict(vector, subject=engine):
    return files.verdict(files.example(vector), subject)


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


# Correct examples pass


@SUBJECTS
@pytest.mark.parametrize("name", [*VECTORS, *MORE])
def test_the_rule_book_and_more_examples_pass(name, subject):
    """Test the examples of the rules, and rare openings, endings and impossible actions."""
    found = verdict(VECTORS.get(name) or MORE[name], subject)
    assert (found.outcome, found.differences) == (files.PASSED, {})


def test_every_kind_has_an_example():
    assert {vector["kind"] for vector in VECTORS.values()} == KINDS.keys() and len(VECTORS) == 258


# Wrong examples fail


def wrong(value):
    """Return a different value of the same type."""
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
    """Yield (id, key, wrong value) for the first example of this kind that expects a key."""
    seen = Counter()
    for name, vector in VECTORS.items():
        expect = vector["expect"]
        keys = expect if isinstance(expect, dict) else {KINDS[kind].bare: expect}
        for key, value in keys.items() if vector["kind"] == kind else ():
            seen[key] += key != "why"
            if seen[key] == 1 and key != "why":
                yield name, key, wrong(value)


CARDS = {  # wrong lists of cards must be lists of cards
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


def asked(name, given, expect):
    vector = copy.deepcopy(VECTORS[name])
    vector["input"] |= given
    return vector | {"expect": expect}


STOCK_TWICE = {"actions": ["N stock"] * 2}
LATE = {"phase": "drawer holds eleven", "stock_before_draw": 3, "stock_reserve": 3}


@SUBJECTS
@pytest.mark.parametrize(
    ("vector", "got"),
    [
        (asked("S13", {"how": "gin"}, {"other": 0}), "no melding permits this gin"),
        (asked("T05", {}, {"how": "void"}), "N throw QD (action 2) is not possible"),
        # The example refers to its last action, but the first of two equal ones is impossible
        (asked("T02", STOCK_TWICE, {"illegal": "N stock"}), "N stock, as action 1"),
        (asked("DI8", {}, {"winner": 0}), "play: seat 0 offers 2 (offer 1) is not possible"),
        (asked("OP9", {"state": LATE}, {"options": []}), "the position: N stock is not possible"),
    ],
)
def test_an_impossible_action_is_reported(vector, got, subject):
    assert next(iter(verdict(vector, subject).differences.values()))[1] == got


# A position without an upcard and with few cards in the stock, which no script reaches
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
def test_examples_that_cannot_be_set_up_are_not_supported(vector, reason):
    found = verdict(vector)
    assert (found.outcome, found.reason.endswith(reason)) == (files.NOT_SUPPORTED, True)


# Messages and exit codes


def test_failures_are_printed_with_what_was_expected(run):
    code, out, err = run(VECTORS["P01"], changed("P03", ("expect", "other"), 30), BY_READING)
    assert (code, err) == (1, "")
    told = "P03 failed: deal_points, standard\n  other\n    expected 30\n    got      29\n"
    assert out.startswith(told)
    rows = [line.split() for line in out.splitlines()]
    assert ["deal_points", "1", "1", "0"] in rows and ["all", "1", "1", "1"] in rows
    assert "    1  options: positions by the size of the stock" in out


def test_examples_that_are_not_supported_never_count_as_passed(run):
    assert run(BY_READING)[0] == 3
    assert run(BY_READING, VECTORS["P01"])[0] == 0


def test_an_unreadable_file_or_request_is_rejected_with_a_message(tmp_path, run):
    path = tmp_path / "bad.json"
    contents = {
        b"[1, 2": "is not JSON",
        b'{"examples": []}': "has no list of vectors",
        b"[7]": "a vector is an object, not '7'.",
        b'[{"id": "X", "kind": "deadwod"}]': "there is no kind 'deadwod'. Did you mean 'deadwood'?",
        b'[{"id": "X", "kind": "deadwood", "given": {}}]': "X: a vector has no key 'given'",
    }
    for content, sentence in contents.items():
        path.write_bytes(content)
        assert_refused(run(path), sentence)
    assert_refused(run(tmp_path), "cannot be read: Is a directory")
    assert_refused(run(BOOK, kind="layof"), "Did you mean 'layoff'")
    assert_refused(run(VECTORS["D01"], kind="layoff"), "has no vectors of kind layoff")


def assert_refused(answered, sentence):
    code, out, err = answered
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("conform: ") and sentence in err


BAD = [  # example, path in it, wrong value, message
    ("D01", "input.hand", "4S 5S", "input.hand must have 10 or 11 cards, not 2."),
    ("D01", "input.hand", None, "kind deadwood cannot be read from this: "),
    ("D01", "expect", {}, "expect is empty"),
    ("K01", "input.taken", "KH", "input.taken and input.drawn must be cards of the hand."),
    ("L01", "input.knocker_melds", ["7H 8H TH"], "has cards that are not a meld under these rules"),
    ("P01", "input.stop", "undercut", "input.stop must be knock, gin, shot or big_gin"),
    ("KL1", "variant", "oklahomer", "'oklahomer' is not a known variant"),
    ("SD1", "input", {}, "KeyError('score')"),
    ("SD1", "input.score", -3, "input.score must be a whole number"),
    ("M01", "input.events", [{"winner": None, "points": 5}], "a deal without a winner has no"),
    ("RA1", "input.events", [{"winner": 0, "points": 5, "how": "knok"}], "Did you mean 'knock'?"),
    ("RA1", "input.race_points_seat", 1, "race_points_seat cannot be set: kind race has 0 there."),
    ("OP1", "input.state", {"to_move": "dealer", "passes": 0}, "to_move must be nondealer after 0"),
    ("OP1", "input.state.pases", 0, "'pases', which is neither a parameter nor a key of kind"),
    ("T01", "input.actions", ["N grab"], "'N grab' is not an action"),
    ("O01", "variant", "standard", "needs a variant for one player, and standard is for two."),
    ("O01", "input.deck_top_first", "JD 3S X", "a card can be in one place only."),
    ("R03", "input.deck_top_first", "X", "the joker X must be in one place if there is one."),
    ("O01", "expect.drawn", 2, "which kind solo_script does not have. Did you mean 'draws'?"),
    ("DI2", "input.events", [["before", "accept", 1, None]], "an answer follows an offer"),
]


@pytest.mark.parametrize(("name", "place", "value", "sentence"), BAD)
def test_a_bad_example_is_rejected_with_a_message(name, place, value, sentence):
    with pytest.raises(ExampleError, match=f"^{name}: ") as error:
        verdict(changed(name, place.split("."), value))
    assert sentence in str(error.value)


def test_every_mistake_is_reported(run):
    bad = [changed(name, ("input", "score"), -3) for name in ("SD1", "SD2")]
    code, out, err = run(*bad)
    assert (code, out) == (2, "")
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["SD1", "SD2"]
