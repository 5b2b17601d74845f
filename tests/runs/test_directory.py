"""The run directory: what it contains, replaces and refuses; no half-written file is left."""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simgin.core import rng
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import directory, ledger
from simgin.runs.directory import ResultsError
from simgin.runs.manifest import run_identity, run_manifest
from simgin.runs.stopping import End
from simgin.strategy import loader

FILES = {"table.csv": "a,b\n1,2\n", "plots/endings.png": b"\x89PNG"}
MANIFEST = {"simgin": "0.1.0", "seed": 1}


def tree(place):
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def matchups(unit="deal"):
    pair = loader.find("gold-early:k=4"), loader.find("simple")
    return [
        Matchup(variants.find(text), *pair, 9, unit) for text in ("eaai", "standard+gin_bonus=20")
    ]


def test_saving_writes_exactly_the_expected_files(tmp_path):
    paths = directory.save(tmp_path / "new" / "run", MANIFEST, FILES)
    assert set(tree(tmp_path)) == {
        "new/run/manifest.json",
        "new/run/table.csv",
        "new/run/plots/endings.png",
    }
    assert paths[0].name == "manifest.json"
    assert all(path.is_file() for path in paths)
    assert directory.read_manifest(tmp_path / "new" / "run") == {
        **MANIFEST,
        "files": ["plots/endings.png", "table.csv"],
    }


def test_an_earlier_run_is_replaced_completely(tmp_path):
    place = tmp_path / "run"
    directory.save(place, MANIFEST, {**FILES, "summary.md": "old"})
    directory.save(place, {**MANIFEST, "seed": 2}, {"table.csv": "new"})
    assert set(tree(tmp_path)) == {"run/manifest.json", "run/table.csv"}
    assert directory.read_manifest(place)["seed"] == 2


def test_a_link_to_a_directory_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk")
    directory.save(tmp_path / "run", MANIFEST, FILES)
    assert (tmp_path / "run").is_symlink()
    assert set(tree(tmp_path / "disk")) == {"manifest.json", *FILES}


def foreign(place):
    place.mkdir()
    (place / "thesis.tex").write_text("years of work")


def foreign_manifest(place):
    place.mkdir()
    (place / "manifest.json").write_text('{"name": "somebody else\'s"}')


def broken_manifest(place):
    place.mkdir()
    (place / "manifest.json").write_text("{")


def noted(place):
    directory.save(place, MANIFEST, FILES)
    (place / "notes.txt").write_text("mine")


def a_file(place):
    place.write_text("text")


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (foreign, "holds thesis.tex, which simgin did not write"),
        (foreign_manifest, "not a run that simgin wrote"),
        (broken_manifest, "not a run that simgin wrote"),
        (noted, "holds notes.txt, which simgin did not write"),
        (a_file, "is a file"),
    ],
)
def test_files_of_others_are_left_alone(tmp_path, make, word):
    make(tmp_path / "run")
    before = tree(tmp_path)
    with pytest.raises(ResultsError, match=word) as error:
        directory.save(tmp_path / "run", MANIFEST, FILES)
    assert re.search(r"; (name|move) .*\.$", str(error.value))
    assert tree(tmp_path) == before


def test_the_working_directory_is_refused(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    for place in (".", "..", tmp_path):
        with pytest.raises(ResultsError, match="where you are"):
            directory.check(place)


def test_a_place_under_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("text")
    for place in ("file/run", "file/deeper/run"):
        with pytest.raises(ResultsError, match=r"file is a file\); name another"):
            directory.check(tmp_path / place)


@pytest.mark.parametrize("place", ["a/" * 400, "~nouser9/run", "circle", "circle/run"])
def test_a_place_that_leads_nowhere_is_refused(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(ResultsError, match=r"; name another directory\.$"):
        directory.begin(place)
    assert set(tree(tmp_path)) <= {"circle"}


def test_the_root_is_refused(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ResultsError, match=r"/ is where you are; name a directory inside it"):
        directory.check("/")


@pytest.mark.parametrize("place", ["locked/run", "locked/deeper/run", "locked"])
def test_a_place_without_permission_is_refused(tmp_path, monkeypatch, place):
    (tmp_path / "locked").mkdir()
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: "locked" not in str(path) and access(path, mode)
    )
    with pytest.raises(ResultsError, match=r"no permission to write to .*locked\); name another"):
        directory.check(tmp_path / place)


def writes(monkeypatch, fails_at):
    """Let writes succeed up to a number, then fail; returns the names written."""
    written, write = [], directory.write_file

    def limited(path, content):
        if len(written) == fails_at:
            raise OSError(28, "No space left on device")
        written.append(path.name)
        write(path, content)

    monkeypatch.setattr(directory, "write_file", limited)
    return written


NEW = {"table.csv": "new", "summary.md": "new", "plots/more.png": b"new"}


@pytest.mark.parametrize("fails_at", range(len(NEW) + 2))
def test_a_failed_write_leaves_complete_files_and_can_be_repeated(tmp_path, monkeypatch, fails_at):
    place = tmp_path / "run"
    directory.save(place, MANIFEST, FILES)
    with monkeypatch.context() as patched:
        writes(patched, fails_at)
        with pytest.raises(
            ResultsError,
            match=r"No space left on device\); mend that, and the same command goes on",
        ):
            directory.save(place, {**MANIFEST, "seed": 2}, NEW)
    for name, content in tree(place).items():
        old, new = (
            (content if isinstance(content, bytes) else content.encode())
            for content in (FILES.get(name, ""), NEW.get(name, ""))
        )
        assert name == "manifest.json" or content in (old, new)
    said = directory.read_manifest(place)
    assert (said["seed"], said.get("stopped")) == (
        (2, "while its files were being written") if fails_at else (1, None)
    )
    directory.save(place, {**MANIFEST, "seed": 2}, NEW)
    assert set(tree(place)) == {"manifest.json", *NEW}
    assert directory.read_manifest(place) == {**MANIFEST, "seed": 2, "files": sorted(NEW)}


def test_the_manifest_is_written_last(tmp_path, monkeypatch):
    """A kill after the last write leaves a finished run.

    A kill before it leaves a manifest that names every file there may be.
    """
    place = tmp_path / "run"
    directory.save(place, MANIFEST, FILES)
    removed, unlink = [], Path.unlink
    written = writes(monkeypatch, None)

    def watched(path, missing_ok=False):
        if path.exists():
            removed.append((path.name, len(written)))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", watched)
    directory.save(place, MANIFEST, NEW)
    assert written[0] == written[-1] == "manifest.json" and written.count("manifest.json") == 2
    assert removed == [("endings.png", len(written) - 1)]


def test_a_half_written_file_of_a_killed_run_is_replaced(tmp_path):
    place = tmp_path / "run"
    directory.save(place, MANIFEST, FILES)
    (place / "plots" / f"{directory.WRITING}endings.png").write_text("half")
    (place / f"{directory.WRITING}manifest.json").write_text("{")
    directory.save(place, MANIFEST, FILES)
    assert set(tree(place)) == {"manifest.json", *FILES}


def test_the_ledger_is_recognised_and_left_alone(tmp_path):
    place = tmp_path / "run"
    path = directory.begin(place)
    with ledger.opened(path, {}):
        directory.save(place, MANIFEST, FILES)
    assert set(tree(place)) == {"manifest.json", "ledger.sqlite", *FILES}
    directory.check(place)


def manifest_of(cells, **more):
    return run_manifest(
        run_identity(cells),
        [End(51) for _ in cells],
        workers=3,
        started=datetime.now(UTC),
        command="simgin run x.toml",
        **more,
    )


def test_the_manifest_has_what_is_needed_to_repeat_the_run():
    found = manifest_of(matchups(), stopped="complete", audited=3)
    assert json.loads(json.dumps(found, allow_nan=False)) == json.loads(json.dumps(found))
    assert (found["seed"], found["unit"], found["workers"], found["audited"]) == (9, "deal", 3, 3)
    assert found["stream"] == rng.STREAM
    assert re.fullmatch("[0-9a-f]{16}", found["source"]) and re.fullmatch(
        "[0-9a-f]{16}", found["engine"]
    )
    assert (found["command"], found["stopped"]) == ("simgin run x.toml", "complete")
    assert [
        (m["variant"], m["a"], m["b"], m["n"], m["units"], m["stopped"]) for m in found["matchups"]
    ] == [
        ("eaai", "gold-early:k=4", "simple", 102, 51, "complete"),
        ("standard+gin_bonus=20", "gold-early:k=4", "simple", 102, 51, "complete"),
    ]
    assert found["variants"]["standard+gin_bonus=20"] == dict(
        variants.find("standard+gin_bonus=20").row
    )
    assert found["strategies"]["gold-early:k=4"]["parameters"]["knock"] == {"k": 4}
    assert set(found["versions"]) == {"python", "numpy", "numba", "libc"}
    assert found["seconds"] >= 0
    assert datetime.fromisoformat(found["started"]) <= datetime.fromisoformat(found["ended"])


def test_the_manifest_names_no_host_and_no_user():
    import getpass
    import socket

    text = json.dumps(manifest_of(matchups())["machine"])
    assert socket.gethostname() not in text
    assert getpass.getuser() not in text.replace("root", "")


def test_the_identity_of_a_run_leaves_out_only_its_size():
    def told(*others):
        return ledger.differences(run_identity(matchups()), run_identity(list(others)))

    one, two = matchups()
    assert told(one, two) == []
    assert told(*matchups("match")) == ['unit: "deal" there, "match" here.']
    assert told(*(Matchup(m.variant, m.a, m.b, 10, m.unit) for m in (one, two))) == [
        "seed: 9 there, 10 here."
    ]
    assert any(line.startswith("matchups") for line in told(two, one)), (
        "the order of cells is their place in the ledger"
    )
    assert any(
        "strategies, gold-early:k=6" in line
        for line in told(one, Matchup(two.variant, loader.find("gold-early:k=6"), two.b, 9, "deal"))
    )
