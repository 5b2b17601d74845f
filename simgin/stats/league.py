"""The league table of a round robin: ratings, the equilibrium mix, matches, deals and points.

No single number can rank players of gin: who wins most deals need not win most matches, and some
players suit or do not suit others (docs/explanation/statistics.md#traps). So the standings show all
measures side by side, and the cross-table stands beside the standings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.stats import batches, metrics, quantity
from simgin.stats.estimate import Z95, quantile
from simgin.stats.metrics import Metric
from simgin.stats.played import Played
from simgin.stats.round_robin.equilibrium import MIX_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {"deal": ("deal_win", "margin"), "match": ("match_win", "deal_win", "margin")}
LEAGUE_COLUMNS = (
    "place",
    "strategy",
    *("elo", "elo_se", "elo_low", "elo_high"),
    *(f"{measure}{end}" for measure in MEASURES["match"] for end in ("", "_se", "_low", "_high")),
    "n",
    *("lead", "lead_se", "lead_low", "lead_high"),
    *MIX_COLUMNS[1:],
    "kind",
)


def standings(seen: Sequence[Played], ratings: pd.DataFrame, mix: pd.DataFrame) -> pd.DataFrame:
    """Everyone's means over their opponents, with 95 % limits, best rating first (LEAGUE_COLUMNS).

    seen: every cell from both its sides, all of one size and seed. Every opponent has the same
    weight; errors are taken over batches, jointly for all cells, since they share their packs.
    ratings, mix: the frames of `simgin.stats.ratings.ratings` and of
    `simgin.stats.round_robin.equilibrium.equilibrium_mix` for the same cells.
    """
    import pandas as pd

    rows = []
    by_name = mix.set_index("strategy")
    rated = ratings.rename(columns={"se": "elo_se", "low": "elo_low", "high": "elo_high"})
    for place, own_rating in enumerate(rated.to_dict("records"), start=1):
        strategy = own_rating["strategy"]
        own = [played for played in seen if played.strategy == strategy]
        rows.append(
            {"kind": "league", "place": place, **own_rating, **_means(own), **by_name.loc[strategy]}
        )
    return pd.DataFrame(rows, columns=list(LEAGUE_COLUMNS))


def alike(seen: Sequence[Played]) -> list[tuple[str, ...]]:
    """Strategies that got the same out of every batch against every other, in groups.

    seen: every cell from both its sides. Whoever meets such a group meets one player several times.
    """
    results: dict[str, dict[str, bytes]] = {}
    for played in seen:
        results.setdefault(played.strategy, {})[played.opponent] = _results(played)
    groups: list[list[str]] = []
    for name in results:
        for group in groups:
            if _equal_against_others(results, group[0], name):
                group.append(name)
                break
        else:
            groups.append([name])
    return [tuple(group) for group in groups if len(group) > 1]


def _equal_against_others(results: Mapping[str, Mapping[str, bytes]], a: str, b: str) -> bool:
    others = [name for name in results if name not in (a, b)]
    return all(results[a][name] == results[b][name] for name in others)


def _results(played: Played) -> bytes:
    """The numerators of all metrics per deal, batch by batch, as one side sees them."""
    columns = [
        metric.sign(played.as_b) * batches.fact_sums(played.rows, metric.fact(played.as_b))
        for metric in metrics.unit_metrics(metrics.DEAL)
    ]
    return np.stack(columns).tobytes()


def _means(cells: Sequence[Played]) -> dict[str, float]:
    """Each measure of a strategy with its limits, and how many deals or matches it played."""
    unit = cells[0].cell.unit
    row: dict[str, float] = {}
    for name in MEASURES[unit]:
        mean, se, half = _mean(cells, metrics.BY_NAME[name])
        row |= {name: mean, f"{name}_se": se}
        row |= {f"{name}_low": mean - half, f"{name}_high": mean + half}
    row["n"] = sum(batches.count_played(played.rows, unit) for played in cells)
    return row


def _mean(cells: Sequence[Played], metric: Metric) -> tuple[float, float, float]:
    """The mean of a metric over cells, its standard error, and the half-width of its interval.

    The half-width is NaN where there are too few batches.
    """
    mean = quantity.mean([quantity.ratio(own.rows, metric, own.as_b) for own in cells])
    widest = max(played.multiplier or Z95 for played in cells) / Z95
    half = quantile(batches.effective(cells[0].rows)) * mean.se * widest
    return mean.value, mean.se, half
