"""The diagram of the packages, from the table that the layer test enforces."""

import tomllib

from blocks.reference import ROOT


def diagram() -> str:
    """Return a Mermaid diagram of the packages, and a list that says what each contains."""
    table = tomllib.loads((ROOT / "tests" / "packages.toml").read_text())["packages"]
    arrows = [
        f"    {name} --> {below}"
        for name, package in reversed(table.items())
        for below in _direct(name, table)
    ]
    rows = [f"| `{name}` | {package['about']} |" for name, package in reversed(table.items())]
    graph = "\n".join(["```mermaid", "flowchart TD", *arrows, "```"])
    return "\n".join([graph, "", "| package | contents |", "|---|---|", *rows])


def _direct(name: str, table: dict[str, dict[str, list[str]]]) -> list[str]:
    """Return the imports of a package that none of its other imports imports."""
    imports = table[name]["imports"]
    return [one for one in imports if not any(one in table[other]["imports"] for other in imports)]
