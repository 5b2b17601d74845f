"""Plot functions, which convert a tidy DataFrame to a matplotlib figure.

All DataFrames have the columns variant, strategy, opponent (empty in solitaire games) and n. They
also have 95 % confidence bounds, `low` and `high`, for every value. The other columns are listed in
docs/reference/plots.md. Every caption states the variants, strategies, sample size and seed.

Example:
    frame = simgin.match("gold-early", "simple", matches="2k", seed=7).frame
    simgin.plots.win_and_points(frame, seed=7)
"""

from simgin import renamed
from simgin.plots.action_costs import *
from simgin.plots.forest import *
from simgin.plots.matchups import *
from simgin.plots.odds_plots import *
from simgin.plots.rule_review import *
from simgin.report.figures import png as png
from simgin.report.figures import svg as svg

# Each module lists its plots in __all__, so new plots need not be listed here.
__all__ = sorted(
    name for name, value in globals().items() if callable(value) and not name.startswith("_")
)

__getattr__ = renamed.make_getattr(__name__)
