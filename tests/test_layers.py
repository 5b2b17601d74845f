"""Tests that a package imports only the packages that tests/packages.toml allows."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = next(
    folder for folder in Path(__file__).resolve().parents if (folder / "pyproject.toml").exists()
)
PACKAGES_TABLE = tomllib.loads((ROOT / "tests" / "packages.toml").read_text())
ALLOWED_IMPORTS = {name: package["imports"] for name, package in PACKAGES_TABLE["packages"].items()}
# The package itself, the module with the version, and the entry point
EXEMPT_MODULES = ("", "version", "renamed", "__main__")


def list_source_files() -> list[Path]:
    """Return every source file of simgin and of its strategies."""
    return [*sorted((ROOT / "simgin").rglob("*.py")), *sorted((ROOT / "strategies").glob("*.py"))]


def find_module_name(path: Path) -> str:
    """Return the dotted name of a file, like `play.matchup`; `strategies` for all strategies."""
    if path.is_relative_to(ROOT / "strategies"):
        return "strategies"
    parts = path.relative_to(ROOT / "simgin").with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def find_package(module: str) -> str:
    """Return the package that contains a module."""
    return module.partition(".")[0]


def iter_imported_modules(source: str) -> Iterator[str]:
    """Yield the modules of simgin that a source imports, including imports inside functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, module = name.partition(".")
            if package == "simgin_strategies":
                yield "strategies"
            elif package == "simgin" and module:
                yield module


def find_forbidden_packages(module: str, source: str) -> set[str]:
    """Return the packages that a module imports although the table does not list them."""
    package = find_package(module)
    allowed = {
        package,
        "version",
        "renamed",
        *ALLOWED_IMPORTS[package],
        *PACKAGES_TABLE["exceptions"].get(module, ()),
    }
    return {find_package(name) for name in iter_imported_modules(source)} - allowed


def test_imports_point_downwards() -> None:
    for path in list_source_files():
        module = find_module_name(path)
        if module not in EXEMPT_MODULES:
            assert find_package(module) in ALLOWED_IMPORTS, (
                f"{path.name} is in no package of packages.toml"
            )
            assert not find_forbidden_packages(module, path.read_text()), path
    order = list(ALLOWED_IMPORTS)
    for package, imports in ALLOWED_IMPORTS.items():
        above = [name for name in imports if order.index(name) >= order.index(package)]
        assert not above, f"{package} may import {above}, which are not below it"
    assert {find_package(find_module_name(path)) for path in list_source_files()} - set(
        EXEMPT_MODULES
    ) == set(ALLOWED_IMPORTS)
