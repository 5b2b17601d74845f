"""Frames made for tests: tidy rows, and a league with its cross-table."""

import math

import pandas as pd

from simgin.stats import league, ratings, table

NAN = math.nan


def tidy(*rows):
    """Tidy rows from (variant, a, b, {metric: (value, half-width)}); half-width None: undefined."""
    found = []
    for variant, a, b, told in rows:
        for metric, (value, half) in told.items():
            cells = (NAN,) * 4
            if half is not None:
                cells = (value, half / 1.96, value - half, value + half)
            unit = "match" if metric == "match_win" else "deal"
            found.append((variant, a, b, unit, metric, *cells, 2000))
    return pd.DataFrame(found, columns=list(table.TABLE_COLUMNS))


def a_league(shares):
    rows = []
    for (one, other), (value, half) in zip(("ab", "ac", "bc"), shares, strict=True):
        rows.append((one, other, value, half / 2, value - half, value + half, 1000))
        rows.append((other, one, 1 - value, half / 2, 1 - value - half, 1 - value + half, 1000))
    cross = pd.DataFrame(rows, columns=list(ratings.CROSS_COLUMNS)).assign(variant="eaai")
    elo = {"a": (30.0, 25.0, 35.0), "b": (0.0, 0.0, 0.0), "c": (-40.0, -50.0, -30.0)}
    won = {"match_win": 0.6, "match_win_low": 0.5, "match_win_high": 0.7}
    places = [
        {"place": i, "strategy": name, "elo": value, "elo_low": low, "elo_high": high, **won}
        for i, (name, (value, low, high)) in enumerate(elo.items(), start=1)
    ]
    return pd.DataFrame(places, columns=list(league.LEAGUE_COLUMNS)).assign(variant="eaai"), cross
