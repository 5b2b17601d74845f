"""A request of odds says how far it is, within a player too, and what was found in a sentence."""

import pandas as pd
import pytest

from simgin.odds import odds_request
from simgin.odds.odds import Odds
from simgin.odds.odds_sentences import odds_sentences
from simgin.value import array_cache, outcomes
from support.plain_sentences import faults


@pytest.mark.parametrize(
    "variant",
    [
        "standard",
        "shot+points_target=8",  # outcomes by score
        "solitaire-gin",
    ],
)
def test_progress_goes_on_within_a_player(variant, tmp_path, monkeypatch):
    monkeypatch.setattr(array_cache, "directory", lambda: tmp_path)
    monkeypatch.setattr(outcomes, "CALL_UNITS", 1000)
    wanted = odds_request.read_request([variant], ["gold", "gold-early"], deals=20_000, seed=7)
    reports = []
    odds_request.measure(wanted, progress=lambda done, units: reports.append((done, units)))
    assert reports == sorted(reports)
    (all_of_it,) = {units for _, units in reports}
    done = [100 * done / all_of_it for done, _ in reports]
    assert done[-1] == 100
    within_the_first = [share for share in done if 0 < share < 50]
    assert len(within_the_first) >= 3


def shares(key, *names):
    """A frame of shares by variant and another name."""
    found = pd.DataFrame({key: names, "value": [0.02, 0.76][: len(names)]})
    limits = {"low": found["value"] - 0.01, "high": found["value"] + 0.01}
    return found.assign(variant="solitary-gin", metric="win", **limits)


@pytest.mark.parametrize("players", [["naive"], ["naive", "strong"]])
@pytest.mark.parametrize("with_more", [False, True])
def test_the_sentences_of_odds(players, with_more):
    best = players[-1]
    frames = {"strength": shares("strategy", *players)}
    if with_more:
        gin = pd.DataFrame({"statistic": ["q10", "q50", "q90"], "value": [7.0, 12.0, 15.0]})
        frames["gin"] = gin.assign(variant="solitary-gin", strategy=best)
        frames["joker"] = shares("strategy", *players)
        frames["seats"] = shares("seat", "nondealer", "dealer").assign(strategy="gold")
    said = odds_sentences(Odds(1, frames, {"solitary-gin": best}))
    assert [fault for line in said for fault in faults(line)] == []
    assert said[0].startswith(f"solitary-gin: {best} wins {'76' if len(players) > 1 else '2.0'}")
    assert len(said) == (4 if with_more else 1)
