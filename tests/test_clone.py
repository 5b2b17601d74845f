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
BUILD = "import sys; from setuptools import build_meta as b; b.build_editable(sys.argv[1])"
PACKAGES = ("simgin", "strategies", "experiments", "notebooks")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Create an environment with an editable install of the clone PARENT/simgin."""
    if int(metadata.version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs setuptools 77, which `make setup` installs")
    parent = tmp_path_factory.mktemp("parent")
    clone = parent / "simgin"
    clone.mkdir()
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        shutil.copytree(ROOT / name, clone / name, ignore=ignored)
    for name in FILES:
        shutil.copyfile(ROOT / name, clone / name)
    words = [sys.executable, "-c", BUILD, parent]
    built = subprocess.run(words, cwd=clone, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    place = parent / "env"
    venv.create(place, symlinks=True)
    python = place / "bin" / "python"
    found = {"base": str(place), "platbase": str(place)}
    site = Path(sysconfig.get_path("purelib", "venv", found))
    (wheel,) = parent.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (site / "libraries.pth").write_text("".join(f"{path}\n" for path in libraries))
    return python


def said(python, folder, code, *options, **env):
    words = [str(python), *options, "-c", code]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


WHERE = "import simgin; print(simgin.__file__)"


@pytest.mark.parametrize("options", [(), ("-P",), ("-I",)])
@pytest.mark.parametrize("folder", [".", "simgin", "simgin/strategies", "env"])
def test_the_clone_is_imported_from_every_folder(python, folder, options):
    parent = python.parents[2]
    own = str(parent / "simgin" / "simgin" / "__init__.py")
    assert said(python, parent / folder, WHERE, *options) == own


def test_simgin_plays_from_the_folder_that_contains_the_clone(python):
    parent = python.parents[2]
    code = (
        "import simgin; print(simgin.find_strategy('gold').spec, simgin.find_variant('eaai').spec)"
    )
    assert said(python, parent, code) == "gold eaai"


def test_a_package_in_the_working_directory_still_comes_first(python, tmp_path):
    """Other packages called simgin, such as another clone, stay importable."""
    (tmp_path / "simgin").mkdir()
    (tmp_path / "simgin" / "__init__.py").touch()
    own = str(tmp_path / "simgin" / "__init__.py")
    assert said(python, tmp_path, WHERE) == own
    assert said(python, tmp_path.parent, WHERE, PYTHONPATH=str(tmp_path)) == own


def test_no_other_folder_of_the_clone_can_be_imported(python, tmp_path):
    code = "import importlib.util as u; print(*map(u.find_spec, ('strategies', 'setup', 'tests')))"
    assert said(python, tmp_path, code) == "None None None"
