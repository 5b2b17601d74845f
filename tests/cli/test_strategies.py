"""Tests of `simgin strategies`: the list, single strategies and new files."""

import json
from pathlib import Path

import pytest

from simgin.checks import contract
from simgin.cli.commands import strategies
from simgin.strategy import SLOTS, loader
from support.command_line import call
from support.command_runs import KEYS

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_strategies_lists_strategies_and_policies():
    output = call("strategies").stdout
    headings = [f"Policies for +{slot}=" for slot in ("take", "discard", "knock")]
    assert all(words in output for words in ("gold-early", "[k=10]", *headings))
    assert all(len(line) <= 80 for line in output.splitlines())
    found = json.loads(call("strategies", "--json").stdout)
    assert list(found) == KEYS and {row["kind"] for row in found["rows"]} == {"strategy", "policy"}
    assert {row["tier"] for row in found["rows"]} == {"fast"}


def test_short_prints_names_that_can_be_played_and_nothing_else():
    every = call("strategies", "--short").stdout.split()
    alone = call("strategies", "--short", "--players", "1").stdout.split()
    two = call("strategies", "--short", "--players", "2").stdout.split()
    assert call("strategies", "--short", "-v", "gin-solitaire").stdout.split() == alone
    assert call("strategies", "--short", "-v", "oklahoma").stdout.split() == two
    assert sorted(every) == list(loader.list_strategies()) and set(alone) | set(two) == set(every)
    assert {"gold", "simple"} <= set(two) and all(name.startswith("solo-") for name in alone)
    knocks = call("strategies", "--short", "--slot", "knock").stdout.split()
    assert {"at", "early"} <= set(knocks)
    for name in knocks:
        loader.find_strategy(f"gold+knock={name}")


def test_the_list_is_filtered_by_slot_and_word():
    rows = json.loads(call("strategies", "--slot", "knock", "--json").stdout)["rows"]
    assert {(row["kind"], row["slot"]) for row in rows} == {("policy", "knock")}
    found = call("strategies", "--search", "UNDERCUT")
    assert "count" in found.stdout and "schedule" not in found.stdout
    assert "Command: simgin strategies --search UNDERCUT" in found.stdout
    assert "No description contains this word" in call("strategies", "--search", "xyzzy").stdout
    for words in (("gold", "--short"), ("--players", "1", "--slot", "knock"), ("--slot", "nock")):
        assert call("strategies", *words, code=2).stderr


def test_a_new_strategy_is_written_once_and_shows_its_tier():
    output = call("strategies", "new", "mine.py").stdout
    assert "Output:  mine.py" in output
    for words in ("match", "strategies check", "show"):
        assert f"simgin {words} mine.py" in output
    rows = json.loads(call("strategies", "mine.py", "--json").stdout)["rows"]
    assert [row["tier"] for row in rows] == ["fast"] * len(SLOTS)
    assert "already exists" in call("strategies", "new", "mine.py", code=2).stderr


def test_an_interpreted_strategy_is_shown_as_slow(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from simgin.strategy import *\nSEEN = {}\n@take\n"
        "def f(view, rules, params):\n    return SEEN.get(1, 0)\n"
        "S = Strategy('x', take=f)"
    )
    run = call("strategies", file)
    assert "slow" in run.stdout and "Slow policies run in Python" in run.stdout
    assert "it reads the dict SEEN" in run.stderr


def test_a_strategy_shows_slots_parameters_file_and_digest():
    output = call("strategies", "gold-early:k=7").stdout
    shown = ("early:k=7", "0..500 (whole)", "number of own turns in which every", "knock.py")
    for words in (*shown, "Digest: "):
        assert words in output
    rows = json.loads(call("strategies", "gold-early:k=7", "--json").stdout)["rows"]
    assert [row["slot"] for row in rows] == list(SLOTS)
    shown = {"name": "k", "kind": "integer", "value": "7", "may_be": "0..500 (whole)"}
    assert shown.items() <= rows[2]["parameters"][0].items()


def test_a_file_is_shown_with_the_name_that_it_declares(empty_directory):
    text = "from simgin.strategy import Strategy\n\nSTRATEGY = Strategy('patient')\n"
    Path("mine.py").write_text(text)
    assert call("strategies", "mine.py").stdout.startswith("patient (mine.py)\n")
    assert call("strategies", "gold").stdout.startswith("gold\n")
    shown = call("show", "mine.py", "gold").stdout
    assert "patient (seat" in shown and "mine.py (seat" not in shown
    first_row = json.loads(call("show", "mine.py", "gold", "--json").stdout)["rows"][0]
    assert first_row["strategies"] == ["mine.py", "gold"]
    output = call("strategies", "check", "mine.py", "-v", "standard").stdout
    assert "All checks passed. The strategy is named patient. Every policy" in " ".join(
        output.split()
    )


def print_check(monkeypatch, *failed, code=0, words=()):
    """Return the output of a check with constructed results."""
    passed = dict.fromkeys(contract.CHECKS, True) | dict(failed)
    findings = [
        contract.ContractResult("x", name, ok, f"about {name}.") for name, ok in passed.items()
    ]
    monkeypatch.setattr(contract, "check_strategies", lambda *_: findings)
    return call("strategies", "check", "mine.py", *words, code=code).stdout


@pytest.mark.parametrize(("knows", "signs"), [(True, "✓✗–"), (False, ("ok", "FAIL", "-"))])
def test_a_check_is_a_line_with_details_below_failures_only(knows, signs, monkeypatch):
    monkeypatch.setattr(strategies, "can_print", lambda _: knows)
    failed = (("legal", False), ("plays", None))
    lines = print_check(monkeypatch, *failed, code=1).splitlines()
    assert [line.split()[0] for line in lines if line.split()[1:2] == ["legal"]] == [signs[1]]
    assert sum(line.split()[:1] == [signs[0]] for line in lines) == 8
    assert sum("about" in line for line in lines) == 2
    assert "1 of 10 checks failed." in lines
    output = print_check(monkeypatch)
    assert "All checks passed. about read." in output and "about plays." in output
    assert json.loads(print_check(monkeypatch, words=["--json"]))["rows"][0]["passed"]
