"""The block of the architecture page: the rooms with their arrows."""

import ast
import tomllib
from pathlib import Path

from blocks.markdown import one_line, table
from blocks.reference import ROOT


def rooms() -> str:
    """A diagram of the rooms in layers, and what each of them is and imports."""
    allowed = _allowed()
    everything = list(allowed)
    lines = []
    for room, below in reversed(allowed.items()):
        imports = ", ".join(f"`{other}`" for other in below) or "nothing"
        if below == everything[: everything.index(room)] and len(below) > 2:
            imports = "everything below it"
        lines.append((f"`{_folder(room)}`", _about(room), imports))
    return f"{_diagram(allowed)}\n\n{table(('room', 'what is in it', 'may import'), lines)}"


def _allowed() -> dict[str, list[str]]:
    """Every room with those that it may import; "*" in tests/rooms.toml is all before it."""
    read: dict[str, list[str]] = tomllib.loads((ROOT / "tests" / "rooms.toml").read_text())["rooms"]
    allowed: dict[str, list[str]] = {}
    for room, below in read.items():
        allowed[room] = list(allowed) if below == ["*"] else below
    return allowed


def _diagram(allowed: dict[str, list[str]]) -> str:
    """Rooms by layer, the highest first: each imports only from lines below its own."""
    layer: dict[str, int] = {}
    for room, below in allowed.items():
        layer[room] = 1 + max((layer[other] for other in below), default=0)
    rows = []
    for height in range(max(layer.values()), 0, -1):
        rows.append("   ".join(room for room in allowed if layer[room] == height))
    width = max(map(len, rows))
    return "```\n" + "\n".join(row.center(width).rstrip() for row in rows) + "\n```"


def _folder(room: str) -> str:
    """Where a room lies, from the root of the repository."""
    places = (f"simgin/{room}/", f"simgin/{room}.py", f"{room}/")
    return next(place for place in places if (ROOT / place).exists())


def _about(room: str) -> str:
    """The first sentence of a room's docstring."""
    place = ROOT / _folder(room)
    return _first_sentence(place / "__init__.py" if place.is_dir() else place)


def _first_sentence(source: Path) -> str:
    """The first sentence of a module's docstring, without its full stop."""
    first, _, _ = one_line(_docstring(source)).partition(". ")
    return first.rstrip(".")


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text())) or ""
