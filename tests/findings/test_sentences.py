"""Verdict sentences on made frames: they follow the intervals, signs included, and name chance."""

import math

import pandas as pd
import pytest

from simgin.findings import (
    change_sentences,
    league_sentences,
    matchup_sentences,
    sentences,
    wording,
)
from simgin.stats import differences
from simgin.stats.round_robin.non_additivity import NonAdditivity
from simgin.stats.round_robin.triads import TRIAD_COLUMNS, Triads
from support.made_frames import a_league, tidy

NAN = math.nan


def deals(margin, half=0.1, **more):
    return {"deal_win": (0.48, 0.004), "deal_loss": (0.51, 0.004), "margin": (margin, half)} | more


@pytest.mark.parametrize(
    ("margin", "half", "message"),
    [
        (0.5, 0.1, "gold beats simple by 0.50 ± 0.10 points a deal; gold wins"),
        (-0.5, 0.1, "gold loses to simple by 0.50 ± 0.10 points a deal; gold wins"),
        (
            0.05,
            0.1,
            "no significant difference between gold and simple: 0.05 ± 0.10 points a deal (gold "
            "minus simple);",
        ),
        (
            -0.1,
            0.1,
            "no significant difference between gold and simple: -0.10 ± 0.10 points a deal (gold "
            "minus simple);",
        ),
        (0.5, None, "too few deals to compare gold and simple."),
    ],
)
def test_the_verdict_on_points_follows_the_interval(margin, half, message):
    (line,) = matchup_sentences.matchups(tidy(("eaai", "gold", "simple", deals(margin, half))))
    assert line.startswith(f"eaai: {message}")
    assert half is None or line.endswith(
        "gold wins 48.00 ± 0.40 % of deals, simple 51.00 ± 0.40 %."
    )


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (
            0.55,
            "gold beats simple: it wins 55.0 ± 2.0 % of matches. "
            "Even so, it loses 0.50 ± 0.10 points a deal and wins 48.00 ± 0.40 % of deals (simple "
            "51.00 ± 0.40 %).",
        ),
        (0.45, "gold loses to simple: it wins 45.0 ± 2.0 % of matches. It"),
        (
            0.51,
            "no significant difference between gold and simple: gold wins 51.0 ± 2.0 % of matches.",
        ),
    ],
)
def test_match_wins_come_first_and_may_contradict_points(share, message):
    (line,) = matchup_sentences.matchups(
        tidy(("eaai", "gold", "simple", deals(-0.5, match_win=(share, 0.02))))
    )
    assert line.startswith(f"eaai: {message}")


def test_self_play_has_no_winner():
    assert matchup_sentences.matchups(tidy(("eaai", "gold", "gold", deals(0.5)))) == []


def test_of_many_strategies_the_best_and_worst_are_named():
    values = {"a": 2.0, "b": 1.95, "c": 1.0, "d": 0.5, "e": 0.0, "f": -1.0, "g": -2.0}
    (line,) = matchup_sentences.matchups(
        tidy(*(("eaai", name, "simple", deals(value)) for name, value in values.items()))
    )
    assert line == (
        "eaai: of 7 strategies against simple, a does best with 2.00 ± 0.10 "
        "points a deal; its interval overlaps that of b; "
        "g does worst with -2.00 ± 0.10 points a deal."
    )


def test_one_player_verdicts_state_what_the_variant_counts():
    alone = {"win": (0.5, 0.01), "gin": (0.4, 0.01), "score": (-0.25, 0.05), "limit": (0.0, 0.001)}
    (line,) = matchup_sentences.matchups(tidy(("solitaire-gin", "gold", "", alone)))
    assert (
        line == "solitaire-gin: gold wins 50.0 ± 1.0 % of deals, goes gin in 40.0 ± 1.0 % of "
        "deals and scores -0.250 ± 0.050 points a deal."
    )
    goal = {"goal_met": (0.3, 0.02), "score": (7.5, 0.2), "limit": (0.4, 0.01), "win": (0.0, 0.0)}
    (line,) = matchup_sentences.matchups(tidy(("solitary-gin", "gold", "", goal)))
    assert (
        line == "solitary-gin: gold meets the goal in 30.0 ± 2.0 % of matches and takes "
        "7.50 ± 0.20 penalty points a deal."
    )


def made_differences(*rows):
    """Differences from (strategy, metric, difference, se, p after Holm).

    p is None for a run that looked at its results.
    """
    found = []
    for strategy, metric, difference, se, p in rows:
        limits = (difference - 2 * se, difference + 2 * se)
        told = (NAN, NAN) if p is None else (p / 10, p)
        names = ("eaai", strategy, "simple", "eaai", "gold", "simple", "deal", metric)
        found.append((*names, difference, se, *limits, *told, 3 * se, 2000, True))
    return pd.DataFrame(found, columns=list(differences.DIFFERENCE_COLUMNS))


def test_significant_differences_are_stated_and_the_rest_counted():
    frame = made_differences(
        ("early", "margin", 0.5, 0.1, 0.001),
        ("early", "deal_win", -0.01, 0.01, 0.8),
        ("late", "margin", 0.18, 0.1, 0.06),
        ("last", "margin", -3.0, 0.1, 1e-9),
    )
    assert change_sentences.differences(frame) == [
        "last instead of gold (eaai, against simple): 3.00 ± 0.20 fewer points a deal.",
        "early instead of gold (eaai, against simple): 0.50 ± 0.20 more points a deal.",
        "No significant difference in 1 of 3 comparisons (5 % level, after Holm's adjustment).",
    ]
    (line,) = change_sentences.differences(frame[frame["strategy"] == "late"])
    assert line.startswith("No significant difference in the only comparison")


def test_differences_of_stopped_runs_follow_their_limits():
    assert (
        len(change_sentences.differences(made_differences(("early", "margin", 0.5, 0.1, None))))
        == 1
    )
    (line,) = change_sentences.differences(made_differences(("early", "margin", 0.1, 0.1, None)))
    assert line.startswith("No significant difference")


def test_many_differences_are_counted():
    frame = made_differences(*((f"s{i}", "margin", 1.0 + i, 0.1, 0.001) for i in range(9)))
    said = change_sentences.differences(frame)
    assert said[0].startswith("s8 instead of gold")
    assert said[-1] == "3 more comparisons show a difference: see the table of differences."
    assert len(said) == wording.MOST + 1


NO_FIT = NonAdditivity(NAN, NAN, NAN, NAN)


def circle(*players, share=0.52, excess=2.0, p=0.4):
    return dict(zip(TRIAD_COLUMNS, (*players, share, excess, p), strict=True))


def going_round(*rows, examined=20):
    return Triads(examined, pd.DataFrame(rows, columns=list(TRIAD_COLUMNS)))


def said_of_a_league(shares, fit=NO_FIT, triads=None, unit="matches"):
    standings, cross = a_league(shares)
    found = going_round() if triads is None else triads
    return league_sentences.leagues(standings, cross, {"eaai": fit}, {"eaai": found}, unit)


def test_the_verdict_on_a_league_names_leader_non_additivity_circles_and_close_pairs():
    said = said_of_a_league(
        [(0.51, 0.02), (0.6, 0.02), (0.4, 0.02)], NonAdditivity(0.05, 0.06, 0.01, 0.02)
    )
    assert said == [
        "eaai: a leads the league of 3 (Elo 30.0 ± 5.0) and wins 60 ± 10 % of its matches. "
        "No significant lead over the second, b (Elo 0, the anchor): 51.0 ± 2.0 % of matches. "
        "Last is c (Elo -40 ± 10).",
        "eaai: no significant difference in matches won for 1 of 3 pairs: a and b.",
        "eaai: 5.0 ± 2.0 % of what the results say fits no ratings (non-additivity). "
        "Some pairs are further apart, or closer, than their ratings say, because some players "
        "suit or do not suit each other; that takes no circle.",
        "eaai: none of 20 triads goes round in a circle.",
    ]
    said = said_of_a_league([(0.45, 0.02), (0.6, 0.02), (0.4, 0.02)], unit="deals")
    assert "Even so, it loses to the second, b (Elo" in said[0]
    assert said[1] == "eaai: all 3 pairs differ significantly in deals won."


def test_non_additivity_that_may_be_zero_is_stated_by_its_limit():
    said = said_of_a_league([(0.55, 0.02)] * 3, NonAdditivity(0.001, 0.01, 0.002, 0.0039))
    assert said[2].startswith("eaai: at most 0.49 % of what the results say fits no ratings")


def test_circles_are_told_from_chance():
    assert league_sentences.circles(going_round(examined=0)) == ""
    by_chance = going_round(circle("a", "c", "b"))
    assert league_sentences.circles(by_chance) == (
        "none of 20 triads goes round in a circle beyond chance; the clearest, a over c over b "
        "over a, has 52.0 % in its closest pair, 2.0 standard errors above even (p 0.4 after "
        "Holm's adjustment)."
    )
    sure = going_round(circle("a", "c", "b", excess=9.0, p=1e-9), circle("a", "b", "d"))
    said = league_sentences.circles(sure)
    assert said.startswith("1 of 20 triads goes round in a circle beyond chance; the clearest")
    assert "9.0 standard errors above even (p under 0.0001 after" in said


def test_the_equilibrium_mix_is_named_with_its_weights():
    standings, cross = a_league([(0.55, 0.02)] * 3)
    found = {"eaai": NO_FIT}, {"eaai": going_round()}, "matches"
    alone = standings.assign(mix=[1.0, 0, 0], mix_low=[0.5, 0, 0], mix_high=[1.0, 0.5, 0])
    said = league_sentences.leagues(alone, cross, *found)
    assert said[1] == "eaai: nobody is ahead of a, which is the equilibrium mix by itself."
    several = standings.assign(mix=[0.4, 0.6, 0], mix_low=[0.3, 0.5, 0], mix_high=[0.5, 0.7, 0.1])
    said = league_sentences.leagues(several, cross, *found)
    assert said[1] == "eaai: nobody is ahead of the equilibrium mix: b, 60 ± 10 %; a, 40 ± 10 %."


def test_one_player_under_several_names_is_named():
    (line,) = sentences.alike({"dice": [("gold", "gilt", "aurum")], "eaai": []})
    assert line == (
        "dice: gold, gilt and aurum play alike: each has the same results against all others, so "
        "the league counts one player 3 times. Leave out all but one."
    )


def test_an_unrated_league_is_stated():
    standings, cross = a_league([(0.5, 0.1)] * 3)
    standings["elo"] = NAN
    (line,) = league_sentences.leagues(
        standings, cross, {"eaai": NO_FIT}, {"eaai": going_round()}, "deals"
    )
    assert line == "eaai: too few deals to rate these 3 strategies."


def test_changes_are_sorted_by_what_they_do_over_all_fields():
    gains = {
        "everywhere": (0.5, 0.4),
        "nowhere": (-0.5, -0.4),
        "torn": (-0.5, 0.4),
        "some": (0.5, 0.1),
        "few": (-0.5, 0.1),
        "idle": (0.1, -0.1),
    }
    rows = []
    for change, points in gains.items():
        for field, value in zip(("gold", "gold v simple"), points, strict=True):
            low, high = value - 0.2, value + 0.2
            row = ("eaai", change, field, "margin", value, 0.1, low, high)
            rows.append((*row, 0.001 if abs(value) > 0.2 else 0.5))
    names = ("variant", "change", "field", "metric", "difference", "se", "low", "high", "p_holm")
    frame = pd.DataFrame(rows, columns=list(names)).assign(p=0.01)
    assert change_sentences.effects(frame) == [
        "eaai: points are gained in every field by everywhere.",
        "eaai: points are lost in every field by nowhere.",
        "eaai: points are gained in some fields and lost in others by torn.",
        "eaai: points are gained in some fields, and lost for certain in none, by some.",
        "eaai: points are lost in some fields, and gained for certain in none, by few.",
        "eaai: no significant difference is made in any field by idle.",
    ]
