"""The notebooks run in a fresh kernel, show their pictures and contain no logic."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

LOGIC = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.ClassDef
    | ast.Lambda
    | ast.For
    | ast.While
    | ast.If
    | ast.IfExp
    | ast.Try
    | ast.With
)


def logic(text: str) -> list[str]:
    """The names of statements in a script that are more than calls and comprehensions."""
    return [type(node).__name__ for node in ast.walk(ast.parse(text)) if isinstance(node, LOGIC)]


def environment(home: Path) -> dict[str, str]:
    """The environment without this pytest run's settings, with all Jupyter files under `home`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "PYTHONWARNINGS", "JUPYTER_", "MPL"))
    }
    own = {
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_RUNTIME_DIR": home / "run",
        "JUPYTER_DATA_DIR": home,
        "IPYTHONDIR": home,
    }
    return kept | {name: str(place) for name, place in own.items()}


def run_notebook(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Convert a percent script to a notebook in `folder` and run it there with nbmake."""
    (folder / "book.py").write_text(text)
    made, ran = (
        subprocess.run(
            [sys.executable, "-m", *words],
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            text=True,
            check=False,
        )
        for words in (
            ["jupytext", "--to", "ipynb", "book.py"],
            [
                "pytest",
                "--nbmake",
                "--overwrite",
                "-p",
                "no:cacheprovider",
                "-q",
                "--rootdir",
                ".",
                "book.ipynb",
            ],
        )
    )
    assert made.returncode == 0, made.stderr
    return ran


def test_the_index_lists_all_notebooks() -> None:
    linked = re.findall(r"\]\((\w+)\.py\)", (ROOT / "notebooks" / "README.md").read_text())
    assert sorted(linked) == [path.stem for path in NOTEBOOKS]
    assert len(NOTEBOOKS) == 5


@by_name
def test_a_notebook_runs_and_shows_every_picture(path: Path, tmp_path: Path) -> None:
    import nbformat

    ran = run_notebook(path.read_text(), tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    cells = [
        cell
        for cell in nbformat.read(tmp_path / "book.ipynb", as_version=4).cells
        if cell.cell_type == "code"
    ]
    drawn = [cell for cell in cells if "plots." in cell.source]
    assert len(drawn) >= 3
    for cell in drawn:
        assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.source
    for cell in cells:
        assert not [output for output in cell.outputs if output.get("name") == "stderr"], (
            cell.source
        )


def test_a_failing_notebook_is_reported(tmp_path: Path) -> None:
    ran = run_notebook('# %%\nimport simgin\n\n# %%\nsimgin.find_variant("oclahoma")\n', tmp_path)
    assert ran.returncode == 1
    assert "oclahoma" in ran.stdout


@by_name
def test_a_notebook_contains_no_logic(path: Path) -> None:
    assert logic(path.read_text()) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(): pass",
        "for x in []: pass",
        "if 1: pass",
        "f = lambda x: x",
        "with open('x') as f: pass",
    ],
)
def test_logic_in_a_notebook_is_detected(text: str) -> None:
    assert logic(text)
    assert not logic("[x for x in y]\nsimgin.match(a, b)")


@by_name
def test_every_link_in_a_notebook_resolves(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", path.read_text())
    assert targets
    for target in targets:
        assert (path.parent / target).exists(), target
