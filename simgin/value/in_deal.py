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
        return jackknife(self._at((turn, mover, own, other), (a, b, dealer), 1 + GROUPS)[1:])

    def along(self, played: Turns) -> tuple[np.ndarray, np.ndarray]:
        """V before every deal and after every turn of recorded deals of the pair.

        float64 (1 + GROUPS, deals) and (1 + GROUPS, turns): of all groups, then with each left out.
        After the last turn of a deal it is V at the score that the deal leads to.
        """
        before = self.value.states(played.records)
        deal = played.column("deal")
        last = played.last
        state = self._state(*(played.column(name) for name in ("turn", "side", "count", "other")))
        ends = ends_of(played.records, self.value.matchup.variant.row)
        drawn = self._drawn(ends)
        start = self.value.board.index(*before)
        after = self._places(ends, *before)
        of_deals = np.empty((1 + GROUPS, len(ends)))
        of_turns = np.empty((1 + GROUPS, len(deal)))
        for g, (table, values) in enumerate(self._values(state, deal, before)):
            of_deals[g] = table[start]
            of_turns[g] = values
            of_turns[g, last] = np.where(drawn, DRAWN, table[after])[deal[last]]
        return of_deals, of_turns

    def _at(
        self, held: tuple[ArrayLike, ...], score: tuple[ArrayLike, ...], tables: int
    ) -> np.ndarray:
        """V from so many tables, at states as callers give them."""
        state = self._state(*np.broadcast_arrays(*held))
        a, b, dealer = self.value.as_states(*score)
        of_b = b.shape[:-1] if b.size else ()
        shape = np.broadcast_shapes(state.shape, a.shape[:-1], of_b, dealer.shape)
        n = int(np.prod(shape))
        a, b = (np.broadcast_to(x, (*shape, x.shape[-1])).reshape(n, x.shape[-1]) for x in (a, b))
        state, dealer = (np.broadcast_to(x, shape).reshape(-1) for x in (state, dealer))
        values = itertools.islice(self._values(state, np.arange(n), (a, b, dealer)), tables)
        return np.array([of_states for _, of_states in values]).reshape(tables, *shape)

    def _state(
        self, turn: np.ndarray, mover: np.ndarray, own: np.ndarray, other: np.ndarray
    ) -> np.ndarray:
        alone = self.value.matchup.b is None
        return state_of(np.minimum(turn, self.last_turn), mover, own, other, alone)

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
        deals = len(before[2])
        parts = [slice(i, i + CALL_DEALS) for i in range(0, deals, CALL_DEALS)]
        places = [self._places(self.ends, *(x[part, None] for x in before)) for part in parts]
        for table, share in zip(self._tables(), self.shares(), strict=True):
            values = np.empty(len(state))
            for part, place in zip(parts, places, strict=True):
                worth = np.where(drawn, DRAWN, table[place])
                own = slice(*np.searchsorted(deal, (part.start, part.stop)))
                kernels.write_expected(
                    share, worth, state[own], deal[own] - part.start, values[own]
                )
            yield table, values

    def _places(
        self, ends: np.ndarray, a: np.ndarray, b: np.ndarray, dealer: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Where on the board ends (..., len(END_COLUMNS)) lead to from scores."""
        params = self.value.matchup.variant.row
        winner, points, deals = np.moveaxis(ends, -1, 0)
        nothing = np.zeros_like(winner)
        standings = []
        for side, standing in enumerate((a, b)):
            is_counted = (winner == side) | goal_of(params).total
            gains = {
                "score": is_counted * points,
                "deals": is_counted * deals,
                "left": nothing - 1,
                "games": nothing,
            }
            fields = self.value.board.fields[side]
            if fields:
                standing = standing + np.stack([gains[name] for name in fields], axis=-1)
            standings.append(standing)
        next_dealer = states.next_dealers(params)[dealer, winner]
        return self.value.board.index(standings[0], standings[1], next_dealer)

    def _drawn(self, ends: np.ndarray) -> np.ndarray:
        """The ends that decide the match for nobody: a void deal where one deal is all."""
        one_deal = self.value.matchup.variant.goal.one_deal
        return np.asarray((ends[..., 0] < 0) & one_deal)

    def shares(self) -> Iterator[np.ndarray]:
        """The chances of the ends in every state, float64 (states, ends), one at a time.

        Of all groups, then with each left out.
        """
        yield self._all_groups
        yield from (self._share(group) for group in range(GROUPS))

    @cached_property
    def _all_groups(self) -> np.ndarray:
        return self._share(-1)

    def _share(self, left_out: int) -> np.ndarray:
        shape = (self.last_turn + 1, 2, len(BANDS) + 1, BINS, len(self.ends))
        state, end, group, n = self.counted.T
        kept = n * (group != left_out)
        table = np.bincount(state * len(self.ends) + end, kept, minlength=int(np.prod(shape)))
        return _chances(table.reshape(shape)).reshape(-1, len(self.ends))


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
        return count_ends(turns.play(matchup, matchup.units(n), workers, progress))

    arrays = array_cache.cached(array_cache.describe(matchup, n, form), make)
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
    params = played.matchup.variant.row
    went_on = ~played.last
    turn, mover, own, other, deal = (
        played.column(name)[went_on] for name in ("turn", "side", "count", "other", "deal")
    )
    often = np.flatnonzero(np.bincount(turn, minlength=2) >= ENOUGH_TURNS)
    last_turn = max(often, default=1)
    turn = np.minimum(turn, last_turn)
    ends = ends_of(played.records, params)[deal]
    group = outcomes.group_of(played.records)[deal]
    state = state_of(turn, mover, own, other, matchup.b is None)
    if matchup.b is not None and not matchup.mirrored:
        mirror = np.stack([other_side(ends[:, 0]), ends[:, 1], ends[:, 2]], axis=1)
        state = np.concatenate([state, state_of(turn, 1 - mover, own, other, False)])
        ends = np.concatenate([ends, mirror])
        group = np.concatenate([group, group])
    order = _order(ends, params)
    _, first, end = np.unique(order, return_index=True, return_inverse=True)
    keys = np.stack([state, end.reshape(-1), group], axis=1)
    rows, n = np.unique(keys, axis=0, return_counts=True)
    return {
        "ends": ends[first],
        "counted": np.concatenate([rows, n[:, None]], axis=1),
        "last_turn": np.array(last_turn),
    }


def state_of(
    turn: np.ndarray, mover: np.ndarray, own: np.ndarray, other: np.ndarray, alone: bool
) -> np.ndarray:
    """The number of a state.

    By the difference, deadwood of B less that of A (alone the player's own), so that more is better
    for A.
    """
    difference = -own if alone else np.where(mover == 0, other - own, own - other)
    band = np.zeros_like(own) if alone else np.searchsorted(BANDS, other)
    bin_of = np.clip((difference + BIN // 2) // BIN, -MOST_BIN, MOST_BIN) + MOST_BIN
    return np.asarray(((turn * 2 + mover) * (len(BANDS) + 1) + band) * BINS + bin_of)


def ends_of(records: np.ndarray, params: Params) -> np.ndarray:
    """The end of every recorded deal: int64 (deals, len(END_COLUMNS))."""
    observed = Outcomes(outcomes.observed(records), np.zeros((GROUPS, 0), np.int64))
    won = states.won_deals(params, observed)
    return np.stack([observed.column("winner"), observed.column("points"), won], axis=1)


def _order(ends: np.ndarray, params: Params) -> np.ndarray:
    """A number for every end that grows from the worst for A to the best.

    By who wins, by how many points, by how many deals.
    """
    winner, points, deals = ends.T
    if goal_of(params).total:
        return np.asarray(-points)
    sign = np.where(winner < 0, 0, 1 - 2 * winner)
    return np.asarray(sign * (2**40 + points * 2**16 + deals))


# Checks (docs/explanation/value.md#checking-v)


def martingale(inside: InDealValue, played: Turns) -> pd.DataFrame:
    """The mean change of V by every turn of fresh deals or matches, which is 0 within its error.

    Columns turn, change, se, z, n; the last turn that V distinguishes stands for all later ones.
    Errors are clustered by unit and hold those of V. Below 30 units there is no row.
    """
    import pandas as pd

    turn = played.column("turn")
    deal = played.column("deal")
    starts, along = inside.along(played)
    before = np.concatenate([np.empty((len(along), 1)), along[:, :-1]], axis=1)
    before[:, turn == 1] = starts[:, deal[turn == 1]]
    cell = np.minimum(turn, inside.last_turn)
    cells = inside.last_turn + 1
    change, se, n = _by_cell(along - before, played.record("unit"), cell, cells)
    frame = pd.DataFrame({"turn": np.arange(cells), "change": change, "se": se, "n": n})
    frame.insert(3, "z", frame["change"] / frame["se"])
    return frame[frame["change"].notna()].reset_index(drop=True)


def reliability(inside: InDealValue, played: Turns, bins: int = 10) -> pd.DataFrame:
    """In bins of V within the deals of fresh matches: how often the match was won.

    Columns value (mean V), won (share won in the end), gap, se, z, n (turns). Errors are clustered
    by unit and hold those of V. Below 30 units there is no row.
    """
    import pandas as pd

    went_on = ~played.last
    along = inside.along(played)[1][:, ~played.last]
    result = _results(played)[went_on]
    cell = np.minimum((along[0] * bins).astype(np.int64), bins - 1)
    gap, se, n = _by_cell(result - along, played.record("unit")[went_on], cell, bins)
    won = np.bincount(cell, result, minlength=bins) / np.maximum(n, 1)
    frame = pd.DataFrame({"value": won - gap, "won": won, "gap": gap, "se": se, "n": n})
    frame.insert(4, "z", frame["gap"] / frame["se"])
    return frame[frame["gap"].notna()].reset_index(drop=True)


def brier(inside: InDealValue, played: Turns) -> pd.Series:
    """Mean (V - result)^2 over the turns of fresh matches, with V within and between deals.

    Entries within, between, gain (their difference) with its se, and n.
    """
    import pandas as pd

    went_on = ~played.last
    deal = played.column("deal")
    result = _results(played)[went_on]
    starts, along = inside.along(played)
    within = (along[0, went_on] - result) ** 2
    between = (starts[0, deal[went_on]] - result) ** 2
    gain = observations.mean(between - within, played.record("unit")[went_on])
    numbers = {"within": float(within.mean()), "between": float(between.mean())}
    return pd.Series({**numbers, "gain": gain.value, "se": gain.se, "n": len(result)})


def _results(played: Turns) -> np.ndarray:
    """What its match was worth to A in the end, for every turn."""
    matches = calibration.read_matches(played.records)
    return np.asarray(matches.result[played.column("deal")])


def _by_cell(
    x: np.ndarray, unit: np.ndarray, cell: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, se and number in every cell of x (1 + GROUPS, observations).

    Of all groups; the others, with each left out, give the error of V.
    """
    parts = [observations.by_cell(values, unit, cell, cells) for values in x]
    mean, se, n = parts[0]
    own = jackknife(np.array([left_out for left_out, _, _ in parts[1:]]))
    return mean, np.hypot(se, own), n


# Monotone distributions


def _chances(table: np.ndarray) -> np.ndarray:
    """Chances of the ends from counts (turns, movers, bands, bins, ends).

    What was never seen at a turn goes by all turns and bands.
    """
    chances = fit_isotonic(table)
    anywhere = fit_isotonic(table.sum(axis=(0, 2)))
    never = table.sum(axis=(3, 4)) == 0
    chances[never] = anywhere[np.nonzero(never)[1]]
    return chances


def fit_isotonic(table: np.ndarray) -> np.ndarray:
    """Chances from counts (..., bins, ends), rising with the bin by least squares.

    What rises is the chance of some end or a better one; empty bins are as below.
    """
    weight = table.sum(axis=-1)
    tail = np.cumsum(table[..., ::-1], axis=-1)[..., ::-1] / np.maximum(weight, 1)[..., None]
    flat = np.ascontiguousarray(tail.reshape(-1, *table.shape[-2:]))
    kernels.make_isotonic(np.ascontiguousarray(weight.reshape(len(flat), -1)), flat)
    flat[:, :, :-1] -= flat[:, :, 1:].copy()
    return np.asarray(flat.reshape(table.shape))
