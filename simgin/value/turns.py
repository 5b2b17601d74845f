"""Deals turn by turn: what a hand was worth after every turn, and how often it won.

    counts(play(parse_matchup("gold", "simple", "standard", 1, "deal"), 20_000))

A light second pass beside the engine. The deals are played and recorded as ever; then each is
played once more by the same kernel, which stops with it in the state, and pack and histories show
how the hands went. Two deals differ only if a strategy does not repeat itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import from_dtype, int64, types

from simgin.core import jit, sums
from simgin.core.answers import SLOTS
from simgin.core.policy import HOOK_TYPE, RECORDS_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, over_units
from simgin.rules.build import build_rules
from simgin.stats.estimate import ENOUGH_UNITS, share_limits
from simgin.stats.table import Frame, frame_of
from simgin.strategy import interpret
from simgin.value import kernels

CALL_DEALS = 2_000  # of one call of the second pass

# One turn. deal: its place in the records; turn: its number, from 1; own_turn: its number among the
# player's own; side: who moved (0 A, 1 B); count: deadwood of the mover after it.
TURN = np.dtype([(name, np.int64) for name in ("deal", "turn", "own_turn", "side", "count")])
TURNS_TYPE = types.Array(from_dtype(TURN), 1, "C")
BIN = 5  # points of deadwood

COUNT_COLUMNS = ("turn", "count", "value", "se", "low", "high", "n")


@dataclass(frozen=True)
class Turns:
    """Deals and their turns, both in the order of play.

    records: `core.record.DEAL` (deals,). rows: TURN (turns,). A deal that was thrown up before its
    first turn, or ended by the joker in the hand, has no turns; a draw that made a deal void is
    none.
    """

    matchup: Matchup
    records: np.ndarray
    rows: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """One field of every turn."""
        return np.asarray(self.rows[name])

    def record(self, name: str) -> np.ndarray:
        """A field of the record of every turn's deal."""
        return np.asarray(self.records[name][self.column("deal")])


def play(
    matchup: Matchup, units: int, workers: int | None = None, progress: Progress | None = None
) -> Turns:
    """So many units of single deals, turn by turn."""
    kernel.prepare(matchup)
    _loop(len(matchup.players))

    def recorded(first_unit: int, n: int) -> np.ndarray:
        return kernel.play_recorded(matchup, first_unit, n)[1]

    def traced(first: int, n: int) -> np.ndarray:
        return _traced(matchup, records[first : first + n], first)

    records = np.concatenate(over_units(recorded, units, CALL_DEALS, workers))
    turns = over_units(traced, len(records), CALL_DEALS, workers, progress)
    return Turns(matchup, records, np.concatenate(turns))


def _traced(matchup: Matchup, records: np.ndarray, first: int) -> np.ndarray:
    """The turns of recorded deals, the first of which is number `first` of all: TURN (turns,)."""
    players = len(matchup.players)
    state = new_state(matchup.seed)
    own_rules = build_rules(matchup.variant)
    turns = np.empty(int(records["turns"].sum()), TURN)
    sums_row = np.zeros((1, sums.COLUMNS), np.int64)
    which = np.stack([records[name] for name in ("unit", "half")], axis=1)
    vectors = kernel.seat_players(state, matchup)
    game = (state, own_rules, new_view(), new_view(), sums_row, kernel.NO_RECORDS)
    play_units, hooks = kernel.compiled_kernel(players), kernel.compiled_hooks(matchup)
    with interpret.unwrapped():
        _loop(players)(play_units, *game, which, first, turns, *hooks)
    del vectors  # the state has their addresses
    return turns


@cache
def _loop(players: int) -> Any:
    """The second pass for one or two players, compiled on first use.

    It is handed the kernel, as the kernel is handed its hooks.
    """
    function = kernels.follow_solo_deals if players == 1 else kernels.follow_deals
    table, hooks = (
        types.Array(int64, 2, "C"),
        len(kernel.SOLO_SLOTS) if players == 1 else 2 * len(SLOTS),
    )
    game = (STATE_TYPE, RULES_TYPE, VIEW_TYPE, VIEW_TYPE, table, RECORDS_TYPE)
    play_units = types.FunctionType(kernel.signature(players))
    arguments = (play_units, *game, table, int64, TURNS_TYPE, *[HOOK_TYPE] * hooks)
    return jit.compiled(function, types.void(*arguments))


def counts(turns: Turns) -> Frame:
    """The chance of A to win the deal by its own deadwood after so many turns of its own.

    Columns variant, strategy, opponent and COUNT_COLUMNS: count is the lower edge of a bin of 5, n
    counts deals that went on. A void deal is not won. Errors are clustered by unit. What rests on
    fewer than 30 units is left out.
    """
    matchup = turns.matchup
    turn, count, unit, won = _after_turns(turns)
    keys = np.stack([turn, count // BIN], axis=1)
    cells, place = np.unique(keys, axis=0, return_inverse=True)
    value, se, n = _by_cell(won, unit, place.reshape(-1), len(cells))
    limits = [share_limits(*cell) for cell in zip(value, se, n, strict=True)]
    low, high = np.array(limits).reshape(-1, 2).T
    names = {"variant": matchup.variant.text, "strategy": matchup.a.text}
    columns = {"turn": cells[:, 0], "count": cells[:, 1] * BIN, "value": value, "se": se}
    frame = frame_of(columns | {"low": low, "high": high, "n": n})
    frame = frame.assign(**names, opponent=matchup.opponent)[[*names, "opponent", *COUNT_COLUMNS]]
    return frame[frame["value"].notna()].reset_index(drop=True)


def _after_turns(turns: Turns) -> np.ndarray:
    """Own turn (0: as dealt), deadwood, unit, and whether the deal was won: int64 (4, hands).

    Of A after its own turns in deals that went on; of a strategy against itself, of both sides.
    """
    matchup = turns.matchup
    rows = turns.rows[turns.column("turn") < turns.record("turns")]  # the deal went on
    of_turns = turns.records[rows["deal"]]
    hands = []
    for who in (0,) if matchup.b is None or matchup.mirrored else (0, 1):
        own = rows["side"] == who
        of_own = of_turns[own]
        dealt = turns.records
        as_dealt = np.zeros(len(dealt), np.int64)
        hands += [
            (rows["own_turn"][own], rows["count"][own], of_own["unit"], of_own["winner"] == who),
            (as_dealt, dealt[f"dealt_{'ab'[who]}"], dealt["unit"], dealt["winner"] == who),
        ]
    return np.concatenate([np.stack(hand).astype(np.int64) for hand in hands], axis=1)


def _by_cell(
    x: np.ndarray, unit: np.ndarray, cell: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of x in each of `cells` cells, its standard error and the number of observations.

    Errors are clustered by unit (docs/explanation/statistics.md#units-and-pairs); NaN in cells of
    fewer than 30 units. cell: of every observation, from 0.
    """
    n = np.bincount(cell, minlength=cells)
    filled = np.maximum(n, 1)
    units = unit.max(initial=0) + 1
    keys, place = np.unique(cell * units + unit, return_inverse=True)
    own = keys // units
    counts = np.bincount(own, minlength=cells)
    means = np.bincount(cell, x, minlength=cells) / filled
    value = np.where(counts >= ENOUGH_UNITS, means, np.nan)
    squares = np.bincount(place, x - value[cell], minlength=len(keys)) ** 2
    correction = counts / np.maximum(counts - 1, 1)
    return value, np.sqrt(correction * np.bincount(own, squares, minlength=cells)) / filled, n
