"""Simulation and caching of solitaire deals, from which odds are estimated.

If a variant has a fixed number of deals per match (Solitary Gin), matches are played. Otherwise,
single deals are played. The deals depend only on the rules, the strategy, the seed and the number
of deals. The results are cached on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import jit
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.rules_record import FIRST_TURN_DISCARD, JOKER_NONE
from simgin.match_value import match_value, outcomes
from simgin.match_value.outcomes import Outcomes
from simgin.odds import kernels
from simgin.play.kernel import compile_matchup, play_with_records
from simgin.play.matchup import Matchup, PlayerCountError, parse_matchup
from simgin.play.parallel import ProgressCallback, map_units
from simgin.rules.build import build_rules
from simgin.rules.parameters import get_int_param
from simgin.rules.variants import Variant
from simgin.stats.table import build_output_frame, make_frame

if TYPE_CHECKING:
    import pandas as pd


MIN_SOLO_DEALS = 1_000
DEAL_COLUMNS = (
    "unit",  # index of the unit (deal or match)
    # position of the joker in the deck, from 0 at the top, or -1 if it is not in the deck
    "place",
    "drawn",  # number of draws
    "kind",  # index of the ending
    "won",  # 1 if the player won, otherwise 0
    "score",  # points of the player minus points of the joker, or the penalty
    "outcome",  # outcome of the match after the deal
)
_COLUMN_INDEX = {name: i for i, name in enumerate(DEAL_COLUMNS)}
# number of deals per engine call, which the slowest strategy plays in a quarter of a second
DEALS_PER_ENGINE_CALL = 5_000


class PlayerResult:
    """Base class for the results of one strategy in solitaire games or in self-play."""

    matchup: Matchup

    @property
    def variant(self) -> str:
        """Spec of the variant in which the strategy played."""
        return self.matchup.variant.spec

    @property
    def strategy(self) -> str:
        """Spec of the strategy that played."""
        return self.matchup.a.spec


@dataclass(frozen=True, eq=False)
class SoloDeals(PlayerResult):
    """Solitaire deals that one strategy played in one variant, in the order of play.

    Attributes:
        matchup: Matchup that was played.
        rows: Deals, (n_deals, len(DEAL_COLUMNS)) int32.
        outcomes: Numbers of deals by outcome.
        depends_on_score: True if the decisions of the strategy depend on the match score.
    """

    matchup: Matchup
    rows: np.ndarray
    outcomes: Outcomes
    depends_on_score: bool

    def get_column(self, name: str) -> np.ndarray:
        """Return a column of the deals, (n_deals,) int64."""
        return np.asarray(self.rows[:, _COLUMN_INDEX[name]], np.int64)

    def find_deals_with_ending(self, *endings: str) -> np.ndarray:
        """Return a mask of the deals that have one of the given endings."""
        return np.isin(self.get_column("kind"), [DEAL_RESULTS.index(kind) for kind in endings])

    @property
    def n_units(self) -> int:
        """Number of independent deals or matches, by which standard errors are clustered."""
        return int(self.rows[-1, _COLUMN_INDEX["unit"]]) + 1

    @cached_property
    def deck_size(self) -> int:
        """Number of cards in the deck after dealing, including the joker."""
        variant = self.matchup.variant
        return 52 - count_dealt_cards(variant) + int(build_rules(variant).joker != JOKER_NONE)


def add_player_columns(
    output: str, matchup: Matchup, rows: pd.DataFrame | Sequence[dict[str, Any]]
) -> pd.DataFrame:
    """Return a DataFrame of rows with additional columns for the variant and the players."""
    players = {"strategy": matchup.a.spec, "opponent": matchup.opponent}
    frame = make_frame(rows).assign(variant=matchup.variant.spec, **players)
    return build_output_frame(output, frame)


def play_solo_deals(
    strategy: str,
    variant: str,
    n_deals: int,
    *,
    seed: int = 1,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
    compile_players: Callable[[Matchup], None] = compile_matchup,
) -> SoloDeals:
    """Play at least `n_deals` deals of a solitaire variant, or load them from the cache.

    Args:
        strategy: Strategy spec.
        variant: Variant spec.
        n_deals: Minimum number of deals.
        seed: Seed of the shuffles.
        workers: Number of threads. By default, one thread per core is used.
        on_progress: Callback that reports the progress.
        compile_players: Function that compiles a matchup before deals are played.

    Raises:
        PlayerCountError: If the variant is a two-player variant.
        OutcomeError: If there are fewer than 1,000 deals.
    """
    if n_deals < MIN_SOLO_DEALS:
        raise outcomes.OutcomeError(
            f"{n_deals} deals are too few to estimate odds. Use at least {MIN_SOLO_DEALS:,} deals "
            "(default: 40,000)."
        )
    matchup = make_solo_matchup(strategy, variant, seed)
    n_units = -(-n_deals // _count_deals_per_unit(matchup))

    def compute_arrays() -> outcomes.ArraysByName:
        compile_players(matchup)
        return compute_solo_arrays(matchup, n_units, workers, on_progress)

    identity = outcomes.make_cache_identity(matchup, n_units, "deals of one player")
    arrays = outcomes.load_or_compute_arrays(identity, compute_arrays)
    outcome_counts = Outcomes(arrays["outcomes"], arrays["counts"])
    return SoloDeals(matchup, arrays["rows"], outcome_counts, bool(arrays["by_score"]))


def make_solo_matchup(strategy: str, variant: str, seed: int) -> Matchup:
    """Return the matchup of a strategy in a solitaire variant, with deals or matches as units.

    Raises:
        PlayerCountError: If the variant is a two-player variant.
    """
    matchup = parse_matchup(strategy, None, variant, seed, "deal")
    if matchup.b is not None:
        raise PlayerCountError(
            f"{matchup.variant.spec} is a two-player variant. Use simgin.odds.two_player_odds to "
            "compute its odds."
        )
    return replace(matchup, unit="match") if matchup.variant.goal.low_total_wins else matchup


def _count_deals_per_unit(matchup: Matchup) -> int:
    """Return the number of deals per match, or 1 if the unit is a deal."""
    return get_int_param(matchup.variant.params, "deals_in_match") if matchup.unit == "match" else 1


def compute_solo_arrays(
    matchup: Matchup,
    n_units: int,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> outcomes.ArraysByName:
    """Play solitaire deals, and return the arrays that `play_solo_deals` caches."""
    size = matchup.batch_size
    units_per_call = DEALS_PER_ENGINE_CALL // _count_deals_per_unit(matchup) // size * size
    tallies = list[np.ndarray]()

    def play_block(first_unit: int, n_block_units: int) -> np.ndarray:
        _, records = play_with_records(matchup, first_unit, n_block_units)
        tallies.append(outcomes.tally_records(records))  # The blocks can finish in any order.
        return _convert_to_rows(matchup, records)

    rows = np.concatenate(map_units(play_block, n_units, units_per_call, workers, on_progress))
    outcome_arrays = outcomes.merge_tallies(np.concatenate(tallies))
    can_depend_on_score = matchup.unit == "deal" and not matchup.variant.goal.is_one_deal
    depends_on_score = can_depend_on_score and match_value.depends_on_score(matchup)
    return {
        "rows": rows,
        "outcomes": outcome_arrays["rows"],
        "counts": outcome_arrays["counts"],
        "by_score": np.array(depends_on_score),
    }


def _convert_to_rows(matchup: Matchup, records: np.ndarray) -> np.ndarray:
    """Convert the engine's deal records to an array with the columns DEAL_COLUMNS."""
    joker_position = _compute_joker_positions(matchup, records["unit"], records["deal"])
    hand_size = count_dealt_cards(matchup.variant)
    is_in_deck = joker_position >= hand_size
    columns = {
        "unit": records["unit"],
        "place": np.where(is_in_deck, joker_position - hand_size, -1),
        "drawn": records["draws_a"],
        "kind": records["kind"],
        "won": records["winner"] == 0,
        "score": records["points_a"] - records["points_b"],
        "outcome": records["outcome"],
    }
    return np.stack([columns[name] for name in DEAL_COLUMNS], axis=1).astype(np.int32)


def count_dealt_cards(variant: Variant) -> int:
    """Return the number of cards dealt in a solitaire variant: 10 or 11."""
    return 11 if build_rules(variant).first_turn == FIRST_TURN_DISCARD else 10


def _compute_joker_positions(
    matchup: Matchup, unit_numbers: np.ndarray, deal_numbers: np.ndarray
) -> np.ndarray:
    """Return the joker's position in each deal's dealing order, or -1 without a joker."""
    positions = np.empty(len(unit_numbers), np.int64)
    seed = np.uint64(matchup.seed).astype(np.int64)  # The engine represents unit numbers as int64.
    contiguous_numbers = map(np.ascontiguousarray, (unit_numbers, deal_numbers))
    _compile_joker_positions()(seed, *contiguous_numbers, build_rules(matchup.variant), positions)
    return positions


@cache
def _compile_joker_positions() -> Any:
    """Return the compiled function that writes the joker's position in each deal."""
    return jit.compile_function(kernels.write_joker_positions)
