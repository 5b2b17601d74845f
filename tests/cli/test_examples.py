"""`simgin examples`, and what it lists as `simgin run` plays it."""

import json
import shlex
from pathlib import Path

import pytest

from simgin.runs.experiment import read, tasks
from support.command_line import call

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_every_experiment_is_listed_with_its_question_and_runs_by_its_name():
    rows = json.loads(call("examples", "--json").stdout)["rows"]
    assert len(rows) > 20
    for row in rows:
        found = read(row["name"])
        assert found.question == row["question"] and found.question.endswith("?")
        assert len(tasks(found)) == len(found.cells) >= (1 if found.sprt else 3)
        assert Path(row["file"]).stem == row["name"]
    output = call("examples").stdout
    assert all(f"\n{row['name']} " in output for row in rows)
    assert all(len(line) <= 80 for line in output.splitlines())
    output = call("run", "demo", "--dry-run").stdout
    assert output.startswith("Five ways to play")
    assert "Results go to results/demo." in " ".join(output.split())


def test_the_commands_that_a_copy_suggests_can_be_typed(monkeypatch):
    answer = json.loads(call("examples", "mine", "--json").stdout)
    assert "mine/experiments/demo.toml" in answer["files"]
    assert all(Path(file).is_file() for file in answer["files"])
    shown = call("examples", "my files").stdout
    there = next(line for line in shown.splitlines() if line.startswith("Go there:"))
    assert shlex.split(there)[2:] == ["cd", "my files"]
    monkeypatch.chdir("my files")
    assert "simgin run experiments/demo.toml" in shown
    assert "Five ways to play" in call("run", "experiments/demo.toml", "--dry-run").stdout
    assert "simgin match experiments/patient.py simple" in shown
    call("match", "experiments/patient.py", "simple", "--deals", 200)
    assert "jupyter lab notebooks" in shown and Path("notebooks/first_tour.py").exists()
