"""Solitaire odds as tidy frames with 95 % limits: by strategy, draw, cards left and total.

    variant = "solitaire-gin"
    samples = [play_alone(player, variant, 40_000) for player in ladder(variants.find(variant))]
    by_strength(samples)  # chance to win, to go gin, to win the match; mean score, by player
    by_draws(samples[-1])  # by what draw the best of them has gone gin, or met the joker

Every frame has the columns variant, strategy, opponent (empty), those named at its function, the
value with se, low and high, and n: the deals, or matches, behind a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.cards import PACK
from simgin.core.meldings import melds_in
from simgin.core.rules import NO_JOKER
from simgin.odds.sample import Deals, dealt, stated, told
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.stats.estimate import (
    ENOUGH_UNITS,
    POWER_80,
    Estimate,
    RatioSums,
    around,
    estimate_ratio,
    mean_of,
    quantile,
    undefined,
)
from simgin.stats.table import joined
from simgin.value import outcomes, value

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

RESULTS = {"win": "won", "score": "score"}  # metrics of a deal, and the columns they are from
HINDSIGHT = "hindsight"  # a player who sees the whole deck
DECKS = 10_000  # that it is shown
MOST_MELDS = 1024


def ladder(variant: Variant) -> tuple[str, ...]:
    """Players of a solitaire variant from weak to strong; see docs/reference/strategies/solo.md."""
    return (*quick_ladder(variant), STRONGEST)


def quick_ladder(variant: Variant) -> tuple[str, ...]:
    """The quick ones of them, by how deals are scored."""
    return LADDERS[str(variant.row["deal_scoring"])]


def by_strength(samples: Sequence[Deals]) -> pd.DataFrame:
    """Results of every player by metric.

    Metrics: `win` a deal, go `gin`, mean `score` of a deal, and `match` where there is one to win.
    The chance to win a match to points is V at its start, from the same deals; that of a match of a
    fixed number of deals is the share won. Where V is refused there is no such row (`refusal` says
    why).
    """
    return joined([_strength(deals) for deals in samples])


def _strength(deals: Deals) -> pd.DataFrame:
    rows = _results(deals)
    if not deals.matchup.variant.goal.one_deal and not refusal(deals):
        rows.append({"metric": "match", **stated(*match_odds(deals))})
    return told(deals.matchup, rows)


def _results(deals: Deals) -> list[dict[str, Any]]:
    """How a deal comes out: the chance to win and to go gin, and the mean score."""
    n = len(deals.rows)
    counted = _counted(deals).items()
    return [{"metric": name, **stated(of_all(deals, *each), n)} for name, each in counted]


def _counted(deals: Deals) -> dict[str, tuple[np.ndarray, bool]]:
    """What is counted of every deal by metric, and whether it is a share."""
    return {
        "win": (deals.column("won"), True),
        "gin": (deals.ended(*ENDINGS["gin"]), True),
        "score": (deals.column("score"), False),
    }


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
        unit = deals.column("unit")
        is_last = np.append(unit[1:] != unit[:-1], True)
        won = deals.column("outcome")[is_last] == 0
        n = len(won)
        (share,) = unit_ratios(won.astype(np.int64), np.ones(n, np.int64))
        return share, n
    if deals.by_score:
        raise value.refusal(
            deals.matchup,
            f"{deals.strategy} plays {deals.variant} otherwise at other scores, and V by score is "
            "computed for two players only.",
        )
    start = value.at_any_score(deals.matchup, deals.counted).start()
    n = len(deals.rows)
    return if_varied(around(start.value, start.se, n, np.inf, least=0.0, most=1.0)), n


def by_draws(deals: Deals) -> pd.DataFrame:
    """The share of all deals that have ended in a kind by so many draws: draws, kind, share.

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
            rows.append({"draws": t, "kind": kind, **stated(share, n, "share")})
    return told(deals.matchup, rows)


def by_cards_left(deals: Deals) -> pd.DataFrame:
    """Chances of the deals that go on with so many cards left, by left and metric.

    Metrics: chance to `win`, to go `gin`, and mean `score`. left counts the joker. A deal goes on
    if another card is drawn. Where fewer than 30 deals go on there is no row.
    """
    drawn = deals.column("drawn")
    draws = range(_most_draws(deals))
    rows = []
    for metric, (counted, share) in _counted(deals).items():
        pairs = [(counted * (drawn > t), drawn > t) for t in draws]
        for t, ratio in zip(draws, deal_ratios(deals, pairs, share=share), strict=True):
            left = {"left": deals.deck - t, "metric": metric}
            rows.append(left | stated(ratio, int((drawn > t).sum())))
    return told(deals.matchup, rows).dropna(ignore_index=True)


def gin_draws(deals: Deals) -> pd.DataFrame:
    """On which draw gin came, where it came: statistic `mean`, `q10`, `q50`, `q90`.

    Limits of quantiles are order statistics (binomial, by its normal approximation).
    """
    drawn = np.sort(deals.column("drawn")[deals.ended(*ENDINGS["gin"])])
    n = len(drawn)
    if n < ENOUGH_UNITS:
        return told(deals.matchup, [])
    se = float(drawn.std(ddof=1) / np.sqrt(n))
    mean = if_varied(around(float(drawn.mean()), se, n, np.inf, least=0.0))
    rows = [{"statistic": "mean", **stated(mean, n)}]
    for q in QUANTILES:
        # The quantile of n sorted numbers, and its limits
        rank = n * q
        half = quantile(n) * np.sqrt(rank * (1 - q))
        ranks = np.array([rank, rank - half, rank + half + 1])
        places = np.clip(np.ceil(ranks).astype(int) - 1, 0, n - 1)
        middle = Estimate(drawn[places[0]].item(), np.nan, n, *drawn[places[1:]].tolist())
        rows.append({"statistic": f"q{100 * q:.0f}", **stated(middle, n)})
    return told(deals.matchup, rows)


def totals(deals: Deals) -> pd.DataFrame:
    """How often a match of a fixed number of deals came to each total: total, share.

    Empty for other variants.
    """
    if deals.matchup.unit != "match":
        return told(deals.matchup, [])
    matches = sums_by_unit(deals, "score").astype(np.int64)
    n = len(matches)
    seen = np.unique(matches)
    is_seen = matches[:, None] == seen
    shares = unit_ratios(*is_seen.astype(np.int64).T, np.ones(n, np.int64))
    each = zip(seen, shares, strict=True)
    return told(
        deals.matchup, [{"total": int(total), **stated(share, n, "share")} for total, share in each]
    )


def by_threshold(samples: Sequence[Deals]) -> pd.DataFrame:
    """Results by knock threshold k and measure.

    Measures: the mean score of a deal ("points"), and the share won ("share"). samples: the same
    player with `knock=at:k=0`, `knock=at:k=1` and so on.
    """
    measures = {"score": "points", "win": "share"}
    rows = []
    for k, deals in enumerate(samples):
        for row in _results(deals):
            if (metric := row.pop("metric")) in measures:
                rows.append({"k": k, "measure": measures[metric], **row})
    first = samples[0]
    player, _, _ = first.strategy.partition("+knock=")
    return told(first.matchup, rows).assign(strategy=player)


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


# Luck and skill


def gap(weak: Deals, strong: Deals) -> pd.DataFrame:
    """The gap between two players on the same packs, and how many deals show it.

    The frame names the stronger. Metrics: win, score. own_packs and same_packs: deals of each that
    a 5 % test needs to find the difference in four runs of five, (2.8 sigma / difference)^2, if
    both play packs of their own or the same ones. Their limits are those of the difference; the
    spread is known far better.
    """
    deals = len(strong.rows)
    rows = []
    for metric, column in RESULTS.items():
        a = sums_by_unit(strong, column)
        b = sums_by_unit(weak, column)
        n = len(a)
        # Deals in a unit
        each = deals / n
        difference = (a - b) / each
        se = difference.std(ddof=1) / np.sqrt(n)
        found = if_varied(around(float(difference.mean()), float(se), n, np.inf))
        own = (a.var(ddof=1) + b.var(ddof=1)) / each
        same = difference.var(ddof=1) * each
        row = {"base_strategy": weak.strategy, "metric": metric, **stated(found, deals)}
        needed = _needed("own_packs", own, found) | _needed("same_packs", same, found)
        rows.append(row | needed | {"n": row.pop("n")})
    return told(strong.matchup, rows)


def _needed(name: str, variance: float, difference: Estimate) -> dict[str, float]:
    """Deals that show a difference, and what they are at its limits; infinite if it may be 0."""
    names = (name, f"{name}_low", f"{name}_high")
    low, high = difference.limits
    if np.isnan(difference.value):
        return dict.fromkeys(names, np.nan)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    gaps = np.array([difference.value, max(abs(low), abs(high)), nearest])
    with np.errstate(divide="ignore"):
        return dict(zip(names, (POWER_80**2 * variance / gaps**2).tolist(), strict=True))


def bracket(samples: Sequence[Deals]) -> pd.DataFrame:
    """Between whom the best possible player lies, in deals that end with gin.

    The weakest player, the one who goes gin most often, and HINDSIGHT. Metric: gin, which is all
    that wins a deal where there is no knock.
    """
    parts = []
    for deals in samples:
        share = of_all(deals, deals.ended(*ENDINGS["gin"]))
        parts.append(told(deals.matchup, [{"metric": "gin", **stated(share, len(deals.rows))}]))
    best = max(parts[1:] or parts, key=lambda part: part["value"].iloc[0])
    first = samples[0].matchup
    bound = mean_of(hindsight(first.variant, DECKS, first.seed))
    seen = told(first, [{"metric": "gin", **stated(bound, DECKS)}]).assign(strategy=HINDSIGHT)
    return joined([*parts[: len(parts) > 1], best, seen])


def hindsight(variant: Variant, n: int, seed: int) -> np.ndarray:
    """The chance to go gin of one who sees the whole deck, for each of n decks: float64 (n,).

    Every choice of ten of the cards seen so far can be held. So hindsight goes out as soon as those
    hold ten in melds, which can be split in three, three and four, or in two runs of five. Over the
    joker's places is averaged exactly; a joker in the hand counts as dealt again.
    """
    rules = build_rules(variant)
    pack = np.tile(np.arange(52), (n, 1))
    decks = np.random.default_rng(seed).permuted(pack, axis=1)
    # How many cards have been seen with each card: its place in the deck and one
    seen = np.ascontiguousarray(np.argsort(decks, axis=1).T + 1).astype(np.int8)
    found = np.zeros(MOST_MELDS, np.int64)
    melds = found[: melds_in(PACK, rules, found)]
    threes, fours, fives = (melds[np.bitwise_count(melds) == size] for size in (3, 4, 5))
    pairs = _disjoint(threes)
    both = np.maximum(_seen(threes, seen)[pairs[:, 0]], _seen(threes, seen)[pairs[:, 1]])
    least = np.full(n, PACK.bit_count() + 1, np.int64)
    for four in fours:
        apart = (threes[pairs] & four == 0).all(axis=1)
        whole = np.maximum(_seen(np.array([four]), seen), both[apart].min(axis=0))
        least = np.minimum(least, whole[0])
    of_five = _disjoint(fives)
    runs = np.maximum(_seen(fives, seen)[of_five[:, 0]], _seen(fives, seen)[of_five[:, 1]])
    draws = np.maximum(np.minimum(least, runs.min(axis=0)) - dealt(variant), 0)
    if rules.joker == NO_JOKER:
        return np.where(draws <= rules.max_draws, 1.0, 0.0)
    joker_places = 53 - dealt(variant)
    return np.asarray(np.maximum(joker_places - draws, 0) / joker_places)


def _disjoint(melds: np.ndarray) -> np.ndarray:
    """Pairs of melds without a common card, by their places: int (pairs, 2)."""
    first, second = np.triu_indices(len(melds), 1)
    apart = melds[first] & melds[second] == 0
    return np.stack([first[apart], second[apart]], axis=1)


def _seen(melds: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """How many cards have been seen with the last of each meld: int8 (melds, decks)."""
    cards = [[card for card in range(52) if meld >> card & 1] for meld in melds.tolist()]
    return np.stack([seen[own].max(axis=0) for own in cards])


def jokers_share(deals: Deals) -> pd.DataFrame:
    """The share of the variance of a deal's result that the joker's place decides.

    Var(E[result | place]) over the whole variance, from the mean squares of a one-way layout, so
    that finite cells add nothing (Searle, Casella and McCulloch 1992, Variance Components, 3.6);
    the error by leaving out each of twenty groups. Metrics: win, score. No rows without a joker,
    nor where the results of some groups do not vary.
    """
    place = deals.column("place")
    group = deals.column("unit") % outcomes.GROUPS
    if (place < 0).all():
        return told(deals.matchup, [])
    n = int((place >= 0).sum())
    rows = []
    for metric, column in RESULTS.items():
        result = deals.column(column)
        each = [group == g for g in range(outcomes.GROUPS)]
        parts = [_cells(place[own], result[own], deals.deck) for own in each]
        total = np.array(parts).sum(axis=0)
        se = float(outcomes.jackknife(np.array([_between(total - part) for part in parts])))
        between = if_varied(
            around(_between(total), se, outcomes.GROUPS, outcomes.GROUPS, least=0.0, most=1.0)
        )
        rows.append({"metric": metric, **stated(between, n)})
    return told(deals.matchup, rows).dropna(ignore_index=True)


def _cells(place: np.ndarray, result: np.ndarray, size: int) -> np.ndarray:
    """Number, sum and sum of squares of the results at every place: float64 (3, size)."""
    known = place >= 0
    powers = [(result[known] ** power).astype(float) for power in range(3)]
    return np.stack([np.bincount(place[known], numbers, size) for numbers in powers])


def _between(cells: np.ndarray) -> float:
    """The share of the variance between the cells: number, sum and sum of squares of each."""
    n, total, square = cells[:, cells[0] > 0]
    results = n.sum()
    freedom = len(n) - 1
    explained = (total**2 / n).sum()
    overall = total.sum() ** 2 / results
    unequal = (n**2).sum() / results
    within = (square.sum() - explained) / (results - len(n))
    among = (explained - overall) / freedom
    between = (among - within) / ((results - unequal) / freedom)
    whole = between + within
    return float(between / whole) if whole > 0 else np.nan


# Estimates, and frames of them


def deal_ratios(
    deals: Deals, pairs: Sequence[tuple[np.ndarray, np.ndarray]], *, share: bool = True
) -> list[Estimate]:
    """Ratios of sums over deals, with errors clustered over units.

    pairs: numerator and denominator, each one number a deal.
    """
    unit = deals.column("unit")

    def by_unit(numbers: np.ndarray) -> np.ndarray:
        return np.bincount(unit, numbers).astype(np.int64)

    numerators = [by_unit(numerator) for numerator, _ in pairs]
    denominators = [by_unit(denominator) for _, denominator in pairs]
    return unit_ratios(*numerators, np.stack(denominators), share=share)


def of_all(deals: Deals, counted: np.ndarray, share: bool = True) -> Estimate:
    """The mean of what was counted of every deal."""
    return deal_ratios(deals, [(counted, np.ones(len(counted), np.int64))], share=share)[0]


def unit_ratios(*parts: np.ndarray, share: bool = True) -> list[Estimate]:
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


def sums_by_unit(deals: Deals, column: str) -> np.ndarray:
    """The sum of a column over every unit: float64 (units,)."""
    return np.bincount(deals.column("unit"), deals.column(column))


def if_varied(estimate: Estimate) -> Estimate:
    """The estimate; none where nothing varies, since that is no error of nothing."""
    return undefined(int(estimate.n)) if estimate.se == 0 else estimate
