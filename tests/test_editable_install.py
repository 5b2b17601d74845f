"""Tests of an editable install of a clone that is called simgin."""

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD_CODE = "import sys; from setuptools import build_meta as b; b.build_editable(sys.argv[1])"
COPIED_FOLDERS = ("simgin", "strategies", "experiments", "notebooks")
COPIED_FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def clone_python(tmp_path_factory):
    """Install a clone called simgin in editable mode, and return Python of its environment."""
    if int(metadata.version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs setuptools 77, which `make setup` installs")
    parent = tmp_path_factory.mktemp("parent")
    clone = parent / "simgin"
    clone.mkdir()
    for name in COPIED_FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        shutil.copytree(ROOT / name, clone / name, ignore=ignored)
    for name in COPIED_FILES:
        shutil.copyfile(ROOT / name, clone / name)
    arguments = [sys.executable, "-c", BUILD_CODE, parent]
    built = subprocess.run(arguments, cwd=clone, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    environment = parent / "env"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    variables = {"base": str(environment), "platbase": str(environment)}
    site = Path(sysconfig.get_path("purelib", "venv", variables))
    (wheel,) = parent.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (site / "libraries.pth").write_text("".join(f"{path}\n" for path in libraries))
    return python


def run_python(python, folder, code, *options, **env):
    """Run code with Python in a folder, and return its output."""
    arguments = [str(python), *options, "-c", code]
    process = subprocess.run(
        arguments, cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


PRINT_LOCATION_CODE = "import simgin; print(simgin.__file__)"


@pytest.mark.parametrize("options", [(), ("-P",), ("-I",)])
@pytest.mark.parametrize("folder", [".", "simgin", "simgin/strategies", "env"])
def test_clone_is_imported_from_every_folder(clone_python, folder, options):
    parent = clone_python.parents[2]
    expected = str(parent / "simgin" / "simgin" / "__init__.py")
    assert run_python(clone_python, parent / folder, PRINT_LOCATION_CODE, *options) == expected


def test_simgin_plays_from_the_folder_that_contains_the_clone(clone_python):
    parent = clone_python.parents[2]
    code = (
        "import simgin; print(simgin.find_strategy('gold').spec, simgin.find_variant('eaai').spec)"
    )
    assert run_python(clone_python, parent, code) == "gold eaai"


def test_package_in_the_working_directory_takes_precedence(clone_python, tmp_path):
    """Expect other packages called simgin, such as another clone, to stay importable."""
    (tmp_path / "simgin").mkdir()
    (tmp_path / "simgin" / "__init__.py").touch()
    expected = str(tmp_path / "simgin" / "__init__.py")
    assert run_python(clone_python, tmp_path, PRINT_LOCATION_CODE) == expected
    assert (
        run_python(clone_python, tmp_path.parent, PRINT_LOCATION_CODE, PYTHONPATH=str(tmp_path))
        == expected
    )


def test_other_folders_of_the_clone_cannot_be_imported(clone_python, tmp_path):
    code = "import importlib.util as u; print(*map(u.find_spec, ('strategies', 'setup', 'tests')))"
    assert run_python(clone_python, tmp_path, code) == "None None None"
