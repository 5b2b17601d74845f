"""Tests of `simgin strategies`: the list, single strategies and new files."""

import json
from pathlib import Path

import pytest

from simgin.checks import contract
from simgin.cli.commands import strategies
from simgin.strategy import SLOTS, loader
from support.command_line import run_simgin
from support.command_runs import JSON_OUTPUT_KEYS

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_strategies_lists_strategies_and_policies():
    output = run_simgin("strategies").stdout
    headings = [f"Policies for +{slot}=" for slot in ("take", "discard", "knock")]
    assert all(words in output for words in ("gold-early", "[k=10]", *headings))
    assert all(len(line) <= 80 for line in output.splitlines())
    found = json.loads(run_simgin("strategies", "--json").stdout)
    assert list(found) == JSON_OUTPUT_KEYS and {row["kind"] for row in found["rows"]} == {
        "strategy",
        "policy",
    }
    assert {row["tier"] for row in found["rows"]} == {"fast"}


def test_short_list_contains_only_playable_names():
    all_names = run_simgin("strategies", "--short").stdout.split()
    solitaire_names = run_simgin("strategies", "--short", "--players", "1").stdout.split()
    two_player_names = run_simgin("strategies", "--short", "--players", "2").stdout.split()
    assert (
        run_simgin("strategies", "--short", "-v", "gin-solitaire").stdout.split() == solitaire_names
    )
    assert run_simgin("strategies", "--short", "-v", "oklahoma").stdout.split() == two_player_names
    assert sorted(all_names) == list(loader.list_strategies()) and set(solitaire_names) | set(
        two_player_names
    ) == set(all_names)
    assert {"gold", "simple"} <= set(two_player_names) and all(
        name.startswith("solo-") for name in solitaire_names
    )
    knocks = run_simgin("strategies", "--short", "--slot", "knock").stdout.split()
    assert {"at", "early"} <= set(knocks)
    for name in knocks:
        loader.find_strategy(f"gold+knock={name}")


def test_list_is_filtered_by_slot_and_word():
    rows = json.loads(run_simgin("strategies", "--slot", "knock", "--json").stdout)["rows"]
    assert {(row["kind"], row["slot"]) for row in rows} == {("policy", "knock")}
    found = run_simgin("strategies", "--search", "UNDERCUT")
    assert "count" in found.stdout and "schedule" not in found.stdout
    assert "Command: simgin strategies --search UNDERCUT" in found.stdout
    assert (
        "No description contains this word" in run_simgin("strategies", "--search", "xyzzy").stdout
    )
    for words in (("gold", "--short"), ("--players", "1", "--slot", "knock"), ("--slot", "nock")):
        assert run_simgin("strategies", *words, exit_code=2).stderr


def test_new_strategy_file_can_be_played_and_is_not_overwritten():
    output = run_simgin("strategies", "new", "mine.py").stdout
    assert "Output:  mine.py" in output
    for words in ("match", "strategies check", "show"):
        assert f"simgin {words} mine.py" in output
    rows = json.loads(run_simgin("strategies", "mine.py", "--json").stdout)["rows"]
    assert [row["tier"] for row in rows] == ["fast"] * len(SLOTS)
    assert "already exists" in run_simgin("strategies", "new", "mine.py", exit_code=2).stderr


def test_interpreted_strategy_is_shown_as_slow(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from simgin.strategy import *\nSEEN = {}\n@take\n"
        "def f(view, rules, params):\n    return SEEN.get(1, 0)\n"
        "S = Strategy('x', take=f)"
    )
    run = run_simgin("strategies", file)
    assert "slow" in run.stdout and "Slow policies run in Python" in run.stdout
    assert "it reads the dict SEEN" in run.stderr


def test_strategy_shows_slots_parameters_file_and_digest():
    output = run_simgin("strategies", "gold-early:k=7").stdout
    shown = ("early:k=7", "0..500 (whole)", "number of own turns in which every", "knock.py")
    for words in (*shown, "Digest: "):
        assert words in output
    rows = json.loads(run_simgin("strategies", "gold-early:k=7", "--json").stdout)["rows"]
    assert [row["slot"] for row in rows] == list(SLOTS)
    shown = {"name": "k", "kind": "integer", "value": "7", "may_be": "0..500 (whole)"}
    assert shown.items() <= rows[2]["parameters"][0].items()


def test_strategy_file_is_shown_with_its_declared_name(empty_directory):
    text = "from simgin.strategy import Strategy\n\nSTRATEGY = Strategy('patient')\n"
    Path("mine.py").write_text(text)
    assert run_simgin("strategies", "mine.py").stdout.startswith("patient (mine.py)\n")
    assert run_simgin("strategies", "gold").stdout.startswith("gold\n")
    shown = run_simgin("show", "mine.py", "gold").stdout
    assert "patient (seat" in shown and "mine.py (seat" not in shown
    first_row = json.loads(run_simgin("show", "mine.py", "gold", "--json").stdout)["rows"][0]
    assert first_row["strategies"] == ["mine.py", "gold"]
    output = run_simgin("strategies", "check", "mine.py", "-v", "standard").stdout
    assert "All checks passed. The strategy is named patient. Every policy" in " ".join(
        output.split()
    )


def run_check_with_results(monkeypatch, *changed_results, exit_code=0, options=()):
    """Run `strategies check` with replaced results of its checks, and return the output."""
    passed = dict.fromkeys(contract.CONTRACT_CHECKS, True) | dict(changed_results)
    findings = [
        contract.ContractResult("x", name, ok, f"about {name}.") for name, ok in passed.items()
    ]
    monkeypatch.setattr(contract, "check_strategies", lambda *_: findings)
    return run_simgin("strategies", "check", "mine.py", *options, exit_code=exit_code).stdout


@pytest.mark.parametrize(("has_unicode", "marks"), [(True, "✓✗–"), (False, ("ok", "FAIL", "-"))])
def test_check_shows_details_only_for_failures(has_unicode, marks, monkeypatch):
    monkeypatch.setattr(strategies, "can_print", lambda _: has_unicode)
    failed = (("legal", False), ("plays", None))
    lines = run_check_with_results(monkeypatch, *failed, exit_code=1).splitlines()
    assert [line.split()[0] for line in lines if line.split()[1:2] == ["legal"]] == [marks[1]]
    assert sum(line.split()[:1] == [marks[0]] for line in lines) == 8
    assert sum("about" in line for line in lines) == 2
    assert "1 of 10 checks failed." in lines
    output = run_check_with_results(monkeypatch)
    assert "All checks passed. about read." in output and "about plays." in output
    assert json.loads(run_check_with_results(monkeypatch, options=["--json"]))["rows"][0]["passed"]


def test_check_command_contains_the_given_time_limit(monkeypatch):
    for options in ([], ["--seconds", "0.1"]):
        command = run_check_with_results(monkeypatch, options=options).splitlines()[-1]
        assert command == " ".join(["Command: simgin strategies check mine.py", *options])
