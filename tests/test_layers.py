"""Imports point down only: a room imports what tests/rooms.toml lists for it, nothing else."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = next(
    folder for folder in Path(__file__).resolve().parents if (folder / "pyproject.toml").exists()
)
TABLE = tomllib.loads((ROOT / "tests" / "rooms.toml").read_text())
ROOMS, EXCEPTIONS = TABLE["rooms"], TABLE["exceptions"]
# The package itself, what knows only its version, and the command line's own door
FREE = ("", "version", "__main__")


def sources() -> list[Path]:
    """Every source file of simgin and of its strategies."""
    return [*sorted((ROOT / "simgin").rglob("*.py")), *sorted((ROOT / "strategies").glob("*.py"))]


def module_of(path: Path) -> str:
    """The dotted name of a file, like `play.matchup`; `strategies` for all strategies."""
    if path.is_relative_to(ROOT / "strategies"):
        return "strategies"
    parts = path.relative_to(ROOT / "simgin").with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def room_of(module: str) -> str:
    """The room that a module lies in."""
    return module.partition(".")[0]


def imported_modules(text: str) -> Iterator[str]:
    """Modules of simgin that a source text imports anywhere, inside functions too."""
    for node in ast.walk(ast.parse(text)):
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


def forbidden(module: str, text: str) -> set[str]:
    """The rooms that a module imports and may not."""
    room = room_of(module)
    allowed = {room, "version", *ROOMS[room], *EXCEPTIONS.get(module, ())}
    return {room_of(name) for name in imported_modules(text)} - allowed


def test_arrows_point_down() -> None:
    for path in sources():
        module = module_of(path)
        if module not in FREE:
            assert room_of(module) in ROOMS, f"{path.name} lies in no room of tests/rooms.toml"
            assert not forbidden(module, path.read_text()), path
    order = list(ROOMS)
    for room, allowed in ROOMS.items():
        above = [other for other in set(allowed) - {"*"} if order.index(other) >= order.index(room)]
        assert not above, f"{room} may import {above}, which do not stand below it"
    assert {room_of(module_of(path)) for path in sources()} - set(FREE) == set(ROOMS)
