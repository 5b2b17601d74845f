"""The value V: the chance that a side wins the match, by the score and who deals, from the outcomes of single deals.

    value = of("standard", "gold", "simple")       # a million deals, counted once and kept
    value.win(40, 60, dealer=0)                    # strategy A has 40 points, B 60, A deals
    value.se(40, 60, dealer=0)

A drawn match counts one half. What V cannot be computed for is refused with a sentence; such matches can be played instead.

See docs/explanation/value.md.
"""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from simgin.core.record import DEAL
from simgin.core.sums import KINDS
from simgin.play.kernel import play_recorded
from simgin.play.matchup import Matchup, parse_matchup
from simgin.stats.estimate import Estimate
from simgin.text.amounts import parse_count
from simgin.value import outcomes, score_outcomes
from simgin.value import states as boards
from simgin.value.outcomes import Outcomes
from simgin.value.score_outcomes import ByScore, Scores
from simgin.value.states import Board, number

if TYPE_CHECKING:
    import pandas as pd

DEALS = 1_000_000
MOST_STATES = 2**24
PROBE_UNITS = 2_000
# V has no clock: of the matches max_deals may break off so many, which shifts V by half as much
BROKEN_OFF = 1e-4
RATES = (1.5, 1.25, 1.1, 1.05, 1.02, 1.01, 1.005, 1.002, 1.001)


class ValueRefused(ValueError):
    """A game or a pair that V cannot be computed for; the message is a sentence that says what to do instead."""


@dataclass(frozen=True)
class Value:
    """V of A against B where A sits at `seat`, which matters where the rules treat the seats differently.

    A state is the standing of A, that of B, and the side that deals (0 A, 1 B). A standing is a number or, where a side counts two
    things, two numbers along the last axis: `board.fields` names them. Whatever is asked for arrays is answered in arrays. Errors are of
    the outcome counts, by a jackknife over their groups.
    """

    matchup: Matchup
    outcomes: Outcomes | ByScore
    board: Board
    seat: int = 0

    def win(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> Any:
        """The chance 0..1 that A wins the match from a state."""
        return self.chances[self._index(a, b, dealer)]

    def se(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> Any:
        """The standard error of `win`. The first call takes as long as twenty tables."""
        return self._leaving_out[0][self._index(a, b, dealer)]

    def deals_left(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> Any:
        """The mean number of deals until the match is over."""
        return self._deals_left[self._index(a, b, dealer)]

    def deals(self) -> float:
        """The mean number of deals of a match from the start."""
        return self._at_start(self._deals_left)

    def longer_than(self, deals: int) -> float:
        """A bound on the share of matches that take more than so many deals, from any state: Chernoff's, E z^N / z^deals."""
        goal = self.matchup.variant.goal
        if goal.one_deal or goal.total:
            return float(self._deals_left.max() > deals)
        tables = ((z, self.board.growth(self.outcomes.shares[0], z)) for z in RATES)
        return min(
            (float(table.max()) / z**deals for z, table in tables if table.min() >= 1), default=1.0
        )

    def table(self) -> pd.DataFrame:
        """Every undecided state with its value and standard error; standings are named like score_a and deals_b."""
        import pandas as pd

        a, b, dealer = self.board.states()
        columns = {f"{name}_a": a[:, i] for i, name in enumerate(self.board.fields[0])}
        columns |= {f"{name}_b": b[:, i] for i, name in enumerate(self.board.fields[1])}
        place = self.board.index(a, b, dealer)
        return pd.DataFrame(
            {
                **columns,
                "dealer": dealer,
                "value": self.chances[place],
                "se": self._leaving_out[0][place],
            }
        )

    def start(self) -> Estimate:
        """The chance that A, at its seat, wins a match from the start; the first dealer by the rules."""
        return Estimate(
            self._at_start(self.chances), float(outcomes.jackknife(self._leaving_out[1]))
        )

    @property
    def seats_alike(self) -> bool:
        """Whether the rules treat both seats alike, so that one value tells of A at either."""
        row, (a, b) = self.matchup.variant.row, self.board.start()
        return (
            self.matchup.variant.goal.other is None
            and row["first_dealer"] in ("lot", None)
            and np.array_equal(a, b)
        )

    def before(self, records: np.ndarray) -> np.ndarray:
        """V before each deal of the records (`core.record.DEAL`) of matches; those with A at the other seat belong to another value."""
        return np.asarray(self.chances[self._place(records)])

    def before_leaving_out(self, records: np.ndarray) -> list[np.ndarray]:
        """As `before`, by the outcomes with each group left out: what the jackknife takes."""
        place = self._place(records)
        return [table[place] for table in self.tables_leaving_out()]

    def along(self, records: np.ndarray) -> np.ndarray:
        """As `before`, then `before_leaving_out`, in one array: float64 (1 + groups, deals)."""
        return np.stack([self.before(records), *self.before_leaving_out(records)])

    @cached_property
    def chances(self) -> np.ndarray:
        """V everywhere on the board, the dealer last; `board.index` finds a state."""
        return self.board.solve(self.outcomes.shares[0])

    @cached_property
    def _deals_left(self) -> np.ndarray:
        return self.board.deals_left(self.outcomes.shares[0])

    @cached_property
    def _leaving_out(self) -> tuple[np.ndarray, np.ndarray]:
        """The standard error everywhere on the board, and V at the start with each group left out. Holds one table at a time."""
        total, squares, starts = np.zeros_like(self.chances), np.zeros_like(self.chances), []
        for table in self.tables_leaving_out():
            starts.append(self._at_start(table))
            total += table - self.chances
            squares += (table - self.chances) ** 2
        n = len(starts)
        return np.sqrt((n - 1) * np.maximum(squares / n - (total / n) ** 2, 0)), np.array(starts)

    def tables_leaving_out(self) -> Iterator[np.ndarray]:
        """Tables as `chances` by the outcomes with each group left out."""
        return (self.board.solve(share) for share in self.outcomes.shares[1:])

    def _at_start(self, table: np.ndarray) -> float:
        row = self.matchup.variant.row
        first = row["first_dealer"]
        sides = np.array([0, 1] if first in ("lot", None) else [int(first != self.seat)])
        a, b = self.board.start()
        return float(
            table[
                self.board.index(np.tile(a, (len(sides), 1)), np.tile(b, (len(sides), 1)), sides)
            ].mean()
        )

    def _index(self, a: ArrayLike, b: ArrayLike, dealer: ArrayLike) -> tuple[np.ndarray, ...]:
        """Where states lie, as they are asked for."""
        return self.board.index(*self.asked(a, b, dealer))

    def asked(self, a: ArrayLike, b: ArrayLike = (), dealer: ArrayLike = 0) -> boards.States:
        """States as they are asked for: standings with their last axis, sides."""
        return (
            _standing(a, self.board.fields[0]),
            _standing(b, self.board.fields[1]),
            np.asarray(dealer),
        )

    def states(self, records: np.ndarray) -> boards.States:
        """The states before each deal of the records."""
        return self._standings(records, 0), self._standings(records, 1), records["dealer"]

    def _place(self, records: np.ndarray) -> tuple[np.ndarray, ...]:
        """Where the states before each deal lie."""
        return self.board.index(*self.states(records))

    def _standings(self, records: np.ndarray, side: int) -> np.ndarray:
        """The standings of a side before each deal."""
        columns = [
            number(self.matchup.variant.row, "deals_in_match") - records["deal"]
            if name == "left"
            else records[f"{name}_{'ab'[side]}"]
            for name in self.board.fields[side]
        ]
        return np.stack(columns, axis=1) if columns else np.empty((len(records), 0), np.int64)


def _standing(asked: ArrayLike, fields: tuple[str, ...]) -> np.ndarray:
    """A standing as it is asked for: of one number it needs no axis of its own."""
    return np.asarray(asked)[..., None] if len(fields) == 1 else np.asarray(asked, np.int64)


def of(
    variant: str,
    a: str,
    b: str | None = None,
    *,
    deals: int | str = DEALS,
    seed: int = 1,
    seat: int = 0,
    workers: int | None = None,
) -> Value:
    """V of strategy A, at `seat`, against B (two players: `simple` if none is named), from so many single deals.

    Counts the outcomes, or reads them from disk; where the score changes how deals are played, by score (`simgin.value.score_outcomes`).
    Raises ValueRefused where V would be wrong or cannot be had.
    """
    one = parse_matchup(a, b, variant, seed, "deal")
    _refuse_columns(one)
    if not one.variant.goal.one_deal and depends_on_score(one):
        _refuse_unless_points(one)
        return by_score(one, score_outcomes.of(one, parse_count(deals), workers), seat)
    return at_any_score(one, outcomes.of(one, parse_count(deals), workers), seat)


def at_any_score(one: Matchup, counted: Outcomes, seat: int = 0) -> Value:
    """V where deals are played alike at every score, from their outcomes.

    A strategy against itself is seen from both sides: that makes V(a, b, A deals) + V(b, a, B deals) = 1 where the rules treat the seats
    alike.
    """
    _refuse_outcomes(one, counted)
    seen = counted.from_both_sides() if _symmetric(one) else counted
    return _unless_broken_off(Value(one, seen, boards.board(one.variant.row, seat, seen), seat))


def by_score(one: Matchup, counted: ByScore, seat: int = 0) -> Value:
    """V of a match to points from the outcomes of deals at every score."""
    seen = counted.from_both_sides() if _symmetric(one) else counted
    return _unless_broken_off(Value(one, seen, Scores(one.variant.row, seat, seen), seat))


def _symmetric(one: Matchup) -> bool:
    return one.b is not None and not one.mirrored


# What is refused


def _instead(one: Matchup) -> str:
    """What to do where V is refused."""
    names = [player.text for player in one.players]
    return f"Estimate it by play: {shlex.join(['simgin', 'match', *names, '-v', one.variant.text, '--matches', '100k'])}."


def _refuse_columns(one: Matchup) -> None:
    if not one.variant.goal.board:
        raise ValueRefused(
            f"V is not computed for goal = {one.variant.goal.name}: scores in several games at once are too many states. {_instead(one)}"
        )


def _refuse_unless_points(one: Matchup) -> None:
    """Refuse what is played otherwise at other scores, unless two scores are all there is to the state of the match."""
    if one.b is None or one.variant.goal.score != "points":
        raise ValueRefused(
            f"In {one.title} ({one.variant.text}) the score changes how a deal is played, and V by score is computed for two players and "
            f"goal = points only. {_instead(one)}"
        )


def _refuse_outcomes(one: Matchup, counted: Outcomes) -> None:
    """Refuse what only the outcomes tell."""
    row, refused = one.variant.row, counted.column("kind") == KINDS.index("refused")
    if row["die"] == "game" and (refused.any() or (counted.column("stake") > 1).any()):
        raise ValueRefused(
            f"V is not computed for a die that passes from deal to deal (die = game) once it is offered. {_instead(one)}"
        )
    if row["die_refusal_pays"] == "new" and refused.any():
        raise ValueRefused(
            f"V is not computed for die_refusal_pays = new: outcomes do not hold what was offered. {_instead(one)}"
        )
    if not one.variant.goal.total and not (counted.column("winner") >= 0).any():
        raise ValueRefused(
            f"V does not exist: in {counted.deals:,} deals of {one.title} nobody won. {_instead(one)}"
        )


def _unless_broken_off(value: Value) -> Value:
    """The value, unless its board is too large or the engine might break matches off, since V has no clock."""
    one, most = value.matchup, number(value.matchup.variant.row, "max_deals")
    if value.board.size > MOST_STATES:
        raise ValueRefused(
            f"V would have {value.board.size:,} states, more than {MOST_STATES:,}. {_instead(one)}"
        )
    if (share := value.longer_than(most)) > BROKEN_OFF:
        raise ValueRefused(
            f"Up to {min(share, 1):.2g} of the matches may be broken off by max_deals = {most}: raise it. {_instead(one)}"
        )
    return value


def depends_on_score(one: Matchup) -> bool:
    """Whether any of 2,000 units plays differently on the same packs with other points at the start.

    Finds what looks at points, the rules' shots and score-aware policies alike. It cannot find a policy that looks at nothing but won
    deals or games, since a match never begins with any; `calibration.martingale` can.
    """
    row = one.variant.row
    if one.variant.goal.total:
        return False  # its matches always begin at zero (rules.md 7)
    last = 99 if row["points_target"] is None else number(row, "points_target") - 1
    starts = [
        (0, 0),
        (last, 0),
        (0, last),
        (last, last),
        (last // 2, last // 3),
        (last // 4, last * 2 // 3),
    ]
    played = [_played_from(one, start) for start in starts]
    return any(other.shape != played[0].shape or (other != played[0]).any() for other in played[1:])


def _played_from(one: Matchup, start: tuple[int, int]) -> np.ndarray:
    """Records of single deals that begin at some points, without the points."""
    row = {**one.variant.row, "start_points": list(start)}
    _, records = play_recorded(
        dataclasses.replace(one, variant=dataclasses.replace(one.variant, row=row)), 0, PROBE_UNITS
    )
    columns = [
        records[name] for name in DEAL.names or () if name not in ("score_a", "score_b", "outcome")
    ]
    return np.stack(columns, axis=1)
