"""Descriptions of the sums that metrics divide, named in `simgin.core.batch_columns`.

In these descriptions, "it" is the strategy of the row.
"""

from simgin.core import batch_columns

_DESCRIPTIONS = {
    "deals": "deals",
    "decided": "deals that somebody won",
    "showdowns": "deals of kind `knock`, `undercut` or `even`",
    "points_scored": "points of both sides in deals that somebody won",
    "turns": "turns of both players",
    "first_player_win": "deals won by the nondealer",
    "upcard_first": "deals whose first upcard the nondealer took",
    "upcard_second": "deals whose first upcard the dealer took",
    "upcard_none": "deals whose first upcard neither took",
    "knock_count": "the knocker's deadwood, over those deals",
    "defender_count": "the defender's deadwood after laying off, over those deals",
    "defender_before": "the defender's deadwood before laying off, over those deals",
    "laid_off": "cards laid off in those deals",
    "laid_off_any": "those deals with a card laid off",
    "tie": "those deals with equal counts",
    "a_deal_win": "deals it won",
    "b_deal_win": "deals the other side won",
    "a_points": "its points",
    "b_points": "the other side's points",
    "a_margin": "its points less the other side's",
    "a_takes": "upcards and discards it took",
    "b_takes": "upcards and discards the other side took",
    "a_draws": "its draws of both kinds",
    "b_draws": "the other side's draws of both kinds",
    "matches": "matches",
    "matches_decided": "matches that somebody won",
    "a_match_win": "matches it won, and half of those drawn or stopped",
    "b_match_win": "matches the other side won, and half of those drawn or stopped",
    "match_drawn": "drawn matches",
    "unfinished": "matches stopped by the guard",
    "a_match_margin": "its final score less the other side's",
    "winner_score": "final scores of winners",
    "loser_score": "final scores of losers",
    "loser_zero": "those matches with a loser at 0",
    "settled": "finished matches to points or in columns",
    "a_settlement": "its settlements of them",
    "totals": "finished matches of penalties",
    "goal_met": "those whose total met the goal",
}


def describe_fact(fact: str) -> str:
    """Return a description of a column of `simgin.core.batch_columns`.

    Raises:
        KeyError: If there is no such column.
    """
    if fact in _DESCRIPTIONS:
        return _DESCRIPTIONS[fact]
    if fact in batch_columns.DEAL_RESULTS:
        return f"deals of kind `{fact}`"
    side, _, kind = fact.partition("won_")
    is_won = kind in batch_columns.WINNING_RESULTS
    if side == "a_" and is_won:
        return f"deals it won, of kind `{kind}`"
    if side == "b_" and is_won:
        return f"deals the other side won, of kind `{kind}`"
    points, _, kind = fact.partition("points_")
    if not points and kind in batch_columns.SCORED_RESULTS:
        return f"points of both in deals of kind `{kind}`"
    raise KeyError(fact)
