"""Compiled functions of the room; `simgin.core.jit` finds every file of this name."""

from simgin.core.solo import joker_place


def write_joker_places(seed, units, deals, rules, places):
    """Write to `places` where the joker lies in each deal, named by its unit and its number."""
    for i in range(len(units)):
        places[i] = joker_place(seed, units[i], deals[i], rules)
