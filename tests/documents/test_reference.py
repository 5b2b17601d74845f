"""The reference results in the tutorial are identical to those of this version."""

import importlib.util
import json
import re
import sys
from fnmatch import fnmatch
from pathlib import Path

import pandas as pd
import pytest

from simgin.runs.directory import with_checksum
from simgin.stats.metrics import METRICS_BY_NAME
from simgin.stats.table import TABLE_COLUMNS, list_output_columns, read_schema
from support.command_line import call

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("reference", ROOT / "benchmarks" / "reference.py")
reference = sys.modules["reference"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)
REFERENCE = ROOT / "results/reference/demo"


@pytest.mark.parametrize("name", ["demo", pytest.param("dice", marks=pytest.mark.slow)])
def test_a_quick_experiment_reproduces_the_reference_results(name, tmp_path, monkeypatch):
    """All tables and the summary are identical; `make reference` regenerates the others."""
    monkeypatch.chdir(ROOT)
    call("run", f"experiments/{name}.toml", "-o", tmp_path / name)
    committed = ROOT / "results/reference" / name
    for path in (*committed.glob("*.csv"), committed / "summary.md"):
        assert (tmp_path / name / path.name).read_bytes() == path.read_bytes(), path.name
    manifest = json.loads((committed / "manifest.json").read_text())
    own = json.loads((tmp_path / name / "manifest.json").read_text())
    assert all(own[key] == manifest[key] for key in ("seed", "variants", "matchups", "question"))


def test_every_reference_result_has_a_command_and_a_manifest_without_local_paths():
    commands = {one.name: one.command for one in reference.list_reference_results()}
    assert commands["demo"][-4:-1] == ("run", "experiments/demo.toml", "-o")
    for path in REFERENCE.parent.rglob("manifest.json"):
        assert path.parent.relative_to(REFERENCE.parent).as_posix() in commands
        text = path.read_bytes()
        contents = json.loads(text)
        assert not re.search(rb"[\"' =]/\w", text), path
        del contents["seal"]
        assert text == with_checksum(contents), path


def test_rebuilding_a_reference_renews_the_committed_files(tmp_path, monkeypatch):
    """Files that are not committed are not copied."""
    monkeypatch.setattr(reference, "WORK_DIRECTORY", tmp_path / "work")
    monkeypatch.setattr(reference, "REFERENCE_DIRECTORY", tmp_path / "reference")
    monkeypatch.setitem(reference.COMMANDS_BY_NAME, "mine", ("true",))
    built, committed = tmp_path / "work/mine", tmp_path / "reference/mine"
    for folder, names in (
        (built, "table.csv pairing.csv plots/a.png plots/b.png"),
        (committed, "table.csv plots/a.png"),
    ):
        (folder / "plots").mkdir(parents=True)
        for name in names.split():
            (folder / name).write_text("new" if folder == built else "old")
    command = {"command": f"simgin run mine.toml -o {built}"}
    (built / "manifest.json").write_bytes(with_checksum(command))
    reference.ReferenceResult("mine").rebuild()
    files = {path for path in committed.rglob("*") if path.is_file()}
    assert {path.name for path in files} == {"table.csv", "manifest.json", "a.png"}
    manifest = committed / "manifest.json"
    assert all(path.read_text() == "new" for path in files - {manifest})
    command = {"command": "simgin run mine.toml -o results/reference/mine"}
    assert manifest.read_bytes() == with_checksum(command)


def test_the_tutorial_quotes_the_reference_results():
    summary = (REFERENCE / "summary.md").read_text()
    table = summary.partition("\n## Results")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| standard")]
    quoted = (ROOT / "docs/tutorial/first-hour.md").read_text()
    assert len(rows) == 5
    for row in rows:
        _, a, _b, _played, *cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert f"| {a} | " + " | ".join(cells) + " |" in quoted


FRAMES = [
    path
    for path in sorted((ROOT / "results/reference").rglob("*.csv"))
    if path.stem != "costliest"  # a table for people
]


@pytest.mark.parametrize("path", FRAMES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_table_has_the_columns_of_its_schema_and_proportions_up_to_1(path):
    frame = pd.read_csv(path, keep_default_na=False, na_values={"value": ""})
    assert tuple(frame.columns[:10]) == TABLE_COLUMNS
    declared = [
        list_output_columns(output)
        for output, entry in read_schema()["outputs"].items()
        if fnmatch(path.stem, entry.get("file") or output)
    ]
    assert any(set(frame) <= set(columns) for columns in declared) or len(frame.columns) == 10
    proportions = {name for name, metric in METRICS_BY_NAME.items() if metric.is_proportion}
    values = frame[frame["metric"].isin(proportions)]["value"]
    assert values.abs().max() <= 1 or values.empty


def test_the_documentation_quotes_the_results_of_champion_under_random_rules():
    summary = (REFERENCE.parent / "champion-rules/summary.md").read_text()
    mean, _, n_rule_sets, _, n_low = re.search(
        r"champion, trained \| (.*?) \| (.*?) \| (\d+) \| (\d+) \| (\d+) \|", summary
    ).groups()
    for page in ("reference/strategies/champion.md", "explanation/decisions/0009-learning.md"):
        text = " ".join((ROOT / "docs" / page).read_text().split())
        assert f"{n_rule_sets} random rule sets" in text
        assert f"`champion` wins {mean} % of matches on average against the trained players" in text
    assert f"significantly below 49 % under {n_low} rule sets" in text
