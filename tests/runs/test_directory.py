"""Tests of the run directory: its contents, replaced files and rejected directories."""

import getpass
import json
import os
import re
import socket
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from simgin.core import rng
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import directory, ledger
from simgin.runs.directory import ResultsError
from simgin.runs.manifest import build_identity, build_manifest
from simgin.runs.stopping import StopResult
from simgin.strategy import loader
from support.hostile import read_tree

FILES = {"table.csv": "a,b\n1,2\n", "plots/endings.png": b"\x89PNG"}
NEW = {"table.csv": "new", "summary.md": "new", "plots/more.png": b"new"}
MANIFEST = {"simgin": "0.1.0", "seed": 1}


@pytest.fixture
def place(tmp_path):
    """Create the directory of a saved run."""
    directory.write_run_directory(tmp_path / "run", MANIFEST, FILES)
    return tmp_path / "run"


def test_saving_writes_exactly_the_expected_files_and_replaces_an_earlier_run(place):
    assert set(read_tree(place)) == {"manifest.json", *FILES}
    wanted = {**MANIFEST, "files": ["plots/endings.png", "table.csv"]}
    assert directory.read_manifest(place) == wanted
    paths = directory.write_run_directory(place, {**MANIFEST, "seed": 2}, NEW)
    assert set(read_tree(place)) == {"manifest.json", *NEW}
    assert paths[0].name == "manifest.json" and all(path.is_file() for path in paths)
    assert directory.read_manifest(place)["seed"] == 2


def test_a_link_to_a_directory_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk")
    directory.write_run_directory(tmp_path / "run", MANIFEST, FILES)
    assert (tmp_path / "run").is_symlink()
    assert set(read_tree(tmp_path / "disk")) == {"manifest.json", *FILES}


@pytest.mark.parametrize(
    ("file", "content", "word"),
    [
        ("run/thesis.tex", "years of work", "contains thesis.tex, which simgin did not write"),
        ("run/plots/notes.txt", "mine", "contains plots/notes.txt, which simgin did not write"),
        ("run/manifest.json", '{"name": "another"}', "does not contain a simgin run"),
        ("run/manifest.json", "{", "does not contain a simgin run"),
        ("run", "text", "is a file"),
    ],
)
def test_files_of_others_are_left_alone(tmp_path, file, content, word):
    if file.startswith("run/plots"):
        directory.write_run_directory(tmp_path / "run", MANIFEST, FILES)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(content)
    before = read_tree(tmp_path)
    with pytest.raises(ResultsError, match=rf"{word}.*\. (Choose|Specify|Move) .*\.$"):
        directory.write_run_directory(tmp_path / "run", MANIFEST, FILES)
    assert read_tree(tmp_path) == before


@pytest.mark.parametrize(
    ("place", "word"),
    [
        *(
            (place, "is or contains the current directory. Choose a new")
            for place in (".", "..", "/")
        ),
        *((f"file/{below}", "file is a file). Choose another") for below in ("run", "deeper/run")),
        *((place, ". Choose another directory.") for place in ("a/" * 400, "~nouser9/run")),
        *((place, ". Choose another directory.") for place in ("circle", "circle/run")),
        *((f"locked{below}", "(no permission to write to ") for below in ("/run", "/a/run", "")),
    ],
)
def test_an_invalid_run_directory_is_rejected(tmp_path, monkeypatch, place, word):
    for name in ("inner", "locked"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "inner" if word.startswith("is or") else tmp_path)
    Path("circle").symlink_to("circle")
    Path("file").write_text("text")
    before, real = read_tree(tmp_path), os.access
    monkeypatch.setattr(os, "access", lambda at, how: "locked" not in str(at) and real(at, how))
    with pytest.raises(ResultsError, match=re.escape(word)):
        directory.create_run_directory(place)
    assert read_tree(tmp_path) == before


def record_writes(monkeypatch, fails_at):
    """Make writes fail after a number of successes; return the names written."""
    written, write = [], directory.write_file

    def fail_as_full_disk(path, content):
        if len(written) == fails_at:
            raise OSError(28, "No space left on device")
        written.append(path.name)
        write(path, content)

    monkeypatch.setattr(directory, "write_file", fail_as_full_disk)
    return written


@pytest.mark.parametrize("fails_at", range(len(NEW) + 2))
def test_a_failed_write_leaves_complete_files_and_can_be_repeated(place, monkeypatch, fails_at):
    told = r"No space left on device\)\. Fix the problem and repeat the command to continue"
    with monkeypatch.context() as patched:
        record_writes(patched, fails_at)
        with pytest.raises(ResultsError, match=told):
            directory.write_run_directory(place, {**MANIFEST, "seed": 2}, NEW)
    for name, content in read_tree(place).items():
        whole = [files[name] for files in (FILES, NEW) if name in files]
        assert name == "manifest.json" or content in whole or content.decode() in whole
    said = directory.read_manifest(place)
    wanted = (2, "while its files were being written") if fails_at else (1, None)
    assert (said["seed"], said.get("stopped")) == wanted
    directory.write_run_directory(place, {**MANIFEST, "seed": 2}, NEW)
    assert set(read_tree(place)) == {"manifest.json", *NEW}
    assert directory.read_manifest(place) == {**MANIFEST, "seed": 2, "files": sorted(NEW)}


def test_the_manifest_is_written_first_and_last(place, monkeypatch):
    """A kill after the last write leaves a finished run.

    A kill before it leaves a manifest that names every possible file.
    """
    removed, unlink = [], Path.unlink
    written = record_writes(monkeypatch, None)

    def record_removal(path, missing_ok=False):
        if path.exists():
            removed.append((path.name, len(written)))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", record_removal)
    directory.write_run_directory(place, MANIFEST, NEW)
    assert written[0] == written[-1] == "manifest.json" and written.count("manifest.json") == 2
    assert removed == [("endings.png", len(written) - 1)]


def test_a_half_written_file_of_a_killed_run_is_replaced_and_the_ledger_stays(place):
    with ledger.open_ledger(directory.create_run_directory(place), {}):
        (place / "plots" / f"{directory.INCOMPLETE_PREFIX}endings.png").write_text("half")
        (place / f"{directory.INCOMPLETE_PREFIX}manifest.json").write_text("{")
        directory.write_run_directory(place, MANIFEST, FILES)
    assert set(read_tree(place)) == {"manifest.json", "ledger.sqlite", *FILES}


SAVE_CODE = """
import sys
from simgin.runs import directory
place, name, times, is_checked = sys.argv[1:]
contents = {"simgin": "0.1.0", "command": f"simgin analyze {name}"}
command = contents["command"] if is_checked else ""
print("ready", flush=True)
sys.stdin.read(1)
for number in range(int(times)):
    files = {"table.csv": f"{name} {number}", f"{name}.png": name * 10_000}
    directory.check_directory(place, command)
    directory.write_run_directory(place, contents, files, command=command)
"""


def save_concurrently(place, times, question=""):
    """Return the errors of two processes that write to one directory at the same time."""
    words = [sys.executable, "-c", SAVE_CODE, place]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    several = [
        subprocess.Popen([*words, name, str(times), question], text=True, **pipes) for name in "ab"
    ]
    for process in several:
        assert process.stdout.readline() == "ready\n"
    for process in several:
        process.stdin.write("go")
        process.stdin.flush()
    return [process.communicate()[1] for process in several]


def test_the_later_of_two_processes_that_write_one_directory_prevails(tmp_path):
    assert save_concurrently(tmp_path / "run", 100) == ["", ""]
    found = read_tree(tmp_path / "run")
    name = found["table.csv"].decode()[0]
    assert set(found) == {"manifest.json", "table.csv", f"{name}.png"}
    assert found["table.csv"] == f"{name} 99".encode()
    said = directory.read_manifest(tmp_path / "run")
    assert said["command"] == f"simgin analyze {name}" and "stopped" not in said


def test_one_of_two_concurrent_requests_is_rejected(tmp_path):
    told = save_concurrently(tmp_path / "run", 1, "asked")
    assert sorted(map(bool, told)) == [False, True]
    kept = "a" if told[1] else "b"
    assert f"contains the results of 'simgin analyze {kept}'. Move it" in "".join(told)
    assert set(read_tree(tmp_path / "run")) == {"manifest.json", "table.csv", f"{kept}.png"}


def test_results_of_another_request_that_were_written_meanwhile_are_kept(tmp_path):
    """`analyze -o` checks at its beginning and again at its end."""
    directory.check_directory(tmp_path / "run", "simgin analyze b")
    contents = {**MANIFEST, "command": "simgin analyze a"}
    directory.write_run_directory(tmp_path / "run", contents, FILES, command=contents["command"])
    before = read_tree(tmp_path)
    with pytest.raises(ResultsError, match=r"contains the results of 'simgin analyze a'\. Move it"):
        directory.write_run_directory(tmp_path / "run", contents, NEW, command="simgin analyze b")
    assert read_tree(tmp_path) == before


# The manifest


def matchups(unit="deal", seed=9):
    pair = loader.find_strategy("gold-early:k=4"), loader.find_strategy("simple")
    games = map(variants.find_variant, ("eaai", "standard+gin_bonus=20"))
    return [Matchup(game, *pair, seed, unit) for game in games]


def test_the_manifest_has_what_is_needed_to_repeat_the_run_and_names_no_user():
    started = datetime.now(UTC) + timedelta(days=9)  # the clock was set back
    more = {"workers": 3, "started": started, "command": "x", "stopped": "complete"}
    found = build_manifest(build_identity(matchups()), [StopResult(51), StopResult(51)], **more)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["seed"], found["unit"], found["workers"]) == (9, "deal", 3)
    assert (found["command"], found["stopped"]) == ("x", "complete")
    assert found["stream"] == rng.STREAM_VERSION and found["seconds"] >= 0
    assert all(re.fullmatch("[0-9a-f]{16}", found[key]) for key in ("source", "engine"))
    games = ("eaai", "standard+gin_bonus=20")
    told = {"a": "gold-early:k=4", "b": "simple", "n": 102, "units": 51, "stopped": "complete"}
    told["multiplier"] = None
    assert found["matchups"] == [{"variant": game, **told} for game in games]
    assert found["variants"][games[1]] == dict(variants.find_variant(games[1]).params)
    assert found["strategies"]["gold-early:k=4"]["parameters"]["knock"] == {"k": 4}
    assert set(found["versions"]) == {"python", "numpy", "numba", "libc"}
    assert datetime.fromisoformat(found["started"]) <= datetime.fromisoformat(found["ended"])
    text = json.dumps(found["machine"])
    assert socket.gethostname() not in text and getpass.getuser() not in text.replace("root", "")
