"""Damaged and foreign run directories: refused in a sentence or mended, with the same numbers.

A small run is played once. Every case changes a copy of its manifest or its ledger, and has it
compared, reported or continued. What is answered must be what the sound run answers.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from simgin.runs import directory, ledger
from support.hostile import answer, flipped, generator, mutated, sizes, tree

EXPERIMENT = """
question = "?"
hypothesis = "So."
variants = ["eaai"]
deals = 4000
changes = ["knock=early"]
[[fields]]
strategy = "gold"
against = "simple"
"""
RUN = ("run", "e.toml", "-o", "run")
# Every twentieth case is drawn and written in full; the others are only compared.
SAMPLED = 20


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with the experiment and its finished run."""
    place = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(place)
        Path("e.toml").write_text(EXPERIMENT)
        answer(*RUN, codes=(0,))
        answer("match", "gold", "-v", "eaai", "--deals", 2000, "-o", "base", codes=(0,))
    return place


@pytest.fixture
def here(sound, tmp_path, monkeypatch):
    """A copy of it to work in."""
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def plain(monkeypatch):
    """Pages without pictures, which take a second to draw and are no input."""
    monkeypatch.setattr("simgin.report.page.drawings", lambda *_: {})
    monkeypatch.setattr("simgin.report.page.html", lambda _: "<html></html>")


def compared():
    return answer("compare", "run", "base", "--json")


def numbers(result):
    return json.loads(result.stdout)["rows"]


def outside(before):
    """The files that are none of the run's."""
    return {name: content for name, content in before.items() if not name.startswith("run/")}


def continued(wanted, seal):
    """Go on with the run, and give what it then answers; None where it refuses.

    Where it refuses, nothing has changed.
    """
    before = tree(".")
    result = answer(*RUN, "--json", codes=(0, 2))
    after = tree(".")
    assert outside(before) == outside(after)
    if result.exit_code == 2:
        own = [name for name in before if name.startswith("run/ledger.sqlite")]
        for name in own:
            before.pop(name)
            after.pop(name, None)
        assert before == {name: after[name] for name in before}
        return False
    assert numbers(result) == wanted
    assert directory.read_manifest("run")["form"] and seal == "sound"
    return True


def case_of_manifest(rng, contents):
    """The bytes of a manifest with values changed, resealed or not, or with bytes changed."""
    if rng.random() < 0.25:
        return flipped(rng, directory.sealed(contents))
    changed = mutated(rng, contents)
    try:
        return directory.sealed(changed)
    except (ValueError, RecursionError):
        return json.dumps(changed).encode(errors="surrogatepass")


@sizes
def test_any_manifest_is_read_or_refused(here, plain, n):
    rng = generator("manifest")
    contents = directory.read_manifest("run")
    path = Path("run/manifest.json")
    wanted = numbers(compared())
    before = tree(".")
    refusals = 0
    for i in range(n):
        path.write_bytes(case_of_manifest(rng, contents))
        result = compared()
        refusals += result.exit_code == 2
        if result.exit_code == 0:
            assert numbers(result) == wanted
        if i % SAMPLED == 0:
            answer("report", "run", "--json")
            answer("run", "e.toml", "-o", "run", "--dry-run", codes=(0, 2))
        assert outside(tree(".")) == outside(before)
        restore(before)
    assert 0.5 * n < refusals


def restore(before):
    """Put the run back as it was."""
    for name, content in before.items():
        path = Path(name)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
    for name in set(tree(".")) - set(before):
        Path(name).unlink()


def test_manifests_nested_deep_are_refused(here):
    for depth in (10, 100, 500, 990, 5000, 100_000):
        for text in ("[" * depth, '{"simgin": ' * depth, '{"simgin": ' + "[" * depth + "]" * depth):
            Path("run/manifest.json").write_text(text + "}")
            for words in (("compare", "run", "base"), ("report", "run"), RUN):
                answer(*words, codes=(2,))


def test_no_file_outside_of_a_run_is_removed_or_written(here):
    """A manifest names files elsewhere, and links lead there."""
    Path("mine.txt").write_text("years of work")
    contents = directory.read_manifest("run")
    for name in ("../mine.txt", str(here / "mine.txt"), "plots/../../mine.txt", "", ".", "\n"):
        changed = {**contents, "files": [*contents["files"], name]}
        Path("run/manifest.json").write_bytes(directory.sealed(changed))
        for words in (("report", "run"), RUN):
            answer(*words, codes=(2,))
            assert Path("mine.txt").read_text() == "years of work"
    Path("run/manifest.json").write_bytes(directory.sealed(contents))
    for link in ("run/.simgin-writing-table.csv", "run/plots/.simgin-writing-x", "run/more"):
        Path(link).symlink_to(here / "mine.txt")
        for words in (("report", "run"), RUN):
            message = answer(*words, codes=(2,)).stderr
            assert "which is not a plain file; move it away" in message
        Path(link).unlink()
    shutil.rmtree("run/plots")
    Path("elsewhere").mkdir()
    Path("run/plots").symlink_to(here / "elsewhere")
    for words in (("report", "run"), RUN):
        answer(*words, codes=(2,))
    assert tree("elsewhere") == {} and Path("mine.txt").read_text() == "years of work"


# Ledgers


def case_of_ledger(rng, content, path):
    """Write a ledger with bytes changed, or with a value of a row changed through SQLite."""
    if rng.random() < 0.6:
        path.write_bytes(flipped(rng, content))
        return
    path.write_bytes(content)
    with closing(sqlite3.connect(path)) as connection, connection:
        table = rng.choice(("run", "blocks", "blocks", "blocks", "steps"))
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column = rng.choice(names)
        numbers = [number for (number,) in connection.execute(f"SELECT rowid FROM {table}")]
        values = (None, 0, -1, 3, 2**62, 0.5, "", "gold", "{", b"", b"\0", rng.randbytes(40))
        values += (rng.randbytes(10**5),)
        if not numbers:
            return
        one = rng.choice(numbers)
        try:
            if rng.random() < 0.1:
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [one])
            else:
                query = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
                connection.execute(query, [rng.choice(values), one])
        except sqlite3.IntegrityError:
            return


@sizes
def test_any_ledger_gives_the_same_numbers_or_none(here, plain, n):
    rng = generator("ledger")
    path = Path("run") / ledger.FILE
    content = path.read_bytes()
    wanted = numbers(compared())
    results = numbers(answer(*RUN, "--json", codes=(0,)))
    before = tree(".")
    refusals = mended = 0
    for i in range(n):
        case_of_ledger(rng, content, path)
        result = compared()
        if result.exit_code == 0:
            assert numbers(result) == wanted
        refusals += result.exit_code == 2
        if i % SAMPLED == 0:
            mended += continued(results, "sound")
        restore(before)
    assert 0.2 * n < refusals and mended > 0


def test_a_flipped_bit_in_a_batch_is_found_and_that_batch_is_played_again(here, plain):
    wanted = numbers(compared())
    with closing(sqlite3.connect("run/ledger.sqlite")) as connection, connection:
        query = "SELECT rowid, sums FROM blocks WHERE cell = 1 LIMIT 1"
        number, blob = connection.execute(query).fetchone()
        changed = bytes([*blob[:9], blob[9] ^ 1, *blob[10:]])
        connection.execute("UPDATE blocks SET sums = ? WHERE rowid = ?", [changed, number])
    for words in (("compare", "run", "base"), ("report", "run")):
        message = answer(*words, codes=(2,)).stderr
        assert "or they are damaged; run it again to play them." in message
    message = answer(*RUN, codes=(0,)).stderr
    assert "run/ledger.sqlite is damaged in 1 place; that is played again." in message
    assert numbers(compared()) == wanted


@pytest.mark.parametrize("command", ["report", "compare"])
def test_a_ledger_of_another_version_is_to_be_played_again(here, command):
    with closing(sqlite3.connect("run/ledger.sqlite")) as connection, connection:
        connection.execute("UPDATE run SET value = '1' WHERE key = 'form'")
    words = (command, "run", "base")[: 3 if command == "compare" else 2]
    message = answer(*words, codes=(2,)).stderr
    assert "(form 1, not 3); run it again in another directory." in message
