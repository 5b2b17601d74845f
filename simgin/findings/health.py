"""Whether a run is sound: its share won the same in all batches and with all workers; what stands out is played again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import sums
from simgin.findings.findings import headline
from simgin.play import matchup as games
from simgin.runs import invariants
from simgin.stats import homogeneity

if TYPE_CHECKING:
    from simgin.play.matchup import Matchup
    from simgin.runs.ledger import Ledger
    from simgin.runs.runner import Played

# P of a chi-square below which a batch is played again: one sound run in a thousand
SUSPICIOUS = 0.001


def of(played: Sequence[Played], ledger: Ledger) -> list[dict[str, Any]]:
    """Of every cell both chi-squares, for the manifest. IdentityError where a batch that stands out does not repeat."""
    return [_of_cell(i, one, ledger) for i, one in enumerate(played)]


def told(health: Sequence[Mapping[str, Any]], *parts: str) -> str:
    """The smallest p over all cells of "batches", of "workers", in a sentence; empty where nothing is to be compared."""
    of = {what: [one[what]["p"] for one in health if one[what]["p"] is not None] for what in parts}
    if not of["batches"]:
        return ""
    among = f"the smallest of {len(of['batches'])}, " if len(of["batches"]) > 1 else ""
    said = [f"{what} p = {min(ps):.2g}" for what, ps in of.items() if ps]
    again = [one["played_again"] for one in health if "played_again" in one]
    repeated = (
        f" Of {len(again)} the batch that stands out was played again: it is the same."
        if again
        else ""
    )
    return f"Homogeneity of who wins ({among}chi-square): over {', over '.join(said)}.{repeated}"


def _of_cell(i: int, one: Played, ledger: Ledger) -> dict[str, Any]:
    matchup = one.cell.matchup
    rows, workers = (
        ledger.rows(i, one.units, matchup.batch),
        ledger.workers(i, one.units, matchup.batch),
    )
    metric = headline(matchup.unit, len(matchup.players))[0]
    names = list(dict.fromkeys(workers))
    batches = homogeneity.homogeneity(rows, metric)
    groups = homogeneity.homogeneity(rows, metric, [names.index(worker) for worker in workers])
    found: dict[str, Any] = {
        "metric": metric,
        "batches": _written(batches),
        "workers": {**_written(groups), "names": names},
    }
    if batches.p < SUSPICIOUS:
        found["played_again"] = _play_again(matchup, batches.where, rows[batches.where])
    return found


def _play_again(matchup: Matchup, batch: int, row: np.ndarray) -> int:
    """The batch that stands out, after a second play that came to the same."""
    if (games.play(matchup, batch * matchup.batch, int(row[sums.UNITS]))[0] != row).any():
        raise invariants.IdentityError(
            f"{matchup.title} ({matchup.variant.text}): batch {batch} in the ledger is not what it is when it is played again. "
            "Run `simgin doctor` on every machine that took part, and begin again in another directory."
        )
    return batch


def _written(found: homogeneity.Homogeneity) -> dict[str, float | int | None]:
    """A chi-square for the manifest; None for what is undefined."""
    return {
        "chi_square": None if np.isnan(found.statistic) else round(found.statistic, 3),
        "df": found.df,
        "p": None if np.isnan(found.p) else float(f"{found.p:.4g}"),
        "largest_residual": None if np.isnan(found.largest) else round(found.largest, 3),
    }
