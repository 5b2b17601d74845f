"""Tests of the reference results: reproduction, commands, tables and quotations."""

import importlib.util
import json
import re
import sys
from fnmatch import fnmatch
from pathlib import Path

import pandas as pd
import pytest

from simgin.runs.directory import encode_manifest
from simgin.stats.metrics import METRICS_BY_NAME
from simgin.stats.table import TABLE_COLUMNS, list_output_columns, read_schema
from support.command_line import run_simgin

PROJECT_ROOT = Path(__file__).resolve().parents[2]
REFERENCE_MODULE_SPEC = importlib.util.spec_from_file_location(
    "reference", PROJECT_ROOT / "benchmarks" / "reference.py"
)
reference_module = sys.modules["reference"] = importlib.util.module_from_spec(REFERENCE_MODULE_SPEC)
REFERENCE_MODULE_SPEC.loader.exec_module(reference_module)
DEMO_DIRECTORY = PROJECT_ROOT / "results/reference/demo"


@pytest.mark.parametrize("name", ["demo", pytest.param("dice", marks=pytest.mark.slow)])
def test_quick_experiment_reproduces_its_reference_results(name, tmp_path, monkeypatch):
    """Compare all tables and the summary byte by byte."""
    monkeypatch.chdir(PROJECT_ROOT)
    run_simgin("run", f"experiments/{name}.toml", "-o", tmp_path / name)
    committed = PROJECT_ROOT / "results/reference" / name
    for path in (*committed.glob("*.csv"), committed / "summary.md"):
        assert (tmp_path / name / path.name).read_bytes() == path.read_bytes(), path.name
    manifest = json.loads((committed / "manifest.json").read_text())
    new_manifest = json.loads((tmp_path / name / "manifest.json").read_text())
    assert all(
        new_manifest[key] == manifest[key] for key in ("seed", "variants", "matchups", "question")
    )


def test_every_reference_result_has_a_command_without_local_paths():
    commands = {result.name: result.command for result in reference_module.list_reference_results()}
    assert commands["demo"][-4:-1] == ("run", "experiments/demo.toml", "-o")
    for path in DEMO_DIRECTORY.parent.rglob("manifest.json"):
        assert path.parent.relative_to(DEMO_DIRECTORY.parent).as_posix() in commands
        text = path.read_bytes()
        contents = json.loads(text)
        assert not re.search(rb"[\"' =]/\w", text), path
        del contents["seal"]
        assert text == encode_manifest(contents), path


def test_rebuilding_a_reference_replaces_only_committed_files(tmp_path, monkeypatch):
    monkeypatch.setattr(reference_module, "WORK_DIRECTORY", tmp_path / "work")
    monkeypatch.setattr(reference_module, "REFERENCE_DIRECTORY", tmp_path / "reference")
    monkeypatch.setitem(reference_module.COMMANDS_BY_NAME, "mine", ("true",))
    built, committed = tmp_path / "work/mine", tmp_path / "reference/mine"
    for folder, names in (
        (built, "table.csv pairing.csv plots/a.png plots/b.png"),
        (committed, "table.csv plots/a.png"),
    ):
        (folder / "plots").mkdir(parents=True)
        for name in names.split():
            (folder / name).write_text("new" if folder == built else "old")
    command = {"command": f"simgin run mine.toml -o {built}"}
    (built / "manifest.json").write_bytes(encode_manifest(command))
    reference_module.ReferenceResult("mine").rebuild()
    files = {path for path in committed.rglob("*") if path.is_file()}
    assert {path.name for path in files} == {"table.csv", "manifest.json", "a.png"}
    manifest = committed / "manifest.json"
    assert all(path.read_text() == "new" for path in files - {manifest})
    command = {"command": "simgin run mine.toml -o results/reference/mine"}
    assert manifest.read_bytes() == encode_manifest(command)


def test_tutorial_quotes_the_reference_results():
    summary = (DEMO_DIRECTORY / "summary.md").read_text()
    table = summary.partition("\n## Results")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| standard")]
    quoted = (PROJECT_ROOT / "docs/tutorial/first-hour.md").read_text()
    assert len(rows) == 5
    for row in rows:
        _, a, _b, _played, *cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert f"| {a} | " + " | ".join(cells) + " |" in quoted


REFERENCE_TABLE_FILES = [
    path
    for path in sorted((PROJECT_ROOT / "results/reference").rglob("*.csv"))
    if path.stem != "costliest"  # a table for people
]


@pytest.mark.parametrize(
    "path", REFERENCE_TABLE_FILES, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_every_reference_table_has_valid_columns_and_proportions(path):
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


def test_documentation_quotes_the_results_of_champion():
    summary = (DEMO_DIRECTORY.parent / "champion-rules/summary.md").read_text()
    mean, _, n_rule_sets, _, n_low = re.search(
        r"champion, trained \| (.*?) \| (.*?) \| (\d+) \| (\d+) \| (\d+) \|", summary
    ).groups()
    for page in ("reference/strategies/champion.md", "explanation/decisions/0009-learning.md"):
        text = " ".join((PROJECT_ROOT / "docs" / page).read_text().split())
        assert f"{n_rule_sets} random rule sets" in text
        assert f"`champion` wins {mean} % of matches on average against the trained players" in text
    assert f"significantly below 49 % under {n_low} rule set" in text
