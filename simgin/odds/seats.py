"""The odds at the table of two: by seat, and by the score, from V and the outcomes that it is made of. Both sides play the same strategy.

Every frame has the columns variant, strategy, opponent, those named at its function, and n: the deals behind a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.play.matchup import Matchup, SeatError, parse_matchup
from simgin.stats.estimate import quantile, wilson
from simgin.value import outcomes, value
from simgin.value.outcomes import GROUPS, Outcomes
from simgin.value.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

PLAYERS = (
    "gold",
    "gold-early",
)  # who knocks at once and who soon waits for gin: the two between which most people play
SEATS = ("dealer", "nondealer")
RESULTS = ("win", "nobody")
GRID = (0, 25, 50, 75)  # shares of the target in per cent, for a table on a screen
Chance = tuple[float, float, float]  # and its 95 % limits
POINTS = (("score",), ("score",))  # what both sides of a match to points count


@dataclass(frozen=True)
class Table:
    """Deals of a strategy against itself, and V if it can be had; `refused` says why not."""

    matchup: Matchup
    outcomes: Outcomes
    value: Value | None
    refused: str = ""

    @property
    def variant(self) -> str:
        """The text of the variant."""
        return self.matchup.variant.text

    @property
    def strategy(self) -> str:
        """The text of the strategy."""
        return self.matchup.a.text

    @property
    def deals(self) -> int:
        """Deals played; V of a strategy against itself counts each from both sides."""
        return self.outcomes.deals // self.counted

    @property
    def counted(self) -> int:
        """How often each deal is counted."""
        return 1 if self.value is None else 2

    @property
    def by_points(self) -> bool:
        """Whether V tells by the points of both sides, and of nothing else."""
        return self.value is not None and self.value.board.fields == POINTS


def of(strategy: str, variant: str, n: int, *, seed: int = 1, workers: int | None = None) -> Table:
    """Play n deals of a strategy against itself, from disk if they were played before. SeatError for a game of one."""
    one = parse_matchup(strategy, strategy, variant, seed, "deal")
    if one.b is None:
        raise SeatError(
            f"{one.variant.text} is for one player: its odds are those of `simgin.odds.solo`."
        )
    try:
        found = value.compute(
            one.variant.text, one.a.text, one.a.text, deals=n, seed=seed, workers=workers
        )
    except ValueRefused as error:
        return Table(one, outcomes.count_outcomes(one, n, workers), None, str(error))
    counted = found.outcomes
    return Table(one, counted if isinstance(counted, Outcomes) else counted.start, found)


def by_seat(table: Table) -> pd.DataFrame:
    """Columns seat, metric, value, low, high: of a deal `win` and `nobody` by who deals it, and `match` where V can be had.

    The match is told of who deals first and of the nondealer, who has the first turn; where the rules treat the seats differently
    (Gin Race), of "seat 0" and "seat 1".
    """
    rows = [(seat, *row) for seat in SEATS for row in _results(table, seat)]
    if table.value is not None:
        rows += [(seat, "match", *chance, table.deals) for seat, chance in _matches(table.value)]
    return _frame(table, rows, "seat", "metric", "value", "low", "high", "n")


def _results(table: Table, seat: str) -> Iterator[tuple[str, float, float, float, int]]:
    """How often the deal is won by who sits there, and by nobody."""
    counts, n = table.outcomes.counts.sum(axis=0), table.deals
    dealer, winner = (table.outcomes.column(name) for name in ("dealer", "winner"))
    own = dealer if seat == "dealer" else 1 - dealer
    for metric, wanted in zip(RESULTS, (winner == own, winner < 0), strict=True):
        share = int(counts[wanted].sum()) // table.counted / n
        yield metric, share, *wilson(share, n), n


def _matches(found: Value) -> Iterator[tuple[str, Chance]]:
    """The chance to win the match, by seat."""
    if found.seats_alike:
        a, b = (int(side[0]) if len(side) == 1 else side for side in found.board.start())
        yield from (
            (seat, _chance(found.win(a, b, dealer), found.se(a, b, dealer)))
            for dealer, seat in enumerate(SEATS)
        )
        return
    start = found.start()
    yield "seat 0", _chance(start.value, start.se)
    yield "seat 1", _chance(1 - start.value, start.se)


def _chance(chance: float, se: float) -> Chance:
    """V with its limits."""
    half = quantile(GROUPS) * float(se)
    return float(chance), max(0.0, float(chance) - half), min(1.0, float(chance) + half)


def by_score(table: Table) -> pd.DataFrame:
    """Columns a, b, dealer (0 the side with a, 1 the other), value, low, high: the chance of the side with a points at every score.

    Empty where V was refused, or where more than points count.
    """
    columns = "a", "b", "dealer", "value", "low", "high", "n"
    if table.value is None or not table.by_points:
        return _frame(table, [], *columns)
    every = table.value.table()
    half = quantile(GROUPS) * every["se"]
    frame = every.rename(columns={"score_a": "a", "score_b": "b"}).assign(
        low=(every["value"] - half).clip(lower=0),
        high=(every["value"] + half).clip(upper=1),
        n=table.deals,
    )
    return frame.assign(variant=table.variant, strategy=table.strategy, opponent=table.strategy)[
        ["variant", "strategy", "opponent", *columns]
    ]


def grid(frame: pd.DataFrame, target: int, shares: Sequence[int] = GRID) -> pd.DataFrame:
    """The rows of `by_score` at these shares (per cent) of the target, both ways."""
    scores = [target * share // 100 for share in shares]
    return frame[frame["a"].isin(scores) & frame["b"].isin(scores)].reset_index(drop=True)


def _frame(table: Table, rows: Sequence[tuple[Any, ...]], *columns: str) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(columns))
    names = {"variant": table.variant, "strategy": table.strategy, "opponent": table.strategy}
    return frame.assign(**names)[[*names, *columns]]
