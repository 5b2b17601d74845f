"""Every form of the sentences of odds, from made frames: grammar and units."""

import itertools

import pandas as pd
import pytest

from simgin.odds.odds import Odds
from simgin.odds.sentences import odds_sentences
from support.plain_sentences import faults

SHARES = [(0.0, 0.0, 0.004), (0.02, 0.013, 0.031), (0.76, 0.75, 0.77)]


def shares(key, names, metric="win"):
    """A frame of shares by variant and another name."""
    rows = []
    for name, (value, low, high) in zip(names, itertools.cycle(SHARES), strict=False):
        rows.append({"variant": "solitary-gin", key: name, "metric": metric, "value": value})
        rows[-1] |= {"low": low, "high": high}
    return pd.DataFrame(rows)


@pytest.mark.parametrize("players", [["naive"], ["naive", "strong"], ["naive", "plain", "strong"]])
@pytest.mark.parametrize("with_more", [False, True])
def test_the_forms_of_odds(players, with_more):
    best = players[-1]
    frames = {"strength": shares("strategy", players)}
    if with_more:
        draws = {"q10": 7.0, "q50": 12.0, "q90": 15.0}
        gin = pd.DataFrame({"statistic": list(draws), "value": list(draws.values())})
        frames["gin"] = gin.assign(variant="solitary-gin", strategy=best)
        frames["joker"] = shares("strategy", players)
        frames["seats"] = shares("seat", ["nondealer", "dealer"]).assign(strategy="gold")
    said = odds_sentences(Odds(1, frames, {"solitary-gin": best}))
    assert [fault for line in said for fault in faults(line)] == []
    assert said[0].startswith(f"solitary-gin: {best} wins ")
    assert len(said) == (4 if with_more else 1)
