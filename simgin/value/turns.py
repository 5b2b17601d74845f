"""Deals turn by turn: what both hands were worth after every turn, and how many choices that made a difference each turn had.

    played = of("standard", "gold", "simple", deals=20_000)
    deadwood(played), counts(played), decisions(played)

A light second pass beside the engine. The deals are played and recorded as ever; then each is played once more by the same kernel, which
stops with it in the state, and pack and histories tell how the hands went. Two deals differ only if a strategy does not repeat itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import boolean, from_dtype, int64, types

from simgin.core import jit, sums
from simgin.core.answers import SLOTS
from simgin.core.match import UNDECIDED
from simgin.core.policy import HOOK_TYPE, RECORDS_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play import kernel
from simgin.play.kernel import NO_RECORDS, SOLO_SLOTS
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import over_units
from simgin.rules.record import build_rules
from simgin.stats import observations
from simgin.stats.estimate import ENOUGH_UNITS, share_limits
from simgin.strategy import interpret
from simgin.text.amounts import parse_count
from simgin.value import kernels

if TYPE_CHECKING:
    import pandas as pd

DEALS = 20_000
CALL_DEALS = 2_000  # of one call of the second pass

# One turn. deal: its place in the records; turn: its number, from 1; own_turn: its number among the
# player's own; side: who moved (0 A, 1 B); dealer: whether he dealt; count, other: deadwood of the
# mover and of the other after it (-1 alone). takes, discards, endings: answers of each kind that
# differ, 1 where there was nothing to choose; unbeaten: discards that no other beats in both
# deadwood and danger.
TURN = np.dtype(
    [
        (name, np.int64)
        for name in ("deal", "turn", "own_turn", "side", "dealer", "count", "other")
        + ("takes", "discards", "endings", "unbeaten")
    ]
)
TURNS_TYPE = types.Array(from_dtype(TURN), 1, "C")
BIN = 5  # points of deadwood


@dataclass(frozen=True)
class Turns:
    """Deals and their turns, both in the order of play.

    records: `core.record.DEAL` (deals,), those of `kernel.play_recorded`. rows: TURN (turns,). A deal that was thrown up before
    its first turn, or ended by the joker in the hand, has no turns; a draw that made a deal void is none.
    """

    matchup: Matchup
    records: np.ndarray
    rows: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """One column of every turn."""
        return np.asarray(self.rows[name])

    def record(self, name: str) -> np.ndarray:
        """A field of the record of every turn's deal."""
        return np.asarray(self.records[name][self.column("deal")])

    @property
    def last(self) -> np.ndarray:
        """Whether the deal had no turn after this one."""
        return np.asarray(self.column("turn") == self.record("turns"))


def of(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    deals: int | str = DEALS,
    seed: int = 1,
    workers: int | None = None,
) -> Turns:
    """So many single deals of A against B (two players: `simple` if none is named), turn by turn."""
    one = parse_matchup(a, b, variant, seed, "deal")
    return play(one, one.units(parse_count(deals)), workers)


def play(one: Matchup, n: int, workers: int | None = None) -> Turns:
    """The deals of n units turn by turn; of matches every deal."""
    kernel.prepare(one)
    _loop(len(one.players))
    size = one.batch if one.unit == "match" else CALL_DEALS
    records = np.concatenate(
        over_units(lambda *part: kernel.play_recorded(one, *part)[1], n, size, workers)
    )
    rows = over_units(
        lambda first, n: _traced(one, records[first : first + n], first),
        len(records),
        CALL_DEALS,
        workers,
    )
    return Turns(one, records, np.concatenate(rows))


def _traced(one: Matchup, records: np.ndarray, first: int) -> np.ndarray:
    """The turns of recorded deals, the first of which is row `first` of all; TURN (turns,)."""
    state, own_rules, views = (
        new_state(one.seed),
        build_rules(one.variant),
        (new_view(), new_view()),
    )
    rows = np.empty(int(records["turns"].sum()), TURN)
    vectors = kernel.seat_players(state, one)
    sums_row, which = (
        np.zeros((1, sums.COLUMNS), np.int64),
        np.stack([records[name] for name in ("unit", "half", "deal")], axis=1),
    )
    engine, loop = kernel.compiled_kernel(len(one.players)), _loop(len(one.players))
    with interpret.unwrapped():
        loop(
            engine,
            state,
            own_rules,
            *views,
            sums_row,
            NO_RECORDS,
            which,
            first,
            one.unit == "match",
            rows,
            *kernel.compiled_hooks(one),
        )
    del vectors  # which the state has addresses of
    return rows


# The second pass


@cache
def _loop(players: int) -> Any:
    """The second pass for one or two players, compiled on first use. It is handed the kernel, as the kernel is handed its hooks."""
    table, hooks = types.Array(int64, 2, "C"), len(SOLO_SLOTS) if players == 1 else 2 * len(SLOTS)
    head = (
        types.FunctionType(kernel.signature(players)),
        STATE_TYPE,
        RULES_TYPE,
        VIEW_TYPE,
        VIEW_TYPE,
    )
    arguments = (
        *head,
        table,
        RECORDS_TYPE,
        table,
        int64,
        boolean,
        TURNS_TYPE,
        *[HOOK_TYPE] * hooks,
    )
    function = kernels.follow_solo_deals if players == 1 else kernels.follow_deals
    return jit.compiled(function, types.void(*arguments))


# What is told of them


def deadwood(turns: Turns) -> pd.DataFrame:
    """Deadwood of A after each of its own turns (0: as dealt), as nondealer and as dealer (alone: `player`), in deals that went on.

    Columns variant, strategy, opponent, turn, side, q10, q50, q90, low, high, n (deals); low and high are limits of the median. Of a
    strategy against itself both sides are told of. What rests on fewer than 30 units is left out.
    """
    import pandas as pd

    seen = _after_turns(turns)
    rows = []
    for (turn, side), held in seen.groupby(["turn", "side"]):
        x, unit = held["count"].to_numpy(), held["unit"].to_numpy()
        if len(np.unique(unit)) >= ENOUGH_UNITS:
            rows.append(
                (
                    turn,
                    side,
                    *np.quantile(x, (0.1, 0.5, 0.9)),
                    *observations.median_limits(x, unit),
                    len(x),
                )
            )
    return _framed(
        turns.matchup,
        pd.DataFrame(rows, columns=["turn", "side", "q10", "q50", "q90", "low", "high", "n"]),
    )


def counts(turns: Turns) -> pd.DataFrame:
    """The chance of A to win the deal by its own deadwood (in bins of 5, `count` the lower edge) after so many turns of its own.

    Columns variant, strategy, opponent, turn, count, value, se, low, high, n (deals), of deals that went on; a void deal is not won. Errors
    are clustered by unit. What rests on fewer than 30 units is left out.
    """
    import pandas as pd

    seen = _after_turns(turns)
    cells, place = np.unique(
        np.stack([seen["turn"], seen["count"] // BIN], axis=1), axis=0, return_inverse=True
    )
    value, se, n = observations.by_cell(
        seen["won"].to_numpy(float), seen["unit"].to_numpy(), place.reshape(-1), len(cells)
    )
    frame = pd.DataFrame(
        {"turn": cells[:, 0], "count": cells[:, 1] * BIN, "value": value, "se": se, "n": n}
    )
    frame = frame[frame["value"].notna()].reset_index(drop=True)
    limits = [share_limits(*cell) for cell in frame[["value", "se", "n"]].itertuples(index=False)]
    frame["low"], frame["high"] = np.array(limits).reshape(-1, 2).T
    return _framed(turns.matchup, frame[["turn", "count", "value", "se", "low", "high", "n"]])


def decisions(turns: Turns) -> pd.DataFrame:
    """What there is to decide, both sides together (docs/reference/metrics.md#decisions), with errors clustered by unit.

    Columns variant, strategy, opponent, metric, value, se, low, high, n (turns, deals or matches). `decision_factor` is the share of turns
    with more than one action that differs, `actions` the mean number of such actions; `real_decision_factor` and `real_actions` leave out
    discards that another beats in both deadwood and danger. `decisions_per_deal` and, of matches, `decisions_per_match` count the
    takes, discards and endings that had more than one answer left.
    """
    import pandas as pd

    asked, real = (
        np.stack([turns.column(x) for x in ("takes", "endings", last)], axis=1)
        for last in ("discards", "unbeaten")
    )
    actions, left, decided = asked.sum(axis=1) - 2, real.sum(axis=1) - 2, (real > 1).sum(axis=1)
    own, deals = turns.record("unit"), turns.records["unit"]
    over = {"decisions_per_deal": np.ones(len(deals))}
    if turns.matchup.unit == "match":
        over["decisions_per_match"] = (turns.records["outcome"] != UNDECIDED).astype(float)
    each_turn = {
        "decision_factor": actions > 1,
        "actions": actions,
        "real_decision_factor": left > 1,
        "real_actions": left,
    }
    found = {name: (observations.mean(x, own), len(own)) for name, x in each_turn.items()}
    for name, each in over.items():
        unit = np.concatenate([own, deals])
        parts = (
            np.concatenate([decided, np.zeros(len(deals))]),
            np.concatenate([np.zeros(len(own)), each]),
        )
        found[name] = observations.ratio(*parts, unit), int(each.sum())
    rows = [(name, one.value, one.se, one.low, one.high, n) for name, (one, n) in found.items()]
    return _framed(
        turns.matchup, pd.DataFrame(rows, columns=["metric", "value", "se", "low", "high", "n"])
    )


def _after_turns(turns: Turns) -> pd.DataFrame:
    """What A held after its own turns (0: as dealt) in deals that went on: turn, side, count, unit and whether the deal was won."""
    import pandas as pd

    went_on, records = ~turns.last, turns.records
    names = np.array(["player"] * 2 if turns.matchup.b is None else ["nondealer", "dealer"])
    parts = []
    for who in _sides(turns.matchup):
        chosen = went_on & (turns.column("side") == who)
        now = records[turns.column("deal")[chosen]]
        parts.append((turns.column("own_turn")[chosen], turns.column("count")[chosen], now, who))
        parts.append(
            (
                np.zeros(len(records), np.int64),
                records[f"dealt_{'ab'[who]}"],
                records,
                who,
            )
        )
    frames = [
        pd.DataFrame(
            {
                "turn": turn,
                "side": names[(now["dealer"] == who).astype(np.int64)],
                "count": held,
                "unit": now["unit"],
                "won": now["winner"] == who,
            }
        )
        for turn, held, now, who in parts
    ]
    return pd.concat(frames, ignore_index=True)


def _sides(one: Matchup) -> tuple[int, ...]:
    """The sides whose hands are told of: that of A, and both of a strategy against itself."""
    return (0,) if one.b is None or one.mirrored else (0, 1)


def _framed(one: Matchup, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with who played what in front."""
    frame.insert(0, "variant", one.variant.text)
    frame.insert(1, "strategy", one.a.text)
    frame.insert(2, "opponent", one.opponent)
    return frame
