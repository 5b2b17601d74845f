"""What all odds of one player share: ratios with clustered errors, limits, and tidy frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds.sample import Deals
from simgin.stats.estimate import Estimate, undefined
from simgin.stats.ratios import RatioSums, estimate_ratio

if TYPE_CHECKING:
    import pandas as pd

RESULTS = {"win": "won", "score": "score"}  # metrics of a deal, and the columns they are from


def deal_ratios(
    deals: Deals, pairs: Sequence[tuple[np.ndarray, np.ndarray]], *, share: bool = True
) -> list[Estimate]:
    """Ratios of sums over deals, with errors clustered over units.

    pairs: numerator and denominator, each one number a deal.
    """
    unit = deals.column("unit")

    def by_unit(numbers: np.ndarray) -> np.ndarray:
        return np.bincount(unit, numbers).astype(np.int64)

    numerators = [by_unit(numerator) for numerator, _ in pairs]
    denominators = [by_unit(denominator) for _, denominator in pairs]
    return unit_ratios(*numerators, np.stack(denominators), share=share)


def unit_ratios(*parts: np.ndarray, share: bool = True) -> list[Estimate]:
    """Ratios of sums over units: numerators, then the denominators, one for all or one for each."""
    numerators = np.stack(parts[:-1])
    denominators = np.broadcast_to(parts[-1], numerators.shape)
    estimates = []
    for n, d in zip(numerators, denominators, strict=True):
        sums = RatioSums(
            numerator=int(n.sum()),
            numerator_square=int((n * n).sum()),
            denominator=int(d.sum()),
            denominator_square=int((d * d).sum()),
            cross=int((n * d).sum()),
            share=share,
            always=bool((d > 0).all()),
        )
        estimates.append(estimate_ratio(len(n), sums))
    return estimates


def sums_by_unit(deals: Deals, column: str) -> np.ndarray:
    """The sum of a column over every unit: float64 (units,)."""
    return np.bincount(deals.column("unit"), deals.column(column))


def if_varied(estimate: Estimate) -> Estimate:
    """The estimate; none where nothing varies, since that is no error of nothing."""
    return undefined(int(estimate.n)) if estimate.se == 0 else estimate


def deals_frame(
    deals: Deals, rows: Sequence[tuple[Any, ...]], columns: Sequence[str]
) -> pd.DataFrame:
    """A tidy frame with who played the deals in front."""
    import pandas as pd

    return with_players(pd.DataFrame(rows, columns=list(columns)), deals.variant, deals.strategy)


def with_players(frame: pd.DataFrame, variant: str, strategy: str) -> pd.DataFrame:
    """A frame with who played what in front."""
    names = {"variant": variant, "strategy": strategy, "opponent": ""}
    return frame.assign(**names)[[*names, *frame.columns]]
