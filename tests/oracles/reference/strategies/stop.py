"""Compute the value of ending a solitaire deal, averaged over all positions of the joker."""

from fractions import Fraction

from ..points import score_deal


def compute_stopping_value(params: dict, deadwood: int, n_deck_cards: int) -> Fraction:
    """Return the average lead of the player over the joker if the player stops now."""
    ending = "gin" if deadwood == 0 else "knock"
    extra = 1 if params["count_joker"] else 0
    scores = [score_deal(params, ending, deadwood, above + extra) for above in range(n_deck_cards)]
    return Fraction(
        sum(score.knocker_points - score.defender_points for score in scores), n_deck_cards
    )
