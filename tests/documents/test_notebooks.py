"""The notebooks run, show their pictures and contain no logic."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

LOGIC = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While),
    *(ast.If, ast.IfExp, ast.Try, ast.With),
)


def logic(text: str) -> list[str]:
    """The names of statements in a script that are more than calls and comprehensions."""
    return [type(node).__name__ for node in ast.walk(ast.parse(text)) if isinstance(node, LOGIC)]


def cells(path: Path) -> list[str]:
    """The code cells of a percent script."""
    parts = re.split(r"^# %%(.*)\n", path.read_text(), flags=re.M)[1:]
    return [code for kind, code in zip(parts[::2], parts[1::2], strict=True) if not kind.strip()]


def shown(cell: str, names: dict[str, object]) -> object:
    """Run a cell; what a notebook shows below it, the value of its last line."""
    *body, last = ast.parse(cell).body
    is_value = isinstance(last, ast.Expr)
    before = ast.Module(body if is_value else [*body, last], [])
    exec(compile(before, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if is_value else None


def run_notebook(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Convert a percent script to a notebook in `folder` and run it there with nbmake."""
    (folder / "book.py").write_text(text)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    own = dict.fromkeys(("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"), folder)
    env = kept | {name: str(place) for name, place in {**own, "IPYTHONDIR": folder}.items()}
    make = ["jupytext", "--to", "ipynb", "book.py"]
    subprocess.run([sys.executable, "-m", *make], cwd=folder, env=env, check=True)
    play = ["pytest", "--nbmake", "--overwrite", "-p", "no:cacheprovider", "-q", "--rootdir", "."]
    return subprocess.run(
        [sys.executable, "-m", *play, "book.ipynb"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_index_lists_all_notebooks() -> None:
    linked = re.findall(r"\]\((\w+)\.py\)", (ROOT / "notebooks" / "README.md").read_text())
    assert sorted(linked) == [path.stem for path in NOTEBOOKS]
    assert len(NOTEBOOKS) == 5


@by_name
def test_every_cell_runs_quietly_and_those_with_a_plot_show_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    drawn = 0
    for cell in cells(path):
        value = shown(cell, names)
        assert capsys.readouterr().err == "", cell
        if "plots." in cell:
            assert isinstance(value, Figure), cell
            drawn += 1
    assert drawn >= 3


@pytest.mark.slow
@by_name
def test_a_notebook_runs_in_a_kernel_of_its_own_and_shows_every_picture(
    path: Path, tmp_path: Path
) -> None:
    import nbformat

    ran = run_notebook(path.read_text(), tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for cell in nbformat.read(tmp_path / "book.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and "plots." in cell.source:
            assert any("image/png" in output.get("data", {}) for output in cell.outputs)


@by_name
def test_a_notebook_contains_no_logic_and_its_links_resolve(path: Path) -> None:
    assert logic(path.read_text()) == []
    assert logic("for x in []: pass") and not logic("[x for x in y]\nsimgin.match(a, b)")
    targets = re.findall(r"\]\(([^)#]+)\)", path.read_text())
    assert targets and all((path.parent / target).exists() for target in targets)
