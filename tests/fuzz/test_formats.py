"""Command lines, run directories and kept arrays: whatever stands there, it ends as promised."""

import contextlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from simgin.core import jit
from simgin.match_value import outcomes
from simgin.rules.variants import find_variant
from simgin.runs import directory, ledger
from support import hostile_ledgers, play_variants, random_texts
from support.hostile import MANY, answer, cases, changed, damaged, fuzz, harmless, in_time


@pytest.fixture
def here(empty_directory, monkeypatch, without_pictures):
    """An empty folder, where nothing is compiled for plans, and pages are not drawn."""
    times = "simgin.cli.plan_table.measure_unit_seconds"
    monkeypatch.setattr(times, lambda matchup: 1e-6)
    monkeypatch.setattr("simgin.report.html_report.render_html", lambda *_: "<html></html>")
    return empty_directory


def ended(codes, most=0.98):
    """Check that some cases were sound and some refused: the exit codes of all of them."""
    assert 0.02 * len(codes) < codes.count(2) < most * len(codes), codes


# Variables of the environment


ENVIRONMENTS = [
    *({"COLUMNS": value} for value in ("", "0", "-1", "1", "abc", "9" * 30)),
    *({"TERM": value, "FORCE_COLOR": "x"} for value in ("", "dumb", "unknown", "\x1b")),
    *({"LANG": value} for value in ("", "C", "xx_YY", "tr_TR.UTF-8")),
    *({"_SIMGIN_COMPLETE": value} for value in ("x", "bash_source")),
    *(
        {"_SIMGIN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}
        for words in ("", "simgin match ", "simgin match 'gold", "simgin " + "x" * 5000)
        for place in ("0", "1", "-1", "99")  # a shell gives a number; click fails on other texts
    ),
]


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
def test_the_environment(here, env):
    for words in (["variants", "oklahoma"], ["hand", "5S"]):
        answer(*words, env=env)


# Valid variants can be played


def sound_compositions(n):
    """The texts of those of n compositions that are variants."""
    found = {}

    def check(text):
        with contextlib.suppress(ValueError):
            found[find_variant(text).text] = True

    fuzz(n, check, random_texts.compositions)
    return list(found)


def test_valid_compositions_can_be_played():
    texts = sound_compositions(120)[-20:]
    assert len(texts) == 20
    for text in texts:
        play_variants.play(text)


@pytest.mark.slow
def test_compositions_play_within_array_bounds():
    texts = sound_compositions(MANY)
    assert len(texts) > MANY / 10
    words = [sys.executable, play_variants.__file__]
    env = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    sent = "".join(f"{text}\n" for text in texts)
    done = subprocess.run(words, input=sent, env=env, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == texts


# Run directories

RUN = ("run", "e.toml", "-o", "run")
FIELDS = """
question = "?"
variants = ["eaai"]
deals = 4000
changes = ["knock=early"]
[[fields]]
strategy = "gold"
against = "simple"
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with an experiment, its finished run, and another run to compare it with."""
    place = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(place)
        patched.setattr("simgin.report.html_report.plot_files", lambda *_: {})
        Path("e.toml").write_text(FIELDS)
        answer(*RUN, codes=(0,))
        answer("match", "gold", "-v", "eaai", "--deals", 2000, "-o", "base", codes=(0,))
    return place


@pytest.fixture
def played(sound, here):
    """A copy of it to work in."""
    shutil.copytree(sound, here, dirs_exist_ok=True)
    return here


def rows(result):
    return json.loads(result.stdout)["rows"]


def compared(wanted):
    """The exit code of a comparison, which gives the same numbers or none."""
    result = harmless("compare", "run", "base", "--json", writes=("run/ledger.sqlite-",))
    assert result.exit_code == 2 or wanted is None or rows(result) == wanted
    return result


def files_of_run():
    """The bytes of every file of the run."""
    return {file: file.read_bytes() for file in Path("run").rglob("*") if file.is_file()}


def restore(before):
    """Put the run back as it was."""
    for file in files_of_run().keys() - before:
        file.unlink()
    for file, content in before.items():
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)


@cases(60)
def test_manifests(played, n):
    path = Path("run/manifest.json")
    sound = path.read_bytes()
    wanted = rows(compared(None))
    before = files_of_run()
    codes = []

    def check(content):
        path.write_bytes(content)
        codes.append(compared(wanted).exit_code)
        if codes[-1] == 2:
            harmless("report", "run", codes=(2,))
            harmless(*RUN, writes=("run/",), codes=(0, 2))  # over a run of another version
            restore(before)

    text = changed(st.just(json.loads(sound))).map(lambda value: json.dumps(value).encode())
    fuzz(n, check, damaged(st.just(sound)) | text)
    ended(codes)


@cases(25)
def test_ledgers(played, n):
    path = Path("run") / ledger.LEDGER_FILE
    sound = path.read_bytes()
    wanted = rows(compared(None))
    results = rows(answer(*RUN, "--json", codes=(0,)))
    before = files_of_run()
    codes, again = [], []

    def check(content, is_continued):
        path.write_bytes(content)
        codes.append(compared(wanted).exit_code)
        if is_continued:
            found = harmless(*RUN, "--json", writes=("run/",), codes=(0, 2))
            again.append(found.exit_code)
            assert found.exit_code == 2 or rows(found) == results
        restore(before)

    fuzz(n, check, damaged(st.just(sound)), st.integers(0, 4).map(lambda one: one == 0))
    ended(codes)
    assert again.count(0) > 0


def test_a_flipped_bit_in_a_batch_is_found_and_played_again(played):
    wanted = rows(compared(None))
    with closing(sqlite3.connect("run/ledger.sqlite")) as connection, connection:
        query = "SELECT rowid, sums FROM blocks WHERE cell = 1 LIMIT 1"
        number, blob = connection.execute(query).fetchone()
        flipped = bytes([*blob[:9], blob[9] ^ 1, *blob[10:]])
        connection.execute("UPDATE blocks SET sums = ? WHERE rowid = ?", [flipped, number])
    for words in (("compare", "run", "base"), ("report", "run")):
        message = answer(*words, codes=(2,)).stderr
        assert "or they are damaged; run it again to play them." in message
    assert "is complete" not in answer(*RUN, codes=(0,)).stderr
    assert rows(compared(None)) == wanted


FORGED = [
    *("[]", "7", "null", "{}", '{"matchups": 3}', "[" * 100_000),
    *({"sums": "text"}, {"sums": 7}, {"worker": 7}, {"first": "0"}, {"first": -5}),
    *({"units": 2**62}, {"units": 0}, {"units": -(2**63)}, {"units": 0.5}),
]


@pytest.mark.parametrize("forged", FORGED, ids=lambda forged: str(forged)[:20])
def test_forged_rows_with_a_digest_of_their_own(played, forged):
    """An identity that is none, or a block whose values cannot be; and both beside sound rows."""
    path = Path("run") / ledger.LEDGER_FILE
    with closing(sqlite3.connect(path)) as connection, connection:
        if isinstance(forged, str):
            row = ("identity", forged)
            connection.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?)", [*row, seal(row)])
        else:
            names = ("cell", "first", "units", "worker", "sums")
            first = "FROM blocks ORDER BY cell, first LIMIT 1"
            query = f"SELECT cell, first, units, worker, sums {first}"
            row = dict(zip(names, connection.execute(query).fetchone(), strict=True)) | forged
            connection.execute(f"DELETE FROM blocks WHERE rowid = (SELECT rowid {first})")
            values = [*row.values(), seal([*row.values()])]
            connection.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)", values)
    for words in (("report", "run"), ("compare", "run", "base")):
        assert "damaged" in answer(*words, codes=(2,)).stderr
    answer(*RUN, codes=(2,) if isinstance(forged, str) else (0,))


def seal(row):
    return ledger._checksum(row)


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(10000000000,)", "(-1,)", "7"])
def test_a_step_that_claims_more_than_it_holds(tmp_path, shape):
    content = io.BytesIO()
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("gain.npy", b"\x93NUMPY\x01\x00" + bytes([118, 0]) + header.encode())
    with ledger.open_ledger(tmp_path / "ledger.sqlite", {}) as run_ledger:
        run_ledger._insert("steps", ("luck", 1, content.getvalue()))
        with pytest.raises(ledger.LedgerError, match="is damaged"):
            run_ledger.read_pass("luck", 1)


@cases(20)
def test_forged_manifests(played, n):
    """Manifest and ledger agree and have their digests, whatever stands in them."""
    path = Path("run/manifest.json")
    sound = directory.read_manifest("run")
    with ledger.open_existing_ledger(Path("run") / ledger.LEDGER_FILE) as run_ledger:
        keys = run_ledger.identity.keys()
    before = files_of_run()

    def check(contents):
        with contextlib.suppress(ValueError):  # NaN, which has no digest
            path.write_bytes(directory.with_checksum(contents))
        row = ("identity", json.dumps({key: contents.get(key) for key in keys}))
        with closing(sqlite3.connect(path.with_name(ledger.LEDGER_FILE))) as connection, connection:
            values = [row[1], seal(row)]
            connection.execute("UPDATE run SET value = ?, seal = ? WHERE key = 'identity'", values)
        for words in (("compare", "run", "base"), ("report", "run")):
            harmless(*words, writes=("run/",))
        restore(before)

    fuzz(n, check, changed(st.just(sound)))


def test_no_file_outside_of_a_run_is_removed_or_written(played):
    """A manifest is nested too deep or names files elsewhere, and links and journals lead there."""
    Path("mine.txt").write_text("years of work")
    path = Path("run/manifest.json")
    contents = directory.read_manifest("run")
    path.write_text('{"simgin": ' + "[" * 100_000 + "]" * 100_000 + "}")
    harmless("report", "run", codes=(2,))
    for name in ("../mine.txt", str(played / "mine.txt"), "plots/../../mine.txt", "", ".", "\n"):
        path.write_bytes(directory.with_checksum({**contents, "files": [*contents["files"], name]}))
        for words in (("report", "run"), RUN):
            harmless(*words, codes=(2,))
    path.write_bytes(directory.with_checksum(contents))
    Path("run/plots").mkdir()
    for link in ("run/.simgin-writing-table.csv", "run/plots/.simgin-writing-x", "run/more"):
        Path(link).symlink_to(played / "mine.txt")
        for words in (("report", "run"), RUN):
            message = harmless(*words, codes=(2,)).stderr
            assert "which is not a plain file; move it away" in message
        Path(link).unlink()
    hostile_ledgers.name_super_journal(Path("run") / ledger.LEDGER_FILE, played / "mine.txt")
    for words in (("report", "run"), ("compare", "run", "base"), RUN):
        assert "makes SQLite remove a file elsewhere" in harmless(*words, codes=(2,)).stderr
    Path("run/ledger.sqlite-journal").unlink()
    shutil.rmtree("run/plots")
    Path("elsewhere").mkdir()
    Path("run/plots").symlink_to(played / "elsewhere")
    for words in (("report", "run"), RUN):
        harmless(*words, codes=(2,))


# Arrays that simgin keeps


@cases(150)
def test_whatever_lies_there_the_arrays_are_the_same(here, monkeypatch, n):
    monkeypatch.setattr(jit, "cache_directory", lambda: here)
    wanted = {"counts": np.arange(600).reshape(3, 200), "share": np.array(0.25)}
    about = {"form": "of a test"}

    def make():
        return {name: array.copy() for name, array in wanted.items()}

    outcomes.load_or_compute(about, make)
    (path,) = here.rglob("*.npz")

    def check(content):
        path.write_bytes(content)
        for _ in range(2):
            arrays = outcomes.load_or_compute(about, make)
            assert arrays.keys() == wanted.keys()
            for name, array in wanted.items():
                assert arrays[name].dtype == array.dtype and np.array_equal(arrays[name], array)

    fuzz(n, check, damaged(st.just(path.read_bytes())))


# TOML made to use up time or memory, or to fill the screen: a short refusal, at once


NAME = ".".join("a" * 60_000)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *((text, "a line of more than 300 dots") for text in (f"{NAME} = 1", f"[{NAME}]")),
        (f"x = {{ {NAME} = 1 }}", "a line of more than 300 dots"),
        ("x = '" + "x" * 2**20 + "'", "larger than 1 MiB"),
        ("x = " + "[" * 2**18 + "]" * 2**18, "nested too deep"),
        ("x = " + "{x=" * 2**18, "nested too deep"),
        (".".join("x" * 300) + " = " + "[" * 300 + "]" * 300, ""),
        ("\n".join(f"k{n} = 1" for n in range(50_000)), "more mistakes."),
        ("".join(f"[variants.V{n}]\nx = 1\n" for n in range(5000)), "more mistakes."),
        (f"solo = {[f'x{n}' for n in range(20_000)]}\n", "more mistakes."),
        (f"matchups = {['x' * 1000] * 900}", "more mistakes."),
        (f"variants = ['{'x' * 10**6}']", ""),
    ],
    ids=range(12),
)
def test_a_hostile_file_is_refused_in_a_few_lines(empty_directory, text, told):
    Path("e.toml").write_text(text)
    reading = ("run", "e.toml", "--dry-run"), ("variants", "e.toml")
    with in_time(60):
        said = [harmless(*words, codes=(2,)).stderr for words in reading]
    assert max(map(len, said)) < 10_000 and told in "".join(said)
