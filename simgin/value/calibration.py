"""Whether V can be believed: what it says about matches that it was not made from.

    walks = play(value, matches=10_000, seed=2)
    martingale(value, walks)       # V neither rises nor falls on average, wherever it stands
    reliability(value, walks)      # of the matches that stood at V = p, a share p was won
    brier(value, walks)
    against_play(value, walks)     # the share of matches won, by V and by play

Errors are clustered by unit (a pair of matches on the same packs, or a match), but for reliability, where they are those that a right V
would have. They hold the error of V itself, by the jackknife over the groups of its outcomes.

See docs/explanation/value.md#checking-v.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.core.match import UNDECIDED
from simgin.play import kernel
from simgin.play.parallel import over_units
from simgin.stats.estimate import ENOUGH_UNITS, Estimate, undefined
from simgin.text.amounts import parse_count
from simgin.value.outcomes import jackknife
from simgin.value.states import DRAWN
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

BINS = 10


@dataclass(frozen=True)
class Walks:
    """Matches as they went, a row for every deal, in the order of play.

    records: `core.record.DEAL` (deals,). unit: what errors are clustered over. last: whether the deal was the last of its match.
    result: what the match was worth to A in the end: 1, 0, or one half where nobody won.
    """

    records: np.ndarray
    unit: np.ndarray
    last: np.ndarray
    result: np.ndarray

    @property
    def match(self) -> np.ndarray:
        """The number of each deal's match, from 0."""
        return np.asarray(np.cumsum(self.last) - self.last)


def play(value: Value, matches: int | str, seed: int, workers: int | None = None) -> Walks:
    """So many fresh matches of the value's pair, by a seed that should not be the value's; only those with A at the value's seat."""
    if value.seat and not value.matchup.mirrored:
        raise ValueRefused(
            f"{value.matchup.title}: one strategy alone or against itself is played at seat 0; ask for seat = 0."
        )
    one = dataclasses.replace(value.matchup, seed=seed, unit="match")
    kernel.prepare(one)
    records = np.concatenate(
        over_units(
            lambda *part: kernel.play_recorded(one, *part)[1],
            one.units(parse_count(matches)),
            one.batch,
            workers,
        )
    )
    return walks(records if value.seats_alike else records[records["half"] == value.seat])


def walks(records: np.ndarray) -> Walks:
    """Walks from the records of whole matches."""
    last = records["outcome"] != UNDECIDED
    worth = np.select([records["outcome"] == 0, records["outcome"] == 1], [1.0, 0.0], DRAWN)
    return Walks(records, records["unit"], last, worth[last][np.cumsum(last) - last])


def martingale(value: Value, walks: Walks, bins: int = BINS) -> pd.DataFrame:
    """The mean change of V by a deal, in quantile bins of V before it and (bin "all") over all deals: 0 within its error."""
    before = value.before(walks.records)
    bin_of = np.searchsorted(
        np.unique(np.quantile(before, np.linspace(0, 1, bins + 1)[1:-1])), before, side="right"
    )

    def error(chosen: np.ndarray) -> float:
        return _clustered(_changes(before, walks)[chosen], walks.unit[chosen]).se

    return _by_bin(
        value, walks, bin_of, lambda standing: _changes(standing, walks), "change", error
    )


def _changes(before: np.ndarray, walks: Walks) -> np.ndarray:
    """How V changed with every deal; the last deal of a match leads to its result."""
    after = np.append(before[1:], np.nan)
    return np.asarray(np.where(walks.last, walks.result, after) - before)


def reliability(value: Value, walks: Walks, bins: int = BINS) -> pd.DataFrame:
    """In bins of V of equal width (and "all"): the mean of V, the share of the matches won in the end, and `gap`, share minus mean V.

    A match counts once for every deal in the bin; its deals share one result, which the error allows for. It is the error if V is right,
    since where wins are rare the scatter of those that came tells little.
    """
    before = value.before(walks.records)
    bin_of = np.minimum((before * bins).astype(np.int64), bins - 1)
    return _by_bin(
        value,
        walks,
        bin_of,
        lambda standing: walks.result - standing,
        "gap",
        lambda chosen: _if_right(before, walks, chosen),
    )


def _if_right(before: np.ndarray, walks: Walks, chosen: np.ndarray) -> float:
    """The error of mean result - V over chosen deals if V is right; NaN below 30 units.

    Then V is a martingale, and (R - V_s)(R - V_t) has the mean V_t (1 - V_t) for deals s before t of one match: the k-th of its chosen
    deals comes into the variance of their sum 2k - 1 times. The halves of a pair are taken as independent.
    """
    if len(np.unique(walks.unit[chosen])) < ENOUGH_UNITS:
        return np.nan
    match, v = walks.match[chosen], before[chosen]
    k = np.arange(len(match)) - np.searchsorted(match, match) + 1
    return float(np.sqrt(((2 * k - 1) * v * (1 - v)).sum()) / len(v))


def brier(value: Value, walks: Walks) -> pd.Series:
    """The Brier score, mean (V - result)^2 over all deals, beside the mean of V (1 - V) that it is if V is right, and their difference."""
    import pandas as pd

    before = value.before(walks.records)
    scores = {"brier": (before - walks.result) ** 2, "expected": before * (1 - before)}
    scores["difference"] = scores["brier"] - scores["expected"]
    found = {name: _clustered(score, walks.unit) for name, score in scores.items()}
    return pd.Series(
        {
            "deals": len(before),
            **{name: one.value for name, one in found.items()},
            "se": found["difference"].se,
        }
    )


def against_play(value: Value, walks: Walks) -> pd.Series:
    """The share of matches that A wins, by V from the start and by the matches played, and the difference with its error."""
    import pandas as pd

    told, seen = value.start(), _clustered(walks.result[walks.last], walks.unit[walks.last])
    error = float(np.hypot(told.se, seen.se))
    numbers = {"value": told.value, "value_se": told.se, "played": seen.value, "played_se": seen.se}
    return pd.Series(
        {
            "matches": int(walks.last.sum()),
            **numbers,
            "difference": told.value - seen.value,
            "se": error,
        }
    )


def _by_bin(
    value: Value,
    walks: Walks,
    bin_of: np.ndarray,
    of: Callable[[np.ndarray], np.ndarray],
    name: str,
    error: Callable[[np.ndarray], float],
) -> pd.DataFrame:
    """Per bin and over all: deals, units, means of V and of the result, the mean of `of(V before each deal)`, its error and z.

    error: of that mean over chosen deals (a mask), V being taken as known.
    """
    import pandas as pd

    before = value.before(walks.records)
    found, left_out = (
        of(before),
        [of(standing) for standing in value.before_leaving_out(walks.records)],
    )
    rows = []
    for label in ("all", *range(bin_of.max() + 1)):
        chosen = bin_of == label if label != "all" else np.ones(len(before), bool)
        if not chosen.any():
            continue
        own = float(jackknife(np.array([one[chosen].mean() for one in left_out])))
        means = [float(x[chosen].mean()) for x in (before, walks.result, found)]
        rows.append(
            (
                str(label),
                int(chosen.sum()),
                len(np.unique(walks.unit[chosen])),
                *means,
                float(np.hypot(error(chosen), own)),
            )
        )
    frame = pd.DataFrame(rows, columns=["bin", "deals", "units", "value", "won", name, "se"])
    return frame.assign(z=frame[name] / frame["se"])


def _clustered(x: np.ndarray, unit: np.ndarray) -> Estimate:
    """The mean of x with its error clustered by unit (delta method); NaN below 30 units."""
    _, place = np.unique(unit, return_inverse=True)
    n = len(np.unique(place))
    if n < ENOUGH_UNITS:
        return undefined(n)
    mean = float(x.mean())
    residual = np.bincount(place, x - mean)
    return Estimate(mean, float(np.sqrt(n / (n - 1) * (residual**2).sum()) / len(x)))
