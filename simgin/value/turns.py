"""Deals turn by turn: what both hands were worth after every turn, and what there was to decide.

    played = play(parse_matchup("gold", "simple", "standard", 1, "deal"), 20_000)
    deadwood(played), counts(played), share_with_choice(played)

A light second pass beside the engine. The deals are played and recorded as ever; then each is
played once more by the same kernel, which stops with it in the state, and pack and histories show
how the hands went. Two deals differ only if a strategy does not repeat itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, int64, types

from simgin.core import jit, sums
from simgin.core.answers import SLOTS
from simgin.core.policy import HOOK_TYPE, RECORDS_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play.kernel import (
    NO_RECORDS,
    SOLO_SLOTS,
    compiled_hooks,
    compiled_kernel,
    play_recorded,
    prepare,
    seat_players,
    signature,
)
from simgin.play.matchup import Matchup
from simgin.play.parallel import over_units
from simgin.rules.build import build_rules
from simgin.stats import observations
from simgin.stats.estimate import ENOUGH_UNITS, Estimate, share_limits
from simgin.strategy import interpret
from simgin.value import kernels

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.parallel import Progress

CALL_DEALS = 2_000  # of one call of the second pass

# One turn. deal: its place in the records; turn: its number, from 1; own_turn: its number among the
# player's own; side: who moved (0 A, 1 B); dealer: whether he dealt; count, other: deadwood of the
# mover and of the other after it (-1 alone). actions: what there was to choose from, which is a
# discard that no other beats in both deadwood and danger, and one each for a take and an ending
# that are worth a thought.
TURN = np.dtype(
    [
        (name, np.int64)
        for name in ("deal", "turn", "own_turn", "side", "dealer", "count", "other", "actions")
    ]
)
TURNS_TYPE = types.Array(from_dtype(TURN), 1, "C")
BIN = 5  # points of deadwood

DEADWOOD_COLUMNS = ("turn", "side", "q10", "q50", "q90", "low", "high", "n")
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

    @property
    def last(self) -> np.ndarray:
        """Whether the deal had no turn after this one."""
        return np.asarray(self.column("turn") == self.record("turns"))


def play(
    matchup: Matchup, units: int, workers: int | None = None, progress: Progress | None = None
) -> Turns:
    """So many units of single deals, turn by turn."""
    prepare(matchup)
    _loop(len(matchup.players))

    def recorded(first_unit: int, n: int) -> np.ndarray:
        return play_recorded(matchup, first_unit, n)[1]

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
    vectors = seat_players(state, matchup)
    with interpret.unwrapped():
        _loop(players)(
            compiled_kernel(players),
            state,
            own_rules,
            new_view(),
            new_view(),
            sums_row,
            NO_RECORDS,
            which,
            first,
            turns,
            *compiled_hooks(matchup),
        )
    del vectors  # the state has their addresses
    return turns


@cache
def _loop(players: int) -> Any:
    """The second pass for one or two players, compiled on first use.

    It is handed the kernel, as the kernel is handed its hooks.
    """
    table = types.Array(int64, 2, "C")
    arguments = (
        types.FunctionType(signature(players)),
        STATE_TYPE,
        RULES_TYPE,
        VIEW_TYPE,
        VIEW_TYPE,
        table,
        RECORDS_TYPE,
        table,
        int64,
        TURNS_TYPE,
    )
    function: Any = kernels.follow_deals
    hooks = 2 * len(SLOTS)
    if players == 1:
        function = kernels.follow_solo_deals
        hooks = len(SOLO_SLOTS)
    return jit.compiled(function, types.void(*arguments, *([HOOK_TYPE] * hooks)))


# Frames


def deadwood(turns: Turns) -> pd.DataFrame:
    """Deadwood of A after each of its own turns (0: as dealt), in deals that went on.

    Columns variant, strategy, opponent and DEADWOOD_COLUMNS; side is nondealer, dealer or (alone)
    player, low and high are limits of the median, n counts deals. Of a strategy against itself both
    sides count. What rests on fewer than 30 units is left out.
    """
    import pandas as pd

    rows = []
    for (turn, side), held in _after_turns(turns).groupby(["turn", "side"]):
        x = held["count"].to_numpy()
        unit = held["unit"].to_numpy()
        if len(np.unique(unit)) < ENOUGH_UNITS:
            continue
        quantiles = np.quantile(x, (0.1, 0.5, 0.9))
        rows.append((turn, side, *quantiles, *observations.median_limits(x, unit), len(x)))
    return _with_players(turns.matchup, pd.DataFrame(rows, columns=list(DEADWOOD_COLUMNS)))


def counts(turns: Turns) -> pd.DataFrame:
    """The chance of A to win the deal by its own deadwood after so many turns of its own.

    Columns variant, strategy, opponent and COUNT_COLUMNS: count is the lower edge of a bin of 5, n
    counts deals that went on. A void deal is not won. Errors are clustered by unit. What rests on
    fewer than 30 units is left out.
    """
    import pandas as pd

    after = _after_turns(turns)
    keys = np.stack([after["turn"], after["count"] // BIN], axis=1)
    cells, place = np.unique(keys, axis=0, return_inverse=True)
    value, se, n = observations.by_cell(
        after["won"].to_numpy(float), after["unit"].to_numpy(), place.reshape(-1), len(cells)
    )
    columns = {"turn": cells[:, 0], "count": cells[:, 1] * BIN, "value": value, "se": se, "n": n}
    frame = pd.DataFrame(columns)
    frame = frame[frame["value"].notna()].reset_index(drop=True)
    limits = [share_limits(*cell) for cell in frame[["value", "se", "n"]].itertuples(index=False)]
    low, high = np.array(limits).reshape(-1, 2).T
    frame["low"] = low
    frame["high"] = high
    return _with_players(turns.matchup, frame[list(COUNT_COLUMNS)])


def share_with_choice(turns: Turns) -> Estimate:
    """The share of turns with a real choice: more than one action that no other beats.

    Takes, endings and discards that differ are actions (docs/reference/metrics.md#decisions).
    """
    return observations.mean(turns.column("actions") > 1, turns.record("unit"))


def _after_turns(turns: Turns) -> pd.DataFrame:
    """What A held after its own turns (0: as dealt) in deals that went on.

    Columns turn, side, count, unit, and won: whether the deal was won in the end.
    """
    import pandas as pd

    matchup = turns.matchup
    records = turns.records
    went_on = ~turns.last
    frames = []
    # Of a strategy against itself both sides count
    for who in (0,) if matchup.b is None or matchup.mirrored else (0, 1):
        chosen = went_on & (turns.column("side") == who)
        deal = turns.column("deal")[chosen]
        after_turn = _held(
            matchup,
            who,
            turn=turns.column("own_turn")[chosen],
            count_then=turns.column("count")[chosen],
            deals=records[deal],
        )
        dealt = records[f"dealt_{'ab'[who]}"]
        as_dealt = _held(
            matchup, who, turn=np.zeros(len(dealt), np.int64), count_then=dealt, deals=records
        )
        frames += [after_turn, as_dealt]
    return pd.concat(frames, ignore_index=True)


def _held(
    matchup: Matchup, who: int, turn: np.ndarray, count_then: np.ndarray, deals: np.ndarray
) -> pd.DataFrame:
    """Rows of `_after_turns` of one side; deals: the record of each row's deal."""
    import pandas as pd

    names = np.array(["player"] * 2 if matchup.b is None else ["nondealer", "dealer"])
    is_dealer = deals["dealer"] == who
    columns = {
        "turn": turn,
        "side": names[is_dealer.astype(np.int64)],
        "count": count_then,
        "unit": deals["unit"],
        "won": deals["winner"] == who,
    }
    return pd.DataFrame(columns)


def _with_players(matchup: Matchup, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with who played what in front."""
    frame.insert(0, "variant", matchup.variant.text)
    frame.insert(1, "strategy", matchup.a.text)
    frame.insert(2, "opponent", matchup.opponent)
    return frame
