"""jdh8's heuristic bot: gold that throws the safest of equal discards and bends its knock limit with the score ("greedy" in its arena).

A discard is dangerous if cards that could meld with it are in the opponent's hand or unseen, and safe if he has thrown or declined them.
Danger only settles ties of deadwood. The program bends the limit in whole points, rounded towards four; `lead` does not round.

Source: Chen-Pang He, HeuristicBot in jdh8/gin-rummy-engine, 2026.
"""

from simgin_strategies.knock import lead
from simgin_strategies.take import lower

from simgin.strategy import Strategy, discard, param
from simgin.toolkit import best_discards, dearest, lowest, near, popcount


@discard(
    known=param(2.0, 0.0, 10.0, "weight of near cards that the opponent is known to hold"),
    unseen=param(1.0, 0.0, 10.0, "weight of near cards that nobody has seen"),
    shed=param(2.0, 0.0, 10.0, "weight taken off for near cards that he has thrown or declined"),
)
def danger(view, rules, params):
    """The card that leaves least deadwood; of several the one that could help the opponent least, then the dearest."""
    cards = best_discards(view.hand, view.legal, rules)[1]
    best, least = -1, 1e9
    while cards:
        card = lowest(dearest(cards, rules)[0])
        cards &= ~(1 << card)
        around = near(card)
        risk = params[0] * popcount(around & view.known) + params[1] * popcount(around & view.unseen)
        risk -= params[2] * popcount(around & view.shed)
        if risk < least:
            best, least = card, risk
    return best


JDH8_HEURISTIC = Strategy("jdh8-heuristic", take=lower, discard=danger, knock=lead, ending="same")
