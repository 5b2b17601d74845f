"""Statistics of each unit of analysis, and the columns of the batch rows that sum them.

A *unit* of analysis is a mirrored pair of deals (or matches), or a single deal (match) if a
strategy plays against itself. Standard errors are clustered by unit. For every unit, the kernel
computes a vector of *statistics*, which are totals over the deals of the unit. For each statistic f
with denominator d, a batch row contains the sums of f, f*f and f*d over consecutive units. These
sums are sufficient for a ratio estimator with errors clustered by unit (see
`simgin.stats.estimate`).
Rows are merged by addition. The result is exact and does not depend on the order.
"""

# Results of a deal
DEAL_RESULTS = tuple(
    "knock gin big_gin shot undercut even void stalled joker limit refused".split()
)
SCORING_RESULTS = DEAL_RESULTS[:5]  # results that score points for a player
WINNING_RESULTS = (*SCORING_RESULTS, "refused")  # results that count as a won deal

# Statistics of strategies A and B. See `count_draws` for the definition of `draws`.
PLAYER_STATISTICS = tuple(f"won_{kind}" for kind in WINNING_RESULTS) + (
    "deal_win",
    "points",
    "takes",
    "draws",
)

# Statistics of deals that end with a knock
SHOWDOWN_STATISTICS = tuple(
    "knock_count defender_count defender_before laid_off laid_off_any tie".split()
)

STATISTIC_NAMES = (
    ("deals", "decided", "showdowns")
    + DEAL_RESULTS
    + tuple(f"points_{kind}" for kind in SCORING_RESULTS)
    + ("points_scored", "turns", "first_player_win", "upcard_first", "upcard_second", "upcard_none")
    + SHOWDOWN_STATISTICS
    + tuple(f"a_{name}" for name in PLAYER_STATISTICS)
    + tuple(f"b_{name}" for name in PLAYER_STATISTICS)
    + ("a_margin",)
    # A win counts 2 and a draw counts 1 for each side, so that the sums are integers.
    + ("matches", "matches_decided", "a_match_win", "b_match_win", "match_drawn")
    + ("unfinished", "a_match_margin")
    + ("winner_score", "loser_score", "loser_zero", "settled", "a_settlement", "totals", "goal_met")
)

STATISTIC_INDEX = {name: i for i, name in enumerate(STATISTIC_NAMES)}


def _find_denominator(statistic: str) -> str:
    """Return the name of the statistic that serves as the denominator of a statistic."""
    if statistic in SHOWDOWN_STATISTICS:
        return "showdowns"
    if statistic in ("points_scored", "first_player_win"):
        return "decided"
    if statistic.startswith("points_"):
        return statistic.removeprefix("points_")
    if statistic in ("a_takes", "b_takes"):
        return statistic[:2] + "draws"
    if statistic in ("winner_score", "loser_score", "loser_zero"):
        return "matches_decided"
    if statistic in ("a_settlement", "goal_met"):
        return {"a_settlement": "settled", "goal_met": "totals"}[statistic]
    if statistic == "deals" or STATISTIC_NAMES.index(statistic) > STATISTIC_NAMES.index("matches"):
        return "matches"
    return "deals"


DENOMINATOR_INDICES = tuple(STATISTIC_INDEX[_find_denominator(name)] for name in STATISTIC_NAMES)

# The columns of a batch row are the number of units, three sums per statistic, histograms, and sums
# over single deals and matches.
N_STATISTICS = len(STATISTIC_NAMES)
UNITS_COLUMN = 0
SUMS_START = 1
SQUARES_START = SUMS_START + N_STATISTICS
PRODUCTS_START = SQUARES_START + N_STATISTICS
TURNS_HISTOGRAM_START = PRODUCTS_START + N_STATISTICS
N_TURNS_BINS = 64  # bins for the number of turns in a deal (the last bin means 63 or more)
DEADWOOD_HISTOGRAM_START = TURNS_HISTOGRAM_START + N_TURNS_BINS
N_DEADWOOD_BINS = 16  # bins for the knocker's deadwood (the last bin means 15 points or more)
WIN_RATE_HISTOGRAM_START = DEADWOOD_HISTOGRAM_START + N_DEADWOOD_BINS
# Bins for A's win rate in a unit, which is 0, 1/4, 1/2, 3/4 or 1. If the unit consists of matches,
# this is the rate of matches won. Otherwise, it is the rate of deals won.
N_WIN_RATE_BINS = 5
# Sum of A's squared margin over deals, which measures the variance reduction due to mirroring
SQUARED_DEAL_MARGIN_COLUMN = WIN_RATE_HISTOGRAM_START + N_WIN_RATE_BINS
SQUARED_MATCH_MARGIN_COLUMN = (
    SQUARED_DEAL_MARGIN_COLUMN + 1
)  # sum of A's squared margin over matches
# Sum over deals of the deadwood dealt to the dealer minus the deadwood dealt to the nondealer. In
# solitaire games, the player counts as the nondealer.
DEADWOOD_DIFFERENCE_COLUMN = SQUARED_MATCH_MARGIN_COLUMN + 1
N_COLUMNS = DEADWOOD_DIFFERENCE_COLUMN + 1

DEAL_BATCH_SIZE = 1000  # number of units in a batch of deals
MATCH_BATCH_SIZE = 100  # number of units in a batch of matches
