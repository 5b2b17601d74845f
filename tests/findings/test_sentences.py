"""Sentences on made frames: they follow the intervals, signs included, and are plain English."""

import itertools
import math
import re

import pandas as pd
import pytest

from simgin.findings import (
    change_sentences,
    league_sentences,
    matchup_sentences,
    sentences,
    wording,
)
from simgin.findings.findings import VARIANT_METRICS
from simgin.runs import plan
from simgin.stats import differences
from simgin.stats.metrics import BY_NAME, headline
from simgin.stats.round_robin.non_additivity import NonAdditivity
from simgin.stats.round_robin.triads import TRIAD_COLUMNS, Triads
from support.made_frames import a_league, tidy
from support.plain_sentences import faults

NAN = math.nan


@pytest.mark.parametrize(
    "text",
    [
        "waiting for gin loses -1.0 points a deal.",
        "-1.0 ± 0.1 points a deal fewer.",
        "matches won % higher by 19.01 ± 0.30 points.",
        "3.1 ± 0.2 % more matches.",
        "none of 1 triads goes round.",
        "deal_win is known.",
        "It scores 0.5 ± 0.1.",
        "no player never knocks.",
        "It wins",
    ],
)
def test_the_faults_are_found(text):
    assert faults(text)


# Two players


MARGINS = [(-2.0, 0.1), (-0.05, 0.1), (0.0, 0.1), (0.05, 0.1), (2.0, 0.1), (0.0, None)]
MATCHES = [(0.3, 0.02), (0.49, 0.02), (0.5, 0.02), (0.52, 0.01), (0.98, 0.03), None]
DEALS = [(0.4, 0.59), (0.5, 0.5), (0.6, 0.39)]


@pytest.mark.parametrize(("margin", "share"), [*itertools.product(MARGINS, MATCHES)])
def test_the_words_of_a_verdict_follow_its_numbers(margin, share):
    for own, other in DEALS:
        told = {"deal_win": (own, 0.004), "deal_loss": (other, 0.004), "margin": margin}
        if share:
            told["match_win"] = share
        (line,) = matchup_sentences.matchups(tidy(("eaai", "gold", "simple", told)))
        assert faults(line) == []
        check_direction(line, margin, share, own - other)


def check_direction(line, margin, share, more_deals):
    """The words of a verdict against its numbers, one by one."""
    value, half = margin
    if half is None:
        assert "too few deals" in line
        return
    sure_points = (value > half) - (value < -half)
    won, won_half = share if share else (0.5 + value, half)
    sure = (won - 0.5 > won_half) - (won - 0.5 < -won_half)
    assert ("gold beats simple" in line) == (sure > 0)
    assert ("gold loses to simple" in line) == (sure < 0)
    assert ("no significant difference" in line) == (sure == 0)
    if not share:
        return
    assert ("gains 2.00" in line) == (sure_points > 0)
    assert ("loses 2.00" in line) == (sure_points < 0)
    assert ("neither gains nor loses" in line) == (sure_points == 0)
    assert ("Even so" in line) == (sure * sure_points < 0)
    assert (", but wins" in line) == (sure_points * more_deals < 0)


def deals(margin):
    return {"deal_win": (0.48, 0.004), "deal_loss": (0.51, 0.004), "margin": (margin, 0.1)}


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (
            deals(-0.5),
            "gold loses to simple by 0.50 ± 0.10 points a deal; gold wins 48.00 ± 0.40 % of "
            "deals, simple 51.00 ± 0.40 %.",
        ),
        (
            deals(-0.1),
            "no significant difference between gold and simple: -0.10 ± 0.10 points a deal (gold "
            "minus simple); gold wins 48.00 ± 0.40 % of deals, simple 51.00 ± 0.40 %.",
        ),
        (
            deals(-0.5) | {"match_win": (0.55, 0.02)},
            "gold beats simple: it wins 55.0 ± 2.0 % of matches. Even so, it loses 0.50 ± 0.10 "
            "points a deal and wins 48.00 ± 0.40 % of deals (simple 51.00 ± 0.40 %).",
        ),
    ],
)
def test_a_verdict_has_its_numbers(told, line):
    assert matchup_sentences.matchups(tidy(("eaai", "gold", "simple", told))) == [f"eaai: {line}"]
    assert matchup_sentences.matchups(tidy(("eaai", "gold", "gold", told))) == []


# Many, and one


def test_of_many_strategies_the_best_and_worst_are_named():
    values = {"a": 2.0, "b": 1.95, "c": 1.0, "d": 0.5, "e": 0.0, "f": -1.0, "g": -2.0}
    rows = [("eaai", name, "simple", deals(value)) for name, value in values.items()]
    assert matchup_sentences.matchups(tidy(*rows)) == [
        "eaai: of 7 strategies against simple, a does best with 2.00 ± 0.10 points a deal; its "
        "interval overlaps that of b; g does worst with -2.00 ± 0.10 points a deal."
    ]


@pytest.mark.parametrize("values", [[2.0], [2.0, -1.0], [2.0, 1.95, -1.0], [1.0] * 3])
def test_best_and_worst_are_found_by_what_the_variant_counts(values):
    for what in ("points", "matches", "goal", "deals", "penalties", "score"):
        rows = []
        for i, value in enumerate(values):
            share = (0.5 + value / 10, 0.02)
            told = {
                "points": {"margin": (value, 0.1)},
                "matches": {"margin": (value, 0.1), "match_win": share},
                "goal": {"goal_met": share, "score": (3 - value, 0.1), "limit": (0.4, 0.01)},
                "deals": {"win": share, "limit": (0.0, 0.001)},
                "penalties": {"score": (3 - value, 0.1), "limit": (0.4, 0.01)},
                "score": {"score": (value, 0.1), "limit": (0.0, 0.001)},
            }[what]
            rows.append(("eaai", f"s{i}", "simple" if what in ("points", "matches") else "", told))
        rows += [("eaai", f"idle{i}", "other", {"margin": (0.0, None)}) for i in range(7)]
        line, *others = matchup_sentences.matchups(tidy(*rows))
        assert others[-1:] == ["eaai: too few deals for a finding."] and faults(line) == []
        if values == [2.0, 1.95, -1.0]:
            assert "s0 does best" in line and "s2 does worst" in line
            assert "overlaps that of s1" in line


SOLO = {
    "goal_met": [None, (0.3, 0.02)],
    "match_win": [None, (0.3, 0.02)],
    "win": [(0.0, 0.001), (0.5, 0.01)],
    "gin": [(0.0, 0.001), (0.4, 0.01)],
    "score": [(-0.25, 0.05), (7.5, 0.2), (0.0, None)],
    "limit": [(0.0, 0.001), (0.4, 0.01)],
}


def test_one_player_verdicts_state_what_the_variant_counts():
    for chosen in itertools.product(*SOLO.values()):
        told = {name: cell for name, cell in zip(SOLO, chosen, strict=True) if cell}
        (line,) = matchup_sentences.matchups(tidy(("solitary-gin", "gold", "", told)))
        assert faults(line) == []
        scored = told["score"][1] is not None
        assert ("penalty points a deal" in line) == (scored and told["limit"][0] > 0)
    goal = {"goal_met": (0.3, 0.02), "score": (7.5, 0.2), "limit": (0.4, 0.01), "win": (0.0, 0.0)}
    assert matchup_sentences.matchups(tidy(("solitary-gin", "gold", "", goal))) == [
        "solitary-gin: gold meets the goal in 30.0 ± 2.0 % of matches and takes "
        "7.50 ± 0.20 penalty points a deal."
    ]


# Differences


COMPARED = {*VARIANT_METRICS}.union(
    *(headline(unit, n) for unit in ("deal", "match") for n in (1, 2))
)


def made_differences(*rows, base=("eaai", "gold")):
    """Differences from (strategy, metric, difference, se, p after Holm).

    p is None for a run that looked at its results.
    """
    found = []
    for strategy, metric, difference, se, p in rows:
        limits = (difference - 2 * se, difference + 2 * se)
        told = (NAN, NAN) if p is None else (p / 10, p)
        names = ("eaai", strategy, "simple", *base, "simple", "deal", metric)
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


@pytest.mark.parametrize(("value", "start"), [(0.5, "early instead of"), (0.1, "No significant")])
def test_differences_of_stopped_runs_follow_their_limits(value, start):
    frame = made_differences(("early", "margin", value, 0.1, None))
    (line,) = change_sentences.differences(frame)
    assert line.startswith(start)


def test_many_differences_are_counted():
    frame = made_differences(*((f"s{i}", "margin", 1.0 + i, 0.1, 0.001) for i in range(9)))
    said = change_sentences.differences(frame)
    assert said[0].startswith("s8 instead of gold")
    assert said[-1] == "3 more comparisons show a difference: see the table of differences."
    assert len(said) == wording.MOST + 1


@pytest.mark.parametrize("name", sorted(COMPARED))
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_difference_of_every_metric_is_said_with_its_direction(name, sign):
    value, se = (0.19, 0.02) if BY_NAME[name].share else (0.5, 0.05)
    for base in (("eaai", "gold"), ("dice", "early")):
        frame = made_differences(("early", name, sign * value, se, 1e-6), base=base)
        (line,) = change_sentences.differences(frame)
        assert faults(line) == []
        assert ("more" in line) == (sign > 0) and ("fewer" in line) == (sign < 0)
        assert ("19.0 ± 4.0 percentage points" in line) == BY_NAME[name].share


# A league


NO_FIT = NonAdditivity(NAN, NAN, NAN, NAN)


def triads(examined, circles=0, sure=0):
    rows = [("a", "c", "b", 0.52, 9.0, 1e-9 if i < sure else 0.4) for i in range(circles)]
    return Triads(examined, pd.DataFrame(rows, columns=list(TRIAD_COLUMNS)))


def said_of_a_league(shares, fit=NO_FIT, unit="matches", **more):
    standings, cross = a_league(shares)
    found = {"eaai": fit}, {"eaai": triads(20)}
    return league_sentences.leagues(standings.assign(**more), cross, *found, unit)


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
    said = said_of_a_league([(0.55, 0.02)] * 3, NonAdditivity(0.001, 0.01, 0.002, 0.0039))
    assert said[2].startswith("eaai: at most 0.49 % of what the results say fits no ratings")
    (line,) = said_of_a_league([(0.5, 0.1)] * 3, unit="deals", elo=NAN)
    assert line == "eaai: too few deals to rate these 3 strategies."


@pytest.mark.parametrize(
    ("mix", "line"),
    [
        ([1.0, 0, 0], "nobody is ahead of a, which is the equilibrium mix by itself."),
        ([0.4, 0.6, 0], "nobody is ahead of the equilibrium mix: b, 60 ± 11 %; a, 40 ± 11 %."),
    ],
)
def test_the_equilibrium_mix_is_named_with_its_weights(mix, line):
    limits = {"mix_low": [x - 0.11 for x in mix], "mix_high": [x + 0.11 for x in mix]}
    said = said_of_a_league([(0.55, 0.02)] * 3, mix=mix, **limits)
    assert said[1] == f"eaai: {line}"


def test_every_form_of_a_league_is_plain():
    fits = [NO_FIT, NonAdditivity(0.05, 0.06, 0.01, 0.02), NonAdditivity(0.001, 0.06, 0.01, 0.004)]
    shares = itertools.product([(0.45, 0.02), (0.51, 0.02), (0.6, 0.02)], repeat=3)
    for share, fit in itertools.product(shares, fits):
        assert [fault for line in said_of_a_league(share, fit) for fault in faults(line)] == []


@pytest.mark.parametrize(
    ("examined", "circles", "sure", "start"),
    [
        (0, 0, 0, ""),
        (1, 0, 0, "the only triad does not go round in a circle."),
        (1, 1, 1, "the only triad goes round in a circle beyond chance; the clearest"),
        (20, 0, 0, "none of 20 triads goes round in a circle."),
        (
            *(20, 3, 0),
            "none of 20 triads goes round in a circle beyond chance; the clearest, a over c over b "
            "over a, has 52.0 % in its closest pair, 9.0 standard errors above even (p 0.4 after "
            "Holm's adjustment).",
        ),
        (20, 3, 1, "1 of 20 triads goes round in a circle beyond chance; the clearest"),
        (1330, 3, 2, "2 of 1,330 triads go round in a circle beyond chance; the clearest"),
    ],
)
def test_circles_are_told_from_chance(examined, circles, sure, start):
    said = league_sentences.circles(triads(examined, circles, sure))
    assert said.startswith(start) and (not said or faults(said) == [])
    assert ("(p under 0.0001 after" in said) == (sure > 0)


def test_one_player_under_several_names_is_named():
    (line,) = sentences.alike({"dice": [("gold", "gilt", "aurum")], "eaai": []})
    assert line == (
        "dice: gold, gilt and aurum play alike: each has the same results against all others, so "
        "the league counts one player 3 times. Leave out all but one."
    )


# Changes, and stopping rules


def test_changes_are_sorted_by_what_they_do_over_all_fields():
    gains = {
        "points are gained in every field by": (0.5, 0.4),
        "points are lost in every field by": (-0.5, -0.4),
        "points are gained in some fields and lost in others by": (-0.5, 0.4),
        "points are gained in some fields, and lost for certain in none, by": (0.5, 0.1),
        "points are lost in some fields, and gained for certain in none, by": (-0.5, 0.1),
        "no significant difference is made in any field by": (0.1, -0.1),
    }
    rows = []
    for change, points in zip("abcdef", gains.values(), strict=True):
        for field, value in zip(("gold", "gold v simple"), points, strict=True):
            p = 0.001 if abs(value) > 0.2 else 0.5
            limits = value - 0.2, value + 0.2
            rows.append(("eaai", change, field, "margin", value, 0.1, *limits, p, 0.01))
    names = "variant change field metric difference se low high p_holm p".split()
    said = change_sentences.effects(pd.DataFrame(rows, columns=names))
    assert said == [
        f"eaai: {words} {change}." for change, words in zip("abcdef", gains, strict=True)
    ]


@pytest.mark.parametrize("width", ["0.1%", 0.05])
@pytest.mark.parametrize("game", [("gold", "simple", "eaai"), ("gold", None, "solitary-gin")])
def test_a_stopping_rule_says_how_well_what_will_be_known(width, game):
    (rule,) = plan.plan_matchup(*game, deals=10_000, until=width).rules
    assert faults(f"{rule.text}.") == []
    amount = "0.1 percentage points" if width == "0.1%" else "0.05 points"
    assert re.search(rf"known to within {amount}\b", rule.text)
