"""Descriptions of the facts in `simgin.core.batch_columns`, from which metrics are computed."""

from simgin.core import batch_columns

_DESCRIPTIONS = {
    "deals": "deals",
    "decided": "deals with a winner",
    "showdowns": "deals with the ending `knock`, `undercut` or `even`",
    "points_scored": "sum of the points of both sides in deals with a winner",
    "turns": "number of turns of both players",
    "first_player_win": "deals won by the nondealer",
    "upcard_first": "deals in which the nondealer takes the first upcard",
    "upcard_second": "deals in which the dealer takes the first upcard",
    "upcard_none": "deals in which neither player takes the first upcard",
    "knock_count": "deadwood of the knocker",
    "defender_count": "deadwood of the defender after laying off",
    "defender_before": "deadwood of the defender before laying off",
    "laid_off": "number of cards laid off",
    "laid_off_any": "deals with at least one laid-off card",
    "tie": "deals with equal deadwood",
    "a_deal_win": "deals won by the strategy",
    "b_deal_win": "deals won by the opponent",
    "a_points": "points of the strategy",
    "b_points": "points of the opponent",
    "a_margin": "points of the strategy minus points of the opponent",
    "a_takes": "upcards and discards taken by the strategy",
    "b_takes": "upcards and discards taken by the opponent",
    "a_draws": "cards that the strategy draws from the stock or from the discard pile",
    "b_draws": "cards that the opponent draws from the stock or from the discard pile",
    "matches": "matches",
    "matches_decided": "matches with a winner",
    "a_match_win": "matches won by the strategy, plus half of the drawn and unfinished matches",
    "b_match_win": "matches won by the opponent, plus half of the drawn and unfinished matches",
    "match_drawn": "drawn matches",
    "unfinished": "matches that reach the maximum number of deals",
    "a_match_margin": "final score of the strategy minus final score of the opponent",
    "winner_score": "final score of the winner",
    "loser_score": "final score of the loser",
    "loser_zero": "matches in which the loser scores 0",
    "settled": "finished matches with a points or columns goal",
    "a_settlement": "settlements of the strategy",
    "totals": "finished matches with `goal = total`",
    "goal_met": "matches whose total meets the goal",
}


def describe_fact(fact: str) -> str:
    """Return the description of a fact in `simgin.core.batch_columns`.

    Raises:
        KeyError: If there is no such column.
    """
    if fact in _DESCRIPTIONS:
        return _DESCRIPTIONS[fact]
    if fact in batch_columns.DEAL_RESULTS:
        return f"deals with the ending `{fact}`"
    side, _, kind = fact.partition("won_")
    is_won = kind in batch_columns.WINNING_RESULTS
    if side == "a_" and is_won:
        return f"deals with the ending `{kind}` that the strategy won"
    if side == "b_" and is_won:
        return f"deals with the ending `{kind}` that the opponent won"
    points, _, kind = fact.partition("points_")
    if not points and kind in batch_columns.SCORED_RESULTS:
        return f"points of both sides in deals with the ending `{kind}`"
    raise KeyError(fact)
