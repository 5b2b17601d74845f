"""Matchups and experiments as tidy pandas frames, for Python callers: the ledger is kept in memory, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simgin import account, ledger, plan, precision, runner
from simgin.findings import Findings
from simgin.threads import Threads

if TYPE_CHECKING:
    import pandas as pd


def match(
    a: str,
    b: str | None = None,
    variant: str = "standard",
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    until: float | str | None = None,
    sprt: tuple[float, float] | None = None,
    seconds: float | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """Tidy rows (`simgin.table.COLUMNS`) of A against B (two players: `simple` if none is named): 100,000 deals unless told otherwise.

    until ("0.1%" of the share won, or 0.05 points), sprt (two Elo differences) and seconds end a run sooner than deals or matches; the
    intervals are then those of a confidence sequence. The frame depends on everything but `workers` (and, with seconds, on the clock).
    Raises ValueError with a sentence for a text that names nothing, a variant that this version does not play, and a policy that answers
    illegally.
    """
    until, sprt = until and precision.half_width(until), sprt and precision.elo_bounds(sprt)
    n = {"deals": deals, "matches": matches}
    return _table(plan.of_matchup(a, b, variant, **n, until=until, sprt=sprt, seconds=seconds, seed=seed), workers)


def run(path: str | Path, *, seed: int | None = None, workers: int | None = None) -> pd.DataFrame:
    """Tidy rows of every matchup of an experiment file; `seed` stands in for the file's own. Writes nothing."""
    return _table(plan.of_file(path, seed), workers)


def _table(asked: plan.Plan, workers: int | None) -> pd.DataFrame:
    team = Threads(workers)
    team.prepare(asked.matchups)
    with ledger.opened(None, asked.identity) as book:
        played = runner.run(asked.cells, book, team, rules=asked.rules, seconds=asked.seconds)
        return Findings(account.of_plan(asked, played), book).table
