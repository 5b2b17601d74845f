"""Deals of one player in short: what the odds of the games for one are counted from (`simgin.odds.solo`), kept on disk.

A game of a fixed number of deals (Solitary Gin) is played in matches, all others in single deals. The deals are a pure function of the
rules, the strategy, the seed and their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import jit
from simgin.core.rules import DISCARD_FIRST, NO_JOKER
from simgin.core.sums import KINDS
from simgin.odds import kernels
from simgin.play import kernel
from simgin.play.matchup import Matchup, SeatError, parse_matchup
from simgin.play.parallel import over_units
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.value import array_cache, outcomes, value
from simgin.value.outcomes import Outcomes
from simgin.value.states import number

if TYPE_CHECKING:
    from simgin.play.parallel import Progress

FEWEST_DEALS = 1_000
COLUMNS = ("unit", "place", "drawn", "kind", "won", "score", "outcome")
COLUMN = {name: i for i, name in enumerate(COLUMNS)}
# Of one call of the engine: a quarter of a second of the slowest of these players
CALL_DEALS = 5_000


class DealsError(ValueError):
    """Deals that cannot be had; the message is a sentence with the remedy."""


@dataclass(frozen=True, eq=False)
class Deals:
    """Deals of one strategy under one variant, in the order of play.

    rows: int32 (deals, len(COLUMNS)): number of the unit (a deal, or a match); place of the joker in the deck, 0 on top, -1 if there is
    none or it was dealt; draws made, that of the joker among them; index of sums.KINDS; 1 if the player won; his points less the
    joker's, or the penalty; how the match stood after it (`core.record.DEAL`). counted: the same deals as outcomes. by_score: whether the
    strategy plays otherwise at other scores.
    """

    matchup: Matchup
    rows: np.ndarray
    counted: Outcomes
    by_score: bool

    def column(self, name: str) -> np.ndarray:
        """One column of every deal, int64."""
        return np.asarray(self.rows[:, COLUMN[name]], np.int64)

    def ended(self, *kinds: str) -> np.ndarray:
        """Which deals ended in one of some kinds: bool (deals,)."""
        return np.isin(self.rows[:, COLUMN["kind"]], [KINDS.index(kind) for kind in kinds])

    @property
    def variant(self) -> str:
        """The text of the variant."""
        return self.matchup.variant.text

    @property
    def strategy(self) -> str:
        """The text of the strategy."""
        return self.matchup.a.text

    @property
    def units(self) -> int:
        """Deals, or matches, that were played: what errors are clustered over."""
        return int(self.rows[-1, COLUMN["unit"]]) + 1

    @cached_property
    def deck(self) -> int:
        """Cards in the deck after the deal, the joker among them."""
        return deck(self.matchup.variant)


def deck(variant: Variant) -> int:
    """Cards in the deck of a game for one after the deal, the joker among them: 42 or 43."""
    own_rules = build_rules(variant)
    return 52 - _dealt(variant) + int(own_rules.joker != NO_JOKER)


def of(
    strategy: str,
    variant: str,
    n: int,
    *,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
    prepare: Callable[[Matchup], None] = kernel.prepare,
) -> Deals:
    """At least n deals of a strategy alone, from disk if they were played before; else `prepare` compiles what is needed.

    Raises SeatError for a game of two and DealsError below 1,000 deals.
    """
    if n < FEWEST_DEALS:
        raise DealsError(
            f"{n} deals are too few for odds: take at least {FEWEST_DEALS:,}, better 40,000."
        )
    one = seated(strategy, variant, seed)
    units = -(-n // _in_unit(one))

    def make() -> array_cache.Arrays:
        prepare(one)
        return played(one, units, workers, progress)

    found = array_cache.cached(array_cache.describe(one, units, "deals of one player"), make)
    return Deals(
        one, found["rows"], Outcomes(found["outcomes"], found["counts"]), bool(found["by_score"])
    )


def seated(strategy: str, variant: str, seed: int) -> Matchup:
    """Who plays alone at what, and in which units. SeatError for a game of two."""
    one = parse_matchup(strategy, None, variant, seed, "deal")
    if one.b is not None:
        raise SeatError(
            f"{one.variant.text} is for two players: its odds are asked for by seat and score (`simgin.odds.seats`)."
        )
    return replace(one, unit="match") if one.variant.goal.total else one


def _in_unit(one: Matchup) -> int:
    """Deals in a unit."""
    return number(one.variant.row, "deals_in_match") if one.unit == "match" else 1


def played(
    one: Matchup, units: int, workers: int | None = None, progress: Progress | None = None
) -> array_cache.Arrays:
    """What `of` keeps, played now: rows, outcomes and their counts, and by_score."""
    size, tallies = CALL_DEALS // _in_unit(one) // one.batch * one.batch, list[np.ndarray]()

    def part(first: int, n: int) -> np.ndarray:
        _, records = kernel.play_recorded(one, first, n)
        tallies.append(outcomes.tally(records))  # in any order: they are added up
        return _short(one, records)

    rows = np.concatenate(over_units(part, units, size, workers, progress))
    counted = outcomes.merged(np.concatenate(tallies))
    asks = one.unit == "deal" and not one.variant.goal.one_deal and value.depends_on_score(one)
    return {
        "rows": rows,
        "outcomes": counted["rows"],
        "counts": counted["counts"],
        "by_score": np.array(asks),
    }


def _short(one: Matchup, records: np.ndarray) -> np.ndarray:
    """The rows of Deals from the records of deals."""
    unit, deal, kind, winner, draws, outcome = (
        records[name] for name in ("unit", "deal", "kind", "winner", "draws_a", "outcome")
    )
    place = _places(one, unit, deal)
    in_deck = place >= _dealt(one.variant)
    joker = (kind == KINDS.index("joker")) & in_deck
    score = records["points_a"] - records["points_b"]
    columns = (
        unit,
        np.where(in_deck, place - _dealt(one.variant), -1),
        draws + joker,
        kind,
        winner == 0,
        score,
        outcome,
    )
    return np.stack(columns, axis=1).astype(np.int32)


def _dealt(variant: Variant) -> int:
    return 11 if build_rules(variant).first_turn == DISCARD_FIRST else 10


def _places(one: Matchup, units: np.ndarray, deals: np.ndarray) -> np.ndarray:
    """Where the joker lies among the 53 cards in dealing order; -1 where there is none."""
    places = np.empty(len(units), np.int64)
    seed = np.uint64(one.seed).astype(np.int64)  # as the engine has it
    _write_joker_places()(
        seed,
        np.ascontiguousarray(units),
        np.ascontiguousarray(deals),
        build_rules(one.variant),
        places,
    )
    return places


@cache
def _write_joker_places() -> Any:
    """The loop over the deals; called from Python, deal by deal, it would take as long as play."""
    return jit.compiled(kernels.write_joker_places)
