"""Facts and batch rows: what the kernel adds up, as exact int64 sums.

A *unit* is what errors are clustered by: a mirrored pair of deals (or of matches), or a single deal
(match) where a strategy plays itself. For every unit the kernel forms one vector of *facts*, totals
over its deals in both halves. A batch row holds, for each fact f with denominator d, the sums of f,
f*f and f*d over consecutive units. That is all that a ratio estimator with errors clustered by unit
needs (see `simgin.stats.estimate`). Rows merge by addition and are exact in any order.
"""

# How a deal can end
KINDS = tuple("knock gin big_gin shot undercut even void stalled joker limit refused".split())
SCORED_KINDS = KINDS[:5]  # those that give points to a player
WON_KINDS = (*SCORED_KINDS, "refused")  # those that a player can win by

# Kept for strategy A and for strategy B; `draws`: see `simgin.core.record.draws`.
SIDE_FACTS = tuple(f"won_{kind}" for kind in WON_KINDS) + ("deal_win", "points", "takes", "draws")

# Kept for every deal that ends with a knock
SHOWDOWN_FACTS = tuple(
    "knock_count defender_count defender_before laid_off laid_off_any tie".split()
)

FACTS = (
    ("deals", "decided", "showdowns")
    + KINDS
    + tuple(f"points_{kind}" for kind in SCORED_KINDS)
    + ("points_scored", "turns", "first_player_win", "upcard_first", "upcard_second", "upcard_none")
    + SHOWDOWN_FACTS
    + tuple(f"a_{name}" for name in SIDE_FACTS)
    + tuple(f"b_{name}" for name in SIDE_FACTS)
    + ("a_margin",)
    # A match won counts two, a drawn one counts one for each side, so that halves stay integers.
    + ("matches", "matches_decided", "a_match_win", "b_match_win", "match_drawn")
    + ("unfinished", "a_match_margin")
    + ("winner_score", "loser_score", "loser_zero", "settled", "a_settlement", "totals", "goal_met")
)

FACT = {name: i for i, name in enumerate(FACTS)}


def _denominator(fact: str) -> str:
    """The fact that `fact` is divided by to form its rate or mean."""
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
    if fact == "deals" or FACTS.index(fact) > FACTS.index("matches"):
        return "matches"
    return "deals"


DENOMINATOR = tuple(FACT[_denominator(name)] for name in FACTS)

# Columns of a batch row: the number of units, the three sums of every fact, histograms, and sums
# over single deals and matches.
N_FACTS = len(FACTS)
UNITS = 0
SUM = 1
SQUARE = SUM + N_FACTS
CROSS = SQUARE + N_FACTS
TURNS_HISTOGRAM = CROSS + N_FACTS
TURNS_BINS = 64  # deals by turns of both players; the last bin holds 63 and more
COUNT_HISTOGRAM = TURNS_HISTOGRAM + TURNS_BINS
COUNT_BINS = 16  # showdowns by the knocker's deadwood; the last bin holds 15 and more
PAIR_HISTOGRAM = COUNT_HISTOGRAM + COUNT_BINS
# Units by A's share of the matches, or else of the deals, in quarters; one half for what nobody won
PAIR_BINS = 5
# Sum over deals of A's squared margin: with the pairs' squares it gives the worth of mirroring
DEAL_SQUARE = PAIR_HISTOGRAM + PAIR_BINS
MATCH_SQUARE = DEAL_SQUARE + 1  # the same over matches
# Sum over deals of the dealer's deadwood as dealt less the nondealer's; alone, less the player's
DEALT = MATCH_SQUARE + 1
COLUMNS = DEALT + 1

BATCH_DEALS = 1000  # units in a batch of deals
BATCH_MATCHES = 100  # units in a batch of matches
