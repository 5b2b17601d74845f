"""What a run says, in sentences: who wins and by how much, what differs and what cannot be told apart.

Every figure has its interval, and stands in a table below. Of many matchups only the ends are told, with how many there were: the best of
many, chosen and measured on the same deals, looks better than it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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

MOST = 6  # sentences of a kind; of more the rest are counted
SURE = 0.05


def of(found: Findings) -> list[str]:
    """Everything that a run says, the most important first."""
    rated = set(found.standings["variant"])
    others = found.table[~found.table["variant"].isin(rated)]
    said = [
        *leagues(found.standings, found.cross, found.cycles, UNITS[found.record.unit]),
        *matchups(others),
        *differences(found.differences),
        *found.ended,
    ]
    return said or ["Too little was played to say anything: play more."]


def matchups(frame: pd.DataFrame) -> list[str]:
    """Who wins every matchup of a tidy frame, and by how much; of more than MOST against one opponent the best and the worst."""
    groups: dict[tuple[str, str], list[tuple[str, pd.DataFrame]]] = {}
    for (variant, a, b), rows in table.matchups(frame):
        if a != b:  # whoever plays himself wins one half
            groups.setdefault((variant, b), []).append((a, rows))
    few = sum(map(len, groups.values())) <= MOST
    return [
        line
        for (variant, b), met in groups.items()
        for line in (_each(variant, b, met) if few else _ends(variant, b, met))
    ]


def _each(variant: str, b: str, met: Sequence[tuple[str, pd.DataFrame]]) -> Iterator[str]:
    for a, rows in met:
        yield f"{variant}: {_against(a, b, rows) if b else _alone(a, rows)}"


def _against(a: str, b: str, rows: pd.DataFrame) -> str:
    """A against B: matches first where they were played, then points, then deals; they can differ in sign."""
    margin = table.cell(rows, "margin")
    if math.isnan(margin[0]):
        return f"too little was played to tell {a} from {b}."
    points = f"{_by_points(*margin)} {b}"
    said = [points if "told" in points else f"{points} by {_size(margin)} points a deal"]
    if not math.isnan(table.cell(rows, "match_win")[0]):
        won = _stands(
            *table.cell(rows, "match_win"), 0.5, ("beats", "loses to", "is not told apart from")
        )
        said.insert(0, f"{won} {b}, winning {_text(rows, 'match_win')} % of the matches")
    deals = f"It wins {_text(rows, 'deal_win')} % of the deals, {b} {_text(rows, 'deal_loss')} %."
    return f"{a} {', and '.join(said)}. {deals}"


def _by_points(value: float, low: float, high: float) -> str:
    """Ahead, behind, or neither."""
    told = numbers.estimate(value, low, high)
    return _stands(
        value,
        low,
        high,
        0.0,
        (
            "is ahead of",
            "is behind",
            f"is, with {told} points a deal, not told apart by points from",
        ),
    )


def _size(margin: tuple[float, float, float]) -> str:
    """A margin without its sign."""
    value, low, high = margin
    return (
        numbers.estimate(value, low, high) if value > 0 else numbers.estimate(-value, -high, -low)
    )


def _alone(a: str, rows: pd.DataFrame) -> str:
    """What a single player comes to: the goal or the matches where they were played, then the deals."""
    said = []
    for metric, words in (
        ("goal_met", "meets the goal in {} % of the matches"),
        ("match_win", "wins {} % of the matches"),
    ):
        if not math.isnan(table.cell(rows, metric)[0]):
            said.append(words.format(_text(rows, metric)))
            break
    if table.cell(rows, "limit")[0] == 0 and table.cell(rows, "win")[0] > 0:
        said.append(f"wins {_text(rows, 'win')} % of the deals")
    if table.cell(rows, "gin")[0] > 0:
        said.append(f"goes gin in {_text(rows, 'gin')} % of the deals")
    if not math.isnan(table.cell(rows, "score")[0]):
        said.append(f"scores {_text(rows, 'score')} a deal")
    return f"{a} {_listed(said)}." if said else f"too little was played to say how {a} does."


def _ends(variant: str, b: str, met: Sequence[tuple[str, pd.DataFrame]]) -> Iterator[str]:
    """Best and worst of several strategies against one opponent, or alone."""
    metric, what = _headline(b, [rows for _, rows in met])
    known = [
        (table.cell(rows, metric), a, rows)
        for a, rows in met
        if not math.isnan(table.cell(rows, metric)[0])
    ]
    if not known:
        yield f"{variant}: too little was played to say."
        return
    against = f" against {b}" if b else ""
    if len(known) == 1:
        ((_, a, rows),) = known
        yield f"{variant}: {a} has {_text(rows, metric)} {what}{against}."
        return
    ordered = sorted(known, key=lambda one: -one[0][0])
    (_, best, top), (_, worst, bottom) = ordered[0], ordered[-1]
    near = [a for (_, _, high), a, _ in ordered[1:] if high >= ordered[0][0][1]]
    close = f"; its interval meets that of {_counted(near)}" if near else ""
    yield (
        f"{variant}: of {len(known)} strategies{against} {best} comes out highest with {_text(top, metric)} {what}{close}; "
        f"{worst} lowest with {_text(bottom, metric)}."
    )


def _headline(b: str, rows: Sequence[pd.DataFrame]) -> tuple[str, str]:
    """The metric by which several are put in order, and what it is of."""
    two = (("match_win", "% of the matches"), ("margin", "points a deal"))
    alone = (
        ("goal_met", "% of the matches with the goal met"),
        ("match_win", "% of the matches"),
        ("win", "% of the deals"),
    )
    for metric, what in two if b else alone:
        if any(abs(table.cell(one, metric)[0]) > 0 for one in rows):
            return metric, what
    return ("margin", "points a deal") if b else ("score", "points a deal")


def leagues(
    standings: pd.DataFrame, cross: pd.DataFrame, cycles: dict[str, Cycles], unit: str
) -> list[str]:
    """Who leads every league, what of it no rating explains, and which pairs cannot be told apart."""
    return [
        line
        for variant, rows in standings.groupby("variant", sort=False)
        for line in _league(
            str(variant), rows, cross[cross["variant"] == variant], cycles[str(variant)], unit
        )
    ]


def _league(
    variant: str, rows: pd.DataFrame, cross: pd.DataFrame, cycles: Cycles, unit: str
) -> Iterator[str]:
    if math.isnan(rows["elo"].iloc[0]):
        yield f"{variant}: too little was played to rate these {len(rows)} strategies."
        return
    metric = "match_win" if rows["match_win"].notna().any() else "deal_win"
    order, first = [str(name) for name in rows["strategy"]], rows.iloc[0]
    won = numbers.estimate(first[metric], first[f"{metric}_low"], first[f"{metric}_high"], 100)
    shares = {(row["strategy"], row["opponent"]): row for _, row in cross.iterrows()}
    second = shares[order[0], order[1]]
    apart = _stands(
        second["share"],
        second["low"],
        second["high"],
        0.5,
        ("beats", "loses to", "is not told apart from"),
    )
    yield (
        f"{variant}: {order[0]} leads the league of {len(order)}, {_rated(first)}, and wins {won} % of its {unit}. "
        f"It {apart} {order[1]}, the second ({_rated(rows.iloc[1])}), with {_share(second)} % of the {unit} between them; "
        f"last is {order[-1]} ({_rated(rows.iloc[-1])})."
    )
    if not math.isnan(cycles.share):
        yield f"{variant}: {_cyclic(cycles.share, Z95 * cycles.se)} % of who beats whom is cyclic, which no rating can explain."
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    even = [f"{a} and {b}" for a, b in pairs if shares[a, b]["low"] <= 0.5 <= shares[a, b]["high"]]
    by = f"by {unit} won, at 95 % each"
    if not even:
        yield f"{variant}: all {len(pairs)} pairs are told apart {by}."
        return
    more = [f"{len(even) - MOST} more"] if len(even) > MOST else []
    yield f"{variant}: {len(even)} of {len(pairs)} pairs are not told apart {by}: {'; '.join([*even[:MOST], *more])}."


def _cyclic(share: float, half: float) -> str:
    """The share in per cent, or its upper limit where it cannot be told from none at all."""
    if share > half:
        return numbers.estimate(share, share - half, share + half, 100)
    return f"no more than {numbers.number(100 * (share + half), 100 * (share + half))}"


def _rated(row: Any) -> str:
    return (
        "Elo 0, the anchor"
        if row["elo"] == row["elo_low"] == row["elo_high"] == 0
        else f"Elo {_elo(row)}"
    )


def _elo(row: Any) -> str:
    return numbers.estimate(row["elo"], row["elo_low"], row["elo_high"])


def _share(row: Any) -> str:
    return numbers.estimate(row["share"], row["low"], row["high"], 100)


def differences(frame: pd.DataFrame) -> list[str]:
    """What differs after Holm's adjustment, comparison by comparison, and what does not; the largest differences in their errors first."""
    told = [
        (found, _compared(*map(str, pair)))
        for pair, rows in _pairs(frame)
        if (found := _told(rows))
    ]
    told.sort(key=lambda one: -max(abs(row["difference"]) / row["se"] for row in one[0]))
    lines = [f"{pair}: {', '.join(_difference(row) for row in found)}." for found, pair in told]
    said, more = lines[:MOST], len(lines) - MOST
    if more > 0:
        said.append(f"{more} more comparisons show a difference: see the table of differences.")
    silent = len(list(_pairs(frame))) - len(lines)
    if not silent:
        return said
    whole = "No difference" if not lines else "No other difference"
    return [
        *said,
        f"{whole} is told from chance: {silent} of {silent + len(lines)} comparisons, at 95 % after Holm's adjustment.",
    ]


def _pairs(frame: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    yield from frame.groupby(
        ["variant", "base_variant", "strategy", "base_strategy", "opponent"], sort=False
    )


def _told(rows: pd.DataFrame) -> list[Any]:
    """The rows whose difference is no chance: by Holm's p, or by the limits of a run that looked at its results."""
    return [row for _, row in rows.iterrows() if row["se"] > 0 and _sure(row)]


def _sure(row: Any) -> bool:
    return (
        bool(row["p_holm"] < SURE)
        if not math.isnan(row["p"])
        else bool(row["low"] > 0 or row["high"] < 0)
    )


def _compared(
    variant: str, base_variant: str, strategy: str, base_strategy: str, opponent: str
) -> str:
    """What is compared with what, and under which conditions."""
    against = [f"against {opponent}"] if opponent else []
    if variant != base_variant:
        return f"{variant} instead of {base_variant} ({' '.join([strategy, *against])})"
    return f"{strategy} instead of {base_strategy} ({', '.join([variant, *against])})"


def _difference(row: Any) -> str:
    """`matches won % higher by 19.9 ± 1.7`."""
    column = BY_NAME[row["metric"]]
    sign = 1 if row["difference"] > 0 else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    return f"{column.title} {'higher' if sign > 0 else 'lower'} by {numbers.estimate(sign * row['difference'], low, high, column.factor)}"


def _stands(value: float, low: float, high: float, even: float, words: tuple[str, str, str]) -> str:
    """Above, below, or neither by its interval."""
    if math.isnan(low + high) or low <= even <= high:
        return words[2]
    return words[0] if value > even else words[1]


def _text(rows: pd.DataFrame, metric: str) -> str:
    share = metric in ("deal_win", "deal_loss", "match_win", "goal_met", "win", "gin")
    return numbers.estimate(*table.cell(rows, metric), 100 if share else 1)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _counted(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    return (
        _listed(names)
        if len(names) <= MOST
        else f"{', '.join(names[: MOST - 1])} and {len(names) - MOST + 1} more"
    )
