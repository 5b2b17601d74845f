"""Tests that sentences on constructed results follow the intervals and signs."""

import itertools
import math

import pandas as pd
import pytest

import simgin
from simgin.results import sentences
from simgin.results.run_report import build_differences_table, build_league_tables
from simgin.results.run_results import VARIANT_COMPARISON_METRICS
from simgin.stats import league, table
from simgin.stats.metrics import METRICS_BY_NAME, select_headline_metrics
from simgin.stats.round_robin import TRIAD_COLUMNS, Triads
from support.sentence_checks import list_errors

NAN = math.nan


def tidy(*rows):
    """Return tidy rows from (variant, a, b, {metric: (value, half-width)}).

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


def make_league(shares):
    """Return standings and cross-table of a, b, c from the win rates of ab, ac, bc."""
    rows = []
    for (one, other), (value, half) in zip(("ab", "ac", "bc"), shares, strict=True):
        rows.append((one, other, value, half / 2, value - half, value + half, 1000))
        rows.append((other, one, 1 - value, half / 2, 1 - value - half, 1 - value + half, 1000))
    cross = pd.DataFrame(rows, columns=list(league.CROSS_TABLE_COLUMNS)).assign(variant="eaai")
    elo = {"a": (30.0, 25.0, 35.0), "b": (0.0, 0.0, 0.0), "c": (-40.0, -50.0, -30.0)}
    won = {"match_win": 0.6, "match_win_low": 0.5, "match_win_high": 0.7}
    places = [
        {"place": i, "strategy": name, "elo": value, "elo_low": low, "elo_high": high, **won}
        for i, (name, (value, low, high)) in enumerate(elo.items(), start=1)
    ]
    return pd.DataFrame(places, columns=list(league.LEAGUE_COLUMNS)).assign(variant="eaai"), cross


def described(tidy_rows, tied=()):
    """Describe matchups in which all paired differences except those from `tied` are significant.

    Without `tied`, differences have a p-value of 0.001. None stands for too few deals.
    """

    def compare(variant, opponent, baseline, strategies, metric):
        if tied is None:
            return make_differences(*((name, metric, NAN, NAN, NAN) for name in strategies))
        p_values = (0.9 if name in tied else 0.001 for name in strategies)
        rows = zip(strategies, p_values, strict=True)
        return make_differences(*((name, metric, -1.0, 0.1, p) for name, p in rows))

    return sentences.describe_matchups(tidy_rows, compare)


# Two players


def deals(margin):
    return {"deal_win": (0.48, 0.004), "deal_loss": (0.51, 0.004), "margin": (margin, 0.1)}


WIN_TEXT = "48.00 ± 0.40 % of deals (simple 51.00 ± 0.40 %)"
CLOSE_TEXT = "gold against simple is too close to call."


@pytest.mark.parametrize(
    ("margin", "half", "matches", "line"),
    [
        (
            0.5,
            0.1,
            None,
            f"gold beats simple. It scores 0.50 ± 0.10 points per deal and wins {WIN_TEXT}.",
        ),
        (
            -0.5,
            0.1,
            None,
            f"gold loses to simple. It loses 0.50 ± 0.10 points per deal and wins {WIN_TEXT}.",
        ),
        (
            -0.1,
            0.1,
            None,
            f"{CLOSE_TEXT} gold scores -0.10 ± 0.10 points per deal and wins {WIN_TEXT}.",
        ),
        (0.5, None, None, "there are too few deals to compare gold and simple."),
        (
            *(-0.5, 0.1, 0.55),
            "gold beats simple. It wins 55.0 ± 2.0 % of matches. "
            f"However, it loses 0.50 ± 0.10 points per deal and wins {WIN_TEXT}.",
        ),
        (-0.5, 0.1, 0.45, "gold loses to simple. It wins 45.0 ± 2.0 % of matches."),
        (0.5, 0.1, 0.51, f"{CLOSE_TEXT} gold wins 51.0 ± 2.0 % of matches."),
    ],
)
def test_the_verdict_on_two_players_follows_the_intervals(margin, half, matches, line):
    told = deals(0.0) | {"margin": (margin, half)}
    if matches:
        told["match_win"] = (matches, 0.02)
    (found,) = described(tidy(("eaai", "gold", "simple", told)))
    assert found.startswith(f"eaai: {line}") and list_errors(found) == []
    assert described(tidy(("eaai", "gold", "gold", told))) == []


def plain_holm(z):
    """Return the significant results (5 %), largest first, by a slow plain method."""
    found = dict.fromkeys(range(len(z)), False)
    for rank, place in enumerate(sorted(found, key=lambda i: -abs(z[i]))):
        if math.erfc(abs(z[place]) / math.sqrt(2)) * (len(z) - rank) >= 0.05:
            break
        found[place] = True
    return [found[place] for place in range(len(z))]


@pytest.mark.parametrize("unit", ["deal", "match"])
@pytest.mark.parametrize(
    "z", [(-2.15, 0.3, 1.1, -0.4, 4.0, 0.2), (2.7, -2.6, 2.3, 2.0), (-2.15,), (2.3, -2.3)]
)
def test_comparisons_are_adjusted_for_the_other_matchups_of_the_run(z, unit):
    """A loss at z = 2.15 is significant in one matchup, but not among six."""
    rows = []
    for i, own in enumerate(z):
        told = deals(0.1 * own / 1.96 if unit == "deal" else 0.0)
        told |= {"match_win": (0.5 + 0.01 * own / 1.96, 0.01 if unit == "match" else None)}
        rows.append(("eaai", f"s{i}", f"t{i}", told))
    said = described(tidy(*rows))
    for i, (line, own, is_sure) in enumerate(zip(said, z, plain_holm(z), strict=True)):
        won = f"s{i} beats t{i}. " if own > 0 else f"s{i} loses to t{i}. "
        adjusted = " after Holm's adjustment" if abs(own) > 1.96 else ""
        close = f"s{i} against t{i} is too close to call{adjusted}. s{i} "
        assert line.startswith(f"eaai: {won if is_sure else close}") and list_errors(line) == []


def test_a_result_against_points_is_named_only_if_both_survive():
    """In six matchups, match wins are significant, and point losses have z = 2.15 or more."""
    for margin, words in ((-0.11, False), (-0.4, True)):
        told = deals(margin) | {"match_win": (0.6, 0.02)}
        level = deals(0.0) | {"match_win": (0.5, 0.02)}
        others = [("eaai", f"s{i}", "t", level) for i in range(5)]
        first, *_ = described(tidy(("eaai", "gold", "simple", told), *others))
        assert first.startswith("eaai: gold beats simple. It wins")
        assert ("However, it loses" in first) == words


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (
            {"win": (0.5, 0.01), "gin": (0.4, 0.01), "score": (-0.25, 0.05), "limit": (0.0, 0.001)},
            "wins 50.0 ± 1.0 % of deals, goes gin in 40.0 ± 1.0 % of deals and scores "
            "-0.250 ± 0.050 points per deal.",
        ),
        (
            {"goal_met": (0.3, 0.02), "score": (7.5, 0.2), "limit": (0.4, 0.01), "win": (0.0, 0.0)},
            "meets the goal in 30.0 ± 2.0 % of matches and takes 7.50 ± 0.20 penalty points "
            "per deal.",
        ),
    ],
)
def test_one_player_verdicts_state_what_the_variant_counts(told, line):
    found = described(tidy(("solitary-gin", "gold", "", told)))
    assert found == [f"solitary-gin: gold {line}"]


@pytest.mark.parametrize("better", [1, -1])
def test_the_best_and_the_worst_of_many_strategies_are_named(better):
    """Points decide; in solitaire games with penalties, fewer points are better."""
    values = {"a": 2.0, "b": 1.95, "c": 1.0, "d": 0.5, "e": 0.0, "f": -1.0, "g": -2.0}
    two = [("eaai", name, "simple", deals(value)) for name, value in values.items()]
    penalties = {name: {"score": (3 - x, 0.1), "limit": (0.4, 0.01)} for name, x in values.items()}
    alone = [("eaai", name, "", told) for name, told in penalties.items()]
    if better > 0:
        for tied, text in (
            ((), ""),
            ("b", "The difference from b is not significant. "),
            ("db", "The differences from b and d are not significant. "),
            (None, "There are too few deals to test the differences. "),
        ):
            assert described(tidy(*two), tied) == [
                "eaai: a is the best of 7 strategies against simple with 2.00 ± 0.10 points per "
                f"deal. {text}g is the worst with -2.00 ± 0.10 points per deal."
            ]
    else:
        (line,) = described(tidy(*alone))
        assert list_errors(line) == [] and "a is the best" in line and "g is the worst" in line
    idle = [("dice", name, "other", {"margin": (0.0, None)}) for name in values]
    assert described(tidy(*idle)) == ["dice: there are too few deals for a result."]


@pytest.mark.parametrize("unit", ["deal", "match"])
def test_the_best_of_several_parameter_values_is_named(unit):
    won = {"x:k=3": 0.48, "x": 0.52, "x:k=7": 0.51}
    rows = [
        ("eaai", name, "y", deals(0.4) | {"match_win": (share, 0.01 if unit == "match" else None)})
        for name, share in won.items()
    ]
    first, *others = described(tidy(*rows), {"x:k=7"})
    assert len(others) == 3 and not list_errors(first)
    if unit == "match":
        assert first.startswith(
            "eaai: x is the best of 3 values against y with 52.0 ± 1.0 % of matches won. The "
            "difference from x:k=7 is not significant. x:k=3 is the worst"
        )
    other = ("eaai", "z", "y", deals(0.4) | {"match_win": (0.5, None)})
    assert len(described(tidy(*rows[:2], other))) == 3


def test_values_on_the_same_deals_can_differ_although_their_intervals_overlap():
    """The paired difference between k=2 and k=4 is 0.208 ± 0.084 points per deal."""
    players = [f"gold-early+knock=early:k={k}" for k in (2, 4, 6)]
    first = simgin.match(players, against="simple", deals=12_000).summary().splitlines()[0]
    best = f"{players[0]} is the best of 3 values against simple with 3.71 ± 0.37"
    assert first.startswith(f"{best} points per deal. {players[2]} is the worst with")


def make_differences(*rows, base=("eaai", "gold")):
    """Return differences from (strategy, metric, difference, SE, Holm's p or None)."""
    found = []
    for strategy, metric, difference, se, p in rows:
        limits = (difference - 2 * se, difference + 2 * se)
        told = (NAN, NAN) if p is None else (p / 10, p)
        names = ("eaai", strategy, "simple", "deal", metric)
        estimate = (difference, se, *limits, 2000)
        found.append((*names, *estimate, *base, "simple", *told, 3 * se, True))
    columns = table.list_output_columns("differences")[: len(found[0])]
    return pd.DataFrame(found, columns=list(columns))


def test_significant_differences_are_stated_and_the_rest_counted():
    frame = make_differences(
        ("early", "margin", 0.5, 0.1, 0.001),
        ("early", "deal_win", -0.01, 0.01, 0.8),
        ("late", "margin", 0.18, 0.1, 0.06),
        ("last", "margin", -3.0, 0.1, 1e-9),
    )
    assert sentences.describe_differences(frame) == [
        "last compared with gold (eaai, against simple): -3.00 ± 0.20 points per deal.",
        "early compared with gold (eaai, against simple): +0.50 ± 0.20 points per deal.",
        "No significant difference in 1 of 3 comparisons (5 % level, Holm-adjusted).",
    ]
    (line,) = sentences.describe_differences(frame[frame["strategy"] == "late"])
    assert line.startswith("No significant difference in the only comparison")


def test_a_note_explains_numbers_in_parentheses_only_if_there_are_any():
    significant, tied = ("last", "margin", -3.0, 0.1, 1e-9), ("late", "margin", 0.18, 0.1, 0.06)
    for rows, has_parentheses in ([significant], False), ([significant, tied], True):
        table = build_differences_table(make_differences(*rows))
        assert ("(0.30)" in str([row[1] for row in table.rows])) == has_parentheses
        assert ("The number in parentheses" in table.note) == has_parentheses
        assert ("The other differences" in table.note) == has_parentheses


def test_a_sentence_names_the_strategy_of_the_user_first():
    frame = make_differences(("last", "margin", -3.0, 0.1, 1e-9))
    for names, sentence in (
        (
            {"gold"},
            "gold, the baseline, compared with last (eaai, against simple): +3.00 ± 0.20 points "
            "per deal.",
        ),
        (
            {"gold", "last"},
            "last compared with gold (eaai, against simple): -3.00 ± 0.20 points per deal.",
        ),
    ):
        assert sentences.describe_differences(frame, names) == [sentence]


def test_comparisons_with_too_few_deals_are_not_reported_as_tested():
    nan = float("nan")
    frame = make_differences(("early", "margin", nan, nan, nan), ("late", "margin", 0.1, 0.1, 0.6))
    assert sentences.describe_differences(frame) == [
        "Too few deals to test 1 of 2 comparisons. Play 10,000 deals or 1,000 matches.",
        "No significant difference in 1 of 2 comparisons (5 % level, Holm-adjusted).",
    ]
    (line,) = sentences.describe_differences(frame[frame["strategy"] == "early"])
    assert line.startswith("Too few deals to test the only comparison. Play 10,000 deals")
    many = make_differences(*((f"s{i}", "margin", 1.0 + i, 0.1, 0.001) for i in range(9)))
    said = sentences.describe_differences(many)
    assert said[-1] == "3 more comparisons show a difference (see the table of differences)."
    assert len(said) == sentences.MAX_SENTENCES + 1


@pytest.mark.parametrize(
    ("strategies", "rules", "shown"),
    [(1, 9, "SVVVVV"), (9, 9, "SSSVVV"), (9, 1, "SSSSSV"), (0, 9, "VVVVVV"), (2, 2, "SSVV")],
)
def test_strategies_come_first_and_leave_room_for_variants(strategies, rules, shown):
    """Variants differ more, and would otherwise hide the comparisons of strategies."""
    rows = [(f"s{i}", "margin", 1.0 + i, 0.1, 0.001) for i in range(strategies)]
    rows += [("gold", "margin", 50.0 + i, 0.1, 0.001) for i in range(rules)]
    frame = make_differences(*rows)
    names = [f"v{i}" for i in range(rules)]
    frame["base_variant"] = ["eaai"] * strategies + names
    said = sentences.describe_differences(frame)
    kinds = ["V" if " compared with v" in line else "S" for line in said if "compared" in line]
    assert "".join(kinds) == shown
    assert said[0].startswith(f"s{strategies - 1}" if strategies else "eaai compared with v8")
    hidden = strategies + rules - len(shown)
    assert (f"{hidden} more comparisons show" in said[-1]) == (hidden > 0)


@pytest.mark.parametrize(("unit", "players"), [*itertools.product(("deal", "match"), (1, 2))])
def test_a_difference_of_every_metric_has_its_direction_and_unit(unit, players):
    for name, sign in itertools.product(
        {*VARIANT_COMPARISON_METRICS, *select_headline_metrics(unit, players)}, (-1, 1)
    ):
        frame = make_differences(("early", name, sign * 0.19, 0.02, 1e-6))
        (line,) = sentences.describe_differences(frame)
        assert list_errors(line) == []
        assert ("+" in line) == (sign > 0) and (" -" in line) == (sign < 0)
        assert ("19.0 ± 4.0 percentage points" in line) == METRICS_BY_NAME[name].is_proportion


@pytest.mark.parametrize(
    ("value", "start"), [(0.5, "early compared with"), (0.1, "No significant")]
)
def test_differences_of_stopped_runs_follow_their_limits(value, start):
    frame = make_differences(("early", "margin", value, 0.1, None))
    (line,) = sentences.describe_differences(frame)
    assert line.startswith(start)


def triads(examined, circles=0, sure=0):
    rows = [("a", "c", "b", 0.52, 9.0, 1e-9 if i < sure else 0.4) for i in range(circles)]
    return Triads(examined, pd.DataFrame(rows, columns=list(TRIAD_COLUMNS)))


def describe_league(shares, unit="matches", **more):
    standings, cross = make_league(shares)
    return list(
        sentences.describe_leagues(standings.assign(**more), cross, {"eaai": triads(20)}, unit)
    )


def test_the_verdict_on_a_league_names_leader_circles_and_close_pairs():
    said = describe_league([(0.51, 0.02), (0.6, 0.02), (0.4, 0.02)])
    assert said == [
        "eaai: a leads the league of 3 by matches won (Elo 30.0 ± 5.0). It wins 51.0 ± 2.0 % of "
        "matches against b, which is second (Elo 0, the reference), but this result is too close "
        "to call.",
        "eaai: 1 of 3 pairs is too close to call: a and b.",
    ]
    assert [fault for line in said for fault in list_errors(line)] == []
    said = describe_league([(0.45, 0.02), (0.6, 0.02), (0.4, 0.02)], unit="deals")
    assert "However, it wins only 45.0 ± 2.0 % of deals against b, which is second" in said[0]
    assert said[1] == "eaai: in all 3 pairs, one player wins significantly more deals."
    (line,) = describe_league([(0.5, 0.1)] * 3, unit="deals", elo=NAN)
    assert line.startswith("eaai: there are too few deals to rate the 3 strategies.")
    assert line.endswith("Play at least 10,000 deals per pair.")
    (line,) = describe_league([(0.5, 0.1)] * 3, elo=NAN)
    assert line.endswith("Play at least 1,000 matches per pair.")
    said = describe_league([(0.55, 0.02)] * 3, unit="deals", match_win=NAN)
    assert said[1] == (
        "eaai: matches can change the ranking. To rank strategies by matches, play whole matches."
    )


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ([(0.55, 0.02)] * 3, ""),
        ([(0.49, 0.02), (0.6, 0.02), (0.6, 0.02)], ""),
        ([(0.45, 0.02), (0.6, 0.02), (0.6, 0.02)], "b beats a."),
        ([(0.45, 0.02), (0.6, 0.02), (0.4, 0.02)], "b beats a and c beats b."),
    ],
)
def test_wins_against_a_higher_rating_are_named(shares, sentence):
    pairs = sentences.compare_pairs(*make_league(shares))["eaai"]
    said = sentences.describe_upsets(pairs)
    start = " Ratings depend on the results against all opponents, so a strategy can beat a "
    assert said == (f"{start}strategy with a higher rating: {sentence}" if sentence else "")


def test_the_note_below_a_league_names_wins_against_a_higher_rating():
    players = ["gold-early", "gin-only", "gold", "stubborn"]
    (league_table,) = build_league_tables(simgin.league(players, deals=12_000))
    assert list(league_table.frame["strategy"])[:2] == ["gold-early", "gold"]
    assert league_table.note.endswith(" with a higher rating: gold beats gold-early.")


def test_pairs_of_a_league_differ_after_holms_adjustment_for_all_of_them():
    """z = 2.15 between the first two is not significant among three comparisons."""
    half = 0.02
    close = (0.5 + half * 2.15 / 1.96, half)
    far = (0.5 + 10 * half, half)
    said = describe_league([far, close, far])
    assert said[1] == "eaai: in all 3 pairs, one player wins significantly more matches."
    said = describe_league([close, (0.5 + half * 2.2 / 1.96, half), (0.5, half)])
    assert said[0].endswith("but this result is too close to call.")
    assert said[1] == "eaai: 3 of 3 pairs are too close to call: a and b; a and c; b and c."


@pytest.mark.parametrize(
    ("mix", "line"),
    [
        ([1.0, 0, 0], "in all 3 pairs, one player wins significantly more matches."),
        ([0.4, 0.6, 0], "no strategy beats the equilibrium mix of b, 60 ± 11 %; a, 40 ± 11 %."),
    ],
)
def test_an_equilibrium_mix_of_several_strategies_is_named_with_its_weights(mix, line):
    limits = {"mix_low": [x - 0.11 for x in mix], "mix_high": [x + 0.11 for x in mix]}
    said = describe_league([(0.55, 0.02)] * 3, mix=mix, **limits)
    assert said[1] == f"eaai: {line}"


@pytest.mark.parametrize(
    ("examined", "circles", "sure", "start"),
    [
        (0, 0, 0, ""),
        (1, 1, 1, "the only triad is cyclic at the 5 % level. In"),
        (
            *(20, 3, 1),
            "1 of 20 triads is cyclic at the 5 % level. In the clearest triad, a beats c, c beats "
            "b, and b beats a. The closest win rate is 52.0 %, 9.0 standard errors above 50 % ",
        ),
        (1330, 3, 2, "2 of 1,330 triads are cyclic at the 5 % level. In the clearest"),
    ],
)
def test_circles_are_distinguished_from_chance(examined, circles, sure, start):
    said = sentences.describe_cyclic_triads(triads(examined, circles, sure))
    assert said.startswith(start) and (not said or list_errors(said) == [])
    assert not sentences.describe_cyclic_triads(triads(examined, circles))
    assert ("(p < 0.001 after" in said) == (sure > 0)


def test_changes_are_sorted_by_their_effect_over_all_fields():
    gains = {
        "gains points in every field": (0.5, 0.4),
        "loses points in every field": (-0.5, -0.4),
        "gains points in some fields and loses points in other fields": (-0.5, 0.4),
        "gains points in some fields, with no significant loss in any field": (0.5, 0.1),
        "loses points in some fields, with no significant gain in any field": (-0.5, 0.1),
        "is too close to call in every field": (0.1, -0.1),
    }
    rows = []
    for change, points in zip("abcdef", gains.values(), strict=True):
        for field, value in zip(("gold", "gold v simple"), points, strict=True):
            p = 0.001 if abs(value) > 0.2 else 0.5
            limits = value - 0.2, value + 0.2
            rows.append(("eaai", change, field, "margin", value, 0.1, *limits, p, 0.01))
    names = "variant change field metric value se low high p_holm p".split()
    said = list(sentences.describe_effects(pd.DataFrame(rows, columns=names)))
    told = [f"eaai: one change {words}:" for words in gains]
    assert said == [f"{words} {change}." for change, words in zip("abcdef", told, strict=True)]
