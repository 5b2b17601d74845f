"""The import arrow points down only: every room may import rooms named before it, and nothing else of simgin."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# The house from the cellar up. A new module needs a place here; a module that cannot find one is in the wrong room.
ORDER = """
    core.jit core.sums core.bits core.cards core.rng core.rules core.deadwood core.meldings core.layoff core.endings core.scoring core.view
    core.state core.match core.policy core.pack core.ask core.turn core.stake core.showdown core.deal core.solo core.record core.batch core
    notation counts parameters precision refusals forms homemade variants scaffold rules
    strategy toolkit.answers toolkit.hand toolkit.prospects toolkit.opponent toolkit.beliefs toolkit.prices toolkit strategies
    slow hooks loader catalogue matchup single scripted
    sequential statistics units metrics table stopping contrast quantity pairing ratings league knocking skill traits control homogeneity
    sweep inquiry experiment ledger identities block threads work runner results cluster plan account findings health records
    progress
    kept outcomes tracks boards byscore value calibration turns within drama deals odds seats solotraits review portrait
    summary sheets comparison screen plots.look plots.matchups plots.length plots.hands plots.knocking plots.score plots.alone
    plots.changes plots.league plots book page verdicts pictures report brief gallery dossier hand standing replay alone frames examples
    exact answers goals soloscript
    bids positions kinds conform bench examiner check doctor
    commands cli
""".split()


def rooms() -> dict[Path, str]:
    """Every source file and the room it belongs to."""
    files = {}
    for path in sorted((ROOT / "simgin").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT / "simgin").with_suffix("").parts).removesuffix("__init__").rstrip(".")
        if name not in ("", "__main__"):  # the package itself is lazy, and __main__ is the command line
            files[path] = "commands" if name.startswith("commands") else name
    for path in (ROOT / "strategies").glob("*.py"):
        files[path] = "strategies"
    return files


def imported(path: Path) -> set[str]:
    """Rooms that a file imports anywhere, inside functions too; imports for type checkers only count as well."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {room for name in names if (room := room_of(name))}
    return found


def room_of(name: str) -> str:
    """The room that a dotted name lies in; empty for other people's packages."""
    first, *rest = name.split(".")
    if first == "simgin_strategies":
        return "strategies"
    if first != "simgin" or not rest:
        return ""
    if rest[0] == "commands":
        return "commands"
    dotted = ".".join(rest)
    return max((room for room in ORDER if f"{dotted}.".startswith(f"{room}.")), key=len, default="")


@pytest.mark.parametrize("path", rooms(), ids=lambda path: str(path.relative_to(ROOT)))
def test_arrows_point_down(path: Path) -> None:
    room = rooms()[path]
    assert room in ORDER, f"{path.name} has no place in the house: add it to ORDER"
    upward = {other for other in imported(path) if other != room and ORDER.index(other) > ORDER.index(room)}
    # strategies are loaded by name: the loader and the manifest know the package, not its modules
    assert not upward, f"{room} imports {', '.join(sorted(upward))}, which lies above it"


def test_the_test_can_fail() -> None:
    assert room_of("simgin.core.rng.words") == "core.rng"
    assert room_of("simgin.commands.match") == "commands"
    assert room_of("numpy.core") == ""
    assert ORDER.index("core.deal") < ORDER.index("matchup") < ORDER.index("cli")
