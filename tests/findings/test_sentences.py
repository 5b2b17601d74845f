"""Sentences on made frames and reviews follow the intervals, signs included, and are plain."""

import itertools
import math
from types import SimpleNamespace

import pandas as pd
import pytest

from simgin.findings import (
    change_sentences,
    league_sentences,
    matchup_sentences,
    run_pictures,
    wording,
)
from simgin.findings.findings import VARIANT_METRICS
from simgin.review import review_sentences
from simgin.review.review import Change
from simgin.review.rule_metrics import RULE_METRICS
from simgin.review.solo_metrics import SOLO_METRICS
from simgin.stats import differences, league, ratings, table
from simgin.stats.metrics import BY_NAME, headline
from simgin.stats.quantity import Quantity
from simgin.stats.round_robin.non_additivity import NonAdditivity
from simgin.stats.round_robin.triads import TRIAD_COLUMNS, Triads
from support.plain_sentences import faults

NAN = math.nan


def tidy(*rows):
    """Tidy rows from (variant, a, b, {metric: (value, half-width)}).

    A half-width of None stands for an undefined cell.
    """
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
    """Standings and cross-table of a, b, c from the shares (value, half-width) of ab, ac, bc."""
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


# Two players


def deals(margin):
    return {"deal_win": (0.48, 0.004), "deal_loss": (0.51, 0.004), "margin": (margin, 0.1)}


WINS = "gold wins 48.00 ± 0.40 % of deals, simple 51.00 ± 0.40 %."
SHARES = "wins 48.00 ± 0.40 % of deals (simple 51.00 ± 0.40 %)."
NONE = "no significant difference between gold and simple:"


@pytest.mark.parametrize(
    ("margin", "half", "matches", "line"),
    [
        (0.5, 0.1, None, f"gold beats simple by 0.50 ± 0.10 points a deal; {WINS}"),
        (-0.5, 0.1, None, f"gold loses to simple by 0.50 ± 0.10 points a deal; {WINS}"),
        (-0.1, 0.1, None, f"{NONE} -0.10 ± 0.10 points a deal (gold minus simple); {WINS}"),
        (0.5, None, None, "too few deals to compare gold and simple."),
        (
            *(-0.5, 0.1, 0.55),
            "gold beats simple: it wins 55.0 ± 2.0 % of matches. "
            f"Even so, it loses 0.50 ± 0.10 points a deal and {SHARES}",
        ),
        (
            *(-0.5, 0.1, 0.45),
            "gold loses to simple: it wins 45.0 ± 2.0 % of matches. "
            f"It loses 0.50 ± 0.10 points a deal and {SHARES}",
        ),
        (0.5, 0.1, 0.51, f"{NONE} gold wins 51.0 ± 2.0 % of matches."),
    ],
)
def test_the_verdict_on_two_players_follows_the_intervals(margin, half, matches, line):
    told = deals(0.0) | {"margin": (margin, half)}
    if matches:
        told["match_win"] = (matches, 0.02)
    (found,) = matchup_sentences.matchups(tidy(("eaai", "gold", "simple", told)))
    assert found.startswith(f"eaai: {line}") and faults(found) == []
    assert matchup_sentences.matchups(tidy(("eaai", "gold", "gold", told))) == []


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (
            {"win": (0.5, 0.01), "gin": (0.4, 0.01), "score": (-0.25, 0.05), "limit": (0.0, 0.001)},
            "wins 50.0 ± 1.0 % of deals, goes gin in 40.0 ± 1.0 % of deals and scores "
            "-0.250 ± 0.050 points a deal.",
        ),
        (
            {"goal_met": (0.3, 0.02), "score": (7.5, 0.2), "limit": (0.4, 0.01), "win": (0.0, 0.0)},
            "meets the goal in 30.0 ± 2.0 % of matches and takes 7.50 ± 0.20 penalty points a "
            "deal.",
        ),
    ],
)
def test_one_player_verdicts_state_what_the_variant_counts(told, line):
    found = matchup_sentences.matchups(tidy(("solitary-gin", "gold", "", told)))
    assert found == [f"solitary-gin: gold {line}"]


@pytest.mark.parametrize("better", [1, -1])
def test_of_many_strategies_the_best_and_worst_are_named(better):
    """By points, and alone by penalties, of which fewer are better."""
    values = {"a": 2.0, "b": 1.95, "c": 1.0, "d": 0.5, "e": 0.0, "f": -1.0, "g": -2.0}
    two = [("eaai", name, "simple", deals(value)) for name, value in values.items()]
    alone = [
        ("eaai", name, "", {"score": (3 - value, 0.1), "limit": (0.4, 0.01)})
        for name, value in values.items()
    ]
    if better > 0:
        assert matchup_sentences.matchups(tidy(*two)) == [
            "eaai: of 7 strategies against simple, a does best with 2.00 ± 0.10 points a deal; its "
            "interval overlaps that of b; g does worst with -2.00 ± 0.10 points a deal."
        ]
    else:
        (line,) = matchup_sentences.matchups(tidy(*alone))
        assert faults(line) == [] and "a does best" in line and "g does worst" in line
    idle = [("dice", name, "other", {"margin": (0.0, None)}) for name in values]
    assert matchup_sentences.matchups(tidy(*idle)) == ["dice: too few deals for a finding."]


@pytest.mark.parametrize("unit", ["deal", "match"])
def test_of_several_values_of_a_strategy_the_best_is_named(unit):
    won = {"x:k=3": 0.48, "x": 0.52, "x:k=7": 0.51}
    rows = [
        ("eaai", name, "y", deals(0.4) | {"match_win": (share, 0.01 if unit == "match" else None)})
        for name, share in won.items()
    ]
    first, *others = matchup_sentences.matchups(tidy(*rows))
    assert len(others) == 3 and not faults(first)
    if unit == "match":
        assert first.startswith("eaai: of 3 values, x did best against y: 52.0 ± 1.0 % of matches")
        assert first.endswith("won; then came x:k=7: 51.0 ± 1.0 % of matches won.")
    other = ("eaai", "z", "y", deals(0.4) | {"match_win": (0.5, None)})
    assert len(matchup_sentences.matchups(tidy(*rows[:2], other))) == 3


def made_differences(*rows, base=("eaai", "gold")):
    """From (strategy, metric, difference, se, p after Holm); p is None for a run that looked."""
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
    many = made_differences(*((f"s{i}", "margin", 1.0 + i, 0.1, 0.001) for i in range(9)))
    said = change_sentences.differences(many)
    assert said[-1] == "3 more comparisons show a difference: see the table of differences."
    assert len(said) == wording.MOST + 1


@pytest.mark.parametrize(("unit", "players"), [*itertools.product(("deal", "match"), (1, 2))])
def test_a_difference_of_every_metric_has_its_direction_and_unit(unit, players):
    for name, sign in itertools.product({*VARIANT_METRICS, *headline(unit, players)}, (-1, 1)):
        frame = made_differences(("early", name, sign * 0.19, 0.02, 1e-6))
        (line,) = change_sentences.differences(frame)
        assert faults(line) == []
        assert ("more" in line) == (sign > 0) and ("fewer" in line) == (sign < 0)
        assert ("19.0 ± 4.0 percentage points" in line) == BY_NAME[name].share


@pytest.mark.parametrize(("value", "start"), [(0.5, "early instead of"), (0.1, "No significant")])
def test_differences_of_stopped_runs_follow_their_limits(value, start):
    frame = made_differences(("early", "margin", value, 0.1, None))
    (line,) = change_sentences.differences(frame)
    assert line.startswith(start)


NO_FIT = NonAdditivity(NAN, NAN, NAN, NAN)


def triads(examined, circles=0, sure=0):
    rows = [("a", "c", "b", 0.52, 9.0, 1e-9 if i < sure else 0.4) for i in range(circles)]
    return Triads(examined, pd.DataFrame(rows, columns=list(TRIAD_COLUMNS)))


def said_of_a_league(shares, fit=NO_FIT, unit="matches", **more):
    standings, cross = a_league(shares)
    found = {"eaai": fit}, {"eaai": triads(20)}
    return list(league_sentences.leagues(standings.assign(**more), cross, *found, unit))


def test_the_verdict_on_a_league_names_leader_non_additivity_circles_and_close_pairs():
    said = said_of_a_league(
        [(0.51, 0.02), (0.6, 0.02), (0.4, 0.02)], NonAdditivity(0.05, 0.06, 0.01, 0.02)
    )
    assert said == [
        "eaai: a leads the league of 3 by matches won (Elo 30.0 ± 5.0): 60 ± 10 %. "
        "No significant lead over the second, b (Elo 0, the anchor): 51.0 ± 2.0 % of matches. "
        "Last is c (Elo -40 ± 10).",
        "eaai: no significant difference in matches won for 1 of 3 pairs: a and b.",
        "eaai: 5.0 ± 2.0 % of what the results say fits no ratings (non-additivity). "
        "Some pairs are further apart, or closer, than their ratings say, because some players "
        "suit or do not suit each other; that takes no circle.",
        "eaai: none of 20 triads goes round in a circle.",
    ]
    assert [fault for line in said for fault in faults(line)] == []
    said = said_of_a_league([(0.45, 0.02), (0.6, 0.02), (0.4, 0.02)], unit="deals")
    assert "Even so, it loses to the second, b (Elo" in said[0]
    assert said[1] == "eaai: all 3 pairs differ significantly in deals won."
    said = said_of_a_league([(0.55, 0.02)] * 3, NonAdditivity(0.001, 0.01, 0.002, 0.0039))
    assert said[2].startswith("eaai: at most 0.49 % of what the results say fits no ratings")
    (line,) = said_of_a_league([(0.5, 0.1)] * 3, unit="deals", elo=NAN)
    assert line == "eaai: too few deals to rate these 3 strategies."


def test_a_league_says_what_it_ranks_by_and_that_deals_rank_otherwise():
    shares = [(0.55, 0.02)] * 3
    deals = {"match_win": NAN, "match_win_low": NAN, "match_win_high": NAN}
    said = said_of_a_league(shares, unit="deals", **deals)
    assert "leads the league of 3 by deals won" in said[0]
    assert said[1] == "eaai: matches may rank them otherwise; matches = 5000 plays some."
    matches = dict(
        zip(deals, ([0.6, 0.5, 0.4], [0.56, 0.46, 0.36], [0.64, 0.54, 0.44]), strict=True)
    )
    less = {"deal_win": [0.4, 0.5, 0.6], "deal_win_low": [0.39] * 3, "deal_win_high": [0.61] * 3}
    assert len(said_of_a_league(shares, **matches, **less)) == 3
    less |= {"deal_win_low": [0.39, 0.49, 0.59], "deal_win_high": [0.41, 0.51, 0.61]}
    assert said_of_a_league(shares, **matches, **less)[1] == (
        "eaai: deals and matches disagree: b wins more deals than a (50.0 ± 1.0 % against "
        "40.0 ± 1.0 %), but fewer matches (50.0 ± 4.0 % against 60.0 ± 4.0 %)."
    )


@pytest.mark.parametrize(
    ("mix", "line"),
    [
        ([1.0, 0, 0], "nobody here was measured ahead of a: the equilibrium mix is a alone."),
        ([0.4, 0.6, 0], "nobody is ahead of the equilibrium mix: b, 60 ± 11 %; a, 40 ± 11 %."),
    ],
)
def test_the_equilibrium_mix_is_named_with_its_weights(mix, line):
    limits = {"mix_low": [x - 0.11 for x in mix], "mix_high": [x + 0.11 for x in mix]}
    said = said_of_a_league([(0.55, 0.02)] * 3, mix=mix, **limits)
    assert said[1] == f"eaai: {line}"


@pytest.mark.parametrize(
    ("examined", "circles", "sure", "start"),
    [
        (0, 0, 0, ""),
        (1, 1, 1, "the only triad goes round in a circle beyond chance; the clearest"),
        (
            *(20, 3, 0),
            "none of 20 triads goes round in a circle beyond chance; the clearest, a over c over b "
            "over a, has 52.0 % in its closest pair, 9.0 standard errors above even (p 0.4 after "
            "Holm's adjustment).",
        ),
        (1330, 3, 2, "2 of 1,330 triads go round in a circle beyond chance; the clearest"),
    ],
)
def test_circles_are_told_from_chance(examined, circles, sure, start):
    said = league_sentences.circles(triads(examined, circles, sure))
    assert said.startswith(start) and (not said or faults(said) == [])
    assert ("(p under 0.0001 after" in said) == (sure > 0)


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
    said = list(change_sentences.effects(pd.DataFrame(rows, columns=names)))
    assert said == [
        f"eaai: {words} {change}." for change, words in zip("abcdef", gains, strict=True)
    ]


LEADS = {"lead": [30.0, 40.0, NAN], "lead_low": [28.0, 36.0, NAN], "lead_high": [32.0, 44.0, NAN]}
STANDINGS, CROSS = a_league([(0.51, 0.02), (0.6, 0.02), (0.4, 0.02)])


def test_outcomes_are_described_in_whole_percentages_the_commonest_first():
    shares = {"knock": 0.6, "gin": 0.3969, "void": 0.0031, "undercut": 0.0}
    told = {kind: (share, 0.001) for kind, share in shares.items()}
    assert run_pictures.describe_endings(tidy(("eaai", "gold", "simple", told))).endswith(
        "eaai, gold against simple: knock 60 %, gin 40 %, void under 1 %."
    )
    many = [("eaai", f"s{i}", "simple", told) for i in range(run_pictures.MOST_DESCRIBED + 3)]
    said = run_pictures.describe_endings(tidy(*many))
    assert said.count("against simple") == run_pictures.MOST_DESCRIBED
    assert said.endswith("and 3 more, all in the table of results.")


def test_a_league_is_described_by_its_order_and_most_one_sided_pair():
    said = run_pictures.describe_league(STANDINGS, CROSS, "match")
    assert "matches won by the row against the column, best rating first: 1 a, 2 b, 3 c." in said
    assert said.endswith("Most one-sided: c wins 60.0 ± 2.0 % against b.")
    assert run_pictures.describe_ratings(STANDINGS.assign(**LEADS)) == (
        "Ratings, and leads in Elo over the next, best first: a 30.0 ± 2.0; b 40.0 ± 4.0."
    )


# Every form of a review's sentences: of all metrics, with numbers of either sign


WORDED = [metric for metric in (*RULE_METRICS, *SOLO_METRICS) if metric.state]
CHOICES = ("best_k", "chain")  # whole numbers without an error
NAMES = ("standard", "oklahoma")


def number(metric, value):
    if metric.key in CHOICES:
        return Quantity.with_span(value, (value, value), 1000)
    return Quantity.with_error(value, metric.notable / 20, 1000)


def reviewed(metric, base, own):
    """A review of one metric, standing for the numbers that were measured."""
    difference = number(metric, own) - number(metric, base)
    is_sure = abs(own - base) > metric.notable / 5
    found = SimpleNamespace(
        measurements={
            ("standard", metric.key): number(metric, base),
            ("oklahoma", metric.key): number(metric, own),
        },
        changes={("oklahoma", metric.key): Change(difference, 0.001 if is_sure else 0.5)},
        matches={},
        metric=lambda key: metric,
        is_copy=lambda variant: False,
        request=SimpleNamespace(
            base="standard", others=("oklahoma",), variants=NAMES, alone=metric in SOLO_METRICS
        ),
    )
    return review_sentences.review_sentences(found)


def pairs(metric):
    """Numbers of the base and of a variant, as far as the metric may have them."""
    sizes = (2, 5) if metric.key in CHOICES else (3 * metric.notable, 7 * metric.notable)
    values = [*sizes, 0]
    if metric.below:
        values += [-size for size in sizes]
    return [(float(a), float(b)) for a, b in itertools.product(values, repeat=2) if a != b]


def test_a_change_is_said_with_its_direction_and_a_minus_with_a_word():
    for metric in WORDED:
        for base, own in pairs(metric):
            (said,) = reviewed(metric, base, own)
            assert faults(said) == [], said
            assert said.startswith("Oklahoma Gin ") and " instead of " in said
            rises, falls = metric.does
            assert (rises in said) == (own > base) and (falls in said) == (own < base)
            if metric.below:
                assert "-" not in said.replace("gold-early", "")
                amount = metric.below.amount if own < 0 else metric.amount
                assert amount.partition("{value}")[0] in said.partition(" instead of ")[0]


def test_what_is_not_sure_or_too_small_is_no_change():
    metric = next(metric for metric in WORDED if metric.key not in CHOICES)
    base = 3 * metric.notable
    (said,) = reviewed(metric, base, base + metric.notable / 10)
    assert faults(said) == [], said
    assert f"would have been detected): {metric.title} (" in said
    (said,) = reviewed(metric, base, base + metric.notable / 4)  # sure, but too small for words
    assert said == "Oklahoma Gin against standard: no large change was found."
    unknown = Quantity.with_error(-1.0, math.nan, 10)
    assert review_sentences.state_in_words(metric, unknown) == ""
