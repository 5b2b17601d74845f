"""Patient-gold: knocks in early turns, then waits for gin, like MARJJ (Ahmed et al. 2021)."""

from simgin.strategy import Strategy, knock, param, take
from simgin.toolkit import deadwood_after_taking


@take
def lower(view, rules, params):
    return deadwood_after_taking(view.hand, view.taken_offer, rules) < view.count


@knock(k=param(5, 0, 20, "own turns in which any legal knock is good"))
def early(view, rules, params):
    return view.own_turn <= params[0] or view.ending_count == 0


# The default discard policy leaves the least deadwood.
STRATEGY = Strategy("patient-gold", take=lower, knock=early)
