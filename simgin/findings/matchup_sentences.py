"""Who wins the matchups of a run, and by how much; what a player of one reaches.

Where there are many matchups only the best and the worst are named, with how many there were: the
best of many, chosen and measured on the same deals, looks better than it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simgin.findings.wording import MOST, Limits, counted, listed, percent, side, size
from simgin.report import numbers
from simgin.stats import table
from simgin.stats.metrics import BY_NAME

if TYPE_CHECKING:
    import pandas as pd

Group = Sequence[tuple[str, "pd.DataFrame"]]  # strategies, and the rows of their matchups

FEWEST_VALUES = 3  # of one strategy, among which a best one is named
POINTS = "points a deal"
PENALTIES = "penalty points a deal"
# Verdicts by who is significantly ahead: 1 for A, -1 for B, 0 for neither
BY_POINTS = {
    1: "{a} beats {b} by {size} points a deal",
    -1: "{a} loses to {b} by {size} points a deal",
    0: "no significant difference between {a} and {b}: {points} points a deal ({a} minus {b})",
}
BY_MATCHES = {
    1: "{a} beats {b}: it wins {won} of matches.",
    -1: "{a} loses to {b}: it wins {won} of matches.",
    0: "no significant difference between {a} and {b}: {a} wins {won} of matches.",
}
GAINS = {
    1: "gains {size} points a deal",
    -1: "loses {size} points a deal",
    0: "neither gains nor loses for certain ({points} points a deal)",
}


def matchups(frame: pd.DataFrame) -> list[str]:
    """Who wins every matchup of a tidy frame, and by how much.

    Of more than MOST matchups only the best and the worst against one opponent. Of several values
    of one strategy, first the best.
    """
    groups: dict[tuple[str, str], list[tuple[str, pd.DataFrame]]] = {}
    count = 0
    for (variant, a, b), rows in table.matchups(frame):
        if a == b:
            continue  # a strategy that plays itself wins one half
        group = groups.setdefault((variant, b), [])
        group.append((a, rows))
        count += 1
    sentences = []
    for (variant, b), group in groups.items():
        if count > MOST:
            sentence = _best_and_worst(b, group)
            sentences.append(f"{variant}: {sentence}")
            continue
        bases = {a.partition(":")[0] for a, _ in group}
        if b and len(bases) == 1 and len(group) >= FEWEST_VALUES:
            sentences.append(f"{variant}: {_best_value(b, group)}")
        for a, rows in group:
            sentence = _matchup(a, b, rows)
            sentences.append(f"{variant}: {sentence}")
    return sentences


def _best_value(b: str, group: Group) -> str:
    """`of 4 values, x:k=3 did best against b: 3.62 ± 0.28 points a deal; then came x: ...`."""
    metric, unit = "match_win", " % of matches won"
    if any(_is_unknown(rows, metric) for _, rows in group):
        metric, unit = "margin", f" {POINTS}"
    if any(_is_unknown(rows, metric) for _, rows in group):
        return f"too few deals to say which of {len(group)} values does best against {b}."
    told = {}
    for a, rows in sorted(group, key=lambda one: -table.cell(one[1], metric)[0]):
        told[a] = numbers.estimate(*table.cell(rows, metric), BY_NAME[metric].factor) + unit
    best, second, *_ = told
    return (
        f"of {len(group)} values, {best} did best against {b}: {told[best]}; then came "
        f"{second}: {told[second]}."
    )


def _matchup(a: str, b: str, rows: pd.DataFrame) -> str:
    if not b:
        return _solo(a, rows)
    if _is_unknown(rows, "margin"):
        return f"too few deals to compare {a} and {b}."
    if _is_unknown(rows, "match_win"):
        return _by_points(a, b, rows)
    return _by_matches(a, b, rows)


def _by_points(a: str, b: str, rows: pd.DataFrame) -> str:
    """Who wins single deals."""
    margin = table.cell(rows, "margin")
    ahead = side(margin, 0.0)
    verdict = BY_POINTS[ahead].format(a=a, b=b, size=size(margin), points=numbers.estimate(*margin))
    own = percent(rows, "deal_win")
    other = percent(rows, "deal_loss")
    return f"{verdict}; {a} wins {own} of deals, {b} {other}."


def _by_matches(a: str, b: str, rows: pd.DataFrame) -> str:
    """Who wins matches, and what it makes of deals, which may look otherwise."""
    share = table.cell(rows, "match_win")
    margin = table.cell(rows, "margin")
    ahead = side(share, 0.5)
    gains = side(margin, 0.0)
    verdict = BY_MATCHES[ahead].format(a=a, b=b, won=percent(rows, "match_win"))
    subject = "It"
    if ahead * gains < 0:
        subject = "Even so, it"
    deals = _deals(b, rows, gains)
    return f"{verdict} {subject} {deals}."


def _deals(b: str, rows: pd.DataFrame, gains: int) -> str:
    """`gains 2.91 ± 0.05 points a deal, but wins 41.4 ± 0.1 % of deals (simple 58.3 ± 0.1 %)`."""
    margin = table.cell(rows, "margin")
    points = GAINS[gains].format(size=size(margin), points=numbers.estimate(*margin))
    own = percent(rows, "deal_win")
    other = percent(rows, "deal_loss")
    joint = " and"
    if gains * _more_deals(rows) < 0:
        joint = ", but"
    return f"{points}{joint} wins {own} of deals ({b} {other})"


def _more_deals(rows: pd.DataFrame) -> float:
    """The share of deals won less that of deals lost."""
    won, *_ = table.cell(rows, "deal_win")
    lost, *_ = table.cell(rows, "deal_loss")
    return won - lost


def _solo(a: str, rows: pd.DataFrame) -> str:
    """The goal or the matches where they were played, then the deals."""
    parts = []
    if not _is_unknown(rows, "goal_met"):
        share = percent(rows, "goal_met")
        parts.append(f"meets the goal in {share} of matches")
    elif not _is_unknown(rows, "match_win"):
        share = percent(rows, "match_win")
        parts.append(f"wins {share} of matches")
    win, *_ = table.cell(rows, "win")
    if win > 0 and not _counts_penalties(rows):
        share = percent(rows, "win")
        parts.append(f"wins {share} of deals")
    gin, *_ = table.cell(rows, "gin")
    if gin > 0:
        share = percent(rows, "gin")
        parts.append(f"goes gin in {share} of deals")
    if not _is_unknown(rows, "score"):
        points = numbers.estimate(*table.cell(rows, "score"))
        scored = f"scores {points} {POINTS}"
        if _counts_penalties(rows):
            scored = f"takes {points} {PENALTIES}"
        parts.append(scored)
    if not parts:
        return f"too few deals to judge {a}."
    return f"{a} {listed(parts)}."


def _counts_penalties(rows: pd.DataFrame) -> bool:
    """Whether a deal costs points: where it may end by the last permitted draw."""
    limit, *_ = table.cell(rows, "limit")
    return limit > 0


def _is_unknown(rows: pd.DataFrame, metric: str) -> bool:
    value, *_ = table.cell(rows, metric)
    return math.isnan(value)


def _best_and_worst(b: str, group: Group) -> str:
    """The best and the worst of several strategies against one opponent, or alone."""
    metric, unit = _ranking_metric(b, [rows for _, rows in group])
    factor = BY_NAME[metric].factor
    known = []
    for a, rows in group:
        limits = table.cell(rows, metric)
        value, *_ = limits
        if math.isnan(value):
            continue
        text = numbers.estimate(*limits, factor)
        known.append((limits, a, f"{text} {unit}"))
    if not known:
        return "too few deals for a finding."
    fewest_first = unit == PENALTIES
    known.sort(key=lambda row: row[0][0], reverse=not fewest_first)
    best_limits, best, best_text = known[0]
    against = f" against {b}" if b else ""
    if len(known) == 1:
        return f"{best} has {best_text}{against}."
    near = []
    for limits, a, _ in known[1:]:
        if _overlap(limits, best_limits):
            near.append(a)
    overlap = f"; its interval overlaps {_possessive(near)}" if near else ""
    _, worst, worst_text = known[-1]
    return (
        f"of {len(known)} strategies{against}, {best} does best with {best_text}{overlap}; "
        f"{worst} does worst with {worst_text}."
    )


def _overlap(limits: Limits, others: Limits) -> bool:
    """Whether two intervals have a value in common."""
    _, low, high = limits
    _, other_low, other_high = others
    return low <= other_high and other_low <= high


def _possessive(names: Sequence[str]) -> str:
    pronoun = "that" if len(names) == 1 else "those"
    return f"{pronoun} of {counted(names)}"


def _ranking_metric(b: str, rows: Sequence[pd.DataFrame]) -> tuple[str, str]:
    """The metric that puts several strategies in order, and what its number is of."""
    two = (("match_win", "% of matches won"), ("margin", POINTS))
    solo = (
        ("goal_met", "% of matches with the goal met"),
        ("match_win", "% of matches won"),
        ("win", "% of deals won"),
    )
    candidates = two if b else solo
    for metric, unit in candidates:
        values = [table.cell(matchup, metric)[0] for matchup in rows]
        if any(abs(value) > 0 for value in values):
            return metric, unit
    if b:
        return "margin", POINTS
    return "score", PENALTIES if any(map(_counts_penalties, rows)) else POINTS
