"""Show policies, which choose the melding to show if the rules leave a choice.

With `melding = choice`, the player who ends the deal can choose any row of `view.meldings`, for
example the row with the fewest lay-offs. See docs/reference/rules.md 3.5 and hypothesis H27.
"""

from simgin.strategy import param, show
from simgin.toolkit import count_extensions, deadwood_of_melding, pick_random


@show(name="first")
def show_least_deadwood(view, rules, params):
    """Show the melding with the least deadwood, and break ties by the fewest possible lay-offs."""
    return 0


@show(name="random", noise=True)
def show_at_random(view, rules, params):
    """Show a random legal melding."""
    return pick_random(view.legal & 0x7FFFFFFFFFFFFFFF, view.noise)


@show(name="live", weight=param(1.0, 0.0, 10.0, "points per card that the opponent might lay off"))
def show_against_lay_offs(view, rules, params):
    """Show the melding that minimises the deadwood plus `weight` points per possible lay-off."""
    min_cost, row = 1e9, 0
    for i in range(64):
        if not view.legal >> i & 1:
            break
        melds = view.meldings[i]
        cost = deadwood_of_melding(view.hand, melds, rules) + params[0] * count_extensions(
            melds, view.unseen | view.known, rules
        )
        if cost < min_cost:
            min_cost, row = cost, i
    return row
