"""Score a deal from the ending and the deadwood of both players (rules.md 6)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """Points of a deal. In solitaire games, the defender is the joker."""

    outcome: str  # knock, gin, big_gin, shot, undercut, even
    winner: str | None  # "knocker", "defender" or None
    knocker_points: int
    defender_points: int


def get_multiplier(params: dict, upcard: str | None) -> int:
    """Return the multiplier of all points, which can depend on the upcard (rules.md 6)."""
    return params["spade_multiplier"] if upcard is not None and upcard[1] == "S" else 1


def _compute_rush_premium(params: dict, ending: str, stock_left: int) -> int:
    """Return the premium of Gin Rush for the knocker: the number of stock cards left."""
    if not params["rush_premium"] or (ending != "knock" and not params["rush_on_gin"]):
        return 0
    return stock_left


def _score_gin(
    params: dict, ending: str, knocker_deadwood: int, defender_deadwood: int, premium: int
) -> Score:
    # rules.md 6, layoff_on_gin: after gin and big gin, never after a shot, a defender left with
    # nothing cancels the deal.
    if params["layoff_on_gin"] and ending != "shot" and defender_deadwood == 0:
        return Score(ending, None, 0, 0)
    bonus = params["big_gin_bonus"] if ending == "big_gin" else params["gin_bonus"]
    deduction = knocker_deadwood if ending == "shot" and params["shot_deducts"] else 0
    return Score(ending, "knocker", defender_deadwood + bonus + premium - deduction, 0)


def _score_knock(
    params: dict, knocker_deadwood: int, defender_deadwood: int, premium: int
) -> Score:
    if defender_deadwood == knocker_deadwood and params["undercut_on_tie"] is False:
        return Score("even", None, 0, 0)
    if defender_deadwood < knocker_deadwood or (
        defender_deadwood == knocker_deadwood and params["undercut_on_tie"] != "knocker"
    ):
        return Score(
            "undercut",
            "defender",
            0,
            knocker_deadwood - defender_deadwood + params["undercut_bonus"],
        )
    return Score("knock", "knocker", defender_deadwood - knocker_deadwood + premium, 0)


def score_deal(
    params: dict,
    ending: str,
    knocker_deadwood: int,
    defender_deadwood: int,
    stock_left: int = 0,
    multiplier: int = 1,
) -> Score:
    """Return the points of knocker and defender for an ending (rules.md 6)."""
    premium = _compute_rush_premium(params, ending, stock_left)
    deadwood_and_premium = (knocker_deadwood, defender_deadwood, premium)
    score = (
        _score_knock(params, *deadwood_and_premium)
        if ending == "knock"
        else _score_gin(params, ending, *deadwood_and_premium)
    )
    return Score(
        score.outcome,
        score.winner,
        score.knocker_points * multiplier,
        score.defender_points * multiplier,
    )
