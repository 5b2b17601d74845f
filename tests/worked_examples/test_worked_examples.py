"""Test worked examples of the rules on the engine and the reference implementation."""

import copy
import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from worked_examples import __main__ as command
from worked_examples import engine, files, reference
from worked_examples.kinds import EXAMPLE_KINDS
from worked_examples.schema import ExampleError

DATA_DIRECTORY = Path(__file__).parents[1] / "data"
RULE_BOOK_FILE = DATA_DIRECTORY / "rules_vectors.json"
RULE_BOOK_EXAMPLES, MORE_EXAMPLES = (
    {vector["id"]: vector for vector in json.loads(path.read_text())["vectors"]}
    for path in (RULE_BOOK_FILE, DATA_DIRECTORY / "more_examples.json")
)
EACH_IMPLEMENTATION = pytest.mark.parametrize(
    "implementation", [engine, reference], ids=["engine", "reference"]
)


def run_example(json_example, implementation=engine):
    return files.run_example(files.parse_example(json_example), implementation)


def change_example(example_id, path, value):
    """Return a rule-book example with one value replaced."""
    vector = copy.deepcopy(RULE_BOOK_EXAMPLES[example_id])
    *parents, last = path
    container = vector
    for key in parents:
        container = container[key]
    container[last] = value
    return vector


@pytest.fixture
def run_command(tmp_path, monkeypatch, capsys):
    """Return a function that runs the command and returns exit code, output and errors."""

    def run(*vectors, kind=None):
        path = tmp_path / "mine.json"
        if vectors and isinstance(vectors[0], Path):
            path = vectors[0]
        else:
            path.write_text(json.dumps({"vectors": vectors}))
        words = ["worked_examples", str(path), *(["--kind", kind] if kind else [])]
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setenv("COLUMNS", "80")
        return command.main(), *capsys.readouterr()

    return run


# Correct examples pass


@EACH_IMPLEMENTATION
@pytest.mark.parametrize("example_id", [*RULE_BOOK_EXAMPLES, *MORE_EXAMPLES])
def test_example_passes(example_id, implementation):
    result = run_example(
        RULE_BOOK_EXAMPLES.get(example_id) or MORE_EXAMPLES[example_id], implementation
    )
    assert (result.outcome, result.differences) == (files.PASSED, {})


def test_rule_book_has_examples_of_every_kind():
    assert {
        vector["kind"] for vector in RULE_BOOK_EXAMPLES.values()
    } == EXAMPLE_KINDS.keys() and len(RULE_BOOK_EXAMPLES) == 258


# Wrong examples fail


def make_wrong_value(value):
    """Return a different value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict):
        key = next(iter(value), None)
        return {**value, key: make_wrong_value(value[key])} if value else {"2C": 1}
    if isinstance(value, list):
        return [*value[:-1], make_wrong_value(value[-1])] if value else [8]
    return {None: 0, "knock": "gin"}.get(value, "draw twice")


def iter_wrong_expectations(kind):
    """Yield (id, key, wrong value) for every key that examples of a kind expect."""
    seen = Counter()
    for name, vector in RULE_BOOK_EXAMPLES.items():
        expect = vector["expect"]
        keys = expect if isinstance(expect, dict) else {EXAMPLE_KINDS[kind].single_key: expect}
        for key, value in keys.items() if vector["kind"] == kind else ():
            seen[key] += key != "why"
            if seen[key] == 1 and key != "why":
                yield name, key, make_wrong_value(value)


WRONG_CARD_VALUES = {  # wrong values that are valid lists of cards
    "families": [["4S 4H 4D", "5S 5H 5D", "6S 6H 6D"], ["AS AH AD"]],
    "auto_melds": ["AS AH AD"],
    "own_melds_example": ["AS AH AD"],
    "laid_off_example": ["AS"],
    "knocker_melds": ["AS AH AD"],
}


@EACH_IMPLEMENTATION
@pytest.mark.parametrize("kind", EXAMPLE_KINDS)
def test_wrong_expectation_fails(kind, implementation):
    cases = list(iter_wrong_expectations(kind))
    assert cases
    for name, key, value in cases:
        is_single = isinstance(RULE_BOOK_EXAMPLES[name]["expect"], int)
        path = ("expect",) if is_single else ("expect", key)
        vector = change_example(name, path, WRONG_CARD_VALUES.get(key, value))
        if kind == "exact_counts" and not is_single:
            vector["expect"] = {key: value}
        result = run_example(vector, implementation)
        assert result.outcome == files.FAILED, (name, key)
        assert key in result.differences


def make_example(example_id, input_changes, expect):
    """Return a rule-book example with changed input and another expectation."""
    vector = copy.deepcopy(RULE_BOOK_EXAMPLES[example_id])
    vector["input"] |= input_changes
    return vector | {"expect": expect}


REPEATED_STOCK_ACTIONS = {"actions": ["N stock"] * 2}
LATE_STATE = {"phase": "drawer holds eleven", "stock_before_draw": 3, "stock_reserve": 3}


@EACH_IMPLEMENTATION
@pytest.mark.parametrize(
    ("json_example", "actual"),
    [
        (make_example("S13", {"how": "gin"}, {"other": 0}), "no melding permits this gin"),
        (make_example("T05", {}, {"how": "void"}), "N throw QD (action 2) is not possible"),
        # The example refers to its last action, but the first of two equal ones is impossible
        (
            make_example("T02", REPEATED_STOCK_ACTIONS, {"illegal": "N stock"}),
            "N stock, as action 1",
        ),
        (make_example("DI8", {}, {"winner": 0}), "play: seat 0 offers 2 (offer 1) is not possible"),
        (
            make_example("OP9", {"state": LATE_STATE}, {"options": []}),
            "the position: N stock is not possible",
        ),
    ],
)
def test_illegal_action_is_reported(json_example, actual, implementation):
    assert next(iter(run_example(json_example, implementation).differences.values()))[1] == actual


# A position without an upcard and with few cards in the stock, which no script reaches
UNREACHABLE_STATE = {"first_turn": "discard_first", "phase": "after the throw", "stock": 9}
UNREACHABLE_EXAMPLE = make_example("OP9", {"state": UNREACHABLE_STATE}, {"options": ["stock"]})
WORSE_ENDING_SCRIPT = [*RULE_BOOK_EXAMPLES["T09"]["input"]["actions"][:-1], "D stop QC"]
OPPONENT_MAY_TAKE_RULES = {"stock_end": "opponent_may_take", "knock_limit": 30}
WORSE_ENDING_EXAMPLE = make_example(
    "T09", {"actions": WORSE_ENDING_SCRIPT, "overrides": OPPONENT_MAY_TAKE_RULES}, {"how": "knock"}
)
NO_KNOCK_EXAMPLE = make_example("DI1", {"options": {"knock_limit": 0}}, {"winner": 0})


@pytest.mark.parametrize(
    ("json_example", "reason"),
    [
        (UNREACHABLE_EXAMPLE, "this one is by reading."),
        (WORSE_ENDING_EXAMPLE, "the engine proposes the best ending only."),
        (NO_KNOCK_EXAMPLE, "these rules do not let it end so."),
    ],
)
def test_unreachable_position_is_not_supported(json_example, reason):
    result = run_example(json_example)
    assert (result.outcome, result.reason.endswith(reason)) == (files.NOT_SUPPORTED, True)


# Messages and exit codes


def test_report_shows_expected_and_actual_value(run_command):
    code, out, err = run_command(
        RULE_BOOK_EXAMPLES["P01"],
        change_example("P03", ("expect", "other"), 30),
        UNREACHABLE_EXAMPLE,
    )
    assert (code, err) == (1, "")
    expected = "P03 failed: deal_points, standard\n  other\n    expected 30\n    got      29\n"
    assert out.startswith(expected)
    rows = [line.split() for line in out.splitlines()]
    assert ["deal_points", "1", "1", "0"] in rows and ["all", "1", "1", "1"] in rows
    assert "    1  options: positions by the size of the stock" in out


def test_unsupported_example_does_not_pass(run_command):
    assert run_command(UNREACHABLE_EXAMPLE)[0] == 3
    assert run_command(UNREACHABLE_EXAMPLE, RULE_BOOK_EXAMPLES["P01"])[0] == 0


def test_invalid_file_is_rejected(tmp_path, run_command):
    path = tmp_path / "bad.json"
    contents = {
        b"[1, 2": "is not JSON",
        b'{"examples": []}': "has no list of vectors",
        b"[7]": "a vector is an object, not '7'.",
        b'[{"id": "X", "kind": "deadwod"}]': "there is no kind 'deadwod'. Did you mean 'deadwood'?",
        b'[{"id": "X", "kind": "deadwood", "given": {}}]': "X: a vector has no key 'given'",
    }
    for content, message in contents.items():
        path.write_bytes(content)
        assert_rejected(run_command(path), message)
    assert_rejected(run_command(tmp_path), "cannot be read: Is a directory")
    assert_rejected(run_command(RULE_BOOK_FILE, kind="layof"), "Did you mean 'layoff'")
    assert_rejected(
        run_command(RULE_BOOK_EXAMPLES["D01"], kind="layoff"), "has no vectors of kind layoff"
    )


def assert_rejected(output, message):
    """Check that the command printed only this error and returned exit code 2."""
    code, out, err = output
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("conform: ") and message in err


INVALID_EXAMPLES = [  # example, path in it, wrong value, message
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


@pytest.mark.parametrize(("example_id", "path", "value", "message"), INVALID_EXAMPLES)
def test_invalid_example_is_rejected(example_id, path, value, message):
    with pytest.raises(ExampleError, match=f"^{example_id}: ") as error:
        run_example(change_example(example_id, path.split("."), value))
    assert message in str(error.value)


def test_all_invalid_examples_are_reported(run_command):
    bad = [change_example(name, ("input", "score"), -3) for name in ("SD1", "SD2")]
    code, out, err = run_command(*bad)
    assert (code, out) == (2, "")
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["SD1", "SD2"]
