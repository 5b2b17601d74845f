"""How much of what the pairs of a round robin show does not fit any ratings.

Ratings add up: what A is ahead of B and B of C, A is ahead of C. Players whose styles suit or do
not suit each other break that rule without any circle (for circles, see `triads`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simgin.stats.round_robin.bradley_terry import deviances
from simgin.stats.round_robin.results import RoundRobin


@dataclass(frozen=True)
class NonAdditivity:
    """The share, 0..1, of a round robin's deviance from even chances that ratings leave.

    0 if the log odds of all pairs are differences of ratings, 1 for rock, paper, scissors. NaN
    unless everyone met everyone, three at least, in enough batches.
    """

    share: float  # with the part that noise alone makes subtracted, at least 0
    raw: float
    se: float  # of the share, from the bootstrap
    half: float  # half the width of its 95 % interval


UNKNOWN = NonAdditivity(np.nan, np.nan, np.nan, np.nan)


def non_additivity(robin: RoundRobin) -> NonAdditivity:
    """The deviance from Bradley and Terry's model over that from even chances.

    A ratio of deviances, 1 - R² (Cameron and Windmeijer, Journal of Econometrics 1997), weighs
    every pair by what its matches tell; squares of log odds would be ruled by pairs that one side
    never won. Noise adds to a deviance; what it adds is taken from the bootstrap, which adds as
    much again.
    """
    if not robin.is_complete or not robin.is_enough:
        return UNKNOWN
    left = deviances(robin.wins, robin.strengths)
    whole = deviances(robin.wins, np.zeros_like(robin.strengths))
    if not whole.all():
        return NonAdditivity(
            0.0, 0.0, 0.0, 0.0
        )  # not a single uneven result, in some sample at least
    raw = float(left[0] / whole[0])
    correction = robin.batches / (robin.batches - 1)
    noise = correction * (left[1:].mean() - left[0])
    excess = max(0.0, float(left[0] - noise))
    sampled = left[1:] / whole[1:]
    return NonAdditivity(
        share=excess / float(whole[0]),
        raw=raw,
        se=float(robin.error(sampled)),
        half=float(robin.half_width(sampled)),
    )
