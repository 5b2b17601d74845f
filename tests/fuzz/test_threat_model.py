"""What runs as the user and what never does: a test for each sentence of the threat model.

Code leaves a file behind when it runs.
"""

import io
import json
import os
import pickle
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from simgin.checks import bench_change, doctor
from simgin.core import jit
from simgin.report.page import PAGE
from simgin.runs import directory, ledger
from simgin.strategy import compiler, kept, loader
from simgin.strategy.fingerprint import fingerprint
from simgin.value import array_cache
from support.hostile import answer, tree

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "docs/explanation/threat-model.md"
HERE = "fuzz/test_threat_model.py"
RUNS = "fuzz/test_run_directories.py"
ADVICE = "advice"
# How every sentence of the page begins, and the tests of it
TESTS = {
    "A strategy file is Python": [f"{HERE}::test_naming_a_strategy_file_executes_it"],
    "Naming it in any command": [f"{HERE}::test_naming_a_strategy_file_executes_it"],
    "It can do anything": [f"{HERE}::test_a_strategy_file_can_change_what_is_printed"],
    "Read a stranger's file": ADVICE,
    "An experiment file contains no code": [
        f"{HERE}::test_naming_a_strategy_file_executes_it",
        f"{HERE}::test_an_experiment_executes_the_files_that_it_names_and_no_others",
    ],
    "Strategies given by a name": [f"{HERE}::test_a_name_that_simgin_lists_is_no_file"],
    "A plug-in is a package": ["strategy/test_plug_in_package.py"],
    "It is executed by every command": [
        "strategy/test_plug_ins.py::test_every_command_works_beside_a_broken_plug_in"
    ],
    "One that cannot be loaded": [
        "strategy/test_plug_ins.py::test_a_broken_plug_in_stops_only_those_who_ask_for_it"
    ],
    "The cache of compiled code": [f"{HERE}::test_whoever_writes_to_the_cache_runs_code"],
    "Whoever may write to it": [
        f"{HERE}::test_whoever_writes_to_the_cache_runs_code",
        f"{HERE}::test_the_cache_lies_with_the_user",
    ],
    "Only directories that simgin made": [
        "core/test_jit.py::test_old_cache_directories_are_removed",
        "fuzz/test_compiled_policies.py::test_whatever_lies_there_the_answers_are_the_same",
    ],
    "A dask cluster executes": [
        "runs/test_cluster.py::test_a_worker_does_what_its_scheduler_passes_on"
    ],
    "Give --scheduler": ADVICE,
    "The scheduler and the workers": [
        "runs/test_cluster.py::test_a_local_cluster_listens_to_this_machine_alone"
    ],
    "A run directory": [f"{HERE}::test_reading_a_run_executes_none_of_its_strategies"],
    "report and compare execute nothing": [
        f"{HERE}::test_reading_a_run_executes_none_of_its_strategies"
    ],
    "Arrays are read without pickles": [
        f"{HERE}::test_a_ledger_with_pickles_runs_none_of_them",
        f"{HERE}::test_arrays_beside_the_compiled_code_are_read_without_pickles",
    ],
    "No file outside of the directory": [
        f"{HERE}::test_no_file_outside_of_a_run_is_touched",
        f"{RUNS}::test_no_file_outside_of_a_run_is_removed_or_written",
    ],
    "Variants and experiments are TOML": ["fuzz/test_toml_files.py"],
    "Their texts are looked up": [f"{HERE}::test_texts_of_toml_are_never_evaluated"],
    "The values of a sweep": [f"{HERE}::test_texts_of_toml_are_never_evaluated"],
    "Numbers of a policy": [
        f"{HERE}::test_numbers_of_a_policy_are_read_without_pickles",
        f"{HERE}::test_worked_examples_and_speeds_never_run_code",
    ],
    "A transcript that": [
        "analysis/test_deal_file.py::test_who_is_not_there_any_more_has_a_stand_in",
        "analysis/test_deal_file.py::test_any_damage_is_read_or_refused_in_a_sentence",
    ],
    "A page runs simgin's own script": [f"{HERE}::test_a_page_runs_no_script_but_its_own"],
    "It loads nothing": [f"{HERE}::test_a_page_runs_no_script_but_its_own"],
    "No command opens a connection": [f"{HERE}::test_no_command_opens_a_connection"],
    "Whatever a command reads": [
        "fuzz/test_data_files.py",
        "fuzz/test_options.py",
        "fuzz/test_policies.py",
        "fuzz/test_strategy_files.py",
        "fuzz/test_texts.py",
        "fuzz/test_toml_files.py",
        RUNS,
    ],
    "It leaves no half-written file": [
        f"{RUNS}::test_any_manifest_is_read_or_refused",
        "integration/test_killed_runs.py",
    ],
    "Every row of a ledger": [f"{RUNS}::test_any_ledger_gives_the_same_numbers_or_none"],
    "simgin run and simgin match": [
        f"{RUNS}::test_a_flipped_bit_in_a_batch_is_found_and_that_batch_is_played_again"
    ],
    "A compiled policy of yours": ["fuzz/test_compiled_policies.py"],
    "tests/fuzz tries": [f"{HERE}::test_every_fuzz_has_ten_thousand_cases"],
    "A file made to be huge": [
        f"{HERE}::test_ctrl_c_stops_the_reading_of_a_huge_file",
        "play/test_overdue.py::test_a_looping_policy_is_named_and_ctrl_c_stops",
    ],
    "Ctrl-C stops both": [
        f"{HERE}::test_ctrl_c_stops_the_reading_of_a_huge_file",
        "play/test_overdue.py::test_a_looping_policy_is_named_and_ctrl_c_stops",
    ],
    "A compiled policy that reads": [
        "checks/test_contract.py::test_the_common_bad_strategies_are_rejected"
    ],
    "simgin strategies check finds it": [
        "checks/test_contract.py::test_the_common_bad_strategies_are_rejected"
    ],
    "The compiled code of simgin": [f"{HERE}::test_the_doctor_finds_what_was_cut_short_alone"],
    "The digests find accidents": [f"{HERE}::test_a_forged_run_is_believed"],
    "Who wants to forge": [f"{HERE}::test_a_forged_run_is_believed"],
}

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


# The page


def sentences():
    """The sentences of the page below its introduction, without marks."""
    text = MODEL.read_text().partition("\n## ")[2]
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("\n* ", "\n\n")
    found = []
    for paragraph in text.split("\n\n"):
        if not paragraph.startswith(("#", "What is ", "Broken input")):
            plain = re.sub(r"[*`]", "", " ".join(paragraph.split())).strip()
            found += re.split(r"(?<=\.) ", plain)
    return found


def test_every_sentence_of_the_page_has_a_test():
    begun = []
    for sentence in sentences():
        begun += [begins for begins in TESTS if sentence.startswith(begins)] or [sentence]
    assert begun == list(TESTS)
    for tests in TESTS.values():
        for test in () if tests == ADVICE else tests:
            file, _, name = test.partition("::")
            assert f"def {name or 'test_'}" in (ROOT / "tests" / file).read_text(), test


# Code


@pytest.mark.parametrize(
    "words",
    [
        ("match", "mine.py", "nobody"),
        ("strategies", "mine.py"),
        ("strategies", "check", "mine.py", "-v", "standard"),
        ("match", "gold+knock=mine.py", "nobody"),
        ("run", "e.toml", "--dry-run"),
    ],
)
def test_naming_a_strategy_file_executes_it(here, words):
    Path("mine.py").write_text(MARK + MINE)
    Path("e.toml").write_text('question = "?"\nmatchups = [{ a = "mine.py" }, { a = "nobody" }]\n')
    answer(*words)
    assert ran()


def test_a_strategy_file_can_change_what_is_printed(here, monkeypatch):
    from simgin.cli.output import Answer

    monkeypatch.setattr(Answer, "json", Answer.json)  # put back afterwards
    lie = "from simgin.cli.output import Answer\nAnswer.json = lambda _: '\"forged\"'\n"
    Path("mine.py").write_text(MINE + lie)
    assert answer("strategies", "mine.py", "--json").stdout == '"forged"\n'


def test_a_name_that_simgin_lists_is_no_file(here):
    for name in ("gold", "gold.py"):
        Path(name).write_text(MARK + MINE)
    for words in (("strategies", "gold"), ("match", "gold", "nobody"), ("show", "gold")):
        answer(*words)
        assert not ran()


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


@pytest.mark.skipif(jit.interpreted(), reason="nothing is compiled")
def test_whoever_writes_to_the_cache_runs_code(here, monkeypatch):
    monkeypatch.setattr(jit, "cache_directory", lambda: here / "cache")
    Path("cache").mkdir()
    policy = loader.find("mine.py").knock
    compiler._compile(policy)
    key = fingerprint(policy.function)
    (path,) = Path("cache").rglob("*.nbc")
    path.write_bytes(pickle.dumps(Touch()))
    kept.seal(key)  # a digest keeps accidents away, and nobody who can compute it
    compiler._compile(policy)
    assert ran()


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


def test_worked_examples_and_speeds_never_run_code(here):
    code = "__import__('pathlib').Path('it-ran').touch()"
    vector = {"id": code, "kind": "deadwood", "input": {"hand": code}, "expect": {"count": code}}
    row = {"figure": code, "threads": 1, "ratio": 1.0}
    texts = [json.dumps({"vectors": [vector]}).encode(), json.dumps({"rows": [row]}).encode()]
    for content in (*texts, pickle.dumps(Touch()), f"#!/usr/bin/env python\n{code}".encode()):
        Path("mine.json").write_bytes(content)
        answer("conform", "mine.json", codes=(0, 1, 2, 3))
        try:
            bench_change.read_rounds(Path("mine.json"))
        except bench_change.BenchError:
            continue
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
        ("compare", "out", "out"),
        ("strategies", "mine.py"),
        ("strategies", "new", "new.py"),
        ("variants", "oklahoma"),
        ("variants", "new", "new.toml"),
        ("variants", "check", "new.toml"),
        ("hand", "5S 6S 7S 9H 9D 9C KS QD 2C AH"),
        ("show", "gold", "mine.py"),
        ("examples",),
        ("examples", "copied"),
        ("conform", ROOT / "tests/data/rules_vectors.json", "--kind", "deadwood"),
        ("run", "copied/experiments/demo.toml", "--dry-run"),
    ):
        answer(*words, codes=(0,))


# Promises about the fuzz


def test_every_fuzz_has_ten_thousand_cases():
    """Every test of random cases has a small number, and a large one that is slow."""
    for path in sorted((ROOT / "tests/fuzz").glob("test_*.py")):
        text = path.read_text()
        drawn = re.findall(r"((?:@[^\n]*\n)+)def test_\w+\([^)]*\bn\b\)", text)
        for decorators in drawn:
            assert "@sizes" in decorators or "pytest.param(MANY" in decorators, path.name
    assert "10000" in (ROOT / "tests/support/hostile.py").read_text()


# What is not promised


# A shell starts its background jobs with SIGINT ignored.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from simgin.cli.main import main
print("begun", flush=True)
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("words", [("run", "huge.toml"), ("match", "gold", "-v", "huge.toml")])
def test_ctrl_c_stops_the_reading_of_a_huge_file(here, words):
    Path("huge.toml").write_text("question = [" + "1," * 20_000_000 + "]")
    program = [sys.executable, "-c", INTERRUPTIBLE, *words]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            time.sleep(2)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130 and "Traceback" not in told and "interrupted" in told


def test_the_doctor_finds_what_was_cut_short_alone(here):
    content = pickle.dumps(("object", os.urandom(1000)))
    path = Path("code.nbc")
    path.write_bytes(content[:500])
    assert doctor._is_damaged(path)
    path.write_bytes(bytes([*content[:500], content[500] ^ 1, *content[501:]]))
    assert not doctor._is_damaged(path)


def test_a_forged_run_is_believed(here):
    """What one cell has played is given to the other, with digests that fit."""
    Path("e.toml").write_text(
        'question = "?"\ndeals = 2000\nvariants = ["eaai"]\n'
        'matchups = [{ a = "gold", b = "simple" }, { a = "gold", b = "random" }]\n'
    )
    answer("run", "e.toml", "-o", "out", codes=(0,))
    honest = json.loads(answer("compare", "out", "out", "--json", codes=(0,)).stdout)["rows"]
    before = values_of("out")
    with closing(sqlite3.connect("out/ledger.sqlite")) as connection, connection:
        rows = connection.execute("SELECT cell, first, units, worker, sums FROM blocks").fetchall()
        connection.execute("DELETE FROM blocks")
        for cell, *row in rows:
            forged = [1 - cell, *row]
            seal = ledger._seal(forged)
            connection.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)", [*forged, seal])
    answer("report", "out", codes=(0,))
    assert honest and values_of("out") != before


def values_of(place):
    return json.loads(answer("report", place, "--json", codes=(0,)).stdout)["rows"]
