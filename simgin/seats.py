"""The odds at the table of two: by seat, and by the score, from V and the outcomes that it is made of. Both sides play the same strategy.

Every frame has the columns variant, strategy, opponent, those named at its function, and n: the deals behind a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin import outcomes, statistics, value
from simgin.matchup import Matchup, SeatError, seated
from simgin.outcomes import GROUPS, Outcomes
from simgin.value import Value, ValueRefused

if TYPE_CHECKING:
    import pandas as pd

PLAYERS = ("gold", "gold-early")  # who knocks at once and who soon waits for gin: the two between which most people play
SEATS = ("dealer", "nondealer")
RESULTS = ("win", "loss", "nobody")
GRID = (0, 25, 50, 75)  # shares of the target in per cent, for a table on a screen
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
    """n deals of a strategy against itself, from disk if they were played before. SeatError for a game of one."""
    one = seated(strategy, strategy, variant, seed, "deal")
    if one.b is None:
        raise SeatError(f"{one.variant.text} is for one player: its odds are those of `simgin.odds`.")
    try:
        found = value.of(one.variant.text, one.a.text, one.a.text, deals=n, seed=seed, workers=workers)
    except ValueRefused as error:
        return Table(one, outcomes.of(one, n, workers), None, str(error))
    counted = found.outcomes
    return Table(one, counted if isinstance(counted, Outcomes) else counted.start, found)


def by_seat(table: Table) -> pd.DataFrame:
    """Columns seat (of the first deal), metric, value, low, high: of a deal `win`, `loss` and `nobody`, of the match `match` if V is had.

    Who deals sits second: the nondealer has the first turn.
    """
    deals, rows = table.outcomes.counts.sum(axis=0), []
    dealer, winner = (table.outcomes.column(name) for name in ("dealer", "winner"))
    for seat in SEATS:
        own = dealer if seat == "dealer" else 1 - dealer
        for metric, wanted in zip(RESULTS, (winner == own, winner == 1 - own, winner < 0), strict=True):
            n, won = table.deals, int(deals[wanted].sum()) // table.counted
            rows.append((seat, metric, won / n, *statistics.wilson(won / n, n), n))
        if table.value is not None:
            rows.append((seat, "match", *_chance(table.value, int(seat == "nondealer")), table.deals))
    return _frame(table, rows, "seat", "metric", "value", "low", "high", "n")


def by_score(table: Table) -> pd.DataFrame:
    """Columns a, b, dealer (0 the side with a, 1 the other), value, low, high: the chance of the side with a points at every score.

    Empty where V was refused, or where more than points count.
    """
    columns = "a", "b", "dealer", "value", "low", "high", "n"
    if table.value is None or not table.by_points:
        return _frame(table, [], *columns)
    every = table.value.table()
    half = statistics.quantile(GROUPS) * every["se"]
    frame = every.rename(columns={"score_a": "a", "score_b": "b"}).assign(
        low=(every["value"] - half).clip(lower=0), high=(every["value"] + half).clip(upper=1), n=table.deals
    )
    return frame.assign(variant=table.variant, strategy=table.strategy, opponent=table.strategy)[
        ["variant", "strategy", "opponent", *columns]
    ]


def grid(frame: pd.DataFrame, target: int, shares: Sequence[int] = GRID) -> pd.DataFrame:
    """The rows of `by_score` at these shares (per cent) of the target, both ways."""
    scores = [target * share // 100 for share in shares]
    return frame[frame["a"].isin(scores) & frame["b"].isin(scores)].reset_index(drop=True)


def _chance(found: Value, dealer: int) -> tuple[float, float, float]:
    """V at the start with its limits, where a side deals."""
    a, b = (int(side[0]) if len(side) == 1 else side for side in found.board.start())
    chance, half = float(found.win(a, b, dealer)), statistics.quantile(GROUPS) * float(found.se(a, b, dealer))
    return chance, max(0.0, chance - half), min(1.0, chance + half)


def _frame(table: Table, rows: Sequence[tuple[Any, ...]], *columns: str) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(rows, columns=list(columns))
    names = {"variant": table.variant, "strategy": table.strategy, "opponent": table.strategy}
    return frame.assign(**names)[[*names, *columns]]
