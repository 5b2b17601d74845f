"""Samples of solitaire deals, from which the odds of solitaire variants are estimated.

A variant with a fixed number of deals (Solitary Gin) is played in matches, all others in single
deals. The deals are a pure function of the rules, the strategy, the seed and their number, and are
cached on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import jit
from simgin.core.rules import DISCARD_FIRST, NO_JOKER
from simgin.core.sums import KINDS
from simgin.odds import kernels
from simgin.play.kernel import play_recorded, prepare
from simgin.play.matchup import Matchup, SeatError, parse_matchup
from simgin.play.parallel import Progress, over_units
from simgin.rules.build import build_rules
from simgin.rules.parameters import number
from simgin.rules.variants import Variant
from simgin.stats.estimate import Estimate
from simgin.stats.table import frame_of
from simgin.value import outcomes, value
from simgin.value.outcomes import Outcomes

if TYPE_CHECKING:
    import pandas as pd


FEWEST_DEALS = 1_000
# Number of the unit (a deal or a match); position of the joker in the deck, 0 on top, -1 if there
# is none or it was dealt; number of draws; index of the ending; 1 if the player won; the player's
# points minus the joker's, or the penalty; outcome of the match after the deal
DEAL_COLUMNS = ("unit", "place", "drawn", "kind", "won", "score", "outcome")
_PLACE = {name: i for i, name in enumerate(DEAL_COLUMNS)}
# Deals per call of the engine, a quarter of a second for the slowest of these players
CALL_DEALS = 5_000


class OfPlayer:
    """Base of results for one strategy, in solitaire games or against itself."""

    matchup: Matchup

    @property
    def variant(self) -> str:
        """Spec of the variant."""
        return self.matchup.variant.text

    @property
    def strategy(self) -> str:
        """Spec of the strategy."""
        return self.matchup.a.text


@dataclass(frozen=True, eq=False)
class Deals(OfPlayer):
    """Solitaire deals of one strategy under one variant, in order of play.

    Attributes:
        matchup: Matchup that was played.
        rows: Deals, (n_deals, len(DEAL_COLUMNS)) int32.
        outcomes: The same deals as outcome counts.
        depends_on_score: True if the strategy plays differently at other scores.
    """

    matchup: Matchup
    rows: np.ndarray
    counted: Outcomes
    by_score: bool

    def column(self, name: str) -> np.ndarray:
        """Return one column of every deal, (n_deals,) int64."""
        return np.asarray(self.rows[:, _PLACE[name]], np.int64)

    def ended(self, *kinds: str) -> np.ndarray:
        """Return a mask of the deals with the given endings, (n_deals,) bool."""
        return np.isin(self.column("kind"), [KINDS.index(kind) for kind in kinds])

    @property
    def units(self) -> int:
        """Number of deals or matches that were played, by which errors are clustered."""
        return int(self.rows[-1, _PLACE["unit"]]) + 1

    @cached_property
    def deck(self) -> int:
        """Number of cards in the deck after dealing, including the joker: 42 or 43."""
        variant = self.matchup.variant
        return 52 - dealt(variant) + int(build_rules(variant).joker != NO_JOKER)


def stated(estimate: Estimate, n: int, name: str = "value") -> dict[str, float]:
    """Return an estimate as fields of a row, with its value under the given name."""
    value, se, low, high = estimate.with_limits
    return {name: value, "se": se, "low": low, "high": high, "n": n}


def told(matchup: Matchup, rows: pd.DataFrame | Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a DataFrame, with variant, strategy and opponent as the first columns."""
    names = {
        "variant": matchup.variant.text,
        "strategy": matchup.a.text,
        "opponent": matchup.opponent,
    }
    frame = frame_of(rows)
    return frame.assign(**names)[[*names, *frame.columns]]


def play_alone(
    strategy: str,
    variant: str,
    n: int,
    *,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
    prepare: Callable[[Matchup], None] = prepare,
) -> Deals:
    """Play at least n deals of a solitaire variant, or load them from the cache.

    Args:
        strategy: Strategy spec.
        variant: Variant spec.
        n: Minimum number of deals.
        seed: Seed of the shuffles.
        workers: Number of threads; by default one per CPU.
        progress: Callback for the progress.
        prepare: Function that compiles a matchup; called only if deals are played.

    Raises:
        SeatError: The variant is for two players.
        OutcomeError: There are fewer than 1,000 deals.
    """
    if n < FEWEST_DEALS:
        raise outcomes.OutcomeError(
            f"{n} deals are too few for odds: take at least {FEWEST_DEALS:,}, better 40,000."
        )
    matchup = seat_alone(strategy, variant, seed)
    units = -(-n // _deals_in_unit(matchup))

    def make() -> outcomes.Arrays:
        prepare(matchup)
        return played(matchup, units, workers, progress)

    arrays = outcomes.cached(outcomes.describe(matchup, units, "deals of one player"), make)
    counted = Outcomes(arrays["outcomes"], arrays["counts"])
    return Deals(matchup, arrays["rows"], counted, bool(arrays["by_score"]))


def seat_alone(strategy: str, variant: str, seed: int) -> Matchup:
    """Return the matchup of a solitaire variant, with its unit.

    Raises:
        SeatError: The variant is for two players.
    """
    matchup = parse_matchup(strategy, None, variant, seed, "deal")
    if matchup.b is not None:
        raise SeatError(
            f"{matchup.variant.text} is for two players: its odds are by seat and by score "
            "(`simgin.odds.seats`)."
        )
    return replace(matchup, unit="match") if matchup.variant.goal.total else matchup


def _deals_in_unit(matchup: Matchup) -> int:
    return number(matchup.variant.row, "deals_in_match") if matchup.unit == "match" else 1


def played(
    matchup: Matchup, units: int, workers: int | None = None, progress: Progress | None = None
) -> outcomes.Arrays:
    """Play deals, and return the arrays that `play_solo_deals` caches."""
    size = CALL_DEALS // _deals_in_unit(matchup) // matchup.batch * matchup.batch
    tallies = list[np.ndarray]()

    def part(first: int, n: int) -> np.ndarray:
        _, records = play_recorded(matchup, first, n)
        tallies.append(outcomes.tally(records))  # The order does not matter.
        return _short(matchup, records)

    rows = np.concatenate(over_units(part, units, size, workers, progress))
    counted = outcomes.merged(np.concatenate(tallies))
    has_score = matchup.unit == "deal" and not matchup.variant.goal.one_deal
    by_score = has_score and value.depends_on_score(matchup)
    return {
        "rows": rows,
        "outcomes": counted["rows"],
        "counts": counted["counts"],
        "by_score": np.array(by_score),
    }


def _short(matchup: Matchup, records: np.ndarray) -> np.ndarray:
    """Convert records of deals to rows of DEAL_COLUMNS."""
    place = _joker_places(matchup, records["unit"], records["deal"])
    held = dealt(matchup.variant)
    in_deck = place >= held
    columns = {
        "unit": records["unit"],
        "place": np.where(in_deck, place - held, -1),
        "drawn": records["draws_a"],
        "kind": records["kind"],
        "won": records["winner"] == 0,
        "score": records["points_a"] - records["points_b"],
        "outcome": records["outcome"],
    }
    return np.stack([columns[name] for name in DEAL_COLUMNS], axis=1).astype(np.int32)


def dealt(variant: Variant) -> int:
    """Return the number of cards dealt in a solitaire variant: 10, or 11 before a discard."""
    return 11 if build_rules(variant).first_turn == DISCARD_FIRST else 10


def _joker_places(matchup: Matchup, units: np.ndarray, deals: np.ndarray) -> np.ndarray:
    """Return the joker's position among the 53 cards in dealing order; -1 for none."""
    places = np.empty(len(units), np.int64)
    seed = np.uint64(matchup.seed).astype(np.int64)  # The engine uses int64.
    in_order = map(np.ascontiguousarray, (units, deals))
    _write_joker_places()(seed, *in_order, build_rules(matchup.variant), places)
    return places


@cache
def _write_joker_places() -> Any:
    """Compile the loop over deals, which would take as long as play in Python."""
    return jit.compiled(kernels.write_joker_places)
