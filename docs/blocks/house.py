"""Blocks of the architecture page: the rooms with their arrows, and the figures of the house."""

import ast
import sys
import tomllib
from pathlib import Path

from blocks.markdown import one_line, table
from blocks.reference import ROOT

# What tests/measure_house.py printed before the rooms were built, at commit b7d12ce.
BEFORE = {
    "files at the top of `simgin/`": "100",
    "files in the largest folder (core apart)": "100",
    "arrows that the layer test allows": "10,011",
    "of these, upward": "0",
    "functions called `of`": "15",
    "modules imported under another name": "19",
    "names that a review's variants bear on their way": "67",
    "functions and records that they enter": "100",
    "syntax nodes a line": "15.6",
    "lines over 100 columns": "14.2 %",
    "unresolved citations": "357",
    "files that decide by the goal of a match": "19",
    "files that name a picture": "4",
    "files that name a rule metric of reviews": "3",
}


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


def modules() -> str:
    """Every module of every room, with the first sentence of its docstring."""
    parts = []
    for room in _allowed():
        folder = ROOT / _folder(room)
        if folder.is_dir():
            lines = [
                (f"`{path.relative_to(folder)}`", _first_sentence(path))
                for path in sorted(folder.rglob("*.py"))
                if path.name != "__init__.py"
            ]
            parts.append(f"## {_folder(room)}\n\n{table(('module', 'what is in it'), lines)}")
    return "\n\n".join(parts)


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


def figures() -> str:
    """How easily a stranger finds the way: before the redesign, now, and at most."""
    sys.path.insert(0, str(ROOT / "tests"))
    import measure_house

    head, *lines = measure_house.table({"now": measure_house.House(ROOT)})
    with_before = [[title, BEFORE.get(title, ""), *cells] for title, *cells in lines]
    return measure_house.markdown([[head[0], "before", *head[1:]], *with_before])
