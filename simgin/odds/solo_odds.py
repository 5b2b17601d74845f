"""Odds of solitaire games as tidy DataFrames with 95 % confidence intervals.

    variant = "solitaire-gin"
    players = list_odds_players(find_variant(variant))  # weakest first
    samples = [play_solo_deals(player, variant, 40_000) for player in players]
    compute_odds_by_strategy(samples)  # win rates, gin rates and scores
    compute_odds_by_draws(samples[-1])  # endings of the strongest player by number of draws

The columns of every DataFrame are listed in simgin/stats/rows.toml.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.cards import ALL_CARDS
from simgin.core.meldings import find_melds
from simgin.core.rules_record import JOKER_NONE
from simgin.match_value import match_value, outcomes
from simgin.odds.solo_deals import SoloDeals, add_player_columns, count_dealt_cards
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.stats.estimate import (
    MIN_UNITS_FOR_ESTIMATE,
    Z_80_PERCENT_POWER,
    Estimate,
    RatioSums,
    compute_critical_value,
    estimate_mean,
    estimate_ratio,
    make_estimate_with_t_interval,
    make_undefined_estimate,
)
from simgin.stats.table import concat_frames, make_estimate_columns

if TYPE_CHECKING:
    import pandas as pd

ENDING_GROUPS = {
    "gin": ("gin", "big_gin"),
    "knock": ("knock", "undercut", "even"),
    "joker": ("joker",),
    "limit": ("limit",),
}
QUANTILES = (0.1, 0.5, 0.9)

RESULT_COLUMNS = {"win": "won", "score": "score"}  # column of each metric
HINDSIGHT_PLAYER = "hindsight"  # name of the player who sees the whole deck
N_HINDSIGHT_DECKS = 10_000  # number of random decks for HINDSIGHT_PLAYER
MAX_MELDS_IN_PACK = 1024


def compute_odds_by_strategy(samples: Sequence[SoloDeals]) -> pd.DataFrame:
    """Compute the win rate, gin rate, score and match win rate of every strategy.

    The metrics are `win` and `gin` (proportions of deals), `score` (mean per deal) and `match`
    (probability of winning the match). In matches with a fixed number of deals, `match` is the
    observed win rate. In matches to a number of points, `match` is the match value at the start,
    computed from the same deals. If the match value cannot be computed, there is no row for
    `match`, and `find_match_unavailable_reason` returns the reason.
    """
    return concat_frames([_compute_strategy_odds(deals) for deals in samples])


def _compute_strategy_odds(deals: SoloDeals) -> pd.DataFrame:
    """Compute the odds of one strategy (see `compute_odds_by_strategy`)."""
    rows = _build_result_rows(deals)
    if not deals.matchup.variant.goal.is_one_deal and not find_match_unavailable_reason(deals):
        rows.append(
            {"metric": "match", **make_estimate_columns(*compute_match_win_probability(deals))}
        )
    return add_player_columns("strength", deals.matchup, rows)


def _build_result_rows(deals: SoloDeals) -> list[dict[str, Any]]:
    """Return one row each for the win rate, the gin rate and the mean score."""
    return [
        {
            "metric": name,
            **make_estimate_columns(estimate_mean_over_deals(deals, *values), len(deals.rows)),
        }
        for name, values in _get_metric_values(deals).items()
    ]


def _get_metric_values(deals: SoloDeals) -> dict[str, tuple[np.ndarray, bool]]:
    """Return each metric's values in all deals, and True if the metric is a proportion."""
    return {
        "win": (deals.get_column("won"), True),
        "gin": (deals.find_deals_with_ending(*ENDING_GROUPS["gin"]), True),
        "score": (deals.get_column("score"), False),
    }


def find_match_unavailable_reason(deals: SoloDeals) -> str:
    """Return the reason why the match win probability is unavailable, or "" if it is available."""
    if deals.matchup.variant.goal.is_one_deal:
        return ""
    try:
        compute_match_win_probability(deals)
    except match_value.ValueUnavailableError as error:
        return str(error)
    return ""


@cache
def compute_match_win_probability(deals: SoloDeals) -> tuple[Estimate, int]:
    """Compute the probability that a solitaire player wins the match.

    Returns:
        Estimate and sample size. The sample size is the number of deals if match values are used,
        otherwise the number of matches.

    Raises:
        ValueUnavailableError: If the match value cannot be computed from the deals.
    """
    if deals.matchup.unit == "match":
        unit = deals.get_column("unit")
        is_last_deal = np.append(unit[1:] != unit[:-1], True)
        is_won = deals.get_column("outcome")[is_last_deal] == 0
        n_units = len(is_won)
        (rate,) = estimate_ratios_over_units(is_won.astype(np.int64), np.ones(n_units, np.int64))
        return rate, n_units
    if deals.depends_on_score:
        raise match_value.make_value_unavailable_error(
            deals.matchup,
            f"The match win probability of {deals.strategy} in {deals.variant} cannot be "
            f"computed, because the decisions of {deals.strategy} depend on the match score.",
        )
    value = match_value.make_value_from_outcomes(deals.matchup, deals.outcomes).at_start()
    n_units, bounds = len(deals.rows), {"minimum": 0.0, "maximum": 1.0}
    estimate = make_estimate_with_t_interval(value.value, value.se, n_units, np.inf, **bounds)
    return make_undefined_if_constant(estimate), n_units


def compute_odds_by_draws(deals: SoloDeals) -> pd.DataFrame:
    """Compute the cumulative proportion of ended deals, by ending and number of draws.

    The endings are gin (including big gin), knock (won or lost), joker (the player drew the joker)
    and limit (the maximum number of draws was reached).

    Returns:
        DataFrame with the columns of the output `odds` (rows.toml).
    """
    n_drawn = deals.get_column("drawn")
    n_deals = len(deals.rows)
    all_deals = np.ones(n_deals, np.int64)
    draw_counts = range(_find_max_draws(deals) + 1)
    rows = []
    for ending, has_ending in _iter_ending_masks(deals):
        ratio_pairs = [(has_ending & (n_drawn <= n_draws), all_deals) for n_draws in draw_counts]
        for n_draws, estimate in zip(
            draw_counts, estimate_ratios_over_deals(deals, ratio_pairs), strict=True
        ):
            rows.append(
                {"draws": n_draws, "kind": ending, **make_estimate_columns(estimate, n_deals)}
            )
    return add_player_columns("odds", deals.matchup, rows)


def compute_odds_by_cards_left(deals: SoloDeals) -> pd.DataFrame:
    """Compute the odds and the mean score of unfinished deals, by number of cards left.

    A deal counts as unfinished if the player draws another card. The number of cards left includes
    the joker. The metrics are the probabilities `win` and `gin`, and the mean `score`. Rows with
    fewer than 30 deals are omitted.

    Returns:
        DataFrame with the columns of the output `left` (rows.toml).
    """
    n_drawn = deals.get_column("drawn")
    counts = range(_find_max_draws(deals))
    rows = []
    for metric, (results, is_proportion) in _get_metric_values(deals).items():
        ratio_pairs = [(results * (n_drawn > n_draws), n_drawn > n_draws) for n_draws in counts]
        ratios = estimate_ratios_over_deals(deals, ratio_pairs, is_proportion=is_proportion)
        for n_draws, ratio in zip(counts, ratios, strict=True):
            row = {"left": deals.deck_size - n_draws, "metric": metric}
            rows.append(row | make_estimate_columns(ratio, int((n_drawn > n_draws).sum())))
    return add_player_columns("left", deals.matchup, rows).dropna(ignore_index=True)


def compute_gin_draw_statistics(deals: SoloDeals) -> pd.DataFrame:
    """Compute the mean and quantiles of the number of draws that a player needs for gin.

    The confidence bounds of a quantile are order statistics. These order statistics are selected
    with the normal approximation to the binomial distribution.

    Returns:
        DataFrame with the columns of the output `gin` (rows.toml).
    """
    n_drawn = np.sort(
        deals.get_column("drawn")[deals.find_deals_with_ending(*ENDING_GROUPS["gin"])]
    )
    n_gins = len(n_drawn)
    if n_gins < MIN_UNITS_FOR_ESTIMATE:
        return add_player_columns("gin", deals.matchup, [])
    se = float(n_drawn.std(ddof=1) / np.sqrt(n_gins))
    mean = make_undefined_if_constant(
        make_estimate_with_t_interval(float(n_drawn.mean()), se, n_gins, np.inf, minimum=0.0)
    )
    rows = [{"statistic": "mean", **make_estimate_columns(mean, n_gins)}]
    for quantile in QUANTILES:
        # ranks of the quantile and of its confidence bounds among the sorted values
        rank = n_gins * quantile
        half_width = compute_critical_value(n_gins) * np.sqrt(rank * (1 - quantile))
        ranks = np.array([rank, rank - half_width, rank + half_width + 1])
        indices = np.clip(np.ceil(ranks).astype(int) - 1, 0, n_gins - 1)
        estimate = Estimate(
            n_drawn[indices[0]].item(), np.nan, n_gins, *n_drawn[indices[1:]].tolist()
        )
        rows.append(
            {"statistic": f"q{100 * quantile:.0f}", **make_estimate_columns(estimate, n_gins)}
        )
    return add_player_columns("gin", deals.matchup, rows)


def compute_match_total_odds(deals: SoloDeals) -> pd.DataFrame:
    """Compute the distribution of total points in matches with a fixed number of deals.

    Returns:
        DataFrame with the columns of the output `totals` (rows.toml), which is empty for other
        variants.
    """
    if deals.matchup.unit != "match":
        return add_player_columns("totals", deals.matchup, [])
    match_totals = compute_sums_by_unit(deals, "score").astype(np.int64)
    n_matches = len(match_totals)
    distinct_totals = np.unique(match_totals)
    has_total = match_totals[:, None] == distinct_totals
    proportions = estimate_ratios_over_units(
        *has_total.astype(np.int64).T, np.ones(n_matches, np.int64)
    )
    rows = [
        {"total": int(total), **make_estimate_columns(proportion, n_matches)}
        for total, proportion in zip(distinct_totals, proportions, strict=True)
    ]
    return add_player_columns("totals", deals.matchup, rows)


def compute_odds_by_threshold(samples: Sequence[SoloDeals]) -> pd.DataFrame:
    """Compute the mean score and the win rate of a player for each knock threshold.

    Args:
        samples: Deals of one player with the knock policies `knock=at:k=0`, `knock=at:k=1` and so
            on.

    Returns:
        DataFrame with the columns of the output `threshold` (rows.toml). The measure is "points"
        for the mean score per deal or "share" for the proportion of deals won.
    """
    measure_by_metric = {"score": "points", "win": "share"}
    rows = []
    for knock_threshold, deals in enumerate(samples):
        for row in _build_result_rows(deals):
            if (metric := row.pop("metric")) in measure_by_metric:
                rows.append({"k": knock_threshold, "measure": measure_by_metric[metric], **row})
    first_sample = samples[0]
    player, _, _ = first_sample.strategy.partition("+knock=")
    return add_player_columns("threshold", first_sample.matchup, rows).assign(strategy=player)


def _iter_ending_masks(deals: SoloDeals) -> Iterator[tuple[str, np.ndarray]]:
    """Yield each ending that occurs, with a mask of the deals that end this way."""
    for ending, ending_names in ENDING_GROUPS.items():
        has_ending = deals.find_deals_with_ending(*ending_names)
        if has_ending.any():
            yield ending, has_ending


def _find_max_draws(deals: SoloDeals) -> int:
    """Return the number of draws in the longest possible deal."""
    max_draws = deals.matchup.variant.params["max_draws"]
    return deals.deck_size if max_draws is None else int(str(max_draws))


# Luck and skill


def compute_skill_gap(naive: SoloDeals, strong: SoloDeals) -> pd.DataFrame:
    """Compute the differences between two players, and the sample sizes to detect them.

    The metrics are `win` and `score`. A test at the 5 % level detects the difference with 80 %
    power after (2.8 sigma / difference)**2 deals per player. The number of deals is `own_packs` for
    independent shuffles and `same_packs` for shared shuffles. The bounds on the number of deals
    follow from the bounds on the difference, because the standard deviation is known much more
    precisely.

    Returns:
        DataFrame with rows for the stronger player. The column `base_strategy` contains the weaker
        player.
    """
    n_deals = len(strong.rows)
    rows = []
    for metric, column in RESULT_COLUMNS.items():
        strong_sums = compute_sums_by_unit(strong, column)
        naive_sums = compute_sums_by_unit(naive, column)
        n_units = len(strong_sums)
        deals_per_unit = n_deals / n_units
        difference = (strong_sums - naive_sums) / deals_per_unit
        se = difference.std(ddof=1) / np.sqrt(n_units)
        interval = make_estimate_with_t_interval(
            float(difference.mean()), float(se), n_units, np.inf
        )
        estimate = make_undefined_if_constant(interval)
        independent_variance = (strong_sums.var(ddof=1) + naive_sums.var(ddof=1)) / deals_per_unit
        paired_variance = difference.var(ddof=1) * deals_per_unit
        row: dict[str, Any] = {"base_strategy": naive.strategy, "metric": metric}
        row |= make_estimate_columns(estimate, n_deals)
        row |= _compute_required_deals("own_packs", independent_variance, estimate)
        row |= _compute_required_deals("same_packs", paired_variance, estimate)
        rows.append(row)
    return add_player_columns("gap", strong.matchup, rows)


def _compute_required_deals(name: str, variance: float, difference: Estimate) -> dict[str, float]:
    """Return the number of deals needed to detect a difference, with confidence bounds."""
    column_names = (name, f"{name}_low", f"{name}_high")
    low, high = difference.interval
    if np.isnan(difference.value):
        return dict.fromkeys(column_names, np.nan)
    min_difference = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    differences = np.array([difference.value, max(abs(low), abs(high)), min_difference])
    with np.errstate(divide="ignore"):
        required_deals = Z_80_PERCENT_POWER**2 * variance / differences**2
    return dict(zip(column_names, required_deals.tolist(), strict=True))


def compute_best_gin_rate_bounds(samples: Sequence[SoloDeals]) -> pd.DataFrame:
    """Compute bounds on the gin rate of the best possible player.

    In games without knocking, the gin rate is also the win rate.

    Returns:
        DataFrame with a row for the weakest player, a row for the player with the highest gin rate,
        and a row for `HINDSIGHT_PLAYER`.
    """
    frames = []
    for deals in samples:
        rate = estimate_mean_over_deals(deals, deals.find_deals_with_ending(*ENDING_GROUPS["gin"]))
        row = {"metric": "gin", **make_estimate_columns(rate, len(deals.rows))}
        frames.append(add_player_columns("bracket", deals.matchup, [row]))
    best_frame = max(frames[1:] or frames, key=lambda frame: frame["value"].iloc[0])
    first_matchup = samples[0].matchup
    n_decks, seed = N_HINDSIGHT_DECKS, first_matchup.seed
    hindsight_rate = estimate_mean(
        compute_hindsight_gin_probability(first_matchup.variant, n_decks, seed)
    )
    row = {"metric": "gin", **make_estimate_columns(hindsight_rate, n_decks)}
    hindsight_frame = add_player_columns("bracket", first_matchup, [row]).assign(
        strategy=HINDSIGHT_PLAYER
    )
    return concat_frames([*frames[: len(frames) > 1], best_frame, hindsight_frame])


def compute_hindsight_gin_probability(variant: Variant, n_decks: int, seed: int) -> np.ndarray:
    """Compute the gin probability of a player who sees the whole deck in advance.

    The player can keep any ten of the cards seen so far. The player has gin as soon as ten of these
    cards form melds of three, three and four cards, or two runs of five cards. The gin rate is an
    exact average over the positions of the joker in the deck.

    Args:
        variant: Solitaire variant.
        n_decks: Number of random decks.
        seed: Seed of the decks.

    Returns:
        Gin probability of each deck, (n_decks,) float64.
    """
    rules = build_rules(variant)
    cards = np.tile(np.arange(52), (n_decks, 1))
    decks = np.random.default_rng(seed).permuted(cards, axis=1)
    # number of cards seen up to and including each card
    positions = np.ascontiguousarray(np.argsort(decks, axis=1).T + 1).astype(np.int8)
    melds_buffer = np.zeros(MAX_MELDS_IN_PACK, np.int64)
    melds = melds_buffer[: find_melds(ALL_CARDS, rules, melds_buffer)]
    melds_of_three, melds_of_four, runs_of_five = (
        melds[np.bitwise_count(melds) == size] for size in (3, 4, 5)
    )
    pairs_of_threes = _find_disjoint_pairs(melds_of_three)
    pair_cards = _count_cards_until_complete(melds_of_three, positions)[pairs_of_threes].max(axis=1)
    cards_needed = np.full(n_decks, ALL_CARDS.bit_count() + 1, np.int64)
    for four_meld in melds_of_four:
        is_disjoint = (melds_of_three[pairs_of_threes] & four_meld == 0).all(axis=1)
        cards_for_three_melds = np.maximum(
            _count_cards_until_complete(np.array([four_meld]), positions),
            pair_cards[is_disjoint].min(axis=0),
        )
        cards_needed = np.minimum(cards_needed, cards_for_three_melds[0])
    pairs_of_fives = _find_disjoint_pairs(runs_of_five)
    run_cards = _count_cards_until_complete(runs_of_five, positions)[pairs_of_fives].max(axis=1)
    cards_needed = np.minimum(cards_needed, run_cards.min(axis=0))
    n_draws = np.maximum(cards_needed - count_dealt_cards(variant), 0)
    if rules.joker == JOKER_NONE:
        return np.where(n_draws <= rules.max_draws, 1.0, 0.0)
    n_joker_positions = 53 - count_dealt_cards(variant)
    return np.asarray(np.maximum(n_joker_positions - n_draws, 0) / n_joker_positions)


def _find_disjoint_pairs(melds: np.ndarray) -> np.ndarray:
    """Return the pairs of melds without common cards, as indices, (n_pairs, 2) int."""
    first_index, second_index = np.triu_indices(len(melds), 1)
    is_disjoint = melds[first_index] & melds[second_index] == 0
    return np.stack([first_index[is_disjoint], second_index[is_disjoint]], axis=1)


def _count_cards_until_complete(melds: np.ndarray, seen_positions: np.ndarray) -> np.ndarray:
    """Return the number of cards seen when each meld is complete, (n_melds, n_decks) int8."""
    cards_by_meld = [[card for card in range(52) if meld >> card & 1] for meld in melds.tolist()]
    return np.stack([seen_positions[meld_cards].max(axis=0) for meld_cards in cards_by_meld])


def compute_joker_variance_share(deals: SoloDeals) -> pd.DataFrame:
    """Compute the proportion of result variance that the joker's position explains.

    The proportion is Var(E[result | position]) / Var(result). The estimate uses the mean squares of
    a one-way analysis of variance, which are unbiased for finite groups (Searle, Casella and
    McCulloch 1992, Variance Components, section 3.6). Standard errors are jackknife estimates over
    twenty groups of deals.

    Returns:
        DataFrame with the columns of the output `joker` (rows.toml) and the metrics `win` and
        `score`. If the game has no joker or if all results in a group are equal, the DataFrame is
        empty.
    """
    joker_position = deals.get_column("place")
    n_groups = outcomes.N_JACKKNIFE_GROUPS
    group = deals.get_column("unit") % n_groups
    if (joker_position < 0).all():
        return add_player_columns("joker", deals.matchup, [])
    n_deals = int((joker_position >= 0).sum())
    rows = []
    for metric, column in RESULT_COLUMNS.items():
        results = deals.get_column(column)
        group_masks = [group == group_index for group_index in range(n_groups)]
        group_moments = [
            _sum_moments_by_position(joker_position[mask], results[mask], deals.deck_size)
            for mask in group_masks
        ]
        total_moments = np.array(group_moments).sum(axis=0)
        share = _compute_between_group_share(total_moments)
        leave_one_out = [
            _compute_between_group_share(total_moments - moments) for moments in group_moments
        ]
        se = float(outcomes.compute_jackknife_se(np.array(leave_one_out)))
        interval = make_estimate_with_t_interval(
            share, se, n_groups, n_groups, minimum=0.0, maximum=1.0
        )
        estimate = make_undefined_if_constant(interval)
        rows.append({"metric": metric, **make_estimate_columns(estimate, n_deals)})
    return add_player_columns("joker", deals.matchup, rows).dropna(ignore_index=True)


def _sum_moments_by_position(
    position: np.ndarray, results: np.ndarray, n_positions: int
) -> np.ndarray:
    """Return the count, sum and sum of squares of results by joker position."""
    has_position = position >= 0
    powers = [(results[has_position] ** power).astype(float) for power in range(3)]
    return np.stack([np.bincount(position[has_position], power, n_positions) for power in powers])


def _compute_between_group_share(moments: np.ndarray) -> float:
    """Compute the proportion of variance explained by differences between joker positions."""
    group_sizes, sums, square_sums = moments[:, moments[0] > 0]
    n_results = group_sizes.sum()
    df = len(group_sizes) - 1
    explained_sum = (sums**2 / group_sizes).sum()
    overall_sum = sums.sum() ** 2 / n_results
    mean_group_size = (group_sizes**2).sum() / n_results
    within_variance = (square_sums.sum() - explained_sum) / (n_results - len(group_sizes))
    between_mean_square = (explained_sum - overall_sum) / df
    n_between = (n_results - mean_group_size) / df
    between_variance = (between_mean_square - within_variance) / n_between
    total_variance = between_variance + within_variance
    return float(between_variance / total_variance) if total_variance > 0 else np.nan


# Estimates


def estimate_ratios_over_deals(
    deals: SoloDeals,
    ratio_pairs: Sequence[tuple[np.ndarray, np.ndarray]],
    *,
    is_proportion: bool = True,
) -> list[Estimate]:
    """Estimate ratios of sums over deals, with standard errors clustered by deal or match.

    Args:
        deals: Deals.
        ratio_pairs: Numerator and denominator of each ratio. All arrays have shape (n_deals,).
        is_proportion: True if the ratios are proportions.
    """
    unit = deals.get_column("unit")

    def sum_by_unit(values: np.ndarray) -> np.ndarray:
        return np.bincount(unit, values).astype(np.int64)

    numerators = [sum_by_unit(numerator) for numerator, _ in ratio_pairs]
    denominators = [sum_by_unit(denominator) for _, denominator in ratio_pairs]
    return estimate_ratios_over_units(
        *numerators, np.stack(denominators), is_proportion=is_proportion
    )


def estimate_mean_over_deals(
    deals: SoloDeals, values: np.ndarray, is_proportion: bool = True
) -> Estimate:
    """Estimate the mean of a quantity over all deals."""
    pairs = [(values, np.ones(len(values), np.int64))]
    return estimate_ratios_over_deals(deals, pairs, is_proportion=is_proportion)[0]


def estimate_ratios_over_units(
    *ratio_terms: np.ndarray, is_proportion: bool = True
) -> list[Estimate]:
    """Estimate ratios of sums over independent deals or matches.

    Args:
        *ratio_terms: Numerators, followed by a common denominator or by one denominator per
            numerator. All arrays have shape (n_units,).
        is_proportion: True if the ratios are proportions.
    """
    numerators = np.stack(ratio_terms[:-1])
    denominators = np.broadcast_to(ratio_terms[-1], numerators.shape)
    estimates = []
    for numerator, denominator in zip(numerators, denominators, strict=True):
        sums = RatioSums(
            numerator=int(numerator.sum()),
            numerator_square_sum=int((numerator * numerator).sum()),
            denominator=int(denominator.sum()),
            denominator_square_sum=int((denominator * denominator).sum()),
            product_sum=int((numerator * denominator).sum()),
            is_proportion=is_proportion,
            has_positive_denominators=bool((denominator > 0).all()),
        )
        estimates.append(estimate_ratio(len(numerator), sums))
    return estimates


def compute_sums_by_unit(deals: SoloDeals, column: str) -> np.ndarray:
    """Return the sum of a column in each unit (deal or match)."""
    return np.bincount(deals.get_column("unit"), deals.get_column(column))


def make_undefined_if_constant(estimate: Estimate) -> Estimate:
    """Return an estimate unchanged, or an undefined estimate if its standard error is 0."""
    return make_undefined_estimate(int(estimate.n)) if estimate.se == 0 else estimate
