"""Health of a run: whether who wins is the same in all batches, and who played them.

A batch that stands out is played again and must come out the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import sums
from simgin.play.kernel import play
from simgin.runs import block
from simgin.stats.homogeneity import Homogeneity, homogeneity
from simgin.stats.metrics import headline

if TYPE_CHECKING:
    from simgin.play.matchup import Matchup
    from simgin.runs.ledger import Ledger
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


def describe_health(health: Sequence[Mapping[str, Any]]) -> str:
    """The smallest p over the batches of all cells, in a sentence.

    Empty where there is nothing to compare.
    """
    known = [cell["batches"]["p"] for cell in health if cell["batches"]["p"] is not None]
    if not known:
        return ""
    of = f"the smallest of {len(known)}, " if len(known) > 1 else ""
    sentence = f"Homogeneity of who wins ({of}chi-square): over batches p = {min(known):.2g}."
    again = sum("played_again" in cell for cell in health)
    if again:
        sentence += f" Of {again} the batch that stands out was played again: it is the same."
    return sentence


def _check_cell(i: int, matchup: Matchup, units: int, ledger: Ledger) -> dict[str, Any]:
    rows = ledger.rows(i, units, matchup.batch)
    metric, _ = headline(matchup.unit, len(matchup.players))
    batches = homogeneity(rows, metric)
    names = list(dict.fromkeys(ledger.workers(i, units, matchup.batch)))
    checked: dict[str, Any] = {
        "metric": metric,
        "batches": _for_manifest(batches),
        "workers": {"names": names},
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
