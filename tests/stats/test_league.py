"""The league table against plain averages, and its errors against leaving batches out."""

import itertools

import numpy as np
import pandas as pd
import pytest

from simgin.core import sums
from simgin.core.cell import Cell
from simgin.stats import league, table
from simgin.stats.metrics import BY_NAME
from simgin.stats.played import Played
from simgin.stats.ratings import ratings
from simgin.stats.ratios import estimate_metric
from simgin.stats.round_robin.equilibrium import equilibrium_mix
from simgin.stats.round_robin.results import RoundRobin
from support import toy_deals as toy

NAMES = ("simple", "b", "c")
STRENGTH = {"simple": 0.5, "b": 0.6, "c": 0.35}


def played(seed, batches=12, units=40):
    """A round robin of matches: batch rows by pair."""
    rng, rows = np.random.default_rng(seed), {}
    for a, b in itertools.combinations(NAMES, 2):
        bag = toy.units(rng, 200, win=0.5 + STRENGTH[a] - STRENGTH[b], matches=True)
        rows[a, b] = toy.rows(rng, bag, (batches,), units)
    return rows


def both_sides(rows, unit="match"):
    return [
        Played(Cell("v", a, b, 1, unit), part, as_b=as_b)
        for (a, b), part in rows.items()
        for as_b in (False, True)
    ]


def standings(rows, unit="match"):
    robin = RoundRobin(rows, 1)
    return league.standings(both_sides(rows, unit), ratings(robin), equilibrium_mix(robin))


def test_standings_are_means_over_opponents():
    rows = played(1)
    found = standings(rows).set_index("strategy")
    assert list(found["place"]) == [1, 2, 3] and list(found.index) == ["b", "simple", "c"]
    tidy = [table.tidy("v", *pair, "match", part.sum(axis=0)) for pair, part in rows.items()]
    plain = pd.concat(tidy).groupby(["strategy", "metric"])["value"].mean()
    for name, metric in itertools.product(NAMES, league.MEASURES["match"]):
        assert found.loc[name, metric] == pytest.approx(plain[name, metric])
    assert (found["n"] == 2 * 2 * 12 * 40).all()  # two opponents, both halves


def test_standings_have_leads_and_the_mix():
    rows = played(1)
    found, robin = standings(rows), RoundRobin(rows, 1)
    assert found["lead"].to_numpy() == pytest.approx(ratings(robin)["lead"], nan_ok=True)
    mix = equilibrium_mix(robin).set_index("strategy").loc[found["strategy"]]
    for name in mix:
        assert found[name].to_numpy() == pytest.approx(mix[name].to_numpy())
    assert found["mix"].sum() == pytest.approx(1)


def test_limits_agree_with_the_jackknife_over_batches():
    """For a ratio over few batches jackknife and delta method differ by about one part in 40."""
    rows = played(2, batches=40)
    found = standings(rows).set_index("strategy")
    for name, metric in itertools.product(NAMES, league.MEASURES["match"]):
        left = np.zeros(40)
        for pair, part in rows.items():
            if name in pair:
                rest = part.sum(axis=0) - part
                own = BY_NAME[metric], name == pair[1]
                left += [estimate_metric(row, *own).value / 2 for row in rest]
        se = np.sqrt(39 / 40 * ((left - left.mean()) ** 2).sum())
        half = (found.loc[name, f"{metric}_high"] - found.loc[name, f"{metric}_low"]) / 2
        t = 2.0227  # Student's with 39 degrees of freedom
        assert half == pytest.approx(t * se, rel=0.03)


def test_too_few_batches_have_no_limits_and_deals_no_match_columns():
    found = standings(played(4, batches=4))
    assert found["match_win"].notna().all() and found["match_win_low"].isna().all()
    found = standings(played(5), "deal")
    assert found["match_win"].isna().all() and found["deal_win"].notna().all()


@pytest.mark.parametrize("other_turns", [0, 1])
def test_a_strategy_under_two_names_is_found_whichever_side_it_sits_at(other_turns):
    """d is b again: the same results against both others, once as B. One turn makes it another."""
    rows = played(1)
    again = rows["simple", "b"].copy()
    again[3, sums.SUM + sums.FACT["turns"]] += other_turns
    swapped = toy.seen_by_b(rows["b", "c"])
    doubled = rows | {("simple", "d"): again, ("c", "d"): swapped}
    doubled |= {("b", "d"): played(2)["simple", "b"]}
    assert league.alike(both_sides(doubled)) == ([] if other_turns else [("b", "d")])
    assert league.alike(both_sides(rows)) == []
