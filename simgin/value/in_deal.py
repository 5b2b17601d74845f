"""The value V within a deal: the chance to win the match after so many turns, by what both sides hold.

    inside = of(value.of("standard", "gold", "simple"))
    inside.win(turn=6, mover=0, own=18, other=31, a=40, b=60, dealer=1)

A state is the number of turns played, who made the last one, and deadwood: of both sides in bins of the difference and bands of what the
mover's opponent holds, of one player alone in bins. Deals played turn by turn count how deals went on from every state; the score
enters by what V makes of each end. Within a band a lower count of one's own never makes a better end less likely: the distributions of
ends are fitted so that they rise with the difference (isotonic distributional regression; Henzi, Ziegel, Gneiting, Journal of the
Royal Statistical Society B 2021), which keeps their mean over a turn, so that V is a martingale from turn to turn.

See docs/explanation/value.md#within-a-deal.
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
from simgin.stats import observations
from simgin.text.amounts import parse_count
from simgin.value import array_cache, calibration, kernels, outcomes, states
from simgin.value.outcomes import GROUPS, Outcomes, jackknife
from simgin.value.states import DRAWN
from simgin.value.turns import Turns, play
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

DEALS = 100_000
BIN = 5
# Bins of the difference from -20 to 20, bin k around 5k, and what lies beyond; alike from both
# sides
MOST_BIN = 20
BINS = 2 * MOST_BIN + 1
BANDS = (10, 30)  # the mover's opponent can knock, is near it, is far from it
ENOUGH_TURNS = 1_000  # of one number; later turns count as the last that has so many
CALL_DEALS = 4_000  # at a time: what V makes of every end of so many deals

# An end of a deal: the side that won (-1 nobody), the points, and the won deals it counts for.
END = ("winner", "points", "deals")


@dataclass(frozen=True)
class Within:
    """V within the deals of a value's pair.

    ends: int64 (ends, len(END)), from the worst for A to the best. counted: int64 (k, 4), state, end, group and how often that came about;
    the groups are those of outcomes. last_turn: the number that all later turns count as.
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
        """The chance 0..1 that A wins the match after turn number `turn`, made by side `mover` (0 A, 1 B), if the deal goes on.

        own, other: the mover's deadwood and the other's (of one player alone any). a, b, dealer: the state before the deal, as in `Value`.
        """
        return self._asked((turn, mover, own, other), (a, b, dealer), 1)[0]

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
        return jackknife(self._asked((turn, mover, own, other), (a, b, dealer), 1 + GROUPS)[1:])

    def along(self, turns: Turns) -> tuple[np.ndarray, np.ndarray]:
        """V before every deal and after every turn of recorded deals of the pair, float64 (1 + GROUPS, deals) and (1 + GROUPS, turns).

        Of all groups, then with each left out. After the last turn of a deal it is V at the score that the deal leads to.
        """
        before, deal, last = self.value.states(turns.records), turns.column("deal"), turns.last
        state = self._state(*(turns.column(name) for name in ("turn", "side", "count", "other")))
        ends = ends_of(turns.records, self.value.matchup.variant.row)
        start, after, drawn = (
            self.value.board.index(*before),
            self._places(ends, *before),
            self._drawn(ends),
        )
        deals, found = np.empty((1 + GROUPS, len(ends))), np.empty((1 + GROUPS, len(deal)))
        for g, (table, values) in enumerate(self._values(state, deal, before)):
            deals[g], found[g] = table[start], values
            found[g, last] = np.where(drawn, DRAWN, table[after])[deal[last]]
        return deals, found

    def _asked(
        self, held: tuple[ArrayLike, ...], score: tuple[ArrayLike, ...], tables: int
    ) -> np.ndarray:
        state = self._state(*np.broadcast_arrays(*held))
        a, b, dealer = self.value.asked(*score)
        shape = np.broadcast_shapes(
            state.shape, a.shape[:-1], b.shape[:-1] if b.size else (), dealer.shape
        )
        n = int(np.prod(shape))
        a, b = (np.broadcast_to(x, (*shape, x.shape[-1])).reshape(n, x.shape[-1]) for x in (a, b))
        state, dealer = (np.broadcast_to(x, shape).reshape(-1) for x in (state, dealer))
        found = itertools.islice(self._values(state, np.arange(n), (a, b, dealer)), tables)
        return np.array([values for _, values in found]).reshape(tables, *shape)

    def _state(
        self, turn: np.ndarray, mover: np.ndarray, own: np.ndarray, other: np.ndarray
    ) -> np.ndarray:
        return state_of(
            np.minimum(turn, self.last_turn), mover, own, other, self.value.matchup.b is None
        )

    def _tables(self) -> Iterator[np.ndarray]:
        """V between deals: of all groups, then with each left out."""
        yield self.value.chances
        yield from self.value.tables_leaving_out()

    def _values(
        self, state: np.ndarray, deal: np.ndarray, before: states.States
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """V between deals, of all groups and with each left out, each with V in states within deals, whose numbers ascend.

        before: the states that the deals began with.
        """
        drawn, parts = (
            self._drawn(self.ends),
            [slice(i, i + CALL_DEALS) for i in range(0, len(before[2]), CALL_DEALS)],
        )
        places = [self._places(self.ends, *(x[part, None] for x in before)) for part in parts]
        for table, share in zip(self._tables(), self.shares(), strict=True):
            found = np.empty(len(state))
            for part, place in zip(parts, places, strict=True):
                begin, end = np.searchsorted(deal, (part.start, part.stop))
                worth = np.where(drawn, DRAWN, table[place])
                kernels.write_expected(
                    share, worth, state[begin:end], deal[begin:end] - part.start, found[begin:end]
                )
            yield table, found

    def _places(
        self, ends: np.ndarray, a: np.ndarray, b: np.ndarray, dealer: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Where on the board ends (..., len(END)) lead to from scores."""
        row, (winner, points, deals) = self.value.matchup.variant.row, np.moveaxis(ends, -1, 0)
        nothing, standings = np.zeros_like(winner), []
        for side, (fields, standing) in enumerate(
            zip(self.value.board.fields, (a, b), strict=True)
        ):
            scores = (winner == side) | goal_of(row).total
            brought = {
                "score": scores * points,
                "deals": scores * deals,
                "left": nothing - 1,
                "games": nothing,
            }
            standings.append(
                standing + np.stack([brought[name] for name in fields], axis=-1)
                if fields
                else standing
            )
        return self.value.board.index(
            standings[0], standings[1], states.next_dealers(row)[dealer, winner]
        )

    def _drawn(self, ends: np.ndarray) -> np.ndarray:
        """The ends that decide the match for nobody: a void deal where one deal is all."""
        return np.asarray((ends[:, 0] < 0) & self.value.matchup.variant.goal.one_deal)

    def shares(self) -> Iterator[np.ndarray]:
        """The chances of the ends in every state, float64 (states, ends): of all groups, and with each left out. One at a time."""
        yield self._all
        yield from (self._share(group) for group in range(GROUPS))

    @cached_property
    def _all(self) -> np.ndarray:
        return self._share(-1)

    def _share(self, left_out: int) -> np.ndarray:
        shape = (self.last_turn + 1, 2, len(BANDS) + 1, BINS, len(self.ends))
        state, end, group, n = self.counted.T
        table = np.bincount(
            state * shape[-1] + end, n * (group != left_out), minlength=int(np.prod(shape))
        )
        return _chances(table.reshape(shape)).reshape(-1, shape[-1])


def of(value: Value, deals: int | str = DEALS, workers: int | None = None) -> Within:
    """V within a deal for the pair of a value, from so many single deals played turn by turn, counted once and kept on disk."""
    _refuse(value)
    one, n = value.matchup, parse_count(deals)
    one = dataclasses.replace(one, unit="deal")
    form = (
        f"ends of single deals by turn, bins {BIN} {MOST_BIN}, bands {BANDS}, {ENOUGH_TURNS} turns"
    )
    found = array_cache.arrays(
        array_cache.about(one, n, form), lambda: counted(play(one, one.units(n), workers))
    )
    return Within(value, found["ends"], found["counted"], int(found["last_turn"]))


def _refuse(value: Value) -> None:
    """Refuse what a state within a deal does not hold."""
    one = value.matchup
    if not isinstance(value.outcomes, Outcomes):
        raise ValueRefused(
            f"In {one.title} ({one.variant.text}) the score changes how a deal is played, and V within a deal is for deals that are played "
            "alike at every score: take V between deals, or strategies that do not look at the score."
        )
    if one.variant.row["die"] != "off" and (value.outcomes.column("stake") != 1).any():
        raise ValueRefused(
            f"In {one.title} ({one.variant.text}) the die is turned, and V within a deal does not know its number: take V between deals."
        )


def counted(turns: Turns) -> array_cache.Arrays:
    """How often deals went from every state to every end: the arrays of `Within`. Of a strategy against itself both sides count alike."""
    one, row = turns.matchup, turns.matchup.variant.row
    went_on = ~turns.last
    turn, mover, own, other, deal = (
        turns.column(name)[went_on] for name in ("turn", "side", "count", "other", "deal")
    )
    last_turn = max(np.flatnonzero(np.bincount(turn, minlength=2) >= ENOUGH_TURNS), default=1)
    turn = np.minimum(turn, last_turn)
    ends, group = ends_of(turns.records, row)[deal], turns.record("unit")[went_on] // 2 % GROUPS
    state = state_of(turn, mover, own, other, one.b is None)
    if one.b is not None and not one.mirrored:
        mirror = np.stack(
            [np.where(ends[:, 0] < 0, -1, 1 - ends[:, 0]), ends[:, 1], ends[:, 2]], axis=1
        )
        state = np.concatenate([state, state_of(turn, 1 - mover, own, other, False)])
        ends, group = np.concatenate([ends, mirror]), np.concatenate([group, group])
    order = _order(ends, row)
    _, first, end = np.unique(order, return_index=True, return_inverse=True)
    rows, n = np.unique(
        np.stack([state, end.reshape(-1), group], axis=1), axis=0, return_counts=True
    )
    return {
        "ends": ends[first],
        "counted": np.concatenate([rows, n[:, None]], axis=1),
        "last_turn": np.array(last_turn),
    }


def state_of(
    turn: np.ndarray, mover: np.ndarray, own: np.ndarray, other: np.ndarray, alone: bool
) -> np.ndarray:
    """The number of a state; difference: deadwood of B less that of A, alone the player's own, so that more is better for A."""
    difference = -own if alone else np.where(mover == 0, other - own, own - other)
    band = np.zeros_like(own) if alone else np.searchsorted(BANDS, other)
    bin_of = np.clip((difference + BIN // 2) // BIN, -MOST_BIN, MOST_BIN) + MOST_BIN
    return np.asarray(((turn * 2 + mover) * (len(BANDS) + 1) + band) * BINS + bin_of)


def ends_of(records: np.ndarray, row: states.Row) -> np.ndarray:
    """The end of every recorded deal: int64 (deals, len(END))."""
    seen = Outcomes(outcomes.observed(records), np.zeros((GROUPS, 0), np.int64))
    return np.stack(
        [seen.column("winner"), seen.column("points"), states.won_deals(row, seen)], axis=1
    )


def _order(ends: np.ndarray, row: states.Row) -> np.ndarray:
    """A number for every end that grows from the worst for A to the best: who wins, by how many points, by how many deals."""
    winner, points, deals = ends.T
    if goal_of(row).total:
        return np.asarray(-points)
    return np.asarray(np.where(winner < 0, 0, 1 - 2 * winner) * (2**40 + points * 2**16 + deals))


# Whether it can be believed


def martingale(inside: Within, played: Turns) -> pd.DataFrame:
    """The mean change of V by every turn of fresh deals or matches, 0 within its error: columns turn, change, se, z, n.

    Turns from the last that V tells apart on are one. Errors are clustered by unit and hold those of V. Below 30 units there is no row.
    """
    import pandas as pd

    turn, deal, (starts, along) = played.column("turn"), played.column("deal"), inside.along(played)
    before = np.concatenate([np.empty((len(along), 1)), along[:, :-1]], axis=1)
    before[:, turn == 1] = starts[:, deal[turn == 1]]
    cell, cells = np.minimum(turn, inside.last_turn), inside.last_turn + 1
    found = [
        observations.by_cell(change, played.record("unit"), cell, cells)
        for change in along - before
    ]
    (change, se, n), own = found[0], jackknife(np.array([one[0] for one in found[1:]]))
    frame = pd.DataFrame(
        {"turn": np.arange(cells), "change": change, "se": np.hypot(se, own), "n": n}
    )
    frame.insert(3, "z", frame["change"] / frame["se"])
    return frame[frame["change"].notna()].reset_index(drop=True)


def reliability(inside: Within, played: Turns, bins: int = 10) -> pd.DataFrame:
    """In bins of V within the deals of fresh matches: mean V, the share won in the end, the gap, its error, z, and n (turns).

    Errors are clustered by unit and hold those of V. Below 30 units there is no row.
    """
    import pandas as pd

    went_on, along = ~played.last, inside.along(played)[1]
    result = calibration.walks(played.records).result[played.column("deal")][went_on]
    cell = np.minimum((along[0, went_on] * bins).astype(np.int64), bins - 1)
    found = [
        observations.by_cell(result - v[went_on], played.record("unit")[went_on], cell, bins)
        for v in along
    ]
    (gap, se, n), own = found[0], jackknife(np.array([one[0] for one in found[1:]]))
    won = np.bincount(cell, result, minlength=bins) / np.maximum(n, 1)
    frame = pd.DataFrame(
        {"value": won - gap, "won": won, "gap": gap, "se": np.hypot(se, own), "n": n}
    )
    frame.insert(4, "z", frame["gap"] / frame["se"])
    return frame[frame["gap"].notna()].reset_index(drop=True)


def brier(inside: Within, played: Turns) -> pd.Series:
    """Mean (V - result)^2 over the turns of fresh matches, with V within the deal and with V before it; `gain` is the difference."""
    import pandas as pd

    went_on, deal = ~played.last, played.column("deal")
    result = calibration.walks(played.records).result[deal][went_on]
    starts, along = inside.along(played)
    inner, outer = along[0, went_on], starts[0, deal[went_on]]
    scores = {"within": (inner - result) ** 2, "between": (outer - result) ** 2}
    gain = observations.mean(scores["between"] - scores["within"], played.record("unit")[went_on])
    return pd.Series(
        {
            **{name: float(x.mean()) for name, x in scores.items()},
            "gain": gain.value,
            "se": gain.se,
            "n": len(result),
        }
    )


# Monotone distributions


def _chances(table: np.ndarray) -> np.ndarray:
    """Chances of the ends from counts (turns, movers, bands, bins, ends); what was never seen at a turn goes by all turns and bands."""
    found, anywhere = fitted(table), fitted(table.sum(axis=(0, 2)))
    never = table.sum(axis=(3, 4)) == 0
    found[never] = anywhere[np.nonzero(never)[1]]
    return found


def fitted(table: np.ndarray) -> np.ndarray:
    """Counts (..., bins, ends) made chances, those of some end or better rising with the bin by least squares; empty bins are as below."""
    weight = table.sum(axis=-1)
    tail = np.cumsum(table[..., ::-1], axis=-1)[..., ::-1] / np.maximum(weight, 1)[..., None]
    flat = np.ascontiguousarray(tail.reshape(-1, *table.shape[-2:]))
    kernels.make_isotonic(np.ascontiguousarray(weight.reshape(len(flat), -1)), flat)
    flat[:, :, :-1] -= flat[:, :, 1:].copy()
    return np.asarray(flat.reshape(table.shape))
