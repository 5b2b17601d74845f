"""What a terminal shows of a run: words, one table, and with details every table and metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simgin.findings import league_tables, run_tables
from simgin.findings.health import describe_health
from simgin.findings.run_record import describe_size
from simgin.findings.run_sentences import run_sentences
from simgin.report import screen
from simgin.report.screen import MOST_ROWS, Words

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simgin.findings.findings import Findings


def run_screen(findings: Findings, *, details: bool = False) -> Iterator[RenderableType]:
    """The words and the one table of a run; with details, whether it is sound, and every table."""
    findings = findings.by_own_names
    yield Words(run_sentences(findings))
    if not findings.all_identical:
        yield _table(findings)
    if details:
        yield from _details(findings)


def _table(findings: Findings) -> RenderableType:
    """The league if there is one, else the results."""
    standings = findings.standings
    rated = standings["elo"].notna()
    leagues = set(standings["variant"])
    is_short = len(standings) <= MOST_ROWS
    if rated.any() and is_short and len(leagues) == 1:
        league, *_ = league_tables.standings(findings)
        return league
    return screen.results(findings.table, findings.record.seed)


def _details(findings: Findings) -> Iterator[RenderableType]:
    if len(findings.cells) > 1:
        yield run_tables.results(findings.table)
    yield ""
    yield describe_size(findings.record)
    yield from run_tables.on_screen(findings)
    health = describe_health(findings.record.health, "batches", "workers")
    if health:
        yield health
    if len(findings.cells) == 1:
        yield ""
        yield screen.details(findings.table)
