"""Odds between two equally strong players, by seat and by score.

Both seats play the same strategy. The columns of every DataFrame are listed in
simgin/stats/rows.toml.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.match_value import match_value
from simgin.match_value.match_value import MatchValue, ValueUnavailableError
from simgin.match_value.outcomes import N_JACKKNIFE_GROUPS, Outcomes, count_outcomes
from simgin.odds.solo_deals import PlayerResult, add_player_columns
from simgin.play.matchup import Matchup, PlayerCountError, parse_matchup
from simgin.play.parallel import ProgressCallback
from simgin.stats.estimate import (
    Estimate,
    compute_critical_value,
    compute_wilson_interval,
    make_estimate_with_t_interval,
)
from simgin.stats.table import make_estimate_columns

if TYPE_CHECKING:
    import pandas as pd


SEAT_NAMES = ("dealer", "nondealer")
POINT_MATCH_SCORE_FIELDS = (("score",), ("score",))  # score fields in matches to points


@dataclass(frozen=True)
class SelfPlay(PlayerResult):
    """Deal outcomes and match values of a strategy in self-play.

    Attributes:
        matchup: Matchup of single deals.
        outcomes: Numbers of deals by outcome.
        match_values: Match values, or None if they cannot be computed.
        unavailable_reason: Reason why match values cannot be computed, or "" if they can be
            computed.
    """

    matchup: Matchup
    outcomes: Outcomes
    match_values: MatchValue | None
    unavailable_reason: str = ""

    @property
    def n_deals(self) -> int:
        """Number of deals played."""
        return self.outcomes.n_deals // self.counts_per_deal

    @property
    def counts_per_deal(self) -> int:
        """Number of times each deal is counted in `outcomes`: 2 with match values, otherwise 1."""
        return 1 if self.match_values is None else 2

    @property
    def has_score_odds(self) -> bool:
        """True if the match win probability is known for every score in points."""
        values = self.match_values
        return values is not None and values.board.score_fields == POINT_MATCH_SCORE_FIELDS

    @property
    def missing_odds_text(self) -> str:
        """Sentence about match odds that are unavailable, or "" if all are available."""
        if self.match_values is None or self.has_score_odds:
            return self.unavailable_reason
        return (
            "Win probabilities by score are computed only for matches to a number of points, not "
            f"for {self.variant}."
        )


def simulate_self_play(
    strategy: str,
    variant: str,
    n_deals: int,
    *,
    seed: int = 1,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> SelfPlay:
    """Play deals of a strategy against itself, or load the results from the cache.

    Args:
        strategy: Strategy spec.
        variant: Variant spec.
        n_deals: Number of deals.
        seed: Seed of the shuffles.
        workers: Number of threads. By default, one thread per core is used.
        on_progress: Callback that reports the progress.

    Raises:
        PlayerCountError: If the variant is a solitaire variant.
    """
    matchup = parse_matchup(strategy, strategy, variant, seed, "deal")
    variant_spec = matchup.variant.spec
    strategy_spec = matchup.a.spec
    if matchup.b is None:
        raise PlayerCountError(
            f"{variant_spec} is a solitaire variant. Use simgin.odds.solo_odds to compute its odds."
        )
    try:
        match_values = match_value.compute_value(
            variant_spec,
            strategy_spec,
            strategy_spec,
            deals=n_deals,
            seed=seed,
            seat=0,
            workers=workers,
            on_progress=on_progress,
        )
    except ValueUnavailableError as error:
        outcomes = count_outcomes(matchup, n_deals, workers, on_progress)
        return SelfPlay(matchup, outcomes, None, str(error))
    counts = match_values.outcomes
    outcomes = counts if isinstance(counts, Outcomes) else counts.start_outcomes
    return SelfPlay(matchup, outcomes, match_values)


def compute_odds_by_seat(self_play: SelfPlay) -> pd.DataFrame:
    """Compute the win rates of a strategy in self-play, by seat and metric.

    The metrics `win` and `nobody` (drawn deals) are computed for the dealer and the nondealer of a
    deal. If match values are available, `match` is computed for the dealer and the nondealer of the
    first deal. If the rules distinguish the seats (Gin Race), it is computed for "seat 0" and "seat
    1". The nondealer has the first turn.

    Returns:
        DataFrame with the columns of the output `seats` (rows.toml).
    """
    rows = [row for seat in SEAT_NAMES for row in _iter_deal_rows(self_play, seat)]
    if self_play.match_values is not None:
        for seat, estimate in _iter_match_probabilities(self_play.match_values):
            values = make_estimate_columns(estimate, self_play.n_deals)
            rows.append({"seat": seat, "metric": "match", **values})
    return add_player_columns("seats", self_play.matchup, rows)


def _iter_deal_rows(self_play: SelfPlay, seat: str) -> Iterator[dict[str, Any]]:
    """Yield rows with the proportions of deals that a seat wins and of drawn deals."""
    outcomes = self_play.outcomes
    counts = outcomes.counts.sum(axis=0)
    n = self_play.n_deals
    dealer_side = outcomes.column("dealer")
    winner_side = outcomes.column("winner")
    seat_side = dealer_side if seat == "dealer" else 1 - dealer_side
    for metric, has_result in {"win": winner_side == seat_side, "nobody": winner_side < 0}.items():
        p = int(counts[has_result].sum()) // self_play.counts_per_deal / n
        estimate = Estimate(p, math.sqrt(p * (1 - p) / n), n, *compute_wilson_interval(p, n))
        yield {"seat": seat, "metric": metric, **make_estimate_columns(estimate, n)}


def _iter_match_probabilities(values: MatchValue) -> Iterator[tuple[str, Estimate]]:
    """Yield each seat with its probability of winning the match."""
    if values.is_seat_symmetric:
        a, b = (int(side[0]) if len(side) == 1 else side for side in values.board.start_scores)
        for dealer, seat in enumerate(SEAT_NAMES):
            se = values.standard_error(a, b, dealer)
            yield seat, _make_value_estimate(values.win_probability(a, b, dealer), se)
        return
    start_value = values.at_start()
    yield "seat 0", _make_value_estimate(start_value.value, start_value.se)
    yield "seat 1", _make_value_estimate(1 - start_value.value, start_value.se)


def _make_value_estimate(probability: float, se: float) -> Estimate:
    """Return a match win probability as an estimate with a confidence interval."""
    return make_estimate_with_t_interval(
        float(probability),
        float(se),
        N_JACKKNIFE_GROUPS,
        N_JACKKNIFE_GROUPS,
        minimum=0.0,
        maximum=1.0,
    )


def compute_odds_by_score(self_play: SelfPlay) -> pd.DataFrame:
    """Compute the match win probability for every possible score.

    Returns:
        DataFrame with the columns of the output `scores` (rows.toml). If there are no match values
        or if the players do not play for points, the DataFrame is empty.
    """
    match_values = self_play.match_values
    if match_values is None or not self_play.has_score_odds:
        return add_player_columns("scores", self_play.matchup, [])
    scores = match_values.table().rename(columns={"score_a": "a", "score_b": "b"})
    half_width = compute_critical_value(N_JACKKNIFE_GROUPS) * scores["se"]
    scores["low"] = (scores["value"] - half_width).clip(lower=0)
    scores["high"] = (scores["value"] + half_width).clip(upper=1)
    scores["n"] = self_play.n_deals
    return add_player_columns("scores", self_play.matchup, scores)
