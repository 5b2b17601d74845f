"""Odds of variants: request, simulation, and results as DataFrames by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds import sample, seats, solo_odds
from simgin.odds.sample import Deals
from simgin.odds.seats import Table
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import share
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.manifest import run_identity
from simgin.stats import table
from simgin.strategy import loader
from simgin.strategy.cast import odds_players
from simgin.value import turns

if TYPE_CHECKING:
    import pandas as pd

    from simgin.report.progress import OnProgress
    from simgin.report.report import Report

SOLO_DEALS = 40_000  # deals per player of a solitaire variant
PAIR_DEALS = 400_000  # deals per player of a two-player variant
SAMPLED = 20  # One in 20 two-player deals is replayed turn by turn.
STOPPERS = "solo-greedy+knock=at:k={k}"  # strategy for a knock threshold

Prepare = Callable[[Matchup], None]
Group = tuple[str, tuple[str, ...]]  # (variant, players)


@dataclass(frozen=True)
class OddsRequest:
    """Request for odds.

    Attributes:
        variants: Canonical variant specs.
        strategies: Canonical strategy specs, weakest first; empty for the default players of each
            variant.
        deals: Deals per player; None for SOLO_DEALS or PAIR_DEALS.
        seed: Seed of the shuffles.
        complete: Include results by knock threshold, and by turn and deadwood.
    """

    variants: tuple[str, ...]
    strategies: tuple[str, ...] = ()
    deals: int | None = None
    seed: int = 1
    complete: bool = True

    @classmethod
    def read(
        cls,
        variants_: Sequence[str] = (),
        strategies: Sequence[str] = (),
        *,
        deals: int | None = None,
        seed: int = 1,
        complete: bool = True,
    ) -> OddsRequest:
        """Read a request: variants, by default all solitaire ones, and strategies, each once.

        Raises:
            ValueError: If a name was not found.
        """
        solitaire = [variant.text for variant in _solitaire(variants.names())]
        chosen = [variants.find(text).text for text in variants_ or solitaire]
        players = [loader.find(text).text for text in strategies]
        unique = tuple(dict.fromkeys(chosen)), tuple(dict.fromkeys(players))
        return cls(*unique, deals, seed, complete)

    @property
    def ladders(self) -> list[Group]:
        """Solitaire variants with their players, weakest first."""
        alone = _solitaire(self.variants)
        return [(game.text, self.strategies or odds_players(game)) for game in alone]

    @property
    def stoppers(self) -> list[Group]:
        """Solitaire variants with a knock, each with one player per knock threshold."""
        groups = []
        for variant in _solitaire(self.variants):
            limit = variant.row["knock_limit"]
            if limit and self.complete:
                players = tuple(STOPPERS.format(k=k) for k in range(int(str(limit)) + 1))
                groups.append((variant.text, players))
        return groups

    @property
    def pairs(self) -> list[Group]:
        """Two-player variants with the players that play against themselves, weakest first."""
        alone = {variant.text for variant in _solitaire(self.variants)}
        return [
            (variant, self.strategies or odds_players(variants.find(variant)))
            for variant in self.variants
            if variant not in alone
        ]

    @property
    def names(self) -> list[str]:
        """Player and variant of each step, in the order of play."""
        groups = (*self.ladders, *self.stoppers, *self.pairs)
        return [f"{player}, {variant}" for variant, players in groups for player in players]


@dataclass(frozen=True)
class Odds:
    """Odds as tables by name.

    Attributes:
        seed: Seed of the shuffles.
        tables: Tables by name.
        strongest: Strongest player by variant, the subject of most odds.
        unavailable: Explanations of odds that are not computable.
        played: Matchups with their numbers of units.
    """

    seed: int
    tables: dict[str, pd.DataFrame]
    strongest: dict[str, str] = field(default_factory=dict)
    refused: Sequence[str] = ()
    played: Sequence[tuple[Matchup, int]] = ()

    @cached_property
    def identity(self) -> dict[str, Any]:
        """See `simgin.report.report.Result`."""
        return run_identity([matchup for matchup, _ in self.played])

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return [units for _, units in self.played]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name; those without rows are missing."""
        return self.tables

    def report(self, command: str) -> Report:
        """Return the report of the odds."""
        from simgin.odds.odds_report import odds_report

        return odds_report(self, command)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of all tables for JSON, each with the name of its table.

        Undefined and infinite values are None.
        """
        return [
            {"table": name, **row}
            for name, frame in self.tables.items()
            for row in table.records(frame.replace([np.inf, -np.inf], np.nan))
        ]

    def csv_files(self) -> dict[str, str]:
        """Return every table as CSV, by file name."""
        return {f"{name}.csv": table.csv(frame) for name, frame in self.tables.items()}

    def rows(self, name: str, variant: str, **wanted: object) -> pd.DataFrame:
        """Return the rows of a table about a variant; none if the table does not exist.

        Args:
            name: Name of the table.
            variant: Variant spec.
            **wanted: Required values by column; `strongest=True` selects the strongest player.
        """
        if name not in self.tables:
            return next(iter(self.tables.values())).head(0)
        if wanted.pop("strongest", False):
            wanted["strategy"] = self.strongest[variant]
        frame = self.tables[name]
        for column, value in {"variant": variant, **wanted}.items():
            frame = frame[frame[column] == value]
        return frame


def run_odds(
    request: OddsRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    prepare: Prepare = kernel.prepare,
) -> Odds:
    """Compute odds. Players that an earlier run left in the cache do not play again.

    Args:
        request: Variants, players and number of deals.
        workers: Number of threads, by default one per CPU.
        on_progress: Callback for the progress of all players together.
        prepare: Function that compiles a matchup before it is played.

    Raises:
        OutcomeError: If there are too few deals.
        SeatError: If a strategy cannot play a variant.
    """
    names = request.names
    players = len(names)

    def report(done: int, units: int) -> None:
        if on_progress is not None:
            place = min(players * done // units, players - 1)
            on_progress(done, units, lambda: f"player {place + 1} of {players}: {names[place]}")

    steps = (share(report, place, players) for place in range(players))
    how: dict[str, Any] = {"seed": request.seed, "workers": workers}

    def alone(groups: Sequence[Group]) -> list[list[Deals]]:
        n = request.deals or SOLO_DEALS
        return [
            [
                sample.play_alone(one, variant, n, progress=next(steps), prepare=prepare, **how)
                for one in group
            ]
            for variant, group in groups
        ]

    ladders = alone(request.ladders)
    stopped = alone(request.stoppers)
    tables: list[Table] = []
    counts: list[pd.DataFrame] = []
    for variant, group in request.pairs:
        for player in group:
            step = next(steps)
            prepare(parse_matchup(player, player, variant, request.seed, "deal"))
            n = request.deals or PAIR_DEALS
            own = seats.play_self(player, variant, n, progress=share(step, 0, 2), **how)
            tables.append(own)
            if request.complete:
                followed = turns.play(own.matchup, n // SAMPLED, workers, share(step, 1, 2))
                counts.append(turns.counts(followed))
            if step:
                step(1, 1)
    return build_odds(ladders, tables, request.seed, stopped=stopped, counts=counts)


def build_odds(
    ladders: Sequence[Sequence[Deals]],
    tables: Sequence[Table],
    seed: int,
    *,
    stopped: Sequence[Sequence[Deals]] = (),
    counts: Sequence[pd.DataFrame] = (),
) -> Odds:
    """Combine results into odds. Tables without rows are left out.

    Args:
        ladders: Players of each solitaire variant, weakest first.
        tables: Self-play of each two-player variant and player.
        seed: Seed of the shuffles.
        stopped: For each solitaire variant with a knock, one player per knock threshold.
        counts: Tables of `hands_by_turn.win_rate_by_deadwood`.
    """
    every = [deals for players in ladders for deals in players]
    pairs = [players for players in ladders if len(players) > 1]
    parts: dict[str, list[pd.DataFrame]] = {
        "strength": [solo_odds.by_strength(players) for players in ladders],
        "bracket": [solo_odds.bracket(players) for players in ladders],
        "odds": [solo_odds.by_draws(deals) for deals in every],
        "left": [solo_odds.by_cards_left(deals) for deals in every],
        "gin": [solo_odds.gin_draws(deals) for deals in every],
        "totals": [solo_odds.totals(deals) for deals in every],
        "gap": [solo_odds.gap(players[0], players[-1]) for players in pairs],
        "joker": [solo_odds.jokers_share(deals) for deals in every],
        "threshold": [solo_odds.by_threshold(group) for group in stopped],
        "counts": list(counts),
        "seats": [seats.by_seat(own) for own in tables],
        "scores": [seats.by_score(own) for own in tables],
    }
    strongest = {players[-1].variant: players[-1].strategy for players in ladders}
    strongest |= {own.variant: own.strategy for own in tables}  # The last player is the strongest.
    reasons = [own.refused for own in tables] + [solo_odds.refusal(deals) for deals in every]
    solo = [deals for players in (*ladders, *stopped) for deals in players]
    return Odds(
        seed,
        dict(_filled(parts)),
        strongest,
        list(filter(None, reasons)),
        [(own.matchup, own.units) for own in solo] + [(own.matchup, own.deals) for own in tables],
    )


def _filled(parts: dict[str, list[pd.DataFrame]]) -> Iterator[tuple[str, pd.DataFrame]]:
    for name, frames in parts.items():
        filled = [frame for frame in frames if len(frame)]
        if filled:
            yield name, table.joined(filled)


def _solitaire(texts: Sequence[str]) -> list[Variant]:
    return [variant for variant in map(variants.find, texts) if variant.row["players"] == 1]
