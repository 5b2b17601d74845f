"""Tests of each statement of the threat model: code runs only if the user names it."""

import io
import json
import os
import pickle
import re
import socket
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.core import jit
from simgin.runs import directory, ledger
from support.hostile import STRATEGY_CODE, TOUCH_FILE_CODE, run_cli, run_cli_harmlessly
from support.weighted_strategy import write_weighted_strategy

ROOT = Path(__file__).parents[2]
RUN_READING_COMMANDS = (("report", "out"), ("compare", "out", "out"))


class CodeRunningPickle:
    """Object whose pickle runs code when it is loaded."""

    def __reduce__(self):
        return Path.touch, (Path("it-ran"),)


def has_touched_file():
    """Return True if TOUCH_FILE_CODE has run since the last call."""
    exists = Path("it-ran").exists()
    Path("it-ran").unlink(missing_ok=True)
    return exists


@pytest.fixture
def workspace(empty_directory):
    """Create a strategy file, and check after the test that no unexpected code has run."""
    Path("mine.py").write_text(STRATEGY_CODE)
    yield empty_directory
    assert not has_touched_file()


@pytest.fixture
def strategy_run(workspace):
    """Play a run of a strategy file, then make the file reveal when it is executed."""
    run_cli("match", "mine.py", "--deals", 2000, "-o", "out", exit_codes=(0,))
    Path("mine.py").write_text(STRATEGY_CODE + TOUCH_FILE_CODE)


def test_built_in_name_does_not_load_a_file(workspace):
    for name in ("gold", "gold.py"):
        Path(name).write_text(TOUCH_FILE_CODE + STRATEGY_CODE)
    for command in ("strategies gold", "match gold nobody", "show gold"):
        run_cli(*command.split())


def test_experiment_executes_only_the_strategy_files_of_its_players(workspace):
    Path("mine.py").write_text(TOUCH_FILE_CODE + STRATEGY_CODE)
    for player in ("gold", "mine.py"):
        matchups = f'[{{ a = "{player}" }}, {{ a = "nobody" }}]'
        Path("e.toml").write_text(f'question = "mine.py"\nmatchups = {matchups}\n')
        run_cli("run", "e.toml", "--dry-run", exit_codes=(2,))
        assert has_touched_file() == (player == "mine.py")


def test_cache_is_in_the_home_directory(monkeypatch):
    monkeypatch.delenv("SIMGIN_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert jit.get_cache_root().is_relative_to(Path.home())


def test_reading_a_run_executes_none_of_its_strategies(strategy_run):
    for arguments in (*RUN_READING_COMMANDS, ("report", "out", "--details")):
        run_cli(*arguments, exit_codes=(0,))


def test_pickles_in_a_ledger_are_not_loaded(strategy_run):
    path = Path("out") / ledger.LEDGER_FILE
    array = io.BytesIO()
    np.savez(array, np.array([CodeRunningPickle()], object), allow_pickle=True)
    with ledger.open_existing_ledger(path) as run_ledger:
        identity = run_ledger.identity
    for content in (pickle.dumps(CodeRunningPickle()), array.getvalue()):
        with ledger.open_ledger(path, identity) as run_ledger:
            run_ledger._insert("steps", ("luck", 1, content))
            with pytest.raises(ledger.LedgerError):
                run_ledger.read_step_result("luck", 1)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE blocks SET sums = ?", [content])
        for words in RUN_READING_COMMANDS:
            run_cli(*words, exit_codes=(2,))


def test_pickles_in_weights_are_not_loaded(workspace):
    np.save("w.npy", np.array([CodeRunningPickle()], object), allow_pickle=True)
    Path("mine.py").write_text(STRATEGY_CODE.replace("@knock", '@knock(weights="w.npy")'))
    message = run_cli("match", "mine.py", exit_codes=(2,)).stderr
    assert "cannot use the weights in" in message and "not an array of real numbers" in message
    for path in (ROOT / "simgin").rglob("*.py"):
        assert "allow_pickle=True" not in path.read_text(), path  # numpy's default is False


@pytest.mark.parametrize(
    "text",
    [
        'question = "?"\nmatchups = [{{ a = "{text}" }}]\n',
        'question = "?"\nvariants = ["{text}"]\nsolo = ["gold"]\n',
        'question = "?"\n[sweep]\nstrategy = "{{k}}"\ngrid.k = ["{text}"]\n',
        'question = "?"\n[sweep]\nstrategy = "{{k.__class__}}{text}"\ngrid.k = ["gold"]\n',
        '[variants.club]\ntitle = "{text}"\nabout = "{text}"\nbase = "{text}"\n',
        '[variants.club]\ntitle = "T"\nabout = "A"\nchanges.gin_bonus = "{text}"\n',
    ],
)
def test_strings_in_toml_are_not_evaluated(workspace, text):
    code = "__import__('pathlib').Path('it-ran').touch()"
    Path("e.toml").write_text(text.format(text=code))
    for words in ("run e.toml --dry-run", "variants e.toml", "match gold -v e.toml"):
        run_cli(*words.split())


CONTROL_CHARACTERS = "\x1b]0;t\x07 \x1b[31m \x9b2J \u202e"


def test_output_is_free_of_control_characters_and_tags(workspace):
    """Titles, questions, paths and manifests are escaped."""
    question, text = (
        json.dumps("<script>alert(1)</script>" + CONTROL_CHARACTERS),
        json.dumps(CONTROL_CHARACTERS),
    )
    Path("e.toml").write_text(
        f"question = {question}\nhypothesis = {text}\ndeals = 2000\nmatchups = [{{ a = 'gold' }}]\n"
    )
    Path("v.toml").write_text(
        f"[variants.club]\ntitle = {text}\nabout = {text}\nbase = 'standard'\n"
    )
    Path("\x1b[31m").mkdir()
    Path("\x1b[31m/mine.py").write_text(STRATEGY_CODE)
    printed = []

    def run_and_record_output(*arguments):
        result = CliRunner().invoke(cli, arguments, color=True)
        assert isinstance(result.exception, SystemExit | None), arguments
        printed.extend([result.stdout, result.stderr])

    commands = "run e.toml -o out,report out,compare out out,variants v.toml,report \x1b[31m"
    commands += ",strategies \x1b[31m/mine.py,run \x9b.toml,match \x1b,match --\x9b,\x1b[31m"
    for words in commands.split(","):
        run_and_record_output(*words.split(" "))
    contents = directory.read_manifest("out")
    contents["stopped"], contents["tune"], contents["command"] = (
        CONTROL_CHARACTERS,
        {},
        CONTROL_CHARACTERS,
    )
    Path("out/manifest.json").write_bytes(directory.encode_manifest(contents))
    run_and_record_output("report", "out")
    output = re.sub(r"\x1b\[\d*m", "", "".join(printed).replace("\x1b[31m", "CONTROLLED"))
    assert "contains a search" in output and "CONTROLLED" not in output
    summary = Path("out/summary.md").read_text()
    for written in (output, summary):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", written)
        assert r"\x1b]0;t" in written
    assert "<script" not in summary


OFFLINE_COMMANDS = """match gold --deals 100,match mine.py --deals 2000 -o out,report out
compare out out
strategies mine.py,strategies new new.py,variants oklahoma,variants new new.toml
variants check new.toml,hand 5S6S7S9H9D9CKSQD2CAH,show gold mine.py,examples,examples copied,doctor
run copied/experiments/demo.toml --dry-run,find gold --where won --deals 20
analyze gold --unit 3 --turn 1 --worlds 100"""
SLOW_OFFLINE_COMMANDS = """odds gin-solitaire --strategy solo-greedy --deals 2000 -o odds
review eaai --matches 1000 --json -o review
tune gold-early -v eaai --generations 1 --confirm 1000 --json --run tuned
train weighed.py -v eaai --rounds 1 --confirm 1000 --json --run trained
bench --seconds 0.01"""


@pytest.mark.parametrize(
    "commands", [OFFLINE_COMMANDS, pytest.param(SLOW_OFFLINE_COMMANDS, marks=pytest.mark.slow)]
)
def test_no_command_opens_a_connection(strategy_run, monkeypatch, commands):
    def fail_on_connection(*_):
        raise AssertionError("a connection")

    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, fail_on_connection)
    Path("mine.py").write_text(STRATEGY_CODE)
    write_weighted_strategy(Path())
    for command in re.split("[,\n]", commands):
        run_cli(*command.split(), exit_codes=(0,))


FILE_READING_COMMANDS = """match {}.py,match gold@{}.toml,match gold -v {}.toml
match gold+knock={}.py
match weighed.py,show {}.py,find {}.py --where won,strategies {}.py,strategies check {}.py
tune {}.py,tune gold-early -o {}.toml,train {}.py,variants {}.toml,variants check {}.toml
hand 5S -v {}.toml,odds {}.toml,review {}.toml -o out,odds --strategy {}.py,run {}.toml
run {}.toml --dry-run,analyze {}.json,grade {}.json,analyze {}.py simple,bench --against {}.json
bench --save {}.json,report {},compare {} {},match gold -o {},report {}.json,analyze gold -o {}"""


@pytest.mark.parametrize("create_file", [os.mkfifo, partial(os.symlink, "/dev/zero")])
def test_every_command_rejects_an_endless_file(workspace, create_file):
    Path("endless").mkdir()
    for suffix in (".py", ".toml", ".json", ".npy", "/manifest.json", "/ledger.sqlite"):
        create_file(f"endless{suffix}")
    Path("weighed.py").write_text(STRATEGY_CODE.replace("@knock", '@knock(weights="endless.npy")'))
    for command in re.split("[,\n]", FILE_READING_COMMANDS):
        run_cli_harmlessly(*command.replace("{}", "endless").split(), exit_codes=(1, 2))
