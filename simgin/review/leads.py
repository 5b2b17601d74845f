"""How the lead of a match goes by its score: comebacks and changes of the lead, counted exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.core.match import UNDECIDED
from simgin.play.kernel import play_recorded, prepare
from simgin.play.matchup import Matchup
from simgin.play.parallel import over_units
from simgin.review.variant_matches import Measurement
from simgin.rules.goals import goal_of
from simgin.rules.parameters import Params
from simgin.stats import quantity
from simgin.value.states import number

if TYPE_CHECKING:
    from simgin.play.parallel import Progress

COMEBACKS, LEAD_CHANGES = "comebacks", "lead_changes_per_match"  # keys of the rule metrics
# Matches; those that somebody won after one side had half of the target and more than the other;
# those of them that the other won; changes of the lead
LEAD_COLUMNS = ("matches", "half_way", "comebacks", "changes")


def measure_leads(
    matchup: Matchup, n: int, workers: int | None, progress: Progress | None
) -> dict[str, Measurement]:
    """Comebacks and changes of the lead in so many matches, or why there are none."""
    params = matchup.variant.row
    if not matchup.variant.goal.score:
        reason = "there is no single score to lead by"
        return {COMEBACKS: reason, LEAD_CHANGES: reason}

    def part(first_unit: int, units: int) -> np.ndarray:
        _, records = play_recorded(matchup, first_unit, units)
        return np.asarray(count_leads(records, params).sum(axis=0))

    prepare(matchup)
    batches = over_units(part, matchup.units(n), matchup.batch, workers, progress)
    matches, half_way, comebacks, changes = np.stack(batches, axis=1)
    measured: dict[str, Measurement] = {COMEBACKS: "nobody won from half way"}
    if half_way.any():
        (measured[COMEBACKS],) = quantity.shares(comebacks[:, None], half_way)
    measured[LEAD_CHANGES] = quantity.per_case(changes, matches)
    return measured


def count_leads(records: np.ndarray, params: Params) -> np.ndarray:
    """LEAD_COLUMNS of recorded matches (`core.record.DEAL`): int64 (matches, columns).

    Who leads keeps the lead at equal scores, and who won leads at the end.
    """
    ((field, name),) = goal_of(params).side.targets.items()
    own = records[f"{field}_a"]
    other = records[f"{field}_b"]
    lead = np.sign(own - other)
    outcome = records["outcome"]
    last = outcome != UNDECIDED
    result = np.select([outcome == 0, outcome == 1], [1, -1], 0)
    ends = np.flatnonzero(last)
    first = np.append(0, ends[:-1] + 1)
    deals = np.arange(len(records))
    latest = np.maximum.accumulate(np.where(lead != 0, deals, -1))
    leader = np.where(latest >= np.repeat(first, ends + 1 - first), lead[latest], 0)
    after = np.where(last, result, np.append(lead[1:], 0))
    changes = np.add.reduceat(leader * after < 0, first, dtype=np.int64)
    is_half = (2 * np.maximum(own, other) >= number(params, name)) & (lead != 0)
    at = np.minimum.reduceat(np.where(is_half, deals, len(deals)), first)
    won = result[last]
    half_way = (at < len(deals)) & (won != 0)
    comebacks = half_way & (lead[np.minimum(at, len(deals) - 1)] != won)
    return np.stack([np.ones_like(won), half_way, comebacks, changes], axis=1)
