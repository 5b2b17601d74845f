"""Two-player odds by seat and score against sums and V; how far a request is, and what it says."""

import itertools

import numpy as np
import pandas as pd
import pytest

from simgin.core import sums
from simgin.odds import seats
from simgin.odds.odds import Odds
from simgin.odds.odds_sentences import odds_sentences
from simgin.play import kernel
from simgin.play.matchup import SeatError, parse_matchup
from simgin.runs import runner
from simgin.stats import batches
from simgin.value import outcomes, value
from support.plain_sentences import faults

DEALS = 20_000


@pytest.fixture(scope="module")
def standard():
    return seats.play_self("gold", "standard", DEALS)


def rows(frame, metric):
    return frame[frame["metric"] == metric].set_index("seat")


def test_odds_by_seat_agree_with_a_run(standard):
    """The same deals, added up by the engine."""
    total = batches.total(
        runner.run_matchup(parse_matchup("gold", "gold", "standard", 1, "deal"), DEALS)
    )
    fact = {name: int(total[sums.SUM + place]) for name, place in sums.FACT.items()}
    won = rows(seats.by_seat(standard), "win")
    assert won.loc["nondealer", "value"] == fact["first_player_win"] / DEALS
    assert won.loc["dealer", "value"] == (fact["decided"] - fact["first_player_win"]) / DEALS
    nobody = rows(seats.by_seat(standard), "nobody")
    assert set(nobody["value"]) == {(DEALS - fact["decided"]) / DEALS}
    assert set(nobody["n"]) == {DEALS}
    assert (won["low"] < won["value"]).all() and (won["value"] < won["high"]).all()


def test_the_match_odds_by_seat_are_v_at_the_start(standard):
    match = rows(seats.by_seat(standard), "match")
    v = value.compute("standard", "gold", "gold", deals=DEALS)
    assert match.loc["dealer", "value"] == v.win(0, 0, 0)
    assert match.loc["nondealer", "value"] == v.win(0, 0, 1)
    assert match["value"].sum() == pytest.approx(1)
    assert match.loc["dealer", "high"] - match.loc["dealer", "value"] == pytest.approx(
        2.093 * v.se(0, 0, 0), rel=1e-3
    )


def test_every_score_occurs_once_and_both_sides_agree(standard):
    frame = seats.by_score(standard)
    columns = "variant strategy opponent a b dealer value low high n"
    assert list(frame.columns) == columns.split()
    assert len(frame) == 100 * 100 * 2 == len(frame.drop_duplicates(["a", "b", "dealer"]))
    at = frame.set_index(["a", "b", "dealer"])["value"]
    for a, b in [(0, 0), (10, 90), (99, 98), (50, 25)]:
        assert at[a, b, 0] + at[b, a, 1] == pytest.approx(1)
    assert at[90, 10, 0] > at[50, 50, 0] > at[10, 90, 0]
    limits = [0, *(frame[name] for name in ("low", "value", "high")), 1]
    assert all((low <= high).all() for low, high in itertools.pairwise(map(np.asarray, limits)))
    small = seats.grid(frame, 100)  # of the screen
    assert sorted(set(small["a"])) == sorted(set(small["b"])) == [0, 25, 50, 75]
    assert len(small) == 32


def test_what_has_no_v_or_no_seats_says_so():
    """Hollywood has no V; in a race one side counts points and the other deals."""
    table = seats.play_self("gold", "hollywood", DEALS)
    assert "columns" in table.refused and "simgin match" in table.refused
    assert set(seats.by_seat(table)["metric"]) == {"win", "nobody"} and seats.by_score(table).empty
    table = seats.play_self("gold", "race", DEALS)
    match = rows(seats.by_seat(table), "match")
    assert list(match.index) == ["seat 0", "seat 1"] and match["value"].sum() == pytest.approx(1)
    assert seats.by_score(table).empty
    with pytest.raises(SeatError, match="for one player"):
        seats.play_self("gold", "solitaire-gin", DEALS)


def without_v(n, seed):
    matchup = parse_matchup("gold", "gold", "standard", seed, "deal")
    records = [kernel.play_recorded(matchup, at, min(n, 50_000))[1] for at in range(0, n, 50_000)]
    found = outcomes.merged(outcomes.tally(np.concatenate(records)))
    return seats.Table(matchup, outcomes.Outcomes(found["rows"], found["counts"]), None)


def test_intervals_by_seat_have_nominal_coverage():
    """100 runs of 2,000 deals against 300,000: fewer than 86 hold the truth in one test of 800."""
    truth = rows(seats.by_seat(without_v(300_000, 9)), "win")["value"]
    held = 0
    for seed in range(10, 110):
        found = rows(seats.by_seat(without_v(2_000, seed)), "win").loc["dealer"]
        held += found["low"] <= truth["dealer"] <= found["high"]
    assert held >= 86


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
