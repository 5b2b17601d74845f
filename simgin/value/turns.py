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
from numba import boolean, int64, types

from simgin.core import jit, sums
from simgin.core.bits import lowest
from simgin.core.cards import PACK
from simgin.core.deadwood import best_discards, deadwood_of
from simgin.core.endings import legal_discards
from simgin.core.match import UNDECIDED
from simgin.core.policy import HOOK_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.record import FIELD, OUTCOME
from simgin.core.rules import DISCARD_FIRST
from simgin.core.state import SLOTS, new_state
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK, new_view
from simgin.play import matchup
from simgin.play.matchup import NO_RECORDS, SOLO_SLOTS, Matchup, seated
from simgin.play.parallel import over_units
from simgin.rules import record as rules
from simgin.stats import observations
from simgin.stats.ratios import ENOUGH_UNITS
from simgin.strategy import interpret
from simgin.text.amounts import count
from simgin.toolkit.prospects import hits, melds_through

if TYPE_CHECKING:
    import pandas as pd

DEALS = 20_000
CALL_DEALS = 2_000  # of one call of the second pass

# A turn: the row of its deal in the records; its number, from 1, and its number among its player's own; who moved (0 A, 1 B) and
# whether he dealt; deadwood of the mover and of the other after it; how many answers that differ the take, the discard and the ending
# had, 1 where there was nothing to choose; and how many of these discards no other beats in both deadwood and danger.
FIELDS = (
    "deal",
    "turn",
    "own_turn",
    "side",
    "dealer",
    "count",
    "other",
    "takes",
    "discards",
    "endings",
    "unbeaten",
)
COLUMN = {name: i for i, name in enumerate(FIELDS)}
BIN = 5  # points of deadwood


@dataclass(frozen=True)
class Turns:
    """Deals and their turns, both in the order of play.

    records: int64 (deals, record.FIELDS), those of `matchup.play_recorded`. rows: int64 (turns, FIELDS). A deal that was thrown up before
    its first turn, or ended by the joker in the hand, has no turns; a draw that made a deal void is none.
    """

    matchup: Matchup
    records: np.ndarray
    rows: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """One column of every turn."""
        return np.asarray(self.rows[:, COLUMN[name]])

    def record(self, name: str) -> np.ndarray:
        """A field of the record of every turn's deal."""
        return np.asarray(self.records[self.column("deal"), FIELD[name]])

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
    one = seated(a, b, variant, seed, "deal")
    return play(one, one.units(count(deals)), workers)


def play(one: Matchup, n: int, workers: int | None = None) -> Turns:
    """The deals of n units turn by turn; of matches every deal."""
    matchup.prepare(one)
    _loop(len(one.players))
    size = one.batch if one.unit == "match" else CALL_DEALS
    records = np.concatenate(
        over_units(lambda *part: matchup.play_recorded(one, *part)[1], n, size, workers)
    )
    rows = over_units(
        lambda first, n: _traced(one, records[first : first + n], first),
        len(records),
        CALL_DEALS,
        workers,
    )
    return Turns(one, records, np.concatenate(rows))


def _traced(one: Matchup, records: np.ndarray, first: int) -> np.ndarray:
    """The turns of recorded deals, the first of which is row `first` of all; int64 (turns, FIELDS)."""
    state, own_rules, views = (
        new_state(one.seed),
        rules.build(one.variant),
        (new_view(), new_view()),
    )
    rows = np.empty((int(records[:, FIELD["turns"]].sum()), len(FIELDS)), np.int64)
    vectors = matchup.seat(state, one)
    sums_row, which = np.zeros((1, sums.COLUMNS), np.int64), np.ascontiguousarray(records[:, :3])
    kernel, loop = matchup.kernel(len(one.players)), _loop(len(one.players))
    with interpret.unwrapped():
        loop(
            kernel,
            state,
            own_rules,
            *views,
            sums_row,
            NO_RECORDS,
            which,
            first,
            one.unit == "match",
            rows,
            *matchup.compiled_hooks(one),
        )
    del vectors  # which the state has addresses of
    return rows


# The second pass


@cache
def _loop(players: int) -> Any:
    """The second pass for one or two players, compiled on first use. It is handed the kernel, as the kernel is handed its hooks."""
    table, hooks = types.Array(int64, 2, "C"), len(SOLO_SLOTS) if players == 1 else 2 * len(SLOTS)
    head = (
        types.FunctionType(matchup.signature(players)),
        STATE_TYPE,
        RULES_TYPE,
        VIEW_TYPE,
        VIEW_TYPE,
    )
    arguments = (*head, table, table, table, int64, boolean, table, *[HOOK_TYPE] * hooks)
    return jit.compiled(_alone if players == 1 else _both, types.void(*arguments))


def _both(  # type: ignore[no-untyped-def]
    kernel, state, rules, view0, view1, sums_row, no_records, which, first, matches, rows,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a, take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play the deals named in `which`, int64 (deals, unit, half and number), once more, and write the turns of each to rows."""
    n = 0
    for i in range(which.shape[0]):
        half = which[i, 1]
        state.watch_half = (
            half if matches else -1
        )  # a single deal is the last that is played, so that none need be watched
        state.watch_deal = which[i, 2]
        kernel(
            state, rules, view0, view1, sums_row, no_records, which[i, 0], 1, 1, matches, half == 1,
            take_a, discard_a, knock_a, offer_a, answer_a, show_a, take_b, discard_b, knock_b, offer_b, answer_b, show_b,
        )  # fmt: skip
        n = _write_turns(state, rules, view0, view1, False, first + i, rows, n)


def _alone(  # type: ignore[no-untyped-def]
    kernel,
    state,
    rules,
    view0,
    view1,
    sums_row,
    no_records,
    which,
    first,
    matches,
    rows,
    discard,
    knock,
):
    """As `_both` for one player, who looks at view0 alone."""
    n = 0
    for i in range(which.shape[0]):
        state.watch_half = 0 if matches else -1
        state.watch_deal = which[i, 2]
        kernel(
            state, rules, view0, sums_row, no_records, which[i, 0], 1, 1, matches, discard, knock
        )
        n = _write_turns(state, rules, view0, view0, True, first + i, rows, n)


@jit.jit
def _hand_as_dealt(state, rules, first, alone):  # type: ignore[no-untyped-def]
    """Ten or eleven cards: of the nondealer (first), of the dealer, or of a single player, whom a joker may cost one."""
    hand, eleven = 0, rules.first_turn == DISCARD_FIRST
    if alone:
        n = 11 if eleven else 10
        for i in range(n - (0 <= state.joker < n)):
            hand |= 1 << int(state.pack[i])
        return hand
    for i in range(10):
        hand |= 1 << int(state.pack[2 * i + (not first)])
    return hand | 1 << int(state.pack[20]) if first and eleven else hand


@jit.jit
def _write_turns(state, rules, view0, view1, alone, deal, rows, n):  # type: ignore[no-untyped-def]
    """Write the turns of the deal in the state to rows, from row n on; the next free row."""
    first = 0 if alone else 1 - state.dealer
    hands, own_turns = np.zeros(2, np.int64), np.zeros(2, np.int64)
    if state.turns:
        hands[first] = _hand_as_dealt(state, rules, True, alone)
        if not alone:
            hands[1 - first] = _hand_as_dealt(state, rules, False, alone)
    top = state.upcard
    pile = 1 << top if top >= 0 else 0
    for t in range(state.turns):
        seat, source, thrown = (
            int(view0.history[t, 0]),
            view0.history[t, 1],
            int(view0.history[t, 3]),
        )
        card = max(int(view0.history[t, 2]), int(view1.history[t, 2]))
        takes = 1
        if not alone and rules.take_discard and top >= 0 and source != FROM_DEAL:
            takes += _take_lowers(hands[seat], top, rules)
        if source == FROM_PILE:
            pile ^= 1 << card
        eleven = hands[seat] | 1 << card if card >= 0 else hands[seat]
        others = PACK & ~(eleven | pile)
        legal = legal_discards(
            eleven, card if source == FROM_PILE else -1, card if source == FROM_STOCK else -1, rules
        )
        discards, unbeaten, least = _choices(eleven, legal, others, alone, rules)
        if thrown >= 0:
            hands[seat] = eleven & ~(1 << thrown)
            pile |= 1 << thrown
            top = thrown
        else:
            hands[seat] = eleven
        own_turns[seat] += 1
        rows[n, 0], rows[n, 1], rows[n, 2] = deal, t + 1, own_turns[seat]
        rows[n, 3], rows[n, 4] = seat ^ state.half, not alone and seat == state.dealer
        rows[n, 5] = deadwood_of(hands[seat], rules, 0)
        rows[n, 6] = -1 if alone else deadwood_of(hands[1 - seat], rules, 0)
        rows[n, 7], rows[n, 8], rows[n, 9], rows[n, 10] = (
            takes,
            discards,
            1 + (least <= state.limit),
            unbeaten,
        )
        n += 1
    return n


@jit.jit
def _take_lowers(ten, card, rules):  # type: ignore[no-untyped-def]
    """Whether a card from the pile would lower the deadwood; if not, to take it is as good as to throw it back."""
    return best_discards(ten | 1 << card, ten, rules)[0] < deadwood_of(ten, rules, 0)


@jit.jit
def _choices(eleven, legal, others, alone, rules):  # type: ignore[no-untyped-def]
    """(legal discards that differ in the deadwood they leave or in their danger, those that no other beats, least deadwood of all).

    Danger: the melds that the opponent could make of the discard with cards he may hold, all unseen cards being alike. A single player,
    whom nobody threatens, loses outs instead: unseen cards that would meld with what is kept count against it.
    """
    lefts, dangers, n = np.empty(11, np.int64), np.empty(11, np.int64), 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        ten = eleven & ~(1 << card)
        left = deadwood_of(ten, rules, 0)
        danger = -hits(ten, others, rules) if alone else melds_through(card, others, rules)
        known = False
        for k in range(n):
            known |= lefts[k] == left and dangers[k] == danger
        if not known:
            lefts[n], dangers[n] = left, danger
            n += 1
    return max(n, 1), max(_unbeaten(lefts[:n], dangers[:n]), 1), lefts[:n].min() if n else 1 << 20


@jit.jit
def _unbeaten(lefts, dangers):  # type: ignore[no-untyped-def]
    """How many of some different pairs no other pair is as low as in both numbers."""
    found = 0
    for i in range(lefts.shape[0]):
        beaten = False
        for k in range(lefts.shape[0]):
            beaten |= k != i and lefts[k] <= lefts[i] and dangers[k] <= dangers[i]
        found += not beaten
    return found


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
    limits = [
        observations.share_limits(*cell)
        for cell in frame[["value", "se", "n"]].itertuples(index=False)
    ]
    frame["low"], frame["high"] = np.array(limits).reshape(-1, 2).T
    return _framed(turns.matchup, frame[["turn", "count", "value", "se", "low", "high", "n"]])


def decisions(turns: Turns) -> pd.DataFrame:
    """What there is to decide, both sides together (METRICS.md 7), with errors clustered by unit.

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
    own, deals = turns.record("unit"), turns.records[:, FIELD["unit"]]
    over = {"decisions_per_deal": np.ones(len(deals))}
    if turns.matchup.unit == "match":
        over["decisions_per_match"] = (turns.records[:, OUTCOME] != UNDECIDED).astype(float)
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
    rows = [
        (name, one.value, one.se, *observations.limits(*one), n) for name, (one, n) in found.items()
    ]
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
                records[:, FIELD[f"dealt_{'ab'[who]}"]],
                records,
                who,
            )
        )
    frames = [
        pd.DataFrame(
            {
                "turn": turn,
                "side": names[(now[:, FIELD["dealer"]] == who).astype(np.int64)],
                "count": held,
                "unit": now[:, FIELD["unit"]],
                "won": now[:, FIELD["winner"]] == who,
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
