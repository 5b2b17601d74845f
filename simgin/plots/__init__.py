"""Plots: each function takes a tidy frame and returns a matplotlib Figure with its own canvas.

All frames have the columns variant, strategy, opponent (empty for one player) and n, and 95 %
limits `low` and `high` beside every value; docs/reference/plots.md lists the others. Every caption
names variant, strategies, n and seed.
"""

from simgin.plots.answers import *
from simgin.plots.chances import *
from simgin.plots.forest import *
from simgin.plots.matchups import *
from simgin.plots.review import *
from simgin.report.figures import png as png
from simgin.report.figures import svg as svg

# Every module lists its pictures, so that a new one needs no line here.
__all__ = sorted(
    name for name, value in globals().items() if callable(value) and not name.startswith("_")
)
