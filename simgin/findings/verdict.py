"""Sentences about the results of a run: the answer first, every value with its interval.

If there are many matchups, simgin names only the best and the worst and counts the others. The best
of many, chosen and measured on the same deals, looks better than it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.report import numbers
from simgin.stats import table
from simgin.stats.differences import holm
from simgin.stats.estimate import ALPHA, Z95
from simgin.stats.metrics import BY_NAME
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.core.cell import Cell
    from simgin.findings.findings import Findings
    from simgin.stats.round_robin import Triads
    from simgin.stats.table import ByMetric, Rows, Tidy

Limits = tuple[float, float, float]  # value, low, high
Pair = tuple[str, str]  # two strategies
Meeting = tuple[Limits, int]  # win rate of the first strategy, and its side (`compare_family`)
Group = Sequence[tuple[str, "ByMetric"]]  # strategies with the estimates of their matchups

MOST = 6  # sentences per subject and names per sentence; the others are counted
FEWEST_VALUES = 3  # parameter values of a strategy from which the best one is named
SMALLEST_P = 1e-4  # smaller p-values are printed as "under"
COMPARED = ["variant", "base_variant", "strategy", "base_strategy", "opponent"]
# Quantity that a comparison finds more or less of, by metric
COUNTED = {
    "deal_win": "of the deals won",
    "match_win": "of the matches won",
    "win": "of the deals won",
    "margin": "points a deal",
    "score": "points a deal",
    "turns": "turns a deal",
    "gin": "of the deals ended by gin",
    "undercut": "of the deals ended by an undercut",
    "void": "of the deals dead hands",
}
# By side: 1 if A is significantly ahead, -1 if B is, 0 if neither is
BEATS = {1: "{a} beats {b}", -1: "{a} loses to {b}", 0: "too close to call between {a} and {b}"}
# Metrics that rank several strategies, of which the first known one is used: in solitaire games
# (False) and against an opponent (True)
DECISIVE = {
    False: (
        ("goal_met", "% of matches with the goal met"),
        ("match_win", "% of matches won"),
        ("win", "% of deals won"),
        ("score", "points a deal"),
    ),
    True: (("match_win", "% of matches won"), ("margin", "points a deal")),
}


def verdict(findings: Findings) -> list[str]:
    """Return all sentences about a run, the most important first.

    Sentences name their variant only if the run has several.
    """
    sentences = [*_sentences(findings)] or [_nothing_found(findings)]
    if len({cell.variant for cell in findings.cells}) > 1:
        return sentences
    return [_without_variant(sentence, findings) for sentence in sentences]


def _sentences(findings: Findings) -> Iterator[str]:
    """Yield the sentences on every subject of the run.

    DataFrames are computed only for subjects that need them. A single match needs none, which saves
    the import of pandas.
    """
    record = findings.record
    if findings.round_robins:
        frames = findings.standings, findings.cross, findings.triads
        yield from leagues(*frames, UNITS[record.unit])
    yield from alike(findings.alike)
    yield from identical(findings.identical)
    if record.effects:
        yield from effects(findings.effects)
    yield from matchups(_not_told(findings))
    if record.contrasts:
        yield from differences(findings.differences)
    yield from findings.ended


def _not_told(findings: Findings) -> Rows:
    """Return the rows of matchups outside any league whose strategies play differently."""
    identical = {(cell.variant, frozenset(cell.players)) for cell in findings.identical}
    return [
        row
        for row in findings.estimates
        if row["variant"] not in findings.round_robins
        and (row["variant"], frozenset((row["strategy"], row["opponent"]))) not in identical
    ]


def _without_variant(sentence: str, findings: Findings) -> str:
    """Return a sentence without its variant, capitalised except for strategy names."""
    variant = findings.cells[0].variant
    short = sentence.removeprefix(f"{variant}: ")
    short = short.replace(f" ({variant}, ", " (").replace(f" ({variant})", "")
    is_name = short.startswith(tuple(findings.record.identity["strategies"]))
    return short if is_name else short[:1].upper() + short[1:]


def _nothing_found(findings: Findings) -> str:
    """Return the reason why there are no other sentences."""
    cell, *others = findings.cells
    if others or cell.a != cell.b:
        return "Too few deals for any finding: play more."
    _, rows = next(table.matchups(findings.estimates))
    share = percent(rows, "first_player_win")
    return f"{cell.a} plays itself; the nondealer wins {share} of decided deals."


# Values and lists


def side(limits: Limits, even: float) -> int:
    """Return 1 above `reference`, -1 below, and 0 if the interval includes it or is undefined."""
    value, low, high = limits
    if math.isnan(low + high) or low <= even <= high:
        return 0
    return 1 if value > even else -1


def sides(family: Sequence[Limits], even: float) -> list[int]:
    """Return the side of every estimate, 0 if it is not significant after Holm's adjustment.

    The estimates are one family, tested at the 5 % level.
    """
    adjusted = holm(np.array([_p(limits, even) for limits in family], float))
    return [
        side(limits, even) if p < ALPHA else 0 for limits, p in zip(family, adjusted, strict=True)
    ]


def _p(limits: Limits, even: float) -> float:
    """Compute the two-sided p-value of an estimate against `reference` from its interval.

    The p-value therefore takes account of the sample size, the skewness of a proportion and a
    stopping rule: a confidence sequence at a smaller level is narrower than a normal interval
    widened by the same factor.
    """
    value, low, high = limits
    half = value - low if value > even else high - value
    if math.isnan(half):
        return math.nan
    distance = abs(value - even)
    return math.erfc(Z95 / math.sqrt(2) * distance / half) if half else float(not distance)


def size(limits: Limits, factor: int = 1) -> str:
    """Format an estimate without its sign, for sentences that state the direction in words."""
    value, low, high = limits
    if value > 0:
        return numbers.estimate(value, low, high, factor)
    return numbers.estimate(-value, -high, -low, factor)


def ranged(row: Any, name: str, factor: int = 1) -> str:
    """Format an estimate of a row with its interval from the adjacent columns."""
    return numbers.estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], factor)


def percent(rows: ByMetric, metric: str) -> str:
    """Format a proportion with its interval in %."""
    return f"{numbers.estimate(*table.cell(rows, metric), 100)} %"


def listed(parts: Sequence[str]) -> str:
    """Return the parts as a list in words: `a, b and c`."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def counted(names: Sequence[str]) -> str:
    """Return the first names in words, with the number of further names."""
    if len(names) <= MOST:
        return listed(names)
    return f"{', '.join(names[: MOST - 1])} and {len(names) - MOST + 1} more"


# Leagues


def leagues(
    standings: pd.DataFrame, cross: pd.DataFrame, triads: Mapping[str, Triads], unit: str
) -> Iterator[str]:
    """Yield the leader of every league, the undecided pairs, and the cyclic triads.

    All pairs of all leagues are one family for Holm's adjustment.
    """
    tables = {str(name): rows for name, rows in standings.groupby("variant", sort=False)}
    pairs = _pairs(tables, cross)
    for variant, rows in tables.items():
        lines = [*_league(rows, pairs[variant], unit)]
        if rows["elo"].notna().all():
            lines.append(circles(triads[variant]))
        yield from [f"{variant}: {line}" for line in lines if line]


def _pairs(
    tables: Mapping[str, pd.DataFrame], cross: pd.DataFrame
) -> dict[str, dict[Pair, Meeting]]:
    """Return estimate and side of every pair by variant, in the order of the standings."""
    limits_of = {
        (row["variant"], row["strategy"], row["opponent"]): (row["share"], row["low"], row["high"])
        for row in cross.to_dict("records")
    }
    found = [
        (variant, a, b)
        for variant, rows in tables.items()
        for a, b in itertools.combinations(rows["strategy"], 2)
    ]
    won = [limits_of[pair] for pair in found]
    pairs: dict[str, dict[Pair, Meeting]] = {}
    for (variant, a, b), limits, way in zip(found, won, sides(won, 0.5), strict=True):
        pairs.setdefault(variant, {})[a, b] = limits, way
    return pairs


def _league(rows: pd.DataFrame, pairs: Mapping[Pair, Meeting], unit: str) -> Iterator[str]:
    """Yield sentences about the leader and about the undecided pairs of a league.

    Args:
        rows: Standings of the league.
        pairs: Estimate and side of every pair, in the order of the standings.
        unit: "deals" or "matches".
    """
    if math.isnan(rows["elo"].iloc[0]):
        yield f"too few {unit} to rate these {len(rows)} strategies."
        return
    (leader, second, *_), (_, runner_up, *_) = list(rows["strategy"]), rows.to_dict("records")
    limits, way = pairs[leader, second]
    does = {1: "It beats", -1: "Even so, it loses to", 0: "Too close to call between it and"}
    won = f"it wins {numbers.estimate(*limits, 100)} % of {unit}"
    last = rows.iloc[-1]
    yield (
        f"{leader} leads the league of {len(rows)} by {unit} won ({_elo(rows.iloc[0])}). "
        f"{does[way]} the second, {second} ({_elo(runner_up)}): {won}. "
        f"Last is {last['strategy']} ({_elo(last)})."
    )
    if rows["match_win"].isna().all():
        yield "matches may rank them otherwise; matches = 5000 plays some."
    if rows["mix"].notna().all():
        yield mix(rows)
    level = [f"{a} and {b}" for (a, b), (_, way) in pairs.items() if not way]
    if level:
        more = [f"{len(level) - MOST} more"] * (len(level) > MOST)
        names = "; ".join([*level[:MOST], *more])
        yield f"too close to call in {len(level)} of {len(pairs)} pairs: {names}."
    else:
        yield f"all {len(pairs)} pairs differ significantly in {unit} won."


def mix(rows: pd.DataFrame) -> str:
    """Return a sentence with the equilibrium mix, in order of decreasing weight."""
    ranked = rows[rows["mix"] > 0].sort_values("mix", ascending=False, kind="stable")
    parts = [f"{row['strategy']}, {ranged(row, 'mix', 100)} %" for _, row in ranked.iterrows()]
    if len(parts) == 1:
        alone = ranked["strategy"].iloc[0]
        return f"nobody here was measured ahead of {alone}: the equilibrium mix is {alone} alone."
    return f"nobody is ahead of the equilibrium mix: {'; '.join(parts)}."


def circles(triads: Triads) -> str:
    """Return a sentence about cyclic triads, with the most significant one."""
    if not triads.examined:
        return ""
    sure = len(triads.sure)
    which = f"{sure or 'none'} of {triads.examined:,} triads go{'es' * (sure < 2)}"
    if triads.examined == 1:
        which = f"the only triad {'goes' if sure else 'does not go'}"
    if triads.circles.empty:
        return f"{which} round in a circle."
    clearest = triads.circles.iloc[0]
    path = " over ".join(clearest[name] for name in ("first", "second", "third", "first"))
    p = clearest["p_holm"]
    p_text = f"under {SMALLEST_P:g}" if p < SMALLEST_P else f"{p:.2g}"
    return (
        f"{which} round in a circle beyond chance; the clearest, {path}, has "
        f"{100 * clearest['share']:.1f} % in its closest pair, {clearest['excess']:.1f} standard "
        f"errors above even (p {p_text} after Holm's adjustment)."
    )


def _elo(row: Any) -> str:
    """Format the Elo rating of a row with its interval."""
    if row["elo"] == row["elo_low"] == row["elo_high"] == 0:
        return "Elo 0, the anchor"
    return f"Elo {ranged(row, 'elo')}"


def alike(groups: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    """Yield a sentence for every group of strategies with equal results in a round robin."""
    for variant, found in groups.items():
        for names in found:
            times = "twice" if len(names) == 2 else f"{len(names)} times"
            yield (
                f"{variant}: {listed(names)} play alike: each has the same results against all "
                f"others, so the league counts one player {times}. Leave out all but one."
            )


def identical(cells: Sequence[Cell]) -> list[str]:
    """Return a sentence for every matchup of two strategies that play identically."""
    return [
        f"{cell.variant}: {cell.a} and {cell.b} play identically: every deal ended alike, whoever "
        "held which hand."
        for cell in cells
    ]


# Matchups


def matchups(tidy: Tidy) -> list[str]:
    """Return sentences with the winner of every matchup and the size of the difference.

    Of more than MAX_SENTENCES matchups, only the best and the worst against an opponent are named.
    If a group contains several values of a parameter of one strategy, the best one is named first.
    All matchups are one family for Holm's adjustment, separately by matches and by points.
    """
    groups: dict[tuple[str, str], list[tuple[str, ByMetric]]] = {}
    # Strategies that play themselves are omitted, because they always win one half
    every = [(names, rows) for names, rows in table.matchups(tidy) if names[1] != names[2]]
    for (variant, a, b), rows in every:
        groups.setdefault((variant, b), []).append((a, rows))
    ahead, gains = (
        sides([table.cell(rows, metric) for _, rows in every], even)
        for metric, even in (("match_win", 0.5), ("margin", 0))
    )
    ways = {names: way for (names, _), *way in zip(every, ahead, gains, strict=True)}
    is_long = sum(map(len, groups.values())) > MOST
    sentences = []
    for (variant, b), group in groups.items():
        bases = {a.partition(":")[0] for a, _ in group}
        if is_long or (b and len(bases) == 1 and len(group) >= FEWEST_VALUES):
            what = "strategies" if is_long else "values"
            sentences.append(f"{variant}: {_best_and_worst(b, group, what)}")
        if not is_long:
            for a, rows in group:
                said = _matchup(a, b, rows, *ways[variant, a, b]) if b else _solo(a, rows)
                sentences.append(f"{variant}: {said}")
    return sentences


def _matchup(a: str, b: str, rows: ByMetric, ahead: int, gains: int) -> str:
    """Return a sentence with the winner by matches, or else by deals, and any contrary result.

    Args:
        a: Strategy A.
        b: Strategy B.
        rows: Estimates by metric.
        ahead: Result of `compare_family` for matches won.
        gains: Result of `compare_family` for points.
    """
    margin, share = table.cell(rows, "margin"), table.cell(rows, "match_win")
    if math.isnan(margin[0]):
        return f"too few deals to compare {a} and {b}."
    won = f"{percent(rows, 'deal_win')} of deals ({b} {percent(rows, 'deal_loss')})"
    if math.isnan(share[0]):
        won += f", {numbers.estimate(*margin)} points a deal"
        return f"{_beats(a, b, gains, margin, 0)} wins {won}."
    said = f"{_beats(a, b, ahead, share, 0.5)} wins {percent(rows, 'match_win')} of matches."
    if ahead * gains < 0:
        does = "gains" if gains > 0 else "loses"
        return f"{said} Even so, it {does} {size(margin)} points a deal and wins {won}."
    return said


def _beats(a: str, b: str, way: int, limits: Limits, even: float) -> str:
    """Return the start of a sentence, `a beats b: it`, or why neither player does.

    The interval of a single matchup can exclude `reference` although the adjusted test does not.
    """
    adjusted = " after Holm's adjustment" * (way != side(limits, even))
    return f"{BEATS[way].format(a=a, b=b)}{adjusted}: {'it' if way else a}"


def _solo(a: str, rows: ByMetric) -> str:
    """Return a sentence with the goal or matches if they were played, and the deals."""
    takes = _counts_penalties(rows)
    said = {
        "goal_met": f"meets the goal in {percent(rows, 'goal_met')} of matches",
        "match_win": f"wins {percent(rows, 'match_win')} of matches",
        "win": f"wins {percent(rows, 'win')} of deals",
        "gin": f"goes gin in {percent(rows, 'gin')} of deals",
    }
    known = {name for name in said if not math.isnan(table.cell(rows, name)[0])}
    known -= {"match_win"} if "goal_met" in known else set()
    known -= {name for name in ("win", "gin") if not table.cell(rows, name)[0] > 0}
    known -= {"win"} if takes else set()
    parts = [text for name, text in said.items() if name in known]
    score = table.cell(rows, "score")
    if not math.isnan(score[0]):
        does, kind = ("takes", "penalty points") if takes else ("scores", "points")
        parts.append(f"{does} {numbers.estimate(*score)} {kind} a deal")
    return f"{a} {listed(parts)}." if parts else f"too few deals to judge {a}."


def _counts_penalties(rows: ByMetric) -> bool:
    """Return True if deals score penalty points, that is, if the draw limit can end them."""
    return table.cell(rows, "limit")[0] > 0


def _best_and_worst(b: str, group: Group, what: str) -> str:
    """Return a sentence about the best and the worst of several strategies."""
    every = DECISIVE[bool(b)]
    told_by = [
        one for one in every if any(abs(table.cell(rows, one[0])[0]) > 0 for _, rows in group)
    ]
    metric, unit = [*told_by, every[-1]][0]
    few_is_good = metric == "score" and any(_counts_penalties(rows) for _, rows in group)
    unit = "penalty points a deal" if few_is_good else unit
    cells = [(table.cell(rows, metric), a) for a, rows in group]
    known = sorted([one for one in cells if not math.isnan(one[0][0])], reverse=not few_is_good)
    if not known:
        return "too few deals for a finding."
    told = [f"{numbers.estimate(*limits, BY_NAME[metric].factor)} {unit}" for limits, _ in known]
    against = f" against {b}" if b else ""
    ((_, low, high), best), *others = known
    if not others:
        return f"{best} has {told[0]}{against}."
    near = [a for limits, a in others if limits[1] <= high and low <= limits[2]]
    pronoun = "that" if len(near) == 1 else "those"
    overlap = f"; its interval overlaps {pronoun} of {counted(near)}" if near else ""
    return (
        f"of {len(known)} {what}{against}, {best} does best with {told[0]}{overlap}; "
        f"{known[-1][1]} does worst with {told[-1]}."
    )


# Changes of strategies and of rules


def effects(frame: pd.DataFrame) -> Iterator[str]:
    """Yield sentences about the changes that gain or lose points, grouped by their results."""
    points = frame[frame["metric"] == "margin"]
    for variant, rows in points.groupby("variant", sort=False):
        by_verdict: dict[str, list[str]] = {}
        for change, group in rows.groupby("change", sort=False):
            by_verdict.setdefault(_over_fields(group), []).append(str(change))
        for said, changes in by_verdict.items():
            yield f"{variant}: {said} {counted(changes)}."


def _over_fields(rows: pd.DataFrame) -> str:
    """Return the start of a sentence on the results of a change in all fields."""
    signs = {
        math.copysign(1, row["difference"]) if is_significant(row) else 0
        for _, row in rows.iterrows()
    }
    if signs == {0}:
        return "too close to call in every field:"
    if {-1, 1} <= signs:
        return "points are gained in some fields and lost in others by"
    does, other = ("gained", "lost") if 1 in signs else ("lost", "gained")
    if 0 in signs:
        return f"points are {does} in some fields, and {other} for certain in none, by"
    return f"points are {does} in every field by"


def differences(frame: pd.DataFrame) -> list[str]:
    """Return sentences about the significant differences of every comparison, largest first.

    Comparisons without a significant difference are counted.
    """
    clear: list[tuple[float, str]] = []
    groups = frame.groupby(COMPARED, sort=False)
    for names, rows in groups:
        significant = [row for _, row in rows.iterrows() if is_significant(row)]
        if significant:
            largest = max(abs(row["difference"]) / row["se"] for row in significant)
            parts = "; ".join(map(_difference, significant))
            clear.append((largest, f"{compared(*map(str, names))}: {parts}."))
    clear.sort(key=lambda line: -line[0])
    sentences = [line for _, line in clear[:MOST]]
    more = len(clear) - MOST
    if more > 0:
        show = "comparison shows" if more == 1 else "comparisons show"
        sentences.append(f"{more} more {show} a difference: see the table of differences.")
    silent = len(groups) - len(clear)
    if silent:
        which = f"{silent} of {len(groups)} comparisons"
        which = which if len(groups) > 1 else "the only comparison"
        level = "5 % level, after Holm's adjustment"
        sentences.append(f"No significant difference in {which} ({level}).")
    return sentences


def is_significant(row: Any) -> bool:
    """Return True if a row of differences is significant.

    The criterion is Holm's adjusted p-value, or the interval if the run had a stopping rule.
    """
    if not row["se"] > 0:
        return False
    if math.isnan(row["p"]):
        return bool(row["low"] > 0 or row["high"] < 0)
    return bool(row["p_holm"] < ALPHA)


def compared(
    variant: str,
    base_variant: str,
    strategy: str,
    base_strategy: str,
    opponent: str,
    *,
    less: str = " instead of ",
    against: str = "against",
) -> str:
    """Return the name of a comparison: the values that differ, and the others in parentheses."""
    rest = [f"{against} {opponent}"] if opponent else []
    if variant != base_variant:
        return f"{variant}{less}{base_variant} ({' '.join([strategy, *rest])})"
    told = f"({', '.join([variant, *rest])})"
    if strategy != base_strategy:
        return f"{strategy}{less}{base_strategy} {told}"
    return f"{strategy} {told}"  # the same strategy and variant in two runs


def _difference(row: Any) -> str:
    """Format a difference: `19.9 ± 1.7 percentage points more of the matches won`."""
    metric = BY_NAME[row["metric"]]
    amount = size((row["difference"], row["low"], row["high"]), metric.factor)
    points = " percentage points" if metric.share else ""
    more = "more" if row["difference"] > 0 else "fewer"
    return f"{amount}{points} {more} {COUNTED[metric.name]}"
