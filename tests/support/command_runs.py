"""An example experiment, the keys of the JSON output, and the contents of a run directory."""

from pathlib import Path

KEYS = ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
FEW = ("--deals", "200", "--workers", "1")

EXPERIMENT = """
question = "Does waiting for gin pay?"
variants = ["eaai"]
deals = 200
[panel]
strategies = ["gold", "simple"]
against = "simple"
"""
OWN = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return view.own_turn > 3
MINE = Strategy('mine', knock=mine)
"""
PLUGIN = """
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


def files(place):
    return sorted(path.relative_to(place).as_posix() for path in Path(place).rglob("*"))


def reproducible_files(place):
    """Return the contents of a run directory that must be reproducible."""
    names = ("table.csv", "summary.csv", "summary.md")
    return {name: Path(place, name).read_bytes() for name in names}
