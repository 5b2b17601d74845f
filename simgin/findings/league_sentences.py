"""What a league says: who leads it, which pairs are level, and whether anybody goes in circles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simgin.findings.wording import MOST, Limits, ranged, side
from simgin.report import numbers

if TYPE_CHECKING:
    import pandas as pd

    from simgin.stats.round_robin.non_additivity import NonAdditivity
    from simgin.stats.round_robin.triads import Triads

SMALLEST_P = 1e-4  # a smaller one is not printed
NON_ADDITIVITY = (
    "Some pairs are further apart, or closer, than their ratings say, because some players suit or "
    "do not suit each other; that takes no circle."
)


def leagues(
    standings: pd.DataFrame,
    cross: pd.DataFrame,
    fits: Mapping[str, NonAdditivity],
    triads: Mapping[str, Triads],
    unit: str,
) -> Iterator[str]:
    """Who leads every league, how far ratings say who beats whom, and which pairs are level."""
    for name, rows in standings.groupby("variant", sort=False):
        variant = str(name)
        lines = list(_league(rows, cross[cross["variant"] == variant], unit))
        if not math.isnan(rows["elo"].iloc[0]):
            lines += [_fit(fits[variant]), circles(triads[variant])]
        yield from [f"{variant}: {line}" for line in lines if line]


def _league(rows: pd.DataFrame, cross: pd.DataFrame, unit: str) -> Iterator[str]:
    first = rows.iloc[0]
    last = rows.iloc[-1]
    if math.isnan(first["elo"]):
        yield f"too few {unit} to rate these {len(rows)} strategies."
        return
    order = [str(name) for name in rows["strategy"]]
    shares = {(row["strategy"], row["opponent"]): row for _, row in cross.iterrows()}
    leader, runner_up = order[:2]
    won = _won(first)
    second = _against_second(
        name=runner_up, rated=rows.iloc[1], share=shares[leader, runner_up], unit=unit
    )
    yield (
        f"{leader} leads the league of {len(order)} by {unit} won ({_elo(first)}): {won} %. "
        f"{second} Last is {order[-1]} ({_elo(last)})."
    )
    if math.isnan(first["match_win"]):
        yield "matches may rank them otherwise; matches = 5000 plays some."
    else:
        yield from _disagreement(rows)
    if rows["mix"].notna().all():
        yield mix(rows)
    yield _level_pairs(order, shares, unit)


def _disagreement(rows: pd.DataFrame) -> Iterator[str]:
    """The first pair of whom one wins more deals, the other more matches, beyond errors."""
    for (_, more), (_, fewer) in itertools.combinations(rows.iterrows(), 2):
        is_ahead = more["match_win_low"] > fewer["match_win_high"]
        if is_ahead and fewer["deal_win_low"] > more["deal_win_high"]:
            of_deals, of_matches = (
                " % against ".join(ranged(row, metric, 100) for row in (fewer, more))
                for metric in ("deal_win", "match_win")
            )
            yield (
                f"deals and matches disagree: {fewer['strategy']} wins more deals than "
                f"{more['strategy']} ({of_deals} %), but fewer matches ({of_matches} %)."
            )
            return


def _level_pairs(order: Sequence[str], shares: Mapping[tuple[str, str], Any], unit: str) -> str:
    """The pairs of a league without a significant difference."""
    pairs = list(itertools.combinations(order, 2))
    level = [f"{a} and {b}" for a, b in pairs if side(_limits(shares[a, b]), 0.5) == 0]
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
    return ranged(row, "deal_win" if math.isnan(row["match_win"]) else "match_win", 100)


def _against_second(name: str, rated: Any, share: Any, unit: str) -> str:
    """How the leader does against the second."""
    limits = _limits(share)
    won = numbers.estimate(*limits, 100)
    ahead = side(limits, 0.5)
    second = f"the second, {name} ({_elo(rated)})"
    if ahead == 0:
        return f"No significant lead over {second}: {won} % of {unit}."
    does = "It beats" if ahead > 0 else "Even so, it loses to"
    return f"{does} {second}, with {won} % of {unit}."


def mix(rows: pd.DataFrame) -> str:
    """The equilibrium mix, the greatest weight first."""
    ranked = rows[rows["mix"] > 0].sort_values("mix", ascending=False, kind="stable")
    parts = [f"{row['strategy']}, {ranged(row, 'mix', 100)} %" for _, row in ranked.iterrows()]
    if len(parts) == 1:
        alone = ranked["strategy"].iloc[0]
        return f"nobody here was measured ahead of {alone}: the equilibrium mix is {alone} alone."
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
    if triads.circles.empty:
        return f"{_going(0, triads.examined)}."
    clearest = triads.circles.iloc[0]
    share = 100 * clearest["share"]
    order = [clearest["first"], clearest["second"], clearest["third"], clearest["first"]]
    path = " over ".join(order)
    excess = f"{clearest['excess']:.1f} standard errors"
    p = f"p {_p(clearest['p_holm'])} after Holm's adjustment"
    said = _going(len(triads.sure), triads.examined)
    closest = f"{share:.1f} % in its closest pair, {excess} above even ({p})"
    return f"{said} beyond chance; the clearest, {path}, has {closest}."


def _going(sure: int, examined: int) -> str:
    """`2 of 20 triads go round in a circle`."""
    if examined == 1:
        verb = "goes" if sure else "does not go"
        return f"the only triad {verb} round in a circle"
    number = f"{sure:,}" if sure else "none"
    verb = "go" if sure > 1 else "goes"
    return f"{number} of {examined:,} triads {verb} round in a circle"


def _p(p: float) -> str:
    if p < SMALLEST_P:
        return f"under {SMALLEST_P:g}"
    return f"{p:.2g}"


def _elo(row: Any) -> str:
    if row["elo"] == row["elo_low"] == row["elo_high"] == 0:
        return "Elo 0, the anchor"
    return f"Elo {ranged(row, 'elo')}"


def _limits(row: Any) -> Limits:
    return row["share"], row["low"], row["high"]
