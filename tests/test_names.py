"""Names that are unique, so that a search for one finds one thing."""

import ast
from collections import defaultdict
from pathlib import Path

SIMGIN = Path(__file__).resolve().parents[1] / "simgin"


def test_a_public_name_is_defined_in_one_package_and_a_constant_in_two_modules():
    packages, modules = defaultdict(set), defaultdict(set)
    for path in SIMGIN.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
                packages[node.name].add(path.relative_to(SIMGIN).parts[0])
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                modules[node.targets[0].id].add(path)
    shared = {name for name, where in packages.items() if len(where) > 1}
    assert shared == {"main"}
    frequent = {name for name, where in modules.items() if len(where) > 2}
    assert frequent == {"__all__", "__getattr__"}
