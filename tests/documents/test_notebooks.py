"""The notebooks run, show their plots and contain no logic."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
LEARNING = [path for path in NOTEBOOKS if path.stem == "training_an_agent"]
LIBRARY = importlib.util.find_spec("sb3_contrib")
by_name = pytest.mark.parametrize(
    "path",
    [path for path in NOTEBOOKS if LIBRARY or path not in LEARNING],
    ids=lambda path: path.stem,
)

LOGIC = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.For | ast.While
LOGIC |= ast.If | ast.IfExp | ast.Try | ast.With
SMALL_SIZES = {
    r'="\d\dk"': '="4k"',
    "=4_000": "=200",
    "until=0.15": "until=1.0",
    "generations=10": "generations=2",
    "=400_000": "=4_096",
    'deals = "400"': 'deals = "20"',
}


def code_cells(text):
    """Return the code cells of a percent script."""
    parts = re.split(r"^# %%(.*)\n", text, flags=re.M)[1:]
    return [code for kind, code in zip(parts[::2], parts[1::2], strict=True) if not kind.strip()]


def run_cell(cell, names):
    """Run a cell, and return the value of its last line, which a notebook shows."""
    *body, last = ast.parse(cell).body
    is_value = isinstance(last, ast.Expr)
    before = ast.Module(body if is_value else [*body, last], [])
    exec(compile(before, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if is_value else None


@by_name
def test_every_cell_runs_without_warnings_and_shows_its_plot(path, tmp_path, monkeypatch, capsys):
    """This test plays fewer deals than the slow test."""
    monkeypatch.chdir(tmp_path)
    text = path.read_text()
    for size, small in SMALL_SIZES.items():
        text = re.sub(size, small, text)
    names, n_plots, printed = {"__name__": "__main__"}, 0, ""
    for cell in code_cells(text):
        value = run_cell(cell, names)
        output = capsys.readouterr()
        assert path in LEARNING or output.err == "", cell  # a network is a slow strategy
        printed += output.out
        if "plots." in cell:
            assert isinstance(value, Figure), cell
            n_plots += 1
    assert n_plots >= 3 and printed  # a plain script prints its results


@pytest.mark.slow
@by_name
def test_a_notebook_runs_in_its_own_kernel_and_shows_every_plot(path, tmp_path):
    import nbformat

    (tmp_path / "book.py").write_text(path.read_text())
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    env |= dict.fromkeys(folders, str(tmp_path))
    convert = "jupytext --to ipynb book.py"
    run = "pytest --nbmake --overwrite -p no:cacheprovider -q --rootdir . book.ipynb"
    for words in (convert, run):
        command = [sys.executable, "-m", *words.split()]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    for cell in nbformat.read(tmp_path / "book.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and "plots." in cell.source:
            assert any("image/png" in output.get("data", {}) for output in cell.outputs)


def test_notebooks_are_listed_contain_no_logic_and_their_links_resolve():
    linked = re.findall(r"\]\((\w+)\.py\)", (ROOT / "notebooks" / "README.md").read_text())
    assert sorted(linked) == [path.stem for path in NOTEBOOKS] and len(NOTEBOOKS) == 6
    for path in NOTEBOOKS:
        text = path.read_text()
        logic = [node for node in ast.walk(ast.parse(text)) if isinstance(node, LOGIC)]
        logic = [node for node in logic if not getattr(node, "decorator_list", [])]  # policies
        assert logic == [], path.name
        targets = re.findall(r"\]\(([^)#]+)\)", text)
        assert targets and all((path.parent / target).exists() for target in targets)
