"""V within a deal: the probability to win the match after a turn, by what both sides hold.

    inside = compute(value.compute("standard", "gold", "simple"))
    inside.win(turn=6, mover=0, own=18, other=31, a=40, b=60, dealer=1)

A state is the number of turns played, who made the last one, and deadwood: of both sides in bins of
the difference and bands of what the mover's opponent holds; alone, in bins of the player's own.
Deals played turn by turn count how deals went on from every state; the score enters by what V makes
of each end (docs/explanation/value.md#within-a-deal).

Within a band, less deadwood never makes a better end less likely: the distributions of ends are
fitted so that they rise with the difference (isotonic distributional regression; Henzi, Ziegel and
Gneiting, Journal of the Royal Statistical Society B 2021). That keeps their mean over a turn, so
that V is a martingale from turn to turn.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from simgin.rules.goals import goal_of
from simgin.rules.parameters import Params
from simgin.stats import observations
from simgin.text.amounts import parse_count
from simgin.value import array_cache, calibration, kernels, outcomes, states, turns
from simgin.value.outcomes import GROUPS, Outcomes, jackknife, other_side
from simgin.value.states import DRAWN, States
from simgin.value.turns import Turns
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.parallel import Progress

DEALS = 100_000
BIN = 5
# Bins of the difference from -20 to 20, bin k around 5k, and what lies beyond; symmetric
MOST_BIN = 20
BINS = 2 * MOST_BIN + 1
BANDS = (10, 30)  # the mover's opponent can knock, is near it, is far from it
ENOUGH_TURNS = 1_000  # of one number; later turns count as the last that has so many
CALL_DEALS = 4_000  # deals at a time whose ends are valued

# An end of a deal: the side that won (-1 nobody), the points, and the won deals it counts for
END_COLUMNS = ("winner", "points", "deals")


@dataclass(frozen=True)
class InDealValue:
    """V within the deals of a value's pair.

    ends: int64 (ends, len(END_COLUMNS)), from the worst for A to the best. counted: int64 (k, 4) of
    state, end, group and how often that came about; the groups are those of outcomes. last_turn:
    the number that all later turns count as.
    """

    value: Value
    ends: np.ndarray
    counted: np.ndarray
    last_turn: int

    def win(
        self,
        turn: ArrayLike,
        mover: ArrayLike,
        own: ArrayLike,
        other: ArrayLike,
        a: ArrayLike,
        b: ArrayLike = (),
        dealer: ArrayLike = 0,
    ) -> Any:
        """The probability 0..1 that A wins the match if the deal goes on after turn number `turn`.

        mover: the side that made the turn (0 A, 1 B). own, other: the mover's deadwood and the
        other's (alone: any). a, b, dealer: the state before the deal, as in `Value`.
        """
        return self._at((turn, mover, own, other), (a, b, dealer), 1)[0]

    def se(
        self,
        turn: ArrayLike,
        mover: ArrayLike,
        own: ArrayLike,
        other: ArrayLike,
        a: ArrayLike,
        b: ArrayLike = (),
        dealer: ArrayLike = 0,
    ) -> Any:
        """The standard error of `win`, by the jackknife over the groups of both counts."""
        held = (turn, mover, own, other)
        score = (a, b, dealer)
        values = self._at(held, score, 1 + GROUPS)
        return jackknife(values[1:])

    def along(self, played: Turns) -> tuple[np.ndarray, np.ndarray]:
        """V before every deal and after every turn of recorded deals of the pair.

        float64 (1 + GROUPS, deals) and (1 + GROUPS, turns): of all groups, then with each left out.
        After the last turn of a deal it is V at the score that the deal leads to.
        """
        before = self.value.states(played.records)
        deal = played.column("deal")
        last = played.last
        state = self._state(
            played.column("turn"),
            played.column("side"),
            played.column("count"),
            played.column("other"),
        )
        params = self.value.matchup.variant.row
        ends = ends_of(played.records, params)
        drawn = self._drawn(ends)
        start = self.value.board.index(*before)
        after = self._places(ends, *before)
        of_deals = np.empty((1 + GROUPS, len(ends)))
        of_turns = np.empty((1 + GROUPS, len(deal)))
        tables = self._values(state, deal, before)
        for g, (table, values) in enumerate(tables):
            led_to = np.where(drawn, DRAWN, table[after])
            of_deals[g] = table[start]
            of_turns[g] = values
            of_turns[g, last] = led_to[deal[last]]
        return of_deals, of_turns

    def _at(
        self, held: tuple[ArrayLike, ...], score: tuple[ArrayLike, ...], tables: int
    ) -> np.ndarray:
        """V from so many tables, at states as callers give them."""
        state = self._state(*np.broadcast_arrays(*held))
        a, b, dealer = self.value.as_states(*score)
        shape = np.broadcast_shapes(
            state.shape, a.shape[:-1], b.shape[:-1] if b.size else (), dealer.shape
        )
        state = np.broadcast_to(state, shape).reshape(-1)
        before = (
            _flat_standings(a, shape),
            _flat_standings(b, shape),
            np.broadcast_to(dealer, shape).reshape(-1),
        )
        every = self._values(state, np.arange(len(state)), before)
        chosen = []
        for _, values in itertools.islice(every, tables):
            chosen.append(values)
        return np.array(chosen).reshape(tables, *shape)

    def _state(
        self, turn: np.ndarray, mover: np.ndarray, own: np.ndarray, other: np.ndarray
    ) -> np.ndarray:
        return state_of(
            np.minimum(turn, self.last_turn), mover, own, other, alone=self.value.matchup.b is None
        )

    def _tables(self) -> Iterator[np.ndarray]:
        """V between deals: of all groups, then with each left out."""
        yield self.value.chances
        yield from self.value.tables_leaving_out()

    def _values(
        self, state: np.ndarray, deal: np.ndarray, before: States
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """V between deals, of all groups and with each left out, each with V in some states.

        deal: the number of each state's deal; they ascend. before: the states that the deals began
        with.
        """
        drawn = self._drawn(self.ends)
        parts = _call_parts(len(before[2]))
        places = []
        for part in parts:
            a, b, dealer = (x[part, None] for x in before)
            places.append(self._places(self.ends, a, b, dealer))
        tables = zip(self._tables(), self.shares(), strict=True)
        for table, share in tables:
            values = np.empty(len(state))
            for part, place in zip(parts, places, strict=True):
                worth = np.where(drawn, DRAWN, table[place])
                bounds = np.searchsorted(deal, (part.start, part.stop))
                own = slice(*bounds)
                kernels.write_expected(
                    share, worth, state[own], deal[own] - part.start, values[own]
                )
            yield table, values

    def _places(
        self, ends: np.ndarray, a: np.ndarray, b: np.ndarray, dealer: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Where on the board ends (..., len(END_COLUMNS)) lead to from scores."""
        board = self.value.board
        params = self.value.matchup.variant.row
        is_total = goal_of(params).total
        winner, points, deals = np.moveaxis(ends, -1, 0)
        nothing = np.zeros_like(winner)
        standings = []
        for side, standing in enumerate((a, b)):
            is_counted = (winner == side) | is_total
            gains = {
                "score": is_counted * points,
                "deals": is_counted * deals,
                "left": nothing - 1,
                "games": nothing,
            }
            of_fields = [gains[name] for name in board.fields[side]]
            if of_fields:
                standing = standing + np.stack(of_fields, axis=-1)
            standings.append(standing)
        next_dealer = states.next_dealers(params)[dealer, winner]
        return board.index(standings[0], standings[1], next_dealer)

    def _drawn(self, ends: np.ndarray) -> np.ndarray:
        """The ends that decide the match for nobody: a void deal where one deal is all."""
        goal = self.value.matchup.variant.goal
        is_void = ends[..., 0] < 0
        return np.asarray(is_void & goal.one_deal)

    def shares(self) -> Iterator[np.ndarray]:
        """The chances of the ends in every state, float64 (states, ends), one at a time.

        Of all groups, then with each left out.
        """
        yield self._all_groups
        for group in range(GROUPS):
            yield self._share(group)

    @cached_property
    def _all_groups(self) -> np.ndarray:
        return self._share(-1)

    def _share(self, left_out: int) -> np.ndarray:
        ends = len(self.ends)
        shape = (self.last_turn + 1, 2, len(BANDS) + 1, BINS, ends)
        state, end, group, n = self.counted.T
        is_kept = group != left_out
        counts = np.bincount(state * ends + end, n * is_kept, minlength=int(np.prod(shape)))
        table = counts.reshape(shape)
        return _chances(table).reshape(-1, ends)


def _call_parts(deals: int) -> list[slice]:
    """The deals in slices of CALL_DEALS."""
    parts = []
    for start in range(0, deals, CALL_DEALS):
        parts.append(slice(start, start + CALL_DEALS))
    return parts


def _flat_standings(standing: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Standings (..., fields) spread over a shape: (states, fields)."""
    fields = standing.shape[-1]
    spread = np.broadcast_to(standing, (*shape, fields))
    n = int(np.prod(shape))
    return spread.reshape(n, fields)


def compute(
    value: Value,
    deals: int | str = DEALS,
    workers: int | None = None,
    progress: Progress | None = None,
) -> InDealValue:
    """V within a deal for the pair of a value, from so many single deals played turn by turn.

    Counted once and kept on disk. Raises ValueRefused for what a state within a deal does not hold.
    """
    _refuse(value)
    matchup = dataclasses.replace(value.matchup, unit="deal")
    n = parse_count(deals)
    form = (
        f"ends of single deals by turn, bins {BIN} {MOST_BIN}, bands {BANDS}, {ENOUGH_TURNS} turns"
    )

    def make() -> array_cache.Arrays:
        units = matchup.units(n)
        played = turns.play(matchup, units, workers, progress)
        return count_ends(played)

    description = array_cache.describe(matchup, n, form)
    arrays = array_cache.cached(description, make)
    return InDealValue(value, arrays["ends"], arrays["counted"], int(arrays["last_turn"]))


def _refuse(value: Value) -> None:
    """Refuse what a state within a deal does not hold."""
    matchup = value.matchup
    pair = f"{matchup.title} ({matchup.variant.text})"
    if not isinstance(value.outcomes, Outcomes):
        raise ValueRefused(
            f"In {pair} the score changes how a deal is played, and V within a deal is for deals "
            "that are played alike at every score: take V between deals, or strategies that do not "
            "look at the score."
        )
    if matchup.variant.row["die"] != "off" and (value.outcomes.column("stake") != 1).any():
        raise ValueRefused(
            f"In {pair} the die is turned, and V within a deal does not know its number: take V "
            "between deals."
        )


def count_ends(played: Turns) -> array_cache.Arrays:
    """How often deals went from every state to every end: the fields of `InDealValue`.

    Of a strategy against itself both sides count alike.
    """
    matchup = played.matchup
    params = matchup.variant.row
    went_on = ~played.last
    rows = played.rows[went_on]
    deal = rows["deal"]
    own = rows["count"]
    other = rows["other"]
    mover = rows["side"]
    last_turn = _last_turn(rows["turn"])
    turn = np.minimum(rows["turn"], last_turn)
    ends = ends_of(played.records, params)[deal]
    group = outcomes.group_of(played.records)[deal]
    alone = matchup.b is None
    state = state_of(turn, mover, own, other, alone)
    if not alone and not matchup.mirrored:
        mirrored = state_of(turn, 1 - mover, own, other, alone)
        state = np.concatenate([state, mirrored])
        ends = np.concatenate([ends, _mirrored_ends(ends)])
        group = np.concatenate([group, group])
    _, first, end = np.unique(_order(ends, params), return_index=True, return_inverse=True)
    keys = np.stack([state, end.reshape(-1), group], axis=1)
    cells, n = np.unique(keys, axis=0, return_counts=True)
    return {
        "ends": ends[first],
        "counted": np.column_stack([cells, n]),
        "last_turn": np.array(last_turn),
    }


def _last_turn(turn: np.ndarray) -> int:
    """The last turn number that came about often enough to stand for itself."""
    n = np.bincount(turn, minlength=2)
    often = np.flatnonzero(n >= ENOUGH_TURNS)
    return int(max(often, default=1))


def _mirrored_ends(ends: np.ndarray) -> np.ndarray:
    """The ends of deals with the sides exchanged."""
    winner, points, deals = ends.T
    return np.stack([other_side(winner), points, deals], axis=1)


def state_of(
    turn: np.ndarray, mover: np.ndarray, own: np.ndarray, other: np.ndarray, alone: bool
) -> np.ndarray:
    """The number of a state.

    By the difference, deadwood of B less that of A (alone the player's own), so that more is better
    for A.
    """
    if alone:
        difference = -own
        band = np.zeros_like(own)
    else:
        lead = other - own
        difference = np.where(mover == 0, lead, -lead)
        band = np.searchsorted(BANDS, other)
    nearest = (difference + BIN // 2) // BIN
    kept = np.clip(nearest, -MOST_BIN, MOST_BIN)
    state = turn * 2 + mover
    state = state * (len(BANDS) + 1) + band
    state = state * BINS + kept + MOST_BIN
    return np.asarray(state)


def ends_of(records: np.ndarray, params: Params) -> np.ndarray:
    """The end of every recorded deal: int64 (deals, len(END_COLUMNS))."""
    no_groups = np.zeros((GROUPS, 0), np.int64)
    counts = outcomes.observed(records)
    observed = Outcomes(counts, no_groups)
    winner = observed.column("winner")
    points = observed.column("points")
    won = states.won_deals(params, observed)
    return np.stack([winner, points, won], axis=1)


def _order(ends: np.ndarray, params: Params) -> np.ndarray:
    """A number for every end that grows from the worst for A to the best.

    By who wins, by how many points, by how many deals.
    """
    winner, points, deals = ends.T
    if goal_of(params).total:
        return np.asarray(-points)
    for_a = 1 - 2 * winner
    sign = np.where(winner < 0, 0, for_a)
    size = 2**40 + points * 2**16 + deals
    return np.asarray(sign * size)


# Checks (docs/explanation/value.md#checking-v)


def martingale(inside: InDealValue, played: Turns) -> pd.DataFrame:
    """The mean change of V by every turn of fresh deals or matches, which is 0 within its error.

    Columns turn, change, se, z, n; the last turn that V distinguishes stands for all later ones.
    Errors are clustered by unit and hold those of V. Below 30 units there is no row.
    """
    import pandas as pd

    turn = played.column("turn")
    is_first = turn == 1
    deal = played.column("deal")[is_first]
    starts, along = inside.along(played)
    before = np.roll(along, 1, axis=1)
    before[:, is_first] = starts[:, deal]
    cells = inside.last_turn + 1
    change, se, n = _by_cell(
        along - before, played.record("unit"), np.minimum(turn, inside.last_turn), cells
    )
    columns = {"turn": np.arange(cells), "change": change, "se": se, "n": n}
    frame = pd.DataFrame(columns)
    z = frame["change"] / frame["se"]
    frame.insert(3, "z", z)
    return _without_gaps(frame, "change")


def reliability(inside: InDealValue, played: Turns, bins: int = 10) -> pd.DataFrame:
    """In bins of V within the deals of fresh matches: how often the match was won.

    Columns value (mean V), won (share won in the end), gap, se, z, n (turns). Errors are clustered
    by unit and hold those of V. Below 30 units there is no row.
    """
    import pandas as pd

    went_on = ~played.last
    unit = played.record("unit")[went_on]
    result = _results(played)[went_on]
    along = inside.along(played)[1]
    along = along[:, went_on]
    bin_of = (along[0] * bins).astype(np.int64)
    cell = np.minimum(bin_of, bins - 1)
    gap, se, n = _by_cell(result - along, unit, cell, bins)
    wins = np.bincount(cell, result, minlength=bins)
    won = wins / np.maximum(n, 1)
    columns = {"value": won - gap, "won": won, "gap": gap, "se": se, "n": n}
    frame = pd.DataFrame(columns)
    z = frame["gap"] / frame["se"]
    frame.insert(4, "z", z)
    return _without_gaps(frame, "gap")


def _without_gaps(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows of a frame that have a number in a column."""
    is_known = frame[column].notna()
    return frame[is_known].reset_index(drop=True)


def brier(inside: InDealValue, played: Turns) -> pd.Series:
    """Mean (V - result)^2 over the turns of fresh matches, with V within and between deals.

    Entries within, between, gain (their difference) with its se, and n.
    """
    import pandas as pd

    went_on = ~played.last
    deal = played.column("deal")[went_on]
    unit = played.record("unit")[went_on]
    result = _results(played)[went_on]
    starts, along = inside.along(played)
    v_within = along[0, went_on]
    v_between = starts[0, deal]
    within = (v_within - result) ** 2
    between = (v_between - result) ** 2
    gain = observations.mean(between - within, unit)
    entries = {
        "within": float(within.mean()),
        "between": float(between.mean()),
        "gain": gain.value,
        "se": gain.se,
        "n": len(result),
    }
    return pd.Series(entries)


def _results(played: Turns) -> np.ndarray:
    """What its match was worth to A in the end, for every turn."""
    matches = calibration.read_matches(played.records)
    deal = played.column("deal")
    return np.asarray(matches.result[deal])


def _by_cell(
    x: np.ndarray, unit: np.ndarray, cell: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, se and number in every cell of x (1 + GROUPS, observations).

    Of all groups; the others, with each left out, give the error of V.
    """
    mean, se, n = observations.by_cell(x[0], unit, cell, cells)
    left_out = []
    for values in x[1:]:
        means, _, _ = observations.by_cell(values, unit, cell, cells)
        left_out.append(means)
    v_error = jackknife(np.array(left_out))
    return mean, np.hypot(se, v_error), n


# Monotone distributions


def _chances(table: np.ndarray) -> np.ndarray:
    """Chances of the ends from counts (turns, movers, bands, bins, ends).

    What was never seen at a turn goes by all turns and bands.
    """
    chances = fit_isotonic(table)
    of_all = table.sum(axis=(0, 2))
    anywhere = fit_isotonic(of_all)
    never = table.sum(axis=(3, 4)) == 0
    mover = np.nonzero(never)[1]
    chances[never] = anywhere[mover]
    return chances


def fit_isotonic(table: np.ndarray) -> np.ndarray:
    """Chances from counts (..., bins, ends), rising with the bin by least squares.

    What rises is the chance of some end or a better one; empty bins are as below.
    """
    weight = table.sum(axis=-1)
    from_best = table[..., ::-1]
    sums = np.cumsum(from_best, axis=-1)
    seen = np.maximum(weight, 1)
    tail = sums[..., ::-1] / seen[..., None]
    bins, ends = table.shape[-2:]
    flat = tail.reshape(-1, bins, ends)
    flat = np.ascontiguousarray(flat)
    flat_weight = weight.reshape(len(flat), -1)
    flat_weight = np.ascontiguousarray(flat_weight)
    kernels.make_isotonic(flat_weight, flat)
    better = flat[:, :, 1:].copy()
    flat[:, :, :-1] -= better
    return np.asarray(flat.reshape(table.shape))
