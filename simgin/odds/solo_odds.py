"""Solitaire odds as tidy frames with 95 % limits: by strategy, draw, cards left and total.

    variant = "solitaire-gin"
    samples = [play_alone(player, variant, 40_000) for player in ladder(variants.find(variant))]
    by_strength(samples)  # chance to win, to go gin, to win the match; mean score, by player
    by_draws(samples[-1])  # by what draw the best of them has gone gin, or met the joker

Every frame has the columns variant, strategy, opponent (empty), those named at its function, and n:
the deals, or matches, behind a row.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds.sample import Deals
from simgin.odds.solo_estimates import (
    deal_ratios,
    deals_frame,
    if_varied,
    sums_by_unit,
    unit_ratios,
    with_players,
)
from simgin.rules.variants import Variant
from simgin.stats.estimate import ENOUGH_UNITS, Estimate, around, quantile
from simgin.value import value

if TYPE_CHECKING:
    import pandas as pd

ENDINGS = {
    "gin": ("gin", "big_gin"),
    "knock": ("knock", "undercut", "even"),
    "joker": ("joker",),
    "limit": ("limit",),
}
# Keeps pairs and what can grow, discards the dearest rest, and knocks as soon as it may
NAIVE = "gold+discard=hits:keep_pairs=yes"
STRONGEST = "solo-champion"  # up to thirty times slower than the others
LADDERS = {
    "winloss": (NAIVE, "solo-greedy", "solo-lookahead:aim=gin", "solo-lookahead", "solo-dp"),
    "joker": (NAIVE, "solo-greedy", "solo-lookahead", "solo-lookahead:aim=gin", "solo-dp"),
    "penalty": (NAIVE, "solo-greedy", "solo-lookahead", "solo-switch", "solo-dp"),
}
QUANTILES = (0.1, 0.5, 0.9)

STRENGTH_COLUMNS = ("metric", "value", "low", "high", "n")
DRAW_COLUMNS = ("draws", "kind", "share", "low", "high", "n")
LEFT_COLUMNS = ("left", "metric", "value", "low", "high", "n")
GIN_COLUMNS = ("statistic", "value", "low", "high", "n")
TOTAL_COLUMNS = ("total", "share", "low", "high", "n")
THRESHOLD_COLUMNS = ("k", "measure", "value", "low", "high", "n")


def ladder(variant: Variant) -> tuple[str, ...]:
    """Players of a solitaire variant from weak to strong; see docs/reference/strategies/solo.md."""
    return (*quick_ladder(variant), STRONGEST)


def quick_ladder(variant: Variant) -> tuple[str, ...]:
    """The quick ones of them, by how deals are scored."""
    return LADDERS[str(variant.row["deal_scoring"])]


def by_strength(samples: Sequence[Deals]) -> pd.DataFrame:
    """Results of every player: STRENGTH_COLUMNS.

    Metrics: `win` a deal, go `gin`, mean `score` of a deal, and `match` where there is one to win.
    The chance to win a match to points is V at its start, from the same deals; that of a match of a
    fixed number of deals is the share won. Where V is refused there is no such row (`refusal` says
    why).
    """
    import pandas as pd

    return pd.concat([_strength(deals) for deals in samples], ignore_index=True)


def _strength(deals: Deals) -> pd.DataFrame:
    rows = _results(deals)
    if not deals.matchup.variant.goal.one_deal and not refusal(deals):
        match, n = match_odds(deals)
        rows.append(("match", *match.with_limits, n))
    return deals_frame(deals, rows, STRENGTH_COLUMNS)


def _results(deals: Deals) -> list[tuple[str, float, float, float, int]]:
    """How a deal comes out: the chance to win and to go gin, and the mean score."""
    n = len(deals.rows)
    all_deals = np.ones(n, np.int64)
    won = deals.column("won")
    gin = deals.ended(*ENDINGS["gin"])
    score = deals.column("score")
    win_share, gin_share = deal_ratios(deals, [(won, all_deals), (gin, all_deals)])
    (mean_score,) = deal_ratios(deals, [(score, all_deals)], share=False)
    estimates = {"win": win_share, "gin": gin_share, "score": mean_score}
    return [(metric, *estimate.with_limits, n) for metric, estimate in estimates.items()]


def refusal(deals: Deals) -> str:
    """Why there is no chance to win the match, with what to do instead; empty if there is one."""
    if deals.matchup.variant.goal.one_deal:
        return ""
    try:
        match_odds(deals)
    except value.ValueRefused as error:
        return str(error)
    return ""


@cache
def match_odds(deals: Deals) -> tuple[Estimate, int]:
    """The chance to win the match, and how many matches or deals (by V) are behind it.

    Raises ValueRefused where V cannot be had from these deals, with what to do instead.
    """
    if deals.matchup.unit == "match":
        last, won = _by_match(deals)
        n = len(last)
        (share,) = unit_ratios(won.astype(np.int64), np.ones(n, np.int64))
        return share, n
    if deals.by_score:
        strategy = deals.strategy
        variant = deals.variant
        command = shlex.join(["simgin", "match", strategy, "-v", variant, "--matches", "100k"])
        raise value.ValueRefused(
            f"{strategy} plays {variant} otherwise at other scores, and V by score is "
            f"computed for two players only. Estimate it by play: {command}."
        )
    start = value.at_any_score(deals.matchup, deals.counted).start()
    n = len(deals.rows)
    return if_varied(around(start.value, start.se, n, np.inf, least=0.0, most=1.0)), n


def by_draws(deals: Deals) -> pd.DataFrame:
    """The share of all deals that have ended in a kind by so many draws: DRAW_COLUMNS.

    Kinds that occur: gin (big gin, too), knock (whoever won by it), joker, limit. The joker is met
    by drawing it, so by as many draws as there are cards in the deck every deal is over.
    """
    drawn = deals.column("drawn")
    n = len(deals.rows)
    all_deals = np.ones(n, np.int64)
    draws = range(_most_draws(deals) + 1)
    rows = []
    for kind, ended in _kinds(deals):
        pairs = [(ended & (drawn <= t), all_deals) for t in draws]
        for t, share in zip(draws, deal_ratios(deals, pairs), strict=True):
            rows.append((t, kind, *share.with_limits, n))
    return deals_frame(deals, rows, DRAW_COLUMNS)


def by_cards_left(deals: Deals) -> pd.DataFrame:
    """Chances of the deals that go on with so many cards left: LEFT_COLUMNS.

    Metrics: chance to `win`, to go `gin`, and mean `score`. left counts the joker. A deal goes on
    if another card is drawn. Where fewer than 30 deals go on there is no row.
    """
    drawn = deals.column("drawn")
    draws = range(_most_draws(deals))
    won = deals.column("won")
    gin = deals.ended(*ENDINGS["gin"])
    metrics = (("win", won, True), ("gin", gin, True), ("score", deals.column("score"), False))
    rows = []
    for metric, counted, share in metrics:
        pairs = [(counted * (drawn > t), drawn > t) for t in draws]
        for t, ratio in zip(draws, deal_ratios(deals, pairs, share=share), strict=True):
            rows.append((deals.deck - t, metric, *ratio.with_limits, int((drawn > t).sum())))
    return deals_frame(deals, rows, LEFT_COLUMNS).dropna(ignore_index=True)


def gin_draws(deals: Deals) -> pd.DataFrame:
    """On which draw gin came, where it came: GIN_COLUMNS, statistic `mean`, `q10`, `q50`, `q90`.

    Limits of quantiles are order statistics (binomial, by its normal approximation).
    """
    drawn = np.sort(deals.column("drawn")[deals.ended(*ENDINGS["gin"])])
    n = len(drawn)
    if n < ENOUGH_UNITS:
        return deals_frame(deals, [], GIN_COLUMNS)
    se = float(drawn.std(ddof=1) / np.sqrt(n))
    mean = if_varied(around(float(drawn.mean()), se, n, np.inf, least=0.0))
    rows: list[tuple[Any, ...]] = [("mean", *mean.with_limits, n)]
    for q in QUANTILES:
        rows.append((f"q{100 * q:.0f}", *drawn[_quantile_places(n, q)].tolist(), n))
    return deals_frame(deals, rows, GIN_COLUMNS)


def _quantile_places(n: int, q: float) -> np.ndarray:
    """Where a quantile of n sorted numbers and its limits lie: int (3,)."""
    rank = n * q
    half = quantile(n) * np.sqrt(rank * (1 - q))
    ranks = np.array([rank, rank - half, rank + half + 1])
    return np.asarray(np.clip(np.ceil(ranks).astype(int) - 1, 0, n - 1))


def totals(deals: Deals) -> pd.DataFrame:
    """How often a match of a fixed number of deals came to each total: TOTAL_COLUMNS.

    Empty for other variants.
    """
    if deals.matchup.unit != "match":
        return deals_frame(deals, [], TOTAL_COLUMNS)
    matches = sums_by_unit(deals, "score").astype(np.int64)
    n = len(matches)
    seen = np.unique(matches)
    is_seen = matches[:, None] == seen
    shares = unit_ratios(*is_seen.astype(np.int64).T, np.ones(n, np.int64))
    rows = [(int(total), *share.with_limits, n) for total, share in zip(seen, shares, strict=True)]
    return deals_frame(deals, rows, TOTAL_COLUMNS)


def by_threshold(samples: Sequence[Deals]) -> pd.DataFrame:
    """Results by knock threshold: THRESHOLD_COLUMNS.

    Measures: the mean score of a deal ("points"), and the share won ("share"). samples: the same
    player with `knock=at:k=0`, `knock=at:k=1` and so on.
    """
    import pandas as pd

    measures = {"score": "points", "win": "share"}
    rows = []
    for k, deals in enumerate(samples):
        for metric, *rest in _results(deals):
            if metric in measures:
                rows.append((k, measures[metric], *rest))
    frame = pd.DataFrame(rows, columns=list(THRESHOLD_COLUMNS))
    first = samples[0]
    player, _, _ = first.strategy.partition("+knock=")
    return with_players(frame, first.variant, player)


def _by_match(deals: Deals) -> tuple[np.ndarray, np.ndarray]:
    """The place of the last deal of every match, and whether the match was won."""
    unit = deals.column("unit")
    last = np.flatnonzero(np.append(unit[1:] != unit[:-1], True))
    return last, deals.column("outcome")[last] == 0


def _kinds(deals: Deals) -> Iterator[tuple[str, np.ndarray]]:
    """The kinds of ending that occur, and which deals ended so."""
    for kind, names in ENDINGS.items():
        ended = deals.ended(*names)
        if ended.any():
            yield kind, ended


def _most_draws(deals: Deals) -> int:
    """Draws in the longest deal that the rules allow: the joker is found at the end of the deck."""
    most = deals.matchup.variant.row["max_draws"]
    return deals.deck if most is None else int(str(most))
