"""Tests of the included experiments and of `simgin examples`."""

import json
import re
import shlex
import shutil
import signal
from pathlib import Path

import pytest

from simgin.runs.plan import plan_experiment
from simgin.text import examples
from simgin.text.files import NewFileError
from support.command_line import run_simgin
from support.hostile import read_directory
from support.killing import KillableProcess

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_included_experiment_takes_precedence_over_a_file_name():
    included = plan_experiment(ROOT / "experiments" / "demo.toml")
    assert plan_experiment("demo") == included
    Path("demo").mkdir()
    assert plan_experiment("demo") == included
    Path("demo").rmdir()
    Path("demo").write_text('question = "Mine?"\n[[matchups]]\na = "gold"\n')
    assert plan_experiment("demo") == included
    for path in ("./demo", Path("demo"), str(Path("demo").absolute())):
        assert plan_experiment(path).question == "Mine?"


def test_copied_examples_equal_the_originals():
    copied = examples.copy_examples(Path("mine"))
    expected = {
        file.relative_to(ROOT)
        for folder in ("experiments", "notebooks")
        for file in (ROOT / folder).iterdir()
        if file.suffix in (".toml", ".py", ".md")
    }
    assert {file.relative_to("mine") for file in copied} == expected
    for file in copied:
        original = (ROOT / file.relative_to("mine")).read_text()
        if "../docs" not in original:
            assert file.read_text() == original


def test_links_of_copied_notebooks_resolve():
    notebooks = [
        file for file in examples.copy_examples(Path("mine")) if file.parent.name == "notebooks"
    ]
    assert len(notebooks) == 7
    for file in notebooks:
        for target in re.findall(r"\]\(([^)#]+)\)", file.read_text()):
            assert (file.parent / target).exists(), f"{file} links to {target}"


def test_copying_examples_overwrites_nothing():
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("my own")
    for existing in (Path("mine"), Path("mine/notes.txt")):
        with pytest.raises(NewFileError, match=r"already exists\. Choose a new folder"):
            examples.copy_examples(existing)
    with pytest.raises(NewFileError, match=r"deeper cannot be written \(Not a directory\)"):
        examples.copy_examples(Path("mine/notes.txt/deeper"))
    assert [path.name for path in Path("mine").iterdir()] == ["notes.txt"]
    with pytest.raises(
        NewFileError, match=r"demo is the name of an example\. Run it with `simgin run demo`"
    ):
        examples.copy_examples(Path("demo"))
    assert not Path("demo").exists()


@pytest.mark.parametrize("folder_exists", [False, True])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_failed_copy_is_removed(monkeypatch, error, folder_exists):
    if folder_exists:
        Path("mine").mkdir()
    write_file = examples.write_file

    def write_and_fail(path, content):
        write_file(path, content)
        if path.parent.name == "notebooks":
            raise error

    with monkeypatch.context() as patch_context:
        patch_context.setattr(examples, "write_file", write_and_fail)
        with pytest.raises((NewFileError, KeyboardInterrupt)):
            examples.copy_examples(Path("mine"))
    assert [str(path) for path in Path().rglob("*")] == ["mine"] * folder_exists
    assert examples.copy_examples(Path("mine"))


def test_killed_copy_is_completed_by_the_same_command(tmp_path):
    """Kill the copy before every eighth file operation."""
    code = "from simgin.text import examples; examples.copy_examples(examples.Path('mine'))"
    expected_folder, stopped_folder = tmp_path / "copied", tmp_path / "place"
    with KillableProcess(tmp_path, "import simgin.text.examples") as killing:
        for folder in (expected_folder, stopped_folder):
            folder.mkdir()
        operations = killing.execute(expected_folder, code).operations
        for last in range(1, operations + 1, 8):
            shutil.rmtree(stopped_folder / "mine", ignore_errors=True)
            assert (
                killing.execute(stopped_folder, code, last_operation=last).ended == -signal.SIGKILL
            )
            attempt = killing.execute(stopped_folder, code)
            assert attempt.ended == 0, attempt.said
            assert read_directory(stopped_folder) == read_directory(expected_folder)


def test_example_strategy_equals_the_readme():
    (readme_code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert (ROOT / "experiments" / "patient.py").read_text() == readme_code


# `simgin examples`, and what it lists as `simgin run` plays it


def test_listed_experiments_can_be_run_by_name():
    rows = json.loads(run_simgin("examples", "--json").stdout)["rows"]
    assert len(rows) > 20
    for row in rows:
        plan = plan_experiment(row["name"])
        assert plan.question == row["question"] and plan.question.endswith("?")
        assert len(plan.matchup_keys) >= 3
        assert Path(row["file"]).stem == row["name"]
    output = run_simgin("examples").stdout
    assert all(f"\n{row['name']} " in output for row in rows)
    assert all(len(line) <= 80 for line in output.splitlines())
    output = run_simgin("run", "demo", "--dry-run").stdout
    assert output.startswith("Five ways to play")
    assert "Output: results/demo." in " ".join(output.split())


def test_suggested_commands_work_in_the_copy(monkeypatch):
    output = json.loads(run_simgin("examples", "mine", "--json").stdout)
    assert "mine/experiments/demo.toml" in output["files"]
    assert all(Path(file).is_file() for file in output["files"])
    screen = run_simgin("examples", "my files").stdout
    folder_line = next(line for line in screen.splitlines() if line.startswith("Folder:"))
    assert shlex.split(folder_line)[1:] == ["cd", "my files"]
    monkeypatch.chdir("my files")
    assert "simgin run experiments/demo.toml" in screen
    assert "Five ways to play" in run_simgin("run", "experiments/demo.toml", "--dry-run").stdout
    assert "simgin match experiments/patient.py simple" in screen
    run_simgin("match", "experiments/patient.py", "simple", "--deals", 200)
    assert "jupyter lab notebooks" in screen and Path("notebooks/first_tour.py").exists()
