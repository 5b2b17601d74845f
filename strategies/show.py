"""Which melding to show where the rules leave it to the stopper (`melding = choice`).

The row of `view.meldings` that costs least in lay-offs is left to the player by rules that say no
more than "shows his melds"; see docs/reference/rules.md 3.5 and H27.
"""

from simgin.strategy import param, show
from simgin.toolkit import deadwood_of_melding, live_extensions, pick


@show
def first(view, rules, params):
    """Show what the automatic rule would.

    Least deadwood, then the fewest cards that could be laid off.
    """
    return 0


@show(noise=True)
def random(view, rules, params):
    """Show any of the meldings that may be shown."""
    return pick(view.legal & 0x7FFFFFFFFFFFFFFF, view.noise)


@show(
    weight=param(1.0, 0.0, 10.0, "points that a card is worth which the opponent may still lay off")
)
def live(view, rules, params):
    """Show the melding with least deadwood plus `weight` for every card he may be able to lay off."""
    best, row = 1e9, 0
    for i in range(64):
        if not view.legal >> i & 1:
            break
        melds = view.meldings[i]
        cost = deadwood_of_melding(view.hand, melds, rules) + params[0] * live_extensions(
            melds, view.unseen | view.known, rules
        )
        if cost < best:
            best, row = cost, i
    return row
