"""Every form of a run's sentences, over kinds of results: grammar, units, and which way it goes."""

import itertools
import math
import re

import pandas as pd
import pytest

from simgin.findings import change_sentences, league_sentences, matchup_sentences, sentences
from simgin.findings.findings import VARIANT_METRICS
from simgin.runs import plan
from simgin.stats import differences
from simgin.stats.metrics import BY_NAME, headline
from simgin.stats.round_robin.non_additivity import NonAdditivity
from simgin.stats.round_robin.triads import TRIAD_COLUMNS, Triads
from support.made_frames import a_league, tidy
from support.plain_sentences import faults

MARGINS = [(-2.0, 0.1), (-0.05, 0.1), (0.0, 0.1), (0.05, 0.1), (2.0, 0.1), (0.0, None)]
MATCHES = [(0.3, 0.02), (0.49, 0.02), (0.5, 0.02), (0.52, 0.01), (0.98, 0.03), None]
DEALS = [(0.4, 0.59), (0.5, 0.5), (0.6, 0.39)]
COMPARED = sorted({*VARIANT_METRICS, *headline("deal", 2), *headline("match", 2)})
COMPARED += [name for unit in ("deal", "match") for name in headline(unit, 1)]


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


@pytest.mark.parametrize(("margin", "share"), [*itertools.product(MARGINS, MATCHES)])
def test_the_forms_of_a_verdict_on_two_players(margin, share):
    for own, other in DEALS:
        told = {"deal_win": (own, 0.004), "deal_loss": (other, 0.004), "margin": margin}
        if share:
            told["match_win"] = share
        (line,) = matchup_sentences.matchups(tidy(("eaai", "gold", "simple", told)))
        assert faults(line) == []
        _check_direction(line, margin, share, own - other)


def _check_direction(line, margin, share, more_deals):
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


@pytest.mark.parametrize("rule", ["one", "two", "far", "equal"])
@pytest.mark.parametrize("what", ["points", "matches", "goal", "deals", "penalties", "score"])
def test_the_forms_of_best_and_worst(rule, what):
    values = {"one": [2.0], "two": [2.0, -1.0], "far": [2.0, 1.95, -1.0], "equal": [1.0] * 3}[rule]
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
    said = matchup_sentences.matchups(tidy(*rows))
    assert "eaai: too few deals for a finding." in said
    line = said[0]
    assert faults(line) == []
    if rule == "far":
        assert "s0 does best" in line and "s2 does worst" in line and "overlaps that of s1" in line


SOLO = {
    "goal_met": [None, (0.3, 0.02)],
    "match_win": [None, (0.3, 0.02)],
    "win": [(0.0, 0.001), (0.5, 0.01)],
    "gin": [(0.0, 0.001), (0.4, 0.01)],
    "score": [(-0.25, 0.05), (7.5, 0.2), (0.0, None)],
    "limit": [(0.0, 0.001), (0.4, 0.01)],
}


def test_the_forms_of_a_verdict_on_one_player():
    for chosen in itertools.product(*SOLO.values()):
        told = {name: cell for name, cell in zip(SOLO, chosen, strict=True) if cell}
        (line,) = matchup_sentences.matchups(tidy(("solitary-gin", "gold", "", told)))
        assert faults(line) == []
        scored = told["score"][1] is not None
        penalties = told["limit"][0] > 0
        assert ("penalty points a deal" in line) == (scored and penalties)


def made_differences(variants, strategies, *changes):
    """Differences by metric: (metric, difference, p after Holm)."""
    rows = []
    for name, value, p in changes:
        se = abs(value) / 10 + 0.001
        names = (variants[0], strategies[0], "simple", variants[1], strategies[1], "simple")
        limits = (value - 2 * se, value + 2 * se)
        rows.append((*names, "deal", name, value, se, *limits, p / 10, p, 3 * se, 2000, True))
    return pd.DataFrame(rows, columns=list(differences.DIFFERENCE_COLUMNS))


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_forms_of_a_difference(name, sign):
    value = sign * (0.19 if BY_NAME[name].share else 0.5)
    for variants, strategies in ((("eaai", "eaai"), "ab"), (("dice", "eaai"), "aa")):
        frame = made_differences(variants, strategies, (name, value, 1e-6), (name, value, 1e-6))
        (line,) = change_sentences.differences(frame)
        assert faults(line) == []
        assert ("more" in line) == (sign > 0) and ("fewer" in line) == (sign < 0)
        assert ("19.0 ± 4.0 percentage points" in line) == BY_NAME[name].share


@pytest.mark.parametrize("clear", [0, 1, 6, 7, 9])
@pytest.mark.parametrize("silent", [0, 1, 2])
def test_the_forms_of_how_many_comparisons_differ(clear, silent):
    frames = []
    for i in range(clear + silent):
        names = ("eaai", "eaai"), (f"s{i}", "gold")
        frames.append(made_differences(*names, ("margin", 1.0, 1e-6 if i < clear else 0.5)))
    if not frames:
        return
    said = change_sentences.differences(pd.concat(frames, ignore_index=True))
    assert [fault for line in said for fault in faults(line)] == []


LEADS = [(0.45, 0.02), (0.51, 0.02), (0.6, 0.02)]


def test_the_forms_of_a_league():
    fits = [(math.nan, 0.0), (0.05, 0.02), (0.001, 0.004)]
    for shares, (fit, half), unit in itertools.product(
        itertools.product(LEADS, repeat=3), fits, ("deals", "matches")
    ):
        standings, cross = a_league(shares)
        found = {"eaai": NonAdditivity(fit, 0.06, 0.01, half)}, {"eaai": triads(1, 0)}
        for line in league_sentences.leagues(standings, cross, *found, unit):
            assert faults(line) == []


def triads(examined, circles, sure=0):
    rows = [("a", "b", f"c{i}", 0.52, 9.0, 1e-9 if i < sure else 0.4) for i in range(circles)]
    return Triads(examined, pd.DataFrame(rows, columns=list(TRIAD_COLUMNS)))


@pytest.mark.parametrize(
    ("examined", "circles", "sure", "start"),
    [
        (1, 0, 0, "the only triad does not go round in a circle."),
        (1, 1, 0, "the only triad does not go round in a circle beyond chance; the clearest"),
        (1, 1, 1, "the only triad goes round in a circle beyond chance; the clearest"),
        (20, 0, 0, "none of 20 triads goes round in a circle."),
        (20, 3, 0, "none of 20 triads goes round in a circle beyond chance; the clearest"),
        (20, 3, 1, "1 of 20 triads goes round in a circle beyond chance; the clearest"),
        (1330, 3, 2, "2 of 1,330 triads go round in a circle beyond chance; the clearest"),
    ],
)
def test_the_forms_of_circles(examined, circles, sure, start):
    said = league_sentences.circles(triads(examined, circles, sure))
    assert said.startswith(start) and faults(said) == []


def test_the_forms_of_effects():
    for points in itertools.product((-0.5, 0.1, 0.5), repeat=2):
        rows = []
        for change, (field, value) in itertools.product("ab", zip("xy", points, strict=True)):
            p = 0.001 if abs(value) > 0.2 else 0.5
            rows.append(("eaai", change, field, "margin", value, 0.1, value, value, p, 0.01))
        names = "variant change field metric difference se low high p_holm p".split()
        (line,) = change_sentences.effects(pd.DataFrame(rows, columns=names))
        assert faults(line) == [] and line.endswith(" by a and b.")
        assert ("gained in every field" in line) == (min(points) == 0.5)
        assert ("lost in every field" in line) == (max(points) == -0.5)


@pytest.mark.parametrize(("names", "times"), [("ab", "twice"), ("abc", "3 times")])
def test_the_forms_of_players_that_are_one(names, times):
    (line,) = sentences.alike({"eaai": [tuple(names)]})
    assert faults(line) == [] and f"counts one player {times}." in line


@pytest.mark.parametrize("width", ["0.1%", 0.05])
@pytest.mark.parametrize("unit", ["deals", "matches"])
@pytest.mark.parametrize("game", [("gold", "simple", "eaai"), ("gold", None, "solitary-gin")])
def test_the_forms_of_a_stopping_rule(width, unit, game):
    (rule,) = plan.plan_matchup(*game, **{unit: 10_000}, until=width).rules
    assert faults(f"{rule.text}.") == []
    amount = "0.1 percentage points" if width == "0.1%" else "0.05 points"
    assert re.search(rf"known to within {amount}\b", rule.text)
