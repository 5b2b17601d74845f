"""Diagram of the packages of simgin, generated from tests/packages.toml."""

import tomllib
from typing import Any

from blocks.reference import PROJECT_ROOT


def render_packages() -> str:
    """Return a Mermaid diagram of the packages and a table of their contents."""
    table = tomllib.loads((PROJECT_ROOT / "tests" / "packages.toml").read_text())["packages"]
    arrows = [
        f"    {name} --> {below}"
        for name in reversed(table)
        for below in _find_direct_imports(name, table)
    ]
    rows = [f"| `{name}` | {package['about']} |" for name, package in reversed(table.items())]
    diagram = "\n".join(["```mermaid", "flowchart TD", *arrows, "```"])
    return "\n".join([diagram, "", "| package | contents |", "|---|---|", *rows])


def _find_direct_imports(package_name: str, table: dict[str, Any]) -> list[str]:
    """Return the imported packages that are not also imported through another package."""
    imports = table[package_name]["imports"]
    return [
        package
        for package in imports
        if not any(package in table[other]["imports"] for other in imports)
    ]
