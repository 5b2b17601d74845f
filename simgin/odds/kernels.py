"""Compiled functions of this package; `simgin.core.jit` compiles every file of this name."""

from simgin.core.solo import joker_place


def write_joker_places(seed, units, deals, rules, places):
    """Write the joker's position in each deal, given by its unit and number, to `positions`."""
    for i in range(len(units)):
        places[i] = joker_place(seed, units[i], deals[i], rules)
