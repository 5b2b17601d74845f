"""Tests that the notebooks run, show their plots and contain no logic."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from support.training_stubs import install_training_stubs

PROJECT_ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((PROJECT_ROOT / "notebooks").glob("*.py"))
TRAINING_NOTEBOOKS = [path for path in NOTEBOOKS if path.stem == "training_an_agent"]
TRAINING_LIBRARY_SPEC = importlib.util.find_spec("sb3_contrib")
for_each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

LOGIC_NODE_TYPES = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.For | ast.While
)
LOGIC_NODE_TYPES |= ast.If | ast.IfExp | ast.Try | ast.With
SMALL_SIZE_REPLACEMENTS = {
    r'="\d\dk"': '="2k"',
    'matches="2k"': 'matches="1k"',
    "=4_000": "=200",
    "until=0.15": "until=1.0",
    "generations=10": "generations=2",
    "=400_000": "=4_096",
    'deals = "400"': 'deals = "20"',
}


def split_code_cells(notebook_text):
    """Return the code cells of a notebook that is stored as a Python script."""
    parts = re.split(r"^# %%(.*)\n", notebook_text, flags=re.M)[1:]
    return [code for kind, code in zip(parts[::2], parts[1::2], strict=True) if not kind.strip()]


def run_cell(cell, namespace):
    """Run a code cell, and return the value of its last expression."""
    *body, last = ast.parse(cell).body
    is_value = isinstance(last, ast.Expr)
    before = ast.Module(body if is_value else [*body, last], [])
    exec(compile(before, "<cell>", "exec"), namespace)
    return (
        eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace) if is_value else None
    )


@for_each_notebook
def test_every_cell_runs_without_warnings_and_returns_its_plot(path, tmp_path, monkeypatch, capsys):
    """Run the cells with fewer deals than in the slow test.

    Without Stable-Baselines3, a stub takes the place of the network.
    """
    if path in TRAINING_NOTEBOOKS:
        pytest.importorskip("gymnasium", reason="simgin[rl] is not installed")
        if TRAINING_LIBRARY_SPEC is None:
            install_training_stubs(monkeypatch)
    monkeypatch.chdir(tmp_path)
    text = path.read_text()
    for size, small in SMALL_SIZE_REPLACEMENTS.items():
        text = re.sub(size, small, text)
    namespace, n_plots, printed = {"__name__": "__main__"}, 0, ""
    for cell in split_code_cells(text):
        value = run_cell(cell, namespace)
        output = capsys.readouterr()
        assert path in TRAINING_NOTEBOOKS or output.err == "", cell  # a network is a slow strategy
        printed += output.out
        if "plots." in cell:
            assert isinstance(value, Figure), cell
            n_plots += 1
    assert n_plots >= 3 and printed  # a plain script prints its results


@pytest.mark.slow
@for_each_notebook
def test_notebook_runs_in_its_own_kernel_and_shows_every_plot(path, tmp_path):
    import nbformat

    if path in TRAINING_NOTEBOOKS:
        pytest.importorskip("sb3_contrib")
    (tmp_path / "book.py").write_text(path.read_text())
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    env |= dict.fromkeys(folders, str(tmp_path))
    convert = "jupytext --to ipynb book.py"
    run = "pytest --nbmake --overwrite -p no:cacheprovider -q --rootdir . book.ipynb"
    for command_line in (convert, run):
        command = [sys.executable, "-m", *command_line.split()]
        process = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert process.returncode == 0, process.stdout + process.stderr
    for cell in nbformat.read(tmp_path / "book.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and "plots." in cell.source:
            assert any("image/png" in output.get("data", {}) for output in cell.outputs)


def test_notebooks_contain_no_logic_and_no_broken_links():
    linked = re.findall(r"\]\((\w+)\.py\)", (PROJECT_ROOT / "notebooks" / "README.md").read_text())
    assert sorted(linked) == [path.stem for path in NOTEBOOKS] and len(NOTEBOOKS) == 6
    for path in NOTEBOOKS:
        text = path.read_text()
        logic = [node for node in ast.walk(ast.parse(text)) if isinstance(node, LOGIC_NODE_TYPES)]
        logic = [node for node in logic if not getattr(node, "decorator_list", [])]  # policies
        assert logic == [], path.name
        targets = re.findall(r"\]\(([^)#]+)\)", text)
        assert targets and all((path.parent / target).exists() for target in targets)
