"""Tests of sentences about results, which must agree with the confidence intervals."""

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
from support.sentence_checks import find_sentence_errors

NAN = math.nan


def make_tidy_rows(*rows):
    """Return tidy rows from (variant, a, b, {metric: (value, half-width)}).

    A half-width of None stands for an undefined cell.
    """
    tidy_rows = []
    for variant, a, b, estimates in rows:
        for metric, (value, half_width) in estimates.items():
            bounds = (NAN,) * 4
            if half_width is not None:
                bounds = (value, half_width / 1.96, value - half_width, value + half_width)
            unit = "match" if metric == "match_win" else "deal"
            tidy_rows.append((variant, a, b, unit, metric, *bounds, 2000))
    return pd.DataFrame(tidy_rows, columns=list(table.TABLE_COLUMNS))


def make_league(win_rates):
    """Return standings and cross-table of a, b, c from the win rates of ab, ac, bc."""
    rows = []
    for (player, opponent), (value, half_width) in zip(("ab", "ac", "bc"), win_rates, strict=True):
        rows.append(
            (player, opponent, value, half_width / 2, value - half_width, value + half_width, 1000)
        )
        rows.append(
            (
                opponent,
                player,
                1 - value,
                half_width / 2,
                1 - value - half_width,
                1 - value + half_width,
                1000,
            )
        )
    cross = pd.DataFrame(rows, columns=list(league.CROSS_TABLE_COLUMNS)).assign(variant="eaai")
    elo = {"a": (30.0, 25.0, 35.0), "b": (0.0, 0.0, 0.0), "c": (-40.0, -50.0, -30.0)}
    match_wins = {"match_win": 0.6, "match_win_low": 0.5, "match_win_high": 0.7}
    standings = [
        {"place": i, "strategy": name, "elo": value, "elo_low": low, "elo_high": high, **match_wins}
        for i, (name, (value, low, high)) in enumerate(elo.items(), start=1)
    ]
    return pd.DataFrame(standings, columns=list(league.LEAGUE_COLUMNS)).assign(
        variant="eaai"
    ), cross


def describe_matchups(tidy_rows, tied=()):
    """Describe matchups in which all paired differences except those from `tied` are significant.

    Without `tied`, differences have a p-value of 0.001. None stands for too few deals.
    """

    def compare_with_best(variant, opponent, best, others, metric):
        if tied is None:
            return make_differences(*((name, metric, NAN, NAN, NAN) for name in others))
        p_values = (0.9 if name in tied else 0.001 for name in others)
        rows = zip(others, p_values, strict=True)
        return make_differences(*((name, metric, -1.0, 0.1, p_value) for name, p_value in rows))

    return sentences.describe_matchups(tidy_rows, compare_with_best)


# Two players


def make_deal_estimates(margin):
    return {"deal_win": (0.48, 0.004), "deal_loss": (0.51, 0.004), "margin": (margin, 0.1)}


WIN_TEXT = "48.00 ± 0.40 % of deals (simple 51.00 ± 0.40 %)"
TOO_CLOSE_TEXT = "gold against simple is too close to call."


@pytest.mark.parametrize(
    ("margin", "half_width", "match_wins", "expected"),
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
            f"{TOO_CLOSE_TEXT} gold scores -0.10 ± 0.10 points per deal and wins {WIN_TEXT}.",
        ),
        (0.5, None, None, "there are too few deals to compare gold and simple."),
        (
            *(-0.5, 0.1, 0.55),
            "gold beats simple. It wins 55.0 ± 2.0 % of matches. "
            f"However, it loses 0.50 ± 0.10 points per deal and wins {WIN_TEXT}.",
        ),
        (-0.5, 0.1, 0.45, "gold loses to simple. It wins 45.0 ± 2.0 % of matches."),
        (0.5, 0.1, 0.51, f"{TOO_CLOSE_TEXT} gold wins 51.0 ± 2.0 % of matches."),
    ],
)
def test_verdict_on_two_players_follows_the_intervals(margin, half_width, match_wins, expected):
    estimates = make_deal_estimates(0.0) | {"margin": (margin, half_width)}
    if match_wins:
        estimates["match_win"] = (match_wins, 0.02)
    (sentence,) = describe_matchups(make_tidy_rows(("eaai", "gold", "simple", estimates)))
    assert sentence.startswith(f"eaai: {expected}") and find_sentence_errors(sentence) == []
    assert describe_matchups(make_tidy_rows(("eaai", "gold", "gold", estimates))) == []


def find_significant_by_holm(z_scores):
    """Return True for each result that is significant at 5 % by Holm's method."""
    is_significant = dict.fromkeys(range(len(z_scores)), False)
    for rank, index in enumerate(sorted(is_significant, key=lambda i: -abs(z_scores[i]))):
        if math.erfc(abs(z_scores[index]) / math.sqrt(2)) * (len(z_scores) - rank) >= 0.05:
            break
        is_significant[index] = True
    return [is_significant[index] for index in range(len(z_scores))]


@pytest.mark.parametrize("unit", ["deal", "match"])
@pytest.mark.parametrize(
    "z_scores", [(-2.15, 0.3, 1.1, -0.4, 4.0, 0.2), (2.7, -2.6, 2.3, 2.0), (-2.15,), (2.3, -2.3)]
)
def test_comparisons_are_adjusted_for_all_matchups_of_a_run(z_scores, unit):
    """Include a loss at z = 2.15, which is significant in one matchup, but not among six."""
    rows = []
    for i, z_score in enumerate(z_scores):
        estimates = make_deal_estimates(0.1 * z_score / 1.96 if unit == "deal" else 0.0)
        estimates |= {"match_win": (0.5 + 0.01 * z_score / 1.96, 0.01 if unit == "match" else None)}
        rows.append(("eaai", f"s{i}", f"t{i}", estimates))
    lines = describe_matchups(make_tidy_rows(*rows))
    for i, (line, z_score, is_significant) in enumerate(
        zip(lines, z_scores, find_significant_by_holm(z_scores), strict=True)
    ):
        verdict = f"s{i} beats t{i}. " if z_score > 0 else f"s{i} loses to t{i}. "
        adjusted = " after Holm's adjustment" if abs(z_score) > 1.96 else ""
        unclear_verdict = f"s{i} against t{i} is too close to call{adjusted}. s{i} "
        assert (
            line.startswith(f"eaai: {verdict if is_significant else unclear_verdict}")
            and find_sentence_errors(line) == []
        )


def test_contrary_points_are_mentioned_only_if_significant():
    """Use six matchups with point losses of z = 2.15 or more."""
    for margin, is_mentioned in ((-0.11, False), (-0.4, True)):
        estimates = make_deal_estimates(margin) | {"match_win": (0.6, 0.02)}
        even_estimates = make_deal_estimates(0.0) | {"match_win": (0.5, 0.02)}
        others = [("eaai", f"s{i}", "t", even_estimates) for i in range(5)]
        first, *_ = describe_matchups(
            make_tidy_rows(("eaai", "gold", "simple", estimates), *others)
        )
        assert first.startswith("eaai: gold beats simple. It wins")
        assert ("However, it loses" in first) == is_mentioned


@pytest.mark.parametrize(
    ("estimates", "expected"),
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
def test_solitaire_verdict_states_what_the_variant_counts(estimates, expected):
    lines = describe_matchups(make_tidy_rows(("solitary-gin", "gold", "", estimates)))
    assert lines == [f"solitary-gin: gold {expected}"]


@pytest.mark.parametrize("sign", [1, -1])
def test_best_and_worst_of_many_strategies_are_named(sign):
    """Rank by points; in solitaire games with penalties, fewer points are better."""
    values = {"a": 2.0, "b": 1.95, "c": 1.0, "d": 0.5, "e": 0.0, "f": -1.0, "g": -2.0}
    two_player_rows = [
        ("eaai", name, "simple", make_deal_estimates(value)) for name, value in values.items()
    ]
    penalties = {
        name: {"score": (3 - value, 0.1), "limit": (0.4, 0.01)} for name, value in values.items()
    }
    solo_rows = [("eaai", name, "", estimates) for name, estimates in penalties.items()]
    if sign > 0:
        for tied, text in (
            ((), ""),
            ("b", "The difference from b is not significant. "),
            ("db", "The differences from b and d are not significant. "),
            (None, "There are too few deals to test the differences. "),
        ):
            assert describe_matchups(make_tidy_rows(*two_player_rows), tied) == [
                "eaai: a is the best of 7 strategies against simple with 2.00 ± 0.10 points per "
                f"deal. {text}g is the worst with -2.00 ± 0.10 points per deal."
            ]
    else:
        (line,) = describe_matchups(make_tidy_rows(*solo_rows))
        assert (
            find_sentence_errors(line) == []
            and "a is the best" in line
            and "g is the worst" in line
        )
    undefined_rows = [("dice", name, "other", {"margin": (0.0, None)}) for name in values]
    assert describe_matchups(make_tidy_rows(*undefined_rows)) == [
        "dice: there are too few deals for a result."
    ]


@pytest.mark.parametrize("unit", ["deal", "match"])
def test_best_of_several_parameter_values_is_named(unit):
    win_rates = {"x:k=3": 0.48, "x": 0.52, "x:k=7": 0.51}
    rows = [
        (
            "eaai",
            name,
            "y",
            make_deal_estimates(0.4) | {"match_win": (win_rate, 0.01 if unit == "match" else None)},
        )
        for name, win_rate in win_rates.items()
    ]
    first, *others = describe_matchups(make_tidy_rows(*rows), {"x:k=7"})
    assert len(others) == 3 and not find_sentence_errors(first)
    if unit == "match":
        assert first.startswith(
            "eaai: x is the best of 3 values against y with 52.0 ± 1.0 % of matches won. The "
            "difference from x:k=7 is not significant. x:k=3 is the worst"
        )
    other_row = ("eaai", "z", "y", make_deal_estimates(0.4) | {"match_win": (0.5, None)})
    assert len(describe_matchups(make_tidy_rows(*rows[:2], other_row))) == 3


def test_paired_values_with_overlapping_intervals_can_differ():
    """Compare k=2 and k=4, whose paired difference is 0.208 ± 0.084 points per deal."""
    players = [f"gold-early+knock=early:k={k}" for k in (2, 4, 6)]
    first = simgin.match(players, against="simple", deals=12_000).summary().splitlines()[0]
    best = f"{players[0]} is the best of 3 values against simple with 3.71 ± 0.37"
    assert first.startswith(f"{best} points per deal. {players[2]} is the worst with")


def make_differences(*rows, baseline=("eaai", "gold")):
    """Return differences from (strategy, metric, difference, SE, Holm's p or None)."""
    rows_of_frame = []
    for strategy, metric, difference, se, p in rows:
        bounds = (difference - 2 * se, difference + 2 * se)
        p_values = (NAN, NAN) if p is None else (p / 10, p)
        names = ("eaai", strategy, "simple", "deal", metric)
        estimate = (difference, se, *bounds, 2000)
        rows_of_frame.append((*names, *estimate, *baseline, "simple", *p_values, 3 * se, True))
    columns = table.list_output_columns("differences")[: len(rows_of_frame[0])]
    return pd.DataFrame(rows_of_frame, columns=list(columns))


def test_differences_that_are_not_significant_are_counted():
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


def test_note_explains_parentheses_only_if_the_table_has_any():
    significant, tied = ("last", "margin", -3.0, 0.1, 1e-9), ("late", "margin", 0.18, 0.1, 0.06)
    for rows, has_parentheses in ([significant], False), ([significant, tied], True):
        table = build_differences_table(make_differences(*rows))
        assert ("(0.30)" in str([row[1] for row in table.rows])) == has_parentheses
        assert ("The number in parentheses" in table.note) == has_parentheses
        assert ("The other differences" in table.note) == has_parentheses


def test_note_mentions_the_adjustment_only_if_there_are_tests():
    for p, has_tests in ((None, False), (0.001, True)):
        note = build_differences_table(make_differences(("late", "margin", 0.5, 0.1, p))).note
        assert ("Holm's adjustment" in note) == has_tests


def test_sentence_has_the_same_direction_as_the_table():
    """Use a baseline of the user, such as the first strategy of `simgin match`."""
    row = ("last", "margin", -3.0, 0.1, 1e-9)
    frame = make_differences(row).assign(base_strategy="mine.py")
    assert sentences.describe_differences(frame) == [
        "last compared with mine.py (eaai, against simple): -3.00 ± 0.20 points per deal."
    ]
    assert build_differences_table(frame).rows == [
        ("last - mine.py (eaai, v simple)", "-3.00 ± 0.20 *")
    ]


def test_sentence_names_both_matchups_of_runs_without_a_common_matchup():
    frame = make_differences(("gold", "margin", -3.0, 0.1, 1e-9)).assign(base_opponent="champion")
    (sentence,) = sentences.describe_differences(frame)
    assert sentence.startswith(
        "gold against simple in eaai compared with gold against champion in eaai: -3.00"
    )
    assert build_differences_table(frame).rows[0][0] == (
        "gold v simple in eaai - gold v champion in eaai"
    )
    frame = frame.assign(variant="standard", strategy="stubborn", base_opponent="simple")
    (sentence,) = sentences.describe_differences(frame)
    assert sentence.startswith(
        "stubborn against simple in standard compared with gold against simple in eaai: -3.00"
    )


def test_comparisons_with_too_few_deals_are_not_reported_as_tested():
    nan = float("nan")
    frame = make_differences(("early", "margin", nan, nan, nan), ("late", "margin", 0.1, 0.1, 0.6))
    assert sentences.describe_differences(frame) == [
        "Too few deals to test 1 of 2 comparisons. Play 10,000 deals or 1,000 matches.",
        "No significant difference in 1 of 2 comparisons (5 % level, Holm-adjusted).",
    ]
    (line,) = sentences.describe_differences(frame[frame["strategy"] == "early"])
    assert line.startswith("Too few deals to test the only comparison. Play 10,000 deals")
    many_differences = make_differences(
        *((f"s{i}", "margin", 1.0 + i, 0.1, 0.001) for i in range(9))
    )
    lines = sentences.describe_differences(many_differences)
    assert lines[-1] == "3 more comparisons show a difference (see the table of differences)."
    assert len(lines) == sentences.MAX_SENTENCES + 1


@pytest.mark.parametrize(
    ("n_strategies", "n_variants", "expected"),
    [(1, 9, "SVVVVV"), (9, 9, "SSSVVV"), (9, 1, "SSSSSV"), (0, 9, "VVVVVV"), (2, 2, "SSVV")],
)
def test_strategy_comparisons_come_first(n_strategies, n_variants, expected):
    """Check that variants, which differ more, do not hide the comparisons of strategies."""
    rows = [(f"s{i}", "margin", 1.0 + i, 0.1, 0.001) for i in range(n_strategies)]
    rows += [("gold", "margin", 50.0 + i, 0.1, 0.001) for i in range(n_variants)]
    frame = make_differences(*rows)
    names = [f"v{i}" for i in range(n_variants)]
    frame["base_variant"] = ["eaai"] * n_strategies + names
    lines = sentences.describe_differences(frame)
    kinds = ["V" if " compared with v" in line else "S" for line in lines if "compared" in line]
    assert "".join(kinds) == expected
    assert lines[0].startswith(f"s{n_strategies - 1}" if n_strategies else "eaai compared with v8")
    n_hidden = n_strategies + n_variants - len(expected)
    assert (f"{n_hidden} more comparisons show" in lines[-1]) == (n_hidden > 0)


@pytest.mark.parametrize(("unit", "n_players"), [*itertools.product(("deal", "match"), (1, 2))])
def test_difference_of_every_metric_has_its_sign_and_unit(unit, n_players):
    for name, sign in itertools.product(
        {*VARIANT_COMPARISON_METRICS, *select_headline_metrics(unit, n_players)}, (-1, 1)
    ):
        frame = make_differences(("early", name, sign * 0.19, 0.02, 1e-6))
        (line,) = sentences.describe_differences(frame)
        assert find_sentence_errors(line) == []
        assert ("+" in line) == (sign > 0) and (" -" in line) == (sign < 0)
        assert ("19.0 ± 4.0 percentage points" in line) == METRICS_BY_NAME[name].is_proportion


@pytest.mark.parametrize(
    ("value", "start"), [(0.5, "early compared with"), (0.1, "No significant")]
)
def test_differences_of_stopped_runs_follow_their_intervals(value, start):
    frame = make_differences(("early", "margin", value, 0.1, None))
    (line,) = sentences.describe_differences(frame)
    assert line.startswith(start)


def make_triads(n_examined, n_cyclic=0, n_significant=0):
    rows = [("a", "c", "b", 0.52, 9.0, 1e-9 if i < n_significant else 0.4) for i in range(n_cyclic)]
    return Triads(n_examined, pd.DataFrame(rows, columns=list(TRIAD_COLUMNS)))


def describe_league(win_rates, unit="matches", **columns):
    """Describe a league of a, b and c with these win rates."""
    standings, cross = make_league(win_rates)
    return list(
        sentences.describe_leagues(
            standings.assign(**columns), cross, {"eaai": make_triads(20)}, unit
        )
    )


def test_verdict_on_a_league_names_the_leader_and_close_pairs():
    lines = describe_league([(0.51, 0.02), (0.6, 0.02), (0.4, 0.02)])
    assert lines == [
        "eaai: a leads the league of 3 by matches won (Elo 30.0 ± 5.0). It wins 51.0 ± 2.0 % of "
        "matches against b, which is second (Elo 0, the reference), but this result is too close "
        "to call.",
        "eaai: 1 of 3 pairs is too close to call: a and b.",
    ]
    assert [error for line in lines for error in find_sentence_errors(line)] == []
    lines = describe_league([(0.45, 0.02), (0.6, 0.02), (0.4, 0.02)], unit="deals")
    assert "However, it wins only 45.0 ± 2.0 % of deals against b, which is second" in lines[0]
    assert lines[1] == "eaai: in all 3 pairs, one player wins significantly more deals."
    (line,) = describe_league([(0.5, 0.1)] * 3, unit="deals", elo=NAN)
    assert line.startswith("eaai: there are too few deals to rate the 3 strategies.")
    assert line.endswith("Play at least 10,000 deals per pair.")
    (line,) = describe_league([(0.5, 0.1)] * 3, elo=NAN)
    assert line.endswith("Play at least 1,000 matches per pair.")
    lines = describe_league([(0.55, 0.02)] * 3, unit="deals", match_win=NAN)
    assert lines[1] == (
        "eaai: matches can change the ranking. To rank strategies by matches, play whole matches."
    )


@pytest.mark.parametrize(
    ("win_rates", "sentence"),
    [
        ([(0.55, 0.02)] * 3, ""),
        ([(0.49, 0.02), (0.6, 0.02), (0.6, 0.02)], ""),
        ([(0.45, 0.02), (0.6, 0.02), (0.6, 0.02)], "b beats a."),
        ([(0.45, 0.02), (0.6, 0.02), (0.4, 0.02)], "b beats a and c beats b."),
    ],
)
def test_wins_against_a_higher_rating_are_named(win_rates, sentence):
    pairs = sentences.compare_pairs(*make_league(win_rates))["eaai"]
    upsets = sentences.describe_upsets(pairs)
    start = " Ratings depend on the results against all opponents, so a strategy can beat a "
    assert upsets == (f"{start}strategy with a higher rating: {sentence}" if sentence else "")


def test_league_note_names_wins_against_a_higher_rating():
    players = ["gold-early", "gin-only", "gold", "stubborn"]
    (league_table,) = build_league_tables(simgin.league(players, deals=12_000))
    assert list(league_table.frame["strategy"])[:2] == ["gold-early", "gold"]
    assert league_table.note.endswith(" with a higher rating: gold beats gold-early.")


def test_pairs_of_a_league_are_compared_with_holms_adjustment():
    """Use z = 2.15 between the first two, which is not significant among three comparisons."""
    half_width = 0.02
    close = (0.5 + half_width * 2.15 / 1.96, half_width)
    far = (0.5 + 10 * half_width, half_width)
    lines = describe_league([far, close, far])
    assert lines[1] == "eaai: in all 3 pairs, one player wins significantly more matches."
    lines = describe_league([close, (0.5 + half_width * 2.2 / 1.96, half_width), (0.5, half_width)])
    assert lines[0].endswith("but this result is too close to call.")
    assert lines[1] == "eaai: 3 of 3 pairs are too close to call: a and b; a and c; b and c."


@pytest.mark.parametrize(
    ("mix", "expected"),
    [
        ([1.0, 0, 0], "in all 3 pairs, one player wins significantly more matches."),
        ([0.4, 0.6, 0], "no strategy beats the equilibrium mix of b, 60 ± 11 %; a, 40 ± 11 %."),
    ],
)
def test_equilibrium_mix_is_named_with_its_weights(mix, expected):
    bounds = {
        "mix_low": [weight - 0.11 for weight in mix],
        "mix_high": [weight + 0.11 for weight in mix],
    }
    lines = describe_league([(0.55, 0.02)] * 3, mix=mix, **bounds)
    assert lines[1] == f"eaai: {expected}"


@pytest.mark.parametrize(
    ("n_examined", "n_cyclic", "n_significant", "start"),
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
def test_cyclic_triads_are_distinguished_from_chance(n_examined, n_cyclic, n_significant, start):
    description = sentences.describe_cyclic_triads(make_triads(n_examined, n_cyclic, n_significant))
    assert description.startswith(start) and (
        not description or find_sentence_errors(description) == []
    )
    assert not sentences.describe_cyclic_triads(make_triads(n_examined, n_cyclic))
    assert ("(p < 0.001 after" in description) == (n_significant > 0)


def test_changes_are_sorted_by_their_effect_over_all_fields():
    gains_by_description = {
        "gains points in every field": (0.5, 0.4),
        "loses points in every field": (-0.5, -0.4),
        "gains points in some fields and loses points in other fields": (-0.5, 0.4),
        "gains points in some fields, with no significant loss in any field": (0.5, 0.1),
        "loses points in some fields, with no significant gain in any field": (-0.5, 0.1),
        "is too close to call in every field": (0.1, -0.1),
    }
    rows = []
    for change, points in zip("abcdef", gains_by_description.values(), strict=True):
        for field, value in zip(("gold", "gold v simple"), points, strict=True):
            p_value = 0.001 if abs(value) > 0.2 else 0.5
            bounds = value - 0.2, value + 0.2
            rows.append(("eaai", change, field, "margin", value, 0.1, *bounds, p_value, 0.01))
    names = "variant change field metric value se low high p_holm p".split()
    lines = list(sentences.describe_effects(pd.DataFrame(rows, columns=names)))
    beginnings = [f"eaai: one change {description}:" for description in gains_by_description]
    assert lines == [
        f"{description} {change}." for change, description in zip("abcdef", beginnings, strict=True)
    ]
