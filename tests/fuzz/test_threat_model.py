"""What runs as the user and what never does: a test for each sentence of the threat model.

Code leaves a file behind when it runs.
"""

import io
import json
import pickle
import re
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from simgin.core import jit
from simgin.report.page import PAGE
from simgin.runs import directory, ledger
from simgin.value import array_cache
from support.hostile import answer, tree

MARK = "import pathlib\npathlib.Path('it-ran').touch()\n"
MINE = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return 1
MINE = Strategy("mine", knock=mine)
"""
SCRIPT = "<script>alert(1)</script>"
ODD = SCRIPT + ' {{ 7 * 7 }} {% raw %} & "quotes" <img src=x onerror=alert(1)> $x^{$ {0} %s'


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
def here(empty_directory):
    Path("mine.py").write_text(MINE)
    return empty_directory


@pytest.fixture
def run_of_mine(here):
    """A finished run of a strategy file, which would run code were it read again."""
    answer("match", "mine.py", "--deals", 2000, "-o", "out", codes=(0,))
    Path("mine.py").write_text(MINE + MARK)
    return here


# Code


@pytest.mark.parametrize(
    "words",
    [
        ("match", "mine.py", "nobody"),
        ("strategies", "mine.py"),
        ("match", "gold+knock=mine.py", "nobody"),
        ("run", "e.toml", "--dry-run"),
    ],
)
def test_naming_a_strategy_file_executes_it(here, words):
    Path("mine.py").write_text(MARK + MINE)
    Path("e.toml").write_text('question = "?"\nmatchups = [{ a = "mine.py" }, { a = "nobody" }]\n')
    answer(*words)
    assert ran()


def test_an_experiment_executes_the_files_that_it_names_and_no_others(here):
    Path("mine.py").write_text(MARK + MINE)
    Path("e.toml").write_text(
        'question = "mine.py"\nmatchups = [{ a = "gold" }, { a = "nobody" }]\n'
    )
    answer("run", "e.toml", "--dry-run", codes=(2,))
    assert not ran()


def test_the_cache_lies_with_the_user(monkeypatch):
    monkeypatch.delenv("SIMGIN_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert jit.cache_root().is_relative_to(Path.home())


# Data


def test_reading_a_run_executes_none_of_its_strategies(run_of_mine):
    for words in (("report", "out"), ("compare", "out", "out"), ("report", "out", "--details")):
        answer(*words, codes=(0,))
        assert not ran()


def test_a_ledger_with_pickles_runs_none_of_them(run_of_mine):
    path = Path("out") / ledger.FILE
    for content in (pickle.dumps(Touch()), npz(np.array([Touch()], object))):
        with ledger.opened(path, identity(path)) as run_ledger:
            run_ledger._insert("steps", [("luck", 1, content)])
            with pytest.raises(ledger.LedgerError):
                run_ledger.step("luck", 1)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE blocks SET sums = ?", [content])
        for words in (("report", "out"), ("compare", "out", "out")):
            answer(*words, codes=(2,))
    assert not ran()


def identity(path):
    with ledger.reading(path) as run_ledger:
        return run_ledger.identity


def npz(array):
    content = io.BytesIO()
    np.savez(content, array, allow_pickle=True)
    return content.getvalue()


def test_arrays_beside_the_compiled_code_are_read_without_pickles(here):
    Path("values.npz").write_bytes(npz(np.array([Touch()], object)))
    source = Path(array_cache.__file__).read_text()
    assert re.findall(r"np\.load\(.*?\)", source) == ["np.load(stream, allow_pickle=False)"]
    with pytest.raises(ValueError, match="allow_pickle=False"):
        np.load("values.npz", allow_pickle=False)["arr_0"]
    assert not ran()


def test_no_file_outside_of_a_run_is_touched(run_of_mine):
    Path("precious.txt").write_text("years of work")
    manifest = directory.read_manifest("out")
    changed = {**manifest, "files": [*manifest["files"], "../precious.txt"]}
    Path("out/manifest.json").write_bytes(directory.sealed(changed))
    before = tree(".")
    answer("report", "out", codes=(2,))
    assert tree(".") == before


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
    for words in (
        ("run", "e.toml", "--dry-run"),
        ("variants", "e.toml"),
        ("match", "gold", "-v", "e.toml"),
    ):
        answer(*words)
    assert not ran()


def test_numbers_of_a_policy_are_read_without_pickles(here):
    np.save("w.npy", np.array([Touch()], object), allow_pickle=True)
    weighted = MINE.replace("@knock", '@knock(weights="w.npy")')
    Path("mine.py").write_text(weighted)
    assert "its numbers cannot be read" in answer("match", "mine.py", codes=(2,)).stderr
    assert not ran()


def test_a_page_runs_no_script_but_its_own(here):
    """Whatever a question, a name or a path contains is text there, and nothing is loaded."""
    Path("odd <b> $x^{$").mkdir()
    Path("odd <b> $x^{$/mine.py").write_text(MINE)
    Path("e.toml").write_text(
        f"question = {json.dumps(ODD)}\nhypothesis = {json.dumps(ODD)}\ndeals = 6000\n"
        '[panel]\nstrategies = ["odd <b> $x^{$/mine.py", "mine.py", "gold"]\nagainst = "simple"\n'
    )
    answer("run", "e.toml", "-o", "out", codes=(0,))
    page = Path("out", PAGE).read_text()
    assert SCRIPT not in page and "<img src=x" not in page and "<b> $x" not in page
    assert "&lt;script&gt;alert(1)" in page and "{{ 7 * 7 }}" in page
    assert page.count("<script") == 1
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)


def test_no_command_opens_a_connection(run_of_mine, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection")

    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    Path("mine.py").write_text(MINE)
    for words in (
        ("match", "gold", "--deals", 100),
        ("match", "mine.py", "--deals", 2000, "-o", "out"),
        ("report", "out"),
        ("strategies", "mine.py"),
        ("variants", "oklahoma"),
    ):
        answer(*words, codes=(0,))
