"""Generate artificial results of deals and matches from known distributions."""

import numpy as np

from simgin.core import batch_columns
from simgin.stats import table

DEAL_RESULTS = ("knock", "gin", "undercut", "void")
RESULT_PROBABILITIES = (0.9, 0.04, 0.05, 0.01)
TWO_SIDED_STATISTICS = (
    *batch_columns.PLAYER_STATISTICS,
    "match_win",
)  # facts of both sides, as a_... and b_...
ZERO_SUM_STATISTICS = (
    "a_margin",
    "a_match_margin",
    "a_settlement",
)  # facts whose sum over both sides is zero


def make_batch_row(statistics):
    """Return the batch row of units from their statistics, shape (units, N_STATISTICS)."""
    out = np.zeros(batch_columns.N_COLUMNS, np.int64)
    out[batch_columns.UNITS_COLUMN] = len(statistics)
    out[batch_columns.SUMS_START : batch_columns.SQUARES_START] = statistics.sum(axis=0)
    out[batch_columns.SQUARES_START : batch_columns.PRODUCTS_START] = (statistics * statistics).sum(
        axis=0
    )
    out[batch_columns.PRODUCTS_START : batch_columns.TURNS_HISTOGRAM_START] = (
        statistics * statistics[:, list(batch_columns.DENOMINATOR_INDICES)]
    ).sum(axis=0)
    return out


def get_statistic(statistics, name):
    return statistics[:, batch_columns.STATISTIC_INDEX[name]]


def draw_statistics(rng, n_units, **options):
    """Return only the statistics of `draw_units`, shape (n_units, N_STATISTICS)."""
    return draw_units(rng, n_units, **options)[
        :, batch_columns.SUMS_START : batch_columns.SQUARES_START
    ]


def draw_units(rng, n_units, *, win_probability=0.5, n_halves=2, is_match=False):
    """Return batch rows of random units, each of which is a deal or a match."""
    population = np.zeros((n_units, batch_columns.N_COLUMNS), np.int64)
    luck, dealer = rng.random(n_units), rng.integers(0, 2, n_units)  # of seat 0
    population[:, batch_columns.UNITS_COLUMN] = 1
    for half in range(n_halves):
        mine = luck if half == 0 else 1 - luck
        for deal in range(8 if is_match else 1):
            wanted = rng.integers(3, 9, n_units) > deal if is_match else np.ones(n_units, bool)
            population += np.where(
                wanted[:, None], _draw_deal_rows(rng, mine, dealer != half, win_probability), 0
            )
        if is_match:
            own, losing = (
                0.5 * mine + 0.5 * rng.random(n_units) < win_probability,
                rng.integers(0, 99, n_units),
            )
            _add_match(
                population[:, batch_columns.SUMS_START : batch_columns.SQUARES_START], own, losing
            )
            population[:, batch_columns.SQUARED_MATCH_MARGIN_COLUMN] += (100 - losing) ** 2
    if is_match:
        facts = population[:, batch_columns.SUMS_START : batch_columns.SQUARES_START]
        facts[:, batch_columns.STATISTIC_INDEX["settled"]] = get_statistic(facts, "matches")
        facts[:, batch_columns.STATISTIC_INDEX["a_settlement"]] = get_statistic(
            facts, "a_margin"
        )  # without bonuses
    _complete_units(population, is_match)
    return population


def draw_rows(rng, population, batch_shape, units_per_batch):
    """Return batch rows of units that are drawn from a population with replacement.

    The shape is (*batches, batch_columns.N_COLUMNS), int64.
    """
    counts = rng.multinomial(
        units_per_batch, np.full(len(population), 1 / len(population)), size=batch_shape
    )
    # Integers far below 2**53, for which float products are exact and fast
    flat = counts.reshape(-1, len(population)).astype(float) @ population
    return flat.astype(np.int64).reshape(*counts.shape[:-1], -1)


def swap_strategies(population):
    """Return the population with strategies A and B exchanged."""
    swapped = population.copy()
    for i, name in enumerate(batch_columns.STATISTIC_NAMES):
        mirrored = {"a_": "b_", "b_": "a_"}.get(name[:2], name[:2]) + name[2:]
        other = batch_columns.STATISTIC_INDEX[mirrored] if name[2:] in TWO_SIDED_STATISTICS else i
        for block in (
            batch_columns.SUMS_START,
            batch_columns.SQUARES_START,
            batch_columns.PRODUCTS_START,
        ):
            sign = -1 if name in ZERO_SUM_STATISTICS and block != batch_columns.SQUARES_START else 1
            swapped[:, block + other] = sign * population[:, block + i]
    pairs = slice(
        batch_columns.WIN_RATE_HISTOGRAM_START,
        batch_columns.WIN_RATE_HISTOGRAM_START + batch_columns.N_WIN_RATE_BINS,
    )
    swapped[:, pairs] = population[:, pairs][:, ::-1]
    return swapped


def compute_true_value(population, statistic, scale=1):
    """Return the exact ratio of a statistic to its denominator in a population."""
    total, fact = population.sum(axis=0), batch_columns.STATISTIC_INDEX[statistic]
    return (
        total[batch_columns.SUMS_START + fact]
        / total[batch_columns.SUMS_START + batch_columns.DENOMINATOR_INDICES[fact]]
        / scale
    )


def _draw_deal_rows(rng, luck, is_nondealer, win_probability):
    """Return a batch row with one random deal for every unit.

    Args:
        rng: Random generator.
        luck: Luck of A, smaller is better.
        is_nondealer: True for units in which A is the nondealer.
        win_probability: Win probability of A.
    """
    n = len(luck)
    rows = np.zeros((n, batch_columns.N_COLUMNS), np.int64)
    facts = rows[:, batch_columns.SUMS_START : batch_columns.SQUARES_START]
    own = 0.5 * luck + 0.5 * rng.random(n) < win_probability
    _add_deal(facts, rng, own)
    facts[:, batch_columns.STATISTIC_INDEX["first_player_win"]] = get_statistic(
        facts, "decided"
    ) * (own == is_nondealer)
    better = np.where(
        is_nondealer, 0.5 - luck, luck - 0.5
    )  # the nondealer's luck minus the dealer's luck
    rows[:, batch_columns.DEADWOOD_DIFFERENCE_COLUMN] = np.rint(60 * better + rng.normal(0, 10, n))
    rows[:, batch_columns.SQUARED_DEAL_MARGIN_COLUMN] = get_statistic(facts, "a_margin") ** 2
    every = np.arange(n)
    rows[every, batch_columns.TURNS_HISTOGRAM_START + get_statistic(facts, "turns")] = 1
    rows[every, batch_columns.DEADWOOD_HISTOGRAM_START + get_statistic(facts, "knock_count")] = (
        get_statistic(facts, "showdowns")
    )
    return rows


def _complete_units(population, is_match):
    """Set the squares, products and pair scores of units from their sums."""
    facts = population[:, batch_columns.SUMS_START : batch_columns.SQUARES_START]
    population[:, batch_columns.SQUARES_START : batch_columns.PRODUCTS_START] = facts**2
    population[:, batch_columns.PRODUCTS_START : batch_columns.TURNS_HISTOGRAM_START] = (
        facts * facts[:, list(batch_columns.DENOMINATOR_INDICES)]
    )
    halves, won = get_statistic(facts, "matches"), get_statistic(facts, "a_match_win")
    if not is_match:
        halves = get_statistic(facts, "deals")
        won = halves + get_statistic(facts, "a_deal_win") - get_statistic(facts, "b_deal_win")
    population[
        np.arange(len(population)), batch_columns.WIN_RATE_HISTOGRAM_START + 2 * won // halves
    ] = 1


def _add_deal(statistics, rng, is_won_by_a):
    """Add a random deal to the statistics of every unit."""
    units = len(statistics)
    kind = rng.choice(len(DEAL_RESULTS), size=units, p=RESULT_PROBABILITIES)
    decided = kind != DEAL_RESULTS.index("void")
    points = rng.integers(1, 60, units) * decided
    is_won_by_a, other = is_won_by_a & decided, ~is_won_by_a & decided
    amounts = {"deals": 1, "decided": decided, "points_scored": points}
    amounts |= {"turns": rng.integers(1, 25, units), "showdowns": np.isin(kind, (0, 2))}
    amounts |= {"knock_count": rng.integers(1, 11, units) * np.isin(kind, (0, 2))}
    amounts |= {"a_deal_win": is_won_by_a, "b_deal_win": other}
    amounts |= {"a_points": is_won_by_a * points, "b_points": other * points}
    amounts |= {"a_margin": is_won_by_a * points - other * points}
    amounts |= {"a_takes": rng.integers(0, 3, units), "a_draws": 7}
    amounts |= {"b_takes": rng.integers(0, 4, units), "b_draws": 6}
    amounts |= {"first_player_win": decided & (rng.random(units) < 0.5)}
    for i, name in enumerate(DEAL_RESULTS):
        amounts[name] = kind == i
        if name in batch_columns.WINNING_RESULTS:
            amounts[f"points_{name}"] = points * (kind == i)
            amounts |= {
                f"a_won_{name}": is_won_by_a & (kind == i),
                f"b_won_{name}": other & (kind == i),
            }
    _add_amounts(statistics, amounts)


def _add_match(statistics, is_won_by_a, loser_points):
    """Add a match with this winner to the statistics of every unit."""
    amounts = {
        "matches": 1,
        "matches_decided": 1,
        "a_match_win": 2 * is_won_by_a,
        "b_match_win": 2 * ~is_won_by_a,
    }
    amounts |= {"winner_score": 100, "loser_score": loser_points, "loser_zero": loser_points == 0}
    amounts |= {"a_match_margin": np.where(is_won_by_a, 100 - loser_points, loser_points - 100)}
    _add_amounts(statistics, amounts)


def _add_amounts(statistics, amounts):
    for name, amount in amounts.items():
        statistics[:, batch_columns.STATISTIC_INDEX[name]] += amount


def make_tidy_rows(*matchup):
    """Return the results of a matchup as a tidy DataFrame."""
    return table.make_frame(table.compute_estimate_rows(*matchup), table.TABLE_COLUMNS)
