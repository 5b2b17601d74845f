"""What a run says, in sentences: who wins and by how much, and what differs significantly.

Every figure has its interval, and stands in a table below. Where there are many matchups only the
best and the worst are named, with how many there were: the best of many, chosen and measured on the
same deals, looks better than it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simgin.report import numbers
from simgin.stats import table
from simgin.stats.metrics import BY_NAME
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.core.cell import Cell
    from simgin.findings.findings import Findings
    from simgin.stats.round_robin.non_additivity import NonAdditivity
    from simgin.stats.round_robin.triads import Triads

MOST = 6  # sentences of a kind; the rest are counted
SURE = 0.05  # level of tests
SMALLEST_P = 1e-4  # a smaller one is not printed
NON_ADDITIVITY = (
    "Some pairs are further apart, or closer, than their ratings say, because some players suit or "
    "do not suit each other; that takes no circle."
)

Limits = tuple[float, float, float]  # value, low, high
Group = Sequence[tuple[str, "pd.DataFrame"]]  # strategies, and the rows of their matchups


def run_sentences(findings: Findings) -> list[str]:
    """Everything that a run says, the most important first."""
    rated = set(findings.standings["variant"])
    is_rated = findings.table["variant"].isin(rated)
    others = findings.table[~is_rated]
    for cell in findings.identical:
        is_variant = others["variant"] == cell.variant
        is_one = others["strategy"].isin(cell.players)
        is_other = others["opponent"].isin(cell.players)
        is_cell = is_variant & is_one & is_other
        others = others[~is_cell]
    unit = UNITS[findings.record.unit]
    sentences = [
        *leagues(
            findings.standings,
            findings.cross,
            findings.non_additivity,
            findings.triads,
            unit,
        ),
        *alike(findings.alike),
        *identical(findings.identical),
        *effects(findings.effects),
        *matchups(others),
        *differences(findings.differences),
        *findings.ended,
    ]
    return sentences or [_nothing_found(findings)]


def _nothing_found(findings: Findings) -> str:
    """Why there is nothing to say."""
    cell, *others = findings.cells
    if others or cell.a != cell.b:
        return "Too few deals for any finding: play more."
    _, rows = next(table.matchups(findings.table))
    share = _percent(rows, "first_player_win")
    return f"{cell.a} plays itself; the nondealer wins {share} of decided deals."


def matchups(frame: pd.DataFrame) -> list[str]:
    """Who wins every matchup of a tidy frame, and by how much.

    Of more than MOST matchups only the best and the worst against one opponent.
    """
    groups: dict[tuple[str, str], list[tuple[str, pd.DataFrame]]] = {}
    count = 0
    for (variant, a, b), rows in table.matchups(frame):
        if a == b:
            continue  # a strategy that plays itself wins one half
        opponent = (variant, b)
        group = groups.setdefault(opponent, [])
        group.append((a, rows))
        count += 1
    sentences = []
    for (variant, b), group in groups.items():
        if count > MOST:
            sentence = _best_and_worst(b, group)
            sentences.append(f"{variant}: {sentence}")
            continue
        for a, rows in group:
            sentence = _matchup(a, b, rows)
            sentences.append(f"{variant}: {sentence}")
    return sentences


def _matchup(a: str, b: str, rows: pd.DataFrame) -> str:
    if not b:
        return _solo(a, rows)
    if _is_unknown(rows, "margin"):
        return f"too few deals to compare {a} and {b}."
    own = _percent(rows, "deal_win")
    other = _percent(rows, "deal_loss")
    if _is_unknown(rows, "match_win"):
        verdict = _points_verdict(a, b, rows)
        return f"{verdict}; {a} wins {own} of deals, {b} {other}."
    verdict = _match_verdict(a, b, rows)
    points = _points(rows)
    return f"{verdict} It {points} and wins {own} of deals ({b} {other})."


def _match_verdict(a: str, b: str, rows: pd.DataFrame) -> str:
    won = _percent(rows, "match_win")
    limits = table.cell(rows, "match_win")
    side = _side(limits, 0.5)
    if side == 0:
        return f"no significant difference between {a} and {b}: {a} wins {won} of matches."
    verb = "beats" if side > 0 else "loses to"
    return f"{a} {verb} {b}: it wins {won} of matches."


def _points_verdict(a: str, b: str, rows: pd.DataFrame) -> str:
    margin = table.cell(rows, "margin")
    side = _side(margin, 0.0)
    if side == 0:
        points = numbers.estimate(*margin)
        return f"no significant difference between {a} and {b}: {points} points a deal"
    verb = "beats" if side > 0 else "loses to"
    size = _size(margin)
    return f"{a} {verb} {b} by {size} points a deal"


def _points(rows: pd.DataFrame) -> str:
    """What a strategy makes of a deal, where matches come first."""
    margin = table.cell(rows, "margin")
    side = _side(margin, 0.0)
    if side == 0:
        points = numbers.estimate(*margin)
        return f"is level on points ({points} a deal)"
    verb = "gains" if side > 0 else "loses"
    size = _size(margin)
    return f"{verb} {size} points a deal"


def _size(margin: Limits) -> str:
    """A margin without its sign."""
    positive = _positive(margin)
    return numbers.estimate(*positive)


def _solo(a: str, rows: pd.DataFrame) -> str:
    """The goal or the matches where they were played, then the deals."""
    parts = []
    if not _is_unknown(rows, "goal_met"):
        share = _percent(rows, "goal_met")
        parts.append(f"meets the goal in {share} of matches")
    elif not _is_unknown(rows, "match_win"):
        share = _percent(rows, "match_win")
        parts.append(f"wins {share} of matches")
    limit, *_ = table.cell(rows, "limit")
    win, *_ = table.cell(rows, "win")
    if limit == 0 and win > 0:
        share = _percent(rows, "win")
        parts.append(f"wins {share} of deals")
    gin, *_ = table.cell(rows, "gin")
    if gin > 0:
        share = _percent(rows, "gin")
        parts.append(f"goes gin in {share} of deals")
    if not _is_unknown(rows, "score"):
        score = table.cell(rows, "score")
        points = numbers.estimate(*score)
        parts.append(f"scores {points} a deal")
    if not parts:
        return f"too few deals to judge {a}."
    return f"{a} {_listed(parts)}."


def _is_unknown(rows: pd.DataFrame, metric: str) -> bool:
    value, *_ = table.cell(rows, metric)
    return math.isnan(value)


def _best_and_worst(b: str, group: Group) -> str:
    """The best and the worst of several strategies against one opponent, or alone."""
    frames = [rows for _, rows in group]
    metric, unit = _ranking_metric(b, frames)
    factor = BY_NAME[metric].factor
    known = []
    for a, rows in group:
        limits = table.cell(rows, metric)
        value, *_ = limits
        if math.isnan(value):
            continue
        text = numbers.estimate(*limits, factor)
        known.append((limits, a, text))
    if not known:
        return "too few deals for a finding."
    known.sort(key=lambda row: -row[0][0])
    best_limits, best, best_text = known[0]
    _, best_low, _ = best_limits
    against = f" against {b}" if b else ""
    if len(known) == 1:
        return f"{best} has {best_text} {unit}{against}."
    near = []
    for (_, _, high), a, _ in known[1:]:
        if high >= best_low:
            near.append(a)
    overlap = f"; its interval overlaps {_possessive(near)}" if near else ""
    _, worst, worst_text = known[-1]
    return (
        f"of {len(known)} strategies{against}, {best} does best with {best_text} {unit}{overlap}; "
        f"{worst} does worst with {worst_text}."
    )


def _possessive(names: Sequence[str]) -> str:
    pronoun = "that" if len(names) == 1 else "those"
    return f"{pronoun} of {_counted(names)}"


def _ranking_metric(b: str, rows: Sequence[pd.DataFrame]) -> tuple[str, str]:
    """The metric that puts several strategies in order, and what its number is of."""
    two = (("match_win", "% of matches won"), ("margin", "points a deal"))
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
    points = "margin" if b else "score"
    return points, "points a deal"


def leagues(
    standings: pd.DataFrame,
    cross: pd.DataFrame,
    fits: Mapping[str, NonAdditivity],
    triads: Mapping[str, Triads],
    unit: str,
) -> list[str]:
    """Who leads every league, how far ratings say who beats whom, and which pairs are level."""
    sentences = []
    for name, rows in standings.groupby("variant", sort=False):
        variant = str(name)
        is_own = cross["variant"] == variant
        met = cross[is_own]
        for line in _league(rows, met, unit):
            sentences.append(f"{variant}: {line}")
        if math.isnan(rows["elo"].iloc[0]):
            continue
        for line in (_fit(fits[variant]), circles(triads[variant])):
            if line:
                sentences.append(f"{variant}: {line}")
    return sentences


def alike(groups: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Which strategies of a round robin are one player under several names."""
    sentences = []
    for variant, found in groups.items():
        for names in found:
            sentences.append(
                f"{variant}: {_listed(names)} play alike: each has the same results against all "
                f"others, so the league counts one player {len(names)} times. Leave out all but "
                "one."
            )
    return sentences


def identical(cells: Sequence[Cell]) -> list[str]:
    """Which matchups are a strategy against itself under another name."""
    sentences = []
    for cell in cells:
        sentences.append(
            f"{cell.variant}: {cell.a} and {cell.b} play identically: every deal ended alike, "
            "whoever held which hand."
        )
    return sentences


def _league(rows: pd.DataFrame, cross: pd.DataFrame, unit: str) -> Iterator[str]:
    first = rows.iloc[0]
    last = rows.iloc[-1]
    if math.isnan(first["elo"]):
        yield f"too few {unit} to rate these {len(rows)} strategies."
        return
    order = [str(name) for name in rows["strategy"]]
    shares = {}
    for _, row in cross.iterrows():
        pair = row["strategy"], row["opponent"]
        shares[pair] = row
    leader = order[0]
    runner_up = order[1]
    won = _won(first)
    second = _against_second(
        name=runner_up,
        rated=rows.iloc[1],
        share=shares[leader, runner_up],
        unit=unit,
    )
    yield (
        f"{leader} leads the league of {len(order)} ({_elo(first)}) and wins {won} % of its "
        f"{unit}. {second} Last is {order[-1]} ({_elo(last)})."
    )
    if rows["mix"].notna().all():
        yield mix(rows)
    yield _level_pairs(order, shares, unit)


def _level_pairs(
    order: Sequence[str],
    shares: Mapping[tuple[str, str], Any],
    unit: str,
) -> str:
    """The pairs of a league without a significant difference."""
    pairs = list(itertools.combinations(order, 2))
    level = []
    for a, b in pairs:
        limits = _limits(shares[a, b])
        if _side(limits, 0.5) == 0:
            level.append(f"{a} and {b}")
    if not level:
        return f"all {len(pairs)} pairs differ significantly in {unit} won."
    listed = level[:MOST]
    more = len(level) - MOST
    if more > 0:
        listed.append(f"{more} more")
    names = "; ".join(listed)
    count = f"{len(level)} of {len(pairs)} pairs"
    return f"no significant difference in {unit} won for {count}: {names}."


def _won(row: Any) -> str:
    """What a strategy wins of its matches, or else of its deals, in per cent."""
    metric = "deal_win" if math.isnan(row["match_win"]) else "match_win"
    low = row[f"{metric}_low"]
    high = row[f"{metric}_high"]
    return numbers.estimate(row[metric], low, high, 100)


def _against_second(name: str, rated: Any, share: Any, unit: str) -> str:
    """How the leader does against the second."""
    limits = _limits(share)
    won = numbers.estimate(*limits, 100)
    side = _side(limits, 0.5)
    second = f"the second, {name} ({_elo(rated)})"
    if side == 0:
        return f"No significant lead over {second}: {won} % of {unit}."
    verb = "beats" if side > 0 else "loses to"
    return f"It {verb} {second}, with {won} % of {unit}."


def mix(rows: pd.DataFrame) -> str:
    """The equilibrium mix, the greatest weight first."""
    in_play = rows[rows["mix"] > 0]
    ranked = in_play.sort_values("mix", ascending=False, kind="stable")
    parts = []
    for _, row in ranked.iterrows():
        weight = numbers.estimate(row["mix"], row["mix_low"], row["mix_high"], 100)
        parts.append(f"{row['strategy']}, {weight} %")
    if len(parts) == 1:
        alone = ranked["strategy"].iloc[0]
        return f"nobody is ahead of {alone}, which is the equilibrium mix by itself."
    return f"nobody is ahead of the equilibrium mix: {'; '.join(parts)}."


def _fit(fit: NonAdditivity) -> str:
    """How much of the results fits no ratings, or its upper limit where it may be none at all."""
    if math.isnan(fit.share):
        return ""
    low = fit.share - fit.half
    high = fit.share + fit.half
    text = numbers.estimate(fit.share, low, high, 100)
    if low <= 0:
        limit = 100 * high
        text = f"at most {numbers.number(limit, limit)}"
    return f"{text} % of what the results say fits no ratings (non-additivity). {NON_ADDITIVITY}"


def circles(triads: Triads) -> str:
    """Whether any three players go round in a circle, and how far the clearest is from chance."""
    if not triads.examined:
        return ""
    count = f"{triads.examined:,} triads"
    if triads.circles.empty:
        return f"none of {count} goes round in a circle."
    clearest = triads.circles.iloc[0]
    share = 100 * clearest["share"]
    order = [clearest["first"], clearest["second"], clearest["third"], clearest["first"]]
    path = " over ".join(order)
    size = f"{clearest['excess']:.1f} standard errors"
    p = f"p {_p(clearest['p_holm'])} after Holm's adjustment"
    sure = len(triads.sure)
    said = f"none of {count} goes round in a circle beyond chance"
    if sure:
        verb = "goes" if sure == 1 else "go"
        said = f"{sure:,} of {count} {verb} round in a circle beyond chance"
    closest = f"{share:.1f} % in its closest pair, {size} above even ({p})"
    return f"{said}; the clearest, {path}, has {closest}."


def _p(p: float) -> str:
    if p < SMALLEST_P:
        return f"under {SMALLEST_P:g}"
    return f"{p:.2g}"


def _elo(row: Any) -> str:
    elo = row["elo"]
    low = row["elo_low"]
    high = row["elo_high"]
    if elo == low == high == 0:
        return "Elo 0, the anchor"
    return f"Elo {numbers.estimate(elo, low, high)}"


def _limits(row: Any) -> Limits:
    return row["share"], row["low"], row["high"]


def effects(frame: pd.DataFrame) -> list[str]:
    """Which changes gain or lose points in every field, and for which the field decides."""
    points = frame[frame["metric"] == "margin"]
    sentences = []
    for variant, rows in points.groupby("variant", sort=False):
        by_verdict: dict[str, list[str]] = {}
        for change, group in rows.groupby("change", sort=False):
            changes = by_verdict.setdefault(_verdict(group), [])
            changes.append(str(change))
        for verdict, changes in by_verdict.items():
            sentences.append(f"{variant}: {verdict}: {_counted(changes)}.")
    return sentences


def _verdict(rows: pd.DataFrame) -> str:
    """What a change does over all fields."""
    signs = []
    for _, row in rows.iterrows():
        sign = math.copysign(1, row["difference"]) if is_significant(row) else 0
        signs.append(sign)
    if min(signs) > 0:
        return "gain points in every field"
    if max(signs) < 0:
        return "lose points in every field"
    if min(signs) < 0 < max(signs):
        return "gain in some fields and lose in others"
    if max(signs) > 0:
        return "gain in some fields, and lose in none for certain"
    if min(signs) < 0:
        return "lose in some fields, and gain in none for certain"
    return "make no significant difference in any field"


def differences(frame: pd.DataFrame) -> list[str]:
    """What differs significantly, comparison by comparison, the clearest difference first.

    The comparisons without a significant difference are counted.
    """
    compared = ["variant", "base_variant", "strategy", "base_strategy", "opponent"]
    clear: list[tuple[float, str]] = []
    comparisons = 0
    for names, rows in frame.groupby(compared, sort=False):
        comparisons += 1
        significant = [row for _, row in rows.iterrows() if is_significant(row)]
        if not significant:
            continue
        largest = max(map(_standard_errors, significant))
        comparison = _comparison(*map(str, names))
        parts = ", ".join(map(_difference, significant))
        sentence = f"{comparison}: {parts}."
        clear.append((largest, sentence))
    clear.sort(key=lambda line: -line[0])
    sentences = [line for _, line in clear[:MOST]]
    more = len(clear) - MOST
    if more > 0:
        sentences.append(
            f"{more} more comparisons show a difference: see the table of differences."
        )
    silent = comparisons - len(clear)
    if silent:
        which = _all(comparisons)
        if clear:
            which = f"{silent} of {comparisons} comparisons"
        sentences.append(
            f"No significant difference in {which} (5 % level, after Holm's adjustment)."
        )
    return sentences


def _standard_errors(row: Any) -> float:
    """The size of a difference in standard errors."""
    size = abs(row["difference"])
    return float(size / row["se"])


def _all(comparisons: int) -> str:
    if comparisons == 1:
        return "the only comparison"
    return f"any of {comparisons} comparisons"


def is_significant(row: Any) -> bool:
    """Whether a row of differences is more than chance.

    By Holm's p, or by the limits of a run that looked at its results.
    """
    if not row["se"] > 0:
        return False
    if math.isnan(row["p"]):
        above = row["low"] > 0
        below = row["high"] < 0
        return bool(above or below)
    return bool(row["p_holm"] < SURE)


def _comparison(
    variant: str,
    base_variant: str,
    strategy: str,
    base_strategy: str,
    opponent: str,
) -> str:
    """What is compared with what, and under which conditions."""
    against = f"against {opponent}" if opponent else ""
    if variant != base_variant:
        rest = " ".join(filter(None, (strategy, against)))
        return f"{variant} instead of {base_variant} ({rest})"
    rest = ", ".join(filter(None, (variant, against)))
    return f"{strategy} instead of {base_strategy} ({rest})"


def _difference(row: Any) -> str:
    """`matches won % higher by 19.9 ± 1.7`."""
    metric = BY_NAME[row["metric"]]
    difference = row["difference"]
    limits = (difference, row["low"], row["high"])
    positive = _positive(limits)
    size = numbers.estimate(*positive, metric.factor)
    direction = "higher" if difference > 0 else "lower"
    title = metric.title
    return f"{title} {direction} by {size}"


def _positive(limits: Limits) -> Limits:
    value, low, high = limits
    if value > 0:
        return limits
    return -value, -high, -low


def _side(limits: Limits, even: float) -> int:
    """1 above `even`, -1 below, 0 where the interval holds it or is undefined."""
    value, low, high = limits
    if math.isnan(low + high):
        return 0
    if low <= even <= high:
        return 0
    return 1 if value > even else -1


def _percent(rows: pd.DataFrame, metric: str) -> str:
    limits = table.cell(rows, metric)
    share = numbers.estimate(*limits, 100)
    return f"{share} %"


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    if not first:
        return last
    listed = ", ".join(first)
    return f"{listed} and {last}"


def _counted(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    if len(names) <= MOST:
        return _listed(names)
    shown = ", ".join(names[: MOST - 1])
    more = len(names) - MOST + 1
    return f"{shown} and {more} more"
