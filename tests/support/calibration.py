"""Whether V can be believed: what it predicts of matches that it was not made from.

Errors are clustered by unit and hold that of V itself, by the jackknife over groups.
"""

import dataclasses

import numpy as np

from simgin.core.match import UNDECIDED
from simgin.play.kernel import play_recorded, prepare
from simgin.stats.estimate import ENOUGH_UNITS
from simgin.value.outcomes import jackknife

BINS = 10


class PlayedMatches:
    """Matches deal by deal, from the records of all their deals.

    By deal: unit; match, its number; result, what the match was worth to A in the end: 1, 0, or
    one half where nobody won.
    """

    def __init__(self, records):
        self.records, self.unit = records, records["unit"]
        last = records["outcome"] != UNDECIDED
        self.match = np.cumsum(last) - last
        worth = np.select([records["outcome"] == 0, records["outcome"] == 1], [1.0, 0.0], 0.5)
        self.result = worth[last][self.match]


def play_matches(v, matches, seed):
    """So many fresh matches of the pair of a value, those with A at its seat."""
    matchup = dataclasses.replace(v.matchup, seed=seed, unit="match")
    prepare(matchup)
    _, records = play_recorded(matchup, 0, matchup.units(matches))
    return PlayedMatches(records if v.seats_alike else records[records["half"] == v.seat])


def standings(v, records):
    """The states before each recorded deal, as the board takes them."""
    left = (v.matchup.variant.row["deals_in_match"] or 0) - records["deal"]

    def of(side, fields):
        columns = [left if name == "left" else records[f"{name}_{side}"] for name in fields]
        return np.stack(columns, axis=1) if columns else np.empty((len(records), 0), np.int64)

    a, b = v.board.fields
    return of("a", a), of("b", b), records["dealer"]


def reliability(v, played):
    """z of the share of matches won less V, in bins of V of equal width and over all deals."""
    place = v.board.index(*standings(v, played.records))
    before = v.chances[place]
    left_out = [played.result - table[place] for table in v.tables_leaving_out()]
    bin_of = np.minimum((before * BINS).astype(np.int64), BINS - 1)
    found = []
    for chosen in [bin_of >= 0, *(bin_of == number for number in np.unique(bin_of))]:
        own = jackknife(np.array([values[chosen].mean() for values in left_out]))
        se = np.hypot(error_if_right(before, played, chosen), own)
        if se > 0:
            found.append((played.result - before)[chosen].mean() / se)
    return found


def error_if_right(before, played, chosen):
    """The error of mean result - V over chosen deals if V is right; NaN below 30 units.

    Then V is a martingale, and (R - V_s)(R - V_t) has the mean V_t (1 - V_t) for deals s before t
    of one match: the k-th of its chosen deals comes into the variance of their sum 2k - 1 times.
    The halves of a pair are taken as independent. Where wins are rare, the scatter of those that
    came would say little.
    """
    if len(np.unique(played.unit[chosen])) < ENOUGH_UNITS:
        return np.nan
    match, v = played.match[chosen], before[chosen]
    k = np.arange(len(match)) - np.searchsorted(match, match) + 1
    return np.sqrt(((2 * k - 1) * v * (1 - v)).sum()) / len(v)
