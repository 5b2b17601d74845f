"""Show policies: which melding to show if the rules leave it to the player.

If the rules only say "shows his melds" (`melding = choice`), the player that ends the deal can
choose the row of `view.meldings` that costs least in lay-offs; see docs/reference/rules.md 3.5 and
H27.
"""

from simgin.strategy import param, show
from simgin.toolkit import count_extensions, deadwood_of_melding, pick_random


@show
def first(view, rules, params):
    """Show the melding of the automatic rule: least deadwood, then fewest possible lay-offs."""
    return 0


@show(noise=True)
def random(view, rules, params):
    """Show any legal melding at random."""
    return pick_random(view.legal & 0x7FFFFFFFFFFFFFFF, view.noise)


@show(weight=param(1.0, 0.0, 10.0, "points for each card that the opponent may lay off"))
def live(view, rules, params):
    """Show the melding with least deadwood plus `weight` for each card that may be laid off."""
    best, row = 1e9, 0
    for i in range(64):
        if not view.legal >> i & 1:
            break
        melds = view.meldings[i]
        cost = deadwood_of_melding(view.hand, melds, rules) + params[0] * count_extensions(
            melds, view.unseen | view.known, rules
        )
        if cost < best:
            best, row = cost, i
    return row
