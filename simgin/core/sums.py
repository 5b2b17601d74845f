"""What the kernel adds up: one row of exact int64 sums per batch of consecutive units.

A *unit* is what errors are clustered over: a mirrored pair of deals (or of matches), or a single
deal (match) where a strategy plays itself. For every unit the kernel forms one vector of *facts*,
totals over its deals in both halves. A batch row then holds, for each fact f with denominator d:
sum of f, sum of f*f and sum of f*d. That is all a ratio estimator with errors clustered by unit
needs (see `simgin.stats.ratios`), it merges by addition, and it is exact in any order.
"""

KINDS = (
    "knock",
    "gin",
    "big_gin",
    "shot",
    "undercut",
    "even",
    "void",
    "stalled",
    "joker",
    "limit",
    "refused",
)
SCORED_KINDS = KINDS[:5]  # the kinds that give points to a player
WON_KINDS = (*SCORED_KINDS, "refused")  # the kinds that a player can win by

# The side facts are kept for strategy A and strategy B alike; `draws` counts takes and stock draws
# together.
SIDE_FACTS = tuple(f"won_{kind}" for kind in WON_KINDS) + ("deal_win", "points", "takes", "draws")

FACTS = (
    ("deals", "decided", "showdowns")
    + KINDS
    + tuple(f"points_{kind}" for kind in SCORED_KINDS)
    + ("points_scored", "turns", "first_player_win", "upcard_first", "upcard_second", "upcard_none")
    + ("knock_count", "defender_count", "defender_before", "laid_off", "laid_off_any", "tie")
    + tuple(f"a_{name}" for name in SIDE_FACTS)
    + tuple(f"b_{name}" for name in SIDE_FACTS)
    + ("a_margin",)
    # A match won counts two and a drawn one counts one for each side, so that halves stay integers.
    + (
        "matches",
        "matches_decided",
        "a_match_win",
        "b_match_win",
        "match_drawn",
        "unfinished",
        "a_match_margin",
    )
    + ("winner_score", "loser_score", "loser_zero", "settled", "a_settlement", "totals", "goal_met")
)

FACT = {name: i for i, name in enumerate(FACTS)}


def _denominator(fact: str) -> str:
    """The fact that `fact` is divided by wherever a rate or a mean of it is formed."""
    if fact in (
        "knock_count",
        "defender_count",
        "defender_before",
        "laid_off",
        "laid_off_any",
        "tie",
    ):
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

# Columns of a batch row: the number of units, then the three sums of every fact, then histograms
# and what single results add up to.
N_FACTS = len(FACTS)
UNITS = 0
SUM = 1
SQUARE = SUM + N_FACTS
CROSS = SQUARE + N_FACTS
TURNS_HISTOGRAM = CROSS + N_FACTS
TURNS_BINS = 64  # a count for every deal: turns of both players, the last bin holding 63 and more
COUNT_HISTOGRAM = TURNS_HISTOGRAM + TURNS_BINS
# A count for every showdown: the knocker's deadwood, the last bin holding 15 and more
COUNT_BINS = 16
PAIR_HISTOGRAM = COUNT_HISTOGRAM + COUNT_BINS
# A count for every unit: A's share of its matches, else of its deals, in quarters; what nobody won
# counts one half
PAIR_BINS = 5
DEAL_SQUARE = (
    PAIR_HISTOGRAM + PAIR_BINS
)  # sum over deals of A's margin squared: with the pairs' squares it tells what pairing is worth
MATCH_SQUARE = DEAL_SQUARE + 1  # the same of the margins of matches
DEALT = (
    MATCH_SQUARE + 1
)  # sum over deals of the dealer's deadwood as dealt minus the nondealer's; one player: minus his
COLUMNS = DEALT + 1

BATCH_DEALS = 1000  # units in a batch of deals
BATCH_MATCHES = 100  # units in a batch of matches
