"""Circles of three: A beats B, B beats C, and C beats A."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

SURE = 0.05
TRIAD_COLUMNS = ("first", "second", "third", "share", "excess", "p_holm")


@dataclass(frozen=True)
class Triads:
    """The circles among all triads of a round robin.

    examined: how many triads there are. circles: those that go round, by what was observed, the
    clearest first (TRIAD_COLUMNS): the first beats the second, the second the third, the third the
    first; share: what the winner takes in the closest of the three pairs; excess: that share less
    one half, in standard errors; p_holm: for "some of the three does not win", after Holm's
    adjustment for both directions of all triads.
    """

    examined: int
    circles: pd.DataFrame

    @property
    def sure(self) -> pd.DataFrame:
        """The circles beyond chance."""
        return self.circles[self.circles["p_holm"] < SURE]


def triads(cross: pd.DataFrame) -> Triads:
    """The triads of a cross-table (`simgin.stats.ratings.CROSS_COLUMNS`).

    A triad is a circle only if all three pairs are won, so the closest pair decides (intersection
    and union test: Berger, Technometrics 1982). Triads with a pair of unknown share are left out.
    """
    import pandas as pd
    from scipy.special import ndtr

    names = list(dict.fromkeys(cross["strategy"]))
    shares = _square(cross, names, "share")
    errors = _square(cross, names, "se")
    leads = shares - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(leads == 0, 0, leads / errors)
    examined = 0
    found: list[tuple[object, ...]] = []
    for trio in itertools.combinations(range(len(names)), 3):
        around = list(_links(trio))
        if np.isnan([shares[link] for link in around]).any():
            continue
        examined += 1
        found += _circle(around, names, shares, excess)
    frame = pd.DataFrame(found, columns=list(TRIAD_COLUMNS))
    ranked = frame.sort_values("excess", ascending=False, kind="stable", ignore_index=True)
    adjusted = _holm_among(ndtr(-ranked["excess"].to_numpy(dtype=float)), 2 * examined)
    return Triads(examined, ranked.assign(p_holm=adjusted))


Link = tuple[int, int]


def _links(trio: Sequence[int]) -> Iterator[Link]:
    """Each against the next, and the last against the first."""
    i, j, k = trio
    yield from ((i, j), (j, k), (k, i))


def _circle(
    around: Sequence[Link], names: Sequence[str], shares: np.ndarray, excess: np.ndarray
) -> Iterator[tuple[object, ...]]:
    """The row of a triad that goes round one way or the other; nothing of another."""
    for links in (around, [(j, i) for i, j in reversed(around)]):
        closest = min(links, key=lambda link: excess[link])
        if excess[closest] > 0:
            players = [names[winner] for winner, _ in links]
            yield (*players, shares[closest], excess[closest], np.nan)


def _square(cross: pd.DataFrame, names: list[str], column: str) -> np.ndarray:
    table = cross.pivot(index="strategy", columns="opponent", values=column)
    return table.reindex(index=names, columns=names).to_numpy(dtype=float)


def _holm_among(p: np.ndarray, tests: int) -> np.ndarray:
    """Holm's adjusted p of the smallest, in order, of so many tests."""
    steps = np.maximum.accumulate((tests - np.arange(len(p))) * p)
    return np.asarray(np.minimum(1, steps))
