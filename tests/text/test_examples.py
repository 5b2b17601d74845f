"""The experiments that come with simgin, by name, and copies of them; `simgin examples`."""

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
from support.command_line import call
from support.hostile import read_tree
from support.killing import Killing

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_an_experiment_of_simgin_is_found_by_its_name_and_a_file_by_its_path():
    own = plan_experiment(ROOT / "experiments" / "demo.toml")
    assert plan_experiment("demo") == own
    Path("demo").mkdir()
    assert plan_experiment("demo") == own
    Path("demo").rmdir()
    Path("demo").write_text('question = "Mine?"\n[[matchups]]\na = "gold"\n')
    assert plan_experiment("demo") == own
    for path in ("./demo", Path("demo"), str(Path("demo").absolute())):
        assert plan_experiment(path).question == "Mine?"


def test_copies_are_those_of_the_checkout():
    written = examples.copy_examples(Path("mine"))
    expected = {
        file.relative_to(ROOT)
        for folder in ("experiments", "notebooks")
        for file in (ROOT / folder).iterdir()
        if file.suffix in (".toml", ".py", ".md")
    }
    assert {file.relative_to("mine") for file in written} == expected
    for file in written:
        original = (ROOT / file.relative_to("mine")).read_text()
        if "../docs" not in original:
            assert file.read_text() == original


def test_every_link_of_a_copy_resolves():
    notebooks = [
        file for file in examples.copy_examples(Path("mine")) if file.parent.name == "notebooks"
    ]
    assert len(notebooks) == 7
    for file in notebooks:
        for target in re.findall(r"\]\(([^)#]+)\)", file.read_text()):
            assert (file.parent / target).exists(), f"{file} links to {target}"


def test_copies_do_not_overwrite_files():
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("my own")
    for taken in (Path("mine"), Path("mine/notes.txt")):
        with pytest.raises(NewFileError, match=r"already exists\. Choose a new folder"):
            examples.copy_examples(taken)
    with pytest.raises(NewFileError, match=r"deeper cannot be written \(Not a directory\)"):
        examples.copy_examples(Path("mine/notes.txt/deeper"))
    assert [path.name for path in Path("mine").iterdir()] == ["notes.txt"]
    with pytest.raises(
        NewFileError, match=r"demo is the name of an example\. Run it with `simgin run demo`"
    ):
        examples.copy_examples(Path("demo"))
    assert not Path("demo").exists()


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_copy_that_fails_leaves_nothing(monkeypatch, error, is_there):
    if is_there:
        Path("mine").mkdir()
    write = examples.write_file

    def failing(path, content):
        write(path, content)
        if path.parent.name == "notebooks":
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(examples, "write_file", failing)
        with pytest.raises((NewFileError, KeyboardInterrupt)):
            examples.copy_examples(Path("mine"))
    assert [str(path) for path in Path().rglob("*")] == ["mine"] * is_there
    assert examples.copy_examples(Path("mine"))


def test_a_copy_that_is_killed_is_completed_by_the_same_command(tmp_path):
    """Killed before any eighth operation on a file."""
    code = "from simgin.text import examples; examples.copy_examples(examples.Path('mine'))"
    copied, place = tmp_path / "copied", tmp_path / "place"
    with Killing(tmp_path, "import simgin.text.examples") as killing:
        for name in (copied, place):
            name.mkdir()
        operations = killing.attempt(copied, code).operations
        for last in range(1, operations + 1, 8):
            shutil.rmtree(place / "mine", ignore_errors=True)
            assert killing.attempt(place, code, last=last).ended == -signal.SIGKILL
            end = killing.attempt(place, code)
            assert end.ended == 0, end.said
            assert read_tree(place) == read_tree(copied)


def test_the_example_strategy_is_that_of_the_readme():
    (shown,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert (ROOT / "experiments" / "patient.py").read_text() == shown


# `simgin examples`, and what it lists as `simgin run` plays it


def test_every_experiment_is_listed_with_its_question_and_runs_by_its_name():
    rows = json.loads(call("examples", "--json").stdout)["rows"]
    assert len(rows) > 20
    for row in rows:
        found = plan_experiment(row["name"])
        assert found.question == row["question"] and found.question.endswith("?")
        assert len(found.matchup_keys) >= 3
        assert Path(row["file"]).stem == row["name"]
    output = call("examples").stdout
    assert all(f"\n{row['name']} " in output for row in rows)
    assert all(len(line) <= 80 for line in output.splitlines())
    output = call("run", "demo", "--dry-run").stdout
    assert output.startswith("Five ways to play")
    assert "Output: results/demo." in " ".join(output.split())


def test_the_commands_that_a_copy_suggests_can_be_typed(monkeypatch):
    answer = json.loads(call("examples", "mine", "--json").stdout)
    assert "mine/experiments/demo.toml" in answer["files"]
    assert all(Path(file).is_file() for file in answer["files"])
    shown = call("examples", "my files").stdout
    there = next(line for line in shown.splitlines() if line.startswith("Folder:"))
    assert shlex.split(there)[1:] == ["cd", "my files"]
    monkeypatch.chdir("my files")
    assert "simgin run experiments/demo.toml" in shown
    assert "Five ways to play" in call("run", "experiments/demo.toml", "--dry-run").stdout
    assert "simgin match experiments/patient.py simple" in shown
    call("match", "experiments/patient.py", "simple", "--deals", 200)
    assert "jupyter lab notebooks" in shown and Path("notebooks/first_tour.py").exists()
