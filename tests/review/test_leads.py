"""How the lead of a match goes, against a slow count of played matches."""

import numpy as np
import pytest

from simgin.play.kernel import play_recorded
from simgin.play.matchup import parse_matchup
from simgin.review import leads
from simgin.stats import observations


def slow_leads(found, field, target):
    """The same from one match after the other, deal by deal."""
    counts, leader, ahead, changes = [], None, None, 0
    for record in found:
        a, b = record[f"{field}_a"], record[f"{field}_b"]
        lead = None if a == b else int(b > a)
        if ahead is None and lead is not None and max(a, b) >= target / 2:
            ahead = lead
        for now in (lead, record["outcome"] if record["outcome"] in (0, 1) else None):
            if now is not None:
                changes += leader is not None and now != leader
                leader = now
        if record["outcome"] != -1:
            is_won = record["outcome"] in (0, 1) and ahead is not None
            counts.append([1, is_won, is_won and ahead != record["outcome"], changes])
            leader, ahead, changes = None, None, 0
    return counts


@pytest.mark.parametrize(
    ("variant", "field", "target"),
    [("standard", "score", 100), ("standard+goal=deals+deals_target=5", "deals", 5)],
)
def test_leads_of_played_matches_agree_with_a_slow_count(variant, field, target):
    """The error over batches and the error over matches are two of the same, within a quarter."""
    matchup = parse_matchup("gold", "gold", variant, 4, "match")
    _, found = play_recorded(matchup, 0, 3_000)
    counts = np.array(slow_leads(found, field, target))
    assert (leads.count_leads(found, matchup.variant.row) == counts).all()
    matches, half_way, comebacks, changes = counts.T
    measured = leads.measure_leads(matchup, 3_000, 2, None)
    for key, over, under in (
        (leads.COMEBACKS, comebacks, half_way),
        (leads.LEAD_CHANGES, changes, matches),
    ):
        told = measured[key]
        want = observations.ratio(over, under, np.arange(3_000))
        assert (told.value, told.n) == (pytest.approx(want.value), under.sum())
        assert told.se == pytest.approx(want.se, rel=0.25)
        low, high = told.limits
        assert low < told.value < high


@pytest.mark.parametrize("variant", ["pro", "race", "standard+goal=single"])
def test_without_a_single_score_there_is_no_lead(variant):
    found = leads.measure_leads(parse_matchup("gold", "gold", variant, 4, "match"), 1_000, 1, None)
    assert set(found.values()) == {"there is no single score to lead by"}
