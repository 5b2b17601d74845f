"""Computation of the odds of variants, with results as DataFrames and as a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.match_value import hands_by_turn
from simgin.odds import solo_deals, solo_odds, two_player_odds
from simgin.odds.solo_deals import SoloDeals
from simgin.odds.two_player_odds import SelfPlay
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import partial_progress
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.result import Result
from simgin.stats import table
from simgin.strategy import loader
from simgin.strategy.cast import odds_players

if TYPE_CHECKING:
    import pandas as pd

    from simgin.report.progress import OnProgress
    from simgin.report.report import Report

SOLO_DEALS = 40_000  # default number of deals per player in a solitaire variant
PAIR_DEALS = 400_000  # default number of deals per player in a two-player variant
RETRACE_INTERVAL = 20  # Only every 20th two-player deal is replayed turn by turn.
THRESHOLD_STRATEGY = "solo-greedy+knock=at:k={k}"  # name of the strategy for a knock threshold

CompileMatchup = Callable[[Matchup], None]
PlayerGroup = tuple[str, tuple[str, ...]]  # variant and the players of the variant


@dataclass(frozen=True)
class OddsRequest:
    """Request to compute the odds of variants.

    Attributes:
        variants: Canonical variant specs.
        strategies: Canonical strategy specs, weakest first. If the list is empty, each variant has
            its default players.
        deals: Number of deals per player, or None to use `SOLO_DEALS` or `PAIR_DEALS`.
        seed: Seed of the shuffles.
        complete: True to include results by knock threshold, and by turn and deadwood.
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
        """Parse the arguments of a request, and remove duplicate variants and strategies.

        Args:
            variants_: Variant specs (default: all solitaire variants).
            strategies: Strategy specs, weakest first (default: the players of each variant).
            deals: Deals per player.
            seed: Seed of the shuffles.
            complete: True to include results by knock threshold, and by turn and deadwood.

        Raises:
            ValueError: If a variant or a strategy was not found.
        """
        solitaire = [variant.spec for variant in _solitaire_variants(variants.variant_names())]
        variant_specs = [variants.find_variant(text).spec for text in variants_ or solitaire]
        players = [loader.find_strategy(text).spec for text in strategies]
        unique = tuple(dict.fromkeys(variant_specs)), tuple(dict.fromkeys(players))
        return cls(*unique, deals, seed, complete)

    @property
    def solo_groups(self) -> list[PlayerGroup]:
        """Solitaire variants, each with its players in ascending order of strength."""
        solo_variants = _solitaire_variants(self.variants)
        return [(game.spec, self.strategies or odds_players(game)) for game in solo_variants]

    @property
    def threshold_groups(self) -> list[PlayerGroup]:
        """Solitaire variants with knocking, each with one player per knock threshold."""
        groups = []
        for variant in _solitaire_variants(self.variants):
            limit = variant.params["knock_limit"]
            if limit and self.complete:
                players = tuple(THRESHOLD_STRATEGY.format(k=k) for k in range(int(str(limit)) + 1))
                groups.append((variant.spec, players))
        return groups

    @property
    def two_player_groups(self) -> list[PlayerGroup]:
        """Two-player variants, each with its players in self-play, weakest first."""
        solo_variants = {variant.spec for variant in _solitaire_variants(self.variants)}
        return [
            (variant, self.strategies or odds_players(variants.find_variant(variant)))
            for variant in self.variants
            if variant not in solo_variants
        ]

    @property
    def step_names(self) -> list[str]:
        """Player and variant of each step of the run, in order."""
        groups = (*self.solo_groups, *self.threshold_groups, *self.two_player_groups)
        return [f"{player}, {variant}" for variant, players in groups for player in players]


@dataclass(frozen=True, repr=False)
class Odds(Result):
    """Tables of odds for one or more variants.

    Attributes:
        seed: Seed of the shuffles.
        tables: DataFrame of each table, by table name.
        strongest: Strongest player of each variant, to whom most odds refer.
        unavailable: Reasons why some odds could not be computed.
        played: Matchups that were played, with their numbers of units.
    """

    plots_folder = ""
    seed: int
    tables: dict[str, pd.DataFrame]
    strongest: dict[str, str] = field(default_factory=dict)
    unavailable: Sequence[str] = ()
    played: Sequence[tuple[Matchup, int]] = ()

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the non-empty tables of odds by name."""
        return self.tables

    def report(self, command: str) -> Report:
        """Return the report of the computed odds."""
        from simgin.odds.odds_report import odds_report

        return odds_report(self, command)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of all tables for JSON, each row with the name of its table.

        Undefined and infinite values are None.
        """
        return [
            {"table": name, **row}
            for name, frame in self.tables.items()
            for row in table.to_records(frame.replace([np.inf, -np.inf], np.nan))
        ]

    def csv_files(self) -> dict[str, str]:
        """Return the CSV contents of every table, by file name."""
        return {f"{name}.csv": table.format_csv(frame) for name, frame in self.tables.items()}

    def select_rows(self, name: str, variant: str, **values: object) -> pd.DataFrame:
        """Return the rows of a table that belong to a variant, or no rows without such a table.

        Args:
            name: Name of the table.
            variant: Variant spec.
            **values: Required values by column; `strongest=True` selects the strongest player.
        """
        if name not in self.tables:
            return next(iter(self.tables.values())).head(0)
        if values.pop("strongest", False):
            values["strategy"] = self.strongest[variant]
        frame = self.tables[name]
        for column, value in {"variant": variant, **values}.items():
            frame = frame[frame[column] == value]
        return frame


def run_odds(
    request: OddsRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    compile_players: CompileMatchup = kernel.compile_matchup,
) -> Odds:
    """Compute odds, using cached results of earlier runs.

    Args:
        request: Request with the variants, players and number of deals.
        workers: Number of threads, by default one per CPU.
        on_progress: Callback that reports the progress of the whole run.
        compile_players: Function that compiles a matchup before it is played.

    Raises:
        OutcomeError: If the number of deals is too small.
        PlayerCountError: If a strategy cannot play a variant.
    """
    names = request.step_names
    players = len(names)

    def report(done: int, units: int) -> None:
        if on_progress is not None:
            player_index = min(players * done // units, players - 1)
            on_progress(
                done,
                units,
                lambda: f"player {player_index + 1} of {players}: {names[player_index]}",
            )

    steps = (partial_progress(report, i, players) for i in range(players))
    settings: dict[str, Any] = {"seed": request.seed, "workers": workers}

    def simulate_solo(groups: Sequence[PlayerGroup]) -> list[list[SoloDeals]]:
        n = request.deals or SOLO_DEALS
        return [
            [
                solo_deals.play_solo_deals(
                    strategy,
                    variant,
                    n,
                    on_progress=next(steps),
                    compile_players=compile_players,
                    **settings,
                )
                for strategy in group
            ]
            for variant, group in groups
        ]

    ladders = simulate_solo(request.solo_groups)
    threshold_results = simulate_solo(request.threshold_groups)
    tables: list[SelfPlay] = []
    counts: list[pd.DataFrame] = []
    for variant, group in request.two_player_groups:
        for player in group:
            step = next(steps)
            compile_players(parse_matchup(player, player, variant, request.seed, "deal"))
            n = request.deals or PAIR_DEALS
            self_play = two_player_odds.simulate_self_play(
                player, variant, n, on_progress=partial_progress(step, 0, 2), **settings
            )
            tables.append(self_play)
            if request.complete:
                turn_hands = hands_by_turn.play_by_turn(
                    self_play.matchup, n // RETRACE_INTERVAL, workers, partial_progress(step, 1, 2)
                )
                counts.append(hands_by_turn.win_rate_by_deadwood(turn_hands))
            if step:
                step(1, 1)
    return build_odds(
        ladders, tables, request.seed, threshold_results=threshold_results, deadwood_tables=counts
    )


def build_odds(
    solo_results: Sequence[Sequence[SoloDeals]],
    self_plays: Sequence[SelfPlay],
    seed: int,
    *,
    threshold_results: Sequence[Sequence[SoloDeals]] = (),
    deadwood_tables: Sequence[pd.DataFrame] = (),
) -> Odds:
    """Combine the results of all steps into tables, and omit empty tables.

    Args:
        solo_results: Deals of each solitaire variant, one entry per player, weakest player first.
        self_plays: Self-play results of each player in each two-player variant.
        seed: Seed of the shuffles.
        threshold_results: Deals for each knock threshold, by solitaire variant that allows
            knocking.
        deadwood_tables: Tables returned by `hands_by_turn.win_rate_by_deadwood`.
    """
    all_deals = [deals for players in solo_results for deals in players]
    pairs = [players for players in solo_results if len(players) > 1]
    parts: dict[str, list[pd.DataFrame]] = {
        "strength": [solo_odds.odds_by_strategy(players) for players in solo_results],
        "bracket": [solo_odds.optimum_bracket(players) for players in solo_results],
        "odds": [solo_odds.odds_by_draws(deals) for deals in all_deals],
        "left": [solo_odds.odds_by_cards_left(deals) for deals in all_deals],
        "gin": [solo_odds.gin_draw_statistics(deals) for deals in all_deals],
        "totals": [solo_odds.match_total_odds(deals) for deals in all_deals],
        "gap": [solo_odds.skill_gap(players[0], players[-1]) for players in pairs],
        "joker": [solo_odds.joker_variance_share(deals) for deals in all_deals],
        "threshold": [solo_odds.odds_by_threshold(group) for group in threshold_results],
        "counts": list(deadwood_tables),
        "seats": [two_player_odds.odds_by_seat(result) for result in self_plays],
        "scores": [two_player_odds.odds_by_score(result) for result in self_plays],
    }
    strongest = {players[-1].variant: players[-1].strategy for players in solo_results}
    # The last player is the strongest.
    strongest |= {result.variant: result.strategy for result in self_plays}
    reasons = [result.unavailable_reason for result in self_plays] + [
        solo_odds.match_unavailable_reason(deals) for deals in all_deals
    ]
    solo = [deals for players in (*solo_results, *threshold_results) for deals in players]
    return Odds(
        seed,
        dict(_nonempty_tables(parts)),
        strongest,
        list(filter(None, reasons)),
        [(result.matchup, result.n_units) for result in solo]
        + [(result.matchup, result.n_deals) for result in self_plays],
    )


def _nonempty_tables(parts: dict[str, list[pd.DataFrame]]) -> Iterator[tuple[str, pd.DataFrame]]:
    for name, frames in parts.items():
        nonempty = [frame for frame in frames if len(frame)]
        if nonempty:
            yield name, table.concat_frames(nonempty)


def _solitaire_variants(texts: Sequence[str]) -> list[Variant]:
    return [
        variant for variant in map(variants.find_variant, texts) if variant.params["players"] == 1
    ]
