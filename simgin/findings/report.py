"""What a finished run leaves for people and programs, as file contents: tables, summaries, pictures, and the page with all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simgin.findings import pictures, sentences, tables
from simgin.findings.health import describe_health
from simgin.findings.record import describe_size
from simgin.report import summary
from simgin.report.report import Report
from simgin.rules import variants
from simgin.stats import table
from simgin.text.messages import value_text

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

STANDARD = "standard"  # what the rules of a variant are told against


def run_report(found: Findings, command: str) -> Report:
    """The report of a run. command: repeats it."""
    drawn = list(pictures.of(found))
    hypothesis = found.record.hypothesis
    return Report(
        title=found.record.question or _title(found),
        lead=f"Hypothesis: {hypothesis}" if hypothesis else "",
        sentences=sentences.of(found),
        pictures=drawn,
        sheets=[tables.results(found.table), *tables.of(found)],
        facts=list(_facts(found)),
        command=command,
        summary=_summary(found),
        tables=_tables(found),
    )


def _tables(found: Findings) -> dict[str, str]:
    """The CSV files by name; a table without rows is not written."""
    beside = {f"{name}.csv": table.csv(part) for name, part in _parts(found).items() if len(part)}
    return {"table.csv": table.csv(found.table), **beside, "summary.csv": summary.csv(found.table)}


def _parts(found: Findings) -> dict[str, pd.DataFrame]:
    """The tables beside the tidy one, by name; one that has no rows is not written."""
    return {
        "differences": found.differences,
        "league": found.standings,
        "cross": found.cross,
        "pairing": found.pairing,
        "adjusted": found.adjusted,
    }


def _summary(found: Findings) -> str:
    """The question, the table for people, and what else was found, as Markdown."""
    asked = found.record
    heading = [f"# {asked.question}\n"] if asked.question else []
    expected = [f"Hypothesis: {asked.hypothesis}\n"] if asked.hypothesis else []
    ended = [f"{line}\n" for line in found.ended]
    return "\n".join(
        [
            *heading,
            *expected,
            summary.markdown(found.table),
            *ended,
            *(sheet.markdown() for sheet in tables.of(found)),
        ]
    )


def _title(found: Findings) -> str:
    """What a run without a question is known by: its first matchup, and how many there are."""
    first, more = found.cells[0], len(found.cells) - 1
    return f"{first.title}: {first.variant}" + (f", and {more} more" if more else "")


def _facts(found: Findings) -> Iterator[tuple[str, str]]:
    """How it was made, as far as the results depend on it. Times and machines are the manifest's: they would make every page another."""
    told = found.record
    yield "Played", describe_size(found.record)
    if told.stop:
        yield "Stopping rule", told.stop
    if sound := describe_health(told.health, "batches"):
        yield "Soundness", sound
    for name, row in told.identity["variants"].items():
        yield f"Variant {name}", rules_told(row)
    for name, made in told.identity["strategies"].items():
        yield f"Strategy {name}", _made(made)
    yield "Random numbers", f"stream {told.identity['stream']}, engine {told.identity['engine']}"
    yield (
        "Beside this page",
        "table.csv has every figure, manifest.json versions and times, ledger.sqlite the sums of every batch.",
    )


def rules_told(row: Mapping[str, Any]) -> str:
    """The rules that differ from the standard game's, which stand in brackets; those that this game has no use for are left out."""
    standard = variants.find(STANDARD).row
    changed = [
        f"{name} {value_text(row[name])} ({value_text(standard[name])})"
        for name in standard
        if _differs(row, standard, name)
    ]
    return f"differs from {STANDARD} in {', '.join(changed)}" if changed else "the standard rules"


def _differs(row: Mapping[str, Any], standard: Mapping[str, Any], name: str) -> bool:
    """Whether a rule is another one: by its text, since a manifest has lists where a variant has pairs."""
    return row.get(name) is not None and value_text(row[name]) != value_text(standard[name])


def _made(made: Mapping[str, Any]) -> str:
    """The policies of a strategy, how its endings are proposed, and the digest of its files."""
    policies = ", ".join(f"{slot} {policy}" for slot, policy in made["policies"].items())
    return f"{policies}; ending {made['ending']}; files {made['digest']}"
