"""Odds of two equal players by seat and by score, from match values and deal outcomes.

Both seats play the same strategy. Every DataFrame has the columns variant, strategy, opponent,
those listed at its function, and n, the number of deals per row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.odds.sample import OfPlayer, stated, told
from simgin.play.matchup import Matchup, SeatError, parse_matchup
from simgin.play.parallel import Progress
from simgin.stats.estimate import Estimate, around, quantile, wilson
from simgin.value import value
from simgin.value.outcomes import GROUPS, Outcomes, count_outcomes
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd


SEATS = ("dealer", "nondealer")
POINTS = (("score",), ("score",))  # score fields of a match to points


@dataclass(frozen=True)
class Table(OfPlayer):
    """Self-play of a strategy: deal outcomes, and match values if they are computable.

    Attributes:
        matchup: Matchup of single deals.
        outcomes: Outcome counts.
        value: Match values; None if they are not computable.
        unavailable_reason: Explanation if there are no match values.
    """

    matchup: Matchup
    outcomes: Outcomes
    value: Value | None
    refused: str = ""

    @property
    def deals(self) -> int:
        """Number of deals played."""
        return self.outcomes.deals // self.counted

    @property
    def counted(self) -> int:
        """Number of times that each deal is counted: twice, for both sides, with match values."""
        return 1 if self.value is None else 2


def play_self(
    strategy: str,
    variant: str,
    n: int,
    *,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Play n deals of a strategy against itself, or load them from the cache.

    Args:
        strategy: Strategy spec.
        variant: Variant spec.
        n: Number of deals.
        seed: Seed of the shuffles.
        workers: Number of threads; by default one per CPU.
        progress: Callback for the progress.

    Raises:
        SeatError: The variant is for one player.
    """
    matchup = parse_matchup(strategy, strategy, variant, seed, "deal")
    text = matchup.variant.text
    name = matchup.a.text
    if matchup.b is None:
        raise SeatError(f"{text} is for one player: its odds are those of `simgin.odds.solo_odds`.")
    try:
        known = value.compute(
            text, name, name, deals=n, seed=seed, seat=0, workers=workers, progress=progress
        )
    except ValueRefused as error:
        return Table(matchup, count_outcomes(matchup, n, workers, progress), None, str(error))
    counted = known.outcomes
    return Table(matchup, counted if isinstance(counted, Outcomes) else counted.start, known)


def by_seat(table: Table) -> pd.DataFrame:
    """Compute win rates by seat and metric.

    The metrics are `win` and `nobody` (a drawn deal) by dealer and nondealer of the deal. If match
    values are available, `match` follows: for the dealer and the nondealer of the first deal, or
    for "seat 0" and "seat 1" if the rules distinguish the seats (Gin Race). The nondealer has the
    first turn.

    Returns:
        DataFrame with the columns seat, metric, value, se, low and high.
    """
    rows = [row for seat in SEATS for row in _results(table, seat)]
    if table.value is not None:
        for seat, chance in _matches(table.value):
            rows.append({"seat": seat, "metric": "match", **stated(chance, table.deals)})
    return told(table.matchup, rows)


def _results(table: Table, seat: str) -> Iterator[dict[str, Any]]:
    """Yield the rates of deals won by a seat, and of drawn deals."""
    outcomes = table.outcomes
    counts = outcomes.counts.sum(axis=0)
    n = table.deals
    dealer = outcomes.column("dealer")
    winner = outcomes.column("winner")
    own = dealer if seat == "dealer" else 1 - dealer
    for metric, is_chosen in {"win": winner == own, "nobody": winner < 0}.items():
        share = int(counts[is_chosen].sum()) // table.counted / n
        chance = Estimate(share, math.sqrt(share * (1 - share) / n), n, *wilson(share, n))
        yield {"seat": seat, "metric": metric, **stated(chance, n)}


def _matches(known: Value) -> Iterator[tuple[str, Estimate]]:
    """Yield the probability to win the match, by seat."""
    if known.seats_alike:
        a, b = (int(side[0]) if len(side) == 1 else side for side in known.board.start)
        for dealer, seat in enumerate(SEATS):
            yield seat, _chance(known.win(a, b, dealer), known.se(a, b, dealer))
        return
    start = known.start()
    yield "seat 0", _chance(start.value, start.se)
    yield "seat 1", _chance(1 - start.value, start.se)


def _chance(chance: float, se: float) -> Estimate:
    """Return a match value as an estimate with its confidence interval."""
    return around(float(chance), float(se), GROUPS, GROUPS, least=0.0, most=1.0)


def by_score(table: Table) -> pd.DataFrame:
    """Compute the probability to win the match at every score.

    Returns:
        DataFrame with the columns a and b (points of both sides), dealer (0 for the side with a
        points,
        1 for the other side) and the value. It is empty without match values, or if the sides count
        anything but points.
    """
    known = table.value
    if known is None or known.board.fields != POINTS:
        return told(table.matchup, [])
    scores = known.table().rename(columns={"score_a": "a", "score_b": "b"})
    half = quantile(GROUPS) * scores["se"]
    scores["low"] = (scores["value"] - half).clip(lower=0)
    scores["high"] = (scores["value"] + half).clip(upper=1)
    scores["n"] = table.deals
    return told(table.matchup, scores)
