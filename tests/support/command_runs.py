"""Share example files and helpers between tests of commands and run directories."""

from pathlib import Path

JSON_OUTPUT_KEYS = ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
FEW_DEALS_OPTIONS = ("--deals", "200", "--workers", "1")

EXPERIMENT_TOML = """
question = "Does waiting for gin pay?"
variants = ["eaai"]
deals = 200
[panel]
strategies = ["gold", "simple"]
against = "simple"
"""
STRATEGY_SOURCE = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return view.own_turn > 3
MINE = Strategy('mine', knock=mine)
"""
FAULTY_STRATEGIES_SOURCE = """
from simgin.strategy import Strategy, discard

@discard
def not_held(view, rules, params):
    return 51 if view.hand >> 51 & 1 == 0 else 50 if view.hand >> 50 & 1 == 0 else 49

@discard
def careful(view, rules, params):
    if view.own_turn >= 1:
        raise ValueError("no idea")
    return 0

THROWS = Strategy("throws", discard=not_held)
RAISES = Strategy("raises", discard=careful)
"""


def list_files(directory):
    """Return the relative paths of all files below a directory."""
    return sorted(path.relative_to(directory).as_posix() for path in Path(directory).rglob("*"))


def read_reproducible_files(directory):
    """Return the contents of the files in a run directory that must be reproducible."""
    names = ("table.csv", "summary.csv", "summary.md")
    return {name: Path(directory, name).read_bytes() for name in names}
