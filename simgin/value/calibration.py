"""Whether V can be believed: what it predicts of matches that it was not made from.

    played = play_matches(v, matches=10_000, seed=2)
    martingale(v, played)  # V neither rises nor falls on average, wherever it stands
    reliability(v, played)  # of the matches that stood at V = p, a share p was won
    brier(v, played)
    against_play(v, played)  # the share of matches won, predicted and played

Errors are clustered by unit (a pair of matches on the same packs, or a match); those of reliability
are what a right V would have. All hold the error of V itself, by the jackknife over the groups of
its outcomes (docs/explanation/statistics.md#calibration).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.core.match import UNDECIDED
from simgin.play.kernel import play_recorded, prepare
from simgin.play.parallel import over_units
from simgin.stats import observations
from simgin.stats.estimate import ENOUGH_UNITS
from simgin.text.amounts import parse_count
from simgin.value.outcomes import jackknife
from simgin.value.states import DRAWN
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.parallel import Progress

BINS = 10


@dataclass(frozen=True)
class PlayedMatches:
    """Matches deal by deal, in the order of play.

    records: `core.record.DEAL` (deals,). Likewise by deal: unit, what errors are clustered over;
    last, whether the deal was the last of its match; result, what the match was worth to A in the
    end: 1, 0, or one half where nobody won.
    """

    records: np.ndarray
    unit: np.ndarray
    last: np.ndarray
    result: np.ndarray

    @property
    def match(self) -> np.ndarray:
        """The number of each deal's match, from 0."""
        over = np.cumsum(self.last)
        return np.asarray(over - self.last)


def play_matches(
    value: Value,
    matches: int | str,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> PlayedMatches:
    """So many fresh matches of the value's pair, those with A at the value's seat.

    The seed should not be the value's. Raises ValueRefused for a pair that is never played so.
    """
    if value.seat and not value.matchup.mirrored:
        raise ValueRefused(
            f"{value.matchup.title}: one strategy alone or against itself is played at seat 0; "
            "use seat = 0."
        )
    matchup = dataclasses.replace(value.matchup, seed=seed, unit="match")

    def part(first_unit: int, units: int) -> np.ndarray:
        _, records = play_recorded(matchup, first_unit, units)
        return records

    prepare(matchup)
    units = matchup.units(parse_count(matches))
    parts = over_units(part, units, matchup.batch, workers, progress)
    records = np.concatenate(parts)
    if not value.seats_alike:
        at_seat = records["half"] == value.seat
        records = records[at_seat]
    return read_matches(records)


def read_matches(records: np.ndarray) -> PlayedMatches:
    """Matches from the records of all their deals."""
    outcome = records["outcome"]
    last = outcome != UNDECIDED
    is_won = outcome == 0
    is_lost = outcome == 1
    worth = np.select([is_won, is_lost], [1.0, 0.0], DRAWN)
    match = np.cumsum(last) - last
    by_match = worth[last]
    return PlayedMatches(records, unit=records["unit"], last=last, result=by_match[match])


def martingale(value: Value, played: PlayedMatches, bins: int = BINS) -> pd.DataFrame:
    """The mean change of V by a deal, which is 0 within its error.

    In quantile bins of V before the deal, and (bin "all") over all deals: columns bin, deals,
    units, value, won, change, se, z.
    """
    before = value.before(played.records)
    levels = np.linspace(0, 1, bins + 1)
    quantiles = np.quantile(before, levels[1:-1])
    edges = np.unique(quantiles)
    bin_of = np.searchsorted(edges, before, side="right")
    change = _changes(before, played)

    def error(chosen: np.ndarray) -> float:
        mean = observations.mean(change[chosen], played.unit[chosen])
        return mean.se

    def changes(standing: np.ndarray) -> np.ndarray:
        return _changes(standing, played)

    return _by_bin(value, played, bin_of, "change", changes, error)


def _changes(before: np.ndarray, played: PlayedMatches) -> np.ndarray:
    """How V changed with every deal; the last deal of a match leads to its result."""
    next_before = np.append(before[1:], np.nan)
    after = np.where(played.last, played.result, next_before)
    return np.asarray(after - before)


def reliability(value: Value, played: PlayedMatches, bins: int = BINS) -> pd.DataFrame:
    """How often matches were won in bins of V, of equal width (and "all").

    Columns bin, deals, units, value (mean V), won (share won in the end), gap (their difference),
    se, z. A match counts once for every deal in the bin; its deals share one result, which the
    error allows for. It is the error if V is right, since where wins are rare the scatter of those
    that came says little.
    """
    before = value.before(played.records)
    bin_of = (before * bins).astype(np.int64)
    bin_of = np.minimum(bin_of, bins - 1)

    def gap(standing: np.ndarray) -> np.ndarray:
        return np.asarray(played.result - standing)

    def error(chosen: np.ndarray) -> float:
        return _error_if_right(before, played, chosen)

    return _by_bin(value, played, bin_of, "gap", gap, error)


def _error_if_right(before: np.ndarray, played: PlayedMatches, chosen: np.ndarray) -> float:
    """The error of mean result - V over chosen deals if V is right; NaN below 30 units.

    Then V is a martingale, and (R - V_s)(R - V_t) has the mean V_t (1 - V_t) for deals s before t
    of one match: the k-th of its chosen deals comes into the variance of their sum 2k - 1 times.
    The halves of a pair are taken as independent.
    """
    units = np.unique(played.unit[chosen])
    if len(units) < ENOUGH_UNITS:
        return np.nan
    match = played.match[chosen]
    v = before[chosen]
    first = np.searchsorted(match, match)
    k = np.arange(len(match)) - first + 1
    times = 2 * k - 1
    variance = (times * v * (1 - v)).sum()
    return float(np.sqrt(variance) / len(v))


def brier(value: Value, played: PlayedMatches) -> pd.Series:
    """The Brier score, mean (V - result)^2 over all deals, and what it is if V is right.

    Entries deals, brier, expected (the mean of V (1 - V)), difference and its se.
    """
    import pandas as pd

    before = value.before(played.records)
    score = (before - played.result) ** 2
    expected = before * (1 - before)
    difference = observations.mean(score - expected, played.unit)
    return pd.Series(
        {
            "deals": len(before),
            "brier": observations.mean(score, played.unit).value,
            "expected": observations.mean(expected, played.unit).value,
            "difference": difference.value,
            "se": difference.se,
        }
    )


def against_play(value: Value, played: PlayedMatches) -> pd.Series:
    """The share of matches that A wins, by V from the start and by the matches played.

    Entries matches, value, value_se, played, played_se, difference and its se.
    """
    import pandas as pd

    predicted = value.start()
    last = played.last
    won = observations.mean(played.result[last], played.unit[last])
    return pd.Series(
        {
            "matches": int(played.last.sum()),
            "value": predicted.value,
            "value_se": predicted.se,
            "played": won.value,
            "played_se": won.se,
            "difference": predicted.value - won.value,
            "se": float(np.hypot(predicted.se, won.se)),
        }
    )


def _by_bin(
    value: Value,
    played: PlayedMatches,
    bin_of: np.ndarray,
    name: str,
    measure: Callable[[np.ndarray], np.ndarray],
    error: Callable[[np.ndarray], float],
) -> pd.DataFrame:
    """Means in every bin and over all deals.

    name: the column of `measure`, which is given V before each deal. error: of that mean over
    chosen deals (a mask), V being taken as known.
    """
    import pandas as pd

    before = value.before(played.records)
    measured = measure(before)
    standings = value.before_leaving_out(played.records)
    left_out = [measure(standing) for standing in standings]
    everywhere = np.ones(len(before), bool)
    masks = {"all": everywhere}
    for number in range(bin_of.max() + 1):
        masks[str(number)] = bin_of == number
    rows = []
    for label, chosen in masks.items():
        if not chosen.any():
            continue
        own_error = _own_error(left_out, chosen)
        rows.append(
            {
                "bin": label,
                "deals": int(chosen.sum()),
                "units": len(np.unique(played.unit[chosen])),
                "value": float(before[chosen].mean()),
                "won": float(played.result[chosen].mean()),
                name: float(measured[chosen].mean()),
                "se": float(np.hypot(error(chosen), own_error)),
            }
        )
    frame = pd.DataFrame(rows)
    z = frame[name] / frame["se"]
    return frame.assign(z=z)


def _own_error(left_out: list[np.ndarray], chosen: np.ndarray) -> float:
    """The error that V's own brings into a mean over chosen deals.

    left_out: what the mean is of, from V with each group of outcomes left out.
    """
    means = [values[chosen].mean() for values in left_out]
    error = jackknife(np.array(means))
    return float(error)
