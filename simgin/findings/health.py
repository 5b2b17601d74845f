"""Health of a run: whether who wins is the same in all batches and with all workers.

A batch that stands out is played again and must come out the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import sums
from simgin.play.kernel import play
from simgin.play.matchup import Matchup
from simgin.runs import block
from simgin.runs.ledger import Ledger
from simgin.stats.batches import Homogeneity, homogeneity
from simgin.stats.metrics import headline

if TYPE_CHECKING:
    from simgin.runs.stopping import End

# P of a chi-square below which a batch is played again: one sound run in a thousand
SUSPICIOUS = 0.001


def check_health(
    matchups: Sequence[Matchup], ends: Sequence[End], ledger: Ledger
) -> list[dict[str, Any]]:
    """Chi-square homogeneity of every cell, for the manifest.

    Raises IdentityError where a batch that stands out does not repeat.
    """
    return [
        _check_cell(i, matchup, end.units, ledger)
        for i, (matchup, end) in enumerate(zip(matchups, ends, strict=True))
    ]


def describe_health(health: Sequence[Mapping[str, Any]], *parts: str) -> str:
    """The smallest p over all cells of "batches" and "workers", in a sentence.

    Empty where there is nothing to compare.
    """
    known = {part: _known_p(health, part) for part in parts}
    cells = len(known["batches"])
    if not cells:
        return ""
    smallest = f"the smallest of {cells}, " if cells > 1 else ""
    figures = ", ".join(f"over {part} p = {min(ps):.2g}" for part, ps in known.items() if ps)
    sentence = f"Homogeneity of who wins ({smallest}chi-square): {figures}."
    again = sum("played_again" in cell for cell in health)
    if again:
        sentence += f" Of {again} the batch that stands out was played again: it is the same."
    return sentence


def _known_p(health: Sequence[Mapping[str, Any]], part: str) -> list[float]:
    """p of every cell that has one."""
    return [cell[part]["p"] for cell in health if cell[part]["p"] is not None]


def _check_cell(i: int, matchup: Matchup, units: int, ledger: Ledger) -> dict[str, Any]:
    rows = ledger.rows(i, units, matchup.batch)
    workers = ledger.workers(i, units, matchup.batch)
    metric, _ = headline(matchup.unit, len(matchup.players))
    names = list(dict.fromkeys(workers))
    labels = [names.index(worker) for worker in workers]
    batches = homogeneity(rows, metric)
    groups = homogeneity(rows, metric, labels)
    checked: dict[str, Any] = {
        "metric": metric,
        "batches": _for_manifest(batches),
        "workers": {**_for_manifest(groups), "names": names},
    }
    if batches.p < SUSPICIOUS:
        checked["played_again"] = _play_again(matchup, batches.where, rows[batches.where])
    return checked


def _play_again(matchup: Matchup, batch: int, row: np.ndarray) -> int:
    """The batch that stands out, after a second play that came to the same."""
    again = play(matchup, batch * matchup.batch, int(row[sums.UNITS]))[0]
    if (again != row).any():
        raise block.IdentityError(
            f"{matchup.title} ({matchup.variant.text}): batch {batch} in the ledger is not what it "
            "is when it is played again. Run `simgin doctor` on every machine that took part, and "
            "begin again in another directory."
        )
    return batch


def _for_manifest(test: Homogeneity) -> dict[str, float | int | None]:
    """A chi-square for the manifest; None for what is undefined."""
    return {
        "chi_square": _rounded(test.statistic),
        "df": test.df,
        "p": None if np.isnan(test.p) else float(f"{test.p:.4g}"),
        "largest_residual": _rounded(test.largest),
    }


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 3)
