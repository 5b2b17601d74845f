"""What runs as the user and what never does: a test for each sentence of the threat model."""

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
from support.hostile import answer, harmless
from support.weighed import write_weighed

ROOT = Path(__file__).parents[2]
MARK = "import pathlib\npathlib.Path('it-ran').touch()\n"
MINE = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return 1
MINE = Strategy("mine", knock=mine)
"""
SCRIPT = "<script>alert(1)</script>"


class Touch:
    """An object whose pickle runs code when it is loaded."""

    def __reduce__(self):
        return Path.touch, (Path("it-ran"),)


def ran():
    """Whether something left its mark since it was last asked."""
    there = Path("it-ran").exists()
    Path("it-ran").unlink(missing_ok=True)
    return there


@pytest.fixture
def here(empty_directory, without_pictures):
    Path("mine.py").write_text(MINE)
    return empty_directory


@pytest.fixture
def run_of_mine(here):
    """A finished run of a strategy file, which would run code were it read again."""
    answer("match", "mine.py", "--deals", 2000, "-o", "out", codes=(0,))
    Path("mine.py").write_text(MINE + MARK)
    return here


def test_a_name_that_simgin_lists_is_no_file(here):
    for name in ("gold", "gold.py"):
        Path(name).write_text(MARK + MINE)
    for words in (("strategies", "gold"), ("match", "gold", "nobody"), ("show", "gold")):
        answer(*words)
        assert not ran()


def test_an_experiment_executes_the_files_that_it_names_alone(here):
    Path("mine.py").write_text(MARK + MINE)
    for player, is_run in (("gold", False), ("mine.py", True)):
        matchups = f'[{{ a = "{player}" }}, {{ a = "nobody" }}]'
        Path("e.toml").write_text(f'question = "mine.py"\nmatchups = {matchups}\n')
        answer("run", "e.toml", "--dry-run", codes=(2,))
        assert ran() == is_run


def test_the_cache_lies_with_the_user(monkeypatch):
    monkeypatch.delenv("SIMGIN_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert jit.cache_root().is_relative_to(Path.home())


def test_reading_a_run_executes_none_of_its_strategies(run_of_mine):
    for words in (("report", "out"), ("compare", "out", "out"), ("report", "out", "--details")):
        answer(*words, codes=(0,))
        assert not ran()


def test_a_ledger_with_pickles_runs_none_of_them(run_of_mine):
    path = Path("out") / ledger.LEDGER_FILE
    array = io.BytesIO()
    np.savez(array, np.array([Touch()], object), allow_pickle=True)
    for content in (pickle.dumps(Touch()), array.getvalue()):
        with ledger.open_ledger(path, identity(path)) as run_ledger:
            run_ledger._insert("steps", ("luck", 1, content))
            with pytest.raises(ledger.LedgerError):
                run_ledger.read_pass("luck", 1)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE blocks SET sums = ?", [content])
        for words in (("report", "out"), ("compare", "out", "out")):
            answer(*words, codes=(2,))
    assert not ran()


def identity(path):
    with ledger.open_existing_ledger(path) as run_ledger:
        return run_ledger.identity


def test_no_array_is_read_with_pickles():
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
def test_texts_of_toml_are_never_evaluated(here, text):
    code = "__import__('pathlib').Path('it-ran').touch()"
    Path("e.toml").write_text(text.format(text=code))
    for words in ("run e.toml --dry-run", "variants e.toml", "match gold -v e.toml"):
        answer(*words.split())
    assert not ran()


def test_numbers_of_a_policy_are_read_without_pickles(here):
    np.save("w.npy", np.array([Touch()], object), allow_pickle=True)
    weighted = MINE.replace("@knock", '@knock(weights="w.npy")')
    Path("mine.py").write_text(weighted)
    assert "its numbers cannot be read" in answer("match", "mine.py", codes=(2,)).stderr
    assert not ran()


STEERS = "\x1b]0;t\x07 \x1b[31m \x9b2J \u202e"


def test_no_text_steers_a_terminal_or_opens_a_tag(here):
    """Titles, questions, paths and a manifest with its digest, on streams that strip nothing."""
    Path("e.toml").write_text(
        f"question = {json.dumps(SCRIPT + STEERS)}\nhypothesis = {json.dumps(STEERS)}\n"
        'deals = 2000\nmatchups = [{ a = "gold" }]\n'
    )
    about = f"title = {json.dumps(STEERS)}\nabout = {json.dumps(STEERS)}"
    Path("v.toml").write_text(f'[variants.club]\n{about}\nbase = "standard"\n')
    Path("\x1b[31m").mkdir()
    Path("\x1b[31m/mine.py").write_text(MINE)
    printed = []
    for words in (
        *(("run", "e.toml", "-o", "out"), ("report", "out"), ("compare", "out", "out")),
        *(("variants", "v.toml"), ("report", "\x1b[31m"), ("strategies", "\x1b[31m/mine.py")),
        *(("run", "\x9b.toml"), ("match", "\x1b"), ("match", "--\x9b"), ("\x1b[31m",)),
    ):
        result = CliRunner().invoke(cli, words, color=True)
        assert isinstance(result.exception, SystemExit | None), words
        printed += [result.stdout, result.stderr]
    contents = directory.read_manifest("out")
    contents["stopped"], contents["tune"], contents["command"] = STEERS, {}, STEERS
    Path("out/manifest.json").write_bytes(directory.with_checksum(contents))
    printed.append(CliRunner().invoke(cli, ["report", "out"], color=True).stderr)
    text = re.sub(r"\x1b\[\d*m", "", "".join(printed).replace("\x1b[31m", "STEERED"))
    assert "holds a search" in text and "STEERED" not in text
    for written in (text, Path("out/summary.md").read_text()):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", written)
        assert r"\x1b]0;t" in written
    assert "<script" not in Path("out/summary.md").read_text()


OFFLINE = [
    *("match gold --deals 100", "match mine.py --deals 2000 -o out", "report out"),
    *("compare out out", "strategies mine.py", "strategies new new.py", "variants oklahoma"),
    *("variants new new.toml", "variants check new.toml", "hand 5S6S7S9H9D9CKSQD2CAH"),
    *("show gold mine.py", "examples", "examples copied", "doctor"),
    *("run copied/experiments/demo.toml --dry-run", "find gold --where won --deals 20"),
    "analyze gold --unit 3 --turn 1 --worlds 100",
]
OFFLINE_LONG = [
    "odds gin-solitaire --strategy solo-greedy --deals 2000 -o odds",
    "review eaai --matches 1000 --json -o review",
    "tune gold-early -v eaai --generations 1 --confirm 1000 --json --run tuned",
    "train weighed.py -v eaai --rounds 1 --confirm 1000 --json --run trained",
    "bench --seconds 0.01",
]


@pytest.mark.parametrize("lines", [OFFLINE, pytest.param(OFFLINE_LONG, marks=pytest.mark.slow)])
def test_no_command_opens_a_connection(run_of_mine, monkeypatch, lines):
    def refuse(*_):
        raise AssertionError("a connection")

    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    Path("mine.py").write_text(MINE)
    write_weighed(Path())
    for words in lines:
        answer(*words.split(), codes=(0,))


# Broken input

READING = [
    *("match {}.py", "match gold@{}.toml", "match gold -v {}.toml", "match gold+knock={}.py"),
    *("match weighed.py", "show {}.py", "find {}.py --where won", "strategies {}.py"),
    *("strategies check {}.py", "tune {}.py", "tune gold-early -o {}.toml", "train {}.py"),
    *("variants {}.toml", "variants check {}.toml", "hand 5S -v {}.toml", "odds {}.toml"),
    *("review {}.toml -o out", "odds --strategy {}.py", "run {}.toml", "run {}.toml --dry-run"),
    *(
        "analyze {}.json",
        "grade {}.json",
        "analyze {}.py simple",
        "bench --against {}.json",
        "bench --save {}.json",
    ),
    *("report {}", "compare {} {}", "match gold -o {}", "report {}.json", "analyze gold -o {}"),
]


@pytest.mark.parametrize("without_end", [os.mkfifo, partial(os.symlink, "/dev/zero")])
def test_every_command_ends_at_a_file_without_end(here, without_end):
    Path("endless").mkdir()
    for end in (".py", ".toml", ".json", ".npy", "/manifest.json", "/ledger.sqlite"):
        without_end(f"endless{end}")
    Path("weighed.py").write_text(MINE.replace("@knock", '@knock(weights="endless.npy")'))
    for words in READING:
        harmless(*words.replace("{}", "endless").split(), codes=(1, 2))
