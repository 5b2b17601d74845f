"""The experiments that come with simgin, by name, and copies of them."""

import re
from pathlib import Path

import pytest

from simgin.runs import experiment, experiment_file
from simgin.text import examples
from simgin.text.files import NewFileError

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_an_experiment_is_found_by_its_name_unless_a_file_has_it():
    Path("demo").mkdir()  # a folder does not hide it
    assert experiment.read("demo") == experiment.read(ROOT / "experiments" / "demo.toml")
    Path("demo").rmdir()
    Path("demo").write_text('question = "Mine?"\n[[matchups]]\na = "gold"\n')
    assert experiment.read("demo").question == "Mine?"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("experiments/demo.toml", "`simgin run demo` plays one that"),
        ("dmo", r"demo` plays one that comes with simgin \(`simgin examples` lists all\)\.$"),
        ("knock", "`simgin run knock-sweep` or `simgin run knock-rules`"),
        ("nowhere.toml", r"`simgin examples` lists them\)\.$"),
    ],
)
def test_a_file_that_is_not_there_may_resemble_an_experiment(path, told):
    with pytest.raises(experiment_file.ExperimentError, match=told):
        experiment.read(path)


def test_copies_are_those_of_the_checkout():
    written = examples.copy(Path("mine"))
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
    notebooks = [file for file in examples.copy(Path("mine")) if file.parent.name == "notebooks"]
    assert len(notebooks) == 6
    for file in notebooks:
        for target in re.findall(r"\]\(([^)#]+)\)", file.read_text()):
            assert (file.parent / target).exists(), f"{file} links to {target}"


def test_nothing_is_copied_over_anything():
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("my own")
    for taken in (Path("mine"), Path("mine/notes.txt")):
        with pytest.raises(NewFileError, match="is there already; name a new folder"):
            examples.copy(taken)
    with pytest.raises(NewFileError, match=r"deeper cannot be written: Not a directory"):
        examples.copy(Path("mine/notes.txt/deeper"))
    assert [path.name for path in Path("mine").iterdir()] == ["notes.txt"]
    with pytest.raises(NewFileError, match="demo is an experiment: `simgin run demo` plays it"):
        examples.copy(Path("demo"))
    assert not Path("demo").exists()


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_copy_that_fails_leaves_nothing(monkeypatch, error, is_there):
    if is_there:
        Path("mine").mkdir()
    write = Path.write_text

    def failing(path, *rest, **more):
        write(path, *rest, **more)
        if path.parent.name == "notebooks":
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", failing)
        with pytest.raises((NewFileError, KeyboardInterrupt)):
            examples.copy(Path("mine"))
    assert [str(path) for path in Path().rglob("*")] == ["mine"] * is_there
    assert examples.copy(Path("mine"))


def test_the_example_strategy_is_that_of_the_readme():
    (shown,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert (ROOT / "experiments" / "patient.py").read_text() == shown
