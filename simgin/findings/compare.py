"""Two run directories side by side: the differences of what both played, paired where their packs are the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.core import sums
from simgin.findings import findings
from simgin.runs import directory as results
from simgin.runs import ledger
from simgin.stats import differences as contrast
from simgin.stats.differences import Side
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

# What runs may differ in without its being told: it is what is compared, or of no consequence.
UNTOLD = ("question", "hypothesis", "matchups")


class ComparisonError(ValueError):
    """Two runs that have nothing to compare; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Run:
    """A finished run, read from its directory."""

    directory: Path
    manifest: dict[str, Any]
    identity: dict[str, Any]
    rows: list[Any]  # of every cell the batch rows that count, int64 (batches, sums.COLUMNS)

    def side(self, i: int, *, as_b: bool = False) -> Side:
        """Cell number i, seen by A or by B."""
        cell = self.manifest["matchups"][i]
        own, other = (cell["b"], cell["a"]) if as_b else (cell["a"], cell["b"])
        return Side(
            cell["variant"],
            own,
            other,
            self.manifest["unit"],
            self.manifest["seed"],
            self.rows[i],
            as_b,
            cell["multiplier"],
        )


def read(directory: Path) -> Run:
    """The run in a directory. Raises ResultsError or LedgerError with a sentence if there is none, or none that was finished."""
    manifest = results.read_manifest(directory)
    size = sums.BATCH_MATCHES if manifest["unit"] == "match" else sums.BATCH_DEALS
    with ledger.reading(directory / ledger.FILE) as book:
        rows = [book.rows(i, cell["units"], size) for i, cell in enumerate(manifest["matchups"])]
        return Run(directory, manifest, book.identity, rows)


def differences(run: Run, base: Run) -> pd.DataFrame:
    """Run minus base (`simgin.stats.differences.COLUMNS`) for every matchup of both; if they share none, for their cells in order."""
    found = list(_common(run, base)) or list(_in_order(run, base))
    if not found:
        raise ComparisonError(
            f"{run.directory} and {base.directory} have no matchup in common, and not equally many; compare runs of the same players."
        )
    if run.manifest["unit"] != base.manifest["unit"]:
        units = [f"{one.directory} played {UNITS[one.manifest['unit']]}" for one in (run, base)]
        raise ComparisonError(f"{units[0]}, {units[1]}; play one of them again the other way.")
    names = dict.fromkeys(
        name for one, _ in found for name in findings.headline(one.unit, 2 if one.opponent else 1)
    )
    return contrast.differences(found, [*names, *findings.OF_RULES])


def told_apart(run: Run, base: Run) -> list[str]:
    """What else the two runs differ in: rules, strategies, engine; a line each."""
    parts: list[Any] = [
        {key: value for key, value in one.identity.items() if key not in UNTOLD}
        for one in (base, run)
    ]
    shared = {
        key: {name for name in parts[0][key] if name in parts[1][key]}
        for key in ("variants", "strategies")
    }
    for part in parts:
        part.update(
            {
                key: {name: value for name, value in part[key].items() if name in names}
                for key, names in shared.items()
            }
        )
    return ledger.differences(*parts)


def _common(run: Run, base: Run) -> Iterator[tuple[Side, Side]]:
    """The matchups of both runs, from the same player's side."""
    places = {
        (cell["variant"], cell["a"], cell["b"]): i
        for i, cell in enumerate(base.manifest["matchups"])
    }
    for i, cell in enumerate(run.manifest["matchups"]):
        variant, a, b = cell["variant"], cell["a"], cell["b"]
        if (variant, a, b) in places:
            yield run.side(i), base.side(places[variant, a, b])
        elif (variant, b, a) in places:
            yield run.side(i), base.side(places[variant, b, a], as_b=True)


def _in_order(run: Run, base: Run) -> Iterator[tuple[Side, Side]]:
    if len(run.rows) == len(base.rows):
        yield from ((run.side(i), base.side(i)) for i in range(len(run.rows)))
