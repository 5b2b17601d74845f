"""Fuzz tests of corrupt or forged runs, ledgers, cached arrays and compiled code."""

import contextlib
import io
import json
import os
import pickle
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from simgin.core import jit
from simgin.core.view import create_view
from simgin.match_value import outcomes
from simgin.rules.build import build_rules
from simgin.rules.variants import find_variant
from simgin.runs import directory, ledger
from simgin.strategy import compiler, loader
from support import hostile_ledgers
from support.hostile import (
    check_exit_codes,
    draw_changed_json,
    draw_corrupted,
    parametrize_cases,
    read_directory,
    run_cases,
    run_cli,
    run_cli_harmlessly,
    time_limit,
)

RUN_COMMAND = ("run", "e.toml", "-o", "run")
COMPARE_COMMAND, REPORT_COMMAND = ("compare", "run", "base"), ("report", "run")
MANIFEST_PATH, LEDGER_PATH = Path("run/manifest.json"), Path("run") / ledger.LEDGER_FILE
EXPERIMENT_TOML = """
question = "?"
variants = ["eaai"]
deals = 4000
changes = ["knock=early"]
[[fields]]
strategy = "gold"
against = "simple"
"""


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    """Return a directory with an experiment, its finished run, and a run to compare."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        Path("e.toml").write_text(EXPERIMENT_TOML)
        run_cli(*RUN_COMMAND, exit_codes=(0,))
        run_cli("match", "gold", "-v", "eaai", "--deals", 2000, "-o", "base", exit_codes=(0,))
    return folder


@pytest.fixture
def restore_run(finished_run, empty_directory, monkeypatch):
    """Copy a finished run, and return a function that restores the copy."""
    monkeypatch.setattr("simgin.cli.plan_table.measure_unit_seconds", lambda matchup: 1e-6)
    monkeypatch.setattr("simgin.report.html_report.render_html", lambda *_: "<html></html>")
    shutil.copytree(finished_run, empty_directory, dirs_exist_ok=True)

    def restore():
        shutil.rmtree("run")
        shutil.copytree(finished_run / "run", "run")

    return restore


def parse_rows(result):
    return json.loads(result.stdout)["rows"]


def check_comparison(expected_rows):
    """Run `simgin compare`, check its rows if it succeeds, and return its exit code."""
    result = run_cli_harmlessly(*COMPARE_COMMAND, "--json", may_write=("run/ledger.sqlite-",))
    assert result.exit_code == 2 or parse_rows(result) == expected_rows
    return result.exit_code


@parametrize_cases(30)
def test_corrupt_manifest_is_detected_or_harmless(restore_run, n_cases):
    valid = MANIFEST_PATH.read_bytes()
    expected, codes = parse_rows(run_cli(*COMPARE_COMMAND, "--json", exit_codes=(0,))), []

    def check_manifest(content):
        MANIFEST_PATH.write_bytes(content)
        codes.append(check_comparison(expected))
        if codes[-1] == 2:
            run_cli_harmlessly(*REPORT_COMMAND, exit_codes=(2,))
            run_cli_harmlessly(
                *RUN_COMMAND, may_write=("run/",), exit_codes=(0, 2)
            )  # in the directory of another version's run
            restore_run()

    objects = draw_changed_json(st.just(json.loads(valid))).map(
        lambda value: json.dumps(value).encode()
    )
    run_cases(n_cases, check_manifest, draw_corrupted(st.just(valid)) | objects)
    check_exit_codes(codes)


@parametrize_cases(25)
def test_corrupt_ledger_is_detected_or_harmless(restore_run, n_cases):
    valid = LEDGER_PATH.read_bytes()
    expected = parse_rows(run_cli(*COMPARE_COMMAND, "--json", exit_codes=(0,)))
    results, codes, resume_codes = (
        parse_rows(run_cli(*RUN_COMMAND, "--json", exit_codes=(0,))),
        [],
        [],
    )

    def check_ledger(content, is_resumed):
        LEDGER_PATH.write_bytes(content)
        codes.append(check_comparison(expected))
        if is_resumed:
            found = run_cli_harmlessly(
                *RUN_COMMAND, "--json", may_write=("run/",), exit_codes=(0, 2)
            )
            resume_codes.append(found.exit_code)
            assert found.exit_code == 2 or parse_rows(found) == results
        restore_run()

    run_cases(
        n_cases,
        check_ledger,
        draw_corrupted(st.just(valid)),
        st.sampled_from((True, False, False, False)),
    )
    check_exit_codes(codes)
    assert resume_codes.count(0) > 0


def execute_sql(statement, *values):
    with closing(sqlite3.connect(LEDGER_PATH)) as connection, connection:
        return connection.execute(statement, values).fetchone()


def write_run_identity(text):
    """Replace the run identity in the ledger by `text`, and update its checksum."""
    row = ("identity", text)
    execute_sql("INSERT OR REPLACE INTO run VALUES (?, ?, ?)", *row, ledger._compute_checksum(row))


FORGED_VALUES = [
    *("[]", "7", "null", "{}", '{"matchups": 3}', "[" * 100_000),
    *({"sums": "text"}, {"sums": 7}, {"worker": 7}, {"first": "0"}, {"first": -5}),
    *({"units": 2**62}, {"units": 0}, {"units": -(2**63)}, {"units": 0.5}, {"bit": 1}),
]


@pytest.mark.parametrize("forged_value", FORGED_VALUES, ids=lambda forged: str(forged)[:20])
def test_forged_row_with_a_valid_checksum_is_rejected(restore_run, forged_value):
    """Forge values with a valid checksum, and flip one bit without changing the checksum."""
    columns = ("cell", "first", "units", "worker", "sums", "seal")
    expected = parse_rows(run_cli(*COMPARE_COMMAND, "--json", exit_codes=(0,)))
    if isinstance(forged_value, str):
        write_run_identity(forged_value)
    else:
        where = "ORDER BY cell, first LIMIT 1"
        values = execute_sql(f"SELECT {', '.join(columns)} FROM blocks {where}")
        row = dict(zip(columns, values, strict=True)) | forged_value
        if row.pop("bit", 0):
            row["sums"] = bytes([*row["sums"][:9], row["sums"][9] ^ 1, *row["sums"][10:]])
        else:
            row["seal"] = ledger._compute_checksum([row[name] for name in columns[:-1]])
        execute_sql(f"DELETE FROM blocks WHERE rowid = (SELECT rowid FROM blocks {where})")
        execute_sql("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)", *row.values())
    is_replayed = not isinstance(forged_value, str)
    for arguments in (REPORT_COMMAND, COMPARE_COMMAND):
        message = "batches are missing or corrupt" if is_replayed else "is corrupt"
        assert message in run_cli(*arguments, exit_codes=(2,)).stderr
    assert (
        "is complete" not in run_cli(*RUN_COMMAND, exit_codes=(0,) if is_replayed else (2,)).stderr
    )
    assert not is_replayed or parse_rows(run_cli(*COMPARE_COMMAND, "--json")) == expected


@parametrize_cases(20)
def test_forged_manifest_gives_a_result_or_one_error(restore_run, n_cases):
    """Forge the manifest and the ledger alike, both with valid checksums."""
    valid = directory.read_manifest("run")
    with ledger.open_existing_ledger(LEDGER_PATH) as run_ledger:
        keys = run_ledger.identity.keys()

    def check_forged_manifest(contents):
        with contextlib.suppress(ValueError):  # NaN has no checksum
            MANIFEST_PATH.write_bytes(directory.encode_manifest(contents))
        write_run_identity(json.dumps({key: contents.get(key) for key in keys}))
        for words in (COMPARE_COMMAND, REPORT_COMMAND):
            run_cli_harmlessly(*words, may_write=("run/",))
        restore_run()

    run_cases(n_cases, check_forged_manifest, draw_changed_json(st.just(valid)))


def test_no_file_outside_a_run_is_removed_or_written(restore_run):
    """Use manifests, links and ledgers that name files outside the run."""
    outside_file = Path("mine.txt").absolute()
    outside_file.write_text("years of work")
    contents = directory.read_manifest("run")

    def check_commands(message, *commands):
        for arguments in commands or (REPORT_COMMAND, RUN_COMMAND):
            assert message in run_cli_harmlessly(*arguments, exit_codes=(2,)).stderr

    MANIFEST_PATH.write_text('{"simgin": ' + "[" * 100_000 + "]" * 100_000 + "}")
    check_commands("", REPORT_COMMAND)
    for name in ("../mine.txt", str(outside_file), "plots/../../mine.txt", "", ".", "\n"):
        files = {**contents, "files": [*contents["files"], name]}
        MANIFEST_PATH.write_bytes(directory.encode_manifest(files))
        check_commands("")
    restore_run()
    for link in ("run/.simgin-writing-table.csv", "run/plots/.simgin-writing-x", "run/more"):
        Path(link).symlink_to(outside_file)
        check_commands("which is not a regular file. Move it away")
        Path(link).unlink()
    hostile_ledgers.write_super_journal(LEDGER_PATH, outside_file)
    check_commands(
        "because it names another file, which SQLite would delete",
        REPORT_COMMAND,
        COMPARE_COMMAND,
        RUN_COMMAND,
    )
    restore_run()
    shutil.move("run/plots", "elsewhere")
    Path("run/plots").symlink_to(Path("elsewhere").absolute())
    check_commands("")


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(10000000000,)", "(-1,)", "7"])
def test_array_with_an_impossible_shape_is_rejected(tmp_path, shape):
    content = io.BytesIO()
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("gain.npy", b"\x93NUMPY\x01\x00" + bytes([118, 0]) + header.encode())
    with ledger.open_ledger(tmp_path / "ledger.sqlite", {}) as run_ledger:
        run_ledger._insert("steps", ("luck", 1, content.getvalue()))
        with pytest.raises(ledger.LedgerError, match="is corrupt"):
            run_ledger.read_step_result("luck", 1)


# Caches


@parametrize_cases(50)
def test_corrupt_cached_arrays_are_computed_again(empty_directory, monkeypatch, n_cases):
    monkeypatch.setattr(jit, "get_cache_directory", lambda: empty_directory)
    expected = {"counts": np.arange(600).reshape(3, 200), "share": np.array(0.25)}

    def check_loaded_arrays():
        arrays = outcomes.load_or_compute_arrays({"format": "of a test"}, lambda: dict(expected))
        assert arrays.keys() == expected.keys()
        for name, array in expected.items():
            assert arrays[name].dtype == array.dtype and np.array_equal(arrays[name], array)

    check_loaded_arrays()
    (path,) = empty_directory.rglob("*.npz")

    def check_cached_content(content):
        path.write_bytes(content)
        check_loaded_arrays()
        check_loaded_arrays()

    run_cases(n_cases, check_cached_content, draw_corrupted(st.just(path.read_bytes())))


POLICY_CODE = """
from simgin.strategy import Strategy, discard
@discard
def mine(view, rules, params):
    found = 0
    for card in range(52):
        if view.legal >> card & 1:
            found = (31 * found + card) % 1009
    return found
MINE = Strategy("mine", discard=mine)
"""
LEGAL_DISCARD_MASKS = (0b1011, 1 << 51, 0, (1 << 52) - 1, 0x5A5A5A5A5A5A)


@pytest.fixture
def policy(empty_directory, monkeypatch):
    """Return a policy that is not yet compiled, with a separate cache."""
    monkeypatch.setattr(jit, "get_cache_directory", lambda: empty_directory / "cache")
    Path("cache").mkdir()
    Path("mine.py").write_text(POLICY_CODE)
    return loader.find_strategy("mine.py").discard


def count_cache_hits(policy):
    """Compile or load a policy, check its actions, and return the number of cache hits."""
    view, rules = create_view(), build_rules(find_variant("standard"))
    with time_limit():
        compiled = compiler._compile_uncached(policy)
    for view.legal in LEGAL_DISCARD_MASKS:
        action = compiled(view, rules, compiler.make_parameter_vector(policy))
        assert action == policy.function(view, rules, None)
    return sum(compiled.stats.cache_hits.values())


class CallUnpickler(pickle.Unpickler):
    """Unpickler that returns the name and the arguments of a call instead of its result."""

    def find_class(self, module, name):
        return lambda *arguments: (module, name, arguments)


def read_compiled_file(path):
    """Return the objects in a file, which other bytes can encode too, or None if it is corrupt."""
    n_pickles = 2 if path.suffix == ".nbi" else 1
    with contextlib.suppress(Exception), path.open("rb") as file:
        return [CallUnpickler(file).load() for _ in range(n_pickles)]
    return None


FILE_REPLACEMENTS = {
    "link": lambda path: path.symlink_to(Path("outside/mine.txt").absolute()),
    "circle": lambda path: path.symlink_to(path.name),
    "no directory": lambda path: shutil.rmtree(path.parent),
    "nothing": lambda path: None,
}


@pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
@parametrize_cases(16)
def test_corrupt_compiled_policy_is_compiled_again(policy, n_cases):
    Path("outside").mkdir()
    Path("outside/mine.txt").write_text("years of work")
    assert (count_cache_hits(policy), count_cache_hits(policy)) == (0, 1)

    other_pickles = [pickle.dumps(one) for one in (None, "0.0.0", ["x"], 2**70)]
    other_pickles = st.sampled_from(other_pickles) | st.binary(max_size=10_000)

    paths = sorted(Path("cache").rglob("*.nb?"))
    before = {path: path.read_bytes() for path in paths}
    contents_before = [*map(read_compiled_file, paths)]

    def check_corrupt_cache(data):
        shutil.rmtree("cache")  # A compiled file differs in size when it is written again.
        for path, content in before.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        path = data.draw(st.sampled_from([*before]))
        damage = draw_corrupted(st.just(before[path]))
        content = (
            damage | damage | other_pickles | other_pickles.map(lambda new: new + before[path])
        )
        content = data.draw(content | st.sampled_from([*FILE_REPLACEMENTS]))
        path.unlink()
        if isinstance(content, str):
            FILE_REPLACEMENTS[content](path)
        else:
            path.write_bytes(content)
        is_valid = contents_before == [read_compiled_file(path) for path in paths if path.exists()]
        assert count_cache_hits(policy) == int(is_valid)
        if not is_valid and count_cache_hits(policy) == 0:  # files that cannot be replaced stay
            shutil.rmtree("cache/policies")
            assert (count_cache_hits(policy), count_cache_hits(policy)) == (0, 1)

    run_cases(n_cases, check_corrupt_cache, st.data())
    assert read_directory("outside") == {"mine.txt": b"years of work"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
@pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
def test_compiled_code_without_read_permission_is_not_loaded(policy):
    count_cache_hits(policy)
    for path in (next(Path("cache").rglob("*.nbc")), *Path("cache/policies").iterdir()):
        mode = path.stat().st_mode
        path.chmod(0)
        assert count_cache_hits(policy) == 0
        path.chmod(mode)
