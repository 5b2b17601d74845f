"""The request of odds: which variants, which players, how many deals; and its measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.odds import sample, seats, solo_odds
from simgin.odds.odds import Odds, build_odds
from simgin.odds.sample import Deals
from simgin.odds.seats import Table
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import share
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.strategy import loader
from simgin.value import turns

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.parallel import Progress

SOLO_DEALS = 40_000  # per player of a solitaire variant
PAIR_DEALS = 400_000  # per player of a two-player variant
SAMPLED = 20  # one in so many two-player deals is followed turn by turn, to value hands
STOPPERS = "solo-greedy+knock=at:k={k}"  # who shows which deadwood to knock with

Prepare = Callable[[Matchup], None]
Group = tuple[str, tuple[str, ...]]  # a variant and its players


@dataclass(frozen=True)
class OddsRequest:
    """Whose odds are asked for, under which variants.

    variants, strategies: canonical texts, the strategies weakest first; without strategies the
    usual players of each variant. deals: per player; None takes SOLO_DEALS or PAIR_DEALS.
    complete: with results by knock threshold, and by turn and deadwood.
    """

    variants: tuple[str, ...]
    strategies: tuple[str, ...] = ()
    deals: int | None = None
    seed: int = 1
    complete: bool = True

    @property
    def ladders(self) -> list[Group]:
        """Every solitaire variant with its players, weakest first."""
        return [
            (variant.text, self.strategies or solo_odds.ladder(variant))
            for variant in _solitaire(self.variants)
        ]

    @property
    def stoppers(self) -> list[Group]:
        """Every solitaire variant with a knock, with a player for each knock threshold."""
        groups = []
        for variant in _solitaire(self.variants):
            limit = variant.row["knock_limit"]
            if limit and self.complete:
                players = tuple(STOPPERS.format(k=k) for k in range(int(str(limit)) + 1))
                groups.append((variant.text, players))
        return groups

    @property
    def pairs(self) -> list[Group]:
        """Every two-player variant with those who play against themselves."""
        alone = {variant.text for variant in _solitaire(self.variants)}
        players = self.strategies or seats.PLAYERS
        return [(variant, players) for variant in self.variants if variant not in alone]

    @property
    def names(self) -> list[str]:
        """Who plays what, in the order of play."""
        names = []
        for variant, players in (*self.ladders, *self.stoppers, *self.pairs):
            names += [f"{player}, {variant}" for player in players]
        return names

    @property
    def players(self) -> int:
        """Players over all variants: the steps of the measurement."""
        return len(self.names)


@dataclass(frozen=True)
class MeasuredOdds:
    """The odds of a request, and the units of every matchup played for them."""

    tables: Odds
    played: Sequence[tuple[Matchup, int]]


def read_request(
    variant_texts: Sequence[str],
    strategies: Sequence[str] = (),
    *,
    deals: int | None = None,
    seed: int = 1,
    complete: bool = True,
) -> OddsRequest:
    """The request for variants, by default all solitaire ones, and strategies; each taken once.

    Raises ValueError for a name that does not exist.
    """
    solitaire = [variant.text for variant in _solitaire(variants.names())]
    chosen = [variants.find(text).text for text in variant_texts or solitaire]
    players = [loader.find(text).text for text in strategies]
    return OddsRequest(
        tuple(dict.fromkeys(chosen)), tuple(dict.fromkeys(players)), deals, seed, complete
    )


def measure(
    request: OddsRequest,
    workers: int | None = None,
    *,
    progress: Progress | None = None,
    prepare: Prepare = kernel.prepare,
) -> MeasuredOdds:
    """The odds of a request; players on disk from an earlier measurement are not played again.

    prepare compiles a matchup before it is played. Raises DealsError for too few deals and
    SeatError for a strategy that cannot play a variant.
    """
    steps = (share(progress, place, request.players) for place in range(request.players))

    def play_groups(groups: Sequence[Group]) -> list[list[Deals]]:
        return [_play_alone(request, group, workers, steps, prepare) for group in groups]

    ladders = play_groups(request.ladders)
    stopped = play_groups(request.stoppers)
    tables: list[Table] = []
    counts: list[pd.DataFrame] = []
    for variant, players in request.pairs:
        for player in players:
            table, by_hand = _play_self(request, player, variant, workers, next(steps), prepare)
            tables.append(table)
            counts += by_hand
    odds = build_odds(
        ladders,
        tables,
        request.seed,
        thresholds=[solo_odds.by_threshold(group) for group in stopped],
        counts=counts,
    )
    played = []
    for deals in (*ladders, *stopped):
        played += [(sampled.matchup, sampled.units) for sampled in deals]
    played += [(table.matchup, table.deals) for table in tables]
    return MeasuredOdds(odds, played)


def _play_alone(
    request: OddsRequest,
    group: Group,
    workers: int | None,
    steps: Iterator[Progress | None],
    prepare: Prepare,
) -> list[Deals]:
    """Deals of every player of a solitaire variant."""
    variant, players = group
    n = request.deals or SOLO_DEALS
    how: dict[str, Any] = {"seed": request.seed, "workers": workers, "prepare": prepare}
    return [
        sample.play_alone(player, variant, n, progress=next(steps), **how) for player in players
    ]


def _play_self(
    request: OddsRequest,
    player: str,
    variant: str,
    workers: int | None,
    progress: Progress | None,
    prepare: Prepare,
) -> tuple[Table, list[pd.DataFrame]]:
    """Deals of a player against itself, and results by turn and deadwood of a sample of them."""
    prepare(parse_matchup(player, player, variant, request.seed, "deal"))
    deals = request.deals or PAIR_DEALS
    table = seats.play_self(
        player, variant, deals, seed=request.seed, workers=workers, progress=share(progress, 0, 2)
    )
    counts = []
    if request.complete:
        followed = turns.play(table.matchup, deals // SAMPLED, workers, share(progress, 1, 2))
        counts.append(turns.counts(followed))
    if progress:
        progress(1, 1)
    return table, counts


def _solitaire(texts: Sequence[str]) -> list[Variant]:
    return [variant for variant in map(variants.find, texts) if variant.row["players"] == 1]
