"""Deals of one player in short: what the odds of solitaire variants are counted from.

A variant of a fixed number of deals (Solitary Gin) is played in matches, all others in single
deals. The deals are a pure function of the rules, the strategy, the seed and their number, and are
kept on disk.
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
# Number of the unit (a deal, or a match); place of the joker in the deck, 0 on top, -1 if there is
# none or it was dealt; draws (`simgin.core.record.draws`); index of sums.KINDS; 1 if the
# player won; his points less the joker's, or the penalty; how the match stood after the deal.
DEAL_COLUMNS = ("unit", "place", "drawn", "kind", "won", "score", "outcome")
_PLACE = {name: i for i, name in enumerate(DEAL_COLUMNS)}
# Of one call of the engine: a quarter of a second of the slowest of these players
CALL_DEALS = 5_000


class OfPlayer:
    """What is known of one player, alone or against itself."""

    matchup: Matchup

    @property
    def variant(self) -> str:
        """The text of the variant."""
        return self.matchup.variant.text

    @property
    def strategy(self) -> str:
        """The text of the strategy."""
        return self.matchup.a.text


@dataclass(frozen=True, eq=False)
class Deals(OfPlayer):
    """Deals of one strategy under one variant, in the order of play.

    rows: int32 (deals, len(DEAL_COLUMNS)). counted: the same deals as outcomes. by_score: whether
    the strategy plays otherwise at other scores.
    """

    matchup: Matchup
    rows: np.ndarray
    counted: Outcomes
    by_score: bool

    def column(self, name: str) -> np.ndarray:
        """One column of every deal, int64."""
        return np.asarray(self.rows[:, _PLACE[name]], np.int64)

    def ended(self, *kinds: str) -> np.ndarray:
        """Which deals ended in one of some kinds: bool (deals,)."""
        return np.isin(self.column("kind"), [KINDS.index(kind) for kind in kinds])

    @property
    def units(self) -> int:
        """Deals, or matches, that were played: what errors are clustered over."""
        return int(self.rows[-1, _PLACE["unit"]]) + 1

    @cached_property
    def deck(self) -> int:
        """Cards in the deck after the deal, the joker among them: 42 or 43."""
        variant = self.matchup.variant
        return 52 - dealt(variant) + int(build_rules(variant).joker != NO_JOKER)


def stated(estimate: Estimate, n: int, name: str = "value") -> dict[str, float]:
    """An estimate as rows have it, its value under a name."""
    value, se, low, high = estimate.with_limits
    return {name: value, "se": se, "low": low, "high": high, "n": n}


def told(matchup: Matchup, rows: pd.DataFrame | Sequence[dict[str, Any]]) -> pd.DataFrame:
    """A tidy frame with who played what in front."""
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
    """At least n deals of a strategy alone, from disk if they were played before.

    Else `prepare` compiles what is needed. Raises SeatError for a two-player variant and
    OutcomeError below 1,000 deals.
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
    """Who plays alone, and in which units. Raises SeatError for a two-player variant."""
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
    """What `play_alone` keeps, played now: rows, outcomes and their counts, and by_score."""
    size = CALL_DEALS // _deals_in_unit(matchup) // matchup.batch * matchup.batch
    tallies = list[np.ndarray]()

    def part(first: int, n: int) -> np.ndarray:
        _, records = play_recorded(matchup, first, n)
        tallies.append(outcomes.tally(records))  # in any order: they are added up
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
    """The rows of Deals from the records of deals."""
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
    """Cards in the hand of a solitaire variant as dealt: 10, or 11 where a discard comes first."""
    return 11 if build_rules(variant).first_turn == DISCARD_FIRST else 10


def _joker_places(matchup: Matchup, units: np.ndarray, deals: np.ndarray) -> np.ndarray:
    """Where the joker lies among the 53 cards in dealing order; -1 where there is none."""
    places = np.empty(len(units), np.int64)
    seed = np.uint64(matchup.seed).astype(np.int64)  # as the engine has it
    in_order = map(np.ascontiguousarray, (units, deals))
    _write_joker_places()(seed, *in_order, build_rules(matchup.variant), places)
    return places


@cache
def _write_joker_places() -> Any:
    """The loop over the deals; called from Python, deal by deal, it would take as long as play."""
    return jit.compiled(kernels.write_joker_places)
