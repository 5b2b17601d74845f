"""Elo ratings of a round robin with their differences, and its cross-table.

Ratings always stand beside their cross-table, because no number can say who beats whom. They are
those of Bradley and Terry's model, with one virtual drawn match in every pairing, and their errors
come from the bootstrap (docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.stats import batches
from simgin.stats.ratios import RatioSums, estimate_ratio
from simgin.stats.round_robin.bradley_terry import ELO
from simgin.stats.round_robin.results import PAIRS, Pairings, RoundRobin, connected

if TYPE_CHECKING:
    import pandas as pd

RATING_COLUMNS = (
    *("strategy", "elo", "se", "low", "high"),
    *("lead", "lead_se", "lead_low", "lead_high", "n"),
)
CROSS_COLUMNS = ("strategy", "opponent", "share", "se", "low", "high", "n")


def cross_table(pairings: Pairings) -> pd.DataFrame:
    """What everyone wins of everyone, both ways round (CROSS_COLUMNS); n matches or deals.

    Shares are of matches, or else of deals; what nobody won counts one half.
    `frame.pivot(index="strategy", columns="opponent", values="share")` is the matrix.
    """
    import pandas as pd

    table = [row for (a, b), rows in pairings.items() for row in _cross_rows(a, b, rows)]
    return pd.DataFrame(table, columns=list(CROSS_COLUMNS))


def ratings(robin: RoundRobin) -> pd.DataFrame:
    """Elo of every strategy, best first (RATING_COLUMNS); n matches or deals it played.

    `simple`, or else the first strategy named, is the anchor: 0 by definition, without error. The
    lead is that over the next row; its error is that of the difference, and much of what makes a
    rating uncertain is the anchor's share. Who is not connected with the anchor by any chain of
    pairings has no rating (NaN), and nobody has one where a pairing has fewer than 5 batches.
    """
    import pandas as pd

    frame = _unrated(robin)
    inside = connected(robin)
    if not inside.is_enough:
        return frame
    counts = frame.set_index("strategy")["n"]
    ranked = _ranked(inside)
    ranked = ranked.assign(n=counts[ranked["strategy"]].to_numpy())
    is_rated = frame["strategy"].isin(inside.names)
    if is_rated.all():
        return ranked
    return pd.concat([ranked, frame[~is_rated]], ignore_index=True)


def _ranked(robin: RoundRobin) -> pd.DataFrame:
    """The ratings of all of a round robin, best first: RATING_COLUMNS without n."""
    import pandas as pd

    log_t = robin.strengths
    by_name = ELO * (log_t - log_t[:, :1])
    order = np.argsort(-by_name[0], kind="stable")
    elo = by_name[:, order]
    lead = elo - np.roll(elo, -1, axis=1)
    lead[:, -1] = np.nan
    half = robin.half_width(elo[1:])
    lead_half = robin.half_width(lead[1:])
    columns = {
        "strategy": [robin.names[place] for place in order],
        "elo": elo[0],
        "se": robin.error(elo[1:]),
        "low": elo[0] - half,
        "high": elo[0] + half,
        "lead": lead[0],
        "lead_se": robin.error(lead[1:]),
        "lead_low": lead[0] - lead_half,
        "lead_high": lead[0] + lead_half,
    }
    return pd.DataFrame(columns)


def _unrated(robin: RoundRobin) -> pd.DataFrame:
    """The frame of ratings before any is known."""
    import pandas as pd

    unknown = dict.fromkeys(RATING_COLUMNS, np.nan)
    counts = [_results(robin.pairings, name) for name in robin.names]
    return pd.DataFrame({**unknown, "strategy": robin.names, "n": counts})


def _cross_rows(a: str, b: str, rows: np.ndarray) -> list[tuple[object, ...]]:
    """Both rows of a pairing in the cross-table: the mean pair score, its error over pairs."""
    counts = [int(count) for count in rows[:, PAIRS].sum(axis=0, dtype=np.int64)]
    pairs = sum(counts)
    quarters = sum(count * score for score, count in enumerate(counts))
    squares = sum(count * score**2 for score, count in enumerate(counts))
    score = RatioSums(
        numerator=quarters,
        numerator_square=squares,
        denominator=pairs,
        denominator_square=pairs,
        cross=quarters,
        scale=4,
        share=True,
        always=True,
    )
    won = estimate_ratio(pairs, score)
    n = _count_results(rows)
    return [
        (a, b, won.value, won.se, won.low, won.high, n),
        (b, a, 1 - won.value, won.se, 1 - won.high, 1 - won.low, n),
    ]


def _results(pairings: Pairings, name: str) -> int:
    """Deals or matches that a strategy played."""
    return sum(_count_results(rows) for pair, rows in pairings.items() if name in pair)


def _count_results(rows: np.ndarray) -> int:
    return 2 * int(batches.unit_counts(rows).sum())
