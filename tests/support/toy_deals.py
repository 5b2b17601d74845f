"""Artificial deals from known distributions, as batch rows and as populations of units."""

import numpy as np

from simgin.core import batch_columns
from simgin.stats import table

RESULT_KINDS = ("knock", "gin", "undercut", "void")
KIND_PROBABILITIES = (0.9, 0.04, 0.05, 0.01)
TWO_SIDED_FACTS = (
    *batch_columns.SIDE_STATISTICS,
    "match_win",
)  # facts of both sides, as a_... and b_...
ZERO_SUM_FACTS = (
    "a_margin",
    "a_match_margin",
    "a_settlement",
)  # facts whose sum over both sides is zero


def make_batch_row(facts):
    """Return the batch row of unit facts, (units, N_STATISTICS) int64, summed as in the kernel."""
    out = np.zeros(batch_columns.N_COLUMNS, np.int64)
    out[batch_columns.COL_UNITS] = len(facts)
    out[batch_columns.COL_SUM : batch_columns.COL_SQUARE] = facts.sum(axis=0)
    out[batch_columns.COL_SQUARE : batch_columns.COL_CROSS] = (facts * facts).sum(axis=0)
    out[batch_columns.COL_CROSS : batch_columns.COL_TURNS_HISTOGRAM] = (
        facts * facts[:, list(batch_columns.DENOMINATOR_INDICES)]
    ).sum(axis=0)
    return out


def get_fact(facts, name):
    return facts[:, batch_columns.STATISTIC_INDEX[name]]


def draw_facts(rng, n, **how):
    """Return the facts of `draw_units`, int64 (n, N_STATISTICS)."""
    return draw_units(rng, n, **how)[:, batch_columns.COL_SUM : batch_columns.COL_SQUARE]


def draw_units(rng, n, *, win=0.5, halves=2, matches=False):
    """Return batch rows of single units, deals or matches, shuffled by rng."""
    population = np.zeros((n, batch_columns.N_COLUMNS), np.int64)
    luck, dealer = rng.random(n), rng.integers(0, 2, n)  # of seat 0
    population[:, batch_columns.COL_UNITS] = 1
    for half in range(halves):
        mine = luck if half == 0 else 1 - luck
        for deal in range(8 if matches else 1):
            wanted = rng.integers(3, 9, n) > deal if matches else np.ones(n, bool)
            population += np.where(
                wanted[:, None], _draw_deal_rows(rng, mine, dealer != half, win), 0
            )
        if matches:
            own, losing = 0.5 * mine + 0.5 * rng.random(n) < win, rng.integers(0, 99, n)
            _add_match(population[:, batch_columns.COL_SUM : batch_columns.COL_SQUARE], own, losing)
            population[:, batch_columns.COL_SQUARED_MATCH_MARGIN] += (100 - losing) ** 2
    if matches:
        facts = population[:, batch_columns.COL_SUM : batch_columns.COL_SQUARE]
        facts[:, batch_columns.STATISTIC_INDEX["settled"]] = get_fact(facts, "matches")
        facts[:, batch_columns.STATISTIC_INDEX["a_settlement"]] = get_fact(
            facts, "a_margin"
        )  # without bonuses
    _complete_units(population, matches)
    return population


def draw_rows(rng, population, batches, per_batch):
    """Return batch rows of units drawn from a population with replacement.

    The shape is (*batches, batch_columns.N_COLUMNS), int64.
    """
    counts = rng.multinomial(per_batch, np.full(len(population), 1 / len(population)), size=batches)
    # Integers far below 2**53, for which float products are exact and fast
    flat = counts.reshape(-1, len(population)).astype(float) @ population
    return flat.astype(np.int64).reshape(*counts.shape[:-1], -1)


def swap_sides(population):
    swapped = population.copy()
    for i, name in enumerate(batch_columns.STATISTIC_NAMES):
        mirrored = {"a_": "b_", "b_": "a_"}.get(name[:2], name[:2]) + name[2:]
        other = batch_columns.STATISTIC_INDEX[mirrored] if name[2:] in TWO_SIDED_FACTS else i
        for block in (batch_columns.COL_SUM, batch_columns.COL_SQUARE, batch_columns.COL_CROSS):
            sign = -1 if name in ZERO_SUM_FACTS and block != batch_columns.COL_SQUARE else 1
            swapped[:, block + other] = sign * population[:, block + i]
    pairs = slice(
        batch_columns.COL_WIN_RATE_HISTOGRAM,
        batch_columns.COL_WIN_RATE_HISTOGRAM + batch_columns.N_WIN_RATE_BINS,
    )
    swapped[:, pairs] = population[:, pairs][:, ::-1]
    return swapped


def compute_true_value(population, name, scale=1):
    total, fact = population.sum(axis=0), batch_columns.STATISTIC_INDEX[name]
    return (
        total[batch_columns.COL_SUM + fact]
        / total[batch_columns.COL_SUM + batch_columns.DENOMINATOR_INDICES[fact]]
        / scale
    )


def _draw_deal_rows(rng, luck, first, win):
    """Return the rows of one deal of every unit.

    Args:
        rng: Random generator.
        luck: Luck of A, smaller is better.
        first: True for units in which A is the nondealer.
        win: Win probability of A.
    """
    n = len(luck)
    rows = np.zeros((n, batch_columns.N_COLUMNS), np.int64)
    facts = rows[:, batch_columns.COL_SUM : batch_columns.COL_SQUARE]
    own = 0.5 * luck + 0.5 * rng.random(n) < win
    _add_deal(facts, rng, own)
    facts[:, batch_columns.STATISTIC_INDEX["first_player_win"]] = get_fact(facts, "decided") * (
        own == first
    )
    better = np.where(first, 0.5 - luck, luck - 0.5)  # the nondealer's luck minus the dealer's luck
    rows[:, batch_columns.COL_DEALT_DEADWOOD_DIFFERENCE] = np.rint(
        60 * better + rng.normal(0, 10, n)
    )
    rows[:, batch_columns.COL_SQUARED_DEAL_MARGIN] = get_fact(facts, "a_margin") ** 2
    every = np.arange(n)
    rows[every, batch_columns.COL_TURNS_HISTOGRAM + get_fact(facts, "turns")] = 1
    rows[every, batch_columns.COL_DEADWOOD_HISTOGRAM + get_fact(facts, "knock_count")] = get_fact(
        facts, "showdowns"
    )
    return rows


def _complete_units(population, matches):
    """Set the squares, products and pair scores of units whose sums are complete."""
    facts = population[:, batch_columns.COL_SUM : batch_columns.COL_SQUARE]
    population[:, batch_columns.COL_SQUARE : batch_columns.COL_CROSS] = facts**2
    population[:, batch_columns.COL_CROSS : batch_columns.COL_TURNS_HISTOGRAM] = (
        facts * facts[:, list(batch_columns.DENOMINATOR_INDICES)]
    )
    halves, won = get_fact(facts, "matches"), get_fact(facts, "a_match_win")
    if not matches:
        halves = get_fact(facts, "deals")
        won = halves + get_fact(facts, "a_deal_win") - get_fact(facts, "b_deal_win")
    population[
        np.arange(len(population)), batch_columns.COL_WIN_RATE_HISTOGRAM + 2 * won // halves
    ] = 1


def _add_deal(facts, rng, own):
    units = len(facts)
    kind = rng.choice(len(RESULT_KINDS), size=units, p=KIND_PROBABILITIES)
    decided = kind != RESULT_KINDS.index("void")
    points = rng.integers(1, 60, units) * decided
    own, other = own & decided, ~own & decided
    amounts = {"deals": 1, "decided": decided, "points_scored": points}
    amounts |= {"turns": rng.integers(1, 25, units), "showdowns": np.isin(kind, (0, 2))}
    amounts |= {"knock_count": rng.integers(1, 11, units) * np.isin(kind, (0, 2))}
    amounts |= {"a_deal_win": own, "b_deal_win": other}
    amounts |= {"a_points": own * points, "b_points": other * points}
    amounts |= {"a_margin": own * points - other * points}
    amounts |= {"a_takes": rng.integers(0, 3, units), "a_draws": 7}
    amounts |= {"b_takes": rng.integers(0, 4, units), "b_draws": 6}
    amounts |= {"first_player_win": decided & (rng.random(units) < 0.5)}
    for i, name in enumerate(RESULT_KINDS):
        amounts[name] = kind == i
        if name in batch_columns.WINNING_RESULTS:
            amounts[f"points_{name}"] = points * (kind == i)
            amounts |= {f"a_won_{name}": own & (kind == i), f"b_won_{name}": other & (kind == i)}
    _add_facts(facts, amounts)


def _add_match(facts, own, losing):
    amounts = {"matches": 1, "matches_decided": 1, "a_match_win": 2 * own, "b_match_win": 2 * ~own}
    amounts |= {"winner_score": 100, "loser_score": losing, "loser_zero": losing == 0}
    amounts |= {"a_match_margin": np.where(own, 100 - losing, losing - 100)}
    _add_facts(facts, amounts)


def _add_facts(facts, amounts):
    for name, amount in amounts.items():
        facts[:, batch_columns.STATISTIC_INDEX[name]] += amount


def make_tidy_rows(*matchup):
    """Return the tidy rows of one matchup, as `simgin.stats.table.compute_estimate_rows` does."""
    return table.make_frame(table.compute_estimate_rows(*matchup), table.TABLE_COLUMNS)
