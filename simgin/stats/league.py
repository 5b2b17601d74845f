"""Standings, equilibrium mix and cross-table of a round-robin league.

Gin Rummy strategies cannot be ranked by a single number. The strategy that wins the most deals does
not always win the most matches, and results depend on the opponent
(docs/explanation/statistics.md#traps). The standings therefore show ratings, the equilibrium mix,
matches, deals and points together with the cross-table. Ratings follow the Bradley-Terry model with
one virtual draw per pairing. The standard errors of ratings are bootstrap estimates
(docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simgin.stats import batches, metrics, paired_estimate
from simgin.stats.batches import BatchRows
from simgin.stats.estimate import Z95, RatioSums, compute_critical_value, estimate_ratio
from simgin.stats.metrics import Metric
from simgin.stats.round_robin import (
    ELO_PER_LOG_ODDS,
    Pairings,
    RoundRobin,
    select_connected_strategies,
)
from simgin.stats.table import Frame, concat_frames, make_frame

MIX_COLUMNS = (
    *("strategy", "mix", "mix_low", "mix_high"),
    *("elo_v_mix", "elo_v_mix_low", "elo_v_mix_high"),
)
N_MIX_SAMPLES = 200  # number of bootstrap samples (simgin solves a linear program for each)
# percentiles of the bootstrap samples that are the bounds of an interval
INTERVAL_PERCENTILES = (2.5, 97.5)
MIN_MIX_WEIGHT = 1e-6  # minimum weight of a strategy in the equilibrium mix
RATING_COLUMNS = (
    *("strategy", "elo", "se", "low", "high"),
    *("lead", "lead_se", "lead_low", "lead_high", "n"),
)
CROSS_TABLE_COLUMNS = ("strategy", "opponent", "value", "se", "low", "high", "n")


def compute_cross_table(pairings: Pairings) -> Frame:
    """Return the win rate of every strategy against every opponent.

    Args:
        pairings: Batch rows of each pair of strategies.

    Returns:
        DataFrame with CROSS_TABLE_COLUMNS. `value` is the proportion of matches or, if no matches
        were played, of deals that the strategy won. Draws count as half a win. `n` is the number of
        matches or deals. To get a matrix, use `frame.pivot(index="strategy", columns="opponent",
        values="value")`.
    """
    table_rows = [
        row for (a, b), rows in pairings.items() for row in _make_cross_table_rows(a, b, rows)
    ]
    return make_frame(table_rows, CROSS_TABLE_COLUMNS)


def compute_ratings(round_robin: RoundRobin) -> Frame:
    """Return the Elo ratings of all strategies, with the best strategy first.

    Args:
        round_robin: Round robin of the strategies.

    Returns:
        DataFrame with RATING_COLUMNS. If `simple` takes part, it is the anchor. Otherwise, the
        first strategy is the anchor. The rating of the anchor is 0 by definition. `lead` is the
        difference from the next row. The lead has a separate standard error because the anchor
        causes much of the uncertainty of a rating. `n` is the number of matches or deals. If no
        chain of pairings connects a strategy with the anchor, the rating of the strategy is NaN. If
        a pairing has fewer than 5 batches, all ratings are NaN.
    """
    frame = _make_undefined_ratings(round_robin)
    connected_round_robin = select_connected_strategies(round_robin)
    if not connected_round_robin.has_enough_batches:
        return frame
    result_counts = frame.set_index("strategy")["n"]
    ratings = _compute_connected_ratings(connected_round_robin)
    ratings = ratings.assign(n=result_counts[ratings["strategy"]].to_numpy())
    is_connected = frame["strategy"].isin(connected_round_robin.names)
    return ratings if is_connected.all() else concat_frames([ratings, frame[~is_connected]])


def _compute_connected_ratings(round_robin: RoundRobin) -> Frame:
    """Return the ratings of a connected round robin, with the best strategy first.

    The columns are RATING_COLUMNS except `n`.
    """
    log_strengths = round_robin.strengths
    elo_by_name = ELO_PER_LOG_ODDS * (log_strengths - log_strengths[:, :1])
    descending_order = np.argsort(-elo_by_name[0], kind="stable")
    elo = elo_by_name[:, descending_order]
    lead = elo - np.roll(elo, -1, axis=1)
    lead[:, -1] = np.nan
    half_width = round_robin.compute_half_width(elo[1:])
    lead_half_width = round_robin.compute_half_width(lead[1:])
    columns = {
        "strategy": [round_robin.names[index] for index in descending_order],
        "elo": elo[0],
        "se": round_robin.compute_bootstrap_se(elo[1:]),
        "low": elo[0] - half_width,
        "high": elo[0] + half_width,
        "lead": lead[0],
        "lead_se": round_robin.compute_bootstrap_se(lead[1:]),
        "lead_low": lead[0] - lead_half_width,
        "lead_high": lead[0] + lead_half_width,
    }
    return make_frame(columns)


def _make_undefined_ratings(round_robin: RoundRobin) -> Frame:
    """Return a DataFrame in which all ratings are undefined."""
    undefined_columns = dict.fromkeys(RATING_COLUMNS, np.nan)
    counts = [
        sum(_count_results(rows) for pair, rows in round_robin.pairings.items() if name in pair)
        for name in round_robin.names
    ]
    return make_frame({**undefined_columns, "strategy": round_robin.names, "n": counts})


def _make_cross_table_rows(a: str, b: str, rows: np.ndarray) -> list[tuple[object, ...]]:
    """Return the rows of two strategies in the cross-table, one from the perspective of each."""
    pair_counts = rows[:, batches.PAIR_HISTOGRAM_COLUMNS].sum(axis=0, dtype=np.int64).tolist()
    n_pairs = sum(pair_counts)
    quarter_wins = sum(count * score for score, count in enumerate(pair_counts))
    squared_quarter_wins = sum(count * score**2 for score, count in enumerate(pair_counts))
    sums = (quarter_wins, squared_quarter_wins, n_pairs, n_pairs, quarter_wins)
    ratio_sums = RatioSums(*sums, scale=4, is_proportion=True, has_positive_denominators=True)
    win_rate = estimate_ratio(n_pairs, ratio_sums)
    n_results = _count_results(rows)
    return [
        (a, b, win_rate.value, win_rate.se, win_rate.low, win_rate.high, n_results),
        (b, a, 1 - win_rate.value, win_rate.se, 1 - win_rate.high, 1 - win_rate.low, n_results),
    ]


def _count_results(rows: np.ndarray) -> int:
    """Return the number of deals or matches in mirrored pairs, two per pair."""
    return 2 * int(batches.extract_unit_counts(rows).sum())


STANDINGS_METRICS = {"deal": ("deal_win", "margin"), "match": ("match_win", "deal_win", "margin")}
LEAGUE_COLUMNS = (
    *("place", "strategy", "elo", "elo_se", "elo_low", "elo_high"),
    *(
        f"{metric_name}{suffix}"
        for metric_name in STANDINGS_METRICS["match"]
        for suffix in ("", "_se", "_low", "_high")
    ),
    "n",
    *("lead", "lead_se", "lead_low", "lead_high"),
    *MIX_COLUMNS[1:],
)
# columns of the standings that have confidence intervals
LEAGUE_ESTIMATE_COLUMNS = ("elo", *STANDINGS_METRICS["match"], "lead", "mix", "elo_v_mix")


def compute_standings(matchups: Sequence[BatchRows], ratings: Frame, mix: Frame) -> Frame:
    """Return the mean results of each strategy against all opponents, with the best rating first.

    If the ratings are undefined, the strategy with the highest win rate is first.

    Args:
        matchups: All matchups, each from both perspectives. The matchups have the same size and
            seed. Opponents have equal weights. Standard errors are computed from the joint
            influences of all matchups, because they share their deals.
        ratings: Result of `compute_ratings` for the same matchups.
        mix: Result of `compute_equilibrium_mix` for the same matchups.

    Returns:
        DataFrame with LEAGUE_COLUMNS, which include 95 % intervals.
    """
    rows = []
    mix_by_name = mix.set_index("strategy")
    renamed_ratings = ratings.rename(columns={"se": "elo_se", "low": "elo_low", "high": "elo_high"})
    for rating_row in renamed_ratings.to_dict("records"):
        strategy = rating_row["strategy"]
        measures = _compute_mean_results([side for side in matchups if side.strategy == strategy])
        rows.append({**rating_row, **measures, **mix_by_name.loc[strategy]})
    if ratings["elo"].isna().all():
        win_rate = STANDINGS_METRICS[matchups[0].matchup.unit][0]
        rows.sort(key=lambda row: row[win_rate], reverse=True)
    return make_frame(
        [{"place": place, **row} for place, row in enumerate(rows, start=1)], LEAGUE_COLUMNS
    )


def find_duplicate_strategies(matchups: Sequence[BatchRows]) -> list[tuple[str, ...]]:
    """Return the groups of strategies that have identical results against all opponents.

    Duplicates count several times as opponents of the other strategies. The random numbers of a
    policy depend on whether the strategy is A or B. If duplicates use random numbers, the function
    detects them only if they are adjacent in the list or are always on the same side.

    Args:
        matchups: All matchups from both perspectives.
    """
    results_by_name: dict[str, dict[str, bytes]] = {}
    for side in matchups:
        results_by_name.setdefault(side.strategy, {})[side.opponent] = _encode_results(side)
    groups: list[list[str]] = []
    for name in results_by_name:
        for group in groups:
            names = results_by_name.keys() - {*group, name}
            first_name, *members = group
            results, first_result = results_by_name[name], results_by_name[first_name]
            is_duplicate = all(
                results[other_name] == first_result[other_name] for other_name in names
            )
            if is_duplicate and all(
                first_result[name] == first_result[member] for member in members
            ):
                group.append(name)
                break
        else:
            groups.append([name])
    return [tuple(group) for group in groups if len(group) > 1]


def _encode_results(rows: BatchRows) -> bytes:
    """Return the results of a strategy in every batch as bytes, for an exact comparison."""
    columns = [
        metric.get_sign(rows.as_b)
        * batches.extract_statistic_sums(rows.rows, metric.find_numerator_index(rows.as_b))
        for metric in metrics.select_metrics(metrics.DEAL)
    ]
    return np.stack(columns).tobytes()


def _compute_mean_results(matchups: Sequence[BatchRows]) -> dict[str, float]:
    """Return the mean results of a strategy with intervals, and the number of deals or matches."""
    unit = matchups[0].matchup.unit
    row: dict[str, float] = {}
    for name in STANDINGS_METRICS[unit]:
        mean, se, half_width = _compute_mean_metric(matchups, metrics.METRICS_BY_NAME[name])
        row |= {name: mean, f"{name}_se": se}
        row |= {f"{name}_low": mean - half_width, f"{name}_high": mean + half_width}
    row["n"] = sum(batches.count_games(side.rows, unit) for side in matchups)
    return row


def _compute_mean_metric(
    matchups: Sequence[BatchRows], metric: Metric
) -> tuple[float, float, float]:
    """Return a metric's mean over matchups, its standard error and the half-width of its interval.

    If there are too few batches, the half-width is NaN.
    """
    estimates = [
        paired_estimate.estimate_metric_by_batch(side.rows, metric, side.as_b) for side in matchups
    ]
    mean = paired_estimate.average_estimates(estimates)
    factor = max(side.critical_value or Z95 for side in matchups) / Z95
    half_width = (
        compute_critical_value(batches.count_effective_batches(matchups[0].rows)) * mean.se * factor
    )
    return mean.value, mean.se, half_width


# The equilibrium mix is a mixture of strategies that no strategy beats. Ratings are averages over
# all participants, so ten copies of a weak strategy raise the ratings of all strategies that beat
# it. If copies or weaker strategies are added, the equilibrium of the game "choose a strategy" does
# not change (Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation", NeurIPS 2018).


def compute_equilibrium_mix(round_robin: RoundRobin) -> Frame:
    """Return the weights of the equilibrium mix, and the Elo ratings against this mix.

    The payoffs of this game are log odds. Elo against the mix is 0 for strategies in the mix and at
    most 0 for other strategies. Weights can shift abruptly between strategies, so the intervals are
    percentiles of the bootstrap samples. If a strategy never won against the mix, its Elo rating is
    computed with half a win added and has no interval.

    Args:
        round_robin: Round robin of the strategies.

    Returns:
        DataFrame with MIX_COLUMNS, in the order of the names. Values are NaN unless at least three
        strategies all played each other in enough batches.
    """
    frame = make_frame({**dict.fromkeys(MIX_COLUMNS, np.nan), "strategy": round_robin.names})
    if not round_robin.is_complete or not round_robin.has_enough_batches:
        return frame
    payoff_tables = round_robin.log_odds[: N_MIX_SAMPLES + 1]
    mix, *sampled_mixes = map(solve_equilibrium, payoff_tables)
    mix_low, mix_high = np.percentile(sampled_mixes, INTERVAL_PERCENTILES, axis=0)
    payoffs_and_weights = zip(payoff_tables, [mix, *sampled_mixes], strict=True)
    elo, *sampled_elo = (
        ELO_PER_LOG_ODDS * (payoffs @ weights) for payoffs, weights in payoffs_and_weights
    )
    half_width = round_robin.compute_half_width(np.array(sampled_elo))
    finite_half_width = np.where(
        ((round_robin.wins[0] @ mix) == 0) & (mix == 0), np.nan, half_width
    )
    return frame.assign(
        mix=mix,
        mix_low=mix_low,
        mix_high=mix_high,
        elo_v_mix=elo,
        elo_v_mix_low=elo - finite_half_width,
        elo_v_mix_high=np.minimum(elo + finite_half_width, 0),
    )


def solve_equilibrium(payoffs: np.ndarray) -> np.ndarray:
    """Return the equilibrium weights of a symmetric zero-sum game.

    Args:
        payoffs: Payoffs, (k, k) float64. payoffs[i, j] = -payoffs[j, i] is the gain of choice i
            against choice j.

    Returns:
        Weights, (k,) float64 with sum 1. If there are several equilibria, the weights have maximum
        entropy, so that equivalent choices have equal weights.
    """
    interior_weights = _find_interior_equilibrium(payoffs)
    in_mix = interior_weights > MIN_MIX_WEIGHT
    weights = interior_weights * in_mix
    payoffs_against_mix = payoffs[:, in_mix]
    mix_payoffs = payoffs_against_mix[in_mix]
    if np.linalg.matrix_rank(mix_payoffs) < len(mix_payoffs) - 1:
        weights[in_mix] = _maximise_entropy(payoffs_against_mix, weights[in_mix])
    return np.asarray(weights / weights.sum())


def _find_interior_equilibrium(payoffs: np.ndarray) -> np.ndarray:
    """Return an equilibrium with as many positive weights as possible.

    If a choice has a positive weight in some equilibrium, its weight in the result is positive. The
    result maximises the minimum of x - payoffs @ x over weights x >= 0 with payoffs @ x <= 0. There
    is an equilibrium in which each choice either has a positive weight or loses against the
    equilibrium weights (Goldman and Tucker 1956).
    """
    from scipy.optimize import linprog

    n_choices = len(payoffs)
    ones_column = np.ones((n_choices, 1))
    objective = np.append(np.zeros(n_choices), -1.0)
    gain_constraints = np.hstack([payoffs, 0 * ones_column])
    minimum_constraints = np.hstack([payoffs - np.eye(n_choices), ones_column])
    weight_sum = np.append(np.ones(n_choices), 0.0)
    solution = linprog(
        objective,
        A_ub=np.vstack([gain_constraints, minimum_constraints]),
        b_ub=np.zeros(2 * n_choices),
        A_eq=weight_sum[None],
        b_eq=[1.0],
        bounds=(0, None),
    )
    return np.asarray(solution.x[:n_choices])


def _maximise_entropy(payoffs: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the equilibrium with maximum entropy.

    Args:
        payoffs: Payoffs of all choices against the choices in the mix, (k, n_in_mix).
        start: Positive weights of an equilibrium, (n_in_mix,).
    """
    from scipy.optimize import minimize

    def compute_negative_entropy(weights: np.ndarray) -> float:
        return float(weights @ np.log(weights))

    def compute_gradient(weights: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(weights) + 1)

    gain_constraint = {"type": "ineq", "fun": lambda x: -payoffs @ x, "jac": lambda x: -payoffs}
    unit_gradient = np.ones_like(start)
    sum_constraint = {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: unit_gradient}
    solution = minimize(
        compute_negative_entropy,
        start,
        jac=compute_gradient,
        bounds=[(MIN_MIX_WEIGHT**2, 1)] * len(start),
        constraints=[gain_constraint, sum_constraint],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return np.asarray(solution.x)
