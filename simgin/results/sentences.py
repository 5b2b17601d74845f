"""Sentences about the results of a run, starting with the main result.

Every number has a confidence interval. If there are many matchups, the sentences mention only the
best and the worst strategy. The measured result of the best of many strategies is biased upwards if
the same deals were used to select this strategy.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import batch_columns
from simgin.report import numbers
from simgin.stats import table
from simgin.stats.batches import MIN_BATCHES
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA, Z95
from simgin.stats.metrics import METRICS_BY_NAME
from simgin.text.amounts import UNIT_PLURALS
from simgin.text.messages import capitalize_first, join_words

if TYPE_CHECKING:
    import pandas as pd

    from simgin.core.matchup_key import MatchupKey
    from simgin.results.run_results import RunResults
    from simgin.stats.round_robin import Triads
    from simgin.stats.table import RowDicts, RowsByMetric, TidyRows

IntervalEstimate = tuple[float, float, float]  # value, lower bound and upper bound
NamePair = tuple[str, str]  # names of the two strategies
# win rate of the first strategy, and 1 or -1 if it is significantly above or below 50 % (see
# `find_significant_signs`)
PairResult = tuple[IntervalEstimate, int]
# names of strategies with their estimates by metric
StrategyGroup = Sequence[tuple[str, "RowsByMetric"]]
# function that compares other strategies with a strategy (see `RunResults.compare_with_best`)
CompareFunction = Callable[[str, str, str, Sequence[str], str], "pd.DataFrame"]

MAX_SENTENCES = 6  # maximum number of sentences per topic and of names per sentence
# minimum number of parameter values for a sentence about the best value
MIN_VALUES_TO_NAME_BEST = 3
# minimum numbers of deals and matches for a test of a difference, if every unit is a mirrored pair
MIN_DEALS_FOR_TEST, MIN_MATCHES_FOR_TEST = (
    2 * MIN_BATCHES * size
    for size in (batch_columns.DEAL_BATCH_SIZE, batch_columns.MATCH_BATCH_SIZE)
)
COMPARISON_COLUMNS = [
    *("variant", "base_variant", "strategy", "base_strategy", "opponent", "base_opponent")
]
# units of differences, by metric
DIFFERENCE_UNITS = {
    "deal_win": "percentage points in deals won",
    "match_win": "percentage points in matches won",
    "win": "percentage points in deals won",
    "margin": "points per deal",
    "score": "points per deal",
    "turns": "turns per deal",
    "gin": "percentage points in deals ending in gin",
    "undercut": "percentage points in deals ending in an undercut",
    "void": "percentage points in dead hands",
}
# phrases by sign: 1 if A is significantly ahead, -1 if B is, otherwise 0
OUTCOME_BY_SIGN = {
    1: "{a} beats {b}",
    -1: "{a} loses to {b}",
    0: "{a} against {b} is too close to call",
}
OUTCOME_WORDS = (" beats ", " loses to ", "too close to call")
OUTCOME_NOTE = (
    'Terms:   "Beats" and "loses to" mean that the difference is significant at the 95 % '
    'confidence level. "Too close to call" means that it is not significant.'
)
# Metrics that rank strategies in solitaire games (False) and against an opponent (True). The first
# available metric is used.
RANKING_METRICS = {
    False: (
        ("goal_met", "% of matches with the goal met"),
        ("match_win", "% of matches won"),
        ("win", "% of deals won"),
        ("score", "points per deal"),
    ),
    True: (("match_win", "% of matches won"), ("margin", "points per deal")),
}


def list_sentences(results: RunResults) -> list[str]:
    """Return all sentences about a run, the most important sentence first.

    If the run has only one variant, the sentences do not mention it.
    """
    sentences = [*_iter_sentences(results)] or [_explain_no_result(results)]
    if len({key.variant for key in results.matchup_keys}) > 1:
        return sentences
    return [_drop_variant(sentence, results) for sentence in sentences]


def format_outcome_note(sentences: Iterable[str]) -> str:
    """Return a note that defines terms such as "beats" if the sentences contain them, or ""."""
    all_sentences = " ".join(sentences)
    return OUTCOME_NOTE if any(word in all_sentences for word in OUTCOME_WORDS) else ""


def _iter_sentences(results: RunResults) -> Iterator[str]:
    """Yield sentences about the leagues, matchups, effects and differences in a run.

    DataFrames are computed only for topics that need them. A run with a single match does not need
    a DataFrame, so pandas is not imported.
    """
    run_info = results.info
    if results.round_robins:
        dataframes = results.standings, results.cross_table, results.triads
        yield from describe_leagues(*dataframes, UNIT_PLURALS[run_info.unit])
    yield from describe_duplicates(results.duplicate_strategies)
    yield from describe_identical(results.identical_matchups)
    if run_info.effects:
        yield from describe_effects(results.effects)
    yield from results.sequential_test_sentences.values()
    tested_matchups = {(key.variant, key.a, key.b) for key in results.sequential_test_sentences}
    yield from describe_matchups(
        _select_rows_outside_leagues(results), results.compare_with_best, tested_matchups
    )
    if run_info.contrasts:
        yield from describe_differences(results.differences)
    yield from results.stopping_notes


def _select_rows_outside_leagues(results: RunResults) -> RowDicts:
    """Return the rows of matchups outside leagues, without matchups of identical players."""
    identical_pairs = {(key.variant, frozenset(key.players)) for key in results.identical_matchups}
    return [
        row
        for row in results.estimates
        if row["variant"] not in results.round_robins
        and (row["variant"], frozenset((row["strategy"], row["opponent"]))) not in identical_pairs
    ]


def _drop_variant(sentence: str, results: RunResults) -> str:
    """Remove the variant from a sentence, and capitalise its first word unless it is a name."""
    variant = results.matchup_keys[0].variant
    shortened = sentence.removeprefix(f"{variant}: ")
    shortened = shortened.replace(f" ({variant}, ", " (").replace(f" ({variant})", "")
    starts_with_name = shortened.startswith(tuple(results.info.identity["strategies"]))
    return shortened if starts_with_name else capitalize_first(shortened)


def _explain_no_result(results: RunResults) -> str:
    """Return a sentence that states why a run has no result."""
    key, *other_keys = results.matchup_keys
    if other_keys or key.a != key.b:
        return "There are too few deals for a result. Play more deals."
    _, rows = next(table.iterate_matchups(results.estimates))
    win_rate = format_percent(rows, "first_player_win")
    return f"If {key.a} plays against itself, the nondealer wins {win_rate} of decided deals."


# Values and lists


def compare_interval(estimate: IntervalEstimate, reference: float) -> int:
    """Return 1 if an interval is above `reference`, -1 if it is below, and otherwise 0."""
    value, low, high = estimate
    if math.isnan(low + high) or low <= reference <= high:
        return 0
    return 1 if value > reference else -1


def find_significant_signs(estimates: Sequence[IntervalEstimate], reference: float) -> list[int]:
    """Return the sign of each estimate, or 0 if it is not significant after Holm's correction.

    All estimates form one family, which is tested at the 5 % level.
    """
    p_values = np.array(
        [_compute_interval_p_value(estimate, reference) for estimate in estimates], float
    )
    return [
        compare_interval(estimate, reference) if p < ALPHA else 0
        for estimate, p in zip(estimates, adjust_p_values(p_values), strict=True)
    ]


def _compute_interval_p_value(estimate: IntervalEstimate, reference: float) -> float:
    """Compute the two-sided p-value of `reference` from a confidence interval.

    The p-value therefore accounts for the sample size, the skewness of proportions and stopping
    rules. For a confidence sequence, the p-value is conservative.
    """
    value, low, high = estimate
    half_width = value - low if value > reference else high - value
    if math.isnan(half_width):
        return math.nan
    distance = abs(value - reference)
    if not half_width:
        return float(not distance)
    return math.erfc(Z95 / math.sqrt(2) * distance / half_width)


def format_magnitude(estimate: IntervalEstimate) -> str:
    """Format the absolute value of an estimate with its interval."""
    value, low, high = estimate
    if value > 0:
        return numbers.format_estimate(value, low, high)
    return numbers.format_estimate(-value, -high, -low)


def format_row_estimate(row: Any, name: str, factor: int = 1) -> str:
    """Format an estimate in a row of a DataFrame, with its interval."""
    return numbers.format_estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], factor)


def format_percent(rows: RowsByMetric, metric: str) -> str:
    """Format a proportion as a percentage with its interval."""
    return f"{numbers.format_estimate(*table.find_interval(rows, metric), 100)} %"


def join_first_names(names: Sequence[str]) -> str:
    """Join the first few names, such as `a, b and 3 more`."""
    if len(names) <= MAX_SENTENCES:
        return join_words(names)
    return f"{', '.join(names[: MAX_SENTENCES - 1])} and {len(names) - MAX_SENTENCES + 1} more"


# Leagues


def describe_leagues(
    standings: pd.DataFrame, cross_table: pd.DataFrame, triads: Mapping[str, Triads], unit: str
) -> Iterator[str]:
    """Yield sentences about each league: its leader, undecided pairs and cyclic triads.

    All pairs in all leagues form one family for Holm's correction.
    """
    pairs = compare_pairs(standings, cross_table)
    for name, rows in standings.groupby("variant", sort=False):
        variant = str(name)
        lines = [*_describe_league(rows, pairs[variant], unit)]
        if rows["elo"].notna().all():
            lines.append(describe_cyclic_triads(triads[variant]))
        yield from [f"{variant}: {line}" for line in lines if line]


def compare_pairs(
    standings: pd.DataFrame, cross_table: pd.DataFrame
) -> dict[str, dict[NamePair, PairResult]]:
    """Return the win rate and the significant winner of each pair of strategies, by variant."""
    estimates_by_pair = {
        (row["variant"], row["strategy"], row["opponent"]): (row["value"], row["low"], row["high"])
        for row in cross_table.to_dict("records")
    }
    named_pairs = [
        (str(variant), strategy_a, strategy_b)
        for variant, rows in standings.groupby("variant", sort=False)
        for strategy_a, strategy_b in itertools.combinations(rows["strategy"], 2)
    ]
    estimates = [estimates_by_pair[pair] for pair in named_pairs]
    pairs: dict[str, dict[NamePair, PairResult]] = {}
    for (variant, strategy_a, strategy_b), estimate, sign in zip(
        named_pairs, estimates, find_significant_signs(estimates, 0.5), strict=True
    ):
        pairs.setdefault(variant, {})[strategy_a, strategy_b] = estimate, sign
    return pairs


def _describe_league(
    rows: pd.DataFrame, pairs: Mapping[NamePair, PairResult], unit: str
) -> Iterator[str]:
    """Yield sentences about the leader and the undecided pairs of a league.

    Args:
        rows: Rows of the standings of the league.
        pairs: Estimate and leading side of every pair, in the order of the standings.
        unit: "deals" or "matches".
    """
    if math.isnan(rows["elo"].iloc[0]):
        min_sample_size = MIN_DEALS_FOR_TEST if unit == "deals" else MIN_MATCHES_FOR_TEST
        yield (
            f"there are too few {unit} to rate the {len(rows)} strategies. Play at least "
            f"{min_sample_size:,} {unit} per pair."
        )
        return
    leader, runner_up_name, *_ = rows["strategy"]
    runner_up = rows.iloc[1]
    estimate, sign = pairs[leader, runner_up_name]
    won_text = f"{numbers.format_estimate(*estimate, 100)} % of {unit}"
    runner_up_text = f"{runner_up_name}, which is second ({_format_elo(runner_up)})"
    result_text_by_sign = {
        1: f"It wins {won_text} against {runner_up_text}.",
        -1: f"However, it wins only {won_text} against {runner_up_text}.",
        0: f"It wins {won_text} against {runner_up_text}, but this result is too close to call.",
    }
    yield (
        f"{leader} leads the league of {len(rows)} by {unit} won ({_format_elo(rows.iloc[0])}). "
        f"{result_text_by_sign[sign]}"
    )
    if rows["match_win"].isna().all():
        yield "matches can change the ranking. To rank strategies by matches, play whole matches."
    if (rows["mix"] > 0).sum() > 1:
        yield describe_mix(rows)
    undecided_pairs = [f"{a} and {b}" for (a, b), (_, leader) in pairs.items() if not leader]
    if undecided_pairs:
        n_more = len(undecided_pairs) - MAX_SENTENCES
        more_text = [f"{n_more} more"] * (n_more > 0)
        pair_names = "; ".join([*undecided_pairs[:MAX_SENTENCES], *more_text])
        verb = "is" if len(undecided_pairs) == 1 else "are"
        count_text = f"{len(undecided_pairs)} of {len(pairs)} pairs"
        yield f"{count_text} {verb} too close to call: {pair_names}."
    else:
        yield f"in all {len(pairs)} pairs, one player wins significantly more {unit}."


def describe_upsets(pairs: Mapping[NamePair, PairResult]) -> str:
    """Return a sentence about strategies that beat strategies with a higher rating, or ""."""
    upsets = [
        f"{underdog} beats {favourite}"
        for (favourite, underdog), (_, sign) in pairs.items()
        if sign < 0
    ]
    if not upsets:
        return ""
    return (
        " Ratings depend on the results against all opponents, so a strategy can beat a strategy "
        f"with a higher rating: {join_first_names(upsets)}."
    )


def describe_mix(rows: pd.DataFrame) -> str:
    """Return a sentence about the equilibrium mix of a league, largest weight first."""
    members = rows[rows["mix"] > 0].sort_values("mix", ascending=False, kind="stable")
    member_texts = [
        f"{row['strategy']}, {format_row_estimate(row, 'mix', 100)} %"
        for _, row in members.iterrows()
    ]
    return f"no strategy beats the equilibrium mix of {'; '.join(member_texts)}."


def describe_cyclic_triads(triads: Triads) -> str:
    """Return a sentence about the significant cyclic triads of a league, or ""."""
    n_significant = len(triads.significant_cyclic_triads)
    if not n_significant:
        return ""
    verb = "is" if n_significant == 1 else "are"
    subject = f"{n_significant} of {triads.n_triads:,} triads {verb} cyclic"
    if triads.n_triads == 1:
        subject = "the only triad is cyclic"
    strongest_triad = triads.cyclic_triads.iloc[0]
    first, second, third = (strongest_triad[name] for name in ("strategy", "opponent", "third"))
    p_text = f"p = {numbers.format_p_value(strongest_triad['p_holm'])}".replace("= <", "<")
    return (
        f"{subject} at the 5 % level. In the clearest triad, {first} beats {second}, {second} "
        f"beats {third}, and {third} beats {first}. The closest win rate is "
        f"{100 * strongest_triad['value']:.1f} %, {strongest_triad['excess']:.1f} standard errors "
        f"above 50 % ({p_text} after Holm's adjustment)."
    )


def _format_elo(row: Any) -> str:
    """Format the Elo rating in a row with its interval."""
    if row["elo"] == row["elo_low"] == row["elo_high"] == 0:
        return "Elo 0, the reference"
    return f"Elo {format_row_estimate(row, 'elo')}"


def describe_duplicates(groups: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    """Yield a sentence for each group of strategies with identical results in a round robin."""
    for variant, duplicates in groups.items():
        for names in duplicates:
            times_text = "twice" if len(names) == 2 else f"{len(names)} times"
            yield (
                f"{variant}: {join_words(names)} have identical results against all opponents, so "
                f"the league counts the same player {times_text}. Keep only one of them."
            )


def describe_identical(matchup_keys: Sequence[MatchupKey]) -> list[str]:
    """Return a sentence for each matchup in which both strategies play identically."""
    return [
        f"{key.variant}: {key.a} and {key.b} play identically. Every deal ended in the same way "
        "in both seats."
        for key in matchup_keys
    ]


# Matchups


def describe_matchups(
    tidy_rows: TidyRows,
    compare: CompareFunction,
    tested_matchups: Collection[tuple[str, str, str]] = (),
) -> list[str]:
    """Return sentences about the winner and the margin of every matchup.

    `tested_matchups` contains the variant and both strategies of matchups with a sequential test.
    Sentences about these matchups state only the margin, because the test decides which strategy
    wins.

    If there are more than MAX_SENTENCES matchups, the sentences mention only the best and the worst
    strategy against each opponent. If a group contains several values of a parameter, the first
    sentence states the best value. For Holm's correction, all matchups form one family for matches
    and one family for points. In each group, the differences between all pairs of strategies form
    one family.
    """
    groups: dict[tuple[str, str], list[tuple[str, RowsByMetric]]] = {}
    # A strategy that plays against itself always wins half of the deals, so its matchups are
    # omitted.
    all_matchups = [
        (names, rows) for names, rows in table.iterate_matchups(tidy_rows) if names[1] != names[2]
    ]
    for (variant, a, b), rows in all_matchups:
        groups.setdefault((variant, b), []).append((a, rows))
    match_comparisons, point_comparisons = (
        find_significant_signs(
            [table.find_interval(rows, metric) for _, rows in all_matchups], even_value
        )
        for metric, even_value in (("match_win", 0.5), ("margin", 0))
    )
    all_sides = zip(match_comparisons, point_comparisons, strict=True)
    sides_by_matchup = dict(zip((names for names, _ in all_matchups), all_sides, strict=True))
    is_summarised = sum(map(len, groups.values())) > MAX_SENTENCES
    sentences = []
    for (variant, b), opponent_group in groups.items():
        strategy_names = {a.partition(":")[0] for a, _ in opponent_group}
        if is_summarised or (
            b and len(strategy_names) == 1 and len(opponent_group) >= MIN_VALUES_TO_NAME_BEST
        ):
            noun = "strategies" if is_summarised else "values"
            summary = _describe_best_and_worst(variant, b, opponent_group, noun, compare)
            sentences.append(f"{variant}: {summary}")
        if not is_summarised:
            for a, rows in opponent_group:
                sentence = _describe_solo(a, rows)
                if b:
                    sides = sides_by_matchup[variant, a, b]
                    is_tested = (variant, a, b) in tested_matchups
                    sentence = _describe_matchup(a, b, rows, *sides, is_tested=is_tested)
                sentences.append(f"{variant}: {sentence}")
    return sentences


def _describe_matchup(
    a: str,
    b: str,
    rows: RowsByMetric,
    match_comparison: int,
    point_comparison: int,
    *,
    is_tested: bool = False,
) -> str:
    """Return a sentence about the winner of a matchup, by matches or else by points.

    Args:
        a: Strategy A.
        b: Strategy B.
        rows: Estimates by metric.
        match_comparison: Result of `find_significant_signs` for matches won.
        point_comparison: Result of `find_significant_signs` for points.
        is_tested: True if the matchup has a sequential test.
    """
    margin, win_rate = table.find_interval(rows, "margin"), table.find_interval(rows, "match_win")
    if math.isnan(margin[0]):
        return f"there are too few deals to compare {a} and {b}."
    wins, losses = (format_percent(rows, metric) for metric in ("deal_win", "deal_loss"))
    deals_phrase = f"{wins} of deals ({b} {losses})"
    if math.isnan(win_rate[0]):
        points_text = (
            f"loses {format_magnitude(margin)}"
            if point_comparison < 0
            else f"scores {numbers.format_estimate(*margin)}"
        )
        outcome = a if is_tested else _format_outcome(a, b, point_comparison, margin, 0)
        return f"{outcome} {points_text} points per deal and wins {deals_phrase}."
    outcome = a if is_tested else _format_outcome(a, b, match_comparison, win_rate, 0.5)
    sentence = f"{outcome} wins {format_percent(rows, 'match_win')} of matches."
    if match_comparison * point_comparison < 0:
        verb = "gains" if point_comparison > 0 else "loses"
        points_text = f"{format_magnitude(margin)} points per deal"
        return f"{sentence} However, it {verb} {points_text} and wins {deals_phrase}."
    return sentence


def _format_outcome(a: str, b: str, sign: int, estimate: IntervalEstimate, reference: float) -> str:
    """Return an outcome and the subject of the next clause, such as `a beats b. It`.

    The interval of a single matchup can exclude `reference` even if the corrected test is not
    significant.
    """
    adjustment_note = " after Holm's adjustment" * (sign != compare_interval(estimate, reference))
    return f"{OUTCOME_BY_SIGN[sign].format(a=a, b=b)}{adjustment_note}. {'It' if sign else a}"


def _describe_solo(strategy: str, rows: RowsByMetric) -> str:
    """Return a sentence about the results of a strategy in a solitaire game."""
    has_penalties = _has_penalties(rows)
    phrases = {
        "goal_met": f"meets the goal in {format_percent(rows, 'goal_met')} of matches",
        "match_win": f"wins {format_percent(rows, 'match_win')} of matches",
        "win": f"wins {format_percent(rows, 'win')} of deals",
        "gin": f"goes gin in {format_percent(rows, 'gin')} of deals",
    }
    known_metrics = {name for name in phrases if not math.isnan(table.find_interval(rows, name)[0])}
    known_metrics -= {"match_win"} if "goal_met" in known_metrics else set()
    known_metrics -= {name for name in ("win", "gin") if not table.find_interval(rows, name)[0] > 0}
    known_metrics -= {"win"} if has_penalties else set()
    known_phrases = [phrase for name, phrase in phrases.items() if name in known_metrics]
    score_estimate = table.find_interval(rows, "score")
    if not math.isnan(score_estimate[0]):
        verb, unit = ("takes", "penalty points") if has_penalties else ("scores", "points")
        known_phrases.append(f"{verb} {numbers.format_estimate(*score_estimate)} {unit} per deal")
    if not known_phrases:
        return f"there are too few deals to evaluate {strategy}."
    return f"{strategy} {join_words(known_phrases)}."


def _has_penalties(rows: RowsByMetric) -> bool:
    """Return True if any deal ended at a draw limit, which gives penalty points."""
    return table.find_interval(rows, "limit")[0] > 0


def _describe_best_and_worst(
    variant: str, opponent: str, group: StrategyGroup, noun: str, compare: CompareFunction
) -> str:
    """Return sentences about the best and the worst strategy of a group."""
    metrics = RANKING_METRICS[bool(opponent)]
    known_metrics = [
        ranked
        for ranked in metrics
        if any(abs(table.find_interval(rows, ranked[0])[0]) > 0 for _, rows in group)
    ]
    metric, unit = [*known_metrics, metrics[-1]][0]
    is_penalty = metric == "score" and any(_has_penalties(rows) for _, rows in group)
    unit = "penalty points per deal" if is_penalty else unit
    estimates = [(table.find_interval(rows, metric), a) for a, rows in group]
    sorted_estimates = sorted(
        [ranked for ranked in estimates if not math.isnan(ranked[0][0])], reverse=not is_penalty
    )
    if not sorted_estimates:
        return "there are too few deals for a result."
    estimate_texts = [
        f"{numbers.format_estimate(*estimate, METRICS_BY_NAME[metric].display_factor)} {unit}"
        for estimate, _ in sorted_estimates
    ]
    opponent_text = f" against {opponent}" if opponent else ""
    best_name, *other_names = (ranked for _, ranked in sorted_estimates)
    if not other_names:
        return f"{best_name} has {estimate_texts[0]}{opponent_text}."
    differences = compare(variant, opponent, best_name, other_names, metric)
    return (
        f"{best_name} is the best of {len(sorted_estimates)} {noun}{opponent_text} with "
        f"{estimate_texts[0]}. {_describe_ties(differences)}"
        f"{other_names[-1]} is the worst with {estimate_texts[-1]}."
    )


def _describe_ties(differences: pd.DataFrame) -> str:
    """Return a sentence about the strategies that differ insignificantly from the best, or ""."""
    if differences["se"].isna().all():
        return "There are too few deals to test the differences. "
    tied_names = [row["strategy"] for _, row in differences.iterrows() if not is_significant(row)]
    if not tied_names:
        return ""
    subject, verb = ("difference", "is") if len(tied_names) == 1 else ("differences", "are")
    return f"The {subject} from {join_first_names(tied_names)} {verb} not significant. "


# Changes to strategies and rules


def describe_effects(frame: pd.DataFrame) -> Iterator[str]:
    """Yield sentences about the changes that gain or lose points, grouped by effect."""
    point_effects = frame[frame["metric"] == "margin"]
    for variant, rows in point_effects.groupby("variant", sort=False):
        changes_by_template: dict[str, list[str]] = {}
        for change, change_rows in rows.groupby("change", sort=False):
            changes_by_template.setdefault(_describe_effect(change_rows), []).append(str(change))
        for template, changes in changes_by_template.items():
            n_changes = len(changes)
            subject, verb_ending, verb = (
                ("one change", "s", "is") if n_changes == 1 else (f"{n_changes} changes", "", "are")
            )
            predicate = template.format(s=verb_ending, be=verb)
            yield f"{variant}: {subject} {predicate}: {join_first_names(changes)}."


def _describe_effect(rows: pd.DataFrame) -> str:
    """Return a sentence template for the effect of a change on points."""
    signs = {
        math.copysign(1, row["value"]) if is_significant(row) else 0 for _, row in rows.iterrows()
    }
    if signs == {0}:
        return "{be} too close to call in every field"
    if {-1, 1} <= signs:
        return "gain{s} points in some fields and lose{s} points in other fields"
    verb, opposite = ("gain", "loss") if 1 in signs else ("lose", "gain")
    if 0 in signs:
        return f"{verb}{{s}} points in some fields, with no significant {opposite} in any field"
    return f"{verb}{{s}} points in every field"


def describe_differences(frame: pd.DataFrame) -> list[str]:
    """Return sentences about the significant differences of each comparison.

    Comparisons of strategies come first, followed by comparisons of variants, each with the largest
    differences first. If there are more than MAX_SENTENCES, both kinds share the space. The last
    sentence states the number of comparisons without a significant difference.

    Args:
        frame: Output `differences`. The sentences have the same direction as its rows.
    """
    # sentences and z-scores for comparisons of strategies and for comparisons of variants
    significant_lines: tuple[list[tuple[float, str]], ...] = ([], [])
    groups = frame.groupby(COMPARISON_COLUMNS, sort=False)
    for names, rows in groups:
        significant_rows = [row for _, row in rows.iterrows() if is_significant(row)]
        variant, base_variant, strategy, base_strategy, *opponents = map(str, names)
        if significant_rows:
            max_z_score = max(abs(row["value"]) / row["se"] for row in significant_rows)
            difference_texts = ", ".join(map(_format_difference, significant_rows))
            comparison = format_comparison(
                variant, base_variant, strategy, base_strategy, *opponents
            )
            lines = significant_lines[variant != base_variant]
            lines.append((max_z_score, f"{comparison}: {difference_texts}."))
    strategy_lines, variant_lines = (
        [line for _, line in sorted(lines, key=lambda line: -line[0])]
        for lines in significant_lines
    )
    sentences = strategy_lines[: max(MAX_SENTENCES // 2, MAX_SENTENCES - len(variant_lines))]
    sentences += variant_lines[: MAX_SENTENCES - len(sentences)]
    n_significant = len(strategy_lines) + len(variant_lines)
    n_more = n_significant - MAX_SENTENCES
    if n_more > 0:
        shows_text = "comparison shows" if n_more == 1 else "comparisons show"
        sentences.append(f"{n_more} more {shows_text} a difference (see the table of differences).")
    n_untested = int((groups["se"].count() == 0).sum())
    if n_untested:
        sentences.append(
            f"Too few deals to test {_format_comparison_count(n_untested, len(groups))}. Play "
            f"{MIN_DEALS_FOR_TEST:,} deals or {MIN_MATCHES_FOR_TEST:,} matches."
        )
    n_inconclusive = len(groups) - n_significant - n_untested
    if n_inconclusive:
        subject = _format_comparison_count(n_inconclusive, len(groups))
        level_text = "5 % level, Holm-adjusted"
        sentences.append(f"No significant difference in {subject} ({level_text}).")
    return sentences


def _format_comparison_count(n_comparisons: int, n_total: int) -> str:
    """Format a number of comparisons, such as `2 of 5 comparisons`."""
    return f"{n_comparisons} of {n_total} comparisons" if n_total > 1 else "the only comparison"


def is_significant(row: Any) -> bool:
    """Return True if the difference in a row is significant.

    The criterion is the Holm-corrected p-value or, for a run with a stopping rule, the interval.
    """
    if not row["se"] > 0:
        return False
    if math.isnan(row["p"]):
        return bool(row["low"] > 0 or row["high"] < 0)
    return bool(row["p_holm"] < ALPHA)


def format_comparison(
    variant: str,
    base_variant: str,
    strategy: str,
    base_strategy: str,
    opponent: str,
    base_opponent: str,
    *,
    separator: str = " compared with ",
    against: str = "against",
) -> str:
    """Return the name of a comparison, with the shared players and variant in parentheses."""
    if opponent != base_opponent or (variant != base_variant and strategy != base_strategy):
        # The two runs have no matchup in common.
        sides = (strategy, opponent, variant), (base_strategy, base_opponent, base_variant)
        return separator.join(f"{a} {against} {b} in {rules}" for a, b, rules in sides)
    shared_values = [f"{against} {opponent}"] if opponent else []
    if variant != base_variant:
        return f"{variant}{separator}{base_variant} ({' '.join([strategy, *shared_values])})"
    context = f"({', '.join([variant, *shared_values])})"
    if strategy != base_strategy:
        return f"{strategy}{separator}{base_strategy} {context}"
    return f"{strategy} {context}"  # The two runs have the same strategy and variant.


def _format_difference(row: Any) -> str:
    """Format a difference, such as `+19.9 ± 1.7 percentage points in matches won`."""
    metric = METRICS_BY_NAME[row["metric"]]
    estimate = (row["value"], row["low"], row["high"])
    amount_text = numbers.format_estimate(*estimate, metric.display_factor)
    plus_sign = "+" if row["value"] > 0 else ""
    return f"{plus_sign}{amount_text} {DIFFERENCE_UNITS[metric.name]}"
