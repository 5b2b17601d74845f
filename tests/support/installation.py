"""Build wheels from a copy of the checkout, and install them without network."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import numpy
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def list_tracked_files():
    """Return the files of the checkout that git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a checkout")
    return [name for name in listing.stdout.split("\0") if name and (REPOSITORY / name).is_file()]


def run_python_in_copy(copy_directory, *arguments, **environment):
    """Copy the checkout to an empty directory, and run Python there."""
    for name in list_tracked_files():
        (copy_directory / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, copy_directory / name)
    built = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy_directory,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr


def install_wheel(wheel, directory):
    """Install only a wheel, without network access, and use the packages of this environment.

    Returns:
        The directory with the installed packages.
    """
    venv.create(directory)
    (library,) = directory.glob("lib/python*/site-packages")
    (library / "dependencies.pth").write_text(str(Path(numpy.__file__).parents[1]))
    python = directory / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps"]
    subprocess.run([*pip, "--no-index", wheel], check=True)
    return library
