"""Compiled loop over the deals of solitaire games with a joker.

The name of the file must be `kernels.py` (see `simgin.core.jit`).
"""

from simgin.core.solo_deal import choose_joker_position


def write_joker_positions(seed, unit_numbers, deal_numbers, rules, positions):
    """Write the joker's position in each deal to `positions`."""
    for i in range(len(unit_numbers)):
        positions[i] = choose_joker_position(seed, unit_numbers[i], deal_numbers[i], rules)
