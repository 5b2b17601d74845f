"""Pictures: every function takes a tidy frame and returns a matplotlib Figure with its own canvas.

All frames have the columns variant, strategy, opponent (empty for one player) and n, and limits `low` and `high` of 95 % beside every
value; docs/reference/plots.md has the others. Every picture says what was played: n, strategies, variant and seed.
"""

from simgin.plots.alone import odds, strength, totals
from simgin.plots.changes import convergence, differences
from simgin.plots.hands import counts, deadwood
from simgin.plots.knocking import knock, knock_matrix
from simgin.plots.league import ladder, league
from simgin.plots.length import points, turns
from simgin.plots.matchups import endings, win_and_points
from simgin.plots.score import scores, swings
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
