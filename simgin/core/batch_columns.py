"""Statistics of units of analysis, and the layout of batch rows, which store exact sums.

A *unit* of analysis is a mirrored pair of deals (or matches), or a single deal (match) if a
strategy plays against itself. Standard errors are clustered by unit. For every unit, the kernel
computes a vector of *facts*, which are totals over the deals of the unit. For each fact f with
denominator d, a batch row contains the sums of f, f*f and f*d over consecutive units. These sums
are sufficient for a ratio estimator with errors clustered by unit (see `simgin.stats.estimate`).
Rows are merged by addition. The result is exact and does not depend on the order.
"""

# Results of a deal
DEAL_RESULTS = tuple(
    "knock gin big_gin shot undercut even void stalled joker limit refused".split()
)
SCORED_RESULTS = DEAL_RESULTS[:5]  # results that score points for a player
WINNING_RESULTS = (*SCORED_RESULTS, "refused")  # results that count as a won deal

# Facts about strategies A and B. See `count_draws` for the definition of `draws`.
SIDE_FACTS = tuple(f"won_{kind}" for kind in WINNING_RESULTS) + (
    "deal_win",
    "points",
    "takes",
    "draws",
)

# Facts about deals that end with a knock
SHOWDOWN_FACTS = tuple(
    "knock_count defender_count defender_before laid_off laid_off_any tie".split()
)

FACT_NAMES = (
    ("deals", "decided", "showdowns")
    + DEAL_RESULTS
    + tuple(f"points_{kind}" for kind in SCORED_RESULTS)
    + ("points_scored", "turns", "first_player_win", "upcard_first", "upcard_second", "upcard_none")
    + SHOWDOWN_FACTS
    + tuple(f"a_{name}" for name in SIDE_FACTS)
    + tuple(f"b_{name}" for name in SIDE_FACTS)
    + ("a_margin",)
    # A win counts 2 and a draw counts 1 for each side, so that the sums are integers.
    + ("matches", "matches_decided", "a_match_win", "b_match_win", "match_drawn")
    + ("unfinished", "a_match_margin")
    + ("winner_score", "loser_score", "loser_zero", "settled", "a_settlement", "totals", "goal_met")
)

FACT_INDEX = {name: i for i, name in enumerate(FACT_NAMES)}


def _choose_denominator(fact: str) -> str:
    """Return the name of the fact by which a fact is divided in ratio estimates."""
    if fact in SHOWDOWN_FACTS:
        return "showdowns"
    if fact in ("points_scored", "first_player_win"):
        return "decided"
    if fact.startswith("points_"):
        return fact.removeprefix("points_")
    if fact in ("a_takes", "b_takes"):
        return fact[:2] + "draws"
    if fact in ("winner_score", "loser_score", "loser_zero"):
        return "matches_decided"
    if fact in ("a_settlement", "goal_met"):
        return {"a_settlement": "settled", "goal_met": "totals"}[fact]
    if fact == "deals" or FACT_NAMES.index(fact) > FACT_NAMES.index("matches"):
        return "matches"
    return "deals"


DENOMINATOR_INDEX = tuple(FACT_INDEX[_choose_denominator(name)] for name in FACT_NAMES)

# The columns of a batch row are the number of units, three sums per fact, histograms, and sums over
# single deals and matches.
N_FACTS = len(FACT_NAMES)
COL_UNITS = 0
COL_SUM = 1
COL_SQUARE = COL_SUM + N_FACTS
COL_CROSS = COL_SQUARE + N_FACTS
COL_TURNS_HISTOGRAM = COL_CROSS + N_FACTS
TURNS_BINS = 64  # bins for the number of turns in a deal (the last bin means 63 or more)
COL_DEADWOOD_HISTOGRAM = COL_TURNS_HISTOGRAM + TURNS_BINS
DEADWOOD_BINS = 16  # bins for the knocker's deadwood (the last bin means 15 points or more)
COL_PAIR_HISTOGRAM = COL_DEADWOOD_HISTOGRAM + DEADWOOD_BINS
# Bins for A's win rate in a unit, which is 0, 1/4, 1/2, 3/4 or 1. If the unit consists of matches,
# this is the rate of matches won. Otherwise, it is the rate of deals won.
PAIR_BINS = 5
# Sum of A's squared margin over deals, which measures the variance reduction due to mirroring
COL_DEAL_SQUARE = COL_PAIR_HISTOGRAM + PAIR_BINS
COL_MATCH_SQUARE = COL_DEAL_SQUARE + 1  # sum of A's squared margin over matches
# Sum over deals of the deadwood dealt to the dealer minus the deadwood dealt to the nondealer. In
# solitaire games, the player counts as the nondealer.
COL_DEALT_DIFFERENCE = COL_MATCH_SQUARE + 1
N_COLUMNS = COL_DEALT_DIFFERENCE + 1

DEAL_BATCH_SIZE = 1000  # number of units in a batch of deals
MATCH_BATCH_SIZE = 100  # number of units in a batch of matches
