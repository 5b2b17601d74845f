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
from support.hostile import read_directory

RUN_FILES = {"table.csv": "a,b\n1,2\n", "plots/endings.png": b"\x89PNG"}
NEW_FILES = {"table.csv": "new", "summary.md": "new", "plots/more.png": b"new"}
MANIFEST = {"simgin": "0.1.0", "seed": 1}


@pytest.fixture
def run_directory(tmp_path):
    """Save a run, and return its directory."""
    directory.write_run_directory(tmp_path / "run", MANIFEST, RUN_FILES)
    return tmp_path / "run"


def test_saving_replaces_the_files_of_an_earlier_run(run_directory):
    assert set(read_directory(run_directory)) == {"manifest.json", *RUN_FILES}
    expected = {**MANIFEST, "files": ["plots/endings.png", "table.csv"]}
    assert directory.read_manifest(run_directory) == expected
    paths = directory.write_run_directory(run_directory, {**MANIFEST, "seed": 2}, NEW_FILES)
    assert set(read_directory(run_directory)) == {"manifest.json", *NEW_FILES}
    assert paths[0].name == "manifest.json" and all(path.is_file() for path in paths)
    assert directory.read_manifest(run_directory)["seed"] == 2


def test_link_to_a_directory_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk")
    directory.write_run_directory(tmp_path / "run", MANIFEST, RUN_FILES)
    assert (tmp_path / "run").is_symlink()
    assert set(read_directory(tmp_path / "disk")) == {"manifest.json", *RUN_FILES}


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("run/thesis.tex", "years of work", "contains thesis.tex, which simgin did not write"),
        ("run/plots/notes.txt", "mine", "contains plots/notes.txt, which simgin did not write"),
        ("run/manifest.json", '{"name": "another"}', "does not contain a simgin run"),
        ("run/manifest.json", "{", "does not contain a simgin run"),
        ("run", "text", "is a file"),
    ],
)
def test_directory_with_unrelated_files_is_rejected_and_unchanged(tmp_path, file, content, message):
    if file.startswith("run/plots"):
        directory.write_run_directory(tmp_path / "run", MANIFEST, RUN_FILES)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(content)
    before = read_directory(tmp_path)
    with pytest.raises(ResultsError, match=rf"{message}.*\. (Choose|Specify|Move) .*\.$"):
        directory.write_run_directory(tmp_path / "run", MANIFEST, RUN_FILES)
    assert read_directory(tmp_path) == before


@pytest.mark.parametrize(
    ("path", "message"),
    [
        *(
            (path, "is or contains the current directory. Choose a new")
            for path in (".", "..", "/")
        ),
        *((f"file/{below}", "file is a file). Choose another") for below in ("run", "deeper/run")),
        *((path, ". Choose another directory.") for path in ("a/" * 400, "~nouser9/run")),
        *((path, ". Choose another directory.") for path in ("circle", "circle/run")),
        *((f"locked{below}", "(no permission to write to ") for below in ("/run", "/a/run", "")),
    ],
)
def test_invalid_run_directory_is_rejected(tmp_path, monkeypatch, path, message):
    for name in ("inner", "locked"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "inner" if message.startswith("is or") else tmp_path)
    Path("circle").symlink_to("circle")
    Path("file").write_text("text")
    before, access = read_directory(tmp_path), os.access
    monkeypatch.setattr(
        os, "access", lambda target, mode: "locked" not in str(target) and access(target, mode)
    )
    with pytest.raises(ResultsError, match=re.escape(message)):
        directory.create_run_directory(path)
    assert read_directory(tmp_path) == before


def record_writes(monkeypatch, failure_index):
    """Return a list of written names; the write with index `failure_index` raises an error."""
    written, write = [], directory.write_file

    def fail_as_full_disk(path, content):
        if len(written) == failure_index:
            raise OSError(28, "No space left on device")
        written.append(path.name)
        write(path, content)

    monkeypatch.setattr(directory, "write_file", fail_as_full_disk)
    return written


@pytest.mark.parametrize("failure_index", range(len(NEW_FILES) + 2))
def test_failed_save_leaves_complete_files_and_can_be_repeated(
    run_directory, monkeypatch, failure_index
):
    message = r"No space left on device\)\. Fix the problem and repeat the command to continue"
    with monkeypatch.context() as patched:
        record_writes(patched, failure_index)
        with pytest.raises(ResultsError, match=message):
            directory.write_run_directory(run_directory, {**MANIFEST, "seed": 2}, NEW_FILES)
    for name, content in read_directory(run_directory).items():
        versions = [files[name] for files in (RUN_FILES, NEW_FILES) if name in files]
        assert name == "manifest.json" or content in versions or content.decode() in versions
    manifest = directory.read_manifest(run_directory)
    expected = (2, "while its files were being written") if failure_index else (1, None)
    assert (manifest["seed"], manifest.get("stopped")) == expected
    directory.write_run_directory(run_directory, {**MANIFEST, "seed": 2}, NEW_FILES)
    assert set(read_directory(run_directory)) == {"manifest.json", *NEW_FILES}
    assert directory.read_manifest(run_directory) == {
        **MANIFEST,
        "seed": 2,
        "files": sorted(NEW_FILES),
    }


def test_manifest_is_written_first_and_last(run_directory, monkeypatch):
    """Expect that a kill after the last write leaves a finished run.

    A kill before it leaves a manifest that names every possible file.
    """
    removed, original_unlink = [], Path.unlink
    written = record_writes(monkeypatch, None)

    def record_removal(path, missing_ok=False):
        if path.exists():
            removed.append((path.name, len(written)))
        original_unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", record_removal)
    directory.write_run_directory(run_directory, MANIFEST, NEW_FILES)
    assert written[0] == written[-1] == "manifest.json" and written.count("manifest.json") == 2
    assert removed == [("endings.png", len(written) - 1)]


def test_incomplete_files_of_a_killed_run_are_replaced(run_directory):
    with ledger.open_ledger(directory.create_run_directory(run_directory), {}):
        (run_directory / "plots" / f"{directory.INCOMPLETE_FILE_PREFIX}endings.png").write_text(
            "half"
        )
        (run_directory / f"{directory.INCOMPLETE_FILE_PREFIX}manifest.json").write_text("{")
        directory.write_run_directory(run_directory, MANIFEST, RUN_FILES)
    assert set(read_directory(run_directory)) == {"manifest.json", "ledger.sqlite", *RUN_FILES}


SAVE_CODE = """
import sys
from simgin.runs import directory
place, name, times, with_command = sys.argv[1:]
contents = {"simgin": "0.1.0", "command": f"simgin analyze {name}"}
command = contents["command"] if with_command else ""
print("ready", flush=True)
sys.stdin.read(1)
for number in range(int(times)):
    files = {"table.csv": f"{name} {number}", f"{name}.png": name * 10_000}
    directory.check_directory(place, command)
    directory.write_run_directory(place, contents, files, command=command)
"""


def save_concurrently(path, n_saves, with_command=""):
    """Return the errors of two processes that write to one directory at the same time."""
    arguments = [sys.executable, "-c", SAVE_CODE, path]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    processes = [
        subprocess.Popen([*arguments, name, str(n_saves), with_command], text=True, **pipes)
        for name in "ab"
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go")
        process.stdin.flush()
    return [process.communicate()[1] for process in processes]


def test_last_of_two_concurrent_saves_prevails(tmp_path):
    assert save_concurrently(tmp_path / "run", 100) == ["", ""]
    files = read_directory(tmp_path / "run")
    name = files["table.csv"].decode()[0]
    assert set(files) == {"manifest.json", "table.csv", f"{name}.png"}
    assert files["table.csv"] == f"{name} 99".encode()
    manifest = directory.read_manifest(tmp_path / "run")
    assert manifest["command"] == f"simgin analyze {name}" and "stopped" not in manifest


def test_second_of_two_concurrent_requests_is_rejected(tmp_path):
    errors = save_concurrently(tmp_path / "run", 1, "asked")
    assert sorted(map(bool, errors)) == [False, True]
    saved = "a" if errors[1] else "b"
    assert f"contains the results of 'simgin analyze {saved}'. Move it" in "".join(errors)
    assert set(read_directory(tmp_path / "run")) == {"manifest.json", "table.csv", f"{saved}.png"}


def test_results_that_another_request_wrote_meanwhile_are_kept(tmp_path):
    """Expect `analyze -o` to check the directory at its start and again before it writes."""
    directory.check_directory(tmp_path / "run", "simgin analyze b")
    contents = {**MANIFEST, "command": "simgin analyze a"}
    directory.write_run_directory(
        tmp_path / "run", contents, RUN_FILES, command=contents["command"]
    )
    before = read_directory(tmp_path)
    with pytest.raises(ResultsError, match=r"contains the results of 'simgin analyze a'\. Move it"):
        directory.write_run_directory(
            tmp_path / "run", contents, NEW_FILES, command="simgin analyze b"
        )
    assert read_directory(tmp_path) == before


# The manifest


def make_matchups(unit="deal", seed=9):
    pair = loader.find_strategy("gold-early:k=4"), loader.find_strategy("simple")
    played_variants = map(variants.find_variant, ("eaai", "standard+gin_bonus=20"))
    return [Matchup(variant, *pair, seed, unit) for variant in played_variants]


def test_manifest_describes_the_run_without_personal_data():
    started = datetime.now(UTC) + timedelta(days=9)  # the clock was set back
    run_details = {"workers": 3, "started": started, "command": "x", "stopped": "complete"}
    manifest = build_manifest(
        build_identity(make_matchups()), [StopResult(51), StopResult(51)], **run_details
    )
    assert json.loads(json.dumps(manifest, allow_nan=False)) == manifest
    assert (manifest["seed"], manifest["unit"], manifest["workers"]) == (9, "deal", 3)
    assert (manifest["command"], manifest["stopped"]) == ("x", "complete")
    assert manifest["stream"] == rng.STREAM_VERSION and manifest["seconds"] >= 0
    assert all(re.fullmatch("[0-9a-f]{16}", manifest[key]) for key in ("source", "engine"))
    specs = ("eaai", "standard+gin_bonus=20")
    expected_fields = {
        "a": "gold-early:k=4",
        "b": "simple",
        "n": 102,
        "units": 51,
        "stopped": "complete",
    }
    expected_fields["multiplier"] = None
    assert manifest["matchups"] == [{"variant": spec, **expected_fields} for spec in specs]
    assert manifest["variants"][specs[1]] == dict(variants.find_variant(specs[1]).params)
    assert manifest["strategies"]["gold-early:k=4"]["parameters"]["knock"] == {"k": 4}
    assert set(manifest["versions"]) == {"python", "numpy", "numba", "libc"}
    assert datetime.fromisoformat(manifest["started"]) <= datetime.fromisoformat(manifest["ended"])
    text = json.dumps(manifest["machine"])
    assert socket.gethostname() not in text and getpass.getuser() not in text.replace("root", "")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("simgin run e.toml -o run --json", "simgin run e.toml -o 'a b' --json"),
        ("simgin tune m.py -o m.toml --run run", "simgin tune m.py -o m.toml --run 'a b'"),
        ("simgin run e.toml", "simgin run e.toml"),
        ("simgin run 'e.toml -o run", "simgin run 'e.toml -o run"),
    ],
)
def test_command_names_the_directory_of_a_copied_run(command, expected):
    assert directory.set_directory_option(command, Path("a b")) == expected
