"""What a run says, in sentences: who wins and by how much, and what differs significantly.

Every figure has its interval, and stands in a table below. Where there are many matchups only the
best and the worst are named, with how many there were: the best of many, chosen and measured on the
same deals, looks better than it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simgin.report import numbers
from simgin.stats import table
from simgin.stats.estimate import Z95
from simgin.stats.metrics import BY_NAME
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings
    from simgin.stats.ratings import Cycles

MOST = 6  # sentences of a kind; the rest are counted
SURE = 0.05  # level of tests

Limits = tuple[float, float, float]  # value, low, high
Group = Sequence[tuple[str, "pd.DataFrame"]]  # strategies, and the rows of their matchups


def run_sentences(found: Findings) -> list[str]:
    """Everything that a run says, the most important first."""
    rated = set(found.standings["variant"])
    others = found.table[~found.table["variant"].isin(rated)]
    unit = UNITS[found.record.unit]
    sentences = [
        *leagues(found.standings, found.cross, found.cycles, unit),
        *matchups(others),
        *differences(found.differences),
        *found.ended,
    ]
    return sentences or ["Too few deals for any finding: play more."]


def matchups(frame: pd.DataFrame) -> list[str]:
    """Who wins every matchup of a tidy frame, and by how much.

    Of more than MOST matchups only the best and the worst against one opponent.
    """
    groups: dict[tuple[str, str], list[tuple[str, pd.DataFrame]]] = {}
    for (variant, a, b), rows in table.matchups(frame):
        if a != b:  # a strategy that plays itself wins one half
            groups.setdefault((variant, b), []).append((a, rows))
    are_few = sum(map(len, groups.values())) <= MOST
    sentences: list[str] = []
    for (variant, b), group in groups.items():
        if are_few:
            sentences += [f"{variant}: {_matchup(a, b, rows)}" for a, rows in group]
        else:
            sentences.append(f"{variant}: {_best_and_worst(b, group)}")
    return sentences


def _matchup(a: str, b: str, rows: pd.DataFrame) -> str:
    if not b:
        return _solo(a, rows)
    if math.isnan(table.cell(rows, "margin")[0]):
        return f"too few deals to compare {a} and {b}."
    own, other = _percent(rows, "deal_win"), _percent(rows, "deal_loss")
    if math.isnan(table.cell(rows, "match_win")[0]):
        return f"{_points_verdict(a, b, rows)}; {a} wins {own} of deals, {b} {other}."
    verdict = f"{_match_verdict(a, b, rows)} {_percent(rows, 'match_win')} of matches."
    return f"{verdict} It {_points(rows)} and wins {own} of deals ({b} {other})."


def _match_verdict(a: str, b: str, rows: pd.DataFrame) -> str:
    side = _side(table.cell(rows, "match_win"), 0.5)
    if side == 0:
        return f"no significant difference between {a} and {b}: {a} wins"
    return f"{a} {'beats' if side > 0 else 'loses to'} {b}: it wins"


def _points_verdict(a: str, b: str, rows: pd.DataFrame) -> str:
    margin = table.cell(rows, "margin")
    side = _side(margin, 0.0)
    if side == 0:
        points = numbers.estimate(*margin)
        return f"no significant difference between {a} and {b}: {points} points a deal"
    verb = "beats" if side > 0 else "loses to"
    return f"{a} {verb} {b} by {_size(margin)} points a deal"


def _points(rows: pd.DataFrame) -> str:
    """What a strategy makes of a deal, where matches come first."""
    margin = table.cell(rows, "margin")
    side = _side(margin, 0.0)
    if side == 0:
        return f"is level on points ({numbers.estimate(*margin)} a deal)"
    return f"{'gains' if side > 0 else 'loses'} {_size(margin)} points a deal"


def _size(margin: Limits) -> str:
    """A margin without its sign."""
    value, low, high = margin
    if value > 0:
        return numbers.estimate(value, low, high)
    return numbers.estimate(-value, -high, -low)


def _solo(a: str, rows: pd.DataFrame) -> str:
    """The goal or the matches where they were played, then the deals."""
    parts = []
    if not math.isnan(table.cell(rows, "goal_met")[0]):
        parts.append(f"meets the goal in {_percent(rows, 'goal_met')} of matches")
    elif not math.isnan(table.cell(rows, "match_win")[0]):
        parts.append(f"wins {_percent(rows, 'match_win')} of matches")
    if table.cell(rows, "limit")[0] == 0 and table.cell(rows, "win")[0] > 0:
        parts.append(f"wins {_percent(rows, 'win')} of deals")
    if table.cell(rows, "gin")[0] > 0:
        parts.append(f"goes gin in {_percent(rows, 'gin')} of deals")
    score = table.cell(rows, "score")
    if not math.isnan(score[0]):
        parts.append(f"scores {numbers.estimate(*score)} a deal")
    return f"{a} {_listed(parts)}." if parts else f"too few deals to judge {a}."


def _best_and_worst(b: str, group: Group) -> str:
    """The best and the worst of several strategies against one opponent, or alone."""
    metric, unit = _ranking_metric(b, [rows for _, rows in group])
    known = []
    for a, rows in group:
        limits = table.cell(rows, metric)
        if not math.isnan(limits[0]):
            known.append((limits, a, numbers.estimate(*limits, BY_NAME[metric].factor)))
    if not known:
        return "too few deals for a finding."
    known.sort(key=lambda row: -row[0][0])
    (_, best_low, _), best, best_text = known[0]
    against = f" against {b}" if b else ""
    if len(known) == 1:
        return f"{best} has {best_text} {unit}{against}."
    near = [a for (_, _, high), a, _ in known[1:] if high >= best_low]
    overlap = f"; its interval overlaps {_possessive(near)}" if near else ""
    _, worst, worst_text = known[-1]
    return (
        f"of {len(known)} strategies{against}, {best} does best with {best_text} {unit}{overlap}; "
        f"{worst} does worst with {worst_text}."
    )


def _possessive(names: Sequence[str]) -> str:
    return f"that of {_counted(names)}" if len(names) == 1 else f"those of {_counted(names)}"


def _ranking_metric(b: str, rows: Sequence[pd.DataFrame]) -> tuple[str, str]:
    """The metric that puts several strategies in order, and what its number is of."""
    two = (("match_win", "% of matches won"), ("margin", "points a deal"))
    solo = (
        ("goal_met", "% of matches with the goal met"),
        ("match_win", "% of matches won"),
        ("win", "% of deals won"),
    )
    for metric, unit in two if b else solo:
        if any(abs(table.cell(matchup, metric)[0]) > 0 for matchup in rows):
            return metric, unit
    return ("margin", "points a deal") if b else ("score", "points a deal")


def leagues(
    standings: pd.DataFrame, cross: pd.DataFrame, cycles: Mapping[str, Cycles], unit: str
) -> list[str]:
    """Who leads every league, what of it no rating explains, and which pairs are level."""
    sentences: list[str] = []
    for variant, rows in standings.groupby("variant", sort=False):
        met = cross[cross["variant"] == variant]
        lines = _league(rows, met, cycles[str(variant)], unit)
        sentences += [f"{variant}: {line}" for line in lines]
    return sentences


def _league(rows: pd.DataFrame, cross: pd.DataFrame, cycles: Cycles, unit: str) -> Iterator[str]:
    if math.isnan(rows["elo"].iloc[0]):
        yield f"too few {unit} to rate these {len(rows)} strategies."
        return
    order = [str(name) for name in rows["strategy"]]
    shares = {(row["strategy"], row["opponent"]): row for _, row in cross.iterrows()}
    metric = "match_win" if rows["match_win"].notna().any() else "deal_win"
    first = rows.iloc[0]
    won = numbers.estimate(first[metric], first[f"{metric}_low"], first[f"{metric}_high"], 100)
    second = _against_second(order[1], rows.iloc[1], shares[order[0], order[1]], unit)
    yield (
        f"{order[0]} leads the league of {len(order)} ({_elo(first)}) and wins {won} % of its "
        f"{unit}. {second} Last is {order[-1]} ({_elo(rows.iloc[-1])})."
    )
    if not math.isnan(cycles.share):
        cyclic = _cyclic(cycles.share, Z95 * cycles.se)
        yield f"{cyclic} of the cross-table is cyclic: no rating explains it."
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    level = [f"{a} and {b}" for a, b in pairs if _side(_limits(shares[a, b]), 0.5) == 0]
    if not level:
        yield f"all {len(pairs)} pairs differ significantly in {unit} won."
        return
    more = [f"{len(level) - MOST} more"] if len(level) > MOST else []
    yield (
        f"no significant difference in {unit} won for {len(level)} of {len(pairs)} pairs: "
        f"{'; '.join([*level[:MOST], *more])}."
    )


def _against_second(name: str, rated: Any, share: Any, unit: str) -> str:
    """How the leader does against the second."""
    won, side = numbers.estimate(*_limits(share), 100), _side(_limits(share), 0.5)
    if side == 0:
        return f"No significant lead over the second, {name} ({_elo(rated)}): {won} % of {unit}."
    verb = "beats" if side > 0 else "loses to"
    return f"It {verb} the second, {name} ({_elo(rated)}), with {won} % of {unit}."


def _cyclic(share: float, half: float) -> str:
    """The cyclic share in per cent, or its upper limit where it may be none at all."""
    if share > half:
        return f"{numbers.estimate(share, share - half, share + half, 100)} %"
    limit = 100 * (share + half)
    return f"at most {numbers.number(limit, limit)} %"


def _elo(row: Any) -> str:
    if row["elo"] == row["elo_low"] == row["elo_high"] == 0:
        return "Elo 0, the anchor"
    return f"Elo {numbers.estimate(row['elo'], row['elo_low'], row['elo_high'])}"


def _limits(row: Any) -> Limits:
    return row["share"], row["low"], row["high"]


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
        if significant:
            largest = max(abs(row["difference"]) / row["se"] for row in significant)
            parts = ", ".join(_difference(row) for row in significant)
            clear.append((largest, f"{_comparison(*map(str, names))}: {parts}."))
    clear.sort(key=lambda line: -line[0])
    sentences = [line for _, line in clear[:MOST]]
    if len(clear) > MOST:
        more = len(clear) - MOST
        sentences.append(
            f"{more} more comparisons show a difference: see the table of differences."
        )
    if silent := comparisons - len(clear):
        which = f"{silent} of {comparisons} comparisons" if clear else _all(comparisons)
        sentences.append(
            f"No significant difference in {which} (5 % level, after Holm's adjustment)."
        )
    return sentences


def _all(comparisons: int) -> str:
    return "the only comparison" if comparisons == 1 else f"any of {comparisons} comparisons"


def is_significant(row: Any) -> bool:
    """Whether a row of differences is more than chance.

    By Holm's p, or by the limits of a run that looked at its results.
    """
    if not row["se"] > 0:
        return False
    if math.isnan(row["p"]):
        return bool(row["low"] > 0 or row["high"] < 0)
    return bool(row["p_holm"] < SURE)


def _comparison(
    variant: str, base_variant: str, strategy: str, base_strategy: str, opponent: str
) -> str:
    """What is compared with what, and under which conditions."""
    against = [f"against {opponent}"] if opponent else []
    if variant != base_variant:
        return f"{variant} instead of {base_variant} ({' '.join([strategy, *against])})"
    return f"{strategy} instead of {base_strategy} ({', '.join([variant, *against])})"


def _difference(row: Any) -> str:
    """`matches won % higher by 19.9 ± 1.7`."""
    metric = BY_NAME[row["metric"]]
    limits = (row["difference"], row["low"], row["high"])
    size = numbers.estimate(*_positive(limits), metric.factor)
    return f"{metric.title} {'higher' if row['difference'] > 0 else 'lower'} by {size}"


def _positive(limits: Limits) -> Limits:
    value, low, high = limits
    return limits if value > 0 else (-value, -high, -low)


def _side(limits: Limits, even: float) -> int:
    """1 above `even`, -1 below, 0 where the interval holds it or is undefined."""
    value, low, high = limits
    if math.isnan(low + high) or low <= even <= high:
        return 0
    return 1 if value > even else -1


def _percent(rows: pd.DataFrame, metric: str) -> str:
    return f"{numbers.estimate(*table.cell(rows, metric), 100)} %"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _counted(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    if len(names) <= MOST:
        return _listed(names)
    return f"{', '.join(names[: MOST - 1])} and {len(names) - MOST + 1} more"
