"""The points of a showdown, with the other hand or with the cards above the joker (rules.md 6)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    kind: str  # knock, gin, big_gin, shot, undercut, even
    winner: str | None  # "stopper" (the knocker), "other" or None
    stopper: int
    other: int


def multiplier(row: dict, upcard: str | None) -> int:
    """Return the factor on all points: spade_multiplier for a spade upcard (rules.md 6)."""
    return row["spade_multiplier"] if upcard is not None and upcard[1] == "S" else 1


def _premium(row: dict, how: str, stock_left: int) -> int:
    """Return the premium of Gin Rush for a winning knocker: the stock cards left (rules.md 6)."""
    if not row["rush_premium"] or (how != "knock" and not row["rush_on_gin"]):
        return 0
    return stock_left


def _gin_like(row: dict, how: str, own: int, other: int, premium: int) -> Score:
    # rules.md 6, layoff_on_gin: after gin and big gin, never after a shot, a defender left with
    # nothing cancels the deal.
    if row["layoff_on_gin"] and how != "shot" and other == 0:
        return Score(how, None, 0, 0)
    bonus = row["big_gin_bonus"] if how == "big_gin" else row["gin_bonus"]
    less = own if how == "shot" and row["shot_deducts"] else 0
    return Score(how, "stopper", other + bonus + premium - less, 0)


def _knock(row: dict, own: int, other: int, premium: int) -> Score:
    if other == own and row["undercut_on_tie"] is False:
        return Score("even", None, 0, 0)
    if other < own or (other == own and row["undercut_on_tie"] != "knocker"):
        return Score("undercut", "other", 0, own - other + row["undercut_bonus"])
    return Score("knock", "stopper", other - own + premium, 0)


def deal_points(
    row: dict, how: str, own: int, other: int, stock_left: int = 0, factor: int = 1
) -> Score:
    """Return the points of an ending, from the deadwood of knocker and defender (rules.md 6)."""
    premium = _premium(row, how, stock_left)
    ended = (own, other, premium)
    score = _knock(row, *ended) if how == "knock" else _gin_like(row, how, *ended)
    return Score(score.kind, score.winner, score.stopper * factor, score.other * factor)
