"""Sentences about the results of a run, beginning with the main result.

Every value has a confidence interval. If there are many matchups, the sentences name only the best
and the worst strategy. If the best of many strategies is selected and measured on the same deals,
the measured result is biased upwards.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
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
from simgin.text.messages import join_words

if TYPE_CHECKING:
    import pandas as pd

    from simgin.core.matchup_key import MatchupKey
    from simgin.results.run_results import RunResults
    from simgin.stats.round_robin import Triads
    from simgin.stats.table import ByMetric, Rows, TidyRows

IntervalEstimate = tuple[float, float, float]  # value, lower bound and upper bound
NamePair = tuple[str, str]  # names of the two strategies
# Win rate of the first strategy, and side of this strategy (see `compare_family`)
PairResult = tuple[IntervalEstimate, int]
StrategyGroup = Sequence[tuple[str, "ByMetric"]]  # strategies and the estimates of their metrics

MAX_SENTENCES = 6  # maximum number of sentences per subject, and of names per sentence
MIN_VALUES = 3  # minimum number of parameter values for a sentence about the best value
# Minimum numbers of deals and matches for a test of a difference, if every unit is a mirrored pair
ENOUGH_DEALS, ENOUGH_MATCHES = (
    2 * MIN_BATCHES * size
    for size in (batch_columns.DEAL_BATCH_SIZE, batch_columns.MATCH_BATCH_SIZE)
)
MIN_PRINTED_P = 0.001  # minimum p-value that is printed; smaller values are printed as "p < 0.001"
COMPARISON_COLUMNS = ["variant", "base_variant", "strategy", "base_strategy", "opponent"]
# Units of differences, by metric
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
# Phrases by side, which is 1 if A is significantly ahead, -1 if B is, and otherwise 0
OUTCOME_PHRASES = {
    1: "{a} beats {b}",
    -1: "{a} loses to {b}",
    0: "{a} against {b} is too close to call",
}
# Metrics that rank strategies in solitaire games (False) and against an opponent (True). The first
# metric with a value is used.
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

    A sentence names the variant only if the run has several variants.
    """
    sentences = [*_iter_sentences(results)] or [_explain_no_result(results)]
    if len({key.variant for key in results.matchup_keys}) > 1:
        return sentences
    return [_drop_variant(sentence, results) for sentence in sentences]


def _iter_sentences(results: RunResults) -> Iterator[str]:
    """Yield sentences about the leagues, matchups, effects and differences of a run.

    DataFrames are computed only for subjects that need them. A single match does not need a
    DataFrame, which avoids the import of pandas.
    """
    info = results.info
    if results.round_robins:
        dataframes = results.standings, results.cross_table, results.triads
        yield from describe_leagues(*dataframes, UNIT_PLURALS[info.unit])
    yield from describe_duplicates(results.duplicate_strategies)
    yield from describe_identical(results.identical_matchups)
    if info.effects:
        yield from describe_effects(results.effects)
    yield from describe_matchups(_remaining_rows(results))
    if info.contrasts:
        names = info.display_names
        own_names = {names[spec] for spec in names if ".py" in spec}
        yield from describe_differences(results.differences, own_names)
    yield from results.stopping_notes


def _remaining_rows(results: RunResults) -> Rows:
    """Return the rows of matchups that are not in a league and whose players differ."""
    identical_pairs = {(key.variant, frozenset(key.players)) for key in results.identical_matchups}
    return [
        row
        for row in results.estimates
        if row["variant"] not in results.round_robins
        and (row["variant"], frozenset((row["strategy"], row["opponent"]))) not in identical_pairs
    ]


def _drop_variant(sentence: str, results: RunResults) -> str:
    """Remove the variant from a sentence, and capitalise the first word unless it is a name."""
    variant = results.matchup_keys[0].variant
    short = sentence.removeprefix(f"{variant}: ")
    short = short.replace(f" ({variant}, ", " (").replace(f" ({variant})", "")
    is_name = short.startswith(tuple(results.info.identity["strategies"]))
    return short if is_name else short[:1].upper() + short[1:]


def _explain_no_result(results: RunResults) -> str:
    """Return a sentence that explains why there is no result."""
    key, *other_keys = results.matchup_keys
    if other_keys or key.a != key.b:
        return "There are too few deals for a result. Play more deals."
    _, rows = next(table.iterate_matchups(results.estimates))
    win_rate = format_percent(rows, "first_player_win")
    return f"If {key.a} plays against itself, the nondealer wins {win_rate} of decided deals."


# Values and lists


def compare_with(estimate: IntervalEstimate, reference: float) -> int:
    """Return 1 if an interval is above `reference`, -1 if it is below, and 0 if it includes it."""
    value, low, high = estimate
    if math.isnan(low + high) or low <= reference <= high:
        return 0
    return 1 if value > reference else -1


def compare_family(family: Sequence[IntervalEstimate], reference: float) -> list[int]:
    """Return the sign of each estimate that is significant after Holm's correction, or 0.

    The estimates form one family, which is tested at the 5 % level.
    """
    adjusted = adjust_p_values(
        np.array([_two_sided_p(limits, reference) for limits in family], float)
    )
    return [
        compare_with(limits, reference) if p < ALPHA else 0
        for limits, p in zip(family, adjusted, strict=True)
    ]


def _two_sided_p(estimate: IntervalEstimate, reference: float) -> float:
    """Compute the two-sided p-value of an estimate against `reference` from its interval.

    The p-value therefore accounts for the sample size, the skewness of a proportion, and a stopping
    rule. The p-value is conservative for a confidence sequence.
    """
    value, low, high = estimate
    half_width = value - low if value > reference else high - value
    if math.isnan(half_width):
        return math.nan
    distance = abs(value - reference)
    return (
        math.erfc(Z95 / math.sqrt(2) * distance / half_width) if half_width else float(not distance)
    )


def format_magnitude(estimate: IntervalEstimate, factor: int = 1) -> str:
    """Format the absolute value of an estimate, for sentences that name the direction."""
    value, low, high = estimate
    if value > 0:
        return numbers.format_estimate(value, low, high, factor)
    return numbers.format_estimate(-value, -high, -low, factor)


def format_row_estimate(row: Any, name: str, factor: int = 1) -> str:
    """Format the estimate in a row, with its interval."""
    return numbers.format_estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], factor)


def format_percent(rows: ByMetric, metric: str) -> str:
    """Format a proportion in percent, with its interval."""
    return f"{numbers.format_estimate(*table.find_interval(rows, metric), 100)} %"


def join_first_words(names: Sequence[str]) -> str:
    """Join the first names to a list, as in `a, b and 3 more`."""
    if len(names) <= MAX_SENTENCES:
        return join_words(names)
    return f"{', '.join(names[: MAX_SENTENCES - 1])} and {len(names) - MAX_SENTENCES + 1} more"


# Leagues


def describe_leagues(
    standings: pd.DataFrame, cross: pd.DataFrame, triads: Mapping[str, Triads], unit: str
) -> Iterator[str]:
    """Yield sentences about the leader, the undecided pairs and the cyclic triads of each league.

    All pairs of all leagues form one family for Holm's adjustment.
    """
    tables = {str(name): rows for name, rows in standings.groupby("variant", sort=False)}
    pairs = _compare_pairs(tables, cross)
    for variant, rows in tables.items():
        lines = [*_describe_league(rows, pairs[variant], unit)]
        if rows["elo"].notna().all():
            lines.append(describe_cyclic_triads(triads[variant]))
        yield from [f"{variant}: {line}" for line in lines if line]


def _compare_pairs(
    tables: Mapping[str, pd.DataFrame], cross: pd.DataFrame
) -> dict[str, dict[NamePair, PairResult]]:
    """Return the estimate and the leading side of every pair, by variant, in standings order."""
    estimates_by_pair = {
        (row["variant"], row["strategy"], row["opponent"]): (row["value"], row["low"], row["high"])
        for row in cross.to_dict("records")
    }
    named_pairs = [
        (variant, a, b)
        for variant, rows in tables.items()
        for a, b in itertools.combinations(rows["strategy"], 2)
    ]
    estimates = [estimates_by_pair[pair] for pair in named_pairs]
    pairs: dict[str, dict[NamePair, PairResult]] = {}
    for (variant, a, b), limits, side in zip(
        named_pairs, estimates, compare_family(estimates, 0.5), strict=True
    ):
        pairs.setdefault(variant, {})[a, b] = limits, side
    return pairs


def _describe_league(
    rows: pd.DataFrame, pairs: Mapping[NamePair, PairResult], unit: str
) -> Iterator[str]:
    """Yield sentences about the leader and the undecided pairs of a league.

    Args:
        rows: Standings of the league.
        pairs: Estimate and leading side of every pair, in the order of the standings.
        unit: "deals" or "matches".
    """
    if math.isnan(rows["elo"].iloc[0]):
        yield f"there are too few {unit} to rate the {len(rows)} strategies."
        return
    (leader, runner_up_name, *_), (_, runner_up, *_) = (
        list(rows["strategy"]),
        rows.to_dict("records"),
    )
    estimate, side = pairs[leader, runner_up_name]
    won = f"{numbers.format_estimate(*estimate, 100)} % of {unit}"
    rival = f"{runner_up_name}, which is second ({_format_elo(runner_up)})"
    against = {
        1: f"It wins {won} against {rival}.",
        -1: f"However, it wins only {won} against {rival}.",
        0: f"It wins {won} against {rival}, but this result is too close to call.",
    }
    yield (
        f"{leader} leads the league of {len(rows)} by {unit} won ({_format_elo(rows.iloc[0])}). "
        f"{against[side]}"
    )
    if rows["match_win"].isna().all():
        yield "matches can change the ranking. To rank strategies by matches, play whole matches."
    if (rows["mix"] > 0).sum() > 1:
        yield describe_mix(rows)
    undecided = [f"{a} and {b}" for (a, b), (_, leader_side) in pairs.items() if not leader_side]
    if undecided:
        more = [f"{len(undecided) - MAX_SENTENCES} more"] * (len(undecided) > MAX_SENTENCES)
        names = "; ".join([*undecided[:MAX_SENTENCES], *more])
        verb = "is" if len(undecided) == 1 else "are"
        yield f"{len(undecided)} of {len(pairs)} pairs {verb} too close to call: {names}."
    else:
        yield f"all {len(pairs)} pairs differ significantly in {unit} won."


def describe_mix(rows: pd.DataFrame) -> str:
    """Return a sentence about a mix of several strategies, listing weights in decreasing order."""
    ranked = rows[rows["mix"] > 0].sort_values("mix", ascending=False, kind="stable")
    parts = [
        f"{row['strategy']}, {format_row_estimate(row, 'mix', 100)} %"
        for _, row in ranked.iterrows()
    ]
    return f"no strategy beats the equilibrium mix of {'; '.join(parts)}."


def describe_cyclic_triads(triads: Triads) -> str:
    """Return a sentence about the significant cyclic triads, or "" if there are none."""
    n_significant = len(triads.significant_circles)
    if not n_significant:
        return ""
    verb = "is" if n_significant == 1 else "are"
    subject = f"{n_significant} of {triads.n_triads:,} triads {verb} cyclic"
    if triads.n_triads == 1:
        subject = "the only triad is cyclic"
    strongest = triads.circles.iloc[0]
    first, second, third = (strongest[name] for name in ("strategy", "opponent", "third"))
    p = strongest["p_holm"]
    p_text = f"p < {MIN_PRINTED_P:g}" if p < MIN_PRINTED_P else f"p = {p:.3f}"
    return (
        f"{subject} at the 5 % level. In the clearest one, {first} beats {second}, {second} beats "
        f"{third}, and {third} beats {first}. Its closest pair is decided by "
        f"{100 * strongest['value']:.1f} %, {strongest['excess']:.1f} standard errors above 50 % "
        f"({p_text} after Holm's adjustment)."
    )


def _format_elo(row: Any) -> str:
    """Format the Elo rating in a row, with its interval."""
    if row["elo"] == row["elo_low"] == row["elo_high"] == 0:
        return "Elo 0, the reference"
    return f"Elo {format_row_estimate(row, 'elo')}"


def describe_duplicates(groups: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    """Yield a sentence for each group of strategies with equal results in a round robin."""
    for variant, duplicates in groups.items():
        for names in duplicates:
            times = "twice" if len(names) == 2 else f"{len(names)} times"
            yield (
                f"{variant}: {join_words(names)} have identical results against all opponents, so "
                f"the league counts the same player {times}. Keep only one of them."
            )


def describe_identical(matchup_keys: Sequence[MatchupKey]) -> list[str]:
    """Return a sentence for each matchup of two strategies that play identically."""
    return [
        f"{key.variant}: {key.a} and {key.b} play identically. Every deal ended in the same way "
        "in both seats."
        for key in matchup_keys
    ]


# Matchups


def describe_matchups(tidy: TidyRows) -> list[str]:
    """Return sentences that name the winner of every matchup and the margin.

    If there are more than MAX_SENTENCES matchups, the sentences name only the best and the worst
    strategy against each opponent. If a group contains several values of a parameter, the best
    value is named first. All matchups form one family for Holm's adjustment, separately for matches
    and for points.
    """
    groups: dict[tuple[str, str], list[tuple[str, ByMetric]]] = {}
    # Strategies that play against themselves always win half of the deals, so their matchups are
    # omitted.
    all_matchups = [
        (names, rows) for names, rows in table.iterate_matchups(tidy) if names[1] != names[2]
    ]
    for (variant, a, b), rows in all_matchups:
        groups.setdefault((variant, b), []).append((a, rows))
    match_sides, point_sides = (
        compare_family([table.find_interval(rows, metric) for _, rows in all_matchups], even_value)
        for metric, even_value in (("match_win", 0.5), ("margin", 0))
    )
    sides_by_matchup = {
        names: sides
        for (names, _), *sides in zip(all_matchups, match_sides, point_sides, strict=True)
    }
    is_long = sum(map(len, groups.values())) > MAX_SENTENCES
    sentences = []
    for (variant, b), group in groups.items():
        bases = {a.partition(":")[0] for a, _ in group}
        if is_long or (b and len(bases) == 1 and len(group) >= MIN_VALUES):
            noun = "strategies" if is_long else "values"
            sentences.append(f"{variant}: {_describe_best_and_worst(b, group, noun)}")
        if not is_long:
            for a, rows in group:
                sentence = (
                    _describe_matchup(a, b, rows, *sides_by_matchup[variant, a, b])
                    if b
                    else _describe_solo(a, rows)
                )
                sentences.append(f"{variant}: {sentence}")
    return sentences


def _describe_matchup(a: str, b: str, rows: ByMetric, match_side: int, point_side: int) -> str:
    """Return a sentence that names the winner by matches, or by points in runs of deals.

    Args:
        a: Strategy A.
        b: Strategy B.
        rows: Estimates by metric.
        match_side: Result of `compare_family` for matches won.
        point_side: Result of `compare_family` for points.
    """
    margin, win_rate = table.find_interval(rows, "margin"), table.find_interval(rows, "match_win")
    if math.isnan(margin[0]):
        return f"there are too few deals to compare {a} and {b}."
    deals_phrase = (
        f"{format_percent(rows, 'deal_win')} of deals ({b} {format_percent(rows, 'deal_loss')})"
    )
    if math.isnan(win_rate[0]):
        points = f"{numbers.format_estimate(*margin)} points per deal"
        return (
            f"{_format_outcome(a, b, point_side, margin, 0)} scores {points} and wins "
            f"{deals_phrase}."
        )
    outcome = _format_outcome(a, b, match_side, win_rate, 0.5)
    sentence = f"{outcome} wins {format_percent(rows, 'match_win')} of matches."
    if match_side * point_side < 0:
        verb = "gains" if point_side > 0 else "loses"
        points = f"{format_magnitude(margin)} points per deal"
        return f"{sentence} However, it {verb} {points} and wins {deals_phrase}."
    return sentence


def _format_outcome(a: str, b: str, side: int, estimate: IntervalEstimate, reference: float) -> str:
    """Return the outcome of a matchup and the subject of the next sentence: `a beats b. It`.

    The interval of a single matchup can exclude `reference` even if the adjusted test does not.
    """
    adjusted = " after Holm's adjustment" * (side != compare_with(estimate, reference))
    return f"{OUTCOME_PHRASES[side].format(a=a, b=b)}{adjusted}. {'It' if side else a}"


def _describe_solo(a: str, rows: ByMetric) -> str:
    """Return a sentence about the results of deals and, if they were played, of matches."""
    has_penalties = _counts_penalties(rows)
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
    parts = [text for name, text in phrases.items() if name in known_metrics]
    score = table.find_interval(rows, "score")
    if not math.isnan(score[0]):
        verb, unit = ("takes", "penalty points") if has_penalties else ("scores", "points")
        parts.append(f"{verb} {numbers.format_estimate(*score)} {unit} per deal")
    return f"{a} {join_words(parts)}." if parts else f"there are too few deals to evaluate {a}."


def _counts_penalties(rows: ByMetric) -> bool:
    """Return True if deals score penalty points, because a draw limit can end them."""
    return table.find_interval(rows, "limit")[0] > 0


def _describe_best_and_worst(b: str, group: StrategyGroup, noun: str) -> str:
    """Return sentences about the best and the worst of several strategies."""
    metrics = RANKING_METRICS[bool(b)]
    known_metrics = [
        name
        for name in metrics
        if any(abs(table.find_interval(rows, name[0])[0]) > 0 for _, rows in group)
    ]
    metric, unit = [*known_metrics, metrics[-1]][0]
    is_penalty = metric == "score" and any(_counts_penalties(rows) for _, rows in group)
    unit = "penalty points per deal" if is_penalty else unit
    estimates = [(table.find_interval(rows, metric), a) for a, rows in group]
    ranked = sorted(
        [name for name in estimates if not math.isnan(name[0][0])], reverse=not is_penalty
    )
    if not ranked:
        return "there are too few deals for a result."
    formatted = [
        f"{numbers.format_estimate(*limits, METRICS_BY_NAME[metric].display_factor)} {unit}"
        for limits, _ in ranked
    ]
    against = f" against {b}" if b else ""
    ((_, low, high), best), *other_rows = ranked
    if not other_rows:
        return f"{best} has {formatted[0]}{against}."
    overlapping = [a for limits, a in other_rows if limits[1] <= high and low <= limits[2]]
    pronoun = "that" if len(overlapping) == 1 else "those"
    overlap = (
        f". Its interval overlaps {pronoun} of {join_first_words(overlapping)}"
        if overlapping
        else ""
    )
    return (
        f"{best} is the best of {len(ranked)} {noun}{against} with {formatted[0]}{overlap}. "
        f"{ranked[-1][1]} is the worst with {formatted[-1]}."
    )


# Changes of strategies and of rules


def describe_effects(frame: pd.DataFrame) -> Iterator[str]:
    """Yield sentences about the changes that gain or lose points, grouped by result."""
    points = frame[frame["metric"] == "margin"]
    for variant, rows in points.groupby("variant", sort=False):
        by_verdict: dict[str, list[str]] = {}
        for change, group in rows.groupby("change", sort=False):
            by_verdict.setdefault(_summarise_fields(group), []).append(str(change))
        for template, changes in by_verdict.items():
            n = len(changes)
            subject, s, verb = ("one change", "s", "is") if n == 1 else (f"{n} changes", "", "are")
            predicate = template.format(s=s, be=verb)
            yield f"{variant}: {subject} {predicate}: {join_first_words(changes)}."


def _summarise_fields(rows: pd.DataFrame) -> str:
    """Return a template for the predicate of a sentence about a change in all fields."""
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


def describe_differences(frame: pd.DataFrame, own_names: Collection[str] = ()) -> list[str]:
    """Return sentences about the significant differences of every comparison, largest first.

    A final sentence counts the comparisons without a significant difference.

    Args:
        frame: Output `differences`.
        own_names: Names of the user's strategies. A sentence that compares such a baseline with a
            built-in strategy names the user's strategy first.
    """
    significant_lines: list[tuple[float, str]] = []
    groups = frame.groupby(COMPARISON_COLUMNS, sort=False)
    for names, rows in groups:
        significant = [row for _, row in rows.iterrows() if is_significant(row)]
        variant, base_variant, strategy, base_strategy, opponent = map(str, names)
        if base_strategy in own_names and strategy not in own_names:
            strategy, base_strategy = base_strategy, strategy
            significant = [_reverse_difference(row) for row in significant]
        if significant:
            largest = max(abs(row["value"]) / row["se"] for row in significant)
            parts = ", ".join(map(_format_difference, significant))
            comparison = format_comparison(variant, base_variant, strategy, base_strategy, opponent)
            significant_lines.append((largest, f"{comparison}: {parts}."))
    significant_lines.sort(key=lambda line: -line[0])
    sentences = [line for _, line in significant_lines[:MAX_SENTENCES]]
    n_more = len(significant_lines) - MAX_SENTENCES
    if n_more > 0:
        show = "comparison shows" if n_more == 1 else "comparisons show"
        sentences.append(f"{n_more} more {show} a difference (see the table of differences).")
    n_untested = int((groups["se"].count() == 0).sum())
    if n_untested:
        sentences.append(
            f"Too few deals to test {_count_comparisons(n_untested, len(groups))}. Play "
            f"{ENOUGH_DEALS:,} deals or {ENOUGH_MATCHES:,} matches."
        )
    n_inconclusive = len(groups) - len(significant_lines) - n_untested
    if n_inconclusive:
        subject = _count_comparisons(n_inconclusive, len(groups))
        level = "5 % level, Holm-adjusted"
        sentences.append(f"No significant difference in {subject} ({level}).")
    return sentences


def _count_comparisons(n: int, n_total: int) -> str:
    return f"{n} of {n_total} comparisons" if n_total > 1 else "the only comparison"


def is_significant(row: Any) -> bool:
    """Return True if a row of differences is significant.

    The criterion is Holm's adjusted p-value, or the interval if the run had a stopping rule.
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
    *,
    separator: str = " compared with ",
    against: str = "against",
) -> str:
    """Return the name of a comparison, with the shared values in parentheses."""
    shared = [f"{against} {opponent}"] if opponent else []
    if variant != base_variant:
        return f"{variant}{separator}{base_variant} ({' '.join([strategy, *shared])})"
    context = f"({', '.join([variant, *shared])})"
    if strategy != base_strategy:
        return f"{strategy}{separator}{base_strategy} {context}"
    return f"{strategy} {context}"  # The two runs have the same strategy and variant.


def _reverse_difference(row: Any) -> Any:
    """Return the difference between the same strategies in reverse order."""
    return {**row, "value": -row["value"], "low": -row["high"], "high": -row["low"]}


def _format_difference(row: Any) -> str:
    """Format a difference, as in `+19.9 ± 1.7 percentage points in matches won`."""
    metric = METRICS_BY_NAME[row["metric"]]
    amount = numbers.format_estimate(row["value"], row["low"], row["high"], metric.display_factor)
    sign = "+" if row["value"] > 0 else ""
    return f"{sign}{amount} {DIFFERENCE_UNITS[metric.name]}"
