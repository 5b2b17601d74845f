"""The odds a player alone asks for, as tidy frames with 95 % limits: by strength, by draws made, by cards left, by the joker's place.

    seen = [deals.of(player, "solitaire-gin", 40_000) for player in ladder(variants.find("solitaire-gin"))]
    by_strength(seen)  # chance to win, to go gin, to win the match, and the mean score of every player
    by_draws(seen[-1])  # by what draw the best of them has gone gin, or met the joker

Every frame has the columns variant, strategy, opponent (empty), those named at its function, and n: the deals, or matches, behind a row.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds.sample import Deals
from simgin.rules.variants import Variant
from simgin.stats.estimate import ENOUGH_UNITS, POWER_80, Estimate, quantile
from simgin.stats.ratios import RatioSums, estimate_ratio
from simgin.value import outcomes, value

if TYPE_CHECKING:
    import pandas as pd

GROUPS = 20  # of a jackknife, as in `simgin.value.outcomes`
ENDINGS = {
    "gin": ("gin", "big_gin"),
    "knock": ("knock", "undercut", "even"),
    "joker": ("joker",),
    "limit": ("limit",),
}
NAIVE = "gold+discard=hits:keep_pairs=yes"  # keeps pairs and what can grow, throws the dearest rest, and knocks as soon as it may
LADDERS = {
    "winloss": (NAIVE, "solo-greedy", "solo-lookahead:aim=gin", "solo-lookahead"),
    "joker": (NAIVE, "solo-greedy", "solo-lookahead", "solo-dp", "solo-lookahead:aim=gin"),
    "penalty": (NAIVE, "solo-greedy", "solo-lookahead", "solo-dp", "solo-switch"),
}
QUANTILES = (0.1, 0.5, 0.9)


def ladder(variant: Variant) -> tuple[str, ...]:
    """Players from weak to strong for a game alone, by how its deals are scored (docs/reference/strategies/solo.md)."""
    return LADDERS[str(variant.row["deal_scoring"])]


def by_strength(seen: Sequence[Deals]) -> pd.DataFrame:
    """Columns metric, value, low, high: `win` a deal, go `gin`, mean `score` of a deal, and `match` where there is one to win.

    The chance to win a match to points is V at its start, by the same deals (`simgin.value.value`); that of a match of a fixed number of
    deals is the share won. Where V is refused there is no such row (`match_odds` says why).
    """
    import pandas as pd

    return pd.concat([_strength(one) for one in seen], ignore_index=True)


def _strength(one: Deals) -> pd.DataFrame:
    match = (
        [] if one.matchup.variant.goal.one_deal or refusal(one) else [("match", *match_odds(one))]
    )
    return _frame(one, [*_results(one), *match], "metric", "value", "low", "high", "n")


def _results(one: Deals) -> list[tuple[str, float, float, float, int]]:
    """How a deal comes out: the chance to win and to go gin, and the mean score."""
    n, all_deals = len(one.rows), np.ones(len(one.rows), np.int64)
    shares = _ratios(one, [(one.column("won"), all_deals), (one.ended(*ENDINGS["gin"]), all_deals)])
    score = _ratios(one, [(one.column("score"), all_deals)], share=False)
    return [
        ("win", *_row(shares[0]), n),
        ("gin", *_row(shares[1]), n),
        ("score", *_row(score[0]), n),
    ]


def refusal(one: Deals) -> str:
    """Why there is no chance to win the match, with what to do instead; empty where there is one, or no match."""
    if one.matchup.variant.goal.one_deal:
        return ""
    try:
        match_odds(one)
    except value.ValueRefused as error:
        return str(error)
    return ""


@cache
def match_odds(one: Deals) -> tuple[float, float, float, int]:
    """The chance to win the match with its limits, and the matches (a fixed number of deals) or deals (by V) behind it.

    Raises ValueRefused where V cannot be had from these deals, with what to do instead.
    """
    if one.matchup.unit == "match":
        last, won = _by_match(one)
        return *_row(_of_units(won.astype(np.int64), np.ones(len(last), np.int64))[0]), len(last)
    if one.by_score:
        raise value.ValueRefused(
            f"{one.strategy} plays {one.variant} otherwise at other scores, and V by score is computed for two players only. "
            f"Estimate it by play: {shlex.join(['simgin', 'match', one.strategy, '-v', one.variant, '--matches', '100k'])}."
        )
    found = value.at_any_score(one.matchup, one.counted).start()
    return *_limits(found.value, found.se, 0, 1), len(one.rows)


def by_draws(one: Deals) -> pd.DataFrame:
    """Columns draws, kind, share, low, high: the share of all deals that have ended in a kind by so many draws.

    Kinds: gin (big gin, too), knock (whoever won by it), joker, limit; those that occur. The joker is met by drawing it, so by as many
    draws as there are cards in the deck every deal is over.
    """
    drawn, all_deals = one.column("drawn"), np.ones(len(one.rows), np.int64)
    rows = []
    for kind, ended in _kinds(one):
        found = _ratios(
            one, [(ended & (drawn <= t), all_deals) for t in range(_most_draws(one) + 1)]
        )
        rows += [(t, kind, *_row(found[t]), len(one.rows)) for t in range(_most_draws(one) + 1)]
    return _frame(one, rows, "draws", "kind", "share", "low", "high", "n")


def by_cards_left(one: Deals) -> pd.DataFrame:
    """Columns left, metric, value, low, high: chance to `win`, to go `gin`, and mean `score` of the deals that go on with so many cards.

    left counts the joker. A deal goes on if another card is drawn. Where fewer than 30 deals go on there is no row.
    """
    drawn, rows = one.column("drawn"), []
    metrics = (
        ("win", one.column("won"), True),
        ("gin", one.ended(*ENDINGS["gin"]), True),
        ("score", one.column("score"), False),
    )
    for metric, counted, share in metrics:
        found = _ratios(
            one, [(counted * (drawn > t), drawn > t) for t in range(_most_draws(one))], share=share
        )
        rows += [
            (one.deck - t, metric, *_row(found[t]), int((drawn > t).sum()))
            for t in range(_most_draws(one))
        ]
    return _frame(one, rows, "left", "metric", "value", "low", "high", "n").dropna(
        ignore_index=True
    )


def gin_draws(one: Deals) -> pd.DataFrame:
    """Columns statistic, value, low, high: on which draw gin was gone, where it was: `mean`, `q10`, `q50` and `q90`.

    Limits of quantiles are order statistics (binomial, by its normal approximation).
    """
    drawn = np.sort(one.column("drawn")[one.ended(*ENDINGS["gin"])])
    if len(drawn) < ENOUGH_UNITS:
        return _frame(one, [], "statistic", "value", "low", "high", "n")
    z = quantile(len(drawn))
    rows = [
        (
            "mean",
            *_limits(drawn.mean(), drawn.std(ddof=1) / np.sqrt(len(drawn)), 0, np.inf),
            len(drawn),
        )
    ]
    for q in QUANTILES:
        half = z * np.sqrt(len(drawn) * q * (1 - q))
        places = np.array([len(drawn) * q, len(drawn) * q - half, len(drawn) * q + half + 1])
        rows.append(
            (
                f"q{100 * q:.0f}",
                *drawn[np.clip(np.ceil(places).astype(int) - 1, 0, len(drawn) - 1)].tolist(),
                len(drawn),
            )
        )
    return _frame(one, rows, "statistic", "value", "low", "high", "n")


def totals(one: Deals) -> pd.DataFrame:
    """Columns total, share, low, high: how often a match of a fixed number of deals came to each total; empty for other games."""
    if one.matchup.unit != "match":
        return _frame(one, [], "total", "share", "low", "high", "n")
    matches = np.bincount(one.column("unit"), one.column("score")).astype(np.int64)
    seen = np.unique(matches)
    found = _of_units(
        *((matches[:, None] == seen).astype(np.int64).T), np.ones(len(matches), np.int64)
    )
    return _frame(
        one,
        [(int(t), *_row(found[i]), len(matches)) for i, t in enumerate(seen)],
        "total",
        "share",
        "low",
        "high",
        "n",
    )


def gap(weak: Deals, strong: Deals) -> pd.DataFrame:
    """How far two players on the same packs are apart, and how many deals it takes to see it. The frame names the stronger.

    Columns base_strategy, metric (win, score), value, low, high: the difference; own_packs and same_packs, each with _low and _high:
    deals of each that a 5 % test needs to find it in four runs of five, (2.8 sigma / difference)^2, if both play
    packs of their own or the same ones. Their limits are those of the difference; the spread is known far better.
    """
    rows = []
    for metric, column in (("win", "won"), ("score", "score")):
        a, b = (np.bincount(one.column("unit"), one.column(column)) for one in (strong, weak))
        each = len(strong.rows) / len(a)  # deals in a unit
        difference, n = (a - b) / each, len(a)
        found = _limits(difference.mean(), difference.std(ddof=1) / np.sqrt(n), -np.inf, np.inf)
        own, same = (a.var(ddof=1) + b.var(ddof=1)) / each, difference.var(ddof=1) * each
        rows.append(
            (
                weak.strategy,
                metric,
                *found,
                *_needed(own, found),
                *_needed(same, found),
                len(strong.rows),
            )
        )
    sizes = [
        f"{packs}{end}" for packs in ("own_packs", "same_packs") for end in ("", "_low", "_high")
    ]
    return _frame(strong, rows, "base_strategy", "metric", "value", "low", "high", *sizes, "n")


def _needed(variance: float, found: tuple[float, float, float]) -> tuple[float, float, float]:
    """Deals that tell a difference from none, and what they are at the limits of the difference; infinite if that may be nothing."""
    value, low, high = found
    if np.isnan(value):
        return np.nan, np.nan, np.nan
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    sizes = [
        POWER_80**2 * variance / d**2 if d else np.inf
        for d in (value, max(abs(low), abs(high)), nearest)
    ]
    return sizes[0], sizes[1], sizes[2]


def jokers_share(one: Deals) -> pd.DataFrame:
    """Columns metric (win, score), value, low, high: the share of the variance of a deal's result that the joker's place decides.

    Var(E[result | place]) over the whole variance, from the mean squares of a one-way layout, so that finite cells add nothing
    (Searle, Casella and McCulloch 1992, Variance Components, 3.6); the error by leaving out each of twenty groups. No rows without a joker,
    nor where the results of some groups do not vary.
    """
    place, group = one.column("place"), one.column("unit") % GROUPS
    if (place < 0).all():
        return _frame(one, [], "metric", "value", "low", "high", "n")
    rows = []
    for metric, column in (("win", "won"), ("score", "score")):
        result = one.column(column)
        cells = np.array(
            [_cells(place[group == g], result[group == g], one.deck) for g in range(GROUPS)]
        )
        left_out = np.array([_between(cells.sum(axis=0) - cells[g]) for g in range(GROUPS)])
        found = _limits(
            _between(cells.sum(axis=0)), float(outcomes.jackknife(left_out)), 0, 1, GROUPS
        )
        rows.append((metric, *found, int((place >= 0).sum())))
    return _frame(one, rows, "metric", "value", "low", "high", "n").dropna(ignore_index=True)


def _cells(place: np.ndarray, result: np.ndarray, size: int) -> np.ndarray:
    """Number, sum and sum of squares of the results at every place: float (3, size)."""
    return np.stack(
        [
            np.bincount(place[place >= 0], (result[place >= 0] ** power).astype(float), size)
            for power in range(3)
        ]
    )


def _between(cells: np.ndarray) -> float:
    """The share of the variance that lies between the cells: number, sum and sum of squares of each."""
    n, total, square = cells[:, cells[0] > 0]
    within = (square.sum() - (total**2 / n).sum()) / (n.sum() - len(n))
    among = ((total**2 / n).sum() - total.sum() ** 2 / n.sum()) / (len(n) - 1)
    each = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)
    between = (among - within) / each
    return float(between / (between + within)) if between + within > 0 else np.nan


def by_threshold(seen: Sequence[Deals]) -> pd.DataFrame:
    """Columns k, measure, value, low, high: the mean score of a deal ("points"), or the share won ("share"), by the count one stops with.

    seen: the same player with `knock=at:k=0`, `knock=at:k=1` and so on.
    """
    import pandas as pd

    measures = {"score": "points", "win": "share"}
    rows = [
        (k, measures[metric], *rest)
        for k, one in enumerate(seen)
        for metric, *rest in _results(one)
        if metric in measures
    ]
    frame = pd.DataFrame(rows, columns=["k", "measure", "value", "low", "high", "n"])
    names = {
        "variant": seen[0].variant,
        "strategy": seen[0].strategy.partition("+knock=")[0],
        "opponent": "",
    }
    return frame.assign(**names)[[*names, *frame.columns]]


def _by_match(one: Deals) -> tuple[np.ndarray, np.ndarray]:
    """The place of the last deal of every match, and whether it was won."""
    unit = one.column("unit")
    last = np.flatnonzero(np.append(unit[1:] != unit[:-1], True))
    return last, one.column("outcome")[last] == 0


def _kinds(one: Deals) -> Iterator[tuple[str, np.ndarray]]:
    """The kinds of ending that occur, and which deals ended so."""
    for kind, names in ENDINGS.items():
        if (ended := one.ended(*names)).any():
            yield kind, ended


def _most_draws(one: Deals) -> int:
    """Draws in the longest deal that the rules allow: the joker is found at the end of the deck."""
    most = one.matchup.variant.row["max_draws"]
    return one.deck if most is None else int(str(most))


def _ratios(
    one: Deals, pairs: Sequence[tuple[np.ndarray, np.ndarray]], *, share: bool = True
) -> list[Estimate]:
    """Ratios of sums over deals, each (numerator, denominator) one number a deal, with errors clustered over units."""
    unit = one.column("unit")
    parts = [[np.bincount(unit, part).astype(np.int64) for part in pair] for pair in pairs]
    return _of_units(*(n for n, _ in parts), np.stack([d for _, d in parts]), share=share)


def _of_units(*parts: np.ndarray, share: bool = True) -> list[Estimate]:
    """Ratios of sums over units: numerators, then the denominators, one for all or one for each."""
    numerators = np.stack(parts[:-1])
    denominators = np.broadcast_to(parts[-1], numerators.shape)
    estimates = []
    for n, d in zip(numerators, denominators, strict=True):
        sums = RatioSums(
            numerator=int(n.sum()),
            numerator_square=int((n * n).sum()),
            denominator=int(d.sum()),
            denominator_square=int((d * d).sum()),
            cross=int((n * d).sum()),
            share=share,
            always=bool((d > 0).all()),
        )
        estimates.append(estimate_ratio(len(n), sums))
    return estimates


def _limits(
    estimate: float, se: float, least: float, most: float, units: float = np.inf
) -> tuple[float, float, float]:
    """A value with its 95 % limits, within what is possible; all NaN where nothing varies, since that is no error of nothing."""
    if se == 0:
        return np.nan, np.nan, np.nan
    half = quantile(units) * se
    return float(estimate), float(max(least, estimate - half)), float(min(most, estimate + half))


def _row(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def _frame(one: Deals, rows: Sequence[tuple[Any, ...]], *columns: str) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(columns))
    names = {"variant": one.variant, "strategy": one.strategy, "opponent": ""}
    return frame.assign(**names)[[*names, *columns]]
