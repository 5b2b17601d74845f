"""Base class of the results that commands show and Python functions return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simgin.runs.manifest import build_identity
from simgin.runs.stopping import StopResult
from simgin.stats.table import to_records

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.matchup import Matchup
    from simgin.report.report import Report


class Result:
    """Result of a request.

    A subclass defines `played`. If its identity has more entries, it defines `identity` and
    `stop_results` instead.
    """

    @property
    def played(self) -> Sequence[tuple[Matchup, int]]:
        """Matchups with the number of units of analysis that were played."""
        raise NotImplementedError

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that determines the results except the size, for `manifest.json`."""
        return build_identity([matchup for matchup, _ in self.played])

    @property
    def stop_results(self) -> Sequence[StopResult]:
        """Number of units played in each matchup of `identity`, and the reason for stopping."""
        return [StopResult(units) for _, units in self.played]

    @property
    def stopped(self) -> str:
        """Distinct reasons for stopping of all matchups; "complete" for a complete matchup."""
        return "; ".join(dict.fromkeys(end.stopped for end in self.stop_results))

    @property
    def manifest_entries(self) -> Mapping[str, Any]:
        """Further entries of `manifest.json`."""
        return {}

    def frames(self) -> Mapping[str, pd.DataFrame]:
        """Return the results as DataFrames by name, starting with the main DataFrame."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return the rows for `--json` without NaN, by default those of the main DataFrame."""
        return to_records(next(iter(self.frames().values())))

    def report(self, command: str) -> Report:
        """Return the report with a command that repeats the result."""
        raise NotImplementedError
