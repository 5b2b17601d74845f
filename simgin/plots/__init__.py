"""Plots: each function takes a tidy frame and returns a matplotlib Figure with its own canvas.

All frames have the columns variant, strategy, opponent (empty for one player) and n, and 95 %
limits `low` and `high` beside every value; docs/reference/plots.md lists the others. Every caption
names variant, strategies, n and seed.
"""

from simgin.plots.convergence import convergence
from simgin.plots.differences import differences
from simgin.plots.hands import counts, deadwood
from simgin.plots.knocking import knock, knock_matrix
from simgin.plots.league import ladder, league
from simgin.plots.length import points, turns
from simgin.plots.matchups import endings, win_and_points
from simgin.plots.score import scores, swings
from simgin.plots.solo import odds, strength, totals
from simgin.report.figures import png, svg

__all__ = [
    "convergence",
    "counts",
    "deadwood",
    "differences",
    "endings",
    "knock",
    "knock_matrix",
    "ladder",
    "league",
    "odds",
    "png",
    "points",
    "scores",
    "strength",
    "svg",
    "swings",
    "totals",
    "turns",
    "win_and_points",
]
