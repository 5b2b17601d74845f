"""What all odds of one player share: ratios with clustered errors, limits, and tidy frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds.sample import Deals
from simgin.stats.estimate import Estimate, quantile
from simgin.stats.ratios import RatioSums, estimate_ratio

if TYPE_CHECKING:
    import pandas as pd

RESULTS = {"win": "won", "score": "score"}  # metrics of a deal, and the columns they are from

Limits = tuple[float, float, float]  # a value and its 95 % limits


def deal_ratios(
    deals: Deals, pairs: Sequence[tuple[np.ndarray, np.ndarray]], *, share: bool = True
) -> list[Estimate]:
    """Ratios of sums over deals, with errors clustered over units.

    pairs: numerator and denominator, each one number a deal.
    """
    unit = deals.column("unit")
    numerators = []
    denominators = []
    for numerator, denominator in pairs:
        above = np.bincount(unit, numerator)
        below = np.bincount(unit, denominator)
        numerators.append(above.astype(np.int64))
        denominators.append(below.astype(np.int64))
    return unit_ratios(*numerators, np.stack(denominators), share=share)


def unit_ratios(*parts: np.ndarray, share: bool = True) -> list[Estimate]:
    """Ratios of sums over units: numerators, then the denominators, one for all or one for each."""
    numerators = np.stack(parts[:-1])
    denominators = np.broadcast_to(parts[-1], numerators.shape)
    estimates = []
    for n, d in zip(numerators, denominators, strict=True):
        numerator_squares = n * n
        denominator_squares = d * d
        products = n * d
        is_positive = d > 0
        sums = RatioSums(
            numerator=int(n.sum()),
            numerator_square=int(numerator_squares.sum()),
            denominator=int(d.sum()),
            denominator_square=int(denominator_squares.sum()),
            cross=int(products.sum()),
            share=share,
            always=bool(is_positive.all()),
        )
        estimates.append(estimate_ratio(len(n), sums))
    return estimates


def sums_by_unit(deals: Deals, column: str) -> np.ndarray:
    """The sum of a column over every unit: float64 (units,)."""
    unit = deals.column("unit")
    weights = deals.column(column)
    return np.bincount(unit, weights)


def limits_around(
    estimate: float, se: float, least: float, most: float, units: float = np.inf
) -> Limits:
    """A value with its 95 % limits, within what is possible.

    All NaN where nothing varies, since that is no error of nothing.
    """
    if se == 0:
        return np.nan, np.nan, np.nan
    half = quantile(units) * se
    low = max(least, estimate - half)
    high = min(most, estimate + half)
    return float(estimate), float(low), float(high)


def limits_of(estimate: Estimate) -> Limits:
    """An estimate with its limits."""
    return estimate.value, estimate.low, estimate.high


def deals_frame(
    deals: Deals, rows: Sequence[tuple[Any, ...]], columns: Sequence[str]
) -> pd.DataFrame:
    """A tidy frame with who played the deals in front."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(columns))
    return with_players(frame, deals.variant, deals.strategy)


def with_players(frame: pd.DataFrame, variant: str, strategy: str) -> pd.DataFrame:
    """A frame with who played what in front."""
    names = {"variant": variant, "strategy": strategy, "opponent": ""}
    columns = [*names, *frame.columns]
    return frame.assign(**names)[columns]
