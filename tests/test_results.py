"""The run directory: what it says, what it replaces, what it refuses, and that nothing half-written is left."""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simgin import loader, report, results, runner, table, variants
from simgin.core import rng, sums
from simgin.matchup import Matchup
from simgin.results import ResultsError

FILES = {"table.csv": "a,b\n1,2\n", "plots/endings.png": b"\x89PNG"}
MANIFEST = {"simgin": "0.1.0", "seed": 1}


def tree(place):
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def matchups(unit="deal"):
    pair = loader.find("gold-early:k=4"), loader.find("simple")
    return [Matchup(variants.find(text), *pair, 9, unit) for text in ("eaai", "standard+gin_bonus=20")]


def test_save_writes_everything_and_nothing_else(tmp_path):
    paths = results.save(tmp_path / "new" / "run", MANIFEST, FILES)
    assert set(tree(tmp_path)) == {"new/run/manifest.json", "new/run/table.csv", "new/run/plots/endings.png"}
    assert paths[0].name == "manifest.json"
    assert all(path.is_file() for path in paths)
    assert results.read_manifest(tmp_path / "new" / "run") == {**MANIFEST, "files": ["plots/endings.png", "table.csv"]}


def test_an_earlier_run_is_replaced_whole(tmp_path):
    place = tmp_path / "run"
    results.save(place, MANIFEST, {**FILES, "summary.md": "old"})
    results.save(place, {**MANIFEST, "seed": 2}, {"table.csv": "new"})
    assert set(tree(tmp_path)) == {"run/manifest.json", "run/table.csv"}
    assert results.read_manifest(place)["seed"] == 2


def test_an_empty_directory_is_taken(tmp_path):
    place = tmp_path / "run"
    place.mkdir()
    results.save(place, MANIFEST, FILES)
    assert set(tree(place)) == {"manifest.json", *FILES}


def test_a_link_to_a_directory_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk")
    results.save(tmp_path / "run", MANIFEST, FILES)
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
    results.save(place, MANIFEST, FILES)
    (place / "notes.txt").write_text("mine")


def a_file(place):
    place.write_text("text")


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (foreign, "not a run that simgin wrote"),
        (foreign_manifest, "not a run that simgin wrote"),
        (broken_manifest, "not a run that simgin wrote"),
        (noted, "holds notes.txt, which simgin did not write"),
        (a_file, "is a file"),
    ],
)
def test_what_simgin_did_not_write_is_left_alone(tmp_path, make, word):
    make(tmp_path / "run")
    before = tree(tmp_path)
    with pytest.raises(ResultsError, match=word) as error:
        results.save(tmp_path / "run", MANIFEST, FILES)
    assert re.search(r"; (name|move) .*\.$", str(error.value))
    assert tree(tmp_path) == before


def test_the_working_directory_is_refused(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    for place in (".", "..", tmp_path):
        with pytest.raises(ResultsError, match="where you are"):
            results.check(place)


def test_a_place_under_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("text")
    for place in ("file/run", "file/deeper/run"):
        with pytest.raises(ResultsError, match=r"file is a file\); name another"):
            results.check(tmp_path / place)


@pytest.mark.parametrize("place", ["locked/run", "locked/deeper/run", "locked"])
def test_a_place_without_permission_is_refused(tmp_path, monkeypatch, place):
    (tmp_path / "locked").mkdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "locked" not in str(path) and access(path, mode))
    with pytest.raises(ResultsError, match=r"no permission to write to .*locked\); name another"):
        results.check(tmp_path / place)


def test_a_failure_leaves_the_earlier_run(tmp_path, monkeypatch):
    place = tmp_path / "run"
    results.save(place, MANIFEST, FILES)
    before = tree(tmp_path)
    write = Path.write_bytes

    def full(path, content):
        if path.name == "summary.md":
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ResultsError, match="No space left on device"):
        results.save(place, MANIFEST, {**FILES, "summary.md": "new"})
    assert tree(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_failure_of_the_last_move_brings_the_earlier_run_back(tmp_path, monkeypatch):
    place = tmp_path / "run"
    results.save(place, MANIFEST, FILES)
    before = tree(tmp_path)

    def refuse(path, target):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ResultsError, match="busy"):
        results.save(place, {**MANIFEST, "seed": 2}, FILES)
    assert tree(tmp_path) == before


def test_manifest_says_what_is_needed_to_repeat_and_to_judge():
    started = datetime.now(UTC)
    found = results.manifest(
        matchups(), n=101, workers=3, started=started, command="simgin run x.toml", question="Which?", stopped="complete"
    )
    assert json.loads(json.dumps(found, allow_nan=False)) == json.loads(json.dumps(found))
    assert (found["seed"], found["unit"], found["n"], found["workers"]) == (9, "deal", 101, 3)
    assert found["stream"] == rng.STREAM
    assert re.fullmatch("[0-9a-f]{16}", found["source"])
    assert (found["command"], found["question"], found["stopped"]) == ("simgin run x.toml", "Which?", "complete")
    assert [(m["variant"], m["a"], m["b"], m["units"]) for m in found["matchups"]] == [
        ("eaai", "gold-early:k=4", "simple", 51),
        ("standard+gin_bonus=20", "gold-early:k=4", "simple", 51),
    ]
    assert found["variants"]["standard+gin_bonus=20"] == dict(variants.find("standard+gin_bonus=20").row)
    assert found["strategies"]["gold-early:k=4"]["parameters"]["knock"] == {"k": 4}
    assert set(found["versions"]) == {"python", "numpy", "numba", "libc"}
    assert found["seconds"] >= 0
    assert datetime.fromisoformat(found["started"]) <= datetime.fromisoformat(found["ended"])


def test_manifest_names_no_host_and_no_user():
    import getpass
    import socket

    text = json.dumps(results.manifest(matchups(), n=1, workers=1, started=datetime.now(UTC), command="x")["machine"])
    assert socket.gethostname() not in text
    assert getpass.getuser() not in text.replace("root", "")


def test_table_csv_is_the_same_bytes_for_any_workers():
    def bytes_of(workers):
        matchup = matchups("match")[0]
        totals = runner.total(runner.run_matchup(matchup, 700, workers))
        return table.csv(table.tidy("eaai", matchup.a.text, matchup.b.text, "match", totals))

    assert bytes_of(1) == bytes_of(2) == bytes_of(5)


def test_a_whole_run(tmp_path):
    """From matchups to a directory, and the identities that hold in every result."""
    import pandas as pd

    rows = {m.variant.text: runner.total(runner.run_matchup(m, 3000, 2)) for m in matchups()}
    frame = pd.concat([table.tidy(name, "gold-early:k=4", "simple", "deal", r) for name, r in rows.items()])
    manifest = results.manifest(matchups(), n=3000, workers=2, started=datetime.now(UTC), command="x")
    results.save(tmp_path / "run", manifest, report.files(frame, seed=9))
    again = pd.read_csv(tmp_path / "run" / "table.csv")
    for _, seen in again.groupby(["variant", "strategy"]):
        value = seen.set_index("metric")["value"]
        assert value[list(sums.KINDS)].sum() == pytest.approx(1, abs=1e-8)
        assert value["margin"] == pytest.approx(value["points"] - value["points_against"], abs=1e-8)
        assert set(seen["n"]) == {3000}
