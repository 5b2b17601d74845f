"""Standings, equilibrium mix and cross-table of a round-robin league.

A single number cannot rank Gin Rummy strategies. The strategy that wins the most deals does not
always win the most matches, and results depend on the opponent
(docs/explanation/statistics.md#traps). The standings therefore show ratings, the equilibrium mix,
matches, deals and points, together with the cross-table. Ratings follow the Bradley-Terry model
with one virtual draw per pairing. The standard errors of ratings are bootstrap estimates
(docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simgin.stats import batches, metrics, paired_estimate
from simgin.stats.batches import BatchRows
from simgin.stats.estimate import Z95, RatioSums, critical_value, estimate_ratio
from simgin.stats.metrics import Metric
from simgin.stats.round_robin import ELO_PER_LOG_ODDS, Pairings, RoundRobin, select_connected
from simgin.stats.table import Frame, concat_frames, make_frame

MIX_COLUMNS = (
    *("strategy", "mix", "mix_low", "mix_high"),
    *("elo_v_mix", "elo_v_mix_low", "elo_v_mix_high"),
)
MIX_SAMPLES = 200  # number of bootstrap samples; each sample needs a linear program
INTERVAL_PERCENTILES = (2.5, 97.5)  # percentiles of the bootstrap samples that bound an interval
MIN_WEIGHT = 1e-6  # minimum weight of a strategy that is part of the mix
RATING_COLUMNS = (
    *("strategy", "elo", "se", "low", "high"),
    *("lead", "lead_se", "lead_low", "lead_high", "n"),
)
CROSS_TABLE_COLUMNS = ("strategy", "opponent", "value", "se", "low", "high", "n")


def compute_cross_table(pairings: Pairings) -> Frame:
    """Return the win rate of every strategy against every opponent, in both directions.

    Args:
        pairings: Batch rows of each pair of strategies.

    Returns:
        DataFrame with CROSS_TABLE_COLUMNS. `value` is the proportion of matches that the strategy
        won, or of deals if no matches were played. Draws count as half a win. `n` is the number
        of matches or deals. To get a matrix, use `frame.pivot(index="strategy", columns="opponent",
        values="value")`.
    """
    table = [row for (a, b), rows in pairings.items() for row in _cross_rows(a, b, rows)]
    return make_frame(table, CROSS_TABLE_COLUMNS)


def compute_ratings(robin: RoundRobin) -> Frame:
    """Return the Elo ratings of all strategies, best strategy first.

    Args:
        robin: Round robin of the strategies.

    Returns:
        DataFrame with RATING_COLUMNS. The anchor is `simple` if it takes part, otherwise the first
        strategy. The rating of the anchor is 0 by definition. `lead` is the difference from the
        next row, with its own standard error, because much of the uncertainty of a rating is due to
        the anchor. `n` is the number of matches or deals. If a strategy is not connected with the
        anchor by a chain of pairings, its rating is NaN. If a pairing has fewer than 5 batches, all
        ratings are NaN.
    """
    frame = _undefined_ratings(robin)
    connected = select_connected(robin)
    if not connected.has_enough_batches:
        return frame
    counts = frame.set_index("strategy")["n"]
    ranked = _rank(connected)
    ranked = ranked.assign(n=counts[ranked["strategy"]].to_numpy())
    is_connected = frame["strategy"].isin(connected.names)
    if is_connected.all():
        return ranked
    return concat_frames([ranked, frame[~is_connected]])


def _rank(robin: RoundRobin) -> Frame:
    """Return the ratings of a connected round robin, best first.

    The columns are RATING_COLUMNS without `n`.
    """
    log_t = robin.strengths
    by_name = ELO_PER_LOG_ODDS * (log_t - log_t[:, :1])
    order = np.argsort(-by_name[0], kind="stable")
    elo = by_name[:, order]
    lead = elo - np.roll(elo, -1, axis=1)
    lead[:, -1] = np.nan
    half_width = robin.interval_half_width(elo[1:])
    lead_half_width = robin.interval_half_width(lead[1:])
    columns = {
        "strategy": [robin.names[index] for index in order],
        "elo": elo[0],
        "se": robin.bootstrap_se(elo[1:]),
        "low": elo[0] - half_width,
        "high": elo[0] + half_width,
        "lead": lead[0],
        "lead_se": robin.bootstrap_se(lead[1:]),
        "lead_low": lead[0] - lead_half_width,
        "lead_high": lead[0] + lead_half_width,
    }
    return make_frame(columns)


def _undefined_ratings(robin: RoundRobin) -> Frame:
    """Return a DataFrame in which all ratings are undefined."""
    unknown = dict.fromkeys(RATING_COLUMNS, np.nan)
    counts = [
        sum(_count_results(rows) for pair, rows in robin.pairings.items() if name in pair)
        for name in robin.names
    ]
    return make_frame({**unknown, "strategy": robin.names, "n": counts})


def _cross_rows(a: str, b: str, rows: np.ndarray) -> list[tuple[object, ...]]:
    """Return the cross-table rows of a pairing in both directions, with standard errors."""
    counts = [int(count) for count in rows[:, batches.PAIR_COLUMNS].sum(axis=0, dtype=np.int64)]
    pairs = sum(counts)
    quarter_wins = sum(count * score for score, count in enumerate(counts))
    squares = sum(count * score**2 for score, count in enumerate(counts))
    score = RatioSums(
        quarter_wins,
        squares,
        pairs,
        pairs,
        quarter_wins,
        scale=4,
        is_proportion=True,
        is_in_every_unit=True,
    )
    win_rate = estimate_ratio(pairs, score)
    n = _count_results(rows)
    return [
        (a, b, win_rate.value, win_rate.se, win_rate.low, win_rate.high, n),
        (b, a, 1 - win_rate.value, win_rate.se, 1 - win_rate.high, 1 - win_rate.low, n),
    ]


def _count_results(rows: np.ndarray) -> int:
    return 2 * int(batches.unit_counts(rows).sum())


MEASURES = {"deal": ("deal_win", "margin"), "match": ("match_win", "deal_win", "margin")}
LEAGUE_COLUMNS = (
    *("place", "strategy", "elo", "elo_se", "elo_low", "elo_high"),
    *(f"{measure}{end}" for measure in MEASURES["match"] for end in ("", "_se", "_low", "_high")),
    "n",
    *("lead", "lead_se", "lead_low", "lead_high"),
    *MIX_COLUMNS[1:],
)
# Columns for which the table has intervals
LEAGUE_ESTIMATES = ("elo", *MEASURES["match"], "lead", "mix", "elo_v_mix")


def compute_standings(sides: Sequence[BatchRows], ratings: Frame, mix: Frame) -> Frame:
    """Return the mean results of each strategy against all opponents, best rating first.

    Args:
        sides: All matchups from both perspectives, with the same size and seed. Opponents have
            equal weights. Standard errors are computed from the joint batches of all matchups,
            because the matchups share their deals.
        ratings: Result of `compute_ratings` for the same matchups.
        mix: Result of `compute_equilibrium_mix` for the same matchups.

    Returns:
        DataFrame with LEAGUE_COLUMNS and 95 % intervals.
    """
    rows = []
    by_name = mix.set_index("strategy")
    rated = ratings.rename(columns={"se": "elo_se", "low": "elo_low", "high": "elo_high"})
    for rank, own_rating in enumerate(rated.to_dict("records"), start=1):
        strategy = own_rating["strategy"]
        strategy_sides = [side for side in sides if side.strategy == strategy]
        rows.append(
            {"place": rank, **own_rating, **_mean_measures(strategy_sides), **by_name.loc[strategy]}
        )
    return make_frame(rows, LEAGUE_COLUMNS)


def find_duplicate_entries(sides: Sequence[BatchRows]) -> list[tuple[str, ...]]:
    """Return groups of strategies whose results against all opponents are identical.

    Such duplicates count several times as opponents of the other strategies.

    The random numbers of policies depend on the side, A or B. If duplicates use random numbers, the
    function detects them only if they are adjacent in the list or play all opponents from the same
    side.

    Args:
        sides: All matchups from both perspectives.
    """
    results: dict[str, dict[str, bytes]] = {}
    for side in sides:
        results.setdefault(side.strategy, {})[side.opponent] = _result_bytes(side)
    groups: list[list[str]] = []
    for name in results:
        for group in groups:
            other_names = results.keys() - {*group, name}
            result = results[group[0]]
            is_duplicate = all(
                result[opponent] == results[name][opponent] for opponent in other_names
            )
            if is_duplicate and all(result[name] == result[member] for member in group[1:]):
                group.append(name)
                break
        else:
            groups.append([name])
    return [tuple(group) for group in groups if len(group) > 1]


def _result_bytes(side: BatchRows) -> bytes:
    """Return the numerators of all per-deal metrics in each batch as bytes, for comparison."""
    columns = [
        metric.sign(side.as_b) * batches.fact_sums(side.rows, metric.fact_index(side.as_b))
        for metric in metrics.select_metrics(metrics.DEAL)
    ]
    return np.stack(columns).tobytes()


def _mean_measures(sides: Sequence[BatchRows]) -> dict[str, float]:
    """Return the mean results of a strategy with intervals, and the number of deals or matches."""
    unit = sides[0].matchup.unit
    row: dict[str, float] = {}
    for name in MEASURES[unit]:
        mean, se, half_width = _mean_metric(sides, metrics.METRICS_BY_NAME[name])
        row |= {name: mean, f"{name}_se": se}
        row |= {f"{name}_low": mean - half_width, f"{name}_high": mean + half_width}
    row["n"] = sum(batches.count_played(side.rows, unit) for side in sides)
    return row


def _mean_metric(sides: Sequence[BatchRows], metric: Metric) -> tuple[float, float, float]:
    """Return the mean of a metric over matchups, its standard error and its half-width.

    If there are too few batches, the half-width is NaN.
    """
    mean = paired_estimate.average_estimates(
        [paired_estimate.compute_ratio(entry.rows, metric, entry.as_b) for entry in sides]
    )
    widening = max(side.multiplier or Z95 for side in sides) / Z95
    half_width = critical_value(batches.effective_batches(sides[0].rows)) * mean.se * widening
    return mean.value, mean.se, half_width


# Equilibrium mix, a mixture of strategies that no strategy beats. Ratings are averages over all
# participants, so ten copies of a weak strategy raise the ratings of all strategies that beat it.
# The equilibrium of the game "choose a strategy" does not change if copies or weaker strategies are
# added (Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation", NeurIPS 2018).


def compute_equilibrium_mix(robin: RoundRobin) -> Frame:
    """Return the weights of the equilibrium mix, and the Elo ratings against this mix.

    The payoffs of the game are log odds. Elo against the mix is 0 for strategies in the mix and at
    most 0 for other strategies. Weights can shift abruptly from one strategy to another, so their
    intervals are percentiles of the bootstrap samples. If a strategy never won against the mix, its
    Elo is computed for half a win and has no interval.

    Args:
        robin: Round robin of the strategies.

    Returns:
        DataFrame with MIX_COLUMNS in the order of names. Values are NaN unless there are at least
        three strategies and all of them played each other in enough batches.
    """
    frame = make_frame({**dict.fromkeys(MIX_COLUMNS, np.nan), "strategy": robin.names})
    if not robin.is_complete or not robin.has_enough_batches:
        return frame
    games = robin.log_odds[: MIX_SAMPLES + 1]
    mix, *sampled_mixes = map(solve_equilibrium, games)
    mix_low, mix_high = np.percentile(sampled_mixes, INTERVAL_PERCENTILES, axis=0)
    against = zip(games, [mix, *sampled_mixes], strict=True)
    elo, *sampled_elo = (ELO_PER_LOG_ODDS * (game @ weights) for game, weights in against)
    half_width = robin.interval_half_width(np.array(sampled_elo))
    interval_width = np.where(((robin.wins[0] @ mix) == 0) & (mix == 0), np.nan, half_width)
    return frame.assign(
        mix=mix,
        mix_low=mix_low,
        mix_high=mix_high,
        elo_v_mix=elo,
        elo_v_mix_low=elo - interval_width,
        elo_v_mix_high=np.minimum(elo + interval_width, 0),
    )


def solve_equilibrium(game: np.ndarray) -> np.ndarray:
    """Return the equilibrium weights of a symmetric zero-sum game.

    Args:
        game: Payoffs, (k, k) float64. game[i, j] = -game[j, i] is the gain of choice i against
            choice j.

    Returns:
        Weights, (k,) float64 with sum 1. If there are several equilibria, the result has maximum
        entropy, so that equivalent choices have equal weights.
    """
    interior = _solve_interior(game)
    in_mix = interior > MIN_WEIGHT
    weights = interior * in_mix
    gains = game[:, in_mix]
    mix_gains = gains[in_mix]
    if np.linalg.matrix_rank(mix_gains) < len(mix_gains) - 1:
        weights[in_mix] = _maximise_entropy(gains, weights[in_mix])
    return np.asarray(weights / weights.sum())


def _solve_interior(game: np.ndarray) -> np.ndarray:
    """Return an equilibrium with as many positive weights as possible.

    If a choice has a positive weight in some equilibrium, its weight in the result is positive. The
    result maximises the minimum of x - game @ x over weights x >= 0 with game @ x <= 0, because
    there is an equilibrium in which each choice has a positive weight or loses (Goldman and Tucker
    1956).
    """
    from scipy.optimize import linprog

    k = len(game)
    column = np.ones((k, 1))
    objective = np.append(np.zeros(k), -1.0)
    no_gain = np.hstack([game, 0 * column])
    least = np.hstack([game - np.eye(k), column])
    sum_of_weights = np.append(np.ones(k), 0.0)
    solution = linprog(
        objective,
        A_ub=np.vstack([no_gain, least]),
        b_ub=np.zeros(2 * k),
        A_eq=sum_of_weights[None],
        b_eq=[1.0],
        bounds=(0, None),
    )
    return np.asarray(solution.x[:k])


def _maximise_entropy(game: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the equilibrium with maximum entropy.

    Args:
        game: Payoffs of all choices against the choices in the mix, (k, n_in_mix).
        start: Positive weights of an equilibrium, (n_in_mix,).
    """
    from scipy.optimize import minimize

    def order(x: np.ndarray) -> float:
        return float(x @ np.log(x))

    def slope(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(x) + 1)

    no_gain = {"type": "ineq", "fun": lambda x: -game @ x, "jac": lambda x: -game}
    ones = np.ones_like(start)
    sum_is_one = {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: ones}
    solution = minimize(
        order,
        start,
        jac=slope,
        bounds=[(MIN_WEIGHT**2, 1)] * len(start),
        constraints=[no_gain, sum_is_one],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return np.asarray(solution.x)
