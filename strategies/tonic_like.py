"""Tonic-like: keeps middle ranks and live pairs, discards safely, and knocks only in early turns.

The strategy combines rules of thumb in the manner of Tonic. The parameters of Tonic's expert rules
were tuned by grid search, but the rules were not published. The strategy uses the rules that
Tonic's authors reportedly named, and otherwise the rules of gold. All parameters were tuned by grid
search on one range of seeds and confirmed on another range.

Source: The abstract and reports of Larkin, Collicott and Hiebel, "Modeling Expert Knowledge in a
Heuristic-Based Gin Rummy Agent" (Tonic), EAAI-21. `ginrummy-and-tonic` is a different
player.
"""

from simgin_strategies.knock import knock_early
from simgin_strategies.pairs import compute_rank_penalty
from simgin_strategies.safety import find_opponent_meld_cards
from simgin_strategies.take import take_for_best_melding

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import (
    cards_worth_holding,
    count_possible_melds,
    discard_with_card_penalties,
    unmatched_cards,
)


@discard(
    name="tonic",
    pair=param(5.0, 0.0, 20.0, "penalty on a card in a pair to hold"),
    live=param(2, 1, 4, "minimum number of live completers of a pair to hold"),
    until=param(4, 1, 500, "first own turn on which all pairs may be broken"),
    middle=param(0.5, 0.0, 20.0, "penalty per three-card meld of the rank, beyond four"),
    seven=param(0.0, 0.0, 20.0, "additional penalty on a seven"),
    danger=param(0.1, 0.0, 20.0, "penalty per three-card meld that the opponent could make"),
    early=param(4, 0, 500, "number of the opponent's first discards that rule out nearby melds"),
)
def discard_like_tonic(view, rules, params):
    """Weigh live pairs (in early turns), middle ranks and the safety of the discard."""
    held_cards = 0
    if view.own_turn < params[2]:
        held_cards = cards_worth_holding(
            unmatched_cards(view.hand, rules), view.unseen, params[1], rules
        )
    return discard_with_card_penalties(
        view,
        rules,
        params,
        _compute_discard_cost,
        held_cards | find_opponent_meld_cards(view, params[6]),
    )


@helper
def _compute_discard_cost(view, rules, params, card, cards):
    """Return the cost of a discard as a weighted sum, in points.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        params: Parameters of the policy.
        card: Card in the hand, 0 to 51.
        cards: The player's cards that form pairs to hold, and the cards with which the opponent can
            make melds.
    """
    hold_cost = params[0] if cards >> card & 1 else 0.0
    return (
        hold_cost
        + compute_rank_penalty(card, params[3], params[4])
        + params[5] * count_possible_melds(card, cards & ~view.hand, rules)
    )


TONIC_LIKE = Strategy(
    "tonic-like", take=take_for_best_melding, discard=discard_like_tonic, knock=knock_early(k=3)
)
