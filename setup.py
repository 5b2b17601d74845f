"""Packaging steps that pyproject.toml cannot express: the PyPI page and the package list."""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

PROJECT_DIRECTORY = Path(__file__).resolve().parent
IMAGE_PATTERN = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
LINK_PATTERN = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)([^)]+)\)")
QUICK_START_PATTERN = re.compile(r"(?<=## Quick start\n\n).*?(?=## )", re.S)
PACKAGE_QUICK_START = """```sh
pip install simgin           # Python 3.11 or newer, on Linux, macOS or WSL
simgin                       # a tour of the commands
simgin run demo              # a first experiment with tables, plots and an HTML report
simgin examples mine         # copies all example experiments and notebooks
```

On Linux, the wheel contains compiled code for x86-64 CPUs with AVX2. On other machines, the first
command that plays games compiles for ten to twenty seconds.

"""
PACKAGE_FOOTER = "\nThe pages named in this text are in the folder `docs/` of the source archive.\n"

# An editable install adds a finder after sys.path. In the parent folder of a clone that is called
# simgin, Python would therefore import the clone as an empty namespace package. This entry of
# sys.path is a regular package, which Python always prefers to a namespace package.
IMPORT_FINDER_SOURCE = '''"""Find simgin in its clone, also from the parent folder of the clone."""

import sys
from importlib.util import spec_from_file_location

ENTRY = "__simgin_clone__"


class Finder:
    """Finder for an entry of sys.path that contains only simgin."""

    @staticmethod
    def find_spec(name, target=None):
        """Return the spec of simgin, or None for other modules."""
        return spec_from_file_location(name, {package!r}) if name == "simgin" else None


def hook(entry):
    """Return the finder for the entry."""
    if entry != ENTRY:
        raise ImportError(entry)
    return Finder


sys.path_hooks.append(hook)
sys.path.append(ENTRY)
'''


class EditableInstall(editable_wheel):
    """Editable install that can be imported from every folder."""

    def _install_namespaces(self, installation_dir, pth_prefix):  # type: ignore[no-untyped-def]
        super()._install_namespaces(installation_dir, pth_prefix)
        text = IMPORT_FINDER_SOURCE.format(
            package=str(PROJECT_DIRECTORY / "simgin" / "__init__.py")
        )
        Path(installation_dir, "_simgin_clone.py").write_text(text, encoding="utf-8")
        Path(installation_dir, "_simgin_clone.pth").write_text("import _simgin_clone\n")


TARGET_CPU = "x86-64-v3"  # as in simgin/core/shipped_code.py


class CompiledBuild(build_py):
    """Build that adds compiled code to the package (see simgin/core/shipped_code.py)."""

    def run(self) -> None:
        """Copy the sources to the build directory, and compile the copies."""
        super().run()
        library = Path(self.build_lib).resolve()
        script = [
            sys.executable,
            PROJECT_DIRECTORY / ".ci" / "compile.py",
            library / "simgin" / "compiled",
        ]
        with tempfile.TemporaryDirectory() as cache:
            settings = {
                "NUMBA_CPU_NAME": TARGET_CPU,
                "NUMBA_CPU_FEATURES": "",
                "SIMGIN_CACHE_DIR": cache,
            }
            variables = {**os.environ, **settings, "PYTHONPATH": str(library)}
            subprocess.run(script, cwd=cache, env=variables, check=True)


class CompiledWheel(bdist_wheel):
    """Wheel for one version of Python and one platform."""

    def finalize_options(self) -> None:
        """Mark the wheel as specific to a platform."""
        super().finalize_options()
        self.root_is_pure = False


COMMENT_PATTERN = re.compile(r"<!-- .*? -->\n\n?")


def build_package_page(readme: str, repository: str | None) -> str:
    """Return the README for PyPI, with links that do not require a checkout.

    Args:
        readme: The README.
        repository: Address of the repository on GitHub. With an address, links and images become
            absolute. Without one, images are removed and links are replaced by their text.
    """
    page = COMMENT_PATTERN.sub("", QUICK_START_PATTERN.sub(PACKAGE_QUICK_START, readme))
    if repository is None:
        parts = [part for part in page.split("\n\n") if not IMAGE_PATTERN.search(part)]
        return LINK_PATTERN.sub(r"\1", "\n\n".join(parts)) + PACKAGE_FOOTER
    page = IMAGE_PATTERN.sub(rf"![\1]({repository}/raw/main/\2)", page)
    return LINK_PATTERN.sub(rf"[\1]({repository}/blob/main/\2)", page)


if __name__ == "__main__":
    settings = tomllib.loads((PROJECT_DIRECTORY / "pyproject.toml").read_text(encoding="utf-8"))
    urls = settings["project"].get("urls", {})
    mapped = settings["tool"]["setuptools"]["package-dir"]
    text = (PROJECT_DIRECTORY / "README.md").read_text(encoding="utf-8")
    commands = {"editable_wheel": EditableInstall}
    if os.environ.get("SIMGIN_PRECOMPILE"):
        commands |= {"build_py": CompiledBuild, "bdist_wheel": CompiledWheel}
    setup(
        cmdclass=commands,
        packages=[*find_packages(include=["simgin", "simgin.*"]), *mapped],
        long_description=build_package_page(text, urls.get("Repository")),
        long_description_content_type="text/markdown",
    )
