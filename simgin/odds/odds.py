"""Computation of odds for several variants, with the results as DataFrames and a report."""

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
from simgin.play.parallel import make_progress_for_part
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.result import Result
from simgin.stats import table
from simgin.strategy import loader
from simgin.strategy.cast import list_odds_players

if TYPE_CHECKING:
    import pandas as pd

    from simgin.report.progress import OnProgress
    from simgin.report.report import Report

DEFAULT_SOLO_DEALS = 40_000  # default number of deals per player in a solitaire game
DEFAULT_TWO_PLAYER_DEALS = 400_000  # default number of deals per player in a two-player variant
TRACED_DEAL_INTERVAL = 20  # one of this many two-player deals is replayed turn by turn
THRESHOLD_STRATEGY_FORMAT = "solo-greedy+knock=at:k={k}"  # strategy spec for a knock threshold

MatchupCompiler = Callable[[Matchup], None]
PlayerGroup = tuple[str, tuple[str, ...]]  # variant and its players


@dataclass(frozen=True)
class OddsRequest:
    """Request to compute the odds of variants.

    Attributes:
        variants: Canonical variant specs.
        strategies: Canonical strategy specs, weakest first. If there are none, each variant has its
            default players.
        n_deals: Number of deals per player, or None to use `DEFAULT_SOLO_DEALS` or
            `DEFAULT_TWO_PLAYER_DEALS`.
        seed: Seed of the shuffles.
        include_details: True to include results by knock threshold, and results by turn and
            deadwood.
    """

    variants: tuple[str, ...]
    strategies: tuple[str, ...] = ()
    n_deals: int | None = None
    seed: int = 1
    include_details: bool = True

    @classmethod
    def read(
        cls,
        specs: Sequence[str] = (),
        strategies: Sequence[str] = (),
        *,
        deals: int | None = None,
        seed: int = 1,
        include_details: bool = True,
    ) -> OddsRequest:
        """Parse the arguments of a request to compute odds, and remove duplicates.

        Args:
            specs: Variant specs. By default, all solitaire variants are used.
            strategies: Strategy specs, weakest first. By default, each variant has its own players.
            deals: Number of deals per player.
            seed: Seed of the shuffles.
            include_details: True to include results by knock threshold, and results by turn and
                deadwood.

        Raises:
            ValueError: If a variant or strategy does not exist.
        """
        parsed_variants = [variants.find_variant(spec) for spec in specs]
        parsed_variants = parsed_variants or _select_solitaire_variants(variants.variant_names())
        variant_specs = dict.fromkeys(parsed_variant.spec for parsed_variant in parsed_variants)
        strategy_specs = dict.fromkeys(loader.find_strategy(spec).spec for spec in strategies)
        return cls(tuple(variant_specs), tuple(strategy_specs), deals, seed, include_details)

    @property
    def solo_groups(self) -> list[PlayerGroup]:
        """Solitaire variants with their players, weakest first."""
        return [
            (variant.spec, self.strategies or list_odds_players(variant))
            for variant in _select_solitaire_variants(self.variants)
        ]

    @property
    def threshold_groups(self) -> list[PlayerGroup]:
        """Solitaire variants that allow knocking, each with one player per knock threshold."""
        groups = []
        for variant in _select_solitaire_variants(self.variants):
            knock_limit = variant.params["knock_limit"]
            if knock_limit and self.include_details:
                limits = range(int(str(knock_limit)) + 1)
                players = tuple(THRESHOLD_STRATEGY_FORMAT.format(k=k) for k in limits)
                groups.append((variant.spec, players))
        return groups

    @property
    def two_player_groups(self) -> list[PlayerGroup]:
        """Two-player variants with their players in self-play, weakest first."""
        return [
            (variant.spec, self.strategies or list_odds_players(variant))
            for variant in map(variants.find_variant, self.variants)
            if not variant.is_solo
        ]

    @property
    def step_names(self) -> list[str]:
        """Names of the computation steps, one for each player in each variant."""
        groups = (*self.solo_groups, *self.threshold_groups, *self.two_player_groups)
        return [f"{player}, {variant}" for variant, players in groups for player in players]


@dataclass(frozen=True, repr=False)
class Odds(Result):
    """Computed odds of one or more variants, as tables.

    Attributes:
        seed: Seed of the shuffles.
        tables: DataFrames by table name.
        strongest_players: Strongest player by variant. Most odds refer to this player.
        unavailable_reasons: Reasons why odds are missing, as sentences.
        played_matchups: Matchups that were played, with their numbers of units.
    """

    plots_folder = ""
    seed: int
    tables: dict[str, pd.DataFrame]
    strongest_players: dict[str, str] = field(default_factory=dict)
    unavailable_reasons: Sequence[str] = ()
    played_matchups: Sequence[tuple[Matchup, int]] = ()

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the tables of odds, keyed by name."""
        return self.tables

    def report(self, command: str) -> Report:
        """Return the report of the computed odds."""
        from simgin.odds.odds_report import build_odds_report

        return build_odds_report(self, command)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of all tables for JSON, each with the name of its table.

        Undefined and infinite values are None.
        """
        return [
            {"table": name, **row}
            for name, frame in self.tables.items()
            for row in table.to_records(frame.replace([np.inf, -np.inf], np.nan))
        ]

    def format_csv_files(self) -> dict[str, str]:
        """Format every table as a CSV file, and return the contents by file name."""
        return {f"{name}.csv": table.format_csv(frame) for name, frame in self.tables.items()}

    def select_rows(self, name: str, variant: str, **values: object) -> pd.DataFrame:
        """Return the rows of a table that belong to a variant, or no rows if the table is missing.

        Args:
            name: Name of the table.
            variant: Variant spec.
            **values: Required values by column. `strongest=True` selects the strongest player.
        """
        if name not in self.tables:
            return next(iter(self.tables.values())).head(0)
        if values.pop("strongest", False):
            values["strategy"] = self.strongest_players[variant]
        frame = self.tables[name]
        for column, value in {"variant": variant, **values}.items():
            frame = frame[frame[column] == value]
        return frame


def run_odds(
    request: OddsRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    compile_players: MatchupCompiler = kernel.compile_matchup,
) -> Odds:
    """Compute the odds for a request, using cached results of earlier runs if available.

    Args:
        request: Request with the variants, players and number of deals.
        workers: Number of threads. By default, one thread per core is used.
        on_progress: Callback that reports the progress of the whole run.
        compile_players: Function that compiles a matchup before it is played.

    Raises:
        OutcomeError: If the number of deals is too small.
        PlayerCountError: If a strategy cannot play a variant.
    """
    step_names = request.step_names
    n_steps = len(step_names)

    def report_progress(done: int, units: int) -> None:
        if on_progress is not None:
            i = min(n_steps * done // units, n_steps - 1)
            on_progress(done, units, lambda: f"player {i + 1} of {n_steps}: {step_names[i]}")

    step_progress = (make_progress_for_part(report_progress, i, n_steps) for i in range(n_steps))
    play_settings: dict[str, Any] = {"seed": request.seed, "workers": workers}

    def simulate_solo(groups: Sequence[PlayerGroup]) -> list[list[SoloDeals]]:
        n_deals = request.n_deals or DEFAULT_SOLO_DEALS
        return [
            [
                solo_deals.play_solo_deals(
                    strategy,
                    variant,
                    n_deals,
                    on_progress=next(step_progress),
                    compile_players=compile_players,
                    **play_settings,
                )
                for strategy in group
            ]
            for variant, group in groups
        ]

    solo_results = simulate_solo(request.solo_groups)
    threshold_results = simulate_solo(request.threshold_groups)
    self_plays: list[SelfPlay] = []
    deadwood_tables: list[pd.DataFrame] = []
    for variant, group in request.two_player_groups:
        for player in group:
            progress = next(step_progress)
            compile_players(parse_matchup(player, player, variant, request.seed, "deal"))
            n_deals = request.n_deals or DEFAULT_TWO_PLAYER_DEALS
            self_play = two_player_odds.simulate_self_play(
                player,
                variant,
                n_deals,
                on_progress=make_progress_for_part(progress, 0, 2),
                **play_settings,
            )
            self_plays.append(self_play)
            if request.include_details:
                turn_hands = hands_by_turn.simulate_hands_by_turn(
                    self_play.matchup,
                    n_deals // TRACED_DEAL_INTERVAL,
                    workers,
                    make_progress_for_part(progress, 1, 2),
                )
                deadwood_tables.append(hands_by_turn.compute_win_rate_by_deadwood(turn_hands))
            if progress:
                progress(1, 1)
    return build_odds(
        solo_results,
        self_plays,
        request.seed,
        threshold_results=threshold_results,
        deadwood_tables=deadwood_tables,
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
        solo_results: Deals in each solitaire variant, with one entry per player and the weakest
            player first.
        self_plays: Self-play results of each player in each two-player variant.
        seed: Seed of the shuffles.
        threshold_results: Deals for each knock threshold, by solitaire variant that allows
            knocking.
        deadwood_tables: Tables returned by `hands_by_turn.compute_win_rate_by_deadwood`.
    """
    all_deals = [deals for players in solo_results for deals in players]
    results = [players for players in solo_results if len(players) > 1]
    frames_by_table: dict[str, list[pd.DataFrame]] = {
        "strength": [solo_odds.compute_odds_by_strategy(players) for players in solo_results],
        "bracket": [solo_odds.compute_best_gin_rate_bounds(players) for players in solo_results],
        "odds": [solo_odds.compute_odds_by_draws(deals) for deals in all_deals],
        "left": [solo_odds.compute_odds_by_cards_left(deals) for deals in all_deals],
        "gin": [solo_odds.compute_gin_draw_statistics(deals) for deals in all_deals],
        "totals": [solo_odds.compute_match_total_odds(deals) for deals in all_deals],
        "gap": [solo_odds.compute_skill_gap(players[0], players[-1]) for players in results],
        "joker": [solo_odds.compute_joker_variance_share(deals) for deals in all_deals],
        "threshold": [
            solo_odds.compute_odds_by_threshold(players) for players in threshold_results
        ],
        "counts": list(deadwood_tables),
        "seats": [two_player_odds.compute_odds_by_seat(self_play) for self_play in self_plays],
        "scores": [two_player_odds.compute_odds_by_score(self_play) for self_play in self_plays],
    }
    strongest_players = {players[-1].variant: players[-1].strategy for players in solo_results}
    # The last player is the strongest.
    strongest_players |= {self_play.variant: self_play.strategy for self_play in self_plays}
    unavailable_reasons = [self_play.missing_odds_text for self_play in self_plays]
    unavailable_reasons += map(solo_odds.find_match_unavailable_reason, all_deals)
    all_solo_deals = [deals for players in (*solo_results, *threshold_results) for deals in players]
    return Odds(
        seed,
        dict(_iter_nonempty_tables(frames_by_table)),
        strongest_players,
        list(dict.fromkeys(filter(None, unavailable_reasons))),
        [(self_play.matchup, self_play.n_units) for self_play in all_solo_deals]
        + [(self_play.matchup, self_play.n_deals) for self_play in self_plays],
    )


def _iter_nonempty_tables(
    frames_by_table: dict[str, list[pd.DataFrame]],
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name and the combined rows of each table that has rows."""
    for name, frames in frames_by_table.items():
        nonempty_frames = [frame for frame in frames if len(frame)]
        if nonempty_frames:
            yield name, table.concat_frames(nonempty_frames)


def _select_solitaire_variants(specs: Sequence[str]) -> list[Variant]:
    """Return the solitaire variants among `specs`."""
    return [variant for variant in map(variants.find_variant, specs) if variant.is_solo]
