"""A toy in place of the game: deals whose facts are drawn from stated distributions, unit by unit, and their batch rows.

It is what the tests of statistics, tables and pictures recompute from; the truth of every rate is known.
"""

import numpy as np

from simgin.core import sums

KINDS = ("knock", "gin", "undercut", "void")
SHARES = (0.9, 0.04, 0.05, 0.01)


def row(facts):
    """The batch row of unit-level facts, int64 (units, N_FACTS), as the kernel would add it up."""
    out = np.zeros(sums.COLUMNS, np.int64)
    out[sums.UNITS] = len(facts)
    out[sums.SUM : sums.SQUARE] = facts.sum(axis=0)
    out[sums.SQUARE : sums.CROSS] = (facts * facts).sum(axis=0)
    out[sums.CROSS : sums.TURNS_HISTOGRAM] = (facts * facts[:, list(sums.DENOMINATOR)]).sum(axis=0)
    return out


def column(facts, name):
    """One fact of every unit."""
    return facts[:, sums.FACT[name]]


def deals(rng, units, *, win=0.5, halves=2):
    """Facts of units of `halves` deals in which A wins a decided deal with chance `win`."""
    facts = np.zeros((units, sums.N_FACTS), np.int64)
    luck = rng.random(units)  # shared by the halves: what makes them dependent
    for half in range(halves):
        own = 0.5 * (luck if half == 0 else 1 - luck) + 0.5 * rng.random(units) < win
        _add_deal(facts, rng, own)
    return facts


def matches(rng, units, *, win=0.5, halves=2):
    """Facts of units of `halves` matches of a random number of deals."""
    facts = np.zeros((units, sums.N_FACTS), np.int64)
    for _ in range(halves):
        for wanted in (rng.integers(3, 9, units) > deal for deal in range(8)):
            facts += np.where(wanted[:, None], deals(rng, units, win=win, halves=1), 0)
        _add_match(facts, rng.random(units) < win, rng.integers(0, 99, units))
    facts[:, sums.FACT["settled"]] = column(facts, "matches")
    facts[:, sums.FACT["a_settlement"]] = column(facts, "a_margin")  # no bonuses: the points of the deals
    return facts


def _add_deal(facts, rng, own):
    units = len(facts)
    kind = rng.choice(len(KINDS), size=units, p=SHARES)
    decided = kind != KINDS.index("void")
    points = rng.integers(1, 60, units) * decided
    own, other = own & decided, ~own & decided
    amounts = {"deals": 1, "decided": decided, "points_scored": points, "turns": rng.integers(1, 25, units)}
    amounts |= {"showdowns": np.isin(kind, (0, 2)), "knock_count": rng.integers(1, 11, units) * np.isin(kind, (0, 2))}
    amounts |= {"a_deal_win": own, "b_deal_win": other, "a_points": own * points, "b_points": other * points}
    amounts |= {"a_margin": own * points - other * points, "a_takes": rng.integers(0, 3, units), "a_draws": 7}
    amounts |= {"b_takes": rng.integers(0, 4, units), "b_draws": 6, "first_player_win": decided & (rng.random(units) < 0.5)}
    for i, name in enumerate(KINDS):
        amounts[name] = kind == i
        if name in sums.WON_KINDS:
            amounts[f"points_{name}"] = points * (kind == i)
            amounts |= {f"a_won_{name}": own & (kind == i), f"b_won_{name}": other & (kind == i)}
    for name, amount in amounts.items():
        facts[:, sums.FACT[name]] += amount


def _add_match(facts, own, losing):
    amounts = {"matches": 1, "matches_decided": 1, "a_match_win": 2 * own, "b_match_win": 2 * ~own, "winner_score": 100}
    amounts |= {"loser_score": losing, "loser_zero": losing == 0, "a_match_margin": np.where(own, 100 - losing, losing - 100)}
    for name, amount in amounts.items():
        facts[:, sums.FACT[name]] += amount
