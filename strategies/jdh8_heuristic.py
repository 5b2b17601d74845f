"""jdh8-heuristic: plays like gold, breaks ties by safety, and knocks earlier when it leads.

The original arena calls it "greedy". A discard is dangerous if cards that could meld with it are in
the opponent's hand or unseen, and safe if the opponent has discarded or declined them. Danger is
used only to break ties between discards that leave the same deadwood. The original program rounds
the knock limit to whole points, towards four. The policy `lead` does not round it.

Source: Chen-Pang He, HeuristicBot in jdh8/gin-rummy-engine, 2026.
"""

from simgin_strategies.knock import knock_by_lead
from simgin_strategies.take import take_to_lower_deadwood

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import discard_danger, lowest_cost_card


@discard(
    name="danger",
    known=param(2.0, 0.0, 10.0, "weight of neighbours that the opponent is known to hold"),
    unseen=param(1.0, 0.0, 10.0, "weight of unseen neighbours"),
    shed=param(2.0, 0.0, 10.0, "weight, subtracted, of neighbours that the opponent shed"),
)
def discard_safest_card(view, rules, params):
    """Minimise the deadwood, and break ties by the safety of the discard, then by rank."""
    return lowest_cost_card(view, rules, params, view.best, _compute_danger, 0)


@helper
def _compute_danger(view, rules, params, card, context):
    """Return the danger of a discard, which increases with its possible use to the opponent."""
    return discard_danger(card, view, params[0], params[1], params[2])


JDH8_HEURISTIC = Strategy(
    "jdh8-heuristic",
    take=take_to_lower_deadwood,
    discard=discard_safest_card,
    knock=knock_by_lead,
    ending="same",
)
