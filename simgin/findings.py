"""What came of a run: its tables, computed from the batch rows of the ledger and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from simgin import table
from simgin.plan import Plan
from simgin.runner import COMPLETE, Played

if TYPE_CHECKING:
    import pandas as pd

    from simgin.ledger import Ledger


@dataclass(frozen=True)
class Findings:
    """A run that was played, while its ledger is open."""

    plan: Plan
    played: Sequence[Played]
    ledger: Ledger

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy rows (`simgin.table.COLUMNS`) of every cell."""
        import pandas as pd

        return pd.concat([self._tidy(i) for i in range(len(self.played))], ignore_index=True)

    @property
    def stopped(self) -> str:
        """How the run ended: complete, or what was decided; the same for every cell in few words."""
        return "; ".join(dict.fromkeys(one.stopped for one in self.played))

    @property
    def ended(self) -> list[str]:
        """A line for every cell that did not end at a size given beforehand."""
        many = len(self.played) > 1
        return [
            (f"{one.cell.matchup.title} ({one.cell.matchup.variant.text}): " if many else "Stopped: ") + one.stopped
            for one in self.played
            if one.stopped != COMPLETE
        ]

    def _tidy(self, i: int) -> pd.DataFrame:
        one = self.played[i]
        matchup = one.cell.matchup
        total = self.ledger.total(i, one.units, matchup.batch)
        return table.tidy(matchup.variant.text, matchup.a.text, matchup.opponent, matchup.unit, total, self._multiplier(i))

    def _multiplier(self, i: int) -> float | None:
        """Half-width of intervals in standard errors where a rule looked at results; None where the size was fixed."""
        return self.plan.rules[i].multiplier(self.played[i].units) if self.plan.rules else None
